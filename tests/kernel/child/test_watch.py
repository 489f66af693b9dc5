"""Denied actions are reported: hosts that an attempt tried to reach, files that it tried to change."""

from __future__ import annotations

import os
from typing import Any

import pytest

from jupyterlab_refine.kernel.child import watch


def denials(
    *events: tuple[Any, ...], network_denied: bool = True, writable: list[str] | None = None
) -> list[str]:
    one = watch.Watch(network_denied, writable)
    for event, *arguments in events:
        one._on_event(event, tuple(arguments))
    return one.found()


BIND = ("socket.bind", None, ("127.0.0.1", 0))
HOSTS: dict[str, tuple[list[tuple[Any, ...]], list[str]]] = {
    "a host whose port is not said": (
        [("socket.getaddrinfo", "example.org", None, 0, 0, 0)],
        ["tried to reach example.org"],
    ),
    "a host in bytes, as asyncio says it": (
        [("socket.getaddrinfo", b"example.org", 80, 0, 0, 0)],
        ["tried to reach example.org:80"],
    ),
    "a datagram": ([("socket.sendto", None, ("192.0.2.1", 53))], ["tried to reach 192.0.2.1:53"]),
    "two hosts at the same port": (
        [("socket.getaddrinfo", f"{name}.example.org", 443, 0, 0, 0) for name in "ab"],
        ["tried to reach a.example.org:443", "tried to reach b.example.org:443"],
    ),
    "somebody else, by who has a server": (
        [BIND, ("socket.connect", None, ("192.0.2.1", 80))],
        ["tried to reach 192.0.2.1:80"],
    ),
    "this machine, by who has none": (
        [("socket.connect", None, ("::1", 80, 0, 0))],
        ["tried to reach ::1:80"],
    ),
    "no host: an address for a server": ([("socket.getaddrinfo", None, 80, 0, 0, 0)], []),
    "no host: a socket that is a file": ([("socket.connect", None, "/tmp/socket")], []),
    "no host: where a server listens": ([("socket.bind", None, ("192.0.2.1", 80))], []),
    "an own server, by IPv4": ([BIND, ("socket.connect", None, ("127.0.0.2", 80))], []),
    "an own server, by IPv6": ([BIND, ("socket.connect", None, ("::1", 80, 0, 0))], []),
    "an own server, by its name": ([BIND, ("socket.getaddrinfo", "localhost", 80, 0, 0, 0)], []),
}


@pytest.mark.parametrize("name", HOSTS)
def test_hosts(name: str) -> None:
    events, expected = HOSTS[name]
    assert denials(*events) == expected


FILES: dict[str, tuple[tuple[Any, ...], list[str]]] = {
    "moved out of its folder": (("os.rename", "/work/a", "/other/b", -1, -1), ["tried to write /other/b"]),
    "the folder itself": (("os.utime", "/work", None, None, -1), []),
    "a folder beside, of a similar name": (("os.mkdir", "/work2", 0o777, -1), ["tried to write /work2"]),
    "a new folder that is there already": (("os.mkdir", "/etc", 0o777, -1), []),
    "opened by number, without a mode": (
        ("open", "/other/a", None, os.O_WRONLY | os.O_CREAT),
        ["tried to write /other/a"],
    ),
    "a device": (("open", "/dev/null", "w", os.O_WRONLY), []),
    "a setting of the process": (("open", "/proc/self/oom_score_adj", "w", os.O_WRONLY), []),
    "a descriptor": (("os.truncate", 5, 0), []),
    "no path: this folder": (("os.chmod", None, 0o777, -1), []),
}


@pytest.mark.parametrize("name", FILES)
def test_files(name: str) -> None:
    event, expected = FILES[name]
    assert denials(event, writable=["/work"]) == expected


def test_the_first_denials_are_reported_once_each() -> None:
    """Else a loop over a thousand hosts or files would fill the page, and the kernel's memory."""
    events = [("open", f"/other/{number % 90}", "w", os.O_WRONLY) for number in range(400)]
    assert denials(*events, writable=[]) == [f"tried to write /other/{number}" for number in range(50)]
