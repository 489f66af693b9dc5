"""Run check cells in the process that never ran the candidate, and report which of them held.

The names that the candidate made are stubs or plain copies; libraries, builtins
and what the user defined are this process's own. Each check is confirmed, or not
confirmed with a reason; see docs/contributing/verdict.md.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import importlib
import io
import os
import re
import sys
import types
import unittest.mock
from collections.abc import AsyncIterator, Iterator
from typing import Any

from .. import texts
from ..checks import evaluating, statements
from ..checks.check_calls import FUNCTIONS
from ..child.running import Runner
from ..child.tracebacks import ErrorFormatter
from ..ends import Events
from ..source import names
from . import importing
from .exchange import plain, stubs, wire
from .exchange.peer import Unconfirmable
from .judge_peer import Judge

_REASON = 300
#: Names may stand in texts: `eval("f(2)")`, `"f" in dir()`, `mock.patch("__main__.f")`.
_BY_TEXT = re.compile(r"__main__|testmod|%run\b|\b(?:eval|exec|globals|locals|vars|dir|get_ipython)\(")
#: Packages whose pickles make values, and the classes of the notebook.
_RESTORING = ("__main__", "copyreg", "copy_reg", "_codecs", "numpy", "pandas", "_jupyterlab_refine")
#: Names a file by a path that the folder decides, or runs a command.
_OPENS = re.compile(r"\b(?:open|read_\w+|load\w*|exists|Path|listdir|glob|connect)\(|^\s*[!%]", re.M)
#: Functions of pyplot that report the figures of the candidate's process.
_FIGURES = "gcf gca get_fignums get_figlabels fignum_exists close figure sca axes".split()
_PYPLOT = "matplotlib.pyplot"


class Judging:
    """One confirmation: the check cells of an attempt that held there.

    :param command: ``cells`` (visible checks and hold-outs), ``free`` (names that the target is there to
        define), ``asked`` (those that its prompt asks for), ``imports`` (import statements of the candidate),
        ``binds`` (names that it binds otherwise), ``changes`` (whose values it changes in place), ``reads``
        (names that it mentions), ``hidden`` (names whose values no worker gets).
    """

    def __init__(self, command: dict[str, Any], link: wire.Link, shell: Any, displays: Any) -> None:
        namespace = shell.user_ns
        hidden = {*command["hidden"]}
        known = {
            name: value
            for name, value in namespace.items()
            if name not in hidden and not name.startswith("_") and name not in ("In", "Out")
        }
        self._command = command
        self._known = known
        self._before = dict(namespace)
        self.judge = Judge(link, namespace, known)
        self.judge.expected = set(command["free"])
        self._runner = Runner(shell, displays)
        formatter = ErrorFormatter(shell, "none")
        self._evaluator = evaluating.Evaluator(shell, self._runner, formatter, Events(None))
        #: By statement: the names that it reads.
        self._reads: dict[str, set[str]] = {}
        #: By role: the names that its cells read and bind.
        self._uses: dict[str, tuple[set[str], set[str]]] = {}
        for cell in command["cells"]:
            reads, binds = self._uses.setdefault(cell["role"], (set(), set()))
            source, found = statements.read(cell)
            for statement in found:
                read = self._reads[statement.id] = set().union(*map(names.read_anywhere, statement.body))
                reads |= read
                binds |= set().union(*map(names.bound_anywhere, statement.body))
            self._evaluator.prepare(cell, (source, found))
        #: By name: why a check that reads it is not confirmed.
        self._changed: dict[str, str] = {}
        #: Those of them whose values could not be read.
        self._unread: set[str] = set()
        #: Names that have the candidate's values already.
        self._seen: set[str] = set()
        #: Whether a visible check, which held in the attempt, failed here.
        self._is_lossy = False
        #: From set-up statements: what holds for all checks after them.
        self._set_up: list[str] = []
        #: Why no check is confirmed.
        self.common: list[str] = []
        self._text, self._runs = "", False
        sys.addaudithook(self._on_event)

    async def checks(self, role: str) -> AsyncIterator[dict[str, Any]]:
        """For each checking statement of the cells of that role: what :meth:`Outcome.judged` takes."""
        cells = [cell for cell in self._command["cells"] if cell["role"] == role]
        if role == "holdout" and not cells:
            return
        self._text = "\n".join(cell["source"] for cell in cells)
        wanted, binds = self._uses.get(role, (set(), set()))
        self.judge.bound |= binds
        if _BY_TEXT.search(self._text):
            wanted = wanted | {name for name in self.judge.ask("new-names") if type(name) is str}
        has_figures = self._bind(wanted)
        self.judge.has_seeds |= "seed" in self._text
        with self._stand_ins(has_figures), self._evaluator.listening(cells):
            self._runs = True
            for cell in cells:
                async for result in self._cell(cell):
                    yield result
            self._runs = False

    async def held_empty(self, candidate: str) -> list[str]:
        """Afterwards: ids of the rows of the visible checks that also hold on an empty cell.

        They say nothing about the code. No code of the candidate's runs: its functions only raise.
        """
        namespace = self.judge.namespace
        namespace.clear()
        namespace.update(self._before)
        for tree in names.trees([candidate]):
            for name in set().union(*map(names.bound_here, names.own(tree))):
                namespace.pop(name, None)
            for node in _hollow(tree):
                with contextlib.suppress(Exception):
                    # Without the name no check of it holds.
                    module = ast.Module([ast.fix_missing_locations(node)], [])
                    await self._runner.run(self._runner.compile(module, "<emptied>"))
        self._evaluator.forget_runs()
        cells = [cell for cell in self._command["cells"] if cell["role"] == "assertion"]
        with self._evaluator.listening(cells):
            rows = [
                row
                for cell in cells
                async for _, ended, _ in self._evaluator.results(cell)
                for row in ended.rows
            ]
        return [row.fields["id"] for row in rows if row.error is None]

    @contextlib.contextmanager
    def _stand_ins(self, has_figures: bool) -> Iterator[None]:
        """While checks run: what they patch is patched in the candidate's process, whose figures they see."""
        judge, patch = self.judge, unittest.mock._patch
        with contextlib.ExitStack() as stack:

            def put(owner: Any, name: str, stand_in: Any) -> Any:
                own = getattr(owner, name)
                stack.callback(setattr, owner, name, own)
                setattr(owner, name, stand_in)
                return own

            enter: Any = put(patch, "__enter__", lambda one: judge.patched(one, enter(one), True))
            leave: Any = put(patch, "__exit__", lambda one, *why: judge.patched(one, leave(one, *why), False))
            for name in _FIGURES:
                if has_figures and name in self._text:
                    put(importlib.import_module(_PYPLOT), name, functools.partial(self._pyplot, name))
            for stream in ("stdout", "stderr"):
                put(sys, stream, io.StringIO())
            yield

    def _pyplot(self, name: str, *arguments: Any, **named: Any) -> Any:
        return self.judge.ask("module", _PYPLOT, name, arguments, named)

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Text and pickles that a check would run, and has not written itself: they may be the candidate's.

        :raises Unconfirmable:
        """
        if not self._runs:
            return
        if event == "pickle.find_class":
            module, name = map(str, arguments)
            if importing.find(module, name) is None and module.partition(".")[0] not in _RESTORING:
                self.judge.refuse(f"a check unpickles {module}.{name}, which the candidate may have chosen")
        elif event == "compile" and isinstance(arguments[0], str):
            # What a library compiles is its own.
            is_checks = sys._getframe(1).f_code.co_filename.startswith("<check")
            if is_checks and arguments[0].strip() not in self._text:
                self.judge.refuse("a check runs text that is not its own as code")

    # -- names

    def reads_file(self, name: str) -> bool:
        """Whether a check may read the file, or import it."""
        text = "\n".join(cell["source"] for cell in self._command["cells"])
        return bool(_OPENS.search(text)) or name.split(".")[0] in text

    def _bind(self, wanted: set[str], into: dict[str, Any] | None = None) -> bool:
        """Set the names that the checks read to the values after the candidate.

        :param into: where to put them instead of the user's namespace.
        :return: whether the candidate has made figures of matplotlib.
        """
        judge, namespace = self.judge, self.judge.namespace
        target = namespace if into is None else into
        wanted = wanted - self._seen - {*self._command["hidden"]}
        self._seen |= wanted
        free, binds, asked = (set(self._command[key]) for key in ("free", "binds", "asked"))
        # Of much data a digest does not see each change.
        vague = {name for name in self._command["changes"] if plain.is_large(self._known.get(name))}
        # While the worker runs the candidate.
        own = {name: plain.digest(self._known[name]) for name in wanted & (self._known.keys() - vague)}
        imported = self._imported(wanted - binds)
        target.update(imported)
        left = judge.ask("left", sorted(wanted - imported.keys()))
        for name in left["deleted"]:
            if name in self._known and name not in wanted:
                namespace.pop(name, None)
        described = left["names"]
        # What the checks could be about beside a builtin's name.
        others = [n for n in wanted if not hasattr(builtins, n) and described.get(n, ["none"])[0] != "none"]
        for name, (how, *content) in described.items():
            if how == "gone":
                self._changed[name] = f"`{name}`, which was defined before, was deleted"
                namespace.pop(name, None)
            elif how != "has":
                continue
            elif hasattr(builtins, name) and name not in asked and (others or name not in binds):
                # `from numpy import *` is no new `sum`; `def sum` may be the task, where there is no other.
                continue
            elif name not in self._known:
                self._take(name, target, content[1:])
            elif content[0] is None or content[0] != own.get(name):
                self._take(name, target, content[1:])
                if name not in free:
                    self._changed.setdefault(name, f"`{name}`, which was defined before, was changed")
        if into is None:
            # What the candidate's code reads goes to the worker when it changes.
            read = (judge.bound | wanted) & set(self._command["reads"]) - {"_", *self._command["hidden"]}
            judge.sent |= {n: judge.state(namespace[n]) if n in namespace else None for n in read}
        if os.getcwd() != left["folder"]:
            os.chdir(left["folder"])
            if _OPENS.search(self._text):
                self.common.append("the working folder was changed")
        for name, value in left["environment"].items():
            before = os.environ.get(name)
            if name in self._text and value != before:
                os.environ[name] = value
                if before is not None and name not in free:
                    self.common.append(f"the environment variable {name} was changed")
        return bool(left["figures"])

    def values(self, words: set[str]) -> dict[str, Any]:
        """For a scorer: what the candidate has made, and the names that it reads."""
        made = {name for name in self.judge.ask("new-names") if type(name) is str}
        found: dict[str, Any] = {}
        self._seen.clear()
        self._bind({*made, *filter(str.isidentifier, words)}, found)
        return found

    def changes(self, read: set[str]) -> list[str]:
        """Why a result that comes of these names is not confirmed."""
        return [*self.common, *(reason for name, reason in self._changed.items() if name in read)]

    def _take(self, name: str, target: dict[str, Any], given: list[Any]) -> None:
        """The value of a name as the candidate left it. :param given: it, unless it must be asked for."""
        self.judge.problems.clear()
        self.judge.shipped.add(name)
        try:
            target[name] = given[0] if given else self.judge.ask("name", name)
        except (Unconfirmable, Exception) as error:
            other = f"`{name}` cannot be read in the separate process: {error}"
            self._changed[name] = next(iter(self.judge.problems), other)
            self._unread.add(name)

    def _imported(self, wanted: set[str]) -> dict[str, Any]:
        """What the candidate imports is imported here: libraries are this process's own."""
        found: dict[str, Any] = {}
        for statement in self._command["imports"]:
            node = ast.parse(statement).body[0]
            assert isinstance(node, (ast.Import, ast.ImportFrom))
            bound = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            if not (bound & wanted or "*" in bound):
                continue
            space: dict[str, Any] = {"__name__": "__main__"}
            try:
                exec(compile(ast.Module([node], []), "<import>", "exec"), space)
            except Exception:
                # The worker reports its value, which may be a module that the candidate made.
                continue
            found.update({name: value for name, value in space.items() if name in wanted})
        # A name of the user's is not replaced, and a builtin's is no task.
        return {
            name: value
            for name, value in found.items()
            if name not in self._known
            and not hasattr(builtins, name)
            and (isinstance(value, types.ModuleType) or importing.path_of(value) is not None)
        }

    # -- statements

    async def _cell(self, cell: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        judge = self.judge
        judge.forget_reasons()
        async for statement, ended, _ in self._evaluator.results(cell):
            read = self._reads[statement.id]
            changed = [self._changed[name] for name in sorted(read) if name in self._changed]
            judge.problems += [self._changed[name] for name in sorted(read & self._unread)]
            has_failed = any(row.error is not None for row in ended.rows)
            if not has_failed and statement.checks and self._evaluator.was_swallowed():
                judge.problems.append("an assert failed and its error was caught")
            found = [*judge.problems, *self.common, *self._set_up, *changed, *judge.notes]
            if not statement.asserts:
                # It prepares what is compared later.
                self._set_up += [*changed, *judge.problems, *judge.notes]
            if statement.checks or ended.rows:
                self._is_lossy |= has_failed and statement.role == "assertion"
                reasons = {row.fields["id"]: self._reason(row, found) for row in ended.rows}
                is_ours = any(self._is_ours(row.error) for row in ended.rows)
                own = None if ended.rows or not judge.problems else _clause(judge.problems[0])
                yield {
                    "id": statement.id,
                    "role": statement.role,
                    "held": not has_failed,
                    "reason": reasons.pop(statement.id, own),
                    "rows": reasons,
                    "unjudged": not judge.faults and (bool(judge.problems) or is_ours),
                }
            judge.forget_reasons()

    def _is_ours(self, error: BaseException | None) -> bool:
        """Whether a failure may be caused by a missing object of the worker's, not by the candidate."""
        if error is None or stubs.is_from_worker(error) or isinstance(error, SyntaxError):
            return False
        # If a visible check that held in the attempt fails here, others may fail for the same reason.
        return not isinstance(error, AssertionError) or self._is_lossy or bool(self.judge.opaque_types)

    def _reason(self, row: evaluating.Row, found: list[str]) -> str | None:
        """Why the check is not confirmed; None when it is.

        :param found: reasons of the statement that ran it.
        """
        error = row.error
        if error is None:
            return _clause(found[0]) if found else None
        if self.judge.problems or isinstance(error, Unconfirmable):
            return _clause(found[0] if found else str(error))
        source = row.fields.get("name", row.fields["source"])
        what = texts.cut_end(" ".join(source.split()).removeprefix("assert "), 120)
        if isinstance(error, AssertionError):
            # One of a test framework has no traceback.
            how = f": {error}" if error.__traceback__ is None else " is False"
        else:
            how = f" raised {type(error).__name__}: {texts.of_error(error)}"
        return _clause(f"in the separate process, `{what}`{how}")


def _clause(text: str) -> str:
    return texts.cut_end(texts.plain(" ".join(text.split())), _REASON).rstrip(".")


def _hollow(tree: ast.Module) -> Iterator[ast.stmt]:
    """Imports, functions, and classes that have methods; without anything else."""
    for node in tree.body:
        if isinstance(node, FUNCTIONS):
            node.decorator_list = []
            yield _raising(node)
        elif isinstance(node, ast.ClassDef):
            node.decorator_list = []
            node.body = [_raising(one) for one in node.body if isinstance(one, FUNCTIONS)]
            if node.body:
                yield node
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node


def _raising(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    node.body = [ast.Raise(ast.Name("NotImplementedError", ast.Load()), None)]
    return node
