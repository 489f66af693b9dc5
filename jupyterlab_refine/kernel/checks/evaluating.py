"""Run the statements of check cells one by one and report the result of each."""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import inspect
import os
import re
import secrets
import sys
import time
import traceback
import unittest
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, NamedTuple

from .. import texts
from ..child import running
from ..child.running import Runner
from ..child.shell_cut import shown_errors, shown_texts
from ..child.tracebacks import CANDIDATE, ErrorFormatter
from ..ends import Events
from ..source.names import UNREADABLE
from . import frameworks, rewriting, statements
from .check_calls import dotted
from .explain import explain
from .statements import Statement

#: A line by which a test of a course reports a failure that it does not raise; not "Tests failed: 0".
_SAYS_FAILED = re.compile(
    # Kaggle's, of a blank that is still one.
    r"^(?:['\"]?check: when you've updated the starter code"
    r"|(?!.*\b(?:ok|correct|passe[sd])\b)[^\w\n]*(?:[\u274c\u2717\u2718]"
    r"|(?:(?:[1-9]\d*|some)\s+)?tests?\s+failed\b(?!\W*0\b)"
    r"|(?:fail(?:ed|ure)?|incorrect)\s*(?:[:!.,]|$)(?!\s*0\b)"
    r"|(?-i:FAIL(?:ED)?)\s+(?!(?:tests?)?\s*[:=]?\s*0\b)\S"
    r"|wrong\s+(?:answer|output|result|value)\b))",
    re.I | re.M,
)
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_PRINTED_LIMIT = 2000


class Row(NamedTuple):
    """One of the n of k/n: a statement, or a test that it ran."""

    #: The first fields of an ``AssertionResult``; ``name`` for a test.
    fields: dict[str, Any]
    error: BaseException | None


class Ended(NamedTuple):
    """What a statement gave: its own row, or those of the tests that it ran, or none."""

    rows: list[Row]
    #: What the statement itself raised.
    error: BaseException | None
    #: Tests that were skipped, with the reason.
    skipped: list[str]


