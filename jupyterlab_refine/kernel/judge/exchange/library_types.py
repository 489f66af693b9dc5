"""The types whose values travel as pickles: of numpy, pandas, Arrow and the standard library.

To let one more type travel, add its name to `_STANDARD` or `_OPEN`; if it changes in place, also to
`_MUTABLE` and :func:`_overwrite`. Test it in `test_plain.py` (`VALUES`), and in `test_judging.py` with a
check that compares it.

What arrives is not trusted: the unpickler finds nothing but :func:`_make`, :func:`_frame` and
:func:`_objects`, which make values of these types alone.
"""

from __future__ import annotations

import array
import copyreg
import importlib
import io
import json
import pickle
import random
import re
import sys
import types
import zoneinfo
from typing import Any

#: Bytes of an array or a frame that is neither sent nor looked at whole, if that can be helped.
LARGE = 1 << 20

SCALAR_SET = frozenset({type(None), bool, int, float, str})


class BadData(Exception):
    """What arrived is not what a packer makes."""


class Unknown(Exception):
    """A value of a type that travels has a part that does not: it stays, and the other side gets a stub."""


_STANDARD = (
    r"(_?decimal|datetime|fractions|uuid|pathlib(\._local)?|ipaddress)\.[A-Z]\w+|datetime\.[a-z]+"
    r"|builtins\.(complex|range|slice)|array\.(array|_array_reconstructor)|random\.Random|re\.(_compile|Pattern)"
    r"|zoneinfo\.ZoneInfo"
)
#: Types by their names, or that :func:`_is_of_numpy` knows, and functions that restore values.
_OPEN = re.compile(
    _STANDARD + r"|numpy\..*\.(_frombuffer|_reconstruct|scalar|__\w+_ctor|__pyx_unpickle_\w+|SeedSequence)"
    r"|pandas\..*\.(_new_\w*Index|new_block|_unpickle_\w+|_?\w+_unpickle|__pyx_unpickle_\w+)"
    # Of pandas no other class: some read a text as code, or a file.
    r"|pandas(\.arrays|\.core\.(series|frame|flags|(indexes|arrays|internals|dtypes)(\.\w+)+))?"
    r"\.(DataFrame|Series|Flags|Categorical|\w*Index|\w+Array|\w+Dtype|\w*BlockManager|FrozenList)"
    r"|pandas(\._libs\.tslibs\.(timestamps|timedeltas|period|nattype)|\._libs\.interval)?"
    r"\.(Timestamp|Timedelta|Period|NaTType|Interval|NaT)"
    r"|pandas\._libs\.(tslibs\.offsets\.[A-Z]\w+|internals\.BlockPlacement|missing\.NAType|sparse\.\w+Index)"
    r"|pandas\.api\.typing\.(NAType|NaTType)"
    r"|polars\..*\.(DataFrame|Series)"
    r"|pyarrow\.lib\.(_restore_array|_reconstruct_table|schema|field|type_for_alias|py_buffer|chunked_array)"
    r"|pyarrow\.lib\.(list_|large_list|struct|map_|dictionary|timestamp|duration|time\d+|decimal\d+|binary)"
    r"|pyarrow\.lib\.(Table|Schema|Field|\w*Buffer|KeyValueMetadata|\w+Array|\w+Type)"
)
_NOT_READ = (
    pickle.BUILD,
    pickle.INST,
    pickle.OBJ,
    pickle.NEWOBJ,
    pickle.NEWOBJ_EX,
    pickle.GLOBAL,
    pickle.BYTEARRAY8,
)
_MUTABLE = re.compile(
    r"numpy\.(ndarray|.*Generator|.*RandomState)|(pandas|polars)\.(.*\.)?(DataFrame|Series|Categorical|\w+Array)"
    r"|array\.array|random\.Random"
)


def _path(kind: Any) -> str:
    module = getattr(kind, "__module__", None)
    name = getattr(kind, "__qualname__", getattr(kind, "__name__", ""))
    return f"{module}.{name}"


def _find(module: Any, name: Any) -> Any:
    """The class or function of that name, if it is open. :raises BadData:"""
    if type(module) is not str or type(name) is not str or not name.isidentifier():
        raise BadData("no name")
    path, root = f"{module}.{name}", module.split(".")[0]
    try:
        # Only a module that is known to hold what travels is imported.
        if _OPEN.fullmatch(path):
            importlib.import_module(module)
        elif root in ("numpy", "pandas", "polars", "pyarrow"):
            importlib.import_module(root)
        found = vars(sys.modules[module])[name]
    except (ImportError, KeyError) as error:
        raise BadData(name) from error
    if not _is_open(found, path) or (isinstance(found, type) and _path(found) != path):
        raise BadData(path)
    return found


