"""Rewrites the checks so that the judge sees what they compare and bind: see :mod:`recording`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any

from ..checks import rewriting
from ..checks.check_calls import checks, fails_alone, last_name
from ..source import names
from . import mentions, vacuous
from .recording import Recorder, Site

_OPERATIONS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
#: These ask for the length only to reserve memory.
_LISTING = ("list", "tuple", "sorted")
_LOOPS = (ast.GeneratorExp, ast.ListComp, ast.SetComp)


class Rewriter(rewriting.Rewriter):
    """Rewrites all that a check compares and binds, not only its asserts.

    What only ends a loop or chooses an item (``while``, an index) is left as it is.
    """

    _recorder: Recorder
    #: How many comprehensions, and loops over something of the candidate's, are around what is visited.
    _depth = 0
    #: Whether the check goes on if what is visited is False.
    _is_negated = False
    #: Whether it chooses among values, of which NaN may be one.
    _is_choice = False

    def __init__(self, recorder: Recorder, name: str) -> None:
        super().__init__(recorder, name)
        #: Comparisons with which an assert holds or fails, by id.
        self._demanded: set[int] = set()

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        test = node.test
        self._demanded |= set(map(id, _demanded(test)))
        made = self.visit(test)
        self._place = rewriting._place(test)
        node.test = self._call("test", self._begin(test), made)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        # Only an assert that fails and is caught is of interest here.
        node.value = self.visit(node.value)
        return node

    def _begin(self, node: ast.expr) -> ast.expr:
        part = rewriting.Part("value", node)
        self._recorder.register(part)
        return self._start(part)

    def _site(self, method: str, node: ast.expr, *arguments: ast.expr, **fields: Any) -> ast.Call:
        """A call of the recorder in place of the expression."""
        recorder = self._recorder
        made = Site(node, recorder.cell, **fields)
        recorder.sites.append(
            made._replace(
                is_repeated=self._depth > 0,
                is_negated=self._is_negated,
                is_choice=self._is_choice,
                is_demanded=id(node) in self._demanded,
            )
        )
        self._place = rewriting._place(node)
        return self._call(method, self._constant(len(recorder.sites) - 1), *arguments)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        operation = _OPERATIONS.get(type(node.ops[0]))
        left, others = self.visit(node.left), [self.visit(other) for other in node.comparators]
        if operation is None or len(others) > 1:
            return ast.Compare(left, node.ops, others, **rewriting._place(node))
        return self._site("compare", node, left, *others, operation=operation)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Sub):
            return self._site("compare", node, left, right, operation=operator.sub)
        return ast.BinOp(left, node.op, right, **rewriting._place(node))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function, name = node.func, last_name(node.func)
        is_plain = isinstance(function, ast.Name)
        if name in ("all", "any") and len(node.args) == 1 and not node.keywords:
            argument = node.args[0]
            if is_plain or isinstance(argument, _LOOPS):
                made = self._quantified(argument) if isinstance(argument, _LOOPS) else self._loop(argument)
                return ast.Call(function, [made], [], **rewriting._place(node))
        if is_plain and name == "bool" and len(node.args) == 1:
            node.args[0] = self._truth(node.args[0])
        original, keywords = (
            list(node.args),
            [ast.keyword(one.arg, self.visit(one.value), **rewriting._place(one)) for one in node.keywords],
        )
        arguments = [self.visit(one) for one in original]
        if is_plain and name in _LISTING and original and not isinstance(original[0], ast.Starred):
            self._place = rewriting._place(node)
            arguments[0] = self._call("items", function, arguments[0])
        if is_plain and name in ("eval", "exec") and node.args:
            arguments[0] = self._site("text", original[0], arguments[0])
        owner = mentions.added_to(node)
        if owner and not isinstance(original[-1], ast.Starred):
            fields = {"targets": (owner,), "is_part": True, "is_added": True}
            arguments[-1] = self._site("bind", original[-1], arguments[-1], **fields)
        is_own = is_plain or last_name(getattr(function, "value", None)) == "self"
        parameters = self._recorder.helpers.get(name, []) if is_own else []
        for index, parameter in enumerate(parameters[: len(arguments)]):
            if not isinstance(original[index], (ast.Constant, ast.Starred)):
                made = self._site("bind", original[index], arguments[index], targets=(parameter,))
                arguments[index] = made
        inner = function if is_plain else self.visit(function)
        comparing = name.startswith("assert") or name in vacuous.COMPARING
        if comparing or is_plain and name == "zip":
            made = self._site("called" if comparing else "zipped", node, inner, *arguments)
            made.keywords = keywords
            return made
        return ast.Call(inner, arguments, keywords, **rewriting._place(node))

    def _loop(self, node: ast.expr) -> ast.expr:
        is_zip = isinstance(node, ast.Call) and last_name(node.func) == "zip"
        return self.visit(node) if is_zip else self._site("loop", node, self.visit(node))

    def _quantified(self, node: Any) -> Any:
        """The elements of ``all`` and ``any``."""
        self._depth += 1
        node.elt = self._truth(node.elt)
        self._depth -= 1
        self._generate(node.generators, True)
        return node

    def _generate(self, generators: list[ast.comprehension], is_loop: bool) -> None:
        """:param is_loop: whether their elements are what is checked."""
        for number, one in enumerate(generators):
            self._depth += number
            one.iter = self._loop(one.iter) if is_loop else self.visit(one.iter)
            self._depth += 1 - number
            one.ifs = list(map(self._condition, one.ifs))
            self._depth -= 1

    def visit_ListComp(self, node: Any) -> Any:
        self._depth += 1
        node.elt = self.visit(node.elt)
        self._depth -= 1
        self._generate(node.generators, any(one.ifs for one in node.generators))
        return node

    visit_GeneratorExp = visit_SetComp = visit_ListComp

    def _truth(self, node: ast.expr) -> ast.expr:
        """An expression whose truth value decides, unless the judge itself compares in it."""
        made = self.visit(node)
        if not isinstance(node, (ast.Call, ast.Name, ast.Attribute, ast.Subscript, ast.NamedExpr)):
            return made
        self._place = rewriting._place(node)
        return self._call("truth", made)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand: Any = node.operand
        if isinstance(node.op, ast.Not) and _asks_for_any(operand):
            self.generic_visit(operand.args[0])
            return node
        if isinstance(node.op, ast.Not):
            self._is_negated = not self._is_negated
            node.operand = self._truth(operand)
            self._is_negated = not self._is_negated
        else:
            node.operand = self.visit(operand)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        node.values = [self._truth(value) for value in node.values]
        return node

    # -- names

    def _bound(self, node: ast.expr, targets: list[ast.expr], is_part: bool = False) -> ast.expr:
        made = self.visit(node)
        found = [name for target in targets for name in names.named(target)]
        is_part = is_part or any(not isinstance(target, ast.Name) for target in targets)
        if not found:
            return made
        is_added = is_part and all(isinstance(target, (ast.Name, ast.Subscript)) for target in targets)
        fields = {"targets": tuple(found), "is_part": is_part, "is_added": is_added}
        return self._site("bind", node, made, **fields)

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        node.value = self._bound(node.value, node.targets)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        if node.value is not None:
            node.value = self._bound(node.value, [node.target])
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.NamedExpr:
        node.value = self._bound(node.value, [node.target])
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AugAssign:
        node.value = self._bound(node.value, [node.target], is_part=True)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        iterable = node.iter
        is_watched = checks(node) and not fails_alone(node)
        node.iter = self._loop(iterable) if is_watched else self.visit(iterable)
        targets = tuple(names.named(node.target))
        node.iter = self._site("bind", iterable, node.iter, targets=targets, is_part=True)
        is_given = self._recorder.are_given(names.named(iterable))
        self._depth += is_given
        self._visit_all(node.body, node.orelse)
        self._depth -= is_given
        return node

    # -- branches

    def _visit_all(self, *bodies: list[ast.stmt]) -> None:
        for body in bodies:
            body[:] = [self.visit(statement) for statement in body]

    def visit_If(self, node: ast.If) -> ast.If:
        raises = any(isinstance(part, ast.Raise) for part in (*node.body, *node.orelse))
        node.test = self._condition(node.test, raises)
        self._visit_all(node.body, node.orelse)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        self._visit_all(node.body, node.orelse)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        node.test = self._condition(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def _condition(self, node: ast.expr, is_check: bool = False) -> ast.expr:
        """The test of a branch: what is counted, or raised, depends on it.

        :param is_check: the branch raises.
        """
        before = self._is_negated, self._is_choice
        self._is_negated = True
        # `if x > 0` may rightly leave NaN out, `if abs(x - 9) > 0.1` may not.
        self._is_choice = not is_check and not any(isinstance(part, ast.Sub) for part in ast.walk(node))
        made = self._truth(node)
        self._is_negated, self._is_choice = before
        return made

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        node.value = self.visit(node.value)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self._generate([node], False)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        self._visit_all(node.body)
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef


def _demanded(node: ast.expr) -> Iterator[ast.expr]:
    """Comparisons that must hold for an assert to hold."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        for part in node.values:
            yield from _demanded(part)
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
        yield node


def _asks_for_any(node: Any) -> bool:
    """Whether it asks only if there are elements: ``any(True for _ in f(0))``."""
    if not (isinstance(node, ast.Call) and last_name(node.func) == "any" and len(node.args) == 1):
        return False
    made = node.args[0]
    if not isinstance(made, _LOOPS) or any(one.ifs for one in made.generators):
        return False
    return isinstance(made.elt, ast.Constant) and bool(made.elt.value)
