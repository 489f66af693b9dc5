"""What keeps an attempt apart, for each means that this system offers."""

from __future__ import annotations

import os
import platform
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from live_kernel import ISOLATED, LiveKernel, on


@pytest.fixture
def server() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"('127.0.0.1', {listening.getsockname()[1]})"


def test_isolation_is_reported(kernel: LiveKernel, means: str) -> None:
    reported = kernel.call("hello")["isolation"]
    assert (reported["mode"], reported["memory"]) == ("fork", True)
    expected = {"overlay": ("overlay", True), "landlock": ("denied", True), "none": ("open", False)}
    assert (reported["files"], reported["network"]) == expected.get(means, ("overlay", True))
    if means == "none":
        assert any("overlay" in reason for reason in reported["reasons"])
        assert any("denied" in reason for reason in reported["reasons"])
    assert kernel.attempt("1")["isolation"] == reported


def test_an_attempt_before_any_hello_is_isolated(python: str, tmp_path: Path) -> None:
    with LiveKernel(python, tmp_path) as live:
        isolated = live.attempt("1")["isolation"]
        assert (isolated["files"] != "open", isolated["network"]) == (True, True)
        assert live.call("hello")["isolation"] == isolated


@on(*ISOLATED)
def test_files(kernel: LiveKernel, means: str) -> None:
    candidate = (
        "import os, tempfile\nos.makedirs('made/deep', exist_ok=True)\nopen('made/deep/f', 'w').write('x')\n"
        "os.remove('keep.txt')\nread = open('made/deep/f').read()"
    )
    execution = kernel.attempt(candidate, "assert read == 'x'")
    kept = kernel.folder / "keep.txt"
    assert kept.read_text() == "keep"
    assert not (kernel.folder / "made").exists()
    if means == "landlock":
        assert execution["error"]["name"] == "PermissionError"
        assert execution["denied"] == [f"tried to write {kernel.folder / 'made/deep'}"] or execution["denied"]
        temporary = kernel.attempt(
            "import tempfile\nwith tempfile.TemporaryFile() as f: f.write(b'x')\nt = 1", "assert t"
        )
        assert temporary["assertions"][0]["outcome"] == "passed"
    else:
        assert execution["assertions"][0]["outcome"] == "passed"
        written = [str(kernel.folder / "made/deep/f"), f"{kept} (deleted)"]
        assert sorted(execution["filesWritten"]) == sorted(written)


@on("overlay", "seccomp for signals")
def test_terminals_of_others_are_out_of_reach(kernel: LiveKernel, means: str) -> None:
    _, terminal = os.openpty()
    candidate = (
        f"import os\ntry:\n    found = os.open({os.ttyname(terminal)!r}, os.O_WRONLY | os.O_NOCTTY)\n"
        "except OSError:\n    found = None\n"
        "def own():\n    a, b = os.openpty()\n    os.write(b, b'x')\n    return os.read(a, 9)"
    )
    execution = kernel.attempt(candidate, "assert found is None\nassert own() == b'x'")
    assert [one["outcome"] for one in execution["assertions"]] == ["passed", "passed"]


@on(*ISOLATED)
def test_writes_elsewhere_are_denied_and_reported(kernel: LiveKernel, means: str) -> None:
    execution = kernel.attempt("open('/etc/refine-probe', 'w')")
    assert execution["status"] == "error"
    assert execution["denied"] == ["tried to write /etc/refine-probe"]
    assert not Path("/etc/refine-probe").exists()


@on(*ISOLATED)
def test_network(kernel: LiveKernel, means: str, server: str) -> None:
    candidate = f"import socket\ns = socket.create_connection({server}, 2)"
    execution = kernel.attempt(candidate)
    assert execution["status"] == "error"
    assert execution["denied"] == [f"tried to reach 127.0.0.1:{server.split()[1][:-1]}"]
    allowed = kernel.attempt(candidate, allowNetwork=True)
    assert (allowed["status"], allowed["denied"]) == ("completed", [])
    assert allowed["isolation"]["network"] is False


def test_allowed_writes_are_real(kernel: LiveKernel, means: str) -> None:
    execution = kernel.attempt("open('real.txt', 'w').write('r')", allowWrites=True)
    assert (execution["status"], execution["isolation"]["files"]) == ("completed", "open")
    real = kernel.folder / "real.txt"
    assert real.read_text() == "r"
    real.unlink()


@on(*ISOLATED)
def test_the_kernel_cannot_be_reached(kernel: LiveKernel, means: str) -> None:
    candidate = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
