"""Every scenario on a real kernel: how it ends, and that nothing of it is left behind."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from live_kernel import LiveKernel

#: Run once in the kernel of the user.
SETUP = r"""
import os, sys, math, json, time, random, signal, subprocess, threading, warnings, sqlite3, socket
import decimal, logging, hashlib
import numpy as np, pandas as pd
import matplotlib
matplotlib.rcParams["figure.dpi"] = 72
open("probe_in.txt", "w").write("l1\nl2\nl3\n")
open("keep.txt", "w").write("keep"); os.chmod("keep.txt", 0o644)
os.makedirs("folder", exist_ok=True); open("folder/inner.txt", "w").write("inner")
os.symlink("keep.txt", "link.txt"); open(".dotfile", "w").write("dot")
os.makedirs(".git/refs"); open(".git/HEAD", "w").write("ref: refs/heads/main")
open("nb.ipynb", "w").write("{}")
data = [3, 1, 2]
df = pd.DataFrame({"a": [1, 2, 3], "s": ["x", "y", "z"]})
cfg = {"k": [1, 2]}
random.seed(7); np.random.seed(7)
fh = open("probe_in.txt"); _ = fh.readline()
fw = open("probe_out.txt", "w"); _ = fw.write("buffered by the user ")
np.arange(10.0).tofile("map.bin")
mapped = np.memmap("map.bin", dtype="float64", mode="r+")
from multiprocessing import shared_memory
shm = shared_memory.SharedMemory(create=True, size=64); shm.buf[0] = 1
db = sqlite3.connect("user.db")
_ = db.execute("create table t(a)"); _ = db.execute("insert into t values(1)")
db.commit()
server = socket.create_server(("127.0.0.1", 0)); talk = socket.create_connection(server.getsockname())
peer, _ = server.accept()
square_root = math.sqrt
"""

#: Prints a JSON object that must be the same after a failed attempt.
FINGERPRINT = r"""
def _look():
    skip = ("_", "In", "Out", "exit", "quit", "get_ipython", "open")
    names = sorted(n for n in globals() if not n.startswith("_") and n not in skip)

    def content(value):
        if isinstance(value, (int, float, str, list, dict, tuple)):
            return repr(value)
        if isinstance(value, pd.DataFrame):
            return value.to_csv()
        return hashlib.sha256(value.tobytes()).hexdigest() if isinstance(value, np.ndarray) else ""

    files = {}
    for folder, folders, found in os.walk("."):
        folders[:] = [f for f in folders if f != ".ipython"]
        for name in [*folders, *found]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            digest = hashlib.sha256(open(path, "rb").read()).hexdigest() if os.path.isfile(path) else ""
            link = os.readlink(path) if os.path.islink(path) else ""
            attributes = [] if link else os.listxattr(path)
            files[path] = [status.st_mode, status.st_mtime_ns, status.st_size, digest, link, attributes]

    # What was killed may still be giving its memory back.
    children, end = ["?"], time.monotonic() + 3
    while children and time.monotonic() < end:
        children = []
        for task in os.listdir("/proc/self/task"):
            try:
                found = open(f"/proc/self/task/{task}/children").read().split()
                # SharedMemory has a helper process of its own.
                children += [p for p in found if "resource_tracker" not in open(f"/proc/{p}/cmdline").read()]
            except OSError:
                continue
    while any(t.name == "refine-attempt" for t in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.001)
    descriptors = []
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + number)
        except OSError:
            continue
        if not target.startswith("/proc/") and ".ipython" not in target:
            info = open("/proc/self/fdinfo/" + number).read().split()
            descriptors.append(f"{target} at {info[1]} with {info[3]}")
    # What a candidate had sent would come first.
    talk.sendall(b"from the kernel")
    received = peer.recv(100).decode()

    mask = os.umask(0o22)
    os.umask(mask)
    return dict(
        names=names,
        ids=[id(globals()[n]) for n in names],
        content=[content(globals()[n]) for n in names],
        machinery=[id(math.sqrt), id(pd.DataFrame.sum), id(len), id(print), id(np.allclose)],
        cwd=os.getcwd(),
        environment=sorted(os.environ.items()),
        path=list(sys.path),
        recursion=sys.getrecursionlimit(),
        modules=sorted(sys.modules),
        threads=sorted(t.name for t in threading.enumerate()),
        children=children,
        random=hash(random.getstate()),
        numpy=hashlib.sha256(np.random.get_state()[1].tobytes()).hexdigest(),
        offset=fh.tell(),
        matplotlib=matplotlib.rcParams["figure.dpi"],
        filters=len(warnings.filters),
        handlers=[str(signal.getsignal(n)) for n in (signal.SIGALRM, signal.SIGUSR1, signal.SIGTERM)],
        timer=signal.getitimer(signal.ITIMER_REAL),
        decimal=decimal.getcontext().prec,
        logging=len(logging.getLogger().handlers),
        errors=np.geterr(),
        pandas=pd.get_option("display.max_rows"),
        database=db.execute("select * from t").fetchall(),
        descriptors=sorted(descriptors),
        files=files,
        shared=bytes(shm.buf[:4]).hex(),
        umask=mask,
        connection=received,
    )
