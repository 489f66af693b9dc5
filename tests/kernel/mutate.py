"""Mutation run over the kernel part: is there a test that fails when a guard is taken out?

    python tests/kernel/mutate.py [--module NAME]… [--sample N --seed S] [--known --again KIND] [--jobs N]

Every mutant is run in a copy of the checkout, by the tests that reach the changed place: several
mutants at once, since many survive; where a test fails, halves of them are tried on that test.
With ``--look`` each is tried alone before, by a few of them that are quick.
Results are kept in a journal, so that a run which was ended goes on where it was. Survivors that
were looked at are in ``mutants_accepted.json``; any other makes the run fail.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import datetime
import difflib
import hashlib
import io
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import mutation_hits
import mutation_plugin
from mutants import Mutant, mutants

CHECKOUT = Path(__file__).resolve().parents[2]
KERNEL = Path("jupyterlab_refine", "kernel")
TESTS = Path("tests", "kernel")
ACCEPTED = Path(__file__).parent / "mutants_accepted.json"
#: What a run needs of the checkout.
_PARTS = (
    "pyproject.toml",
    "package.json",
    "scripts",
    "jupyterlab_refine/__init__.py",
    "jupyterlab_refine/kernel",
    "tests/kernel",
)
#: The packer is none of what runs in a kernel.
_LEFT_OUT = frozenset({"__init__", "pack"})
#: Mutants that are tried alone before halves of the others are.
_LIKELY = 2
#: Tests that take longer come last.
_SLOW_SECONDS = 4.0
#: A first look takes no more tests than that, nor more seconds in all.
_LOOK_TESTS, _LOOK_SECONDS = 12, 3.0
#: Of one test then: a mutant that makes it wait is as good as dead.
_LOOK_TIMEOUT = 6.0
#: They prove nothing of a mutant: what is random, or about the working tree and this run itself.
_NO_JUDGES = ("test_interrupts_and_cancels_at_random_moments", "test_mutants.py")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::.*?)(?: - |$)", re.MULTILINE)
#: With more than that something else is wrong.
_MOST_FAILED = 5
_HITS = 1 << 16
_MARK = "REFINE_MUTATION_RUN"


class Run(NamedTuple):
    """How pytest ended: ``passed``, ``failed``, or ``hung``."""

    ended: str
    #: The test that failed first.
    test: str
    text: str


class Map(NamedTuple):
    """What was seen of the tests before any mutant."""

    blocks: mutation_hits.Blocks
    seconds: dict[str, float]
    #: Of each block the tests that reach it, in the order of a whole run.
    reached: dict[int, list[str]]

    def only(self, names: list[str]) -> Map:
        def wanted(test: str) -> bool:
            return any(name in test for name in names)

        reached = {block: [t for t in tests if wanted(t)] for block, tests in self.reached.items()}
        return Map(self.blocks, {t: s for t, s in self.seconds.items() if wanted(t)}, reached)

    def tests(self, mutant: Mutant) -> list[str]:
        block = self.blocks.around(mutant.module, mutant.line)
        return list(self.seconds) if block is None else self.reached.get(block, [])


class Journal:
    """One line of JSON for each result."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: dict[str, dict[str, Any]] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                result = json.loads(line)
                self.results[result["key"]] = result

    def of(self, mutant: Mutant) -> dict[str, Any] | None:
        """What is known of it, if the function around it is still the same."""
        found = self.results.get(mutant.key)
        known = found and found["context"] == mutant.context and found["result"] != "looked"
        return found if known else None

    def looked(self, mutant: Mutant) -> bool:
        """Has it survived the first look?"""
        found = self.results.get(mutant.key)
        return bool(found and found["context"] == mutant.context and found["result"] == "looked")

    def write(self, mutant: Mutant, result: str, test: str = "") -> None:
        entry = {**mutant._asdict(), "result": result, "test": test, "date": _today()}
        self.results[mutant.key] = entry
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a") as file:
            file.write(json.dumps(entry) + "\n")


