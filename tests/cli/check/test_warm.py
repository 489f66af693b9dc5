"""``jupyter refine check`` in warm processes: what code may do, and what each row says."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import pytest
from command import CommandLine, code, read_events


def rows(done: Any, notebook: int = 0) -> dict[str, Any]:
    """The rows of a notebook by cell."""
    return {target["cellId"]: target for target in done.results["notebooks"][notebook]["targets"]}


def kinds(done: Any, notebook: int = 0) -> list[str | None]:
    """Why each target of a notebook did not pass; None for a pass."""
    return [row["reason"] and row["reason"]["kind"] for row in rows(done, notebook).values()]


def target(name: str, source: str, check: str = "assert True is not None") -> list[dict[str, Any]]:
    return [code(name, source), code(f"{name}-check", check, tags=["refine-assert"])]


def test_every_end_of_a_target_has_its_reason(cli: CommandLine) -> None:
    cells = [
        *target("good", "x = 1", "assert x == 1"),
        *target("crash", "import os\nos._exit(7)"),
        *target("memory", "big = b'x' * (1 << 50)"),
        *target("syntax", "def f(:\n  pass"),
        *target("module", "import no_such_module"),
        *target("raises", "1 / 0"),
        *target("value", "y = [1, 2]", "assert y == [1, 3]"),
        *target("last", "z = x", "assert z == 1"),
    ]
    cli.notebook("n.ipynb", cells)
    done = cli.run("check", "n.ipynb", "--json")
    assert done.status == 1, done.stderr
    assert kinds(done) == [
        None,
        "crash",
        "memory",
        "syntax",
        "missing-module",
        "error",
        "wrong-value",
        None,
    ]
    assert "expected [1, 3], observed [1, 2]" in rows(done)["value"]["reason"]["message"]
    assert "exit status 7" in rows(done)["crash"]["reason"]["message"]


def test_nothing_of_a_notebook_runs_for_real(cli: CommandLine) -> None:
    kept = cli.folder / "kept.txt"
    kept.write_text("mine")
    cell = "import os\nos.remove('kept.txt')\nopen('new.txt', 'w').write('x')"
    cli.notebook("n.ipynb", [code("above", cell), *target("t", "open('t.txt', 'w')\nx = 1", "assert x == 1")])
    done = cli.run("check", "n.ipynb")
    assert done.status == 0, done.stderr
    assert sorted(path.name for path in cli.folder.iterdir()) == ["kept.txt", "n.ipynb"]
    assert kept.read_text() == "mine"


def test_a_notebook_is_read_by_its_cells_unless_it_hides_checks(cli: CommandLine) -> None:
    """As otter does, which keeps tests in its metadata."""
    above = code("above", "text = open('n.ipynb').read()")
    cells = [above, *target("t", "size = len(text)", "assert size > 9")]
    cli.notebook("n.ipynb", cells)
    assert cli.run("check", "n.ipynb").status == 0
    cli.notebook("n.ipynb", [*cells, code("h", "assert size > 8", tags=["refine-holdout"])])
    assert cli.run("check", "n.ipynb").status == 1


PATCHES = """
import sys, builtins, json
for name, module in list(sys.modules.items()):
    if name.startswith('_jupyterlab_refine'):
        for key, value in list(vars(module).items()):
            if callable(value) and not isinstance(value, type):
                try: setattr(module, key, lambda *a, **k: True)
                except Exception: pass
