"""Recognise what checks by itself: an assert, or a call of a function that is made to check."""

from __future__ import annotations

import ast
import re

#: As ``numberedChecks.ts`` has it.
_BY_NAME = re.compile(r"(^|[._])(check|test|verify|validate|grade)")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def dotted(node: ast.AST | None) -> str:
    """``np.testing.assert_allclose`` of an expression that is such a name, else nothing."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def first_name(node: ast.AST) -> set[str]:
    """The name at the start of ``a.b[0].c``, if any."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def last_name(node: ast.AST | None) -> str:
    """``assert_allclose`` of the same."""
    return dotted(node).rpartition(".")[2]


def is_check(node: ast.AST) -> bool:
    """Whether this node alone checks something."""
    if isinstance(node, ast.Raise):
        return last_name(node.exc.func if isinstance(node.exc, ast.Call) else node.exc) == "AssertionError"
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Call) and _is_checking_name(dotted(node.func))
    )


def runs_tests(node: ast.stmt) -> bool:
    """Whether it calls a runner that returns an exit code, which decides: see ``evaluating.settle``."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and dotted(call.func) in ("pytest.main", "ipytest.run")


def may_check(node: ast.stmt) -> bool:
    """Whether it checks by what it raises, or by what it calls, as far as names say: ``tests.check_q1(f)``.

    It counts in a cell that is marked as a check and has nothing else that checks.
    """
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return False
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and _BY_NAME.search(dotted(call.func)):
        return True
    return any(isinstance(child, ast.Raise) for child in ast.walk(node))


def checks(node: ast.AST) -> bool:
    """Whether anything within it does."""
    return any(map(is_check, ast.walk(node)))


def _is_checking_name(name: str) -> bool:
    parts = name.split(".")
    last = parts[-1]
    return (
        "testing" in parts[:-1]
        or last.startswith("assert")
        or name in ("pytest.raises", "pytest.warns", "pytest.fail", "unittest.main")
        or name in ("doctest.testmod", "doctest.run_docstring_examples")
    )
