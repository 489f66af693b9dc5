"""Nodes of scikit-learn and networkx: the attributes of an instance."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from typing import Any

from .nodes import (
    Library,
    Node,
    Unknown,
    class_of,
    library,
    makes,
    need,
    overwrite_variables,
    plain_value,
    register,
    root_of,
    text_of,
)

#: Modules of the classes whose instances are what their attributes say, and the classes' base.
_BY_STATE = {
    "sklearn": (r"sklearn(\.(?!tests|externals|conftest)[a-z_0-9]+)+", "sklearn.base", "BaseEstimator"),
    "networkx": (r"networkx\.classes\.(multi)?(di)?graph", "networkx.classes.graph", "Graph"),
}


def _pack_state(value: Any, packer: Any) -> Node:
    kind = type(value)
    pattern, home, base = _BY_STATE[root_of(kind)]
    if not re.fullmatch(pattern, kind.__module__) or not isinstance(value, vars(sys.modules[home])[base]):
        raise Unknown
    attributes = {name: part for name, part in vars(value).items() if not _is_cache(kind, name)}
    if not all(_may_set(kind, name) and packer.is_data(part) for name, part in attributes.items()):
        raise Unknown
    nodes = [[name, packer.node(part)] for name, part in attributes.items()]
    return ["lib:state", kind.__module__, kind.__name__, nodes]


@makes("lib:state")
def _instance(unpacker: Any, module: Any, name: Any, attributes: Any) -> Any:
    pattern, home, base = _BY_STATE[text_of(module).partition(".")[0]]
    kind = class_of(pattern, module, name, vars(library(home))[base])
    values = {}
    for attribute, node in attributes:
        need(_may_set(kind, text_of(attribute)))
        values[attribute] = plain_value(unpacker, node)
    made = object.__new__(kind)
    vars(made).update(values)
    return made


def _is_cache(kind: Any, name: str) -> bool:
    """Whether the attribute is made again where it is missing."""
    found = inspect.getattr_static(kind, name, None)
    return name == "__networkx_cache__" or isinstance(found, functools.cached_property)


def _may_set(kind: Any, name: str) -> bool:
    """Whether an instance may have this attribute: it hides no method, property or other descriptor.

    Of support vector machines only parameters travel: libsvm trusts the sizes of its fitted arrays.
    """
    if kind.__module__.startswith("sklearn.svm") and not kind.__name__.startswith("Linear"):
        if name.startswith("_") or name.endswith("_"):
            return False
    found = [vars(base)[name] for base in kind.__mro__ if name in vars(base)]
    hides = any(callable(part) or hasattr(type(part), "__get__") for part in found)
    return name.isidentifier() and not name.startswith("__") and not hides


def _overwrite_graph(mine: Any, new: Any) -> bool:
    for name in ("graph", "_node", "_adj", *(["_pred"] if mine.is_directed() else [])):
        content = dict(getattr(new, name))
        getattr(mine, name).clear()
        getattr(mine, name).update(content)
    vars(mine).get("__networkx_cache__", {}).clear()
    return True


register("sklearn", Library(_pack_state, ".+", overwrite_variables))
register("networkx", Library(_pack_state, "(Multi)?(Di)?Graph", _overwrite_graph))
