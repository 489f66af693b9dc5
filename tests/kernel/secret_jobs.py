"""Attempts as the client starts them: one with hold-outs or a scorer in a fork that waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_SECRET = ("holdouts", "scorer", "hiddenNames")
_OF_FORK = ("allowNetwork", "allowWrites", "notebookPath", "sidecar")


def start(call: Callable[..., dict[str, Any]], job: dict[str, Any], grace_ms: float) -> dict[str, Any]:
    """:param call: asks the kernel part: an operation and its fields."""
    if any(job.get(key) for key in _SECRET):
        where = {key: job[key] for key in _OF_FORK if key in job}
        prepared = call("prepare", force=True, soon=True, **where)
        if prepared["state"] != "ready":
            return prepared
    return call("attempt", job=job, graceMs=grace_ms)
