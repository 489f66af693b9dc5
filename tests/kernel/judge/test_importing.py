"""What travels by its name, and modules that the attempt has written."""

from __future__ import annotations

import collections
import importlib
import math
import operator
import os
import pathlib
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from processes import in_child, wait_until

from jupyterlab_refine.kernel.judge import importing

OPEN = [int, ValueError, collections.Counter, pathlib.Path, np.ndarray, pd.DataFrame, len, math.sqrt, np.sin]
CLOSED = [
    *(eval, open, getattr, __import__, os.system, subprocess.Popen, importlib.import_module, np.load),
    *(pd.read_pickle, operator.attrgetter, unittest.SkipTest, type(pytest), type(lambda: 0)),
    *(pathlib.Path.unlink, [].append, lambda: 0, np.ndarray.tofile, 5, "os.system"),
]


@pytest.mark.parametrize("value", OPEN, ids=lambda v: getattr(v, "__name__", str(v)))
def test_what_computes_travels_by_name(value: Any) -> None:
    path = importing.path_of(value)
    assert path is not None and importing.find(*path) is value


@pytest.mark.parametrize("value", CLOSED, ids=lambda v: getattr(v, "__qualname__", str(v)))
def test_what_does_more_stays_where_it_is(value: Any) -> None:
    assert importing.path_of(value) is None
    module, name = getattr(value, "__module__", "builtins"), getattr(value, "__qualname__", "eval")
    assert importing.find(module, name) is not value


def test_what_only_says_to_be_a_librarys_stays() -> None:
    liar = type("int", (), {"__module__": "builtins"})
    function = eval("lambda: 0")
    function.__module__, function.__qualname__ = "math", "sqrt"
    assert importing.path_of(liar) is None and importing.path_of(function) is None


PATHS: list[tuple[Any, Any]] = [
    *(("os", "system"), ("builtins", "eval"), ("math", "__loader__"), ("datetime", "sys")),
    *(("statistics", "sys.modules"), ("__main__", "f"), ("_jupyterlab_refine.child.child", "main")),
    *(("", ""), (5, "x"), ("math", 5), ("math", "a b"), ("no_such_module", "f"), ("..", "x"), ("this", "s")),
]


@pytest.mark.parametrize("path", PATHS, ids=str)
def test_no_other_name_is_found(path: tuple[Any, Any]) -> None:
    assert importing.find(*path) is None


def test_a_module_is_not_imported_by_its_mere_name(tmp_path: Path) -> None:
    (tmp_path / "surprise_module.py").write_text("raise SystemExit")

    def work() -> bool:
        sys.path.insert(0, str(tmp_path))
        return importing.find("surprise_module", "x") is None and "surprise_module" not in sys.modules

    assert in_child(work) is True


def after(old: Path, new: Path) -> None:
    """Write a file that the clock of the file system sees as younger."""
    wait_until(lambda: new.write_text("value = 6\n") > 0 and new.stat().st_ctime_ns > old.stat().st_ctime_ns)


WRITTEN = {
    "a module": ("mine.py", "mine"),
    "a package": ("mine/__init__.py", "mine"),
    "a namespace package": ("mine/part.py", "mine.part"),
    "in place of one of Python's": ("colorsys.py", "colorsys"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_module_that_the_attempt_wrote_is_refused(tmp_path: Path, name: str) -> None:
    file, module = WRITTEN[name]
    (tmp_path / "before.py").write_text("value = 5\n")
    (tmp_path / file).parent.mkdir(exist_ok=True)

    def work() -> list[Any]:
        sys.path.insert(0, str(tmp_path))
        sys.modules.pop("colorsys", None)
        importing.started_ns = (tmp_path / "before.py").stat().st_ctime_ns + 1
        after(tmp_path / "before.py", tmp_path / file)
        sys.meta_path.insert(0, importing.Guard())
        try:
            importlib.import_module(module)
            found = "imported"
        except ImportError as error:
            found = str(error)
        return [found, importlib.import_module("before").value, importlib.import_module("json.tool").__name__]

    found, value, other = in_child(work)
    assert "was written by the candidate" in found
    assert (value, other) == (5, "json.tool")


def test_byte_code_that_the_attempt_wrote_is_not_run(tmp_path: Path) -> None:
    source = tmp_path / "honest.py"
    source.write_text("value = 5\n")

    def work() -> list[Any]:
        import py_compile

        sys.path.insert(0, str(tmp_path))
        importing.started_ns = time.time_ns()
        lie = tmp_path / "lie"
        wait_until(
            lambda: lie.write_text("value = 6\n") > 0 and lie.stat().st_ctime_ns > importing.started_ns
        )
        os.utime(lie, ns=(source.stat().st_atime_ns, source.stat().st_mtime_ns))
        cached = importlib.util.cache_from_source(str(source))
        py_compile.compile(
            str(lie), cached, str(source), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
        sys.meta_path.insert(0, importing.Guard())
        return [importlib.import_module("honest").value]

    assert in_child(work) == [5]


def test_nothing_is_new_before_an_attempt_starts(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    assert importing.started_ns is None
    assert not importing.is_new(str(file)) and not importing.is_new(None) and not importing.is_new("/no/such")
