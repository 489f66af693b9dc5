"""Find the reason why a check cannot fail in its source, before anything runs."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from ..source import names
from .check_calls import FUNCTIONS, checks, dotted, is_check, last_name

_CATCHES = {"", "AssertionError", "Exception", "BaseException"}
#: Calls that return true or false, whose result is unused in a statement of their own.
_ANSWERS = frozenset(
    ("allclose", "isclose", "array_equal", "array_equiv", "equals", "isinstance", "issubset", "isdisjoint")
)
_COMPARING = (
    *("assertIs", "assertAlmostEqual", "assertListEqual", "assertDictEqual", "assertCountEqual"),
    "assertSequenceEqual",
)
_SAME = (ast.Eq, ast.LtE, ast.GtE, ast.Is)
_CONSTANT = (
    *(ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare),
    *(ast.unaryop, ast.operator, ast.boolop, ast.cmpop, ast.expr_context),
)
#: What may take long, and what the compiler warns of.
_LEFT_OUT = (ast.Pow, ast.LShift, ast.Mult, ast.Is, ast.IsNot)


class Known(NamedTuple):
    """What is known about names."""

    #: Functions and classes that the cell defines.
    defined: Collection[str]
    #: Functions that give coroutines.
    coroutines: Collection[str]
    #: Functions that check something when they are called.
    helpers: Collection[str]


def problem(node: ast.stmt, known: Known) -> str | None:
    """Of a checking statement; a function is a test that is run."""
    if isinstance(node, FUNCTIONS):
        found = _of_test(node, known)
        if found is not None:
            return found
    if isinstance(node, ast.ClassDef) and not any(_may_act(child, known) for child in ast.walk(node)):
        return "its tests check nothing"
    for child in ast.walk(node):
        found = _of_node(child, known)
        # The result of a statement is awaited, that of one within another is not.
        if child is not node and isinstance(child, ast.Expr) and _gives_coroutine(child.value, known):
            found = "the coroutine is never awaited, so it is not run"
        if found is not None:
            return found
    return None


def unchecked(node: ast.stmt) -> str | None:
    """Of a statement that checks nothing, and looks as if it should."""
    if not isinstance(node, ast.Expr):
        return None
    value = node.value
    answers = isinstance(value, ast.Call) and last_name(value.func) in _ANSWERS
    if answers or isinstance(value, (ast.Compare, ast.BoolOp)):
        return "its result is not used; write assert before it"
    return None


def uncalled(node: ast.stmt, used: Collection[str]) -> Iterator[tuple[ast.stmt, str]]:
    """Functions and classes with checks that nothing calls, in a statement that runs none of them itself.

    :param used: names that any check reads.
    """
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        if checks(node) and node.name not in used and not node.decorator_list:
            yield node, f"nothing calls {node.name}, so its checks never run"
        return
    for child in ast.walk(node):
        if isinstance(child, FUNCTIONS) and checks(child) and child.name not in used:
            yield child, f"nothing calls {child.name}: only tests at the top of a cell are called"


def _of_test(node: ast.FunctionDef | ast.AsyncFunctionDef, known: Known) -> str | None:
    needed = _needed_arguments(node)
    if needed and not _is_parametrized(node):
        names_needed = ", ".join(needed)
        return f"the test needs {names_needed}, but pytest fixtures are not available: create it in the test"
    if any(isinstance(child, (ast.Yield, ast.YieldFrom)) for child in names.own(node)):
        return "the test has a yield, so a call of it runs nothing"
    used = names.named(node)
    reached = [child for child in names.own(node) if not isinstance(child, FUNCTIONS) or child.name in used]
    if not any(_may_act(inner, known) for child in reached for inner in _parts(child)):
        return "the test checks nothing"
    return None


def _parts(node: ast.AST) -> Iterable[ast.AST]:
    return ast.walk(node) if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else (node,)


def _may_act(node: ast.AST, known: Known) -> bool:
    """Whether it checks, names a helper, or calls a method that a base may have."""
    if isinstance(node, ast.Name):
        return node.id in known.helpers
    return _acts(node) or (isinstance(node, ast.Call) and dotted(node.func).startswith("self."))


def _acts(node: ast.AST) -> bool:
    return is_check(node) or isinstance(node, ast.Raise)


def _of_node(node: ast.AST, known: Known) -> str | None:
    if isinstance(node, ast.Assert):
        return _always(node.test, known)
    if isinstance(node, ast.Call):
        return _of_call(node, known)
    if isinstance(node, ast.Try) and _swallows(node):
        return "the failure is caught by its own except"
    if isinstance(node, (ast.With, ast.AsyncWith)) and _suppresses(node):
        return "the failure is suppressed by its own with"
    if isinstance(node, (ast.If, ast.While)) and any(map(checks, node.body)):
        if _folded(node.test) is False or last_name(node.test) == "TYPE_CHECKING":
            return "its condition is never true, so it is not run"
    if isinstance(node, (ast.For, ast.AsyncFor)) and any(map(checks, node.body)):
        if _folded(node.iter) is False:
            return "it loops over nothing"
    if isinstance(node, (*FUNCTIONS, ast.If, ast.With)) and _is_behind_the_end(node.body):
        return "it follows a return or raise, so it never runs"
    return None


def _always(test: ast.expr, known: Known) -> str | None:
    """Why it is true whatever the candidate does."""
    if isinstance(test, ast.Tuple) and test.elts:
        return "a tuple is always true; remove the parentheses"
    if isinstance(test, (ast.Lambda, ast.GeneratorExp)):
        return "a function or generator is always true; it is never called"
    if isinstance(test, ast.Name) and test.id in known.defined:
        return f"{test.id} is a function or class, which is always true; it is never called"
    if _gives_coroutine(test, known):
        return "a coroutine is always true; await it"
    if _has_items(test):
        return "a list is true as soon as it has items; is all() missing?"
    if isinstance(test, ast.JoinedStr) and any(isinstance(v, ast.Constant) for v in test.values):
        return "a string is always true"
    if _folded(test):
        return "a constant is always true"
    if isinstance(test, ast.BoolOp):
        found = [_always(value, known) for value in test.values]
        if isinstance(test.op, ast.Or):
            return next((f"one side of its or always passes: {text}" for text in found if text), None)
        return found[0] if all(found) else None
    if isinstance(test, ast.NamedExpr):
        return _always(test.value, known)
    if isinstance(test, ast.Compare):
        return _of_comparison(test)
    if isinstance(test, ast.Call) and dotted(test.func) == "isinstance" and len(test.args) == 2:
        return "everything is an object" if dotted(test.args[1]) == "object" else None
    return None


def _of_comparison(test: ast.Compare) -> str | None:
    if len(test.ops) != 1:
        return None
    left, operator, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operator, _SAME) and _is_same(left, right):
        return f"it compares {ast.unparse(left)} with itself"
    if isinstance(operator, ast.Eq) and "ANY" in (last_name(left), last_name(right)):
        return "ANY is equal to anything"
    limit = _number(right)
    if isinstance(left, ast.Call) and dotted(left.func) == "len" and limit is not None:
        if (isinstance(operator, ast.GtE) and limit <= 0) or (isinstance(operator, ast.Gt) and limit < 0):
            return "a length is never below 0"
    return None


def _number(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        return None
    return value if isinstance(value, (int, float)) else None


def _of_call(node: ast.Call, known: Known) -> str | None:
    name = last_name(node.func)
    if name in ("assertTrue", "assert_") and node.args:
        return _always(node.args[0], known)
    compares = name.startswith(("assertEqual", "assert_")) or name in _COMPARING
    if compares and "not" not in name.lower() and len(node.args) >= 2 and _is_same(*node.args[:2]):
        return f"it compares {ast.unparse(node.args[0])} with itself"
    return None


def _is_same(left: ast.expr, right: ast.expr) -> bool:
    """The same names, with no call that could give something else each time."""
    if not names.named(left):
        return False
    if any(isinstance(part, (ast.Call, ast.Await, ast.NamedExpr)) for part in ast.walk(left)):
        return False
    try:
        return ast.dump(left) == ast.dump(right)
    except RecursionError:
        # Too long to be written twice.
        return False


def _folded(node: ast.expr) -> bool | None:
    """Whether an expression without any name is true; None when that is not known."""
    if isinstance(node, ast.Call):
        is_empty = dotted(node.func) == "range" and len(node.args) == 1 and _number(node.args[0]) == 0
        return False if is_empty else None
    parts = list(ast.walk(node))
    if any(not isinstance(part, _CONSTANT) or isinstance(part, _LEFT_OUT) for part in parts):
        return None
    try:
        return bool(eval(compile(ast.Expression(node), "<check>", "eval"), {"__builtins__": {}}))
    except Exception:
        return None


def _has_items(node: ast.expr) -> bool:
    if isinstance(node, ast.ListComp):
        # `assert [x for x in rows if x.wrong]` asks whether there are any.
        return isinstance(node.elt, (ast.Compare, ast.BoolOp)) or (
            isinstance(node.elt, ast.UnaryOp) and isinstance(node.elt.op, ast.Not)
        )
    items = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    return any(item is not None and not isinstance(item, ast.Starred) for item in items)


def _gives_coroutine(node: ast.expr, known: Known) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) in known.coroutines


def _needed_arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    needed = positional[: len(positional) - len(arguments.defaults)]
    needed += [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False) if d is None]
    return [a.arg for a in needed]


def _is_parametrized(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(d, ast.Call) and last_name(d.func) in ("parametrize", "given") for d in node.decorator_list
    )


def _swallows(node: ast.Try) -> bool:
    return any(map(checks, node.body)) and any(
        _names(handler.type) & _CATCHES and not _remembers(handler.body) for handler in node.handlers
    )


def _suppresses(node: ast.With | ast.AsyncWith) -> bool:
    calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
    suppressing = [call for call in calls if last_name(call.func) == "suppress"]
    caught = {dotted(argument) for call in suppressing for argument in call.args}
    return bool(caught & _CATCHES) and any(map(checks, node.body))


def _names(kind: ast.expr | None) -> set[str]:
    """Of a bare ``except`` the empty one."""
    return {dotted(part) for part in (kind.elts if isinstance(kind, ast.Tuple) else [kind])}


def _remembers(body: list[ast.stmt]) -> bool:
    """Whether a handler fails in its turn, or keeps what happened for a check that follows."""
    parts = [part for statement in body for part in ast.walk(statement)]
    called = {last_name(part.func) for part in parts if isinstance(part, ast.Call)}
    keeps = any(_acts(part) or isinstance(part, (ast.Assign, ast.AugAssign, ast.AnnAssign)) for part in parts)
    return keeps or bool(called & {"append", "add", "exit", "fail"})


def _is_behind_the_end(body: list[ast.stmt]) -> bool:
    ends = [number for number, node in enumerate(body) if isinstance(node, (ast.Return, ast.Raise))]
    return bool(ends) and any(map(checks, body[ends[0] + 1 :]))
