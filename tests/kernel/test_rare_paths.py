"""What a kernel may be in when an attempt begins, and what its harness must survive: rare, but each met."""

from __future__ import annotations

import contextlib
import ctypes.util
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from live_kernel import LiveKernel, job

#: On the other kernels in `make test-full`.
FIRST_KERNEL_ONLY = True

#: Set the module of the kernel part to try what takes a minute otherwise.
_MODULE = "__import__('sys').modules['_jupyterlab_refine.{}']"


def outcomes(execution: dict[str, Any]) -> list[str]:
    return [result["outcome"] for result in execution["assertions"]]


def children(kernel: LiveKernel) -> list[str]:
    with open(f"/proc/{kernel.pid}/task/{kernel.pid}/children") as file:
        return file.read().split()


def wait_until(held: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not held() and time.monotonic() < end:
        time.sleep(0.02)
    return held()


@pytest.fixture
def own(
    python: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LiveKernel]:
    """A kernel for one test, which changes it for good; it may be killed before it has tidied up."""
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("temporary")))
    live = LiveKernel(python, tmp_path_factory.mktemp("own"))
    try:
        live.call("hello")
        yield live
    finally:
        live.close()


# Threads of the kernel's are not in the child


def test_an_executor_of_the_users_works_in_an_attempt(kernel: LiveKernel) -> None:
    kernel.run(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "executor = ThreadPoolExecutor(2)\nassert executor.submit(abs, -3).result() == 3\n"
        "unused = ThreadPoolExecutor(2)"
    )
    candidate = "z = executor.submit(abs, -6).result(5) + unused.submit(abs, -1).result(5)"
    assert outcomes(kernel.attempt(candidate, "assert z == 7")) == ["passed"]
    assert kernel.run("print(executor.submit(abs, -4).result(5))")["text"] == "4\n"


@pytest.mark.skipif(not ctypes.util.find_library("gomp"), reason="there is no GNU OpenMP")
def test_openmp_that_the_user_has_started_works_in_an_attempt(own: LiveKernel) -> None:
    """Without a word to it before the fork it waits for its workers for ever."""
    # There were no workers then.
    assert outcomes(own.attempt("z = 6", "assert z == 6")) == ["passed"]
    own.run(
        "import ctypes, os\ngomp, libc = ctypes.CDLL('libgomp.so.1'), ctypes.CDLL(None)\n"
        "def parallel():\n"
        "    gomp.GOMP_parallel(ctypes.cast(libc.getpid, ctypes.c_void_p), None, 4, 0)"
    )
    for _ in range(3):
        # It starts its workers anew.
        own.run("parallel()")
        execution = own.attempt("parallel()\nz = 6", "assert z == 6", limits={"seconds": 10})
        assert outcomes(execution) == ["passed"], execution
    assert own.run("parallel(); print('alive')")["text"] == "alive\n"


def test_cell_magics_that_keep_a_loop_in_a_thread(kernel: LiveKernel) -> None:
    assert kernel.run("%%bash\necho one")["text"] == "one\n"
    execution = kernel.attempt("%%bash\necho two", "assert True", limits={"seconds": 10})
    assert (execution["stdout"], outcomes(execution)) == ("two\n", ["passed"])


# Shared memory and files that have no name any more


def test_shared_memory_without_a_file(kernel: LiveKernel) -> None:
    kernel.run(
        "import mmap, os\nshared = mmap.mmap(-1, 8192)\nshared[:4] = b'kept'\n"
        "open('gone.bin', 'wb').write(b'kept' + bytes(8188))\n"
        "file = open('gone.bin', 'r+b'); mapped = mmap.mmap(file.fileno(), 8192)\n"
        "os.unlink('gone.bin'); file.close()\n"
        "open('other.bin', 'wb').write(b'kept' + bytes(8188))\n"
        "file = open('other.bin', 'r+b'); replaced = mmap.mmap(file.fileno(), 8192)\n"
        "os.unlink('other.bin'); open('other.bin', 'wb').write(b'else' + bytes(8188)); file.close()"
    )
    candidate = (
        "seen = [bytes(one[:4]) for one in (shared, mapped, replaced)]\n"
        "for one in (shared, mapped, replaced): one[:4] = b'lost'\n"
        "now = {bytes(one[:4]) for one in (shared, mapped, replaced)}"
    )
    execution = kernel.attempt(candidate, "assert seen == [b'kept'] * 3", "assert now == {b'lost'}")
    assert outcomes(execution) == ["passed"] * 2, execution
    assert kernel.run("print(shared[:4], mapped[:4], replaced[:4])")["text"] == "b'kept' b'kept' b'kept'\n"


