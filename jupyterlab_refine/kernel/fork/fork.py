"""Fork the kernel in its main thread: :func:`spawn` returns the child and the kernel's ends of its pipes."""

from __future__ import annotations

import _signal
import contextlib
import errno
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
from ..isolation.isolation import plan, probe
from ..judge import importing
from . import pools, root
from .family import Family

#: A fork has all variables.
COPIES = False
__all__ = ["COPIES", "plan", "probe", "spawn"]


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
    with contextlib.ExitStack() as started:
        try:
            return _forked(chosen, shell, ahead, started)
        except OSError as error:
            name = errno.errorcode.get(error.errno or 0, "")
            message = f"The kernel could not be forked: {error.strerror} ({name})."
            raise Refused("fork-failed", message) from error


def _forked(chosen: Plan, shell: Any, ahead: bool, started: contextlib.ExitStack) -> Child:
    """:param started: undoes what was made, unless all of it is."""
    scratch = isolation.scratch_for(chosen)
    started.callback(temporary.remove, scratch)
    file: Any = tempfile.TemporaryFile()
    # Events, commands, standard output and error, then of the judge; the kernel writes to these.
    written = (1, 5)
    ours, theirs = [], []
    for number in range(6):
        pipe = os.pipe() if number not in written else os.pipe()[::-1]
        ours.append(pipe[0])
        theirs.append(pipe[1])
        started.callback(os.close, pipe[0])
        started.callback(os.close, pipe[1])
    dump = StackDump(file, f"/proc/self/fd/{file.fileno()}", root.DUMP_SIGNAL)
    # Not of `signal`, which makes names of the numbers: every page used after a fork is copied.
    mask = _signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    forked = root.Root(chosen, scratch, root.Ends(*(*theirs, file.fileno())), shell, mask, ahead)
    try:
        pid = processes.fork()
        if pid == 0:
            for descriptor in ours:
                os.close(descriptor)
            forked.main()
    finally:
        _signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    started.pop_all()
    for descriptor in theirs:
        os.close(descriptor)
    for descriptor in ours:
        os.set_blocking(descriptor, False)
    events, commands, stdout, stderr, judge_events, judge_commands = ours
    mine = (events, commands, stdout, stderr, judge_events, judge_commands)
    return Child(pid, *mine, dump, Family(pid), chosen, scratch)
