"""The page "From Python": its code runs as it stands, and prints what it shows."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from jupyterlab_refine.attempts import AttemptError, attempt

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="attempts are forks")

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(python|ipython|text)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def notebook_of(*sources: str) -> dict[str, Any]:
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{index}") for index, source in enumerate(sources)]
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec})


def test_the_functions_print_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    homework = notebook_of(
        "def square(n): return n * abs(n)", "assert square(1) == 1\nassert square(-3) == 9"
    )
    homework.cells[0]["id"] = "square"
    Path("homework.ipynb").write_text(json.dumps(homework))
    names: dict[str, Any] = {}
    shown = 0
    for (kind, source), (follows, text) in itertools.pairwise(BLOCKS):
        if kind == "python":
            assert follows == "text"
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(source, names)
            assert [line.rstrip() for line in printed.getvalue().splitlines()] == text.splitlines()
            shown += 1
    assert shown == 4


def test_a_tried_cell_leaves_no_trace(tmp_path):
    cells = [source for kind, source in BLOCKS if kind == "ipython"]
    expected = next(text for kind, text in BLOCKS if kind == "text" and "Nothing was kept" in text)
    notebook = notebook_of(*cells, "import os\nprint(numbers, os.listdir())")
    NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = ["".join(output["text"] for output in cell.outputs) for cell in notebook.cells]
    assert printed[1].replace(f"{tmp_path}/", "") == expected
    assert printed[2] == "[3, 1, 2] []\n"


def test_a_tried_cell_shows_its_error_and_its_displays(tmp_path):
    source = "%%try\nfrom IPython.display import HTML, display\ndisplay(HTML('<b>b</b>'))\n1 / 0"
    notebook = notebook_of("%load_ext jupyterlab_refine", source)
    NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = notebook.cells[1].outputs
    assert [output["data"]["text/html"] for output in outputs if "data" in output] == ["<b>b</b>"]
    assert "ZeroDivisionError" in "".join(output.get("text", "") for output in outputs)


def test_the_cells_above_must_run():
    assert attempt("x = 1", "assert x == 1", above="1 / 0").message.startswith("A cell above failed: ZeroDiv")


def test_checks_are_confirmed_by_the_judge():
    (check,) = attempt("x = 1", "assert x == 1").checks
    assert check.confirmed is True
    (forged,) = attempt("class One:\n    __eq__ = lambda *_: True\nx = One()", "assert x == 1").checks
    assert forged.confirmed is not True


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="seconds must be a positive number, not 0"):
        attempt("1", seconds=0)
    with pytest.raises(ValueError, match="above cannot be given with shell"):
        attempt("1", above="x = 1", shell=object())
    with pytest.raises(AttemptError, match="has no kernel"):
        attempt("1", shell=object())
