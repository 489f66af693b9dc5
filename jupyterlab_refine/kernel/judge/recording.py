"""Watches the checks while they run in the judge: what they compare, and where their values come from.

Some comparisons hold whatever the candidate does: ``got = f(xs); want = sorted(xs); assert got == want``
where ``f`` has emptied ``xs``, and ``np.allclose(f(x), [0, 1])`` where ``f`` gives an array without
elements. Plain Python passes both; the judge reports them as not confirmed.
"""

from __future__ import annotations

import ast
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..checks import rewriting
from . import vacuous
from .changes import Changes
from .exchange.plain_types import SCALAR_SET
from .mentions import Mention, Reader, compared, comparisons, is_stub

_FILE = "<check"
_OF_PARTS = (operator.lt, operator.le, operator.sub)
_ORDER = (operator.lt, operator.le, operator.gt, operator.ge)
#: Stands for an unpacked value, and for one that is computed step by step.
_ANY = object()
#: Iterators, which a loop uses up: their elements are counted while it runs.
_COUNTED: tuple[type, ...] = (map, filter, enumerate, reversed, type(iter([])), types.GeneratorType)
_OPERANDS = ("actual", "desired", "a", "b", "x", "y", "first", "second", "left", "right", "other")
_REASON = 80


class Site(NamedTuple):
    """A place in a check at which a value is watched."""

    node: ast.AST
    #: Source of the cell.
    source: str
    #: Names that get the value.
    targets: tuple[str, ...] = ()
    #: Whether they get parts of it, or something made with it.
    is_part: bool = False
    #: A comparison or a difference.
    operation: Callable[[Any, Any], Any] = operator.eq
    #: Within a comprehension.
    is_repeated: bool = False

    @property
    def text(self) -> str:
        found = ast.get_source_segment(self.source, self.node) or ""
        return " ".join(found.split())[:_REASON]


class Origin(NamedTuple):
    """The changed container that a value comes from, and when it was last changed."""

    name: str
    container: Any
    time: int


