"""Forks the kernel in its main thread; what comes back is a child and the kernel's ends of its pipes."""

from __future__ import annotations

import errno
import fcntl
import os
import posix
import random
import resource
import signal
import threading
import traceback
import warnings
from typing import Any, NamedTuple

from . import child, isolation, pools


class ForkRefused(Exception):
    """No child could be made now; ``code`` is stable, the message is for the user."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


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


def spawn(token: str, forget: str | None, plan: isolation.Plan, scratch: str | None, shell: Any) -> Child:
    """Fork a child that waits for its job.

    Must run in the main thread: sqlite's thread check, ``np.seterr``, decimal
    contexts and ``threading.local`` are bound to it.

    :param token: new for every child.
    :param forget: id of the attempt whose request is being answered, if any.
    :raises ForkRefused: when the system or a library does not allow it.
    """
    if threading.get_ident() != threading.main_thread().ident:
        raise ForkRefused("not-main-thread", "The kernel runs this request outside of its main thread.")
    reasons = pools.hostile()
    if reasons:
        raise ForkRefused("fork-unsafe", "; ".join(reasons))
    pools.pause_openmp()
    pipes = [os.pipe() for _ in range(5)]
    (events_r, events_w), (commands_r, commands_w), (out_r, out_w), (err_r, err_w), (dump_r, dump_w) = pipes
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    setup = child.Setup(token, forget, plan, scratch, random.getstate(), os.getpid(), mask)
    try:
        try:
            pid = _fork()
        except OSError as error:
            for descriptor in (events_r, commands_w, out_r, err_r, dump_r):
                os.close(descriptor)
            name = errno.errorcode.get(error.errno or 0, "")
            raise ForkRefused(
                "fork-failed", f"The kernel could not be forked: {error.strerror} ({name})."
            ) from error
        if pid == 0:
            for descriptor in (events_r, commands_w, out_r, err_r, dump_r):
                os.close(descriptor)
            _be_child(setup, (events_w, commands_r, out_w, err_w, dump_w), shell)
    finally:
        for descriptor in (events_w, commands_r, out_w, err_w, dump_w):
            os.close(descriptor)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for descriptor in (events_r, commands_w, out_r, err_r, dump_r):
        os.set_blocking(descriptor, False)
    return Child(pid, token, events_r, commands_w, out_r, err_r, dump_r)


def _fork() -> int:
    # `posix.fork`: with a debugger attached pydevd has replaced `os.fork`. Python
    # 3.12 warns of threads; the user's cell is no place for that.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return posix.fork()


def _be_child(setup: child.Setup, ends: tuple[int, ...], shell: Any) -> None:
    stderr = ends[3]
    try:
        child.main(setup, child.Ends(*[_move_up(end) for end in ends]), shell)
    except BaseException:
        try:
            os.write(stderr, traceback.format_exc().encode("utf-8", "replace"))
        except OSError:
            os._exit(70)
    finally:
        os._exit(70)


def _move_up(descriptor: int) -> int:
    """The same pipe under a high number, out of the way of ``os.closerange(3, 500)``."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, min(soft, 4096) - 64)
    os.close(descriptor)
    return moved
