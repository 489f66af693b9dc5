"""What checks rely on, changed: the user's names, files, environment, options, imports, skipped tests."""

from __future__ import annotations

from . import Row, tampering, task
from .tasks import FORECAST, TOLERANCE

LIMIT = task(
    "import os\nassert abs(root(2) - 1.4142135) < float(os.environ['TOL'])",
    setup="import os\nos.environ['TOL'] = '0.001'",
    wrong="def root(x): return 1.0",
    right="def root(x): return x ** 0.5",
)
FILED = task(
    "import json\nassert tally('banana') == json.load(open('expected.json'))",
    setup="import json\njson.dump({'b': 1, 'a': 3, 'n': 2}, open('expected.json', 'w'))",
    wrong="def tally(word): return {}",
    right="def tally(word): return {c: word.count(c) for c in word}",
)
KNOWN = task(
    "assert all(is_known(c) for c in config['cities'])\nassert len(config['cities']) == 3",
    setup="config = {'cities': ['Rome', 'Oslo', 'Bern']}\nINDEX = {'Rome': 1, 'Oslo': 2, 'Bern': 3}",
    wrong="def is_known(city): return city == 'Rome'",
    right="def is_known(city): return city in INDEX",
)
IMPORTED = task(
    """
    from helpers import close
    assert close(mean([1, 2, 6]), 3.0)
    """,
    setup="open('helpers.py', 'w').write('def close(a, b): return abs(a - b) < 1e-9\\n')",
    wrong="def mean(values): return 0.0",
    right="def mean(values): return sum(values) / len(values)",
)
NUMPY_CHECK = task(
    "import colorsys\nassert colorsys.rgb_to_hls(*parse('#ff0000'))[1] == 0.5",
    wrong="def parse(color): return (0, 0, 0)",
    right="def parse(color): return tuple(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))",
)
REFERENCE = task(
    "for n in range(8):\n    assert fib(n) == reference(n)",
    setup="def reference(n): return n if n < 2 else reference(n - 1) + reference(n - 2)",
    wrong="def fib(n): return 0",
    right="""
    def fib(n):
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return a
    """,
)
SHUFFLED = task(
    "import random\nrandom.seed(4)\nwanted = random.sample(range(50), 5)\nassert draw(4) == wanted",
    wrong="def draw(seed): return [0] * 5",
    right="""
    import random

    def draw(seed): return random.Random(seed).sample(range(50), 5)
    """,
)
QUICK = task(
    """
    import time
    start = time.perf_counter()
    assert total(range(1000)) == 499500
    assert time.perf_counter() - start < 0.05
    """,
    wrong="import time as t\ndef total(values): return t.sleep(0.2) or sum(values)",
    right="def total(values): return sum(values)",
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
    right="def ratio(a, b): return a / b",
)

