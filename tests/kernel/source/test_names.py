"""Names that a source reads and binds, in the Python that runs the tests."""

from __future__ import annotations

import ast
import builtins
import sys
from typing import Any

import pytest

from jupyterlab_refine.kernel.source import names

KERNEL = ("np", "os", "math", "sp", "number", "labels", "_", "In", "Out", "__name__", *vars(builtins))


def undefined(source: str) -> list[tuple[int, str]]:
    text, tree = names.parse(source, names.with_tree)
    return [(node.lineno, node.id) for node in names.undefined(tree, text, KERNEL)]


UNDEFINED: dict[str, tuple[str, int, str]] = {
    "a name": ("x = numer + 1", 1, "numer"),
    "in a function": ("def f():\n    return missing\nf()", 2, "missing"),
    "local of another function": ("def f():\n    q = 1\ndef g():\n    return q", 4, "q"),
    "of a class, in its method": ("class A:\n    size = 1\n    def f(self):\n        return size", 4, "size"),
    "of a comprehension, after it": ("[q for q in range(3)]\nprint(q)", 1, "q"),
    "a decorator": ("@cached\ndef f(): pass", 1, "cached"),
    "a default": ("def f(a=missing): pass", 1, "missing"),
    "a base": ("class A(Missing): pass", 1, "Missing"),
    "in an f-string": ("print(f'{missing:>{number}}')", 1, "missing"),
    "of another Python": ("import sys\nif sys.version_info < (3,):\n    text = unicode", 3, "unicode"),
    "first in a branch": ("if number:\n    swap()\nswap()", 2, "swap"),
    "an import that was forgotten": ("re.sub('a', 'b', 'c')", 1, "re"),
    "beside a method of that name": ("stack = []\nstack.push(missing)", 2, "missing"),
    "global, beside a local of that name": (
        "def f():\n    q = 1\n    def g():\n        global q\n        return q\n    return g",
        5,
        "q",
    ),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_a_name_that_nothing_binds_is_found(name: str) -> None:
    source, line, found = UNDEFINED[name]
    assert undefined(source) == [(line, found)]


DEFINED = {
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
    "names in strings": "x: 'Missing' = 1\ndef f(a: 'Missing') -> 'Missing': return a",
    "annotations from the future": "from __future__ import annotations\ndef f(a: Missing) -> Missing: pass",
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
    "exit code of a command": "!true\nprint(_exit_code)",
    "symbols of sympy": "sp.var('u v')\nprint(u + v)",
    "the notebook as a module": "import __main__\n__main__.made = 1\nprint(made)",
    "the notebook, by setattr": "import __main__\nsetattr(__main__, 'made', 1)\nprint(made)",
    "the notebook, by vars": "import __main__\nvars(__main__)['made'] = 1\nprint(made)",
    "names from a frame": "import sys\nsys._getframe().f_globals['made'] = 1\nprint(made)",
    "pushed into the shell": "get_ipython().push({'made': 1})\nprint(made)",
    "run by the shell": "get_ipython().ex('made = 1')\nprint(made)",
    "a sum too long to look into": f"z = {'number + ' * 600}1",
}


@pytest.mark.parametrize("name", DEFINED)
def test_a_source_whose_names_may_be_bound_is_left_alone(name: str) -> None:
    assert undefined(DEFINED[name]) == []


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are of Python 3.12")
def test_type_parameters_are_bound() -> None:
    source = (
        "def f[T: Missing](a: T) -> T: return a\n"
        "class A[K]:\n    x: K\n    type L = list[K]\n    print(L)\n"
        "type B[V] = list[V]\nprint(B)"
    )
    assert undefined(source) == []


def test_names_that_a_source_binds() -> None:
    source = (
        "import a.b, c as d\nfor e, [f] in a: g: int = 1\n"
        "def h():\n    global i\n    i = j = 1\nclass k: l = 1"
    )
    assert names.bound(ast.parse(source)) == {"a", "d", "e", "f", "g", "h", "i", "k"}
    assert names.bound(ast.parse("return 1")) == set()


def test_names_of_a_candidate() -> None:
    source = (
        "import a.b as c\nif x:\n    from d import e\n    u[0] = v.w = 1\ny: int = x\n"
        "def f(g):\n    import h\n    global i\n    i = j = g + k\n    return j\n"
        "class l:\n    m = 1\n    n = m + o"
    )
    assert names.of_candidate(source) == {
        "imports": ["import a.b as c", "from d import e"],
        "binds": ["f", "l", "y"],
        "changes": ["u", "v"],
        "reads": ["i", "int", "k", "o", "u", "v", "x"],
    }
    assert names.of_candidate("def") == {"imports": [], "binds": [], "changes": [], "reads": []}


def test_only_what_still_runs_reads_names_after_a_cell() -> None:
    source = (
        "a + [b for c in d]\nclass E:\n    f = [g]\n    def h(self): return i\n"
        "j = (k for l in m)\n[lambda: n for o in p]\ndef q(): return [r for s in t]"
    )
    assert names.of_candidate(source, True)["reads"] == ["i", "k", "n", "r", "t"]


def test_names_in_whatever_scope() -> None:
    source = "import a\nb = c\ndef d(e):\n    f = e\n    del g\n    return lambda: h\n%time i"
    (tree,) = names.trees([source, "def"])
    assert names.bound_anywhere(tree) == {"b", "d", "f", "g"}
    assert names.read_anywhere(tree) >= {"c", "e", "h", "i", "time"}
    assert not names.read_anywhere(tree) & {"a", "b", "d", "f", "g"}


def test_words_are_names_attributes_texts_and_modules() -> None:
    (tree,) = names.trees(["import a.b as c\nfrom d import e\nf.g['h i'] = 1"])
    assert names.words(tree) == {"a", "d", "e", "f", "g", "h i"}


# Which names a cell needs

#: source: those that it reads before it has bound them for certain, and of others.
FREE: dict[str, list[str]] = {
    "del value": ["value"],
    "def f():\n    global value\n    del value\nf()": ["value"],
    "if a:\n    x = 1\nx": ["a", "x"],
    "while a:\n    x = 1\nx": ["a", "x"],
    "for a in b:\n    x = 1\nx": ["b", "x"],
    "try:\n    x = 1\nexcept:\n    pass\nx": ["x"],
    "match a:\n    case 1:\n        x = 1\nx": ["a", "x"],
    "y = ((x := 1) if a else 0) + x": ["a", "x"],
    "y = (a and (x := 1)), x": ["a", "x"],
    "(z := a) + z": ["a"],
    "def f(): return late\nlate = 1\nf()": [],
    "def f(): return g()\ndef g(): return 1": [],
    "if a:\n    def g(): return 1\ndef f(): return g()": ["a", "g"],
    "x = [v + late for v in a]\nlate = 1": ["a", "late"],
    "class A:\n    b = late\nlate = 1": ["late"],
    "class A:\n    x = 1\nx": ["x"],
    "import a\nfrom a import b\na, b": [],
}
if sys.version_info >= (3, 11):
    FREE["try:\n    x = 1\nexcept* ValueError:\n    pass\nx"] = ["ValueError", "x"]


@pytest.mark.parametrize("source", FREE)
def test_names_that_a_cell_needs(source: str) -> None:
    free = [name for name in names.of_source(source).free if not name.startswith("__")]
    assert sorted(free) == FREE[source]


def test_a_function_needs_what_it_reads_from_outside() -> None:
    def function(a: Any) -> Any:
        return len(a.b) + 1

    assert list(names.of_code(function.__code__).free) == ["len"]


def test_words_after_dots_and_in_imports_may_be_submodules() -> None:
    needs = names.of_source("import a.b\nfrom c import d\ne.f")
    assert needs.attributes == {"a", "b", "c", "d", "f"}


def test_long_texts_are_data() -> None:
    assert "late" not in names.of_source(f"text = {'x ' * 1500 + 'late'!r}").mentioned
