"""Stand-ins for objects of the other process: calls, attributes and operators go there.

:func:`make` builds one from a description. A stub has the operators that the object's class has, no more:
``len(stub)`` fails where ``len(object)`` would. What a class of the candidate's decides (a comparison, a
truth value) is noted, since it may be a lie; not its length, which is plain data as any method's result is,
nor what a builtin class decides of which it derives.
"""

from __future__ import annotations

import asyncio
import copyreg
import types
from collections.abc import Callable
from typing import Any, cast

from .library_types import BadData

BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


def dunder(*groups: str) -> frozenset[str]:
    return frozenset(f"__{name}__" for group in groups for name in group.split())


ARITHMETIC = dunder(" ".join(prefix + name for prefix in ("", "r", "i") for name in BINARY))
#: Operators of a class that a stub forwards.
OPERATORS = ARITHMETIC | dunder(
    "eq ne lt le gt ge len bool contains iter next reversed length_hint getitem setitem delitem hash",
    "missing neg pos abs invert divmod rdivmod float int complex index round trunc floor ceil",
    "str repr format bytes call enter exit aenter aexit await aiter anext array fspath",
)
#: Operators with which the candidate's class decides a check: most receive the expected value.
DECIDING = dunder(
    "eq ne lt le gt ge bool contains sub rsub truediv rtruediv mod rmod floordiv rfloordiv",
    "divmod rdivmod and rand or ror xor rxor",
)

_FUNCTION_KINDS = (
    *(types.FunctionType, types.MethodType, types.BuiltinFunctionType),
    *(types.GeneratorType, types.CoroutineType),
)
_KIND_NAMES = {kind.__name__: kind for kind in _FUNCTION_KINDS}
#: Dunder attributes that a stub forwards; others do not exist.
_ATTRIBUTES = dunder(
    "name doc qualname wrapped module code defaults kwdefaults annotations func self dict notes",
    "match_args dataclass_fields members slots class_getitem abstractmethods isabstractmethod",
)
HANDLE, PEER, _LIBRARY = "_refine_handle", "_refine_peer", "_refine_library"


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


def forwards(operators: Any, name: str, deciding: frozenset[str]) -> dict[str, Any]:
    """Methods for operators of a class of that name.

    :param deciding: those of them that are noted.
    """
    members: dict[str, Any] = {"__module__": "__main__", "__doc__": vars(Stub)["__doc__"]}
    for operator in operators:
        members[operator] = _SPECIAL.get(operator) or _forward(operator, name, operator in deciding)
    if "__eq__" in operators and "__hash__" not in operators:
        members["__hash__"] = None
    if "__len__" in operators and "__bool__" not in operators:
        members["__bool__"] = _forward("__bool__", name, False)
    return members


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


def _await(self: Any) -> Any:
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


#: Operators that are forwarded in another way. Another process has no use for the frames of an error.
_SPECIAL: dict[str, Callable[..., Any]] = {
    "__call__": lambda self, *arguments, **named: ask(self, "call", arguments, named),
    "__await__": _await,
    "__exit__": lambda self, kind, error, _: ask(self, "operator", "__exit__", (kind, error, None)),
    "__aexit__": lambda self, kind, error, _: ask(self, "operator", "__aexit__", (kind, error, None)),
}


# -- from descriptions


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
    kind = _KIND_NAMES.get(description.get("kind", ""))
    if kind is None:
        kind = unpacker.value(description.get("of"))
        if not isinstance(kind, type) or issubclass(kind, BaseException):
            raise BadData("no class of an object")
    if isinstance(kind, StubType):
        if vars(kind)[_LIBRARY]:
            peer.opaque_types.append(kind.__name__)
        made: Any = object.__new__(cast("type[Any]", kind))
    else:
        if kind not in _FUNCTION_KINDS:
            peer.opaque_types.append(kind.__name__)
        made = object.__new__(type_of(identifier(description.get("name")), tuple(operators), kind))
    object.__setattr__(made, HANDLE, handle)
    object.__setattr__(made, PEER, peer)
    if kind is types.CoroutineType:
        running = made.__await__()
        for method in ("send", "throw", "close"):
            # A task of the event loop calls these.
            object.__setattr__(made, method, getattr(running, method))
    return made


