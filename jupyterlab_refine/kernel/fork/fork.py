"""Fork the kernel in its main thread: :func:`fork` returns the child and the kernel's ends of its pipes."""

from __future__ import annotations

import _signal
import errno
import itertools
import os
import signal
import tempfile
import threading
import time
from typing import Any

from ..attempt import temporary
from ..attempt.forms import Child, Plan, Refused
from ..attempt.stack import StackDump
from ..isolation import isolation, processes
from ..isolation.isolation import plan
from ..judge import importing
from . import pools, root
from .family import Family

#: A fork has all variables.
COPIES = False
__all__ = ["COPIES", "plan", "spawn"]


def _refused(error: OSError) -> Refused:
    name = errno.errorcode.get(error.errno or 0, "")
    return Refused("fork-failed", f"The kernel could not be forked: {error.strerror} ({name}).")


def spawn(chosen: Plan, shell: Any, ahead: bool = False) -> Child:
    """Fork a judge, which forks the process of an attempt; both wait for their job.

    Must run in the main thread: sqlite's thread check, ``np.seterr``, decimal
    contexts and ``threading.local`` are bound to it.

    :param ahead: whether there is time for the child to do what it can before its job.
    :raises Refused: when the system or a library does not allow it.
    """
    if threading.get_ident() != threading.main_thread().ident:
        raise Refused("not-main-thread", "The kernel runs this request outside of its main thread.")
    reasons = pools.hostile()
    if reasons:
        raise Refused("fork-unsafe", "; ".join(reasons))
    pools.pause_openmp()
    if chosen.to_reply()["files"] == "open" and importing.first_ns is None:
        importing.first_ns = time.time_ns()
    scratch = isolation.scratch_for(chosen)
    # Events, commands, standard output and error, then of the judge; the kernel writes to these.
    written = (1, 5)
    pipes: list[tuple[int, int]] = []
    try:
        file: Any = tempfile.TemporaryFile()
        pipes += (os.pipe() for _ in range(6))
    except OSError as error:
        temporary.remove(scratch)
        for descriptor in itertools.chain(*pipes):
            os.close(descriptor)
        raise _refused(error) from error
    ours = [pipe[1] if number in written else pipe[0] for number, pipe in enumerate(pipes)]
    theirs = [pipe[0] if number in written else pipe[1] for number, pipe in enumerate(pipes)]
    dump = StackDump(file, f"/proc/self/fd/{file.fileno()}", root.DUMP_SIGNAL)
    # Not of `signal`, which makes names of the numbers: every page used after a fork is copied.
    mask = _signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    ends = root.Ends(*(*theirs, file.fileno()))
    forked = root.Root(chosen, scratch, ends, shell, mask, ahead)
    try:
        try:
            pid = processes.fork()
        except OSError as error:
            temporary.remove(scratch)
            for descriptor in ours:
                os.close(descriptor)
            raise _refused(error) from error
        if pid == 0:
            for descriptor in ours:
                os.close(descriptor)
            forked.main()
    finally:
        for descriptor in theirs:
            os.close(descriptor)
        _signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    for descriptor in ours:
        os.set_blocking(descriptor, False)
    events, commands, stdout, stderr, judge_events, judge_commands = ours
    mine = (events, commands, stdout, stderr, judge_events, judge_commands)
    return Child(pid, *mine, dump, Family(pid), chosen, scratch)
