"""What a client may ask of a provider: named fields of OpenAI's request, each of a known shape.

Whitelisted and not filtered: an endpoint, a key, a header or an address to fetch has no place to
stand in. An unknown field is refused by name, so that nothing is dropped silently.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ...errors import bad_request

#: JSON nesting a schema may have; beyond it a request is refused.
MAX_DEPTH = 64

#: Larger numbers, and infinity, are no parameter of a model.
MAX_NUMBER = 2**63

_NUMBERS = ("temperature", "top_p", "presence_penalty", "frequency_penalty")
_COUNTS = ("max_tokens", "max_completion_tokens", "seed")
_ROLES = ("system", "developer", "user", "assistant")

#: Names that carry an address, a key or a header somewhere in the OpenAI world or in gateways before it.
_FORBIDDEN = frozenset(
    "apikey apibase apitype apiversion authorization baseurl bearertoken endpoint extrabody extraheaders "
    "extraquery fileurl headers imageurl organization proxies proxy serverurl webhookurl".split()
)


def clean_request(body: Any) -> dict[str, Any]:
    """The request as it may be sent, ``stream`` set.

    Raises
    ------
    RefineError
        ``bad-request``, naming the field.
    """
    if not isinstance(body, Mapping):
        raise bad_request("The request must be a JSON object.")
    cleaned: dict[str, Any] = {}
    for name, value in body.items():
        check = _FIELDS.get(name)
        if check is None:
            raise bad_request(
                f"The field {name[:100]!r} is not accepted here; endpoint, key and headers are the server's. "
                f"Accepted: {', '.join(sorted(_FIELDS))}.",
                param=name[:100],
            )
        if value is not None:
            cleaned[name] = check(name, value)
    if not cleaned.get("messages"):
        raise bad_request("The request has no messages.", param="messages")
    cleaned["stream"] = True
    return cleaned


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MAX_NUMBER:
        raise bad_request(f"{name} must be a number.", param=name)
    return value


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not abs(value) < MAX_NUMBER:
        raise bad_request(f"{name} must be a whole number.", param=name)
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise bad_request(f"{name} must be true or false.", param=name)
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise bad_request(f"{name} must be a string.", param=name)
    return value


def _model(name: str, value: Any) -> str:
    text = _text(name, value)
    if not text or len(text) > 200 or "://" in text or any(char.isspace() for char in text):
        raise bad_request(f"{text[:200]!r} is not the name of a model.", param=name)
    return text


def _stream(name: str, value: Any) -> bool:
    if value is not True:
        raise bad_request("Only streamed answers are served: stream must be true.", param=name)
    return True


def _stop(name: str, value: Any) -> Any:
    if isinstance(value, str) or (isinstance(value, list) and all(isinstance(text, str) for text in value)):
        return value
    raise bad_request("stop must be a string or a list of strings.", param=name)


def _object(name: str, value: Any, shape: Mapping[str, Callable[[str, Any], Any]]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise bad_request(f"{name} must be an object.", param=name)
    cleaned = {}
    for key, item in value.items():
        check = shape.get(key)
        if check is None:
            raise bad_request(
                f"{name}.{key} is not accepted here; accepted: {', '.join(shape)}.", param=f"{name}.{key}"
            )
        if item is not None:
            cleaned[key] = check(f"{name}.{key}", item)
    return cleaned


def _stream_options(name: str, value: Any) -> dict[str, Any]:
    return _object(name, value, {"include_usage": _flag})


def _messages(name: str, value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise bad_request("messages must be a list.", param=name)
    return [_message(f"{name}[{index}]", message) for index, message in enumerate(value)]


def _message(name: str, value: Any) -> dict[str, Any]:
    cleaned = _object(name, value, {"role": _role, "content": _content, "name": _text})
    if "role" not in cleaned:
        raise bad_request(f"{name} has no role.", param=name)
    return cleaned


def _role(name: str, value: Any) -> str:
    if value not in _ROLES:
        raise bad_request(f"{name} must be one of {', '.join(_ROLES)}.", param=name)
    return str(value)


def _content(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise bad_request(f"{name} must be a string or a list of text parts.", param=name)
    parts = [
        _object(f"{name}[{index}]", part, {"type": _part_type, "text": _text})
        for index, part in enumerate(value)
    ]
    return parts


def _part_type(name: str, value: Any) -> str:
    if value != "text":
        raise bad_request(f"{name}: only parts of type 'text' are accepted.", param=name)
    return str(value)


def _response_format(name: str, value: Any) -> dict[str, Any]:
    return _object(name, value, {"type": _format_type, "json_schema": _json_schema})


def _format_type(name: str, value: Any) -> str:
    if value not in ("text", "json_object", "json_schema"):
        raise bad_request(f"{name} must be text, json_object or json_schema.", param=name)
    return str(value)


def _json_schema(name: str, value: Any) -> dict[str, Any]:
    return _object(name, value, {"name": _text, "description": _text, "strict": _flag, "schema": _schema})


def _schema(name: str, value: Any, depth: int = 0) -> Any:
    """A JSON schema is free in its names, so that here, and only here, names are searched."""
    if depth > MAX_DEPTH:
        raise bad_request(f"{name} is nested deeper than {MAX_DEPTH} levels.", param=name)
    if isinstance(value, Mapping):
        for key, item in value.items():
            if _plain(key) in _FORBIDDEN:
                raise bad_request(
                    f"{name}.{key} is not accepted: it could name an endpoint or a key.", param=name
                )
            if key in ("$ref", "$schema", "$id", "$dynamicRef") and isinstance(item, str) and "://" in item:
                raise bad_request(f"{name}.{key} must not be an address.", param=name)
        return {key: _schema(f"{name}.{key}", item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_schema(f"{name}[{index}]", item, depth + 1) for index, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise bad_request(f"{name} must be a finite number.", param=name)
    return value


def _plain(key: str) -> str:
    return "".join(char for char in key.lower() if char.isalnum())


_FIELDS: dict[str, Callable[[str, Any], Any]] = {
    "model": _model,
    "messages": _messages,
    "stream": _stream,
    "stream_options": _stream_options,
    "stop": _stop,
    "response_format": _response_format,
    "reasoning_effort": _text,
    "return_progress": _flag,
    **dict.fromkeys(_NUMBERS, _number),
    **dict.fromkeys(_COUNTS, _count),
}