def _make_class(
    peer: Any, handle: int, description: dict[str, Any], operators: list[str], unpacker: Any
) -> Any:
    name = identifier(description["class"])
    bases = [base for base in unpacker.items(description.get("bases", [])) if isinstance(base, type)]
    members: dict[str, Any] = {HANDLE: handle, PEER: peer, _LIBRARY: description.get("library")}
    stubs = tuple(base for base in bases if isinstance(base, StubType))
    errors = tuple(base for base in bases if issubclass(base, BaseException) and base not in stubs)
    chosen: tuple[type, ...]
    if errors or any(issubclass(stub, BaseException) for stub in stubs):
        members |= {"__module__": "__main__", "__str__": _error_text}
        chosen = (*stubs, *errors)
    else:
        # An operator of `list` is no code of the candidate's.
        members |= forwards(operators, name, DECIDING.intersection(description.get("own", [])))
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
        members = forwards(operators, name, DECIDING)
        members["__class__"] = property(lambda self: _class_of(self, kind))
        _made_types[key] = type(name, (Stub,), members)
    return _made_types[key]


def _class_of(stub: Any, kind: Any) -> Any:
    if kind in _FUNCTION_KINDS:
        return kind
    peer = object.__getattribute__(stub, PEER)
    peer.note(f"the type of a result, {getattr(kind, '__name__', '?')}, comes from the candidate's process")
    return kind


# -- descriptions, and what of an object may be read


def describe(value: Any, node: Callable[[Any], Any], with_class: bool) -> dict[str, Any]:
    """What a stub for it needs to know; read by :func:`make` of the other side.

    :param with_class: whether the other side gets the class as well, which it may call.
    """
    if isinstance(value, type):
        return _describe_class(value, node, with_class)
    kind = type(value)
    described = {"name": _name_of(kind), "operators": _operators(kind)}
    if kind in _FUNCTION_KINDS:
        return {**described, "kind": kind.__name__}
    if with_class:
        return {**described, "of": node(kind)}
    return {**described, "kind": types.BuiltinFunctionType.__name__}


def _describe_class(kind: type, node: Callable[[Any], Any], with_bases: bool) -> dict[str, Any]:
    operators = _operators(kind)
    plain = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    bases = [
        base
        for base in kind.__bases__
        if (with_bases if base.__module__ != "builtins" else issubclass(base, BaseException))
    ]
    return {
        "class": _name_of(kind),
        "operators": operators,
        "bases": list(map(node, bases)),
        "library": kind.__module__ != "__main__",
        "own": [name for name in operators if getattr(kind, name) is not getattr(plain, name, None)],
    }


def _name_of(kind: type) -> str:
    """Some of the interpreter's own have names that no class statement could give: ``method-wrapper``."""
    return kind.__name__ if kind.__name__.isidentifier() else "object"


def _operators(kind: type) -> list[str]:
    found = [name for name in OPERATORS if _has(kind, name)]
    if kind.__eq__ is object.__eq__:
        # By identity: a stub is the same one each time.
        found = [name for name in found if name not in ("__eq__", "__ne__", "__hash__")]
    return sorted(found)


def _has(kind: type, name: str) -> bool:
    found = getattr(kind, name, None)
    if found is None:
        return False
    return found is not getattr(object, name, None) or name in ("__str__", "__repr__", "__format__")


def is_of_users(kind: type) -> bool:
    """Whether a class statement in a cell made it, before the candidate."""
    return kind.__module__ == "__main__"


def is_simple(kind: type) -> bool:
    """Whether instances are determined by their attributes."""
    own = [base for base in kind.__mro__ if base is not object]
    methods = ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__")
    return not any(base.__module__ == "builtins" or vars(base).keys() & methods for base in own)


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
            raise BadData(f"an attribute {key!r}")
        object.__setattr__(made, key, part)


def assume(mine: Any, new: Any) -> None:
    """Give an instance the attributes of another one of its class."""
    state = state_of(new)
    for key in state_of(mine).keys() - state.keys():
        object.__delattr__(mine, key)
    for key, part in state.items():
        object.__setattr__(mine, key, part)


def is_exposed(name: Any) -> bool:
    """Whether the other side may read this attribute of an object that a check has passed in."""
    if type(name) is not str or (
        name.startswith("_")
        and name not in ("__name__", "__doc__", "__qualname__", "__module__", "__annotations__")
    ):
        return False
    return not name.startswith(("gi_", "cr_", "ag_", "f_", "tb_", "co_", "func_"))
