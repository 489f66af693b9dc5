"""A check cell as statements: which of them check something, and which of those cannot fail."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from . import texts

_SOURCE_LIMIT = 2000
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Statement(NamedTuple):
    """One top-level statement of a check cell."""

    #: ``cellId:line``; a second one that starts in the same line has ``.2`` added.
    id: str
    cell_id: str
    role: str
    #: From 1.
    line: int
    source: str
    #: Empty for a cell that cannot be parsed.
    body: tuple[ast.stmt, ...]
    checks: bool
    #: Name of the test function or class that is defined and then run.
    runs: str | None
    #: Asserts were seen in its source, so at least one must be reached.
    asserts: bool
    problem: str | None
    error: SyntaxError | None

    def told(self) -> dict[str, Any]:
        """The fields that ``AssertionResult`` begins with."""
        return {
            "id": self.id,
            "cellId": self.cell_id,
            "role": self.role,
            "line": self.line,
            "source": texts.plain(self.source),
        }


def digest(source: str) -> str:
    """SHA-256 of a check's source."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def python_source(source: str) -> str:
    """The cell as plain Python: magics and shell lines become calls, line numbers stay."""
    try:
        ast.parse(source)
        return source
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        pass
    try:
        from IPython.core.inputtransformer2 import TransformerManager

        return TransformerManager().transform_cell(source)
    except Exception:
        return source


def split(cell: dict[str, Any]) -> list[Statement]:
    """All statements of a check cell in order, set-up included."""
    source = python_source(cell["source"])
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        syntax = error if isinstance(error, SyntaxError) else SyntaxError(str(error))
        line = syntax.lineno or 1
        return [_unparsable(cell, line, source, syntax)]
    called = {name for node in tree.body for name in _called_names(node)}
    helpers = {n.name for n in tree.body if isinstance(n, _FUNCTIONS) and any(map(is_check, ast.walk(n)))}
    lines = source.splitlines()
    seen: dict[int, int] = {}
    statements = []
    for node in tree.body:
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno] + [d.lineno for d in decorators])
        seen[node.lineno] = seen.get(node.lineno, 0) + 1
        suffix = f".{seen[node.lineno]}" if seen[node.lineno] > 1 else ""
        checks, runs = _role(node, called, helpers)
        statements.append(
            Statement(
                id=f"{cell['cellId']}:{node.lineno}{suffix}",
                cell_id=cell["cellId"],
                role=cell["role"],
                line=node.lineno,
                source=texts.cut_middle(_text(lines, node, first), _SOURCE_LIMIT),
                body=(node,),
                checks=checks,
                runs=runs,
                asserts=any(isinstance(n, ast.Assert) for n in ast.walk(node)),
                problem=_problem(node, runs) if checks else None,
                error=None,
            )
        )
    return statements


def checking(cells: Iterable[dict[str, Any]]) -> list[Statement]:
    """The checking statements of all cells: the n of k/n."""
    return [statement for cell in cells for statement in split(cell) if statement.checks]


def tell(cells: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answer to the op ``statements``."""
    told = []
    for statement in checking(cells):
        fields = statement.told()
        if statement.problem is not None:
            fields["problem"] = statement.problem
        told.append(fields)
    return told


def _unparsable(cell: dict[str, Any], line: int, source: str, error: SyntaxError) -> Statement:
    return Statement(
        id=f"{cell['cellId']}:{line}",
        cell_id=cell["cellId"],
        role=cell["role"],
        line=line,
        source=texts.cut_middle(source, _SOURCE_LIMIT),
        body=(),
        checks=True,
        runs=None,
        asserts=False,
        problem=f"the cell cannot be parsed: {error.msg} (line {line})",
        error=error,
    )


def _text(lines: list[str], node: ast.stmt, first: int) -> str:
    last = node.end_lineno or node.lineno
    if first == last:
        raw = lines[first - 1].encode("utf-8", "surrogatepass")
        return raw[node.col_offset : node.end_col_offset].decode("utf-8", "surrogatepass")
    return "\n".join(lines[first - 1 : last])


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _is_checking_name(name: str) -> bool:
    parts = name.split(".")
    last = parts[-1]
    return (
        "testing" in parts[:-1]
        or last.startswith("assert")
        or name in ("pytest.raises", "pytest.warns", "pytest.fail", "unittest.main")
        or name in ("doctest.testmod", "doctest.run_docstring_examples")
    )


def is_check(node: ast.AST) -> bool:
    """Whether this node alone checks something: an assert, or a call of a checking function."""
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Call) and _is_checking_name(_dotted(node.func))
    )


def _called_names(node: ast.stmt) -> Iterator[str]:
    """Names of functions that the statement calls when it runs, not within definitions."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return
    for child in ast.walk(node):
        if isinstance(child, ast.Call):
            yield _dotted(child.func)


def _is_test_class(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ClassDef):
        return False
    has_tests = any(isinstance(n, _FUNCTIONS) and n.name.startswith("test") for n in node.body)
    return has_tests and (
        node.name.startswith("Test") or any(_dotted(base).endswith("TestCase") for base in node.bases)
    )


def _role(node: ast.stmt, called: set[str], helpers: set[str]) -> tuple[bool, str | None]:
    if isinstance(node, _FUNCTIONS):
        runs = node.name.startswith("test") and node.name not in called
        return runs, node.name if runs else None
    if isinstance(node, ast.ClassDef):
        runs = _is_test_class(node) and not called & {"main", "unittest.main"} and node.name not in called
        return runs, node.name if runs else None
    names = set(_called_names(node))
    checks = (
        any(map(is_check, ast.walk(node)))
        or bool(names & helpers)
        or any(name.startswith("test_") for name in names)
    )
    return checks, None


def _problem(node: ast.stmt, runs: str | None) -> str | None:
    """Why the statement cannot fail, if so."""
    if isinstance(node, _FUNCTIONS) and runs is not None:
        needed = _needed_arguments(node)
        if needed and not _is_parametrized(node):
            return f"the test needs {', '.join(needed)}, so nothing can call it"
        if not any(is_check(n) or isinstance(n, ast.Raise) for n in ast.walk(node)):
            return "the test checks nothing"
    for child in ast.walk(node):
        if isinstance(child, ast.Assert):
            if isinstance(child.test, ast.Tuple) and child.test.elts:
                return "a tuple is always true; remove the parentheses"
            if isinstance(child.test, ast.Constant) and child.test.value:
                return "a constant is always true"
            if isinstance(child.test, (ast.Lambda, ast.GeneratorExp)):
                return "a function or generator is always true; it is never called"
        if isinstance(child, ast.Try) and _swallows(child):
            return "the failure is caught by its own except"
    return None


def _needed_arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    needed = positional[: len(positional) - len(arguments.defaults)]
    needed += [a for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=False) if d is None]
    return [a.arg for a in needed]


def _is_parametrized(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(d, ast.Call) and _dotted(d.func).split(".")[-1] in ("parametrize", "given")
        for d in node.decorator_list
    )


def _swallows(node: ast.Try) -> bool:
    if not any(is_check(n) for statement in node.body for n in ast.walk(statement)):
        return False
    for handler in node.handlers:
        names = (
            [""]
            if handler.type is None
            else [
                _dotted(t)
                for t in (handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type])
            ]
        )
        catches = any(n in ("", "AssertionError", "Exception", "BaseException") for n in names)
        acts = any(is_check(n) or isinstance(n, ast.Raise) for s in handler.body for n in ast.walk(s))
        if catches and not acts:
            return True
    return False
