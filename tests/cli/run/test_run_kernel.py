"""``jupyter refine run`` in a kernel: outputs, the keys it does not get, and what attempts cannot read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import CommandLine, answer, code, read_cells

ModelServer = Callable[..., str]

CHECKS = code("checks", "assert double(2) == 4")
DOUBLE = "def double(n):\n    return factor * n"


def written(cli: CommandLine, *arguments: str, **more: Any) -> dict[str, dict[str, Any]]:
    done = cli.run("run", "n.ipynb", *arguments, "--output", "out.ipynb", **more)
    assert done.status == 0, done.stderr
    return read_cells(cli.folder / "out.ipynb")


MIXED = """
import sys
from IPython.display import display
print("printed")
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
        {"output_type": "stream", "name": "stdout", "text": "printed\n"},
        {"output_type": "display_data", "data": {"text/plain": "'second'"}, "metadata": {}},
        {"output_type": "stream", "name": "stderr", "text": "warned\n"},
        {
            "output_type": "execute_result",
            "data": {"text/plain": "nan"},
            "metadata": {},
            "execution_count": 1,
        },
    ]


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
