"""A hold-out that the user has run before, and the files that hold it, are out of a candidate's reach."""

from __future__ import annotations

import json
from typing import Any

import pytest
from live_kernel import LiveKernel

SECRET = "SECRET" + "-of-the-holdout"
HOLDOUT = f"expected_secret = '{SECRET}'\nassert double(21) == 42, expected_secret\n"
CHECK = "assert double(2) == 4"
#: What else hold-outs leave behind: functions, classes, errors within them, magics, outputs.
MORE = (
    f"""
secret_rows = [('{SECRET}', i) for i in range(3)]
def test_secret():
    "{SECRET}"
    local_secret = '{SECRET}'
    assert double(31) == 62, local_secret
class TestSecret(unittest.TestCase):
    expected = '{SECRET}'
    def test_it(self):
        self.assertEqual(double(33), 66, '{SECRET}')
for secret_row in secret_rows:
    assert double(7) == 14, secret_row
""",
    f"%%time\nassert double(55) == 110, '{SECRET}'",
    "test_secret()",
    "unittest.main(argv=['x'], exit=False)",
    f"secret_shown = '{SECRET}' + '!'\nassert double('{SECRET}') == '{SECRET}' * 2\nsecret_shown",
)
MORE_NAMES = ("test_secret", "TestSecret", "secret_shown")
#: The value of a name that the job lists as hidden is made where the user's cell says nothing of it.
HELPER = f"helper_secret = ['{SECRET}'.upper()]"

#: Each leaves what it found in `found`, a list of texts.
ROADS = {
    "names": """
import gc
found = [repr(sorted(globals()))]
for thing in gc.get_objects():
    try:
        found.append(str(thing.__qualname__))
    except Exception:
        pass
found = [text.replace("TestSecret", "-".join(["SECRET", "of", "the"])) for text in found]
found = [text.replace("test_secret", "-".join(["SECRET", "of", "the"])) for text in found]
""",
    "In": "found = list(In)",
    "_ih": "found = list(_ih)",
    "_i": "found = [_i, _ii, _iii, *[str(v) for k, v in list(globals().items()) if k.startswith('_i')]]",
    "outputs": "found = [repr(list(_oh.values())), repr(list(Out.items()))]",
    "history manager": """
manager = get_ipython().history_manager
found = [repr(value) for value in vars(manager).values()]
found += [repr(value) for value in manager._trait_values.values()]
found += [repr(list(manager.get_range(0, raw=raw))) for raw in (True, False)]
""",
    "history of the database": """
manager = get_ipython().history_manager
found = []
for look in (lambda: manager.get_tail(100), lambda: manager.search('*'), lambda: manager.get_range(-1)):
    try:
        found.append(repr(list(look())))
    except Exception:
        pass
""",
    "connections to the database": """
import gc, sqlite3
gc.unfreeze()
found = []
for thing in gc.get_objects():
    if isinstance(thing, sqlite3.Connection):
        try:
            found.append(repr(thing.execute("select source, source_raw from history").fetchall()))
        except sqlite3.Error:
            pass
""",
    "line cache": """
import linecache
found = ["".join(entry[2]) for entry in linecache.cache.values() if len(entry) > 2]
""",
    "last error": """
import sys
trace, found = getattr(sys, "last_traceback", None), [repr(getattr(sys, "last_value", None))]
while trace is not None:
    found.append(repr(trace.tb_frame.f_code.co_consts))
    trace = trace.tb_next
""",
    "last result": "found = [repr(vars(get_ipython().last_execution_result)), "
    "repr(vars(get_ipython().last_execution_result.info))]",
    "hidden name": "found = [repr(globals().get('helper_secret'))]",
    "files": """
import os
found = []
for folder, _, names in os.walk("."):
    for name in names:
        try:
            found.append(open(os.path.join(folder, name), "rb").read().decode("latin-1"))
        except OSError:
            pass
""",
    "files by other processes": """
import subprocess
found = [subprocess.run(["sh", "-c", "cat nb.ipynb .ipynb_checkpoints/*; find . -name 'history.sqlite*' "
    "-exec cat {} +"], capture_output=True).stdout.decode("latin-1")]
""",
    "files by links": """
import os, shutil
found = []
for make in (os.link, os.symlink, shutil.copy, os.rename):
    try:
        make("nb.ipynb", f"copy-{make.__name__}")
        found.append(open(f"copy-{make.__name__}").read())
    except OSError:
        pass
""",
    "descriptors": """
import os
found = []
for number in os.listdir("/proc/self/fd"):
    try:
        found.append(os.pread(int(number), 1 << 20, 0).decode("latin-1"))
    except OSError:
        pass
""",
    "the kernel in /proc": """
import glob, os
found = []
for pattern in ("fd/*", "cwd/nb.ipynb", "root" + os.getcwd() + "/nb.ipynb", "environ"):
    for name in glob.glob("/proc/[0-9]*/" + pattern):
        if os.path.isfile(name) and f"/proc/{os.getpid()}/" not in name:
            try:
                found.append(open(name, "rb").read(1 << 20).decode("latin-1"))
            except OSError:
                pass
""",
    "umount": """
import ctypes, os
libc = ctypes.CDLL(None)
libc.unshare(0x10020000)
for name in ("nb.ipynb", ".ipynb_checkpoints/nb-checkpoint.ipynb", "."):
    libc.umount2(os.path.abspath(name).encode(), 2)
os.chdir(os.getcwd())
found = []
try:
    found.append(open("nb.ipynb").read())
except OSError:
    pass
""",
}


