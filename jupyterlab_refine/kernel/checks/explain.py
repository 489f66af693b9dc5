"""Expected against observed: explain a failing assert by its recorded values."""

from __future__ import annotations

import functools
import types
import unittest
from typing import Any

from ..values.describe import bounded, is_from, observed_value, safe_repr, type_name
from .differences import difference
from .rewriting import Part, Recorder

_MAX_OPERANDS = 12
#: Calls that compare two arguments, or the object with its argument.
_COMPARING_CALLS = ("allclose", "array_equal", "isclose", "equals", "equal", "approx_equal")


def explain(recorder: Recorder) -> dict[str, Any]:
    """The fields of an ``AssertionResult`` from ``operator`` to ``difference``."""
    root = recorder.current
    if root is None:
        return {}
    fields: dict[str, Any] = {}
    values = recorder.values
    focus = _focus(root, values)
    if focus.kind == "compare":
        _explain_compare(focus, values, fields)
    elif focus.kind == "not" and focus.parts[0] in values:
        inner = focus.parts[0]
        fields["operator"] = "not"
        fields["observed"] = observed_value(inner.source, values[inner])
    elif focus.kind == "quantifier" and focus.parts[0] in values:
        last = focus.parts[0]
        fields["observed"] = observed_value(last.source, values[last])
        fields["difference"] = f"false for {last.source} = {safe_repr(values[last], 300)}"
    elif focus.kind == "call":
        _explain_call(focus, values, fields)
    elif focus in values:
        fields["observed"] = observed_value(focus.source, values[focus])
    shown = {fields[side]["expression"] for side in ("expected", "observed") if side in fields}
    operands = []
    for part in _walk(root):
        if part is root or part.constant or part.source in shown or part not in values:
            continue
        if not isinstance(values[part], (types.ModuleType, type)):
            shown.add(part.source)
            operands.append(observed_value(part.source, values[part]))
    if operands:
        fields["operands"] = operands[:_MAX_OPERANDS]
    return fields


def _focus(part: Part, values: dict[Part, Any]) -> Part:
    """The innermost part that decided the result."""
    if part.kind in ("and", "or"):
        evaluated = [inner for inner in part.parts if inner in values]
        # `and` ends at the part that is false; of a false `or` the last is as good as any.
        return _focus(evaluated[-1], values) if evaluated else part
    return part


def _walk(part: Part) -> list[Part]:
    return [part] + [inner for child in part.parts for inner in _walk(child)]


def _explain_compare(part: Part, values: dict[Part, Any], fields: dict[str, Any]) -> None:
    for index, name in enumerate(part.operators):
        left, right = part.parts[index], part.parts[index + 1]
        if left not in values or right not in values:
            return
        a, b = values[left], values[right]
        last = index == len(part.operators) - 1
        if not last and bounded(functools.partial(_holds, name, a, b), True):
            continue
        # The literal side is what was expected, wherever it is written.
        observed, expected = (right, left) if left.constant and not right.constant else (left, right)
        _add_sides(fields, name, observed, expected, values)
        if name in ("in", "not in"):
            fields["difference"] = _membership_difference(name, a, b, observed is right)
        elif name in ("==", "is"):
            _add_difference(fields, values[observed], values[expected])
        return


def _add_sides(
    fields: dict[str, Any], name: str, observed: Part, expected: Part, values: dict[Part, Any]
) -> None:
    fields["operator"] = name
    fields["observed"] = observed_value(observed.source, values[observed])
    fields["expected"] = observed_value(expected.source, values[expected])


def _add_difference(fields: dict[str, Any], observed: Any, expected: Any) -> None:
    text = difference(observed, expected)
    if text is not None:
        fields["difference"] = text


def _holds(name: str, left: Any, right: Any) -> bool:
    try:
        return bool(eval(f"left {name} right", {"left": left, "right": right}))
    except Exception:
        return False


def _membership_difference(name: str, item: Any, container: Any, container_observed: bool) -> str:
    if not container_observed:
        return f"it {'is' if name == 'not in' else 'is not'} in {safe_repr(container, 300)}"
    if name == "not in":
        return f"{safe_repr(item, 300)} is in it"
    if is_from(container, "pandas", "DataFrame"):
        return f"the columns are {', '.join(map(str, list(container.columns)[:20]))}"
    if isinstance(container, dict):
        return f"the keys are {safe_repr(list(container)[:20], 600)}"
    return f"{safe_repr(item, 300)} is not in it"


def _explain_call(part: Part, values: dict[Part, Any], fields: dict[str, Any]) -> None:
    known = [inner for inner in part.parts if inner in values]
    name = part.name
    sides = [inner for inner in known if not isinstance(values[inner], (types.ModuleType, unittest.TestCase))]
    if name == "isinstance" and len(known) > 1:
        _add_sides(fields, name, known[0], known[1], values)
        fields["difference"] = f"type {type_name(values[known[0]])}, expected {known[1].source}"
    elif (name in _COMPARING_CALLS or name.startswith("assert")) and len(sides) > 1:
        _add_sides(fields, name, sides[0], sides[1], values)
        _add_difference(fields, values[sides[0]], values[sides[1]])
    elif part in values:
        fields["observed"] = observed_value(part.source, values[part])
