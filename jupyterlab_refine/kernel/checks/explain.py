"""Expected against observed: explain a failing assert by its recorded values, and what differs."""

from __future__ import annotations

import ast
import difflib
import importlib
import math
import os
import types
import unittest
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from .. import texts
from ..values.describe import bounded, is_from, observed_value, safe_repr, type_name
from .check_calls import last_name
from .rewriting import Recorder, quantified, targets

_MAX_OPERANDS = 12
#: Of a sentence on what differs, and what is listed there.
_LIMIT = 2000
_ITEMS = 5
_LINES = 2000
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
    pairs = zip([part.left, *part.comparators], part.ops, part.comparators, strict=False)
    # Python ends at the first pair that does not hold.
    evaluated = [pair for pair in pairs if pair[0] in values and pair[2] in values]
    if not evaluated:
        return {}
    left, operator, right = evaluated[-1]
    name = _written(operator)
    # The literal side is what was expected, wherever it is written.
    observed, expected = (right, left) if _is_literal(left) and not _is_literal(right) else (left, right)
    return _sides(name, observed, expected, values, name in ("==", "is"))


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


# -- what differs between two values


def difference(observed: Any, expected: Any) -> str | None:
    """One or a few sentences, or None when there is nothing to add to the two values."""

    def work() -> str | None:
        try:
            text = _difference(observed, expected)
        except Exception:
            return None
        return texts.cut_end(texts.plain(text), _LIMIT) if text else None

    return bounded(work, None, 1.0)


def _difference(observed: Any, expected: Any) -> str | None:
    observed, expected = _plain_scalar(observed), _plain_scalar(expected)
    for name, compare in (("DataFrame", "assert_frame_equal"), ("Series", "assert_series_equal")):
        if is_from(observed, "pandas", name) and is_from(expected, "pandas", name):
            return _by_pandas(observed, expected, compare)
    if is_from(observed, "numpy", "ndarray") and is_from(expected, "numpy", "ndarray"):
        return _arrays(observed, expected)
    if isinstance(observed, str) and isinstance(expected, str):
        return _strings(observed, expected)
    if isinstance(observed, dict) and isinstance(expected, dict):
        return _dicts(observed, expected)
    if isinstance(observed, (set, frozenset)) and isinstance(expected, (set, frozenset)):
        return _sets(observed, expected)
    if isinstance(observed, (list, tuple)) and isinstance(expected, (list, tuple)):
        return _sequences(observed, expected)
    if _is_number(observed) and _is_number(expected):
        return _numbers(observed, expected)
    if type(expected).__module__.startswith("_pytest."):
        # `pytest.approx`: of another type by its nature.
        return None
    if type(observed) is not type(expected):
        return f"type {type(observed).__name__}, expected {type(expected).__name__}"
    return None


def _plain_scalar(value: Any) -> Any:
    """A scalar of numpy as Python's own: unsigned ones cannot be subtracted from each other."""
    return value.item() if is_from(value, "numpy", "generic") else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _numbers(observed: Any, expected: Any) -> str | None:
    if math.isnan(observed) or math.isnan(expected):
        return "nan is never equal to anything, use math.isnan"
    if isinstance(observed, Decimal) != isinstance(expected, Decimal):
        # The two cannot be subtracted from each other.
        observed, expected = float(observed), float(expected)
    gap = observed - expected
    if gap == 0 or math.isinf(gap):
        return None
    if isinstance(gap, float) and abs(gap) <= 1e-9 * max(abs(observed), abs(expected)):
        return f"equal except for rounding (difference {gap:.3g})"
    return f"{abs(gap):.6g} too {'high' if gap > 0 else 'low'}"


