"""Forks the kernel in its main thread; what comes back is a child and the kernel's ends of its pipes."""

from __future__ import annotations

import _signal
import errno
import fcntl
import json
import os
import posix
import random
import resource
import signal
import threading
import traceback
import warnings
from typing import Any, NamedTuple

from . import child, isolation, pools, processes
from .forget import lock

#: Enough for all pipes of an attempt, and for what its supervisor opens for a moment.
_DESCRIPTORS = 32


class ForkRefused(Exception):
    """No child could be made now; ``code`` is stable, the message is for the user."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def told(self) -> dict[str, str]:
        """The answer to the request for a child."""
        return {"state": "refused", "code": self.code, "message": str(self)}


class Child(NamedTuple):
    """A running child, as the kernel sees it."""

    pid: int
    #: By which what it starts is found.
    token: str
    events: int
    commands: int
    stdout: int
    stderr: int
    dump: int

    def close(self) -> None:
        """Close the kernel's ends of the pipes."""
        for descriptor in self[2:]:
            os.close(descriptor)


def check_descriptors() -> None:
    """To be called first: half-way through, too few of them would leave a child that nobody supervises.

    :raises ForkRefused: when the kernel may open almost no file any more.
    """
    taken: list[int] = []
    try:
        for _ in range(_DESCRIPTORS):
            taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        raise _refused(error) from error
    finally:
        for descriptor in taken:
            os.close(descriptor)


def _refused(error: OSError) -> ForkRefused:
    name = errno.errorcode.get(error.errno or 0, "")
    return ForkRefused("fork-failed", f"The kernel could not be forked: {error.strerror} ({name}).")


def spawn(token: str, forget: str | None, plan: isolation.Plan, scratch: str | None, shell: Any) -> Child:
    """Fork a child that waits for its job.

    Must run in the main thread: sqlite's thread check, ``np.seterr``, decimal
    contexts and ``threading.local`` are bound to it.

    :param token: new for every child.
    :param forget: id of the attempt whose request is being answered; none where the job comes later.
    :raises ForkRefused: when the system or a library does not allow it.
    """
    if threading.get_ident() != threading.main_thread().ident:
        raise ForkRefused("not-main-thread", "The kernel runs this request outside of its main thread.")
    threads = pools.threads()
    reasons = pools.hostile(threads)
    if reasons:
        raise ForkRefused("fork-unsafe", "; ".join(reasons))
    pools.pause_openmp(threads)
    pipes = [os.pipe() for _ in range(5)]
    (events_r, events_w), (commands_r, commands_w), (out_r, out_w), (err_r, err_w), (dump_r, dump_w) = pipes
    # Not of `signal`, which makes names of the numbers: every page used after a fork is copied.
    mask = _signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    setup = child.Setup(
        token, forget, plan, scratch, random.getstate(), os.getpid(), mask, ahead=forget is None
    )
    try:
        try:
            with lock:
                pid = _fork()
        except OSError as error:
            for descriptor in (events_r, commands_w, out_r, err_r, dump_r):
                os.close(descriptor)
            raise _refused(error) from error
        if pid == 0:
            for descriptor in (events_r, commands_w, out_r, err_r, dump_r):
                os.close(descriptor)
            _be_child(setup, (events_w, commands_r, out_w, err_w, dump_w), shell)
    finally:
        for descriptor in (events_w, commands_r, out_w, err_w, dump_w):
            os.close(descriptor)
        _signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for descriptor in (events_r, commands_w, out_r, err_r, dump_r):
        os.set_blocking(descriptor, False)
    return Child(pid, token, events_r, commands_w, out_r, err_r, dump_r)


def end(child: Child) -> None:
    """Kill a child that has no job, or nobody to supervise it."""
    processes.kill_group(child.pid)
    processes.reap([child.pid])
    child.close()


def _fork() -> int:
    # `posix.fork`: with a debugger attached pydevd has replaced `os.fork`. Python
    # 3.12 warns of threads; the user's cell is no place for that.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return posix.fork()


def _be_child(setup: child.Setup, ends: tuple[int, ...], shell: Any) -> None:
    events = ends[0]
    try:
        moved = child.Ends(*[_move_up(end) for end in ends])
        events = moved.events
        child.main(setup, moved, shell)
    except BaseException:
        # Never the candidate's doing: what it raises is told elsewhere.
        told = json.dumps({"t": "failed", "traceback": traceback.format_exc()})
        os.write(events, told.encode() + b"\n")
    finally:
        os._exit(70)


def _move_up(descriptor: int) -> int:
    """The same pipe under a high number, out of the way of ``os.closerange(3, 500)``."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, min(soft, 4096) - 64)
    os.close(descriptor)
    return moved
