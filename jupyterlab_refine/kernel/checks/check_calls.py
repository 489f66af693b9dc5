"""Recognise what checks by itself: an assert, or a call of a function that is made to check."""

from __future__ import annotations

import ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: Fixtures of pytest.
FIXTURES = ("tmp_path", "capsys", "capfd", "caplog", "monkeypatch", "recwarn", "request")


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


def needed(arguments: ast.arguments) -> list[str]:
    """Parameters of a function without a default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    found = positional[: len(positional) - len(arguments.defaults)]
    found += [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    return [one.arg for one in found]


def _is_checking_name(name: str) -> bool:
    parts = name.split(".")
    last = parts[-1]
    return (
        "testing" in parts[:-1]
        or last.startswith("assert")
        or name in ("pytest.raises", "pytest.warns", "pytest.fail", "unittest.main")
        or name in ("doctest.testmod", "doctest.run_docstring_examples")
    )
