"""Rewrite asserts so that a failing one reports its operands.

Every ``assert`` statement stays one: its sub-expressions are only wrapped in
calls that pass their value through, so semantics, scoping, ``await`` and
tracebacks are those of the source. A recorder keeps the values of the assert
that was evaluated last, by the expression as it was written.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from .check_calls import is_check


class NotAwaited(Exception):
    """An assert tested a coroutine, which is always true."""


class Recorder:
    """The recorder of a cell; rewritten code reaches it under a reserved name."""

    def __init__(self) -> None:
        #: As they were written: rewriting makes new nodes.
        self.nodes: list[ast.expr] = []
        #: The assert that is evaluated, or did not hold; its values; how many were started.
        self.current: ast.expr | None = None
        self.values: dict[ast.expr, Any] = {}
        self.reached = 0
        #: How many of them held.
        self.held = 0
        #: Test functions and methods, as ``TestAdd.test_add``, that something has called.
        self.entered: set[str] = set()

    def reset(self) -> None:
        self.current, self.values, self.reached, self.held = None, {}, 0, 0

    def start(self, number: int) -> None:
        self.current = self.nodes[number]
        self.values = {}
        self.reached += 1

    def keep(self, number: int, value: Any) -> Any:
        self.values[self.nodes[number]] = value
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
    """Rewrites the asserts of one statement, those in nested definitions included."""

    def __init__(self, recorder: Recorder, name: str) -> None:
        self._recorder = recorder
        self._name = name

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        tested = self._call("test", self._start(node.test), self._wrap(node.test))
        node.test = _at(node.test, tested)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        call = node.value
        if isinstance(call, ast.Call) and is_check(call):
            # It checks by itself, as `np.testing.assert_allclose(a, b)` does.
            ended = self._call("ended", self._wrap(call))
            node.value = _at(call, _second(self._start(call), ended))
        else:
            node.value = self.visit(call)
        return node

    def test_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> None:
        """Report when the function is called, by this name."""
        called = ast.Expr(self._call("enter", ast.Constant(name)))
        node.body.insert(ast.get_docstring(node) is not None, _at(node.body[0], called))

    def _call(self, method: str, *arguments: ast.expr) -> ast.Call:
        recorder = ast.Name(self._name, ast.Load())
        return ast.Call(ast.Attribute(recorder, method, ast.Load()), list(arguments), [])

    def _number(self, node: ast.expr) -> ast.Constant:
        self._recorder.nodes.append(node)
        return ast.Constant(len(self._recorder.nodes) - 1)

    def _start(self, node: ast.expr) -> ast.expr:
        return self._call("start", self._number(node))

    def _wrap(self, node: ast.expr) -> ast.expr:
        """The expression that records its value, and those of its parts."""
        if isinstance(node, ast.Starred):
            # A named expression or a generator is recorded where it is, never taken apart.
            return node
        wrapped: ast.expr = node
        if isinstance(node, ast.Compare):
            left, *others = map(self._wrap, [node.left, *node.comparators])
            wrapped = ast.Compare(left, node.ops, others)
        elif isinstance(node, ast.BoolOp):
            wrapped = ast.BoolOp(node.op, list(map(self._wrap, node.values)))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            wrapped = ast.UnaryOp(node.op, self._wrap(node.operand))
        elif isinstance(node, ast.Call):
            wrapped = self._wrap_call(node)
        return _at(node, self._call("keep", self._number(node), _at(node, wrapped)))

    def _wrap_call(self, node: ast.Call) -> ast.Call:
        generator = quantified(node)
        if generator is not None:
            # The last one evaluated decided the result.
            kept = self._call("keep", self._number(generator), targets(generator))
            element = _at(generator.elt, _second(kept, generator.elt))
            tested = _at(generator, ast.GeneratorExp(element, generator.generators))
            return ast.Call(node.func, [tested], [])
        function = node.func
        if isinstance(function, ast.Attribute) and not isinstance(function.value, ast.Constant):
            owner = self._wrap(function.value)
            function = _at(function, ast.Attribute(owner, function.attr, function.ctx))
        arguments = list(map(self._wrap, node.args))
        keywords = [_at(one, ast.keyword(one.arg, self._wrap(one.value))) for one in node.keywords]
        return ast.Call(function, arguments, keywords)


def quantified(node: ast.AST) -> ast.GeneratorExp | None:
    """The generator of ``all(... for ...)`` or ``any(... for ...)``."""
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("all", "any")
    ):
        return None
    first = node.args[0] if len(node.args) == 1 and not node.keywords else None
    return first if isinstance(first, ast.GeneratorExp) else None


def targets(generator: ast.GeneratorExp) -> ast.expr:
    """The variables of a generator, to be read."""
    names: list[ast.expr] = [
        ast.Name(child.id, ast.Load())
        for clause in generator.generators
        for child in ast.walk(clause.target)
        if isinstance(child, ast.Name)
    ]
    return names[0] if len(names) == 1 else ast.Tuple(names, ast.Load())


def _second(first: ast.expr, second: ast.expr) -> ast.expr:
    """Evaluates both, and is the second."""
    return ast.Subscript(ast.Tuple([first, second], ast.Load()), ast.Constant(1), ast.Load())


def _at(place: ast.AST, made: Any) -> Any:
    """New nodes stand where that one does."""
    new = [] if made is place else [made]
    for node in new:
        if not hasattr(node, "lineno"):
            ast.copy_location(node, place)
            new += ast.iter_child_nodes(node)
    return made
