"""Ends of the connections between the kernel and the processes of an attempt.

An end is a descriptor of a pipe, or a socket: Windows cannot wait for pipes.
"""

from __future__ import annotations

import functools
import json
import os
import socket
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
