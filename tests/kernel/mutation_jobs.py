"""Pytest in a copy of the checkout, kept running: it serves tests with mutants switched on."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, NamedTuple

import mutation_plugin
import mutation_switches
from mutants import Mutant

CHECKOUT = Path(__file__).resolve().parents[2]
KERNEL = Path("jupyterlab_refine", "kernel")
TESTS = Path("tests", "kernel")
#: Ours are used, also where an older commit is tested.
_OURS = ("mutants.py", "mutation_hits.py", "mutation_plugin.py", "mutation_switches.py")
#: A pytest begins within that.
_SECONDS_TO_BEGIN = 60
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+::.*?)(?: - |$)", re.MULTILINE)
#: Stands for a test, where pytest did not even begin.
BEGIN = "pytest begins"


class Run(NamedTuple):
    """How tests ended: ``passed``, ``failed``, or ``hung``."""

    ended: str
    #: The test that failed first.
    test: str = ""
    text: str = ""


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


class Copy:
    """A copy of the checkout, and pytest in it."""

    def __init__(self, tree: Path, folder: Path) -> None:
        shutil.copytree(tree, folder)
        self.folder = folder
        self.switches = folder / "switches"
        self.switches.write_bytes(bytes(mutation_switches.COUNT))
        self._plugins = folder / "plugins"
        self._plugins.mkdir()
        for name in _OURS:
            shutil.copy(Path(mutation_plugin.__file__).with_name(name), self._plugins)
        self._isolation = _isolation()

    def start(self, output: IO[str], **settings: str) -> subprocess.Popen[bytes]:
        """Pytest on all tests, in a session of its own."""
        scratch = self.folder / "tmp"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        environment = {
            "REFINE_MBPP": str(CHECKOUT.parent / "shared" / "data" / "mbpp" / "mbpp.jsonl"),
            **os.environ,
            **settings,
            mutation_plugin.MARK: self.folder.as_posix(),
            "REFINE_MUTATION_SWITCHES": str(self.switches),
            "TMPDIR": str(scratch),
            "JUPYTER_RUNTIME_DIR": str(scratch / "runtime"),
            "PYTHONPATH": str(self._plugins),
            # What pytest itself imports is read quickly.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        environment.pop("REFINE_TEST_PYTHONS", None)
        command = [sys.executable, "-m", "pytest", "-p", "mutation_plugin", "-p", "no:cacheprovider"]
        # The others take a second to load.
        command += ["-p", "pytest_asyncio.plugin", "-p", "pytest_timeout", "--timeout=40"]
        command += ["-o", "console_output_style=classic", "-rfE", "--tb=line", TESTS.as_posix()]
        return subprocess.Popen(
            [*self._isolation, *command],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill all that pytest has started, by its marker in the environment too."""
        for _ in range(5):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
            if not mutation_plugin.kill_marked(self.folder.as_posix(), set()):
                break
        process.wait()

    def whole(self, seconds: float, **settings: str) -> tuple[bool, list[str], str]:
        """Run all tests once: whether they passed, those that failed, and what was printed."""
        with open(self.folder / "output.txt", "w+") as output:
            process = self.start(output, **settings)
            try:
                code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                code = -1
            finally:
                self.end(process)
            output.seek(0)
            text = output.read()
        return code == 0, _FAILED.findall(text), text


class Job:
    """A copy with all mutants in it, and a pytest that serves tests; begun again when it has to."""

    def __init__(self, tree: Path, folder: Path, mutants: list[Mutant]) -> None:
        self._copy = Copy(tree, folder)
        self._numbers = {mutant: number for number, mutant in enumerate(mutants)}
        mutation_switches.switch(folder / KERNEL, mutants)
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: IO[str] | None = None
        self._at_load = False
        self._abandoned = False

    def abandon(self) -> None:
        """End what runs; nothing can be tried any more."""
        self._abandoned = True
        self.close()

    def close(self) -> None:
        """End pytest and all that it has started."""
        if self._process is not None:
            process, self._process = self._process, None
            self._copy.end(process)

    def run(self, on: Iterable[Mutant], tests: list[str], seconds: list[float], fresh: bool = False) -> Run:
        """Tests in that order, up to the first that fails.

        :param seconds: what each of them may take.
        :param fresh: on a kernel that no test has used before.
        """
        on = list(on)
        self._raise_if_abandoned()
        if self._process is None and not self._begin():
            self.close()
            self._raise_if_abandoned()
            return Run("failed", BEGIN)
        at_load = {mutant.module for mutant in on if mutation_switches.is_at_load(mutant)}
        asked = {
            "on": [self._numbers[mutant] for mutant in on],
            "constants": sorted(at_load),
            "tests": tests,
            "seconds": seconds,
            # A kernel has loaded them, or the mutants before.
            "fresh": fresh or bool(at_load) or self._at_load,
        }
        self._at_load = bool(at_load)
        at = BEGIN
        limits = dict(zip(tests, seconds, strict=True))
        try:
            self._tell(asked)
            while True:
                # A test that cannot be interrupted is ended with pytest.
                answer = self._hear(_SECONDS_TO_BEGIN + limits.get(at, 0))
                if "failed" in answer:
                    return Run("failed", answer["failed"]) if answer["failed"] else Run("passed")
                at = answer["test"]
        except (OSError, ValueError):
            self.close()
            self._raise_if_abandoned()
            return Run("hung", at)

    def _raise_if_abandoned(self) -> None:
        if self._abandoned:
            raise KeyboardInterrupt

    def _begin(self) -> bool:
        self._at_load = False
        mutation_switches.turn(self._copy.switches, [])
        path = self._copy.folder / "serve"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener, open(self._copy.folder / "output.txt", "w") as output:
            listener.bind(str(path))
            listener.listen()
            listener.settimeout(1)
            self._process = self._copy.start(output, REFINE_MUTATION_SERVE=str(path))
            for _ in range(_SECONDS_TO_BEGIN):
                try:
                    self._connection, _ = listener.accept()
                    break
                except TimeoutError:
                    if self._process.poll() is not None:
                        return False
            else:
                return False
        self._lines = self._connection.makefile("rw")
        try:
            return bool(self._hear(_SECONDS_TO_BEGIN).get("ready"))
        except (OSError, ValueError):
            return False

    def _tell(self, asked: dict[str, Any]) -> None:
        assert self._lines is not None
        self._lines.write(json.dumps(asked) + "\n")
        self._lines.flush()

    def _hear(self, seconds: float) -> dict[str, Any]:
        """:raises ValueError: if pytest has ended. :raises OSError: if nothing came."""
        assert self._lines is not None
        self._connection.settimeout(seconds)
        return json.loads(self._lines.readline())
