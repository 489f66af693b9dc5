"""The classes of stubs: what a stub does when it is called, read, compared or copied.

A stub has the operators that the object's class has, no more: ``len(stub)`` fails
where ``len(object)`` would. What a class of the candidate's decides (a
comparison, a truth value, a length) is noted, since it may be a lie.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from .operators import DECIDING, dunder

#: Dunder attributes that a stub forwards; others do not exist.
_ATTRIBUTES = dunder(
    "name doc qualname wrapped module signature code defaults kwdefaults annotations func self dict notes",
    "match_args dataclass_fields members slots class_getitem abstractmethods isabstractmethod",
)
HANDLE, PEER, _OF, _ITERATOR = "_refine_handle", "_refine_peer", "_refine_of", "_refine_iterator"


class Stub:
    """Marks a stand-in for an object."""


class StubType(type):
    """Marks a stand-in for a class; an instance of it is one."""

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
        if HANDLE not in members:
            base = next(base for base in bases if isinstance(base, StubType))
            peer_of(base).refuse(f"a check extends the candidate's class `{base.__name__}`")
        return type.__new__(cls, name, bases, members)

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> None:
        type.__init__(cls, name, bases, members)

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        peer = peer_of(cls)
        if issubclass(cls, BaseException) and not peer.judges:
            return type.__call__(cls, *arguments, **named)
        return peer.ask("call", cls, arguments, named)

    def __getattr__(cls, name: str) -> Any:
        if _is_hidden(name) or HANDLE not in vars(cls):
            raise AttributeError(name)
        return attributed(peer_of(cls).ask("get", cls, name), cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        if name.startswith("__") or name.startswith("_abc_"):
            type.__setattr__(cls, name, value)
        else:
            peer_of(cls).ask("set", cls, name, value)

    def __delattr__(cls, name: str) -> None:
        peer_of(cls).ask("delete", cls, name)

    def __instancecheck__(cls, value: Any) -> bool:
        if type.__instancecheck__(cls, value):
            return True
        if not vars(cls).get("_refine_checks"):
            return False
        peer_of(cls).note(f"`isinstance(..., {cls.__name__})` was decided by the candidate's own class")
        return bool(peer_of(cls).ask("isinstance", value, cls))

    def __iter__(cls) -> Any:
        return iter(peer_of(cls).ask("list", cls))

    def __len__(cls) -> int:
        return len(peer_of(cls).ask("list", cls))

    def __contains__(cls, value: Any) -> bool:
        peer_of(cls).note(f"`in {cls.__name__}` was decided by the candidate's own class")
        return bool(peer_of(cls).ask("operator", cls, "__contains__", (value,)))

    def __getitem__(cls, key: Any) -> Any:
        return peer_of(cls).ask("operator", cls, "__getitem__", (key,))

    def __bool__(cls) -> bool:
        return True

    def __dir__(cls) -> Any:
        return peer_of(cls).ask("dir", cls) if vars(cls).get(HANDLE) else type.__dir__(cls)

    @property
    def __mro__(cls) -> Any:
        return tuple(base for base in type.mro(cls) if base not in (Stub, StubObject))

    @property
    def __doc__(cls) -> Any:  # type: ignore[override]
        return peer_of(cls).ask("get", cls, "__doc__") if vars(cls).get(HANDLE) else None

    @property
    def __annotations__(cls) -> Any:  # type: ignore[override]
        return peer_of(cls).ask("get", cls, "__annotations__") if vars(cls).get(HANDLE) else {}

    def __repr__(cls) -> str:
        return f"<class '__main__.{cls.__name__}'>"


def peer_of(cls: type) -> Any:
    return type.__getattribute__(cls, PEER)


def _is_hidden(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _ATTRIBUTES


def forwards(operators: Any, name: str, deciding: frozenset[str] = DECIDING) -> dict[str, Any]:
    """Methods for operators of a class of that name.

    :param deciding: those of them that are noted.
    """
    members: dict[str, Any] = {
        operator: _SPECIAL[operator](name)
        if operator in _SPECIAL
        else _forward(operator, name, operator in deciding)
        for operator in operators
        if operator not in ("__get__", "__set__", "__delete__")
    }
    if "__eq__" in operators and "__hash__" not in operators:
        members["__hash__"] = None
    if "__len__" in operators and "__bool__" not in operators:
        members["__bool__"] = _forward("__bool__", name, True)
    return members


def iterator_method(method: str) -> Callable[..., Any]:
    def call(self: Any, *arguments: Any) -> Any:
        if not _has_own(self, _ITERATOR):
            object.__setattr__(self, _ITERATOR, self.__await__())
        return getattr(object.__getattribute__(self, _ITERATOR), method)(*arguments)

    return call


class StubObject(Stub):
    """A stub without a builtin's storage."""

    def __getattr__(self, name: str) -> Any:
        if _is_hidden(name):
            raise AttributeError(name)
        found = ask(self, "get", name)
        return attributed(found, type(self), name) if isinstance(type(self), StubType) else found

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") and not object.__getattribute__(self, PEER).judges:
            # For example `__signature__`, which matplotlib sets on a patched function: not the check.
            object.__setattr__(self, name, value)
        else:
            ask(self, "set", name, value)

    def __delattr__(self, name: str) -> None:
        ask(self, "delete", name)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return ask(self, "get", "__doc__")

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return ask(self, "get", "__dict__")

    def __dir__(self) -> Any:
        return ask(self, "operator", "__dir__", ())

    def __copy__(self) -> Any:
        return ask(self, "copy")

    def __deepcopy__(self, _: Any) -> Any:
        return ask(self, "deepcopy")

    def __reduce_ex__(self, _: Any) -> Any:
        peer = object.__getattribute__(self, PEER)
        return restore, (_number_of(peer), ask(self, "pickle"))


