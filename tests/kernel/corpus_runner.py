"""Runs rows of the corpora through the kernel part, a forked kernel for each, and counts what became of them.

::

    python tests/kernel/corpus_runner.py --tampering            # what passes in silence?
    python tests/kernel/corpus_runner.py --honest --list
    python tests/kernel/corpus_runner.py --only "isclose*"    # one row, or those that match, with details

Ends with 1 when a row is not as it must be.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import fnmatch
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import live_kernel  # noqa: E402
from corpus import Row, rows  # noqa: E402

SECONDS = 90
#: Imported once, before the kernels are forked.
WARM = ("numpy", "pandas", "unittest.mock")


class Verdict(NamedTuple):
    """What became of a row."""

    #: "confirmed", "labelled", "unjudged", "refused", "failed" or "skipped".
    result: str
    reasons: tuple[str, ...]
    seconds: float
    execution: dict[str, Any]

    @property
    def passed(self) -> bool:
        return self.result in ("confirmed", "labelled", "unjudged")

    @property
    def silent(self) -> bool:
        """Passed, and nothing that is shown says that there may be something wrong."""
        return self.result == "confirmed" or self.result == "unjudged" and not self.reasons


def judge(execution: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The result of an execution, and why it is not confirmed."""
    checks = execution["assertions"]
    if execution["tampering"]:
        return "refused", tuple(execution["tampering"])
    if execution["status"] != "completed":
        error = execution.get("error") or {}
        said = execution.get("stopMessage") or f"{error.get('name')}: {error.get('message')}"
        return "failed", (f"{execution['status']}: {said}",)
    bad = [check for check in checks if check["outcome"] != "passed"]
    if bad or not checks:
        return "failed", tuple(map(_failure, bad)) or ("no check was run",)
    warnings = tuple(f"warning: {text}" for text in execution["warnings"])
    if not any("confirmed" in check for check in checks):
        return "unjudged", warnings
    missing = [check for check in checks if check.get("confirmed") is not True]
    reasons = tuple(check.get("unconfirmed") or "no reason given" for check in missing) + warnings
    return ("labelled" if reasons else "confirmed"), tuple(dict.fromkeys(reasons))


def _failure(check: dict[str, Any]) -> str:
    error = check.get("error") or {}
    said = check.get("difference") or f"{error.get('name')}: {error.get('message')}"
    return f"{check['outcome']}, line {check['line']}: {said}"


class Kernels:
    """Forks of a warm process, one for each row. Thread-safe."""

    def __init__(self, python: str = sys.executable, part: Path | None = None) -> None:
        import pack

        self._folder = Path(tempfile.mkdtemp(prefix="corpus-"))
        packed = self._folder / "packed.py"
        packed.write_text(pack.pack(part) if part else pack.pack(), encoding="ascii")
        self._path = str(self._folder / "socket")
        command = [python, str(HERE / "corpus_kernel.py"), self._path, str(packed), *WARM]
        # Its errors are shown: they are the runner's.
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=self._folder)
        assert self._process.stdout is not None
        if b"ready" not in self._process.stdout.readline():
            raise RuntimeError("the warm process did not start")
        self._known: dict[str, bool] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Kernels:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def missing(self, row: Row) -> list[str]:
        """What the row needs and this Python does not have."""
        with self._lock:
            unknown = [name for name in row.needs if name not in self._known]
            if unknown:
                with _Connection(self._path, self._folder) as kernel:
                    for name in unknown:
                        found = kernel.send({"run": f"import {name}"})
                        self._known[name] = found["error"] is None
        return [name for name in row.needs if not self._known[name]]

    def run(self, row: Row) -> Verdict:
        """One attempt in a kernel of its own."""
        missing = self.missing(row)
        if missing:
            return Verdict("skipped", (f"needs {', '.join(missing)}",), 0.0, {})
        folder = Path(tempfile.mkdtemp(prefix="row-", dir=self._folder))
        started = time.monotonic()
        try:
            with _Connection(self._path, folder) as kernel:
                execution = self._attempt(kernel, row)
            result, reasons = judge(execution)
        except _Failed as failure:
            result, reasons, execution = "failed", (str(failure),), {}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return Verdict(result, reasons, time.monotonic() - started, execution)

    def _attempt(self, kernel: _Connection, row: Row) -> dict[str, Any]:
        if row.setup:
            error = kernel.send({"run": row.setup})["error"]
            if error:
                raise _Failed(f"set-up: {error}")
        kernel.call("hello")
        asked = row.asked
        if asked is None:
            asked = tuple(kernel.send({"missing": sorted(_called(row.checks))})["missing"])
        attempt = job(row, asked)
        answer = live_kernel.start(kernel.call, attempt, 500)
        while answer.get("state") == "running":
            time.sleep(0.02)
            answer = kernel.call("collect", id=attempt["id"])
        if answer.get("state") != "done":
            raise _Failed(json.dumps(answer)[:1500])
        return answer["execution"]


