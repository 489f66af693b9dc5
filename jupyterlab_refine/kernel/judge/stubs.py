"""Stand-ins for objects of the other process: calls, attributes and operators go there.

A stub has the operators that the object's class has, no more: ``len(stub)`` fails
where ``len(object)`` would. What a class of the candidate's decides (a
comparison, a truth value, a length) is noted, since it may be a lie.
"""

from __future__ import annotations

import asyncio
import copyreg
import inspect
import types
from collections.abc import Callable
from typing import Any, cast

from . import importing, plain

_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


def _dunder(*groups: str) -> frozenset[str]:
    return frozenset(f"__{name}__" for group in groups for name in group.split())


#: Operators of a class that a stub forwards.
OPERATORS = _dunder(
    "eq ne lt le gt ge len bool contains iter next reversed length_hint getitem setitem delitem hash",
    "missing neg pos abs invert divmod rdivmod float int complex index round trunc floor ceil",
    "str repr format bytes call enter exit aenter aexit await aiter anext array fspath dir",
    "copy deepcopy get set delete",
    " ".join(prefix + name for prefix in ("", "r", "i") for name in _BINARY),
)
#: Operators with which the candidate's class decides a check: most receive the expected value.
_DECIDING = _dunder(
    "eq ne lt le gt ge len bool contains sub rsub truediv rtruediv mod rmod floordiv rfloordiv",
    "divmod rdivmod and rand or ror xor rxor",
)
_ARITHMETIC = _dunder(" ".join(prefix + name for prefix in ("", "r", "i") for name in _BINARY))
#: Dunder attributes that a stub forwards; others do not exist.
_ATTRIBUTES = _dunder(
    "name doc qualname wrapped module signature code defaults kwdefaults annotations func self dict notes",
    "match_args dataclass_fields members slots class_getitem abstractmethods isabstractmethod",
)
_BASES = (bool, int, float, complex, str, bytes, tuple, frozenset, list, dict, set)
_FUNCTION_KINDS = {
    types.FunctionType: types.FunctionType,
    types.MethodType: types.MethodType,
    types.GeneratorType: types.GeneratorType,
    types.CoroutineType: types.CoroutineType,
    types.BuiltinFunctionType: types.BuiltinFunctionType,
}
_KIND_NAMES = {kind.__name__: kind for kind in _FUNCTION_KINDS}
_HANDLE, _PEER, _OF, _ITERATOR = "_refine_handle", "_refine_peer", "_refine_of", "_refine_iterator"
_OBJECT_STATE = (object.__reduce_ex__, object.__reduce__)


class Stub:
    """Marks a stand-in for an object."""


