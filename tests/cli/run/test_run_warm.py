"""``jupyter refine run`` without a server: in a warm process, with what a kernel would give."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import CommandLine, answer, code, read_cells

ModelServer = Callable[..., str]

CHECKS = code("checks", "assert double(2) == 4")
DOUBLE = "def double(n):\n    return factor * n"


def refuse(cli: CommandLine, *modules: str) -> dict[str, str]:
    """An environment in which nobody can import these modules."""
    folder = cli.folder.parent / "refused"
    folder.mkdir()
    for module in modules:
        (folder / f"{module}.py").write_text(f"raise SystemExit('{module} was imported')")
    return {"PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


def written(cli: CommandLine, *arguments: str, **more: Any) -> dict[str, dict[str, Any]]:
    done = cli.run("run", "n.ipynb", *arguments, "--output", "out.ipynb", **more)
    assert done.status == 0, done.stderr
    return read_cells(cli.folder / "out.ipynb")


def test_neither_a_server_nor_a_kernel_is_started(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", [code("above", "factor = 2"), code("t", "# Write double(n)."), CHECKS])
    refused = refuse(cli, "jupyter_server", "ipykernel", "jupyter_client")
    url = model_server(answer(DOUBLE))
    flags = ("--base-url", url, "--output", "out.ipynb", "--confirm-clean")
    done = cli.run("run", "n.ipynb", *flags, environment=refused)
    assert done.status == 0, done.stderr
    assert "also passes in a fresh kernel" in done.stdout, done.stderr
    assert read_cells(cli.folder / "out.ipynb")["t"]["execution_count"] == 2


MIXED = """
import os, subprocess, sys
from IPython.display import display
print("printed")
os.write(1, b"written\\n")
_ = subprocess.run(["echo", "of a program"])
shown = display("first", display_id="one")
print("warned", file=sys.stderr)
shown.update("second")
double = lambda n: 2 * n
float("nan")
"""


def test_outputs_are_those_of_a_notebook(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", [code("t", "# Write double(n)."), CHECKS])
    outputs = written(cli, "--base-url", model_server(answer(MIXED)))["t"]["outputs"]
    assert outputs == [
        {"output_type": "stream", "name": "stdout", "text": "printed\nwritten\nof a program\n"},
        {"output_type": "display_data", "data": {"text/plain": "'second'"}, "metadata": {}},
        {"output_type": "stream", "name": "stderr", "text": "warned\n"},
        {
            "output_type": "execute_result",
            "data": {"text/plain": "nan"},
            "metadata": {},
            "execution_count": 1,
        },
    ]


def test_cells_run_in_one_event_loop_as_in_a_kernel(cli: CommandLine, model_server: ModelServer) -> None:
    above = "\n".join(
        [
            "import asyncio",
            "async def later():\n    await asyncio.sleep(0)\n    return 2",
            "task = asyncio.get_running_loop().create_task(later())",
        ]
    )
    cells = [code("above", above), code("wait", "factor = await task"), code("t", DOUBLE), CHECKS]
    cli.notebook("n.ipynb", cells)
    assert cli.run("run", "n.ipynb", "--base-url", model_server()).status == 0


def test_what_a_cell_left_in_buffers_is_written(cli: CommandLine, model_server: ModelServer) -> None:
    above = (
        "import atexit\nlog = open('log', 'a')\nlog.write('x')\natexit.register(log.write, 'y')\nfactor = 2"
    )
    cli.notebook("n.ipynb", [code("above", above), code("t", "x = 1"), code("c", "assert x == 1")])
    done = cli.run("run", "n.ipynb", "--base-url", model_server(), "--no-confirm-clean")
    assert done.status == 0, done.stderr
    assert (cli.folder / "log").read_text() == "xy"


def test_what_a_cell_started_ends_with_the_notebook(cli: CommandLine, model_server: ModelServer) -> None:
    above = "import subprocess\nsubprocess.Popen(['sleep', '100'])\nfactor = 2"
    cli.notebook("n.ipynb", [code("above", above), code("t", DOUBLE), CHECKS])
    assert cli.run("run", "n.ipynb", "--base-url", model_server()).status == 0
    cli.wait_for_no_process(5)


def test_variables_of_the_cells_above_are_in_the_prompt(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", [code("above", "factor = 2"), code("t", "# Use factor."), CHECKS])
    events = cli.folder / "events.jsonl"
    written(cli, "--base-url", model_server(answer(DOUBLE)), "--events", events.name)
    assert '"name":"factor"' in events.read_text()


def test_keys_that_kernels_do_not_get_are_in_no_cell(cli: CommandLine, model_server: ModelServer) -> None:
    config = Path(cli.environment["JUPYTER_CONFIG_DIR"])
    config.mkdir()
    (config / "jupyter_server_config.py").write_text("c.Refine.hide_keys_from_kernels = True")
    above = "import os\nassert 'OPENAI_API_KEY' not in os.environ\nfactor = 2"
    cli.notebook("n.ipynb", [code("above", above), code("t", DOUBLE), CHECKS])
    environment = {"OPENAI_API_KEY": "sk-of-the-test"}
    done = cli.run("run", "n.ipynb", "--base-url", model_server(), environment=environment)
    assert done.status == 0, done.stderr


def test_a_kernel_takes_over_where_a_fork_is_not_safe(cli: CommandLine, model_server: ModelServer) -> None:
    pytest.importorskip("polars")
    above = "import polars\nframe = polars.DataFrame({'a': [1, 2]}).lazy().select('a').collect()\nfactor = 2"
    cli.notebook("n.ipynb", [code("above", above), code("t", DOUBLE), CHECKS])
    done = cli.run("run", "n.ipynb", "--base-url", model_server(), "--no-confirm-clean")
    assert done.status == 0, done.stderr
    assert "polars has started its threads" in done.stderr
    assert "A kernel takes over" in done.stderr
    assert "in a second kernel" in done.stderr


def test_a_cell_that_cannot_be_interrupted_is_ended(cli: CommandLine, model_server: ModelServer) -> None:
    above = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(1000)"
    cli.notebook("n.ipynb", [code("above", above), code("t", DOUBLE), CHECKS])
    done = cli.run("run", "n.ipynb", "--base-url", model_server(), "--session-timeout", "1")
    assert done.status == 2, done.stderr
    assert "ran longer than 1 s" in done.stderr
