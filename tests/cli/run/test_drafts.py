"""Generated assertions from the command line: tried on wrong versions first, unverified without approval."""

from __future__ import annotations

import json
from collections.abc import Callable

from command import CommandLine, answer, code, read_cells

ModelServer = Callable[..., str]

DRAFT = "\n".join(
    [
        "assert double(2) == 4",
        "assert double(0) == 0",
        "assert callable(double)",
        "assert np.isclose(double(1.5), 3)",
    ]
)


def test_drafts_that_fail_on_a_stub_are_used_as_unverified(
    cli: CommandLine, model_server: ModelServer
) -> None:
    cli.notebook("n.ipynb", [code("target", "# Write double(n), twice n.")])
    url = model_server(answer(DRAFT), answer("def double(n):\n    return 2 * n"))
    done = cli.run(
        "run", "n.ipynb", "--cell", "target", "--base-url", url, "--generate-assertions",
        "--output", "out.ipynb", "--json",
    )  # fmt: skip
    assert done.status == 1, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["assertions"] == {"passed": 2, "total": 2}
    assert target["checkedBy"] == "none"
    assert target["stopReason"] == "no-checks"
    assert "nobody has approved" in target["message"]
    assert "It passes whatever the cell does." in done.stderr
    assert "It uses np, which neither the kernel nor the task knows." in done.stderr
    cells = read_cells(cli.folder / "out.ipynb")
    assert cells["target"]["source"] == "# Write double(n), twice n.\ndef double(n):\n    return 2 * n"
    drafted = cells["target-assertions"]
    assert drafted["source"] == "assert double(2) == 4\nassert double(0) == 0"
    assert drafted["metadata"]["tags"] == ["refine-assert"]

    again = cli.run("check", "out.ipynb", "--json")
    assert again.status == 1, again.stderr
    (target,) = again.results["notebooks"][0]["targets"]
    assert target["assertions"] == {"passed": 2, "total": 2}
    assert "nobody has approved" in target["message"]

    notebook = json.loads((cli.folder / "out.ipynb").read_text())
    notebook["cells"][1]["metadata"]["jupyterlab_refine"]["approved"] = True
    (cli.folder / "out.ipynb").write_text(json.dumps(notebook))
    assert cli.run("check", "out.ipynb").status == 0


def test_drafts_never_overrule_assertions_of_the_user(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", [code("target", "# Write f."), code("checks", "assert f(1) == 1")])
    url = model_server(answer("def f(n):\n    return n"))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--generate-assertions", "--json")
    assert done.status == 0, done.stderr
    assert "Drafted" not in done.stderr
