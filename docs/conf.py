"""Sphinx configuration: ``make docs`` writes docs/_build/html."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
REPOSITORY = "https://github.com/jupyterlab-refine/jupyterlab-refine"
sys.path.insert(0, str(HERE / "_ext"))

project = "jupyterlab-refine"
author = "jupyterlab-refine contributors"
release = json.loads((ROOT / "package.json").read_text("utf-8"))["version"]

extensions = ["messages", "myst_parser"]
exclude_patterns = ["_build", "_ext", "**/node_modules"]
myst_heading_anchors = 3
# A message is found as it is written.
smartquotes = False
suppress_warnings = ["myst.header"]
# Output of the product and unknown languages are shown as they are.
highlight_language = "none"

html_theme = "furo"
html_title = f"jupyterlab-refine {release}"
html_theme_options = {
    "source_repository": REPOSITORY,
    "source_branch": "main",
    "source_directory": "docs/",
}

LINK = re.compile(r"(?<=\]\()(?P<path>[\w./-]+)(?P<anchor>#[\w-]+)?(?=\))")


def link_repository(app: Sphinx, document: str, source: list[str]) -> None:
    """Links to files of the repository that are no pages lead to GitHub; those to nothing are reported."""
    folder = (HERE / document).parent

    def target(match: re.Match[str]) -> str:
        path = (folder / match["path"]).resolve()
        if not path.exists():
            logging.getLogger(__name__).warning("no file %s", match[0], location=document)
        if path.suffix in (".md", ".png", ".gif") and path.is_relative_to(HERE):
            return match[0]
        kind = "tree" if path.is_dir() else "blob"
        return f"{REPOSITORY}/{kind}/main/{path.relative_to(ROOT)}{match['anchor'] or ''}"

    source[0] = LINK.sub(target, source[0])


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", link_repository)
