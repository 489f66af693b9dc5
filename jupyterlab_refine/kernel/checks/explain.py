"""Expected against observed: explain a failing assert by its recorded values."""

from __future__ import annotations

import ast
import functools
import types
import unittest
from collections.abc import Iterator
from typing import Any

from ..values.describe import bounded, observed_value, safe_repr, type_name
from .check_calls import last_name
from .differences import difference
from .rewriting import Recorder, quantified, targets

_MAX_OPERANDS = 12
#: Calls that compare two arguments, or the object with its argument.
_COMPARING_CALLS = ("allclose", "array_equal", "isclose", "equals", "equal", "approx_equal")

_NOT_SHOWN = (types.ModuleType, type, types.GeneratorType)

#: By expression, as it was written.
_Values = dict[ast.expr, Any]


def explain(recorder: Recorder) -> dict[str, Any]:
    """The fields of an ``AssertionResult`` from ``operator`` to ``difference``."""
    root, values = recorder.current, recorder.values
    if root is None:
        return {}
    fields: dict[str, Any] = {}
    focus = _focus(root, values)
    generator = quantified(focus)
    if isinstance(focus, ast.Compare):
        _explain_compare(focus, values, fields)
    elif isinstance(focus, ast.UnaryOp) and focus.operand in values:
        fields["operator"] = "not"
        fields["observed"] = _shown(focus.operand, values)
    elif generator is not None and generator in values:
        fields["observed"] = last = _shown(generator, values)
        fields["difference"] = f"false for {last['expression']} = {safe_repr(values[generator], 300)}"
    elif isinstance(focus, ast.Call) and generator is None:
        _explain_call(focus, values, fields)
    elif focus in values:
        fields["observed"] = _shown(focus, values)
    shown = {fields[side]["expression"] for side in ("expected", "observed") if side in fields}
    operands = []
    for part in _below(root):
        if part in values and not _is_literal(part) and not isinstance(values[part], _NOT_SHOWN):
            operand = _shown(part, values)
            if operand["expression"] not in shown:
                shown.add(operand["expression"])
                operands.append(operand)
    if operands:
        fields["operands"] = operands[:_MAX_OPERANDS]
    return fields


def _shown(part: ast.expr, values: _Values) -> dict[str, Any]:
    """Of a generator its variables, as they were last."""
    source = targets(part) if isinstance(part, ast.GeneratorExp) else part
    return observed_value(ast.unparse(source), values[part])


def _focus(part: ast.expr, values: _Values) -> ast.expr:
    """The innermost part that decided the result."""
    evaluated = [inner for inner in part.values if inner in values] if isinstance(part, ast.BoolOp) else []
    # `and` ends at the part that is false; of a false `or` the last is as good as any.
    return _focus(evaluated[-1], values) if evaluated else part


def _below(node: ast.AST) -> Iterator[Any]:
    """All parts, in the order of the source."""
    for child in ast.iter_child_nodes(node):
        yield child
        yield from _below(child)


def _is_literal(node: ast.expr) -> bool:
    """Whether the value is written out."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return False
    return True


def _explain_compare(part: ast.Compare, values: _Values, fields: dict[str, Any]) -> None:
    sides = [part.left, *part.comparators]
    for left, right, operator in zip(sides, part.comparators, part.ops, strict=False):
        if left not in values or right not in values:
            return
        name, a, b = _written(operator), values[left], values[right]
        if right is not sides[-1] and bounded(functools.partial(_holds, name, a, b), True):
            continue
        # The literal side is what was expected, wherever it is written.
        observed, expected = (right, left) if _is_literal(left) and not _is_literal(right) else (left, right)
        _add_sides(fields, name, observed, expected, values)
        if name in ("==", "is"):
            _add_difference(fields, values[observed], values[expected])
        return


def _written(operator: ast.cmpop) -> str:
    """``not in``"""
    return ast.unparse(ast.Compare(ast.Name("a"), [operator], [ast.Name("b")])).strip("ab ")


def _add_sides(
    fields: dict[str, Any], name: str, observed: ast.expr, expected: ast.expr, values: _Values
) -> None:
    fields |= {"operator": name, "observed": _shown(observed, values), "expected": _shown(expected, values)}


def _add_difference(fields: dict[str, Any], observed: Any, expected: Any) -> None:
    text = difference(observed, expected)
    if text is not None:
        fields["difference"] = text


def _holds(name: str, left: Any, right: Any) -> bool:
    try:
        return bool(eval(f"left {name} right", {"left": left, "right": right}))
    except Exception:
        return False


def _explain_call(part: ast.Call, values: _Values, fields: dict[str, Any]) -> None:
    owner = [part.func.value] if isinstance(part.func, ast.Attribute) else []
    known = [one for one in (*owner, *part.args, *(k.value for k in part.keywords)) if one in values]
    name = last_name(part.func)
    sides = [one for one in known if not isinstance(values[one], (types.ModuleType, unittest.TestCase))]
    if name == "isinstance" and len(known) > 1:
        _add_sides(fields, name, known[0], known[1], values)
        wanted = ast.unparse(known[1])
        fields["difference"] = f"type {type_name(values[known[0]])}, expected {wanted}"
    elif (name in _COMPARING_CALLS or name.startswith("assert")) and len(sides) > 1:
        _add_sides(fields, name, sides[0], sides[1], values)
        _add_difference(fields, values[sides[0]], values[sides[1]])
    elif part in values:
        fields["observed"] = _shown(part, values)
