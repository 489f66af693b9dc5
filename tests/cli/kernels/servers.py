"""Servers for ``--server``: Jupyter's own and Enterprise Gateway."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from command import MARK, CommandLine

TOKEN = "token-of-the-test"


@dataclass
class GivenServer:
    """A server that runs already."""

    url: str
    process: subprocess.Popen[bytes]

    def kernels(self) -> list[object]:
        """Models of its kernels."""
        found: list[object] = self.get("api/kernels")
        return found

    def get(self, path: str) -> list[object]:
        request = urllib.request.Request(f"{self.url}{path}", headers={"Authorization": f"token {TOKEN}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            found: list[object] = json.load(answer)
            return found

    def kill(self) -> None:
        """As if its machine failed."""
        self.process.kill()
        self.process.wait()


@contextmanager
def jupyter_server(cli: CommandLine, *more: str, extension: bool = False) -> Iterator[GivenServer]:
    """Jupyter Server, in the folder of the command line, without the extension unless asked for."""
    # As in the server of the command line: jsonschema builds a grammar for seconds, which is not used.
    program = (
        "import sys\nsys.modules['rfc3987_syntax'] = None\nfrom jupyter_server.serverapp import main\nmain()"
    )
    flags = (
        "--no-browser",
        "--allow-root",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.jpserver_extensions=jupyterlab_refine={extension}",
        *more,
    )
    with running(cli, [sys.executable, "-c", program], flags, "ServerApp", {}) as server:
        yield server


@contextmanager
def gateway(cli: CommandLine, *flags: str) -> Iterator[GivenServer]:
    """Jupyter Enterprise Gateway, with the kernels of its own environment."""
    program = os.environ.get("REFINE_GATEWAY", "")
    if not program:
        pytest.skip("REFINE_GATEWAY names no jupyter-enterprisegateway; `make test-full` sets it")
    flags = (*flags, f"--EnterpriseGatewayApp.auth_token={TOKEN}")
    environment = {"PYTHONPATH": "", "EG_LIST_KERNELS": "True"}
    with running(cli, [program], flags, "EnterpriseGatewayApp", environment) as server:
        yield server


@contextmanager
def running(
    cli: CommandLine,
    program: list[str],
    flags: tuple[str, ...],
    app: str,
    environment: Mapping[str, str],
) -> Iterator[GivenServer]:
    port = free_port()
    process = subprocess.Popen(
        [*program, f"--{app}.ip=127.0.0.1", f"--{app}.port={port}", *flags],
        cwd=cli.folder,
        # Its kernels are not those of the command line.
        env={**cli.environment, MARK: "", **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    server = GivenServer(f"http://127.0.0.1:{port}/", process)
    try:
        wait_for(server)
        yield server
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(server: GivenServer) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and server.process.poll() is None:
        try:
            server.get("api")
            return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    pytest.fail("the server did not start")


def free_port() -> int:
    """A port on which nothing listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
