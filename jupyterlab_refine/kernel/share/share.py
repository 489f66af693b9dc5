"""Copies of the user's variables for the processes of an attempt, where the kernel itself cannot be forked.

The kernel packs what an attempt names into a private folder, the processes load it (:mod:`share_values`).
What was packed serves all attempts until something in the kernel may have changed.
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import os
import pickle
import random
import re
import signal
import sys
import threading
import types
from collections.abc import Iterable
from typing import Any

from .. import changes, texts
from ..attempt.forms import Refused, make_folder, remove_folder
from ..source.names import of_source
from ..values import describe
from . import share_values

#: How long the kernel may be busy with copying, seconds; less where the user may not wait for it.
_SECONDS = 30.0
_AHEAD_SECONDS = 5.0
#: Smaller buffers are part of the file of values.
_BUFFER = 4096
_PAGE = 64
_CANNOT_PICKLE = re.compile(r"cannot pickle '?([\w.]+)'? object")


class Interrupted(Exception):
    """Variables were not copied to the end: ``interrupted``, or ``stopped`` with the attempt."""


#: The attempt for which variables are copied now, and why that is ended: ``late`` or ``stopped``.
_copying: str | None = None
_cut = ""
#: Held while an end is reported; no signal is on its way once copying is over.
_ending = threading.Lock()
#: The last ones, for as long as nothing has changed; what they were made for.
_last: Copies | None = None
_wanted: tuple[str, list[str], list[str]] | None = None
#: Variables that the processes could not make, with the reason.
_unmade: dict[str, str] = {}


# Copies may be of use until the kernel ends.
atexit.register(lambda: forget())


def take(job: dict[str, Any], secrets: dict[str, Any], shell: Any) -> tuple[Copies, dict[str, str]]:
    """The copies for a job, and of what it needs what they lack, with reasons.

    In the main thread.

    :raises Refused: when copying takes too long. :raises Interrupted: when it was ended.
    """
    global _wanted
    cells = [*job["assertions"], *secrets.get("holdouts", []), secrets.get("scorer", {"source": ""})]
    # The scorer is given hidden data without a name for each.
    others = [*(cell["source"] for cell in cells), *(job.get("hiddenData") or [])]
    _wanted = job["candidate"], others, secrets.get("hiddenNames", [])
    return _take(shell, _SECONDS, job["id"])


def again(shell: Any) -> str | None:
    """The folder of copies for a job like the last one, ahead of it; None for none."""
    with contextlib.suppress(Refused, Interrupted):
        return _take(shell, _AHEAD_SECONDS, "")[0].folder if _wanted is not None else None
    return None


def forget() -> None:
    """Remove the copies: something may have changed."""
    global _last
    last, _last = _last, None
    remove_folder(None if last is None else last.folder)


def leave_out(name: str, reason: str) -> None:
    """A process could not make this variable: later attempts do without."""
    _unmade[name] = reason
    forget()


def cancel(attempt: str) -> None:
    """End the copying for this attempt, if it goes on; from any thread."""
    if _copying == attempt:
        _end("stopped")


def _end(why: str) -> None:
    global _cut
    with _ending:
        if _copying is None:
            return
        _cut = why
        if hasattr(signal, "pthread_kill"):
            # A value's own code may sleep, which only a signal ends.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        else:
            _thread.interrupt_main()


def _on_signal(number: int, frame: types.FrameType | None) -> None:
    """Interrupt what is written, but neither what follows it nor the tidying up."""
    while frame is not None:
        if frame.f_code is Copies.write.__code__:
            raise KeyboardInterrupt
        frame = frame.f_back


def modules(shell: Any) -> list[str]:
    """Modules that the user's variables are or come from, for processes that have time to import them."""
    found: dict[str, None] = {}
    for name, value in list(shell.user_ns.items()):
        if not name.startswith("_") and name not in shell.user_ns_hidden:
            home = value.__name__ if isinstance(value, types.ModuleType) else type(value).__module__
            if isinstance(home, str) and home in sys.modules and home not in ("builtins", "__main__"):
                found[home] = None
    return list(found)


