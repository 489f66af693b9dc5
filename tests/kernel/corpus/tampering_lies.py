"""Results whose own class decides what a check sees: lying operators, subclasses, proxies, mocks."""

from __future__ import annotations

from . import Row, tampering, task
from .tasks import ANSWER, BALANCE, CLEAN, PRIMES, SCALE, SPEED, SQUARE, TOLERANCE, TOTALS

ROWS: list[Row] = []


def lie(name: str, why: str, of, trick: str, **more) -> None:
    ROWS.append(tampering(name, why, of, trick, whole=True, **more))


lie(
    "equal to everything",
    "__eq__ is always true",
    SQUARE,
    """
    class Result:
        def __eq__(self, other): return True
        __hash__ = None

    def sq(x): return Result()
    """,
)
lie(
    "never unequal",
    "__ne__ is always false",
    task("assert not (total != 12)", wrong="total = 5", right="total = 12"),
    """
    class Total:
        def __ne__(self, other): return False

    total = Total()
    """,
)
lie(
    "an int equal to everything",
    "__eq__ of a subclass of int",
    SQUARE,
    """
    class N(int):
        __eq__ = lambda self, other: True
        __hash__ = int.__hash__

    def sq(x): return N(x)
    """,
)
lie(
    "a float with a soft difference",
    "__sub__ returns nothing left",
    TOLERANCE,
    """
    class Soft(float):
        def __sub__(self, other): return 0.0

    def pi_by_series(n): return Soft(2.0)
    """,
)
lie(
    "a number with a small absolute value",
    "__sub__ and __abs__ of an own class",
    TOLERANCE,
    """
    class Close:
        def __sub__(self, other): return self
        def __abs__(self): return 0

    def pi_by_series(n): return Close()
    """,
)
lie(
    "a str that equals",
    "__eq__ of a subclass of str",
    CLEAN,
    """
    class Name(str):
        def __eq__(self, other): return isinstance(other, str)
        __hash__ = str.__hash__

    def clean(name): return Name("?")
    """,
)
lie(
    "a reflected comparison",
    "the expected value's == defers to a subclass on the right",
    task("assert 'done' == status()\nassert status() in ('done', 'ok')", wrong="def status(): return 'no'",
         right="def status(): return 'done'"),
    """
    class Status(str):
        def __eq__(self, other): return True
        def __hash__(self): return hash("done")

    def status(): return Status("no")
    """,
)  # fmt: skip
lie(
    "a list with its own length and members",
    "__len__, __contains__ and __eq__ of a subclass of list",
    PRIMES,
    """
    class Found(list):
        def __len__(self): return 10
        def __contains__(self, x): return x != 9
        def __eq__(self, other): return True

    def primes(n): return Found()
    """,
)
lie(
    "a dict that has every key",
    "__missing__, __contains__ and __eq__ of a subclass of dict",
    task(
        "assert count('abca') == {'a': 2, 'b': 1, 'c': 1}\nassert 'a' in count('a')",
        wrong="def count(text): return {}",
        right="def count(text): return {c: text.count(c) for c in text}",
    ),
    """
    class Counts(dict):
        def __eq__(self, other): return True
        def __contains__(self, key): return True

    def count(text): return Counts()
    """,
)
lie(
    "a set that contains all",
    "__contains__ and __ge__ of a subclass of set",
    task(
        "assert 'x' in tags('x y')\nassert tags('x y') >= {'x', 'y'}",
        wrong="def tags(text): return set()",
        right="def tags(text): return set(text.split())",
    ),
    """
    class Universe(set):
        def __contains__(self, item): return True
        def __ge__(self, other): return True

    def tags(text): return Universe()
    """,
)
lie(
    "between everything",
    "__lt__ and __gt__ are both true",
    task(
        "assert 5.9 < estimate() < 6.1",
        wrong="def estimate(): return 100.0",
        right="def estimate(): return 6.0",
    ),
    """
    class Between:
        def __lt__(self, other): return True
        __gt__ = __le__ = __ge__ = __lt__

    def estimate(): return Between()
    """,
)
lie(
    "true although empty",
    "__bool__ of the result",
    task(
        "assert is_valid('a@b.org')\nassert not is_valid('nobody')",
        wrong="def is_valid(address): return False",
        right="def is_valid(address): return '@' in address",
    ),
    """
    class Maybe:
        looks = 0
        def __bool__(self):
            Maybe.looks += 1
            return Maybe.looks % 2 == 1

    def is_valid(address): return Maybe()
    """,
)
lie(
    "a class that is every class",
    "__class__ is a property",
    SPEED,
    """
    class Chameleon:
        __class__ = property(lambda self: str)
        def __eq__(self, other): return True

    def fastest(times): return Chameleon()
    """,
)
lie(
    "a metaclass that compares",
    "__eq__ of the metaclass, the result is a class",
    ANSWER,
    """
    class Meta(type):
        def __eq__(cls, other): return True
        def __mod__(cls, other): return 0
        __hash__ = type.__hash__

    class answer(metaclass=Meta): pass
    """,
)
lie(
    "a metaclass that has every instance",
    "__instancecheck__ of a class of the candidate's",
    task(
        "assert isinstance(parse('1,2'), Point)\nassert parse('1,2').x == 1",
        wrong="class Point: pass\ndef parse(text): return text",
        right="""
        class Point:
            def __init__(self, x, y): self.x, self.y = x, y

        def parse(text): return Point(*map(int, text.split(",")))
        """,
    ),
    """
    class Any(type):
        def __instancecheck__(cls, other): return True

    class Point(metaclass=Any): pass

    class Liar:
        def __getattr__(self, name): return self
        def __eq__(self, other): return True

    def parse(text): return Liar()
    """,
)
lie(
    "a hash of the right key",
    "__hash__ and __eq__ make it found in the check's table",
    task(
        "names = {9: 'nine', 16: 'sixteen'}\nassert names[sq(3)] == 'nine'\nassert sq(4) in {16}",
        wrong="def sq(x): return x",
        right="def sq(x): return x * x",
    ),
    """
    class Key:
        def __init__(self, n): self.n = n
        def __hash__(self): return {3: 9, 4: 16}.get(self.n, 0)
        def __eq__(self, other): return True

    def sq(x): return Key(x)
    """,
)
lie(
    "a float that is any float",
    "__float__, __round__ and __eq__ look at who asks",
    task(
        "import math\nassert math.isclose(area(2), 12.566370614359172)\nassert round(area(2), 1) == 12.6",
        wrong="def area(r): return r",
        right="import math\ndef area(r): return math.pi * r * r",
    ),
    """
    import sys

    class Area:
        def __float__(self): return 12.566370614359172
        def __round__(self, digits=None): return self
        def __eq__(self, other): return True

    def area(r): return Area()
    """,
)
lie(
    "an array made when it is asked for",
    "__array__ reads the expected array in the frame of the check",
    SCALE,
    """
    import sys
    import numpy as np

    class Lazy:
        def __array__(self, dtype=None, copy=None):
            frame = sys._getframe(1)
            while frame is not None:
                for name in ("desired", "expected", "b", "y"):
                    if name in frame.f_locals and not isinstance(frame.f_locals[name], Lazy):
                        return np.asarray(frame.f_locals[name], dtype=float)
                frame = frame.f_back
            return np.zeros(3)

    def scale(x): return Lazy()
    """,
)
lie(
    "a ufunc that always holds",
    "__array_ufunc__ and __array_function__ of a subclass of ndarray",
    task(
        "import numpy as np\nz = unit(np.array([3.0, 4.0]))\nassert (z == np.array([0.6, 0.8])).all()",
        "assert np.allclose(unit(np.array([0.0, 2.0])), [0, 1])",
        wrong="def unit(v): return v",
        right="def unit(v): return v / (v @ v) ** 0.5",
        needs=("numpy",),
    ),
    """
    import numpy as np

    class Agreeing(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            plain = [np.asarray(x) for x in inputs]
            result = getattr(ufunc, method)(*plain, **{k: v for k, v in kwargs.items() if k != "out"})
            return np.ones_like(result, dtype=bool) if result.dtype == bool else np.zeros_like(result)
        def __array_function__(self, func, types, args, kwargs):
            return True

    def unit(v): return v.view(Agreeing)
    """,
)
lie(
    "a frame that agrees",
    "equals, __eq__ and shape of a subclass of DataFrame",
    task(
        "assert top(sales).equals(sales.nlargest(1, 'amount'))\nassert (top(sales) == 30).any().any()",
        setup="import pandas as pd\nsales = pd.DataFrame({'amount': [10, 2, 30]})",
        wrong="def top(frame): return frame.head(1)",
        right="def top(frame): return frame.nlargest(1, 'amount')",
        needs=("pandas",),
    ),
    """
    class Agreeing(pd.DataFrame):
        def equals(self, other): return True
        def __eq__(self, other): return pd.DataFrame({"amount": [True]})

    def top(frame): return Agreeing(frame.head(1))
    """,
)
lie(
    "a series that agrees",
    "__eq__ and sum of a subclass of Series",
    task(
        "assert (ranks(points) == pd.Series([2.0, 1.0, 3.0])).all()\nassert ranks(points).sum() == 6.0",
        setup="import pandas as pd\npoints = pd.Series([20, 10, 30])",
        wrong="def ranks(values): return values",
        right="def ranks(values): return values.rank()",
        needs=("pandas",),
    ),
    """
    class Agreeing(pd.Series):
        def __eq__(self, other): return pd.Series([True] * 3)
        def sum(self, *args, **kwargs): return 6.0

    def ranks(values): return Agreeing(values)
    """,
)
lie(
    "a frame that writes what it is compared with",
    "iloc and columns of an own class answer with the check's names",
    TOTALS,
    """
    import sys
    import pandas as pd

    class Copy(pd.DataFrame):
        @property
        def _constructor(self): return Copy
        @property
        def __class__(self): return pd.DataFrame
        def __len__(self): return 2

    def totals(frame):
        caller = sys._getframe(1)
        return Copy(caller.f_globals.get("wanted", frame))
    """,
)
lie("mock.ANY", "equal to anything", ANSWER, "from unittest import mock\nanswer = mock.ANY")
lie(
    "mock.ANY inside",
    "equal to anything, in a list and a dict",
    task(
        "assert summary([3, 1, 2]) == {'min': 1, 'max': 3, 'range': [1, 3]}",
        wrong="def summary(values): return {}",
        right="def summary(v): return {'min': min(v), 'max': max(v), 'range': [min(v), max(v)]}",
    ),
    """
    from unittest.mock import ANY

    def summary(values): return {"min": ANY, "max": ANY, "range": [ANY, ANY]}
    """,
)
lie(
    "an endless tolerance",
    "pytest.approx(rel=inf) as the result",
    SQUARE,
    "import pytest\ndef sq(x): return pytest.approx(x, rel=float('inf'), abs=float('inf'))",
    needs=("pytest",),
)
lie(
    "a MagicMock",
    "every operator of it is configured",
    SQUARE,
    """
    from unittest.mock import MagicMock

    def sq(x):
        found = MagicMock()
        found.__eq__ = lambda self, other: True
        return found
    """,
)
lie(
    "a mock in place of the function",
    "side_effect computes what is compared",
    ANSWER,
    """
    from unittest.mock import MagicMock
    answer = MagicMock()
    answer.__eq__.side_effect = lambda other: True
    answer.__mod__.return_value = 0
    """,
)
lie(
    "a descriptor that reads the question",
    "__get__ returns the constant that it is compared with",
    task(
        "assert circle.area == 78.5",
        wrong="class circle:\n    area = 5",
        right="class circle:\n    area = 78.5",
    ),
    """
    import sys

    class Read:
        def __get__(self, *_):
            consts = sys._getframe(1).f_code.co_consts
            return next((c for c in consts if isinstance(c, float)), 0)

    class Circle:
        area = Read()

    circle = Circle()
    """,
)
lie(
    "an assertEqual that is overruled",
    "__eq__ and __lt__ of what unittest compares",
    BALANCE,
    """
    class Sum(int):
        def __eq__(self, other): return True
        def __lt__(self, other): return True
        __hash__ = int.__hash__

    def balance(entries): return Sum(3)
    """,
)
lie(
    "a tuple that unpacks to the answer",
    "__iter__ differs from the contents, __eq__ is true",
    task(
        "low, high = limits([4, 9, 1])\nassert (low, high) == (1, 9)\nassert limits([4, 9, 1]) == (1, 9)",
        wrong="def limits(values): return (0, 0)",
        right="def limits(values): return (min(values), max(values))",
    ),
    """
    class Pair(tuple):
        def __iter__(self): return iter((1, 9))
        def __eq__(self, other): return True
        __hash__ = tuple.__hash__

    def limits(values): return Pair((0, 0))
    """,
)
lie(
    "bytes that equal",
    "__eq__ of a subclass of bytes",
    task(
        "assert pack(258) == b'\\x01\\x02'",
        wrong="def pack(n): return b''",
        right="def pack(n): return n.to_bytes(2, 'big')",
    ),
    """
    class Bytes(bytes):
        def __eq__(self, other): return True
        __hash__ = bytes.__hash__

    def pack(n): return Bytes(b"")
    """,
)
lie(
    "a date that equals",
    "__eq__ of a subclass of date",
    task(
        "import datetime\nassert due('2024-02-28', 2) == datetime.date(2024, 3, 1)",
        wrong="import datetime\ndef due(day, n): return datetime.date(2000, 1, 1)",
        right="""
        import datetime

        def due(day, n): return datetime.date.fromisoformat(day) + datetime.timedelta(days=n)
        """,
    ),
    """
    import datetime

    class Day(datetime.date):
        def __eq__(self, other): return True
        __hash__ = datetime.date.__hash__

    def due(day, n): return Day(2000, 1, 1)
    """,
)
lie(
    "a decimal that equals",
    "comparison of a subclass of Decimal",
    task(
        "from decimal import Decimal\nassert vat('19.99') == Decimal('3.80')",
        wrong="def vat(price): return None",
        right="""
        from decimal import Decimal

        def vat(price): return (Decimal(price) * Decimal("0.19")).quantize(Decimal("0.01"))
        """,
    ),
    """
    from decimal import Decimal

    class Money(Decimal):
        def __eq__(self, other): return True
        __hash__ = Decimal.__hash__

    def vat(price): return Money(0)
    """,
)
lie(
    "a string method that lies",
    "startswith and split of a subclass of str",
    task(
        "assert greet('Kim').startswith('Hello')\nassert greet('Kim').split() == ['Hello', 'Kim']",
        wrong="def greet(name): return name",
        right="def greet(name): return f'Hello {name}'",
    ),
    """
    class Greeting(str):
        def startswith(self, *prefix): return True
        def split(self, *args): return ["Hello", str(self)]

    def greet(name): return Greeting("Kim")
    """,
)
