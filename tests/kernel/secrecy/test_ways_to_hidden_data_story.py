"""Hidden data, without a kernel: what shows it, and what leads to it."""

from __future__ import annotations

import gc
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
    """Errors that the interpreter keeps, and what the collector looks at, are as before."""
    kept = {name: value for name, value in vars(sys).items() if name.startswith("last_")}
    yield
    gc.unfreeze()
    vars(sys).update(kept)


def shell_with(names: dict[str, Any], **parts: Any) -> Any:
    return SimpleNamespace(user_ns=names, user_ns_hidden={}, **parts)


def hidden(names: list[str], namespace: dict[str, Any], **parts: Any) -> tuple[list[str], dict[str, Any]]:
    """What is reported of it, and what a candidate sees then."""
    shell = shell_with(namespace, **parts)
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


SECRET = np.arange(6.0)
WAYS: dict[str, tuple[Any, list[str]]] = {
    "itself": (SECRET, ["other is the same object as secret, so it is hidden as well"]),
    "a part, whose memory is not looked at": (SECRET[:2], []),
    "a list": ([1, SECRET], ["candidates can reach secret through other: hide that too"]),
    "an object": (Holds(SECRET), ["candidates can reach secret through other: hide that too"]),
    "a part of a part": ({"a": [SECRET]}, ["candidates can reach secret through other: hide that too"]),
    "too deep": ([[[[SECRET]]]], []),
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_hidden_data_are_reported(way: str) -> None:
    value, reported = WAYS[way]
    assert hidden(["secret"], {"secret": SECRET, "other": value})[0] == reported


def test_a_dunder_name_of_the_users_stays_and_is_reported() -> None:
    secret = [5]
    reported, seen = hidden(["secret"], {"secret": secret, "__notes__": [secret]})
    assert reported == ["candidates can reach secret through __notes__: hide that too"]
    assert seen == {"__notes__": [secret]}


class Unhashable(type):
    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("kind", ["gone", "unhashable"])
def test_values_that_fail_when_inspected_harm_no_attempt(kind: str) -> None:
    odd: Any = weakref.proxy(Holds(5)) if kind == "gone" else Unhashable("Odd", (), {})()
    secret = [5]
    names = {"secret": secret, "odd": odd, "all": [odd, secret], "_1": [odd], "_oh": {1: odd}}
    assert hidden(["secret"], names)[0] == ["candidates can reach secret through all: hide that too"]
    assert hidden(["odd"], {"odd": odd})[0] == []


def test_errors_are_kept_where_nothing_else_holds_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """To find all that they hold takes a look at all objects, which is long in a large kernel."""
    monkeypatch.setattr(sys, "last_value", "an error", raising=False)
    assert hidden(["secret", "n"], {"secret": np.arange(6.0), "n": 5}) == ([], {})
    assert sys.last_value == "an error"
