"""Plugins for every Python test, and a temporary folder for each process that runs some of them."""

import os
import tempfile

if os.environ.get("PYTEST_XDIST_WORKER"):
    # Tests count what is left in it: beside another process it must be their own.
    os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="refine-")
    tempfile.tempdir = None

pytest_plugins = ("pytest_jupyter.jupyter_server",)
