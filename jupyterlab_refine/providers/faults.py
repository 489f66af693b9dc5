"""What a provider answered, or how it failed to, as one error for the user: its own words, without keys."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from typing import Any

import httpx

from ..errors import RefineError
from .profile import Profile
from .secrets import mask

#: Characters of a provider's own message that are read, and that are passed on; no pattern runs on more.
MAX_WORDS = 4_000
MAX_MESSAGE = 600

#: Characters of a parameter.
MAX_PARAM = 100

#: Milliseconds to the next call, where a model still loads, and the longest wait that is believed: a week.
LOADING_MS = 2000
MAX_RETRY_AFTER = 7 * 24 * 3600 * 1000

#: Levels of ``error`` within ``error``.
MAX_DEPTH = 4

#: What an HTTP client raises. It looks at the address of a redirect, although it does not follow it.
FAILURES = (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, UnicodeError)

CHECK = "Check the server URL (most servers want /v1 at its end)."
NAMED = "A model that is named needs no list: default_model, OPENAI_MODEL, or --model."

# Every repetition has an upper bound, so that no text takes more than a few steps for each character.
_CONTEXT = re.compile(
    r"context[ _-]?(length|window|size)|maximum (context|prompt)|too many (input )?tokens"
    r"|(prompt|input) (is )?too long|exceeds? the .{0,80}context|input token count|input length should"
    r"|model token limit|`inputs` (must have|tokens)",
    re.IGNORECASE,
)
_WAIT = re.compile(r"(?:try again|retry|wait)\D{0,24}(\d{1,5}(?:\.\d{1,9})?) ?(ms|s)", re.IGNORECASE)
_NO_KEY = re.compile(
    r"(incorrect|invalid) api key|api key (not (valid|found)|expired|is invalid)", re.IGNORECASE
)
_NO_CREDIT = re.compile(r"insufficient.?(quota|balance|credit)|exceeded.{0,9}current.quota", re.IGNORECASE)
_LOADING = re.compile(r"\bloading\b|warming up|starting up|being loaded|not ready", re.IGNORECASE)

_TOO_LONG = (
    "context-too-long",
    "refused the prompt as too long for {model}",
    "Write a shorter prompt, or choose a model with a larger window.",
)
_REFUSED = ("bad-request", "refused the request", "")
_FAILED = ("provider-error", "failed", "")

#: Code, what happened, and what to do, by the provider's status.
_MEANINGS = {
    401: (
        "unauthorized",
        "refused the key of profile {name}, if it has one",
        "Set a valid one in the panel, or where Jupyter is started (OPENAI_API_KEY, c.Refine.profiles).",
    ),
    402: ("other", "has no credit left on this account", ""),
    403: (
        "unauthorized",
        "does not allow this call",
        "A firewall, your region, or what the key of profile {name} is allowed may be the reason.",
    ),
    404: ("model-not-found", "does not know the model {model}, or the path {path}", CHECK),
    405: ("model-not-found", "does not know the path {path}", CHECK),
    408: _FAILED,
    413: _TOO_LONG,
    429: ("rate-limited", "limits the rate of calls", ""),
}


def parse_json(data: bytes | str) -> Any:
    """The parsed value; NaN and Infinity, which are no JSON, are None.

    Raises
    ------
    ValueError
        For whatever cannot be parsed: other text, numbers with thousands of digits, nesting beyond
        the interpreter's limit.
    """
    try:
        return json.loads(data, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def from_response(
    profile: Profile, model: str, status: int, headers: Mapping[str, str], body: Any
) -> RefineError:
    """The error behind a status other than 200; ``body`` as text, or what was parsed of it."""
    if status < 400:
        to = f", a redirect to {headers['location'][:MAX_PARAM]}," if "location" in headers else ""
        return not_an_api(profile, f"status {status}{to}")
    detail = _details(body)
    said = detail["message"]
    # A list that is missing says nothing of a model.
    meaning = _MEANINGS.get(405 if status == 404 and not model else status)
    code, what, todo = meaning or (_REFUSED if status < 500 else _FAILED)
    if not model and status in (401, 403, 404, 405):
        todo = f"{todo} {NAMED}"
    if status in (400, 422) and _is_context(detail):
        code, what, todo = _TOO_LONG
    elif status == 400 and _NO_KEY.search(said):
        code, what, todo = _MEANINGS[401]
    elif status == 503 and _LOADING.search(said):
        code, what, todo = "loading", "still loads the model", ""
    wait = retry_after_ms(headers)
    if wait is None and status in (429, 503):
        wait = _wait_ms(said) or (LOADING_MS if code == "loading" else None)
    if wait is None and status == 429 and _NO_CREDIT.search(f"{detail.get('type')} {said}"):
        code, what, todo = _MEANINGS[402]
    path = profile.url("chat/completions" if model else "models").path
    sentence = f"{profile.host} {what} ({status}). {todo}".rstrip()
    message = sentence.format(name=profile.name, model=model, path=path)
    param = detail.get("param")
    return _error(
        profile,
        code,
        f"{message}{_quoted(profile, said)}",
        # Never a 401 or 403, which would be taken for a lost login at Jupyter.
        424 if status in (401, 403) else status if status < 500 else 502,
        provider_status=status,
        retry_after_ms=wait,
        param=mask(param[: 4 * MAX_PARAM], profile.secrets())[:MAX_PARAM] if isinstance(param, str) else None,
    )


def from_event(profile: Profile, model: str, value: Any, *, started: bool) -> RefineError:
    """The error a provider sends in its stream, or with status 200: ``{"error": …}``."""
    detail = _details(value)
    code = re.fullmatch("[45][0-9]{2}", str(detail.get("code")))
    status = int(code[0]) if code else 400 if _is_context(detail) else None
    if status is not None:
        return from_response(profile, model, status, {}, value)
    check = "" if started else f" {CHECK}"
    said = _quoted(profile, detail["message"])
    return _error(profile, "provider-error", f"{profile.host} broke off its answer.{check}{said}")


def from_exception(profile: Profile, error: Exception, *, started: bool) -> RefineError:
    """The error behind a failed connection; ``started`` when a part of the answer had come."""
    if started:
        return cut(profile)
    host, cause = profile.host, str(error)[:MAX_MESSAGE] or type(error).__name__
    if isinstance(error, httpx.PoolTimeout):
        message = "This Jupyter server has too many calls to models under way. Try again later."
        return _error(profile, "rate-limited", message, 429, retry_after_ms=5000)
    if not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        scheme = "Check the server URL: http:// or https://?"
        return _error(profile, "provider-error", f"The call to {host} failed: {cause.rstrip('.')}. {scheme}")
    todo = (
        "If its certificate is right, set SSL_CERT_FILE, or ca_file of the profile, to a file with it."
        if "certificate" in cause.lower()
        else "Is a model server running there? Check the server URL (http:// or https://?)."
        if re.match(r"(localhost|127\.[\d.]+|\[::1\])(:|$)", host)
        else "Check the server URL (http:// or https://?), your network, and the proxy settings of the "
        "environment (HTTPS_PROXY, ALL_PROXY, NO_PROXY)."
    )
    return _error(profile, "unreachable", f"Cannot reach {host}: {cause.rstrip('.')}. {todo}")


def cut(profile: Profile, how: str = "closed the connection") -> RefineError:
    """A stream that ended, or can no longer be read, before its answer did."""
    return _error(profile, "stream-cut", f"{profile.host} {how} in the middle of its answer.")


def not_an_api(profile: Profile, what: str) -> RefineError:
    """An answer that no model wrote: ``what`` it is, or its text."""
    what = mask(" ".join(what[:MAX_WORDS].split()), profile.secrets())[:MAX_MESSAGE]
    message = f"{profile.host} answered with {what} instead of a model's answer. {CHECK}"
    return _error(profile, "not-an-api", f"{message} A login page does not work here.")


def too_long(profile: Profile, characters: int) -> RefineError:
    """An answer that goes on beyond every other."""
    message = f"{profile.host} wrote more than {characters:,} characters: the call was ended."
    return _error(profile, "other", f"{message} Choose another model.")


def stalled(profile: Profile, seconds: float, *, started: bool) -> RefineError:
    """No sign of life for too long; ``started`` when text had come."""
    where = " in the middle of its answer" if started else ""
    todo = "Choose another model, or let one that loads slowly have a larger c.Refine.first_token_timeout."
    message = f"{profile.host} sent no text for {seconds:g} s{where}: the call was ended. {todo}"
    return _error(profile, "stalled", message, 504)


def retry_after_ms(headers: Mapping[str, str]) -> int | None:
    """``retry-after-ms`` or ``Retry-After`` in seconds, in milliseconds."""
    for name, unit in (("retry-after-ms", 1), ("retry-after", 1000)):
        with contextlib.suppress(ValueError):
            return round(min(max(0.0, float(headers.get(name, "")) * unit), MAX_RETRY_AFTER))
    return None


def _wait_ms(text: str) -> int | None:
    """The wait that a text asks for, in milliseconds: ``Please try again in 4.5s``."""
    found = _WAIT.search(text)
    return found and round(float(found[1]) * (1 if found[2].lower() == "ms" else 1000))


def _details(value: Any) -> dict[str, Any]:
    """The fields of an error, however deep, and its ``message``: the provider's, else all of its text."""
    text = value if isinstance(value, str) else ""
    if text:
        with contextlib.suppress(ValueError):
            value = parse_json(text)
    found: dict[str, Any] = {}
    for _ in range(MAX_DEPTH):
        if isinstance(value, list) and value and isinstance(value[0], Mapping) and "error" in value[0]:
            # Gemini's.
            value = value[0]
        if not isinstance(value, Mapping):
            break
        found |= value
        value = next((value[name] for name in ("error", "message", "detail") if value.get(name)), None)
    if isinstance(value, str):
        text = value
    if isinstance(value, list):
        text = "; ".join(filter(None, map(_invalid, value))) or text
    metadata = found.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(raw := metadata.get("raw"), str):
        # OpenRouter's, of the provider behind it.
        text = ": ".join(filter(None, [text, _details(raw)["message"]]))
    # Of a page its title. Alibaba's words start with <400>.
    if re.match(r"\s*<[a-z!?]", text, re.IGNORECASE):
        text = "".join(re.findall(r"<title>([^<]{1,200})", text[:MAX_WORDS], re.IGNORECASE)[:1])
    found["message"] = " ".join(text[:MAX_WORDS].split())
    return found


def _invalid(one: Any) -> str:
    """Place and words of one of FastAPI's errors, without its ``input``: what the user wrote."""
    if not isinstance(one, Mapping) or not isinstance(one.get("msg"), str):
        return ""
    place = one["loc"] if isinstance(one.get("loc"), list) else []
    where = ".".join(str(part) for part in place if isinstance(part, str | int))
    return f"{where}: {one['msg']}".lstrip(": ")


def _quoted(profile: Profile, said: str) -> str:
    # Masked before it is cut, which could leave a part of a key.
    text = mask(said, profile.secrets())[:MAX_MESSAGE]
    return f" It said: {text}" if text else ""


def _is_context(detail: Mapping[str, Any]) -> bool:
    """Whether the prompt is longer than the model's context, and not the limit that was asked for."""
    said = detail["message"]
    return detail.get("code") == "context_length_exceeded" or (
        bool(_CONTEXT.search(said)) and "is too large" not in said
    )


def _error(profile: Profile, code: str, message: str, http_status: int = 502, **more: Any) -> RefineError:
    """An error in which no secret of the profile is left, whatever a provider chose to quote."""
    return RefineError(code, mask(message, profile.secrets()), http_status, **more)
