"""`jupyter refine check` against nbclient on the same notebooks, in the same run.

nbclient runs each notebook in a kernel of its own and goes on after errors, as nbgrader does. A notebook
whose kernel died has no result there. Both have the same time limit and as many workers.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "jupyterlab_refine" / "cli" / "refine.mjs"
SECONDS = 5
RUNS = 5
#: So that a bomb in a kernel of the peer's does not take the machine.
PEER_BYTES = 4 << 30
#: The row that each kind of target is to have; on a busy machine a bomb may run into its time limit first.
REASONS: dict[str, tuple[str | None, ...]] = {
    "right": (None,),
    "wrong": ("wrong-value",),
    "raises": ("error-in-check",),
    "syntax": ("syntax",),
    "module": ("missing-module",),
    "hang": ("hang",),
    "crash": ("crash",),
    "memory": ("memory", "hang"),
}


def check(paths: list[str], workers: int) -> tuple[float, Any]:
    """Seconds for all, and the results."""
    limits = ["--attempt-timeout", str(SECONDS), "--workers", str(workers)]
    start = time.monotonic()
    done = subprocess.run(
        ["node", str(BUNDLE), "check", *paths, *limits, "--json"],
        env={**os.environ, "REFINE_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return time.monotonic() - start, json.loads(done.stdout)


def first_row(path: str) -> float:
    """Seconds from the command to the row of a notebook with one target; the least of all runs."""
    found = []
    for _ in range(RUNS):
        start = time.monotonic()
        words = [str(Path(sys.executable).parent / "jupyter"), "refine", "check", path]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            row = process.stdout.readline()
            found.append(time.monotonic() - start)
        assert row.startswith(b"passed"), row
    return min(found)


def per_target(folder: Path, count: int) -> float:
    """Milliseconds for each target of one notebook with so many."""
    path = folder / f"{count}-targets.ipynb"
    path.write_text(json.dumps(notebook(["right"] * count)))
    return check([str(path)], 1)[0] * 1000 / count


def execute(path: str) -> bool:
    """Run one notebook with nbclient; whether its kernel lived."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import DeadKernelError

    resource.setrlimit(resource.RLIMIT_AS, (PEER_BYTES, PEER_BYTES))
    # Kernels warn there.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=SECONDS, allow_errors=True, interrupt_on_timeout=True, kernel_name="python3"
    )
    try:
        client.execute(cwd=str(Path(path).parent))
        return True
    except (DeadKernelError, RuntimeError):
        return False


def peer(paths: list[str], workers: int) -> tuple[float, int]:
    """Seconds for all, and the notebooks without a result."""
    start = time.monotonic()
    with ProcessPoolExecutor(workers) as pool:
        lived = list(pool.map(execute, paths))
    return time.monotonic() - start, lived.count(False)


