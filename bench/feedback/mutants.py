"""Bugs of the kind that people write, each at one place of a program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

# Bugs that fit everywhere; without a weight there would be little else.
EVERYWHERE = {"wrong return type", "missing return", "misspelt name"}
Edit = Callable[[list[ast.AST]], None]


class Mutant:
    """A bug at one place of a program; `apply` edits the nodes of a copy of it."""

    def __init__(self, kind: str, site: int, apply: Edit) -> None:
        self.kind = kind
        self.site = site
        self.apply = apply


COMPARE = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.FloorDiv,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
METHODS = {
    "append": "add",
    "lower": "upper",
    "upper": "lower",
    "items": "keys",
    "values": "keys",
    "split": "strip",
    "join": "concat",
}
CONVERSIONS = {"str", "int", "float", "list", "tuple", "set", "sorted"}


def mutants(tree: ast.Module) -> Iterator[Mutant]:
    """Every bug that one slip of the pen makes."""
    nodes = list(ast.walk(tree))
    index = {id(node): i for i, node in enumerate(nodes)}
    parameters = {a.arg for n in nodes if isinstance(n, ast.arguments) for a in n.args}
    assigned = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for i, node in enumerate(nodes):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            wrong = COMPARE.get(type(node.ops[0]))
            if wrong:
                yield Mutant("wrong comparison", i, _set(i, "ops", lambda _, w=wrong: [w()]))
        if isinstance(node, ast.BinOp | ast.AugAssign):
            wrong = ARITHMETIC.get(type(node.op))
            if wrong:
                yield Mutant("wrong operator", i, _set(i, "op", lambda _, w=wrong: w()))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.Mod | ast.Pow):
            yield Mutant("swapped operands", i, _swap_operands(i))
        if isinstance(node, ast.Call):
            yield from _calls(node, i, parameters)
        if isinstance(node, ast.Subscript):
            yield from _subscripts(node, i)
        if isinstance(node, ast.Assign) and _is_number(node.value):
            for step in (1, -1):
                yield Mutant(
                    "wrong initial value", i, _set(i, "value", lambda v, s=step: ast.Constant(v.value + s))
                )
        if isinstance(node, ast.BoolOp):
            wrong = ast.Or if isinstance(node.op, ast.And) else ast.And
            yield Mutant("and for or", i, _set(i, "op", lambda _, w=wrong: w()))
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _returns(node, i)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in parameters | assigned and len(node.id) > 2:
                yield Mutant(
                    "misspelt name", i, _set(i, "id", lambda name: name[:-2] + name[-1] + name[-2] + "_")
                )
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and isinstance(node, ast.stmt):
                yield from _statements(node, i, field, block, index)


def _calls(node: ast.Call, i: int, parameters: set[str]) -> Iterator[Mutant]:
    name = node.func.id if isinstance(node.func, ast.Name) else None
    if name == "range" and node.args:
        last = min(1, len(node.args) - 1)
        for op in (ast.Add, ast.Sub):
            yield Mutant("off by one", i, _set(i, "args", lambda args, o=op: _changed(args, last, o)))
        if len(node.args) > 1:
            yield Mutant("off by one", i, _set(i, "args", lambda args: _changed(args, 0, ast.Add)))
    if name in FUNCTIONS:
        yield Mutant("min for max", i, _set(i, "func", lambda f: ast.Name(FUNCTIONS[f.id], ast.Load())))
    if name in CONVERSIONS and name not in parameters and len(node.args) == 1 and not node.keywords:
        # The call stays as a pair of brackets around what it was given.
        yield Mutant("forgotten conversion", i, _set(i, "func", lambda _: _identity()))
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        yield Mutant("wrong method", i, _rename_method(i))
    if len(node.args) > 1 and name != "range":
        if ast.dump(node.args[0]) != ast.dump(node.args[1]):
            yield Mutant("swapped arguments", i, _set(i, "args", lambda a: [a[1], a[0], *a[2:]]))


def _subscripts(node: ast.Subscript, i: int) -> Iterator[Mutant]:
    if _is_number(node.slice):
        yield Mutant("off by one", i, _set(i, "slice", lambda s: ast.Constant(s.value + 1)))
    elif isinstance(node.slice, ast.BinOp | ast.Name):
        yield Mutant("off by one", i, _set(i, "slice", lambda s: ast.BinOp(s, ast.Sub(), ast.Constant(1))))
    elif isinstance(node.slice, ast.Slice) and node.slice.upper is not None:
        yield Mutant(
            "off by one",
            i,
            _set(
                i,
                "slice",
                lambda s: ast.Slice(s.lower, ast.BinOp(s.upper, ast.Sub(), ast.Constant(1)), s.step),
            ),
        )


def _returns(node: ast.Return, i: int) -> Iterator[Mutant]:
    value = node.value
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        yield Mutant("wrong answer", i, _set(i, "value", lambda v: ast.Constant(not v.value)))
        return
    yield Mutant(
        "wrong return type", i, _set(i, "value", lambda v: ast.Call(ast.Name("str", ast.Load()), [v], []))
    )
    yield Mutant("wrong return type", i, _set(i, "value", lambda v: ast.List([v], ast.Load())))


def _statements(
    node: ast.stmt, i: int, field: str, block: list[ast.stmt], index: dict[int, int]
) -> Iterator[Mutant]:
    for at, statement in enumerate(block):
        site = index[id(statement)]
        if isinstance(statement, ast.If) and not statement.orelse and len(block) > 1:
            if isinstance(statement.body[-1], ast.Return | ast.Continue | ast.Break | ast.Raise):
                yield Mutant("missing edge case", site, _drop(i, field, at))
        if isinstance(node, ast.While) and isinstance(statement, ast.AugAssign):
            yield Mutant("loop without progress", site, _drop(i, field, at))
        if (
            isinstance(statement, ast.Return)
            and statement.value is not None
            and isinstance(node, ast.FunctionDef)
        ):
            yield Mutant("missing return", site, _no_return(i, field, at))


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _set(i: int, field: str, change: Callable) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        setattr(nodes[i], field, change(getattr(nodes[i], field)))

    return edit


def _changed(args: list[ast.expr], at: int, op: type[ast.operator]) -> list[ast.expr]:
    return [ast.BinOp(a, op(), ast.Constant(1)) if k == at else a for k, a in enumerate(args)]


def _identity() -> ast.expr:
    return ast.parse("(lambda value: value)", mode="eval").body


def _rename_method(i: int) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        nodes[i].func.attr = METHODS[nodes[i].func.attr]

    return edit


def _swap_operands(i: int) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        nodes[i].left, nodes[i].right = nodes[i].right, nodes[i].left

    return edit


def _drop(i: int, field: str, at: int) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        getattr(nodes[i], field)[at] = ast.Pass()

    return edit


def _no_return(i: int, field: str, at: int) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        block = getattr(nodes[i], field)
        block[at] = ast.Expr(block[at].value)

    return edit
