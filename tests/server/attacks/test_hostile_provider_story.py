"""A hostile provider neither stops the server nor slows it, fills its memory, or gets a key out of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hostile import (
    ANSWERS,
    ERRORS,
    GROWTH,
    KEY,
    LISTS,
    STATUS_SECONDS,
    HostileProvider,
    Mode,
    WatchedServer,
    silent,
)

MODES = {**ANSWERS, **ERRORS, **LISTS, "streams at once": Mode(silent)}

#: One of each kind, for `make test`.
QUICK = {
    "never answers",
    "text without end, a stop",
    "gzip, gzip",
    "status 204",
    "192 KB for the pattern of contexts",
    "the key in single characters",
    "models: 3 GB of blanks",
}


@pytest.fixture(scope="module")
def provider() -> Iterator[HostileProvider]:
    hostile = HostileProvider({slug(name): mode for name, mode in MODES.items()})
    yield hostile
    hostile.end()


@pytest.fixture(scope="module")
def server(provider, tmp_path_factory) -> Iterator[WatchedServer]:
    watched = WatchedServer(tmp_path_factory.mktemp("hostile"), provider)
    yield watched
    watched.stop()
    print(f"Slowest /api/status: {watched.slowest_of_all:.2f} s; growth: {watched.grown / 1e6:.0f} MB.")


def slug(name: str) -> str:
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in name)


def test_there_are_enough_modes():
    assert len({slug(name) for name in MODES}) == len(MODES) >= 50
    assert set(MODES) >= QUICK


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK else pytest.mark.full)
        for name in MODES
        if name != "streams at once"
    ],
)
def test_the_server_stands(server, name):
    mode = MODES[name]
    started_at = server.clock()
    answer = server.run(slug(name), mode)
    taken = server.clock() - started_at
    assert answer.status != 500, answer.text[:500]
    assert not leaks(answer.text), answer.text[:2000]
    for part in mode.says:
        assert part in answer.text, answer.text[:2000]
    if mode.words is not None:
        assert answer.words == mode.words
        assert answer.events[-1] == "[DONE]"
    assert taken < mode.within
    assert_unharmed(server)


@pytest.mark.full
def test_a_hundred_and_ten_streams_at_once(server):
    before = server.descriptors()
    with ThreadPoolExecutor(110) as pool:
        answers = list(
            pool.map(lambda _: server.run("streams-at-once", MODES["streams at once"]), range(110))
        )
    codes = [
        json.loads(answer.events[-1] if answer.events else answer.text)["error"]["code"] for answer in answers
    ]
    assert set(codes) == {"stalled"}
    assert_unharmed(server)
    assert server.descriptors() <= before + 30


@pytest.mark.full
def test_no_trace_of_the_key_or_of_a_defect_in_the_log(server):
    log = server.log.read_text("utf-8", "replace")
    assert len(log) > 1000
    assert "Traceback" not in log
    assert not leaks(log)


def leaks(text: str) -> bool:
    """Whether the key is in a text, or in the texts of all events put together."""
    bare = text.replace("\\\\", "\\").replace('\\"', '"').replace("\\/", "/").lower()
    joined = "".join(strings(text)).lower()
    return any(KEY.lower() in place for place in (text.lower(), bare, joined))


def strings(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        try:
            yield from leaves(json.loads(line.removeprefix("data: ")))
        except ValueError:
            continue


def leaves(value: object) -> Iterator[str]:
    """The texts that a client could put together; not the names that stand in every event."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name not in ("object", "role", "finish_reason"):
                yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, str):
        yield value


def assert_unharmed(server: WatchedServer) -> None:
    assert server.slowest < STATUS_SECONDS, f"/api/status took {server.slowest:.2f} s"
    assert server.grown < GROWTH, f"the server grew by {server.grown / 1e6:.0f} MB"
