"""Plugins for every Python test, and a temporary folder for each process that runs some of them."""

import os
import shlex
import tempfile
from typing import Any

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
