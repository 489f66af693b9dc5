"""What a provider answered, or how it failed to, as one error for the user."""

from __future__ import annotations

import contextlib
import math
import re
import ssl
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from ..errors import RefineError
from .clients import is_loopback, proxy_variables
from .foreign import parse_json, well_formed
from .profile import Profile
from .quirks import usual_error
from .secrets import mask

#: Characters of a provider's own message that are passed on.
MAX_MESSAGE = 600

#: Characters of a parameter, and of a host that is named by someone else; four times as many are read.
MAX_PARAM = 100

#: Milliseconds to the next call, where a model still loads.
LOADING_MS = 2000

#: Code of an answer that is none of a chat: nothing is known of its model.
WRONG_ADDRESS = "not-an-api"

#: Our status for a code, where it is not that of a gateway.
_STATUS = {"unauthorized": 424, "model-not-found": 404, "rate-limited": 429, "stalled": 504}

#: The longest wait that is believed, in milliseconds: a week.
MAX_RETRY_AFTER = 7 * 24 * 3600 * 1000

#: Characters of a message that are read; no pattern runs on more.
MAX_WORDS = 4_000

#: Levels of ``error`` within ``error``.
MAX_DEPTH = 3

# Every repetition has an upper bound, so that no text takes more than a few steps for each character.
_CONTEXT = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|too many (input )?tokens"
    r"|prompt is too long|exceeds? the .{0,80}context",
    re.IGNORECASE,
)

_WAIT = re.compile(
    r"(?:try again|retry|wait)\D{0,24}?(?:(\d{1,3}) ?m(?:in)? ?)?(\d{1,5}(?:\.\d{1,4})?) ?(ms|s|sec|m|min)",
    re.IGNORECASE,
)
_LOADING = re.compile(r"\bloading\b|warming up|starting up|being loaded|not ready", re.IGNORECASE)
_MODEL = re.compile(r"\bmodel|\bdeployment|_model", re.IGNORECASE)
_KEY = re.compile(r"\b(api[ _-]?)?key\b|authenti|credential|\btoken\b|api_key|permission", re.IGNORECASE)

#: The limit that was asked for is refused, and not the prompt, although the context is named as well.
_OUTPUT_LIMIT = re.compile(r"max_(completion_)?tokens\b.{0,60}\btoo large", re.IGNORECASE)


def from_response(
    profile: Profile, model: str, status: int, headers: Mapping[str, str], body: bytes
) -> RefineError:
    """The error behind a status other than 200."""
    try:
        detail = _details(parse_json(body))
    except ValueError:
        detail = {}
    return _from_status(profile, model, status, headers, detail)


def _from_status(
    profile: Profile, model: str, status: int, headers: Mapping[str, str], detail: Mapping[str, Any]
) -> RefineError:
    host, name = profile.host, profile.name
    said = _said(profile, detail)
    wait = retry_after_ms(headers)
    if wait is None and status in (429, 503):
        wait = _wait_ms(detail)
    if status == 503 and _LOADING.search(_words(detail)):
        wait = LOADING_MS if wait is None else wait

    def fault(code: str, message: str, http_status: int | None = None, **more: Any) -> RefineError:
        numbers: dict[str, Any] = {"provider_status": status, "retry_after_ms": wait}
        return _error(profile, code, message, http_status, **numbers, **more)

    if status < 300:
        return not_an_api(profile, f"status {status}")
    if status < 400:
        to_host = _to_host(profile, headers.get("location", ""))
        return fault(
            "not-an-api",
            f"{host} redirects{to_host} instead of answering. "
            "Set base_url of the profile to the final address; a login page does not work here.",
        )
    # With the code and the type, which may be all that names a key or a model.
    whole = f"{_words(detail)} {detail.get('code')} {detail.get('type')}"
    if status == 403 and not _KEY.search(whole):
        why = said or " Its reason may be a firewall, your region, or what the key is allowed."
        return fault("other", f"{host} does not allow this call (403).{why}", 424)
    if status in (401, 403):
        if profile.api_key or profile.headers:
            refused = f"{host} refused the key of profile {name} ({status}). {profile.other_key}{said}"
            return fault("unauthorized", refused)
        return fault(
            "unauthorized",
            f"{host} requires a key, but profile {name} has none ({status}). "
            "Set one in the panel or in the server's configuration.",
        )
    if status in (404, 405) and not _MODEL.search(whole):
        paths = [at.url("chat/completions").path for at in (profile, profile.without_version())]
        return fault(
            WRONG_ADDRESS,
            f"{host} answers {status} at {' and at '.join(paths)}. "
            f"Check base_url of profile {name}, and the name of the model.{said}",
            404,
        )
    if status == 404:
        pull = f" {profile.quirk.get_model.format(model=model)}" if profile.quirk.get_model else ""
        return fault("model-not-found", f"{host} does not know the model {model} (404).{said}{pull}")
    if status == 402 or "insufficient_quota" in (detail.get("code"), detail.get("type")):
        return fault("other", f"The account at {host} has no credit left ({status}).{said}", 402)
    if status == 503 and _LOADING.search(_words(detail)):
        return fault("loading", f"{host} still loads the model (503).{said}")
    if status == 429:
        later = f" It asks to wait {wait / 1000:g} s." if wait is not None else ""
        return fault("rate-limited", f"{host} limits the rate of calls (429).{later}{said}")
    if status >= 500 or status == 408:
        return fault("provider-error", f"{host} failed ({status}).{said}")
    if status == 413 or (status in (400, 422) and _is_context(detail)):
        return fault(
            "context-too-long",
            f"The prompt is too long for {model} ({status}). "
            f"Write a shorter prompt, or choose a model with a larger window.{said}",
            status,
        )
    field = detail.get("param")
    param = well_formed(field[: 4 * MAX_PARAM]) if isinstance(field, str) else None
    return fault("bad-request", f"{host} refused the request ({status}).{said}", status, param=param)