class Evaluator:
    """Evaluates check cells in the child, after the candidate has ended."""

    def __init__(
        self,
        shell: Any,
        runner: Runner,
        formatter: ErrorFormatter,
        events: Events,
    ) -> None:
        self._shell = shell
        self._runner = runner
        self._formatter = formatter
        self._events = events
        self._recorder = rewriting.Recorder()
        self._reports = frameworks.Reports(self._recorder)
        #: Of the recorder, in builtins.
        self.name = f"_refine_{secrets.token_hex(8)}"
        #: By cell and role (a cell may hold hidden tests too): its statements with their code, compiled once.
        self._prepared: dict[tuple[str, str], list[tuple[Statement, list[Any]]]] = {}
        #: By name: the statement that defines this test function or class.
        self._defined: dict[str, Statement] = {}
        #: Names of those that something has run.
        self._ran: set[str] = set()

    async def cells(self, cells: list[dict[str, Any]]) -> list[str]:
        """Run check cells; each row is reported as an event ``assertion``.

        A failing check stops nothing. A failing set-up statement makes the later
        checks of its cell an ``error``: they could pass on values from before.

        :returns: the tests that were skipped.
        """
        skipped: list[str] = []
        with self.listening(cells):
            for cell in cells:
                async for _, ended, is_broken in self.results(cell):
                    if not self._events.own_process():
                        return []
                    for row in ended.rows:
                        self._events.send("assertion", result=self._to_reply(row, is_broken))
                    skipped += ended.skipped
        return skipped

    async def results(self, cell: dict[str, Any]) -> AsyncIterator[tuple[Statement, Ended, bool]]:
        """Run the statements of a cell; of each also whether a set-up statement above it has failed."""
        broken: BaseException | None = None
        for statement, codes in self.prepare(cell):
            ended = await self._run(statement, codes, broken)
            if not cell.get("mayFail"):
                yield statement, ended, broken is not None
            broken = broken or (None if statement.checks else ended.error)

    def listening(self, cells: list[dict[str, Any]]) -> contextlib.AbstractContextManager[None]:
        """While these cells run: count what test frameworks report."""
        return self._reports.listening("\n".join(cell["source"] for cell in cells))

    def prepare(self, cell: dict[str, Any], read: Any = None) -> list[tuple[Statement, list[Any]]]:
        """The statements of a cell, compiled, at last the tests, which something else may run.

        :param read: what :func:`statements.read` gave, where it was called already.
        """
        key = cell["cellId"], cell["role"]
        if key not in self._prepared:
            file_name = f"<check {len(self._prepared) + 1}>"
            source, found = read or statements.read(cell)
            running.remember(file_name, source)
            tests = [one for one in found if one.runs is not None]
            self._defined.update((one.runs, one) for one in tests if one.runs is not None)
            self._prepared[key] = [
                *(self._compiled(one, file_name) for one in found),
                *((one._replace(body=(), checks=True), []) for one in tests),
            ]
        return self._prepared[key]

    def forget_runs(self) -> None:
        """Before the cells are run again."""
        self._ran.clear()
        self._recorder.entered.clear()

    async def _run(self, statement: Statement, codes: list[Any], broken: BaseException | None) -> Ended:
        """Run one statement, or a test unless something else has run it.

        :param broken: what the set-up above it raised.
        """
        setattr(builtins, self.name, self._recorder)
        self._recorder.reset()
        namespace = self._shell.user_ns
        namespace.pop("_exit_code", None)
        shown_errors.clear()
        shown_texts.clear()
        start = time.perf_counter()
        error: BaseException | None = broken or statement.error
        call = _call(statement)
        # Asserts raise: only a call, or a test that is run here, may report in other ways.
        may_report = statement.checks and (call is not None or not statement.body)
        heard, value = _Heard(), None
        if error is None:
            try:
                with heard if may_report else contextlib.nullcontext():
                    if statement.body:
                        for code in codes:
                            value = await settle(await self._runner.run(code))
                    elif (name := statement.runs) and name not in self._ran | self._recorder.entered:
                        await run_test(namespace.get(name), name, self._reports)
            except BaseException as raised:
                error = raised
        if error is None and shown_errors:
            error = shown_errors[0]
        if error is None and namespace.get("_exit_code"):
            error = AssertionError(f"the command ended with exit status {namespace['_exit_code']}")
        if error is None and may_report:
            error = self._reported(call, heard.text, value)
        return self._ended(statement, error, broken is not None, time.perf_counter() - start)

    def _reported(self, call: ast.Call | None, printed: str, value: Any) -> AssertionError | None:
        """The failure that a test has only printed, shown (``q1.check()``) or returned."""
        shows = call is not None and dotted(call.func).endswith(".check") and not call.args
        # Scripts and pictures have no text.
        shown = [text for text in shown_texts if shows and not text.startswith("<IPython.")]
        said = _COLOUR.sub("", "\n".join([printed, *shown])).strip()
        is_bool = type(value).__name__ in ("bool", "bool_")
        is_false = is_bool and not value and call is not None and not self._is_of_candidate(call)
        return AssertionError(said or "it returned False") if is_false or _SAYS_FAILED.search(said) else None

    def _is_of_candidate(self, call: ast.Call) -> bool:
        """Whether the function may be the candidate's, which may well return False."""
        first, *names = dotted(call.func).split(".")
        found = self._shell.user_ns.get(first)
        try:
            for name in names:
                found = inspect.getattr_static(found, name)
            code = getattr(inspect.unwrap(found), "__code__", None)
        except Exception:
            return True
        return code is None or code.co_filename == CANDIDATE

    def _ended(
        self, statement: Statement, error: BaseException | None, is_broken: bool, seconds: float
    ) -> Ended:
        tests, asked = self._reports.take()
        ran = [test for test in tests if test.skipped is None]
        duration = {"durationMs": round(seconds * 1000 / (len(ran) or 1), 3)}
        rows = [Row(self._fields_of(test, statement) | duration, test.error) for test in ran]
        has_failed = any(test.error is not None for test in ran)
        if has_failed or ran and isinstance(error, SystemExit) and error.code in (0, False, None):
            # By which a runner reports its tests: they have rows of their own.
            error, self._recorder.held = None, self._recorder.reached
        elif error is None and not ran and asked is not None:
            what = "every test was skipped" if tests else "no tests were collected"
            error = AssertionError("no examples were found" if asked == "doctest" and not tests else what)
        if statement.checks:
            # A test has a row only once it ran.
            has_row = error is not None or not ran and bool(statement.body)
        else:
            has_row = error is not None and not is_broken and (statement.last or asked is not None)
        if has_row:
            fields = statement.to_reply() | duration
            if frameworks.outcome(error) == "failed" and not is_broken:
                # A sum of hundreds is too deep to be written out.
                with contextlib.suppress(RecursionError):
                    fields |= explain(self._recorder)
            rows.append(Row(fields, error))
        skipped = [f"{test.name} ({test.skipped})" for test in tests if test.skipped is not None]
        return Ended(rows, error, skipped)

    def _fields_of(self, test: frameworks.Test, statement: Statement) -> dict[str, Any]:
        """Of a test: its row belongs to the statement that defines it, else to the one that ran it."""
        own = self._defined.get(test.name.split(".")[0].split("[")[0], statement)
        if own.runs is not None:
            self._ran.add(own.runs)
        fields = own.to_reply() | test.fields
        if test.name != own.runs:
            fields |= {"id": f"{own.id}.{test.name}", "name": test.name}
        return fields

    def was_swallowed(self) -> bool:
        """Whether an assert of the last statement did not hold, though the statement ended well."""
        return self._recorder.held < self._recorder.reached

    def _to_reply(self, row: Row, broken: bool) -> dict[str, Any]:
        """The ``AssertionResult`` of a row."""
        fields, error = dict(row.fields), row.error
        fields["outcome"] = "error" if broken else frameworks.outcome(error)
        if error is None:
            return fields
        fields["error"] = self._formatter.to_reply(error)
        if broken:
            fields["difference"] = f"not evaluated: the set-up above it raised {type(error).__name__}"
        elif fields["outcome"] == "failed" or isinstance(error, rewriting.NotAwaited):
            # A text that was made safely: a candidate's class may raise when it is converted.
            message = fields["error"]["message"].strip() or _failed_line(error)
            if message and "difference" not in fields:
                fields["difference"] = texts.cut_end(message, 2000)
        return fields

    def _compiled(self, statement: Statement, file_name: str) -> tuple[Statement, list[Any]]:
        rewriter = rewriting.Rewriter(self._recorder, self.name)
        try:
            body: list[Any] = [rewriter.visit(node) for node in statement.body]
            if statement.runs is not None:
                for node in body:
                    for function in statements.tests_of(node) if isinstance(node, ast.ClassDef) else [node]:
                        rewriter.test_function(function, statement.runs)
                statement = statement._replace(checks=False)
            trees = running.parts_of(ast.Module(body, []))
            return statement, [self._runner.compile(tree, file_name) for tree in trees]
        except UNREADABLE as error:
            return statement._replace(error=error), []


