"""The end of a child: it and all that it has started are killed, then reaped."""

from __future__ import annotations

import os
import signal
import time

from . import processes
from .fork import Child

_EXIT_SECONDS = 0.5


class Ending:
    """Ends one child in two steps: what was told need not wait for the memory to be given back."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._descendants: list[int] = []
        self._status: int | None = None
        self._crashed = False

    def kill(self) -> None:
        """Kill a child that is still there; nothing of it runs any more afterwards."""
        # It must not fork while we look; what it has started is killed before it.
        signal_child(self._child.pid, signal.SIGSTOP)
        self._descendants = processes.kill_descendants(self._child.pid)
        processes.kill_group(self._child.pid)

    def explain_crash(self) -> str:
        """For a child that was not killed by us: how it ended, as a sentence; it is dead afterwards."""
        self._crashed = True
        try:
            self._status = self._wait_for_exit()
        except ChildProcessError:
            # Reaped by the system, or by a thread of the user's.
            self._status = 0
            return "crashed: how is not known (the kernel ignores SIGCHLD, or waits for all its children)"
        if self._status is not None:
            return f"crashed: {exit_words(self._status)}"
        self.kill()
        return "crashed: it closed the pipe to the kernel"

    def reap(self) -> None:
        """Wait for the dead, and look for daemons that were re-parented to the kernel."""
        if self._status is None:
            try:
                os.waitpid(self._child.pid, 0)
            except ChildProcessError:
                # As above.
                self._status = 0
        processes.reap(self._descendants)
        if self._crashed or self._descendants:
            processes.kill_marked(self._child.token)

    def _wait_for_exit(self) -> int | None:
        end = time.monotonic() + _EXIT_SECONDS
        while time.monotonic() < end:
            reaped, status = os.waitpid(self._child.pid, os.WNOHANG)
            if reaped:
                return status
            time.sleep(0.001)
        return None


def signal_child(pid: int, number: int) -> None:
    """Send a signal to a child that may be gone already; its exit is seen elsewhere."""
    try:
        os.kill(pid, number)
    except OSError:
        return


def exit_descriptor(pid: int) -> tuple[int, ...]:
    """A descriptor that is readable when the process has exited, where the system has such; else none."""
    try:
        return (os.pidfd_open(pid),)
    except (AttributeError, OSError):
        return ()


def exit_words(status: int) -> str:
    """How a child ended: ``killed by SIGSEGV``, ``it ended the process itself, with exit status 3``."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        names = {known.value: known.name for known in signal.Signals}
        return f"killed by {names.get(number, f'signal {number}')}"
    return f"it ended the process itself, with exit status {os.WEXITSTATUS(status)}"