class Recorder(rewriting.Recorder):
    """The recorder of the judge's checks.

    :param judge: knows what has arrived from the candidate.
    :param name: the name under which rewritten code reaches this recorder.
    """

    def __init__(self, judge: Any, name: str) -> None:
        super().__init__()
        self._judge, self._name = judge, name
        self._changes: Changes = judge.changes
        #: Names to which the checks assign values of the candidate.
        self.derived: set[str] = set()
        #: Parameters of functions that the checks define.
        self.helpers: dict[str, list[str]] = {}
        #: The cell that is rewritten.
        self.cell = ""
        self.sites: list[Site] = []
        #: Why the current statement is not confirmed.
        self.found: list[str] = []
        #: By reason: whether it holds for all turns of a comprehension.
        self._parts: dict[str, bool] = {}
        self._cells: dict[rewriting.Part, str] = {}
        #: By name: a value that comes from a changed container, or :data:`_ANY`.
        self._tainted: dict[str, tuple[Any, Origin]] = {}
        #: Asserts within which others are evaluated.
        self._outer: list[rewriting.Part | None] = []
        #: Loops over something of the candidate's that had nothing to loop over.
        self._asked: set[int] = set()

    def reset(self) -> None:
        super().reset()
        self._outer = []
        self._asked = set()

    def take(self) -> list[str]:
        """Why the statement that has run is not confirmed."""
        for reason, is_of_nothing in self._parts.items():
            if is_of_nothing:
                self._report(reason)
        found, self.found, self._parts = self.found, [], {}
        return found

    def _report(self, reason: str) -> None:
        if reason not in self.found:
            self.found.append(reason)

    # -- asserts

    def register(self, part: rewriting.Part) -> None:
        self._cells[part] = self.cell

    def start(self, number: int) -> Any:
        # A helper with asserts of its own may be called within this one.
        self._outer.append(self.current)
        super().start(number)
        return len(self._outer)

    def test(self, depth: Any, value: Any) -> Any:
        truth = super().test(depth, value)
        if truth:
            self._ask_whose(value)
            self._look(sys._getframe(1))
            self.current = self._outer[depth - 1]
            del self._outer[depth - 1 :]
        return truth

    def _look(self, frame: types.FrameType) -> None:
        if self.current is not None and self._changes.is_any:
            for comparison in comparisons(self.current._node):
                self._compare_names(Site(comparison, self._cells.get(self.current, "")), frame)

    # -- what rewritten code calls

    def compare(self, number: int, left: Any, right: Any) -> Any:
        """A comparison or a difference."""
        site = self.sites[number]
        result = site.operation(left, right)
        if type(left) is int and type(right) is int and not self._changes.is_any:
            return result
        if not (type(left) in SCALAR_SET and type(right) in SCALAR_SET):
            self._look_at(site, [left, right], result, False)
            if site.operation in _OF_PARTS:
                self._look_at_set(site, left, right)
        elif result is False and site.operation in _ORDER and (left != left or right != right):
            self._report(f"`{site.text}` compares NaN")
        if site.operation is not operator.sub:
            if self._changes.is_any:
                self._compare_names(site, sys._getframe(1))
            for one, other in ((left, right), (right, left)):
                if one is True:
                    self._ask_whose(other)
        return result

    def called(self, number: int, function: Any, *arguments: Any, **named: Any) -> Any:
        """A function that compares, or whose name says that it does."""
        result = function(*arguments, **named)
        site = self.sites[number]
        owner = getattr(function, "__self__", None)
        operands = [owner] if vacuous.is_library(owner) else []
        operands += [*arguments[:2], *(named[name] for name in _OPERANDS if name in named)]
        self._look_at(site, operands, result, True)
        if getattr(function, "__name__", "") in vacuous.OF_SETS and arguments:
            self._look_at_set(site, owner, arguments[0])
        if getattr(function, "__name__", "") in ("assertTrue", "assert_") and operands:
            self._ask_whose(operands[0])
        if self._changes.is_any:
            self._compare_names(site, sys._getframe(1))
        return result

    def zipped(self, number: int, function: Any, *arguments: Any, **named: Any) -> Any:
        """``zip``, which ends with the shortest of its arguments."""
        if function is zip and self._judge.arrived:
            sizes = [vacuous.size(one) for one in arguments]
            if 0 in sizes and any(sizes):
                self._report(vacuous.nothing(self.sites[number].text))
        return function(*arguments, **named)

    def loop(self, number: int, value: Any) -> Any:
        """What a loop with checks iterates over."""
        if type(value) in _COUNTED or is_stub(value):
            return self._count(number, value)
        if self._judge.arrived and vacuous.size(value) == 0:
            self._report(vacuous.empty(self.sites[number].text))
        return value

    def _count(self, number: int, value: Iterable[Any]) -> Iterator[Any]:
        is_empty = True
        for one in value:
            is_empty = False
            yield one
        if is_empty and (self._judge.arrived or is_stub(value)):
            self._report(vacuous.empty(self.sites[number].text))

    def over(self, number: int, is_of_none: bool) -> None:
        super().over(number, is_of_none)
        if number in self.idle and number not in self._asked:
            reader = Reader(sys._getframe(1), self._name)
            mentions = reader.mentions(self.loops[number])
            if any(one.name in self.derived or is_stub(one.value) for one in mentions):
                self._asked.add(number)

    def unchecked(self) -> None:
        # The candidate may have been asked for nothing: `for x in f([]): assert x > 0`.
        for number in self.idle:
            if self._judge.arrived or number not in self._asked:
                self._report(vacuous.empty(ast.unparse(self.loops[number])[:_REASON]))

    def truth(self, value: Any) -> Any:
        """What decides whether a check holds."""
        self._ask_whose(value)
        return value

    def bind(self, number: int, value: Any) -> Any:
        """A value that is assigned to names of the checks."""
        if not self._changes.is_any:
            return value
        site = self.sites[number]
        reader = Reader(sys._getframe(1), self._name)
        found = (self._origin_of(mention) for mention in reader.mentions(site.node))
        origin = next((one for one in found if one is not None), None)
        for name in site.targets:
            if origin is not None:
                self._tainted[name] = (_ANY if site.is_part else value, origin)
            else:
                self._tainted.pop(name, None)
        return value

    # -- judging

    def _look_at(self, site: Site, operands: list[Any], result: Any, is_call: bool) -> None:
        is_difference = site.operation is operator.sub
        sentence = vacuous.of_comparison(operands, result, is_call, self._judge.arrived, is_difference)
        if sentence is not None:
            self._report(sentence(site.text))

    def _look_at_set(self, site: Site, value: Any, other: Any) -> None:
        is_of_nothing = self._judge.arrived and vacuous.is_no_part(value, other)
        if site.is_repeated:
            # One of the sets may rightly be empty.
            reason = vacuous.nothing(site.text)
            self._parts[reason] = is_of_nothing and self._parts.get(reason, True)
        elif is_of_nothing:
            self._report(vacuous.nothing(site.text))

    def _ask_whose(self, value: Any) -> None:
        of = self._judge.whose(value)
        if of:
            self._report(f"`{of}` of the candidate's own class decided the result")

    def _origin_of(self, mention: Mention) -> Origin | None:
        """The container, changed by the candidate, that it comes from; None where the change is harmless."""
        if mention.is_argument:
            return None
        left = self._changes.left_of(mention.value)
        if left is not None:
            harmless = left == "items" and mention.is_part or left == "order" and mention.is_unordered
            return None if harmless else self._made_of(mention.name, mention.value)
        part = self._changes.within(mention.value)
        if part is not None:
            return self._made_of(mention.name, part)
        if type(mention.value) is types.FunctionType and mention.value.__code__.co_filename.startswith(_FILE):
            space = mention.value.__globals__
            read = [name for name in mention.value.__code__.co_names if name in space]
            changed = [name for name in read if self._changes.left_of(space[name]) is not None]
            return self._made_of(changed[0], space[changed[0]]) if changed else None
        value, origin = self._tainted.get(mention.name, (None, None))
        if origin is None or not (value is _ANY or value is mention.value):
            return None
        # If it was computed before the last change, that change has not affected it.
        return origin if self._changes.time_of(origin.container) == origin.time else None

    def _made_of(self, name: str, container: Any) -> Origin:
        return Origin(name, container, self._changes.time_of(container))

    def _compare_names(self, site: Site, frame: types.FrameType) -> None:
        """Report a comparison of something that the candidate changed with something that it returned."""
        reader = Reader(frame, self._name)
        for nodes in compared(site.node, self._name):
            sides = [
                [(mention, self._origin_of(mention)) for mention in reader.mentions(node)] for node in nodes
            ]
            for number, side in enumerate(sides):
                others = [pair for other in (*sides[:number], *sides[number + 1 :]) for pair in other]
                if any(self._compare_name(*pair, others) for pair in side):
                    return

    def _compare_name(
        self, mention: Mention, origin: Origin | None, others: list[tuple[Mention, Origin | None]]
    ) -> bool:
        """:param others: what is on the other side of the comparison."""
        if origin is None:
            return False
        is_given = any(
            one.name in self.derived or is_stub(one.value)
            for one, _ in others
            if one.name != mention.name and not one.is_index
        )
        is_same = any(one is not None and one.container is origin.container for _, one in others)
        if not (is_given or is_same and not vacuous.size(origin.container)):
            return False
        if origin.name == mention.name:
            self._report(f"the candidate changed `{origin.name}`, which the check compares with")
        else:
            self._report(
                f"the candidate changed `{origin.name}`, from which the check makes `{mention.name}`"
            )
        return True
