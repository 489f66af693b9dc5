"""Runs check cells in the process that never ran the candidate, and says what held there.

The names that the candidate made are stubs or plain copies; libraries, builtins
and what the user defined are this process's own. Each check is confirmed, or not
confirmed with a reason; see ``JUDGE`` in ARCHITECTURE.md.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib
import io
import logging
import os
import re
import symtable
import sys
import types
import unittest.mock
import warnings
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from . import digest, evaluating, importing, library_data, plain, statements, stubs, texts, wire
from .peer import Peer, Unconfirmable
from .running import Runner
from .statements import Statement
from .streams import Silent
from .tracebacks import Teller

_REASON = 300
_WORD = re.compile(r"\w+")
#: Names of the notebook in texts: `mock.patch("__main__.fetch")`.
_OF_MAIN = re.compile(r"""["']__main__\.(\w+)""")
_LARGE = 1 << 20
#: Modules of the standard library that run text as code.
_RUNNERS = (
    "doctest.py",
    "timeit.py",
    "code.py",
    "codeop.py",
    "runpy.py",
    "trace.py",
    "profile.py",
    "cProfile.py",
)
_RESTORING = {("copyreg", "_reconstructor"), ("copy_reg", "_reconstructor"), (stubs.__name__, "_restore")}
#: Functions of libraries that tell of a state which the candidate's process has.
_STATE = {
    "matplotlib.pyplot": (
        "gcf",
        "gca",
        "get_fignums",
        "get_figlabels",
        "fignum_exists",
        "close",
        "figure",
        "sca",
        "axes",
    ),
    "pandas": ("get_option",),
    "numpy": ("get_printoptions", "geterr"),
    "locale": ("getlocale",),
    "decimal": ("getcontext",),
}


