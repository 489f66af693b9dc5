"""The messages of the product, read from its sources for the page Troubleshooting.

The directive ``messages`` lists those that contain one of the phrases in its body (regular expressions, one a
line) and that no directive above it has listed::

    ```{messages}
    refused the key
    ```

An empty body takes all that are left, except parts of other messages.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
    for path in files():
        yield from sentences(path.read_text("utf-8"))


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


PACKAGE = Path(__file__).resolve().parents[2] / "jupyterlab_refine"

#: Files without a text for the panel: the command line, and what travels between processes.
QUIET = {
    *(
        "__init__.py",
        "__main__.py",
        "cli.py",
        "_loader.py",
        "linux.py",
        "redact.py",
    ),
    *("wire.py", "plain.py", "library_types.py", "clients.py"),
}

SLOT = "\0"


def sentences(source: str) -> set[str]:
    """The templates of all sentences in a Python source.

    >>> sorted(sentences("f'it took {n} s' + ('' if n else ' or more')"))
    ['it took %1 s', 'it took %1 s or more']
    """
    tree = ast.parse(source)
    skipped = {id(node) for node in ast.walk(tree) if is_skipped(node) for node in ast.walk(node)}
    return {
        template
        for node in outermost(tree)
        if id(node) not in skipped
        for text in texts(node) or []
        for variant in variants(text)
        if is_sentence(template := numbered(variant))
    }


def outermost(node: ast.AST) -> Iterator[ast.AST]:
    """The largest expressions that are texts; in the values of those, further texts."""
    for child in ast.iter_child_nodes(node):
        if texts(child) is not None:
            yield child
            for value in ast.walk(child):
                if isinstance(value, ast.FormattedValue) and texts(value.value) is None:
                    yield from outermost(value)
        else:
            yield from outermost(child)


def is_skipped(node: ast.AST) -> bool:
    """True for docstrings, help texts, log lines, patterns and lists of names."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.keyword):
        return node.arg == "help"
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        return (
            called.startswith("re.")
            or re.search(r"\blog(ging|ger)?\.", called) is not None
            or called.endswith((".split", ".tag", "dunder"))
        )
    return isinstance(node, ast.Assert)


def texts(node: ast.AST) -> list[str] | None:
    """All texts that an expression can be, each value in it a slot; None for what is no text."""
    match node:
        case ast.Constant(value=str() as text):
            return [text.replace("{}", SLOT)]
        case ast.JoinedStr(values=values):
            return joined([texts(value) or [SLOT] for value in values])
        case ast.FormattedValue(value=value):
            return texts(value) or [SLOT]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = [texts(left), texts(right)]
            return None if sides == [None, None] else joined([side or [SLOT] for side in sides])
        case ast.IfExp(body=body, orelse=orelse):
            ways = [texts(body), texts(orelse)]
            return None if None in ways else [text for way in ways for text in way or []]
    return None


def joined(parts: list[list[str]]) -> list[str]:
    return ["".join(choice) for choice in itertools.product(*parts)]


def variants(text: str) -> Iterator[str]:
    """``text``, and the same without a slot that may be empty: one right behind a word."""
    text = re.sub(f"{SLOT}+", SLOT, text)
    text = re.sub(rf"(?<=[.!?]){SLOT}$", "", text)
    parts = re.split(rf"(?<=[a-z)]){SLOT}(?![a-z])", text)
    for signs in itertools.product([SLOT, ""], repeat=len(parts) - 1):
        yield "".join(itertools.chain(*itertools.zip_longest(parts, signs, fillvalue="")))


def numbered(text: str) -> str:
    numbers = itertools.count(1)
    text = text.strip().rstrip(":").replace("%", "%%")
    return re.sub(SLOT, lambda _: f"%{next(numbers)}", text)


def is_sentence(template: str) -> bool:
    words = re.findall(r"(?<![\w.])[A-Za-z']{2,}(?![\w(/=])", template)
    code = re.search(r"[\\<>{}|]|\n|__|^[A-Z][a-z]+ \"|^no such ", template)
    return len(template.split()) >= 3 and len(words) >= 2 and not code and template.count("%") < 10


def files() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name not in QUIET and "labextension" not in path.parts:
            yield path
