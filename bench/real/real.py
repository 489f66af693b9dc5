"""A served model on MBPP and on targets of notebooks: the product and a plain loop, in turn.

usage: real.py --base-url URL --model NAME [--n 40] [--seed 7] [--calls 5] [--tasks mbpp.jsonl]
               [--jupyter PATH] [--out FOLDER]

The plain loop is what one would write in an hour: task and checks, then the error text, with the same
number of calls. Prints a table with 95 % intervals; FOLDER gets a line for each task and arm, and what
`jupyter refine run` wrote.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FORM = "Answer with one Python code block."
TEMPERATURE = 0.2
ANSWER_TOKENS = 1024
#: Seconds for a program of the plain loop, and for a run of the product.
PROGRAM_SECONDS = 20
RUN_SECONDS = 1800
#: Of the error text that goes back.
ERROR_CHARACTERS = 1500

Task = dict[str, Any]


def mbpp(path: Path, n: int, seed: int) -> list[Task]:
    """``n`` tasks in an order by ``seed``, without those that need more than their checks."""
    rows = [json.loads(line) for line in path.read_text().splitlines() if line]
    rows = [row for row in rows if not row.get("test_setup_code")]
    random.Random(seed).shuffle(rows)
    return [
        {
            "name": f"mbpp-{row['task_id']}",
            "above": [],
            "below": [],
            "task": row["text"],
            "checks": "\n".join(row["test_list"]),
            "hidden": "",
        }
        for row in rows[:n]
    ]


def notebooks() -> list[Task]:
    """Each target with its reference in the targets above, and the targets below empty."""
    found = []
    for notebook in json.loads((HERE / "notebooks.json").read_text()):
        targets = notebook["targets"]
        for index, target in enumerate(targets):
            found.append(
                {
                    **target,
                    "name": f"{notebook['name']}-{target['name']}",
                    "above": [("", source, "") for source in notebook["setup"]]
                    + [(other["task"], other["reference"], other["checks"]) for other in targets[:index]],
                    "below": [(other["task"], "", other["checks"]) for other in targets[index + 1 :]],
                }
            )
    return found


def run_python(source: str) -> str | None:
    """The error text; None when the program ends well."""
    try:
        ended = subprocess.run(
            [sys.executable, "-c", source], capture_output=True, text=True, timeout=PROGRAM_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"TimeoutError: longer than {PROGRAM_SECONDS} s"
    return None if ended.returncode == 0 else ended.stderr[-ERROR_CHARACTERS:]


def above_of(task: Task) -> str:
    return "\n\n".join(source for _, source, _ in task["above"])


def plain(task: Task, options: argparse.Namespace) -> dict[str, Any]:
    above = above_of(task)
    given = f"These notebook cells have run:\n```python\n{above}\n```\n" if above else ""
    first = {
        "role": "user",
        "content": f"{given}{task['task']}\n\nThe code must pass these tests:\n"
        f"```python\n{task['checks']}\n```\n{FORM}",
    }
    messages, tokens, code = [first], 0, None
    for call in range(1, options.calls + 1):
        text, used = ask(messages, options)
        tokens += used
        block = re.search(r"```(?:python)?\n(.*?)```", text, re.S)
        code = block.group(1) if block else text
        error = run_python("\n".join([above, code, task["checks"]]))
        if error is None:
            return {"code": code, "calls": call, "tokens": tokens}
        messages = [
            first,
            {"role": "assistant", "content": f"```python\n{code}\n```"},
            {"role": "user", "content": f"It fails:\n{error}\nCorrect the code. {FORM}"},
        ]
    return {"code": None, "calls": options.calls, "tokens": tokens}


def ask(messages: list[dict[str, str]], options: argparse.Namespace) -> tuple[str, int]:
    body = {
        "model": options.model,
        "messages": messages,
        "temperature": TEMPERATURE,
        "max_tokens": ANSWER_TOKENS,
    }
    key = os.environ.get("OPENAI_API_KEY", "none")
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(
        f"{options.base_url}/chat/completions", json.dumps(body).encode(), headers
    )
    with urllib.request.urlopen(request, timeout=RUN_SECONDS) as response:
        answer = json.load(response)
    return answer["choices"][0]["message"]["content"], answer["usage"]["completion_tokens"]


def product(task: Task, options: argparse.Namespace) -> dict[str, Any]:
    folder = options.out / "runs" / task["name"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notebook.ipynb").write_text(json.dumps(notebook_of(task)))
    command = [options.jupyter, "refine", "run", "notebook.ipynb", "--cell", "target"]
    command += ["--output", "after.ipynb", "--events", "events.jsonl", "--json"]
    command += ["--base-url", options.base_url, "--model", options.model, "--temperature", str(TEMPERATURE)]
    command += ["--max-attempts", str(options.calls), "--attempt-timeout", str(PROGRAM_SECONDS)]
    environment = {"OPENAI_API_KEY": "none", **os.environ}
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environment, timeout=RUN_SECONDS
    )
    (folder / "stderr").write_text(ended.stderr)
    row = json.loads(ended.stdout)["notebooks"][0]["targets"][0]
    usage = row.get("usage") or {"calls": 0, "completionTokens": 0}
    code = (row.get("best") or {}).get("candidate") if row["status"] == "passed" else None
    return {"code": code, "calls": usage["calls"], "tokens": usage["completionTokens"]}


def notebook_of(task: Task) -> dict[str, Any]:
    cells: list[dict[str, Any]] = []

    def add(kind: str, source: str, name: str = "", tags: list[str] | None = None) -> None:
        cell: dict[str, Any] = {"cell_type": kind, "id": name or f"c{len(cells)}", "source": source}
        cell["metadata"] = {"tags": tags or []}
        cells.append(cell if kind == "markdown" else {**cell, "outputs": [], "execution_count": None})

    for text, source, checks in [*task["above"], (task["task"], "", task["checks"]), *task["below"]]:
        if text:
            add("markdown", text)
        add("code", source, "target" if text == task["task"] else "")
        if checks:
            add("code", checks, tags=["refine-assert"])
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}


def interval(passed: int, n: int) -> str:
    """Wilson's, for 95 %."""
    z = 1.96
    share, more = passed / n, z * z / n
    middle = (share + more / 2) / (1 + more)
    half = z * math.sqrt(share * (1 - share) / n + more / (4 * n)) / (1 + more)
    return f"{100 * (middle - half):.0f} to {100 * (middle + half):.0f} %"


