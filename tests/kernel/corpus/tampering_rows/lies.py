"""Results whose own class decides what a check sees: operators, lengths, truth, metaclasses."""

from __future__ import annotations

from .. import Row, tampering, task
from ..tasks import PRIMES, SPEED, SQUARE, TOLERANCE

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
    task("assert not (total != 12)", wrong="total = 5"),
    """
    class Total:
        def __ne__(self, other): return False

    total = Total()
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
    "a reflected comparison",
    "the expected value's == defers to a subclass on the right",
    task("assert 'done' == status()\nassert status() in ('done', 'ok')", wrong="def status(): return 'no'"),
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
    "between everything",
    "__lt__ and __gt__ are both true",
    task(
        "assert 5.9 < estimate() < 6.1",
        wrong="def estimate(): return 100.0",
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
    "a metaclass that has every instance",
    "__instancecheck__ of a class of the candidate's",
    task(
        "assert isinstance(parse('1,2'), Point)\nassert parse('1,2').x == 1",
        wrong="class Point: pass\ndef parse(text): return text",
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
