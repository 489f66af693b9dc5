"""Rewrite asserts so that a failing one reports its operands.

Every ``assert`` statement stays one: its sub-expressions are only wrapped in
calls that pass their value through, so semantics, scoping, ``await`` and
tracebacks are those of the source. A recorder keeps the values of the assert
that was evaluated last.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from .check_calls import is_check, last_name

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

    __slots__ = ("kind", "parts", "operators", "constant", "name", "_node")

    def __init__(self, kind: str, node: ast.expr, parts: list[Part] | None = None) -> None:
        #: ``compare``, ``and``, ``or``, ``not``, ``call``, ``quantifier`` or ``value``
        self.kind = kind
        # As it was written: rewriting makes new nodes.
        self._node = node
        self.parts = parts or []
        self.operators: list[str] = []
        self.constant = _is_literal(node)
        #: Of a call: the last part of what is called.
        self.name = last_name(node.func) if isinstance(node, ast.Call) else ""

    @property
    def source(self) -> str:
        """Made when it is asked for: most asserts hold."""
        return ast.unparse(self._node)


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
    """The recorder of a cell; rewritten code reaches it under a reserved name."""

    def __init__(self) -> None:
        self.tests: list[Part] = []
        self.parts: list[Part] = []
        #: The assert that is evaluated, or did not hold; its values; how many were started.
        self.current: Part | None = None
        self.values: dict[Part, Any] = {}
        self.reached = 0
        #: How many of them held.
        self.held = 0
        #: Test functions and methods, as ``TestAdd.test_add``, that something has called.
        self.entered: set[str] = set()

    def reset(self) -> None:
        self.current, self.values, self.reached, self.held = None, {}, 0, 0

    def start(self, number: int) -> None:
        self.current = self.tests[number]
        self.values = {}
        self.reached += 1

    def keep(self, number: int, value: Any) -> Any:
        self.values[self.parts[number]] = value
        return value

    def ended(self, value: Any) -> Any:
        """A call that checks by itself has not raised."""
        self.held += 1
        self.current = None
        return value

    def enter(self, name: str) -> None:
        """A test starts."""
        self.entered.add(name)

    def test(self, _: None, value: Any) -> Any:
        # By its type: a stub of the judge's is asked for nothing.
        if type(value) is types.CoroutineType or type(value).__name__ == "coroutine":
            value.close()
            raise NotAwaited(
                "the test of this assert is a coroutine that nobody awaits, so it is always true"
            )
        # Once, here: the class may answer otherwise the next time.
        truth = bool(value)
        self.held += truth
        if truth:
            self.current = None
        return truth


class Rewriter(ast.NodeTransformer):
    """Rewrites the asserts of one statement, those in nested definitions included.

    New nodes stand for what is wrapped: the parts keep those of the source.
    """

    def __init__(self, recorder: Recorder, name: str) -> None:
        self._recorder = recorder
        self._name = name
        #: Where the expression stands that is rewritten: the place of all new nodes.
        self._place: dict[str, Any] = {}

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        self._place = _place(node.test)
        part, expression = self._wrap(node.test)
        node.test = self._call("test", self._start(part), expression)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        is_checking = isinstance(node.value, ast.Call) and is_check(node.value)
        node.value = self.call(node.value) if is_checking else self.visit(node.value)
        return node

    def test_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> None:
        """Report when the function is called, by this name."""
        self._place = _place(node.body[0])
        called = self._call("enter", ast.Constant(name, **self._place))
        node.body.insert(ast.get_docstring(node) is not None, ast.Expr(called, **self._place))

    def call(self, node: Any) -> Any:
        """A call that checks by itself (``np.testing.assert_allclose(a, b)``), its arguments recorded."""
        self._place = _place(node)
        part, expression = self._wrap_call(node)
        ended = self._call("ended", self._keep(part, expression)[1])
        return self._second(self._start(part), ended)

    def _start(self, part: Part) -> ast.expr:
        self._recorder.tests.append(part)
        return self._call("start", self._constant(len(self._recorder.tests) - 1))

    def _call(self, method: str, *arguments: ast.expr) -> ast.Call:
        recorder = ast.Name(self._name, ast.Load(), **self._place)
        function = ast.Attribute(recorder, method, ast.Load(), **self._place)
        return ast.Call(function, list(arguments), [], **self._place)

    def _constant(self, value: int | None) -> ast.Constant:
        return ast.Constant(value, **self._place)

    def _second(self, first: ast.expr, second: ast.expr) -> ast.expr:
        """Evaluates both, and is the second."""
        pair = ast.Tuple([first, second], ast.Load(), **self._place)
        return ast.Subscript(pair, self._constant(1), ast.Load(), **self._place)

    def _keep(self, part: Part, node: ast.expr) -> tuple[Part, ast.expr]:
        self._recorder.parts.append(part)
        return part, self._call("keep", self._constant(len(self._recorder.parts) - 1), node)

    def _wrap(self, node: ast.expr) -> tuple[Part, ast.expr]:
        """The part for a sub-expression, and the expression that records its value."""
        place, wrapped = _place(node), node
        if isinstance(node, ast.Compare):
            part = Part("compare", node)
            part.operators = [_OPERATORS[type(op)] for op in node.ops]
            left, *others = self._wrap_all(part, [node.left, *node.comparators])
            wrapped = ast.Compare(left, node.ops, others, **place)
        elif isinstance(node, ast.BoolOp):
            part = Part("and" if isinstance(node.op, ast.And) else "or", node)
            wrapped = ast.BoolOp(node.op, self._wrap_all(part, node.values), **place)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            part = Part("not", node)
            wrapped = ast.UnaryOp(node.op, *self._wrap_all(part, [node.operand]), **place)
        elif isinstance(node, ast.Call):
            part, wrapped = self._wrap_call(node)
        else:
            # A starred or named expression, a generator: recorded where it is, never taken apart.
            part = Part("value", node)
            if isinstance(node, ast.Starred):
                return part, node
        return self._keep(part, wrapped)

    def _wrap_all(self, part: Part, nodes: list[ast.expr]) -> list[ast.expr]:
        """Expressions that record theirs; the parts become those of ``part``."""
        found = [self._wrap(node) for node in nodes]
        part.parts += [inner for inner, _ in found]
        return [expression for _, expression in found]

    def _wrap_call(self, node: ast.Call) -> tuple[Part, ast.expr]:
        if self._is_quantifier(node):
            return self._wrap_quantifier(node)
        part, function = Part("call", node), node.func
        if isinstance(function, ast.Attribute) and not isinstance(function.value, ast.Constant):
            (owner,) = self._wrap_all(part, [function.value])
            function = ast.Attribute(owner, function.attr, function.ctx, **_place(function))
        arguments = self._wrap_all(part, node.args)
        values = self._wrap_all(part, [keyword.value for keyword in node.keywords])
        keywords = [
            ast.keyword(keyword.arg, value, **_place(keyword))
            for keyword, value in zip(node.keywords, values, strict=True)
        ]
        return part, ast.Call(function, arguments, keywords, **_place(node))

    def _wrap_quantifier(self, node: ast.Call) -> tuple[Part, ast.expr]:
        part, generator = Part("quantifier", node), node.args[0]
        assert isinstance(generator, ast.GeneratorExp)
        names = self._targets(generator)
        inner = Part("value", names)
        part.parts = [inner]
        # (element := (kept targets, test))[1]: the last one evaluated decided the result.
        element = self._second(self._keep(inner, names)[1], generator.elt)
        tested = ast.GeneratorExp(element, generator.generators, **_place(generator))
        return part, ast.Call(node.func, [tested], [], **_place(node))

    @staticmethod
    def _is_quantifier(node: ast.Call) -> bool:
        return (
            isinstance(node.func, ast.Name)
            and node.func.id in ("all", "any")
            and len(node.args) == 1
            and not node.keywords
            and isinstance(node.args[0], ast.GeneratorExp)
        )

    def _targets(self, generator: ast.GeneratorExp) -> ast.expr:
        names: list[ast.expr] = [
            ast.Name(child.id, ast.Load(), **self._place)
            for clause in generator.generators
            for child in ast.walk(clause.target)
            if isinstance(child, ast.Name)
        ]
        return names[0] if len(names) == 1 else ast.Tuple(names, ast.Load(), **self._place)


def _place(node: ast.expr | ast.keyword | ast.stmt) -> dict[str, Any]:
    return {name: getattr(node, name) for name in node._attributes}
