"""Select the functions, classes and modules of libraries that travel between judge and worker by name.

The judge takes its own object of that name. Only what calls nothing else and
touches no file is listed: anything else stays in the candidate's process.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types
from typing import Any

from .exchange import library_types

#: Functions of modules; classes are taken from `_CLASSES`.
_FUNCTIONS: dict[str, frozenset[str] | None] = {
    "builtins": frozenset(
        "abs all any ascii bin callable chr divmod format hash hex len max min oct ord pow repr round".split()
        + ["sorted", "sum"]
    ),
    "math": None,
    "_math": None,
    "cmath": None,
    "statistics": None,
    "_operator": frozenset(
        "add sub mul truediv floordiv mod pow neg pos abs and_ or_ xor not_ eq ne lt le gt ge".split()
        + ["contains", "concat"]
    ),
    "_heapq": None,
    "_bisect": None,
}
_CLASSES = (
    *("builtins", "datetime", "decimal", "_decimal", "fractions", "collections", "_collections", "uuid"),
    *("pathlib", "enum", "ipaddress", "abc", "collections.abc", "numbers", "zoneinfo", "array"),
)
NEVER = ("_jupyterlab_refine", "__main__")

#: When the attempt started: a file that was changed since may be the candidate's.
started_ns: int | None = None
#: In the kernel: when the first attempt started whose writes are real.
first_ns: int | None = None


def path_of(value: Any) -> tuple[str, str] | None:
    """Module and qualified name under which the other side finds its own, or None."""
    if isinstance(value, type) or type(value) in (types.FunctionType, types.BuiltinFunctionType):
        path = (value.__module__, value.__qualname__)
    elif _is_ufunc(value):
        path = ("numpy", value.__name__)
    else:
        return None
    return path if type(path[0]) is str and find(*path) is value else None


def find(module: Any, name: Any) -> Any:
    """The object of that name, if it is one that may travel by name; else None."""
    if type(module) is not str or type(name) is not str or not name.replace(".", "_").isidentifier():
        return None
    root = module.split(".")[0]
    if root in NEVER:
        return None
    try:
        is_known = root in sys.modules or root in sys.stdlib_module_names or root in ("numpy", "pandas")
        found: Any = importlib.import_module(module) if is_known else None
        for part in name.split("."):
            found = vars(found)[part]
    except (ImportError, KeyError, TypeError, AttributeError, ValueError):
        return None
    if isinstance(found, type):
        return found if _is_open_class(found, module, root) else None
    if type(found) in (types.FunctionType, types.BuiltinFunctionType):
        names = _FUNCTIONS.get(module, frozenset())
        return found if names is None or name in names else None
    return found if root == "numpy" and _is_ufunc(found) else None


def _is_ufunc(value: Any) -> bool:
    return (type(value).__module__, type(value).__name__) == ("numpy", "ufunc")


def _is_open_class(kind: type, module: str, root: str) -> bool:
    if issubclass(kind, BaseException):
        # Test runners take theirs for a verdict.
        return root not in ("unittest", "_pytest", "pytest") and not kind.__name__.startswith("_")
    return module in _CLASSES or library_types.is_open_class(kind)


class Guard:
    """A finder before all others: refuses modules whose file was written since the attempt started."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is None:
                continue
            if any(is_new(file) for file in (spec.origin, *(spec.submodule_search_locations or []))):
                raise ImportError(f"the module {name} was written by the candidate")
            if is_new(spec.cached):
                # Byte code is compiled anew: the candidate may have written this one.
                sys.pycache_prefix = os.devnull
            return


def is_new(path: Any) -> bool:
    """Whether a file was made or changed since the attempt started."""
    if started_ns is None or type(path) is not str or path in ("built-in", "frozen"):
        return False
    while path and path != os.sep:
        try:
            return os.stat(path).st_ctime_ns >= started_ns
        except OSError:
            # Within an archive, say.
            path = os.path.dirname(path)
    return False
