"""What a client may ask of a provider: named fields of OpenAI's request, each of a known shape.

Whitelisted and not filtered: an endpoint, a key, a header or an address to fetch has no place to
stand in. An unknown field is refused by name, so that nothing is dropped silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import bad_request

#: JSON nesting a schema may have; beyond it a request is refused.
MAX_DEPTH = 64

#: Larger numbers, and infinity, are no parameter of a model.
MAX_NUMBER = 2**63

#: Names that carry an address, a key or a header somewhere in the OpenAI world or in gateways before it.
_FORBIDDEN = frozenset(
    "apikey apibase apitype apiversion authorization baseurl bearertoken endpoint extrabody extraheaders "
    "extraquery fileurl headers imageurl organization proxies proxy serverurl webhookurl".split()
)

#: Stands for a JSON schema, which is free in its names.
_SCHEMA = object()

_KINDS = {str: "a string", bool: "true or false", int: "a whole number", float: "a number"}

#: A dict for an object with these fields, a list of one for a list, a tuple for one of its values or types.
_SHAPE: dict[str, Any] = {
    "model": (str,),
    "messages": [{"role": ("system", "developer", "user", "assistant"), "content": (str,)}],
    "stream": (True,),
    "stream_options": {"include_usage": (bool,)},
    "temperature": (int, float),
    "top_p": (int, float),
    "seed": (int,),
    "stop": [(str,)],
    "reasoning_effort": (str,),
    "max_tokens": (int,),
    "max_completion_tokens": (int,),
    "return_progress": (bool,),
    "response_format": {
        "type": ("text", "json_object", "json_schema"),
        "json_schema": {"name": (str,), "description": (str,), "strict": (bool,), "schema": _SCHEMA},
    },
}


def clean_request(body: Any) -> dict[str, Any]:
    """The request as it may be sent, ``stream`` set.

    Raises
    ------
    RefineError
        ``bad-request``, naming the field.
    """
    cleaned: dict[str, Any] = _cleaned("", body, _SHAPE)
    if not cleaned.get("messages"):
        raise bad_request("The request has no messages.", param="messages")
    for index, message in enumerate(cleaned["messages"]):
        if "role" not in message:
            raise bad_request(f"messages[{index}] has no role.", param=f"messages[{index}]")
    model = cleaned.get("model", "unnamed")
    if not model or len(model) > 200 or "://" in model or any(char.isspace() for char in model):
        raise bad_request(f"{model[:200]!r} is not the name of a model.", param="model")
    return {**cleaned, "stream": True}


def _cleaned(name: str, value: Any, shape: Any) -> Any:
    """The value without the fields that are null."""
    if shape is _SCHEMA:
        return _schema(name, value)
    if isinstance(shape, dict):
        if not isinstance(value, Mapping):
            raise bad_request(f"{name or 'The request'} must be a JSON object.", param=name)
        paths = {key: f"{name}.{key}" if name else key for key in value}
        for key, path in paths.items():
            if key not in shape:
                raise bad_request(
                    f"The field {path[:100]!r} is not accepted here; endpoint, key and headers are the "
                    f"server's. Accepted: {', '.join(sorted(shape))}.",
                    param=path[:100],
                )
        return {
            key: _cleaned(paths[key], item, shape[key]) for key, item in value.items() if item is not None
        }
    if isinstance(shape, list):
        if not isinstance(value, list):
            raise bad_request(f"{name} must be a list.", param=name)
        return [_cleaned(f"{name}[{index}]", one, shape[0]) for index, one in enumerate(value)]
    is_one = type(value) in shape or any(type(value) is type(one) and value == one for one in shape)
    if not is_one or (type(value) in (int, float) and not abs(value) < MAX_NUMBER):
        wanted = _KINDS.get(shape[-1]) or f"one of {', '.join(map(str, shape))}"
        raise bad_request(f"{name} must be {wanted}.", param=name)
    return value


def _schema(name: str, value: Any, depth: int = 0) -> Any:
    """Here, and only here, names are searched."""
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
    return _cleaned(name, value, (int, float)) if type(value) in (int, float) else value
