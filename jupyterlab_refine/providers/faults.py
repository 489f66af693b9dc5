"""What a provider answered, or how it failed to, as one error for the user."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from ..errors import RefineError
from . import error_body
from .profile import Profile
from .secrets import mask

#: Characters of a provider's own message that are passed on.
MAX_MESSAGE = 600

#: Characters of the name of a parameter.
MAX_PARAM = 100


def from_response(
    profile: Profile, model: str, status: int, headers: Mapping[str, str], body: bytes
) -> RefineError:
    """The error behind a status other than 200."""
    detail = error_body.details(body)
    said = _said(profile, detail)
    host = profile.host
    numbers: dict[str, Any] = {
        "provider_status": status,
        "retry_after_ms": retry_after_ms(headers),
    }
    if 300 <= status < 400:
        target = headers.get("location", "")
        return _error(
            profile,
            "not-an-api",
            f"{host} redirects{_to_host(target)} instead of answering. "
            "Set base_url of the profile to the final address; a login page cannot be passed from here.",
            502,
            **numbers,
        )
    if status in (401, 403):
        return _error(
            profile,
            "unauthorized",
            f"{host} refused the key of profile {profile.name} ({status}). {profile.other_key}{said}"
            if profile.api_key or profile.headers
            else f"{host} wants a key and profile {profile.name} has none ({status}). "
            "Set one in the panel or in the server's configuration.",
            424,
            **numbers,
        )
    if status == 404:
        pull = f" To get it: ollama pull {model}" if profile.is_ollama else ""
        return _error(
            profile,
            "model-not-found",
            f"{host} does not know the model {model}, or base_url is not the address of its API (404)."
            f"{said}{pull}",
            404,
            **numbers,
        )
    if (
        status == 402
        or detail.get("code") == "insufficient_quota"
        or detail.get("type") == "insufficient_quota"
    ):
        return _error(
            profile, "other", f"The account at {host} has no credit left ({status}).{said}", 402, **numbers
        )
    if status == 429:
        wait = numbers["retry_after_ms"]
        later = f" It asks to wait {wait / 1000:g} s." if wait is not None else ""
        return _error(
            profile, "rate-limited", f"{host} limits the rate of calls (429).{later}{said}", 429, **numbers
        )
    if status >= 500 or status == 408:
        return _error(profile, "provider-error", f"{host} failed ({status}).{said}", 502, **numbers)
    if status == 413 or (status in (400, 422) and error_body.is_context(detail)):
        return _error(
            profile,
            "context-too-long",
            f"The prompt is too long for {model} ({status}). "
            f"A smaller contextBudget sends less of the notebook.{said}",
            status,
            **numbers,
        )
    return _error(
        profile,
        "bad-request",
        f"{host} refused the request ({status}).{said}",
        status,
        param=error_body.param(detail),
        **numbers,
    )


def from_exception(profile: Profile, error: Exception, *, started: bool) -> RefineError:
    """The error behind a failed connection; ``started`` when a part of the answer had come."""
    host = profile.host
    if isinstance(error, httpx.ConnectTimeout):
        return _error(
            profile,
            "unreachable",
            f"{host} did not accept a connection in time. Check the address and the network.",
            502,
        )
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        why = str(error)[:MAX_MESSAGE]
        return _error(
            profile,
            "unreachable",
            f"{host} cannot be reached: {why}. Check that it runs and that base_url is right.",
            502,
        )
    if started:
        return cut(profile)
    if isinstance(error, httpx.TransportError):
        return _error(profile, "provider-error", f"{host} closed the connection without an answer.", 502)
    kind = type(error).__name__
    return _error(profile, "provider-error", f"The call to {host} failed ({kind}).", 502)


def cut(profile: Profile) -> RefineError:
    """A stream that ended before its answer did."""
    return _error(
        profile, "stream-cut", f"{profile.host} closed the connection in the middle of its answer.", 502
    )


def garbled(profile: Profile) -> RefineError:
    """An event that cannot be read, after others that could: as good as a cut."""
    return _error(
        profile, "stream-cut", f"{profile.host} sent something unreadable in the middle of its answer.", 502
    )


def from_event(profile: Profile, model: str, value: Any) -> RefineError:
    """The error a provider sends as an event of its stream: ``{"error": …}``."""
    detail = value if isinstance(value, Mapping) else {"message": str(value)}
    code = detail.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return from_response(profile, model, code, {}, json.dumps({"error": dict(detail)}).encode())
    if error_body.is_context(detail):
        return from_response(profile, model, 400, {}, json.dumps({"error": dict(detail)}).encode())
    said = _said(profile, detail)
    return _error(profile, "provider-error", f"{profile.host} broke off its answer.{said}", 502)


def not_an_api(profile: Profile, what: str) -> RefineError:
    """An answer with status 200 that no model wrote."""
    return _error(
        profile,
        "not-an-api",
        f"{profile.host} answered with {what} instead of a model's answer. "
        "Check base_url of the profile (most servers want /v1 at its end); a login page cannot be passed.",
        502,
    )


def stalled(profile: Profile, seconds: float, *, started: bool) -> RefineError:
    """No sign of life for too long; ``started`` when text had come."""
    if started:
        return _error(
            profile,
            "stalled",
            f"The answer of {profile.host} stood still for {seconds:g} s in the middle.",
            504,
        )
    return _error(
        profile,
        "stalled",
        f"{profile.host} did not begin to answer within {seconds:g} s. "
        "A model that loads slowly needs a larger c.Refine.first_token_timeout.",
        504,
    )


def retry_after_ms(headers: Mapping[str, str]) -> int | None:
    """``Retry-After`` (seconds or a date) or ``retry-after-ms``, in milliseconds."""
    exact = headers.get("retry-after-ms", "")
    if exact.isdigit():
        return int(exact)
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        return max(0, round(float(text) * 1000))
    except (ValueError, OverflowError):
        pass
    try:
        return max(0, round((parsedate_to_datetime(text).timestamp() - time.time()) * 1000))
    except (ValueError, TypeError):
        return None


def _said(profile: Profile, detail: Mapping[str, Any]) -> str:
    text = error_body.words(detail)
    return f" It said: {text[:MAX_MESSAGE]}" if text else ""


def _to_host(location: str) -> str:
    try:
        host = httpx.URL(location).netloc.decode("ascii", "replace")
    except httpx.InvalidURL:
        return ""
    return f" to {host}" if host else ""


def _error(
    profile: Profile, code: str, message: str, status: int, *, param: str | None = None, **numbers: int | None
) -> RefineError:
    """An error in which no secret of the profile is left, whatever a provider chose to quote."""
    secrets = profile.secrets()
    return RefineError(
        code,
        mask(message, secrets),
        status,
        param=mask(param, secrets)[:MAX_PARAM] if param else None,
        **numbers,
    )
