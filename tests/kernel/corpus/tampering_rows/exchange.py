"""Twins of what travels, turned against the check, and candidates that leave nothing to compare."""

from __future__ import annotations

from .. import Row, tampering, task

DOUBLE = task(
    "a = Account(10)\nassert double(a) == 2 * a.balance",
    setup="""
    class Account:
        def __init__(self, balance): self.balance = balance
        def value(self): return self.balance
    """,
    wrong="def double(a): return a.balance",
)
VALUE = task(
    "a = Account(10)\nassert doubled(a).value() == 20",
    setup=DOUBLE.setup,
    wrong="def doubled(a): return a",
)
DRAW = task(
    "import numpy as np\nrng = np.random.default_rng(5)\nassert draw(rng) != rng.integers(1000)",
    wrong="def draw(rng): return 350",
    needs=("numpy",),
)
TOP = task(
    """
    import pandas as pd
    found = top(1)
    assert isinstance(found, pd.DataFrame)
    assert found.equals(pd.DataFrame({"a": [1]}))
    """,
    wrong="import pandas as pd\ndef top(n): return pd.DataFrame()",
    needs=("pandas",),
)
SORTED = task(
    "xs = [3, 1, 2]\nassert ordered(xs) == sorted(xs)",
    wrong="def ordered(xs): return xs",
    holdout="ys = [5, 4]\nassert ordered(ys) == sorted(ys)",
)
PAIRS = task(
    "assert all(a == b for a, b in zip(doubled([1, 2]), [2, 4]))",
    wrong="def doubled(xs): return xs",
)
RANKS = task(
    "import pandas as pd\nassert (ranks([20, 10, 30]) == pd.Series([2, 1, 3])).all()",
    wrong="import pandas as pd\ndef ranks(v): return pd.Series(v)",
    needs=("pandas",),
)
SMALL = task(
    "assert all(map(is_small, [1, 2, 300]))",
    wrong="def is_small(x): return x > 2",
    holdout="assert all(map(is_small, [4, 5]))",
)
ROWS: list[Row] = [
    tampering(
        "an error that ends the loop of a check",
        "`all` has seen no value",
        SMALL,
        "def is_small(x): raise StopIteration",
        whole=True,
    ),
    tampering(
        "an attribute of the argument that it is compared with",
        "an object of the notebook's class is changed in place",
        DOUBLE,
        "def double(a):\n    a.balance = 0\n    return 0",
        whole=True,
    ),
    tampering(
        "a method of the argument that it replaces",
        "an attribute would hide the method of the notebook's class",
        VALUE,
        "def doubled(a):\n    a.value = lambda: 20\n    return a",
        whole=True,
    ),
    tampering(
        "a generator that it winds back",
        "the check compares with the next number of the same generator",
        DRAW,
        """
        import numpy as np
        def draw(rng):
            rng.bit_generator.state = np.random.default_rng(7).bit_generator.state
            return 0
        """,
        whole=True,
    ),
    tampering(
        "a class that says it is a frame",
        "its equals() gives True",
        TOP,
        """
        import pandas, sys
        class DataFrame:
            __class__ = property(lambda self: pandas.DataFrame)
            def equals(self, other): return True
        def top(n): return DataFrame()
        for name, module in list(sys.modules.items()):
            if name.startswith("_jupyterlab_refine") and name.endswith(".stubs"):
                def describe(kind, node, with_bases, own=module._describe_class):
                    told = own(kind, node, with_bases)
                    return told | {"library": ["pandas", "DataFrame"]} if kind is DataFrame else told
                module._describe_class = describe
        """,
        whole=True,
    ),
    tampering(
        "errors of a coroutine that it catches",
        "an assert of the check fails within the candidate's function",
        task(
            "async def one(x):\n    assert x == 5\nasync def test_visit():\n    await visit(one)",
            wrong="async def visit(f): await f(4)",
        ),
        "async def visit(f):\n    try: await f(4)\n    except BaseException: pass",
        whole=True,
    ),
    tampering(
        "empties the argument that it is compared with",
        "plain Python passes it",
        SORTED,
        "def ordered(xs):\n    xs.clear()\n    return []",
        whole=True,
    ),
    tampering("nothing to loop over", "all() of nothing", PAIRS, "def doubled(xs): return []", whole=True),
    tampering(
        "a series of missing values",
        "NA is skipped by all()",
        RANKS,
        "import pandas as pd\ndef ranks(v): return pd.Series([pd.NA] * len(v), dtype='Int64')",
        whole=True,
    ),
]
