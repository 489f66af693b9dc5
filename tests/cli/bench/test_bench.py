"""``jupyter refine bench``: each flag and exit status, with recorded answers and a scripted model."""

from __future__ import annotations

import gzip
import json
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from command import CommandLine, answer, read_events, wait_until

ModelServer = Callable[..., str]


def mbpp(number: int, *tests: str, **more: Any) -> dict[str, Any]:
    return {"task_id": number, "text": f"Write f{number}.", "test_list": list(tests), **more}


def write_lines(path: Path, rows: list[Any]) -> str:
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path.name


def by_task(report: Mapping[str, Any], run: int = 0) -> dict[str, dict[str, Any]]:
    return {task["task"]: task for task in report["runs"][run]["tasks"]}


HUMAN_EVAL = {
    "task_id": "HumanEval/0",
    "prompt": 'from math import pi\n\n\ndef area(r):\n    """Area of a circle."""\n',
    "entry_point": "area",
    "canonical_solution": "    return pi * r * r\n",
    "test": "def check(candidate):\n    assert candidate(0) == 0\n    assert 3 < candidate(1) < 4\n",
}


@pytest.mark.timeout(100)
def test_each_task_is_judged_by_itself(cli: CommandLine) -> None:
    """A hang, a crash, a bomb and names of other tasks cost a task nothing but itself."""
    secret = str(cli.folder / "tasks.jsonl.gz")
    answers = {
        1: ["helper = 7\ndef f1(): return helper", mbpp(1, "assert f1() == 7")],
        2: ["def f2(): return helper", mbpp(2, "assert f2() == 7")],
        3: ["while True: pass", mbpp(3, "assert True or f3()")],
        4: ["import os\nos._exit(0)", mbpp(4, "assert True or f4()")],
        5: ["big = [b'x' * (1 << 28) for _ in range(1 << 10)]", mbpp(5, "assert f5() == 1")],
        6: ["def test_pairs(values): return len(values) // 2", mbpp(6, "assert test_pairs([1, 2]) == 1")],
        7: [f"def f7(): return open({secret!r}, 'rb').read()", mbpp(7, "assert f7()")],
        8: ["class Node:\n    def __init__(self): self.left = None\ndef f8(n): return n.left", None],
        9: ["def f9(: pass", mbpp(9, "assert f9() == 1")],
        10: ["", mbpp(10, "assert f10() == 1")],
        11: ["def f11(): return 2", mbpp(11, "assert f11() == 1")],
        12: ["def f12(): return 1", mbpp(12, "assert f12() == 1")],
    }
    # The setup of the task is for its tests, after the candidate.
    answers[8][1] = mbpp(8, "assert f8(root) is None", test_setup_code="root = Node()")
    tasks = write_lines(cli.folder / "tasks.jsonl.gz", [row for _, row in answers.values()] + [HUMAN_EVAL])
    recorded = write_lines(
        cli.folder / "answers.jsonl",
        [{"task_id": f"MBPP/{number}", "attempts": [code]} for number, (code, _) in answers.items()]
        + [{"task_id": "HumanEval/0", "completion": "    return pi * r ** 2\n"}],
    )
    limits = ["--attempt-timeout", "2", "--workers", "2"]
    done = cli.run("bench", tasks, "--recorded", recorded, *limits, "--json", "--events", "events.jsonl")
    assert done.status == 0, done.stderr
    assert "13 of 13 tasks" in done.stderr
    found = by_task(done.results)
    assert [task for task in found if found[task]["solved"]] == ["1", "6", "8", "12", "HumanEval/0"]
    kinds = {task: found[task]["failures"][0]["kind"] for task in found if not found[task]["solved"]}
    assert kinds.pop("5") in ("memory", "hang")
    assert kinds == {
        "2": "error-in-check",
        "3": "hang",
        "4": "crash",
        "7": "wrong-value",
        "9": "syntax",
        "10": "no-code",
        "11": "wrong-value",
    }
    assert all(row["error"] is None and row["cpuMs"] > 0 and row["wallMs"] > 0 for row in found.values())
    (summary,) = done.results["summaries"]
    assert summary["passAt1"]["value"] == pytest.approx(5 / 13)
    ends = [event for event in read_events(cli.folder / "events.jsonl") if event["type"] == "session-end"]
    assert len(ends) == 13


