"""The messages of the product, read from its sources for the page Troubleshooting.

The directive ``messages`` lists those that contain one of the phrases in its body (regular expressions, one a
line) and that no directive above it has listed::

    ```{messages}
    refused the key
    ```

An empty body takes all that are left, except parts of other messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import python_sentences

ROOT = Path(__file__).resolve().parents[2]

#: Rooms that make errors in their own words.
ROOMS = ("core", "headless", "lab", "models", "kernel", "notebook")

#: Modules and folders of the core whose sentences are for models or in the settings.
NO_MESSAGES = ("prompts", "settings", "system", "languages", "explain", "summary")

#: ``${…}``, with templates inside that have values, too.
VALUE = r"\$\{(?:[^{}`]|`(?:[^`$]|\$\{[^{}]*\}|\$)*`)*\}"
STRING = rf"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\$]|\\.|\$(?!\{{)|{VALUE})*`"
ERROR = re.compile(r"new (?:Refine|Usage)Error(?=\()")
TOKEN = re.compile(rf"{STRING}|[()]")


def messages() -> list[str]:
    """All messages and their parts, sorted; what is filled in is shown as ``…``.

    :raises FileNotFoundError: where a source has moved.
    """
    return sorted({shown(text) for text in [*_from_sessions(), *_from_errors(), *_from_python()]})


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


def _from_sessions() -> Iterator[str]:
    """What a session says: whole sentences, where no prompts are made."""
    for room in ("core", "kernel", "models", "notebook"):
        for path in sorted((ROOT / "src" / room).rglob("*.ts")):
            if not {"__tests__", "kernelSource", *NO_MESSAGES} & {path.stem, *path.parts}:
                for match in re.finditer(STRING, path.read_text("utf-8")):
                    text = shown(_value(match[0]))
                    if re.match(r"[A-Z…]", text) and text[-1] in ".?…" and len(words(text)) > 2:
                        yield text


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
    for path in python_sentences.files():
        yield from python_sentences.sentences(path.read_text("utf-8"))


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
