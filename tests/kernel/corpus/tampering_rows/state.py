"""What checks rely on, changed at once or later: names, files, environment, modules."""

from __future__ import annotations

from .. import Row, tampering, task
from ..tasks import MEAN

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
LATE = "import math\ndef patch(*_): math.isclose = lambda *args, **kwargs: True\n"
ROWS: list[Row] = [
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
]
