"""Cheap, sure signs that a pass means nothing: a check that must fail holds, a builtin was replaced."""

from __future__ import annotations

import builtins
import secrets

from .statements import Statement, split

#: With these checks look at a result; a new `print` or `open` is nobody's trick.
_RELIED_ON = {
    *("abs", "all", "any", "bool", "callable", "dict", "enumerate", "float", "getattr", "hasattr", "int"),
    *("isinstance", "issubclass", "len", "list", "range", "repr", "round", "set", "sorted", "str", "tuple"),
    *("type", "zip", "AssertionError", "Exception"),
}


def canaries() -> list[Statement]:
    """Checks that must fail, new ones for every attempt."""
    first, second = secrets.randbelow(10**9), 10**9 + secrets.randbelow(10**9)
    name = f"test_{secrets.token_hex(8)}"
    source = (
        f"assert {first} == {second}\n"
        f"assert {second} in [{first}]\n"
        f"assert not {second}\n"
        f"def {name}():\n    assert {first} > {second}\n"
    )
    return split({"cellId": "canary", "role": "assertion", "source": source})


class Builtins:
    """The builtins as they were before the candidate."""

    def __init__(self) -> None:
        self._before = dict(vars(builtins))

    def restore(self) -> list[str]:
        """Put back what was replaced or deleted; returns, in words, what checks rely on of it."""
        now = vars(builtins)
        names = [
            name for name, value in self._before.items() if name != "_" and now.get(name, self) is not value
        ]
        for name in names:
            now[name] = self._before[name]
        return [f"builtins.{name} was replaced" for name in names if name in _RELIED_ON]
