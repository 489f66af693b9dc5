"""The process that answers calls of the candidate's functions; it never holds a check.

It is a copy of the attempt's process, made after the candidate and before the checks, or
it runs the candidate again. The judge uses its answers as data, never as a verdict.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import importlib
import inspect
import io
import os
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

from .. import ends
from ..child import above, child, shell_cut
from ..child.running import Runner, complete, new_loop
from .exchange import plain, wire
from .exchange.peer import Peer, Unconfirmable

_MISSING = object()
_TEXT = 1 << 20


def _taken(stream: io.StringIO) -> str:
    """What was printed since the last time."""
    text = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return text[:_TEXT]


class Worker(Peer):
    """Serves the judge until that one ends.

    :param before: the user's namespace before the candidate.
    """

    #: Why the candidate did not run: the answer to every question.
    failure: str | None = None

    def __init__(self, link: Any, namespace: dict[str, Any], before: dict[str, Any], loop: Any) -> None:
        super().__init__(link, namespace, before)
        self._before = before
        self.loop = loop
        #: Text that the candidate's functions print; the judge prints it again.
        self._out, self._err = io.StringIO(), io.StringIO()
        self._warnings: list[list[Any]] = []
        #: Earlier values of attributes that the checks have changed.
        self._originals: dict[tuple[str, str, str], Any] = {}

    def run(self) -> None:
        """Serve; returns when the judge has ended."""
        ends.replace_output(self._out, self._err)
        errors = [category for action, _, category, _, _ in warnings.filters if action == "error"]
        warnings.simplefilter("always")
        for category in errors:
            # Those that the notebook wants to be raised.
            warnings.simplefilter("error", category)
        warnings.showwarning = self._warned
        with contextlib.suppress(wire.Closed, wire.Malformed):
            self.serve()

    def _warned(self, message: Any, category: Any, *_: Any, **__: Any) -> None:
        if len(self._warnings) < 200:
            self._warnings.append([category, str(message)])

    def take(self, unpacker: plain.Unpacker, node: Any) -> None:
        if not node:
            return
        fresh, states = node
        self.set_names(unpacker, fresh)
        seeds = unpacker.value(states)
        self.has_seeds = seeds is not None
        if self.has_seeds:
            self.set_seeds(seeds)

    def _patch(self, path: tuple[str, str], attribute: str, value: list[Any]) -> None:
        """Set an attribute of a module or class; without a value, to what it was."""
        module, name = path
        owner: Any = sys.modules["__main__"] if module == "__main__" else importlib.import_module(module)
        for part in name.split(".") if name else ():
            owner = getattr(owner, part)
        own = self._originals.setdefault((*path, attribute), vars(owner).get(attribute, _MISSING))
        if value:
            setattr(owner, attribute, value[0])
        elif own is _MISSING:
            delattr(owner, attribute)
        else:
            setattr(owner, attribute, own)

    def extras(self, packer: plain.Packer, answers: bool) -> Any:
        if not answers:
            return None
        warned, self._warnings = self._warnings, []
        return [
            self.fresh(packer),
            _taken(self._out),
            _taken(self._err),
            [[packer.node(category), text] for category, text in warned],
            packer.node(self.seeds()),
        ]

    def perform(self, operation: str, arguments: tuple[Any, ...]) -> Any:
        if self.failure is not None:
            raise Unconfirmable(self.failure)
        # As in a cell, whose event loop runs; what awaits something runs it itself.
        before, loop = asyncio._get_running_loop(), self.loop if operation in _IN_LOOP else None
        asyncio._set_running_loop(loop)
        try:
            if operation in ("start", "step", "cancel"):
                return self.awaited(operation, *arguments)
            return _OPERATIONS[operation](self, *arguments)
        finally:
            asyncio._set_running_loop(before)

    # -- operations

    def _left(self, wanted: list[str]) -> dict[str, Any]:
        """The state after the candidate."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        names: dict[str, Any] = {name: ["gone" if name in self._before else "none"] for name in wanted}
        names |= {n: self._state_of(n) for n in wanted if n in self.namespace}
        return {
            "names": names,
            "deleted": [n for n in self._before if n not in self.namespace and not n.startswith("_")],
            "folder": os.getcwd(),
            "environment": dict(os.environ),
            "figures": pyplot is not None and bool(pyplot.get_fignums()),
        }

    def _state_of(self, name: str) -> list[Any]:
        """By which it is seen whether a name from before was changed; and what never goes by value."""
        value = self.namespace[name]
        given = [value] if isinstance(value, (type, types.FunctionType)) else []
        return ["has", plain.digest(value) if name in self._before else None, *given]

    def _name(self, name: str) -> Any:
        value = self.namespace[name]
        if not isinstance(value, (type, types.FunctionType, types.ModuleType)):
            self.sent[name] = self.state(value)
        return value

    def _new_names(self) -> list[str]:
        found = self.namespace.items()
        return [n for n, v in found if not n.startswith("_") and self._before.get(n, self) is not v]

    def _operator(self, value: Any, name: str, arguments: tuple[Any, ...]) -> Any:
        if name == "__bool__":
            return bool(value)
        if name == "__getitem__" and isinstance(value, type):
            generic: Any = value
            return generic[arguments[0]]
        return getattr(type(value), name)(value, *arguments)

    def _measure(self, source: str) -> Any:
        """Run a scorer here that the judge cannot run."""
        space = dict(self.namespace)
        shown = {n: v for n, v in space.items() if not n.startswith("_")}
        exec(compile(source, "<scorer>", "exec"), space)
        given = space["score"](shown)
        return self.loop.run_until_complete(given) if inspect.isawaitable(given) else given


