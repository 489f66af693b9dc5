"""Nodes of sympy: expressions and matrices."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from typing import Any

from .nodes import (
    MAKERS,
    Library,
    Node,
    Unknown,
    bool_of,
    class_of,
    inner,
    ints_of,
    library,
    makes,
    need,
    pack_part,
    register,
    text_of,
    unpack,
)

_SYMPY = (
    r"sympy\.(core|functions|logic|sets|matrices|series|integrals|concrete|tensor|geometry|calculus|polys"
    r"|ntheory|combinatorics|vector|physics\.units)(\.(?!tests)[a-z_0-9]+)*"
)
_SYMPY_MATRICES = ("MutableDenseMatrix", "MutableSparseMatrix")


def _is_undefined_function(value: Any) -> bool:
    """Whether it is f or f(x) where f = Function("f"): no module holds their classes."""
    sympy = sys.modules.get("sympy")
    function = getattr(getattr(sympy, "core", None), "function", None)
    if function is None:
        return False
    return isinstance(value, (function.AppliedUndef, function.UndefinedFunction))


def _pack_sympy(value: Any, packer: Any) -> Node:
    sympy, kind = sys.modules["sympy"], type(value)

    def parts() -> Iterator[Node]:
        if not all(isinstance(part, sympy.Basic) for part in value.args):
            raise Unknown
        return (pack_part(part, packer) for part in value.args)

    if isinstance(value, sympy.core.function.UndefinedFunction):
        return ["lib:sy.function", str(value), _assumptions(value._kwargs)]
    if isinstance(value, sympy.core.function.AppliedUndef):
        return ["lib:sy.applied", _pack_sympy(value.func, packer), *parts()]
    if kind.__name__ in _SYMPY_MATRICES:
        cells = [pack_part(cell, packer) for cell in value]
        return ["lib:sy.matrix", kind.__name__, value.rows, value.cols, *cells]
    if not isinstance(value, sympy.Basic) or not re.fullmatch(_SYMPY, kind.__module__):
        raise Unknown
    if kind in (sympy.Symbol, sympy.Dummy):
        number = value.dummy_index if kind is sympy.Dummy else None
        return [
            "lib:sy.symbol",
            value.name,
            number,
            _assumptions(getattr(value, "_assumptions_orig", value.assumptions0)),
        ]
    if kind in (sympy.Integer, sympy.Rational):
        return ["lib:sy.number", f"{int(value.p):x}", f"{int(value.q):x}"]
    if kind is sympy.Float:
        sign, mantissa, exponent, bits = map(int, value._mpf_)
        return ["lib:sy.float", sign, f"{mantissa:x}", exponent, bits, value._prec]
    if kind is sympy.core.symbol.Str:
        return ["lib:sy.text", value.name]
    for options in ({}, {"evaluate": False}):
        try:
            again = kind(*value.args, **options)
            if type(again) is kind and again == value:
                return ["lib:sy.basic", kind.__module__, kind.__name__, not options, *parts()]
        except Exception:
            continue
    raise Unknown


def _assumptions(found: Any) -> dict[str, bool]:
    if not all(type(name) is str and type(value) is bool for name, value in found.items()):
        raise Unknown
    return dict(found)


def _sympies(unpacker: Any, nodes: Any) -> list[Any]:
    need(all(type(node) is list and node and text_of(node[0]).startswith("lib:sy.") for node in nodes))
    values = [unpack(node, unpacker) for node in nodes]
    need(all(isinstance(value, library("sympy").Basic) for value in values))
    return values


def _known(assumptions: Any) -> dict[str, bool]:
    defined = library("sympy.core.assumptions")._assume_defined
    need(type(assumptions) is dict and all(name in defined for name in assumptions))
    return {name: bool_of(value) for name, value in assumptions.items()}


def _hex(text: Any) -> int:
    need(re.fullmatch(r"-?[0-9a-f]+", text_of(text)))
    return int(text, 16)


@makes("lib:sy.symbol")
def _symbol(unpacker: Any, name: Any, number: Any, assumptions: Any) -> Any:
    sympy = library("sympy")
    if number is None:
        return sympy.Symbol(text_of(name), **_known(assumptions))
    need(type(number) is int)
    return sympy.Dummy(text_of(name), dummy_index=number, **_known(assumptions))


@makes("lib:sy.number")
def _number(unpacker: Any, numerator: Any, denominator: Any) -> Any:
    return library("sympy").Rational(_hex(numerator), _hex(denominator))


@makes("lib:sy.float")
def _float(unpacker: Any, sign: Any, mantissa: Any, exponent: Any, bits: Any, precision: Any) -> Any:
    mantissa = _hex(mantissa)
    need(all(type(part) is int for part in (sign, exponent, bits, precision)) and sign in (0, 1))
    need(bits == mantissa.bit_length() and 0 < precision < 1 << 24)
    # A tuple of zero would become an Integer.
    number = (sign, mantissa, exponent, bits) if mantissa else 0
    return library("sympy").Float(number, precision=precision)


@makes("lib:sy.basic")
def _basic(unpacker: Any, module: Any, name: Any, evaluate: Any, *parts: Any) -> Any:
    kind = class_of(_SYMPY, module, name, library("sympy").Basic)
    value = kind(*_sympies(unpacker, parts), **({} if bool_of(evaluate) else {"evaluate": False}))
    need(type(value) is kind)
    return value


@makes("lib:sy.matrix")
def _matrix(unpacker: Any, kind: Any, rows: Any, columns: Any, *cells: Any) -> Any:
    need(kind in _SYMPY_MATRICES and len(cells) == math.prod(ints_of([rows, columns])))
    return getattr(library("sympy"), kind)(rows, columns, _sympies(unpacker, cells))


@makes("lib:sy.applied")
def _applied(unpacker: Any, function: Any, *parts: Any) -> Any:
    return inner(unpacker, function, "lib:sy.function")(*_sympies(unpacker, parts))


MAKERS["lib:sy.function"] = lambda unpacker, name, assumptions: library("sympy").Function(
    text_of(name), **_known(assumptions)
)
MAKERS["lib:sy.text"] = lambda unpacker, text: library("sympy").core.symbol.Str(text_of(text))


def _overwrite_sympy(mine: Any, new: Any) -> bool:
    if mine.shape != new.shape:
        return False
    mine[:, :] = new
    return True


register("sympy", Library(_pack_sympy, "|".join(_SYMPY_MATRICES), _overwrite_sympy, _is_undefined_function))
