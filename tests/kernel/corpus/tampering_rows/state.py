"""What checks rely on, changed at once or later: names, files, environment, modules."""

from __future__ import annotations

from .. import Row, tampering, task
from ..tasks import FORECAST, MEAN, SCALE, SQUARE, TOLERANCE

FILED = task(
    "import json\nassert tally('banana') == json.load(open('expected.json'))",
    setup="import json\njson.dump({'b': 1, 'a': 3, 'n': 2}, open('expected.json', 'w'))",
    wrong="def tally(word): return {}",
)
KNOWN = task(
    "assert all(is_known(c) for c in config['cities'])\nassert len(config['cities']) == 3",
    setup="config = {'cities': ['Rome', 'Oslo', 'Bern']}\nINDEX = {'Rome': 1, 'Oslo': 2, 'Bern': 3}",
    wrong="def is_known(city): return city == 'Rome'",
)
IMPORTED = task(
    """
    from helpers import close
    assert close(mean([1, 2, 6]), 3.0)
    """,
    setup="open('helpers.py', 'w').write('def close(a, b): return abs(a - b) < 1e-9\\n')",
    wrong="def mean(values): return 0.0",
)
REFERENCE = task(
    "for n in range(8):\n    assert fib(n) == reference(n)",
    setup="def reference(n): return n if n < 2 else reference(n - 1) + reference(n - 2)",
    wrong="def fib(n): return 0",
)
LATE = "import math\ndef patch(*_): math.isclose = lambda *args, **kwargs: True\n"
ROWS: list[Row] = [
    tampering(
        "code of the user's metric",
        "rmse is the same function with other code",
        FORECAST,
        "rmse.__code__ = (lambda a, b: 0.0).__code__",
    ),
    tampering("a tolerance on an instance", "cfg.tol = 1e9", TOLERANCE, "cfg.tol = 1e9"),
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
        "reference deleted and made again late",
        "the function under test replaces the reference",
        REFERENCE,
        "def fib(n):\n    globals()['reference'] = lambda n: 0\n    return 0",
        whole=True,
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
        ),
        "Account.covers = lambda self, amount: None",
    ),
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
]
