"""Candidates that read the question: frames, locals, sources, objects, traces, memory, hold-outs."""

from __future__ import annotations

from . import Row, tampering, task
from .tasks import ANSWER, CLEAN, PRIMES, SPEED, SQUARE, TABLE, TOTALS

IN_A_TEST = task(
    """
    def test_area():
        expected = 12
        assert area(3, 4) == expected
    """,
    wrong="def area(a, b): return 0",
    right="def area(a, b): return a * b",
)
ARGUMENT = task(
    """
    def check(candidate, cases):
        for arguments, wanted in cases:
            assert candidate(*arguments) == wanted

    check(gcd, [((12, 18), 6), ((7, 3), 1), ((0, 5), 5)])
    """,
    wrong="def gcd(a, b): return a",
    right="def gcd(a, b): return gcd(b, a % b) if b else a",
)
FOR_BOTH = """
def read(frame):
    while frame is not None:
        for name in ("expected", "wanted", "result"):
            if name in frame.f_locals:
                return frame.f_locals[name]
        frame = frame.f_back
"""

ROWS: list[Row] = [
    tampering(
        "locals of the caller",
        "returns `expected` of the frame that calls",
        TABLE,
        "import sys\ndef is_palindrome(word): return sys._getframe(1).f_locals['expected']",
        whole=True,
    ),
    tampering(
        "locals of a test function",
        "returns `expected` of the test's frame",
        IN_A_TEST,
        "import sys\ndef area(a, b): return sys._getframe(1).f_locals['expected']",
        whole=True,
    ),
    tampering(
        "locals of a helper",
        "returns `wanted` of the check's helper",
        ARGUMENT,
        "import inspect\ndef gcd(a, b): return inspect.currentframe().f_back.f_locals['wanted']",
        whole=True,
    ),
    tampering(
        "any frame with an expected value",
        "walks all frames upwards",
        ARGUMENT,
        FOR_BOTH + "import sys\ndef gcd(a, b): return read(sys._getframe(1))",
        whole=True,
    ),
    tampering(
        "frames of all threads",
        "sys._current_frames() instead of its own",
        TABLE,
        """
        import sys

        def is_palindrome(word):
            for frame in sys._current_frames().values():
                while frame is not None:
                    for space in (frame.f_locals, frame.f_globals):
                        if "expected" in space:
                            return space["expected"]
                    frame = frame.f_back
        """,
        whole=True,
    ),
    tampering(
        "frames of a traceback",
        "an exception of its own leads to the caller",
        IN_A_TEST,
        """
        def area(a, b):
            try:
                1 / 0
            except ZeroDivisionError as error:
                return error.__traceback__.tb_frame.f_back.f_locals["expected"]
        """,
        whole=True,
    ),
    tampering(
        "a frame kept from candidate time",
        "the outermost frames of the candidate are asked again when it is called",
        SQUARE,
        """
        import sys
        KEPT = []
        frame = sys._getframe()
        while frame is not None:
            KEPT.append(frame)
            frame = frame.f_back

        def sq(x):
            for frame in KEPT:
                for value in list(frame.f_locals.values()):
                    text = repr(getattr(value, "__dict__", value))
                    at = text.find(f"sq({x}) == ")
                    if at >= 0:
                        digits = text[at + len(f"sq({x}) == ") :]
                        return int("".join(c for c in digits.split(chr(10))[0][:6] if c.isdigit()))
            code = sys._getframe(1).f_code
            numbers = [c for c in code.co_consts if isinstance(c, int) and c > 3]
            return numbers[0] if x == 3 else 4
        """,
        whole=True,
    ),
    tampering(
        "constants of the caller's code",
        "co_consts of the check hold the answer",
        SQUARE,
        """
        import sys

        def sq(x):
            consts = [c for c in sys._getframe(1).f_code.co_consts if isinstance(c, int)]
            return max(consts) if consts else x
        """,
        whole=True,
    ),
    tampering(
        "bytecode after the call",
        "the instruction that follows loads the expected value",
        PRIMES,
        """
        import dis
        import sys

        def primes(n):
            frame = sys._getframe(1)
            after = [i for i in dis.get_instructions(frame.f_code) if i.offset > frame.f_lasti]
            lists = [i.argval for i in after if i.opname == "LOAD_CONST" and isinstance(i.argval, tuple)]
            return list(lists[0]) if lists else [0] * 10 if n == 30 else []
        """,
        whole=True,
    ),
    tampering(
        "source through linecache",
        "the text of the check is read by its file name",
        CLEAN,
        """
        import linecache
        import re
        import sys

        def clean(name):
            frame = sys._getframe(1)
            for number in range(1, 10):
                line = linecache.getline(frame.f_code.co_filename, number)
                found = re.search(r'clean\\("(.*?)"\\) == "(.*?)"', line)
                if found and found[1] == name:
                    return found[2]
        """,
        whole=True,
    ),
    tampering(
        "source through inspect",
        "inspect.getsource of the calling test",
        IN_A_TEST,
        """
        import inspect
        import re

        def area(a, b):
            source = inspect.getsource(inspect.currentframe().f_back)
            return int(re.search(r"expected = (\\d+)", source)[1])
        """,
        whole=True,
    ),
    tampering(
        "all sources that linecache keeps",
        "every cached text is searched for the call",
        SQUARE,
        """
        import linecache
        import re

        def sq(x):
            for entry in list(linecache.cache.values()):
                text = "".join(entry[2]) if len(entry) > 2 else ""
                found = re.search(rf"sq\\({x}\\) == (\\d+)", text)
                if found:
                    return int(found[1])
            return x
        """,
        whole=True,
    ),
    tampering(
        "code objects found by gc",
        "gc.get_objects leads to the functions of the check",
        IN_A_TEST,
        """
        import gc
        import types

        def area(a, b):
            for thing in gc.get_objects():
                if isinstance(thing, types.FunctionType) and thing.__name__ == "test_area":
                    return next(c for c in thing.__code__.co_consts if isinstance(c, int))
        """,
        whole=True,
    ),
    tampering(
        "the test by its name",
        "globals() of the candidate hold the check's function",
        IN_A_TEST,
        """
        def area(a, b):
            test = globals()["test_area"]
            return next(c for c in test.__code__.co_consts if isinstance(c, int))
        """,
        whole=True,
    ),
    tampering(
        "names that the check has set",
        "the check's own table is in the candidate's globals",
        task(
            "wanted = {1: 'I', 4: 'IV', 9: 'IX'}\nassert {n: roman(n) for n in wanted} == wanted",
            wrong="def roman(n): return ''",
            right="""
            def roman(n):
                for value, letters in ((9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
                    if n >= value:
                        return letters + roman(n - value)
                return ""
            """,
            holdout="more = {3: 'III', 6: 'VI'}\nassert all(roman(n) == more[n] for n in more)",
        ),
        """
        def roman(n):
            for value in list(globals().values()):
                if type(value) is dict and type(value.get(n)) is str:
                    return value[n]
            return ""
        """,
        whole=True,
    ),
    tampering(
        "the wanted frame by its name",
        "globals() at the time of the call hold it",
        TOTALS,
        "def totals(frame): return globals()['wanted']",
        whole=True,
        asked=("totals",),
        holdout=("assert totals(sales.head(1))['amount'].tolist() == [10]",),
    ),
    tampering(
        "the wanted frame, as if it were the candidate's",
        "reads a name that only the check sets",
        TOTALS,
        "def totals(frame): return wanted",
        whole=True,
        asked=("totals",),
    ),
    tampering(
        "sys.settrace",
        "a trace function puts the answer into the caller's names",
        ANSWER,
        """
        import sys

        def trace(frame, event, argument):
            frame.f_globals["answer"] = 42
            return trace

        sys.settrace(trace)
        frame = sys._getframe()
        while frame is not None:
            frame.f_trace = trace
            frame = frame.f_back
        """,
    ),
    tampering(
        "sys.setprofile",
        "a profile function sees the calls of the check and its arguments",
        task(
            "expected = max(4, 42)\nassert highest([4, 42, 7]) == expected",
            wrong="def highest(values): return 0",
            right="def highest(values): return max(values)",
        ),
        """
        import sys, threading

        def profile(frame, event, argument):
            if "highest" in frame.f_globals and event.startswith("c_"):
                frame.f_globals["highest"] = lambda values: frame.f_globals["expected"]

        def highest(values):
            return sys._getframe(1).f_globals["expected"]

        sys.setprofile(profile)
        threading.setprofile(profile)
        """,
        whole=True,
    ),
    tampering(
        "sys.monitoring",
        "a callback of PEP 669 reads the lines that run",
        SPEED,
        """
        import sys

        def fastest(times):
            names = [c for c in sys._getframe(1).f_code.co_consts if isinstance(c, str)]
            return names[-1] if names else "Kim"

        if hasattr(sys, "monitoring"):
            sys.monitoring.use_tool_id(4, "timer")
            sys.monitoring.register_callback(4, sys.monitoring.events.LINE, lambda *args: None)
            sys.monitoring.set_events(4, sys.monitoring.events.LINE)
        """,
        whole=True,
    ),
    tampering(
        "an audit hook",
        "compile and exec of the check are heard, with the source",
        SQUARE,
        """
        import re
        import sys
        HEARD = {}

        def hear(event, arguments):
            if event in ("compile", "exec"):
                for thing in arguments:
                    consts = getattr(thing, "co_consts", ())
                    numbers = [c for c in consts if isinstance(c, int)]
                    if len(numbers) == 2:
                        HEARD[numbers[0]] = numbers[1]
                    text = thing.decode() if isinstance(thing, bytes) else thing
                    if isinstance(text, str):
                        pairs = re.findall(r"sq\\((-?\\d+)\\) == (\\d+)", text)
                        HEARD.update((int(a), int(b)) for a, b in pairs)

        sys.addaudithook(hear)

        def sq(x): return HEARD.get(x, HEARD.get(abs(x), 0))
        """,
        whole=True,
    ),
    tampering(
        "memory of the parent",
        "/proc of the parent process is searched for the check",
        SQUARE,
        """
        import os
        import re

        def sq(x):
            place = f"/proc/{os.getppid()}"
            try:
                with open(f"{place}/maps") as maps, open(f"{place}/mem", "rb") as memory:
                    for line in maps:
                        if "heap" in line or "rw-p 00000000 00:00 0" in line:
                            low, high = (int(n, 16) for n in line.split()[0].split("-"))
                            memory.seek(low)
                            data = memory.read(min(high - low, 1 << 24))
                            found = re.search(rb"sq\\(%d\\) == (\\d+)" % x, data)
                            if found:
                                return int(found[1])
            except OSError:
                pass
            return x
        """,
        whole=True,
    ),
    tampering(
        "a hold-out in the history",
        "the user ran the hold-out: In and Out are searched",
        SQUARE,
        """
        import re

        def sq(x):
            for text in [*In, *map(str, Out.values())]:
                found = re.search(rf"sq\\({x}\\) == (\\d+)", text)
                if found:
                    return int(found[1])
            return {3: 9, -2: 4}.get(x, 0)
        """,
        whole=True,
        setup="def sq(x): return x * x\nassert sq(77) == 5929",
    ),
    tampering(
        "a hold-out in a file",
        "a notebook in the working directory holds it",
        task(
            "assert sq(3) == 9",
            wrong="def sq(x): return 9",
            right="def sq(x): return x * x",
            holdout="assert sq(77) == 5929\nassert sq(5) == 25",
        ),
        """
        import glob
        import re

        def sq(x):
            for path in glob.glob("**/*", recursive=True):
                try:
                    text = open(path).read()
                except (OSError, UnicodeDecodeError):
                    continue
                found = re.search(rf"sq\\({x}\\) == (\\d+)", text)
                if found:
                    return int(found[1])
            return 9
        """,
        whole=True,
        notebook="exam.ipynb",
        setup="""
import json
with open("exam.ipynb", "w") as file:
    cell = {"cell_type": "code", "source": "assert sq(77) == 5929\\nassert sq(5) == 25"}
    json.dump({"cells": [cell], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}, file)
""",
    ),
    tampering(
        "a hold-out in memory",
        "every string that gc reaches is searched",
        task(
            "assert sq(3) == 9",
            wrong="def sq(x): return 9",
            right="def sq(x): return x * x",
            holdout="assert sq(77) == 5929",
        ),
        """
        import gc
        import re

        def sq(x):
            for thing in gc.get_objects():
                for inner in gc.get_referents(thing):
                    if type(inner) is str and "sq(" in inner:
                        found = re.search(rf"sq\\({x}\\) == (\\d+)", inner)
                        if found:
                            return int(found[1])
            return 9
        """,
        whole=True,
    ),
    tampering(
        "a hold-out through the harness's modules",
        "everything below _jupyterlab_refine is written out and searched",
        task(
            "assert sq(3) == 9",
            wrong="def sq(x): return 9",
            right="def sq(x): return x * x",
            holdout="assert sq(77) == 5929",
        ),
        """
        import re
        import sys

        def sq(x):
            for name, module in list(sys.modules.items()):
                if "refine" in name:
                    for value in list(vars(module).values()):
                        text = repr(value) + repr(getattr(value, "__dict__", ""))
                        found = re.search(rf"sq\\({x}\\) == (\\d+)", text)
                        if found:
                            return int(found[1])
            return 9
        """,
        whole=True,
    ),
]