tried = {}
def attempt(name, work):
    try:
        tried[name] = work() or "done"
    except BaseException as error:
        tried[name] = type(error).__name__
attempt("kill", lambda: os.kill(kernel, signal.SIGKILL))
attempt("group", lambda: os.killpg(os.getpgid(kernel), signal.SIGKILL))
attempt("memory", lambda: open(f"/proc/{kernel}/mem", "rb").read(1))
attempt("root", lambda: os.listdir(f"/proc/{kernel}/root"))
attempt("environment", lambda: open(f"/proc/{kernel}/environ").read())
attempt("thread", lambda: libc.pthread_kill and libc.syscall(234, kernel, kernel, 9))
attempt("ptrace", lambda: libc.ptrace(16, kernel, 0, 0))
"""
    check = """
assert tried["kill"] == tried["group"] == "PermissionError"
assert tried["ptrace"] == tried["thread"] == -1
assert tried["root"] == "PermissionError"
assert tried["memory"] == "PermissionError"
assert tried["environment"] == "PermissionError"
"""
    execution = kernel.attempt(f"kernel = {kernel.pid}\n{candidate}", check)
    assert [a["outcome"] for a in execution["assertions"]] == ["passed"] * 5, execution
    assert kernel.run("print(1)")["text"] == "1\n"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of the system calls of x86-64")
@on(*ISOLATED)
def test_other_roads_to_the_kernel(kernel: LiveKernel, means: str) -> None:
    kernel.run("import ctypes\ntarget = ctypes.create_string_buffer(b'kept')")
    candidate = """
import ctypes, os, signal, struct
here = ctypes.create_string_buffer(b"lost")
libc = ctypes.CDLL(None, use_errno=True)
def denied(number, *arguments):
    return libc.syscall(number, *map(ctypes.c_long, arguments)) == -1
def vector(buffer):
    return ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(buffer), 4))
mine, others = vector(here), vector(target)
vectors = (ctypes.addressof(mine), 1, ctypes.addressof(others), 1, 0)
"""
    roads = (
        "denied(234, kernel, kernel, 9)",
        "denied(310, kernel, *vectors)",
        "denied(311, kernel, *vectors)",
        # To everyone: Landlock leaves the kernel out, and says nothing.
        *(["denied(62, -1, 0)"] if means == "seccomp for signals" else []),
    )
    execution = kernel.attempt(f"kernel = {kernel.pid}\n{candidate}", *(f"assert {road}" for road in roads))
    reported = {result["source"]: result["outcome"] for result in execution["assertions"]}
    assert set(reported.values()) == {"passed"}, reported
    assert kernel.run("print(target.value)")["text"] == "b'kept'\n"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of the system calls of x86-64")
@on(*ISOLATED)
def test_attributes_of_files(kernel: LiveKernel, means: str) -> None:
    """By each system call: a library may use any. Landlock itself knows none of them."""
    kept = kernel.folder / "keep.txt"
    os.setxattr(kept, "user.refine", b"kept")
    before = (kept.stat().st_mode, kept.stat().st_mtime_ns, kept.stat().st_uid)
    candidate = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
path, name, value, here = b"keep.txt", b"user.refine", b"lost", ctypes.c_long(-100)
file = os.open(path, os.O_RDONLY)
calls = {
    "chmod": (90, path, 0o600), "fchmod": (91, file, 0o600), "chown": (92, path, 1, 1),
    "fchown": (93, file, 1, 1), "lchown": (94, path, 1, 1), "utime": (132, path, None),
    "setxattr": (188, path, name, value, 4, 0), "lsetxattr": (189, path, name, value, 4, 0),
    "fsetxattr": (190, file, name, value, 4, 0), "removexattr": (197, path, name),
    "lremovexattr": (198, path, name), "fremovexattr": (199, file, name), "utimes": (235, path, None),
    "fchownat": (260, here, path, 1, 1, 0), "futimesat": (261, here, path, None),
    "fchmodat": (268, here, path, 0o600), "utimensat": (280, here, path, None, 0),
    "fchmodat2": (452, here, path, 0o600, 0), "x32": (0x40000000 | 90, path, 0o600),
}
allowed = []
for call, arguments in calls.items():
    ctypes.set_errno(0)
    if libc.syscall(*arguments) != -1 or ctypes.get_errno() != 1:
        allowed.append(call)
"""
    execution = kernel.attempt(candidate, "assert allowed == []")
    if means == "landlock":
        assert [a["outcome"] for a in execution["assertions"]] == ["passed"], execution
    assert (kept.stat().st_mode, kept.stat().st_mtime_ns, kept.stat().st_uid) == before
    assert os.getxattr(kept, "user.refine") == b"kept"


