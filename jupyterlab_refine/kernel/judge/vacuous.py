"""Finds comparisons over nothing: of arrays without elements, or with masked or missing values alone.

For example ``np.allclose(f(x), [0, 1])`` where ``f`` gives an array without elements: plain Python passes it.
"""

from __future__ import annotations

import collections
import math
import operator
from typing import Any

#: Methods that compare sets.
OF_SETS = ("issubset", "isdisjoint", "issuperset")
#: Functions and methods that compare arrays or sets, besides `assert_...`.
COMPARING = (
    *("allclose", "isclose", "equal", "array_equal", "array_equiv", "less", "less_equal", "subtract"),
    *("greater", "greater_equal", "eq", "ne", "lt", "le", "gt", "ge", "between", "isin"),
    *OF_SETS,
)
_VIEWS = tuple(map(type, ({}.keys(), {}.values(), {}.items())))
_SETS = (set, frozenset)
_DICTS = (dict, collections.Counter, collections.OrderedDict, collections.defaultdict)
_CONTAINERS = (list, tuple, *_DICTS, *_SETS, *_VIEWS)
#: Types whose `<=` asks whether one is a part of the other.
_OF_PARTS = (*_SETS, *_VIEWS, collections.Counter)
_SIZED: tuple[type, ...] = (str, bytes, bytearray, type(iter([])), range, collections.deque)
_INSPECTED = 1000
_LIBRARIES = ("numpy", "pandas", "torch", "polars")


def nothing(text: str) -> str:
    return f"`{text}` compares no elements"


def lost(text: str) -> str:
    return f"`{text}` skips missing values"


def empty(text: str) -> str:
    return f"`{text}` has no elements, so nothing is checked"


def of_comparison(
    operands: list[Any], result: Any, is_call: bool, arrived: bool, is_difference: bool = False
) -> Any:
    """The function that makes the sentence on a comparison that leaves something out; None for any other.

    :param is_call: whether a function compares, instead of an operator.
    :param is_difference: what is missing in one is missing in the check that uses it.
    :param arrived: whether the candidate returned something empty that no argument asked for.
    """
    if not any(map(is_library, operands)):
        return None
    skips = any(map(_is_masked, operands)) if is_call else _is_missing(result)
    if skips and not is_difference and not all(_is_missing(operand) for operand in operands if size(operand)):
        return lost
    sizes = [size(operand) for operand in operands]
    is_empty = any(is_library(operand) and size(operand) == 0 for operand in operands)
    others = [number for number in sizes if number != 0]
    if is_empty or is_call and 0 in sizes:
        # A comparison with a number counts where the check has asked for something empty.
        if not (any(others) or arrived and others):
            return None
        return nothing if is_call or size(result) == 0 or _is_true(result) else None
    if any(map(is_missing_alone, operands)):
        others = [operand for operand in operands if not is_missing_alone(operand)]
        # `assert_allclose(f(x), np.nan)` asks for missing values.
        is_expected = is_call and all(issubclass(type(one), float) and one != one for one in others)
        return lost if others and arrived and not is_expected else None
    return None


def is_no_part(value: Any, other: Any) -> bool:
    """Whether it is a set without elements, which is a part of any other."""
    return type(value) in _OF_PARTS and size(value) == 0 and bool(size(other))


def part_and_whole(function: Any, other: Any) -> tuple[Any, Any, int]:
    """Of ``a.issubset(b)`` and the like: the part, the whole, and whether the part is the argument."""
    owner = getattr(function, "__self__", None)
    if function.__name__ == "issuperset":
        return (other if size(other) != 0 else set()), owner, 1
    return owner, other, 0


def _is_true(value: Any) -> bool:
    return type(value).__name__ in ("bool", "bool_") and bool(value)


def is_nothing(value: Any) -> bool:
    """Whether a loop over it does nothing, or a comparison with it says nothing."""
    return is_empty(value) or is_missing_alone(value)


def is_empty(value: Any) -> bool:
    """Whether a loop over it does nothing."""
    return not operator.length_hint(value, 1) if type(value) in _SIZED else size(value) == 0


def is_empty_or_0(value: Any) -> bool:
    return value == 0 if type(value) is int else is_empty(value)


def has_nan(value: Any) -> bool:
    """Whether it is NaN, or an array with NaN in it."""
    if type(value) is float:
        return value != value
    if type(value).__module__ != "numpy" or getattr(getattr(value, "dtype", None), "kind", "") not in "fc":
        return False
    return bool((value != value).any())


def is_library(value: Any) -> bool:
    return type(value).__module__.split(".")[0] in _LIBRARIES and hasattr(value, "shape")


def size(value: Any) -> int | None:
    """Number of elements of a container or an array; None for anything else."""
    if type(value) in _CONTAINERS:
        return len(value)
    if not is_library(value):
        return None
    shape = value.shape
    return math.prod(shape) if isinstance(shape, tuple) and shape != () else None


def is_missing_alone(value: Any) -> bool:
    """Whether it is an array, or a list, of nothing but missing values."""
    if type(value) in (list, tuple):
        return 0 < len(value) <= _INSPECTED and all(type(one) is float and one != one for one in value)
    if not is_library(value) or not size(value):
        return False
    try:
        if _is_masked(value):
            return bool(value.mask.all())
        if hasattr(value, "isna"):
            found = value.isna()
            return bool(found.to_numpy().all() if hasattr(found, "to_numpy") else found.all())
        if hasattr(value, "dtype") and getattr(value.dtype, "kind", "f") not in "fcmM":
            return False
        # Only a missing value differs from itself.
        return bool((value != value).all())
    except Exception:
        # The elements may be of any class, or the library cannot answer.
        return False


def _is_masked(value: Any) -> bool:
    return type(value).__name__ == "MaskedArray" and is_library(value) and bool(value.mask.any())


def _is_missing(value: Any) -> bool:
    """Whether elements are masked, or a comparison's are neither true nor false."""
    if _is_masked(value):
        return True
    is_series = is_library(value) and type(value).__name__ in ("Series", "DataFrame", "BooleanArray")
    if not is_series or not hasattr(value, "isna"):
        return False
    found = value.isna()
    return bool((found.to_numpy() if hasattr(found, "to_numpy") else found).any())
