"""Plain data as JSON trees: what travels by value between judge and worker, and nothing else.

The judge reads trees that the candidate may have forged, so :class:`Unpacker`
calls a fixed table of constructors with checked parts. There is no pickle, no
import by a name that arrives, and no attribute of an existing object is set.
"""

from __future__ import annotations

import array
import collections
import random
import re
import types
from collections.abc import Callable, MutableMapping
from typing import Any

from ..libraries import library_data
from ..libraries.library_data import BadData as BadData
from .plain_types import MUTABLE, MUTABLE_TAGS, PACK, SCALAR_SET, UNPACK
from .plain_types import Rest as Rest
from .plain_types import Unsendable as Unsendable

#: Larger integers have more digits than JSON may have here.
_BIG = 1 << 2000


class Packer:
    """Makes the tree of one message.

    :param reference: node for what does not travel by value; gets what no table knows.
    :param take: gets the contents of buffers, where only a mark of the value is wanted.
    """

    def __init__(
        self, reference: Callable[[Packer, Any], Any], take: Callable[[Any], object] | None = None
    ) -> None:
        self.reference = reference
        self.buffers: list[Any] = []
        self._take = take or self.buffers.append
        #: By id: nodes of containers that the other side has, or gets earlier in this message.
        self._known: MutableMapping[int, Any] = {}
        self._count = 0
        #: Of the containers that are packed, in order; kept, so that no id comes again.
        self.mutable: list[Any] = []
        self._kept: list[Any] = []
        #: By id: values that the other side has under a name.
        self.names: dict[int, str] = {}
        #: Integers are inspected one by one.
        self.careful = False
        #: Node of an instance of the user's own class; None for anything else.
        self.structure: Callable[[Any, Packer], Any] = lambda value, packer: None

    def know(self, values: dict[int, Any]) -> None:
        """Nodes, by id, of containers that are not to be packed; they are kept alive elsewhere."""
        self._known = collections.ChainMap(self._known, values)

    def seed(self, values: list[Any], shared: dict[int, str]) -> None:
        """Containers that the other side has sent, or has by a key: they go back as what they are."""
        self._known.update((key, ["k", name]) for key, name in shared.items())
        for index, value in enumerate(values):
            self._known[id(value)] = ["a", index]
            self._kept.append(value)

    def buffer(self, data: Any) -> int:
        self._take(data)
        return len(self.buffers) - 1

    def is_data(self, value: Any) -> bool:
        return is_data(value)

    def node(self, value: Any) -> Any:
        """The node of a value. :raises Unsendable, RecursionError:"""
        kind = type(value)
        if kind in SCALAR_SET:
            if kind is int and not -_BIG < value < _BIG:
                return ["i", hex(value)]
            return value
        known = self._known.get(id(value))
        if known is not None:
            return known
        pack = PACK.get(kind)
        if pack is not None:
            return self._container(value, pack) if kind in MUTABLE else self._whole(value, pack)
        name = self.names.get(id(value))
        if name is not None:
            return ["u", name]
        node = library_data.pack(value, self)
        if node is not None:
            self._remember(value)
            if library_data.is_mutable(value):
                self.mutable.append(value)
            return node
        return self.reference(self, value)

    def content(self, value: Any) -> Any:
        """What a container holds, now, whether or not the other side has it."""
        pack = PACK.get(type(value))
        # It counts as any other container there.
        if pack is not None:
            self._count += 1
            return pack(value, self)
        node = library_data.pack(value, self)
        self._count += 1
        return self.structure(value, self) if node is None else node

    def items(self, values: Any) -> list[Any]:
        """Nodes of items; a list of scalars alone goes as it is."""
        if not self.careful and SCALAR_SET.issuperset(map(type, values)):
            return list(values)
        return [self.node(value) for value in values]

    def _remember(self, value: Any) -> None:
        self._known[id(value)] = ["r", self._count]
        self._count += 1
        self._kept.append(value)

    def begin(self, value: Any) -> None:
        """Before the items of a container: it may hold itself."""
        self._remember(value)
        self.mutable.append(value)

    def _container(self, value: Any, pack: Callable[[Any, Packer], Any]) -> Any:
        self.begin(value)
        return pack(value, self)

    def _whole(self, value: Any, pack: Callable[[Any, Packer], Any]) -> Any:
        node = pack(value, self)
        self._remember(value)
        return node


