"""Plugins for every Python test, and a temporary folder for each process that runs some of them."""

import os
import shlex
import sys
import tempfile
from typing import Any

import pytest

if os.environ.get("PYTEST_XDIST_WORKER"):
    # Tests count what is left in it: beside another process it must be their own.
    os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="refine-")
    tempfile.tempdir = None

pytest_plugins = ("pytest_jupyter.jupyter_server",)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The command that repeats each test that failed."""
    failed = [*terminalreporter.stats.get("failed", []), *terminalreporter.stats.get("error", [])]
    if failed:
        terminalreporter.section("again")
    for report in failed:
        terminalreporter.write_line(f"pytest {shlex.quote(report.nodeid)}")


#: Folders whose tests fork a kernel, or count processes in /proc.
LINUX_ONLY = ("tests/kernel/", "tests/warm/", "tests/cli/")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what needs Linux, and skip it elsewhere."""
    for item in items:
        path = item.path.relative_to(config.rootpath).as_posix()
        if path.startswith(LINUX_ONLY):
            item.add_marker(pytest.mark.linux)
        if sys.platform != "linux" and item.get_closest_marker("linux"):
            item.add_marker(pytest.mark.skip(reason="needs Linux: forks of a kernel, /proc"))