@on(*ISOLATED)
def test_every_change_of_a_file(kernel: LiveKernel, means: str) -> None:
    (kernel.folder / "inner").mkdir(exist_ok=True)
    (kernel.folder / "empty").mkdir(exist_ok=True)
    before = sorted(kernel.folder.iterdir())
    candidate = """
import os, socket
done = []
def attempt(name, work):
    try:
        work()
        done.append(name)
    except OSError:
        pass
attempt("truncate", lambda: os.truncate("keep.txt", 0))
attempt("append", lambda: open("keep.txt", "a").write("x"))
attempt("update", lambda: open("keep.txt", "r+").write("x"))
attempt("create", lambda: open("made.txt", "w"))
attempt("folder", lambda: os.mkdir("made"))
attempt("link", lambda: os.link("keep.txt", "made.link"))
attempt("symbolic link", lambda: os.symlink("keep.txt", "made.symlink"))
attempt("pipe", lambda: os.mkfifo("made.pipe"))
attempt("socket", lambda: socket.socket(socket.AF_UNIX).bind("made.socket"))
attempt("rename", lambda: os.rename("keep.txt", "moved.txt"))
attempt("rename elsewhere", lambda: os.rename("keep.txt", "inner/keep.txt"))
attempt("remove folder", lambda: os.rmdir("empty"))
attempt("remove", lambda: os.remove("keep.txt"))
"""
    execution = kernel.attempt(candidate, "assert done == []")
    if means == "landlock":
        assert [a["outcome"] for a in execution["assertions"]] == ["passed"], execution
    assert (kernel.folder / "keep.txt").read_text() == "keep"
    assert sorted(kernel.folder.iterdir()) == before


@on("overlay")
def test_many_files_are_reported_up_to_a_limit(kernel: LiveKernel, means: str) -> None:
    execution = kernel.attempt(
        "for n in range(250): open(f'{n}.txt', 'w').close()\nmade = 6", "assert made == 6"
    )
    assert len(execution["filesWritten"]) == len(set(execution["filesWritten"])) == 200


#: What an attempt tries, and what is reported of it.
DENIED = {
    "socket.getaddrinfo('a.example.org', 443)": "tried to reach a.example.org:443",
    "socket.getaddrinfo(b'b.example.org', 443)": "tried to reach b.example.org:443",
    "socket.getaddrinfo('example.org', None)": "tried to reach example.org",
    "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))": "tried to reach 192.0.2.1:53",
    "socket.socket().bind(('192.0.2.1', 80))": "",
    "os.rename('keep.txt', '/etc/kept')": "tried to write /etc/kept",
    "os.open('/etc/opened', os.O_WRONLY | os.O_CREAT)": "tried to write /etc/opened",
    "os.makedirs('/etc', exist_ok=True)": "",
    "open('/dev/null', 'w')": "",
    "open('/proc/self/oom_score_adj', 'w')": "",
    "os.truncate(5, 0)": "",
    "os.utime('.')": "",
}


@on("overlay")
def test_what_is_reported_as_denied(kernel: LiveKernel, means: str) -> None:
    tries = [f"try: {work}\nexcept OSError: pass\n" for work in DENIED]
    execution = kernel.attempt("import os, socket\n" + "".join(tries))
    assert execution["denied"] == [text for text in DENIED.values() if text]


@on("overlay")
def test_the_first_denials_are_reported_once_each(kernel: LiveKernel, means: str) -> None:
    """Else a loop over a thousand hosts or files would fill the page, and the kernel's memory."""
    execution = kernel.attempt(
        "for n in range(400):\n    try: open(f'/etc/refine/{n % 90}', 'w')\n    except OSError: pass"
    )
    assert execution["denied"] == [f"tried to write /etc/refine/{n}" for n in range(50)]


def test_local_addresses_are_not_reported(kernel: LiveKernel, means: str) -> None:
    candidate = (
        "import socket\nfor host in (None, ''):\n    try: socket.getaddrinfo(host, 0)\n"
        "    except OSError: pass\ntry: socket.socket(socket.AF_UNIX).connect('nobody')\nexcept OSError: pass"
    )
    assert kernel.attempt(candidate)["denied"] == []


