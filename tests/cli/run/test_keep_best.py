"""``--keep-best``: what did not pass is written and marked."""

from __future__ import annotations

import json
from collections.abc import Callable

from command import CommandLine, answer, code, read_cells
from test_run import WRONG, double_cells

ModelServer = Callable[..., str]


def test_keep_best_writes_what_did_not_pass_and_marks_it(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", double_cells())
    url = model_server(answer(WRONG), answer(WRONG))
    arguments = ("run", "n.ipynb", "--base-url", url, "--in-place", "--max-attempts", "1", "--json")
    done = cli.run(*arguments)
    assert done.status == 1, done.stderr
    assert read_cells(cli.folder / "n.ipynb")["target"]["source"] == "# Write double(n)."

    done = cli.run(*arguments, "--keep-best")
    assert done.status == 1, done.stderr
    assert "Kept: attempt 1, which did not pass. It was not run." in done.stderr
    (target,) = json.loads(done.stdout)["notebooks"][0]["targets"]
    assert (target["status"], target["accepted"]) == ("failed", "inserted")
    cell = read_cells(cli.folder / "n.ipynb")["target"]
    assert cell["source"].endswith(WRONG)
    assert (cell["outputs"], cell["execution_count"]) == ([], None)
    result = cell["metadata"]["jupyterlab_refine"]["result"]
    assert (result["notPassed"], result["stopReason"]) == (True, "max-attempts")
    assert (result["passed"], result["total"]) == (1, 2)


def test_a_kept_text_is_not_said_to_be_unrun(cli: CommandLine, model_server: ModelServer) -> None:
    text = {"cell_type": "markdown", "id": "text", "metadata": {}, "source": "Old text."}
    cli.notebook("n.ipynb", [text, code("check", "assert len(response) > 99\nassert 'whale' in response")])
    url = model_server({"text": "The whale."})
    arguments = (
        "--cell",
        "text",
        "--prompt",
        "Write.",
        "--max-attempts",
        "1",
        "--in-place",
        "--keep-best",
    )
    done = cli.run("run", "n.ipynb", "--base-url", url, *arguments)
    assert done.status == 1, done.stderr
    assert "Kept: attempt 1, which did not pass.\n" in done.stderr
    assert read_cells(cli.folder / "n.ipynb")["text"]["source"] == "The whale."
