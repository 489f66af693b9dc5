"""Jobs as the client sends them: hold-outs and scorer are sealed for the judge (`src/kernel/sealing.ts`)."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable
from typing import Any

from jupyterlab_refine.kernel.secrecy import sealing

_SECRET = ("holdouts", "scorer", "hiddenNames")
_OF_FORK = ("allowNetwork", "allowWrites", "notebookPath")


def seal(data: dict[str, Any], to: str) -> dict[str, str]:
    """As the client does, for the process that has made that key."""
    secret = secrets.randbits(256)
    public = pow(sealing._GENERATOR, secret, sealing._PRIME).to_bytes(256, "big")
    common = pow(int(to, 16), secret, sealing._PRIME).to_bytes(256, "big")
    shared = common + bytes.fromhex(to) + public
    plain = json.dumps(data).encode()
    stream = hashlib.shake_256(b"key" + shared).digest(len(plain))
    text = bytes(a ^ b for a, b in zip(plain, stream, strict=True))
    tag = hashlib.shake_256(b"tag" + shared + text).digest(32)
    return {"to": to, "from": public.hex(), "text": (text + tag).hex()}


def sealed_job(job: dict[str, Any], to: str) -> dict[str, Any]:
    visible = {key: value for key, value in job.items() if key not in _SECRET}
    return {**visible, "sealed": seal({key: job[key] for key in _SECRET if key in job}, to)}


def start(call: Callable[..., dict[str, Any]], job: dict[str, Any], grace_ms: float) -> dict[str, Any]:
    """Start an attempt as the client does.

    :param call: asks the kernel part: an operation and its fields.
    """
    if not any(job.get(key) for key in _SECRET):
        return call("attempt", job=job, graceMs=grace_ms)
    where = {key: job[key] for key in _OF_FORK if key in job}
    prepared = call("prepare", force=True, soon=True, key=True, **where)
    if "key" not in prepared:
        return prepared
    return call("attempt", job=sealed_job(job, prepared["key"]), graceMs=grace_ms)
