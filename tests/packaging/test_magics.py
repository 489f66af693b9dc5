"""The magics in a kernel without JupyterLab."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

from jupyterlab_refine.magics import HINT


@pytest.mark.parametrize("source", ["%%refine --max-attempts 2\nanswer: 42", "%refine", "%refine stop"])
def test_a_cell_without_jupyterlab_prints_one_sentence(source, capsys):
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "jupyterlab_refine")
    assert shell.run_cell(source).success
    assert capsys.readouterr().err == f"{HINT}\n"
