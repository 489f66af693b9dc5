"""Plain data as JSON trees: what travels by value between judge and worker, and nothing else.

The judge reads trees that the candidate may have forged, so :class:`Unpacker`
calls a fixed table of constructors. There is no pickle but of :mod:`.library_types`, no import by a name
that arrives, and no attribute of an existing object is set.
"""

from __future__ import annotations

import collections
import contextlib
import gc
import hashlib
import json
import marshal
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from . import library_types, stubs
from .library_types import SCALAR_SET, Unknown
from .library_types import BadData as BadData

#: Items of containers, those within them included, that are neither sent nor looked at one by one.
_MANY = 50_000
_encode = json.JSONEncoder(separators=(",", ":")).encode


class Form(NamedTuple):
    """How the values of one type travel: as ``[tag, items]``."""

    tag: str
    #: What a value holds.
    parts: Callable[[Any], list[Any]]
    #: Makes an empty one; without ``fill`` one of its items.
    new: Callable[..., Any]
    #: Adds the items, which may refer to it. Those types can be changed in place.
    fill: Callable[[Any, list[Any]], object] | None = None


def _pairs(mapping: Any) -> list[Any]:
    return [part for pair in mapping.items() for part in pair]


def _fill_mapping(made: Any, items: list[Any]) -> None:
    for key, value in zip(items[::2], items[1::2], strict=True):
        made[key] = value


def _fill_default(made: Any, items: list[Any]) -> None:
    made.default_factory, *rest = items
    if made.default_factory is not None and not callable(made.default_factory):
        raise BadData("no factory")
    _fill_mapping(made, rest)


def _fill_namespace(made: Any, items: list[Any]) -> None:
    vars(made).clear()
    _fill_mapping(vars(made), items)


#: By exact type.
_FORMS: dict[type, Form] = {
    list: Form("l", list, list, list.extend),
    set: Form("s", list, set, set.update),
    dict: Form("d", _pairs, dict, _fill_mapping),
    collections.OrderedDict: Form("od", _pairs, collections.OrderedDict, _fill_mapping),
    collections.Counter: Form("cn", _pairs, collections.Counter, _fill_mapping),
    collections.defaultdict: Form(
        "dd", lambda v: [v.default_factory, *_pairs(v)], collections.defaultdict, _fill_default
    ),
    deque: Form("dq", list, lambda most: deque(maxlen=most), deque.extend),
    types.SimpleNamespace: Form("ns", lambda v: _pairs(vars(v)), types.SimpleNamespace, _fill_namespace),
    tuple: Form("t", list, tuple),
    frozenset: Form("f", list, frozenset),
    type(...): Form("...", lambda _: [], lambda _: ...),
    type(NotImplemented): Form("ni", lambda _: [], lambda _: NotImplemented),
}
_BY_TAG = {form.tag: form for form in _FORMS.values()}
#: By tag: what is made of buffers.
_OF_BUFFERS: dict[str, Callable[..., Any]] = {
    "b": bytes,
    "ba": bytearray,
    "pk": library_types.unpickled,
}
MUTABLE = frozenset({bytearray, *(kind for kind, form in _FORMS.items() if form.fill is not None)})


