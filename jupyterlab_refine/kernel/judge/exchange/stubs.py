"""Stand-ins for objects of the other process: calls, attributes and operators go there.

:func:`make` builds one from a description. What it does when it is used is in
:mod:`stub_types`, and in :mod:`stub_builtins` for subclasses of builtins.
"""

from __future__ import annotations

import types
from typing import Any, cast

from .. import importing
from . import plain
from .describing import BASES, FUNCTION_KINDS, base_of
from .operators import ARITHMETIC, DECIDING, OPERATORS
from .stub_builtins import make_based, members_of
from .stub_types import HANDLE, PEER, Stub, StubObject, StubType, forwards, iterator_method, peer_of

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


def make(peer: Any, handle: int, description: Any, unpacker: plain.Unpacker) -> Any:
    """Make a stub from the result of :func:`describe`. :raises plain.BadData:"""
    if type(description) is not dict:
        raise plain.BadData("no description")
    operators = description.get("operators")
    if type(operators) is not list or not OPERATORS.issuperset(operators):
        raise plain.BadData("no operators")
    if "class" in description:
        return _make_class(peer, handle, description, operators, unpacker)
    kind = KIND_NAMES.get(description.get("kind", ""))
    if kind is None:
        kind = unpacker.value(description.get("of"))
        if not isinstance(kind, type) or issubclass(kind, BaseException):
            raise plain.BadData("no class of an object")
    if isinstance(kind, StubType):
        if vars(kind)["_refine_library"]:
            peer.opaque(kind.__name__)
        base = base_of(kind)
        if base is None:
            made: Any = object.__new__(cast("type[Any]", kind))
        else:
            return make_based(peer, handle, kind, base, unpacker.value(description.get("content")))
    else:
        if kind not in KIND_NAMES.values():
            peer.opaque(kind.__name__)
        made = object.__new__(type_of(identifier(description.get("name")), tuple(operators), kind))
    object.__setattr__(made, HANDLE, handle)
    object.__setattr__(made, PEER, peer)
    return made


def _make_class(
    peer: Any, handle: int, description: dict[str, Any], operators: list[str], unpacker: plain.Unpacker
) -> Any:
    name = identifier(description["class"])
    bases = [base for base in unpacker.items(description.get("bases", [])) if isinstance(base, type)]
    members: dict[str, Any] = {
        HANDLE: handle,
        PEER: peer,
        "__module__": "__main__",
        "_refine_checks": bool(description.get("checks")),
        "_refine_library": description.get("library"),
        "_refine_bases": tuple(base for base in bases if not isinstance(base, StubType)),
    }
    stubs = tuple(base for base in bases if isinstance(base, StubType))
    errors = tuple(base for base in bases if issubclass(base, BaseException) and base not in stubs)
    base = next((base for base in BASES if base.__name__ == description.get("base")), None)
    chosen: tuple[type, ...]
    if errors or any(issubclass(stub, BaseException) for stub in stubs):
        members["__str__"] = _error_text
        chosen = (*stubs, *errors)
    elif base is not None:
        members |= members_of(base, name, description.get("own"))
        chosen = (*stubs, *(() if any(issubclass(stub, base) for stub in stubs) else (Stub, base)))
    else:
        # A class that no check names may be made to deceive it.
        deciding = DECIDING if name in peer.named else DECIDING | ARITHMETIC
        deciding = deciding - {"__len__"} if description.get("library") else deciding
        members |= {**forwards(operators, name, deciding), "__doc__": vars(StubObject)["__doc__"]}
        chosen = stubs or (StubObject,)
    for attempt in (chosen, chosen[:1]):
        try:
            return StubType(name, tuple(dict.fromkeys(attempt)), members)
        except TypeError:
            continue
    raise plain.BadData("no class")


#: Of the classes that both processes have: those whose instances do not travel by value.
_ABSTRACT = ("enum", "abc", "collections.abc", "numbers", "typing")


def is_subclass(kind: Any, other: Any) -> bool:
    """Whether the candidate's class derives from one of a library's, as its process says."""
    if isinstance(other, (tuple, types.UnionType)):
        parts: Any = getattr(other, "__args__", other)
        return any(is_subclass(kind, part) for part in parts)
    if not isinstance(kind, StubType) or not isinstance(other, type) or isinstance(other, StubType):
        return False
    for base in type.mro(kind):
        own = vars(base)
        if other.__module__ in _ABSTRACT and any(issubclass(b, other) for b in own.get("_refine_bases", ())):
            return True
        path = own.get("_refine_library")
        if path and path == [other.__module__, other.__qualname__] and importing.path_of(other) is None:
            # Its methods may come from the candidate.
            peer = peer_of(kind)
            peer.named = peer.named - {base.__name__, kind.__name__}
            return True
    return False


def checked_isinstance(value: Any, kinds: Any) -> bool:
    """For checks: ``isinstance``, with classes of libraries from which the candidate's derive."""
    return isinstance(value, kinds) or is_subclass(type(value), kinds)


def checked_issubclass(kind: Any, kinds: Any) -> bool:
    """For checks: ``issubclass``, likewise."""
    return issubclass(kind, kinds) or is_subclass(kind, kinds)


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
        raise plain.BadData("no name")
    return part


_made_types: dict[tuple[Any, ...], type] = {}


def type_of(name: str, operators: tuple[str, ...], kind: type) -> type:
    """Operators of stubs for functions and the like, and for instances of classes of libraries."""
    key = (name, operators, kind)
    if key not in _made_types:
        members = {
            **forwards(operators, name, DECIDING - {"__len__"}),
            "__module__": "__main__",
            "__doc__": vars(StubObject)["__doc__"],
        }
        members["__class__"] = property(lambda self: _class_of(self, kind))
        if kind is types.CoroutineType:
            # A task of the event loop calls these.
            for method in ("send", "throw", "close"):
                members[method] = iterator_method(method)
        _made_types[key] = type(name, (StubObject,), members)
    return _made_types[key]


def _class_of(stub: Any, kind: Any) -> Any:
    if kind in KIND_NAMES.values():
        return kind
    peer = object.__getattribute__(stub, PEER)
    peer.note(f"the type of a result, {getattr(kind, '__name__', '?')}, comes from the candidate's process")
    return kind
