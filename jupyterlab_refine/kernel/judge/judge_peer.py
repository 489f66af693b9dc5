"""The judge's end of the connection: what it answers, and what it notes on the candidate's answers.

What arrives may be forged. :meth:`Judge.perform` has what the candidate may ask for.
"""

from __future__ import annotations

import sys
import types
import unittest.mock
import warnings
from typing import Any

from .exchange import plain, stubs, wire
from .exchange.peer import Peer, Unconfirmable, pairs_of


class Judge(Peer):
    """The judge's end; collects why a check is not confirmed."""

    judges = True

    def __init__(self, link: wire.Link, namespace: dict[str, Any], known: dict[str, Any]) -> None:
        super().__init__(link, namespace, known)
        #: Names whose values the worker may send anew.
        self.shipped: set[str] = set()
        #: Names that the checks bind.
        self.bound: set[str] = set()
        #: Names that the task mentions.
        self.expected: set[str] = set()

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

    def extras(self, packer: plain.Packer, answers: bool) -> Any:
        if answers:
            return None
        fresh = self.fresh(packer)
        for name in (name for name, _ in fresh if self._is_own(name)):
            self.note(f"the candidate reads `{name}`, which the check sets")
        return [fresh, packer.node(self.seeds())]

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
        # Printed text travels anyway.
        if path[0] != "sys" or patch.attribute not in ("stdout", "stderr"):
            self.ask("patch", path, patch.attribute, [getattr(owner, patch.attribute)] if starts else [])
        return result

    def take(self, unpacker: plain.Unpacker, node: Any) -> None:
        if node is None:
            return
        fresh, printed, errors, warned, seeds = node
        for name, _ in pairs_of(fresh):
            if type(name) is not str or name not in self.shipped:
                raise plain.BadData("a name that was not asked for")
            if self._is_own(name):
                self.note(f"the candidate sets `{name}`, which the check sets as well")
        self.set_names(unpacker, fresh)
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
        if self.has_seeds:
            self.set_seeds(unpacker.value(seeds))

    def perform(self, operation: str, arguments: tuple[Any, ...]) -> Any:
        """What a check has passed in may be called, and read as far as its names are public."""
        value, *rest = arguments
        if id(value) not in self._handles:
            # Only objects that a check passed in are served, never other values such as the user's.
            raise AttributeError("an object that no check has passed in is not open to the candidate")
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
            return self.awaited(operation, value)
        if operation == "list":
            return list(value)
        what = f"`{rest[0]}`" if rest and type(rest[0]) is str else operation
        raise AttributeError(f"{what} of an object of the check is not open to the candidate")
