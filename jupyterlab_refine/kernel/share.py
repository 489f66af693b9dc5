"""Copies of the user's variables for a second kernel, where the kernel itself cannot be forked.

The user's kernel packs, the second one loads; the client carries tokens between them.
"""

from __future__ import annotations

from typing import Any

from . import share_load, share_pack, share_values


def answer(request: dict[str, Any], shell: Any) -> dict[str, Any]:
    """One step of a transfer."""
    step = request["step"]
    if step == "hello":
        return {"state": "ready", "cloudpickle": share_values.find_cloudpickle()}
    if step == "pack":
        return share_pack.pack(request, shell)
    if step == "read":
        return share_pack.read(request["token"], request["offset"], request["size"])
    if step == "drop":
        return share_pack.drop(request["token"])
    if step == "part":
        return share_load.part(request["nonce"], request["data"])
    if step == "forget":
        return share_load.forget(request["nonce"])
    if step == "load":
        return share_load.load(request["path"], request["nonce"], shell)
    return {"state": "error", "code": "unknown-step", "message": f"unknown step {step!r}"}


def cancel(copying: str) -> dict[str, Any]:
    """End the packing with this id, from the control channel."""
    share_pack.cancel(copying)
    return {"ok": True}
