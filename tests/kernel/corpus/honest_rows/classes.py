"""Classes of one's own: operators, data classes, enums, named tuples, metaclasses, bases."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
    honest(
        "Vector with operators",
        """
        class Vector:
            def __init__(self, x, y):
                self.x, self.y = x, y
            def __add__(self, other): return Vector(self.x + other.x, self.y + other.y)
            def __mul__(self, k): return Vector(self.x * k, self.y * k)
            __rmul__ = __mul__
            def __abs__(self): return (self.x ** 2 + self.y ** 2) ** 0.5
            def __eq__(self, other): return (self.x, self.y) == (other.x, other.y)
            def __repr__(self): return f"Vector({self.x}, {self.y})"
        """,
        """
        v = 2 * (Vector(1, 2) + Vector(0.5, 0))
        assert (v.x, v.y) == (3.0, 4)
        assert repr(v) == "Vector(3.0, 4)"
        """,
        "assert abs(Vector(3, 4)) == 5.0\nassert Vector(1, 2) == Vector(1, 2)",
        asked=("Vector",),
        confirmed=False,
    ),
    honest(
        "Money that compares",
        """
        from functools import total_ordering

        @total_ordering
        class Money:
            def __init__(self, cents, currency="EUR"):
                self.cents, self.currency = cents, currency
            def _check(self, other):
                if self.currency != other.currency:
                    raise ValueError("different currencies")
            def __eq__(self, other):
                return (self.cents, self.currency) == (other.cents, other.currency)
            def __lt__(self, other):
                self._check(other)
                return self.cents < other.cents
            def __hash__(self): return hash((self.cents, self.currency))
        """,
        """
        import pytest
        assert Money(5) < Money(7) and Money(7) >= Money(7)
        assert len({Money(1), Money(1), Money(2)}) == 2
        with pytest.raises(ValueError, match="currencies"):
            Money(1) < Money(2, "CHF")
        """,
        needs=("pytest",),
        confirmed=False,
    ),
    honest(
        "a stack with a length",
        """
        class Stack:
            def __init__(self): self._items = []
            def push(self, item): self._items.append(item); return self
            def pop(self):
                if not self._items:
                    raise IndexError("empty stack")
                return self._items.pop()
            def __len__(self): return len(self._items)
        """,
        """
        import pytest
        s = Stack()
        s.push(1).push("two")
        assert s.pop() == "two"
        assert s.pop() == 1
        with pytest.raises(IndexError):
            s.pop()
        """,
        "s = Stack()\ns.push(0)\nassert len(s) == 1",
        needs=("pytest",),
        confirmed=False,
    ),
    honest(
        "nodes made by the check",
        """
        class Tree:
            def __init__(self, value, left=None, right=None):
                self.value, self.left, self.right = value, left, right

        def in_order(tree):
            return [] if tree is None else [*in_order(tree.left), tree.value, *in_order(tree.right)]

        def height(tree):
            return 0 if tree is None else 1 + max(height(tree.left), height(tree.right))
        """,
        """
        tree = Tree(4, Tree(2, Tree(1)), Tree(9))
        assert in_order(tree) == [1, 2, 4, 9]
        tree.right.right = Tree(11)
        assert in_order(tree)[-1] == 11 and height(tree) == 3
        """,
    ),
    honest(
        "LRU cache",
        """
        from collections import OrderedDict

        class LRU:
            def __init__(self, size): self.size, self.held = size, OrderedDict()
            def get(self, key, default=None):
                if key not in self.held:
                    return default
                self.held.move_to_end(key)
                return self.held[key]
            def put(self, key, value):
                self.held[key] = value
                self.held.move_to_end(key)
                if len(self.held) > self.size:
                    self.held.popitem(last=False)
        """,
        """
        cache = LRU(2)
        cache.put("a", 1); cache.put("b", 2)
        assert cache.get("a") == 1
        cache.put("c", 3)
        assert cache.get("b") is None and cache.get("c") == 3
        """,
    ),
    honest(
        "a data class",
        """
        from dataclasses import dataclass, field

        @dataclass(order=True)
        class Task:
            priority: int
            name: str = field(compare=False)
            tags: list = field(default_factory=list, compare=False)
        """,
        """
        import dataclasses
        task = Task(2, "write")
        assert dataclasses.asdict(task) == {"priority": 2, "name": "write", "tags": []}
        assert repr(task) == "Task(priority=2, name='write', tags=[])"
        assert Task(1, "x").tags is not Task(1, "x").tags
        """,
        "assert min([Task(3, 'c'), Task(1, 'a')]).name == 'a'",
        confirmed=False,
    ),
    honest(
        "make_dataclass with a namespace",
        """
        from dataclasses import make_dataclass

        def norm(self): return (self.x ** 2 + self.y ** 2) ** 0.5

        fields = [("x", float), ("y", float, 0.0)]
        Point = make_dataclass("Point", fields, namespace={"norm": norm})
        """,
        "assert Point(3, 4).norm() == 5.0\nassert Point(2).y == 0.0",
    ),
    honest(
        "a frozen data class as a key",
        """
        import dataclasses

        @dataclasses.dataclass(frozen=True, slots=True)
        class Cell:
            row: int
            column: int

            def neighbours(self):
                return {Cell(self.row + a, self.column + b) for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        """,
        """
        import dataclasses
        import pytest
        assert {(c.row, c.column) for c in Cell(0, 0).neighbours()} == {(0, 1), (1, 0), (0, -1), (-1, 0)}
        with pytest.raises(dataclasses.FrozenInstanceError):
            Cell(1, 1).row = 2
        """,
        needs=("pytest",),
        confirmed=False,
    ),
    honest(
        "an enum",
        """
        import enum

        class Color(enum.Enum):
            RED = "r"
            GREEN = "g"

            @classmethod
            def parse(cls, text):
                return cls[text.strip().upper()]
        """,
        """
        assert Color.parse(" red ") is Color.RED
        assert [c.name for c in Color] == ["RED", "GREEN"]
        assert Color("g").name == "GREEN"
        """,
    ),
    honest(
        "flags",
        """
        import enum

        class Access(enum.IntFlag):
            READ = 4
            WRITE = 2
            RUN = 1

        def mode(text):
            found = Access(0)
            for letter, flag in zip("rwx", (Access.READ, Access.WRITE, Access.RUN)):
                if letter in text:
                    found |= flag
            return found
        """,
        "assert mode('rw') == 6\nassert Access.READ in mode('r') and not mode('') & Access.RUN",
        confirmed=False,
    ),
    honest(
        "a named tuple",
        """
        from collections import namedtuple

        Reading = namedtuple("Reading", "station value", defaults=[0.0])

        def hottest(readings):
            return max(readings, key=lambda r: r.value)
        """,
        """
        readings = [Reading("a", 3.5), Reading("b", 9.0), Reading("c")]
        assert hottest(readings).station == "b"
        assert hottest(readings) == ("b", 9.0)
        assert Reading("c")._asdict() == {"station": "c", "value": 0.0}
        """,
    ),
    honest(
        "a typed named tuple",
        """
        from typing import NamedTuple

        class Span(NamedTuple):
            start: int
            end: int = 0

            @property
            def size(self):
                return self.end - self.start
        """,
        "start, end = Span(2, 9)\nassert (start, end) == (2, 9)\nassert Span(2, 9).size == 7",
        "assert Span(1)._replace(end=4).size == 3",
    ),
    honest(
        "a metaclass that registers",
        """
        class Registry(type):
            known = {}
            def __new__(meta, name, bases, space, **more):
                cls = super().__new__(meta, name, bases, space)
                meta.known[more.get("key", name.lower())] = cls
                return cls
            def __init__(cls, name, bases, space, **more): super().__init__(name, bases, space)

        class Shape(metaclass=Registry): pass

        class Circle(Shape, key="o"):
            def area(self, r): return 3 * r * r

        def make(key): return Registry.known[key]()
        """,
        "assert make('o').area(2) == 12\nassert sorted(Registry.known) == ['o', 'shape']",
        asked=("make", "Registry"),
    ),
    honest(
        "a class that the check inherits from",
        """
        class Plugin:
            found = []
            def __init_subclass__(cls, **kwargs):
                super().__init_subclass__(**kwargs)
                Plugin.found.append(cls.__name__)
            def run(self): return f"{type(self).__name__}: {self.work()}"
        """,
        """
        class Upper(Plugin):
            def work(self): return "up"

        assert Upper().run() == "Upper: up"
        assert Plugin.found == ["Upper"]
        """,
        asked=("Plugin",),
    ),
    honest(
        "an abstract base",
        """
        from abc import ABC, abstractmethod

        class Shape(ABC):
            @abstractmethod
            def area(self): ...

        class Square(Shape):
            def __init__(self, a): self.a = a
            def area(self): return self.a ** 2
        """,
        """
        import pytest
        assert Square(3).area() == 9 and isinstance(Square(1), Shape)
        with pytest.raises(TypeError, match="abstract"):
            Shape()
        """,
        needs=("pytest",),
    ),
    honest(
        "a protocol that the check implements",
        """
        from typing import Protocol, runtime_checkable

        @runtime_checkable
        class Sink(Protocol):
            def write(self, text: str) -> int: ...

        def emit(sink: Sink, rows) -> int:
            if not isinstance(sink, Sink):
                raise TypeError("no sink")
            return sum(sink.write(str(row)) for row in rows)
        """,
        """
        import io
        out = io.StringIO()
        assert emit(out, [10, 200]) == 5
        assert out.getvalue() == "10200"
        """,
    ),
]
