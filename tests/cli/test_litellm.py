"""The judge's ladder of answer forms against a real LiteLLM proxy, whose models refuse some of the forms."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import textwrap
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import CommandLine, code, read_events

LITELLM = os.environ.get("REFINE_LITELLM", "")

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not LITELLM, reason="REFINE_LITELLM names no litellm; `make test-full` sets it"),
]

#: Refuses the forms that its model's name lists, as providers do, and keeps what it was asked for.
HANDLER = """
import litellm

JUDGEMENT = '{"evaluation": "pass", "score": 0.9, "feedback": []}'

def form(options):
    if options.get("tools"):
        return "tool"
    return (options.get("response_format") or {}).get("type", "text")

class Handler(litellm.CustomLLM):
    async def astreaming(self, model, messages, optional_params, **_):
        asked = form(optional_params)
        with open("asked.txt", "a") as file:
            file.write(asked + "\\n")
        if asked in model.split("-"):
            raise litellm.BadRequestError(f"{asked} is not supported", model, "scripted")
        judging = str(messages[0]["content"]).startswith("You judge")
        text = JUDGEMENT if judging else "I set it.\\n\\n```python\\nx = 1\\n```\\n"
        usage = {"completion_tokens": 5, "prompt_tokens": 50, "total_tokens": 55}
        yield {"text": text, "tool_use": None, "index": 0, "is_finished": True, "finish_reason": "stop",
               "usage": usage}

handler = Handler()
"""

#: Of this run alone.
KEY = f"sk-{secrets.token_hex(16)}"
#: In the order of the judge; each model refuses one more of them.
LADDER = ["json_schema", "json_object", "tool"]
MODELS = ["all", "json_schema", "json_schema-json_object"]


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """Base URL of a proxy, and the file that lists the forms it was asked for."""
    folder = tmp_path / "proxy"
    folder.mkdir()
    (folder / "handler.py").write_text(textwrap.dedent(HANDLER))
    models = "".join(
        f"  - model_name: {name}\n    litellm_params:\n      model: scripted/{name}\n" for name in MODELS
    )
    (folder / "config.yaml").write_text(
        f"model_list:\n{models}litellm_settings:\n  custom_provider_map:\n"
        '  - {"provider": "scripted", "custom_handler": handler.handler}\n'
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [LITELLM, "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder,
            stdout=log,
            stderr=log,
            env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": KEY},
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/health/liveliness", process, folder / "log")
        yield f"http://127.0.0.1:{port}/v1", folder / "asked.txt"
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        assert process.poll() is None, log.read_text()[-2000:]
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(log.read_text()[-2000:])


@pytest.mark.parametrize("model", MODELS)
def test_judge_is_understood_in_the_next_form(cli: CommandLine, proxy: tuple[str, Path], model: str) -> None:
    url, asked = proxy
    cli.notebook("n.ipynb", [code("target", "# Write x."), code("checks", "assert x == 1")])
    done = cli.run(
        *("run", "n.ipynb", "--base-url", url, "--model", model, "--evaluators", "assertions,judge"),
        *("--events", "events.jsonl"),
        environment={"OPENAI_API_KEY": KEY},
    )
    forms = asked.read_text().split()
    assert done.status == 0, (done.stderr, forms)
    events = read_events(cli.folder / "events.jsonl")
    verdicts = [event["verdict"] for event in events if event["type"] == "verdict-end"]
    judge = next(verdict for verdict in verdicts if verdict["evaluator"] == "judge")
    assert judge["evaluation"] == "pass", judge
    assert forms == ["text", *LADDER[: MODELS.index(model) + 1]]
