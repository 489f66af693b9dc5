"""Plain data as JSON trees: what travels by value between judge and worker, and nothing else.

The judge reads trees that the candidate may have forged, so :class:`Unpacker`
calls a fixed table of constructors. There is no pickle, no import by a name
that arrives, and no attribute of an existing object is set.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable, Iterable
from typing import Any

from . import library_types
from .library_types import CONTAINERS, FORMS, MUTABLE, SCALAR_SET, Unknown, need
from .library_types import BadData as BadData
from .library_types import Rest as Rest
from .stubs import Stub, StubType

_MAKERS = {tag: make for tag, _, make in FORMS.values()}
_MUTABLE_TAGS = {CONTAINERS[kind] for kind in CONTAINERS.keys() & MUTABLE}
_MAPPINGS = {tag: kind for kind, tag in CONTAINERS.items() if issubclass(kind, dict)}


class Packer:
    """Makes the tree of one message.

    :param reference: node for what does not travel by value; gets what no table knows.
    :param values: of the question, in an answer: they go back as what they are.
    :param take: gets the contents of buffers, where only a mark of the value is wanted.
    """

    def __init__(
        self,
        reference: Callable[[Packer, Any], Any],
        values: Iterable[Any] = (),
        take: Callable[[Any], object] | None = None,
    ) -> None:
        self.reference = reference
        self.buffers: list[Any] = []
        self._take = take or self.buffers.append
        #: Containers and other values of some size in the order of packing, by which both sides number them.
        self.values = list(values)
        #: By id: its number.
        self._numbers = {id(value): number for number, value in enumerate(self.values)}
        #: So that no id comes again.
        self._kept: list[Any] = []
        #: By id: values that the other side has under a name.
        self.names: dict[int, str] = {}
        #: Node of an instance of the user's own class; None for anything else.
        self.structure: Callable[[Any, Packer], Any] = lambda value, packer: None

    def node(self, value: Any) -> Any:
        """The node of a value. :raises RecursionError:"""
        kind = type(value)
        if kind in SCALAR_SET:
            return value
        known = self._numbers.get(id(value))
        if known is not None:
            return ["r", known]
        if kind in CONTAINERS:
            if kind in MUTABLE:
                self.begin(value)
                return self._container(value)
            return self._whole(value, self._container(value))
        name = self.names.get(id(value))
        if name is not None:
            return ["u", name]
        node = self._by_form(value)
        return self.reference(self, value) if node is None else self._whole(value, node)

    def content(self, value: Any) -> Any:
        """What a container holds, now, whether or not the other side has it."""
        # It has a number as any other there.
        if type(value) in CONTAINERS:
            self.values.append(value)
            return self._container(value)
        node = self._by_form(value)
        self.values.append(value)
        return self.structure(value, self) if node is None else node

    def items(self, values: Any) -> list[Any]:
        """Nodes of items; a list of scalars alone goes as it is."""
        if SCALAR_SET.issuperset(map(type, values)):
            return list(values)
        return [self.node(value) for value in values]

    def begin(self, value: Any) -> None:
        """Before the items of a container: it may hold itself."""
        self._numbers[id(value)] = len(self.values)
        self.values.append(value)

    def _whole(self, value: Any, node: Any) -> Any:
        self.begin(value)
        return node

    def _container(self, value: Any) -> Any:
        kind = type(value)
        tag = CONTAINERS[kind]
        if kind in (bytes, bytearray):
            self._take(bytes(value))
            return [tag, len(self.buffers) - 1]
        if kind is types.SimpleNamespace:
            return [tag, self._pairs(vars(value))]
        if tag in _MAPPINGS:
            more = [self.node(value.default_factory)] if tag == "dd" else []
            return [tag, self._pairs(value), *more]
        return [tag, self.items(list(value)), *([value.maxlen] if tag == "dq" else [])]

    def _pairs(self, value: Any) -> list[Any]:
        each = value.items() if type(value) is collections.OrderedDict else dict.items(value)
        return self.items([part for pair in each for part in pair])

    def _by_form(self, value: Any) -> Any:
        if type(value) in FORMS:
            tag, take, _ = FORMS[type(value)]
            # They may be temporary, and no id may come again.
            self._kept.append(take(value))
            return [tag, *map(self.node, self._kept[-1])]
        if not library_types.is_open(value):
            return None
        try:
            parts = library_types.pickled(value)
        except Unknown:
            return None
        places = range(len(self.buffers), len(self.buffers) + len(parts))
        for part in parts:
            self._take(part)
        return ["pk", *places]


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
        tag = node[0]
        if tag == "r":
            return _at(self.values, node[1:])
        if tag not in _READ and tag not in _MAKERS:
            return self.reference(self, node)
        try:
            value = _READ[tag](self, *node[1:]) if tag in _READ else self._by_form(tag, node[1:])
        except (BadData, RecursionError):
            raise
        except Exception as error:
            raise BadData(f"{type(error).__name__}: {error}") from error
        if tag not in _MUTABLE_TAGS:
            self.values.append(value)
        return value

    def _by_form(self, tag: str, nodes: list[Any]) -> Any:
        parts = [self.value(node) for node in nodes]
        need(not any(issubclass(type(part), (Stub, StubType)) for part in parts))
        return _MAKERS[tag](*parts)

    def items(self, nodes: Any) -> list[Any]:
        if type(nodes) is not list:
            raise BadData("no list")
        return [self.value(node) for node in nodes]

    def begin(self, value: Any) -> Any:
        """A container whose items follow: they may refer to it."""
        self.values.append(value)
        return value

    def _list(self, nodes: Any, most: Any = None, kind: Any = list) -> Any:
        made = self.begin(collections.deque(maxlen=most) if kind is collections.deque else kind())
        (made.update if kind is set else made.extend)(self.items(nodes))
        return made

    def _mapping(self, kind: Callable[[], Any], parts: Any, factory: Any = None) -> Any:
        made = self.begin(kind())
        if factory is not None:
            made.default_factory = self.value(factory)
            need(callable(made.default_factory))
        for key, value in self._pairs(parts):
            if type(made) is collections.OrderedDict:
                made[key] = value
            else:
                dict.__setitem__(made, key, value)
        return made

    def _pairs(self, parts: Any) -> Any:
        if type(parts) is not list or len(parts) % 2:
            raise BadData("no pairs")
        return ((self.value(key), self.value(part)) for key, part in zip(*[iter(parts)] * 2, strict=True))

    def _namespace(self, parts: Any) -> Any:
        made = self.begin(types.SimpleNamespace())
        vars(made).update(self._pairs(parts))
        return made

    def _bytes(self, index: Any) -> bytes:
        return bytes(self._buffer(index))

    def _buffer(self, index: Any) -> Any:
        if type(index) is not int or not 0 <= index < len(self._buffers):
            raise BadData("no such buffer")
        return self._buffers[index]


def _reads_mapping(kind: Callable[[], Any]) -> Callable[..., Any]:
    return lambda unpacker, *parts: unpacker._mapping(kind, *parts)


_READ: dict[str, Callable[..., Any]] = {
    "l": Unpacker._list,
    "s": lambda unpacker, nodes: unpacker._list(nodes, kind=set),
    "dq": lambda unpacker, nodes, most: unpacker._list(nodes, most, collections.deque),
    "t": lambda unpacker, nodes: tuple(unpacker.items(nodes)),
    "f": lambda unpacker, nodes: frozenset(unpacker.items(nodes)),
    "ns": Unpacker._namespace,
    "b": Unpacker._bytes,
    "pk": lambda unpacker, *places: library_types.unpickled(*map(unpacker._buffer, places)),
    "ba": lambda unpacker, index: unpacker.begin(bytearray(unpacker._bytes(index))),
    **{tag: _reads_mapping(kind) for tag, kind in _MAPPINGS.items()},
}


def _at(values: list[Any], index: list[Any]) -> Any:
    if len(index) != 1 or type(index[0]) is not int or not 0 <= index[0] < len(values):
        raise BadData("no such reference")
    return values[index[0]]


def is_mutable(value: Any) -> bool:
    """Whether a call can change it in place. False for types that do not travel."""
    return type(value) in MUTABLE or library_types.is_mutable(value)


def overwrite(mine: Any, new: Any) -> bool:
    """Give a container the content of another one of its type, in place; False where that cannot be."""
    kind = type(mine)
    if kind is not type(new):
        return False
    if mine is new and kind in MUTABLE:
        return True
    if kind not in MUTABLE:
        return library_types.overwrite(mine, new)
    if kind in (list, bytearray):
        mine[:] = new
    elif kind is types.SimpleNamespace:
        vars(mine).clear()
        vars(mine).update(vars(new))
    else:
        mine.clear()
        (mine.extend if kind is collections.deque else mine.update)(new)
    return True


def is_plain(value: Any) -> bool:
    """Whether its type travels by value, as far as the value itself decides."""
    kind = type(value)
    return kind in SCALAR_SET or kind in CONTAINERS or kind in FORMS or library_types.is_open(value)


size = library_types.size
