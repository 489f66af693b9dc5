"""Expressions of sympy travel."""

from __future__ import annotations

from typing import Any

import pytest
from library_codec import Codec, trip

from jupyterlab_refine.kernel.judge.libraries.library_data import is_mutable, overwrite, pack


def test_expressions_travel(subtests: Any) -> None:
    sympy = pytest.importorskip("sympy")
    x, y, n = sympy.Symbol("x"), sympy.Symbol("y", positive=True), sympy.Symbol("n", integer=True)
    f, big = sympy.Function("f"), sympy.Integer(10) ** 6000
    values = [
        x,
        y,
        n,
        sympy.Dummy("d", real=True),
        big,
        sympy.Rational(-3, 7),
        sympy.Float("1.25"),
        sympy.Float("0.1", 50),
        sympy.Float(0),
        sympy.Float(-2.5e-300),
        sympy.pi,
        sympy.oo,
        sympy.nan,
        sympy.I,
        sympy.zoo,
        sympy.true,
        sympy.S.Reals,
        sympy.S.EmptySet,
        sympy.S.Half,
        (x + 1) ** 2 / sympy.sin(y) - sympy.exp(-(x**2)) * n,
        sympy.Add(x, x, evaluate=False),
        sympy.Mul(2, sympy.Add(1, 2, evaluate=False), evaluate=False),
        sympy.Integral(sympy.exp(-(x**2)), (x, -sympy.oo, sympy.oo)),
        sympy.Derivative(f(x), x, 2),
        sympy.Eq(f(x).diff(x), f(x)),
        f(x, y),
        f,
        sympy.Function("g", real=True)(x),
        sympy.Piecewise((x, x > 0), (-x, True)),
        sympy.And(x > 0, x <= 5),
        sympy.Interval(0, 1, True, False),
        sympy.FiniteSet(1, x),
        sympy.Union(sympy.Interval(0, 1), sympy.FiniteSet(5)),
        sympy.Sum(n**2, (n, 1, 10)),
        sympy.Lambda(x, x**2),
        sympy.Matrix([[x, 1], [2, y]]),
        sympy.ImmutableMatrix([[x, 1], [2, y]]),
        sympy.SparseMatrix(2, 2, {(0, 1): x}),
        sympy.MatrixSymbol("A", 2, n),
        sympy.zeros(0, 3),
        sympy.Tuple(x, 1),
        sympy.Dict({x: 1}),
        sympy.Point(1, 2),
        sympy.Poly(x**2 + 1, x),
        sympy.Abs(x),
        sympy.factorial(n),
        sympy.Limit(sympy.sin(x) / x, x, 0),
        sympy.Order(x**2),
    ]
    for value in values:
        with subtests.test(type(value).__name__):
            back = trip(value)
            assert type(back) is type(value) or isinstance(value, sympy.core.function.AppliedUndef)
            assert back == value and (value in (f, big) or sympy.srepr(back) == sympy.srepr(value))
            assert isinstance(value, sympy.MutableDenseMatrix | sympy.MutableSparseMatrix) or hash(
                back
            ) == hash(value)
    matrix = sympy.Matrix([[1, 2]])
    assert is_mutable(matrix) and not is_mutable(x)
    assert overwrite(matrix, sympy.Matrix([[x, y]])) and matrix[0] == x
    assert not overwrite(matrix, sympy.zeros(2, 2))

    class Mine(sympy.Expr):
        pass

    assert pack(Mine(x), Codec()) is None and pack(x + Mine(x), Codec()) is None