def _call(statement: Statement) -> ast.Call | None:
    """The call that is all of a statement."""
    node = statement.body[0] if len(statement.body) == 1 else None
    value = node.value if isinstance(node, ast.Expr) else None
    value = value.value if isinstance(value, ast.Await) else value
    return value if isinstance(value, ast.Call) else None


class _Heard:
    """Standard output; the end of what is not the candidate's is kept."""

    def __init__(self) -> None:
        self._out: Any = sys.stdout
        self.text = ""

    def __enter__(self) -> None:
        system: Any = sys
        system.stdout = self

    def __exit__(self, *_: object) -> None:
        # A check may have put another one in its place.
        if sys.stdout is self:
            sys.stdout = self._out

    def write(self, text: str) -> int:
        frame: Any = sys._getframe(1)
        # In the judge, this package prints what the candidate has printed.
        is_ours = frame.f_globals.get("__name__", "").split(".")[0] == __name__.split(".")[0]
        while frame is not None and frame.f_code.co_filename != CANDIDATE:
            frame = frame.f_back
        if frame is None and not is_ours:
            self.text = (self.text + text)[-_PRINTED_LIMIT:]
        return int(self._out.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)


def _failed_line(error: BaseException) -> str:
    """An assert without a message, where it stands in a module or another cell; else nothing."""
    for frame in traceback.extract_tb(error.__traceback__)[-1:]:
        if os.path.isfile(frame.filename) and frame.line:
            return f"{frame.line} ({os.path.basename(frame.filename)}, line {frame.lineno})"
        if not frame.filename.startswith("<check "):
            return frame.line or ""
    return ""


