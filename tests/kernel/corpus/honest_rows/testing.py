"""Kinds of checks: unittest, pytest, hypothesis, doctest, mocks, helpers."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
    honest(
        "unittest with setUp and subTest",
        "def add(a, b): return a + b",
        """
        import unittest

        class TestAdd(unittest.TestCase):
            def setUp(self):
                self.cases = [(1, 2, 3), ("a", "b", "ab"), ([1], [], [1])]

            def test_cases(self):
                for a, b, wanted in self.cases:
                    with self.subTest(a=a):
                        self.assertEqual(add(a, b), wanted)

            def test_types(self):
                with self.assertRaises(TypeError):
                    add(1, "x")
        """,
    ),
    honest(
        "asynchronous unittest",
        "import asyncio\nasync def double(x):\n    await asyncio.sleep(0)\n    return 2 * x",
        """
        import unittest

        class TestDouble(unittest.IsolatedAsyncioTestCase):
            async def test_double(self):
                self.assertEqual(await double(4), 8)
        """,
    ),
    honest(
        "pytest parametrised",
        "def leap(y): return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)",
        """
        import pytest

        @pytest.mark.parametrize("year, wanted", [(1900, False), (2000, True), (2023, False), (2024, True)])
        def test_leap(year, wanted):
            assert leap(year) is wanted
        """,
        needs=("pytest",),
    ),
    honest(
        "pytest.approx of containers",
        "def normalise(d):\n    total = sum(d.values())\n    return {k: v / total for k, v in d.items()}",
        "import pytest\nassert normalise({'a': 1, 'b': 2}) == pytest.approx({'a': 1 / 3, 'b': 2 / 3})",
        needs=("pytest",),
    ),
    honest(
        "a class of tests",
        "class Counter:\n    def __init__(self): self.n = 0\n    def add(self, k=1): self.n += k",
        """
        class TestCounter:
            def setup_method(self):
                self.counter = Counter()

            def test_starts_at_zero(self):
                assert self.counter.n == 0

            def test_adds(self):
                self.counter.add(3)
                assert self.counter.n == 3
        """,
        asked=("Counter",),
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
        "doctests in the candidate",
        """
        def mid(a, b):
            '''The middle.

            >>> mid(2, 4)
            3.0
            >>> mid(0, 1)
            0.5
            '''
            return (a + b) / 2
        """,
        "import doctest\ndoctest.run_docstring_examples(mid, {'mid': mid})\nassert mid(2, 4) == 3.0",
        """
        results = doctest.DocTestRunner().run(doctest.DocTestFinder().find(mid, 'mid', globs={'mid': mid})[0])
        assert results.attempted == 2 and results.failed == 0
        """,
        confirmed=False,
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
