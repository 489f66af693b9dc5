"""Mutation run over the kernel part: is there a test that fails when a guard is taken out?

    python tests/kernel/mutate.py [--module NAME]… [--sample N --seed S] [--known --again KIND] [--jobs N]
    python tests/kernel/mutate.py --module NAME --on tests/kernel/test_x.py::test_written_since

All mutants are in one copy of the checkout, each behind a switch, and a pytest that keeps running
serves tests on those that are switched on. First each mutant is tried alone, by tests that reach
the changed place: by all of them if they are quick, else by those that are likely to notice. What
is left is tried by all tests that reach it, many mutants at once, since most of these survive;
where a test fails, halves of them are tried on that test.
Results are kept in a journal, so that a run which was ended goes on where it was. Survivors that
were looked at are in ``mutants_accepted.json``; any other makes the run fail.
"""

from __future__ import annotations

import argparse
import ast
import collections
import concurrent.futures
import datetime
import difflib
import hashlib
import io
import json
import queue
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import mutation_hits
from mutants import Mutant, mutants
from mutation_jobs import CHECKOUT, KERNEL, Copy, Job, Run
from mutation_switches import is_at_load

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
#: Walls of an attempt and of the gate come first.
_WALLS = tuple(
    "isolation overlay landlock seccomp linux descriptors mappings environment processes limits ending fork"
    " child running vault hiding hidden_files hidden_data forget eavesdropping impostors tampering judges"
    " reliance scoring scorer evaluating check_calls attempts supervise spare pools watch".split()
)
#: Mutants of a module that a job takes at once.
_CHUNK = 16
#: Alone, a mutant is tried by all tests that reach it if these take no longer, ...
_ALL_SECONDS = 3.0
#: ... else by likely ones that take no longer than that.
_LIKELY_SECONDS = 1.5
#: Tests that take longer come last.
_SLOW_SECONDS = 4.0
#: They prove nothing of a mutant: what is random, or about the working tree and this run itself.
_NO_JUDGES = ("test_interrupts_and_cancels_at_random_moments", "test_mutants.py")
#: With more than that something else is wrong.
_MOST_FAILED = 5
_HITS = 1 << 16


