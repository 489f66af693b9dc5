"""``--server``: a Jupyter server that runs already, and goes on running."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from command import CommandLine, answer, code, read_cells
from servers import TOKEN, GivenServer, jupyter_server


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
    assert "refused the token (403)" in done.stderr
    assert "--token" in done.stderr


def test_a_second_kernel_is_not_left_there(cli: CommandLine, server: GivenServer) -> None:
    cli.notebook("n.ipynb", [code("t", "x = 1"), code("a", "assert x == 1")])
    flags = ("--server", server.url, "--token", TOKEN, "--isolation", "sidecar")
    done = cli.run("check", "n.ipynb", *flags)
    assert done.status == 0, done.stderr
    assert "Attempts run in a second kernel" in done.stderr
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