def from_exception(profile: Profile, error: Exception, *, started: bool) -> RefineError:
    """The error behind a failed connection; ``started`` when a part of the answer had come."""
    host = profile.host
    encryption = _encryption_problem(profile, error)
    if encryption:
        return _error(profile, "unreachable", encryption)
    if isinstance(error, httpx.ConnectTimeout):
        message = f"{host} did not accept a connection in time. Check the address and the network."
        return _error(profile, "unreachable", message)
    if isinstance(error, httpx.PoolTimeout):
        message = "This Jupyter server has too many calls to models under way. Try again later."
        return _error(profile, "rate-limited", message, retry_after_ms=5000)
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        message = f"Cannot reach {host}{_through(profile)}. Check the server URL and your network."
        return _error(profile, "unreachable", message)
    if isinstance(error, UnicodeError):
        # The client looks at the address of a redirect, although it does not follow it.
        return not_an_api(profile, "a redirect to an invalid address")
    if started:
        return cut(profile)
    if isinstance(error, httpx.TransportError):
        secure = " Check base_url: it may have to start with https://." if profile.is_plain else ""
        message = f"{host} closed the connection without an answer.{secure}"
        return _error(profile, "provider-error", message)
    return _error(profile, "provider-error", f"The call to {host} failed ({type(error).__name__}).")


