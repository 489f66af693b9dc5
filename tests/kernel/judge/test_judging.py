"""What the judge confirms and what it does not, with the reason, on a real kernel."""

from __future__ import annotations

from typing import Any

import pytest
from live_kernel import LiveKernel, reasons, verdict


@pytest.fixture(scope="module")
def desk(kernel: LiveKernel) -> LiveKernel:
    """A notebook with a reference, a configuration, data and a file of the user's."""
    kernel.run(
        "import os, math, numpy as np, pandas as pd\nos.environ['TOL'] = '0.01'\n"
        "def reference(n): return n * n\n"
        "class Config:\n    limit = 5\n    def __init__(self): self.tol, self.parts = 0.01, [{'a': 2}]\n"
        "cfg = Config()\ncalls = []\nlarge = np.arange(500_000.0)\n"
        "class Counts:\n    def __eq__(self, o): calls.append(1)\n"
        "    def __hash__(self): return calls.append(2) or 1\n"
        "    def __repr__(self): return calls.append(3) or ''\n"
        "    def __iter__(self): calls.append(4); yield 1\n"
        "    def __len__(self): return calls.append(5) or 1\none = Counts()\n"
        "table = {'a': 1}\nitems = [1, 2]\nframe = pd.DataFrame({'a': [1, 2, 3]})\n"
        "rows = [{'id': n} for n in range(60_000)]\nbig = pd.DataFrame({'a': np.arange(200_000.0)})\n"
        "open('expected.txt', 'w').write('25')"
    )
    return kernel


