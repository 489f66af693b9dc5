"""The sentences of the kernel part and the server, found in their sources.

A sentence is a text in the source with three words or more that is no docstring, help text or log line. Each
value of an f-string is a slot: ``f"it took {n} s"`` gives ``it took %1 s``.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

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
    *("wire.py", "plain.py", "library_types.py", "mappings.py", "clients.py"),
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