def table(title: str, rows: list[dict[str, Any]]) -> None:
    heads = "passed | interval | also hidden checks | at the first call | completion tokens | seconds"
    print(f"\n| {title} | {heads} |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for arm in ARMS:
        own = [row for row in rows if row["arm"] == arm]
        good = [row for row in own if row["passed"]]
        print(
            f"| {arm} | {len(good)} of {len(own)} | {interval(len(good), len(own))} "
            f"| {sum(row['hidden'] for row in good)} | {sum(row['calls'] == 1 for row in good)} "
            f"| {sum(row['tokens'] for row in own)} | {sum(row['seconds'] for row in own):.0f} |"
        )


ARMS = {"plain loop": plain, "product": product}


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--tasks", type=Path)
    parser.add_argument("--jupyter", default="jupyter")
    parser.add_argument("--out", type=Path, default=Path(".make/real"))
    options = parser.parse_args()
    options.base_url = options.base_url.rstrip("/")
    options.out.mkdir(parents=True, exist_ok=True)
    sets = {"targets of notebooks": notebooks()}
    if options.tasks and options.tasks.exists():
        sets[f"MBPP, seed {options.seed}"] = mbpp(options.tasks, options.n, options.seed)
    with (options.out / "rows.jsonl").open("a") as out:
        for title, tasks in sets.items():
            rows = []
            for index, task in enumerate(tasks):
                # In turn, so that what else the machine does slows both.
                for arm in list(ARMS)[:: -1 if index % 2 else 1]:
                    start = time.monotonic()
                    made = ARMS[arm](task, options)
                    seconds = time.monotonic() - start
                    code = made.pop("code")
                    whole = "\n".join([above_of(task), code or "", task["checks"], task["hidden"]])
                    row = {
                        "task": task["name"],
                        "arm": arm,
                        "passed": code is not None,
                        "hidden": code is not None and run_python(whole) is None,
                        "seconds": round(seconds, 1),
                        **made,
                    }
                    rows.append(row)
                    print(json.dumps(row), file=out, flush=True)
                    print(json.dumps(row), file=sys.stderr)
            table(title, rows)


if __name__ == "__main__":
    main()
