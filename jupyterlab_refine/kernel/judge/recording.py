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
from .changes import Changes, Demanded, Origin
from .exchange.plain_types import SCALAR_SET
from .mentions import Mention, Reader, compared, comparisons, is_stub, operands, own_mentions, read_by

_FILE = "<check"
_OF_PARTS = (operator.lt, operator.le, operator.sub)
_ORDER = (operator.lt, operator.le, operator.gt, operator.ge)
#: Stands for an unpacked value, and for one that is computed step by step.
_ANY = object()
#: Iterators, which a loop uses up: their elements are counted while it runs.
_COUNTED: tuple[type, ...] = (map, filter, enumerate, reversed, type(iter([])), types.GeneratorType)
#: Syntax that builds a text from others: `f"square({n})"`.
_COMPUTED = (ast.JoinedStr, ast.FormattedValue, ast.Constant, ast.Name, ast.BinOp, ast.Add, ast.Load)
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
    #: Within a comprehension, or a loop over something of the candidate's.
    is_repeated: bool = False
    #: What is assigned is added to what the names have.
    is_added: bool = False
    #: The check goes on if the comparison is False: `if got > limit: raise ...`.
    is_negated: bool = False
    #: It chooses among values, of which NaN may be one.
    is_choice: bool = False
    #: The assert fails if the comparison is False.
    is_demanded: bool = False

    @property
    def text(self) -> str:
        found = ast.get_source_segment(self.source, self.node) or ""
        return " ".join(found.split())[:_REASON]


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
        #: Names whose values came from the candidate, and arguments of functions of the checks.
        self.taken: set[str] = set()
        #: Parameters of functions that the checks define.
        self.helpers: dict[str, list[str]] = {}
        #: The cell that is rewritten.
        self.cell = ""
        self.sites: list[Site] = []
        #: Why the current statement is not confirmed.
        self.found: list[str] = []
        #: By site within a loop: whether each turn was over nothing, and how that is reported.
        self._parts: dict[int, tuple[bool, Callable[[str], str]]] = {}
        self._cells: dict[rewriting.Part, str] = {}
        #: By name: a value that comes from a changed container, or :data:`_ANY`.
        self._tainted: dict[str, tuple[Any, Origin]] = {}
        #: By name: how many changes there were when the check bound it.
        self._bound: dict[str, int] = {}
        #: Texts that the checks have made to run them as code.
        self.own_texts: set[str] = set()
        self._demanded = Demanded(judge.changes)
        #: Source of nodes that are compared.
        self._texts: dict[int, str] = {}
        #: Asserts within which others are evaluated.
        self._outer: list[rewriting.Part | None] = []

    def reset(self) -> None:
        super().reset()
        self._outer = []

    def take(self) -> list[str]:
        """Why the statement that has run is not confirmed."""
        for number, (is_of_nothing, sentence) in self._parts.items():
            if is_of_nothing:
                self._report(sentence(self.sites[number].text))
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
        asked = self.current
        truth = super().test(depth, value)
        if truth:
            self._ask_whose(value)
            self._look(asked, sys._getframe(1))
            self.current = self._outer[depth - 1]
            del self._outer[depth - 1 :]
        return truth

    def _look(self, asked: rewriting.Part | None, frame: types.FrameType) -> None:
        if asked is not None and self._changes.is_any:
            for comparison in comparisons(asked._node):
                self._compare_names(Site(comparison, self._cells.get(asked, "")), frame)

    # -- what rewritten code calls

    def compare(self, number: int, left: Any, right: Any) -> Any:
        """A comparison or a difference."""
        site = self.sites[number]
        result = site.operation(left, right)
        if type(left) is int and type(right) is int and not self._changes.is_any:
            if right or not (site.is_demanded and self._judge.arrived):
                return result
        if not (type(left) in SCALAR_SET and type(right) in SCALAR_SET):
            self._look_at(site, [left, right], result, False)
            if site.operation in _OF_PARTS:
                self._look_at_set(number, left, right, 0)
            elif site.operation in (operator.ge, operator.gt):
                self._look_at_set(number, right, left, 1)
        if site.operation in _ORDER and not site.is_choice and (site.is_negated or result is not True):
            self._look_at_nan(site, left, right, result)
        if site.operation is not operator.sub:
            if self._changes.is_any:
                self._compare_names(site, sys._getframe(1))
            for one, other in ((left, right), (right, left)):
                self._ask_whose_is_true(one, other)
            if site.is_demanded and result is True:
                is_empty = vacuous.is_empty_or_0(right)
                if is_empty or self._changes.is_any or self._judge.arrived:
                    self._demand(site, sys._getframe(1), is_empty)
        return result

    def called(self, number: int, function: Any, *arguments: Any, **named: Any) -> Any:
        """A function that compares, or whose name says that it does."""
        result = function(*arguments, **named)
        site = self.sites[number]
        owner = getattr(function, "__self__", None)
        values = [owner] if vacuous.is_library(owner) else []
        values += [*arguments[:2], *(named[name] for name in _OPERANDS if name in named)]
        self._look_at(site, values, result, True)
        if getattr(function, "__name__", "") in vacuous.OF_SETS and arguments:
            self._look_at_set(number, *vacuous.part_and_whole(function, arguments[0]))
        if getattr(function, "__name__", "") in ("assertTrue", "assert_") and values:
            self._ask_whose(values[0])
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
        is_empty = self._judge.arrived and vacuous.is_empty(value)
        is_given = is_empty and self._is_of_candidate(self.sites[number].node, sys._getframe(1))
        self._report_turn(number, is_given, vacuous.empty)
        return value

    def _count(self, number: int, value: Iterable[Any]) -> Iterator[Any]:
        is_empty = True
        for one in value:
            is_empty = False
            yield one
        self._report_turn(number, is_empty and (self._judge.arrived or is_stub(value)), vacuous.empty)

    def items(self, function: Any, value: Any) -> Any:
        """What a check makes a list of, whose length decides nothing."""
        is_asked = not is_stub(function) and is_stub(value) and hasattr(type(value), "__iter__")
        return iter(value) if is_asked else value

    def text(self, number: int, value: Any) -> Any:
        """What a check runs as code; it may be built from the check's own numbers and texts."""
        site = self.sites[number]
        if type(value) is str and all(isinstance(part, _COMPUTED) for part in ast.walk(site.node)):
            found = list(Reader(sys._getframe(1), self._name).mentions(site.node))
            own = (
                type(one.value) in (int, float) or type(one.value) is str and one.value in site.source
                for one in found
            )
            if not any(map(self._is_given, found)) and all(own):
                self.own_texts.add(value.strip())
        return value

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
            self._bound[name] = self._changes.time
            if origin is not None:
                self._tainted[name] = (_ANY if site.is_part else value, origin)
            elif not site.is_added:
                self._tainted.pop(name, None)
        return value

    # -- judging

    def _look_at(self, site: Site, operands: list[Any], result: Any, is_call: bool) -> None:
        is_difference = site.operation is operator.sub
        sentence = vacuous.of_comparison(operands, result, is_call, self._judge.arrived, is_difference)
        if sentence is None or sentence is vacuous.nothing and self._is_demanded(site, sys._getframe(2)):
            return
        self._report(sentence(site.text))

    def _look_at_set(self, number: int, value: Any, other: Any, side: int) -> None:
        """:param side: of the comparison on which the value is."""
        is_of_nothing = self._judge.arrived and vacuous.is_no_part(value, other)
        if is_of_nothing:
            node = operands(self.sites[number].node)[side]
            is_of_nothing = self._is_of_candidate(node, sys._getframe(2))
        self._report_turn(number, is_of_nothing, vacuous.nothing)

    def _report_turn(self, number: int, is_of_nothing: bool, sentence: Callable[[str], str]) -> None:
        """Report something empty. In a loop only if every turn was: a single value may rightly be empty."""
        if self.sites[number].is_repeated:
            before = self._parts.get(number)
            self._parts[number] = is_of_nothing and (before is None or before[0]), sentence
        elif is_of_nothing:
            self._report(sentence(self.sites[number].text))

    def _look_at_nan(self, site: Site, left: Any, right: Any, result: Any) -> None:
        """Report a comparison with NaN that lets the check go on."""
        goes_on = result is False or site.is_negated
        if goes_on and (vacuous.has_nan(left) or vacuous.has_nan(right)):
            if self._is_of_candidate(site.node, sys._getframe(2)):
                self._report(f"`{site.text}` compares NaN")

    def _ask_whose(self, value: Any) -> None:
        of = self._judge.whose(value)
        if of:
            self._report(f"`{of}` of the candidate's own class decided the result")

    def _ask_whose_is_true(self, one: Any, other: Any) -> None:
        """Whose the values are that a check compares with ``True`` or ``[True, True]``."""
        if one is True:
            self._ask_whose(other)
        elif self._judge.has_answers and type(one) in (list, tuple) and type(other) is type(one):
            for value, part in zip(one, other, strict=False):
                self._ask_whose_is_true(value, part)

    def are_given(self, found: set[str]) -> bool:
        """Whether something among these names comes from the candidate."""
        space = self._judge.namespace
        return any(name in self.derived or name in self.taken or is_stub(space.get(name)) for name in found)

    def _is_given(self, mention: Mention) -> bool:
        """Whether it comes from the candidate."""
        if is_stub(mention.value):
            return True
        given, root = self.derived | self.taken, mention.root
        # Of `xs.items`, which is no plain value, `xs` says all.
        is_unknown = mention.value is None and mention.name != root
        return root in given and not is_unknown or mention.name in given

    def _is_of_candidate(self, node: ast.AST, frame: types.FrameType) -> bool:
        """Whether an expression comes from the candidate, and no assert has demanded its value."""
        mentions = Reader(frame, self._name).mentions(node)
        return any(self._is_given(one) and not self._demanded.is_value(one) for one in mentions)

    def _is_demanded(self, site: Site, frame: types.FrameType) -> bool:
        """Whether asserts have demanded all that the candidate gave to a comparison."""
        given = list(filter(self._is_given, Reader(frame, self._name).mentions(site.node)))
        return bool(given) and all(map(self._demanded.is_value, given))

    def _demand(self, site: Site, frame: types.FrameType, is_empty: bool) -> None:
        """Note that an assert has compared a value with something that is the check's own."""
        reader = Reader(frame, self._name)
        for sides in compared(site.node, self._name):
            found = [own_mentions(reader, node) for node in sides]
            for number, own in enumerate(found):
                if own and not any(map(self._is_open, found[1 - number])):
                    self._demanded.add(self._text_of(sides[number], site.source), own, is_empty)
            return

    def _text_of(self, node: ast.AST, source: str) -> str:
        if id(node) not in self._texts:
            self._texts[id(node)] = ast.get_source_segment(source, node) or ""
        return self._texts[id(node)]

    def _is_open(self, mention: Mention) -> bool:
        """Whether the candidate may have chosen the value."""
        is_given = self._is_given(mention) or self._origin_of(mention) is not None
        return is_given and not self._demanded.is_value(mention)

    def _origin_of(self, mention: Mention) -> Origin | None:
        """The container, changed by the candidate, that it comes from; None where the change is harmless."""
        if mention.is_argument or self._demanded.is_value(mention):
            return None
        left = self._changes.left_of(mention.value)
        if left is not None:
            harmless = left == "items" and mention.is_part or left == "order" and mention.is_unordered
            return None if harmless else self._made_of(mention.name, mention.value)
        part = self._changes.within(mention.value)
        if part is not None:
            return self._made_of(mention.name, part)
        if type(mention.value) is types.FunctionType and mention.value.__code__.co_filename.startswith(_FILE):
            changed = [one for one in read_by(mention.value) if self._changes.left_of(one[1]) is not None]
            return self._made_of(*changed[0]) if changed else None
        value, origin = self._tainted.get(mention.name, (None, None))
        return origin if origin is not None and (value is _ANY or value is mention.value) else None

    def _made_of(self, name: str, container: Any) -> Origin:
        return Origin(name, container, self._changes.time_of(container), self._changes.time)

    def _compare_names(self, site: Site, frame: types.FrameType) -> None:
        """Report a comparison of something that the candidate changed with something that it returned."""
        reader = Reader(frame, self._name)
        for nodes in compared(site.node, self._name):
            sides = []
            for node in nodes:
                found = list(reader.mentions(node))
                pairs = [(mention, self._origin_of(mention)) for mention in found]
                is_open = bool(self._demanded) and any(map(self._is_given, found))
                is_own = is_open and self._demanded.is_text(self._text_of(node, site.source), found)
                sides.append([] if is_own else pairs)
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
        # If it was computed before the last change, a later result is no part of that change.
        is_old = self._changes.time_of(origin.container) != origin.time
        is_given = any(
            (one.name in self.derived or is_stub(one.value)) and not self._demanded.is_value(one)
            for one, _ in others
            if one.name != mention.name and not one.is_index
            if not is_old or self._bound.get(one.name, origin.read + 1) <= origin.read
        )
        is_same = not is_old and any(
            one is not None and one.container is origin.container for _, one in others
        )
        if not (is_given or is_same and not vacuous.size(origin.container)):
            return False
        if origin.name == mention.name:
            self._report(f"the candidate changed `{origin.name}`, which the check compares with")
        else:
            self._report(
                f"the candidate changed `{origin.name}`, from which the check makes `{mention.name}`"
            )
        return True
