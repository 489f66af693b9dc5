"""What test frameworks report while checks run: unittest, doctest, pytest (and so ipytest) and otter.

Each is listened to at the place that all its entry points share, so that a failure counts which the check
itself does not read. Open this when a runner's result is not counted, or counted twice.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import os
import sys
import tempfile
import types
import unittest
import unittest.mock
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from .check_calls import FIXTURES
from .explain import explain
from .rewriting import Recorder

#: Methods of a result of unittest.
_ENDS = (
    "startTest addSuccess addFailure addError addSubTest addSkip addExpectedFailure addUnexpectedSuccess"
).split()
#: Reports of doctest: whether the example raised what it should not; None where it holds.
_OF_EXAMPLES = {"success": None, "failure": False, "unexpected_exception": True}


class Test(NamedTuple):
    """A test that ran: a method, a function or an example of a docstring."""

    #: ``TestAdd.test_add``, ``test_add[1-2]``, ``add: example 2 (>>> add(1, 2))``
    name: str
    error: BaseException | None = None
    #: Further fields of an ``AssertionResult``.
    fields: dict[str, Any] = {}
    #: Why it was skipped.
    skipped: str | None = None


class Reports:
    """The tests that ran since the last :meth:`take`.

    :param recorder: has the operands of the assert that failed.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._found: dict[str, Test] = {}
        #: The framework that was asked to run tests.
        self._asked: str | None = None

    def take(self) -> tuple[list[Test], str | None]:
        """The tests by name, and the framework that was asked for tests, if any."""
        found, asked = list(self._found.values()), self._asked
        self._found, self._asked = {}, None
        return found, asked

    def add(self, name: str, error: Any = None, **fields: Any) -> None:
        """Note the end of a test; of one that ends twice, the first failure counts.

        :param error: an exception, or what ``sys.exc_info`` gives.
        """
        error = error[1] if isinstance(error, tuple) else error
        before = self._found.get(name)
        if before is not None and before.error is not None:
            return
        if isinstance(error, unittest.SkipTest) or _is_of_pytest(error, "Skipped"):
            self.skip(name, str(error))
            return
        if isinstance(error, AssertionError) and not fields:
            with contextlib.suppress(RecursionError):
                fields = explain(self._recorder)
        self._recorder.current = None
        self._found[name] = Test(name, error, fields)

    def skip(self, name: str, reason: str) -> None:
        self._found.setdefault(name, Test(name, skipped=str(reason)))

    @contextlib.contextmanager
    def listening(self, text: str) -> Iterator[None]:
        """While checks run; the frameworks are as before afterwards.

        :param text: of the checks: what they name, or may run from a file, is imported first.
        """
        runs_files = "%run" in text
        for name in ("doctest", "pytest", "otter"):
            if (runs_files and name != "otter" or name in text) and importlib.util.find_spec(name):
                with contextlib.suppress(Exception):
                    importlib.import_module("otter.check.notebook" if name == "otter" else name)
        if "%%ipytest" in text:
            _define_magic()
        with contextlib.ExitStack() as stack:
            places: list[tuple[str, str, str, Callable[..., Any]]] = [
                ("unittest", "TestSuite", "run", functools.partial(self._ask, "unittest")),
                ("unittest", "TestCase", "run", functools.partial(self._ask, "unittest")),
                *(("unittest", "TestResult", name, functools.partial(self._result, name)) for name in _ENDS),
                ("doctest", "DocTestFinder", "find", self._search),
                ("doctest", "DocTestRunner", "run", functools.partial(self._ask, "doctest")),
                *(
                    ("doctest", "DocTestRunner", f"report_{name}", functools.partial(self._example, raised))
                    for name, raised in _OF_EXAMPLES.items()
                ),
                ("_pytest.config", "", "_prepareconfig", self._config),
                ("otter.check.notebook", "Notebook", "check", self._question),
            ]
            for module, owner, name, stand_in in places:
                found: Any = sys.modules.get(module)
                found = getattr(found, owner, None) if owner else found
                if hasattr(found, name):
                    own = getattr(found, name)
                    stack.callback(setattr, found, name, own)
                    setattr(found, name, _in_place_of(own, stand_in))
            yield

    def _ask(self, framework: str, own: Any, *arguments: Any, **named: Any) -> Any:
        self._asked = framework
        return own(*arguments, **named)

    # -- unittest

    def _result(self, end: str, own: Any, result: Any, case: Any, *details: Any) -> Any:
        """A test starts or ends; those of doctest are listened to as examples."""
        if hasattr(case, "_testMethodName"):
            name = f"{type(case).__qualname__}.{case._testMethodName}"
        else:
            # `setUpClass (__main__.TestAdd)`
            step, _, owner = str(case).rstrip(")").partition(" (")
            name = f"{owner.rpartition('.')[2]}.{step}"
        if end == "startTest":
            self._recorder.current = None
        elif end == "addSkip":
            self.skip(name, *details)
        elif end == "addUnexpectedSuccess":
            self.add(name, AssertionError("expected to fail, but passed"))
        elif type(case).__module__ != "doctest" and not (end == "addSubTest" and details[-1] is None):
            self.add(name, details[-1] if details and end != "addExpectedFailure" else None)
        return own(result, case, *details)

    # -- doctest

    def _search(self, own: Any, *arguments: Any, **named: Any) -> Any:
        if sys._getframe(2).f_code.co_name in ("testmod", "run_docstring_examples"):
            self._asked = "doctest"
        return own(*arguments, **named)

    def _example(
        self, raised: bool | None, own: Any, runner: Any, out: Any, test: Any, example: Any, got: Any
    ) -> Any:
        """:param raised: whether it raised what it should not; None where it holds."""
        title = test.name.removeprefix("__main__.").replace("NoName", "docstring", 1)
        source = example.source.strip()
        first = source.partition("\n")[0]
        error, sides = got if raised else None, {}
        if raised is False:
            want, text = example.want.rstrip("\n"), got.rstrip("\n")
            error = AssertionError(f"{text or 'nothing'}, expected {want}")
            for side, shown in (("expected", want), ("observed", text)):
                sides[side] = {"expression": source, "type": "str", "repr": shown}
        self.add(f"{title}: example {test.examples.index(example) + 1} (>>> {first})", error, **sides)
        return own(runner, out, test, example, got)

    # -- pytest

    def _config(self, own: Any, arguments: Any = None, plugins: Any = None, **named: Any) -> Any:
        self._asked = "pytest"
        try:
            return own(arguments, [*(plugins or []), _Plugin(self)], **named)
        except Exception as error:
            self.add("pytest", error)
            raise

    # -- otter

    def _question(self, own: Any, notebook: Any, *arguments: Any, **named: Any) -> Any:
        before = dict(self._found)
        if len(arguments) < 2:
            # It takes those of its caller, which would be this module's.
            named = {"global_env": sys._getframe(2).f_globals, **named}
        result = own(notebook, *arguments, **named)
        # Examples of doctest, by which it runs some of its tests: `q1 0: example 1 (>>> x)` of its first one.
        failed = [(name, one) for name, one in self._found.items() if one.error and name not in before]
        self._found, self._asked = before, "otter"
        for index, one in enumerate(getattr(result, "test_case_results", ())):
            message = None if one.passed else AssertionError(str(one.message).strip())
            examples = (test for name, test in failed if f" {index}: example " in name)
            shown = None if one.passed else next(examples, None)
            error, fields = (shown.error, shown.fields) if shown else (message, {})
            example = f" {shown.name[shown.name.index('(>>> ') :]}" if shown else ""
            self.add(f"{one.test_case.name}{example}", error, **fields)
        return result