def test_shared_memory_that_is_too_large_to_copy_is_read_only(kernel: LiveKernel) -> None:
    kernel.run("import mmap\nlarge = mmap.mmap(-1, (256 << 20) + 4096)\nlarge[:4] = b'kept'")
    assert outcomes(kernel.attempt("z = large[:4]", "assert z == b'kept'")) == ["passed"]
    execution = kernel.attempt("large[:4] = b'lost'", "assert True")
    assert (execution["stop"], execution["stopMessage"]) == ("crashed", "crashed: killed by SIGSEGV")
    assert kernel.run("print(large[:4]); large.close()")["text"] == "b'kept'\n"


def test_an_open_file_that_was_deleted(kernel: LiveKernel) -> None:
    kernel.run(
        "import os\nopen('gone.txt', 'w').write('first\\nsecond\\n')\n"
        "gone = open('gone.txt', 'rb', buffering=0)\nos.unlink('gone.txt')\nfirst = gone.readline()"
    )
    assert outcomes(kernel.attempt("z = gone.read()", "assert z == b'second\\n'")) == ["passed"]
    assert kernel.run("print(gone.read())")["text"] == "b'second\\n'\n"


def test_a_descriptor_that_only_names_a_file(kernel: LiveKernel) -> None:
    """It can neither be copied nor opened anew: a dead end, as sockets are."""
    kernel.run("import os\nopen('named', 'w').close()\nnamed = os.open('named', os.O_PATH)")
    candidate = "import stat\nz = stat.S_ISSOCK(os.fstat(named).st_mode)"
    assert outcomes(kernel.attempt(candidate, "assert z")) == ["passed"]
    assert kernel.run("print(os.readlink(f'/proc/self/fd/{named}')[-5:])")["text"] == "named\n"


# The harness itself


def test_a_job_larger_than_a_pipe(kernel: LiveKernel) -> None:
    text = "a" * 2_000_000
    execution = kernel.attempt(f"z = '{text}'", f"assert len(z) == {len(text)}")
    assert outcomes(execution) == ["passed"]
    # What waits for a child that is gone is dropped.
    ended = kernel.attempt("import os\nos._exit(3)", f"assert '{text}'")
    assert ended["stopMessage"] == "crashed: it ended the process itself, with exit status 3"


def test_a_request_that_makes_no_sense_is_answered(kernel: LiveKernel) -> None:
    answer = kernel.call("attempt")
    assert (answer["state"], answer["code"], answer["message"]) == ("error", "harness", "KeyError: 'job'")


def test_what_nobody_collects_is_forgotten(kernel: LiveKernel) -> None:
    jobs = [job("import time; time.sleep(0.3)") for _ in range(34)]
    states = [kernel.call("attempt", job=one, graceMs=0)["state"] for one in jobs]
    assert set(states) == {"running"}
    assert wait_until(lambda: not children(kernel))
    told = [kernel.control("collect", id=one["id"])["state"] for one in jobs]
    assert sorted(told) == ["done"] * 32 + ["unknown"] * 2


def test_something_else_in_the_pipe_of_the_harness(kernel: LiveKernel) -> None:
    for line in (b"no JSON\n", b"[]\n", b'{"t": "candidate"}\n', b"\xff\n"):
        candidate = (
            "import os\nfor number in os.listdir('/proc/self/fd'):\n"
            f"    try: int(number) > 2 and os.write(int(number), {line!r})\n    except OSError: pass\nz = 6"
        )
        execution = kernel.attempt(candidate, "assert z == 6")
        assert execution["tampering"] == ["something else was written to the harness's pipe"], execution


def test_the_watch_breaks_no_call_of_a_candidates(kernel: LiveKernel) -> None:
    execution = kernel.attempt("import sys\nsys.audit('open', object(), 'w', None)\nz = 6", "assert z == 6")
    assert outcomes(execution) == ["passed"]