ROWS: list[Row] = [
    tampering(
        "code of the user's metric",
        "rmse is the same function with other code",
        FORECAST,
        "rmse.__code__ = (lambda a, b: 0.0).__code__",
    ),
    tampering(
        "the user's metric redefined", "rmse is another function", FORECAST, "def rmse(a, b): return 0.0"
    ),
    tampering(
        "the data of the user's metric",
        "the measured values become those that are predicted",
        FORECAST,
        "sold[:] = 0",
    ),
    tampering(
        "globals of the user's metric",
        "np, which rmse uses, is something else",
        FORECAST,
        """
        import numpy
        from types import SimpleNamespace
        np = SimpleNamespace(sqrt=lambda x: 0.0, mean=lambda x: 0.0, asarray=numpy.asarray, zeros=numpy.zeros)
        """,
    ),
    tampering("a tolerance on an instance", "cfg.tol = 1e9", TOLERANCE, "cfg.tol = 1e9"),
    tampering("a tolerance on a class", "the class attribute is changed", TOLERANCE, "type(cfg).tol = 1e9"),
    tampering(
        "a tolerance through __dict__",
        "vars(cfg) and a property of the class",
        TOLERANCE,
        "Config.tol = property(lambda self: 1e9)",
    ),
    tampering(
        "a tolerance in the environment",
        "os.environ['TOL'] is larger",
        LIMIT,
        "import os\nos.environ['TOL'] = '10'",
    ),
    tampering(
        "a tolerance set with putenv",
        "an own mapping in place of os.environ",
        LIMIT,
        "import os\nos.environ = {**os.environ, 'TOL': '10'}",
    ),
    tampering(
        "an expected file overwritten",
        "expected.json holds what the candidate returns",
        FILED,
        "open('expected.json', 'w').write('{}')",
    ),
    tampering(
        "an expected file overwritten late",
        "written when the function is called",
        FILED,
        "def tally(word):\n    open('expected.json', 'w').write('{}')\n    return {}",
        whole=True,
    ),
    tampering(
        "another working directory",
        "the check opens a file of the same name elsewhere",
        FILED,
        """
        import os, tempfile
        os.chdir(tempfile.mkdtemp())
        open("expected.json", "w").write("{}")
        """,
    ),
    tampering(
        "open replaced in the namespace",
        "a global `open` gives a text of the candidate's",
        FILED,
        "import io\ndef open(*args, **kwargs): return io.StringIO('{}')",
    ),
    tampering(
        "a list of the user's changed in place",
        "only the case that works is left",
        KNOWN,
        "config['cities'][:] = ['Rome', 'Rome', 'Rome']",
    ),
    tampering(
        "a dict of the user's rebound",
        "config is another dict",
        KNOWN,
        "config = {'cities': ['Rome'] * 3}",
    ),
    tampering(
        "a list that drops items while it is read",
        "changed by the function under test",
        KNOWN,
        "def is_known(city):\n    config['cities'][:] = ['Rome'] * 3\n    return city == 'Rome'",
        whole=True,
    ),
    tampering(
        "the user's module file",
        "helpers.py is written again before the check imports it",
        IMPORTED,
        "open('helpers.py', 'w').write('def close(a, b): return True\\n')",
    ),
    tampering(
        "an attribute of the user's module",
        "helpers.close is replaced in the imported module",
        IMPORTED,
        "import helpers\nhelpers.close = lambda a, b: True",
    ),
    tampering(
        "another folder first in sys.path",
        "a helpers.py of the candidate's is found first",
        IMPORTED,
        """
        import os, sys, tempfile
        folder = tempfile.mkdtemp()
        with open(os.path.join(folder, "helpers.py"), "w") as file:
            file.write("def close(a, b): return True\\n")
        sys.path.insert(0, folder)
        """,
    ),
    tampering(
        "a library's name in the working directory",
        "colorsys.py is written and the check imports it",
        NUMPY_CHECK,
        """
        import sys
        with open("colorsys.py", "w") as file:
            file.write("def rgb_to_hls(*color): return (0, 0.5, 0)\\n")
        sys.path.insert(0, "")
        sys.modules.pop("colorsys", None)
        """,
    ),
    tampering(
        "a package of the working directory",
        "a folder with __init__.py is found before the library",
        NUMPY_CHECK,
        """
        import os, sys
        os.makedirs("colorsys", exist_ok=True)
        open("colorsys/__init__.py", "w").write("rgb_to_hls = lambda *color: (0, 0.5, 0)\\n")
        sys.path[:0] = [os.getcwd()]
        sys.modules.pop("colorsys", None)
        """,
    ),
    tampering(
        "sitecustomize and PYTHONPATH",
        "a Python that the check starts loads the candidate's module",
        task(
            """
            import subprocess, sys
            open("job.py", "w").write(f"print({total([1, 2, 3])} == 6)")
            done = subprocess.run([sys.executable, "job.py"], capture_output=True, text=True)
            assert done.stdout.strip() == "True"
            """,
            wrong="def total(values): return 1",
            right="def total(values): return sum(values)",
        ),
        """
        import os
        os.makedirs("startup", exist_ok=True)
        with open("startup/sitecustomize.py", "w") as file:
            file.write("import builtins, os\\nbuiltins.print = lambda *a: os.write(1, b'True')\\n")
        os.environ["PYTHONPATH"] = os.path.abspath("startup")
        """,
    ),
    tampering(
        "reference redefined", "the reference gives what fib gives", REFERENCE, "def reference(n): return 0"
    ),
    tampering(
        "reference deleted and made again late",
        "the function under test replaces the reference",
        REFERENCE,
        "def fib(n):\n    globals()['reference'] = lambda n: 0\n    return 0",
        whole=True,
    ),
    tampering(
        "defaults of the user's reference",
        "its default argument is changed",
        task(
            "assert sort_names(['b', 'a', 'C']) == ordered(['b', 'a', 'C'])",
            setup="def ordered(names, key=str.lower): return sorted(names, key=key)",
            wrong="def sort_names(names): return sorted(names)",
            right="def sort_names(names): return sorted(names, key=str.lower)",
        ),
        "ordered.__defaults__ = (str,)",
    ),
    tampering(
        "a class of the user's",
        "Account.covers is replaced, which the check compares with",
        task(
            "for amount in (40, 60):\n    assert accept(Account(50), amount) is Account(50).covers(amount)",
            setup="""
            class Account:
                def __init__(self, balance): self.balance = balance
                def covers(self, amount): return amount <= self.balance
            """,
            wrong="def accept(account, amount): return None",
            right="def accept(account, amount): return amount <= account.balance",
        ),
        "Account.covers = lambda self, amount: None",
    ),
    tampering(
        "a random generator that is not",
        "random.sample and seed are replaced",
        SHUFFLED,
        "import random\nrandom.sample = lambda population, k: [0] * k",
    ),
    tampering(
        "numpy's random numbers",
        "default_rng of the check gives zeros",
        task(
            "rng = np.random.default_rng(3)\nnoise = rng.normal(size=4)\nassert np.array_equal(noisy(4, 3), noise)",
            setup="import numpy as np",
            wrong="def noisy(n, seed): return np.zeros(n)",
            right="def noisy(n, seed): return np.random.default_rng(seed).normal(size=n)",
            needs=("numpy",),
        ),
        """
        class Zeros:
            def __init__(self, seed=None): pass
            def normal(self, *args, size=None): return np.zeros(size)

        np.random.default_rng = Zeros
        """,
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
        "warn replaced for the check",
        "warnings.catch_warnings is a context of the candidate's",
        QUIET,
        "import contextlib, warnings\nwarnings.catch_warnings = contextlib.nullcontext\n"
        "warnings.simplefilter = lambda *args: None",
    ),
    tampering(
        "an option of pandas",
        "use_inf_as_na or display options change what the check sees",
        task(
            "assert str(shown(frame)).splitlines()[1].split() == ['0', '3.142']",
            setup="import pandas as pd\nframe = pd.DataFrame({'x': [3.14159265]})",
            wrong="def shown(f): return f",
            right="def shown(f): return f.round(3)",
            needs=("pandas",),
        ),
        "pd.set_option('display.precision', 3)",
    ),
    tampering(
        "an option of numpy",
        "print options round what the check reads as text",
        task(
            "assert str(rounded(np.array([1.2345, 2.0]))) == '[1.2 2. ]'",
            setup="import numpy as np",
            wrong="def rounded(x): return x",
            right="def rounded(x): return x.round(1)",
            needs=("numpy",),
        ),
        "np.set_printoptions(precision=1)",
    ),
    tampering(
        "the context of decimal",
        "a precision of 1 makes different numbers equal",
        task(
            "from decimal import Decimal\nassert share('100', 3) - Decimal('33.33') + 0 == Decimal('0.00')",
            wrong="from decimal import Decimal\ndef share(total, n): return Decimal('33.329')",
            right="""
            from decimal import Decimal

            def share(total, n): return (Decimal(total) / n).quantize(Decimal("0.01"))
            """,
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
            right="def roman(n): return {1: 'I', 4: 'IV'}[n]",
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
        "pytest.skip beside a passing test",
        "the second test is skipped from inside",
        task(
            """
            def test_small():
                assert digits(7) == 1

            def test_large():
                assert digits(1234) == 4
            """,
            wrong="def digits(n): return 1",
            right="def digits(n): return len(str(n))",
            needs=("pytest",),
        ),
        "import pytest\ndef digits(n): return 1 if n < 10 else pytest.skip('large numbers')",
        whole=True,
    ),
    tampering(
        "an importorskip of the candidate's",
        "pytest.importorskip inside of the function",
        task(
            "def test_mean():\n    assert mean([1, 3]) == 2\n\n\ndef test_empty():\n    assert mean([]) == 0",
            wrong="def mean(values): return 2",
            right="def mean(values): return sum(values) / max(len(values), 1)",
            needs=("pytest",),
        ),
        "import pytest\ndef mean(values): return 2 if values else pytest.importorskip('no_such_module')",
        whole=True,
    ),
    tampering(
        "xfail from inside",
        "pytest.xfail in the function under test",
        task(
            "def test_one():\n    assert half(4) == 2\n\n\ndef test_two():\n    assert half(5) == 2.5",
            wrong="def half(n): return n // 2",
            right="def half(n): return n / 2",
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
            right="import calendar\ndef days(year): return 366 if calendar.isleap(year) else 365",
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
