"""For the mutation run: pytest serves tests, with mutants switched on, or tells which test reaches what.

``REFINE_MUTATION_SERVE`` names the socket on which a run (:mod:`mutation_jobs`) asks for tests, with
``REFINE_MUTATION_SWITCHES``, the file of switches that mutated modules map (:mod:`mutation_switches`).
``REFINE_MUTATION_HITS`` names the file of counters that instrumented modules map (see
:mod:`mutation_hits`), ``REFINE_MUTATION_MAP`` where to write what each test reached.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import socket
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SERVE, HITS, MAP = (os.environ.get(f"REFINE_MUTATION_{name}", "") for name in ("SERVE", "HITS", "MAP"))
#: In the environment of all that a run starts.
MARK = "REFINE_MUTATION_RUN"
#: {test: [seconds, blocks that ran]}
_reached: dict[str, tuple[float, list[int]]] = {}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems() -> None:
    from jupyterlab_refine.kernel import pack

    # A run of the checkout's own modules would find no mutant at all.
    if not Path(pack.__file__).resolve().is_relative_to(Path.cwd().resolve()):
        raise pytest.UsageError(f"{pack.__file__} is not the copy in {Path.cwd()}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if not MAP:
        return (yield)
    counters = Path(HITS)
    with open(counters, "r+b") as file:
        file.write(bytes(counters.stat().st_size))
    start = time.monotonic()
    result = yield
    blocks = [number for number, seen in enumerate(counters.read_bytes()) if seen]
    _reached[item.nodeid] = (round(time.monotonic() - start, 3), blocks)
    return result


def pytest_sessionfinish() -> None:
    if MAP:
        Path(MAP).write_text(json.dumps(_reached))


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    if not SERVE:
        return None
    if session.testsfailed:
        raise session.Interrupted(f"{session.testsfailed} errors during collection")
    Server(session).serve()
    return True


class _SameFile:
    """Says which test is next: pytest then keeps what the tests of a file share, the kernel."""

    def __init__(self, item: pytest.Item) -> None:
        self._nodes = item.listchain()[:-1]

    def listchain(self) -> list[Any]:
        return self._nodes


class Server:
    """Runs tests as they are asked for, in any order and as often as one likes."""

    def __init__(self, session: pytest.Session) -> None:
        import mutation_switches

        self._turn = mutation_switches.turn
        self._session = session
        self._items = {item.nodeid: item for item in session.items}
        self._failed = False
        self._file = ""
        session.config.pluginmanager.register(self)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed = self._failed or report.failed

    def serve(self) -> None:
        """Answers each line with a line for each test that begins, and one for what failed first."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(SERVE)
            with connection.makefile("rw") as lines:
                lines.write(json.dumps({"ready": True}) + "\n")
                lines.flush()
                for line in lines:
                    self._answer(json.loads(line), lines)

    def _answer(self, asked: dict[str, Any], lines: Any) -> None:
        if asked["fresh"]:
            self._forget()
        self._turn(Path(os.environ["REFINE_MUTATION_SWITCHES"]), asked["on"])
        changed = [place for module in asked["constants"] for place in set_constants(module)]
        failed = ""
        for name, seconds in zip(asked["tests"], asked["seconds"], strict=True):
            lines.write(json.dumps({"test": name}) + "\n")
            lines.flush()
            failed = next((item.nodeid for item in self._named(name) if not self._passes(item, seconds)), "")
            if failed:
                break
        self._turn(Path(os.environ["REFINE_MUTATION_SWITCHES"]), [])
        for namespace, name, value in changed:
            namespace[name] = value
        lines.write(json.dumps({"failed": failed}) + "\n")
        lines.flush()

    def _named(self, name: str) -> list[pytest.Item]:
        """A test, or all with these parameters or of that file."""
        if name in self._items:
            return [self._items[name]]
        found = [item for test, item in self._items.items() if test.startswith((f"{name}[", f"{name}::"))]
        if not found:
            raise pytest.UsageError(f"There is no test {name}")
        return found

    def _passes(self, item: pytest.Item, seconds: float) -> bool:
        file = item.nodeid.split("::")[0]
        if file != self._file:
            self._forget()
            self._file = file
        item.own_markers[:] = [mark for mark in item.own_markers if mark.name != "timeout"]
        item.add_marker(pytest.mark.timeout(seconds), append=False)
        self._failed = False
        self._session.shouldfail = self._session.shouldstop = False
        self._session.config.hook.pytest_runtest_protocol(item=item, nextitem=_SameFile(item))
        if self._failed:
            self._forget()
        return not self._failed

    def _forget(self) -> None:
        """Take down what the tests share: the next one has a kernel of its own."""
        try:
            self._session._setupstate.teardown_exact(None)
        except Exception as error:
            print(f"taking down: {error!r}")
        kill_marked(os.environ[MARK], {os.getpid(), os.getppid()})


def set_constants(module: str) -> list[tuple[dict[str, Any], str, Any]]:
    """Give a module that is loaded here its constants as they are now: where, and what was there."""
    loaded = sys.modules.get(f"jupyterlab_refine.kernel.{module}")
    if loaded is None:
        return []
    now = {**vars(loaded)}
    exec(compile(Path(str(loaded.__file__)).read_bytes(), str(loaded.__file__), "exec"), now)
    changed = []
    for name, before in list(vars(loaded).items()):
        made_anew = isinstance(before, (type, types.FunctionType, types.ModuleType, mmap.mmap))
        if name.startswith("__") or made_anew or now[name] == before:
            continue
        for other in list(sys.modules.values()):
            namespace = getattr(other, "__dict__", {})
            if namespace.get(name, changed) is before:
                changed.append((namespace, name, before))
                namespace[name] = now[name]
    return changed


def kill_marked(mark: str, spared: set[int]) -> bool:
    """Kill what has that mark in its environment; False when there was nothing."""
    wanted = f"{MARK}={mark}\0".encode()
    found = False
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if not name.isdigit() or int(name) in spared or int(name) in (1, os.getpid()):
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if wanted not in file.read() + b"\0":
                    continue
            os.kill(int(name), signal.SIGKILL)
            found = True
        except OSError:
            continue
    return found