class Copies:
    """Copies of the checkout to run in, one for each job, and how to run there."""

    def __init__(self, base: Path, tree: Path, count: int) -> None:
        self.sources = {p.stem: p.read_text() for p in sorted((tree / KERNEL).glob("*.py"))}
        self._base, self._tree = base, tree
        # Ours, also where an older commit is tested.
        self._plugins = base / "plugins"
        self._plugins.mkdir()
        shutil.copy(Path(mutation_plugin.__file__), self._plugins)
        self._free: queue.Queue[Path] = queue.Queue()
        for number in range(count):
            self._free.put(self.make(f"job{number}"))
        self._isolation = _isolation()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._abandoned = False

    def abandon(self) -> None:
        """End what runs; nothing can be tried any more."""
        self._abandoned = True
        for process in list(self._running):
            process.kill()

    def make(self, name: str) -> Path:
        shutil.copytree(self._tree, self._base / name, dirs_exist_ok=True)
        return self._base / name

    def try_out(
        self, changed: Iterable[Mutant], tests: list[str], seconds: float, one_test: float = 40
    ) -> Run:
        """Run tests on these mutants together.

        :param seconds: for all of them. ``one_test``: for one.
        """
        folder = self._free.get()
        try:
            changed = list(changed)
            for module in {mutant.module for mutant in changed}:
                source = self.sources[module]
                for mutant in sorted((m for m in changed if m.module == module), key=lambda m: -m.start):
                    source = mutant.apply(source)
                (folder / KERNEL / f"{module}.py").write_text(source)
            return self.pytest(folder, tests, seconds, one_test)
        finally:
            for mutant in changed:
                (folder / KERNEL / f"{mutant.module}.py").write_text(self.sources[mutant.module])
            self._free.put(folder)

    def pytest(
        self,
        folder: Path,
        tests: list[str] | None,
        seconds: float,
        one_test: float = 40,
        **settings: str,
    ) -> Run:
        """Run tests in a copy, in a session of its own of which nothing is left."""
        scratch = folder / "tmp"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        environment = {
            "REFINE_MBPP": str(CHECKOUT.parent / "shared" / "data" / "mbpp" / "mbpp.jsonl"),
            **os.environ,
            **settings,
            _MARK: folder.as_posix(),
            "TMPDIR": str(scratch),
            "JUPYTER_RUNTIME_DIR": str(scratch / "runtime"),
            "PYTHONPATH": str(self._plugins),
            # Nothing of a mutant is kept, and what pytest itself imports is read quickly.
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        environment.pop("REFINE_TEST_PYTHONS", None)
        where = [TESTS.as_posix()]
        if tests is not None:
            (folder / "tests.json").write_text(json.dumps(tests))
            environment["REFINE_MUTATION_TESTS"] = str(folder / "tests.json")
            where = list(dict.fromkeys(test.split("::")[0] for test in tests))
        command = [sys.executable, "-m", "pytest", "-p", "mutation_plugin", "-p", "no:cacheprovider"]
        # The others take a second to load.
        command += ["-p", "pytest_asyncio.plugin", "-p", "pytest_timeout"]
        command += [
            f"--timeout={one_test:g}",
            "-rfE",
            "--tb=line",
            *where,
            *(["-x"] if tests is not None else []),
        ]
        output = folder / "output.txt"
        with open(output, "w") as file:
            process = subprocess.Popen(
                [*self._isolation, *command],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running.add(process)
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                _end(process, folder)
                self._running.discard(process)
        if self._abandoned:
            raise KeyboardInterrupt
        text = output.read_text(errors="replace")
        if code is None:
            return Run("hung", "", text)
        failed = _FAILED.search(text)
        if code == 0:
            return Run("passed", "", text)
        if code == 1 or failed:
            return Run("failed", failed[1] if failed else "", text)
        # Not a test that failed, but a run that did not begin.
        return Run("broken", "", text)


#: Run as the first process of the namespaces, which reaps orphans. What root could write vanishes.
_ALONE = """
mount --bind -o ro "$1" "$1" || exit 9
if [ -w /etc ]; then
  mount -t tmpfs tmpfs /mnt && mkdir /mnt/upper /mnt/work &&
    mount -t overlay overlay /etc -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work || exit 9
fi
shift
"$@"
exit $?
"""


def _isolation() -> list[str]:
    """Namespaces in which nothing outlives the run and the checkout is read-only, where they are allowed."""
    spaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    for options in ([], ["--user", "--map-root-user"]):
        command = [*spaces, *options, "sh", "-c", _ALONE, "sh", str(CHECKOUT)]
        try:
            if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
                return command
        except OSError:
            break
    return []


def _end(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Kill all that the run has started, by its marker in the environment too."""
    for _ in range(5):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        left = _marked(f"{_MARK}={folder.as_posix()}\0".encode())
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        if not left:
            break
    process.wait()


def _marked(mark: bytes) -> list[int]:
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if name.isdigit() and int(name) != os.getpid():
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if mark in file.read() + b"\0":
                        found.append(int(name))
            except OSError:
                continue
    return found


class Campaign:
    """The mutants, what is known of the tests, and the journal."""

    def __init__(self, copies: Copies, seen: Map, journal: Journal) -> None:
        self._copies, self._map, self._journal = copies, seen, journal
        #: How many mutants of a module a test has killed.
        self._kills: collections.Counter[tuple[str, str]] = collections.Counter()
        for result in journal.results.values():
            self._kills[result["module"], result["test"]] += 1
        self._breadth = collections.Counter(test for tests in seen.reached.values() for test in tests)
        #: Tests that passed without a mutant when they were run like this.
        self._sound: set[tuple[str, ...]] = set()

    def look(self, mutant: Mutant) -> bool:
        """Is it killed by a few tests that are likely to?"""
        tests = self._likely(mutant)
        run = self._run([mutant], tests, one_test=_LOOK_TIMEOUT) if tests else Run("passed", "", "")
        if run.ended != "failed" or run.test not in tests:
            return False
        so_far = tuple(tests[: tests.index(run.test) + 1])
        # On a busy machine a test may fail by itself.
        if so_far not in self._sound:
            if self._run([], list(so_far), one_test=_LOOK_TIMEOUT).ended != "passed":
                return False
            self._sound.add(so_far)
        self._tell(mutant, "killed", run.test)
        return True

    def _likely(self, mutant: Mutant) -> list[str]:
        """Quick tests that reach it: those that killed its neighbours, then those that reach least else."""
        reached = self._map.tests(mutant)
        reached = sorted(reached, key=lambda test: (-self._kills[mutant.module, test], self._breadth[test]))
        chosen: list[str] = []
        left = _LOOK_SECONDS
        for test in reached:
            files = {name.split("::")[0] for name in chosen}
            # Each file starts a kernel.
            if len(chosen) < _LOOK_TESTS and (len(files) < 3 or test.split("::")[0] in files):
                if self._map.seconds[test] <= left:
                    left -= self._map.seconds[test]
                    chosen.append(test)
        files = list(dict.fromkeys(test.split("::")[0] for test in chosen))
        return sorted(chosen, key=lambda test: files.index(test.split("::")[0]))

    def reached(self, found: list[Mutant]) -> list[Mutant]:
        """Those that some test reaches; the others have survived."""
        for mutant in found:
            if not self._map.tests(mutant):
                self._tell(mutant, "unreached")
        return [mutant for mutant in found if self._map.tests(mutant)]

    def groups(self, found: list[Mutant], size: int) -> list[list[Mutant]]:
        """Several mutants each that are tried together, of different modules."""
        groups: list[list[Mutant]] = []
        for mutant in found:
            for group in groups:
                if len(group) < size and mutant.module not in [other.module for other in group]:
                    group.append(mutant)
                    break
            else:
                groups.append([mutant])
        return groups

    def try_out(self, group: list[Mutant]) -> None:
        """Every test that reaches one of them. One that fails kills, and the others go on from there."""
        reached = {test for mutant in group for test in self._map.tests(mutant)}
        tests = [test for test in self._map.seconds if test in reached]
        # Stable: the tests of a file, which share a kernel, stay together.
        tests.sort(key=lambda test: self._map.seconds[test] > _SLOW_SECONDS)
        left = list(group)
        while left and tests:
            run = self._run(left, tests)
            if run.ended == "passed":
                break
            if run.test not in tests:
                self._halve(left, tests)
                return
            file = run.test.split("::")[0]
            before = [test for test in tests[: tests.index(run.test)] if test.split("::")[0] == file]
            # Alone first; some fail only after what another test left in the kernel.
            found = self._killed(left, [run.test]) or self._killed(left, [*before, run.test])
            # On a busy machine a test may fail by itself.
            if found is not None and self._run([], [found[1].test or run.test]).ended == "passed":
                mutant, why = found
                self._tell(mutant, "hung" if why.ended == "hung" else "killed", why.test)
                left.remove(mutant)
            else:
                found = None
                print(f"{_now()} failed without a mutant's doing: {run.test}", flush=True)
            # Those before it have passed. One that failed without a reason is left out.
            tests = tests[tests.index(run.test) + (0 if found else 1) :]
        for mutant in left:
            self._tell(mutant, "survived")

    def _halve(self, group: list[Mutant], tests: list[str]) -> None:
        """For a run that ended without a test that failed."""
        if len(group) > 1:
            self.try_out(group[: len(group) // 2])
            self.try_out(group[len(group) // 2 :])
        else:
            self._tell(group[0], "hung")

    def _killed(self, group: list[Mutant], tests: list[str]) -> tuple[Mutant, Run] | None:
        """One of them that makes these tests fail: first those that few tests reach, then by halves."""
        reached = [mutant for mutant in group if set(tests) & set(self._map.tests(mutant))]
        reached.sort(key=lambda mutant: len(self._map.tests(mutant)))
        for mutant in reached[:_LIKELY]:
            run = self._run([mutant], tests)
            if run.ended != "passed":
                return mutant, run
        rest = reached[_LIKELY:]
        while rest:
            half = rest[: (len(rest) + 1) // 2]
            run = self._run(half, tests)
            if run.ended != "passed" and len(half) == 1:
                return half[0], run
            rest = half if run.ended != "passed" else rest[len(half) :]
        return None

    def _run(self, group: list[Mutant], tests: list[str], one_test: float = 40) -> Run:
        seconds = 60 + 6 * sum(self._map.seconds[test] for test in tests)
        run = self._copies.try_out(group, tests, seconds, one_test)
        if run.ended == "broken":
            raise SystemExit(f"pytest did not run on {', '.join(map(_place, group))}:\n{run.text}")
        return run

    def _tell(self, mutant: Mutant, result: str, test: str = "") -> None:
        self._journal.write(mutant, result, test)
        self._kills[mutant.module, test] += 1
        print(
            f"{_now()} {result:9} {_place(mutant)} {mutant.operator}: {mutant.code[:60]}  {test}", flush=True
        )


def survey(copies: Copies, kept: Path) -> Map:
    """Run all tests once on instrumented modules: do they pass, how long do they take, what do they reach?

    :param kept: where the answer is kept for the next run on the same files.
    """
    folder = copies.make("instrumented")
    state = _digest_of(folder)
    blocks = mutation_hits.instrument(folder / KERNEL)
    told = json.loads(kept.read_text()) if kept.exists() else {}
    if told.get("state") != state:
        hits, answer = folder / "refine-hits", folder / "map.json"
        hits.write_bytes(bytes(_HITS))
        names = {"REFINE_MUTATION_HITS": str(hits), "REFINE_MUTATION_MAP": str(answer)}
        run = copies.pytest(folder, None, 3600, **names)
        failed = _FAILED.findall(run.text)
        if run.ended != "passed" and not 0 < len(failed) <= _MOST_FAILED:
            raise SystemExit(f"The tests fail without any mutant:\n{run.text}")
        if failed:
            print(f"Left out, since they fail without any mutant: {', '.join(failed)}", flush=True)
        tests = {test: seen for test, seen in json.loads(answer.read_text()).items() if test not in failed}
        told = {"state": state, "tests": tests}
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(told))
    found = {t: seen for t, seen in told["tests"].items() if not any(name in t for name in _NO_JUDGES)}
    reached: dict[int, list[str]] = collections.defaultdict(list)
    for test, (_, numbers) in found.items():
        for number in numbers:
            reached[number].append(test)
    if not any(reached.get(n) for n, (module, _, _) in enumerate(blocks.spans) if module == "running"):
        raise SystemExit("Nothing was seen of what runs in the forked child")
    return Map(blocks, {test: seconds for test, (seconds, _) in found.items()}, dict(reached))


def _digest_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def tree_of(revision: str | None, base: Path) -> Path:
    """What is tested: the files as they are, or a commit."""
    tree = base / "tree"
    if revision is None:
        for part in _PARTS:
            source, target = CHECKOUT / part, tree / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        return tree
    command = ["git", "-C", str(CHECKOUT), "archive", revision, "--", *_PARTS]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(tree, filter="data")
    return tree


def accepted() -> Callable[[Mutant], str]:
    """The reason for which a survivor is no gap; empty for others."""
    entries = json.loads(ACCEPTED.read_text())

    def reason(mutant: Mutant) -> str:
        return next((entry["reason"] for entry in entries if _is_for(entry, mutant)), "")

    return reason


def stale(chosen: list[Mutant]) -> list[dict[str, str]]:
    """Reasons for mutants of the chosen modules that are not there any more."""
    modules = {mutant.module for mutant in chosen}
    entries = [entry for entry in json.loads(ACCEPTED.read_text()) if entry["module"] in modules]
    return [entry for entry in entries if not any(_is_for(entry, mutant) for mutant in chosen)]


def _is_for(entry: dict[str, str], mutant: Mutant) -> bool:
    fields = mutant._asdict()
    return all(fields[name] == value for name, value in entry.items() if name != "reason")


def report(chosen: list[Mutant], journal: Journal, sources: dict[str, str]) -> tuple[str, int]:
    """Markdown, and the number of survivors that nobody has looked at."""
    why = accepted()
    table: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    known: list[tuple[Mutant, str, str]] = []
    for mutant in chosen:
        found = journal.of(mutant)
        result = found["result"] if found else "not run"
        reason = why(mutant) if result in ("survived", "unreached") else ""
        table[mutant.module]["accepted" if reason else result] += 1
        if result in ("survived", "unreached"):
            known.append((mutant, result, reason))
    total: collections.Counter[str] = sum(table.values(), collections.Counter())
    dead, tried = total["killed"] + total["hung"], sum(total.values()) - total["not run"]
    columns = ("killed", "hung", "accepted", "survived", "unreached", "not run")
    lines = [
        f"{_today()}: {sum(total.values())} mutants, {tried} tried, {dead} killed"
        f" ({100 * dead / max(1, tried):.1f} %), {total['accepted']} survivors looked at and accepted,"
        f" {total['survived'] + total['unreached']} open.",
        "",
        "| module | " + " | ".join(columns) + " |",
        "| --- |" + " ---: |" * len(columns),
    ]
    for name, counts in [*sorted(table.items()), ("all", total)]:
        lines.append(f"| {name} | " + " | ".join(str(counts[column] or "") for column in columns) + " |")
    is_open = [entry for entry in known if not entry[2]]
    for title, entries in (("Open", is_open), ("Accepted", [entry for entry in known if entry[2]])):
        if entries:
            lines += ["", f"## {title}"]
        for mutant, result, reason in entries:
            lines += [
                "",
                f"`{_place(mutant)}` {mutant.within}: {mutant.operator}, {result}. {reason}".rstrip(),
            ]
            lines += ["", "```diff", *_diff(mutant, sources[mutant.module]), "```"]
    return "\n".join(lines) + "\n", len(is_open)


def _diff(mutant: Mutant, source: str) -> list[str]:
    before, after = source.splitlines(), mutant.apply(source).splitlines()
    return [line.rstrip() for line in difflib.unified_diff(before, after, n=0, lineterm="")][3:]


def _drawn(mutant: Mutant, seed: int) -> bytes:
    return hashlib.sha256(f"{seed} {mutant.key}".encode()).digest()


def _place(mutant: Mutant) -> str:
    return f"{mutant.module}.py:{mutant.line}"


def _today() -> str:
    return datetime.date.today().isoformat()


def _now() -> str:
    return time.strftime("%H:%M:%S")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--module", action="append", help="only mutants of this module; may be repeated")
    parser.add_argument("--tests", action="append", help="a quick look: only tests with this in their name")
    parser.add_argument("--sample", type=int, help="only so many mutants, drawn at random")
    parser.add_argument("--known", action="store_true", help="only what is in the journal and has no reason")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and the order")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--together", type=int, default=20, help="so many at once, one of a module")
    parser.add_argument("--look", action="store_true", help="first each alone, by a few tests that are quick")
    parser.add_argument("--revision", help="a commit instead of the files as they are")
    parser.add_argument("--journal", type=Path, default=CHECKOUT / ".make" / "mutants.jsonl")
    parser.add_argument("--report", type=Path, default=CHECKOUT / ".make" / "mutants.md")
    parser.add_argument("--again", action="append", default=[], help="forget results of this kind")
    parser.add_argument("--only-report", action="store_true", help="run nothing")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no mutant after that")
    options = parser.parse_args()
    if options.tests:
        # Not the same as a survivor of all tests.
        options.journal = options.journal.with_suffix(".quick.jsonl")
    signal.signal(signal.SIGTERM, _terminated)
    journal = Journal(options.journal)
    with tempfile.TemporaryDirectory(prefix="refine-mutants-") as name:
        base = Path(name)
        tree = tree_of(options.revision, base)
        copies = Copies(base, tree, options.jobs)
        names = [module for module in copies.sources if module not in _LEFT_OUT]
        for module in set(options.module or ()) - set(names):
            parser.error(f"there is no module {module}; there are: {', '.join(names)}")
        everything = [m for module in names for m in mutants(module, copies.sources[module])]
        chosen = [m for m in everything if not options.module or m.module in options.module]
        if options.known:
            chosen = [m for m in chosen if m.key in journal.results and not accepted()(m)]
        # By their keys: a sample stays the same while other code changes.
        order = sorted(chosen, key=lambda mutant: _drawn(mutant, options.seed))[: options.sample]
        chosen = [mutant for mutant in chosen if mutant in set(order)]
        for mutant in chosen:
            if (journal.of(mutant) or {"result": ""})["result"] in options.again:
                del journal.results[mutant.key]
        if not options.only_report:
            run_all(order, copies, journal, options)
        text, is_open = report(chosen, journal, copies.sources)
        options.report.write_text("# Mutants of the kernel part\n\n" + text)
        print(text.splitlines()[0], f"Report: {options.report}")
        of_modules = [m for m in everything if not options.module or m.module in options.module]
        for entry in (old := stale(of_modules)):
            print(f"{ACCEPTED.name} has a reason for what is not there any more: {entry}")
        return 1 if is_open or old else 0


def run_all(order: list[Mutant], copies: Copies, journal: Journal, options: argparse.Namespace) -> None:
    todo = [mutant for mutant in order if journal.of(mutant) is None]
    if not todo:
        return
    end = time.monotonic() + 60 * options.minutes
    print(f"{_now()} the tests without a mutant", flush=True)
    seen = survey(copies, journal.path.with_suffix(".map.json"))
    campaign = Campaign(copies, seen.only(options.tests) if options.tests else seen, journal)

    quick: set[str] = set()

    def looked(mutant: Mutant) -> None:
        if time.monotonic() >= end or journal.looked(mutant):
            return
        if campaign.look(mutant):
            quick.add(mutant.key)
        else:
            journal.write(mutant, "looked")

    def in_time(group: list[Mutant]) -> None:
        if time.monotonic() < end:
            campaign.try_out(group)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            todo = campaign.reached(todo)
            for done in [pool.submit(looked, mutant) for mutant in todo if options.look]:
                done.result()
            left = [mutant for mutant in todo if mutant.key not in quick]
            if options.look:
                print(f"{_now()} {len(left)} of {len(todo)} survived the first look", flush=True)
            groups = campaign.groups(left, options.together)
            for done in [pool.submit(in_time, group) for group in groups]:
                done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            copies.abandon()
            raise


def _terminated(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Ended. What was found is in the journal; the next run goes on there.")
