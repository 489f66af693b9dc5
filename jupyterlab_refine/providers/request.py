"""What a client may ask of a provider: named fields of OpenAI's request, each of a known shape.

Whitelisted and not filtered: an endpoint, a key, a header or an address to fetch has no place to
stand in, but for a schema, which only models read. An unknown field is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import bad_request
from ..schema import problem

_TEXT = {"type": "string"}
_YES_OR_NO = {"type": "boolean"}
#: Larger numbers, and infinity, are no parameter of a model.
_NUMBER = {"type": "number", "minimum": -(2**63), "maximum": 2**63}
_INTEGER = {**_NUMBER, "type": "integer"}


def _object(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


_MESSAGE = _object(("role",), role={"enum": ["system", "developer", "user", "assistant"]}, content=_TEXT)
_REQUEST = _object(
    ("messages",),
    model={"type": "string", "pattern": r"\A(?!.*://)\S[^\r\n]{0,199}\Z"},
    messages={"type": "array", "items": _MESSAGE, "minItems": 1},
    stream={"const": True},
    stream_options=_object(include_usage=_YES_OR_NO),
    temperature=_NUMBER,
    top_p=_NUMBER,
    seed=_INTEGER,
    stop={"type": "array", "items": _TEXT},
    reasoning_effort=_TEXT,
    max_tokens=_INTEGER,
    max_completion_tokens=_INTEGER,
    return_progress=_YES_OR_NO,
    response_format=_object(
        type={"enum": ["text", "json_object", "json_schema"]},
        json_schema=_object(name=_TEXT, description=_TEXT, strict=_YES_OR_NO, schema={"type": "object"}),
    ),
)


def clean_request(body: Any) -> dict[str, Any]:
    """The request as it may be sent, without fields that are null, ``stream`` set.

    Raises
    ------
    RefineError
        ``bad-request``, naming the field.
    """
    request = body
    if isinstance(body, Mapping):
        request = {name: value for name, value in body.items() if value is not None}
    if wrong := problem(request, _REQUEST):
        raise bad_request(
            f"The request is not accepted: {wrong}. Endpoint, key and headers are the server's."
        )
    return {**request, "stream": True}
