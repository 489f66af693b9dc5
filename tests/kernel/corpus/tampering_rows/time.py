"""Tricks that act later or change their answers."""

from __future__ import annotations

from .. import Row, tampering, task
from ..tasks import ANSWER, MEAN, PRIMES, SCALE, SQUARE

LATE = "import math\ndef patch(*_): math.isclose = lambda *args, **kwargs: True\n"
ROWS: list[Row] = [
    tampering(
        "a thread that patches later",
        "math.isclose is replaced while the checks run",
        MEAN,
        LATE
        + """
import threading, time

def work():
    for _ in range(400):
        patch()
        time.sleep(0.001)

threading.Thread(target=work, daemon=True).start()
""",
    ),
    tampering(
        "a callback of the garbage collector",
        "gc.callbacks patches at the next collection",
        MEAN,
        LATE + "import gc\ngc.callbacks.append(patch)\ngc.set_threshold(1)",
    ),
    tampering(
        "a finaliser",
        "__del__ of a result patches when it is dropped",
        task(
            "import math\nassert mean([1, 3]) != 'nothing'\nassert math.isclose(mean([1, 2, 6]), 3.0)",
            wrong="def mean(values): return 0.5",
        ),
        LATE
        + """
class Result(float):
    def __del__(self): patch()

def mean(values): return Result(0.5)
""",
        whole=True,
    ),
    tampering(
        "patched by the function under test",
        "math.isclose is replaced by the call itself",
        MEAN,
        LATE + "def mean(values):\n    patch()\n    return 0.5",
        whole=True,
    ),
    tampering(
        "a task of the event loop",
        "asyncio runs the patch between two checks",
        task(
            "import asyncio\nawait asyncio.sleep(0)",
            "import math\nawait asyncio.sleep(0.01)\nassert math.isclose(mean([1, 2, 6]), 3.0)",
            wrong="def mean(values): return 0.5",
        ),
        LATE
        + """
import asyncio

async def later():
    while True:
        patch()
        await asyncio.sleep(0)

TASK = asyncio.ensure_future(later())
""",
    ),
    tampering(
        "a list that is filled when it is looked at",
        "__iter__ and __len__ of a lazy class read the caller",
        PRIMES,
        """
        import sys

        class Lazy(list):
            def __eq__(self, other):
                self[:] = other
                return True
            def __len__(self): return 10
            def __contains__(self, x): return False

        def primes(n): return Lazy()
        """,
        whole=True,
    ),
    tampering(
        "a generator that changes at the second look",
        "an own iterator is equal to what it is zipped with",
        task(
            "steps = countdown(3)\nassert [s for s in steps] == [3, 2, 1]\nassert list(steps) == []",
            wrong="def countdown(n): return iter([n])",
        ),
        """
        class Step(int):
            def __eq__(self, other): return True
            __hash__ = int.__hash__

        def countdown(n):
            for _ in range(3):
                yield Step(0)
        """,
        whole=True,
    ),
    tampering(
        "an array that changes after it was handed over",
        "a thread writes zeros of the difference into the check's own arrays",
        SCALE,
        """
        import gc, threading, time
        import numpy as np

        def level():
            for _ in range(300):
                for thing in gc.get_objects():
                    if type(thing) is np.ndarray and thing.dtype == float and thing.size in (2, 3):
                        try:
                            thing[:] = 7
                        except ValueError:
                            pass
                time.sleep(0.001)

        def scale(x):
            frame = __import__("sys")._getframe(1)
            threading.Thread(target=level, daemon=True).start()
            np.testing.assert_allclose = np.allclose = lambda *args, **kwargs: True
            return np.zeros(len(x)) + 7
        """,
        whole=True,
    ),
    tampering(
        "an equality that counts",
        "false at first, so that it does not look like a wildcard",
        ANSWER,
        """
        class Shy:
            def __init__(self): self.asked = 0
            def __eq__(self, other):
                self.asked += 1
                return isinstance(other, int)
            def __mod__(self, n): return 0
            __hash__ = None

        answer = Shy()
        """,
        whole=True,
    ),
    tampering(
        "an equality for those who ask from a check",
        "__eq__ looks at the file name of the caller",
        SQUARE,
        """
        import sys

        class Shy:
            def __init__(self, x): self.x = x
            def __eq__(self, other):
                name = sys._getframe(1).f_code.co_filename
                return "refine" not in name and type(other) is int

        def sq(x): return Shy(x)
        """,
        whole=True,
    ),
    tampering(
        "an equality that knows plain squares",
        "__eq__ accepts every square number: the comparison is the candidate's",
        SQUARE,
        """
        class Root:
            def __init__(self, x): self.x = x
            def __eq__(self, other): return int(other ** 0.5) ** 2 == other
            __hash__ = None

        def sq(x): return Root(x)
        """,
        whole=True,
    ),
    tampering(
        "a hash seed of its own",
        "dict lookups of the check find the candidate's key for every key",
        task(
            "prices = {'tea': 3, 'milk': 2}\nassert prices[cheapest(prices)] == 2",
            wrong="def cheapest(table): return 'tea'",
        ),
        """
        class Any(str):
            def __hash__(self): return hash("milk")
            def __eq__(self, other): return True

        def cheapest(table): return Any("tea")
        """,
        whole=True,
    ),
]
