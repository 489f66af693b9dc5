"""What an attempt's process may send."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jupyterlab_refine.kernel.attempt import shapes

ERROR = {"name": "E", "message": "m", "traceback": "t"}


def test_an_honest_event_stays_as_it_is() -> None:
    local = {"name": "x", "type": "int", "repr": "1"}
    frame = {"function": "f", "where": "cell", "line": 2, "locals": [local]}
    event = {
        "t": "candidate",
        "error": {**ERROR, "candidateLine": 3, "locals": [local], "frames": [frame, frame]},
        "exceeded": "memory",
        "denied": ["tried to write"],
        "repair": {"silenced": False, "missing": ["a"], "call": {"source": "f()", "name": "f"}},
    }
    assert shapes.fitted(event) == {key: value for key, value in event.items() if key != "t"}
    assert shapes.fitted({"t": "start"}) == {"t": "start"}


def test_unknown_fields_and_nulls_are_left_out() -> None:
    event = {"t": "candidate", "error": {**ERROR, "more": [[[]]], "candidateLine": None}, "exceeded": None}
    assert shapes.fitted(event) == {"error": ERROR}


@pytest.mark.parametrize(
    "error",
    [
        '"x"',
        "[]",
        '{"name": 3}',
        '{"name": "E", "message": "m", "traceback": "t", "candidateLine": NaN}',
        '{"name": "E", "message": "m", "traceback": "t", "candidateLine": true}',
        '{"name": "E", "message": "m", "traceback": "t", "candidateLine": 1' + "0" * 400 + "}",
        '{"name": "E", "message": "m", "traceback": "t", "frames": [{"where": "moon"}]}',
    ],
)
def test_what_no_honest_process_sends_is_refused(error: str) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        shapes.fitted({"t": "candidate", "error": json.loads(error)})


@pytest.mark.parametrize("duration", ["1e999", "-1e999", "NaN", "9007199254740993"])
def test_numbers_are_those_of_json(duration: str) -> None:
    result: dict[str, Any] = {"id": "c:1", "outcome": "passed", "durationMs": json.loads(duration)}
    with pytest.raises(ValueError, match="no number"):
        shapes.fitted({"t": "assertion", "result": result})
