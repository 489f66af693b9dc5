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
    focus = _focus(root, values)
    fields = _of_focus(focus, values)
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


def _of_focus(focus: ast.expr, values: _Values) -> dict[str, Any]:
    generator = quantified(focus)
    if isinstance(focus, ast.Compare):
        return _of_compare(focus, values)
    if isinstance(focus, ast.UnaryOp) and focus.operand in values:
        return {"operator": "not", "observed": _shown(focus.operand, values)}
    if generator is not None and generator in values:
        last = _shown(generator, values)
        decided = f"false for {last['expression']} = {safe_repr(values[generator], 300)}"
        return {"observed": last, "difference": decided}
    if isinstance(focus, ast.Call) and generator is None:
        return _of_call(focus, values)
    return {"observed": _shown(focus, values)} if focus in values else {}


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


def _of_compare(part: ast.Compare, values: _Values) -> dict[str, Any]:
    sides = [part.left, *part.comparators]
    for left, right, operator in zip(sides, part.comparators, part.ops, strict=False):
        if left not in values or right not in values:
            break
        name, a, b = _written(operator), values[left], values[right]
        if right is not sides[-1] and bounded(functools.partial(_holds, name, a, b), True):
            continue
        # The literal side is what was expected, wherever it is written.
        observed, expected = (right, left) if _is_literal(left) and not _is_literal(right) else (left, right)
        return _sides(name, observed, expected, values, name in ("==", "is"))
    return {}


def _written(operator: ast.cmpop) -> str:
    """``not in``"""
    return ast.unparse(ast.Compare(ast.Name("a"), [operator], [ast.Name("b")])).strip("ab ")


def _sides(
    name: str, observed: ast.expr, expected: ast.expr, values: _Values, differs: bool = True
) -> dict[str, Any]:
    """:param differs: whether what differs between the two says something."""
    fields = {"operator": name, "observed": _shown(observed, values), "expected": _shown(expected, values)}
    text = difference(values[observed], values[expected]) if differs else None
    return fields if text is None else {**fields, "difference": text}


def _holds(name: str, left: Any, right: Any) -> bool:
    try:
        return bool(eval(f"left {name} right", {"left": left, "right": right}))
    except Exception:
        return False


def _of_call(part: ast.Call, values: _Values) -> dict[str, Any]:
    owner = [part.func.value] if isinstance(part.func, ast.Attribute) else []
    known = [one for one in (*owner, *part.args, *(k.value for k in part.keywords)) if one in values]
    name = last_name(part.func)
    sides = [one for one in known if not isinstance(values[one], (types.ModuleType, unittest.TestCase))]
    if name == "isinstance" and len(known) > 1:
        wanted = f"type {type_name(values[known[0]])}, expected {ast.unparse(known[1])}"
        return {**_sides(name, known[0], known[1], values, False), "difference": wanted}
    if (name in _COMPARING_CALLS or name.startswith("assert")) and len(sides) > 1:
        return _sides(name, sides[0], sides[1], values)
    return {"observed": _shown(part, values)} if part in values else {}