class Map(NamedTuple):
    """What was seen of the tests before any mutant."""

    blocks: mutation_hits.Blocks
    seconds: dict[str, float]
    #: Of each block the tests that reach it, in the order of a whole run.
    reached: dict[int, list[str]]
    #: Of each module the source.
    sources: dict[str, str]
    #: Tests for which a kernel was begun: what runs only then is seen by no other.
    first: frozenset[str]

    def only(self, names: list[str]) -> Map:
        def wanted(test: str) -> bool:
            return any(name in test for name in names)

        reached = {block: [t for t in tests if wanted(t)] for block, tests in self.reached.items()}
        return self._replace(seconds={t: s for t, s in self.seconds.items() if wanted(t)}, reached=reached)

    def tests(self, mutant: Mutant) -> list[str]:
        """Tests that reach it, in the order of a whole run."""
        if mutant.within:
            block = self.blocks.around(mutant.module, mutant.line)
            return list(self.seconds) if block is None else self.reached.get(block, [])
        places = self._readers(mutant.module, mutant.line, set())
        if None in places:
            return list(self.seconds)
        found = {test for block in places if block is not None for test in self.reached.get(block, [])}
        return [test for test in self.seconds if test in found]

    def _readers(self, module: str, line: int, seen: set[tuple[str, int]]) -> set[int | None]:
        """Blocks that read what a line of the module defines; None for what is read elsewhere."""
        if (module, line) in seen:
            return set()
        seen.add((module, line))
        (statement,) = [
            node
            for node in ast.parse(self.sources[module]).body
            if node.lineno <= line <= (node.end_lineno or 0)
        ]
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return set()
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            # A default of a function, say.
            return {self.blocks.around(module, statement.end_lineno or line)}
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        names = [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
        word = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
        found: set[int | None] = set()
        for other, source in self.sources.items():
            if other != module and all(name.startswith("_") for name in names):
                continue
            for number, text in enumerate(source.splitlines(), 1):
                inside = other == module and statement.lineno <= number <= (statement.end_lineno or 0)
                if not inside and word.search(text.split("#")[0]):
                    block = self.blocks.around(other, number)
                    found |= {block} if block is not None else self._outside(other, number, seen)
        return found

    def _outside(self, module: str, line: int, seen: set[tuple[str, int]]) -> set[int | None]:
        body = ast.parse(self.sources[module]).body
        if not any(node.lineno <= line <= (node.end_lineno or 0) for node in body):
            return set()
        return self._readers(module, line, seen)


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


class Campaign:
    """The mutants, what is known of the tests, and the journal."""

    def __init__(self, seen: Map, journal: Journal) -> None:
        self._map, self._journal = seen, journal
        self._order = {test: number for number, test in enumerate(seen.seconds)}
        self._tests: dict[Mutant, list[str]] = {}
        #: How many mutants of a module a test has killed.
        self._kills: collections.Counter[tuple[str, str]] = collections.Counter()
        for result in journal.results.values():
            self._kills[result["module"], result["test"]] += 1
        #: Tests that fail without any mutant when they are run alone.
        self._dependent: set[str] = set()
        self._breadth = collections.Counter(test for tests in seen.reached.values() for test in tests)

    def reached(self, found: list[Mutant]) -> list[Mutant]:
        """Those that some test reaches; the others have survived."""
        for mutant in found:
            self._tests[mutant] = self._map.tests(mutant)
            if not self._tests[mutant]:
                self._tell(mutant, "unreached")
        return [mutant for mutant in found if self._tests[mutant]]

    def alone(self, job: Job, chunk: list[Mutant]) -> None:
        """Each for itself. The tests of a file go on in the kernel that they share, until one fails."""
        plans = {mutant: self._likely(mutant) for mutant in chunk}
        files = collections.Counter(_file(test) for plan in plans.values() for test in plan)
        left = list(chunk)
        for file, _ in files.most_common():
            for mutant in list(left):
                tests = [test for test in plans[mutant] if _file(test) == file]
                tests.sort(key=lambda test: self._likelihood(mutant, test))
                if self._is_killed(job, mutant, tests):
                    left.remove(mutant)
        for mutant in left:
            if len(plans[mutant]) == len(self._tests[mutant]):
                self._tell(mutant, "survived")
            else:
                self._journal.write(mutant, "looked")

    def _likelihood(self, mutant: Mutant, test: str) -> tuple[bool, int, int]:
        # A kernel of its own costs most.
        return test in self._map.first, -self._kills[mutant.module, test], self._breadth[test]

    def _likely(self, mutant: Mutant) -> list[str]:
        """Tests that reach it: all, or those that killed its neighbours and those that reach least else."""
        tests = [test for test in self._tests[mutant] if test not in self._dependent]
        if sum(self._map.seconds[test] for test in tests) <= _ALL_SECONDS:
            return tests
        chosen: list[str] = []
        left = _LIKELY_SECONDS
        for test in sorted(tests, key=lambda test: self._likelihood(mutant, test)[1:]):
            if self._map.seconds[test] <= left and test not in self._map.first:
                left -= self._map.seconds[test]
                chosen.append(test)
        return chosen

    def _is_killed(self, job: Job, mutant: Mutant, tests: list[str]) -> bool:
        while tests := [test for test in tests if test not in self._dependent]:
            run = self._run(job, [mutant], tests)
            if run.ended == "passed":
                return False
            before = tests[: tests.index(run.test)] if run.test in tests else []
            if self._judged(job, mutant, run.test, before):
                return True
            # On a busy machine a test may fail by itself, and what a mutant left may be another's undoing.
            tests = tests[tests.index(run.test) + 1 :] if run.test in tests else []
        return False

    def _judged(self, job: Job, mutant: Mutant, test: str, before: list[str]) -> bool:
        """Does this test fail again, and only, with this mutant, on a kernel that is new each time?"""
        for tests in ([test], [*before, test]) if before else ([test],):
            run = self._run(job, [mutant], tests, fresh=True)
            if run.ended != "passed":
                if self._run(job, [], tests, fresh=True).ended == "passed":
                    self._tell(mutant, "hung" if run.ended == "hung" else "killed", run.test)
                    return True
                if tests == [test]:
                    self._dependent.add(test)
                print(f"{_now()} failed without a mutant's doing: {test}", flush=True)
                return False
        return False

    def together(self, job: Job, group: list[Mutant]) -> None:
        """Every test that reaches one of them. One that fails kills, and the others go on from there."""
        reached = {test for mutant in group for test in self._tests[mutant]}
        tests = sorted(reached, key=self._order.__getitem__)
        # Stable: the tests of a file, which share a kernel, stay together.
        tests.sort(key=lambda test: self._map.seconds[test] > _SLOW_SECONDS)
        left, later = list(group), []
        while left and tests:
            run = self._run(job, left, tests)
            if run.ended == "passed":
                break
            if run.test not in tests:
                # Pytest itself has ended.
                later, left = left, []
                break
            at = tests.index(run.test)
            before = [test for test in tests[:at] if _file(test) == _file(run.test)]
            found = self._culprit(job, left, run.test, before)
            if found is None:
                print(f"{_now()} failed without a mutant's doing: {run.test}", flush=True)
                at += 1
            else:
                left.remove(found)
                if not self._judged(job, found, run.test, before):
                    # Only with another one of them, which may hide what it does: apart from that one.
                    later.append(found)
            # Those before it have passed. One that failed without a reason is left out.
            tests = [test for test in tests[at:] if any(test in self._tests[mutant] for mutant in left)]
        for mutant in left:
            self._tell(mutant, "survived")
        if len(later) < len(group):
            if later:
                self.together(job, later)
        else:
            for mutant in later:
                if not self._is_killed(job, mutant, self._tests[mutant]):
                    self._tell(mutant, "survived")

    def _culprit(self, job: Job, group: list[Mutant], test: str, before: list[str]) -> Mutant | None:
        """The first up to which this test fails, without which it passes; None if that is none's doing."""
        group = sorted(group, key=lambda mutant: test not in self._tests[mutant])
        # Alone first; some fail only after what another test left in the kernel.
        for tests in ([test], [*before, test]) if before else ([test],):
            if self._run(job, [], tests, fresh=True).ended != "passed":
                return None
            if self._run(job, group, tests, fresh=True).ended == "passed":
                continue
            passes, fails = 0, len(group)
            while fails - passes > 1:
                middle = (passes + fails) // 2
                if self._run(job, group[:middle], tests, fresh=True).ended == "passed":
                    passes = middle
                else:
                    fails = middle
            return group[fails - 1]
        return None

    def _run(self, job: Job, group: list[Mutant], tests: list[str], fresh: bool = False) -> Run:
        """Tests that need a new kernel get one."""
        if any(test in self._map.first for test in tests) and not fresh:
            usual = [test for test in tests if test not in self._map.first]
            run = self._run(job, group, usual) if usual else Run("passed")
            for test in tests:
                if run.ended == "passed" and test in self._map.first:
                    run = self._run(job, group, [test], fresh=True)
            return run
        return job.run(group, tests, [min(40.0, 5 + 6 * self._map.seconds[test]) for test in tests], fresh)

    def _tell(self, mutant: Mutant, result: str, test: str = "") -> None:
        self._journal.write(mutant, result, test)
        self._kills[mutant.module, test] += 1
        print(
            f"{_now()} {result:9} {_place(mutant)} {mutant.operator}: {mutant.code[:60]}  {test}", flush=True
        )


def _file(test: str) -> str:
    return test.split("::")[0]


def survey(tree: Path, base: Path, sources: dict[str, str], kept: Path) -> Map:
    """Run all tests once on instrumented modules: do they pass, how long do they take, what do they reach?

    :param kept: where the answer is kept for the next run on the same files.
    """
    state = _digest_of(tree)
    copy = Copy(tree, base / "instrumented")
    blocks = mutation_hits.instrument(copy.folder / KERNEL)
    told = json.loads(kept.read_text()) if kept.exists() else {}
    if told.get("state") != state:
        hits, answer = copy.folder / "refine-hits", copy.folder / "map.json"
        hits.write_bytes(bytes(_HITS))
        names = {"REFINE_MUTATION_HITS": str(hits), "REFINE_MUTATION_MAP": str(answer)}
        passed, failed, text = copy.whole(3600, **names)
        if not passed and not 0 < len(failed) <= _MOST_FAILED:
            raise SystemExit(f"The tests fail without any mutant:\n{text}")
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
    begun = {n for n, (module, _, _) in enumerate(blocks.spans) if module == "entry"}
    first: dict[str, str] = {}
    for test, (_, numbers) in found.items():
        if begun & set(numbers):
            first.setdefault(_file(test), test)
    seconds = {test: seconds for test, (seconds, _) in found.items()}
    return Map(blocks, seconds, dict(reached), sources, frozenset(first.values()))


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
    parser.add_argument("--on", action="append", help="only this test, on those not killed so far")
    parser.add_argument("--sample", type=int, help="only so many mutants, drawn at random")
    parser.add_argument("--known", action="store_true", help="only what is in the journal and has no reason")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and the order")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--together", type=int, default=100, help="so many at once")
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
        sources = {path.stem: path.read_text() for path in sorted((tree / KERNEL).glob("*.py"))}
        names = [module for module in sources if module not in _LEFT_OUT]
        for module in set(options.module or ()) - set(names):
            parser.error(f"there is no module {module}; there are: {', '.join(names)}")
        everything = [m for module in names for m in mutants(module, sources[module])]
        chosen = [m for m in everything if not options.module or m.module in options.module]
        if options.known:
            chosen = [m for m in chosen if m.key in journal.results and not accepted()(m)]
        # By their keys: a sample stays the same while other code changes.
        order = sorted(chosen, key=lambda mutant: _drawn(mutant, options.seed))[: options.sample]
        chosen = [mutant for mutant in chosen if mutant in set(order)]
        for mutant in chosen:
            if (journal.of(mutant) or {"result": ""})["result"] in options.again:
                del journal.results[mutant.key]
        if options.on:
            run_on(options.on, order, everything, tree, base, journal)
        elif not options.only_report:
            run_all(order, everything, tree, base, sources, journal, options)
        text, is_open = report(chosen, journal, sources)
        options.report.write_text("# Mutants of the kernel part\n\n" + text)
        print(text.splitlines()[0], f"Report: {options.report}")
        of_modules = [m for m in everything if not options.module or m.module in options.module]
        for entry in (old := stale(of_modules)):
            print(f"{ACCEPTED.name} has a reason for what is not there any more: {entry}")
        return 1 if is_open or old else 0


