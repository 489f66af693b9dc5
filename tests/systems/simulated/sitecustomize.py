"""Shows another system to the modules of jupyterlab_refine, and to nothing else, in every Python.

``REFINE_SIMULATED`` is ``win32`` or ``darwin``. Our modules, also those that a kernel loads as text, see that
``sys.platform``; modules, names and ``/proc`` that the system lacks are missing; a fork fails. Libraries see
the real system. On Windows no file can be removed that a process has open. Not covered: paths with a drive,
code pages, how processes end there, ``sandbox-exec``; functions of kernel32 do nothing.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import io
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import types
from typing import Any

SYSTEM = os.environ.get("REFINE_SIMULATED", "")
_OURS = ("jupyterlab_refine", "_jupyterlab_refine", "_jupyterlab_refine_warm")

_LINUX_NAMES: dict[Any, str] = {
    os: "memfd_create pipe2 unshare setns pidfd_open sched_setaffinity sched_getaffinity eventfd splice",
    select: "epoll EPOLLIN EPOLLOUT POLLRDHUP",
    signal: "SIGRTMIN SIGRTMAX SIGPWR",
    socket: "AF_NETLINK AF_PACKET SOCK_NONBLOCK SOCK_CLOEXEC",
}
_POSIX_NAMES: dict[Any, str] = {
    os: "fork forkpty getuid geteuid getgid setsid setpgid killpg mkfifo statvfs chown lchown nice"
    " O_NOFOLLOW O_CLOEXEC O_NONBLOCK WNOHANG WUNTRACED WIFSIGNALED WTERMSIG WEXITSTATUS sysconf pread pwrite"
    " register_at_fork wait wait3 wait4 uname getpgid getsid sendfile fchmod fchown",
    select: "poll POLLIN POLLOUT POLLHUP",
    signal: "SIGKILL SIGSTOP SIGCONT SIGUSR1 SIGUSR2 SIGALRM SIGCHLD SIGHUP SIGPIPE SIGQUIT ITIMER_REAL"
    " setitimer alarm pause pthread_kill pthread_sigmask SIG_BLOCK SIG_SETMASK sigwait",
    socket: "AF_UNIX send_fds recv_fds SCM_RIGHTS",
}
_POSIX_MODULES = {"posix", "fcntl", "resource", "pwd", "grp", "termios", "pty", "tty", "syslog", "spwd"}


def _no_proc(real: Any) -> Any:
    def call(path: Any = ".", *arguments: Any, **named: Any) -> Any:
        if isinstance(path, (str, bytes)) and os.fsdecode(path).startswith(("/proc", "/sys/")):
            raise FileNotFoundError(2, "No such file or directory", path)
        return real(path, *arguments, **named)

    return call


def _no_fork(*_: Any) -> int:
    raise AssertionError(f"forked on {SYSTEM}")


def _is_open(path: str) -> bool:
    path = os.path.realpath(path)
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            folder = f"/proc/{process}/fd"
            if any(os.readlink(f"{folder}/{number}") == path for number in os.listdir(folder)):
                return True
    return False


def _unlink(path: str) -> None:
    if _is_open(path):
        raise PermissionError(13, "The process cannot access the file because it is being used", path)
    os.unlink(path)


def _rmtree(folder: str, ignore_errors: bool = False) -> None:
    for above, folders, files in os.walk(folder, topdown=False):
        with contextlib.suppress(*([OSError] if ignore_errors else [])):
            for name in files:
                _unlink(os.path.join(above, name))
            for name in folders:
                os.rmdir(os.path.join(above, name))
    with contextlib.suppress(*([OSError] if ignore_errors else [])):
        os.rmdir(folder)


class _Popen(subprocess.Popen):  # type: ignore[type-arg]
    """Its process can be given sockets afterwards."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        if named.get("pass_fds") or named.get("preexec_fn"):
            raise ValueError("pass_fds and preexec_fn are not supported on Windows")
        mine, theirs = socket.socketpair()
        named["env"] = {**(named.get("env") or os.environ), _TAKES: str(theirs.fileno())}
        super().__init__(*arguments, pass_fds=[theirs.fileno()], **named)
        theirs.close()
        _given[self.pid] = mine


