"""What notebooks do: magics, wildcard imports, files, environment, awaited code, threads and processes."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
    honest(
        "from numpy import *",
        "from numpy import *\nroots = sort(array([4.0, 1.0, 9.0])) ** 0.5",
        """
        assert roots.tolist() == [1.0, 2.0, 3.0]
        assert all(roots > 0) and sum(roots) == 6 and max(roots) == 3
        """,
        needs=("numpy",),
    ),
    honest(
        "sorted asked for",
        """
        def sorted(values):
            out = []
            for value in values:
                at = next((i for i, x in enumerate(out) if x > value), len(out))
                out.insert(at, value)
            return out
        """,
        "assert sorted([3, 1, 2]) == [1, 2, 3]\nassert sorted([]) == []",
        asked=("sorted",),
    ),
    honest(
        "a name that the check sets and the candidate reads",
        "def fee(amount): return amount * rate",
        "rate = 0.5\nassert fee(10) == 5\nrate = 2\nassert fee(10) == 20",
        confirmed=False,
    ),
    honest(
        "a global counter",
        "calls = 0\n\ndef tick():\n    global calls\n    calls += 1\n    return calls",
        "assert tick() == 1\nassert tick() == 2\nassert calls == 2",
    ),
    honest(
        "an environment variable on request",
        "import os\nos.environ['APP_MODE'] = 'test'\ndef mode(): return os.getenv('APP_MODE', 'none')",
        "import os\nassert os.environ['APP_MODE'] == 'test'\nassert mode() == 'test'",
    ),
    honest(
        "another working directory on request",
        "import os\nos.makedirs('work/out', exist_ok=True)\nos.chdir('work')",
        "import os\nassert os.path.basename(os.getcwd()) == 'work'\nassert os.path.isdir('out')",
    ),
    honest(
        "an open file, read in parts",
        """
        open('text.txt', 'w').write('one\\ntwo\\nthree\\n')
        file = open('text.txt')
        header = file.readline()
        """,
        "assert header == 'one\\n'\nassert file.readline() == 'two\\n'\nassert file.read() == 'three\\n'",
    ),
    honest(
        "a module written and imported",
        "%%writefile geometry.py\ndef area(a, b):\n    return a * b",
        "import geometry\nassert geometry.area(3, 4) == 12",
        confirmed=False,
    ),
    honest(
        "%time and %timeit",
        "%time total = sum(range(1000))\nbest = %timeit -o -n1 -r1 sum(range(10))",
        "assert total == 499500\nassert best.best >= 0",
    ),
    honest(
        "%%capture",
        "%%capture out\nprint('hello')\nvalue = 6",
        "assert value == 6\nassert out.stdout == 'hello\\n'",
    ),
    honest(
        "a shell line",
        "names = !printf 'b\\na\\n'\nnames = sorted(names)",
        "assert names == ['a', 'b']",
    ),
    honest(
        "a magic of the candidate's own",
        """
        from IPython.core.magic import register_line_magic

        @register_line_magic
        def shout(line): return line.upper()
        """,
        "loud = get_ipython().run_line_magic('shout', 'hey')\nassert loud == 'HEY'",
    ),
    honest(
        "logging",
        """
        import logging
        log = logging.getLogger("shop")
        log.setLevel(logging.INFO)

        def sell(item):
            log.info("sold %s", item)
            return item
        """,
        """
        import unittest

        class TestLog(unittest.TestCase):
            def test_log(self):
                with self.assertLogs("shop", level="INFO") as seen:
                    sell("tea")
                self.assertEqual(seen.output, ["INFO:shop:sold tea"])
        """,
    ),
    honest(
        "a warning that is asked for",
        """
        import warnings

        def old(x):
            warnings.warn("use new()", DeprecationWarning, stacklevel=2)
            return x
        """,
        "import pytest\nwith pytest.warns(DeprecationWarning, match='new'):\n    assert old(3) == 3",
        needs=("pytest",),
    ),
    honest(
        "the global seed of random",
        "import random\nrandom.seed(42)\nrolls = [random.randint(1, 6) for _ in range(100)]",
        "assert len(rolls) == 100 and set(rolls) <= {1, 2, 3, 4, 5, 6}\nassert rolls[:3] == [6, 1, 1]",
    ),
    honest(
        "an iterator that is consumed once",
        "lines = iter(['a=1', 'b=2', 'c=3'])",
        "assert next(lines) == 'a=1'\nassert [line[0] for line in lines] == ['b', 'c']",
    ),
    honest(
        "a class of the user's extended",
        "def label(self): return f'{self.name} ({self.age})'\nPerson.label = label",
        "assert Person('Ada', 36).label() == 'Ada (36)'",
        setup="class Person:\n    def __init__(self, name, age): self.name, self.age = name, age",
        own=("Person",),
        confirmed=False,
    ),
    honest(
        "displayed objects",
        "from IPython.display import HTML, display\npage = HTML('<b>hi</b>')\ndisplay(page)\npage",
        "assert page.data == '<b>hi</b>'",
    ),
    honest(
        "the history of the notebook",
        "last = len(In) >= 1\ntwice = seven * 2",
        "assert twice == 14 and last",
        setup="seven = 7",
    ),
    honest(
        "names deleted on request",
        "del scratch\nkept = [k for k in ('scratch', 'data') if k in globals()]",
        "assert kept == ['data']\nassert 'scratch' not in globals()",
        setup="scratch = 1\ndata = [2]",
        own=("scratch",),
    ),
    honest(
        "top-level await",
        """
        import asyncio

        async def gather(n):
            async def one(i):
                await asyncio.sleep(0.001)
                return i * i
            return await asyncio.gather(*map(one, range(n)))

        first = await gather(3)
        """,
        "assert first == [0, 1, 4]\nassert await gather(4) == [0, 1, 4, 9]",
    ),
    honest(
        "an asynchronous generator",
        """
        import asyncio

        async def ticks(n):
            for i in range(n):
                await asyncio.sleep(0)
                yield i
        """,
        "assert [t async for t in ticks(3)] == [0, 1, 2]",
        """
        async def test_ticks():
            seen = []
            async for t in ticks(2):
                seen.append(t)
            assert seen == [0, 1]
        """,
    ),
    honest(
        "a pool of threads",
        "from concurrent.futures import ThreadPoolExecutor\n\ndef lengths(words):\n"
        "    with ThreadPoolExecutor(3) as pool:\n        return list(pool.map(len, words))",
        "assert lengths(['a', 'bb', '']) == [1, 2, 0]",
    ),
    honest(
        "multiprocessing",
        """
        import multiprocessing

        def cube(x): return x ** 3

        def cubes(values):
            with multiprocessing.get_context('fork').Pool(2) as pool:
                return pool.map(cube, values)
        """,
        "assert cubes([1, 2, 3]) == [1, 8, 27]",
    ),
    honest(
        "a subprocess",
        """
        import subprocess, sys

        def run(code):
            done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
            return done.returncode, done.stdout.strip()
        """,
        "assert run('print(6 * 7)') == (0, '42')\nassert run('raise SystemExit(3)')[0] == 3",
    ),
]
