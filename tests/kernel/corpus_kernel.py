"""A warm process that forks a kernel for each connection, without ipykernel's server.

Started by :mod:`corpus_runner` as ``python corpus_kernel.py SOCKET PACKED_SOURCE [MODULE ...]``. It
imports IPython and the named modules once, installs the packed kernel part and listens on the Unix socket.
Each connection gets a fork that answers one JSON object a line:

- ``{"folder": path}``: the working directory
- ``{"run": source}``: run a cell as the user; answers ``{"error": text or null}``
- ``{"missing": names}``: answers ``{"missing": [those that the user's namespace does not have]}``
- ``{"call": text}``: an operation of the kernel part; answers what it answers
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
import tempfile
import types
from typing import Any


def make_shell() -> Any:
    """The shell of ipykernel, with nothing behind its kernel."""
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    from ipykernel.zmqshell import ZMQInteractiveShell
    from jupyter_client.session import Session
    from traitlets.config import Config

    class Silent(Session):
        def send(self, *_: Any, **__: Any) -> Any:  # type: ignore[override]
            return {}

    session = Silent()
    kernel = types.SimpleNamespace(
        session=session,
        iopub_socket=None,
        shell_handlers={},
        get_parent=lambda *_: {},
        execution_count=0,
    )
    config = Config()
    config.HistoryManager.enabled = False
    # As in a kernel: the working directory comes first, nothing of the tests is found.
    sys.path[0] = ""
    shell = ZMQInteractiveShell.instance(config=config, kernel=kernel)
    shell.enable_gui = lambda *_, **__: None
    shell.displayhook.session = shell.display_pub.session = session
    shell.displayhook.pub_socket = shell.display_pub.pub_socket = None
    return shell


class Kernel:
    """Answers the requests of one connection."""

    def __init__(self, connection: socket.socket, shell: Any) -> None:
        self._connection = connection
        self._shell = shell
        self._rest = b""

    def serve(self) -> None:
        while True:
            answer = self._answer(self._next())
            self._connection.sendall(json.dumps(answer).encode() + b"\n")

    def _next(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            data = self._connection.recv(1 << 16)
            if not data:
                sys.modules["_jupyterlab_refine"].shutdown()
                os._exit(0)
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        (kind, value) = request.popitem()
        if kind == "folder":
            os.chdir(value)
            return {"pid": os.getpid()}
        if kind == "missing":
            return {"missing": [name for name in value if name not in self._shell.user_ns]}
        if kind == "run":
            result = self._shell.run_cell(value, store_history=True)
            error = result.error_before_exec or result.error_in_exec
            return {"error": error and f"{type(error).__name__}: {error}"}
        # No name is bound to the request here: the kernel part clears its own copies only.
        del request
        waiting = [value]
        del value
        return sys.modules["_jupyterlab_refine"].call(waiting.pop())._data


def main(path: str, packed: str, *modules: str) -> None:
    os.environ["IPYTHONDIR"] = tempfile.mkdtemp(prefix="corpus-", dir=os.path.dirname(path))
    shell = make_shell()
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    with open(packed, encoding="ascii") as file:
        exec(file.read(), {"__name__": "_jupyterlab_refine_loader"})
    # Once for all: which means of isolation work here.
    sys.modules["_jupyterlab_refine"].call('{"op": "hello"}')
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(16)
    print("ready", flush=True)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    parent = os.getppid()
    listener.settimeout(5)
    while os.getppid() == parent:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        if os.fork() == 0:
            listener.close()
            connection.settimeout(None)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            try:
                Kernel(connection, shell).serve()
            finally:
                os._exit(1)
        connection.close()
        reap()


def reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


if __name__ == "__main__":
    main(*sys.argv[1:])
