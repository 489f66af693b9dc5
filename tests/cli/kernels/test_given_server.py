"""``--server``: a Jupyter server that runs already, and goes on running."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from command import MARK, CommandLine, answer, code, read_cells

TOKEN = "token-of-the-test"


@pytest.fixture
def server(cli: CommandLine) -> Iterator[str]:
    """Address of a Jupyter server with the extension, in the folder of the command line."""
    yield from serve(cli, "jupyterlab_refine=True")


@pytest.fixture
def plain_server(cli: CommandLine) -> Iterator[str]:
    """The same without the extension, as a gateway is."""
    yield from serve(cli, "jupyterlab_refine=False")


def serve(cli: CommandLine, extensions: str, *more: str) -> Iterator[str]:
    program = (
        # As in the server of the command line: jsonschema builds a grammar for seconds, which is not used.
        "import sys\nsys.modules['rfc3987_syntax'] = None\n"
        "from jupyter_server.serverapp import ServerApp\n"
        "app = ServerApp.instance()\n"
        "app.initialize(sys.argv[1:])\n"
        "app.io_loop.add_callback(lambda: print(app.connection_url, flush=True))\n"
        "app.start()\n"
    )
    flags = [
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={free_port()}", "--no-browser"),
        *(f"--IdentityProvider.token={TOKEN}", "--allow-root"),
        f"--ServerApp.jpserver_extensions={extensions}",
        *more,
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *flags],
        cwd=cli.folder,
        env={**cli.environment, MARK: ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait(timeout=30)


def free_port() -> int:
    """A port on which nothing listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def kernels(url: str) -> list[object]:
    request = urllib.request.Request(f"{url}api/kernels", headers={"Authorization": f"token {TOKEN}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        found: list[object] = json.load(answer)
        return found


def test_it_is_used_and_left_running_without_our_kernels(cli: CommandLine, server: str) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    done = cli.run("check", "n.ipynb", "--server", server, "--token", TOKEN)
    assert done.status == 0, done.stderr
    assert done.stdout == "passed  n.ipynb cell 0 [t]: 1 of 1; current code\n"
    assert kernels(server) == []


def test_wrong_token_is_status_3(cli: CommandLine, server: str) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    done = cli.run("check", "n.ipynb", "--server", server, "--token", "wrong")
    assert done.status == 3, done.stderr
    assert "refused the token (403)" in done.stderr
    assert "--token" in done.stderr


def test_server_that_is_not_there_is_status_3(cli: CommandLine) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    done = cli.run("check", "n.ipynb", "--server", "http://127.0.0.1:1/")
    assert done.status == 3, done.stderr
    assert "http://127.0.0.1:1/" in done.stderr


def test_a_second_kernel_is_not_left_there(cli: CommandLine, server: str) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    flags = ("--server", server, "--token", TOKEN, "--isolation", "sidecar")
    done = cli.run("check", "n.ipynb", *flags)
    assert done.status == 0, done.stderr
    assert "Attempts run in a second kernel" in done.stderr
    assert kernels(server) == []


def test_a_base_url_is_called_without_our_extension(
    cli: CommandLine, plain_server: str, model_server: Callable[..., str]
) -> None:
    notebook = cli.notebook("n.ipynb", [code("t", "# Write x."), code("a", "assert x == 1")])
    flags = ("--server", plain_server, "--token", TOKEN)
    without = cli.run("run", "n.ipynb", *flags)
    assert without.status == 3, without.stderr
    done = cli.run("run", "n.ipynb", *flags, "--base-url", model_server(answer("x = 1")), "--in-place")
    assert done.status == 0, done.stderr
    assert "openai/scripted-model" in done.stdout
    assert read_cells(notebook)["t"]["source"] == "# Write x.\nx = 1"
    assert kernels(plain_server) == []


def test_limits_of_a_given_server_hold_for_a_base_url(
    cli: CommandLine, model_server: Callable[..., str]
) -> None:
    cli.notebook("n.ipynb", [code("t", "# Write x."), code("a", "assert x == 1")])
    limits = "jupyterlab_refine=True", "--Refine.policy=max_attempts=2"
    server = serve(cli, *limits)
    url = model_server(answer("x = 2", times=0))
    flags = ("--server", next(server), "--token", TOKEN, "--base-url", url, "--json")
    done = cli.run("run", "n.ipynb", *flags)
    next(server, None)
    assert done.status == 1, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["attempts"] == 2
