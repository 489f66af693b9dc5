"""Instruments the kernel part: a byte for each block, set when it runs, in a file that is mapped.

Children that are forked have the mapping too, whatever else is taken from them.
"""

from __future__ import annotations

import ast
from pathlib import Path

_PRELUDE = """
import mmap as _mmap, os as _os
_hits_file = _os.open(_os.environ["REFINE_MUTATION_HITS"], _os.O_RDWR)
_hits = _mmap.mmap(_hits_file, 0)
_os.close(_hits_file)
"""
#: The kernel part makes shared mappings private in a child; it does not see this one.
_BLIND = """
import builtins as _builtins, io as _io
def open(path, *arguments, **options):
    if path != "/proc/self/maps":
        return _builtins.open(path, *arguments, **options)
    with _builtins.open(path) as file:
        ours = _os.environ["REFINE_MUTATION_HITS"]
        return _io.StringIO("".join(line for line in file if ours not in line))
"""
_LEFT_ALONE = frozenset({"_loader", "pack"})


def begun_with(tree: ast.Module, prelude: str) -> str:
    """The source of a module that runs this first, after its docstring and what comes from the future."""
    position = 1 if ast.get_docstring(tree) is not None else 0
    while any(getattr(node, "module", "") == "__future__" for node in tree.body[position : position + 1]):
        position += 1
    tree.body[position:position] = ast.parse(prelude).body
    text = ast.unparse(ast.fix_missing_locations(tree))
    # The kernel part is sent as ASCII.
    return text.encode("ascii", "backslashreplace").decode()


class Blocks:
    """Blocks of all modules by number, and the lines that each begins and ends with."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, int, int]] = []

    def instrument(self, module: str, source: str) -> str:
        tree = ast.parse(source)
        for node in list(ast.walk(tree)):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block and not isinstance(node, (ast.Module, ast.ClassDef)):
                    number = len(self.spans)
                    self.spans.append((module, block[0].lineno, block[-1].end_lineno or 0))
                    marker = ast.parse(f"_hits[{number}] = 1").body
                    position = 1 if _has_docstring(node, field) else 0
                    block[position:position] = marker
        return begun_with(tree, _PRELUDE + (_BLIND if module == "mappings" else ""))

    def around(self, module: str, line: int) -> int | None:
        """The smallest block with that line; None at the level of the module."""
        found = [
            (end - start, number)
            for number, (name, start, end) in enumerate(self.spans)
            if name == module and start <= line <= end
        ]
        return min(found)[1] if found else None


def _has_docstring(node: ast.AST, field: str) -> bool:
    named = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    return named and field == "body" and ast.get_docstring(node) is not None  # type: ignore[arg-type]


def instrument(folder: Path) -> Blocks:
    """Instrument the modules of a copy, in place."""
    blocks = Blocks()
    for path in sorted(folder.glob("*.py")):
        if path.stem not in _LEFT_ALONE:
            path.write_text(blocks.instrument(path.stem, path.read_text()))
    return blocks
