"""Runs rows of the corpora in plain IPython, a fresh process each: is the corpus itself right?

Honest rows must pass. Of tampering rows the right solution must pass and the wrong one fail by a check; what
the trick does to a naive harness is only reported. ``python corpus_plain.py`` reads one part of a row as JSON
and ends with 0, or with 1 and the last line of the error.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_BROKEN = ("NameError", "SyntaxError", "ImportError", "ModuleNotFoundError", "IndentationError", "set-up")


def verify(chosen: Iterable[Any], python: str, jobs: int) -> int:
    """Print what is wrong with the rows; returns an exit code."""
    chosen = list(chosen)
    wrong = 0
    with ThreadPoolExecutor(jobs) as pool:
        for row, found in zip(chosen, pool.map(lambda row: objections(row, python), chosen), strict=True):
            for objection in found:
                wrong += not objection.startswith("note")
                print(f"{row.kind} {row.name}: {objection}", flush=True)
    print(f"{len(chosen)} rows, {wrong} objections")
    return 1 if wrong else 0


def objections(row: Any, python: str) -> list[str]:
    """Why the row does not belong into its corpus."""
    if any(_import(python, name) for name in row.needs):
        return ["note: skipped"]
    checks = (*row.checks, *row.holdout)
    if row.kind == "honest":
        error = run(python, row.candidate, checks, row.setup)
        return [f"does not pass: {error}"] if error else []
    found = []
    error = run(python, row.right, checks, row.setup)
    if error:
        found.append(f"the right solution fails: {error}")
    error = run(python, row.wrong, checks, row.setup)
    if not error:
        found.append("the wrong solution passes")
    elif error.startswith(_BROKEN):
        found.append(f"the wrong solution fails for another reason: {error}")
    error = run(python, row.candidate, row.checks, row.setup)
    if error:
        found.append(f"note: the trick does not help here: {error}")
    return found


@functools.cache
def _import(python: str, name: str) -> str:
    return run(python, f"import {name}", (), "")


def run(python: str, candidate: str, checks: Iterable[str], setup: str) -> str:
    """Empty when all checks pass in a fresh process; else the last line of the error."""
    with tempfile.TemporaryDirectory(prefix="plain-") as folder:
        text = json.dumps({"setup": setup, "candidate": candidate, "checks": list(checks)})
        environment = {**os.environ, "IPYTHONDIR": folder, "TMPDIR": folder, "MPLBACKEND": "agg"}
        try:
            done = subprocess.run(
                [python, os.path.abspath(__file__)],
                input=text,
                capture_output=True,
                text=True,
                cwd=folder,
                timeout=120,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            return "timeout"
    if done.returncode == 0 and done.stdout.rstrip().endswith("all checks ran"):
        return ""
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return lines[-1][:300] if lines else f"exit {done.returncode}"


def _main() -> None:
    part = json.load(sys.stdin)
    sys.path[0] = ""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=config)
    shell.colors = "nocolor"
    shell.enable_gui = lambda *_: None
    for source in (part["setup"], part["candidate"]):
        error = _cell(shell, source)
        if error is not None:
            _fail(error, "set-up: " if source is part["setup"] else "")
    for source in part["checks"]:
        before = dict(shell.user_ns)
        error = _cell(shell, source)
        if error is None:
            new = [v for n, v in shell.user_ns.items() if before.get(n) is not v and _is_test(n, v)]
            try:
                for test in new:
                    _test(test)
            except BaseException as raised:
                error = raised
        if error is not None:
            _fail(error)
    os.write(1, b"\nall checks ran\n")
    os._exit(0)


def _cell(shell: Any, source: str) -> BaseException | None:
    result = shell.run_cell(source, store_history=True)
    return result.error_before_exec or result.error_in_exec


def _fail(error: BaseException, where: str = "") -> None:
    text = f"\n{where}{type(error).__name__}: {str(error).strip()[:200]}"
    os.write(2, text.replace("\n", " ").encode().strip() + b"\n" if where else text.encode())
    os._exit(1)


def _is_test(name: str, value: Any) -> bool:
    if inspect.isclass(value):
        return value.__module__ == "__main__" and name.startswith("Test")
    return name.startswith("test") and inspect.isfunction(value)


def _settle(value: Any) -> None:
    if inspect.isawaitable(value):
        asyncio.run(_awaiting(value))


async def _awaiting(value: Any) -> Any:
    return await value


def _test(test: Any) -> None:
    if inspect.isclass(test) and issubclass(test, unittest.TestCase):
        results = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(test).run(results)
        for _, trace in [*results.errors, *results.failures]:
            raise AssertionError(trace.strip().splitlines()[-1])
        assert results.testsRun
        return
    if inspect.isclass(test):
        for name in [n for n in vars(test) if n.startswith("test")]:
            instance = test()
            getattr(instance, "setup_method", lambda: None)()
            _settle(getattr(instance, name)())
        return
    calls: list[dict[str, Any]] = [{}]
    for mark in getattr(test, "pytestmark", []):
        names, table = mark.args
        names = [n.strip() for n in names.split(",")] if isinstance(names, str) else names
        rows = [row if len(names) > 1 else (row,) for row in table]
        calls = [{**call, **dict(zip(names, row, strict=True))} for call in calls for row in rows]
    for arguments in calls:
        _settle(test(**arguments))


if __name__ == "__main__":
    _main()