def test_a_spare_does_not_wait_for_ever(own: LiveKernel) -> None:
    own.evaluate(f"setattr({_MODULE.format('spare')}, '_SECONDS', 0.5)")
    assert own.call("prepare", allowNetwork=False, allowWrites=False) == {"state": "ready"}
    assert len(children(own)) == 1
    assert wait_until(lambda: not children(own))


def test_a_kernel_without_descriptors_to_spare(own: LiveKernel) -> None:
    """Refused before anything was begun: no child and no descriptor is left."""
    own.attempt("z = 6", "assert z == 6")
    own.run(
        "import os, resource, threading\nsoft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "for thread in threading.enumerate():\n    if thread.name == 'refine-attempt': thread.join()"
    )

    def descriptors() -> list[str]:
        """Of the kinds that an attempt opens; what IPython and ZeroMQ cannot open meanwhile is theirs."""
        found = []
        for one in Path(f"/proc/{own.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                found.append(os.readlink(one))
        return sorted(name for name in found if name.startswith(("pipe:", "anon_inode:[pidfd]", "/dev/null")))

    before, seen = descriptors(), set()
    last = max(int(name) for name in os.listdir(f"/proc/{own.pid}/fd"))
    for room in range(0, 40, 3):
        limit = last + 1 + room
        own.run(f"resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, hard))")
        answer = own.call("attempt", job=job("z = 6", "assert z == 6"), graceMs=20000)
        own.run("resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))")
        seen.add(answer.get("code", answer["state"]))
        assert wait_until(lambda: descriptors() == before), (room, answer, before, descriptors())
        assert wait_until(lambda: not children(own)), (room, answer)
    assert seen == {"fork-failed", "done"}
    assert outcomes(own.attempt("z = 6", "assert z == 6")) == ["passed"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root mounts without a namespace of users")
def test_a_mount_within_the_working_folder(own: LiveKernel) -> None:
    own.run(
        "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
        "assert libc.unshare(0x20000) == 0 and libc.mount(b'none', b'/', None, 0x44000, None) == 0\n"
        "os.mkdir('inner'); inner = os.path.abspath('inner').encode()\n"
        "assert libc.mount(b'tmpfs', inner, b'tmpfs', 0, b'') == 0\n"
        "open('inner/file', 'w').write('inside')"
    )
    own.evaluate(f"setattr({_MODULE.format('isolation')}._Probe, 'done', False)")
    if own.call("hello")["isolation"]["files"] != "overlay":
        pytest.skip("no overlay here")
    read = own.attempt("z = open('inner/file').read()", "assert z == 'inside'")
    assert (read["status"], outcomes(read)) == ("completed", ["passed"])
    written = own.attempt("open('inner/file', 'w').write('lost')", "assert True")
    assert written["error"]["message"].startswith("[Errno 30] Read-only file system")
    assert own.run("print(open('inner/file').read())")["text"] == "inside\n"


# A kernel with less than it is used to

#: The kernel's main thread loses what root may do; attempts are forked from it.
NO_CAPABILITIES = (
    "import ctypes, struct\nlibc = ctypes.CDLL(None, use_errno=True)\n"
    "assert libc.capset(struct.pack('Ii', 0x20080522, 0), struct.pack('6I', *[0] * 6)) == 0"
)
#: A filter of system calls that refuses `unshare`, as containers have.
NO_NAMESPACES = (
    "import ctypes, platform, struct\n"
    "number = {'x86_64': 272, 'aarch64': 97}[platform.machine()]\n"
    "steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50001), (6, 0, 0, 0x7fff0000)]\n"
    "code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *step) for step in steps))\n"
    "program = ctypes.create_string_buffer(struct.pack('H6xQ', len(steps), ctypes.addressof(code)))\n"
    "libc = ctypes.CDLL(None, use_errno=True)\nassert libc.prctl(38, 1, 0, 0, 0) == 0\n"
    "assert libc.prctl(22, 2, program, 0, 0) == 0"
)


def probed_again(kernel: LiveKernel, avoided: str = "set()") -> dict[str, Any]:
    kernel.evaluate(f"setattr({_MODULE.format('isolation')}, 'avoid', {avoided})")
    kernel.evaluate(f"setattr({_MODULE.format('isolation')}._Probe, 'done', False)")
    return kernel.call("hello")["isolation"]


def test_root_of_a_container_without_capabilities(own: LiveKernel) -> None:
    before = probed_again(own)["files"]
    own.run(NO_CAPABILITIES)
    if before == "open":
        pytest.skip("neither overlay nor Landlock here")
    assert probed_again(own)["files"] in ("overlay", "denied")
    kept = own.folder / "kept.txt"
    kept.write_text("kept")
    execution = own.attempt("open('kept.txt', 'w').write('lost')\nz = 6", "assert z == 6")
    assert execution["isolation"]["network"] is True
    assert kept.read_text() == "kept"


def test_what_the_system_refuses_is_told_and_not_used(own: LiveKernel) -> None:
    own.run(NO_NAMESPACES)
    told = probed_again(own)
    assert (
        told["reasons"][0] == "writes cannot be kept in an overlay: new namespaces: Operation not permitted"
    )
    if told["files"] != "denied":
        pytest.skip("no Landlock here")
    kept = own.folder / "kept.txt"
    kept.write_text("kept")
    execution = own.attempt("open('kept.txt', 'w').write('lost')", "assert True")
    assert execution["error"]["name"] == "PermissionError"
    assert kept.read_text() == "kept"


def test_a_folder_with_too_many_files_to_hide_one(own: LiveKernel) -> None:
    if probed_again(own, "{'overlay'}")["files"] != "denied":
        pytest.skip("no Landlock here")
    for number in range(3001):
        (own.folder / f"{number}.txt").touch()
    (own.folder / "a.ipynb").write_text("{}")
    execution = own.attempt("z = 6", "assert z == 6", notebookPath="a.ipynb")
    assert outcomes(execution) == ["passed"]
    told = f"the notebook file and the history cannot be hidden: {own.folder} has more than 3000 entries"
    assert execution["isolation"]["reasons"][-1] == told


def test_a_kernel_that_ignores_the_end_of_children(own: LiveKernel) -> None:
    own.run("import signal\n_ = signal.signal(signal.SIGCHLD, signal.SIG_IGN)")
    assert outcomes(own.attempt("z = 6", "assert z == 6")) == ["passed"]
    crashed = own.attempt("import os; os._exit(3)", "assert True")
    assert crashed["stop"] == "crashed" and "how is not known" in crashed["stopMessage"]
    assert own.attempt("while True: pass", "assert True", limits={"seconds": 0.5})["stop"] == "timeout"
    assert wait_until(lambda: not children(own))


def test_a_spare_that_is_refused_leaves_nothing(own: LiveKernel) -> None:
    if probed_again(own, "{'overlay'}")["files"] != "denied":
        pytest.skip("no Landlock here")
    # A thread that Python knows nothing of, as those of polars are.
    own.run(
        "import ctypes\nlibc, thread = ctypes.CDLL(None), ctypes.c_void_p()\n"
        "wait = ctypes.cast(libc.pause, ctypes.c_void_p)\n"
        "assert libc.pthread_create(ctypes.byref(thread), None, wait, None) == 0\n"
        "assert libc.pthread_setname_np(thread, b'polars-0') == 0"
    )
    answer = own.call("prepare", allowNetwork=False, allowWrites=False)
    assert (answer["state"], answer["code"]) == ("refused", "fork-unsafe")
    assert not list(Path(os.environ["TMPDIR"]).glob("refine-attempt-*"))


def test_what_a_fork_of_an_attempt_prints(kernel: LiveKernel) -> None:
    candidate = (
        "import os\npid = os.fork()\nif pid == 0:\n    print('from the fork')\n    os._exit(0)\n"
        "_ = os.waitpid(pid, 0)"
    )
    execution = kernel.attempt(candidate, "assert True")
    assert (execution["stdout"], outcomes(execution)) == ("from the fork\n", ["passed"])


def test_a_process_that_hides_ends_with_its_attempt(kernel: LiveKernel) -> None:
    """In a session of its own, under another name, and without the marker in its environment."""
    candidate = (
        "import subprocess\n"
        "hidden = subprocess.Popen(['sleep', '30'], env={}, start_new_session=True)\nz = hidden.pid"
    )
    assert outcomes(kernel.attempt(candidate, "assert z")) == ["passed"]
    assert wait_until(lambda: not children(kernel), 5)
