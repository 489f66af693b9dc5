"""What a client may ask of a provider: named fields of OpenAI's request, each of a known shape.

Whitelisted and not filtered: an endpoint, a key, a header or an address to fetch has no place to
stand in. An unknown field is refused by name, so that nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import bad_request

#: JSON nesting a schema may have; beyond it a request is refused.
MAX_DEPTH = 64

#: Larger numbers, and infinity, are no parameter of a model.
MAX_NUMBER = 2**63

#: Takes the name of a field for messages, and its value; raises, or gives what may be sent.
Check = Callable[[str, Any], Any]

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
    cleaned: dict[str, Any] = _REQUEST("", body)
    if not cleaned.get("messages"):
        raise bad_request("The request has no messages.", param="messages")
    cleaned["stream"] = True
    return cleaned


def _object(**shape: Check) -> Check:
    def check(name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise bad_request(f"{name or 'The request'} must be a JSON object.", param=name)
        cleaned = {}
        for key, item in value.items():
            path = f"{name}.{key}" if name else key
            if key not in shape:
                raise bad_request(
                    f"The field {path[:100]!r} is not accepted here; endpoint, key and headers are the "
                    f"server's. Accepted: {', '.join(sorted(shape))}.",
                    param=path[:100],
                )
            if item is not None:
                cleaned[key] = shape[key](path, item)
        return cleaned

    return check


def _list_of(item: Check) -> Check:
    def check(name: str, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise bad_request(f"{name} must be a list.", param=name)
        return [item(f"{name}[{index}]", one) for index, one in enumerate(value)]

    return check


def _one_of(*values: Any) -> Check:
    def check(name: str, value: Any) -> Any:
        if not any(type(value) is type(known) and value == known for known in values):
            raise bad_request(f"{name} must be one of {', '.join(map(str, values))}.", param=name)
        return value

    return check


def _number(*types: type) -> Check:
    def check(name: str, value: Any) -> Any:
        if type(value) not in types or not abs(value) < MAX_NUMBER:
            kind = "a number" if float in types else "a whole number"
            raise bad_request(f"{name} must be {kind}.", param=name)
        return value

    return check


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise bad_request(f"{name} must be a string.", param=name)
    return value


def _model(name: str, value: Any) -> str:
    text = _text(name, value)
    if not text or len(text) > 200 or "://" in text or any(char.isspace() for char in text):
        raise bad_request(f"{text[:200]!r} is not the name of a model.", param=name)
    return text


def _message(name: str, value: Any) -> dict[str, Any]:
    cleaned: dict[str, Any] = _MESSAGE(name, value)
    if "role" not in cleaned:
        raise bad_request(f"{name} has no role.", param=name)
    return cleaned


def _schema(name: str, value: Any, depth: int = 0) -> Any:
    """A JSON schema is free in its names, so that here, and only here, names are searched."""
    if depth > MAX_DEPTH:
        raise bad_request(f"{name} is nested deeper than {MAX_DEPTH} levels.", param=name)
    if isinstance(value, Mapping):
        for key, item in value.items():
            if "".join(filter(str.isalnum, key.lower())) in _FORBIDDEN:
                raise bad_request(f"{name}.{key} is not accepted: it could name an endpoint or a key.", name)
            if key.startswith("$") and isinstance(item, str) and "://" in item:
                raise bad_request(f"{name}.{key} must not be an address.", name)
        return {key: _schema(f"{name}.{key}", item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_schema(f"{name}[{index}]", item, depth + 1) for index, item in enumerate(value)]
    return _number(int, float)(name, value) if type(value) in (int, float) else value


_FLAG = _one_of(True, False)

_MESSAGE = _object(role=_one_of("system", "developer", "user", "assistant"), content=_text)

_REQUEST = _object(
    model=_model,
    messages=_list_of(_message),
    stream=_one_of(True),
    stream_options=_object(include_usage=_FLAG),
    temperature=_number(int, float),
    top_p=_number(int, float),
    seed=_number(int),
    stop=_list_of(_text),
    reasoning_effort=_text,
    max_tokens=_number(int),
    max_completion_tokens=_number(int),
    return_progress=_FLAG,
    response_format=_object(
        type=_one_of("text", "json_object", "json_schema"),
        json_schema=_object(name=_text, description=_text, strict=_FLAG, schema=_schema),
    ),
)
