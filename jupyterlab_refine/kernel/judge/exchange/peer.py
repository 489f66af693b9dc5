"""One end of the connection between judge and worker: objects of the other side are stubs, which ask it.

Both sides are the same class: the judge asks the worker to call the candidate's functions, and the worker
asks the judge to call what a check has passed in. What arrives in the judge may be forged;
:meth:`Peer.perform` says what it grants, the methods ``_resolve_...`` what a received reference can be.
"""

from __future__ import annotations

import asyncio
import builtins
import enum
import importlib
import itertools
import os
import random
import sys
import threading
import types
from collections.abc import Callable, Iterable
from typing import Any

from ... import texts
from .. import importing
from . import plain, stubs, wire

#: Errors that silently end a loop, a task or a process.
_CONTROL = (StopIteration, StopAsyncIteration, GeneratorExit, asyncio.CancelledError)
#: By operation: the one of them with which it ends; `async for` awaits the next item.
_ENDS = {"__next__": StopIteration, "step": StopAsyncIteration}

_STEP_SECONDS = 0.02
_MESSAGE = 500


class Unconfirmable(BaseException):
    """What cannot be judged from outside of the candidate's process, as a clause.

    Not an ``Exception``, so that no check of the user's catches it.
    """


class Peer:
    """One end. :attr:`namespace` is the user's, in this process.

    :param known: values that both processes have from the kernel, by name.
    """

    #: Whether the other side is the candidate's.
    judges = False
    #: The loop of coroutines; None where it runs.
    loop: Any = None
    #: What goes with a question or an answer, and what is made of that of the other side.
    extras: Callable[[plain.Packer, bool], Any]
    take: Callable[[plain.Unpacker, Any], None]
    #: Performs an operation for the other side.
    perform: Callable[[str, tuple[Any, ...]], Any]

    def __init__(self, link: wire.Link, namespace: dict[str, Any], known: dict[str, Any]) -> None:
        self.namespace = namespace
        self._known = known
        self._names = {id(value): name for name, value in known.items() if not _is_data(value)}
        #: Of much data that both sides have, how large it was.
        self._sizes = {i: plain.extent(known[n]) for i, n in self._names.items() if plain.is_plain(known[n])}
        #: Objects of this side that the other one refers to.
        self._own: dict[int, Any] = {}
        self._handles: dict[int, int] = {}
        #: Stubs by handle of the other side.
        self.stubs: dict[int, Any] = {}
        self.link = link
        self._pid = os.getpid()
        # Integers of thousands of digits travel.
        getattr(sys, "set_int_max_str_digits", int)(0)
        #: Threads ask one after the other.
        self._turn = threading.Condition()
        #: The thread that waits for a question: what another one asks meanwhile, this one would read.
        self._listener: int | None = None
        self._numbers = itertools.count(1)
        #: For the current statement: what the other side's own classes decided, and what cannot be judged.
        self.notes: list[str] = []
        self.problems: list[str] = []
        #: Whether the other side broke the protocol, which no honest answer does.
        self.faults = False
        #: Objects of libraries that stayed on the other side: a failure may be for want of them.
        self.opaque_types: list[str] = []
        #: A warning of the last answer that is an error here.
        self.warned: Warning | None = None
        #: Names that the other side has values of, with what shows a change of them.
        self.sent: dict[str, str | None] = {}
        #: Whether the checks set a seed: then the random states travel with questions and answers.
        self.has_seeds = False
        #: By id: coroutines of this side that the other one awaits.
        self._tasks: dict[int, Any] = {}

    def awaited(self, operation: str, work: Any) -> Any:
        """Start such a coroutine, go on with it or cancel it; whether it has ended, and its result."""
        if operation == "start":
            if id(work) not in self._tasks:
                self._tasks[id(work)] = asyncio.ensure_future(work, loop=self.loop)
            return None
        task, is_cancelled = self._tasks[id(work)], operation == "cancel"
        if is_cancelled:
            task.cancel()
        if self.loop is not None and not task.done():
            seconds = 1.0 if is_cancelled else _STEP_SECONDS
            self.loop.run_until_complete(asyncio.wait({task}, timeout=seconds))
        return (True, task.result()) if task.done() and not is_cancelled else (False, None)

    # -- random states, and names whose values change on one side

    def seeds(self) -> list[Any] | None:
        """The states of ``random`` and ``numpy.random``."""
        if not self.has_seeds:
            return None
        numpy = sys.modules.get("numpy")
        of_numpy = numpy and numpy.random.get_state(legacy=False)
        return [random.getstate(), of_numpy]

    def set_seeds(self, states: Any) -> None:
        own, of_numpy = states
        random.setstate(own)
        if of_numpy:
            importlib.import_module("numpy").random.set_state(of_numpy)

    def fresh(self, packer: plain.Packer) -> list[list[Any]]:
        """Names whose values have changed since the other side got them, with the new ones."""
        found = []
        for name, old in self.sent.items():
            if name in self.namespace and (now := self.state(self.namespace[name])) != old:
                self.sent[name] = now
                try:
                    found.append([name, packer.node(self.namespace[name])])
                except RecursionError:
                    if self.judges:
                        raise
        return found

    def set_names(self, unpacker: plain.Unpacker, nodes: Any) -> None:
        """Take what :meth:`fresh` of the other side gave."""
        for name, node in pairs_of(nodes):
            value, mine = unpacker.value(node), self.namespace.get(name)
            if mine is None or not self.overwrite(mine, value):
                self.namespace[name] = value
            if name in self.sent:
                self.sent[name] = self.state(self.namespace[name])

    def overwrite(self, mine: Any, new: Any) -> bool:
        """Give a container of this side what it holds over there now; False where that cannot be."""
        if plain.overwrite(mine, new):
            return True
        if type(mine) is not type(new) or not self._is_structure(type(mine)):
            return False
        stubs.assume(mine, new)
        return True

    def state(self, value: Any) -> str | None:
        """By which a change of the value is seen."""
        if stubs.handle_of(value, self) is not None:
            return str(id(value))
        return f"{id(value)} {plain.extent(value)}" if id(value) in self._sizes else plain.mark(value)

    def _by_name(self) -> dict[int, str]:
        """What need not be sent: no check has made it larger or smaller. The worker's may have changed."""
        changed = [i for i, old in self._sizes.items() if old != plain.extent(self._known[self._names[i]])]
        return {i: n for i, n in self._names.items() if i not in changed} if changed else self._names

    # -- asking

    def ask(self, operation: str, *arguments: Any) -> Any:
        """Let the other side perform an operation; returns its result or raises its error."""
        if os.getpid() != self._pid:
            raise Unconfirmable("a check starts processes")
        with self._turn:
            self._turn.wait_for(lambda: self._listener in (None, threading.get_ident()))
            number = next(self._numbers)
            sent = self._send(
                lambda p: ["ask", number, operation, p.node(arguments), self.extras(p, False)]
            ).values
            while True:
                tree, buffers = self.link.next()
                if tree[0] != "ask":
                    break
                self._answer(tree, buffers)
            if tree[1] != number:
                self.refuse("threads of the candidate ask at the same time")
            # Of an operator its own name.
            named = arguments[1] if operation == "operator" else operation
            return self._result(tree, buffers, sent, named)

    def _send(self, make: Callable[[plain.Packer], list[Any]], values: Iterable[Any] = ()) -> plain.Packer:
        """Send a message; returns what packed it."""
        packer = plain.Packer(self._reference, values)
        packer.names = self._by_name() if self.judges else {}
        self.link.send(make(packer), packer.buffers)
        return packer

    def _result(self, tree: list[Any], buffers: list[bytearray], sent: list[Any], operation: str) -> Any:
        try:
            kind, _, node, changes, extra = tree
            unpacker = plain.Unpacker(buffers, self._resolve, sent)
            value = unpacker.value(node)
            for index, content in [(index, unpacker.value(part)) for index, part in pairs_of(changes)]:
                is_sent = type(index) is int and 0 <= index < len(sent)
                if not is_sent or not self.overwrite(sent[index], content):
                    what = "an argument was changed in place in a way that cannot be copied back"
                    self.problems.append(what)
            self.take(unpacker, extra)
        except (plain.BadData, wire.Malformed, RecursionError):
            raise
        except Exception as error:
            raise plain.BadData(f"{type(error).__name__}: {error}") from error
        warned, self.warned = self.warned, None
        if kind == "ok":
            if warned is not None:
                raise warned
            return value
        if not isinstance(value, BaseException):
            raise plain.BadData("no error")
        if isinstance(value, _CONTROL) and _ENDS.get(operation) is not type(value):
            # `all(map(f, ...))` would end early, a task would count as cancelled.
            self.problems.append(f"the candidate raised {type(value).__name__}")
            self.faults = True
        raise value

    # -- answering

    def serve(self, count: int | None = None) -> None:
        """Answer so many questions, or until the other side ends. :raises wire.Closed:"""
        while count is None or count > 0:
            count = None if count is None else count - 1
            question = self.link.next()
            with self._turn:
                self._listener = None
                self._turn.notify_all()
            self._answer(*question, listens=True)

    def _answer(self, tree: list[Any], buffers: list[bytearray], listens: bool = False) -> None:
        """:param listens: whether this side waits for a question afterwards."""
        unpacker, refused = plain.Unpacker(buffers, self._resolve), ""
        before: dict[int, str | None] = {}
        number, kind = tree[1], "ok"
        result: Any = None
        try:
            # In the order in which they were packed.
            operation, arguments = tree[2], unpacker.value(tree[3])
            self.take(unpacker, tree[4])
        except BaseException:
            refused = "an argument could not be read in the other process"
        else:
            values = list(unpacker.values)
            before = {n: plain.digest(value) for n, value in enumerate(values) if self._can_change(value)}
            try:
                result = self.perform(operation, arguments)
            except BaseException as error:
                kind, result = "raise", error

        def make(packer: plain.Packer) -> list[Any]:
            node = packer.node(result) if kind == "ok" else self._error(packer, result)
            changed = [n for n, old in before.items() if plain.digest(values[n]) != old]
            changes = [[n, self._content(packer, values[n])] for n in changed]
            return [kind, number, node, changes, self.extras(packer, True)]

        with self._turn:
            self._listener = threading.get_ident() if listens else None
            if not refused:
                try:
                    self._send(make, values)
                    return
                except (wire.TooLarge, RecursionError, ValueError, MemoryError) as failure:
                    what = f"{type(failure).__name__}: {failure}"
                    refused = f"a result cannot leave the candidate's process: {what}"
            self._send(lambda _: ["raise", number, ["unconfirmable", refused], [], None])

    # -- why something is not confirmed

    def note(self, reason: str) -> None:
        if reason not in self.notes:
            self.notes.append(reason)

    def refuse(self, reason: str) -> None:
        """Give the question up. :raises Unconfirmable:"""
        self.problems.append(reason)
        raise Unconfirmable(reason)

    # -- references

    def _reference(self, packer: plain.Packer, value: Any) -> Any:
        handle = stubs.handle_of(value, self)
        if handle is not None:
            return ["y", handle]
        kind = type(value)
        name = self._names.get(id(value))
        if name is not None and (
            self.judges or isinstance(value, (type, types.FunctionType, types.ModuleType))
        ):
            return ["u", name]
        if kind is types.ModuleType:
            return ["m", value.__name__]
        path = importing.path_of(value)
        if path is not None:
            return ["g", *path]
        if isinstance(value, BaseException):
            return self._error(packer, value)
        if isinstance(value, enum.Enum) and type(self._class_node(kind)) is list:
            return ["en", self._class_node(kind), value._name_]
        if id(kind) in self._names and issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return ["nt", self._class_node(kind), packer.items(list(value))]
        if self._is_structure(kind):
            packer.begin(value)
            return self._by_attributes(packer, value)
        return self._handle(packer, value)

    def _class_node(self, kind: type) -> Any:
        name = self._names.get(id(kind))
        path = importing.path_of(kind)
        return ["u", name] if name is not None else ["g", *path] if path is not None else None

    # -- instances of a class of the user's, which both sides have, as their attributes

    def _is_structure(self, kind: type) -> bool:
        return id(kind) in self._names and stubs.is_of_users(kind) and stubs.is_simple(kind)

    def _by_attributes(self, packer: plain.Packer, value: Any) -> Any:
        parts = [[key, packer.node(part)] for key, part in stubs.state_of(value).items()]
        return ["o", self._class_node(type(value)), parts]

    def _can_change(self, value: Any) -> bool:
        return plain.is_mutable(value) or self._is_structure(type(value))

    def _content(self, packer: plain.Packer, value: Any) -> Any:
        """What a value that can change holds now. It has a number as any other there."""
        packer.values.append(value)
        is_structure = self._is_structure(type(value))
        return self._by_attributes(packer, value) if is_structure else packer.content(value)

    def _handle(self, packer: plain.Packer, value: Any) -> Any:
        known = self._handles.get(id(value))
        if known is not None:
            return ["h", known]
        handle = len(self._own) + 1
        self._own[handle], self._handles[id(value)] = value, handle
        return ["h", handle, stubs.describe(value, packer.node, not self.judges)]

    def _error(self, packer: plain.Packer, error: BaseException) -> Any:
        handle = stubs.handle_of(error, self)
        if handle is not None:
            return ["y", handle]
        text = texts.of_error(error)[:_MESSAGE]
        if isinstance(error, Unconfirmable):
            return ["unconfirmable", text]
        # With its file name, which the arguments leave out.
        is_of_file = isinstance(error, OSError) and type(error) is not OSError
        try:
            arguments = packer.items(list(error.__reduce__()[1] if is_of_file else error.args))
        except RecursionError:
            arguments = [text]
        state = [[key, packer.node(part)] for key, part in vars(error).items() if _is_own_field(key)]
        return ["e", packer.node(type(error)), arguments, state, text]

    def _resolve(self, unpacker: plain.Unpacker, node: list[Any]) -> Any:
        """:raises plain.BadData: for a node that no peer sends."""
        try:
            return _RESOLVE[node[0]](self, unpacker, *node[1:])
        except (KeyError, TypeError) as error:
            raise plain.BadData(f"no node {node[0][:20]!r}: {error}") from error

    def _resolve_module(self, _: plain.Unpacker, name: Any) -> Any:
        if type(name) is not str or name.split(".")[0] in importing.NEVER:
            raise plain.BadData("no module")
        return importlib.import_module(name)

    def _resolve_library(self, _: plain.Unpacker, module: Any, name: Any) -> Any:
        found = importing.find(module, name)
        if found is None:
            raise plain.BadData("no such library object")
        return found

    def _resolve_stub(self, unpacker: plain.Unpacker, handle: Any, description: Any = None) -> Any:
        if type(handle) is not int:
            raise plain.BadData("no handle")
        if description is None:
            return self.stubs[handle]
        made = self.stubs[handle] = stubs.make(self, handle, description, unpacker)
        return made

    def _class(self, unpacker: plain.Unpacker, node: Any, base: type) -> Any:
        found = unpacker.value(node)
        if not (isinstance(found, type) and issubclass(found, base)):
            raise plain.BadData(f"no class of {base.__name__}")
        return found

    def _resolve_tuple(self, unpacker: plain.Unpacker, kind: Any, items: Any) -> Any:
        found = self._class(unpacker, kind, tuple)
        if not stubs.is_of_users(found):
            raise plain.BadData("no tuple class")
        return tuple.__new__(found, unpacker.items(items))

    def _resolve_structure(self, unpacker: plain.Unpacker, kind: Any, parts: Any) -> Any:
        found = self._class(unpacker, kind, object)
        if not stubs.is_of_users(found) or not stubs.is_simple(found):
            raise plain.BadData("no such class")
        made = unpacker.begin(object.__new__(found))
        state = {key: unpacker.value(part) for key, part in pairs_of(parts)}
        stubs.fill(made, state)
        return made

    def _resolve_error(
        self, unpacker: plain.Unpacker, kind: Any, arguments: Any, state: Any, text: Any
    ) -> Any:
        found = self._class(unpacker, kind, BaseException)
        values = unpacker.items(arguments)
        try:
            if found.__module__ == "builtins":
                made: Any = found(*values)
            else:
                made = found.__new__(found, *values)
                # Fields that the interpreter itself reads are set there: the value of a StopIteration, say.
                builtin: Any = next(base for base in found.__mro__ if base.__module__ == "builtins")
                builtin.__init__(made, *values)
        except (TypeError, ValueError):
            self.problems.append(f"an error of type {found.__name__} cannot be created here")
            return Unconfirmable(str(text)[:_MESSAGE])
        stubs.mark_error(made, text)
        for key, part in pairs_of(state):
            if type(key) is str and _is_own_field(key) and not hasattr(found, key):
                vars(made)[key] = unpacker.value(part)
        return made

    def _resolve_unconfirmable(self, _: plain.Unpacker, text: Any) -> Any:
        self.problems.append(str(text)[:_MESSAGE])
        return Unconfirmable(str(text)[:_MESSAGE])