class Unpacker:
    """Makes the values of one message.

    :param reference: value for nodes of other tags than those of this module.
    """

    def __init__(self, buffers: list[Any], reference: Callable[[Unpacker, list[Any]], Any]) -> None:
        self._buffers = buffers
        self.reference = reference
        #: All containers and arrays of the message.
        self.made: list[Any] = []
        #: As :attr:`Packer.mutable` of the sender.
        self.mutable: list[Any] = []
        #: Containers of ours that the other side refers to.
        self.sent: list[Any] = []

    def buffer(self, index: Any) -> bytearray:
        if type(index) is not int or not 0 <= index < len(self._buffers):
            raise BadData("no such buffer")
        return self._buffers[index]

    def is_data(self, value: Any) -> bool:
        return is_data(value)

    def value(self, node: Any) -> Any:
        """:raises BadData: for anything that :class:`Packer` does not make."""
        if type(node) in SCALAR_SET:
            return node
        if type(node) is not list or not node or type(node[0]) is not str:
            raise BadData("no such node")
        tag = node[0]
        if tag == "r":
            return _at(self.made, node)
        if tag == "a":
            return _at(self.sent, node)
        if tag.startswith("lib:"):
            value = library_data.unpack(node, self)
            self.made.append(value)
            if library_data.is_mutable(value):
                self.mutable.append(value)
            return value
        make = UNPACK.get(tag)
        if make is None:
            return self.reference(self, node)
        try:
            if tag in MUTABLE_TAGS:
                return make(node, self)
            value = make(node, self)
        except BadData:
            raise
        except (ValueError, TypeError, IndexError, KeyError, ArithmeticError, re.error) as error:
            raise BadData(f"{type(error).__name__}: {error}") from error
        self.made.append(value)
        return value

    def content(self, node: Any) -> Any:
        """What :meth:`Packer.content` packed, which is copied into an existing container."""
        value = self.value(node)
        self.mutable[:] = [made for made in self.mutable if made is not value]
        return value

    def items(self, nodes: Any) -> list[Any]:
        if type(nodes) is not list:
            raise BadData("no list")
        return [self.value(node) for node in nodes]

    def begin(self, value: Any) -> Any:
        """A container whose items follow: they may refer to it."""
        self.made.append(value)
        self.mutable.append(value)
        return value


class _Whole(Packer):
    """Refuses what would stay in this process."""

    def __init__(self) -> None:
        super().__init__(_refuse, len)

    def is_data(self, value: Any) -> bool:
        # Its parts are packed next.
        return True


def _refuse(_: Packer, value: Any) -> Any:
    raise Unsendable(f"an object of type {type(value).__name__}")


def is_data(value: Any) -> bool:
    """Whether all of it travels by value: no function, no object of another kind."""
    try:
        _Whole().node(value)
        return True
    except (Unsendable, RecursionError):
        return False


def _at(values: list[Any], node: list[Any]) -> Any:
    if len(node) != 2 or type(node[1]) is not int or not 0 <= node[1] < len(values):
        raise BadData("no such reference")
    return values[node[1]]


def overwrite(mine: Any, new: Any) -> bool:
    """Give a container the content of another one of its type, in place; False where that cannot be."""
    kind = type(mine)
    if kind is not type(new):
        return False
    if mine is new and kind in MUTABLE:
        return True
    if kind in (list, bytearray):
        mine[:] = new
    elif kind is collections.deque:
        mine.clear()
        mine.extend(new)
    elif kind in (dict, set, collections.OrderedDict, collections.defaultdict, collections.Counter):
        mine.clear()
        mine.update(new)
    elif kind is types.SimpleNamespace:
        vars(mine).clear()
        vars(mine).update(vars(new))
    elif kind is random.Random:
        mine.setstate(new.getstate())
    elif kind is array.array:
        del mine[:]
        mine.extend(new)
    elif kind in PACK:
        return False
    else:
        return library_data.overwrite(mine, new)
    return True


def is_plain(value: Any) -> bool:
    """Whether its type travels by value, as far as the value itself decides."""
    return type(value) in SCALAR_SET or type(value) in PACK
