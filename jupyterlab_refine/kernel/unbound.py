"""Names that a source reads and nothing defines. Claims nothing where it cannot know."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection
from typing import Any, NamedTuple

#: Bound by the interpreter or by IPython wherever code runs.
_ALWAYS = frozenset(
    ("__class__", "__module__", "__qualname__", "__annotations__", "display", "get_ipython", "_exit_code")
)
#: They can define names that no look at the source tells.
_DEFINERS = ("exec", "globals", "locals")
_DEFINING_ATTRIBUTES = ("user_ns", "user_global_ns", "run_cell", "run_cell_magic", "f_globals")
#: Of the shell; common names elsewhere.
_DEFINING_METHODS = ("push", "ex", "run_code", "safe_execfile", "magic")
#: Where names can be put from outside.
_NAMESPACES = ("builtins", "__builtins__", "__main__", "__dict__", "modules")
#: Line magics that define nothing.
_PLAIN_MAGICS = frozenset(
    ("matplotlib", "config", "autoreload", "cd", "pwd", "ls", "pip", "conda", "mamba", "uv", "timeit", "who")
)
#: What code that fits several Pythons or situations asks before it uses a name.
_ASKED = frozenset(("TYPE_CHECKING", "version_info", "platform", "hasattr", "dir", "PY2", "PY3", "__name__"))
_CATCHES = frozenset(("NameError", "Exception", "BaseException"))
_LIMIT = 20


class Use(NamedTuple):
    """Where a name is read that nothing binds."""

    node: ast.Name
    #: Not in a branch that may never be taken.
    certain: bool


def names(tree: ast.Module, defined: Collection[str]) -> list[Use]:
    """One use of each name that nothing binds, in the order of the source: the first that is certain, if any.

    :param defined: what is there besides the source's own names.
    """
    walk = _Walk(tree)
    if walk.dynamic:
        return []
    found: dict[str, Use] = {}
    for scope, use in walk.loads:
        name = use.node.id
        if name in defined or name in _ALWAYS or scope.sees(name):
            continue
        if name not in found or _rank(use) < _rank(found[name]):
            found[name] = use
    return sorted(found.values(), key=lambda use: (use.node.lineno, use.node.col_offset))[:_LIMIT]


def _rank(use: Use) -> tuple[bool, int, int]:
    return not use.certain, use.node.lineno, use.node.col_offset


def bound(tree: ast.Module) -> set[str]:
    """Names that the source binds at its top level."""
    return _Walk(tree).module.bound


class _Scope:
    def __init__(self, kind: str, outer: _Scope | None) -> None:
        #: ``module``, ``function``, ``class`` or ``types``
        self.kind = kind
        self.outer = outer
        self.bound: set[str] = set()
        self.globals: set[str] = set()
        self.comprehension = False

    def sees(self, name: str) -> bool:
        scope: _Scope | None = self
        direct = True
        while scope is not None:
            if name in scope.globals:
                while scope.outer is not None:
                    scope = scope.outer
            if name in scope.bound and (scope.kind != "class" or direct):
                return True
            # A class is seen by its own statements alone, and by signatures in it.
            direct = direct and scope.kind == "types"
            scope = scope.outer
        return False


class _Walk(ast.NodeVisitor):
    def __init__(self, tree: ast.Module) -> None:
        self.module = _Scope("module", None)
        self.loads: list[tuple[_Scope, Use]] = []
        self.dynamic = False
        self._scope = self.module
        #: Within what may fail to find a name, or may never run.
        self._guarded = 0
        #: Within branches.
        self._branches = 0
        future = any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(alias.name == "annotations" for alias in node.names)
            for node in tree.body
        )
        self._annotations = not future and sys.version_info < (3, 14)
        self.visit(tree)

    def _bind(self, name: str) -> None:
        scope = self._scope
        if name in scope.globals:
            self.module.bound.add(name)
        else:
            scope.bound.add(name)

    def _within(self, kind: str) -> _Inner:
        return _Inner(self, kind)

    def _visit_all(self, nodes: Any) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            if not self._guarded:
                self.loads.append((self._scope, Use(node, self._branches == 0)))
        else:
            self._bind(node.id)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.globals.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        return

    def _visit_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.dynamic = True
            else:
                self._bind(alias.asname or alias.name.split(".")[0])

    visit_Import = visit_ImportFrom = _visit_import

    def _visit_function(self, node: Any) -> None:
        self._bind(node.name)
        self._visit_all(node.decorator_list)
        self._visit_defaults(node.args)
        with self._within("types"):
            self._visit_all(getattr(node, "type_params", []))
            if self._annotations:
                self._visit_all(argument.annotation for argument in _arguments(node.args))
                self._visit_all([node.returns])
            self._visit_body(node.args, node.body)

    visit_FunctionDef = visit_AsyncFunctionDef = _visit_function

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_defaults(node.args)
        self._visit_body(node.args, [node.body])

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        self._visit_all([*arguments.defaults, *arguments.kw_defaults])

    def _visit_body(self, arguments: ast.arguments, body: list[Any]) -> None:
        with self._within("function") as scope:
            scope.bound.update(argument.arg for argument in _arguments(arguments))
            self._visit_all(body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name)
        self._visit_all(node.decorator_list)
        with self._within("types"):
            self._visit_all(getattr(node, "type_params", []))
            self._visit_all(node.bases)
            self._visit_all(keyword.value for keyword in node.keywords)
            # A metaclass may bring names along.
            own = any(keyword.arg == "metaclass" for keyword in node.keywords)
            with self._within("class"):
                self._guard(own, node.body)

    def _visit_comprehension(self, node: Any) -> None:
        first = node.generators[0]
        self.visit(first.iter)
        with self._within("function") as scope:
            scope.comprehension = True
            for generator in node.generators:
                self.visit(generator.target)
                if generator is not first:
                    self.visit(generator.iter)
                self._visit_all(generator.ifs)
            self._visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        inner = self._scope
        while self._scope.comprehension and self._scope.outer is not None:
            self._scope = self._scope.outer
        self._bind(node.target.id)
        self._scope = inner

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        self._visit_all([node.value])
        # Within functions they are never evaluated.
        if self._annotations and self._scope.kind != "function":
            self.visit(node.annotation)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is not None:
            self._bind(node.name)
        self._visit_all([node.type])
        self._branch(node.body)

    def visit_match_case(self, node: Any) -> None:
        self.visit(node.pattern)
        self._branch([node.guard, *node.body])

    def visit_Assert(self, node: ast.Assert) -> None:
        self.visit(node.test)
        self._branch([node.msg] if node.msg is not None else [])

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.visit(node.values[0])
        self._branch(node.values[1:])

    def _branch(self, nodes: list[Any]) -> None:
        self._branches += 1
        self._visit_all(nodes)
        self._branches -= 1

    def _visit_match(self, node: Any) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            self._bind(name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = _visit_match

    def _visit_type_parameter(self, node: Any) -> None:
        # What bounds it is evaluated only when somebody asks.
        self._bind(node.name)

    visit_TypeVar = visit_ParamSpec = visit_TypeVarTuple = _visit_type_parameter

    def visit_TypeAlias(self, node: Any) -> None:
        # Evaluated only when somebody asks.
        self.visit(node.name)

    def _guard(self, guarded: bool, nodes: list[Any]) -> None:
        self._guarded += guarded
        self._visit_all(nodes)
        self._guarded -= guarded

    def _visit_try(self, node: Any) -> None:
        self._guard(any(_catches(handler) for handler in node.handlers), node.body)
        self._visit_all([*node.handlers, *node.orelse, *node.finalbody])

    visit_Try = visit_TryStar = _visit_try

    def _visit_with(self, node: Any) -> None:
        suppresses = any(
            isinstance(item.context_expr, ast.Call)
            and _last(item.context_expr.func) in ("suppress", "raises")
            for item in node.items
        )
        self._visit_all(node.items)
        self._guard(suppresses, node.body)

    visit_With = visit_AsyncWith = _visit_with

    def _visit_if(self, node: Any) -> None:
        self.visit(node.test)
        asks = isinstance(node.test, ast.Constant) or any(_last(n) in _ASKED for n in ast.walk(node.test))
        branches = [node.body, node.orelse] if isinstance(node, ast.If) else [[node.body], [node.orelse]]
        self._branches += 1
        for branch in branches:
            self._guard(asks, branch)
        self._branches -= 1

    visit_If = visit_IfExp = _visit_if

    def visit_Call(self, node: ast.Call) -> None:
        name = _last(node.func)
        if isinstance(node.func, ast.Name):
            # `vars(thing)` looks at a thing, `vars()` at the names.
            self.dynamic |= name in _DEFINERS or (name == "vars" and not node.args)
            self.dynamic |= name in ("setattr", "vars") and bool(node.args) and _is_namespace(node.args[0])
        if name == "var":
            # Of sympy: `var("x y")`.
            self.dynamic |= bool(node.args) and isinstance(node.args[0], ast.Constant)
        elif name in _DEFINING_METHODS and isinstance(node.func, ast.Attribute):
            shell = node.func.value
            self.dynamic |= isinstance(shell, ast.Call) and _last(shell.func) == "get_ipython"
        elif name == "run_line_magic":
            magic = node.args[0] if node.args else None
            self.dynamic |= not (isinstance(magic, ast.Constant) and magic.value in _PLAIN_MAGICS)
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.dynamic |= node.attr in _DEFINING_ATTRIBUTES and not isinstance(node.ctx, ast.Store)
        self.dynamic |= isinstance(node.ctx, ast.Store) and _is_namespace(node.value)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.dynamic |= isinstance(node.ctx, ast.Store) and _is_namespace(node.value)
        self.generic_visit(node)


class _Inner:
    def __init__(self, walk: _Walk, kind: str) -> None:
        self._walk = walk
        self._scope = _Scope(kind, walk._scope)

    def __enter__(self) -> _Scope:
        self._walk._scope = self._scope
        return self._scope

    def __exit__(self, *_: object) -> None:
        assert self._scope.outer is not None
        self._walk._scope = self._scope.outer


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return found + [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_namespace(node: ast.expr) -> bool:
    return any(_last(part) in _NAMESPACES for part in ast.walk(node))


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(_last(part) in _CATCHES for part in ast.walk(handler.type))