def attributed(found: Any, kind: type, name: str) -> Any:
    """What an object of the candidate's class gives; if it can be called, it stores class and name."""
    if issubclass(type(found), StubObject) and callable(found) and not _has_own(found, _OF):
        object.__setattr__(found, _OF, f"{kind.__name__}.{name}")
    return found


_peers: list[Any] = []


def _number_of(peer: Any) -> int:
    if peer not in _peers:
        _peers.append(peer)
    return _peers.index(peer)


def restore(number: int, data: bytes) -> Any:
    """The object that was pickled over there, as a stub again."""
    return _peers[number].ask("unpickle", data)


def ask(stub: Any, operation: str, *arguments: Any) -> Any:
    return object.__getattribute__(stub, PEER).ask(operation, stub, *arguments)


def _has_own(stub: Any, name: str) -> bool:
    try:
        object.__getattribute__(stub, name)
    except AttributeError:
        return False
    return True


def note_decision(stub: Any, what: str) -> None:
    object.__getattribute__(stub, PEER).note(f"`{what}` of the candidate's own class decided the result")


def _forward(operator: str, name: str, decides: bool) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any) -> Any:
        if decides:
            note_decision(self, f"{name}.{operator}")
        result = ask(self, "operator", operator, arguments)
        return attributed(result, type(self), operator) if isinstance(type(self), StubType) else result

    method.__name__ = operator
    return method


def _calling(name: str) -> Callable[..., Any]:
    def __call__(self: Any, *arguments: Any, **named: Any) -> Any:
        result = ask(self, "call", arguments, named)
        of = object.__getattribute__(self, _OF) if (arguments or named) and _has_own(self, _OF) else ""
        peer = object.__getattribute__(self, PEER)
        if of and of.split(".")[0] not in peer.named:
            peer.answered(result, of)
            if issubclass(type(result), StubObject) and not _has_own(result, _OF):
                object.__setattr__(result, _OF, of)
        return result

    return __call__


def _awaiting(name: str) -> Callable[..., Any]:
    def __await__(self: Any) -> Any:
        ask(self, "start")
        try:
            while True:
                # Others that are awaited beside it start meanwhile.
                yield from asyncio.sleep(0).__await__()
                done, value = ask(self, "step")
                if done:
                    return value
        except asyncio.CancelledError:
            ask(self, "cancel")
            raise

    return __await__


def _asynchronous(operation: str) -> Callable[[str], Callable[..., Any]]:
    def make_method(name: str) -> Callable[..., Any]:
        async def method(self: Any, *arguments: Any) -> Any:
            ended, value = ask(self, operation, *arguments)
            if ended:
                raise StopAsyncIteration
            return value

        return method

    return make_method


def _exiting(name: str) -> Callable[..., Any]:
    def __exit__(self: Any, kind: Any, error: Any, trace: Any) -> Any:
        # Another process has no use for the frames.
        return ask(self, "operator", "__exit__", (kind, error, None))

    return __exit__


_SPECIAL: dict[str, Callable[[str], Callable[..., Any]]] = {
    "__call__": _calling,
    "__await__": _awaiting,
    "__anext__": _asynchronous("anext"),
    "__aenter__": _asynchronous("aenter"),
    "__aexit__": _asynchronous("aexit"),
    "__exit__": _exiting,
    "__copy__": lambda name: StubObject.__copy__,
    "__deepcopy__": lambda name: StubObject.__deepcopy__,
    "__dir__": lambda name: StubObject.__dir__,
}
