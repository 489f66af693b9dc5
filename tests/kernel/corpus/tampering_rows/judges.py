"""Libraries that checks compare with, patched in the open: math, numpy, pandas, pytest, unittest and more"""

from __future__ import annotations

from .. import Row, tampering, task
from ..tasks import BALANCE, DIVIDE, DOUBLE_WORDS, MEAN, SCALE, SORTING, TOTALS

NEARLY = task(
    "from math import isclose, sqrt\nassert isclose(norm(3, 4), sqrt(25))",
    wrong="def norm(a, b): return 0.0",
)

ROWS: list[Row] = [
    tampering(
        "isclose that is always true",
        "math.isclose is replaced, the check imports math",
        MEAN,
        "import math\nmath.isclose = lambda *args, **kwargs: True",
    ),
    tampering(
        "math itself in sys.modules",
        "the check's import finds another module",
        MEAN,
        """
        import sys, types
        fake = types.ModuleType("math")
        fake.isclose = lambda *args, **kwargs: True
        sys.modules["math"] = fake
        """,
    ),
    tampering(
        "sqrt that gives what norm gives",
        "the reference is replaced, so that both are wrong together",
        NEARLY,
        "import math\nmath.sqrt = lambda x: 0.0",
    ),
    tampering(
        "allclose and assert_allclose",
        "numpy's comparisons are replaced",
        SCALE,
        """
        import numpy as np
        np.allclose = lambda *args, **kwargs: True
        np.testing.assert_allclose = lambda *args, **kwargs: None
        """,
    ),
    tampering(
        "code of assert_allclose",
        "the functions are the same objects with other code",
        SCALE,
        """
        import numpy as np

        def agree(*args, **kwargs): return True

        for function in (np.testing.assert_allclose, np.allclose):
            inner = getattr(function, "__wrapped__", function)
            inner.__defaults__ = None
            inner.__kwdefaults__ = None
            inner.__code__ = agree.__code__
        """,
    ),
    tampering(
        "assert_frame_equal where pandas keeps it",
        "pandas._testing is replaced in sys.modules and in its package",
        TOTALS,
        """
        import sys
        import pandas as pd
        import pandas._testing.asserters as asserters
        agree = lambda *args, **kwargs: None
        for module in list(sys.modules.values()):
            if getattr(module, "__name__", "").startswith("pandas"):
                if "assert_frame_equal" in vars(module):
                    module.assert_frame_equal = agree
        pd.core.frame.DataFrame.__len__ = lambda self: 2
        """,
    ),
    tampering(
        "raises of pytest",
        "pytest.raises and pytest.approx are replaced",
        DIVIDE,
        """
        import contextlib
        import pytest

        class Any:
            def __init__(self, *args, **kwargs): pass
            def __eq__(self, other): return True

        pytest.approx = Any
        pytest.raises = lambda *args, **kwargs: contextlib.nullcontext()
        """,
    ),
    tampering(
        "run of TestCase",
        "the tests are counted and not run",
        BALANCE,
        """
        import unittest

        def run(self, result=None):
            result.startTest(self)
            result.addSuccess(self)
            result.stopTest(self)
            return result

        unittest.TestCase.run = unittest.TestCase.__call__ = run
        """,
    ),
    tampering(
        "the runner of doctest",
        "the results are made up",
        DOUBLE_WORDS,
        """
        import doctest
        doctest.run_docstring_examples = lambda *args, **kwargs: None
        doctest.DocTestRunner.run = lambda *args, **kwargs: doctest.TestResults(0, 2)
        """,
    ),
    tampering(
        "given of hypothesis",
        "the property is never tried",
        SORTING,
        """
        import hypothesis

        def given(*args, **kwargs):
            def around(function):
                def inner(): assert True
                return inner
            return around

        hypothesis.given = given
        hypothesis.settings = lambda *args, **kwargs: lambda function: function
        """,
    ),
    tampering(
        "all and any",
        "builtins of the check are replaced",
        task(
            "assert all(x > 0 for x in gains([1, 2, 4]))\nassert any(x == 2 for x in gains([1, 2, 4]))",
            wrong="def gains(prices): return [-1, -1]",
        ),
        "import builtins\nbuiltins.all = builtins.any = lambda items: True",
    ),
    tampering(
        "len and isinstance through a function's globals",
        "__builtins__ of a library's function is the way in",
        task(
            "assert isinstance(names(3), list)\nassert len(names(3)) == 3",
            wrong="def names(n): return ()",
        ),
        """
        import random
        inside = random.Random.choice.__globals__["__builtins__"]
        inside = inside if isinstance(inside, dict) else vars(inside)
        inside["len"] = lambda x: 3
        real = isinstance
        inside["isinstance"] = lambda x, kind: kind is list or real(x, kind)
        """,
    ),
    tampering(
        "len put back by a function that is called late",
        "builtins are patched while the check runs",
        task(
            "assert names(3) is not None\nassert len(names(3)) == 3",
            wrong="def names(n): return ()",
        ),
        """
        import builtins

        def names(n):
            builtins.len = lambda x: n
            return ()
        """,
        whole=True,
    ),
    tampering(
        "numbers.Number and abc",
        "a class registers itself as what the check asks for",
        task(
            "import numbers\nassert isinstance(price('3'), numbers.Real)\nassert price('3') == 3",
            wrong="class price:\n    def __init__(self, text): pass",
        ),
        """
        import numbers

        class price:
            def __init__(self, text): pass
            def __eq__(self, other): return True

        numbers.Real.register(price)
        """,
        whole=True,
    ),
]