def _take(shell: Any, seconds: float, attempt: str) -> tuple[Copies, dict[str, str]]:
    global _copying, _cut, _last
    if _last is not None and (changes.user_code_runs(shell) or not os.path.isdir(_last.folder)):
        forget()
    assert _wanted is not None
    copies = Copies(*_wanted, [] if _last is None else _last.names, shell)
    if _last is not None and {*copies.wanted} <= {*_last.names, *_last.left}:
        return _last, copies.needed_of(_last)
    forget()
    copies.folder = make_folder()
    timer = threading.Timer(seconds, _end, ("late",))
    timer.name, timer.daemon = "refine-attempt-share", True
    # In the main thread, since no other may set signal handlers.
    handler = signal.signal(signal.SIGINT, _on_signal)
    _copying, _cut = attempt, ""
    try:
        timer.start()
        copies.write()
        if _cut:
            # Code of a value has hidden it.
            raise KeyboardInterrupt
    except BaseException as error:
        remove_folder(copies.folder)
        if not isinstance(error, KeyboardInterrupt):
            raise
        if _cut != "late":
            raise Interrupted(_cut or "interrupted") from None
        what = f"could not be copied within {seconds:g} s; \u201c{copies.name}\u201d was being copied"
        raise Refused("cannot-copy", f"The variables {what}.") from None
    finally:
        with _ending:
            _copying = None
        timer.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler if handler is None else handler)
    _last = copies
    changes.watch(shell, forget)
    return copies, copies.needed_of(copies)


class Copies:
    """Copies of variables for one job.

    :param candidate: its source. :param others: texts that name variables as well.
    :param hidden: names that no attempt gets. :param known: variables that are copied beside.
    """

    def __init__(
        self, candidate: str, others: list[str], hidden: list[str], known: list[str], shell: Any
    ) -> None:
        self._namespace, self._shell, self._known = shell.user_ns, shell, known
        #: Has the files ``values``, ``buffers`` and ``trailer``.
        self.folder = ""
        #: Without the shell's own, and those that are hidden.
        self._shareable = {n for n in shell.user_ns if isinstance(n, str) and not n.startswith("__")}
        self._shareable -= {*shell.user_ns_hidden, *hidden}
        first = of_source(candidate)
        required, optional = dict(first.free), dict(first.mentioned)
        self._attributes = set(first.attributes)
        for needs in map(of_source, others):
            required.update((name, None) for name in needs.free if name not in first.bound)
            optional.update({**needs.free, **needs.mentioned})
            self._attributes |= needs.attributes
        #: Variables that it may read, in its texts or in checks of what the candidate binds, as well.
        self.wanted = [name for name in {**required, **optional} if name in self._shareable]
        #: Variables that the attempt needs to run as it would here.
        self._required = set(required) & self._shareable
        #: By name, why a variable cannot be copied.
        self.left = dict(_unmade)
        #: By name of a module, what its copy lacks.
        self._lacking: dict[str, str] = {}
        #: The variable that is being copied.
        self.name = ""
        #: Variables that were copied.
        self.names: list[str] = []

    def needed_of(self, copies: Copies) -> dict[str, str]:
        """What the attempt needs of what those lack, with reasons."""
        left = {**copies.left, **copies._lacking}
        return {name: reason for name, reason in left.items() if name in self._required}

    def write(self) -> None:
        """Start again after each failure: what was partly written cannot be removed from the file."""
        while True:
            try:
                return self._write(self.folder)
            except share_values.CannotShare as error:
                self.left[self.name] = str(error)

    def _write(self, folder: str) -> None:
        found = share_values.Found()
        found.attributes |= self._attributes
        places: list[tuple[int, int]] = []
        with (
            open(os.path.join(folder, "values"), "wb") as values,
            open(os.path.join(folder, "buffers"), "wb") as buffers,
        ):

            def keep(buffer: pickle.PickleBuffer) -> bool:
                """Write a large buffer to a file that the processes map; False then."""
                raw = buffer.raw()
                if raw.nbytes < _BUFFER:
                    return True
                buffers.seek(-buffers.tell() % _PAGE, os.SEEK_CUR)
                places.append((buffers.tell(), raw.nbytes))
                buffers.write(raw)
                return False

            pickler = share_values.pickler(values, found, self._shell, keep)
            trailer = self._dump_all(pickler, found)
        trailer |= {"classes": found.classes, "files": found.files, "places": places, **_surroundings()}
        with open(os.path.join(folder, "trailer"), "wb") as file:
            pickle.dump(trailer, file, protocol=5)

    def _dump_all(self, pickler: Any, found: share_values.Found) -> dict[str, Any]:
        known = [name for name in self._known if name in self._namespace]
        queue = dict.fromkeys([*self.wanted, *known])
        modules: dict[str, str] = {}
        self.names, written = [], []
        while queue:
            name = self.name = next(iter(queue))
            del queue[name]
            if name in self.left:
                continue
            self.names.append(name)
            value = self._namespace[name]
            if isinstance(value, types.ModuleType):
                if getattr(value, "__spec__", None) is None:
                    reason = f"the module {value.__name__} was not imported from a file"
                    raise share_values.CannotShare(reason)
                modules[name] = value.__name__
                if lacking := _changes_in(value, self._namespace):
                    self._lacking[name] = f"its copy is without {lacking}"
                continue
            found.names.clear()
            try:
                pickler.dump((name, value))
            except share_values.CannotShare:
                raise
            except Exception as error:
                raise share_values.CannotShare(_reason(value, error)) from error
            written.append(name)
            others = self._shareable.intersection(found.names)
            self._required |= others if name in self._required else set()
            queue.update((other, None) for other in found.names if other in others - {*self.names})
        submodules = _submodules(modules.values(), found.attributes)
        return {"modules": modules, "submodules": submodules, "names": written}


