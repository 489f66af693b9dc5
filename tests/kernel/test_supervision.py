"""The kernel's side of an attempt without a kernel: its child is a script that speaks the protocol."""

from __future__ import annotations

import faulthandler
import gc
import json
import math
import os
import select
import signal
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from live_kernel import job
from parts import descriptors

from jupyterlab_refine.kernel import (
    child,
    fork,
    isolation,
    limits,
    previews,
    redact,
    reliance,
    scoring,
    statements,
    supervise,
    tampering,
)

PLAN = isolation.Plan("none", 0, True, True, os.getpid(), os.getcwd(), (), ())
BOUNDS = limits.read({"seconds": 5})


class Side:
    """The child's."""

    def __init__(self, events: int, commands: int, stdout: int, stderr: int, dump: int) -> None:
        self.events, self.commands, self.stdout, self.stderr, self.dump = (
            events,
            commands,
            stdout,
            stderr,
            dump,
        )
        self.nonce: str | None = None
        self._rest = b""

    def close(self) -> None:
        for end in (self.events, self.commands, self.stdout, self.stderr, self.dump):
            os.close(end)

    def tell(self, kind: str, **fields: Any) -> None:
        told = {"t": kind, **({"n": self.nonce} if self.nonce else {}), **fields}
        os.write(self.events, json.dumps(told).encode() + b"\n")

    def command(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            self._rest += os.read(self.commands, 1 << 16) or os._exit(0)  # type: ignore[func-returns-value]
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def begin(self) -> None:
        self.tell("ready", isolation={"files": "overlay"}, layers=[[], []])
        self.command()
        self.tell("hidden", warnings=["something of hidden data"])
        self.tell("begin", warnings=["something of hiding"])

    def check(self, **more: Any) -> None:
        """All that is asked for now holds."""
        command = self.command()
        self.nonce = command["nonce"]
        for result in results(command):
            self.tell("assertion", result=result)
        self.tell("checked", **checked(**more))


def results(command: dict[str, Any], outcome: str = "passed") -> list[dict[str, Any]]:
    found = [statement for cell in command["cells"] for statement in statements.split(cell)]
    return [{**one.told(), "outcome": outcome, "durationMs": 1, "left": "4"} for one in found]


def checked(**more: Any) -> dict[str, Any]:
    return {"tampering": [], "fingerprints": {}, "made": [], "values": {}, "denied": [], **more}


class Supervised(supervise.Supervisor):
    """With what a test looks at."""

    side: Side
    shown: list[dict[str, Any]]

    def told(self) -> dict[str, Any]:
        return self._outcome.execution(redact.Masker([]))

    def sent(self) -> list[dict[str, Any]]:
        """What the child has got."""
        self._feed.write()
        return self.there()

    def there(self) -> list[dict[str, Any]]:
        os.set_blocking(self.side.commands, False)
        try:
            return [json.loads(line) for line in os.read(self.side.commands, 1 << 20).splitlines()]
        except BlockingIOError:
            return []

    def begun(self) -> Supervised:
        """The candidate runs."""
        self._begin()
        self.sent()
        self._handle("begin", {"warnings": []})
        return self

    def next(self) -> dict[str, Any] | None:
        """The candidate, or what was checked last, has ended; what is asked for now."""
        if self._stage == "candidate":
            self._handle("candidate", {"error": None, "exceeded": None})
        else:
            self._handle("checked", {"n": self._nonce, **checked()})
        (command,) = self.sent() or [None]
        return command

    def hold(self, command: dict[str, Any] | None, outcome: str = "passed") -> None:
        assert command is not None
        for result in results(command, outcome):
            self._handle("assertion", {"n": self._nonce, "result": result})


Make = Callable[..., Supervised]


@pytest.fixture
def make() -> Iterator[Make]:
    """A supervisor and its child, which does this, or waits for ever."""
    made: list[Supervised] = []

    def one(
        asked: dict[str, Any] | None = None,
        work: Callable[[Side], object] = lambda side: signal.pause(),
        bounds: limits.Limits = BOUNDS,
        namespace: dict[str, Any] | None = None,
        shows: Any = None,
        scratch: str | None = None,
    ) -> Supervised:
        asked = asked or job("z = 6")
        pipes = [os.pipe() for _ in range(5)]
        pipes[1] = pipes[1][::-1]
        side = Side(*(theirs for _, theirs in pipes))
        pid = os.fork()
        if pid == 0:
            try:
                for ours, _ in pipes:
                    os.close(ours)
                work(side)
            finally:
                os._exit(0)
        for ours, _ in pipes:
            os.set_blocking(ours, False)
        forked = fork.Child(pid, "none", *(ours for ours, _ in pipes))
        shown: list[dict[str, Any]] = []
        quiet = SimpleNamespace(publish=shown.append, seconds_left=lambda: None, flush_due=lambda: None)
        names = namespace or {}
        scored = scoring.Scoring(asked, None, names, 0)
        found = Supervised(asked, bounds, forked, PLAN, scratch, names, shows or quiet, scored)
        found.side, found.shown = side, shown
        made.append(found)
        return found

    yield one
    for found in made:
        found._ending.kill()
        found.close()
        if found.side is not None:
            found.side.close()


def run(one: Supervised) -> dict[str, Any]:
    """Our copies of the child's ends are closed as a real kernel's are."""
    one.side.close()
    one.side = None  # type: ignore[assignment]
    return one.run()


# A whole attempt


def test_an_attempt_that_goes_well(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise.overlay, "changes", lambda pid, layers: ["a.txt"])

    def work(side: Side) -> None:
        side.begin()
        os.write(side.stdout, b"printed by C\n")
        side.tell("candidate", error=None, exceeded=None, denied=["tried to write /x"])
        side.check()
        side.check(denied=["tried to reach y"])
        signal.pause()

    one = make(job("z = 6", "assert z == 6", holdouts=("assert z > 5",)), work)
    told = run(one)
    assert told["status"] == "completed" and "stop" not in told
    assert [result["outcome"] for result in told["assertions"]] == ["passed", "passed"]
    assert told["stdout"] == "printed by C\n"
    assert told["isolation"] == {"files": "overlay"}
    assert told["warnings"] == ["something of hidden data", "something of hiding"]
    assert told["denied"] == ["tried to write /x", "tried to reach y"]
    assert told["filesWritten"] == ["a.txt"]
    assert 0 < told["durationMs"] < 5000
    assert {"type": "started"} in one.shown


def test_what_is_printed_is_shown_while_the_candidate_computes(make: Make) -> None:
    """Though nothing else is heard from it."""
    go_r, go_w = os.pipe()

    def work(side: Side) -> None:
        side.begin()
        side.tell("stream", stream="stdout", text="step 1\n")
        seen = select.select([go_r], [], [], 2)[0]
        side.tell("candidate", error=None if seen else {"name": "NothingShown"}, exceeded=None)
        signal.pause()

    loop = SimpleNamespace(add_callback=lambda *_: os.write(go_w, b"x"))
    kernel = SimpleNamespace(control_thread=SimpleNamespace(io_loop=loop))
    shows = previews.Previews(kernel, "a", {})
    # All that is not due yet.
    shows._sent = time.monotonic()
    shown = shows.publish
    shows.publish = lambda event: shown(event) if event["type"] == "output" else None  # type: ignore
    one = make(work=work, shows=shows)
    assert "error" not in run(one)
    os.close(go_r)
    os.close(go_w)


def test_nothing_stays_of_an_attempt(make: Make, tmp_path: Path) -> None:
    gc.collect()
    before = descriptors()
    one = make(scratch=str(tmp_path / "scratch"), work=lambda side: side.begin())
    (tmp_path / "scratch").mkdir()
    closed: list[bool] = []
    one._scoring.close = lambda: closed.append(True)  # type: ignore[method-assign]
    run(one)
    one.close()
    assert not (tmp_path / "scratch").exists()
    assert ({*descriptors()} - {*before}, closed) == (set(), [True])
    one.close = lambda: None  # type: ignore[method-assign]
    one._ending.kill = lambda: None  # type: ignore[method-assign]
    with pytest.raises(ChildProcessError):
        os.waitpid(one._child.pid, os.WNOHANG)


# Its time


def test_how_long_a_child_may_take_to_begin(make: Make) -> None:
    """A kernel with millions of objects needs a while to hide the checks in them."""
    one = make()
    assert one._deadline() - one._started == 10
    one._handle("ready", {"isolation": {}, "layers": [[], []]})
    assert one._deadline() - one._started == 60
    one._handle("begin", {"warnings": []})
    assert one._deadline() - one._started == 5


def test_a_child_that_never_begins(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not the candidate's fault; what it wrote is not looked at."""
    monkeypatch.setattr(supervise, "_READY_SECONDS", 0.05)
    monkeypatch.setattr(supervise.overlay, "changes", lambda *_: pytest.fail("looked"))
    monkeypatch.setattr(supervise.Ending, "explain_crash", lambda self: "crashed: unknown")
    one = make()
    with pytest.raises(supervise.NotBegun, match=r"no answer within 0\.05 s"):
        run(one)


def test_a_cancel_before_the_candidate_begins_is_no_failure(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervise.overlay, "changes", lambda *_: pytest.fail("looked"))
    one = make()
    one.cancel()
    assert run(one)["stop"] == "stopped"


def test_where_a_candidate_was_when_its_time_was_over(make: Make) -> None:
    def work(side: Side) -> None:
        faulthandler.register(child.DUMP_SIGNAL, file=side.dump, all_threads=True, chain=False)
        side.begin()
        exec(compile("x = 1\nwhile True:\n    x += 1", "<candidate>", "exec"), {})

    told = run(make(work=work, bounds=BOUNDS._replace(seconds=0.2)))
    assert told["stop"] == "timeout"
    assert told["stopMessage"].startswith("timeout: limit 0.2 s") and " in line " in told["stopMessage"]
    assert 'File "<candidate>", line' in told["stack"]


@pytest.fixture
def waited(make: Make, monkeypatch: pytest.MonkeyPatch) -> Callable[[list[bytes]], float]:
    """How long a dump of the stack is waited for, when these parts of it come at once."""
    one = make()
    clock = [0.0]

    def wait(parts: list[bytes]) -> float:
        def poll(milliseconds: float) -> list[Any]:
            clock[0] += 0.0 if parts else milliseconds / 1000
            return parts[:1]

        def drain(descriptor: int, use: Callable[[bytes], object], event: int) -> bool:
            if parts:
                use(parts.pop(0))
            return True

        poller = SimpleNamespace(register=lambda *_: None, poll=poll)
        monkeypatch.setattr(supervise, "select", SimpleNamespace(poll=lambda: poller, POLLIN=1))
        monkeypatch.setattr(supervise, "time", SimpleNamespace(monotonic=lambda: clock[0]))
        monkeypatch.setattr(supervise, "drain", drain)
        monkeypatch.setattr(supervise, "signal_child", lambda *_: None)
        one._stage = "candidate"
        one._dump_stack()
        return clock[0]

    return wait


Waited = Callable[[list[bytes]], float]


def test_a_child_that_does_not_tell_where_it_is_is_not_waited_for_long(waited: Waited) -> None:
    assert 0.2 < waited([]) < 0.5


def test_a_child_that_has_told_where_it_is_is_not_waited_for(waited: Waited) -> None:
    assert waited([b"Thread 1:\n", b"  File\n"]) < 0.1


def test_a_system_that_does_not_tell_memory(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervise.limits, "private_dirty", lambda pid: None)
    monkeypatch.setattr(supervise.limits, "machine_is_full", lambda: False)
    monkeypatch.setattr(supervise.processes, "cpu_seconds", lambda pid: None)
    one = make(bounds=BOUNDS._replace(cpu_seconds=1.0))
    one._check_use()
    assert one._outcome.stop is None


def test_the_child_has_its_job_before_the_checks_are_looked_at(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It works meanwhile."""
    one = make(job("z = 6", "assert z == 6"))
    seen: list[Any] = []
    monkeypatch.setattr(supervise.statements, "checking", lambda _: seen.extend(one.there()) or [])
    one._begin()
    assert [told["candidate"] for told in seen] == ["z = 6"]
    assert "z == 6" not in json.dumps(seen)


# Its pipes


def readers(one: Supervised) -> dict[int, Callable[[bytes], object]]:
    return {one._child.events: one._read_events, one._child.stdout: lambda data: None}


def test_a_child_that_has_exited_is_heard_to_its_end(make: Make) -> None:
    """A process of the candidate's may hold the pipes open; what it told last says why."""
    one = make()
    one._handle("begin", {"warnings": []})
    one.side.tell("output", stream="stdout", used=5 << 30)
    one._exit = one._exit or (os.open(os.devnull, os.O_RDONLY),)
    one._handle_descriptor(one._exit[0], select.POLLIN, readers(one))
    assert one._outcome.stop == "output"


def test_a_child_that_has_exited_is_not_waited_for(make: Make) -> None:
    one = make()
    one._exit = one._exit or (os.open(os.devnull, os.O_RDONLY),)
    one._handle_descriptor(one._exit[0], select.POLLIN, readers(one))
    assert one._outcome.stop == "crashed"


def test_the_pipe_that_takes_commands_is_read_by_nobody(make: Make) -> None:
    """It wakes the supervisor when there is room in it again."""
    one = make()
    one._handle_descriptor(one._child.commands, select.POLLOUT, readers(one))
    assert one._outcome.stop is None


def test_a_stream_that_the_candidate_closes_is_listened_to_no_more(make: Make) -> None:
    """It would wake the kernel all the time; and it is no crash."""
    one = make(work=lambda side: (os.close(side.stdout), signal.pause()))
    os.close(one.side.stdout)
    one.side.stdout = os.open(os.devnull, os.O_RDONLY)
    one._poller.register(one._child.stdout, select.POLLIN)
    assert one._poller.poll(5000)
    one._handle_descriptor(one._child.stdout, select.POLLHUP, readers(one))
    assert one._poller.poll(0) == []
    assert one._outcome.stop is None


def test_a_child_that_closes_the_harness_s_pipe_has_crashed(make: Make) -> None:
    one = make(work=lambda side: (os.close(side.events), signal.pause()))
    os.close(one.side.events)
    one.side.events = os.open(os.devnull, os.O_RDONLY)
    one._poller.register(one._child.events, select.POLLIN)
    assert one._poller.poll(5000)
    one._handle_descriptor(one._child.events, select.POLLHUP, readers(one))
    assert one._outcome.stop == "crashed"


def test_a_child_that_is_not_needed_any_more_may_end(make: Make) -> None:
    """Its source was refused, say."""
    one = make()
    one._stage = "ended"
    one._crashed()
    assert one._outcome.stop is None


def test_output_past_python_is_bounded_too(make: Make) -> None:
    """What a library or a process prints."""
    one = make(bounds=BOUNDS._replace(hard_output_bytes=10))
    one._read_text("stderr", b"12345")
    assert one._outcome.stop is None
    one._read_text("stderr", b"678901")
    assert one._outcome.stop == "output"


# What it tells


def test_a_child_that_tells_why_it_failed_is_not_waited_for(make: Make) -> None:
    one = make()
    one._handle("failed", {"traceback": "Traceback\nValueError: broken"})
    assert one._outcome.stop == "crashed"


def test_what_a_candidate_had_too_much_of_cuts_it(make: Make) -> None:
    one = make().begun()
    error = {"name": "MemoryError", "candidateLine": 2}
    one._handle("candidate", {"error": error, "exceeded": "memory"})
    assert one.told()["stop"] == "memory"


def test_a_result_without_the_proof_that_the_candidate_had_ended_is_none(make: Make) -> None:
    one = make(job("z = 6", "assert z == 6")).begun()
    command = one.next()
    assert command is not None
    (result,) = results(command)
    for proof in ({}, {"n": "guessed"}):
        one._handle("assertion", {**proof, "result": result})
    told = one.told()
    assert [one["outcome"] for one in told["assertions"]] == ["not-run"]
    assert told["tampering"] == ["a result was told before the checks were run"] * 2


SCORER = {"cellId": "s", "index": 9, "role": "scorer", "source": "def score(ns):\n    return 1.0"}


@pytest.mark.parametrize("hidden", [[], ["X_test"]])
def test_what_the_scorer_shows_is_hidden_with_its_data(make: Make, hidden: list[str]) -> None:
    """A thread of the candidate's may be what shows it: this is no attempt to cheat."""
    one = make(job("z = 6", scorer=SCORER, hiddenData=hidden)).begun()
    command = one.next()
    assert command is not None and "score" in command
    one._handle("stream", {"stream": "stdout", "text": "printed"})
    one._handle("display", {"mime": "text/plain", "data": "shown"})
    told = one.told()
    assert (told["stdout"], len(told["displays"])) == (("", 0) if hidden else ("printed", 1))
    assert told["tampering"] == []


# Which checks come next


def test_without_checks_an_attempt_ends_with_its_candidate(make: Make) -> None:
    one = make().begun()
    assert one.next() is None
    assert one._stage == "ended"


def test_hold_outs_follow_when_all_held_and_little_is_shown_of_them(make: Make) -> None:
    one = make(job("z = 6", "assert z == 6", holdouts=("assert z * 2 == 12",), scorer=SCORER)).begun()

    def shown() -> list[Any]:
        one._handle("stream", {"stream": "stdout", "text": "printed"})
        found = [(event["type"], event.get("result", {}).get("source")) for event in one.shown]
        one.shown.clear()
        return found

    assert shown() == [("started", None), ("output", None)]
    command = one.next()
    one.hold(command)
    assert shown() == [("assertion", "assert z == 6"), ("output", None)]
    command = one.next()
    assert command is not None and "score" not in command
    one.hold(command)
    assert "left" not in one.shown[0]["result"]
    assert shown() == [("assertion", "")]
    command = one.next()
    # What the scorer prints may be about them.
    assert command is not None and "score" in command and shown() == []
    assert [result["outcome"] for result in one.told()["assertions"]] == ["passed", "passed"]


def test_a_check_that_failed_is_the_last(make: Make) -> None:
    one = make(job("z = 6", "assert z == 7", holdouts=("assert z > 5",), scorer=SCORER)).begun()
    one.hold(one.next(), "failed")
    assert one.next() is None
    assert one._stage == "ended"


def test_nothing_is_measured_where_a_hold_out_failed(make: Make) -> None:
    one = make(job("z = 6", "assert z == 6", holdouts=("assert z > 6",), scorer=SCORER)).begun()
    one.hold(one.next())
    one.hold(one.next(), "failed")
    assert one.next() is None


def test_the_scorer_comes_last(make: Make) -> None:
    """After cells that check nothing themselves, but define what it needs."""
    one = make(job("z = 6", "helper = 1", scorer=SCORER)).begun()
    first, second = one.next(), one.next()
    assert first is not None and second is not None
    assert ["score" in first, "score" in second] == [False, True]
    assert (len(first["cells"]), second["cells"]) == (1, [])


def test_hidden_data_is_not_asked_for_where_the_candidate_failed(make: Make) -> None:
    one = make(job("z = 6", scorer=SCORER)).begun()
    one._scoring.command = lambda: pytest.fail("asked")  # type: ignore[method-assign]
    one._handle("candidate", {"error": {"name": "ValueError"}, "exceeded": None})
    assert one._stage == "ended"


def test_what_the_checks_go_through_is_watched(make: Make) -> None:
    """What the candidate was asked for is its own business."""
    source = "assert math.floor(len(z)) == sorted(z)[0]"
    namespace = {"math": math}
    one = make(job("z = 6", source, askedNames=["sorted"]), namespace=namespace).begun()
    command = one.next()
    assert command is not None
    assert (command["chains"], command["relied"]) == (["math.floor"], ["len"])


def test_findings_are_reported_without_a_word_to_the_child(make: Make) -> None:
    """It waits for one only where the source is a gate; else it would take it for the checks."""
    found = {"code": "undefined-name", "line": 1, "message": "undefined name 'helper'", "severity": "error"}
    for static, told in (("report", []), ("gate", [{"go": True}])):
        one = make(job("z = helper", "helper = 1", static=static))
        one._found([found])
        assert one.sent() == told
        assert one._stage == "starting" and one.told()["findings"] == []


# What it tells of the checks


def tampered(make: Make, chains: dict[str, Any], namespace: dict[str, Any], **event: Any) -> dict[str, Any]:
    one = make(job("z = 6", "assert z == 6"), namespace=namespace).begun()
    one.next()
    one._chains = chains
    one._checked(checked(**event))
    return one.told()


def test_machinery_that_was_replaced(make: Make) -> None:
    told = tampered(make, {"np.array": [1], "np.sum": [2]}, {}, fingerprints={"np.array": [3], "np.sum": [2]})
    assert (told["tampering"], told["warnings"]) == (["np.array was replaced"], [])


def test_the_same_function_of_another_library_is_a_warning(make: Make) -> None:
    ids = tampering.fingerprint("sqrt", vars(math))
    told = tampered(make, {"sqrt": [1]}, {}, fingerprints={"sqrt": ids})
    assert (told["tampering"], told["warnings"]) == ([], [reliance.changed("sqrt")])


def test_functions_that_a_candidate_put_into_modules(make: Make) -> None:
    """Into those that were there: a module of its own is its solution."""
    told = tampered(make, {}, {"math": math}, made=["math.floor", "own.floor"])
    assert told["tampering"] == ["math.floor was replaced"]


def test_signs_that_are_told_again_count_once(make: Make) -> None:
    """A child tells all that it has seen after each part of the checks."""
    one = make(job("z = 6", "assert z == 6")).begun()
    one.next()
    for _ in range(2):
        one._checked(checked(tampering=["len was replaced"]))
    assert one.told()["tampering"] == ["len was replaced"]


# What is left


def holds(root: object, word: str) -> list[str]:
    """Texts with the word that can be reached from there, modules and classes aside."""
    seen: set[int] = set()
    todo, found = [root], []
    while todo:
        value = todo.pop()
        if id(value) in seen or isinstance(
            value, types.ModuleType | type | types.FunctionType | types.FrameType
        ):
            continue
        seen.add(id(value))
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        if isinstance(value, str) and word in value:
            found.append(value)
        todo += gc.get_referents(value)
    return found


def test_a_supervisor_that_is_done_holds_no_check(make: Make) -> None:
    """The kernel runs candidates afterwards, whose forks would find them there."""
    asked = job("z = 6", "assert z == 'the-goal'", holdouts=("assert z != 'the-goal'",), scorer=SCORER)
    one = make(asked)
    one._begin()
    one._handle("begin", {"warnings": []})
    one._handle("candidate", {"error": None, "exceeded": None})
    os.close(one.side.commands)
    one.side.commands = os.open(os.devnull, os.O_RDONLY)
    assert holds(one, "the-goal")
    one._lines = b"the-goal"
    one.release()
    assert holds(one, "the-goal") == []