_RESOLVE: dict[str, Callable[..., Any]] = {
    "y": lambda peer, _, handle: peer._own[handle],
    "u": lambda peer, _, name: peer._known[name],
    "v": lambda peer, unpacker, name: unpacker.begin(peer._known[name]),
    "m": Peer._resolve_module,
    "g": Peer._resolve_library,
    "h": Peer._resolve_stub,
    "en": lambda peer, unpacker, kind, name: peer._class(unpacker, kind, enum.Enum).__members__[name],
    "nt": Peer._resolve_tuple,
    "o": Peer._resolve_structure,
    "e": Peer._resolve_error,
    "unconfirmable": Peer._resolve_unconfirmable,
}


def pairs_of(parts: Any) -> list[tuple[Any, Any]]:
    if type(parts) is not list or any(type(pair) is not list or len(pair) != 2 for pair in parts):
        raise plain.BadData("no pairs")
    return [(pair[0], pair[1]) for pair in parts]


def _is_own_field(key: str) -> bool:
    """Of an error: none of the interpreter's or ours."""
    return not key.startswith(("__", "_refine_"))


def _is_data(value: Any) -> bool:
    """Whether it travels by value, or is the same object everywhere: no name leads to it."""
    return (plain.is_plain(value) and not plain.is_large(value)) or value is builtins or value is sys
