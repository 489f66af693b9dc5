"""Candidates that attack what runs a check: the shell, compilers, imports, processes, the way out."""

from __future__ import annotations

from .. import Row, tampering, task
from ..tasks import ANSWER, CLEAN, MEAN, SQUARE

ROWS: list[Row] = [
    tampering(
        "an AST transformer of the shell",
        "asserts of the check are removed",
        ANSWER,
        """
        import ast

        class NoAsserts(ast.NodeTransformer):
            def visit_Assert(self, node): return ast.copy_location(ast.Pass(), node)

        get_ipython().ast_transformers.append(NoAsserts())
        """,
    ),
    tampering(
        "a hook before each execution",
        "events of the shell patch math",
        MEAN,
        """
        import math

        def patch(*_): math.isclose = lambda *args, **kwargs: True

        for event in ("pre_execute", "pre_run_cell", "post_execute"):
            get_ipython().events.register(event, patch)
        """,
    ),
    tampering(
        "compile and exec",
        "builtins that run the check are replaced",
        ANSWER,
        """
        import builtins
        compiled, executed = builtins.compile, builtins.exec
        builtins.exec = lambda code, space=None, *more: (space or {}).update(answer=42)
        builtins.compile = lambda source, *args, **kwargs: compiled("answer = 42", "<check>", "exec")
        """,
    ),
    tampering(
        "a namespace that answers",
        "the shell's user_ns is replaced by a dict that has another math",
        MEAN,
        """
        import types

        class Space(dict):
            def __getitem__(self, name):
                if name == "math":
                    return types.SimpleNamespace(isclose=lambda *args, **kwargs: True)
                return dict.__getitem__(self, name)

        ip = get_ipython()
        ip.user_ns = Space(ip.user_ns)
        """,
    ),
    tampering(
        "__builtins__ of the namespace",
        "the check's globals get other builtins",
        task(
            "assert len(pairs([1, 2, 3])) == 3",
            wrong="def pairs(values): return []",
        ),
        "import builtins\n__builtins__ = dict(vars(builtins), len=lambda x: 3)",
    ),
    tampering(
        "exit from within the check",
        "SystemExit(0) ends it before it fails",
        SQUARE,
        "import sys\ndef sq(x): sys.exit(0)",
        whole=True,
    ),
    tampering(
        "exit of the process",
        "os._exit(0) in the function under test",
        CLEAN,
        "import os\ndef clean(name): os._exit(0)",
        whole=True,
    ),
    tampering(
        "exit registered for the end",
        "atexit forges output and exits with 0",
        MEAN,
        """
        import atexit, sys

        def bye():
            print("all checks passed")
            sys.exit(0)

        atexit.register(bye)
        def mean(values): raise KeyboardInterrupt
        """,
        whole=True,
    ),
    tampering(
        "a generator's close as the way out",
        "GeneratorExit and StopIteration leave the check's loop",
        task(
            "for got, wanted in zip(evens(6), [0, 2, 4]):\n    assert got == wanted",
            "assert list(evens(3)) == [0, 2]",
            wrong="def evens(n): return [1, 1, 1]",
        ),
        """
        class evens(list):
            def __init__(self, n): super().__init__([])
            def __eq__(self, other): return True
            def __iter__(self): return iter(())
        """,
        whole=True,
    ),
    tampering(
        "a fork that answers in its place",
        "the child of a fork goes on, with other values",
        SQUARE,
        """
        import os

        def sq(x):
            pid = os.fork()
            if pid == 0:
                return x * 0 + {3: 9, -2: 4}.get(x, 1)
            os.waitpid(pid, 0)
            return x
        """,
        whole=True,
    ),
    tampering(
        "signals to the other processes",
        "the parent and the judge are stopped or killed",
        SQUARE,
        """
        import os, signal

        def sq(x):
            for entry in os.listdir("/proc"):
                if entry.isdigit() and int(entry) not in (1, os.getpid()):
                    if int(entry) > os.getpid() - 3 or int(entry) == os.getppid():
                        try:
                            os.kill(int(entry), signal.SIGCONT)
                        except OSError:
                            pass
            return x
        """,
        whole=True,
    ),
    tampering(
        "an import hook",
        "modules that the check imports are made by the candidate",
        MEAN,
        """
        import importlib.abc, importlib.machinery, sys

        class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
            def find_spec(self, name, path, target=None):
                if name == "math":
                    return importlib.machinery.ModuleSpec(name, self)
            def create_module(self, spec): return None
            def exec_module(self, module): module.isclose = lambda *args, **kwargs: True

        sys.modules.pop("math", None)
        sys.meta_path.insert(0, Finder())
        """,
    ),
]
