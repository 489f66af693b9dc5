"""The names that a source reads and binds.

By scope, as the compiler resolves it: ``bound``, ``undefined``, ``of_source``, ``of_code``, ``of_candidate``.
Whatever the scope: ``read_anywhere``, ``bound_anywhere``, ``words``.
"""

from __future__ import annotations

import ast
import contextlib
import dis
import inspect
import re
import symtable
import types
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, TypeVar

from ..checks.check_calls import dotted, first_name

Result = TypeVar("Result")

#: Errors of the compiler: the source is no Python, or too large.
UNREADABLE = (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError)

_READS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS", "DELETE_NAME", "DELETE_GLOBAL")
_STORES = ("STORE_NAME", "STORE_GLOBAL")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_NAME", "IMPORT_FROM")

#: Bound by the interpreter or by IPython wherever code runs.
_ALWAYS = (
    "__class__",
    "__module__",
    "__qualname__",
    "__annotations__",
    "display",
    "get_ipython",
    "_exit_code",
)
#: Words of sources that may define names which they do not show.
_DEFINING = frozenset(
    "* exec globals locals vars setattr var get_ipython user_ns f_globals modules builtins".split()
    + ["__builtins__", "__main__", "__dict__"]
)
#: Which of their parts run, and so what is bound when they end, is not known.
_BRANCHING = (ast.If, ast.While, ast.Try, getattr(ast, "TryStar", ast.Try), ast.Match, ast.IfExp, ast.BoolOp)
#: Methods that change the object they are called on.
_CHANGING = frozenset(
    "append appendleft extend extendleft insert remove pop popleft popitem clear sort reverse "
    "update add discard setdefault rotate fill resize".split()
)
#: As ``magics.ts`` has it.
_PYTHON_BODY = re.compile(r"\A(\s*)%%(?:time|timeit|capture|prun|memit|mprun|lprun)\b.*")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
#: Longer texts are data.
_TEXT_LIMIT = 2000
_LIMIT = 20


def parse(source: str, reader: Callable[[str], Result]) -> Result:
    """What a parser reads of the cell as plain Python: magics and shell lines become calls, lines stay.

    A cell magic that runs Python (``%%time``) is left out, so that its body is seen. :raises UNREADABLE:
    """
    text = _PYTHON_BODY.sub(r"\1", source, count=1)
    try:
        return reader(text)
    except UNREADABLE:
        return reader(_transformed(text))


def with_tree(text: str) -> tuple[str, ast.Module]:
    return text, ast.parse(text)


def ipython_source(source: str) -> str:
    """The cell as IPython compiles it: a cell magic is one call, with the body as a text."""
    try:
        ast.parse(source)
    except UNREADABLE:
        return _transformed(source)
    return source


def _transformed(source: str) -> str:
    try:
        from IPython.core.inputtransformer2 import TransformerManager

        return TransformerManager().transform_cell(source)
    except Exception:
        return source


def trees(sources: Iterable[str]) -> Iterator[ast.Module]:
    """Parsed; what cannot be parsed is left out."""
    for source in sources:
        with contextlib.suppress(*UNREADABLE):
            yield parse(source, ast.parse)


def bound(tree: ast.Module) -> set[str]:
    """Names that a source binds at its top level; none when it cannot be compiled."""
    at_top = (*_STORES, "DELETE_NAME")
    try:
        steps = list(_steps(_compiled(tree)))
    except UNREADABLE:
        return set()
    return {
        step.argval
        for code, step in steps
        if step.opname == "STORE_GLOBAL" or (step.opname in at_top and code.co_name == "<module>")
    }


def undefined(tree: ast.Module, source: str, defined: Collection[str]) -> list[ast.Name]:
    """The first use of each name that nothing binds, in the order of the source.

    Claims nothing where it cannot know. A use may be in a branch that is never taken.

    :param source: of ``tree``.
    :param defined: names that are there besides the source's own.
    """
    if words(tree) & _DEFINING:
        return []
    reads = {*_used_of_module(source, False)} - {*defined, *_ALWAYS, *bound(tree)}
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in reads)
    uses = sorted(
        (node for node in nodes if isinstance(node.ctx, ast.Load)),
        key=lambda node: (node.lineno, node.col_offset),
    )
    first: dict[str, ast.Name] = {}
    for node in uses:
        first.setdefault(node.id, node)
    return list(first.values())[:_LIMIT]


def _compiled(tree: ast.Module) -> types.CodeType:
    with warnings.catch_warnings():
        # The user sees them when the source is run.
        warnings.simplefilter("ignore")
        return compile(tree, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True, 0)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


def _steps(code: types.CodeType) -> Iterator[tuple[types.CodeType, dis.Instruction]]:
    return ((inner, step) for inner in _nested(code) for step in dis.get_instructions(inner))


class Needs(NamedTuple):
    """Names in the order of their first use."""

    #: Read before the source itself binds them.
    free: dict[str, None]
    #: Bound for certain when the source has run.
    bound: set[str]
    #: Words of its texts: a magic, ``eval`` and ``df.query`` read code from there.
    mentioned: dict[str, None]
    #: Names of attributes, by which a loaded submodule is seen to be used.
    attributes: set[str]


