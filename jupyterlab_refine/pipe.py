"""Models over a pipe: what the command line calls, without a Jupyter server.

Frames of JSON come over standard input, and answers go over descriptor 3, as of ``warm/frames.py``.
``{"id", "path", "profile", "body"}`` asks for ``profiles`` or ``chat/completions``, bodies as of the server's
routes; ``{"cancel": id}`` ends a call. The first frame says ``ready``. Answers are ``{"id", "status",
"type"}``, ``{"id", "data"}`` … and ``{"id", "end"}``. When the input ends, so does the process.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_config_dir, jupyter_config_path
from traitlets import TraitError
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader

from .configuration import Refine
from .errors import RefineError, unexpected
from .services import RefusedConfiguration, Services
from .warm.frames import ANSWERS, Frames

#: Files that a Jupyter server reads for this extension; a later one wins.
_FILES = ("jupyter_jupyterlab_refine_config", "jupyter_config", "jupyter_server_config")


def main() -> None:
    """Serve until standard input ends. ``--no-profiles``: those of the configuration are left out."""
    frames = Frames(0, ANSWERS)
    asyncio.run(_Pipe(frames, _services("--no-profiles" in sys.argv)).serve())
    # A read that waits must not keep the process.
    os._exit(0)


def _services(without_profiles: bool) -> Services | RefusedConfiguration:
    try:
        config = _config()
        if without_profiles:
            config.Refine.profiles = []
        return Refine(config=config).services()
    except TraitError as error:
        return RefusedConfiguration(
            f"The configuration of jupyterlab-refine is wrong: {error} Correct it, then try again."
        )


def _config() -> Config:
    """What a Jupyter server of this user would read."""
    config = Config()
    for file in _files():
        loader = JSONFileConfigLoader if file.suffix == ".json" else PyFileConfigLoader
        try:
            config.merge(loader(file.name, path=str(file.parent)).load_config())
        except ConfigFileNotFound:
            continue
        except Exception as error:
            # As a Jupyter server, which goes on without it.
            print(f"{file}: {type(error).__name__}: {error}", file=sys.stderr)
    return config


def _files() -> Iterator[Path]:
    folders = [os.getcwd(), jupyter_config_dir(), *jupyter_config_path()]
    for name in _FILES:
        for folder in reversed(list(dict.fromkeys(folders))):
            for end in (".py", ".json"):
                yield Path(folder, name + end)


class _Pipe:
    def __init__(self, frames: Frames, services: Services | RefusedConfiguration) -> None:
        self._frames = frames
        self._services = services
        self._gone: dict[int, asyncio.Future[None]] = {}

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        asked: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def read() -> None:
            while True:
                frame = self._frames.read()
                loop.call_soon_threadsafe(asked.put_nowait, frame)
                if frame is None:
                    return

        threading.Thread(target=read, daemon=True).start()
        self._frames.write({"ready": True})
        tasks: set[asyncio.Task[None]] = set()
        while (frame := await asked.get()) is not None:
            if "cancel" in frame:
                gone = self._gone.get(frame["cancel"])
                if gone is not None and not gone.done():
                    gone.set_result(None)
                continue
            self._gone[frame["id"]] = loop.create_future()
            task = asyncio.ensure_future(self._answer(frame))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def _answer(self, frame: dict[str, Any]) -> None:
        call = _Call(self._frames, frame["id"])
        try:
            if isinstance(self._services, RefusedConfiguration):
                raise self._services.error()
            if frame["path"] == "profiles":
                call.whole(200, await self._services.describe())
            else:
                body = json.loads(frame["body"])
                gone = self._gone[frame["id"]]
                await self._services.answer(body, frame.get("profile"), call.send, gone)
        except Exception as error:
            reported = error if isinstance(error, RefineError) else unexpected(error)
            await call.fail(reported)
        finally:
            del self._gone[frame["id"]]
            with contextlib.suppress(OSError):
                self._frames.write({"id": frame["id"], "end": True})


class _Call:
    """The answer to one request, as the body of an HTTP response."""

    def __init__(self, frames: Frames, number: int) -> None:
        self._frames = frames
        self._number = number
        self._streaming = False

    async def send(self, text: str) -> None:
        """A part of an event stream."""
        if not self._streaming:
            self._streaming = True
            self._head(200, "text/event-stream")
        self._frames.write({"id": self._number, "data": text})

    def whole(self, status: int, body: dict[str, Any]) -> None:
        """All of it, as JSON."""
        self._head(status, "application/json")
        self._frames.write({"id": self._number, "data": json.dumps(body)})

    async def fail(self, error: RefineError) -> None:
        if self._streaming:
            await self.send(f"data: {json.dumps(error.body())}\n\n")
        else:
            self.whole(error.http_status, error.body())

    def _head(self, status: int, kind: str) -> None:
        self._frames.write({"id": self._number, "status": status, "type": kind})
