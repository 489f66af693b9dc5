"""Handle the kernel's interrupts while it forks a child or waits for one."""

from __future__ import annotations

import _signal
import signal

from .attempt.pipes import Wake


class Interrupts:
    """Receives the kernel's interrupts while a child is forked or waited for.

    With ``except KeyboardInterrupt`` a few quick ones escape from the ``except``
    block and leak a running child. This handler raises nothing: it ends the wait.
    Create it before anything that must be released.
    """

    def __init__(self) -> None:
        self._wake = Wake()
        #: Readable once there was one.
        self.seen = self._wake.end
        try:
            # Not of `signal`, which makes names of the numbers: every page used after a fork is copied.
            self._handler = _signal.signal(signal.SIGINT, self._wake.up)
        except ValueError:
            # Outside of the main thread.
            self._wake.close()
            raise

    def restore(self) -> None:
        _signal.signal(signal.SIGINT, signal.default_int_handler if self._handler is None else self._handler)
        self._wake.close()
