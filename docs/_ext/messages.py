"""The messages of the product, read from its sources for the page Troubleshooting.

The directive ``messages`` lists those that contain one of the phrases in its body (regular expressions, one a
line) and that no directive above it has listed::

    ```{messages}
    refused the key
    ```

An empty body takes all that are left, except parts of other messages.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

#: Rooms that make errors in their own words.
ROOMS = ("headless", "lab", "models", "kernel", "notebook")

#: ``${…}``, with templates inside that have values, too.
VALUE = r"\$\{(?:[^{}`]|`(?:[^`$]|\$\{[^{}]*\}|\$)*`)*\}"
STRING = rf"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\$]|\\.|\$(?!\{{)|{VALUE})*`"
TEMPLATE = re.compile(rf"trans\.__\(\s*({STRING})")
ERROR = re.compile(r"new (?:Refine|Usage)Error(?=\()")
TOKEN = re.compile(rf"{STRING}|[()]")


def messages() -> list[str]:
    """All messages and their parts, sorted; what is filled in is shown as ``…``.

    :raises FileNotFoundError: where a source has moved.
    """
    return sorted({shown(text) for text in [*_from_tables(), *_from_errors(), *_from_python()]})


def is_part(message: str) -> bool:
    """True for what stands in other messages or beside a check: ``it needs a value``."""
    return len(words(message)) < 3 or not re.match(r"[A-Z…`“]", message) or message[-1] not in ".:?…"


def words(message: str) -> list[str]:
    """The words that a reader would search for."""
    return re.findall(r"[A-Za-z][\w'’-]+", message)


def shown(text: str) -> str:
    """
    >>> shown("%1 has no model. %2")
    '… has no model. …'
    """
    text = re.sub(VALUE, "…", text)
    text = re.sub(r"%\d", "…", text).replace("%%", "%")
    return re.sub(r"\s+", " ", re.sub(r"…(\s*…)+", "…", text)).strip()


def _from_tables() -> Iterator[str]:
    for path in sorted((ROOT / "src/core/messages").glob("*.ts")):
        if path.stem not in ("python", "mark", "sentence", "translated"):
            for match in TEMPLATE.finditer(path.read_text("utf-8")):
                yield _value(match[1])


def _from_errors() -> Iterator[str]:
    for room in ROOMS:
        for path in sorted((ROOT / "src" / room).rglob("*.ts*")):
            if "__tests__" not in path.parts:
                source = path.read_text("utf-8")
                for match in ERROR.finditer(source):
                    yield from _sentences_of_call(source, match.end())


def _sentences_of_call(source: str, start: int) -> Iterator[str]:
    depth = 0
    for token in TOKEN.finditer(source, start):
        if token[0] in "()":
            depth += 1 if token[0] == "(" else -1
            if depth == 0:
                return
        elif len(words(shown(_value(token[0])))) > 2:
            yield _value(token[0])


def _from_python() -> Iterator[str]:
    script = _script("python-sentences")
    for path in script.files():
        yield from script.sentences(path.read_text("utf-8"))


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), ROOT / "scripts" / f"{name}.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _value(literal: str) -> str:
    return re.sub(r"\\(.)", lambda match: " " if match[1] == "n" else match[1], literal[1:-1])


def setup(app: Any) -> dict[str, bool]:
    """Add the directive."""
    from docutils import nodes
    from sphinx.util.docutils import SphinxDirective

    class Messages(SphinxDirective):
        has_content = True

        def run(self) -> list[nodes.Node]:
            left: list[str] = self.env.temp_data.setdefault("messages", messages())
            phrases = [line for line in self.content if line.strip()]
            found = (
                [message for message in left if re.search("|".join(phrases), message)]
                if phrases
                else [message for message in left if not is_part(message)]
            )
            if not found:
                raise self.error(f"No message matches {phrases}.")
            left[:] = [message for message in left if message not in found]
            items = (nodes.list_item("", nodes.paragraph("", message)) for message in found)
            return [
                nodes.raw("", f"<details><summary>{len(found)} messages</summary>", format="html"),
                nodes.bullet_list("", *items),
                nodes.raw("", "</details>", format="html"),
            ]

    app.add_directive("messages", Messages)
    return {"parallel_read_safe": True}
