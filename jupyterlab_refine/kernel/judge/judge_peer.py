"""The judge's end of the connection: what it answers, and what it notes on the candidate's answers.

What arrives may be forged. :meth:`Judge.perform` has what the candidate may ask for.
"""

from __future__ import annotations

import asyncio
import sys
import types
import unittest.mock
import warnings
from typing import Any

from .exchange import plain, stubs, wire
from .exchange.peer import Peer, Unconfirmable, random_states, set_random_states

#: Printed text travels anyway.
_STREAMS = (("sys", "stdout"), ("sys", "stderr"))


class Judge(Peer):
    """The judge's end; collects why a check is not confirmed."""

    judges = True

    def __init__(self, link: wire.Link, namespace: dict[str, Any], known: dict[str, Any]) -> None:
        super().__init__(link, namespace, known)
        #: Names that the candidate's code reads, with the digest of what the worker has.
        self.watched: dict[str, str | None] = {}
        #: Names whose values the worker may send anew.
        self.shipped: set[str] = set()
        #: Names that the checks bind.
        self.bound: set[str] = set()
        #: Names that the task mentions.
        self.expected: set[str] = set()
        #: By id: coroutines of the checks that the candidate awaits.
        self._tasks: dict[int, Any] = {}
        #: Whether the checks set a seed: then the random states travel with questions and answers.
        self.has_seeds = False

    def ask(self, operation: str, *arguments: Any) -> Any:
        try:
            return super().ask(operation, *arguments)
        except (RecursionError, wire.TooLarge) as error:
            if stubs.is_from_worker(error):
                raise
            reason = f"an argument cannot be sent to the candidate's process: {type(error).__name__}: {error}"
        except (plain.BadData, wire.Malformed) as error:
            reason = f"the candidate's process sent an invalid answer ({error})"
            self.faults = True
        except wire.Closed:
            reason = "the candidate's process ended"
            self.faults = True
        self.problems.append(reason)
        raise Unconfirmable(reason)

    def before_asking(self, packer: plain.Packer) -> Any:
        fresh: list[Any] = []
        for name, old in self.watched.items():
            if name in self.namespace:
                now = self.state(self.namespace[name])
                if now != old:
                    self.watched[name] = now
                    if self._is_own(name):
                        self.note(f"the candidate reads `{name}`, which the check sets")
                    fresh.append([name, packer.node(self.namespace[name])])
        return [fresh, packer.node(random_states() if self.has_seeds else None)]

    def _is_own(self, name: str) -> bool:
        """Whether the check sets this name for itself."""
        return name in self.bound and name not in self.expected

    def forget_reasons(self) -> None:
        """Before the next statement."""
        self.notes, self.problems, self.opaque_types, self.faults = [], [], [], False

    def patched(self, patch: Any, result: Any, starts: bool) -> Any:
        """Patch the attribute of a module or class in the candidate's process as well, or restore it."""
        owner = patch.getter()
        if isinstance(owner, types.ModuleType):
            path = owner.__name__, ""
        elif isinstance(owner, type) and stubs.handle_of(owner, self) is None:
            path = owner.__module__, owner.__qualname__
        else:
            return result
        if (path[0], patch.attribute) not in _STREAMS:
            self.ask("patch", path, patch.attribute, [getattr(owner, patch.attribute)] if starts else [])
        return result

    def watch(self, watched: set[str]) -> None:
        """Send later changes of these to the worker."""
        missing = object()
        for name in watched:
            value = self.namespace.get(name, missing)
            self.watched[name] = None if value is missing else self.state(value)

    def take(self, unpacker: plain.Unpacker, node: Any) -> None:
        if node is None:
            return
        fresh, printed, errors, warned, seeds = node
        if self.has_seeds:
            set_random_states(unpacker.value(seeds))
        for name, part in fresh:
            if type(name) is not str or name not in self.shipped:
                raise plain.BadData("a name that was not asked for")
            value = unpacker.value(part)
            if self._is_own(name):
                self.note(f"the candidate sets `{name}`, which the check sets as well")
            mine = self.namespace.get(name)
            if not (mine is not None and self.overwrite(mine, value)):
                self.namespace[name] = value
            if name in self.watched:
                self.watched[name] = self.state(self.namespace[name])
        for stream, text in ((sys.stdout, printed), (sys.stderr, errors)):
            if type(text) is str and text:
                stream.write(text)
        for part, text in warned:
            category = unpacker.value(part)
            if isinstance(category, type) and issubclass(category, Warning):
                try:
                    warnings.warn(str(text), category, stacklevel=2)
                except Warning as error:
                    # The check has turned warnings into errors.
                    self.warned = self.warned or error

    def perform(self, operation: str, arguments: tuple[Any, ...]) -> Any:
        """What a check has passed in may be called, and read as far as its names are public."""
        value, *rest = arguments
        if id(value) not in self._handles:
            # Only objects that a check passed in are served, never other values such as the user's.
            raise AttributeError(f"not allowed: {operation}")
        if operation == "call":
            return value(*rest[0], **rest[1])
        if operation == "operator" and rest[0] in stubs.OPERATORS and not isinstance(value, types.ModuleType):
            if rest[0] == "__bool__":
                return bool(value)
            return getattr(type(value), rest[0])(value, *rest[1])
        if operation in ("get", "method") and stubs.is_exposed(rest[0]):
            if isinstance(value, unittest.mock.NonCallableMock) and hasattr(type(value), rest[0]):
                raise AttributeError(f"{rest[0]} is the check's own")
            found = getattr(value, rest[0])
            return found if operation == "get" else found(*rest[1], **rest[2])
        if operation in ("start", "step", "cancel") and type(value) is types.CoroutineType:
            return self._await(operation, value)
        if operation == "list":
            return list(value)
        raise AttributeError(f"not allowed: {operation}")

    def _await(self, operation: str, work: Any) -> Any:
        """A coroutine of a check that the candidate awaits runs in the loop of the check."""
        if operation == "start":
            self._tasks.setdefault(id(work), asyncio.ensure_future(work))
            return None
        task = self._tasks[id(work)]
        if operation == "cancel":
            return task.cancel()
        return (True, task.result()) if task.done() else (False, None)