def nbmake(python: str, paths: list[str]) -> float:
    """Seconds for all with `pytest --nbmake`, one notebook after the other; each ends at its first error."""
    start = time.monotonic()
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        "--nbmake",
        f"--nbmake-timeout={SECONDS}",
        "--nbmake-kernel=python3",
    ]
    subprocess.run(
        [*command, "-p", "no:cacheprovider", *paths],
        cwd=Path(paths[0]).parent,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (PEER_BYTES, PEER_BYTES)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.monotonic() - start


def nbgrader(python: str, paths: list[str]) -> tuple[float, int]:
    """Seconds for all with `nbgrader autograde`, one after the other, and the notebooks without a result."""
    with tempfile.TemporaryDirectory() as name:
        course = Path(name)
        places = {"source/ps1/nb.ipynb": json.dumps(notebook(["right"] * 5))}
        places |= {f"submitted/s{n}/ps1/nb.ipynb": Path(path).read_text() for n, path in enumerate(paths)}
        for place, text in places.items():
            (course / place).parent.mkdir(parents=True)
            (course / place).write_text(text)

        # It starts `alembic` by name.
        path = os.pathsep.join([str(Path(python).parent), os.environ["PATH"]])

        def nbgrader(*arguments: str) -> None:
            subprocess.run(
                [python, "-m", "nbgrader", *arguments],
                cwd=course,
                env={**os.environ, "PATH": path},
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (PEER_BYTES, PEER_BYTES)),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

        nbgrader("generate_assignment", "ps1")
        start = time.monotonic()
        nbgrader("autograde", "ps1", f"--Execute.timeout={SECONDS}")
        seconds = time.monotonic() - start
        return seconds, len(paths) - len([*course.glob("autograded/*/ps1/nb.ipynb")])


def wrong_rows(results: Any, made: dict[str, list[str]]) -> list[str]:
    """Rows that are not what their target is."""
    found = []
    for row in results["notebooks"]:
        for kind, target in zip(made[row["path"]], row["targets"], strict=True):
            given = target["reason"] and target["reason"]["kind"]
            if given not in REASONS[kind]:
                found.append(f"{row['path']} {target['cellId']}: {kind} gave {given}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notebooks", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--targets", type=int, nargs="*", default=[100, 1000])
    parser.add_argument("--peers", help="Python that has nbmake, nbgrader and ipykernel")
    parser.add_argument("--sample", type=int, default=50, help="notebooks that the peers run")
    parser.add_argument("--json")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = generate(Path(folder), given.notebooks)
        seconds, results = check(list(made), given.workers)
        wrong = wrong_rows(results, made)
        sample = list(made)[: given.sample]
        peer_seconds, lost = peer(sample, given.workers)
        others: dict[str, float] = {}
        if given.peers:
            seconds_each = nbmake(given.peers, sample) / len(sample)
            others["nbmake, one at a time, s a notebook"] = seconds_each
            graded, without = nbgrader(given.peers, sample)
            others["nbgrader autograde, one at a time, s a notebook"] = graded / len(sample)
            others["check / nbgrader autograde"] = seconds / len(made) / (graded / len(sample))
            others["notebooks that nbgrader lost"] = without
        plain = Path(folder) / "plain.ipynb"
        plain.write_text(json.dumps(notebook(["right"])))
        first = first_row(str(plain))
        growth = [per_target(Path(folder), count) for count in given.targets]
    figures = {
        "check, s a notebook": seconds / len(made),
        "nbclient, s a notebook": peer_seconds / len(sample),
        "check / nbclient": seconds / len(made) / (peer_seconds / len(sample)),
        **others,
        "until the first row, s": first,
        **{
            f"ms a target, {count} in one notebook": value
            for count, value in zip(given.targets, growth, strict=True)
        },
        "rows that are wrong": len(wrong),
        "notebooks that nbclient lost": lost,
    }
    print(f"{given.notebooks} notebooks of 5 targets, {given.workers} workers, load {os.getloadavg()[0]:.1f}")
    for name, value in figures.items():
        print(f"  {value:10.2f}  {name}")
    for line in wrong[:20]:
        print(f"  {line}")
    if given.json:
        Path(given.json).write_text(json.dumps(figures, indent=1))


#: Solutions by how they end, with the share of the targets that have them.
SHARES = {
    "right": 0.70,
    "wrong": 0.15,
    "raises": 0.05,
    "syntax": 0.03,
    "module": 0.02,
    "hang": 0.02,
    "crash": 0.02,
    "memory": 0.01,
}

SOURCES = {
    "right": "def f{n}(values):\n    return [value + {n} for value in values]",
    "wrong": "def f{n}(values):\n    return [value - {n} - 1 for value in values]",
    "raises": "def f{n}(values):\n    return values.nothing",
    "syntax": "def f{n}(values:\n    return values",
    "module": "import no_such_module_{n}\ndef f{n}(values): return values",
    "hang": "while True:\n    pass",
    "crash": "import os\nos._exit(3)",
    "memory": "big = [b'x' * (1 << 28) for _ in range(1 << 10)]",
}


def code(name: str, source: str, nbgrader: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {"nbgrader": {"grade_id": name, "schema_version": 3, **nbgrader}} if nbgrader else {},
        "source": source,
        "execution_count": None,
        "outputs": [],
    }


def notebook(kinds: list[str]) -> dict[str, Any]:
    """A notebook with a target of each kind."""
    cells = [code("set-up", "import math\nimport numpy as np\nvalues = list(range(10))")]
    for n, kind in enumerate(kinds):
        tests = (
            f"assert f{n}([]) == []\nassert f{n}([1]) == [{n + 1}]\n### BEGIN HIDDEN TESTS\n"
            f"assert np.sum(f{n}(values)) == {45 + 10 * n}\n### END HIDDEN TESTS"
        )
        source = SOURCES[kind].format(n=n)
        cells.append(code(f"s{n}", source, {"solution": True, "grade": False, "locked": False}))
        cells.append(code(f"t{n}", tests, {"solution": False, "grade": True, "locked": True, "points": 2}))
    return _of(cells)


def _of(cells: list[dict[str, Any]]) -> dict[str, Any]:
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": spec}, "cells": cells}


def generate(folder: Path, count: int, targets: int = 5, seed: int = 7) -> dict[str, list[str]]:
    """Write the notebooks; the kinds of the targets of each, by path."""
    chosen = random.Random(seed)
    names, weights = list(SHARES), list(SHARES.values())
    made = {}
    for number in range(count):
        kinds = chosen.choices(names, weights, k=targets)
        path = folder / f"student{number:04}.ipynb"
        path.write_text(json.dumps(notebook(kinds)))
        made[str(path)] = kinds
    return made


if __name__ == "__main__":
    main()