@pytest.fixture(scope="module")
def used(kernel: LiveKernel) -> LiveKernel:
    """The user has run the cells; they are in the notebook file, its checkpoint and the history."""
    cells = [{"cell_type": "code", "source": source} for source in (HOLDOUT, CHECK, HELPER, *MORE)]
    text = json.dumps({"cells": cells})
    (kernel.folder / "nb.ipynb").write_text(text)
    (kernel.folder / ".ipynb_checkpoints").mkdir()
    (kernel.folder / ".ipynb_checkpoints" / "nb-checkpoint.ipynb").write_text(text)
    kernel.run(f"helper_secret = ['{SECRET[:6]}' + '{SECRET[6:]}']")
    kernel.run("import unittest\ndef double(x): return 0")
    kernel.run(CHECK)
    kernel.run(HOLDOUT)
    kernel.run("'a result'")
    kernel.run(HOLDOUT)
    for holdout in MORE:
        kernel.run(holdout)
    # What shows and completes code keeps pieces of it.
    for kind, content in (
        ("inspect_request", {"code": "test_secret", "cursor_pos": 8, "detail_level": 1}),
        ("complete_request", {"code": "test_sec", "cursor_pos": 8}),
    ):
        message = kernel.client.session.msg(kind, content)
        kernel.client.shell_channel.send(message)
        kernel.reply(message["header"]["msg_id"])
    kernel.run("lengths = {text[:1] + text[1:]: len(text) for text in In}")
    kernel.run("get_ipython().history_manager.writeout_cache()")
    return kernel


#: Those that the system closes, by one means or another; the others are closed within the process.
SYSTEM_ROADS = [road for road in ROADS if road.startswith(("files", "descriptors", "the kernel", "umount"))]
CASES = [(road, "overlay") for road in ROADS] + [(road, "landlock") for road in SYSTEM_ROADS]


def attempt(kernel: LiveKernel, candidate: str) -> dict[str, Any]:
    return kernel.attempt(
        f"{candidate}\nhits = [text[:300] for text in found if '-'.join(['SECRET', 'of', 'the']) in text]\n"
        "def double(x): return 2 * x",
        CHECK,
        "assert hits == []",
        holdouts=(HOLDOUT, *MORE),
        notebookPath="some/where/nb.ipynb",
        hiddenNames=[*("helper_secret", "expected_secret", "secret_rows", "secret_row"), *MORE_NAMES],
    )


