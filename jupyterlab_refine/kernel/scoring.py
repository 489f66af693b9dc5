"""The kernel's part in a score: what the child is sent for it, and what its answer is worth."""

from __future__ import annotations

import ast
import binascii
import marshal
import secrets
import types
from typing import Any

from . import operands, reliance, running, tampering, vault
from .pipes import Feed
from .scorer import FILE, NOT_COMPILED
from .statements import python_source, trees
from .vault import Vault


class Scoring:
    """The scorer of one job, or none."""

    def __init__(
        self, job: dict[str, Any], vault: Vault | None, namespace: dict[str, Any], flags: int
    ) -> None:
        self._cell = job.get("scorer")
        self._vault = vault
        self._flags = flags
        self._canary: dict[str, Any] = {}
        self._names = list(job.get("hiddenData") or [])
        self.sources = [self._cell["source"]] if self._cell is not None else []
        #: Before the candidate: what the scorer's code means.
        self._libraries = _libraries(self.sources, job.get("askedNames") or [], namespace)
        self._packages = _packages(self.sources, [*self._names], namespace)
        #: What the candidate and the scorer say meanwhile may hold hidden data.
        self.is_silent = False
        self._runs = False

    def hidden(self) -> list[str]:
        """Names that no candidate sees."""
        return self._names

    def cells(self) -> list[dict[str, Any]]:
        """The scorer's cell, which the user may have run before."""
        return [{**self._cell, "role": "scorer"}] if self._cell is not None else []

    def defined(self) -> list[str]:
        """What that has left: functions, whose code is the scorer's."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return [node.name for tree in trees(self.sources) for node in tree.body if isinstance(node, kinds)]

    def values(self) -> set[str]:
        """Names of values that the scorer reads, hidden ones aside."""
        found = set(reliance.names(self.sources))
        for tree in trees(self.sources):
            found |= {
                node.slice.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Subscript)
                and isinstance(node.slice, ast.Constant)
                and isinstance(node.slice.value, str)
            }
        return found

    def command(self) -> dict[str, Any]:
        """What the child gets beside the fields of a check, once; empty without a scorer."""
        cell, self._cell = self._cell, None
        if cell is None:
            return {}
        self.is_silent = bool(self._names)
        if self._vault is not None:
            self._vault.ask()
        self._runs = True
        looker = f"_refine_{secrets.token_hex(8)}"
        self._canary, canary = _canary()
        told = {
            "looker": looker,
            "cell": _compiled(cell["source"], looker, self._flags),
            "canary": _compiled(canary, looker, self._flags),
            "hidden": self._names,
            "data": self._vault is not None,
            "libraries": list(self._libraries),
            "packages": sorted(self._packages),
        }
        return {"score": told}

    def where(self) -> str:
        """For a limit that is reached."""
        return ", while the scorer ran" if self._runs else ""

    def relay(self, feed: Feed, poller: Any) -> None:
        """Hand on what the vault has told, as far as the child has taken the last of it."""
        if self._vault is None:
            return
        if feed.is_idle:
            feed.send_bytes(self._vault.chunk())
            feed.write()
        self._vault.register(poller, feed.is_idle)

    def tampering(self, event: dict[str, Any]) -> list[str]:
        """In words: why what was told cannot be believed."""
        after = event["libraries"]
        found = [f"{name} was replaced" for name, ids in self._libraries.items() if after.get(name) != ids]
        if event["canary"] != self._canary:
            found.append("a score that is known was told wrong")
        return found

    def release(self) -> None:
        """Drop what a child forked from now on must not know."""
        self._cell, self.sources, self._libraries = None, [], {}

    def close(self) -> None:
        if self._vault is not None:
            self._vault.close()


def keep(job: dict[str, Any], shell: Any) -> Scoring:
    """In the main thread, right after the fork of the attempt: the data is what it was at that moment."""
    names, scorer = job.get("hiddenData"), job.get("scorer")
    kept = vault.make(names, shell.user_ns) if names and scorer is not None else None
    return Scoring(job, kept, shell.user_ns, running.flags(shell))


def _compiled(source: str, looker: str, flags: int) -> dict[str, Any]:
    """Here, where no candidate has touched what parses and compiles; the child has the same Python."""
    text = python_source(source)
    try:
        tree = operands.looked_at(ast.parse(text, FILE), looker)
        code = compile(tree, FILE, "exec", flags, True, 0)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        message = f"{NOT_COMPILED}: {error}" + (f" (line {line})" if line else "")
        code = compile(f"raise SyntaxError({message!r})", FILE, "exec", 0, True, 0)
    return {"text": text, "code": binascii.b2a_base64(marshal.dumps(code)).decode("ascii")}


def _canary() -> tuple[dict[str, Any], str]:
    """What must come of a scorer that is new every time, and its source."""
    first, second = secrets.randbelow(10**9), secrets.randbelow(10**9)
    name = secrets.token_hex(8)
    source = f"goal = 'min'\nname = {name!r}\ndef score(ns): return ({first} - {second}) / 8"
    return {"value": (first - second) / 8, "goal": "min", "name": name}, source


def identities(names: list[str], namespace: dict[str, Any]) -> dict[str, list[int]]:
    """As object ids, which a fork keeps: functions and classes of libraries under names of the user's."""
    return {
        name: tampering.identity(namespace[name])
        for name in names
        if name in namespace and tampering.is_of_library(namespace[name])
    }


def _libraries(sources: list[str], asked: list[str], namespace: dict[str, Any]) -> dict[str, list[int]]:
    return identities(sorted({*reliance.names(sources)} - {*asked}), namespace)


def _packages(sources: list[str], hidden: list[str], namespace: dict[str, Any]) -> set[str]:
    """Top-level packages whose code the scorer goes through."""
    found = set()
    for name in [*reliance.names(sources), *hidden]:
        value = namespace.get(name)
        module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
        for text in (module, type(value).__module__):
            if isinstance(text, str):
                found.add(text.split(".")[0])
    for tree in trees(sources):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
    return found - {"builtins", "__main__", "_jupyterlab_refine"}