class _Plugin:
    """A plugin of pytest that reports its tests."""

    def __init__(self, reports: Reports) -> None:
        self._reports = reports
        #: By test: what it raised.
        self._errors: dict[str, BaseException] = {}
        self._has_failed = False

    def pytest_runtest_setup(self) -> None:
        self._reports._recorder.current = None

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        if call.excinfo is not None:
            self._errors[item.nodeid] = call.excinfo.value

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._report(report, report.when == "call" or hasattr(report, "wasxfail"))

    def pytest_collectreport(self, report: Any) -> None:
        self._report(report, False)

    def pytest_sessionfinish(self, exitstatus: Any) -> None:
        # 0: all passed, 5: there was no test.
        if int(exitstatus) not in (0, 5) and not self._has_failed:
            self._reports.add("pytest", AssertionError(f"pytest ended with exit status {int(exitstatus)}"))

    def _report(self, report: Any, is_end: bool) -> None:
        name = ".".join(report.nodeid.split("::")[1:]) or report.nodeid
        if report.failed:
            self._has_failed = True
            error = self._errors.get(report.nodeid) or AssertionError(report.longreprtext)
            self._reports.add(name, error)
        elif report.skipped and not hasattr(report, "wasxfail"):
            self._reports.skip(name, report.longrepr[2] if isinstance(report.longrepr, tuple) else "")
        elif is_end:
            self._reports.add(name)


