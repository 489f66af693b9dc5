"""Stubs for subclasses of builtins: real instances of the builtin, with what the object holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import plain
from .operators import OPERATORS
from .stub_types import HANDLE, PEER, StubObject, ask, attributed, forwards, note_decision, peer_of


def members_of(base: type, name: str, own: Any) -> dict[str, Any]:
    if type(own) is not list or any(type(member) is not str for member in own):
        raise plain.BadData("no names")
    # A number, text or container with operators of its own may pretend to be another one.
    operators = [member for member in own if member in OPERATORS and member != "__dir__"]
    members = forwards(operators, name, OPERATORS - {"__hash__", "__repr__", "__str__", "__format__"})
    for member in own:
        if member not in OPERATORS and member.isidentifier():
            members[member] = _Member(member, name if hasattr(base, member) else "")
    for names, method in ((_READING.get(base, []), _fresh), (_WRITING.get(base, []), _changing)):
        members |= {member: method(base, member) for member in names if member not in members}
    for member in ("__reduce_ex__", "__deepcopy__", "__copy__", "__getattr__", "__setattr__"):
        members.setdefault(member, vars(StubObject)[member])
    return members


def make_based(peer: Any, handle: int, kind: type, base: Any, value: Any) -> Any:
    if type(value) is not base:
        raise plain.BadData("no content")
    made = base.__new__(kind) if base in (list, dict, set) else base.__new__(kind, value)
    object.__setattr__(made, HANDLE, handle)
    object.__setattr__(made, PEER, peer)
    if base in (list, dict, set):
        _fill(made, base, value)
    return made


class _Member:
    """An attribute of a class that extends a builtin.

    :param kind: the class, where it has a method of its own instead of the builtin's; else empty.
    """

    def __init__(self, name: str, kind: str) -> None:
        self._name, self._kind = name, kind

    def __get__(self, stub: Any, owner: Any = None) -> Any:
        if stub is None:
            return peer_of(owner).ask("get", owner, self._name)
        if self._kind:
            note_decision(stub, f"{self._kind}.{self._name}")
        return attributed(ask(stub, "get", self._name), type(stub), self._name)

    def __set__(self, stub: Any, value: Any) -> None:
        ask(stub, "set", self._name, value)


def _fill(stub: Any, base: Any, value: Any) -> None:
    if base is list:
        list.__setitem__(stub, slice(None), value)
    else:
        base.clear(stub)
        base.update(stub, value)
    object.__setattr__(stub, "_refine_epoch", object.__getattribute__(stub, PEER).epoch)


def _refresh(stub: Any, base: type) -> None:
    peer = object.__getattribute__(stub, PEER)
    if object.__getattribute__(stub, "_refine_epoch") != peer.epoch:
        found = peer.ask("content", stub)
        if type(found) is not base:
            raise plain.BadData("no content")
        _fill(stub, base, found)


_ORDER = "__lt__ __le__ __gt__ __ge__"
_COMMON = "__len__ __iter__ __contains__ __eq__ __ne__ __repr__ copy"
_READING: dict[type, list[str]] = {
    list: f"{_COMMON} {_ORDER} __getitem__ __reversed__ __add__ __mul__ count index".split(),
    dict: f"{_COMMON} __getitem__ __reversed__ __or__ get keys values items".split(),
    set: f"{_COMMON} {_ORDER} __or__ __and__ __sub__ __xor__ union".split()
    + "intersection difference issubset issuperset isdisjoint symmetric_difference".split(),
}
_WRITING: dict[type, list[str]] = {
    list: "__setitem__ __delitem__ __iadd__ append extend insert pop remove clear sort reverse".split(),
    dict: "__setitem__ __delitem__ __ior__ update pop popitem clear setdefault".split(),
    set: "__ior__ __iand__ __isub__ __ixor__ add discard remove pop clear update".split(),
}


def _fresh(base: type, name: str) -> Callable[..., Any]:
    plainly = getattr(base, name)

    def method(self: Any, *arguments: Any) -> Any:
        _refresh(self, base)
        return plainly(self, *arguments)

    method.__name__ = name
    return method


def _changing(base: type, name: str) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        result = ask(self, "method", name, arguments, named)
        return self if name.startswith("__i") else result

    method.__name__ = name
    return method