async def run_test(test: Any, name: str, reports: frameworks.Reports) -> None:
    """Run a test function, or a class of tests; what it raises is reported."""
    if inspect.isclass(test) and issubclass(test, unittest.TestCase):
        methods = unittest.defaultTestLoader.getTestCaseNames(test)
        suite = unittest.TestSuite(test(one) for one in methods if _needs(getattr(test, one)) <= {"self"})
        # IsolatedAsyncioTestCase starts a loop of its own.
        with _without_loop():
            suite.run(unittest.TestResult())
        return
    needed = set() if inspect.isclass(test) or not callable(test) else _needs(test)
    is_given = needed and needed <= frameworks.fixtures(_globals(test)).keys()
    if is_given or any(getattr(part, "pytestmark", None) for part in _parts(test)):
        with _without_loop():
            frameworks.run_by_pytest(name, _globals(test))
    elif inspect.isclass(test):
        for one in [one for one in vars(test) if one.startswith("test") and callable(getattr(test, one))]:
            instance = test()
            before = getattr(instance, "setup_method", lambda: None)
            after = getattr(instance, "teardown_method", lambda: None)
            await _report(reports, f"{name}.{one}", before, getattr(instance, one), after)
    elif callable(test) and not needed:
        await _report(reports, name, test)


def _parts(test: Any) -> list[Any]:
    """A test function; a class of tests with its functions."""
    return [test, *filter(inspect.isfunction, vars(test).values())] if inspect.isclass(test) else [test]


def _globals(test: Any) -> dict[str, Any]:
    return next((part.__globals__ for part in _parts(test) if hasattr(part, "__globals__")), {})


async def _report(reports: frameworks.Reports, name: str, *steps: Any) -> None:
    error = None
    for step in steps:
        try:
            if await settle(step()) is False:
                raise AssertionError("it returned False")
        except BaseException as raised:
            error = error or raised
            if step is steps[0] and len(steps) > 1:
                break
    reports.add(name, error)


async def settle(value: Any) -> Any:
    """The value, awaited where it must be."""
    return await value if inspect.isawaitable(value) else value


@contextlib.contextmanager
def _without_loop() -> Iterator[None]:
    """As outside of a notebook, whose cells run in an event loop."""
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)
        asyncio.set_event_loop(loop)


def _needs(test: Any) -> set[str]:
    """Parameters of a function that have no default."""
    try:
        found = inspect.signature(test, follow_wrapped=False).parameters.values()
    except (TypeError, ValueError):
        return set()
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {one.name for one in found if one.default is one.empty and one.kind not in several}


# -- in the live kernel, one statement at a time


def list_statements(cells: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The statements of the cells: fields of ``AssertionResult``, ``code``, whether it ``counts``."""
    replies = []
    for cell in cells:
        source, found = statements.read(cell)
        lines = source.splitlines()
        for statement in found:
            # All of the cell, if it is one check; one that cannot be parsed raises the reason.
            code = statements.text(lines, *statement.body) if len(statement.body) == 1 else source
            if statement.runs is not None and statement.checks:
                code += f"\nawait __import__('sys').modules['{__name__}'].run_live({statement.runs})"
            replies.append({**statement.to_reply(), "code": code, "counts": statement.checks})
    return replies


async def run_live(test: Any) -> None:
    """Called by that code: run a test that was just defined; raises what the first that fails has raised."""
    reports = frameworks.Reports(rewriting.Recorder())
    with reports.listening(""):
        await run_test(test, test.__name__, reports)
    tests, _ = reports.take()
    if tests and all(one.skipped is not None for one in tests):
        raise AssertionError("every test was skipped")
    for one in tests:
        if one.error is not None:
            raise one.error
