"""What a run asks at its terminal: reviews, permission to run, drafts; and an error for a spent budget."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from command import CommandLine, answer, code

ModelServer = Callable[..., str]

CELLS = [code("target", "# Write f."), code("checks", "assert f(1) == 1")]
RIGHT = "def f(n):\n    return n"


@dataclass
class Terminal:
    """A pseudo terminal whose user answers questions in the order they come."""

    answers: list[tuple[str, str]]
    text: str = ""
    unanswered: list[str] = field(default_factory=list)

    def drive(self, cli: CommandLine, *arguments: str) -> tuple[int, str]:
        """Run the command line at it; its exit status and what it printed to standard output."""
        controller, terminal = pty.openpty()
        process: subprocess.Popen[str] = cli.start(*arguments, stdin=terminal, stderr=terminal)
        os.close(terminal)
        user = threading.Thread(target=self._answer, args=(controller, time.monotonic() + 110))
        user.start()
        stdout, _ = process.communicate(timeout=120)
        user.join()
        os.close(controller)
        return process.returncode, stdout

    def _answer(self, controller: int, until: float) -> None:
        waiting = list(self.answers)
        seen = 0
        while time.monotonic() < until:
            ready, _, _ = select.select([controller], [], [], 0.2)
            if ready:
                try:
                    self.text += os.read(controller, 65536).decode("utf-8", "replace")
                except OSError:
                    break
            if waiting and waiting[0][0] in self.text[seen:]:
                question, reply = waiting.pop(0)
                seen = self.text.index(question, seen) + len(question)
                os.write(controller, f"{reply}\n".encode())
        self.unanswered = [question for question, _ in waiting]


def test_a_review_rejects_with_a_hint_and_then_approves(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    url = model_server(answer(RIGHT), answer("def f(n):\n    return int(n)"))
    terminal = Terminal(
        [("Approve attempt 1?", "n"), ("Hint for", "Return a whole number."), ("Approve attempt 2?", "y")]
    )
    arguments = ("--evaluators", "assertions,human", "--events", "e.jsonl")
    status, stdout = terminal.drive(cli, "run", "n.ipynb", "--base-url", url, *arguments)
    assert status == 0, terminal.text
    assert "attempt 2" in stdout
    assert terminal.unanswered == []
    assert "Return a whole number." in (cli.folder / "e.jsonl").read_text()


def test_a_rejection_without_a_hint_ends_the_session(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    url = model_server(answer(RIGHT))
    terminal = Terminal([("Approve attempt 1?", "n"), ("Hint for", "")])
    status, stdout = terminal.drive(
        cli, "run", "n.ipynb", "--base-url", url, "--evaluators", "assertions,human"
    )
    assert status == 1, terminal.text
    assert "you rejected it" in stdout
    assert "def f(n):" in stdout


@pytest.mark.parametrize(
    ("replies", "status"),
    [
        ([("Run attempt 1 above?", "y")], 0),
        ([("Run attempt 1 above?", "n"), ("Hint for", "")], 1),
    ],
    ids=["yes", "no"],
)
def test_no_candidate_runs_without_permission(
    cli: CommandLine, model_server: ModelServer, replies: list[tuple[str, str]], status: int
) -> None:
    cli.notebook("n.ipynb", CELLS)
    terminal = Terminal(replies)
    arguments = ("--approve-execution", "--events", "e.jsonl")
    found, _ = terminal.drive(cli, "run", "n.ipynb", "--base-url", model_server(answer(RIGHT)), *arguments)
    assert found == status, terminal.text
    ran = '"execution-end"' in (cli.folder / "e.jsonl").read_text()
    assert ran is (status == 0)


def test_a_refused_candidate_is_followed_by_the_hint(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    url = model_server(answer("def f(n):\n    return n + 0"), answer(RIGHT))
    terminal = Terminal(
        [("Run attempt 1 above?", "n"), ("Hint for", "No sum."), ("Run attempt 2 above?", "y")]
    )
    arguments = ("--approve-execution", "--events", "e.jsonl")
    status, stdout = terminal.drive(cli, "run", "n.ipynb", "--base-url", url, *arguments)
    assert status == 0, terminal.text
    assert terminal.unanswered == []
    assert "No sum." in (cli.folder / "e.jsonl").read_text()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--approve-execution",), 2, "no terminal to ask at"),
        (("--evaluators", "assertions,human"), 3, "human"),
    ],
)
def test_what_must_be_asked_is_refused_without_a_terminal(
    cli: CommandLine, model_server: ModelServer, arguments: tuple[str, ...], status: int, message: str
) -> None:
    cli.notebook("n.ipynb", CELLS)
    done = cli.run("run", "n.ipynb", "--base-url", model_server(answer(RIGHT)), *arguments)
    assert (done.status, message in done.stdout + done.stderr) == (status, True), done.stdout + done.stderr


def test_a_spent_budget_keeps_the_best(cli: CommandLine, model_server: ModelServer) -> None:
    cli.notebook("n.ipynb", CELLS)
    url = model_server(answer("def f(n):\n    return -n", usage={"prompt": 400, "completion": 500}))
    done = cli.run("run", "n.ipynb", "--base-url", url, "--max-tokens", "1000", "--json")
    assert done.status == 1, done.stderr
    (target,) = done.results["notebooks"][0]["targets"]
    assert target["stopReason"] == "budget"
    assert target["best"]["candidate"] == "def f(n):\n    return -n"
