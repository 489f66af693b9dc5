"""The one error that leaves the server, and how it looks as a status and as JSON.

``code`` is one of the names of ``RefineErrorCode`` in the front end's ``errors.ts``. The HTTP status
mirrors the provider's, with two exceptions: 401 and 403 become 424, so that a client never takes a
refused key for a lost Jupyter login, and 5xx become 502, as from any gateway.
"""

from __future__ import annotations

import traceback
from typing import Any


class RefineError(Exception):
    """A failure that is reported to the user: what happened, with its numbers, and the way out.

    Parameters
    ----------
    code
        Stable name for programs: ``unauthorized``, ``unreachable`` …
    message
        One or two sentences for the user.
    http_status
        Status of this server's answer when nothing was sent yet.
    provider_status
        What the provider answered; None when it did not.
    retry_after_ms
        When to try again, in milliseconds; None when unknown.
    param
        The request field that a 400 names.
    """

    def __init__(
        self,
        code: str,
        message: str,
        http_status: int,
        *,
        provider_status: int | None = None,
        retry_after_ms: int | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.http_status = http_status
        self.provider_status = provider_status
        self.retry_after_ms = retry_after_ms
        self.param = param

    def body(self) -> dict[str, Any]:
        """``{"error": {message, code, status, retryAfterMs?, param?}}``; status: the provider's or ours."""
        error: dict[str, Any] = {
            "message": self.message,
            "code": self.code,
            "status": self.provider_status or self.http_status,
        }
        if self.retry_after_ms is not None:
            error["retryAfterMs"] = self.retry_after_ms
        if self.param is not None:
            error["param"] = self.param
        return {"error": error}


def bad_request(message: str, param: str | None = None) -> RefineError:
    """A request that this server itself refuses."""
    return RefineError("bad-request", message, 400, param=param)


def unexpected(error: BaseException) -> RefineError:
    """A defect of ours: named by kind and place alone, since its text can hold a key or a notebook."""
    frames = traceback.extract_tb(error.__traceback__)
    last = next((frame for frame in reversed(frames) if "jupyterlab_refine" in frame.filename), None)
    place = f", {last.name}, line {last.lineno}" if last else ""
    return RefineError(
        "other",
        f"The server part of jupyterlab-refine failed ({type(error).__name__}{place}). "
        "Please report this line.",
        500,
    )
