"""``docs/examples/events.jsonl`` is what ``run --events`` writes today.

``REFINE_WRITE_EXAMPLE=1 pytest tests/cli/test_events_example.py`` writes it again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from command import ROOT, CommandLine, answer, code

EXAMPLE = ROOT / "docs" / "examples" / "events.jsonl"

#: Previews: which of them there are, and where, depends on how fast the machine is.
PREVIEWS = {"candidate-delta", "execution-start", "execution-output", "assertion-end"}
#: What differs from run to run.
VARYING = {"at", "durationMs", "confirmMs", "totalMs", "modelMs", "kernelMs", "host"}


def test_example_of_the_events_is_up_to_date(cli: CommandLine, model_server: Callable[..., str]) -> None:
    cli.notebook(
        "double.ipynb",
        [
            code("target", "# Write double(n): twice a number."),
            code("checks", "assert double(2) == 4\nassert double(5) == 10"),
        ],
    )
    url = model_server(
        answer("def double(n):\n    return n + 2", "Add two."),
        answer("def double(n):\n    return 2 * n", "Multiply instead of adding."),
    )
    arguments = ("run", "double.ipynb", "--base-url", url, "--in-place", "--events", "events.jsonl")
    done = cli.run(*arguments, fresh=True)
    assert done.status == 0, done.stderr
    written = (cli.folder / "events.jsonl").read_text(encoding="utf-8")
    if os.environ.get("REFINE_WRITE_EXAMPLE"):
        host = url.removeprefix("http://").removesuffix("/v1")
        EXAMPLE.write_text(written.replace(host, "127.0.0.1:8000"), encoding="utf-8")
    assert lasting(written) == lasting(EXAMPLE.read_text(encoding="utf-8"))


def lasting(text: str) -> list[Any]:
    """The events without previews and what differs from run to run."""
    events = [json.loads(line) for line in text.splitlines()]
    session = events[0]["session"]
    without = [json.loads(json.dumps(event).replace(session, "SESSION")) for event in events]
    return [steady(event) for event in without if event["type"] not in PREVIEWS]


def steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: steady(item) for key, item in value.items() if key not in VARYING}
    if isinstance(value, list):
        return [steady(item) for item in value]
    return value
