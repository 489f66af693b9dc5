"""What the judge confirms and what it does not, with the reason, on a real kernel."""

from __future__ import annotations

from typing import Any

import pytest
from live_kernel import LiveKernel, reasons, verdict

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True


@pytest.fixture(scope="module")
def desk(kernel: LiveKernel) -> LiveKernel:
    """A notebook with a reference, a metric, a configuration and files of the user's."""
    kernel.run(
        "import os, math, json, types, numpy as np, pandas as pd\nos.environ['TOL'] = '0.01'\n"
        "def reference(n): return n * n\n"
        "def rmse(a, b): return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)))\n"
        "class Config:\n    def __init__(self): self.tol = 0.01\ncfg = Config()\n"
        "table = {'a': 1}\nitems = [1, 2]\nframe = pd.DataFrame({'a': [1, 2, 3]})\n"
        "open('expected.txt', 'w').write('25')\nos.makedirs('other', exist_ok=True)\n"
        "open('mine.py', 'w').write('LIMIT = 5\\n')"
    )
    return kernel


#: Name: (candidate, check): what is honest, and confirmed.
CONFIRMED: dict[str, tuple[str, str]] = {
    "a function": ("def sq(x): return x * x", "assert sq(5) == reference(5)"),
    "a function that reads a name of the notebook": (
        "def over(x): return [v for v in x if v > cfg.tol]",
        "assert over([0, 1]) == [1]",
    ),
    "a value that comes of the notebook's": ("total = frame['a'].sum()", "assert total == 6"),
    "a new column in a copy": ("g = frame.assign(b=frame.a * 2)", "assert g.b.tolist() == [2, 4, 6]"),
    "a variable of the environment that is new": (
        "os.environ['NEW'] = '1'",
        "assert os.environ['NEW'] == '1'",
    ),
    "numbers that are drawn": ("import random\nrandom.seed(3)\nz = random.random()", "assert 0 <= z < 1"),
    "a patch of a name": (
        "def fetch(): return 1\ndef f(): return fetch() + 1",
        "from unittest import mock\nwith mock.patch('__main__.fetch', lambda: 5):\n    assert f() == 6",
    ),
    "a name that the check sets": ("z = 3", "w = z + 1\nassert w == 4"),
    "a large array": ("big = np.arange(2_000_000.0)", "assert big.sum() == 1999999000000.0 and big[5] == 5"),
    "a magic": ("def f(): return 5", "%time z = 5\nassert z == f()"),
}


@pytest.mark.parametrize("name", CONFIRMED)
def test_honest_work_is_confirmed(desk: LiveKernel, name: str) -> None:
    execution = desk.attempt(*CONFIRMED[name])
    assert verdict(execution) == "confirmed", (
        reasons(execution),
        execution.get("error"),
        execution["assertions"],
    )