class Packer:
    """Makes the tree of one message.

    :param reference: node for what does not travel by value; gets what no table knows.
    :param values: of the question, in an answer: they go back as what they are.
    """

    def __init__(self, reference: Callable[[Packer, Any], Any], values: Iterable[Any] = ()) -> None:
        self.reference = reference
        self.buffers: list[Any] = []
        #: Containers and other values of some size in the order of packing, by which both sides number them.
        self.values = list(values)
        #: By id: its number.
        self._numbers = {id(value): number for number, value in enumerate(self.values)}
        #: By id: values that the other side has under a name.
        self.names: dict[int, str] = {}

    def node(self, value: Any) -> Any:
        """The node of a value. :raises RecursionError:"""
        kind = type(value)
        if kind in SCALAR_SET:
            return value
        known = self._numbers.get(id(value))
        if known is not None:
            return ["r", known]
        name = self.names.get(id(value))
        if name is not None:
            self.begin(value)
            return ["v", name]
        if kind in MUTABLE:
            # It may hold itself.
            self.begin(value)
            return self.content(value)
        node = self.content(value)
        if node is None:
            return self.reference(self, value)
        self.begin(value)
        return node

    def content(self, value: Any) -> Any:
        """What a value holds now, whether or not the other side has it. None for what has no form."""
        kind = type(value)
        if kind in _FORMS:
            tag, parts, *_ = _FORMS[kind]
            return [tag, self.items(parts(value)), *([value.maxlen] if tag == "dq" else [])]
        if kind in (bytes, bytearray):
            return ["b" if kind is bytes else "ba", *self._places([bytes(value)])]
        if not library_types.is_open_class(kind):
            return None
        try:
            return ["pk", *self._places(library_types.pickled(value))]
        except Unknown:
            return None

    def items(self, values: list[Any]) -> list[Any]:
        """Nodes of items; a list of scalars alone goes as it is."""
        if SCALAR_SET.issuperset(map(type, values)):
            return values
        return [self.node(value) for value in values]

    def begin(self, value: Any) -> None:
        """Give it the next number."""
        self._numbers[id(value)] = len(self.values)
        self.values.append(value)

    def _places(self, buffers: list[Any]) -> range:
        first = len(self.buffers)
        self.buffers += buffers
        return range(first, len(self.buffers))


class Unpacker:
    """Makes the values of one message.

    :param reference: value for nodes of other tags than those of this module.
    :param values: as of :class:`Packer`.
    """

    def __init__(
        self,
        buffers: list[Any],
        reference: Callable[[Unpacker, list[Any]], Any],
        values: Iterable[Any] = (),
    ) -> None:
        self._buffers = buffers
        self.reference = reference
        #: As :attr:`Packer.values` of the sender.
        self.values = list(values)

    def value(self, node: Any) -> Any:
        """:raises BadData: for anything that :class:`Packer` does not make."""
        if type(node) in SCALAR_SET:
            return node
        if type(node) is not list or not node or type(node[0]) is not str:
            raise BadData("no such node")
        tag, *parts = node
        if tag == "r":
            return _at(self.values, *parts)
        if tag not in _BY_TAG and tag not in _OF_BUFFERS:
            return self.reference(self, node)
        try:
            if tag in _BY_TAG:
                return self._by_form(_BY_TAG[tag], *parts)
            return self.begin(_OF_BUFFERS[tag](*(_at(self._buffers, place) for place in parts)))
        except (BadData, RecursionError):
            raise
        except Exception as error:
            raise BadData(f"{type(error).__name__}: {error}") from error

    def _by_form(self, form: Form, nodes: Any, *more: Any) -> Any:
        if form.fill is None:
            return self.begin(form.new(self.items(nodes), *more))
        made = self.begin(form.new(*more))
        form.fill(made, self.items(nodes))
        return made

    def items(self, nodes: Any) -> list[Any]:
        if type(nodes) is not list:
            raise BadData("no list")
        return [self.value(node) for node in nodes]

    def begin(self, value: Any) -> Any:
        """A value that the next number refers to."""
        self.values.append(value)
        return value


def _at(values: list[Any], *place: Any) -> Any:
    if len(place) != 1 or type(place[0]) is not int or not 0 <= place[0] < len(values):
        raise BadData("no such reference")
    return values[place[0]]


def is_mutable(value: Any) -> bool:
    """Whether a call can change it in place. False for types that do not travel."""
    return type(value) in MUTABLE or library_types.is_mutable(value)


def overwrite(mine: Any, new: Any) -> bool:
    """Give a value the content of another one of its type, in place; False where that cannot be."""
    kind = type(mine)
    if kind is not type(new):
        return False
    if kind not in MUTABLE:
        return library_types.overwrite(mine, new)
    if kind is bytearray:
        mine[:] = new
    elif mine is not new:
        _, parts, _, fill = _FORMS[kind]
        items = parts(new)
        if kind is not types.SimpleNamespace:
            mine.clear()
        assert fill is not None
        fill(mine, items)
    return True