@pytest.mark.parametrize(("road", "means"), CASES, indirect=["means"])
def test_a_hold_out_that_was_run_is_not_to_be_found(used: LiveKernel, road: str, means: str) -> None:
    execution = attempt(used, ROADS[road])
    assert "error" not in execution, execution["error"]
    outcomes = [result["outcome"] for result in execution["assertions"]]
    assert outcomes == ["passed"] * 10, str(execution)[:3000]


def test_a_hold_out_that_was_run_is_reported(used: LiveKernel) -> None:
    """Traces of it can remain: what it has made is still referred to."""
    (reported,) = attempt(used, "found = []")["warnings"]
    assert reported.startswith("You ran a hold-out cell in this kernel") and "Restart the kernel" in reported
    assert used.attempt("z = 1", "assert z == 1", holdouts=("assert z == 1, 'never run'",))["warnings"] == []


def test_a_second_kernel_has_no_traces_to_report(used: LiveKernel) -> None:
    assert used.attempt("z = 1", "assert z == 1", holdouts=(HOLDOUT,), sidecar=True)["warnings"] == []


def test_history_without_hold_outs_is_whole(used: LiveKernel) -> None:
    """The tests above can fail: where nothing is held out, all is there."""
    execution = used.attempt(f"{ROADS['In']}\nz = any('{SECRET}' in text for text in found)", "assert z")
    assert execution["assertions"][0]["outcome"] == "passed"


def test_nothing_is_hidden_from_the_user(used: LiveKernel) -> None:
    attempt(used, "found = []")
    assert used.run("print(sum('-'.join(['SECRET', 'of', 'the']) in text for text in In))")["text"] == "5\n"
    assert (
        used.run("print(len(helper_secret[0]), expected_secret == helper_secret[0])")["text"] == "21 True\n"
    )
    assert SECRET in (used.folder / "nb.ipynb").read_text()


def test_names_stay_unless_the_job_lists_them(used: LiveKernel) -> None:
    assert used.attempt("z = helper_secret", "assert len(z) == 1")["assertions"][0]["outcome"] == "passed"


def test_texts_of_the_users_own_stay(used: LiveKernel) -> None:
    """What looks like a request of ours is none in a variable of the user's."""
    used.run("mine = [\"modules['_jupyterlab_refine'].\" + 'call(text)']")
    execution = used.attempt("z = mine[0]", "assert z.endswith('].' + 'call(text)')")
    assert execution["assertions"][0]["outcome"] == "passed", execution


# Of a cell a part is held out: nbgrader's hidden tests

REGIONS = (
    "assert half(84) == {secret}",
    "assert half(\n    84) == {secret}",
    "for given in (84, 8):\n    if half(given) == given:\n        raise AssertionError({secret})",
    "np.testing.assert_equal(half(84), {secret})",
)
PEEK = """
import linecache
found = list(In)
found += ["".join(entry[2]) for entry in linecache.cache.values() if len(entry) > 2]
hits = [text for text in found if "-".join(["region", "secret"]) in text]
def half(x): return x // 2
"""


@pytest.mark.parametrize("blank", ["", "\n\n\n"])
@pytest.mark.parametrize("region", REGIONS)
def test_hidden_tests_of_a_cell_that_was_run_are_not_to_be_found(
    kernel: LiveKernel, region: str, blank: str
) -> None:
    region = region.format(secret=f"('region-secret-{len(blank)}' and 42)")
    begin, end = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"
    kernel.run("import linecache, numpy as np; linecache.cache.clear()\ndef half(x): return 0")
    kernel.run(f"assert half(2) == 1\n{begin}\n{region}\n{end}\n")
    execution = kernel.attempt(PEEK, "assert hits == []", holdouts=(blank + region + "\n",))
    assert [result["outcome"] for result in execution["assertions"]] == ["passed"] * 2, execution
    assert execution["warnings"][0].startswith("You ran a hold-out cell"), execution
    # Nothing of another cell's is taken for it.
    other = kernel.attempt(
        "def half(x): return x // 2", "assert half(2) == 1", holdouts=("assert half(6) == 3",)
    )
    assert other["warnings"] == []
