"""``--server`` when kernels or the server die in mid-run, as on a cluster."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from subprocess import Popen

import pytest
from command import CommandLine, code
from servers import TOKEN, GivenServer, gateway, jupyter_server

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
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if path.exists() and path.read_text():
            return int(path.read_text())
        time.sleep(0.1)
    pytest.fail(f"no kernel has written {path.name}")


def finish(cli: CommandLine, process: Popen[str]) -> tuple[int, str, str]:
    done = cli.finish(process)
    return done.status, done.stdout, done.stderr


def test_kernel_that_died_ends_its_own_notebook_only(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", target_below_a_slow_cell(cli.folder, "started"))
    cli.notebook("other.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    with jupyter_server(cli) as server:
        process = cli.start("check", "n.ipynb", "other.ipynb", "--server", server.url, *FLAGS)
        os.kill(started(cli.folder / "started"), signal.SIGKILL)
        status, stdout, stderr = finish(cli, process)
        assert status == 3, stderr
        assert "passed  other.ipynb cell 0 [t]: 1 of 1; current code\n" in stdout
        assert "n.ipynb: The kernel died" in stdout + stderr or "The kernel died" in stderr
        assert server.kernels() == []


def test_server_that_died_ends_the_run_with_its_name(cli: CommandLine) -> None:
    for name in ("a", "b"):
        cli.notebook(f"{name}.ipynb", target_below_a_slow_cell(cli.folder, name))
    with jupyter_server(cli) as server:
        process = cli.start("check", "a.ipynb", "b.ipynb", "--server", server.url, *FLAGS)
        started(cli.folder / "a")
        server.kill()
        status, _, stderr = finish(cli, process)
        assert status == 3
        assert f"The Jupyter server at {server.url} does not answer any more." in stderr
        assert f"Cannot reach the Jupyter server at {server.url}" in stderr


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
        status, stdout, stderr = finish(cli, process)
        assert status == 3, stderr
        assert stdout.count("passed") == 6
        assert stderr.count("The kernel died") == 2
        assert server.kernels() == []


@pytest.mark.full
def test_a_gateway_that_died_is_named(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", target_below_a_slow_cell(cli.folder, "started"))
    with gateway(cli) as server:
        process = start_on(server, cli, "n.ipynb")
        started(cli.folder / "started")
        server.kill()
        status, _, stderr = finish(cli, process)
        assert status == 3
        assert f"The Jupyter server at {server.url} does not answer any more." in stderr


@pytest.mark.full
def test_gateway_that_wants_a_user_is_understood(cli: CommandLine) -> None:
    if os.getuid() != 0:
        pytest.skip("a gateway of another user wants none")
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    with gateway(cli) as server:
        status, _, stderr = finish(cli, cli.start("check", "n.ipynb", "--server", server.url, *FLAGS))
        assert status == 3
        assert "set KERNEL_USERNAME" in stderr


def start_on(server: GivenServer, cli: CommandLine, *arguments: str) -> Popen[str]:
    return cli.start(
        "check", *arguments, "--server", server.url, *FLAGS, environment={"KERNEL_USERNAME": "jovyan"}
    )
