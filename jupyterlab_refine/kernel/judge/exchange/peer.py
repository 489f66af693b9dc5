"""One end of the connection between judge and worker: objects of the other side are stubs, which ask it.

Both sides are the same class: the judge asks the worker to call the candidate's
functions, and the worker asks the judge to call what a check has passed in. What
arrives in the judge may be forged; see :meth:`Peer.perform` for what it grants.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
import threading
from collections.abc import Callable
from typing import Any

from . import describing, plain, wire
from .references import References, Unconfirmable, pairs_of

#: Errors that silently end a loop, a task or a process.
_CONTROL = (
    StopIteration,
    StopAsyncIteration,
    GeneratorExit,
    asyncio.CancelledError,
)


class Peer(References):
    """One end. :attr:`namespace` is the user's, in this process.

    :param known: values that both processes have from the kernel, by name.
    """

    def __init__(self, link: wire.Link, namespace: dict[str, Any], known: dict[str, Any]) -> None:
        super().__init__(namespace, known)
        self._link = link
        # The judge asks one question at a time; threads of the candidate's ask at any time.
        self._lock: Any = threading.RLock() if self.judges else contextlib.nullcontext()
        self._numbers = itertools.count(1)
        #: A warning of the last answer that is an error here.
        self.warned: Warning | None = None
        #: Counts answers: what a stub has read before the last one may be old.
        self.epoch = 0

    def overwrite(self, mine: Any, new: Any) -> bool:
        """Give a container of this side what it holds over there now; False where that cannot be."""
        if plain.overwrite(mine, new):
            return True
        if type(mine) is not type(new) or not self._is_structure(type(mine)):
            return False
        describing.assume(mine, new)
        return True

    def before_asking(self, packer: plain.Packer) -> Any:
        """Names that go with a question."""
        return None

    def after_answering(self, packer: plain.Packer) -> Any:
        """Names and whatever else goes with an answer."""
        return None

    def take(self, unpacker: plain.Unpacker, node: Any) -> None:
        """What :meth:`before_asking` or :meth:`after_answering` of the other side gave."""

    def perform(self, operation: str, arguments: tuple[Any, ...]) -> Any:
        """Perform an operation for the other side."""
        raise NotImplementedError

    # -- asking

    def ask(self, operation: str, *arguments: Any) -> Any:
        """Let the other side perform an operation; returns its result or raises its error."""
        with self._lock:
            number = next(self._numbers)
            packer = self._packed(
                lambda packer: [
                    *("ask", number, operation, packer.node(arguments), self.before_asking(packer)),
                    self._shared_changes(packer),
                ]
            )
            sent = packer.mutable
            while True:
                tree, buffers = self._link.next(number)
                if tree[0] != "ask":
                    break
                self._answer(tree, buffers)
            self.epoch += 1
            # Of an operator its own name.
            named = arguments[1] if operation == "operator" else operation
            return self._result(tree, buffers, sent, named)

    # -- containers that both sides hold

    def _share(self, key: str, sent: list[Any], kept: Any) -> None:
        """Remember those that the other side has kept: from now on they are the same object."""
        for index in kept if type(kept) is list else ():
            if type(index) is int and 0 <= index < len(sent) and self._is_shareable(sent[index]):
                self._remember(f"{key}{index}", sent[index])

    def _shared_changes(self, packer: plain.Packer) -> list[Any]:
        changes = []
        for key, held in self._shared.items():
            mark = self.mark(held[0], {})
            if mark != held[1]:
                held[1] = mark
                changes.append([key, packer.content(held[0])])
        return changes

    def _take_shared(self, unpacker: plain.Unpacker, changes: Any) -> None:
        for key, node in pairs_of(changes):
            held, content = self._shared.get(key), unpacker.content(node)
            if held is not None and self.overwrite(held[0], content):
                held[1] = self.mark(held[0], {})

    def _packed(
        self, make: Callable[[plain.Packer], list[Any]], seed: list[Any] | None = None
    ) -> plain.Packer:
        """Send a message; returns what packed it."""
        for careful in (False, True):
            packer = plain.Packer(self._reference)
            packer.careful = careful
            packer.structure = self._by_attributes
            # A frame of gigabytes need not be sent. What the worker has may have been changed.
            packer.names = self._names if self.judges else {}
            packer.seed(seed or [], self._shared_keys)
            try:
                tree = wire.encoded(make(packer))
            except ValueError:
                # An integer of thousands of digits within a list.
                if careful:
                    raise
                continue
            self._link.send(tree, packer.buffers)
            break
        return packer

    def _result(self, tree: list[Any], buffers: list[bytearray], sent: list[Any], operation: str) -> Any:
        try:
            kind, number, node, changes, extra, kept, shared = tree
        except ValueError as error:
            raise plain.BadData("no answer") from error
        try:
            value = self._taken((number, node, changes, extra, kept, shared), buffers, sent)
        except (plain.BadData, wire.Malformed, RecursionError):
            raise
        except Exception as error:
            raise plain.BadData(f"{type(error).__name__}: {error}") from error
        warned, self.warned = self.warned, None
        if kind == "ok" and warned is not None:
            raise warned
        if kind == "ok":
            return value
        if not isinstance(value, BaseException):
            raise plain.BadData("no error")
        if isinstance(value, _CONTROL) and not (operation == "__next__" and type(value) is StopIteration):
            # `all(map(f, ...))` would end early, a task would count as cancelled.
            self.fault(f"the candidate raised {type(value).__name__}")
        raise value

    def _taken(self, answer: tuple[Any, ...], buffers: list[bytearray], sent: list[Any]) -> Any:
        number, node, changes, extra, kept, shared = answer
        self._share(f"{self.judges:d}.{number}.", sent, kept)
        unpacker = plain.Unpacker(buffers, self._resolve)
        unpacker.sent = sent
        value = unpacker.value(node)
        for index, content in [(index, unpacker.content(node)) for index, node in pairs_of(changes)]:
            known = type(index) is int and 0 <= index < len(sent)
            if not known or not self.overwrite(sent[index], content):
                self.problem("an argument was changed in place in a way that cannot be copied back")
            elif id(sent[index]) in self._shared_keys:
                # The other side made this change.
                self._shared[self._shared_keys[id(sent[index])]][1] = self.mark(sent[index], {})
        self.take(unpacker, extra)
        self._take_shared(unpacker, shared)
        return value

    # -- answering

    def serve(self, count: int | None = None) -> None:
        """Answer so many questions, or until the other side ends. :raises wire.Closed:"""
        while count is None or count > 0:
            count = None if count is None else count - 1
            self._answer(*self._link.next(None))

    def _answer(self, tree: list[Any], buffers: list[bytearray]) -> None:
        unpacker = plain.Unpacker(buffers, self._resolve)
        number = tree[1]
        self._depth += 1
        try:
            self._answer_in(tree, number, unpacker)
        finally:
            self._depth -= 1

    def _answer_in(self, tree: list[Any], number: Any, unpacker: plain.Unpacker) -> None:
        marks: list[Any] = []
        counts: list[int] = []
        base: dict[int, Any] = {}
        operation, arguments = self._question(tree, unpacker)
        seed = unpacker.mutable
        try:
            if operation is None:
                raise Unconfirmable("an argument could not be read in the other process")
            base = {id(value): ["a", index] for index, value in enumerate(seed)}
            marks = [self.mark(value, base) for value in seed]
            counts = [sys.getrefcount(value) for value in seed]
            kind, result = "ok", self.perform(operation, arguments)
        except BaseException as error:
            kind, result = "raise", error

        kept = [index for index, count in enumerate(counts) if sys.getrefcount(seed[index]) >= count]
        self._share(f"{not self.judges:d}.{number}.", seed, kept)

        def make(packer: plain.Packer) -> list[Any]:
            node = self._returned(packer, result) if kind == "ok" else self._error(packer, result)
            changes = [
                [index, packer.content(value)]
                for index, (value, mark) in enumerate(zip(seed, marks, strict=False))
                if self.mark(value, base) != mark
            ]
            extra = self.after_answering(packer)
            return [kind, number, node, changes, extra, kept, self._shared_changes(packer)]

        try:
            self._packed(make, seed)
        except (plain.Unsendable, wire.TooLarge, RecursionError, ValueError, MemoryError) as failure:
            what = (
                "it is too large"
                if isinstance(failure, wire.TooLarge)
                else str(failure) or "it is nested too deeply"
            )
            refused = Unconfirmable(f"a result cannot leave the candidate's process: {what}")
            self._packed(lambda packer: ["raise", number, self._error(packer, refused), [], None, [], []])

    def _question(self, tree: list[Any], unpacker: plain.Unpacker) -> tuple[str | None, Any]:
        try:
            # In the order in which they were packed.
            operation, arguments = tree[2], unpacker.value(tree[3])
            self.take(unpacker, tree[4])
            self._take_shared(unpacker, tree[5])
        except (plain.BadData, ImportError, IndexError):
            return None, None
        return (operation, arguments) if type(operation) is str and type(arguments) is tuple else (None, None)
