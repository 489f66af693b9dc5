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
from collections.abc import Callable, Iterator

# Seconds of processor time. What takes longer and ends is no good: it might be cut off.
SLOW_S = 0.2
HANGS_S = 2.0
FILE = "<candidate>"
# Bugs that fit everywhere; without a weight there would be little else.
EVERYWHERE = {"wrong return type", "missing return", "misspelt name"}
TRIES = 40

Edit = Callable[[list[ast.AST]], None]


class Mutant:
    """A bug at one place of a program; `apply` edits the nodes of a copy of it."""

    def __init__(self, kind: str, site: int, apply: Edit) -> None:
        self.kind = kind
        self.site = site
        self.apply = apply


COMPARE = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.FloorDiv,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
METHODS = {
    "append": "add",
    "lower": "upper",
    "upper": "lower",
    "items": "keys",
    "values": "keys",
    "split": "strip",
    "join": "concat",
}
CONVERSIONS = {"str", "int", "float", "list", "tuple", "set", "sorted"}


def mutants(tree: ast.Module) -> Iterator[Mutant]:
    """Every bug that one slip of the pen makes."""
    nodes = list(ast.walk(tree))
    index = {id(node): i for i, node in enumerate(nodes)}
    parameters = {a.arg for n in nodes if isinstance(n, ast.arguments) for a in n.args}
    assigned = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for i, node in enumerate(nodes):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            wrong = COMPARE.get(type(node.ops[0]))
            if wrong:
                yield Mutant("wrong comparison", i, _set(i, "ops", lambda _, w=wrong: [w()]))
        if isinstance(node, ast.BinOp | ast.AugAssign):
            wrong = ARITHMETIC.get(type(node.op))
            if wrong:
                yield Mutant("wrong operator", i, _set(i, "op", lambda _, w=wrong: w()))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.Mod | ast.Pow):
            yield Mutant("swapped operands", i, _swap_operands(i))
        if isinstance(node, ast.Call):
            yield from _calls(node, i, parameters)
        if isinstance(node, ast.Subscript):
            yield from _subscripts(node, i)
        if isinstance(node, ast.Assign) and _is_number(node.value):
            for step in (1, -1):
                yield Mutant(
                    "wrong initial value", i, _set(i, "value", lambda v, s=step: ast.Constant(v.value + s))
                )
        if isinstance(node, ast.BoolOp):
            wrong = ast.Or if isinstance(node.op, ast.And) else ast.And
            yield Mutant("and for or", i, _set(i, "op", lambda _, w=wrong: w()))
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _returns(node, i)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in parameters | assigned and len(node.id) > 2:
                yield Mutant(
                    "misspelt name", i, _set(i, "id", lambda name: name[:-2] + name[-1] + name[-2] + "_")
                )
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and isinstance(node, ast.stmt):
                yield from _statements(node, i, field, block, index)


def _calls(node: ast.Call, i: int, parameters: set[str]) -> Iterator[Mutant]:
    name = node.func.id if isinstance(node.func, ast.Name) else None
    if name == "range" and node.args:
        last = min(1, len(node.args) - 1)
        for op in (ast.Add, ast.Sub):
            yield Mutant("off by one", i, _set(i, "args", lambda args, o=op: _changed(args, last, o)))
        if len(node.args) > 1:
            yield Mutant("off by one", i, _set(i, "args", lambda args: _changed(args, 0, ast.Add)))
    if name in FUNCTIONS:
        yield Mutant("min for max", i, _set(i, "func", lambda f: ast.Name(FUNCTIONS[f.id], ast.Load())))
    if name in CONVERSIONS and name not in parameters and len(node.args) == 1 and not node.keywords:
        # The call stays as a pair of brackets around what it was given.
        yield Mutant("forgotten conversion", i, _set(i, "func", lambda _: _identity()))
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        yield Mutant("wrong method", i, _rename_method(i))
    if len(node.args) > 1 and name != "range":
        if ast.dump(node.args[0]) != ast.dump(node.args[1]):
            yield Mutant("swapped arguments", i, _set(i, "args", lambda a: [a[1], a[0], *a[2:]]))


def _subscripts(node: ast.Subscript, i: int) -> Iterator[Mutant]:
    if _is_number(node.slice):
        yield Mutant("off by one", i, _set(i, "slice", lambda s: ast.Constant(s.value + 1)))
    elif isinstance(node.slice, ast.BinOp | ast.Name):
        yield Mutant("off by one", i, _set(i, "slice", lambda s: ast.BinOp(s, ast.Sub(), ast.Constant(1))))
    elif isinstance(node.slice, ast.Slice) and node.slice.upper is not None:
        yield Mutant(
            "off by one",
            i,
            _set(
                i,
                "slice",
                lambda s: ast.Slice(s.lower, ast.BinOp(s.upper, ast.Sub(), ast.Constant(1)), s.step),
            ),
        )


def _returns(node: ast.Return, i: int) -> Iterator[Mutant]:
    value = node.value
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        yield Mutant("wrong answer", i, _set(i, "value", lambda v: ast.Constant(not v.value)))
        return
    yield Mutant(
        "wrong return type", i, _set(i, "value", lambda v: ast.Call(ast.Name("str", ast.Load()), [v], []))
    )
    yield Mutant("wrong return type", i, _set(i, "value", lambda v: ast.List([v], ast.Load())))


def _statements(
    node: ast.stmt, i: int, field: str, block: list[ast.stmt], index: dict[int, int]
) -> Iterator[Mutant]:
    for at, statement in enumerate(block):
        site = index[id(statement)]
        if isinstance(statement, ast.If) and not statement.orelse and len(block) > 1:
            if isinstance(statement.body[-1], ast.Return | ast.Continue | ast.Break | ast.Raise):
                yield Mutant("missing edge case", site, _drop(i, field, at))
        if isinstance(node, ast.While) and isinstance(statement, ast.AugAssign):
            yield Mutant("loop without progress", site, _drop(i, field, at))
        if (
            isinstance(statement, ast.Return)
            and statement.value is not None
            and isinstance(node, ast.FunctionDef)
        ):
            yield Mutant("missing return", site, _no_return(i, field, at))


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _set(i: int, field: str, change: Callable) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        setattr(nodes[i], field, change(getattr(nodes[i], field)))

    return edit


def _changed(args: list[ast.expr], at: int, op: type[ast.operator]) -> list[ast.expr]:
    return [ast.BinOp(a, op(), ast.Constant(1)) if k == at else a for k, a in enumerate(args)]


def _identity() -> ast.expr:
    return ast.parse("(lambda value: value)", mode="eval").body


def _rename_method(i: int) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        nodes[i].func.attr = METHODS[nodes[i].func.attr]

    return edit


def _swap_operands(i: int) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        nodes[i].left, nodes[i].right = nodes[i].right, nodes[i].left

    return edit


def _drop(i: int, field: str, at: int) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        getattr(nodes[i], field)[at] = ast.Pass()

    return edit


def _no_return(i: int, field: str, at: int) -> Edit:
    def edit(nodes: list[ast.AST]) -> None:
        block = getattr(nodes[i], field)
        block[at] = ast.Expr(block[at].value)

    return edit


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


# What a program does, check by check.


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


# The choice of tasks and bugs.


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
