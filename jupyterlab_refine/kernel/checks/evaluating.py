"""Run the statements of check cells one by one and report the result of each."""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import inspect
import time
import unittest
from typing import Any

from .. import texts
from ..child.running import Runner, remember
from ..child.streams import Events
from ..child.tracebacks import ErrorFormatter
from ..source.names import python_source
from . import cannot_fail, rewriting, statements
from .check_calls import checks, dotted, is_check
from .explain import explain
from .statements import Statement


class _Vacuous(Exception):
    """The statement ended without reaching any of its asserts."""


class _TestFailed(AssertionError):
    """More than one test of a class or module failed; the first one's error is the cause."""


class _Results(unittest.TestResult):
    """Records the errors themselves, not only their texts."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, BaseException]] = []
        self.skips = 0
        #: Reasons of those that were skipped while they ran, not by a decorator.
        self.given_up: list[str] = []

    def _add(self, test: unittest.TestCase, error: Any) -> None:
        if error is not None:
            self.found.append((getattr(test, "_testMethodName", str(test)), error[1]))

    def addFailure(self, test: Any, err: Any) -> None:
        self._add(test, err)

    def addError(self, test: Any, err: Any) -> None:
        self._add(test, err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        self._add(test, err)

    def addUnexpectedSuccess(self, test: Any) -> None:
        self._add(test, (None, AssertionError("expected to fail, but passed"), None))

    def addSkip(self, test: Any, reason: str) -> None:
        self.skips += 1
        method = getattr(test, getattr(test, "_testMethodName", ""), None)
        if not any(getattr(one, "__unittest_skip__", False) for one in (type(test), method)):
            self.given_up.append(f"{getattr(test, '_testMethodName', test)}: {reason}")


class CheckRewriter(rewriting.Rewriter):
    """Counts a handler that is reached where the body ends with `assert False`, besides asserts.

    In ``try: f({}); assert False`` with ``except KeyError: pass``, what is checked is that ``f`` raises.
    """

    def visit_Try(self, node: ast.Try) -> Any:
        guarded = any(map(_fails, (*node.body[-1:], *node.orelse[-1:])))
        self.generic_visit(node)
        for handler in node.handlers if guarded else ():
            caught = _names_of(handler.type)
            if caught and not caught & _CATCH_ASSERTS:
                self._place = rewriting._place(handler)
                reached = rewriting.Part("value", ast.Constant(True))
                ended = self._call("ended", self._constant(None))
                handler.body.insert(0, ast.Expr(self._second(self._start(reached), ended), **self._place))
        return node

    def visit_For(self, node: ast.For) -> Any:
        iterable, is_empty_expected = node.iter, is_of_none(node)
        self.generic_visit(node)
        return self.watched(node, iterable, is_empty_expected)

    def watched(self, node: ast.For, iterable: ast.expr, is_empty_expected: bool) -> ast.For:
        """The loop, if it has asserts, so that the recorder knows whether it goes over nothing."""
        if not checks(node) or cannot_fail._folded(iterable) is False:
            return node
        self._place = place = rewriting._place(iterable)
        self._recorder.loops.append(iterable)
        number = self._constant(len(self._recorder.loops) - 1)
        node.body.insert(0, ast.Expr(self._call("turn", number), **place))
        over = self._call("over", number, ast.Constant(is_empty_expected, **place))
        node.orelse.insert(0, ast.Expr(over, **place))
        return node


def is_of_none(node: ast.For) -> bool:
    """Whether its body always fails, as in ``for p in primes(2): assert False``: nothing is expected."""
    leaves = (ast.Break, ast.Continue, ast.Return)
    last = node.body[-1]
    call = last.value if isinstance(last, ast.Expr) else None
    is_failing = isinstance(call, ast.Call) and dotted(call.func) in ("pytest.fail", "self.fail")
    fails = is_failing or _fails(last) or isinstance(last, ast.Raise) and is_check(last)
    return fails and not any(isinstance(part, leaves) for part in ast.walk(node))


#: With these an assert that does not hold is caught as well.
_CATCH_ASSERTS = {"AssertionError", "Exception", "BaseException", ""}


def _fails(node: ast.stmt) -> bool:
    """Whether it is an assert that never holds."""
    return isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and not node.test.value


def _may_hold(node: ast.AST) -> bool:
    """Whether it has an assert besides those as in `if f(4): assert False`, which rightly are not reached."""
    branches = [part for part in ast.walk(node) if isinstance(part, (ast.If, ast.ExceptHandler))]
    blocks = [block for part in branches for block in (part.body, getattr(part, "orelse", []))]
    failing = {id(one) for block in blocks for one in block if _fails(one)}
    return any(isinstance(part, ast.Assert) and id(part) not in failing for part in ast.walk(node))


def _names_of(node: ast.expr | None) -> set[str]:
    """The classes that a handler names; an empty text for what is no name."""
    if node is None:
        return set()
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return {dotted(part).split(".")[-1] for part in parts}


class Evaluator:
    """Evaluates check cells in the child, after the candidate has ended."""

    def __init__(
        self,
        shell: Any,
        runner: Runner,
        formatter: ErrorFormatter,
        events: Events,
        name: str,
        recorder: rewriting.Recorder | None = None,
        rewriter: type[CheckRewriter] = CheckRewriter,
    ) -> None:
        self._shell = shell
        self._runner = runner
        self._formatter = formatter
        self._events = events
        self._recorder = recorder or rewriting.Recorder()
        self._name = name
        self._rewriter = rewriter
        self._cells = 0

    async def cell(self, cell: dict[str, Any]) -> None:
        """Run one check cell; each checking statement is reported as an event ``assertion``.

        A failing check stops nothing. A failing set-up statement makes the later
        checks of its cell an ``error``: they could pass on values from before.
        """
        self._cells += 1
        file_name = f"<check {self._cells}>"
        remember(file_name, python_source(cell["source"]))
        broken: BaseException | None = None
        for statement in statements.split(cell):
            if not statement.checks:
                try:
                    await self._runner.execute(self.rewritten(statement), file_name)
                except BaseException as error:
                    broken = broken or error
                if not self._events.own_process():
                    return
                continue
            result = await self.statement(statement, file_name, broken)
            self._events.send("assertion", result=result)

    async def statement(
        self, statement: Statement, file_name: str, broken: BaseException | None = None
    ) -> dict[str, Any]:
        """Evaluate one checking statement; returns its ``AssertionResult``."""
        fields, error = await self.outcome(statement, file_name, broken)
        if fields["outcome"] == "not-run":
            fields["difference"] = str(error)
        elif error is not None:
            fields["error"] = self._formatter.to_reply(error)
            if fields["outcome"] == "failed":
                # A sum of hundreds is too deep to be written out.
                with contextlib.suppress(RecursionError):
                    fields.update(explain(self._recorder))
            self._add_difference(fields, error, broken is not None)
        return fields

    async def outcome(
        self, statement: Statement, file_name: str, broken: BaseException | None = None
    ) -> tuple[dict[str, Any], BaseException | None]:
        """The same without a description of the failure: fields of ``AssertionResult``, and the error."""
        setattr(builtins, self._name, self._recorder)
        self._recorder.reset()
        fields = statement.to_reply()
        start = time.perf_counter()
        error: BaseException | None = broken or statement.error
        if error is None:
            try:
                await self._run(statement, file_name)
            except BaseException as raised:
                error = raised
        fields["durationMs"] = round((time.perf_counter() - start) * 1000, 3)
        fields["outcome"] = _outcome(error, broken is not None)
        return fields, error

    def was_swallowed(self) -> bool:
        """Whether an assert of the last statement did not hold, though the statement ended well."""
        return self._recorder.held < self._recorder.reached

    def _add_difference(self, fields: dict[str, Any], error: BaseException, broken: bool) -> None:
        if broken:
            fields["difference"] = f"not evaluated: the set-up above it raised {type(error).__name__}"
        elif _says_what_differs(error) and "difference" not in fields:
            # A text that was made safely: a candidate's class may raise when it is converted.
            message = fields["error"]["message"].strip()
            if message:
                fields["difference"] = texts.cut_end(message, 2000)

    def rewritten(self, statement: Statement) -> list[ast.stmt]:
        # Set-up may call a function with asserts, of this cell or one above.
        setattr(builtins, self._name, self._recorder)
        rewriter = self._rewriter(self._recorder, self._name)
        return [rewriter.visit(node) for node in statement.body]

    async def _run(self, statement: Statement, file_name: str) -> None:
        node = statement.body[0]
        if isinstance(node, ast.Expr):
            rewriter = self._rewriter(self._recorder, self._name)
            # Of expressions only calls are checks.
            found = node.value
            is_checking = isinstance(found, ast.Call) and is_check(found)
            rewrite: Any = rewriter.call if is_checking else rewriter.visit
            value = await self._runner.evaluate(rewrite(found), file_name)
            await settle(value)
            return
        may_hold = _may_hold(node)
        await self._runner.execute(self.rewritten(statement), file_name)
        if statement.runs is not None:
            await run_test(self._shell.user_ns[statement.runs])
        if statement.asserts and self._recorder.reached == 0:
            if self._recorder.idle:
                self._recorder.unchecked()
            elif may_hold:
                raise _Vacuous("none of its asserts was reached")


async def run_test(test: Any) -> None:
    """Run a test function, or a class of tests; raises what it raises."""
    if inspect.isclass(test) and issubclass(test, unittest.TestCase):
        _run_test_case(test)
    elif inspect.isclass(test):
        for name, method in list(vars(test).items()):
            if name.startswith("test") and callable(method):
                instance = test()
                await settle(getattr(instance, "setup_method", lambda: None)())
                try:
                    await settle(getattr(instance, name)())
                finally:
                    await settle(getattr(instance, "teardown_method", lambda: None)())
    else:
        for arguments in _parameters(test):
            await settle(test(**arguments))


def _says_what_differs(error: BaseException) -> bool:
    return isinstance(error, (AssertionError, rewriting.NotAwaited)) or _is_pytest_failure(error)


def _outcome(error: BaseException | None, broken: bool) -> str:
    if error is None:
        return "passed"
    if broken:
        return "error"
    if isinstance(error, _Vacuous):
        return "not-run"
    if isinstance(error, SystemExit) and error.code in (0, False, None):
        # `unittest.main()` leaves this way, but so does anything that wants to end the checks.
        return "not-run"
    return "failed" if isinstance(error, AssertionError) or _is_pytest_failure(error) else "error"


def _is_pytest_failure(error: BaseException) -> bool:
    """``pytest.fail()``, or ``pytest.raises`` where nothing was raised; both say that they are builtins."""
    bases = [f"{base.__module__}.{base.__qualname__}" for base in type(error).__mro__]
    return type(error).__name__ == "Failed" and "_pytest.outcomes.OutcomeException" in bases


#: The exit code of a pytest that has found none.
_NO_TESTS = 5


async def settle(value: Any) -> None:
    """Await what must be awaited; raise when a test runner returned failures."""
    if inspect.isawaitable(value):
        value = await value
    result = getattr(value, "result", None)
    if isinstance(result, unittest.TestResult) and not result.wasSuccessful():
        count = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
        raise AssertionError(f"{count} of {result.testsRun} tests failed")
    if type(value).__name__ == "TestResults" and type(value).__module__ == "doctest":
        if value.failed:
            raise AssertionError(f"{value.failed} of {value.attempted} examples failed")
        if not value.attempted:
            raise _Vacuous("no example was found")
    if type(value).__name__ == "ExitCode" and type(value).__module__ == "pytest":
        if value == _NO_TESTS:
            raise _Vacuous("no test was found")
        if value != 0:
            raise AssertionError(f"pytest ended with {value.name} ({int(value)})")


def _run_test_case(case: type[unittest.TestCase]) -> None:
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    results = _Results()
    loop = asyncio._get_running_loop()
    # IsolatedAsyncioTestCase starts a loop of its own.
    asyncio._set_running_loop(None)
    try:
        suite.run(results)
    finally:
        asyncio._set_running_loop(loop)
        asyncio.set_event_loop(loop)
    if len(results.found) == 1:
        raise results.found[0][1]
    if results.found:
        names = ", ".join(name for name, _ in results.found[:10])
        summary = f"{len(results.found)} of {results.testsRun} tests failed: {names}"
        raise _TestFailed(summary) from results.found[0][1]
    if results.given_up:
        raise _Vacuous(f"skipped while it ran: {results.given_up[0]}")
    if results.testsRun - results.skips <= 0:
        raise _Vacuous("every test was skipped" if results.skips else "no test was found")


def _parameters(test: Any) -> list[dict[str, Any]]:
    """Arguments of each call: those of ``pytest.mark.parametrize``, else one call without any."""
    calls: list[dict[str, Any]] = [{}]
    for mark in getattr(test, "pytestmark", []):
        if getattr(mark, "name", "") != "parametrize":
            continue
        names, table = _names_and_rows(*mark.args, **getattr(mark, "kwargs", {}))
        if isinstance(names, str):
            names = [name.strip() for name in names.split(",")]
        rows = []
        for row in table:
            values = getattr(row, "values", None) if type(row).__name__ == "ParameterSet" else None
            if values is None:
                values = (row,) if len(names) == 1 else tuple(row)
            rows.append(dict(zip(names, values, strict=False)))
        calls = [{**call, **row} for call in calls for row in rows]
    return calls


def _names_and_rows(argnames: Any, argvalues: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
    """The first two of pytest's arguments, which may be given by their names."""
    return argnames, argvalues