def is_plain(value: Any) -> bool:
    """Whether its type travels by value, as far as the value itself decides."""
    kind = type(value)
    is_python = kind in SCALAR_SET or kind in _FORMS or kind in (bytes, bytearray)
    return is_python or library_types.is_open_class(kind)


def is_large(value: Any) -> bool:
    """Whether it takes long to send the value."""
    if type(value) not in _CONTAINERS:
        return library_types.size(value) > library_types.LARGE
    # Counted before they are looked at: in a fork, each item that is touched is copied.
    return any(sum(len(one) for one in level if type(one) in _CONTAINERS) > _MANY for level in _levels(value))


def extent(value: Any) -> str:
    return str(getattr(value, "shape", None) or len(value))


def _levels(value: Any) -> Iterator[list[Any]]:
    """The value, what it holds, what that holds."""
    level = [value]
    # A list may hold itself.
    for _ in range(8):
        yield level
        level = gc.get_referents(*(one for one in level if type(one) in _CONTAINERS))


# -- digests


class _Sampler(Packer):
    """Looks at all that there is, but of much data at items from all over it."""

    _room = _MANY

    def items(self, values: list[Any]) -> list[Any]:
        if len(values) > self._room:
            # Odd, so that it meets keys and values.
            step = len(values) // (1000 if self._room > 0 else 3) | 1
            values = [len(values), *values[::step]]
        self._room -= len(values)
        return super().items(values)

    def content(self, value: Any) -> Any:
        return super().content(library_types.part(value) or value)


def digest(value: Any) -> str | None:
    """Of content: data, code of functions, attributes of instances. None for values without a digest.

    Equal ones in two forks of one kernel mean that the value is the same; of much data a change of few items
    is not seen.
    """
    seen: set[int] = set()

    def reference(packer: Packer, inner: Any) -> Any:
        kind = type(inner)
        if id(inner) in seen or len(seen) > 10_000 or issubclass(kind, (stubs.Stub, stubs.StubType)):
            return ["#"]
        seen.add(id(inner))
        if kind is types.FunctionType:
            defaults = [packer.node(part) for part in (inner.__defaults__, inner.__kwdefaults__)]
            return ["function", *_code(inner.__code__), *defaults]
        if isinstance(inner, type) and inner.__module__ == "__main__":
            own = [*vars(inner).items()]
            members = [[str(key), packer.node(part)] for key, part in own if key not in _NOT_OWN]
            return ["class", inner.__qualname__, members]
        if isinstance(inner, (type, types.ModuleType)) or not stubs.is_of_users(kind):
            return ["#", id(inner)]
        state = [[str(key), packer.node(part)] for key, part in stubs.state_of(inner).items()]
        return ["instance", kind.__qualname__, state]

    found = hashlib.blake2b(digest_size=16)
    try:
        packer = _Sampler(reference)
        found.update(_encode(packer.node(value)).encode("ascii"))
        for buffer in packer.buffers:
            found.update(buffer)
    except (RecursionError, ValueError, TypeError, MemoryError):
        return None
    return found.hexdigest()


def mark(value: Any) -> str | None:
    """As :func:`digest`, only to see a change within this process: fast for much data of builtin types."""
    if not is_large(value) and all(_BUILTIN.issuperset(map(type, level)) for level in _levels(value)):
        # It may be too deep.
        with contextlib.suppress(ValueError):
            return hashlib.blake2b(marshal.dumps(value, 2), digest_size=16).hexdigest()
    return digest(value)


_BUILTIN = frozenset({*SCALAR_SET, complex, bytes, list, tuple, dict, set, frozenset})
_CONTAINERS = frozenset(kind for kind in _FORMS if hasattr(kind, "__len__"))
#: What a class has beside what its statement binds.
_NOT_OWN = frozenset(
    "__dict__ __weakref__ __doc__ __module__ _abc_impl __slotnames__ __firstlineno__".split()
    + ["__static_attributes__"]
)


def _code(code: types.CodeType) -> list[Any]:
    constants = [
        _code(part) if isinstance(part, types.CodeType) else repr(part)[:500] for part in code.co_consts
    ]
    return [code.co_code.hex(), list(code.co_names), list(code.co_varnames), constants]
