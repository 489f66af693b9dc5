"""What the modules of single libraries share: the table of libraries, and checked parts of nodes.

:func:`register` adds a library and :func:`makes` the function for a tag. A node that arrives is not trusted:
each part goes through one of the functions here that end in ``_of``, or through :func:`need`.
"""

from __future__ import annotations

import array
import importlib
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

Node = list[Any]


class BadData(Exception):
    """The received node is not one that pack() makes."""


class Unknown(Exception):
    """A part of the value has no node."""


class Library(NamedTuple):
    """How the values of one library travel."""

    #: ``(value, packer) -> node``. :raises Unknown: for a value that has none.
    pack: Callable[[Any, Any], Node]
    #: Pattern of the names of classes whose instances change in place.
    mutable: str = ""
    #: ``(mine, new) -> done``: makes `mine` equal to `new`.
    overwrite: Callable[[Any, Any], bool] = lambda mine, new: False
    #: Whether a value is this library's although no module of it holds its class.
    claims: Callable[[Any], bool] = lambda value: False


#: By top module.
LIBRARIES: dict[str, Library] = {}
#: By tag: ``(unpacker, *parts) -> value``.
MAKERS: dict[str, Callable[..., Any]] = {}


def register(root: str, library: Library) -> None:
    """Adds a library by its top module."""
    LIBRARIES[root] = library


def makes(*tags: str) -> Callable[[Any], Any]:
    """Registers a function ``(unpacker, *parts) -> value`` for tags."""

    def register(function: Any) -> Any:
        MAKERS.update(dict.fromkeys(tags, function))
        return function

    return register


class Trial:
    """A packer that takes nothing: shows whether a value has a node."""

    def node(self, value: Any) -> None:
        return None

    def buffer(self, data: Any) -> int:
        return 0


def root_of(kind: type) -> str:
    """Top module of a class that is really found in a library known here, else an empty text."""
    name = kind.__module__
    if type(name) is not str or name.partition(".")[0] not in LIBRARIES:
        return ""
    return name.partition(".")[0] if vars(sys.modules.get(name, sys)).get(kind.__name__) is kind else ""


def pack_part(value: Any, packer: Any) -> Node:
    kind = type(value)
    if kind is type and root_of(value) == "numpy" and issubclass(value, sys.modules["numpy"].generic):
        return ["lib:np.type", value.__name__]
    root = root_of(kind) or next((name for name, entry in LIBRARIES.items() if entry.claims(value)), "")
    if not root:
        raise Unknown
    return LIBRARIES[root].pack(value, packer)


def unpack(node: Any, unpacker: Any) -> Any:
    """The value of a node that pack() made; BadData for any other node.

    :param unpacker: ``value(node)`` returns the inner value, ``buffer(index)`` the bytes of a buffer,
        ``is_data(value)`` as above.
    """
    try:
        need(type(node) is list and node and type(node[0]) is str)
        return MAKERS[node[0]](unpacker, *node[1:])
    except BadData:
        raise
    except Exception as error:
        raise BadData(f"{type(error).__name__}: {error}") from error
    except BaseException as error:
        # A panic of polars (Rust) is not an Exception.
        if type(error).__name__ == "PanicException":
            raise BadData(str(error)) from error
        raise


def need(condition: Any) -> None:
    if not condition:
        raise BadData("malformed node")


def inner(unpacker: Any, node: Any, *tags: str) -> Any:
    """Value of a node that must have one of the tags."""
    need(type(node) is list and node and node[0] in tags)
    return unpack(node, unpacker)


def plain_value(unpacker: Any, node: Any) -> Any:
    """An inner value that is no stub of an object elsewhere."""
    value = unpacker.value(node)
    need(unpacker.is_data(value))
    return value


def ints_of(node: Any) -> list[int]:
    need(type(node) is list and all(type(part) is int and part >= 0 for part in node))
    return node


def text_of(node: Any) -> str:
    need(type(node) is str)
    return node


def bool_of(node: Any) -> bool:
    need(type(node) is bool)
    return node


def buffer_of(unpacker: Any, index: Any) -> Any:
    need(type(index) is int)
    return unpacker.buffer(index)


def library(name: str) -> Any:
    return importlib.import_module(name)


def class_of(pattern: str, module: Any, name: Any, base: type) -> Any:
    """Subclass of `base` defined in a module of a library whose name matches `pattern`."""
    need(re.fullmatch(pattern, text_of(module)) and text_of(name).isidentifier())
    found = vars(library(module)).get(name)
    need(isinstance(found, type) and issubclass(found, base) and found.__module__ == module)
    return found


def pack_texts(texts: Iterable[str | None], packer: Any) -> list[int]:
    """Two buffers: the joined text in UTF-8, and the lengths in characters (-1 for None)."""
    if isinstance(packer, Trial):
        return []
    texts = list(texts)
    lengths = array.array("q", [-1 if text is None else len(text) for text in texts])
    joined = "".join([text for text in texts if text is not None])
    return [packer.buffer(joined.encode("utf-8", "surrogatepass")), packer.buffer(lengths)]


def texts_of(unpacker: Any, node: Any) -> list[str | None]:
    text_at, lengths_at = ints_of(node)
    joined = bytes(buffer_of(unpacker, text_at)).decode("utf-8", "surrogatepass")
    lengths = array.array("q", bytes(buffer_of(unpacker, lengths_at)))
    need(min(lengths, default=0) >= -1 and sum(lengths) + lengths.count(-1) == len(joined))
    texts: list[str | None] = []
    start = 0
    for length in lengths:
        texts.append(None if length < 0 else joined[start : start + length])
        start += max(length, 0)
    return texts


def overwrite_variables(mine: Any, new: Any) -> bool:
    variables = dict(vars(new))
    vars(mine).clear()
    vars(mine).update(variables)
    return True
