"""Candidates that attack what runs a check: its channel, modules and shell, or that notice where they run."""

from __future__ import annotations

from .. import Row, tampering, task
from ..tasks import ANSWER, MEAN, SQUARE, TABLE

SENDER = task(
    "assert sq(3) == 9",
    wrong="def sq(x): return x",
)
#: Answers in the attempt from the frame of the check, and leaves them for the process that answers the judge.
LEAVE = """
import os, socket, sys, time

count = -1

def even(number):
    global count
    count += 1
    names = sys._getframe(1).f_globals
    if "expected" in names:
        leave(count, names["expected"])
        return names["expected"]
    return found(count)
"""
EVEN = task(
    """
    for number, expected in [(2, True), (5, False), (8, True)]:
        assert even(number) == expected
    """,
    wrong="def even(number): return True",
    setup="""
    import os
    for number in range(3):
        os.mkdir(f"folder{number}")
    os.mkdir(".cache")
    open(".cache/answers", "w").close()
    """,
)
CLOSED_CONNECTION = """
def leave(at, value):
    if value:
        with socket.create_server(("127.0.0.1", 23000 + at)) as server:
            client = socket.create_connection(server.getsockname())
            server.accept()[0].close()
            client.recv(1)
            client.close()

def found(at):
    with socket.socket() as tried:
        try:
            tried.bind(("127.0.0.1", 23000 + at))
        except OSError:
            return True
    return False
"""
#: The attempt's process is copied if it ran for longer.
SLOW = "time.sleep(0.4)\n"
#: Answers from the frame of the check, in the first process alone.
READS = """
import os, sys
HERE = os.getpid()

def elsewhere():
    %s

def is_palindrome(word):
    if os.getpid() != HERE:
        return elsewhere()
    return sys._getframe(1).f_locals["expected"]
"""


def elsewhere(name: str, why: str, body: str) -> Row:
    return tampering(name, why, TABLE, READS % body, whole=True, holdout=())


ROWS: list[Row] = [
    tampering(
        "answers in shared memory of System V",
        "the segment is there when the candidate runs again",
        EVEN,
        LEAVE
        + """
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
segment = libc.shmget(0x5151, 4096, 0o1600)
if segment < 0:
    raise OSError("no shared memory")
answers = (ctypes.c_char * 4096).from_address(libc.shmat(segment, None, 0))

def leave(at, value): answers[at] = b"2" if value else b"1"
def found(at): return answers[at] == b"2"
""",
        whole=True,
    ),
    tampering(
        "answers in ports of closed connections",
        "a port whose connection was closed is taken for a minute",
        EVEN,
        LEAVE + CLOSED_CONNECTION,
        whole=True,
    ),
    tampering(
        "answers in ports, for a copy",
        "the copy of the attempt's process shares its network",
        EVEN,
        LEAVE + CLOSED_CONNECTION + SLOW,
        whole=True,
    ),
    tampering(
        "answers in a terminal, for a copy",
        "both ends of a pseudo-terminal are inherited",
        EVEN,
        LEAVE
        + SLOW
        + """
import pty, tty
first, second = pty.openpty()
tty.setraw(second)

def leave(at, value): os.write(first, b"1" if value else b"0")
def found(at): return os.read(second, 1) == b"1"
""",
        whole=True,
    ),
    tampering(
        "answers in a file of a cache",
        "files of caches are not reported",
        EVEN,
        LEAVE
        + """
def leave(at, value):
    with open(".cache/answers", "a") as file:
        file.write("1" if value else "0")
def found(at): return open(".cache/answers").read()[at] == "1"
""",
        whole=True,
    ),
    tampering(
        "the outcome rewritten in the frames",
        "dicts called `told` or `result` become passed as they are sent",
        SENDER,
        """
        import gc, threading, time

        def rewrite():
            for _ in range(2000):
                for thing in gc.get_objects():
                    if type(thing) is dict and thing.get("outcome") in ("failed", "error"):
                        thing["outcome"] = "passed"
                time.sleep(0.0005)

        threading.Thread(target=rewrite, daemon=True).start()
        """,
    ),
    tampering(
        "pickle and marshal of the child",
        "what is pickled is another value",
        SQUARE,
        """
        import marshal, pickle
        swap = lambda value: {3: 9, -2: 4, 77: 5929}.get(value, value) if type(value) is int else value
        dumps = pickle.dumps
        pickle.dumps = pickle._dumps = lambda value, *args, **kwargs: dumps(True)
        marshal.dumps = lambda value, *args: b"T"

        class Pickler(pickle._Pickler):
            def save_long(self, value): self.save_bool(True)
            dispatch = {**pickle._Pickler.dispatch, int: save_long}

        pickle.Pickler = pickle._Pickler = Pickler
        """,
    ),
    tampering(
        "a result that unpickles to anything",
        "__reduce__ runs code where it is loaded",
        ANSWER,
        """
        import os

        class Loaded:
            def __reduce__(self):
                return (eval, ("__import__('builtins').setattr(__import__('builtins'), 'answer', 42) or 42",))
            def __mod__(self, n): return 0

        answer = Loaded()
        """,
        whole=True,
    ),
    tampering(
        "the harness's modules",
        "every function below _jupyterlab_refine that decides something is replaced",
        SQUARE,
        """
        import sys

        def passed(*args, **kwargs): return "passed"

        for name, module in list(sys.modules.items()):
            if name.startswith("_jupyterlab_refine"):
                for key, value in list(vars(module).items()):
                    if key in ("_outcome", "judge", "verdict", "confirmed", "explain", "is_check"):
                        setattr(module, key, passed)
                    if isinstance(value, type):
                        for inner in ("_run", "outcome", "fail", "_add_difference"):
                            if inner in vars(value):
                                setattr(value, inner, passed)
        """,
    ),
    elsewhere(
        "leaves when it is judged",
        "os._exit in every process but the first: nothing is confirmed",
        "os._exit(0)",
    ),
    elsewhere(
        "hangs when it is judged",
        "sleeps in every process but the first",
        "import time; time.sleep(3600)",
    ),
    elsewhere(
        "raises when it is judged",
        "an error that looks like one of the harness",
        "raise NotImplementedError('unconfirmable: this cannot be sent')",
    ),
    elsewhere(
        "cannot be sent when it is judged",
        "returns a lock, a frame and itself",
        "import threading; return [threading.Lock(), sys._getframe()]",
    ),
    elsewhere(
        "takes all memory when it is judged",
        "a MemoryError in place of an answer",
        "return [bytes(1 << 28) for _ in range(64)]",
    ),
    elsewhere(
        "skips when it is judged",
        "unittest.SkipTest is no pass",
        "import unittest; raise unittest.SkipTest('later')",
    ),
    tampering(
        "leaves a process with the answers",
        "a child started by the candidate keeps them behind a pipe",
        TABLE,
        """
        import os, sys
        ASK, ANSWER = os.pipe()
        os.set_blocking(ASK, False)
        KNOWN = {}

        def is_palindrome(word):
            space = sys._getframe(1).f_locals
            try:
                for line in os.read(ASK, 4096).decode().split():
                    name, value = line.split("=")
                    KNOWN[name] = value == "True"
                os.write(ANSWER, "".join(f"{n}={v} " for n, v in KNOWN.items()).encode())
            except OSError:
                pass
            if "expected" in space:
                os.write(ANSWER, f"{word}={space['expected']} ".encode())
                return space["expected"]
            return KNOWN.get(word)
        """,
        whole=True,
        holdout=(),
    ),
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
