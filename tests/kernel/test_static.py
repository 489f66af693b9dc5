"""What is found in a candidate's source before it runs, on a real kernel: told, or the end of the attempt."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import rows
from live_kernel import LiveKernel
from test_mbpp import DATA, tasks

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True


@pytest.fixture(scope="module")
def looking(kernel: LiveKernel) -> LiveKernel:
    kernel.run("import math, unittest, os, numpy as np, pandas as pd, types")
    kernel.run("sp = types.SimpleNamespace(var=lambda names: None)")
    kernel.run("number = 5; labels = {}")
    return kernel


def findings(kernel: LiveKernel, source: str, *checks: str) -> list[dict[str, Any]]:
    cells = [{"source": check} for check in checks]
    return kernel.call("static", source=source, cells=cells)["findings"]


def errors(kernel: LiveKernel, source: str, *checks: str) -> list[tuple[int, str, str]]:
    found = findings(kernel, source, *checks)
    return [(f["line"], f["code"], f["message"]) for f in found if f["severity"] == "error"]


def undefined(kernel: LiveKernel, source: str, *checks: str) -> list[str]:
    return [message.split("'")[1] for _, code, message in errors(kernel, source, *checks) if code != "syntax"]


WRONG = {
    "a name": ("x = numer + 1", 1, "name 'numer' is not defined; did you mean 'number'?"),
    "in a function": ("def f():\n    return missing\nf()", 2, "name 'missing' is not defined"),
    "local of another function": (
        "def f():\n    q = 1\ndef g():\n    return q",
        4,
        "name 'q' is not defined",
    ),
    "of a class, in its method": (
        "class A:\n    size = 1\n    def f(self):\n        return size",
        4,
        "name 'size' is not defined",
    ),
    "of a comprehension, after it": ("[q for q in range(3)]\nprint(q)", 2, "name 'q' is not defined"),
    "a decorator": ("@cached\ndef f(): pass", 1, "name 'cached' is not defined"),
    "a default": ("def f(a=missing): pass", 1, "name 'missing' is not defined"),
    "a base": ("class A(Missing): pass", 1, "name 'Missing' is not defined"),
    "in an f-string": ("print(f'{missing:>{number}}')", 1, "name 'missing' is not defined"),
    "in a lambda": ("f = lambda a: a + missing", 1, "name 'missing' is not defined"),
    "beside a magic": ("%matplotlib inline\n!true\nprint(missing)", 3, "name 'missing' is not defined"),
    "an import that was forgotten": ("re.sub('a', 'b', 'c')", 1, "name 're' is not defined"),
    "syntax": ("x = (1 +\n", 1, "SyntaxError: '(' was never closed"),
    "return": ("x = 1\nreturn x", 2, "SyntaxError: 'return' outside function"),
    "beside a method of that name": ("stack = []\nstack.push(missing)", 2, "name 'missing' is not defined"),
    "global, beside a local of that name": (
        "def f():\n    q = 1\n    def g():\n        global q\n        return q\n    return g",
        5,
        "name 'q' is not defined",
    ),
    "beside an attribute that is set": ("math.tau = 6\nprint(missing)", 2, "name 'missing' is not defined"),
    "beside an item that is set": ("[0][0] = 6\nprint(missing)", 2, "name 'missing' is not defined"),
    "two assignments": ("def f(a, a): pass", 1, "SyntaxError: duplicate argument 'a' in function definition"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_run_is_found(looking: LiveKernel, name: str) -> None:
    source, line, message = WRONG[name]
    assert [(place, text) for place, _, text in errors(looking, source)] == [(line, message)]


HONEST = {
    "names of the kernel": "print(np.pi, number, os.sep, get_ipython(), display, _, In, Out, __name__)",
    "builtins": "print(len([]), NotImplemented, __debug__, copyright)",
    "defined below": "def f():\n    return g() + LATER\ndef g(): return 1\nLATER = 1\nf()",
    "nested": (
        "def f(a, /, b, *c, d, **e):\n    def g():\n        nonlocal a\n        a = [b, c, d, e, h]\n"
        "    h = 1\n    return g"
    ),
    "class": (
        "class A:\n    size = 1\n    twice = size * 2\n    all = [x for x in range(size)]\n"
        "    def f(self): return __class__.size"
    ),
    "global": "def f():\n    global made\n    made = 1\nf()\nprint(made)",
    "del": "x = 1\ndel x\nx = 2\nprint(x)",
    "conditional": "if number > 3:\n    y = 1\nelse:\n    z = 2\nprint(y)",
    "loop": "for i, (j, *k) in []: pass\nprint(i, j, k)",
    "with, except, match": (
        "with open('x') as f, open('y') as (g, h): print(f, g, h)\n"
        "try: pass\nexcept ValueError as e: print(e)\n"
        "match number:\n    case [a, *b]: print(a, b)\n    case {'k': c, **d}: print(c, d)\n"
        "    case int() as e: print(e)"
    ),
    "walrus": "if any((found := n) > 1 for n in [1, 2]): print(found)\nprint([y := 1, y])",
    "comprehensions": "r = {a: b for a in [3] for b in range(a) if b}\ns = [[c for c in d] for d in [[1]]]",
    "star import": "from math import *\nprint(sqrt(2))",
    "imports": "import os.path, xml.dom.minidom as m\nfrom math import pi as p\nprint(os, m, p)",
    "try NameError": "try:\n    unicode\nexcept NameError:\n    unicode = str",
    "other Pythons": "import sys\nif sys.version_info < (3,):\n    text = unicode\nelse:\n    text = str",
    "only for types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    print(missing)",
    "names in strings": "x: 'Missing' = 1\ndef f(a: 'Missing') -> 'Missing': return a",
    "annotations from the future": "from __future__ import annotations\ndef f(a: Missing) -> Missing: pass",
    "annotation of a local": "def f():\n    x: Missing = 1\n    return x",
    "exec": "exec('made = 1')\nprint(made)",
    "globals": "globals()['made'] = 1\nprint(made)",
    "builtins by hand": "import builtins\nbuiltins.made = 1\nprint(made)",
    "magic that may define": "%time made = 1\nprint(made)",
    "result of the shell": "files = !ls\nprint(files)",
    "cell magic": "%%time\nmade = 1\nprint(made)",
    "other language": "%%bash\nfor f in *; do echo $f; done",
    "top-level await": "import asyncio as o\nawait o.sleep(0)\nasync def b(): yield 1\nasync for a in b(): 1",
    "help": "len?",
    "empty": "",
    "decorated": "import functools\n@functools.cache\ndef f(n): return n\nprint(f(1))",
    "suppressed": "import contextlib\nwith contextlib.suppress(NameError):\n    print(missing)",
    "exit code of a command": "!true\nprint(_exit_code)",
    "symbols of sympy": "sp.var('u v')\nprint(u + v)",
    "the notebook as a module": "import __main__\n__main__.made = 1\nprint(made)",
    "the notebook, by setattr": "import __main__\nsetattr(__main__, 'made', 1)\nprint(made)",
    "the notebook, by vars": "import __main__\nvars(__main__)['made'] = 1\nprint(made)",
    "names from a frame": "import sys\nsys._getframe().f_globals['made'] = 1\nprint(made)",
    "pushed into the shell": "get_ipython().push({'made': 1})\nprint(made)",
    "run by the shell": "get_ipython().ex('made = 1')\nprint(made)",
    "message of an assert": "assert number, missing",
    "a sum too long to look into": f"z = {'number + ' * 600}1",
    "in a branch": "def f(a):\n    if a > 3:\n        swap(a)\n    return a",
}


@pytest.mark.parametrize("name", HONEST)
def test_what_can_run_is_left_alone(looking: LiveKernel, name: str) -> None:
    assert errors(looking, HONEST[name]) == []


def test_a_branch_is_a_warning(looking: LiveKernel) -> None:
    found = findings(looking, HONEST["in a branch"])
    assert [(f["line"], f["severity"], f["message"]) for f in found] == [
        (3, "warning", "name 'swap' is not defined")
    ]


def test_type_parameters(looking: LiveKernel) -> None:
    source = (
        "def f[T: Missing](a: T) -> T: return a\n"
        "class A[K]:\n    x: K\n    type L = list[K]\n    print(L)\n"
        "type B[V] = list[V]\nprint(B)"
    )
    if looking.evaluate("__import__('sys').version_info >= (3, 12)")["text/plain"] == "True":
        assert errors(looking, source) == []


def test_names_of_checks_are_defined(looking: LiveKernel) -> None:
    source = "def f(): return helper()"
    assert undefined(looking, source) == ["helper"]
    assert undefined(looking, source, "def helper(): return 1\nassert f() == 1") == []


def test_no_honest_candidate_has_an_error(looking: LiveKernel) -> None:
    honest = [row for row in rows("honest") if not row.setup and not row.needs]
    told = {row.name: errors(looking, row.candidate, *row.checks) for row in honest}
    assert len(told) >= 60
    assert {name: found for name, found in told.items() if found} == {}


@pytest.mark.skipif(not DATA.is_file(), reason=f"no MBPP at {DATA}")
def test_references_of_mbpp(looking: LiveKernel) -> None:
    told = {}
    for task in tasks():
        found = errors(looking, task["code"], task["test_setup_code"], *task["test_list"])
        if found:
            told[task["task_id"]] = found
        looking.iopub()
    assert told == {}


def test_told_and_run(looking: LiveKernel) -> None:
    execution = looking.attempt("z = 1\nif z > 1:\n    missing", "assert z == 1", static="tell")
    assert execution["assertions"][0]["outcome"] == "passed"
    assert [f["code"] for f in execution["findings"]] == ["undefined-name"]
    execution = looking.attempt("z = missing", "assert z == 1", static="tell")
    assert (execution["error"]["name"], len(execution["findings"])) == ("NameError", 1)


def test_warnings_of_the_compiler_are_shown_once_it_runs(looking: LiveKernel) -> None:
    candidate = "z = '\\d'\n!true"
    look = "import warnings; warnings.simplefilter('always')"
    looking.run(look)
    told = looking.attempt(candidate, "assert z == r'\\d'", static="tell")
    plain = looking.attempt(candidate, "assert z == r'\\d'")
    looking.run("warnings.resetwarnings()")
    assert (
        told["stderr"].count("invalid escape sequence")
        == plain["stderr"].count("invalid escape sequence")
        > 0
    )


def test_nobody_looks_unless_asked(looking: LiveKernel) -> None:
    assert "findings" not in looking.attempt("z = missing", "assert z == 1")
    assert looking.attempt("z = 1", "assert z == 1", static="tell")["findings"] == []


@pytest.mark.parametrize(
    "candidate", ["print('it ran')\nz = missing", "print('it ran')\nz = (1 +"], ids=["name", "syntax"]
)
def test_gate(looking: LiveKernel, candidate: str) -> None:
    execution = looking.attempt(candidate, "assert z == 1", holdouts=("assert z",), static="gate")
    assert (execution["status"], execution["error"]["name"]) == ("error", "StaticError")
    assert (execution["error"]["candidateLine"], execution["findings"][0]["severity"]) == (2, "error")
    assert execution["findings"][0]["message"] in execution["error"]["message"]
    assert execution["stdout"] == ""
    assert [result["outcome"] for result in execution["assertions"]] == ["not-run"] * 2


def test_gate_lets_through_what_can_run(looking: LiveKernel) -> None:
    execution = looking.attempt("z = 1\nif z > 1:\n    missing", "assert z == 1", static="gate")
    assert execution["assertions"][0]["outcome"] == "passed"


def test_gate_knows_names_of_checks(looking: LiveKernel) -> None:
    check = "def helper(): return 1\nassert z() == 1"
    execution = looking.attempt("def z(): return helper()", check, static="gate")
    assert execution["findings"] == []
    assert [result["outcome"] for result in execution["assertions"]] == ["passed"]


def has_linter(kernel: LiveKernel) -> bool:
    found = "any(__import__('importlib.util').util.find_spec(n) is not None for n in ('ruff', 'pyflakes'))"
    return kernel.evaluate(found)["text/plain"] == "True"


def test_a_linter_of_the_kernels_own(looking: LiveKernel) -> None:
    """Unused names are warnings; what our own look knows better is not told twice."""
    source = "import json, re\ndef f():\n    unused = missing\n    return 1"
    found = findings(looking, source, "re.compile('')")
    wanted = [(3, "error", "undefined-name")]
    if has_linter(looking):
        wanted = [(1, "warning", "json"), (3, "warning", "unused"), *wanted]
    told = [(f["line"], f["severity"], f["message"].split("`")[1::2] or [f["code"]]) for f in found]
    assert [(line, severity, words[0]) for line, severity, words in told] == wanted


def test_the_users_configuration_is_ignored(looking: LiveKernel) -> None:
    wanted = int(has_linter(looking))
    (looking.folder / "ruff.toml").write_text("[lint]\nignore = ['F']\n")
    (looking.folder / "pyflakes.py").write_text("print('<stdin>:1:1: planted')\n")
    found = [f["message"] for f in findings(looking, "def f():\n    unused = 1")]
    assert len(found) == wanted
    assert "planted" not in str(found)
    execution = looking.attempt("def f():\n    unused = 1", static="tell")
    assert len(execution["findings"]) == wanted
