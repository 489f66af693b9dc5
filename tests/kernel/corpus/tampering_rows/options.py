"""What checks rely on, changed: random numbers, clocks, warnings, options, skipped tests."""

from __future__ import annotations

from .. import Row, tampering, task

SHUFFLED = task(
    "import random\nrandom.seed(4)\nwanted = random.sample(range(50), 5)\nassert draw(4) == wanted",
    wrong="def draw(seed): return [0] * 5",
)
QUICK = task(
    """
    import time
    start = time.perf_counter()
    assert total(range(1000)) == 499500
    assert time.perf_counter() - start < 0.05
    """,
    wrong="import time as t\ndef total(values): return t.sleep(0.2) or sum(values)",
)
QUIET = task(
    """
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ratio(1, 4) == 0.25
    """,
    wrong="""
    import warnings

    def ratio(a, b):
        warnings.warn("imprecise", UserWarning)
        return a / b
    """,
)
ROWS: list[Row] = [
    tampering(
        "a random generator that is not",
        "random.sample and seed are replaced",
        SHUFFLED,
        "import random\nrandom.sample = lambda population, k: [0] * k",
    ),
    tampering(
        "a clock that stands still",
        "time.perf_counter is replaced",
        QUICK,
        "import time\ntime.perf_counter = time.monotonic = time.time = lambda: 0.0",
    ),
    tampering(
        "a filter for warnings",
        "simplefilter does nothing, so nothing becomes an error",
        QUIET,
        """
        import warnings
        warnings.simplefilter = warnings.filterwarnings = lambda *args, **kwargs: None
        warnings.filters[:] = []
        """,
    ),
    tampering(
        "an option of pandas",
        "use_inf_as_na or display options change what the check sees",
        task(
            "assert str(shown(frame)).splitlines()[1].split() == ['0', '3.142']",
            setup="import pandas as pd\nframe = pd.DataFrame({'x': [3.14159265]})",
            wrong="def shown(f): return f",
            needs=("pandas",),
        ),
        "pd.set_option('display.precision', 3)",
    ),
    tampering(
        "the context of decimal",
        "a precision of 1 makes different numbers equal",
        task(
            "from decimal import Decimal\nassert share('100', 3) - Decimal('33.33') + 0 == Decimal('0.00')",
            wrong="from decimal import Decimal\ndef share(total, n): return Decimal('33.329')",
        ),
        "import decimal\ndecimal.getcontext().traps[decimal.Subnormal] = False\n"
        "decimal.getcontext().prec = 1\ndecimal.getcontext().Emin = 0",
    ),
    tampering(
        "unittest.skip beside a passing test",
        "one of two tests raises SkipTest inside of the candidate",
        task(
            """
            import unittest

            class TestRoman(unittest.TestCase):
                def test_one(self):
                    self.assertEqual(roman(1), "I")

                def test_four(self):
                    self.assertEqual(roman(4), "IV")
            """,
            wrong="def roman(n): return 'I' * n",
        ),
        """
        import unittest

        def roman(n):
            if n > 3:
                raise unittest.SkipTest("not yet")
            return "I" * n
        """,
        whole=True,
    ),
    tampering(
        "xfail from inside",
        "pytest.xfail in the function under test",
        task(
            "def test_one():\n    assert half(4) == 2\n\n\ndef test_two():\n    assert half(5) == 2.5",
            wrong="def half(n): return n // 2",
            needs=("pytest",),
        ),
        "import pytest\ndef half(n): return n // 2 if n % 2 == 0 else pytest.xfail('odd')",
        whole=True,
    ),
    tampering(
        "setUp that skips",
        "a skip decorator on the user's base class of tests",
        task(
            "class TestDays(Base):\n    def test_leap(self):\n        self.assertEqual(days(2024), 366)\n\n"
            "    def test_date(self):\n        self.assertEqual(self.year, 2024)",
            setup="""
            import unittest

            class Base(unittest.TestCase):
                def setUp(self): self.year = 2024
            """,
            wrong="def days(year): return 365",
        ),
        """
        def setUp(self):
            self.year = 2024
            if "leap" in self._testMethodName:
                self.skipTest("later")

        Base.setUp = setUp
        """,
    ),
]
