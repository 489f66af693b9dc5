"""A check cell as statements: which of them check something, and which of those cannot fail."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .. import texts
from ..source.names import UNREADABLE, bound, python_source, read_anywhere
from . import cannot_fail
from .check_calls import FUNCTIONS, checks, dotted, may_check, runs_tests

_SOURCE_LIMIT = 2000


class Statement(NamedTuple):
    """One top-level statement of a check cell."""

    #: ``cellId:line``; a second one that starts in the same line has ``.2`` added.
    id: str
    cell_id: str
    role: str
    #: From 1.
    line: int
    source: str
    #: Of a cell that cannot be parsed.
    error: SyntaxError | None = None
    #: Empty for a cell that cannot be parsed.
    body: tuple[ast.stmt, ...] = ()
    checks: bool = True
    #: Name of the test function or class that is defined and then run.
    runs: str | None = None
    #: Asserts were seen in its source, so at least one must be reached.
    asserts: bool = False

    def to_reply(self) -> dict[str, Any]:
        """The first fields of an ``AssertionResult``."""
        return {
            "id": self.id,
            "cellId": self.cell_id,
            "role": self.role,
            "line": self.line,
            "source": texts.plain(self.source),
        }


def split(cell: dict[str, Any]) -> list[Statement]:
    """All statements of a check cell in order, set-up included."""
    source = python_source(cell["source"])
    try:
        tree = ast.parse(source)
    except UNREADABLE as error:
        syntax = error if isinstance(error, SyntaxError) else SyntaxError(str(error))
        line = syntax.lineno or 1
        start = (f"{cell['cellId']}:{line}", cell["cellId"], cell["role"], line)
        return [Statement(*start, texts.cut_middle(source, _SOURCE_LIMIT), syntax)]
    called = {name for node in tree.body for name in _called_names(node)}
    helpers = {n.name for n in tree.body if isinstance(n, FUNCTIONS) and checks(n)}
    lines = source.splitlines()
    seen: dict[int, int] = {}
    statements = []
    for node in tree.body:
        seen[node.lineno] = seen.get(node.lineno, 0) + 1
        suffix = f".{seen[node.lineno]}" if seen[node.lineno] > 1 else ""
        counts, runs = _role(node, called, helpers)
        statements.append(
            Statement(
                id=f"{cell['cellId']}:{node.lineno}{suffix}",
                cell_id=cell["cellId"],
                role=cell["role"],
                line=node.lineno,
                source=texts.cut_middle(text(lines, node), _SOURCE_LIMIT),
                body=(node,),
                checks=counts,
                runs=runs,
                asserts=any(isinstance(n, ast.Assert) for n in ast.walk(node)),
            )
        )
    if not any(statement.checks for statement in statements):
        return [one._replace(checks=may_check(one.body[0])) for one in statements]
    return statements


def checking(cells: Iterable[dict[str, Any]]) -> list[Statement]:
    """The checking statements of all cells: the n of k/n."""
    return [statement for cell in cells for statement in split(cell) if statement.checks]


def list_statements(
    cells: Iterable[dict[str, Any]], namespace: Mapping[str, Any], drops_asserts: bool = False
) -> list[dict[str, Any]]:
    """Statements that check something, and those that should, for the operation ``statements``.

    Those of hold-outs come without their source.

    :param drops_asserts: whether the checks run where asserts are left out.
    """
    coroutines = {name for name, value in namespace.items() if inspect.iscoroutinefunction(value)}
    parts = [(cell, split(cell)) for cell in cells]
    nodes = [node for _, own in parts for statement in own for node in statement.body]
    helpers = {node.name for node in nodes if isinstance(node, FUNCTIONS) and checks(node)}
    used = Counter(name for _, own in parts for name in _read(own))
    return [
        fields
        for cell, own in parts
        for fields in _describe_cell(cell, own, used, _known(own, coroutines, helpers), drops_asserts)
    ]


def _known(own: list[Statement], coroutines: set[str], helpers: set[str]) -> cannot_fail.Known:
    nodes = [node for statement in own for node in statement.body]
    return cannot_fail.Known(
        {node.name for node in nodes if isinstance(node, (*FUNCTIONS, ast.ClassDef))},
        coroutines | {node.name for node in nodes if isinstance(node, ast.AsyncFunctionDef)},
        helpers,
    )


def _problem(statement: Statement, known: cannot_fail.Known, drops_asserts: bool) -> str | None:
    """Why it checks nothing, or None."""
    if statement.error is not None:
        return f"the cell cannot be parsed: {statement.error.msg} (line {statement.line})"
    (node,) = statement.body
    if not statement.checks:
        return cannot_fail.unchecked(node)
    problem = cannot_fail.problem(node, known)
    if drops_asserts and statement.asserts:
        return problem or "Python runs with -O here, which removes asserts"
    return problem


def _describe_cell(
    cell: dict[str, Any],
    own: list[Statement],
    used: Counter[str],
    known: cannot_fail.Known,
    drops_asserts: bool,
) -> Iterator[dict[str, Any]]:
    """:param used: in how many cells each name is read."""
    here = _read(own)
    source = "" if cell["role"] == "holdout" else None
    listed = helps = False
    # Beside checks that count.
    aside = {"checks": False} if any(statement.checks for statement in own) else {}
    for statement in own:
        fields = statement.to_reply() | ({} if source is None else {"source": source})
        problem = _problem(statement, known, drops_asserts)
        node = statement.body[0] if statement.body else None
        if node is not None and not statement.checks:
            helps |= any(used[name] > (name in here) for name in bound(ast.Module([node], [])))
        if statement.checks or problem is not None:
            listed = True
            fields |= {} if problem is None else {"problem": problem}
            yield fields if statement.checks else fields | aside
        if node is not None and statement.runs is None and not _is_test_class(node):
            for inner, reason in cannot_fail.uncalled(node, used):
                listed = True
                text = texts.cut_middle(ast.unparse(inner), _SOURCE_LIMIT) if source is None else source
                yield fields | {"line": inner.lineno, "source": text, "problem": reason} | aside
    if not listed and not helps and cell["source"].strip():
        magic = cell["source"].lstrip().startswith("%%")
        reason = (
            "a cell magic takes the cell, so its checks are not seen" if magic else "the cell checks nothing"
        )
        first = texts.cut_middle(cell["source"], _SOURCE_LIMIT) if source is None else source
        place = {"id": f"{cell['cellId']}:1", "cellId": cell["cellId"], "role": cell["role"], "line": 1}
        yield place | {"source": texts.plain(first), "problem": reason}


def _read(own: Iterable[Statement]) -> set[str]:
    return set().union(*(read_anywhere(node) for statement in own for node in statement.body))


def text(lines: list[str], node: ast.stmt) -> str:
    """The source of a statement, decorators included."""
    first = min([node.lineno] + [decorator.lineno for decorator in getattr(node, "decorator_list", [])])
    last = node.end_lineno or node.lineno
    if first == last:
        raw = lines[first - 1].encode("utf-8", "surrogatepass")
        return raw[node.col_offset : node.end_col_offset].decode("utf-8", "surrogatepass")
    return "\n".join(lines[first - 1 : last])


def _called_names(node: ast.stmt) -> Iterator[str]:
    """Names of functions that the statement calls when it runs, not within definitions."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return
    for child in ast.walk(node):
        if isinstance(child, ast.Call):
            yield dotted(child.func)


def _is_test_class(node: ast.stmt) -> bool:
    if not isinstance(node, ast.ClassDef):
        return False
    has_tests = any(isinstance(n, FUNCTIONS) and n.name.startswith("test") for n in node.body)
    return has_tests and (
        node.name.startswith("Test") or any(dotted(base).endswith("TestCase") for base in node.bases)
    )


def _role(node: ast.stmt, called: set[str], helpers: set[str]) -> tuple[bool, str | None]:
    if isinstance(node, FUNCTIONS):
        runs = node.name.startswith("test") and node.name not in called
        return runs, node.name if runs else None
    if isinstance(node, ast.ClassDef):
        runs = _is_test_class(node) and not called & {"main", "unittest.main"} and node.name not in called
        return runs, node.name if runs else None
    names = set(_called_names(node))
    calls = bool(names & helpers) or any(name.startswith("test_") for name in names)
    return calls or checks(node) or runs_tests(node), None