def of_source(source: str) -> Needs:
    """What a cell needs; a cell that cannot be parsed needs nothing, as it cannot run either."""
    needs = Needs({}, set(), {}, set())
    tree = next(trees([source]), None)
    if tree is None:
        return needs
    #: Read by functions, which are called after what follows them.
    later: dict[str, None] = {}
    for node in tree.body:
        try:
            code = _compiled(ast.Module([node], []))
        except UNREADABLE:
            continue
        branches = any(isinstance(child, _BRANCHING) for child in ast.walk(node))
        stored: set[str] = set()
        for inner, step in _steps(code):
            if inner is code and step.opname in _STORES:
                stored.add(step.argval)
            elif step.opname in _READS and (branches or step.argval not in stored):
                # Comprehensions and class bodies run at once, a function when it is called.
                if inner.co_flags & inspect.CO_NEWLOCALS and not inner.co_name.startswith("<"):
                    later[step.argval] = None
                elif step.argval not in needs.bound:
                    needs.free[step.argval] = None
        needs.attributes.update(_attributes(code))
        if not isinstance(node, (*_BRANCHING, ast.For, ast.AsyncFor)):
            needs.bound.update(stored)
        for child in ast.walk(node):
            if isinstance(child, ast.Constant) and isinstance(child.value, str):
                needs.mentioned.update(dict.fromkeys(_IDENTIFIER.findall(child.value[:_TEXT_LIMIT])))
    needs.free.update((name, None) for name in later if name not in needs.bound)
    return needs


def of_code(code: types.CodeType) -> Needs:
    """What a function reads when it is called."""
    free = {step.argval: None for _, step in _steps(code) if step.opname in _READS}
    return Needs(free, set(), {}, _attributes(code))


def _attributes(code: types.CodeType) -> set[str]:
    return {part for _, step in _steps(code) if step.opname in _ATTRIBUTES for part in step.argval.split(".")}


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def of_candidate(source: str, is_over: bool = False) -> dict[str, list[str]]:
    """Names of a candidate, for the judge.

    :param is_over: the cell has already run, so only names that its functions read count.

    ``imports``: its import statements outside of functions and classes; ``binds``: other names that it binds
    there; ``changes``: names whose values it changes in place there; ``reads``: names of the notebook or of
    builtins that it uses, in functions as well.
    """
    nodes = [node for tree in trees([source]) for node in own(tree)]
    imports = [
        ast.unparse(node)
        for node in nodes
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not getattr(node, "level", 0)
    ]
    binds, changes = (sorted(set().union(*map(of_node, nodes))) for of_node in (bound_here, mutated))
    reads = sorted({*_used_of_module(source, is_over)})
    return {"imports": imports, "binds": binds, "changes": changes, "reads": reads}


def own(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below this one but those within functions and classes, and the targets of comprehensions."""
    waiting = [node]
    for outer in waiting:
        target = outer.target if isinstance(outer, ast.comprehension) else None
        for child in ast.iter_child_nodes(outer):
            if child is target:
                continue
            yield child
            if not isinstance(child, (*_SCOPES, ast.Lambda)):
                waiting.append(child)


def _used_of_module(source: str, is_over: bool) -> Iterator[str]:
    """Names of the module that code reads or declares global, in any scope, or only within functions."""
    try:
        waiting = [(parse(source, lambda text: symtable.symtable(text, "<cell>", "exec")), is_over)]
    except UNREADABLE:
        return
    for table, has_run in waiting:
        at_top = table.get_type() == "module"
        for symbol in () if has_run else table.get_symbols():
            if symbol.is_declared_global() or (symbol.is_referenced() and (at_top or symbol.is_global())):
                yield symbol.get_name()
        waiting += [(inner, has_run and _runs_at_once(inner)) for inner in table.get_children()]


def _runs_at_once(table: symtable.SymbolTable) -> bool:
    """Whether it runs where it stands: a class, or a comprehension, which no generator is."""
    return table.get_type() == "class" or table.get_name().strip("<>") in ("listcomp", "setcomp", "dictcomp")


def bound_here(node: ast.AST) -> set[str]:
    """The name that this node alone binds, unless it is an import."""
    if isinstance(node, _SCOPES):
        return {node.name}
    return {node.id} if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) else set()


def mutated(node: ast.AST) -> set[str]:
    """What this node changes: ``xs[0] = 1``, ``df.x = 1``, ``xs.append(1)``, ``df.drop(inplace=True)``."""
    if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
        return first_name(node)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return set()
    in_place = any(k.arg == "inplace" and getattr(k.value, "value", None) is True for k in node.keywords)
    return first_name(node.func.value) if in_place or node.func.attr in _CHANGING else set()


def bound_anywhere(tree: ast.AST) -> set[str]:
    """Names that are assigned, deleted or defined, in whatever scope; not those of imports and arguments."""
    return set().union(*map(bound_here, ast.walk(tree)))


def read_anywhere(tree: ast.AST) -> set[str]:
    """Names that are read, in whatever scope; words of magics as well."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Call) and dotted(node.func).endswith(("run_line_magic", "run_cell_magic")):
            parts = [str(part.value) for part in node.args if isinstance(part, ast.Constant)]
            found.update(*map(_IDENTIFIER.findall, parts))
    return found


def words(tree: ast.AST) -> set[str]:
    """All by which a source may mean something: names, attributes, whole texts and imported modules."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update(alias.name.split(".")[0] for alias in node.names)
            found.update(filter(None, [getattr(node, "module", None)]))
    return found
