"""The event loop of a forked process: the same one, with files of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from processes import in_child

from jupyterlab_refine.kernel.child import loops


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[asyncio.AbstractEventLoop]:
    monkeypatch.setattr(loops, "_made", None)
    loop = loops.make()
    yield loop
    asyncio.set_event_loop(None)
    loop.close()


async def answer() -> int:
    loop = asyncio.get_running_loop()
    await asyncio.sleep(0)
    return await loop.run_in_executor(None, lambda: 42)


def test_a_forked_process_reuses_the_loop(made: asyncio.AbstractEventLoop) -> None:
    assert in_child(lambda: [loops.own() is made, made.run_until_complete(answer())]) == [True, 42]


def test_a_wake_up_reaches_only_its_own_process(made: asyncio.AbstractEventLoop) -> None:
    def wake() -> bool:
        loops.own().call_soon_threadsafe(lambda: None)
        return True

    assert in_child(wake)
    parts: Any = made
    assert parts._selector.select(0) == []
    made.call_soon_threadsafe(lambda: None)
    assert len(parts._selector.select(0)) == 1


def test_a_loop_of_another_kind_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_made", object())

    def run() -> list[Any]:
        loop = loops.own()
        return [isinstance(loop, asyncio.AbstractEventLoop), loop.run_until_complete(answer())]

    assert in_child(run) == [True, 42]


class Other(asyncio.DefaultEventLoopPolicy):
    """As a library's own."""


def test_loops_of_other_libraries_are_made_after_the_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_made", None)

    def run() -> list[Any]:
        asyncio.set_event_loop_policy(Other())
        loops.prepare()
        before = loops.descriptors()
        loop = loops.current()
        return [before, loop is loops.current(), loop.run_until_complete(answer())]

    assert in_child(run) == [[], True, 42]


def test_a_loop_of_the_standard_library_is_made_before_the_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "_made", None)

    def run() -> list[Any]:
        asyncio.set_event_loop_policy(None)
        loops.prepare()
        return [len(loops.descriptors()), loops.current().run_until_complete(answer())]

    assert in_child(run) == [3, 42]