#: Name: (candidate, check, words of the reason)
CHANGED: dict[str, tuple[str, str, str]] = {
    "a reference is replaced": ("def reference(n): return 0\n"
    "def sq(n): return 0", "assert sq(5) == reference(5)", "reference"),
    "code of a metric": (
        "rmse.__code__ = (lambda a, b: 0.0).__code__\npredicted = [9]",
        "assert rmse(predicted, [1]) < 1",
        "rmse",
    ),
    "defaults of a metric": ("cfg.tol = 1e9\nz = 5", "assert abs(z - 1) < cfg.tol", "cfg"),
    "a class": ("Config.tol = property(lambda s: 1e9, lambda s, v: 0)\n"
    "z = 5", "assert z < Config().tol", "Config"),
    "a table, in place": ("table['a'] = 9\nz = 9", "assert z == table['a']", "`table`"),
    "a list, in place": ("items.clear()", "assert len(items) == 0", "`items`"),
    "a frame, in place": ("frame.loc[0, 'a'] = 99", "assert frame.a[0] == 99", "`frame`"),
    "a name is deleted and the check "
    "copes": ("del items", "assert 'items' not in globals() or items", "`items`"),
    "the environment": ("os.environ['TOL'] = '1e9'\nz = 5", "assert z < float(os.environ['TOL'])", "TOL"),
    "the working folder": (
        "open('other/expected.txt', 'w').write('7')\nos.chdir('other')\nz = 7",
        "assert open('expected.txt').read() == str(z)",
        "",
    ),
    "an expected file": (
        "open('expected.txt', 'w').write('7')\nz = 7",
        "assert open('expected.txt').read() == str(z)",
        "`expected.txt`, a file that existed before, was changed",
    ),
    "an expected file, when it is asked": (
        "def f():\n    open('expected.txt', 'w').write('7')\n    return 7",
        "assert f() == int(open('expected.txt').read())",
        "`expected.txt`",
    ),
    "a module of the user's": (
        "open('mine.py', 'w').write('LIMIT = 900\\n')\nz = 800",
        "import mine\nassert z < mine.LIMIT",
        "",
    ),
    "a module of a library, in the folder": (
        "open('colorsys.py', 'w').write('rgb_to_hsv = lambda *a: 0')\nimport importlib, sys\n"
        "importlib.invalidate_caches()\nsys.path.insert(0, os.getcwd())\n"
        "sys.modules.pop('colorsys', None)\nz = 0",
        "import colorsys\nassert colorsys.rgb_to_hsv(1, 0, 0) == z",
        "",
    ),
    "a failing check is never overruled": ("math.isclose = lambda *a: True\n"
    "z = 3", "assert math.isclose(z, 9)", "in the separate process"),
    "it calls the check's own names": (
        "import sys\ndef sq(n): return sys._getframe(1).f_globals.get('wanted')",
        "wanted = 25\nassert sq(5) == wanted",
        "",
    ),
    "it counts its calls": (
        "calls = []\ndef f():\n    calls.append(1)\n    return 5 if os.getppid() and len(calls) < 2 else 6",
        "assert f() == 5 and f() == 5",
        "failed",
    ),
    "nothing is left to call": ("def f():\n    import os\n    os._exit(0) if os.path.exists('x') else 0\n"
    "    return 5\nopen('x', 'w')",
                                "assert f() == 5", "failed"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_what_was_changed_is_not_confirmed(desk: LiveKernel, name: str) -> None:
    candidate, check, words = CHANGED[name]
    execution = desk.attempt(candidate, check)
    if words == "failed":
        assert verdict(execution) != "confirmed"
        return
    assert verdict(execution) == "unconfirmed", execution
    assert words in reasons(execution)[0]
    # The user's own are as they were.
    assert desk.run("print(reference(5), cfg.tol, table, items, os.environ['TOL'])")["text"].startswith(
        "25 0.01 {'a': 1}"
    )


def test_names_that_the_target_defines_may_change(desk: LiveKernel) -> None:
    candidate = "def reference(n): return n * n + 0\ntable = {'a': 2}\nos.environ['TOL'] = '1'"
    check = "assert reference(5) == 25 and table['a'] == 2 and os.environ['TOL'] == '1'"
    assert verdict(desk.attempt(candidate, check)) == "unconfirmed"
    execution = desk.attempt(candidate, check, ownNames=["reference", "table", "TOL"])
    assert verdict(execution) == "confirmed", reasons(execution)


def test_a_change_that_no_check_reads_is_ignored(desk: LiveKernel) -> None:
    execution = desk.attempt("cfg.tol = 5\nitems.append(3)\nz = 1", "assert z == 1", "assert items")
    assert [result["confirmed"] for result in execution["assertions"]] == [True, False]


def test_checks_see_what_earlier_checks_have_made(desk: LiveKernel) -> None:
    execution = desk.attempt(
        "z = [1]", "z.append(2)\nassert z == [1, 2]", "assert z == [1, 2]\ny = 5", "assert y == 5"
    )
    assert verdict(execution) == "confirmed", reasons(execution)


def test_a_reason_names_one_check_and_spares_the_others(desk: LiveKernel) -> None:
    candidate = "class A:\n    def __eq__(s, o): return True\ndef f(x): return A() if x == 2 else x"
    execution = desk.attempt(candidate, "assert f(1) == 1\nassert f(2) == 2\nassert f(3) == 3")
    assert [result["confirmed"] for result in execution["assertions"]] == [True, False, True]
    assert "`A.__eq__`" in execution["assertions"][1]["unconfirmed"]


FIGURES = {
    "the current figure": (
        "plt.figure()\nplt.plot([1, 2], [3, 4])\nplt.title('mine')",
        "assert plt.gca().get_title() == 'mine'",
    ),
    "numbers of figures": ("plt.close('all')\nplt.figure()", "assert len(plt.get_fignums()) == 1"),
    "axes that it returns": (
        "fig, ax = plt.subplots()\nax.plot([1, 2, 3])",
        "assert len(ax.lines) == 1 and len(fig.axes) == 1",
    ),
    "data of a line": (
        "_, ax = plt.subplots()\nax.plot([1, 2], [3, 4])",
        "assert ax.lines[0].get_ydata().tolist() == [3, 4]",
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_confirmed(desk: LiveKernel, name: str) -> None:
    desk.run("import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt")
    candidate, check = FIGURES[name]
    execution = desk.attempt(candidate, check)
    assert verdict(execution) == "confirmed", (reasons(execution), execution.get("error"))
    assert verdict(desk.attempt("z = 1", check)) != "confirmed"


def test_a_pass_says_for_each_check_whether_it_is_confirmed(desk: LiveKernel) -> None:
    execution = desk.attempt("z = 1", "assert z == 1", "assert z < 2")
    assert [result["confirmed"] for result in execution["assertions"]] == [True, True]
    assert all("unconfirmed" not in result for result in execution["assertions"])
    assert execution["confirmMs"] > 0
    failing: dict[str, Any] = desk.attempt("z = 1", "assert z == 1", "assert z == 2")
    assert all("confirmed" not in result for result in failing["assertions"]) and "confirmMs" not in failing
