"""Stand-ins for objects of the other process: calls, attributes and operators go there.

:func:`make` builds one from a description. A stub has the operators that the object's class has, no more:
``len(stub)`` fails where ``len(object)`` would. What a class of the candidate's decides (a comparison, a
truth value, a length) is noted, since it may be a lie; not what a builtin class decides of which it derives.
"""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable
from typing import Any, cast

from .describing import ARITHMETIC, DECIDING, FUNCTION_KINDS, OPERATORS, dunder
from .plain_types import BadData

#: Dunder attributes that a stub forwards; others do not exist.
_ATTRIBUTES = dunder(
    "name doc qualname wrapped module code defaults kwdefaults annotations func self dict notes",
    "match_args dataclass_fields members slots class_getitem abstractmethods isabstractmethod",
)
HANDLE, PEER, _ITERATOR = "_refine_handle", "_refine_peer", "_refine_iterator"


class StubType(type):
    """Marks a stand-in for a class; an instance of it is one."""

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
        if HANDLE not in members:
            base = next(base for base in bases if isinstance(base, StubType))
            peer_of(base).refuse(f"a check extends the candidate's class `{base.__name__}`")
        return type.__new__(cls, name, bases, members)

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        peer = peer_of(cls)
        if issubclass(cls, BaseException) and not peer.judges:
            return type.__call__(cls, *arguments, **named)
        return peer.ask("call", cls, arguments, named)

    def __getattr__(cls, name: str) -> Any:
        if _is_hidden(name) or HANDLE not in vars(cls):
            raise AttributeError(name)
        return peer_of(cls).ask("get", cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        if name.startswith("__") or name.startswith("_abc_"):
            type.__setattr__(cls, name, value)
        else:
            peer_of(cls).ask("set", cls, name, value)

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
    def __doc__(cls) -> Any:  # type: ignore[override]
        return peer_of(cls).ask("get", cls, "__doc__") if vars(cls).get(HANDLE) else None


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
    }
    if "__eq__" in operators and "__hash__" not in operators:
        members["__hash__"] = None
    if "__len__" in operators and "__bool__" not in operators:
        members["__bool__"] = _forward("__bool__", name, True)
    return members


def iterator_method(method: str) -> Callable[..., Any]:
    def call(self: Any, *arguments: Any) -> Any:
        return getattr(object.__getattribute__(self, _ITERATOR), method)(*arguments)

    return call


class Stub:
    """A stand-in for an object."""

    def __getattr__(self, name: str) -> Any:
        if _is_hidden(name):
            raise AttributeError(name)
        return ask(self, "get", name)

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
        return ask(self, "dir")

    def __copy__(self) -> Any:
        return ask(self, "copy")

    def __deepcopy__(self, _: Any) -> Any:
        return ask(self, "deepcopy")


def ask(stub: Any, operation: str, *arguments: Any) -> Any:
    return object.__getattribute__(stub, PEER).ask(operation, stub, *arguments)


def _forward(operator: str, name: str, decides: bool) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any) -> Any:
        if decides:
            peer = object.__getattribute__(self, PEER)
            peer.note(f"`{name}.{operator}` of the candidate's own class decided the result")
        return ask(self, "operator", operator, arguments)

    method.__name__ = operator
    return method


def _calling(name: str) -> Callable[..., Any]:
    def __call__(self: Any, *arguments: Any, **named: Any) -> Any:
        return ask(self, "call", arguments, named)

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


def _exiting(operator: str) -> Callable[[str], Callable[..., Any]]:
    def method(self: Any, kind: Any, error: Any, _: Any) -> Any:
        # Another process has no use for the frames.
        return ask(self, "operator", operator, (kind, error, None))

    return lambda name: method


_SPECIAL: dict[str, Callable[[str], Callable[..., Any]]] = {
    "__call__": _calling,
    "__await__": _awaiting,
    "__exit__": _exiting("__exit__"),
    "__aexit__": _exiting("__aexit__"),
}


# -- from descriptions


KIND_NAMES = {kind.__name__: kind for kind in FUNCTION_KINDS}


def handle_of(value: Any, peer: Any) -> int | None:
    """The other side's number of a stub; None for anything else."""
    kind = type(value)
    if issubclass(kind, StubType):
        found = vars(value).get(HANDLE)
        return found if found is not None and vars(value)[PEER] is peer else None
    if issubclass(kind, Stub):
        return object.__getattribute__(value, HANDLE)
    return None