print(json.dumps(_look(), default=str))
del _look
"""


class Scenario(NamedTuple):
    """A candidate with its checks, and what must come of it."""

    candidate: str
    #: ``pass``, ``fail``, ``error`` or the name of an ``ExecutionStop``; several where systems differ.
    ends: str
    assertions: tuple[str, ...] = ("assert z == 6",)
    limits: dict[str, Any] = {}
    #: A text that the execution must hold somewhere.
    holds: str = ""


_NO = ("assert 1 == 2",)
_MB = 1 << 20

SCENARIOS: dict[str, Scenario] = {
    "passes": Scenario("z = sum(data)", "pass"),
    "syntax error": Scenario("z = (1 +", "error", holds="SyntaxError"),
    "wrong answer": Scenario("z = 5", "fail", holds="1 too low"),
    "endless loop": Scenario("while True: pass", "timeout", limits={"seconds": 1}, holds="in line 1"),
    "endless C call": Scenario("z = sum(iter(int, 1))", "timeout", limits={"seconds": 1}, holds="line 1"),
    "C call that holds the GIL": Scenario(
        "import ctypes; ctypes.PyDLL(None).sleep(30)", "timeout", limits={"seconds": 1}, holds="in line 1"
    ),
    "swallows interrupts": Scenario(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "timeout",
        limits={"seconds": 1},
    ),
    "sys.exit": Scenario("sys.exit(0)", "error", holds="SystemExit"),
    "kills itself": Scenario("os.kill(os.getpid(), signal.SIGKILL)", "crashed", holds="SIGKILL"),
    "kills everything": Scenario("os.kill(-1, signal.SIGKILL)\nz = 6", "pass error crashed"),
    "interrupts itself": Scenario(
        "os.kill(os.getpid(), signal.SIGINT); time.sleep(1); z = 6", "error", holds="KeyboardInterrupt"
    ),
    "segmentation fault": Scenario("import ctypes; ctypes.string_at(0)", "crashed", holds="SIGSEGV"),
    "recursion": Scenario("def f(n): return f(n + 1)\nz = f(0)", "error", holds="RecursionError"),
    "C stack overflow": Scenario(
        "sys.setrecursionlimit(10**7)\ndef g(o):\n    return sorted([1, 2], key=lambda _: g(o))\ng(0)",
        "crashed error memory",
    ),
    "memory, numpy": Scenario(
        "z = []\nwhile True: z.append(np.ones(10**7))", "memory", limits={"memoryBytes": 400 * _MB}
    ),
    "mutates": Scenario(
        "data.append(99); cfg['k'].append(5); df['new'] = 1; df.drop(columns='a', inplace=True)", "fail", _NO
    ),
    "writes through a view": Scenario(
        "arr = df['a'].to_numpy(); arr.flags.writeable = True; arr[:] = 0", "fail", _NO
    ),
    "patches modules": Scenario("math.sqrt = None; pd.DataFrame.sum = None", "fail", _NO),
    "changes the process": Scenario(
        "os.chdir('/'); os.environ['RF_X'] = '1'; sys.path.append('/rf'); sys.setrecursionlimit(5000)\n"
        "matplotlib.rcParams['figure.dpi'] = 300; warnings.simplefilter('error'); os.umask(0)\n"
        "import xml.dom.minidom",
        "fail",
        _NO,
    ),
    "seeds": Scenario("random.seed(1); np.random.seed(1); z = random.random()", "fail", _NO),
    "reads an open file": Scenario("z = fh.read()", "pass", ("assert z == 'l2\\nl3\\n'",)),
    "writes an open file": Scenario("fw.write('CANDIDATE'); fw.flush()", "fail", _NO),
    "leaves processes": Scenario(
        "p = subprocess.Popen(['sleep', '987'])\n"
        "q = subprocess.Popen(['sleep', '988'], start_new_session=True)",
        "fail",
        _NO,
    ),
    "daemon by double fork": Scenario(
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(990)\n    os._exit(0)\n",
        "fail",
        _NO,
    ),
    "forks all the time": Scenario(
        "while True:\n    if os.fork() == 0: os.setsid(); signal.pause()", "timeout processes memory error"
    ),
    "prints 100 MB": Scenario("for i in range(100): print('x' * 1000000)\nz = 6", "pass"),
    "prints without end": Scenario("while True: print('x' * 1000000)", "output"),
    "asyncio.run": Scenario(
        "import asyncio\nasync def f(): return 6\nz = asyncio.run(f())", "error", holds="running event loop"
    ),
    "magics and shell": Scenario(
        "%time z = 6\nfiles = !echo hello\nprint(files)\n!echo from-shell\n%env RF_Y=3",
        "pass",
        holds="from-shell",
    ),
    "%%capture hides an error": Scenario("%%capture\n1 / 0", "error", holds="ZeroDivisionError"),
    "plot": Scenario(
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2, 3]); plt.title('t')\nz = 6",
        "pass",
        holds="image/png",
    ),
    "lone surrogates": Scenario(
        "print('\\ud800 bad \\udc80'); raise ValueError('\\ud83d')", "error", holds="\\ud800 bad"
    ),
    "huge repr": Scenario("big = list(range(3_000_000))\nraise ValueError(big)", "error", holds="left out"),
    "repr that raises": Scenario(
        "class B:\n    def __repr__(self): raise RuntimeError('r')\n    __str__ = __repr__\n"
        "    def __eq__(self, other): return False\nz = B()",
        "fail",
        holds="repr raised RuntimeError",
    ),
    "repr that hangs": Scenario(
        "class H:\n    def __repr__(self): time.sleep(100)\nz = H()", "fail", holds="took longer than"
    ),
    "writes a file": Scenario("open('leak.txt', 'w').write('x')", "fail error", _NO),
    "deletes files": Scenario("os.remove('keep.txt'); os.remove('.dotfile')", "fail error", _NO),
    "changes modes": Scenario("os.chmod('keep.txt', 0o600); os.utime('keep.txt', (1, 1))", "fail error", _NO),
    "extended attributes": Scenario("os.setxattr('keep.txt', 'user.x', b'1')", "fail error", _NO),
    "live connection": Scenario("talk.sendall(b'from the candidate')", "error", holds="BrokenPipe"),
    "memory map": Scenario("mapped[:] = 7; mapped.flush()", "fail error", _NO),
    "shared memory": Scenario("shm.buf[0] = 9", "fail", _NO),
    "timers and handlers": Scenario(
        "signal.signal(signal.SIGUSR1, lambda *_: 0); signal.setitimer(signal.ITIMER_REAL, 100)", "fail", _NO
    ),
    "settings of libraries": Scenario(
        "decimal.getcontext().prec = 3; np.seterr(all='raise'); pd.set_option('display.max_rows', 7)\n"
        "logging.getLogger().addHandler(logging.NullHandler())",
        "fail",
        _NO,
    ),
    "the repository": Scenario(
        "open('.git/HEAD', 'w').write('ref: x'); os.makedirs('.git/o'); os.rename('.git/refs', '.git/r')",
        "fail error",
        _NO,
    ),
    "the notebook's own file": Scenario("open('nb.ipynb', 'w').write('[]')", "fail error", _NO),
    "moves and closes descriptors": Scenario(
        "for n in os.listdir('/proc/self/fd'):\n"
        "    try: os.lseek(int(n), 1, 0); os.ftruncate(int(n), 0)\n    except OSError: pass\n"
        "for n in (fh.fileno(), fw.fileno(), talk.fileno()): os.close(n)",
        "fail error crashed harness",
        _NO,
    ),
    "atexit": Scenario(
        "import atexit; atexit.register(lambda: open('atexit.txt', 'w').write('x'))", "fail", _NO
    ),
    "shuts the kernel down": Scenario("get_ipython().kernel.do_shutdown(False)", "fail error", _NO),
    "warns": Scenario("warnings.warn('careful'); z = 6", "pass", holds="careful"),
    "reaches out": Scenario(
        "socket.create_connection(('192.0.2.1', 443), 1)", "error", holds="tried to reach 192.0.2.1:443"
    ),
}


def ending(execution: dict[str, Any]) -> str:
    if execution["status"] == "cut":
        return execution["stop"]
    if execution["status"] == "error":
        return "error"
    outcomes = {result["outcome"] for result in execution["assertions"]}
    return "pass" if outcomes == {"passed"} else "fail"


def differences(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What is not the same; of lists what is in one of the two only."""
    found = {}
    for key in before:
        left, right = before[key], after[key]
        if left != right and isinstance(left, list):
            left = [item for item in before[key] if before[key].count(item) != after[key].count(item)]
            right = [item for item in after[key] if before[key].count(item) != after[key].count(item)]
        if before[key] != after[key]:
            found[key] = (left, right)
    return found


def fingerprint(kernel: LiveKernel) -> dict[str, Any]:
    reply = kernel.run(FINGERPRINT)
    assert reply["status"] == "ok", reply
    return json.loads(reply["text"])


@pytest.fixture(scope="module")
def prepared(kernel: LiveKernel) -> LiveKernel:
    reply = kernel.run(SETUP)
    assert reply["status"] == "ok", reply
    # The first ones load what ipykernel needs to print and to send a large reply.
    fingerprint(kernel)
    kernel.attempt("z = 6; print('x' * 300000)", "assert z == 6")
    return kernel


@pytest.mark.parametrize(
    "means", ["overlay", pytest.param("landlock", marks=pytest.mark.full)], indirect=True
)
@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(prepared: LiveKernel, name: str, means: str) -> None:
    scenario = SCENARIOS[name]
    before = fingerprint(prepared)
    execution = prepared.attempt(scenario.candidate, *scenario.assertions, limits=scenario.limits)
    after = fingerprint(prepared)
    reported = json.dumps(execution, ensure_ascii=False)
    assert ending(execution) in scenario.ends.split(), reported
    assert scenario.holds in reported.replace("\\\\", "\\"), reported
    assert differences(before, after) == {}