def _encryption_problem(profile: Profile, error: BaseException) -> str | None:
    """What is wrong with the certificate or the scheme of a host; None for another failure."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if cause is None:
        return None
    if not isinstance(cause, ssl.SSLCertVerificationError):
        return f"{profile.host} does not answer in TLS. Check base_url: it may have to start with http://."
    why = getattr(cause, "verify_message", "") or str(cause)
    return f"The certificate of {profile.host} is not trusted: {why.rstrip('.')}. " + (
        "It has to be renewed there."
        if "expired" in why
        else "If it is the right one, set SSL_CERT_FILE, or ca_file of the profile, to a file that holds it."
    )


def _through(profile: Profile) -> str:
    names = [] if is_loopback(httpx.URL(profile.base_url).host) else proxy_variables()
    return f" with the proxy settings of the environment ({', '.join(names)})" if names else ""


def cut(profile: Profile, how: str = "closed the connection") -> RefineError:
    """A stream that ended, or can no longer be read, before its answer did."""
    return _error(profile, "stream-cut", f"{profile.host} {how} in the middle of its answer.")


def from_event(profile: Profile, model: str, value: Any) -> RefineError:
    """The error a provider sends as an event of its stream: ``{"error": …}``."""
    detail = _details(value)
    code = detail.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return _from_status(profile, model, code, {}, detail)
    if _is_context(detail):
        return _from_status(profile, model, 400, {}, detail)
    said = _said(profile, detail)
    return _error(profile, "provider-error", f"{profile.host} broke off its answer.{said}")


def not_an_api(profile: Profile, what: str) -> RefineError:
    """An answer with status 200 that no model wrote."""
    return _error(
        profile,
        "not-an-api",
        f"{profile.host} answered with {what} instead of a model's answer. "
        "Check base_url of the profile (most servers want /v1 at its end); a login page does not work here.",
    )


def encoded(profile: Profile, encoding: str) -> RefineError:
    """A compressed answer: a few bytes of it can stand for gigabytes, so none is decoded."""
    return not_an_api(profile, f"a compressed body (Content-Encoding: {encoding}), which was not asked for,")


def too_large(profile: Profile, limit: int) -> RefineError:
    """A stream that goes on beyond every answer."""
    return _error(
        profile,
        "other",
        f"{profile.host} sent more than {limit // 1_000_000} MB without ending its answer: "
        "the call was ended. Choose another model or provider.",
    )


def stalled(profile: Profile, seconds: float, *, started: bool) -> RefineError:
    """No sign of life for too long; ``started`` when text had come."""
    message = (
        f"The answer of {profile.host} stopped for {seconds:g} s in the middle: the call was ended. "
        "Try again, or choose another model."
        if started
        else f"{profile.host} sent no answer within {seconds:g} s: the call was ended. "
        "Check that it works, or choose another model. "
        "A model that loads slowly needs a larger c.Refine.first_token_timeout."
    )
    return _error(profile, "stalled", message)


def retry_after_ms(headers: Mapping[str, str]) -> int | None:
    """``Retry-After`` (seconds or a date) or ``retry-after-ms``, in milliseconds."""
    text = headers.get("retry-after", "")
    for value, unit in ((headers.get("retry-after-ms", ""), 1), (text, 1000)):
        with contextlib.suppress(ValueError):
            wait = float(value[:MAX_PARAM]) * unit
            if math.isfinite(wait):
                return round(min(max(0.0, wait), MAX_RETRY_AFTER))
    try:
        until = parsedate_to_datetime(text[:MAX_PARAM]).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return round(min(max(0.0, (until - time.time()) * 1000), MAX_RETRY_AFTER))


def _said(profile: Profile, detail: Mapping[str, Any]) -> str:
    # Masked before it is cut, which could leave a part of a key.
    text = mask(_words(detail), profile.secrets())[:MAX_MESSAGE]
    return f" It said: {text}" if text else ""


def _to_host(profile: Profile, location: str) -> str:
    try:
        host = httpx.URL(location).netloc.decode("ascii", "replace")
    except (httpx.InvalidURL, ValueError):
        return ""
    return f" to {mask(host, profile.secrets())[:MAX_PARAM]}" if host else ""


def _error(
    profile: Profile,
    code: str,
    message: str,
    http_status: int | None = None,
    *,
    param: str | None = None,
    **numbers: int | None,
) -> RefineError:
    """An error in which no secret of the profile is left, whatever a provider chose to quote."""
    secrets = profile.secrets()
    return RefineError(
        code,
        well_formed(mask(message, secrets)),
        http_status or _STATUS.get(code, 502),
        param=mask(param, secrets)[:MAX_PARAM] if param else None,
        **numbers,
    )


def _details(value: Any) -> dict[str, Any]:
    """``error`` of a parsed body, or the error in an event, as OpenAI would write it; empty for none."""
    error = usual_error(value)
    for _ in range(MAX_DEPTH):
        if isinstance(error, Mapping) and error.get("error"):
            error = usual_error(error["error"])
    if isinstance(error, Mapping):
        return dict(error)
    beside = value if isinstance(value, Mapping) else {}
    return {**beside, "message": error} if isinstance(error, str) else {}


def _wait_ms(detail: Mapping[str, Any]) -> int | None:
    """The wait that the text asks for, in milliseconds: ``Please try again in 1m4.5s``."""
    seconds = detail.get("estimated_time")
    if isinstance(seconds, int | float):
        return round(seconds * 1000)
    found = _WAIT.search(_words(detail))
    if not found:
        return None
    minutes, number, unit = found.groups()
    scale = 1 if unit == "ms" else 60_000 if unit.startswith("m") else 1000
    return round(int(minutes or 0) * 60_000 + float(number) * scale)


def _words(detail: Mapping[str, Any]) -> str:
    """The provider's own message on one line."""
    value = detail.get("message") or detail.get("detail")
    return " ".join(well_formed(value[:MAX_WORDS]).split()) if isinstance(value, str) else ""


def _is_context(detail: Mapping[str, Any]) -> bool:
    """Whether the prompt is longer than the model's context."""
    if detail.get("code") == "context_length_exceeded":
        return True
    text = _words(detail)
    return bool(_CONTEXT.search(text)) and not _OUTPUT_LIMIT.search(text)