def test_recorded_repairs_are_attempts_of_one_session(cli: CommandLine) -> None:
    tasks = write_lines(
        cli.folder / "t.jsonl", [mbpp(1, "assert f() == 1"), mbpp(2, "assert f() == 1"), HUMAN_EVAL]
    )
    wrong, right = "def f(): return 2", "def f(): return 1"
    recorded = write_lines(
        cli.folder / "a.jsonl",
        [{"task_id": 1, "attempts": [wrong, right]}, {"task_id": 2, "solution": right}],
    )
    done = cli.run("bench", tasks, "--recorded", recorded, "--json", "--quiet")
    assert (done.status, done.stderr) == (0, "")
    found = by_task(done.results)
    assert (found["1"]["solvedBy"], found["1"]["programs"]) == (2, [wrong, right])
    assert found["2"]["solvedBy"] == 1
    assert done.results["leftOut"] == 1
    assert done.results["summaries"][0]["histogram"] == [1, 1]
    # As many attempts as the flag allows.
    done = cli.run("bench", tasks, "--recorded", recorded, "--max-attempts", "1", "--json")
    assert [row["solved"] for row in by_task(done.results).values()] == [False, True]


def test_references_that_fail_are_status_1(cli: CommandLine) -> None:
    right = mbpp(1, "assert f() == 1", code="def f():\r\n    return 1")
    tasks = write_lines(cli.folder / "right.jsonl", [right, HUMAN_EVAL])
    done = cli.run("bench", tasks, "--references", "--kernel", "python3")
    assert done.status == 0, done.stderr
    assert "| pass@1" in done.stdout
    wrong = mbpp(2, "assert f() == 1", code="def f(): return 2")
    tasks = write_lines(cli.folder / "wrong.jsonl", [right, wrong])
    assert cli.run("bench", tasks, "--references").status == 1


def test_finished_tasks_are_kept_and_not_run_again(cli: CommandLine) -> None:
    one, two = mbpp(1, "assert f() == 1", code="def f(): return 1"), mbpp(2, "assert f() == 1", code="f = 1")
    flags = ["--references", "--json", "--resume", "done.jsonl"]
    first = cli.run("bench", write_lines(cli.folder / "t.jsonl", [one]), *flags)
    changed = {**one, "text": "Another text."}
    both = cli.run("bench", write_lines(cli.folder / "t.jsonl", [one, two]), *flags)
    assert by_task(both.results)["1"] == by_task(first.results)["1"]
    assert (cli.folder / "done.jsonl").read_text().count("\n") == 2
    cli.run("bench", write_lines(cli.folder / "t.jsonl", [changed, two]), *flags)
    assert (cli.folder / "done.jsonl").read_text().count("\n") == 3


def test_model_is_measured_swept_and_compared(cli: CommandLine, model_server: ModelServer) -> None:
    tasks = write_lines(cli.folder / "t.jsonl", [mbpp(1, "assert f() == 1")])
    wrong, right = answer("def f(): return 2"), answer("def f(): return 1")
    # Raw: the second attempt solves it. Diff: the first one.
    flags = ["--base-url", model_server(wrong, right, right), "--sweep", "feedback=raw,diff"]
    done = cli.run("bench", tasks, *flags, "--output-dir", "out/report")
    assert done.status == 0, done.stderr
    folder = cli.folder / "out" / "report"
    assert done.stdout == (folder / "report.md").read_text()
    report = json.loads((folder / "report.json").read_text())
    assert [run["label"] for run in report["runs"]] == ["feedback=raw", "feedback=diff"]
    assert [by_task(report, run)["1"]["solvedBy"] for run in (0, 1)] == [2, 1]
    assert report["summaries"][0]["promptTokens"]["value"] > 0
    page = (folder / "report.html").read_text()
    assert page.count("<svg") == 4
    assert "<script" not in page
    assert "http" not in page
    assert "feedback=diff − feedback=raw" in page

    (cli.folder / "b.json").write_text(json.dumps({**report, "runs": report["runs"][1:]}))
    (cli.folder / "a.json").write_text(json.dumps({**report, "runs": report["runs"][:1]}))
    done = cli.run("bench", "--compare", "a.json", "b.json", "--json")
    assert done.status == 0, done.stderr
    (comparison,) = done.results["comparisons"]
    assert (comparison["tasks"], comparison["attempts"]["value"]) == (1, -1)
    assert comparison["passAt1"]["value"] == 1
    assert (
        "b.json feedback=diff − a.json feedback=raw"
        in cli.run("bench", "--compare", "a.json", "b.json").stdout
    )