class _Failed(Exception):
    """No execution came back."""


class _Connection:
    """To a forked kernel."""

    def __init__(self, path: str, folder: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._end = time.monotonic() + SECONDS
        self._rest = b""
        self._pid = 0
        self._pid = self.send({"folder": str(folder)})["pid"]

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        answer = self.send({"call": json.dumps({"op": op, **fields})})
        if answer.get("state") == "error":
            raise _Failed(json.dumps(answer)[:1500])
        return answer

    def send(self, request: dict[str, Any]) -> dict[str, Any]:
        self._socket.settimeout(max(0.1, self._end - time.monotonic()))
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            while b"\n" not in self._rest:
                data = self._socket.recv(1 << 20)
                if not data:
                    raise _Failed("the kernel died")
                self._rest += data
        except OSError as error:
            if self._pid:
                os.kill(self._pid, signal.SIGKILL)
            raise _Failed(f"no answer within {SECONDS} s: {error!r}") from error
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)


def job(row: Row, asked: Iterable[str]) -> dict[str, Any]:
    """An ``ExecutionJob``, as the executors send it."""
    return live_kernel.job(
        row.candidate,
        *row.checks,
        holdouts=row.holdout,
        limits={"seconds": 60 if row.slow else 10},
        ownNames=list(row.own),
        askedNames=list(asked),
    )


def _called(sources: Iterable[str]) -> set[str]:
    """Names that the checks call, without those that they bind and builtins."""
    called: set[str] = set()
    bound = set(dir(builtins))
    for source in sources:
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                called.add(node.func.id)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                bound.add(node.name)
            elif isinstance(node, ast.arg):
                bound.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                bound.add(node.id)
            elif isinstance(node, ast.alias):
                bound.add((node.asname or node.name).split(".")[0])
    return called - bound


def is_right(row: Row, verdict: Verdict) -> bool:
    """Whether it is what must become of such a row."""
    if verdict.result == "skipped":
        return True
    return verdict.passed if row.kind == "honest" else not verdict.silent


def report(found: list[tuple[Row, Verdict]], details: bool) -> None:
    """The table of counts, and what is not as it should be."""
    for kind in ("tampering", "honest"):
        of_kind = [(row, verdict) for row, verdict in found if row.kind == kind]
        if not of_kind:
            continue
        counts = Counter(verdict.result for _, verdict in of_kind)
        ran = len(of_kind) - counts["skipped"]
        seconds = sorted(verdict.seconds for _, verdict in of_kind if verdict.result != "skipped") or [0.0]
        print(f"\n{kind}: {ran} of {len(of_kind)} rows, p50 {seconds[len(seconds) // 2] * 1000:.0f} ms each")
        silent = sum(verdict.silent for _, verdict in of_kind)
        if kind == "tampering":
            print(f"  passed in silence {silent}, {ran - silent} not")
        for result in ("confirmed", "unjudged", "labelled", "refused", "failed", "skipped"):
            share = f"{100 * counts[result] / ran:5.1f} %" if ran and result != "skipped" else ""
            print(f"  {result:10}{counts[result]:5}  {share}")
        shown = ("confirmed", "unjudged") if kind == "tampering" else ("labelled", "refused", "failed")
        for result in shown if not details else ():
            for row, verdict in of_kind:
                if verdict.result == result and (kind == "honest" or verdict.silent):
                    note = " (expected)" if result == "labelled" and not row.confirmed else ""
                    said = "; ".join(verdict.reasons) or row.why
                    print(f"    {result}{note}: {row.name}: {said[:300]}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", help="rows whose name matches, e.g. 'numpy*'")
    parser.add_argument("--honest", action="store_true")
    parser.add_argument("--tampering", action="store_true")
    parser.add_argument("--python", default=sys.executable, help="the kernels' Python")
    parser.add_argument("--part", type=Path, help="folder of the kernel part's modules")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print the result of every row")
    options = parser.parse_args()
    chosen = rows()
    if options.honest != options.tampering:
        chosen = [row for row in chosen if (row.kind == "honest") == options.honest]
    if options.only:
        chosen = [row for row in chosen if fnmatch.fnmatchcase(row.name, options.only)]
    with Kernels(options.python, options.part) as kernels, ThreadPoolExecutor(options.jobs) as pool:
        found = list(zip(chosen, pool.map(kernels.run, chosen), strict=True))
    few = bool(options.only) and len(found) <= 3
    for row, verdict in found:
        if options.list or options.only:
            print(f"{verdict.result:10} {row.kind:9} {row.name}: {'; '.join(verdict.reasons)[:300]}")
        if few:
            print(json.dumps(verdict.execution, indent=1))
    report(found, details=few)
    return 0 if all(is_right(row, verdict) for row, verdict in found) else 1


if __name__ == "__main__":
    sys.exit(main())