@on("overlay", "seccomp for signals")
def test_a_server_of_the_candidates_own(kernel: LiveKernel, means: str) -> None:
    """In a network of its own it talks to itself, and nothing of that is reported as denied."""
    candidate = (
        "import socket\nserver = socket.create_server(('127.0.0.1', 0))\n"
        "client = socket.create_connection(server.getsockname(), 2)\n"
        "peer, _ = server.accept()\nclient.sendall(b'six')\nz = peer.recv(3)"
    )
    execution = kernel.attempt(candidate, "assert z == b'six'")
    assert execution["assertions"][0]["outcome"] == "passed", execution
    assert execution["denied"] == []


@on("landlock")
def test_every_family_of_sockets(kernel: LiveKernel, means: str) -> None:
    candidate = """
import socket
refused = []
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, 40):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        try: refused.append(socket.socket(family, kind))
        except OSError as error: refused.append(error.errno)
pair = socket.socketpair()
"""
    execution = kernel.attempt(candidate, "import errno", "assert refused == [errno.EACCES] * 12, refused")
    assert execution["assertions"][-1]["outcome"] == "passed", execution


def test_no_temporary_file_stays(kernel: LiveKernel, means: str) -> None:
    def ours() -> list[str]:
        found = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("refine-attempt-")]
        # Not those of other kernels on this machine.
        return [name for name in found if name not in others]

    others: list[str] = []
    others = ours()
    kernel.attempt("import tempfile; name = tempfile.mkdtemp()", "assert 1 == 2")
    # The verdict does not wait for the tidying up.
    end = time.monotonic() + 3
    while time.monotonic() < end and ours():
        time.sleep(0.02)
    assert ours() == []


# What the attempt can leave for the worker, which runs the same candidate

LEAVE = """
import os, sys, tempfile, time

def even(number):
    name = os.path.join(tempfile.gettempdir(), f"answer{number}")
    names = sys._getframe(1).f_globals
    if "expected" in names:
        open(name, "w").write(str(names["expected"]))
        return names["expected"]
    return open(name).read() == "True"
"""
CHECK = "for number, expected in [(2, True), (5, False)]:\n    assert even(number) == expected"


@pytest.mark.parametrize("pause", ["", "time.sleep(0.4)"])
def test_answers_in_temporary_files_are_not_found(kernel: LiveKernel, means: str, pause: str) -> None:
    # Without an overlay the files of a slow candidate stay for its copy.
    if means == "none" or (pause and means == "landlock"):
        return
    execution = kernel.attempt(LEAVE + pause, CHECK)
    assert [found["outcome"] for found in execution["assertions"]] == ["passed"]
    assert execution["assertions"][0]["confirmed"] is False, execution


#: Deeper than a path may be long, and than Python recurses.
DEEP = {"long": ("d" * 200, 20), "deep": ("d", 1100)}


@on("overlay")
@pytest.mark.parametrize("way", DEEP)
def test_what_no_path_reaches_hides_no_other_file(kernel: LiveKernel, means: str, way: str) -> None:
    name, depth = DEEP[way]
    kernel.run("open('before.txt', 'w').close()")
    candidate = (
        "import os\nhome = os.getcwd()\n"
        "open('before.txt', 'w').write('changed')\nopen('new.txt', 'w').close()\n"
        f"for _ in range({depth}):\n    os.mkdir('{name}')\n    os.chdir('{name}')\n"
        "    open('f' * 250, 'w').close()\nos.chdir(home)"
    )
    execution = kernel.attempt(candidate, "assert True")
    (kernel.folder / "before.txt").unlink()
    assert "error" not in execution, execution
    written = [str(kernel.folder / file) for file in ("before.txt", "new.txt")]
    assert {*written} <= {*execution["filesWritten"]} and len(execution["filesWritten"]) > 15
    assert execution["assertions"][0]["confirmed"] is False


@on("overlay")
def test_a_folder_that_nobody_may_read_is_reported(kernel: LiveKernel, means: str) -> None:
    execution = kernel.attempt(
        "import os\nos.mkdir('closed')\nopen('closed/file', 'w').close()\nos.chmod('closed', 0)",
        "assert True",
    )
    assert any(path.startswith(str(kernel.folder / "closed")) for path in execution["filesWritten"])


@on("landlock")
def test_a_process_pool_that_is_denied_is_explained(kernel: LiveKernel, means: str) -> None:
    candidate = "import multiprocessing\npool = multiprocessing.Pool(1)"
    execution = kernel.attempt(candidate, "assert pool")
    assert execution["error"]["name"] == "PermissionError", execution
    assert "process pool" in execution["denied"][0] and "not an error in the code" in execution["denied"][0]
