"""What a candidate still does that is to fix an error: the call that failed, and the names of the cell.

Where nothing checks a cell, code that only hides its error looks as good as code
that fixes it. The candidate's calls of the failing function are wrapped, so that
it is known whether one returned; so are its handlers and its context managers,
which can swallow an error.

What plainly hides the error is refused: a handler that does nothing, a call that
is gone. What may be honest, such as ``contextlib.suppress`` or a condition, is
only reported as ``unclear``.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import secrets
import sys
import types
from typing import Any

from ..source import names
from ..source.failures import failing_call
from .failed_call import (
    WORKING,
    FailedCall,
    aside,
    handles_nothing,
    is_import_fallback,
    is_made_by_candidate,
    skippable,
)
from .tracebacks import CANDIDATE

_VALUE = 200


class _Place(ast.Constant):
    value: int


class Repair(ast.NodeTransformer):
    """An AST transformer for the candidate, and what its run then has shown.

    Magics such as ``%%time`` transform the code that they run with it, too.

    :param wanted: ``error`` is the name of the error's type; ``call`` has the ``source`` and ``name``
        of the call that failed, or is missing; ``names`` are those that the cell defined; ``cell`` is
        its source.
    :param namespace: the notebook's, before the candidate runs.
    """

    def __init__(self, wanted: dict[str, Any], namespace: dict[str, Any]) -> None:
        self._wanted = wanted
        call = wanted.get("call")
        if call and call["name"] == "input":
            # Nobody can answer it in an attempt: a value takes its place.
            call = None
        self._call = FailedCall(call, wanted.get("cell", ""), namespace) if call else None
        self._marker = f"_refine_{secrets.token_hex(8)}"
        self._bound: set[str] = set()
        self._aside: set[ast.AST] = set()
        self._skippable: set[ast.AST] = set()
        self._places = 0
        #: Context managers, by their place, that an error has entered, and those that the candidate has made.
        self._entered: set[int] = set()
        self._own_managers: set[int] = set()
        #: Calls, by their place: of a function that the candidate has made itself, and those that
        #: honest code may skip.
        self._stand_ins: set[int] = set()
        self._may_skip: set[int] = set()
        self._returned = False
        self._same_returned = False
        self._value: str | None = None
        #: The ``try`` of the visited handler; those that dropped the error, and those that ran to their end.
        self._try = 0
        self._dropped: set[int] = set()
        self._finished: set[int] = set()
        self._hidden = False
        self._handled = False

    def visit_Module(self, node: ast.Module) -> ast.AST:
        self._bound |= names.bound(node)
        self._aside |= aside(node, conditions=self._call is None or not self._call.is_statement)
        self._skippable |= skippable(node)
        setattr(builtins, self._marker, self)
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        return self._watched(node) if isinstance(node, WORKING) else super().generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        drops, falls_back = handles_nothing(node), is_import_fallback(node)
        number = ast.Constant(self._try)
        self.generic_visit(node)
        if drops:
            self._insert(node.body, "dropped", node, number)
        elif not falls_back:
            self._insert(node.body, "handled", node)
        return node

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """A ``finally`` that is left early swallows the error."""
        leaves = (ast.Break, ast.Continue, ast.Return)
        left = any(isinstance(part, leaves) for statement in node.finalbody for part in ast.walk(statement))
        around, place = self._try, self._place()
        node.body = self._visited(node.body)
        self._finish(node, place)
        self._try = place.value
        node.handlers = self._visited(node.handlers)
        self._try = around
        node.orelse, node.finalbody = self._visited(node.orelse), self._visited(node.finalbody)
        if left:
            self._insert(node.finalbody, "dropped", node, ast.Constant(0))
        return node

    visit_TryStar = visit_Try

    def visit_With(self, node: ast.With) -> list[ast.stmt]:
        """``contextlib.suppress`` and the like are handlers that do nothing."""
        return self._guarded(node)

    def visit_AsyncWith(self, node: ast.AsyncWith) -> list[ast.stmt]:
        return self._guarded(node)

    def function(self, place: int, function: Any, callee: str) -> Any:
        """What the candidate is about to call."""
        if self._call is None or self._call.is_genuine(function, callee):
            self._stand_ins.discard(place)
        else:
            self._stand_ins.add(place)
        return function

    def returned(self, place: int, value: Any, same: bool) -> Any:
        """A call of the function has returned; ``same``: with the arguments that had failed."""
        if place in self._stand_ins:
            return value
        if isinstance(value, types.CoroutineType):
            return self._awaited(place, value, same)
        self._returned = True
        if same:
            # It was tried again, and then held.
            self._dropped.clear()
            self._hidden = self._handled = False
            self._same_returned |= value is not None
            # The last one: then the variables that it took have the values that they end with.
            self._value = _literal(value)
        return value

    def dropped(self, number: int) -> None:
        """A handler that does nothing has an error."""
        if self._has_wanted():
            self._dropped.add(number)

    def finished(self, number: int, value: Any = None) -> Any:
        """The body of a ``try`` has run to its end."""
        self._finished.add(number)
        return value

    def handled(self) -> None:
        """A handler that does something has an error."""
        self._handled |= self._has_wanted()

    def manager(self, place: int, manager: Any) -> Any:
        """What the candidate is about to enter."""
        generator = inspect.getattr_static(manager, "gen", None)
        if isinstance(generator, types.GeneratorType):
            own = generator.gi_code.co_filename == CANDIDATE
        elif isinstance(generator, types.AsyncGeneratorType):
            own = generator.ag_code.co_filename == CANDIDATE
        else:
            own = is_made_by_candidate(type(manager))
        if own:
            self._own_managers.add(place)
        return manager

    def enter(self, place: int) -> None:
        self._entered.discard(place)

    def leave(self, place: int) -> None:
        """An error reaches the end of a context manager."""
        if self._has_wanted():
            self._entered.add(place)

    def left(self, place: int) -> None:
        """The candidate goes on after a context manager."""
        swallowed = place in self._entered
        self._hidden |= swallowed and place in self._own_managers
        self._handled |= swallowed

    def report(self, error: BaseException | None, namespace: dict[str, Any]) -> dict[str, Any]:
        """The type ``RepairReport`` (TypeScript)."""
        vars(builtins).pop(self._marker, None)
        wanted = self._wanted.get("names", [])
        # A ``try`` that also ran to its end leaves out what is bad, as in a loop over rows.
        silenced = self._hidden or not self._dropped <= self._finished
        found: dict[str, Any] = {
            "silenced": silenced,
            "missing": [name for name in wanted if name not in namespace or name not in self._bound],
        }
        if self._call:
            found["callRan"] = self._returned
        if self._same_returned:
            found["sameCallRan"] = True
        if not silenced and self._call and not self._returned:
            if self._may_skip - self._stand_ins:
                found["unclear"] = "skipped"
        elif not silenced and (self._handled or self._dropped):
            found["unclear"] = "handled"
        if self._value is not None:
            found["value"] = self._value
        failed = failing_call(error, CANDIDATE) if error else None
        return {**found, "call": failed} if failed else found

    def _has_wanted(self) -> bool:
        error = sys.exc_info()[1]
        return error is not None and self._is_wanted(error)

    async def _awaited(self, place: int, value: types.CoroutineType[Any, Any, Any], same: bool) -> Any:
        return self.returned(place, await value, same)

    def _is_wanted(self, error: BaseException) -> bool:
        parts = getattr(error, "exceptions", None)
        if isinstance(parts, tuple) and type(error).__name__.endswith("ExceptionGroup"):
            return any(map(self._is_wanted, parts))
        return type(error).__name__ == self._wanted.get("error")

    def _watched(self, node: ast.expr) -> ast.expr:
        """The expression, with a note when it has a value, where that may be of the call that failed."""
        call = node.value if isinstance(node, ast.Await) else node
        failed = self._call
        named = failed is not None and isinstance(call, ast.Call) and failed.has_name(call)
        counts = named or (failed is not None and node not in self._aside and failed.is_replaced_by(node))
        may_skip = node in self._skippable
        same = ast.Constant(named and failed is not None and failed.is_same(node))
        callee = ast.Constant(ast.unparse(call.func) if isinstance(call, ast.Call) else "")
        super().generic_visit(call)
        if not counts:
            return node
        place = self._place()
        if may_skip:
            self._may_skip.add(place.value)
        if isinstance(call, ast.Call):
            call.func = self._method("function", node, [place, call.func, callee])
        return self._method("returned", node, [place, node, same])

    def _guarded(self, node: ast.With | ast.AsyncWith) -> list[ast.stmt]:
        self.generic_visit(node)
        place = self._place()
        for item in node.items:
            item.context_expr = self._method("manager", item.context_expr, [place, item.context_expr])
        handler = ast.ExceptHandler(type=None, name=None, body=[ast.Raise(exc=None, cause=None)])
        self._insert(handler.body, "leave", node, place)
        guarded = ast.Try(body=node.body, handlers=[handler], orelse=[], finalbody=[])
        node.body = [ast.copy_location(guarded, node)]
        self._insert(node.body, "enter", node, place)
        after: list[ast.stmt] = []
        self._insert(after, "left", node, place)
        return [ast.fix_missing_locations(node), *after]

    def _visited(self, nodes: list[Any]) -> list[Any]:
        return super().generic_visit(ast.Module(nodes, [])).body  # type: ignore[attr-defined]

    def _finish(self, node: ast.Try, number: ast.Constant) -> None:
        """Note the end of its body."""
        end = len(node.body)
        last = node.body[-1]
        if isinstance(last, ast.Return):
            value = last.value or ast.Constant(None)
            last.value = self._method("finished", last, [number, value])
            return
        if isinstance(last, (ast.Break, ast.Continue)):
            end -= 1
        self._insert(node.body, "finished", node, number, before=end)

    def _place(self) -> _Place:
        self._places += 1
        return _Place(self._places)

    def _insert(
        self, body: list[ast.stmt], name: str, at: ast.AST, *arguments: ast.expr, before: int = 0
    ) -> None:
        note = ast.copy_location(ast.Expr(self._method(name, at, list(arguments))), at)
        body.insert(before, ast.fix_missing_locations(note))

    def _method(self, name: str, at: ast.AST, arguments: list[ast.expr]) -> ast.Call:
        marker = ast.Attribute(ast.Name(self._marker, ast.Load()), name, ast.Load())
        return ast.fix_missing_locations(ast.copy_location(ast.Call(marker, arguments, []), at))


def _literal(value: Any) -> str | None:
    """A literal that equals the value; None where there is no short one."""
    if type(value) not in (int, float, bool, str, bytes, list, tuple, dict, set):
        return None
    try:
        text = repr(value)
        return text if len(text) <= _VALUE and ast.literal_eval(text) == value else None
    except Exception:
        return None
