"""Plants bugs in MBPP's references and says what each program really does.

    python plant.py --tasks mbpp.jsonl --count 200 --seed 1 > planted.jsonl

Each line is one task with 1 to 3 bugs: the program for every set of bugs that
are still in it, and for every check of every program the facts of its failure,
found by running it here: the call with expected and observed value, or the
error with its line, or where it hangs. The product has no part in this.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import pickle
import random
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable

from mutants import EVERYWHERE, Mutant, mutants

# Seconds of processor time. What takes longer and ends is no good: it might be cut off.
SLOW_S = 0.2
HANGS_S = 2.0
FILE = "<candidate>"
TRIES = 40


def program(tree: ast.Module, bugs: list[Mutant]) -> str:
    changed = copy.deepcopy(tree)
    nodes = list(ast.walk(changed))
    for bug in bugs:
        bug.apply(nodes)
    return ast.unparse(ast.fix_missing_locations(changed))


def apart(tree: ast.Module, a: Mutant, b: Mutant) -> bool:
    """True where neither place is within the other."""
    nodes = list(ast.walk(tree))
    inside = [{id(n) for n in ast.walk(nodes[m.site])} for m in (a, b)]
    return not inside[0] & inside[1]


def facts(code: str, setup: str, checks: list[str]) -> list[dict] | None:
    """The facts of each check; None where they are not clear enough to judge by."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        run_checks(code, setup, checks, lambda found: finish(write, found))
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    return pickle.loads(data) if data else None


def run_checks(code: str, setup: str, checks: list[str], give: Callable[[list[dict] | None], None]) -> None:
    """Never returns: `give` ends the process."""
    found: list[dict] = []
    lines: set[int] = set()

    def tick(_signal: int, frame: object) -> None:
        used = time.process_time() - began
        while frame is not None and frame.f_code.co_filename != FILE:
            frame = frame.f_back
        if frame is not None and used > HANGS_S / 2:
            lines.add(frame.f_lineno)
        if used > HANGS_S:
            found.append({"outcome": "hangs", "lines": sorted(lines)})
            found.extend({"outcome": "not-run"} for _ in checks[len(found) :])
            give(found)

    began = time.process_time()
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    signal.signal(signal.SIGVTALRM, tick)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.02, 0.02)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    space: dict = {"__name__": "__main__"}
    try:
        exec(compile(code, FILE, "exec"), space)
    except BaseException as error:
        give([raised(error) | {"where": "cell"}] + [{"outcome": "not-run"} for _ in checks[1:]])
    exec(compile(setup, "<setup>", "exec"), space)
    for check in checks:
        found.append(run_check(check, space))
    give(found if time.process_time() - began < SLOW_S else None)


def run_check(check: str, space: dict) -> dict:
    compare = ast.parse(check).body[0].test
    call = ast.get_source_segment(check, compare.left)
    try:
        observed = evaluate(compare.left, space)
        expected = evaluate(compare.comparators[0], space)
        if observed == expected:
            return {"outcome": "holds"}
    except BaseException as error:
        return raised(error) | {"where": "check", "call": call}
    return {
        "outcome": "value",
        "call": call,
        "expected": described(expected),
        "observed": described(observed),
    }


def evaluate(node: ast.expr, space: dict) -> object:
    return eval(compile(ast.Expression(node), "<check>", "eval"), space)


def described(value: object) -> dict:
    return {"repr": re.sub(r"0x[0-9a-f]+", "0x", repr(value)), "type": type(value).__name__}


def raised(error: BaseException) -> dict:
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == FILE]
    if isinstance(error, RecursionError):
        lines = sorted(set(lines))
    return {
        "outcome": "raises",
        "name": type(error).__name__,
        "message": str(error),
        "lines": lines if isinstance(error, RecursionError) else lines[-1:],
    }


def finish(write: int, found: list[dict] | None) -> None:
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    with os.fdopen(write, "wb") as pipe:
        pipe.write(pickle.dumps(found))
    os._exit(0)


def usable(task: dict) -> ast.Module | None:
    """The reference, where its checks compare the result of a call with a value."""
    tree = ast.parse(task["code"])
    names = {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    calls = set()
    for check in task["test_list"]:
        body = ast.parse(check).body
        test = body[0].test if len(body) == 1 and isinstance(body[0], ast.Assert) else None
        if not (
            isinstance(test, ast.Compare)
            and len(test.ops) == 1
            and isinstance(test.ops[0], ast.Eq)
            and isinstance(test.left, ast.Call)
            and isinstance(test.left.func, ast.Name)
            and test.left.func.id in names
        ):
            return None
        calls.add(ast.unparse(test.left))
    return tree if len(calls) == len(task["test_list"]) else None


def plant(task: dict, count: int, dice: random.Random) -> dict | None:
    tree = usable(task)
    if tree is None:
        return None
    setup, checks = task["test_setup_code"], task["test_list"]
    run = lambda bugs: facts(program(tree, bugs), setup, checks)  # noqa: E731
    if [f["outcome"] for f in run([]) or []] != ["holds"] * len(checks):
        return None
    places: dict[str, list[Mutant]] = {}
    for mutant in mutants(tree):
        places.setdefault(mutant.kind, []).append(mutant)
    chosen: list[Mutant] = []
    for _ in range(TRIES):
        if not places or len(chosen) == count:
            break
        kinds = sorted(places)
        kind = dice.choices(kinds, [1 if kind in EVERYWHERE else 4 for kind in kinds])[0]
        mutant = dice.choice(places[kind])
        places[kind].remove(mutant)
        if not places[kind]:
            del places[kind]
        if all(apart(tree, mutant, other) for other in chosen) and caught(run([mutant])):
            chosen.append(mutant)
    if len(chosen) < count:
        return None
    programs = {}
    for mask in range(1 << count):
        bugs = [bug for k, bug in enumerate(chosen) if mask >> k & 1]
        found = run(bugs)
        if found is None or any(f.get("name") == "MemoryError" for f in found):
            return None
        hangs = any(f["outcome"] == "hangs" for f in found)
        if not hangs and found != run(bugs):
            return None
        programs[str(mask)] = {"code": program(tree, bugs), "facts": found}
    if len({p["code"] for p in programs.values()}) < len(programs):
        return None
    return {
        "task": task["task_id"],
        "text": task["text"],
        "setup": setup,
        "checks": checks,
        "bugs": [bug.kind for bug in chosen],
        "programs": programs,
    }


def caught(found: list[dict] | None) -> bool:
    return found is not None and any(f["outcome"] != "holds" for f in found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The order of sets is the same everywhere then.
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONHASHSEED": "0"})
    with open(options.tasks, encoding="utf-8") as file:
        tasks = [json.loads(line) for line in file]
    dice = random.Random(options.seed)
    dice.shuffle(tasks)
    planted = 0
    for task in tasks:
        if planted == options.count:
            break
        task["code"] = task["code"].replace("\r\n", "\n")
        found = plant(task, planted % 3 + 1, dice)
        if found:
            planted += 1
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
