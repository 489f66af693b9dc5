"""The recorded model: answers for the bundled notebook."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..demo import ANSWERS
from ..errors import RefineError
from .answer import DONE, Send

#: Name of the profile, and of its model.
DEMO = "demo"

#: About what a hosted model writes.
TOKENS_PER_SECOND = 60.0

_EARLIER = re.compile(r"- attempt [1-9]")
_TOKEN = re.compile(r"\s*(?:\w{1,6}|[^\w\s])|\s+")


@lru_cache(maxsize=1)
def recording() -> Mapping[str, Any]:
    """The bundled ``notebook``, its task as ``prompt``, and ``answers`` in the order of the attempts."""
    stored: Mapping[str, Any] = json.loads(ANSWERS.read_text("utf-8"))
    return stored


def _index(messages: Sequence[Mapping[str, Any]]) -> int:
    """Index of the answer to a request: the one after the last attempt that the request reports.

    It quotes the program of that attempt, or says what it gave; those before it have a line each.

    Raises
    ------
    RefineError
        ``demo-only`` when the request is about anything else.
    """
    recorded = recording()
    text = _collapsed("\n".join(message.get("content", "") for message in messages))
    if _collapsed(recorded["prompt"]) not in text:
        raise RefineError(
            "demo-only",
            f"The demo only knows its own notebook, {recorded['notebook']}, and its task as it was written. "
            "For your own cells set up a model: a key, or an Ollama on this machine.",
            400,
        )
    answers = recorded["answers"]
    quoted = [index for index, answer in enumerate(answers) if _collapsed(answer["code"]) in text]
    reported = len(_EARLIER.findall(text)) + ("An earlier program was wrong." in text)
    return min(max(reported, max(quoted, default=-1) + 1), len(answers) - 1)


async def stream_demo(request: Mapping[str, Any], send: Send) -> None:
    """Send a recorded answer at a model's pace, each event with ``"recorded": true``; ``[DONE]`` last.

    Raises
    ------
    RefineError
        ``demo-only``, before the first event.
    """
    messages = request["messages"]
    answer = recording()["answers"][_index(messages)]
    tokens = _TOKEN.findall(f"{answer['thought']}\n\n```python\n{answer['code']}\n```\n")

    async def event(delta: Mapping[str, str], finish: str | None, **more: Any) -> None:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        frame = {"object": "chat.completion.chunk", "model": DEMO, "recorded": True}
        await send(f"data: {json.dumps({**frame, 'choices': choices, **more})}\n\n")

    start = time.monotonic()
    for count, token in enumerate(tokens):
        # Paced by the clock and not by sleeps, which would add up.
        await asyncio.sleep(max(0.0, start + count / TOKENS_PER_SECOND - time.monotonic()))
        await event({"content": token}, None)
    prompt_tokens = sum(len(message.get("content", "")) for message in messages) // 4
    await event({}, "stop", usage={"prompt_tokens": prompt_tokens, "completion_tokens": len(tokens)})
    await send(f"data: {DONE}\n\n")


def _collapsed(text: str) -> str:
    return " ".join(text.split())