def _is_open(found: Any, path: str) -> bool:
    return _OPEN.fullmatch(path) is not None or _is_of_numpy(found)


def _is_of_numpy(kind: Any) -> bool:
    np: Any = sys.modules.get("numpy")
    if np is None or not isinstance(kind, type) or not kind.__module__.startswith("numpy"):
        return False
    if kind is np.ndarray or issubclass(kind, (np.generic, np.dtype)):
        return True
    # Not as an attribute of numpy, which would import it: each worker would wait for that.
    random: Any = sys.modules.get("numpy.random")
    if random is None:
        return False
    return kind in (random.Generator, random.RandomState) or issubclass(kind, random.BitGenerator)


def _make(module: str, name: str, is_new: bool | None, arguments: Any, state: Any = None) -> Any:
    """All that a pickle can call.

    :param is_new: whether only ``__new__`` is called; None for the class or constant itself.
    """
    if (module, name) == ("pandas", "NA"):
        return importlib.import_module("pandas").NA
    found = _find(module, name)
    if is_new is None:
        return found
    np: Any = sys.modules.get("numpy")
    if np is not None and found is np.ndarray:
        raise BadData("memory that nobody has written")
    made = found.__new__(found, *arguments) if is_new else found(*arguments)
    if np is not None and isinstance(made, np.dtype) and state is not None:
        return _dtype(np, made, *state)
    if state is not None:
        if type(state) is dict and any(callable(getattr(type(made), key, None)) for key in state):
            # An instance could bring its own `equals`.
            raise BadData("a state with a method")
        restore = getattr(made, "__setstate__", None) or vars(made).update
        restore(state)
    return made


def _dtype(np: Any, plain: Any, *state: Any) -> Any:
    """A dtype by its constructor: as a state it could say that a reference is a number."""
    _, order, inner, names, fields, size, *_ = state
    if names is not None:
        formats, offsets = zip(*(fields[name][:2] for name in names), strict=True)
        given = {"names": list(names), "formats": list(formats), "offsets": list(offsets), "itemsize": size}
        return np.dtype(given)
    if inner is not None:
        return np.dtype(inner)
    if plain.kind in "mM":
        plain.__setstate__(state)
        return plain
    is_native = order not in ("<", ">") or order == ("<" if sys.byteorder == "little" else ">")
    return plain if is_native else plain.newbyteorder(order)


def _frame(columns: Any, index: Any, body: Any) -> Any:
    pd = importlib.import_module("pandas")
    if type(body) is tuple:
        # A Series keeps object columns from becoming strings.
        series = [pd.Series(values, dtype=values.dtype, copy=False) for values in body]
        made = pd.DataFrame(dict(enumerate(series)), index=None if series else index)
    else:
        made = pd.DataFrame(body, copy=True)
    made.index, made.columns = index, columns
    return made


def _objects(shape: Any, text: Any) -> Any:
    """An array of texts, numbers and None: a million of them are read at once."""
    items = json.loads(text)
    made = importlib.import_module("numpy").empty(len(items), dtype=object)
    made[:] = items
    return made.reshape(shape)


