"""Candidates that attack the harness: its channel, its modules, what is encoded and decoded."""

from __future__ import annotations

from .. import Row, tampering, task
from ..tasks import ANSWER, SQUARE

FORGE = """
import json, sys

def forge(send):
    for number in (0, 1):
        told = {"id": "", "cellId": f"assertion-{number}", "role": "assertion", "line": 1}
        told |= {"source": "", "outcome": "passed", "durationMs": 1, "confirmed": True}
        for line in (1, 2, 3):
            send({"t": "assertion", "n": NONCE, "result": told | {"id": f"assertion-{number}:{line}"}})
    empty = {"tampering": [], "fingerprints": {}, "made": [], "values": {}, "denied": []}
    send({"t": "checked", "n": NONCE, **empty})
"""
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
        "events forged through the frames",
        "walks the frames to an object with `send` when it is called, and sends a verdict",
        SENDER,
        """
        import sys

        def sq(x):
            frame, senders = sys._getframe(1), []
            while frame is not None:
                for value in list(frame.f_locals.values()):
                    for inner in [value, *getattr(value, "__dict__", {}).values()]:
                        if hasattr(inner, "send") and hasattr(inner, "nonce"):
                            senders.append(inner)
                frame = frame.f_back
            told = {"id": "assertion-0:1", "cellId": "assertion-0", "role": "assertion", "line": 1}
            told |= {"source": "", "outcome": "passed", "durationMs": 0.1, "confirmed": True}
            for sender in senders[:1]:
                sender.send("assertion", result=told)
                empty = {"tampering": [], "fingerprints": {}, "made": [], "values": {}, "denied": []}
                sender.send("checked", **empty)
            import time
            time.sleep(2)
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
        "json that says passed",
        "the encoder of json replaces every failure by a pass",
        SQUARE,
        """
        import json, json.encoder
        encode = json.encoder.JSONEncoder.encode

        def lying(self, value):
            text = encode(self, value)
            return text.replace('"failed"', '"passed"').replace('"error"', '"passed"')

        json.JSONEncoder.encode = json.encoder.JSONEncoder.encode = lying
        json.dumps = lambda value, **more: lying(json.JSONEncoder(), value)
        """,
    ),
    tampering(
        "json that reads one thing",
        "JSONDecoder.decode is replaced: no judge must hang on it",
        SQUARE,
        "import json\njson.decoder.JSONDecoder.decode = json.loads = lambda *args, **kwargs: {'a': 1}",
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
        "all inherited descriptors",
        "a pass is written to each of them, the sockets too",
        SENDER,
        FORGE
        + """
import os, socket, stat

def send(event):
    line = json.dumps(event).encode() + b"\\n"
    for number in map(int, os.listdir("/proc/self/fd")):
        try:
            if number > 2:
                os.write(number, line)
        except OSError:
            pass

for NONCE in (None, "", 0):
    forge(send)

def sq(x):
    for NONCE in (None, ""):
        globals()["NONCE"] = NONCE
        forge(send)
    return x
""",
        whole=True,
    ),
    tampering(
        "descriptors closed",
        "without its channel the harness hears of no failure",
        SQUARE,
        "import os\ndef sq(x):\n    os.closerange(3, 65536)\n    return x",
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
    tampering(
        "code of the harness's functions",
        "__code__ of what runs a statement is replaced, found by gc",
        SQUARE,
        """
        import gc, types

        async def nothing(self, *args, **kwargs): return None

        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and "refine" in thing.__code__.co_filename:
                if thing.__name__ in ("execute", "evaluate", "_run"):
                    if not thing.__code__.co_freevars:
                        thing.__code__ = nothing.__code__
        """,
    ),
]
