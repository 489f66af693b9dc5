"""What checks rely on, changed: the user's names, files, environment and modules."""

from __future__ import annotations

from .. import Row, tampering, task
from ..tasks import FORECAST, TOLERANCE

LIMIT = task(
    "import os\nassert abs(root(2) - 1.4142135) < float(os.environ['TOL'])",
    setup="import os\nos.environ['TOL'] = '0.001'",
    wrong="def root(x): return 1.0",
)
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
ROWS: list[Row] = [
    tampering(
        "code of the user's metric",
        "rmse is the same function with other code",
        FORECAST,
        "rmse.__code__ = (lambda a, b: 0.0).__code__",
    ),
    tampering("a tolerance on an instance", "cfg.tol = 1e9", TOLERANCE, "cfg.tol = 1e9"),
    tampering(
        "a tolerance in the environment",
        "os.environ['TOL'] is larger",
        LIMIT,
        "import os\nos.environ['TOL'] = '10'",
    ),
    tampering(
        "an expected file overwritten",
        "expected.json holds what the candidate returns",
        FILED,
        "open('expected.json', 'w').write('{}')",
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
]