_OURS = {one.__name__: one for one in (_make, _frame, _objects)}


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        kind: Any = type(value)
        if kind is types.FunctionType and _OURS.get(value.__name__) is value:
            return NotImplemented
        if not is_open_class(kind) and not (isinstance(value, type) and is_open_class(value)):
            raise Unknown
        if isinstance(value, type):
            return _make, (value.__module__, value.__qualname__, None, ())
        if kind is zoneinfo.ZoneInfo:
            return _make, ("zoneinfo", "ZoneInfo", False, (value.key,))
        if kind.__name__ == "NAType":
            return _make, ("pandas", "NA", None, ())
        if _path(kind) == "numpy.ndarray" and value.dtype.kind == "O":
            items = value.ravel().tolist()
            if SCALAR_SET.issuperset(map(type, items)):
                return _objects, (value.shape, json.dumps(items))
        if _path(kind).endswith(".DataFrame") and hasattr(value, "iloc"):
            # Its blocks differ after it was merely read.
            kinds = set(value.dtypes)
            is_matrix = len(kinds) == 1 and getattr(next(iter(kinds)), "kind", "O") in "biufcmM"
            columns = tuple(value.iloc[:, number].array for number in range(value.shape[1]))
            return _frame, (value.columns, value.index, value.to_numpy() if is_matrix else columns)
        reduce: Any = copyreg.dispatch_table.get(kind, lambda one: kind.__reduce_ex__(one, 5))
        reduced: Any = reduce(value)
        if type(reduced) is str:
            raise Unknown
        function, arguments, *more = reduced
        more.append(None)
        state, *items = more
        is_new = function is copyreg.__newobj__  # type: ignore[attr-defined]
        if is_new:
            function, *arguments = arguments
        if any(part is not None for part in items):
            raise Unknown
        if type(state) is dict:
            # Of pandas: what it has computed so far, and where it lent the value.
            state = {key: part for key, part in state.items() if key not in ("_cache", "_readonly")}
        return _make, (function.__module__, function.__qualname__, is_new, tuple(arguments), state)


class _Unpickler(pickle._Unpickler):
    """The one in Python, without the instructions that set attributes or call what is not ours."""

    dispatch = {
        code: step for code, step in pickle._Unpickler.dispatch.items() if bytes([code]) not in _NOT_READ
    }

    def find_class(self, module: str, name: str) -> Any:
        if module != __name__ or name not in _OURS:
            raise BadData(f"{module}.{name}")
        return _OURS[name]


def is_open_class(kind: type) -> bool:
    """Whether the values of a class travel."""
    module = vars(sys.modules.get(str(kind.__module__), sys))
    return module.get(kind.__name__) is kind and _is_open(kind, _path(kind))


def pickled(value: Any) -> list[Any]:
    """Buffers, the first of which has the pickle. :raises Unknown: for what has parts that do not travel."""
    buffers: list[Any] = []
    stream = io.BytesIO()
    try:
        pickler = _Pickler(stream, 5, buffer_callback=buffers.append)
        # Equal values have equal pickles, whether or not their parts are the same objects.
        pickler.fast = True
        pickler.dump(value)
    except RecursionError:
        raise
    except Exception:
        raise Unknown from None
    return [stream.getvalue(), *(buffer.raw() for buffer in buffers)]


def unpickled(content: Any, *buffers: Any) -> Any:
    """The value; whatever is raised means that the buffers are malformed."""
    return _Unpickler(io.BytesIO(content), buffers=buffers).load()


def is_mutable(value: Any) -> bool:
    """Whether a call can change the value in place."""
    return _MUTABLE.fullmatch(_path(type(value))) is not None


def overwrite(mine: Any, new: Any) -> bool:
    """Make `mine` equal to `new`, of the same type, in place. False when that is impossible."""
    try:
        return is_mutable(mine) and _overwrite(mine, new)
    except Exception:
        return False


def _overwrite(mine: Any, new: Any) -> bool:
    if isinstance(mine, random.Random):
        mine.setstate(new.getstate())
    elif isinstance(mine, array.array):
        mine[:] = new
    elif hasattr(mine, "bit_generator"):
        mine.bit_generator.state = new.bit_generator.state
    elif hasattr(mine, "set_state"):
        mine.set_state(new.get_state(legacy=False))
    elif hasattr(mine, "attrs") or type(mine).__module__.startswith("polars"):
        type(mine).__init__(mine, new)
    elif mine.shape != new.shape or mine.dtype != new.dtype:
        return False
    else:
        mine[...] = new
    return True


def part(value: Any) -> list[Any] | None:
    """Of a large array or frame its shape, and elements from all over it; else None."""
    if size(value) <= LARGE:
        return None
    flat = getattr(value, "flat", value)
    places = [*range(0, len(flat), len(flat) // 1000 + 1), len(flat) - 1]
    found = flat.take(places) if hasattr(flat, "take") else flat[places]
    return [str(getattr(value, "shape", len(flat))), found]


def size(value: Any) -> int:
    """Bytes of an array or a frame, without what its elements refer to; 0 for anything else."""
    if not is_open_class(type(value)):
        return 0
    if hasattr(value, "estimated_size"):
        return int(value.estimated_size())
    if _path(type(value)).endswith(".DataFrame"):
        return int(value.memory_usage().sum())
    found = getattr(value, "nbytes", 0)
    return found if type(found) is int else 0