#: Variable with the descriptor by which a process takes sockets; by process, the other end.
_TAKES = "REFINE_TAKES"
_given: dict[int, socket.socket] = {}


def _share(one: socket.socket, process: int) -> bytes:
    socket.send_fds(_given[process], [b"x"], [one.fileno()])
    return b""


def _from_share(_: bytes) -> socket.socket:
    with socket.socket(fileno=os.dup(int(os.environ[_TAKES]))) as takes:
        return socket.socket(fileno=socket.recv_fds(takes, 1, 1)[1][0])


class _Library:
    """All of its functions succeed."""

    def __init__(self, _: str) -> None:
        return

    def __getattr__(self, name: str) -> Any:
        def call(*_: Any) -> int:
            return 1

        setattr(self, name, call)
        return call


class _View(types.ModuleType):
    """A module as the simulated system has it."""

    def __init__(self, real: types.ModuleType, missing: set[str], instead: dict[str, Any]) -> None:
        super().__init__(real.__name__)
        object.__setattr__(self, "_parts", (real, missing, instead))

    def __getattr__(self, name: str) -> Any:
        real, missing, instead = object.__getattribute__(self, "_parts")
        if name in instead:
            return instead[name]
        if name in missing:
            raise AttributeError(f"module {real.__name__!r} has no attribute {name!r} on {SYSTEM}")
        return getattr(real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(object.__getattribute__(self, "_parts")[0], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(object.__getattribute__(self, "_parts")[0], name)


def _views() -> dict[str, types.ModuleType]:
    instead: dict[Any, dict[str, Any]] = {module: {} for module in (ctypes, os, select, signal, socket)}
    instead[os] = {name: _no_proc(getattr(os, name)) for name in "listdir readlink open stat scandir".split()}
    # As that of a virtual environment on Windows.
    base = os.path.join(os.path.dirname(__file__), "base_python")
    instead[sys] = {"platform": SYSTEM, "_base_executable": base}
    missing = {module: set(names.split()) for module, names in _LINUX_NAMES.items()}
    if SYSTEM == "win32":
        for module, names in _POSIX_NAMES.items():
            missing[module] |= set(names.split())
        instead[os]["name"] = "nt"
        instead[socket] = {"fromshare": _from_share}
        socket.socket.share = _share  # type: ignore[attr-defined]
        instead[os]["unlink"] = _unlink
        instead[shutil] = {"rmtree": _rmtree}
        instead[subprocess] = {"Popen": _Popen}
        instead[ctypes] = {"WinDLL": _Library}
    else:
        instead[os] |= {"fork": _no_fork, "forkpty": _no_fork}
    return {
        module.__name__: _View(module, missing.get(module, set()), own) for module, own in instead.items()
    }


def _is_ours(names: Any) -> bool:
    return str((names or {}).get("__name__", "")).split(".")[0].removesuffix("_loader") in _OURS


def _install() -> None:
    views, real_import, real_open = _views(), builtins.__import__, io.open
    gone = _POSIX_MODULES if SYSTEM == "win32" else set()

    def own_import(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if level == 0 and _is_ours(globals):
            if name in gone:
                raise ModuleNotFoundError(f"No module named {name!r} on {SYSTEM}", name=name)
            if name in views:
                return views[name]
        return real_import(name, globals, locals, fromlist, level)

    def own_open(file: Any, *arguments: Any, **named: Any) -> Any:
        ours = _is_ours(sys._getframe(1).f_globals)
        return (_no_proc(real_open) if ours else real_open)(file, *arguments, **named)

    builtins.__import__, builtins.open = own_import, own_open


if SYSTEM:
    _install()