class StubType(type):
    """Marks a stand-in for a class; an instance of it is one."""

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
        if _HANDLE not in members:
            base = next(base for base in bases if isinstance(base, StubType))
            _peer(base).refuse(f"a check extends the candidate's class `{base.__name__}`")
        return type.__new__(cls, name, bases, members)

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> None:
        type.__init__(cls, name, bases, members)

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        peer = _peer(cls)
        if issubclass(cls, BaseException) and not peer.judges:
            return type.__call__(cls, *arguments, **named)
        return peer.ask("call", cls, arguments, named)

    def __getattr__(cls, name: str) -> Any:
        if _is_hidden(name) or _HANDLE not in vars(cls):
            raise AttributeError(name)
        return _peer(cls).ask("get", cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        if name.startswith("__") or name.startswith("_abc_"):
            type.__setattr__(cls, name, value)
        else:
            _peer(cls).ask("set", cls, name, value)

    def __delattr__(cls, name: str) -> None:
        _peer(cls).ask("delete", cls, name)

    def __instancecheck__(cls, value: Any) -> bool:
        if type.__instancecheck__(cls, value):
            return True
        if not vars(cls).get("_refine_checks"):
            return False
        _peer(cls).note(f"`isinstance(..., {cls.__name__})` was decided by the candidate's own class")
        return bool(_peer(cls).ask("isinstance", value, cls))

    def __iter__(cls) -> Any:
        return iter(_peer(cls).ask("list", cls))

    def __len__(cls) -> int:
        return len(_peer(cls).ask("list", cls))

    def __contains__(cls, value: Any) -> bool:
        _peer(cls).note(f"`in {cls.__name__}` was decided by the candidate's own class")
        return bool(_peer(cls).ask("operator", cls, "__contains__", (value,)))

    def __getitem__(cls, key: Any) -> Any:
        return _peer(cls).ask("operator", cls, "__getitem__", (key,))

    def __bool__(cls) -> bool:
        return True

    def __dir__(cls) -> Any:
        return _peer(cls).ask("dir", cls) if vars(cls).get(_HANDLE) else type.__dir__(cls)

    @property
    def __mro__(cls) -> Any:
        return tuple(base for base in type.mro(cls) if base not in (Stub, _Object))

    @property
    def __doc__(cls) -> Any:  # type: ignore[override]
        return _peer(cls).ask("get", cls, "__doc__") if vars(cls).get(_HANDLE) else None

    @property
    def __annotations__(cls) -> Any:  # type: ignore[override]
        return _peer(cls).ask("get", cls, "__annotations__") if vars(cls).get(_HANDLE) else {}

    def __repr__(cls) -> str:
        return f"<class '__main__.{cls.__name__}'>"


def _peer(cls: type) -> Any:
    return type.__getattribute__(cls, _PEER)


def handle_of(value: Any, peer: Any) -> int | None:
    """The other side's number of a stub; None for anything else."""
    kind = type(value)
    if issubclass(kind, StubType):
        found = vars(value).get(_HANDLE)
        return found if found is not None and vars(value)[_PEER] is peer else None
    if issubclass(kind, Stub):
        return object.__getattribute__(value, _HANDLE)
    return None


def _is_hidden(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in _ATTRIBUTES


# -- describing an object


def describe(value: Any, node: Callable[[Any], Any], with_class: bool) -> dict[str, Any]:
    """What a stub for it needs to know; read by :func:`make` of the other side.

    :param with_class: whether the other side gets the class as well, which it may call.
    """
    if isinstance(value, type):
        return _describe_class(value, node, with_class)
    kind = type(value)
    if kind in _FUNCTION_KINDS or not with_class:
        shown = kind if kind in _FUNCTION_KINDS else types.BuiltinFunctionType
        return {"name": kind.__name__, "operators": _operators(kind), "kind": shown.__name__}
    description = {"name": kind.__name__, "operators": _operators(kind), "of": node(kind)}
    base = _base_of(kind)
    if base is not None:
        description["content"] = node(content(value, base))
    return description


def _describe_class(kind: type, node: Callable[[Any], Any], with_bases: bool) -> dict[str, Any]:
    description: dict[str, Any] = {
        "class": kind.__name__,
        "operators": _operators(kind),
        "bases": [
            node(base)
            for base in kind.__bases__
            if base is not object and _is_described(base) and (with_bases or base.__module__ == "builtins")
        ],
    }
    if kind.__module__ != "__main__":
        description["library"] = [kind.__module__, kind.__qualname__]
    metaclass: Any = type(kind)
    meta = [base for base in metaclass.__mro__ if "__instancecheck__" in vars(base) and base is not type]
    if meta and meta[0].__module__ not in ("abc", "enum", "typing"):
        description["checks"] = True
    base = _base_of(kind)
    if base is not None:
        description["base"] = base.__name__
        description["own"] = sorted(
            name
            for owner in kind.__mro__
            if owner.__module__ != "builtins"
            for name in vars(owner)
            if type(name) is str and (name in OPERATORS or not name.startswith("_"))
        )
    return description


def _operators(kind: type) -> list[str]:
    found = [name for name in OPERATORS if _has(kind, name)]
    if kind.__eq__ is object.__eq__:
        # By identity: a stub is the same one each time.
        found = [name for name in found if name not in ("__eq__", "__ne__", "__hash__")]
    return sorted(found)


def _base_of(kind: type) -> type | None:
    """The builtin with whose storage instances are made."""
    return next((base for base in _BASES if base in kind.__mro__ and base is not bool), None)


def _is_described(base: type) -> bool:
    return base in _BASES or issubclass(base, BaseException) or base.__module__ != "builtins"


def _has(kind: type, name: str) -> bool:
    found = getattr(kind, name, None)
    if found is None:
        return False
    return found is not getattr(object, name, None) or name in ("__str__", "__repr__", "__format__")


def content(value: Any, base: Any) -> Any:
    """What a subclass of a builtin holds, as that builtin; no method of the subclass is called."""
    if base is dict:
        return dict(dict.items(value))
    if base in (list, tuple, set, frozenset):
        return base(base.__iter__(value))
    if base is complex:
        return complex(complex.real.__get__(value), complex.imag.__get__(value))
    if base is str:
        return str.__str__(value)
    if base is bytes:
        return bytes.__getitem__(value, slice(None))
    return base.__int__(value) if base is int else base.__float__(value)


def is_of_users(kind: type) -> bool:
    """Whether a class statement in a cell made it, before the candidate."""
    return kind.__module__ == "__main__"


def is_simple(kind: type) -> bool:
    """Whether instances are determined by their attributes."""
    if kind.__reduce_ex__ not in _OBJECT_STATE and kind.__reduce_ex__ is not object.__reduce_ex__:
        return False
    own = [base for base in kind.__mro__ if base is not object]
    if kind.__reduce__ is not object.__reduce__ or any(base.__module__ == "builtins" for base in own):
        return False
    return not any("__getstate__" in vars(base) or "__setstate__" in vars(base) for base in own)


def state_of(value: Any) -> dict[str, Any]:
    """Attributes of an instance, slots included."""
    state = dict(getattr(value, "__dict__", {}))
    for name in copyreg._slotnames(type(value)):  # type: ignore[attr-defined]
        if hasattr(value, name):
            state[name] = getattr(value, name)
    return state


def fill(made: Any, state: dict[Any, Any]) -> None:
    """Give an instance these attributes; none may take the place of a method."""
    kind = type(made)
    for key, part in state.items():
        found = getattr(kind, key, None) if type(key) is str else None
        if type(key) is not str or key.startswith("__") or callable(found) or isinstance(found, property):
            raise plain.BadData(f"an attribute {key!r}")
        object.__setattr__(made, key, part)


def assume(mine: Any, new: Any) -> None:
    """Give an instance the attributes of another one of its class."""
    state = state_of(new)
    for key in state_of(mine).keys() - state.keys():
        object.__delattr__(mine, key)
    for key, part in state.items():
        object.__setattr__(mine, key, part)


# -- making stubs


def make(peer: Any, handle: int, description: Any, unpacker: plain.Unpacker) -> Any:
    """Make a stub from the result of :func:`describe`. :raises plain.BadData:"""
    if type(description) is not dict:
        raise plain.BadData("no description")
    operators = description.get("operators")
    if type(operators) is not list or not OPERATORS.issuperset(operators):
        raise plain.BadData("no operators")
    if "class" in description:
        return _make_class(peer, handle, description, operators, unpacker)
    kind = _KIND_NAMES.get(description.get("kind", ""))
    if kind is None:
        kind = unpacker.value(description.get("of"))
        if not isinstance(kind, type) or issubclass(kind, BaseException):
            raise plain.BadData("no class of an object")
    if isinstance(kind, StubType):
        if vars(kind)["_refine_library"]:
            peer.opaque(kind.__name__)
        base = _base_of(kind)
        if base is None:
            made: Any = object.__new__(cast("type[Any]", kind))
        else:
            return _make_based(peer, handle, kind, base, unpacker.value(description.get("content")))
    else:
        if kind not in _KIND_NAMES.values():
            peer.opaque(kind.__name__)
        made = object.__new__(_type(_text(description.get("name")), tuple(operators), kind))
    object.__setattr__(made, _HANDLE, handle)
    object.__setattr__(made, _PEER, peer)
    return made


def _make_class(
    peer: Any, handle: int, description: dict[str, Any], operators: list[str], unpacker: plain.Unpacker
) -> Any:
    name = _text(description["class"])
    bases = [base for base in unpacker.items(description.get("bases", [])) if isinstance(base, type)]
    members: dict[str, Any] = {
        _HANDLE: handle,
        _PEER: peer,
        "__module__": "__main__",
        "_refine_checks": bool(description.get("checks")),
        "_refine_library": description.get("library"),
        "_refine_bases": tuple(base for base in bases if not isinstance(base, StubType)),
    }
    stubs = tuple(base for base in bases if isinstance(base, StubType))
    errors = tuple(base for base in bases if issubclass(base, BaseException) and base not in stubs)
    base = next((base for base in _BASES if base.__name__ == description.get("base")), None)
    chosen: tuple[type, ...]
    if errors or any(issubclass(stub, BaseException) for stub in stubs):
        members["__str__"] = _error_text
        chosen = (*stubs, *errors)
    elif base is not None:
        members |= _based_members(base, name, description.get("own"))
        chosen = (*stubs, *(() if any(issubclass(stub, base) for stub in stubs) else (Stub, base)))
    else:
        # A class that no check names may be made to deceive it.
        deciding = _DECIDING if name in peer.named else _DECIDING | _ARITHMETIC
        deciding = deciding - {"__len__"} if description.get("library") else deciding
        members |= {**_forwards(operators, name, deciding), "__doc__": vars(_Object)["__doc__"]}
        chosen = stubs or (_Object,)
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
            peer = _peer(kind)
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


def _text(part: Any) -> str:
    if type(part) is not str or not part.isidentifier():
        raise plain.BadData("no name")
    return part


def _forwards(operators: Any, name: str, deciding: frozenset[str] = _DECIDING) -> dict[str, Any]:
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


_made_types: dict[tuple[Any, ...], type] = {}


def _type(name: str, operators: tuple[str, ...], kind: type) -> type:
    """Operators of stubs for functions and the like, and for instances of classes of libraries."""
    key = (name, operators, kind)
    if key not in _made_types:
        members = {
            **_forwards(operators, name, _DECIDING - {"__len__"}),
            "__module__": "__main__",
            "__doc__": vars(_Object)["__doc__"],
        }
        members["__class__"] = property(lambda self: _class_of(self, kind))
        if kind is types.CoroutineType:
            # A task of the event loop calls these.
            for method in ("send", "throw", "close"):
                members[method] = _of_iterator(method)
        _made_types[key] = type(name, (_Object,), members)
    return _made_types[key]


def _class_of(stub: Any, kind: Any) -> Any:
    if kind in _KIND_NAMES.values():
        return kind
    peer = object.__getattribute__(stub, _PEER)
    peer.note(f"the type of a result, {getattr(kind, '__name__', '?')}, is what the candidate's process says")
    return kind


def _of_iterator(method: str) -> Callable[..., Any]:
    def call(self: Any, *arguments: Any) -> Any:
        if not _has_own(self, _ITERATOR):
            object.__setattr__(self, _ITERATOR, self.__await__())
        return getattr(object.__getattribute__(self, _ITERATOR), method)(*arguments)

    return call


class _Object(Stub):
    """A stub without a builtin's storage."""

    def __getattr__(self, name: str) -> Any:
        if _is_hidden(name):
            raise AttributeError(name)
        found = _ask(self, "get", name)
        if (
            isinstance(type(self), StubType)
            and type(found).__name__ == "method"
            and issubclass(type(found), Stub)
        ):
            object.__setattr__(found, _OF, f"{type(self).__name__}.{name}")
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        _ask(self, "set", name, value)

    def __delattr__(self, name: str) -> None:
        _ask(self, "delete", name)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return _ask(self, "get", "__doc__")

    @property
    def __dict__(self) -> Any:  # type: ignore[override]
        return _ask(self, "get", "__dict__")

    def __dir__(self) -> Any:
        return _ask(self, "operator", "__dir__", ())

    def __copy__(self) -> Any:
        return _ask(self, "copy")

    def __deepcopy__(self, _: Any) -> Any:
        return _ask(self, "deepcopy")

    def __reduce_ex__(self, _: Any) -> Any:
        peer = object.__getattribute__(self, _PEER)
        return _restore, (_number_of(peer), _ask(self, "pickle"))


_peers: list[Any] = []


def _number_of(peer: Any) -> int:
    if peer not in _peers:
        _peers.append(peer)
    return _peers.index(peer)


def _restore(number: int, data: bytes) -> Any:
    """The object that was pickled over there, as a stub again."""
    return _peers[number].ask("unpickle", data)


def _ask(stub: Any, operation: str, *arguments: Any) -> Any:
    return object.__getattribute__(stub, _PEER).ask(operation, stub, *arguments)


def _has_own(stub: Any, name: str) -> bool:
    try:
        object.__getattribute__(stub, name)
    except AttributeError:
        return False
    return True


def _decided(stub: Any, what: str) -> None:
    object.__getattribute__(stub, _PEER).note(f"`{what}` of the candidate's own class decided the result")


def _forward(operator: str, name: str, decides: bool) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any) -> Any:
        if decides:
            _decided(self, f"{name}.{operator}")
        return _ask(self, "operator", operator, arguments)

    method.__name__ = operator
    return method


def _calling(name: str) -> Callable[..., Any]:
    def __call__(self: Any, *arguments: Any, **named: Any) -> Any:
        result = _ask(self, "call", arguments, named)
        if result is True and (arguments or named):
            of = object.__getattribute__(self, _OF) if _has_own(self, _OF) else ""
            if of and of.split(".")[0] not in object.__getattribute__(self, _PEER).named:
                _decided(self, of)
        return result

    return __call__


def _awaiting(name: str) -> Callable[..., Any]:
    def __await__(self: Any) -> Any:
        _ask(self, "start")
        try:
            while True:
                # Others that are awaited beside it start meanwhile.
                yield from asyncio.sleep(0).__await__()
                done, value = _ask(self, "step")
                if done:
                    return value
        except asyncio.CancelledError:
            _ask(self, "cancel")
            raise

    return __await__


def _asynchronous(operation: str) -> Callable[[str], Callable[..., Any]]:
    def make_method(name: str) -> Callable[..., Any]:
        async def method(self: Any, *arguments: Any) -> Any:
            ended, value = _ask(self, operation, *arguments)
            if ended:
                raise StopAsyncIteration
            return value

        return method

    return make_method


def _exiting(name: str) -> Callable[..., Any]:
    def __exit__(self: Any, kind: Any, error: Any, trace: Any) -> Any:
        # Another process has no use for the frames.
        return _ask(self, "operator", "__exit__", (kind, error, None))

    return __exit__


_SPECIAL: dict[str, Callable[[str], Callable[..., Any]]] = {
    "__call__": _calling,
    "__await__": _awaiting,
    "__anext__": _asynchronous("anext"),
    "__aenter__": _asynchronous("aenter"),
    "__aexit__": _asynchronous("aexit"),
    "__exit__": _exiting,
    "__copy__": lambda name: _Object.__copy__,
    "__deepcopy__": lambda name: _Object.__deepcopy__,
    "__dir__": lambda name: _Object.__dir__,
}


# -- subclasses of builtins: real instances of the builtin, with what the object holds


def _based_members(base: type, name: str, own: Any) -> dict[str, Any]:
    if type(own) is not list or any(type(member) is not str for member in own):
        raise plain.BadData("no names")
    # A number, text or container with operators of its own may pretend to be another one.
    operators = [member for member in own if member in OPERATORS and member != "__dir__"]
    members = _forwards(operators, name, OPERATORS - {"__hash__", "__repr__", "__str__", "__format__"})
    for member in own:
        if member not in OPERATORS and member.isidentifier():
            members[member] = _Member(member, name if hasattr(base, member) else "")
    for names, method in ((_READING.get(base, []), _fresh), (_WRITING.get(base, []), _changing)):
        members |= {member: method(base, member) for member in names if member not in members}
    for member in ("__reduce_ex__", "__deepcopy__", "__copy__", "__getattr__", "__setattr__"):
        members.setdefault(member, vars(_Object)[member])
    return members


def _make_based(peer: Any, handle: int, kind: type, base: Any, value: Any) -> Any:
    if type(value) is not base:
        raise plain.BadData("no content")
    made = base.__new__(kind) if base in (list, dict, set) else base.__new__(kind, value)
    object.__setattr__(made, _HANDLE, handle)
    object.__setattr__(made, _PEER, peer)
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
            return _peer(owner).ask("get", owner, self._name)
        if self._kind:
            _decided(stub, f"{self._kind}.{self._name}")
        return _ask(stub, "get", self._name)

    def __set__(self, stub: Any, value: Any) -> None:
        _ask(stub, "set", self._name, value)


def _fill(stub: Any, base: Any, value: Any) -> None:
    if base is list:
        list.__setitem__(stub, slice(None), value)
    else:
        base.clear(stub)
        base.update(stub, value)
    object.__setattr__(stub, "_refine_epoch", object.__getattribute__(stub, _PEER).epoch)


def _refresh(stub: Any, base: type) -> None:
    peer = object.__getattribute__(stub, _PEER)
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
        result = _ask(self, "method", name, arguments, named)
        return self if name.startswith("__i") else result

    method.__name__ = name
    return method


def signature(value: Any) -> Any:
    """For ``inspect.signature`` of a stub. :raises AttributeError:"""
    try:
        return inspect.signature(value)
    except (ValueError, TypeError) as error:
        raise AttributeError("__signature__") from error


def is_exposed(name: Any) -> bool:
    """Whether the other side may read this attribute of an object that a check has passed in."""
    if type(name) is not str or (
        name.startswith("_")
        and name not in ("__name__", "__doc__", "__qualname__", "__module__", "__annotations__")
    ):
        return False
    return not name.startswith(("gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_"))
