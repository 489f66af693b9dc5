"""The recorded model: it knows its own notebook, says so everywhere, and gets better attempt by attempt."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from jupyterlab_refine.demo import NOTEBOOK
from jupyterlab_refine.providers.demo import recording

CHECKOUT = Path(__file__).parents[2]

TASK = recording()["prompt"]


def task(*earlier: str, prompt: str = TASK) -> list[dict[str, str]]:
    """Messages of an attempt after the given candidates, in the manner of the loop's prompts."""
    first = [
        {"role": "system", "content": "You write one cell."},
        {"role": "user", "content": f"# Task\n\n{prompt}"},
    ]
    return first + [
        message
        for code in earlier
        for message in (
            {"role": "assistant", "content": f"```python\n{code}\n```"},
            {"role": "user", "content": "These checks fail."},
        )
    ]


def cells(tag: str) -> list[str]:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    return [cell.source for cell in notebook.cells if tag in cell.metadata.get("tags", [])]


def statements_that_hold(code: str, sources: list[str]) -> tuple[int, int]:
    """Passed and all ``assert`` statements, each run by itself as the kernel part does."""
    import ast

    namespace: dict = {}
    exec(code, namespace)
    passed = total = 0
    for source in sources:
        for statement in ast.parse(source).body:
            module = compile(ast.Module([statement], []), "<check>", "exec")
            if not isinstance(statement, ast.Assert):
                exec(module, namespace)
                continue
            total += 1
            try:
                exec(module, namespace)
                passed += 1
            except AssertionError:
                pass
    return passed, total


def code_of(words: str) -> str:
    return words.split("```python\n")[1].split("\n```")[0]


async def test_three_attempts_pass_one_three_and_four_of_four(browser):
    earlier: list[str] = []
    results = []
    for _ in range(3):
        answer = await browser.chat(profile="demo", messages=task(*earlier[-1:]))
        code = code_of(answer.words)
        results.append(statements_that_hold(code, cells("refine-assert")))
        earlier.append(code)
    assert results == [(1, 4), (3, 4), (4, 4)]
    assert statements_that_hold(earlier[2], cells("refine-holdout")) == (1, 1)


async def test_a_program_is_known_by_what_the_prompt_says_that_it_gave(browser):
    codes = [answer["code"] for answer in recording()["answers"]]
    for told, expected in (
        ("An earlier program was wrong.", codes[1]),
        ("An earlier program was wrong.\n\nOther attempts so far:\n- attempt 1: 1 of 4", codes[2]),
    ):
        answer = await browser.chat(profile="demo", messages=task(prompt=f"{TASK}\n\n{told}"))
        assert code_of(answer.words) == expected


async def test_every_event_is_labelled_recorded(browser):
    answer = await browser.chat(profile="demo", messages=task())
    events = [json.loads(event) for event in answer.events[:-1]]
    assert answer.events[-1] == "[DONE]"
    assert len(events) > 20
    assert all(event["recorded"] is True and event["model"] == "demo" for event in events)
    assert events[-1]["usage"]["completion_tokens"] == len(events) - 1
    assert events[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "Write a function that adds two numbers."}],
        task(prompt="Write fibonacci recursively."),
        task(prompt=TASK.replace("90", "1000")),
        # The cell's own comment is no prompt: the user wrote another one into the panel.
        task(prompt="Do it recursively.\n\n" + "\n".join(f"# {line}" for line in TASK.splitlines())),
    ],
)
async def test_any_other_prompt_is_refused(browser, messages):
    answer = await browser.chat(profile="demo", messages=messages)
    assert (answer.status, answer.error["code"]) == (400, "demo-only")
    assert "The demo only knows its own notebook" in answer.error["message"]


class TestNotebook:
    def test_the_copies_in_checkout_and_package_are_the_same(self):
        assert (CHECKOUT / "demo" / "fibonacci.ipynb").read_bytes() == NOTEBOOK.read_bytes()

    def test_it_is_valid_and_its_prompt_is_the_recorded_one(self):
        notebook = nbformat.read(NOTEBOOK, as_version=nbformat.NO_CONVERT)
        nbformat.validate(notebook)
        assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
        target = next(cell for cell in notebook.cells if cell.cell_type == "code")
        assert [line.removeprefix("# ") for line in target.source.splitlines()] == TASK.splitlines()

    async def test_it_is_put_below_the_root_and_never_over_a_file(self, browser, jp_root_dir):
        answer = await browser.send("POST", "demo")
        assert answer.json == {"path": "refine-demo/fibonacci.ipynb", "created": True}
        copy = jp_root_dir / "refine-demo" / "fibonacci.ipynb"
        assert nbformat.read(copy, as_version=4) == nbformat.read(NOTEBOOK, as_version=4)
        copy.write_text(copy.read_text().replace("negative", "mine"))
        answer = await browser.send("POST", "demo")
        assert answer.json == {"path": "refine-demo/fibonacci.ipynb", "created": False}
        assert "mine" in copy.read_text()
