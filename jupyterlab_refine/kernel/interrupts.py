"""Handle the kernel's interrupts while it forks a child or waits for one."""

from __future__ import annotations

import _signal
import os
import signal


class Interrupts:
    """Receives the kernel's interrupts while a child is forked or waited for.

    With ``except KeyboardInterrupt`` a few quick ones escape from the ``except``
    block and leak a running child. This handler raises nothing: it ends the wait.
    Create it before anything that must be released.
    """

    def __init__(self) -> None:
        self.seen, self._written = os.pipe()
        os.set_blocking(self._written, False)
        try:
            # Not of `signal`, which makes names of the numbers: every page used after a fork is copied.
            self._handler = _signal.signal(signal.SIGINT, self._interrupted)
        except ValueError:
            # Outside of the main thread.
            os.close(self.seen)
            os.close(self._written)
            raise

    def _interrupted(self, *_: object) -> None:
        try:
            os.write(self._written, b"x")
        except OSError:
            # Full: more interrupts than anyone counts.
            return

    def restore(self) -> None:
        _signal.signal(signal.SIGINT, signal.default_int_handler if self._handler is None else self._handler)
        os.close(self.seen)
        os.close(self._written)
