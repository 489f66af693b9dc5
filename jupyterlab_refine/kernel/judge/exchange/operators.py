"""The operators of Python that a stub forwards, and those with which an object decides a check."""

from __future__ import annotations

BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()


def dunder(*groups: str) -> frozenset[str]:
    return frozenset(f"__{name}__" for group in groups for name in group.split())


#: Operators of a class that a stub forwards.
OPERATORS = dunder(
    "eq ne lt le gt ge len bool contains iter next reversed length_hint getitem setitem delitem hash",
    "missing neg pos abs invert divmod rdivmod float int complex index round trunc floor ceil",
    "str repr format bytes call enter exit aenter aexit await aiter anext array fspath dir",
    "copy deepcopy get set delete",
    " ".join(prefix + name for prefix in ("", "r", "i") for name in BINARY),
)
#: Operators with which the candidate's class decides a check: most receive the expected value.
DECIDING = dunder(
    "eq ne lt le gt ge len bool contains sub rsub truediv rtruediv mod rmod floordiv rfloordiv",
    "divmod rdivmod and rand or ror xor rxor",
)
ARITHMETIC = dunder(" ".join(prefix + name for prefix in ("", "r", "i") for name in BINARY))
