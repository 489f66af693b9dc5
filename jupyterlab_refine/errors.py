"""The one error that leaves the server, and how it looks as a status and as JSON.

``code`` is one of the names of ``RefineErrorCode`` in the front end's ``errors.ts``. The HTTP status
mirrors the provider's, with two exceptions: 401 and 403 become 424, so that a client never takes a
refused key for a lost Jupyter login, and 5xx become 502, as from any gateway.
"""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any


@dataclass(eq=False)
class RefineError(Exception):
    """A failure that is reported to the user: one or two sentences with its numbers and the way out."""

    #: Stable name for programs: ``unauthorized``, ``unreachable`` …
    code: str
    message: str
    #: Status of this server's answer when nothing was sent yet.
    http_status: int
    provider_status: int | None = None
    #: When to try again, in milliseconds.
    retry_after_ms: int | None = None
    #: The request field that the provider names.
    param: str | None = None

    def __str__(self) -> str:
        return self.message

    def body(self) -> dict[str, Any]:
        """``{"error": {message, code, status, retryAfterMs?, param?}}``; status: the provider's or ours."""
        error = {
            "message": self.message,
            "code": self.code,
            "status": self.provider_status or self.http_status,
            "retryAfterMs": self.retry_after_ms,
            "param": self.param,
        }
        return {"error": {name: value for name, value in error.items() if value is not None}}


def bad_request(message: str) -> RefineError:
    """A request that this server itself refuses."""
    return RefineError("bad-request", message, 400)


def unexpected(error: BaseException) -> RefineError:
    """A defect of ours: named by kind and place alone, since its text can hold a key or a notebook."""
    frames = traceback.extract_tb(error.__traceback__)
    frame = ([one for one in frames if __file__.removesuffix("errors.py") in one.filename] or frames)[-1]
    place = f"{type(error).__name__}, {frame.name}, line {frame.lineno}"
    message = f"The server part of jupyterlab-refine failed ({place}). Please report this line."
    return RefineError("other", message, 500)