def test_task_without_a_result_is_status_3(cli: CommandLine, model_server: ModelServer) -> None:
    tasks = write_lines(cli.folder / "t.jsonl", [mbpp(1, "assert f() == 1"), mbpp(2, "assert f() == 1")])
    url = model_server(answer("def f(): return 1"), answer("f = 1", fault={"type": "status", "status": 400}))
    done = cli.run("bench", tasks, "--base-url", url, "--json")
    assert done.status == 3, done.stdout
    assert "task 2 has no result" in done.stderr
    assert done.results["summaries"][0]["tasks"] == 1
    assert done.results["summaries"][0]["errors"] == 1


def test_interrupt_is_status_130_and_reports_what_is_done(cli: CommandLine) -> None:
    tasks = [
        mbpp(1, "assert f() == 1", code="def f(): return 1"),
        mbpp(2, "assert f()", code="while True: pass"),
    ]
    name = write_lines(cli.folder / "t.jsonl", tasks)
    process = cli.start("bench", name, "--references", "--resume", "done.jsonl", "--json")
    kept = cli.folder / "done.jsonl"
    wait_until(lambda: kept.exists() and kept.read_text().count("\n") == 1)
    process.send_signal(signal.SIGINT)
    done = cli.finish(process)
    assert done.status == 130, done.stderr
    assert list(by_task(done.results)) == ["1"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "bench needs a file of tasks"),
        (["t.jsonl", "u.jsonl"], "takes one file of tasks, and 2 were given"),
        (["missing.jsonl", "--references"], "missing.jsonl: there is no such file or folder."),
        (["bad.jsonl", "--references"], "bad.jsonl, line 3: test_list[1]: expected string"),
        (["t.jsonl", "--references"], "no task of t.jsonl has a solution"),
        (["t.jsonl", "--recorded", "bad.jsonl"], "bad.jsonl, line 1: task_id: there is no task 7."),
        (["--compare", "t.jsonl", "t.jsonl"], "--compare t.jsonl: not a report of jupyter refine bench"),
        (["t.jsonl", "--references", "--output-dir", "t.jsonl"], "--output-dir t.jsonl cannot be created"),
        (["right.jsonl", "--references", "--resume", "no/such/file"], "--resume no/such/file cannot be used"),
    ],
)
def test_bad_input_is_status_2(cli: CommandLine, arguments: list[str], said: str) -> None:
    write_lines(cli.folder / "t.jsonl", [mbpp(1, "assert f() == 1")])
    write_lines(cli.folder / "right.jsonl", [mbpp(1, "assert f() == 1", code="f = 1")])
    write_lines(cli.folder / "bad.jsonl", [mbpp(7, "assert 1"), mbpp(8, "assert 1"), mbpp(9, "assert 1", 2)])
    done = cli.run("bench", *arguments)
    assert done.status == 2, done.stderr
    assert said in done.stderr


def test_kernel_that_cannot_be_forked_is_status_3(cli: CommandLine) -> None:
    write_lines(cli.folder / "t.jsonl", [mbpp(1, "assert f() == 1", code="f = 1")])
    done = cli.run("bench", "t.jsonl", "--references", "--kernel", "no-such-kernel")
    assert done.status == 3, done.stdout
    assert "kernel no-such-kernel cannot be forked here" in done.stderr
