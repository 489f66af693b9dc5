"""``--server``: a server that runs already and goes on running, or dies in mid-run as on a cluster."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

import pytest
from command import MARK, CommandLine, answer, code, read_cells, wait_until

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


@pytest.fixture
def server(cli: CommandLine) -> Iterator[GivenServer]:
    """A Jupyter server with the extension, in the folder of the command line."""
    with jupyter_server(cli, extension=True) as given:
        yield given


@pytest.fixture
def plain_server(cli: CommandLine) -> Iterator[GivenServer]:
    """The same without the extension, as a gateway is."""
    with jupyter_server(cli) as given:
        yield given


def test_it_is_used_and_left_running_without_our_kernels(cli: CommandLine, server: GivenServer) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    done = cli.run("check", "n.ipynb", "--server", server.url, "--token", TOKEN)
    assert done.status == 0, done.stderr
    assert done.stdout == "passed  n.ipynb cell 0 [t]: 1 of 1; current code\n"
    assert server.kernels() == []


def test_wrong_token_is_status_3(cli: CommandLine, server: GivenServer) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    done = cli.run("check", "n.ipynb", "--server", server.url, "--token", "wrong")
    assert done.status == 3, done.stderr
    assert "requires a valid token (403)" in done.stderr
    assert "--token" in done.stderr


def test_a_second_kernel_is_not_left_there(cli: CommandLine, server: GivenServer) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    flags = ("--server", server.url, "--token", TOKEN, "--isolation", "sidecar")
    done = cli.run("check", "n.ipynb", *flags)
    assert done.status == 0, done.stderr
    assert server.kernels() == []


def test_a_base_url_is_called_without_our_extension(
    cli: CommandLine, plain_server: GivenServer, model_server: Callable[..., str]
) -> None:
    notebook = cli.notebook("n.ipynb", [code("t", "# Write x."), code("a", "assert x == 1")])
    flags = ("--server", plain_server.url, "--token", TOKEN)
    without = cli.run("run", "n.ipynb", *flags)
    assert without.status == 3, without.stderr
    done = cli.run("run", "n.ipynb", *flags, "--base-url", model_server(answer("x = 1")), "--in-place")
    assert done.status == 0, done.stderr
    assert "openai/scripted-model" in done.stdout
    assert read_cells(notebook)["t"]["source"] == "# Write x.\nx = 1"
    assert plain_server.kernels() == []


def test_limits_of_a_given_server_hold_for_a_base_url(
    cli: CommandLine, model_server: Callable[..., str]
) -> None:
    cli.notebook("n.ipynb", [code("t", "# Write x."), code("a", "assert x == 1")])
    url = model_server(answer("x = 2", times=0))
    with jupyter_server(cli, "--Refine.policy=max_attempts=2", extension=True) as server:
        flags = ("--server", server.url, "--token", TOKEN, "--base-url", url, "--json")
        done = cli.run("run", "n.ipynb", *flags)
    assert done.status == 1, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["attempts"] == 2


FLAGS = ("--token", TOKEN, "--isolation", "fork")


def target_below_a_slow_cell(folder: Path, name: str) -> list[dict[str, object]]:
    """Its kernel writes its number into a file and waits."""
    source = f"""
import os, time
open({str(folder / name)!r}, "w").write(str(os.getpid()))
time.sleep(60)
"""
    return [code("above", source), code("t", "x = 1"), code("a", "assert x == 1")]


def started(path: Path) -> int:
    """Process number of the kernel, once it runs the cell."""
    wait_until(lambda: path.exists() and path.read_text() != "")
    return int(path.read_text())


def test_kernel_that_died_ends_its_own_notebook_only(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", target_below_a_slow_cell(cli.folder, "started"))
    cli.notebook("other.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    with jupyter_server(cli) as server:
        process = cli.start("check", "n.ipynb", "other.ipynb", "--server", server.url, *FLAGS)
        os.kill(started(cli.folder / "started"), signal.SIGKILL)
        done = cli.finish(process)
        assert done.status == 3, done.stderr
        assert "passed  other.ipynb cell 0 [t]: 1 of 1; current code\n" in done.stdout
        assert "The kernel died" in done.stderr
        assert server.kernels() == []


def test_server_that_died_ends_the_run_with_its_name(cli: CommandLine) -> None:
    for name in ("a", "b"):
        cli.notebook(f"{name}.ipynb", target_below_a_slow_cell(cli.folder, name))
    with jupyter_server(cli) as server:
        process = cli.start("check", "a.ipynb", "b.ipynb", "--server", server.url, *FLAGS)
        started(cli.folder / "a")
        server.kill()
        done = cli.finish(process)
        assert done.status == 3
        assert f"The Jupyter server at {server.url} does not answer any more." in done.stderr
        assert f"Cannot reach the Jupyter server at {server.url}" in done.stderr


@pytest.mark.full
def test_six_of_eight_notebooks_on_a_gateway_survive_lost_kernels(cli: CommandLine) -> None:
    names = [f"n{number}" for number in range(8)]
    for name in names[:2]:
        cli.notebook(f"{name}.ipynb", target_below_a_slow_cell(cli.folder, name))
    for name in names[2:]:
        cli.notebook(f"{name}.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    # Six places for eight notebooks: two wait.
    with gateway(cli, "--EnterpriseGatewayApp.max_kernels=6") as server:
        notebooks = [f"{name}.ipynb" for name in names]
        process = start_on(server, cli, *notebooks, "--workers", "8")
        for name in names[:2]:
            os.kill(started(cli.folder / name), signal.SIGKILL)
        done = cli.finish(process)
        assert done.status == 3, done.stderr
        assert done.stdout.count("passed") == 6
        assert done.stderr.count("The kernel died") == 2
        assert server.kernels() == []


@pytest.mark.full
def test_a_gateway_that_died_is_named(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", target_below_a_slow_cell(cli.folder, "started"))
    with gateway(cli) as server:
        process = start_on(server, cli, "n.ipynb")
        started(cli.folder / "started")
        server.kill()
        done = cli.finish(process)
        assert done.status == 3
        assert f"The Jupyter server at {server.url} does not answer any more." in done.stderr


@pytest.mark.full
def test_gateway_that_wants_a_user_is_understood(cli: CommandLine) -> None:
    if os.getuid() != 0:
        pytest.skip("a gateway of another user wants none")
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    with gateway(cli) as server:
        done = cli.finish(cli.start("check", "n.ipynb", "--server", server.url, *FLAGS))
        assert done.status == 3
        assert "KERNEL_USERNAME" in done.stderr


def start_on(server: GivenServer, cli: CommandLine, *arguments: str) -> Popen[str]:
    return cli.start(
        "check", *arguments, "--server", server.url, *FLAGS, environment={"KERNEL_USERNAME": "jovyan"}
    )
