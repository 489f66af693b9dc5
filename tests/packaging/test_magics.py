"""The magics in a kernel without JupyterLab."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell

from jupyterlab_refine import HINT


@pytest.mark.parametrize("source", ["%%refine --max-attempts 2\nanswer: 42", "%refine", "%refine stop"])
def test_a_cell_without_jupyterlab_prints_one_sentence(source, capsys):
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "jupyterlab_refine")
    assert shell.run_cell(source).success
    assert capsys.readouterr().err == f"{HINT}\n"


STARTUP = next((Path(__file__).parents[2] / "jupyter-config" / "ipython-startup").glob("*.py"))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Runs Python in an environment that has the startup file where the wheel installs it."""
    root = tmp_path_factory.mktemp("environment")
    venv.create(root, with_pip=False, symlinks=True)
    startup = root / "etc" / "ipython" / "startup"
    startup.mkdir(parents=True)
    shutil.copy(STARTUP, startup)
    packages = [
        str(Path(__file__).parents[2]),
        *(path for path in sys.path if path.endswith("site-packages")),
    ]

    def run(*command, packages=packages):
        return subprocess.run(
            [str(root / "bin" / "python"), *command],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(packages),
                "IPYTHONDIR": str(root / "ipython"),
                "JUPYTER_PATH": "",
            },
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def test_a_console_without_load_ext_prints_one_sentence(fresh):
    done = fresh("-m", "IPython", "--colors=NoColor", "-c", "get_ipython().run_cell('%%refine\\nanswer: 42')")
    assert done.stderr.strip() == HINT
    assert "UsageError" not in done.stdout


def test_the_startup_file_imports_and_defines_nothing(fresh):
    code = "import sys; print('jupyterlab_refine' in sys.modules, [n for n in dir() if 'refine' in n])"
    done = fresh("-m", "IPython", "-c", code)
    assert done.stdout.splitlines()[-1] == "False []"
    assert done.stderr == ""


def test_a_kernel_without_load_ext_prints_one_sentence(fresh):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("%%refine\nanswer: 42"), nbformat.v4.new_code_cell("print(6 * 7)")],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    code = (
        "import sys, nbformat, nbclient\n"
        "notebook = nbformat.reads(sys.argv[1], 4)\n"
        "nbclient.NotebookClient(notebook, kernel_name='python3').execute()\n"
        "print([[o['text'] for o in cell.outputs] for cell in notebook.cells])\n"
    )
    done = fresh("-c", code, nbformat.writes(notebook))
    assert done.stdout.strip() == str([[f"{HINT}\n"], ["42\n"]]), done.stderr