def outcome(error: BaseException | None) -> str:
    """``passed``, ``failed`` or ``error``: whether it was a check that did not hold."""
    if error is None:
        return "passed"
    return "failed" if isinstance(error, AssertionError) or _is_of_pytest(error, "Failed") else "error"


def _is_of_pytest(error: Any, name: str) -> bool:
    """``pytest.fail()`` and ``pytest.skip()`` raise what says that it is a builtin."""
    bases = [f"{base.__module__}.{base.__qualname__}" for base in type(error).__mro__]
    return type(error).__name__ == name and "_pytest.outcomes.OutcomeException" in bases


def _in_place_of(own: Any, stand_in: Callable[..., Any]) -> Any:
    return functools.wraps(own)(lambda *arguments, **named: stand_in(own, *arguments, **named))


def _define_magic() -> None:
    """``%%ipytest`` of a notebook that has imported ipytest in a cell that did not run here."""
    from IPython import get_ipython

    shell: Any = get_ipython()
    if shell.find_cell_magic("ipytest") is None and importlib.util.find_spec("ipytest"):
        importlib.import_module("ipytest").autoconfig()


def fixtures(namespace: dict[str, Any]) -> dict[str, Any]:
    """Fixtures of pytest by name, its own ones as well; none where the checks do not import it."""
    if "pytest" not in sys.modules:
        return {}
    own = {name: value for name, value in namespace.items() if _is_fixture(value)}
    return {**dict.fromkeys(FIXTURES), **own}


def _is_fixture(value: Any) -> bool:
    kind = type(value)
    if kind.__name__ == "FixtureFunctionDefinition":
        return kind.__module__.startswith("_pytest")
    return kind is types.FunctionType and hasattr(value, "_pytestfixturefunction")


def run_by_pytest(name: str, namespace: dict[str, Any]) -> None:
    """Let pytest call a test with fixtures or marks, which it finds in a module that is made for it."""
    with tempfile.TemporaryDirectory() as folder:
        module = types.ModuleType(f"test_{os.path.basename(folder)}")
        module.__file__ = os.path.join(folder, module.__name__ + ".py")
        with open(module.__file__, "w"):
            own = {one: value for one, value in fixtures(namespace).items() if value is not None}
            vars(module).update({**own, name: namespace[name]})
        sys.modules[module.__name__] = module
        try:
            options = ["-q", "-p", "no:cacheprovider", "--rootdir", folder]
            options += ["--basetemp", os.path.join(folder, "tmp")]
            # Plugins that are installed for other projects take seconds.
            with unittest.mock.patch.dict(os.environ, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}):
                importlib.import_module("pytest").main([*options, f"{module.__file__}::{name}"])
        finally:
            del sys.modules[module.__name__]
