"""The shell of an attempt: what it shows."""

from __future__ import annotations

from typing import Any

from jupyterlab_refine.kernel.child import shell_cut


class Events:
    def __init__(self) -> None:
        self.found: list[Any] = []

    def send(self, _: str, **fields: Any) -> None:
        self.found.append(fields)


def test_outputs_beyond_a_number_are_named_once() -> None:
    events: Any = Events()
    displays = shell_cut.Displays(events)
    for _ in range(300):
        displays.show({"text/plain": "x"})
    assert len(events.found) == 201
    assert events.found[-1] == {"display": {"mime": "text/plain", "data": "", "leftOut": 1}}