def work(commands: child.Commands, link: wire.Link, shell: Any, ahead: bool = False) -> None:
    """Run the candidate again in a process that has no check, then answer the judge.

    :param commands: the head of a job, then the word to start.
    :param ahead: whether there is time to run something, and to answer what every judgement asks.
    """
    displays = shell_cut.cut(shell, ends.Events(None))
    loop = new_loop()
    if ahead:
        Worker(link, {}, {}, loop).serve(1)
        child.rehearse(shell, displays, loop)
    runner = Runner(shell, displays)
    head = commands.next()
    child.blind(head, shell)
    worker = Worker(link, shell.user_ns, dict(shell.user_ns), loop)
    commands.next()
    above.find_modules()
    try:
        complete(above.run_again(runner), loop)
        complete(runner.candidate(head["candidate"]), loop)
    except BaseException as error:
        worker.failure = f"the candidate failed when it ran again: {type(error).__name__}: {error}"[:200]
    child.stop_tracing()
    worker.run()


#: They may need the running loop; others run it.
_IN_LOOP = ("call", "get", "operator", "method")
_OPERATIONS: dict[str, Callable[..., Any]] = {
    "call": lambda w, f, a, n: f(*a, **n),
    "get": lambda w, o, n: dict(getattr(o, n)) if n == "__dict__" else getattr(o, n),
    "set": lambda w, o, n, v: setattr(o, n, v),
    "delete": lambda w, o, n: delattr(o, n),
    "operator": Worker._operator,
    "method": lambda w, o, n, a, k: getattr(o, n)(*a, **k),
    "list": lambda w, o: list(o),
    "copy": lambda w, o: copy.copy(o),
    "deepcopy": lambda w, o: copy.deepcopy(o),
    "dir": lambda w, o: dir(o),
    "left": Worker._left,
    "name": Worker._name,
    "new-names": Worker._new_names,
    # A function of a library that reports its state: the current figure.
    "module": lambda w, m, n, a, k: getattr(importlib.import_module(m), n)(*a, **k),
    "measure": Worker._measure,
    "patch": Worker._patch,
}
