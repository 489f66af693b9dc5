"""Hidden data, without a kernel: which names go with it, and what shows it."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from jupyterlab_refine.kernel.secrecy import hiding


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    """Errors that the interpreter keeps are as before."""
    kept = {name: value for name, value in vars(sys).items() if name.startswith("last_")}
    yield
    vars(sys).update(kept)


def hidden(names: list[str], namespace: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """What is reported of it, and what a candidate sees then."""
    shell = SimpleNamespace(user_ns=namespace, user_ns_hidden={})
    return hiding.hide_data(names, shell), shell.user_ns


@pytest.mark.parametrize(
    "value",
    [5, None, "text", range(3), np, dict],
    ids=lambda value: type(value).__name__,
)
def test_a_common_value_is_hidden_by_its_name_alone(value: Any) -> None:
    assert hidden(["secret", "gone"], {"secret": value, "other": value, "rows": [value]}) == (
        [],
        {"other": value, "rows": [value]},
    )


class Holds:
    def __init__(self, value: Any) -> None:
        self.value = value


def test_another_name_of_the_object_is_hidden_as_well() -> None:
    secret = np.arange(6.0)
    reported, seen = hidden(["secret"], {"secret": secret, "other": secret, "copy": secret.copy()})
    assert reported == ["other is the same object as secret, so it is hidden as well"]
    assert list(seen) == ["copy"]


class Unhashable(type):
    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("kind", ["gone", "unhashable"])
def test_values_that_fail_when_inspected_harm_no_attempt(kind: str) -> None:
    odd: Any = weakref.proxy(Holds(5)) if kind == "gone" else Unhashable("Odd", (), {})()
    secret = [5]
    names = {"secret": secret, "odd": odd, "all": [odd, secret], "_1": [odd], "_oh": {1: odd}}
    assert hidden(["secret"], names)[0] == []
    assert hidden(["odd"], {"odd": odd})[0] == []


PLACES = ("sys", "shell", "InteractiveTB", "last_execution_result")


@pytest.mark.parametrize("place", PLACES)
def test_an_error_holds_no_hidden_data(place: str) -> None:
    shell: Any = SimpleNamespace(user_ns={"secret": Holds(5)}, user_ns_hidden={}, _last_traceback=None)
    left = weakref.ref(shell.user_ns["secret"])
    # As an error does.
    holder: Any = Holds(shell.user_ns["secret"])
    shell.InteractiveTB = SimpleNamespace(etb=None, other=5)
    shell.last_execution_result = SimpleNamespace(error_in_exec=None, other=5)
    if place == "sys":
        sys.last_value = holder
    elif place == "shell":
        shell._last_traceback = holder
    elif place == "InteractiveTB":
        shell.InteractiveTB.etb = holder
    elif place == "last_execution_result":
        shell.last_execution_result.error_in_exec = holder
    del holder
    assert hiding.hide_data(["secret"], shell) == []
    assert left() is None
    assert shell.InteractiveTB.other == shell.last_execution_result.other == 5