class Judge(Peer):
    """The judge's end; collects why a check is not confirmed."""

    judges = True

    def __init__(self, link: wire.Link, namespace: dict[str, Any], known: dict[str, Any]) -> None:
        super().__init__(link, namespace, known)
        #: Of the statement that runs: what the candidate's own classes decided, and what cannot be judged.
        self.notes: list[str] = []
        self.problems: list[str] = []
        #: Objects of libraries that stayed in the worker: a failure may be for want of them.
        self.opaque_types: list[str] = []
        #: Names that the candidate's code reads, with the digest of what the worker has.
        self.watched: dict[str, str | None] = {}
        #: Names whose values the worker may send anew.
        self.shipped: set[str] = set()
        #: Packages that the candidate's source imports.
        self.imports: set[str] = set()
        #: Names that the checks bind.
        self.bound: set[str] = set()
        #: Names that the task speaks of.
        self.expected: set[str] = set()
        #: Working folder and environment variables, as the worker knows them.
        self.surroundings = (os.getcwd(), dict(os.environ))

    def note(self, reason: str) -> None:
        if reason not in self.notes:
            self.notes.append(reason)

    def problem(self, reason: str) -> None:
        self.problems.append(reason)

    def opaque(self, name: str) -> None:
        self.opaque_types.append(name)

    def module(self, name: str) -> types.ModuleType:
        root = name.split(".")[0]
        if root not in sys.modules and root not in self.imports:
            raise ImportError(f"{name} is not imported by the candidate's source")
        return super().module(name)

    def ask(self, operation: str, *arguments: Any) -> Any:
        try:
            return super().ask(operation, *arguments)
        except (plain.Unsendable, RecursionError, wire.TooLarge) as error:
            reason = "an argument cannot be sent to the candidate's process" + (
                f": {error}" if str(error) else ""
            )
        except (plain.BadData, wire.Malformed) as error:
            reason = f"the candidate's process answered with what is no value ({error})"
        except wire.Closed:
            reason = "the candidate's process ended"
        self.problem(reason)
        raise Unconfirmable(reason)

    def before_asking(self, packer: plain.Packer) -> Any:
        fresh: list[Any] = []
        for name, old in self.watched.items():
            if name in self.namespace:
                now = self._state(self.namespace[name])
                if now != old:
                    self.watched[name] = now
                    if name in self.bound and name not in self.expected:
                        self.note(f"the candidate reads `{name}`, which the check sets")
                    fresh.append([name, packer.node(self.namespace[name])])
        return [fresh, *self._moved()]

    def _moved(self) -> tuple[str | None, dict[str, str | None]]:
        """Working folder and environment variables that a check has changed since the last question."""
        folder, environment = os.getcwd(), dict(os.environ)
        (old_folder, old), self.surroundings = self.surroundings, (folder, environment)
        changed: dict[str, str | None] = {}
        if environment != old:
            names = environment.keys() | old.keys()
            changed = {n: environment.get(n) for n in names if environment.get(n) != old.get(n)}
        return (folder if folder != old_folder else None), changed

    def _state(self, value: Any) -> str | None:
        large = (library_data.size(value) or 0) > _LARGE
        return str(id(value)) if large or stubs.handle_of(value, self) is not None else digest.of(value)

    def watch(self, names: Iterable[str]) -> None:
        """Have the worker know of changes of these from now on."""
        missing = object()
        for name in names:
            value = self.namespace.get(name, missing)
            self.watched[name] = None if value is missing else self._state(value)

    def take(self, unpacker: plain.Unpacker, node: Any) -> None:
        if type(node) is not list or len(node) != 5:
            return
        fresh, printed, errors, told, records = node
        for name, part in fresh:
            if type(name) is not str or name not in self.shipped:
                raise plain.BadData("a name that nobody asked for")
            value = unpacker.value(part)
            if name in self.bound and name not in self.expected:
                self.note(f"the candidate sets `{name}`, which the check sets as well")
            mine = self.namespace.get(name)
            if not (mine is not None and plain.overwrite(mine, value)):
                self.namespace[name] = value
            if name in self.watched:
                self.watched[name] = self._state(self.namespace[name])
        for stream, text in ((sys.stdout, printed), (sys.stderr, errors)):
            if type(text) is str and text:
                stream.write(text)
        for part, text in told:
            category = unpacker.value(part)
            if isinstance(category, type) and issubclass(category, Warning):
                warnings.warn(str(text), category, stacklevel=2)
        for name, level, text in records:
            logger = logging.getLogger(str(name) if name != "root" else None)
            if logger.isEnabledFor(int(level)):
                logger.handle(logger.makeRecord(str(name), int(level), "", 0, str(text), (), None))

    def perform(self, operation: str, arguments: tuple[Any, ...]) -> Any:
        """What a check has passed in may be called, and read as far as its names are public."""
        value, *rest = arguments
        if id(value) not in self._handles:
            # Whatever else it can name, a value of the user's say, is none of its business.
            raise AttributeError(f"not to be had here: {operation}")
        if operation == "call":
            return value(*rest[0], **rest[1])
        if operation == "operator" and rest[0] in stubs.OPERATORS and not isinstance(value, types.ModuleType):
            if rest[0] == "__bool__":
                return bool(value)
            return getattr(type(value), rest[0])(value, *rest[1])
        if operation in ("get", "set", "delete", "method") and stubs.is_exposed(rest[0]):
            if operation == "get":
                return getattr(value, rest[0])
            if operation == "set":
                return setattr(value, *rest)
            return (
                delattr(value, *rest)
                if operation == "delete"
                else getattr(value, rest[0])(*rest[1], **rest[2])
            )
        if operation == "get" and rest[0] == "__signature__":
            return stubs.signature(value)
        if operation == "content":
            return stubs.content(value, stubs._base_of(type(value)))  # type: ignore[arg-type]
        if operation == "isinstance":
            return isinstance(value, rest[0])
        if operation == "list":
            return list(value)
        raise AttributeError(f"not to be had here: {operation}")


