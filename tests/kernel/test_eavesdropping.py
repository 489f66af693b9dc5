"""Ways from the candidate's code to what the running scorer holds: each gives no score, or the honest one."""

from __future__ import annotations

import pytest
from live_kernel import LiveKernel
from test_scorer import HIDDEN, NEARLY, RMSE, score

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

IN_A_DICT = """
    for thing in gc.get_objects():
        if type(thing) is dict and 'y_test' in thing: return thing['y_test']"""
UP = """
    while frame:
        names = frame.f_locals.get('ns')
        if names: found.append(names['y_test'])
        frame = frame.f_back"""
#: y_test begins with 300, 306, 312; the needle itself is in memory too.
IN_MEMORY = """
    needle = np.array([300.0, 306.0]).tobytes()
    for line in open('/proc/self/maps'):
        area, rights = line.split()[:2]
        if not rights.startswith('rw'): continue
        start, end = (int(part, 16) for part in area.split('-'))
        try:
            memory.seek(start)
            data = memory.read(end - start)
        except (OSError, ValueError, OverflowError): continue
        at = data.find(needle)
        while at >= 0:
            numbers = np.frombuffer(data[at:at + 80]) if at % 8 == 0 and at + 80 <= len(data) else X[:, 0]
            if numbers[2] == 312: return numbers
            at = data.find(needle, at + 1)
    return X[:, 0]"""

ROADS = {
    "a fork of the scorer's process": f"""
import gc, os, pickle
def look():{IN_A_DICT}
def predict(X):
    r, w = os.pipe()
    if os.fork() == 0:
        try: os.write(w, pickle.dumps(look()))
        finally: os._exit(0)
    os.close(w)
    return pickle.loads(os.read(r, 60000))""",
    "memory as a file": f"def predict(X):\n    memory = open('/proc/self/mem', 'rb', 0){IN_MEMORY}",
    "memory, opened before": f"memory = open('/proc/self/mem', 'rb', 0)\ndef predict(X):{IN_MEMORY}",
    "memory, through a directory": f"""
import os
home = os.open('/proc/self', os.O_RDONLY)
def predict(X):
    memory = os.fdopen(os.open('mem', os.O_RDONLY, dir_fd=home), 'rb', 0){IN_MEMORY}""",
    "handler of a signal": f"""
import signal
def predict(X):
    found = []
    def handler(number, frame):{UP.replace(chr(10), chr(10) + "    ")}
    signal.signal(signal.SIGUSR1, handler)
    signal.raise_signal(signal.SIGUSR1)
    return found[-1]""",
    "handler from before": f"""
import signal
found = []
def handler(number, frame):{UP}
signal.signal(signal.SIGUSR1, handler)
def predict(X):
    signal.raise_signal(signal.SIGUSR1)
    return found[-1]""",
    "a file name of a library": """
import collections
exec(compile("import sys\\ndef look(): return sys._getframe(2).f_locals['ns']['y_test']",
             collections.__file__, 'exec'))
def predict(X): return look()""",
    "code from a text": """
exec("import sys\\ndef look(): return sys._getframe(2).f_locals['ns']['y_test']")
def predict(X): return look()""",
    "in a pool's thread": f"""
import concurrent.futures, sys
def predict(X):
    found = []
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        frames = pool.submit(sys._current_frames).result()
    for frame in frames.values():{UP.replace(chr(10), chr(10) + "    ")}
    return found[0]""",
    "debugger of the library": f"""
import bdb
found = []
class Debugger(bdb.Bdb):
    def user_line(self, frame):{UP.replace(chr(10), chr(10) + "    ")}
debugger = Debugger()
def predict(X):
    debugger.set_trace()
    x = 1
    debugger.set_quit()
    return found[0]""",
    "without audit hooks": f"import gc, sys\nsys.addaudithook = lambda h: None\ndef predict(X):{IN_A_DICT}",
    "without frames to ask": f"import gc, sys\nsys._getframe = lambda n=0: None\ndef predict(X):{IN_A_DICT}",
}

HONEST = {
    "processes": """
import collections, multiprocessing, warnings
def one(x):
    warnings.warn('careful')
    return collections.namedtuple('T', 'a')(3 * x + 1).a
def predict(X):
    with multiprocessing.get_context('fork').Pool(2) as pool: return np.array(pool.map(one, X[:, 0]))""",
    "code from a text": """
exec("import collections\\ndef line(x): return collections.namedtuple('T', 'a')(3 * x + 1).a")
def predict(X): return line(X[:, 0])""",
    "a time limit of its own": """
import signal, time
def predict(X):
    def late(number, frame): raise TimeoutError
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try: time.sleep(10)
    except TimeoutError: pass
    finally: signal.signal(signal.SIGALRM, before)
    return 3 * X[:, 0] + 1""",
    "files": """
import os, pathlib
def predict(X):
    pathlib.Path('/proc/self/status').read_text()
    open(os.devnull).read()
    return 3 * X[:, 0] + 1""",
}


@pytest.fixture(scope="module")
def data(kernel: LiveKernel) -> LiveKernel:
    kernel.run(
        "import numpy as np\nX_test = 100 + np.arange(20.0).reshape(10, 2)\ny_test = 3 * X_test[:, 0]\n"
        "def predict(X): return 0 * X[:, 0]"
    )
    return kernel


@pytest.mark.parametrize("name", ROADS)
def test_no_way_to_hidden_data_gives_a_score(data: LiveKernel, name: str) -> None:
    execution = score(data, ROADS[name], RMSE, hidden=HIDDEN, limits={"seconds": 10})
    assert execution["status"] == "completed", execution
    assert execution["scored"]["value"] is None, execution


@pytest.mark.parametrize("name", HONEST)
def test_what_looks_similar_gets_its_score(data: LiveKernel, name: str) -> None:
    execution = score(data, HONEST[name], RMSE, hidden=HIDDEN)
    assert execution["scored"].get("value") == 1.0, execution
    assert execution["tampering"] == []


def test_the_honest_score_here(data: LiveKernel) -> None:
    assert score(data, NEARLY, RMSE, hidden=HIDDEN)["scored"]["value"] == 1.0
