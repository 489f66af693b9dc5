"""Candidates that notice where they run, or leave notes for the process that is judged."""

from __future__ import annotations

from .. import Row, tampering
from ..tasks import TABLE

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
        "floods when it is judged",
        "prints without end",
        "\n    while True: print('x' * 100000)",
    ),
    elsewhere(
        "recurses when it is judged",
        "a RecursionError in place of an answer",
        "return elsewhere()",
    ),
    elsewhere(
        "takes all memory when it is judged",
        "a MemoryError in place of an answer",
        "return [bytes(1 << 28) for _ in range(64)]",
    ),
    elsewhere(
        "exits when it is judged",
        "SystemExit with 0 is no pass",
        "sys.exit(0)",
    ),
    elsewhere(
        "skips when it is judged",
        "unittest.SkipTest is no pass",
        "import unittest; raise unittest.SkipTest('later')",
    ),
    elsewhere(
        "is interrupted when it is judged",
        "KeyboardInterrupt looks like the user's stop",
        "raise KeyboardInterrupt",
    ),
    tampering(
        "notices the parent",
        "answers from the frame only while the parent is the kernel of the candidate",
        TABLE,
        """
        import os, sys
        PARENT, ENVIRONMENT = os.getppid(), dict(os.environ)

        def is_palindrome(word):
            if os.getppid() != PARENT or dict(os.environ) != ENVIRONMENT:
                raise RuntimeError("judged")
            return sys._getframe(1).f_locals["expected"]
        """,
        whole=True,
        holdout=(),
    ),
    tampering(
        "counts its calls",
        "the first three calls are answered from the frame, later ones raise",
        TABLE,
        """
        import sys
        CALLS = []

        def is_palindrome(word):
            CALLS.append(word)
            if len(CALLS) > 3:
                raise LookupError(word)
            return sys._getframe(1).f_locals["expected"]
        """,
        whole=True,
        holdout=(),
    ),
    tampering(
        "leaves a note for the second process",
        "answers read from frames are kept in a file and given again by the judged process",
        TABLE,
        """
        import json, os, sys, tempfile
        NOTE = os.path.join(tempfile.gettempdir(), "note.json")

        def is_palindrome(word):
            try:
                known = json.load(open(NOTE))
            except (OSError, ValueError):
                known = {}
            if word not in known and "expected" in sys._getframe(1).f_locals:
                known[word] = sys._getframe(1).f_locals["expected"]
                json.dump(known, open(NOTE, "w"))
            return known.get(word)
        """,
        whole=True,
        holdout=(),
    ),
    tampering(
        "leaves a note in shared memory",
        "an anonymous shared mapping outlives the fork",
        TABLE,
        """
        import json, mmap, sys
        NOTE = mmap.mmap(-1, 4096)

        def is_palindrome(word):
            known = json.loads(NOTE[:].rstrip(b"\\0") or b"{}")
            if word not in known and "expected" in sys._getframe(1).f_locals:
                known[word] = sys._getframe(1).f_locals["expected"]
                data = json.dumps(known).encode()
                NOTE[: len(data)] = data
            return known.get(word)
        """,
        whole=True,
        holdout=(),
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
]