class Judging:
    """One confirmation: the check cells of an attempt that held there.

    :param command: ``cells`` (visible checks and hold-outs), ``free`` (names that the target is there to
        define), ``imports`` (import statements of the candidate), ``binds`` (names that it binds otherwise),
        ``reads`` (names that it mentions), ``hidden`` (names whose values no worker gets).
    """

    def __init__(self, command: dict[str, Any], link: wire.Link, shell: Any, displays: Any) -> None:
        namespace = shell.user_ns
        hidden = {*command["hidden"]}
        known = {name: value for name, value in namespace.items() if name not in hidden}
        self._command = command
        self._shell = shell
        self._known = known
        self.judge = Judge(link, namespace, known)
        self.judge.expected = set(command["free"])
        self.judge.imports = {word for text in command["imports"] for word in _WORD.findall(text)}
        self._runner = Runner(shell, displays)
        self._evaluator = evaluating.Evaluator(
            shell, self._runner, Teller(shell, "none"), Silent(), "_refine_judge"
        )
        #: By name: why a check that reads it is not confirmed.
        self._changed: dict[str, str] = {}
        #: Where the kernel was, if the candidate went elsewhere.
        self._old_folder: str | None = None
        #: Paths that the statement which runs has opened.
        self._opened: list[str] = []
        #: Of every check.
        self._common = [
            f"`{name}`, a file that was there before, was changed while the checks ran"
            for name in command.get("changed", [])
        ]
        #: Whether a check runs.
        self._runs = False
        self._text = ""
        sys.addaudithook(self._on_event)

    async def checks(self, role: str) -> AsyncIterator[dict[str, Any]]:
        """For each checking statement of the cells of that role: what :meth:`Outcome.judged` takes."""
        cells = [cell for cell in self._command["cells"] if cell["role"] == role]
        self._text = "\n".join(cell["source"] for cell in cells)
        self._bind(_reads(cell["source"] for cell in cells) | set(_OF_MAIN.findall(self._text)))
        self._surroundings()
        with self._stand_ins():
            for number, cell in enumerate(cells):
                async for told in self._cell(cell, number):
                    yield told

    def _on_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        """What a check does: files that it opens, and text or data that it would run as code.

        :raises Unconfirmable: for code that is not the check's own.
        """
        if event in ("open", "sqlite3.connect") and isinstance(arguments[0], (str, bytes, os.PathLike)):
            self._opened.append(os.fsdecode(arguments[0]))
        elif event == "pickle.find_class" and self._runs and not _is_harmless(*arguments):
            self.judge.refuse(
                f"a check unpickles {arguments[0]}.{arguments[1]}, which the candidate may have chosen"
            )
        elif event == "compile" and self._runs and isinstance(arguments[0], (str, bytes)):
            caller = sys._getframe(1).f_code.co_filename
            by_check = caller.startswith(("<check", "<scorer")) or os.path.basename(caller) in _RUNNERS
            text = arguments[0] if isinstance(arguments[0], str) else arguments[0].decode("utf-8", "replace")
            if importing.is_new(arguments[1]) or (by_check and text.strip() not in self._text):
                self.judge.refuse("a check runs text as code that is not its own")

    def _files(self) -> list[str]:
        """Files that were opened and that the attempt has made or changed."""
        opened, self._opened = self._opened, []
        for path in opened:
            there = os.path.join(self._old_folder or "", path)
            if self._old_folder is not None and not os.path.isabs(path) and os.path.exists(there):
                self.judge.note("the working folder was changed")
        return [path for path in map(os.path.abspath, dict.fromkeys(opened)) if importing.is_new(path)]

    @contextlib.contextmanager
    def guarded(self, text: str) -> Iterator[None]:
        """While a check or scorer of that text runs: no other text is run as code."""
        self._text, self._runs = text, True
        try:
            yield
        finally:
            self._runs = False

    # -- names

    def _bind(self, wanted: set[str]) -> None:
        """Give the names that the checks read the values that the candidate has left."""
        judge, namespace = self.judge, self.judge.namespace
        free, binds = set(self._command["free"]), set(self._command["binds"])
        imported = self._imported(wanted - binds)
        namespace.update(imported)
        for name in judge.ask("deleted"):
            if name in self._known and name not in wanted:
                namespace.pop(name, None)
        stands = judge.ask("names", sorted(wanted - imported.keys()))
        taken = {name for name, (how, *_) in stands.items() if how == "new"}
        of_task = {name for name in taken if not importing.is_builtin_name(name)}
        for name, (how, *told) in stands.items():
            if how == "gone":
                self._changed[name] = f"`{name}`, which was defined before, was deleted"
                namespace.pop(name, None)
            elif how == "same" and told[0] != digest.of(namespace.get(name)):
                self._take(name)
                if name not in free:
                    self._changed[name] = f"`{name}`, which was defined before, was changed"
            elif how == "new":
                # `from numpy import *` is no new `sum`; `def sum` may be the task.
                if importing.is_builtin_name(name) and name not in binds and name not in free:
                    continue
                if importing.is_builtin_name(name) and of_task and name not in free:
                    continue
                old = digest.of(self._known[name]) if name in self._known else None
                self._take(name)
                if name in self._known and name not in free and (old is None or old != told[0]):
                    self._changed[name] = f"`{name}`, which was defined before, was changed"
        judge.bound |= {name for tree in statements.trees([self._text]) for name in _binds(tree)}
        judge.watch((judge.bound | wanted) & set(self._command["reads"]) - {"_"})

    def bind_all(self, words: set[Any]) -> None:
        """For a scorer: also names that it reads from ``ns``, and all that the candidate has made."""
        made = {name for name in self.judge.ask("new-names") if type(name) is str}
        self._bind({*made, *(word for word in words if type(word) is str and word.isidentifier())})

    def changes(self, names: set[Any]) -> list[str]:
        """Why a result that comes of these names is not confirmed."""
        return [reason for name, reason in self._changed.items() if name in names]

    def _take(self, name: str) -> None:
        """The value of a name as the candidate left it."""
        judge = self.judge
        judge.problems.clear()
        judge.shipped.add(name)
        try:
            value = judge.ask("name", name)
        except (Unconfirmable, ImportError, Exception) as error:
            self._changed[name] = (
                judge.problems[0] if judge.problems else f"`{name}` cannot be had here: {error}"
            )
            return
        judge.namespace[name] = value

    def _imported(self, wanted: set[str]) -> dict[str, Any]:
        """What the candidate imports is imported here: libraries are this process's own."""
        found: dict[str, Any] = {}
        for statement in self._command["imports"]:
            node = ast.parse(statement).body[0]
            assert isinstance(node, (ast.Import, ast.ImportFrom))
            names = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            if not (names & wanted or "*" in names):
                continue
            space: dict[str, Any] = {"__name__": "__main__"}
            try:
                exec(compile(ast.Module([node], []), "<import>", "exec"), space)
            except Exception:
                # The worker says what it has; it may be a module that the candidate made.
                continue
            found.update({name: value for name, value in space.items() if name in wanted})
        return {
            name: value for name, value in found.items() if name not in vars(builtins) or name in self._known
        }

    def _surroundings(self) -> None:
        """Working folder and environment variables, as far as the checks speak of them."""
        told = self.judge.ask("surroundings")
        with contextlib.suppress(OSError, TypeError):
            old = os.getcwd()
            os.chdir(told["folder"])
            self._old_folder = old if os.getcwd() != old else None
        for name, value in told["environment"].items():
            old = os.environ.get(name)
            if old != value and type(name) is str and type(value) is str and name in self._text:
                os.environ[name] = value
                if old is not None and name not in self._command["free"]:
                    self._changed[name] = (
                        f"the environment variable {name}, which was set before, was changed"
                    )
        self._figures = bool(told["figures"])
        for name, value in told["drawing"].items():
            if type(name) is str and name in self._text:
                importlib.import_module("matplotlib").rcParams[name] = value
        self.judge.surroundings = (os.getcwd(), dict(os.environ))

    # -- statements

    async def _cell(self, cell: dict[str, Any], number: int) -> AsyncIterator[dict[str, Any]]:
        judge = self.judge
        file_name = f"<check {number + 1}>"
        broken: BaseException | None = None
        before = [*self._common]
        files: list[str] = []
        for statement in statements.split(cell):
            judge.notes, judge.problems, judge.opaque_types, self._opened = [], [], [], []
            before += [
                self._changed[name] for name in sorted(_reads([statement.source])) if name in self._changed
            ]
            before += [
                text for key, text in self._changed.items() if key in statement.source and key in os.environ
            ]
            if not statement.checks:
                with self.guarded(self._text):
                    try:
                        await self._runner.execute(self._evaluator.rewritten(statement), file_name)
                    except BaseException as error:
                        broken = broken or error
                files += self._files()
                before += [*judge.problems, *judge.notes]
                continue
            with self.guarded(self._text):
                told, error = await self._evaluator.outcome(statement, file_name, broken)
            own_files = self._files()
            reason = self._reason(statement, told, error, before)
            yield {
                "id": statement.id,
                "role": statement.role,
                "held": told["outcome"] == "passed",
                "reason": reason,
                "files": [*files, *own_files],
                "unjudged": bool(judge.problems or before) or self._is_ours(error),
            }

    def _is_ours(self, error: BaseException | None) -> bool:
        """Whether a failure may be for want of the object itself."""
        if error is None:
            return False
        if isinstance(error, (Unconfirmable, importing.WrittenByCandidate)):
            return True
        return bool(self.judge.opaque_types) and not stubs.is_from_worker(error)

    def _reason(
        self, statement: Statement, told: dict[str, Any], error: BaseException | None, before: list[str]
    ) -> str | None:
        """Why the check is not confirmed; None when it is."""
        judge = self.judge
        found = [*judge.problems, *before, *judge.notes]
        if error is None:
            return _clause(found[0]) if found else None
        if judge.problems or isinstance(error, Unconfirmable):
            return _clause(found[0] if found else str(error))
        what = texts.cut_end(" ".join(statement.source.split()).removeprefix("assert "), 120)
        if isinstance(error, AssertionError):
            return _clause(f"separately, `{what}` is False")
        message = texts.plain(f"{type(error).__name__}: {_text_of(error)}")
        return _clause(f"separately, `{what}` raised {message}")

    # -- what a check does to libraries

    @contextlib.contextmanager
    def _stand_ins(self) -> Iterator[None]:
        """Patches of checks reach the worker; questions about its state are answered there."""
        judge = self.judge
        enter, leave = unittest.mock._patch.__enter__, unittest.mock._patch.__exit__  # type: ignore[attr-defined]

        def patched(patch: Any) -> Any:
            result = enter(patch)
            target = patch.target
            if stubs.handle_of(target, judge) is None and isinstance(target, (types.ModuleType, type)):
                path = (
                    [target.__module__, target.__qualname__]
                    if isinstance(target, type)
                    else [target.__name__, ""]
                )
                judge.ask("patch", *path, patch.attribute, getattr(target, patch.attribute))
                patch.refine_mirrored = True
            return result

        def unpatched(patch: Any, *error: Any) -> Any:
            if vars(patch).pop("refine_mirrored", False):
                judge.ask("unpatch")
            return leave(patch, *error)

        unittest.mock._patch.__enter__, unittest.mock._patch.__exit__ = patched, unpatched  # type: ignore[attr-defined]
        changed: list[tuple[Any, str, Any]] = []
        for module, names in _STATE.items():
            if (module in sys.modules or self._figures) and (module != "matplotlib.pyplot" or self._figures):
                found = importlib.import_module(module)
                for name in names:
                    if name in self._text:
                        changed.append((found, name, getattr(found, name)))
                        setattr(found, name, self._forwarded(module, name))
        out, err = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
        try:
            yield
        finally:
            sys.stdout, sys.stderr = out, err
            unittest.mock._patch.__enter__, unittest.mock._patch.__exit__ = enter, leave  # type: ignore[attr-defined]
            for found, name, value in changed:
                setattr(found, name, value)

    def _forwarded(self, module: str, name: str) -> Any:
        def forwarded(*arguments: Any, **named: Any) -> Any:
            return self.judge.ask("module", module, name, arguments, named)

        return forwarded