"""


def test_code_that_patches_the_harness_reaches_no_other_target(cli: CommandLine) -> None:
    wrong = target("wrong", "def f(n): return 0", "assert f(2) == 2")
    cli.notebook(
        "bad.ipynb",
        [*target("patch", f"try:{PATCHES.replace(chr(10), chr(10) + '  ')}\nfinally: x = 1"), *wrong],
    )
    cli.notebook("next.ipynb", wrong)
    done = cli.run("check", "bad.ipynb", "next.ipynb", "--json", "--attempt-timeout", "3")
    assert done.status == 1, done.stderr
    assert not rows(done)["wrong"]["passed"]
    assert rows(done, 1)["wrong"]["reason"]["kind"] == "wrong-value"


def test_targets_after_a_broken_cell_have_rows(cli: CommandLine) -> None:
    cells = [
        *target("t1", "x = 1"),
        code("broken", "import os\nos._exit(1)"),
        *target("t2", "y = 1"),
        *target("t3", "z = 1"),
    ]
    cli.notebook("n.ipynb", cells)
    done = cli.run("check", "n.ipynb", "--json")
    # A crash of the notebook's own is no error of ours.
    assert done.status == 1, done.stderr
    assert kinds(done) == [None, "not-checked", "not-checked"]
    assert "[broken] above failed: crashed" in rows(done)["t3"]["reason"]["message"]


def test_cell_above_that_never_ends_is_named_with_its_time(cli: CommandLine) -> None:
    cells = [
        code("quick", "x = 1"),
        code("loop", "while True: pass"),
        *target("t", "y = x"),
        *target("u", "z = x"),
    ]
    cli.notebook("n.ipynb", cells)
    done = cli.run("check", "n.ipynb", "--json", "--session-timeout", "3")
    assert done.status == 2, done.stderr
    assert kinds(done) == ["not-checked", "not-checked"]
    for name in ("t", "u"):
        message = rows(done)[name]["reason"]["message"]
        assert "cell 1 [loop] above ran longer than 3 s (--session-timeout)" in message


def test_workers_give_the_same_rows_in_the_same_order(cli: CommandLine) -> None:
    names = [f"n{number}.ipynb" for number in range(5)]
    for number, name in enumerate(names):
        pause = "import time\ntime.sleep(1)\n" if number == 0 else ""
        cli.notebook(name, target("t", f"{pause}x = {number % 2}", "assert x == 0"))
    one = cli.run("check", *names)
    three = cli.run("check", *names, "--workers", "3")
    assert one.status == three.status == 1, three.stderr
    assert one.stdout == three.stdout
    assert [line.split()[1] for line in one.stdout.splitlines()] == names


def test_cells_above_are_those_of_the_notebook(cli: CommandLine) -> None:
    (cli.folder / "beside.py").write_text("value = 3")
    cells = [
        code("magic", "%precision 3\nimport beside"),
        code("state", "items = [beside.value]"),
        *target(
            "t",
            "items.append(get_ipython().__class__.__name__)",
            "assert items == [3, 'ZMQInteractiveShell']",
        ),
        *target("t2", "n = len(items)", "assert n == 2"),
    ]
    cli.notebook("sub/n.ipynb", cells)
    (cli.folder / "beside.py").rename(cli.folder / "sub" / "beside.py")
    done = cli.run("check", "sub/n.ipynb", "--strict")
    assert done.status == 0, done.stderr + done.stdout


def test_another_interpreter_of_a_kernelspec_runs_the_cells(cli: CommandLine, tmp_path: Any) -> None:
    other = next(
        (path for path in os.environ.get("REFINE_TEST_PYTHONS", "").split(":") if path != sys.executable),
        None,
    )
    if not other:
        pytest.skip("REFINE_TEST_PYTHONS names no other Python")
    folder = tmp_path / "home" / "data" / "kernels" / "other"
    folder.mkdir(parents=True)
    argv = [other, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (folder / "kernel.json").write_text(json.dumps({"argv": argv, "env": {"REFINE_SEEN": "yes"}}))
    check = f"assert (where, seen) == ({os.path.dirname(os.path.dirname(other))!r}, 'yes')"
    cli.notebook(
        "n.ipynb", target("t", "import os, sys\nwhere, seen = sys.prefix, os.environ['REFINE_SEEN']", check)
    )
    done = cli.run("check", "n.ipynb", "--kernel", "other", "--events", "events.jsonl")
    assert done.status == 0, done.stderr + done.stdout
    assert read_events(cli.folder / "events.jsonl")[0]["isolation"]["mode"] == "fork"


def test_a_kernel_whose_program_is_gone_names_it(cli: CommandLine, tmp_path: Any) -> None:
    folder = tmp_path / "kernels" / "mine"
    folder.mkdir(parents=True)
    spec = {"argv": ["/gone/bin/python", "{connection_file}"], "display_name": "M", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec))
    cli.notebook("n.ipynb", target("t", "x = 1", "assert x == 1"))
    environment = {"JUPYTER_PATH": str(tmp_path)}
    done = cli.run("check", "n.ipynb", "--kernel", "mine", environment=environment)
    assert done.status == 3
    assert "The kernel mine cannot be started: its program /gone/bin/python does not exist." in done.stdout


def test_where_python_cannot_be_forked_a_kernel_takes_over(cli: CommandLine, tmp_path: Any) -> None:
    # A thread with the name of one of polars', in the warm process alone.
    patch = """
import sys
if any("start.py" in part for part in sys.orig_argv):
    import threading
    started = threading.Event()
    def wait():
        open(f"/proc/self/task/{threading.get_native_id()}/comm", "w").write("polars-0")
        started.set()
        threading.Event().wait()
    threading.Thread(target=wait, daemon=True).start()
    started.wait()
