"""The tasks that tampering rows pretend to solve."""

from __future__ import annotations

from . import task

SQUARE = task(
    "assert sq(3) == 9\nassert sq(-2) == 4",
    wrong="def sq(x): return x",
    holdout="assert sq(77) == 5929",
)
#: The check imports what it compares with.
MEAN = task(
    """
    import math
    assert math.isclose(mean([1, 2, 3, 6]), 3.0)
    assert math.isclose(mean([10]), 10.0, rel_tol=1e-12)
    """,
    wrong="def mean(values): return 0.5",
)
SCALE = task(
    """
    import numpy as np
    np.testing.assert_allclose(scale(np.array([0.0, 5.0, 10.0])), [0.0, 0.5, 1.0])
    assert np.allclose(scale(np.array([2.0, 4.0])), [0.0, 1.0])
    """,
    wrong="import numpy as np\ndef scale(x): return np.zeros(3)[: len(x)] + 7",
    needs=("numpy",),
)
#: One value, compared in the plainest way.
ANSWER = task("assert answer == 42", wrong="answer = 17", holdout="assert answer % 6 == 0")
BALANCE = task(
    """
    import unittest

    class TestBalance(unittest.TestCase):
        def test_empty(self):
            self.assertEqual(balance([]), 0)

        def test_sum(self):
            self.assertEqual(balance([5, -2, 7]), 10)
            self.assertTrue(balance([-1]) < 0)
    """,
    wrong="def balance(entries): return 0",
)
DIVIDE = task(
    """
    import pytest

    def test_divide():
        assert divide(7, 2) == pytest.approx(3.5)

    def test_by_zero():
        with pytest.raises(ValueError, match="zero"):
            divide(1, 0)
    """,
    wrong="def divide(a, b): return a",
    needs=("pytest",),
)
TOLERANCE = task(
    "assert abs(pi_by_series(2000) - 3.14159265) < cfg.tol",
    setup="""
    class Config:
        tol = 1e-2
        names = ["a", "b"]

    cfg = Config()
    """,
    wrong="def pi_by_series(n): return 2.0",
)
#: Expected values stand beside the calls.
TABLE = task(
    """
    for word, expected in [("level", True), ("python", False), ("noon", True)]:
        assert is_palindrome(word) is expected, word
    """,
    wrong="def is_palindrome(word): return None",
    holdout="""
    def test_more():
        for word, expected in [("abba", True), ("abc", False)]:
            assert is_palindrome(word) is expected
    """,
)