def run_all(
    order: list[Mutant],
    everything: list[Mutant],
    tree: Path,
    base: Path,
    sources: dict[str, str],
    journal: Journal,
    options: argparse.Namespace,
) -> None:
    todo = [mutant for mutant in order if journal.of(mutant) is None]
    if not todo:
        return
    end = time.monotonic() + 60 * options.minutes
    print(f"{_now()} the tests without a mutant", flush=True)
    seen = survey(tree, base, sources, journal.path.with_suffix(".map.json"))
    campaign = Campaign(seen.only(options.tests) if options.tests else seen, journal)
    free: queue.Queue[Job] = queue.Queue()
    jobs = [Job(tree, base / f"job{number}", everything) for number in range(options.jobs)]
    for job in jobs:
        free.put(job)

    def in_time(work: Callable[[Job, list[Mutant]], None], group: list[Mutant]) -> None:
        job = free.get()
        try:
            if time.monotonic() < end:
                work(job, group)
        finally:
            free.put(job)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            todo = campaign.reached(todo)
            for part in (
                [mutant for mutant in todo if mutant.module in _WALLS],
                [mutant for mutant in todo if mutant.module not in _WALLS],
            ):
                chunks = chunked([mutant for mutant in part if not journal.looked(mutant)])
                for done in [pool.submit(in_time, campaign.alone, chunk) for chunk in chunks]:
                    done.result()
                left = [mutant for mutant in part if journal.looked(mutant)]
                print(f"{_now()} {len(left)} of {len(part)} are left for all that reach them", flush=True)
                count = -(-len(left) // options.together)
                # Neighbours apart: one may hide another.
                groups = [left[number::count] for number in range(count)]
                for done in [pool.submit(in_time, campaign.together, group) for group in groups]:
                    done.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for job in jobs:
                job.abandon()
            raise
    for job in jobs:
        job.close()


def run_on(
    tests: list[str],
    order: list[Mutant],
    everything: list[Mutant],
    tree: Path,
    base: Path,
    journal: Journal,
) -> None:
    """Do these tests, written since, kill mutants that were not killed by others?"""
    why = accepted()
    job = Job(tree, base / "job", everything)
    try:
        run = job.run([], tests, [40.0 for _ in tests])
        if run.ended != "passed":
            raise SystemExit(f"Without a mutant {run.test} {run.ended}.")
        for mutant in order:
            found = journal.of(mutant)
            if (found and found["result"] in ("killed", "hung")) or why(mutant):
                continue
            run = job.run([mutant], tests, [40.0 for _ in tests], fresh=True)
            if run.ended != "passed":
                # A test may fail by itself.
                again = job.run([mutant], [run.test], [40.0], fresh=True)
                if again.ended == "passed" or job.run([], [run.test], [40.0], fresh=True).ended != "passed":
                    print(f"failed without a mutant's doing: {run.test}", flush=True)
                    continue
                journal.write(mutant, "hung" if run.ended == "hung" else "killed", run.test)
            print(
                f"{run.ended:9} {_place(mutant)} {mutant.operator}: {mutant.code[:60]}  {run.test}",
                flush=True,
            )
    finally:
        job.close()


def chunked(found: list[Mutant]) -> list[list[Mutant]]:
    """Some mutants of one module each, walls first; constants apart: each needs a new kernel."""
    kinds: dict[tuple[str, bool], list[Mutant]] = collections.defaultdict(list)
    for mutant in found:
        kinds[mutant.module, is_at_load(mutant)].append(mutant)
    places = {module: number for number, module in enumerate(_WALLS)}
    chunks = []
    for module, at_load in sorted(kinds, key=lambda kind: (places.get(kind[0], len(places)), kind[1])):
        group = kinds[module, at_load]
        chunks += [group[start : start + _CHUNK] for start in range(0, len(group), _CHUNK)]
    return chunks


def _terminated(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Ended. What was found is in the journal; the next run goes on there.")
