"""Operators that a scorer may use: those of libraries and of the user, in whatever class they came."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel
from test_scorer import data, score

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

__all__ = ["data"]

HONEST = {
    "of the user's": ("z = [Money(2), Money(3)]", "(ns['z'][0] + ns['z'][1]).n"),
    "of a library": ("import ipaddress\nz = ipaddress.ip_address(6)", "int(ns['z'] + 1)"),
    "of the library of Python": (
        "import fractions, decimal, datetime\n"
        "z = [fractions.Fraction(1, 2), decimal.Decimal(6), datetime.timedelta(1)]",
        "float(ns['z'][0] + 1) + float(ns['z'][1] + 1) + (ns['z'][2] * 2).days",
    ),
    "inherited": (
        "import collections\nclass Row(tuple): pass\nP = collections.namedtuple('P', 'a b')\n"
        "class Model(dict):\n    def __call__(s, x): return x\nz = [Row((1, 2)), P(3, 4), Model(a=5)]",
        "len(ns['z'][0] + ns['z'][1]) + len(ns['z'][2])",
    ),
    "frames": (
        "z = pd.DataFrame({'a': [1, 2], 'b': ['x', None], 'c': pd.to_datetime(['2026-01-01', None])})",
        "float((ns['z'].a * 2).sum() + (ns['z'].c - pd.Timestamp('2026-01-01')).dt.days.sum())",
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_operators_of_libraries_and_of_the_user(data: LiveKernel, name: str) -> None:
    data.run(
        "class Money:\n    def __init__(s, n): s.n = n\n    def __add__(s, o): return Money(s.n + o.n)\n"
        "X_test = X_test"
    )
    candidate, expression = HONEST[name]
    execution = score(data, candidate, f"def score(ns): return {expression}", hidden=["X_test"])
    assert isinstance(execution["scored"]["value"], float), execution
    assert (execution["tampering"], execution["warnings"]) == ([], [])
