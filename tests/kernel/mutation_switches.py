"""All mutants of a module at once, each behind a switch: a byte in a file that is mapped.

Children that are forked have the mapping too, whatever else is taken from them. A mutant of a
constant of the module holds only for what loads the module after its switch was set.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

from mutants import Mutant
from mutation_hits import begun_with

#: Room for so many mutants.
COUNT = 1 << 13
#: Read-only, so that the kernel part does not take it for memory of the user's.
_PRELUDE = """
import mmap as _mmap, os as _os
_switches_file = _os.open(_os.environ["REFINE_MUTATION_SWITCHES"], _os.O_RDONLY)
_switches = _mmap.mmap(_switches_file, 0, prot=_mmap.PROT_READ)
_os.close(_switches_file)
"""


def is_at_load(mutant: Mutant) -> bool:
    """Whether it holds only where the module is loaded after it was switched on."""
    # The loader runs only then, whatever its function.
    return not mutant.within or mutant.module == "_loader"


def turn(path: Path, numbers: Iterable[int]) -> None:
    """Switch these mutants on, and all others off."""
    switches = bytearray(COUNT)
    for number in numbers:
        switches[number] = 1
    # In place: it is mapped.
    with open(path, "r+b") as file:
        file.write(switches)


def switched(source: str, numbers: Mapping[Mutant, int]) -> str:
    """The source of a module with all these mutants of it, none of which is on."""
    tree = ast.parse(source)
    changed = _Switched(source, numbers)
    tree = changed.visit(tree)
    if changed.left:
        missing = ", ".join(f"{mutant.module}.py:{mutant.line} {mutant.operator}" for mutant in changed.left)
        raise ValueError(f"No place was found for {missing}")
    return begun_with(tree, _PRELUDE)


class _Switched(ast.NodeTransformer):
    def __init__(self, source: str, numbers: Mapping[Mutant, int]) -> None:
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._numbers = numbers
        self._places: dict[tuple[int, int, str], list[Mutant]] = {}
        for mutant in numbers:
            kind = {"statement out": "statement", "except out": "handler"}.get(mutant.operator, "value")
            self._places.setdefault((mutant.start, mutant.end, kind), []).append(mutant)

    @property
    def left(self) -> list[Mutant]:
        """Those that have no place yet."""
        return [mutant for place in self._places.values() for mutant in place]

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.ExceptHandler):
            found = self._take(node.body[0], node.body[-1], "handler")
            self.generic_visit(node)
            node.body[:0] = [ast.If(self._is_on(mutant), [ast.Raise()], []) for mutant in found]
            return node
        kind = "statement" if isinstance(node, ast.stmt) else "value"
        found = self._take(node, node, kind) if hasattr(node, "lineno") else []
        self.generic_visit(node)
        for mutant in found:
            if isinstance(node, ast.stmt):
                node = ast.If(ast.UnaryOp(ast.Not(), self._is_on(mutant)), [node], [])
            else:
                instead = ast.parse(mutant.replacement, mode="eval").body
                node = ast.IfExp(self._is_on(mutant), instead, node)  # type: ignore[arg-type]
        return node

    def _take(self, first: ast.AST, last: ast.AST, kind: str) -> list[Mutant]:
        start = self._starts[first.lineno - 1] + first.col_offset  # type: ignore[attr-defined]
        end = self._starts[last.end_lineno - 1] + last.end_col_offset  # type: ignore[attr-defined]
        return self._places.pop((start, end, kind), [])

    def _is_on(self, mutant: Mutant) -> ast.expr:
        return ast.parse(f"_switches[{self._numbers[mutant]}]", mode="eval").body


def switch(folder: Path, mutants: list[Mutant]) -> None:
    """Put all mutants into the modules of a copy, in place; their numbers are their places in the list."""
    for module in dict.fromkeys(mutant.module for mutant in mutants):
        path = folder / f"{module}.py"
        numbers = {mutant: number for number, mutant in enumerate(mutants) if mutant.module == module}
        path.write_text(switched(path.read_text(), numbers))