"""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(patch)
    cli.notebook(
        "n.ipynb", [code("above", "open('real', 'w').close()"), *target("t", "x = 1", "assert x == 1")]
    )
    done = cli.run("check", "n.ipynb", environment={"PYTHONPATH": str(folder)})
    assert done.status == 0, done.stderr
    assert (cli.folder / "real").exists()


SEND = """
import gc, json, os, time
pipe = next(o._descriptor for o in gc.get_objects() if type(o).__name__ == 'Events')
def send(**event): os.write(pipe, json.dumps(event).encode() + b'\\n')
def deep(n): return {'cause': deep(n - 1)} if n else {}
"""
ERROR = "{'name': 'E', 'message': '', 'traceback': ''"


FORGED = [
    f"send(t='candidate', error={ERROR}, 'candidateLine': float('nan')}})",
    f"send(t='candidate', error={ERROR}, 'candidateLine': 1e999}})",
    f"send(t='candidate', error={ERROR}, 'frames': [{{'where': 'moon'}}]}})",
    f"send(t='candidate', error={ERROR}, **deep(600)}})",
    "send(t='candidate', error={'name': 3}, denied=[{}])",
    "send(t='candidate', error='x', denied=[])",
    "send(t='above', number=10**400)",
    "[send(t='display', display={'mime': 'a', 'data': 'x' * 2**25}) for _ in range(8)]",
    "while True: os.write(pipe, b'x' * 65536)",
]


def test_forged_results_end_their_own_target_alone(cli: CommandLine) -> None:
    names = [f"n{number}.ipynb" for number in range(len(FORGED))]
    for name, forged in zip(names, FORGED, strict=True):
        cell = f"{SEND}\n{forged}\ntime.sleep(8)"
        cli.notebook(name, [*target("forged", cell), *target("next", "x = 1", "assert x == 1")])
    done = cli.run("check", *names, "--json", "--attempt-timeout", "2", "--workers", "4")
    assert done.status == 1, done.stderr
    for number, forged in enumerate(FORGED):
        first, second = kinds(done, number)
        assert (first in ("hang", "output", "error"), second) == (True, None), forged


def test_the_name_of_a_kernel_is_no_path(cli: CommandLine) -> None:
    (cli.folder / "site").mkdir()
    (cli.folder / "site" / "sitecustomize.py").write_text("open('real', 'w').close()")
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "env": {"PYTHONPATH": "/proc/self/cwd/site"}}
    (cli.folder / "kernel.json").write_text(json.dumps(spec))
    name = {"name": "/proc/self/cwd/", "display_name": "x", "language": "python"}
    cli.notebook("n.ipynb", target("t", "x = 1", "assert x == 1"), kernelspec=name)
    done = cli.run("check", "n.ipynb")
    assert "there is no kernel /proc/self/cwd/ here, so python3 runs it" in done.stderr
    assert not (cli.folder / "real").exists()


def test_nothing_outlives_a_command_that_is_killed(cli: CommandLine) -> None:
    hidden = """
import ctypes, os, time
for _ in range(2):
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    os.fork()
    os.setsid() if os.getpid() != os.getsid(0) else None
open('/dev/shm/started', 'w').close()
time.sleep(100)
"""
    cli.notebook("n.ipynb", target("t", hidden))
    process = cli.start("check", "n.ipynb", "--attempt-timeout", "90")
    end = time.monotonic() + 20
    while len(cli.processes()) < 6 and time.monotonic() < end:
        time.sleep(0.1)
    process.kill()
    process.communicate()
    cli.wait_for_no_process(10)


def test_a_notebook_that_runs_for_real_is_named(cli: CommandLine) -> None:
    scorer = code("s", "def score(ns): return 1", tags=["refine-scorer"])
    cli.notebook("n.ipynb", [*target("t", "x = 1", "assert x == 1"), scorer])
    done = cli.run("check", "n.ipynb")
    assert "n.ipynb runs in a kernel, its cells above the targets for real" in done.stderr


def test_attempts_leave_the_kernel_as_it_was(cli: CommandLine) -> None:
    cli.notebook(
        "n.ipynb",
        [
            code("above", "items = [1]"),
            code("t1", "items.append(2)\nx = undefined_name"),
            code("a1", "assert x"),
            code("t2", "count = len(items)"),
            code("a2", "assert count == 2"),
        ],
    )
    done = cli.run("check", "n.ipynb", "--cell", "t2", "--json")
    assert done.status == 0, done.stderr
    assert "cell 1 [t1]: NameError" in done.stderr
    # As targets of one run the first is checked, then run for real, where its error is an outcome.
    done = cli.run("check", "n.ipynb", "--json")
    assert [target["passed"] for target in done.results["notebooks"][0]["targets"]] == [False, True]


def test_language_of_the_kernel_wins_over_a_stale_one(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")], language_info={"name": "julia"})
    for flags in ([], ["--kernel", "python3"]):
        done = cli.run("check", "n.ipynb", *flags)
        assert done.status == 0, done.stderr
