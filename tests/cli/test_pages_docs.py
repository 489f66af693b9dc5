"""Pages of docs/ about the command line: what they show is what it does."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import DEMO, ROOT, CommandLine, answer, code

from jupyterlab_refine.app import Refine

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in path.parts),
]

#: Programs and packages of others, which are not installed for the tests.
FOREIGN = set("ollama vllm llama-server litellm helm kubectl curl jq npm npx sed export cd git".split())
PACKAGES = set("ipykernel jupyterlab".split())

#: Variables of others. `KERNEL_…` goes to a gateway, and `api_key_env` names what it likes.
VARIABLE = re.compile(
    r"KERNEL_\w+|JUPYTER_TOKEN|OPENAI_(API_KEY|BASE_URL|MODEL)|REFINE_\w+|MODEL(_URL)?|N|SEED|MBPP|V"
)

PROGRAM = r"(?:jupyter (?:refine|lab)|make|jlpm|pip|python|node) "


def commands() -> list[tuple[str, str]]:
    """Page and command, of blocks and of text in code marks."""
    found = []
    for page in PAGES:
        text = page.read_text("utf-8")
        blocks = re.findall(r"^ *```(?:bash|sh)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
        lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
        lines += re.findall(
            rf"`((?:[A-Z_]+=\S+ )*{PROGRAM}[^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        )
        lines += re.findall(rf"^ *-? ?run: ({PROGRAM}.*)$", text, re.MULTILINE)
        found += [(str(page.relative_to(ROOT)), line.strip()) for line in lines if line.strip(" #")]
    return found


def words_of(command: str) -> list[str]:
    """The words of the first command of a line, without variables, comments and what the shell does."""
    words = shlex.split(re.split(r" \|\| | && | > | &$", command)[0], comments=True)
    while words and re.match(r"[A-Z_]+=", words[0]):
        name = words.pop(0).partition("=")[0]
        assert VARIABLE.fullmatch(name), f"{name} is no variable of the product"
    return words


COMMANDS = commands()
OWN = sorted({line for _, line in COMMANDS if words_of(line)[:2] == ["jupyter", "refine"]})


def test_the_pages_have_commands() -> None:
    assert len(COMMANDS) > 100
    assert len(OWN) > 30


@pytest.mark.parametrize("command", OWN)
def test_the_command_line_takes_it(cli: CommandLine, command: str) -> None:
    rest = words_of(command)[2:]
    # Flags are read before files are looked for, and there is none here.
    finished = cli.run(*rest)
    if rest[:1] == ["help"]:
        assert (finished.status, finished.stderr) == (0, "")
    elif rest and rest[0] != "demo":
        assert re.search(
            "no such file|cannot be read|needs a (value|notebook|file)", finished.stdout + finished.stderr
        )


@pytest.mark.parametrize("page", sorted({page for page, _ in COMMANDS}))
def test_what_a_command_names_exists(page: str) -> None:
    assert [problem for name, line in COMMANDS if name == page for problem in problems(line)] == []


def problems(line: str) -> list[str]:
    """What is wrong with a command of other programs."""
    words = words_of(line)
    match words:
        case [] | ["jupyter", "refine" | "nbconvert" | "kernel", *_]:
            return []
        case ["jupyter", "lab", *rest]:
            own = set(Refine.class_trait_names())
            flags = [match[1] for word in rest if (match := re.match(r"--Refine\.(\w+)", word))]
            return [f"{line}: no option {flag}" for flag in flags if flag not in own]
        case ["make", *rest]:
            targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
            wanted = [word for word in rest if re.fullmatch(r"[a-z][\w-]*", word)]
            return [f"{line}: no target {word}" for word in wanted if word not in targets]
        case ["jlpm", script, *_]:
            scripts = json.loads((ROOT / "package.json").read_text("utf-8"))["scripts"]
            binary = (ROOT / "node_modules" / ".bin" / script).exists()
            return [] if script in scripts or binary or script == "install" else [f"{line}: no script"]
        case ["pip", "install" | "uninstall", *rest]:
            names = [word for word in rest if not word.startswith("-")]
            return [f"{line}: {name}" for name in names if not is_package(name)]
        case ["python" | "node", file, *_] if not file.startswith("-"):
            return [] if (ROOT / file).exists() else [f"{line}: no file"]
        case [path, *_]:
            program = path.removeprefix(".venv/bin/")
            return [] if program in FOREIGN or shutil.which(program) else [f"{line}: {program}"]
    return []


def is_package(name: str) -> bool:
    package, _, extra = name.rstrip("]").partition("[")
    extras = re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    return package in PACKAGES or (package == "jupyterlab-refine" and (not extra or extra in extras))


def test_the_first_commands_of_the_page_refine_a_notebook(cli: CommandLine) -> None:
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    block = re.findall(r"```bash\n(.*?)```", page, re.DOTALL)[0]
    check, run = (words_of(line)[2:] for line in block.splitlines() if re.search("refine (check|run)", line))
    (cli.folder / "notebook.ipynb").write_bytes(DEMO.read_bytes())
    assert cli.run(*check).status == 1
    assert cli.run(*run, "--profile", "demo").status == 0
    assert cli.run(*check, "--strict").status == 0


TOUR = Path(__file__).resolve().parents[2] / "docs" / "tour"
PORT = "8899"


@pytest.fixture
def recorded() -> Iterator[str]:
    """The URL of the tour's model server, on a free port."""
    command = [sys.executable, str(TOUR / "model.py"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip().partition("=")[2]
        server.terminate()


def test_the_commands_of_the_tour_refine_the_notebook(cli: CommandLine, recorded: str) -> None:
    section = (TOUR / "tour.md").read_text(encoding="utf-8").split("## Run the same in CI")[1]
    match = re.search(r"```bash\n(.*?)```", section, re.DOTALL)
    assert match is not None
    folder, *lines = match[1].replace(f"http://127.0.0.1:{PORT}/v1", recorded).splitlines()
    assert folder == "cd docs/tour"
    shutil.copy(TOUR / "tour.ipynb", cli.folder)

    before, run, after = (cli.run(*arguments(line)) for line in lines)

    assert before.status == 1
    assert before.stdout.count("failed") == 3
    assert (run.status, run.stdout.count("passed")) == (0, 3)
    assert "RMSE" in run.stdout
    assert (after.status, after.stdout.count("passed")) == (0, 3)
    cells = json.loads((cli.folder / "refined.ipynb").read_text(encoding="utf-8"))["cells"]
    assert any("def predict(x)" in "".join(cell["source"]) for cell in cells)


def test_the_server_explains_the_error_of_the_tour_and_no_other() -> None:
    answer_to = runpy.run_path(str(TOUR / "model.py"))["answer_to"]

    def asked(system: str, text: str) -> str | None:
        answer: str | None = answer_to([{"content": system}, {"content": text}])
        return answer

    # The cells above are in each prompt.
    above = "# Write slug(text): lower case"
    explain, draft = "You answer questions about one cell.", "You write the checks of one cell."
    assert "`price`" in str(asked(explain, f"{above}\nThe cell raised KeyError: 'amount'."))
    assert asked(explain, f"{above}\nThe cell raised NameError.") is None
    assert asked(draft, above) is None
    assert "def slug" in str(asked("You write the source of one cell.", above))


def arguments(line: str) -> list[str]:
    """The arguments after ``jupyter refine``, without what the shell does with the status."""
    program, subcommand, *rest = line.split(" || ")[0].split()
    assert (program, subcommand) == ("jupyter", "refine")
    return rest


EXAMPLE = ROOT / "docs" / "examples" / "events.jsonl"

#: Previews: which of them there are, and where, depends on how fast the machine is.
PREVIEWS = {"candidate-delta", "execution-start", "execution-output", "assertion-end"}
#: What differs from run to run.
VARYING = {"at", "durationMs", "confirmMs", "totalMs", "modelMs", "kernelMs", "host"}


def test_example_of_the_events_is_up_to_date(cli: CommandLine, model_server: Callable[..., str]) -> None:
    cli.notebook(
        "double.ipynb",
        [
            code("target", "# Write double(n): twice a number."),
            code("checks", "assert double(2) == 4\nassert double(5) == 10"),
        ],
    )
    url = model_server(
        answer("def double(n):\n    return n + 2", "Add two."),
        answer("def double(n):\n    return 2 * n", "Multiply instead of adding."),
    )
    arguments = ("run", "double.ipynb", "--base-url", url, "--in-place", "--events", "events.jsonl")
    done = cli.run(*arguments, "--clean")
    assert done.status == 0, done.stderr
    written = (cli.folder / "events.jsonl").read_text(encoding="utf-8")
    if os.environ.get("REFINE_WRITE_EXAMPLE"):
        host = url.removeprefix("http://").removesuffix("/v1")
        EXAMPLE.write_text(written.replace(host, "127.0.0.1:8000"), encoding="utf-8")
    assert lasting(written) == lasting(EXAMPLE.read_text(encoding="utf-8"))


def lasting(text: str) -> list[Any]:
    """The events without previews and what differs from run to run."""
    events = [json.loads(line) for line in text.splitlines()]
    session = events[0]["session"]
    without = [json.loads(json.dumps(event).replace(session, "SESSION")) for event in events]
    return [steady(event) for event in without if event["type"] not in PREVIEWS]


def steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: steady(item) for key, item in value.items() if key not in VARYING}
    if isinstance(value, list):
        return [steady(item) for item in value]
    return value
