"""Copies of variables for a second kernel, where the user's own cannot be forked."""

from __future__ import annotations

import os
import stat
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_kernel import LiveKernel

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def second(python: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    live = LiveKernel(python, tmp_path_factory.mktemp("second"))
    try:
        live.call("hello")
        yield live
    finally:
        live.close()


def pack(kernel: LiveKernel, candidate: str, *others: str, **fields: Any) -> dict[str, Any]:
    request = {
        "step": "pack",
        "id": uuid.uuid4().hex,
        "candidate": candidate,
        "others": others,
        "hidden": [],
        "known": [],
        "without": {},
        "cloudpickle": None,
        "limitBytes": 100 * MEGABYTE,
        "seconds": 20,
        **fields,
    }
    return kernel.call("share", **request)


def load(second: LiveKernel, packed: dict[str, Any]) -> dict[str, Any]:
    assert packed["state"] == "packed", packed
    return second.call("share", step="load", path=packed["path"], nonce=packed["nonce"])


def send(
    kernel: LiveKernel, second: LiveKernel, candidate: str, *others: str, **fields: Any
) -> dict[str, Any]:
    packed = pack(kernel, candidate, *others, **fields)
    loaded = load(second, packed)
    assert loaded["state"] == "loaded", loaded
    return packed


def left(packed: dict[str, Any]) -> dict[str, str]:
    return {entry["name"]: entry["reason"] for entry in packed["left"]}


def test_named_variables_go_over_with_what_they_share(kernel: LiveKernel, second: LiveKernel) -> None:
    kernel.run(
        "import pandas as pd\nrows = [1, 2]\ntable = {'rows': rows}\n"
        "sales = pd.DataFrame({'a': rows})\nother = 5"
    )
    packed = send(
        kernel, second, "rows.append(3)", "assert table['rows'] is rows and list(sales.a) == [1, 2]"
    )
    assert packed["names"] == ["rows", "table", "sales"]
    assert packed["left"] == []
    execution = second.attempt("rows.append(3)", "assert table['rows'] is rows", "assert rows == [1, 2, 3]")
    assert [a["outcome"] for a in execution["assertions"]] == ["passed", "passed"]
    assert second.run("print('other' in globals(), rows)")["text"] == "False [1, 2]\n"


def test_a_later_transfer_removes_other_variables(kernel: LiveKernel, second: LiveKernel) -> None:
    kernel.run("first = 1\nsecondly = 2")
    send(kernel, second, "first")
    send(kernel, second, "secondly")
    assert second.run("print('first' in globals(), secondly)")["text"] == "False 2\n"


def test_nothing_is_written_when_all_is_known(kernel: LiveKernel) -> None:
    kernel.run("known = 1\nnew = 2")
    assert pack(kernel, "known", known=["known"])["state"] == "same"
    assert pack(kernel, "known + new", known=["known"])["state"] == "packed"


def test_functions_of_the_notebook_bring_what_they_name(kernel: LiveKernel, second: LiveKernel) -> None:
    kernel.run(
        "import math, functools\n"
        "factor = 3\n"
        "def scaled(x, by=factor):\n    'Scales.'\n    return math.floor(x * by) + offset()\n"
        "def offset():\n    return base\n"
        "base = 100\n"
        "@functools.lru_cache(maxsize=8)\ndef even(n): return n == 0 or odd(n - 1)\n"
        "def odd(n): return n != 0 and even(n - 1)\n"
        "def counter():\n"
        "    count = 0\n"
        "    def more():\n        nonlocal count\n        count += 1\n        return count\n"
        "    def current():\n        return count\n"
        "    def again(n):\n        return again(n - 1) if n else current()\n"
        "    return more, current, again\n"
        "more, current, again = counter()\nmore()"
    )
    packed = send(kernel, second, "scaled(1.5), even(4), more(), again(2), current()")
    assert set(packed["names"]) >= {"scaled", "math", "offset", "base", "even", "odd"}
    reported = second.run(
        "print(scaled(1.5), scaled.__doc__, even(4), more(), current(), again(2), scaled.__module__)"
    )
    assert reported["text"] == "104 Scales. True 2 2 2 __main__\n"
    # Bound to the second kernel's variables: what a candidate changes, the function sees.
    execution = second.attempt("base = 0", "assert scaled(1.5) == 4")
    assert execution["assertions"][0]["outcome"] == "passed"
    assert kernel.run("print(more())")["text"] == "2\n"


CLASSES = """
import dataclasses, enum
class Base:
    unit = "kg"
    def show(self): return f"{self.value} {self.unit}{tail}"
@dataclasses.dataclass
class Weight(Base):
    value: float
    def __post_init__(self): super().__init__()
class Colour(enum.Enum):
    RED = 1
tail = "."
weight = Weight(2.5)
chosen = [Colour.RED, weight]
"""


@pytest.mark.parametrize("by", ["source", "cloudpickle"])
def test_instances_of_classes_of_the_notebook(kernel: LiveKernel, second: LiveKernel, by: str) -> None:
    found = second.call("share", step="hello")["cloudpickle"]
    if by == "cloudpickle" and found is None:
        pytest.skip("cloudpickle is not installed in this environment")
    kernel.run(CLASSES)
    fields = {"cloudpickle": found if by == "cloudpickle" else None}
    send(kernel, second, "weight.show()", "assert chosen[0].name == 'RED'", **fields)
    reported = second.run("print(weight.show(), chosen[0], chosen[1] is weight, weight == type(weight)(2.5))")
    assert reported["text"] == "2.5 kg. Colour.RED True True\n"


UNCOPYABLE = """
import sqlite3, threading
conn = sqlite3.connect(":memory:")
lines = (n for n in range(3))
holder = {"text": "x" * 1_000_000, "lock": threading.Lock()}
def query(): return conn.execute("select 1")
plain = 7
"""


def test_what_cannot_go_over_is_named_with_its_reason(kernel: LiveKernel, second: LiveKernel) -> None:
    kernel.run(UNCOPYABLE)
    packed = send(kernel, second, "query(), lines, holder, plain")
    assert left(packed) == {
        "conn": "a sqlite3.Connection cannot be copied",
        "lines": "a generator cannot be copied",
        "holder": "a dict holds a _thread.lock, which cannot be copied",
    }
    assert set(packed["names"]) == {"query", "plain"}
    # Nothing of what has failed is left in the file.
    assert packed["bytes"] < 100_000
    assert kernel.run("print(next(lines))")["text"] == "0\n"


def test_what_the_candidate_binds_itself_is_not_missed(kernel: LiveKernel) -> None:
    kernel.run(UNCOPYABLE)
    packed = pack(kernel, "conn = 1\nfor lines in []: pass", "assert conn == plain")
    assert left(packed) == {}
    assert packed["names"] == ["plain"]
    assert left(pack(kernel, "print(conn)\nconn = 1")) == {"conn": "a sqlite3.Connection cannot be copied"}


def test_names_in_magics_go_over_and_hidden_ones_do_not(kernel: LiveKernel) -> None:
    kernel.run("timed = 1\nheld = 2\ndef through(): return held")
    packed = pack(kernel, "%timeit timed", "assert held + through()", hidden=["held"])
    assert packed["names"] == ["through", "timed"]


def test_nothing_of_the_candidate_runs(kernel: LiveKernel) -> None:
    kernel.run("ran = []")
    pack(kernel, "ran.append(1)\n@ran.append\ndef f(x=ran.append(2)): pass", "ran.append(3)")
    assert kernel.run("print(ran)")["text"] == "[]\n"


def test_the_file_is_private_and_removed_after_loading(kernel: LiveKernel, second: LiveKernel) -> None:
    kernel.run("value = 1")
    packed = pack(kernel, "value")
    path = Path(packed["path"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load(second, packed)["state"] == "loaded"
    assert not path.exists()


def test_a_file_with_another_nonce_is_not_read(kernel: LiveKernel, second: LiveKernel) -> None:
    kernel.run("value = 1")
    packed = pack(kernel, "value")
    assert load(second, {**packed, "nonce": "0" * 32})["state"] == "unseen"
    os.chmod(packed["path"], 0o644)
    assert load(second, packed)["state"] == "unseen"
    assert kernel.call("share", step="drop", token=packed["token"])["state"] == "dropped"
    assert not Path(packed["path"]).exists()


def test_a_failed_load_names_the_variable_and_removes_the_file(
    kernel: LiveKernel, second: LiveKernel
) -> None:
    kernel.run("class Odd:\n    def __reduce__(self): return int, ('x',)\nodd = Odd()\nfine = 1")
    packed = pack(kernel, "odd, fine")
    loaded = load(second, packed)
    assert (loaded["state"], loaded["name"]) == ("failed", "odd")
    assert "ValueError: invalid literal for int()" in loaded["reason"]
    assert not Path(packed["path"]).exists()
    packed = send(kernel, second, "odd, fine", without={"odd": loaded["reason"]})
    assert packed["names"] == ["fine"]
    assert left(packed) == {"odd": loaded["reason"]}


def test_it_goes_over_in_parts_where_the_file_is_not_seen(kernel: LiveKernel, second: LiveKernel) -> None:
    kernel.run("text = 'abc' * 1000")
    packed = pack(kernel, "text")
    for offset in range(0, packed["bytes"], 1000):
        part = kernel.call("share", step="read", token=packed["token"], offset=offset, size=1000)
        second.call("share", step="part", nonce=packed["nonce"], data=part["data"])
    assert second.call("share", step="load", path=None, nonce=packed["nonce"])["state"] == "loaded"
    assert second.run("print(len(text))")["text"] == "3000\n"
    kernel.call("share", step="drop", token=packed["token"])


def test_too_large(kernel: LiveKernel) -> None:
    kernel.run("import numpy as np\nlarge = np.zeros(400_000)\nsmall = 1")
    packed = pack(kernel, "large, small", limitBytes=MEGABYTE)
    assert left(packed) == {
        "large": "all copies together may have 1 MB, and with this numpy.ndarray they have more"
    }
    assert packed["names"] == ["small"]


SLOW = """
import time
class Slow:
    def __reduce__(self):
        open("copying", "w").close()
        time.sleep(60)
        return int, ()
slow = Slow()
"""


def files() -> set[str]:
    return {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("refine-share-")}


def test_a_slow_one_is_ended_at_the_limit(kernel: LiveKernel) -> None:
    kernel.run(SLOW)
    before = files()
    started_at = time.monotonic()
    assert pack(kernel, "slow", seconds=0.5) == {"state": "cut", "why": "late", "name": "slow"}
    assert time.monotonic() - started_at < 10
    assert files() <= before
    assert kernel.run("print(1)")["text"] == "1\n"


@pytest.mark.parametrize("how", ["interrupted", "cancelled"])
def test_a_slow_one_can_be_ended(kernel: LiveKernel, how: str) -> None:
    kernel.run(SLOW + "import signal; before = signal.getsignal(signal.SIGINT)")
    copying = kernel.folder / "copying"
    copying.unlink(missing_ok=True)
    answers: list[dict[str, Any]] = []
    thread = threading.Thread(target=lambda: answers.append(pack(kernel, "slow", seconds=50, id="mine")))
    thread.start()
    end = time.monotonic() + 20
    while not copying.exists() and time.monotonic() < end:
        time.sleep(0.01)
    while thread.is_alive() and time.monotonic() < end:
        if how == "cancelled":
            kernel.control("cancel-share", id="mine")
        else:
            os.kill(kernel.pid, 2)
        thread.join(0.2)
    assert [(answer["state"], answer["why"]) for answer in answers] == [("cut", how)]
    assert kernel.run("print(signal.getsignal(signal.SIGINT) == before)")["text"] == "True\n"


def test_a_transfer_cancelled_before_its_start_copies_nothing(kernel: LiveKernel) -> None:
    kernel.run("kept = 1")
    kernel.control("cancel-share", id="early")
    assert pack(kernel, "kept", id="early")["state"] == "cut"
    assert pack(kernel, "kept", id="early")["state"] == "packed"


def test_surroundings_are_the_same(kernel: LiveKernel, second: LiveKernel, tmp_path: Path) -> None:
    (tmp_path / "mine_here.py").write_text("def mine(): return 'mine'\n")
    kernel.run(
        f"import os, sys, random\nsys.path.append({str(tmp_path)!r})\nfrom mine_here import mine\n"
        f"os.environ['REFINE_SET_HERE'] = 'yes'\nos.environ['MY_API_KEY'] = 'secret-value'\n"
        "home = os.getcwd()\n"
        f"os.chdir({str(tmp_path)!r})\nrandom.seed(7)"
    )
    send(kernel, second, "mine()")
    reported = second.run(
        "import os, random\nprint(mine(), os.environ['REFINE_SET_HERE'], os.environ.get('MY_API_KEY'), "
        f"os.getcwd() == {str(tmp_path)!r}, random.random())"
    )
    assert reported["text"].split() == ["mine", "yes", "None", "True", "0.32383276483316237"]
    kernel.run("os.chdir(home)")


def test_submodules_that_are_named_are_there(kernel: LiveKernel, second: LiveKernel) -> None:
    kernel.run("import xml.dom.minidom, xml")
    send(kernel, second, "xml.dom.minidom.parseString('<a/>')")
    assert second.run("print(xml.dom.minidom.__name__)")["text"] == "xml.dom.minidom\n"


def test_nothing_is_left_in_the_user_s_namespace(kernel: LiveKernel) -> None:
    kernel.run("import gc\nkept = [1]\nseen = sorted(globals())")
    pack(kernel, "kept")
    new = kernel.run("print(sorted(set(globals()) - set(seen) - {'seen'}))")["text"]
    assert all(name.startswith("_") for name in eval(new)), new
