"""The events of an attempt's process, with the fields and types that an honest one sends.

A candidate can write to its pipe. What it writes decides nothing that the judge does not confirm, but it must
not break who reads the result: a field of another type, a number that JSON does not have, endless nesting.
"""

from __future__ import annotations

from typing import Any

#: Larger integers are other numbers in JavaScript.
_LARGEST = 1 << 53
_NUMBER = (int, float)

# A dictionary has these fields and no other; those that end in `?` may be missing. A list has such items, a
# set is of texts.
_LOCAL = {"name": str, "type": str, "shape?": str, "repr?": str}
_PLACES = frozenset(("candidate", "check", "cell"))
_FRAME = {"function": str, "where": _PLACES, "line": int, "locals": [_LOCAL]}
_ERROR = {
    "name": str,
    "message": str,
    "traceback": str,
    "candidateLine?": int,
    "locals?": [_LOCAL],
    "frames?": [_FRAME],
}
_VALUE = {"expression": str, "type": str, "repr": str, "shape?": str, "dtype?": str}
_RESULT = {
    "id": str,
    "name?": str,
    "outcome": str,
    "durationMs": _NUMBER,
    "error?": _ERROR,
    "operator?": str,
    "expected?": _VALUE,
    "observed?": _VALUE,
    "operands?": [_VALUE],
    "difference?": str,
}
_CALL = {"source": str, "name": str}
_REPAIR = {
    "callRan?": bool,
    "sameCallRan?": bool,
    "value?": str,
    "silenced": bool,
    "unclear?": frozenset(("skipped", "handled")),
    "missing": [str],
    "call?": _CALL,
}
_EVENTS: dict[str, dict[str, Any]] = {
    "above": {"number": int},
    "above-failed": {"number": int, "error": _ERROR},
    "candidate": {"error?": _ERROR, "exceeded?": str, "denied?": [str], "repair?": _REPAIR},
    "assertion": {"result": _RESULT},
    "checked": {"denied": [str], "skipped": [str]},
    "stream": {"stream": str, "text": str},
    "display": {"display": {"mime": str, "data": str, "text?": str, "leftOut?": int}},
    "broken": {"message": str},
    "worker": {"pid?": int, "reason?": str},
}


def fitted(event: dict[str, Any]) -> dict[str, Any]:
    """The event with its known fields alone; one that is sent before the candidate runs is taken as it is.

    :raises KeyError, TypeError, ValueError: for an event that no honest process sends.
    """
    shape = _EVENTS.get(event["t"])
    return event if shape is None else _fitted(event, shape)


def _fitted(value: Any, shape: Any) -> Any:
    if isinstance(shape, dict):
        if type(value) is not dict:
            raise TypeError("no dictionary")
        found: dict[str, Any] = {}
        for field, inner in shape.items():
            name = field.rstrip("?")
            if name == field or value.get(name) is not None:
                found[name] = _fitted(value[name], inner)
        return found
    if isinstance(shape, list):
        if type(value) is not list:
            raise TypeError("no list")
        return [_fitted(item, shape[0]) for item in value]
    if isinstance(shape, frozenset):
        if type(value) is not str or value not in shape:
            raise ValueError("an unknown word")
        return value
    if type(value) not in (shape if isinstance(shape, tuple) else (shape,)):
        raise TypeError("another type")
    if type(value) in _NUMBER and not -_LARGEST < value < _LARGEST:
        raise ValueError("no number of JSON")
    return value