def _strings(observed: str, expected: str) -> str:
    if "\n" in observed or "\n" in expected:
        before, after = (text.splitlines()[:_LINES] for text in (expected, observed))
        lines = difflib.unified_diff(before, after, "expected", "observed", lineterm="", n=1)
        return "\n".join(lines) or f"only the line ends differ, or lines after the first {_LINES}"
    if observed.strip() == expected.strip():
        return "only white space at the start or the end differs"
    index = len(os.path.commonprefix([observed, expected]))
    if index == len(observed):
        return f"ends after {index} characters, {expected[index:][:60]!r} is missing"
    if index == len(expected):
        return f"{observed[index:][:60]!r} is extra at the end"
    left, right = observed[index:][:40], expected[index:][:40]
    return f"first differs at character {index + 1}: {left!r}, expected {right!r}"


def _named(items: list[Any]) -> str:
    more = f" and {len(items) - _ITEMS} more" if len(items) > _ITEMS else ""
    return ", ".join(safe_repr(item, 80) for item in items[:_ITEMS]) + more


def _apart(missing: list[Any], extra: list[Any], *words: str) -> list[str]:
    """Which keys or items only one side has, each after its word."""
    pairs = zip(words, (missing, extra), strict=True)
    return [f"{word} {_named(items)}" for word, items in pairs if items]


def _dicts(observed: dict[Any, Any], expected: dict[Any, Any]) -> str:
    missing = [key for key in expected if key not in observed]
    extra = [key for key in observed if key not in expected]
    wrong = [key for key in expected if key in observed and not _same(observed[key], expected[key])]
    parts = _apart(missing, extra, "no key", "unexpected key")
    for key in wrong[:_ITEMS]:
        left, right = safe_repr(observed[key], 200), safe_repr(expected[key], 200)
        parts.append(f"at {safe_repr(key, 80)}: {left}, expected {right}")
    if len(wrong) > _ITEMS:
        parts.append(f"and {len(wrong) - _ITEMS} more values differ")
    return "; ".join(parts)


def _sets(observed: Any, expected: Any) -> str:
    missing, extra = (sorted(items, key=repr) for items in (expected - observed, observed - expected))
    return "; ".join(_apart(missing, extra, "missing:", "too much:"))


def _sequences(observed: Any, expected: Any) -> str:
    parts = []
    if type(observed) is not type(expected):
        parts.append(f"{type(observed).__name__}, expected {type(expected).__name__}")
    if len(observed) != len(expected):
        items = "item" if len(observed) == 1 else "items"
        parts.append(f"{len(observed)} {items}, expected {len(expected)}")
    pairs = enumerate(zip(observed, expected, strict=False))
    first = next((index for index, (left, right) in pairs if not _same(left, right)), None)
    if first is not None:
        left, right = safe_repr(observed[first], 200), safe_repr(expected[first], 200)
        parts.append(f"first differs at index {first}: {left}, expected {right}")
    else:
        missing, extra = list(expected[len(observed) :]), list(observed[len(expected) :])
        parts += _apart(missing, extra, "missing:", "too much:")
    return "; ".join(parts)


def _same(left: Any, right: Any) -> bool:
    try:
        return left is right or bool(left == right)
    except Exception:
        return False


def _arrays(observed: Any, expected: Any) -> str | None:
    for word in ("shape", "dtype"):
        if getattr(observed, word) != getattr(expected, word):
            return f"{word} {getattr(observed, word)}, expected {getattr(expected, word)}"
    unequal = (observed != expected) & ~((observed != observed) & (expected != expected))
    count = int(unequal.sum())
    if not count:
        return None
    index = tuple(int(axis[0]) for axis in unequal.nonzero())
    where = index[0] if len(index) == 1 else index
    found = f"{observed[index]}, expected {expected[index]}"
    return f"{count} of {observed.size} elements differ, first at index {where}: {found}"


def _by_pandas(observed: Any, expected: Any, name: str) -> str | None:
    """What its own function for tests says of the two."""
    compare: Any = getattr(importlib.import_module("pandas.testing"), name)
    try:
        compare(observed, expected)
    except AssertionError as error:
        return str(error).replace("[left]: ", "[observed]:").replace("[right]:", "[expected]:")
    return None