def _is_harmless(module: Any, name: Any) -> bool:
    """Whether what is unpickled so is data of a library, or of the user's own class."""
    root = str(module).split(".")[0]
    if root in (
        "numpy",
        "pandas",
        "collections",
        "datetime",
        "decimal",
        "fractions",
        "uuid",
        "pathlib",
        "_codecs",
    ):
        return not str(name).startswith(("eval", "read_", "load", "from", "save"))
    return root == "__main__" or importing.find(module, name) is not None or (module, name) in _RESTORING


def _reads(sources: Iterable[str]) -> set[str]:
    """Names that the sources load, anywhere."""
    return {
        node.id
        for tree in statements.trees(sources)
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def _binds(tree: ast.Module) -> set[str]:
    """Names that a source binds, anywhere."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
    return found


def names_of_candidate(source: str) -> dict[str, list[str]]:
    """What a judge is told of the candidate's source: ``imports``, ``binds``, ``reads``.

    Import statements at the top, other names that it binds there, and globals that it reads anywhere.
    """
    imports: list[str] = []
    binds: set[str] = set()
    reads: set[str] = set()
    for tree in statements.trees([source]):
        todo: list[ast.AST] = list(tree.body)
        while todo:
            node = todo.pop(0)
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                imports += [ast.unparse(node)] if not getattr(node, "level", 0) else []
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                binds.add(node.name)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                binds.add(node.id)
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
                todo += ast.iter_child_nodes(node)
    try:
        tables = [symtable.symtable(statements.python_source(source), "<candidate>", "exec")]
    except (SyntaxError, ValueError, RecursionError):
        tables = []
    while tables:
        table = tables.pop()
        at_top = table.get_type() == "module"
        reads |= {
            s.get_name() for s in table.get_symbols() if s.is_referenced() and (at_top or s.is_global())
        }
        tables += table.get_children()
    return {"imports": imports, "binds": sorted(binds), "reads": sorted(reads)}


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""


def _clause(text: str) -> str:
    return texts.cut_end(texts.plain(" ".join(text.split())), _REASON).rstrip(".")
