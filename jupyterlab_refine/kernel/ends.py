"""Ends of the connections between the kernel and the processes of an attempt, and their standard streams.

An end is a descriptor of a pipe, or a socket: Windows cannot wait for pipes.
"""

from __future__ import annotations

import functools
import io
import json
import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

End = int | socket.socket


def reader(end: End) -> Callable[[int], bytes]:
    """Its function to read at most so many bytes; none at the end."""
    return functools.partial(os.read, end) if isinstance(end, int) else end.recv


def writer(end: End) -> Callable[[bytes | memoryview], int]:
    """Its function to write; returns how many bytes were taken."""
    return functools.partial(os.write, end) if isinstance(end, int) else end.send


def set_blocking(end: End, on: bool) -> None:
    if isinstance(end, int):
        os.set_blocking(end, on)
    else:
        end.setblocking(on)


def close(end: End) -> None:
    if isinstance(end, int):
        os.close(end)
    else:
        end.close()


def silence(*numbers: int) -> None:
    """Let these standard streams of the process lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in numbers:
        os.dup2(null, number)
    if null not in numbers:
        os.close(null)


def send(end: End, command: dict[str, Any]) -> None:
    """Write a command, a line of JSON, as :class:`.child.child.Commands` reads it."""
    left, write = memoryview(json.dumps(command).encode() + b"\n"), writer(end)
    while left:
        left = left[write(left) :]


class Events:
    """Sends events, one JSON object per line. Only the process that made it writes: its forks are ignored.

    :param end: None to send nothing.
    """

    def __init__(self, end: End | None) -> None:
        self._pid = os.getpid()
        self._lock = threading.RLock()
        # References of our own, so that a candidate that patches the modules does not silence the harness.
        self._write, self._getpid = None if end is None else writer(end), os.getpid
        self._encode = json.JSONEncoder(default=str).encode

    def own_process(self) -> bool:
        return self._getpid() == self._pid

    def send(self, kind: str, **fields: Any) -> None:
        if self._write is None or not self.own_process():
            return
        fields["t"] = kind
        data = memoryview((self._encode(fields) + "\n").encode("ascii", "backslashreplace"))
        with self._lock:
            while data:
                data = data[self._write(data) :]


def replace_output(out: io.TextIOBase, err: io.TextIOBase) -> None:
    """Set the process's streams, also those that libraries use to restore them."""
    system: Any = sys
    system.stdout = system.__stdout__ = out
    system.stderr = system.__stderr__ = err


def unbuffered(raw: Any) -> io.TextIOBase:
    """A stream that keeps nothing back: the next statement may never return, or fork.

    ipykernel's OutStream must not be used in a fork: its lock may be held, and its text would land in the
    user's cell.
    """
    return io.TextIOWrapper(raw, "utf-8", "backslashreplace", "\n", write_through=True)
