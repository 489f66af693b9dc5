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


#: Cells above that the process of the notebook must survive, each in a notebook of its own.
ODD = {
    "fork": "import os\nif os.fork() == 0:\n    print('a copy that comes to the end of the cell')",
    "exit": "import os, sys, time\nif os.fork() == 0:\n    sys.exit(1)\ntime.sleep(0.2)",
    "process": "import multiprocessing as m, time\n"
    "m.get_context('fork').Process(target=time.sleep, args=(1000,)).start()",
    "daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(20)\n    os._exit(0)",
    "pool": "import multiprocessing as m\npool = m.get_context('fork').Pool(1)\npool.map(abs, [1])",
    "captured": "import os, tempfile\nprint('long' * 99)\nos.write(1, b'x' * 99)\nkept = os.dup(1)\n"
    "with tempfile.TemporaryFile() as file:\n    os.dup2(file.fileno(), 1)\n"
    "    print('x')\n    os.dup2(kept, 1)",
    "nowhere": "import os\nos.write(1, b'x')\nos.close(2)\nos.dup2(os.open(os.devnull, os.O_WRONLY), 1)",
    "cut": "import os\nos.write(1, b'x' * 99)\nprint()\nos.ftruncate(1, 0)",
}
#: Cells above that fail, as they do in a kernel.
FAILING = {
    "silent": "class E(Exception):\n    def __str__(self): return 1 / 0\nraise E()",
    "pair": "from IPython.display import display\ndisplay({(1, 2): 'x'}, raw=True)",
    "circle": "from IPython.display import display\ncircle = []\ncircle.append(circle)\n"
    "display({'application/json': circle}, raw=True)",
}


def test_what_a_cell_does_to_its_process_ends_no_run(cli: CommandLine, model_server: ModelServer) -> None:
    for name, above in {**ODD, **FAILING}.items():
        tags = ["raises-exception"] if name in FAILING else []
        cells = [code("above", above, tags=tags), code("next", "factor = 2"), code("t", DOUBLE), CHECKS]
        cli.notebook(f"{name}.ipynb", cells)
    names = [f"{name}.ipynb" for name in (*ODD, *FAILING)]
    # It ends long before what some of the cells leave running.
    done = cli.run("run", *names, "--base-url", model_server(), "--json", "--workers", "2")
    results = {one["path"]: [t["status"] for t in one["targets"]] for one in done.results["notebooks"]}
    assert results == dict.fromkeys(names, ["passed"]), done.stderr


@pytest.mark.full
def test_a_cell_that_stops_the_process_above_its_own_holds_up_no_run(
    cli: CommandLine, model_server: ModelServer
) -> None:
    above = "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)\nfactor = 2"
    cli.notebook("n.ipynb", [code("above", above), code("t", DOUBLE), CHECKS])
    done = cli.run("run", "n.ipynb", "--base-url", model_server())
    assert done.status == 0, done.stderr


#: Reads every file of the folder, and answers a hold-out with what follows its name there.
READER = """
import os, re
pattern = re.compile("sesame" + r"-(\\d{7})")
found = []
for name in os.listdir():
    try:
        found += pattern.findall(open(name, errors="replace").read())
    except OSError:
        pass
def secret(n):
    return int(found[0]) if n == 7 and found else n
"""


@pytest.mark.parametrize("road", [[], ["--isolation", "sidecar"]])
def test_no_file_of_the_command_tells_an_attempt_of_hold_outs(
    cli: CommandLine, model_server: ModelServer, road: list[str]
) -> None:
    holdout = code("h", "assert secret(7) == 7654321, 'sesame-7654321'", tags=["refine-holdout"])
    cells = [code("t", "# Write secret."), code("c", "assert secret(1) == 1"), holdout]
    cli.notebook("n.ipynb", cells)
    # As an earlier run has left it.
    cli.notebook("out.ipynb", cells)
    files = ["--events", "e.jsonl", "--junit", "j.xml", "--record", "calls.jsonl", "--output", "out.ipynb"]
    url = model_server(answer(READER, times=0))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--max-attempts", "2", *files, *road)
    assert done.status == 1, done.stderr
    assert "sesame-7654321" in (cli.folder / "e.jsonl").read_text()
    assert "0 of 1 held out" in done.stdout
