"""Values that would satisfy any check, and honest ones that look odd: told apart without using them up."""

from __future__ import annotations

import ast
import builtins
import contextlib
from typing import Any
from unittest import mock

import pytest

from jupyterlab_refine.kernel import impostors, rewriting
from jupyterlab_refine.kernel.tracebacks import CANDIDATE


def told(check: str, **names: Any) -> list[str]:
    """Of the operands of an assert."""
    recorder = rewriting.Recorder()
    tree = ast.parse(check)
    tree.body = [rewriting.Rewriter(recorder, "recorder_of_a_test").visit(node) for node in tree.body]
    with contextlib.suppress(AssertionError):
        exec(compile(tree, "<check>", "exec"), {"recorder_of_a_test": recorder, **names})
    return impostors.impostors(recorder)


def candidates(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, CANDIDATE, "exec"), space)
    return space


class Equal:
    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = object.__hash__


def nested(value: Any, depth: int) -> Any:
    for _ in range(depth):
        value = [value]
    return value


def test_parts_that_were_not_reached_and_literals_are_nobodys() -> None:
    assert told("assert 0 and z == 6", z=Equal()) == []
    assert told("assert 1 or z == 6", z=Equal()) == []
    assert told("assert z == [6, {'a': (1, 2)}]", z=[6]) == []


def test_a_check_may_say_any() -> None:
    assert told("assert z == ANY", z=6, ANY=mock.ANY) == []
    assert told("assert z == 6", z=mock.ANY) == ["z is equal to anything"]


def test_what_is_written_is_only_made_of_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most checks hold honestly, and unparsing takes long."""
    monkeypatch.setattr(rewriting.ast, "unparse", lambda _: pytest.fail("unparsed"))
    assert told("assert z == 6", z=6) == []


def test_containers_are_searched_up_to_a_size_and_a_depth() -> None:
    assert told("assert z", z=nested(Equal(), 4)) == ["z is equal to anything"]
    assert told("assert z", z=nested(Equal(), 5)) == []
    assert told("assert z", z=[0] * 1999 + [Equal()]) == ["z is equal to anything"]
    assert told("assert z", z=[0] * 2000 + [Equal()]) == []
    around: list[Any] = []
    around.append(around)
    assert told("assert z", z=around) == []


@pytest.mark.parametrize("kind", [int, list, dict, type(None), type(print), builtins.OSError, map])
def test_classes_that_no_class_statement_made(kind: type) -> None:
    assert impostors.is_made_in_c(kind)


class Odd(type):
    __flags__ = 0  # type: ignore[assignment]


@pytest.mark.parametrize(
    "kind", [Equal, type("int", (int,), {"__module__": "builtins"}), Odd("A", (), {}), mock.Mock]
)
def test_classes_that_one_made_whatever_they_say(kind: type) -> None:
    assert not impostors.is_made_in_c(kind)


class Counts:
    """Each look takes one."""

    def __init__(self) -> None:
        self.taken = 0

    def __iter__(self) -> Counts:
        return self

    def __next__(self) -> int:
        self.taken += 1
        return self.taken


class Endless:
    def __init__(self) -> None:
        self.taken = 0

    def __iter__(self) -> Any:
        while True:
            self.taken += 1
            yield 0


def comparing(**methods: bool) -> Any:
    return type("Compares", (), {f"__{name}__": lambda *_, v=value: v for name, value in methods.items()})()


HONEST = {
    "the least": comparing(lt=True, gt=False),
    "the greatest": comparing(lt=False, gt=True),
    "unequal to all": comparing(eq=False, ne=True),
    "empty": comparing(contains=False),
}
ANYTHING = {
    "less and greater": comparing(lt=True, gt=True),
    "equal": comparing(eq=True),
    "not unequal": comparing(eq=False, ne=False),
    "with everything in it": comparing(contains=True),
}


@pytest.mark.parametrize("name", [*HONEST, *ANYTHING])
def test_who_is_anything(name: str) -> None:
    assert impostors.is_anything({**HONEST, **ANYTHING}[name]) == (name in ANYTHING)


def test_a_look_uses_nothing_up_and_ends() -> None:
    iterator, endless = Counts(), Endless()
    assert not impostors.is_anything(iterator)
    assert iterator.taken == 0
    assert not impostors.is_anything(endless)
    assert 0 < endless.taken <= 100


def test_methods_of_libraries_that_checks_call_must_not_be_the_candidates() -> None:
    space = candidates("def equals(*_): return True\nclass Own:\n    def equals(*_): return True")
    frame = type("Frame", (), {"__module__": "library", "equals": space["equals"], "size": 3})()
    names = {"frame": frame, "own": space["Own"]()}
    chains = ["frame.equals", "frame.size", "own.equals", "gone.equals"]
    assert impostors.patched_methods(chains, names) == ["Frame.equals was replaced"]
    assert told("assert frame == 3", frame=frame) == []


def test_a_statement_without_an_assert_has_no_operands() -> None:
    assert told("z = 5") == []