def make(peer: Any, handle: int, description: Any, unpacker: Any) -> Any:
    """Make a stub from the result of :func:`describe`. :raises BadData:"""
    if type(description) is not dict:
        raise BadData("no description")
    operators = description.get("operators")
    if type(operators) is not list or not OPERATORS.issuperset(operators):
        raise BadData("no operators")
    if "class" in description:
        return _make_class(peer, handle, description, operators, unpacker)
    kind = KIND_NAMES.get(description.get("kind", ""))
    if kind is None:
        kind = unpacker.value(description.get("of"))
        if not isinstance(kind, type) or issubclass(kind, BaseException):
            raise BadData("no class of an object")
    if isinstance(kind, StubType):
        if vars(kind)["_refine_library"]:
            peer.opaque(kind.__name__)
        made: Any = object.__new__(cast("type[Any]", kind))
    else:
        if kind not in KIND_NAMES.values():
            peer.opaque(kind.__name__)
        made = object.__new__(type_of(identifier(description.get("name")), tuple(operators), kind))
    object.__setattr__(made, HANDLE, handle)
    object.__setattr__(made, PEER, peer)
    if kind is types.CoroutineType:
        object.__setattr__(made, _ITERATOR, made.__await__())
    return made


def _make_class(
    peer: Any, handle: int, description: dict[str, Any], operators: list[str], unpacker: Any
) -> Any:
    name = identifier(description["class"])
    bases = [base for base in unpacker.items(description.get("bases", [])) if isinstance(base, type)]
    members: dict[str, Any] = {
        HANDLE: handle,
        PEER: peer,
        "__module__": "__main__",
        "_refine_library": description.get("library"),
    }
    stubs = tuple(base for base in bases if isinstance(base, StubType))
    errors = tuple(base for base in bases if issubclass(base, BaseException) and base not in stubs)
    chosen: tuple[type, ...]
    if errors or any(issubclass(stub, BaseException) for stub in stubs):
        members["__str__"] = _error_text
        chosen = (*stubs, *errors)
    else:
        # A class that no check names may be made to deceive it.
        deciding = DECIDING if name in peer.named else DECIDING | ARITHMETIC
        deciding = deciding - {"__len__"} if description.get("library") else deciding
        # An operator of `list` is no code of the candidate's.
        deciding = deciding.intersection(description.get("own", []))
        members |= {**forwards(operators, name, deciding), "__doc__": vars(Stub)["__doc__"]}
        chosen = stubs or (Stub,)
    for attempt in (chosen, chosen[:1]):
        try:
            return StubType(name, tuple(dict.fromkeys(attempt)), members)
        except TypeError:
            continue
    raise BadData("no class")


def _error_text(self: BaseException) -> str:
    found = vars(self).get("_refine_text")
    return found if type(found) is str else BaseException.__str__(self)


def mark_error(error: BaseException, text: Any) -> None:
    """Mark an error as raised by the other side, with its ``str(error)`` there."""
    vars(error)["_refine_text"] = text if type(text) is str else None


def is_from_worker(error: BaseException) -> bool:
    """Whether the candidate's process raised it."""
    return "_refine_text" in vars(error)


def identifier(part: Any) -> str:
    if type(part) is not str or not part.isidentifier():
        raise BadData("no name")
    return part


_made_types: dict[tuple[Any, ...], type] = {}


def type_of(name: str, operators: tuple[str, ...], kind: type) -> type:
    """Operators of stubs for functions and the like, and for instances of classes of libraries."""
    key = (name, operators, kind)
    if key not in _made_types:
        members = {
            **forwards(operators, name, DECIDING - {"__len__"}),
            "__module__": "__main__",
            "__doc__": vars(Stub)["__doc__"],
        }
        members["__class__"] = property(lambda self: _class_of(self, kind))
        if kind is types.CoroutineType:
            # A task of the event loop calls these.
            for method in ("send", "throw", "close"):
                members[method] = iterator_method(method)
        _made_types[key] = type(name, (Stub,), members)
    return _made_types[key]


def _class_of(stub: Any, kind: Any) -> Any:
    if kind in KIND_NAMES.values():
        return kind
    peer = object.__getattribute__(stub, PEER)
    peer.note(f"the type of a result, {getattr(kind, '__name__', '?')}, comes from the candidate's process")
    return kind
