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
from pathlib import Path
from typing import Any

import httpx
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HERE = Path(__file__).parent
FORM = "Answer with one Python code block."
KEY = os.environ.get("OPENAI_API_KEY", "none")
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
    return [task(f"mbpp-{row['task_id']}", row["text"], "\n".join(row["test_list"])) for row in rows[:n]]


def task(name: str, text: str, checks: str, hidden: str = "", **around: Any) -> Task:
    """:param around: `above` and `below`: text, source and checks of other targets."""
    return {
        "name": name,
        "task": text,
        "checks": checks,
        "hidden": hidden,
        "above": [],
        "below": [],
        **around,
    }


def notebooks() -> list[Task]:
    """Each target with its reference in the targets above, and the targets below empty."""
    found = []
    for notebook in json.loads((HERE / "notebooks.json").read_text()):
        set_up = [("", source, "") for source in notebook["setup"]]
        rows = [(row["task"], row["reference"], row["checks"]) for row in notebook["targets"]]
        empty = [(text, "", checks) for text, _, checks in rows]
        for index, row in enumerate(notebook["targets"]):
            name = f"{notebook['name']}-{row['name']}"
            around = {"above": [*set_up, *rows[:index]], "below": empty[index + 1 :]}
            found.append(task(name, row["task"], row["checks"], row["hidden"], **around))
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


def above_of(one: Task) -> str:
    return "\n\n".join(source for _, source, _ in one["above"])


def plain(one: Task, options: argparse.Namespace) -> dict[str, Any]:
    above = above_of(one)
    given = f"These notebook cells have run:\n```python\n{above}\n```\n" if above else ""
    first = {
        "role": "user",
        "content": f"{given}{one['task']}\n\nThe code must pass these tests:\n"
        f"```python\n{one['checks']}\n```\n{FORM}",
    }
    messages, tokens, code = [first], 0, None
    for call in range(1, options.calls + 1):
        text, used = ask(messages, options)
        tokens += used
        block = re.search(r"```(?:python)?\n(.*?)```", text, re.S)
        code = block.group(1) if block else text
        error = run_python("\n".join([above, code, one["checks"]]))
        if error is None:
            return {"code": code, "calls": call, "tokens": tokens}
        messages = [
            first,
            {"role": "assistant", "content": f"```python\n{code}\n```"},
            {"role": "user", "content": f"It fails:\n{error}\nCorrect the code. {FORM}"},
        ]
    return {"code": None, "calls": options.calls, "tokens": tokens}


def ask(messages: list[dict[str, str]], options: argparse.Namespace) -> tuple[str, int]:
    asked = {"model": options.model, "temperature": TEMPERATURE, "max_tokens": ANSWER_TOKENS}
    answer = httpx.post(
        f"{options.base_url}/chat/completions",
        json={**asked, "messages": messages},
        headers={"Authorization": f"Bearer {KEY}"},
        timeout=RUN_SECONDS,
    ).json()
    return answer["choices"][0]["message"]["content"], answer["usage"]["completion_tokens"]


def product(one: Task, options: argparse.Namespace) -> dict[str, Any]:
    folder = options.out / "runs" / one["name"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notebook.ipynb").write_text(json.dumps(notebook_of(one)))
    command = [options.jupyter, "refine", "run", "notebook.ipynb", "--cell", "target"]
    command += ["--output", "after.ipynb", "--events", "events.jsonl", "--json"]
    command += ["--base-url", options.base_url, "--model", options.model, "--temperature", str(TEMPERATURE)]
    command += ["--max-attempts", str(options.calls), "--attempt-timeout", str(PROGRAM_SECONDS)]
    environment = {**os.environ, "OPENAI_API_KEY": KEY}
    ended = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environment, timeout=RUN_SECONDS
    )
    (folder / "stderr").write_text(ended.stderr)
    row = json.loads(ended.stdout)["notebooks"][0]["targets"][0]
    usage = row.get("usage") or {"calls": 0, "completionTokens": 0}
    code = (row.get("best") or {}).get("candidate") if row["status"] == "passed" else None
    return {"code": code, "calls": usage["calls"], "tokens": usage["completionTokens"]}


def notebook_of(one: Task) -> Any:
    cells = []
    for text, source, checks in [*one["above"], (one["task"], "", one["checks"]), *one["below"]]:
        name = {"id": "target"} if text == one["task"] else {}
        cells += [new_markdown_cell(text)] if text else []
        cells += [new_code_cell(source, **name)]
        cells += [new_code_cell(checks, metadata={"tags": ["refine-assert"]})] if checks else []
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


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
            for index, one in enumerate(tasks):
                # In turn, so that what else the machine does slows both.
                for arm in list(ARMS)[:: -1 if index % 2 else 1]:
                    start = time.monotonic()
                    made = ARMS[arm](one, options)
                    seconds = time.monotonic() - start
                    code = made.pop("code")
                    whole = "\n".join([above_of(one), code or "", one["checks"], one["hidden"]])
                    row = {
                        "task": one["name"],
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