def _changes_in(module: types.ModuleType, namespace: dict[str, Any]) -> str:
    """What the notebook has put into a module, in words; empty for nothing that is known."""
    found = list(vars(module).items())
    kinds = [(kind, value) for kind, value in found if isinstance(value, type)]
    found += [(f"{kind}.{name}", part) for kind, value in kinds for name, part in vars(value).items()]
    names = [name for name, value in found if _is_of(value, namespace)]
    listed = ", ".join(names[:3] + (["\u2026"] if names[3:] else []))
    words = [f"the notebook's {listed}"] if names else []
    figures: Any = sys.modules.get("matplotlib._pylab_helpers")
    if module.__name__ == "matplotlib.pyplot" and figures is not None and figures.Gcf.figs:
        words.append("the current figure")
    return " and ".join(words)


def _is_of(value: Any, namespace: dict[str, Any]) -> bool:
    """Whether the notebook has defined this function or class."""
    if isinstance(value, types.FunctionType):
        return value.__globals__ is namespace
    return isinstance(value, type) and value.__module__ == "__main__"


def _reason(value: Any, error: Exception) -> str:
    kind = describe.type_name(value)
    inner = _CANNOT_PICKLE.search(str(error))
    if inner is None:
        message = (texts.plain(str(error)).strip() or type(error).__name__).splitlines()[0]
        return texts.cut_end(f"a {kind} cannot be copied: {message}", 300)
    if inner[1].split(".")[-1] == kind.split(".")[-1]:
        return f"a {kind} cannot be copied"
    return f"a {kind} holds a {inner[1]}, which cannot be copied"


def _submodules(names: Iterable[str], attributes: set[str]) -> list[str]:
    """Modules below those that were loaded here and that the code seems to name."""
    return [
        module
        for package in set(names)
        for module in list(sys.modules)
        if module.startswith(package + ".") and attributes.issuperset(module[len(package) + 1 :].split("."))
    ]


def _surroundings() -> dict[str, Any]:
    """What code uses beside variables; the processes have folder, path and environment from their start."""
    numpy = sys.modules.get("numpy.random")
    return {
        "random": random.getstate(),
        "numpy": numpy.get_state() if numpy is not None else None,
        "pandas": _pandas_options(),
    }


def _pandas_options() -> dict[str, Any]:
    """Those that were set."""
    try:
        config = sys.modules["pandas"]._config.config
        known = {name: one.defval for name, one in config._registered_options.items()}
        now = {name: config.get_option(name) for name in known.keys() - config._deprecated_options.keys()}
        return {name: value for name, value in now.items() if value != known[name]}
    except Exception:
        return {}