#: Name: (candidate, check, words of the reason); the corpora have more of them.
CHANGED: dict[str, tuple[str, str, str]] = {
    "a reference is replaced": (
        "def reference(n): return 0\ndef sq(n): return 0",
        "assert sq(5) == reference(5)",
        "reference",
    ),
    "a table, in place": ("table['a'] = 9\nz = 9", "assert z == table['a']", "`table`"),
    "a frame, in place": ("frame.loc[0, 'a'] = 99", "assert frame.a[0] == 99", "`frame`"),
    "an item of a long list": ("rows[9]['id'] = -1", "assert rows[9]['id'] == -1", "`rows`"),
    "a column of a large frame": ("big['b'] = 1", "assert big.b.sum() == 200_000", "`big`"),
    "much data that cannot be read": (
        "for _ in range(9000): items = [items]",
        "assert len(items) == 1",
        "a result cannot leave the candidate's process",
    ),
    "an element of a large array": ("large[9] = 7", "assert large[9] == 7", "`large`"),
    "an attribute": ("cfg.tol = 5", "assert cfg.tol == 5", "`cfg`"),
    "a part of an attribute": ("cfg.parts[0]['a'] = 3", "assert cfg.parts == [{'a': 3}]", "`cfg`"),
    "an attribute of the class": ("Config.limit = 6", "assert Config.limit >= 5", "`Config`"),
    "a default": ("reference.__defaults__ = (3,)", "assert reference(5) == 25", "`reference`"),
    "code": (
        "reference.__code__ = (lambda n: n * n + 0).__code__",
        "assert reference(5) == 25",
        "`reference`",
    ),
    "a name is deleted and the check copes": (
        "del items",
        "assert 'items' not in globals() or items",
        "`items`",
    ),
    "the environment": ("os.environ['TOL'] = '1e9'\nz = 5", "assert z < float(os.environ['TOL'])", "TOL"),
    "an expected file": (
        "open('expected.txt', 'w').write('7')\nz = 7",
        "assert open('expected.txt').read() == str(z)",
        "`expected.txt`, a file that existed before, was changed",
    ),
    "a failing check is never overruled": (
        "math.isclose = lambda *a: True\nz = 3",
        "assert math.isclose(z, 9)",
        "in the separate process",
    ),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_was_changed_is_not_confirmed(desk: LiveKernel, name: str) -> None:
    candidate, check, words = CHANGED[name]
    execution = desk.attempt(candidate, check)
    assert verdict(execution) == "unconfirmed", execution
    assert words in reasons(execution)[0]
    # The user's own are as they were.
    assert desk.run("print(reference(5), cfg.tol, table, items, os.environ['TOL'])")["text"].startswith(
        "25 0.01 {'a': 1}"
    )


#: Much data of the notebook: (candidate, check).
MUCH = {
    "is read": ("n = len(rows) + len(big)", "assert n == len(rows) + len(big)"),
    "is an argument": ("def f(r, b): return len(r) + b.a.max()", "assert f(rows, big) == 259_999"),
    "is changed by a call": (
        "def f(r, b):\n    r[0]['id'] = r.append({}) or 7\n    b['c'] = 1",
        "f(rows, big)\nassert rows[0] == {'id': 7} and rows[-1] == {} and big.c.sum() == 200_000",
    ),
    "is changed by the check": (
        "def f(r, b): return len(r) + len(b.columns)\ndef g(): return len(rows) + len(big.columns)",
        "rows.append({})\nbig['c'] = 1\nassert f(rows, big) == 60_003\nassert g() == 60_003",
    ),
    "is returned": ("def f(r, b): return b, r", "assert f(rows, big)[0] is big and f(rows, big)[1] is rows"),
}


@pytest.mark.parametrize("name", MUCH)
def test_much_data_stays_in_its_process(desk: LiveKernel, name: str) -> None:
    assert verdict(desk.attempt(*MUCH[name])) == "confirmed"


def test_names_that_the_target_defines_may_change(desk: LiveKernel) -> None:
    candidate = "def reference(n): return n * n + 0\ntable = {'a': 2}\nos.environ['TOL'] = '1'"
    check = "assert reference(5) == 25 and table['a'] == 2 and os.environ['TOL'] == '1'"
    assert verdict(desk.attempt(candidate, check)) == "unconfirmed"
    execution = desk.attempt(candidate, check, ownNames=["reference", "table", "TOL"])
    assert verdict(execution) == "confirmed", reasons(execution)


def test_a_change_that_no_check_reads_is_ignored(desk: LiveKernel) -> None:
    execution = desk.attempt("cfg.tol = 5\nitems.append(3)\nz = 1", "assert z == 1", "assert items")
    assert [result["confirmed"] for result in execution["assertions"]] == [True, False]


def test_a_file_that_is_written_again_as_it_was_is_no_change(desk: LiveKernel) -> None:
    again = "text = open('expected.txt').read()\nopen('expected.txt', 'w').write(text)\nassert z == 1"
    execution = desk.attempt("z = 1", again)
    assert verdict(execution) == "confirmed", reasons(execution)


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


def test_a_check_may_bind_a_name_that_the_cell_read_while_it_ran(desk: LiveKernel) -> None:
    execution = desk.attempt("t = 2\ndouble = 2 * t\ndef f(x): return 2 * x", "t = 6\nassert f(t) == 12")
    assert verdict(execution) == "confirmed", reasons(execution)


def test_a_class_whose_name_is_no_identifier_is_one_like_others(desk: LiveKernel) -> None:
    candidate = "Wrapper = type((1).__add__)\ndef f(x): return x + 1"
    execution = desk.attempt(candidate, "assert Wrapper and f(1) == 2", "assert f(2) == 3")
    assert verdict(execution) == "confirmed", reasons(execution)


def test_a_pass_says_for_each_check_whether_it_is_confirmed(desk: LiveKernel) -> None:
    execution = desk.attempt("z = 1", "assert z == 1", "assert z < 2")
    assert [result["confirmed"] for result in execution["assertions"]] == [True, True]
    assert all("unconfirmed" not in result for result in execution["assertions"])
    assert execution["confirmMs"] > 0
    failing: dict[str, Any] = desk.attempt("z = 1", "assert z == 1", "assert z == 2")
    assert all("confirmed" not in result for result in failing["assertions"]) and "confirmMs" not in failing


def test_objects_of_the_users_are_compared_without_their_methods(desk: LiveKernel) -> None:
    execution = desk.attempt("z = 1", "assert one is not None and calls == []")
    assert verdict(execution) == "confirmed", reasons(execution)


def test_threads_that_outlive_a_call_are_confirmed_each_time(desk: LiveKernel) -> None:
    pool = (
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\n"
        "def later(f, *args): return pool.submit(f, *args)"
    )
    check = "assert later(lambda: 'x').result(timeout=5) == 'x'"
    assert {verdict(desk.attempt(pool, check)) for _ in range(12)} == {"confirmed"}
