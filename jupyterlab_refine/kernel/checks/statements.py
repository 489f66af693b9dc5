"""A check cell as statements: which of them count in k of n."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .. import texts
from ..source.names import UNREADABLE, parse, with_tree
from .check_calls import FIXTURES, FUNCTIONS, dotted, is_check, needed

_SOURCE_LIMIT = 2000
_MAGIC = "get_ipython()."
_CELL_MAGIC = f"{_MAGIC}run_cell_magic("
_SETS_UP = (
    *(ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign, *FUNCTIONS, ast.ClassDef),
    *(ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal, ast.Delete, ast.Return),
)
#: Calls that set something for all that follows: `random.seed(1)`.
_SETTERS = ("seed", "setrecursionlimit", "filterwarnings", "simplefilter", "set_printoptions", "set_option")
_ACTS = (ast.Call, ast.Await)
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


class Statement(NamedTuple):
    """One top-level statement of a check cell; of a cell in which none counts, all of them."""

    #: ``cellId:line``; a second one that starts in the same line has ``.2`` added.
    id: str
    cell_id: str
    role: str
    #: From 1.
    line: int
    source: str
    #: Of what cannot be parsed or compiled.
    error: Exception | None = None
    #: Empty for a cell that cannot be parsed.
    body: tuple[ast.stmt, ...] = ()
    #: Whether it counts.
    checks: bool = True
    #: Name of the test function or class that it defines, to be called unless something else does.
    runs: str | None = None
    #: Whether it has an assert, or a call that is made to check.
    asserts: bool = False
    #: Whether nothing after it counts.
    last: bool = True

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
    """All statements of a check cell in order, set-up included; none for a cell of comments."""
    return read(cell)[1]


def read(cell: dict[str, Any]) -> tuple[str, list[Statement]]:
    """A check cell as Python code, and its statements."""
    source = cell["source"]
    try:
        source, tree = parse(source, with_tree)
    except UNREADABLE as error:
        line = getattr(error, "lineno", None) or 1
        # Without saying so, it would read as an error of the candidate.
        syntax = SyntaxError(f"the check is not valid Python: {getattr(error, 'msg', error)} (line {line})")
        start = (f"{cell['cellId']}:{line}", cell["cellId"], cell["role"], line)
        return source, [Statement(*start, texts.cut_middle(source, _SOURCE_LIMIT), syntax)]
    called = {dotted(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    fixtures = {*FIXTURES, *(getattr(one, "name", "") for one in tree.body if _is_fixture(one))}
    lines, written = source.splitlines(), cell["source"].splitlines()
    whole = texts.cut_middle(cell["source"].strip(), _SOURCE_LIMIT)
    # IPython's form of a magic is for nobody to read.
    is_magic = source.startswith(_CELL_MAGIC)
    # A cell that only runs with the checks counts nothing.
    is_helper = cell.get("statements") == 0
    seen: dict[int, int] = {}
    statements = []
    for node in tree.body:
        seen[node.lineno] = seen.get(node.lineno, 0) + 1
        suffix = f".{seen[node.lineno]}" if seen[node.lineno] > 1 else ""
        runs = node.name if isinstance(node, _DEFINITIONS) and _is_test(node, fixtures) else None
        shown = text(lines, node)
        if shown.startswith(_MAGIC) and len(written) == len(lines):
            shown = text(written, node)
        statements.append(
            Statement(
                id=f"{cell['cellId']}:{node.lineno}{suffix}",
                cell_id=cell["cellId"],
                role=cell["role"],
                line=node.lineno,
                source=whole if is_magic else texts.cut_middle(shown, _SOURCE_LIMIT),
                body=(node,),
                checks=not is_helper and (_counts(node) if runs is None else runs not in called),
                runs=runs,
                asserts=any(isinstance(part, ast.Raise) or is_check(part) for part in ast.walk(node)),
            )
        )
    if any(statement.checks for statement in statements) or is_helper or not statements:
        return source, [
            one._replace(last=not any(later.checks or later.runs for later in statements[number:]))
            for number, one in enumerate(statements, 1)
        ]
    return source, [statements[0]._replace(source=whole, body=tuple(tree.body), checks=True, runs=None)]


def checking(cells: Iterable[dict[str, Any]]) -> list[Statement]:
    """The statements of all cells that count: the n of k/n, as far as it is known before they run."""
    return [statement for cell in cells for statement in split(cell) if statement.checks]


def text(lines: list[str], node: ast.stmt) -> str:
    """The source of a statement, decorators included."""
    first = min([node.lineno] + [decorator.lineno for decorator in getattr(node, "decorator_list", [])])
    last = node.end_lineno or node.lineno
    if first == last:
        raw = lines[first - 1].encode("utf-8", "surrogatepass")
        return raw[node.col_offset : node.end_col_offset].decode("utf-8", "surrogatepass")
    return "\n".join(lines[first - 1 : last])


def tests_of(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Methods of a class that a framework calls as tests."""
    return [one for one in node.body if isinstance(one, FUNCTIONS) and one.name.startswith("test")]


def _is_fixture(node: ast.AST) -> bool:
    return isinstance(node, FUNCTIONS) and any("fixture" in ast.unparse(one) for one in node.decorator_list)


def _is_test(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, fixtures: set[str]) -> bool:
    """Whether a framework would call it: no function that needs arguments, which nothing would give."""
    if isinstance(node, ast.ClassDef):
        is_named = node.name.startswith("Test") or any(dotted(b).endswith("TestCase") for b in node.bases)
        return is_named and any(one.decorator_list or len(needed(one.args)) < 2 for one in tests_of(node))
    is_given = bool(node.decorator_list) or fixtures.issuperset(needed(node.args))
    return node.name.startswith("test") and is_given and not _is_fixture(node)


def _counts(node: ast.stmt) -> bool:
    """Whether it can fail by what it does, and does not only prepare or show: import, print, compare."""
    if isinstance(node, _SETS_UP):
        return False
    if isinstance(node, ast.Expr):
        shows = isinstance(node.value, ast.Compare) or _prepares(node.value)
        return not shows and any(isinstance(part, _ACTS) for part in ast.walk(node.value))
    blocks = list(_blocks(node))
    return not blocks or any(map(_counts, blocks))


def _prepares(node: ast.expr) -> bool:
    """Whether it prints, installs or sets something, or is a line magic but one that runs a file."""
    if not isinstance(node, ast.Call):
        return False
    name, first = dotted(node.func), getattr(node.args[0], "value", "") if node.args else ""
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        # `get_ipython().system("pip install ipytest")`
        is_line = node.func.attr == "run_line_magic" and first != "run"
        return is_line or node.func.attr == "system" and " install " in str(first)
    return name in ("print", "display", "ipytest.autoconfig") or name.rpartition(".")[2] in _SETTERS


def _blocks(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements directly within a loop, branch, ``with`` or ``try``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            yield from _blocks(child)
