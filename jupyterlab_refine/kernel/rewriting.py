"""Asserts rewritten so that a failing one tells its operands.

Every ``assert`` statement stays one: its sub-expressions are only wrapped in
calls that pass their value through, so semantics, scoping, ``await`` and
tracebacks are those of the source. A recorder keeps the values of the assert
that was evaluated last.
"""

from __future__ import annotations

import ast
import inspect
from typing import Any

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


class Part:
    """A recorded sub-expression of an assert."""

    __slots__ = ("kind", "source", "parts", "operators", "constant", "name")

    def __init__(self, kind: str, node: ast.expr, parts: list[Part] | None = None) -> None:
        #: ``compare``, ``and``, ``or``, ``not``, ``call``, ``quantifier`` or ``value``
        self.kind = kind
        self.source = ast.unparse(node)
        self.parts = parts or []
        self.operators: list[str] = []
        self.constant = _is_literal(node)
        #: Of a call: the last part of what is called.
        self.name = _last_name(node.func) if isinstance(node, ast.Call) else ""


def _is_literal(node: ast.expr) -> bool:
    """Whether the value is written out: a constant, or a display of nothing but literals."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(_is_literal(element) for element in node.elts)
    if isinstance(node, ast.Dict):
        return all(key is not None and _is_literal(key) for key in node.keys) and all(
            _is_literal(value) for value in node.values
        )
    return isinstance(node, ast.Constant)


class NotAwaited(Exception):
    """An assert tested a coroutine, which is always true."""


class Recorder:
    """Reached from rewritten code under a name of its own."""

    def __init__(self) -> None:
        self.tests: list[Part] = []
        self.parts: list[Part] = []
        #: The assert that is or was evaluated last, its values, and how many were begun.
        self.current: Part | None = None
        self.values: dict[Part, Any] = {}
        self.reached = 0

    def reset(self) -> None:
        self.current, self.values, self.reached = None, {}, 0

    def begin(self, number: int) -> None:
        self.current = self.tests[number]
        self.values = {}
        self.reached += 1

    def keep(self, number: int, value: Any) -> Any:
        self.values[self.parts[number]] = value
        return value

    def test(self, _: None, value: Any) -> Any:
        if inspect.iscoroutine(value):
            value.close()
            raise NotAwaited(
                "the test of this assert is a coroutine that nobody awaits, so it is always true"
            )
        return value


class Rewriter(ast.NodeTransformer):
    """Rewrites the asserts of one statement, those in nested definitions included."""

    def __init__(self, recorder: Recorder, name: str) -> None:
        self._recorder = recorder
        self._name = name

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        original = node.test
        part, expression = self._wrap(original)
        self._recorder.tests.append(part)
        begin = self._call("begin", ast.Constant(len(self._recorder.tests) - 1))
        node.test = _located(self._call("test", begin, expression), original)
        return node

    def call(self, node: ast.Call) -> ast.expr:
        """A call that checks by itself (``np.testing.assert_allclose(a, b)``), its arguments recorded."""
        part = self._wrap_call(node)
        self._recorder.tests.append(part)
        begin = self._call("begin", ast.Constant(len(self._recorder.tests) - 1))
        self._recorder.parts.append(part)
        keep = self._call("keep", ast.Constant(len(self._recorder.parts) - 1), node)
        pair = ast.Tuple([begin, keep], ast.Load())
        return _located(ast.Subscript(pair, ast.Constant(1), ast.Load()), node)

    def _call(self, method: str, *arguments: ast.expr) -> ast.Call:
        recorder = ast.Name(id=self._name, ctx=ast.Load())
        return ast.Call(ast.Attribute(recorder, method, ast.Load()), list(arguments), [])

    def _keep(self, part: Part, node: ast.expr) -> tuple[Part, ast.expr]:
        self._recorder.parts.append(part)
        return part, self._call("keep", ast.Constant(len(self._recorder.parts) - 1), node)

    def _wrap(self, node: ast.expr) -> tuple[Part, ast.expr]:
        """The part for a sub-expression, and the expression that records its value."""
        if isinstance(node, ast.Compare):
            part = Part("compare", node)
            part.operators = [_OPERATORS[type(op)] for op in node.ops]
            wrapped = [self._wrap(operand) for operand in [node.left, *node.comparators]]
            part.parts = [p for p, _ in wrapped]
            node.left, *node.comparators = [e for _, e in wrapped]
        elif isinstance(node, ast.BoolOp):
            part = Part("and" if isinstance(node.op, ast.And) else "or", node)
            wrapped = [self._wrap(operand) for operand in node.values]
            part.parts = [p for p, _ in wrapped]
            node.values = [e for _, e in wrapped]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            part = Part("not", node)
            inner, node.operand = self._wrap(node.operand)
            part.parts = [inner]
        elif isinstance(node, ast.Call):
            part = self._wrap_call(node)
        else:
            # A starred or named expression, a generator: recorded where it is, never taken apart.
            if isinstance(node, ast.Starred):
                return Part("value", node), node
            part = Part("value", node)
        return self._keep(part, node)

    def _wrap_call(self, node: ast.Call) -> Part:
        if self._is_quantifier(node):
            part = Part("quantifier", node)
            generator = node.args[0]
            assert isinstance(generator, ast.GeneratorExp)
            names = self._targets(generator)
            inner = Part("value", names)
            element = self._keep(inner, names)[1]
            # (element := (kept targets, test))[1]: the last one evaluated decided the result.
            generator.elt = ast.Subscript(
                ast.Tuple([element, generator.elt], ast.Load()), ast.Constant(1), ast.Load()
            )
            part.parts = [inner]
            return part
        part = Part("call", node)
        if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Constant):
            inner, node.func.value = self._wrap(node.func.value)
            part.parts.append(inner)
        arguments = []
        for argument in node.args:
            inner, expression = self._wrap(argument)
            part.parts.append(inner)
            arguments.append(expression)
        node.args = arguments
        for keyword in node.keywords:
            inner, keyword.value = self._wrap(keyword.value)
            part.parts.append(inner)
        return part

    @staticmethod
    def _is_quantifier(node: ast.Call) -> bool:
        return (
            isinstance(node.func, ast.Name)
            and node.func.id in ("all", "any")
            and len(node.args) == 1
            and isinstance(node.args[0], ast.GeneratorExp)
        )

    @staticmethod
    def _targets(generator: ast.GeneratorExp) -> ast.expr:
        names = [
            ast.Name(child.id, ast.Load())
            for clause in generator.generators
            for child in ast.walk(clause.target)
            if isinstance(child, ast.Name)
        ]
        return names[0] if len(names) == 1 else ast.Tuple(list(names), ast.Load())


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _located(node: ast.expr, original: ast.expr) -> ast.expr:
    """Give all new nodes the place of the source they stand for."""
    ast.copy_location(node, original)
    for child in ast.walk(node):
        if isinstance(child, (ast.expr, ast.keyword)) and not hasattr(child, "lineno"):
            ast.copy_location(child, original)
    return ast.fix_missing_locations(node)
