"""Run cells for real in the copy of a notebook, as a kernel does, and record their outputs.

For ``jupyter refine run``, where the cells above a target and an accepted cell keep their effects.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import select
import signal
import sys
import tempfile
import threading
from typing import Any

from .frames import Frames
from .shell import text_of

_NAMES = {1: "stdout", 2: "stderr"}
_EXIT_SECONDS = 1.0
# References of our own: a cell may replace those of the module.
_encode = json.JSONEncoder(default=str).encode
_decode = json.JSONDecoder(parse_constant=str).decode


class Recorder:
    """In the place of a kernel's session: the messages of the cell that runs, in order.

    Text that bypasses Python, of ``os.write`` or a subprocess, goes to files, which are read at each message.
    """

    def __init__(self) -> None:
        self._messages: list[dict[str, Any]] = []
        self._read = dict.fromkeys(_NAMES, 0)
        self._pid = os.getpid()
        self._lock = threading.RLock()
        #: The files by name: a cell may lead the descriptors elsewhere, as pytest does.
        self._files: dict[int, int] = {}
        for descriptor in _NAMES:
            with tempfile.TemporaryFile("ab+", buffering=0) as file:
                self._files[descriptor] = os.dup(file.fileno())
                os.dup2(file.fileno(), descriptor)

    def send(self, _: Any, kind: str, content: Any = None, *__: Any, **___: Any) -> None:
        """As ``session.send`` of a kernel: what cannot be sent raises in the cell that shows it."""
        # What no JSON holds becomes text: NaN, and objects of other types.
        plain = _decode(_encode(content or {}))
        with self._lock:
            self._drain()
            self._messages.append({"type": kind, "content": plain})

    def write(self, descriptor: int, text: str) -> None:
        if os.getpid() != self._pid:
            os.write(descriptor, text.encode("utf-8", "backslashreplace"))
            return
        with self._lock:
            self._drain()
            self._messages.append({"type": "stream", "content": {"name": _NAMES[descriptor], "text": text}})

    def take(self) -> list[dict[str, Any]]:
        """All since the last call."""
        with self._lock:
            self._drain()
            taken, self._messages = self._messages, []
        return taken

    def _drain(self) -> None:
        for descriptor, name in _NAMES.items():
            file = self._files[descriptor]
            size = os.fstat(file).st_size
            # It is shorter after a cell has cut it.
            start = min(self._read[descriptor], size)
            data = os.pread(file, size - start, start)
            self._read[descriptor] = start + len(data)
            if data:
                text = data.decode("utf-8", "replace")
                self._messages.append({"type": "stream", "content": {"name": name, "text": text}})


class Stream(io.TextIOBase):
    """``sys.stdout`` or ``sys.stderr`` of the cells."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, descriptor: int, recorder: Recorder) -> None:
        self.name = _NAMES[descriptor]
        self._descriptor = descriptor
        self._recorder = recorder

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text:
            self._recorder.write(self._descriptor, text)
        return len(text)


class Cells:
    """The cells of one notebook. Make it once, in the process that runs them."""

    def __init__(self, shell: Any, pipe: Frames) -> None:
        """:param pipe: of the requests: when nobody can ask any more, a cell that runs is ended."""
        self._shell = shell
        self._pipe = pipe
        self._pid = os.getpid()
        self._recorder = Recorder()
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        system: Any = sys
        system.stdout = system.__stdout__ = Stream(1, self._recorder)
        system.stderr = system.__stderr__ = Stream(2, self._recorder)
        shell.display_pub.session = shell.displayhook.session = self._recorder
        # A group of its own: what the cells have started ends with it. What leaves the group has no pipe.
        os.setpgid(0, 0)
        os.register_at_fork(after_in_child=pipe.leave)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def run(self, source: str) -> dict[str, Any]:
        """Run one cell; SIGINT interrupts it. Returns its messages, its execution count and its error."""
        self._shell.last_shown = None
        wake, ended = os.pipe()
        watch = threading.Thread(target=self._watch, args=(wake,), daemon=True)
        watch.start()
        task = self._loop.create_task(self._run(source))
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            error = self._loop.run_until_complete(task)
        except KeyboardInterrupt as interrupt:
            task.cancel()
            error = interrupt
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            if os.getpid() != self._pid:
                # A process that the cell has forked came to the cell's end: the notebook's goes on alone.
                os._exit(0)
            # Its end is no signal: a process that the cell has left running holds it open.
            os.write(ended, b".")
            watch.join()
            os.close(ended)
            os.close(wake)
        return {
            "messages": self._recorder.take(),
            "executionCount": self._shell.execution_count - 1,
            "error": None if error is None else self._described(error),
        }

    def end(self) -> None:
        """End what the cells have started, and write what they left in buffers."""
        import atexit

        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        # Some wait for processes that a cell left running, others end them in order.
        late = threading.Timer(_EXIT_SECONDS, os.killpg, (0, signal.SIGTERM))
        late.daemon = True
        late.start()
        atexit._run_exitfuncs()
        os.killpg(0, signal.SIGTERM)
        self._shell.user_ns.clear()

    async def _run(self, source: str) -> BaseException | None:
        shell, problem = self._shell, None
        text = source
        try:
            text = shell.transform_cell(source)
        except Exception:
            problem = sys.exc_info()
        try:
            result = await shell.run_cell_async(
                source, store_history=True, transformed_cell=text, preprocessing_exc_tuple=problem
            )
        except Exception as failure:
            # IPython fails to show what the cell has raised.
            return failure
        shell.events.trigger("post_execute")
        shell.events.trigger("post_run_cell", result)
        error: BaseException | None = result.error_before_exec or result.error_in_exec
        return error

    def _described(self, error: BaseException) -> dict[str, Any]:
        shown = self._shell.last_shown or []
        return {"name": type(error).__name__, "message": text_of(error), "traceback": "\n".join(shown)}

    def _watch(self, wake: int) -> None:
        poller, reader = select.poll(), self._pipe.reader
        poller.register(reader, getattr(select, "POLLRDHUP", 0))
        poller.register(wake, select.POLLIN)
        if any(descriptor == reader for descriptor, _ in poller.poll()):
            os.killpg(0, signal.SIGKILL)
