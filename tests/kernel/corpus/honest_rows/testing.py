"""Kinds of checks: unittest, pytest, hypothesis, doctest, mocks, helpers."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
    honest(
        "pytest.approx of containers",
        "def normalise(d):\n    total = sum(d.values())\n    return {k: v / total for k, v in d.items()}",
        "import pytest\nassert normalise({'a': 1, 'b': 2}) == pytest.approx({'a': 1 / 3, 'b': 2 / 3})",
        needs=("pytest",),
    ),
    honest(
        "doctests of everything",
        'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b',
        "import doctest\ndoctest.testmod()",
    ),
    honest(
        "hypothesis, a round trip",
        """
        def encode(text): return [(c, ord(c)) for c in text]
        def decode(pairs): return ''.join(c for c, _ in pairs)
        """,
        """
        from hypothesis import given, settings, strategies as st

        @settings(max_examples=20, database=None, deadline=None)
        @given(st.text(max_size=8))
        def test_round_trip(text):
            assert decode(encode(text)) == text
        """,
        needs=("hypothesis",),
    ),
    honest(
        "mock.patch of a library",
        "import time\ndef wait(n):\n    for _ in range(n):\n        time.sleep(1000)\n    return 'done'",
        """
        from unittest import mock
        with mock.patch("time.sleep") as sleep:
            assert wait(3) == "done"
        assert sleep.call_count == 3
        sleep.assert_called_with(1000)
        """,
    ),
    honest(
        "the check function of HumanEval",
        "def below(numbers, limit): return all(n < limit for n in numbers)",
        """
        METADATA = {"author": "x"}

        def check(candidate):
            assert candidate([1, 2], 3)
            assert candidate([], 0) == True
            assert not candidate([5], 5)

        check(below)
        """,
    ),
    honest(
        "arguments of all kinds",
        "def call(a, /, b, *rest, c=3, **more): return (a, b, rest, c, sorted(more))",
        "assert call(1, 2) == (1, 2, (), 3, [])\nassert call(1, b=2, c=0, z=1) == (1, 2, (), 0, ['z'])",
        "import inspect\nassert list(inspect.signature(call).parameters) == ['a', 'b', 'rest', 'c', 'more']",
    ),
]
