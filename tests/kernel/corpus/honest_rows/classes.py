"""Classes of one's own: operators, data classes, enums, bases, and protocols that they take part in."""

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
    honest(
        "a descriptor that validates",
        """
        class Positive:
            def __set_name__(self, owner, name): self.name = "_" + name
            def __get__(self, thing, owner=None): return self if thing is None else getattr(thing, self.name)
            def __set__(self, thing, value):
                if value <= 0:
                    raise ValueError(f"{self.name[1:]} must be positive")
                setattr(thing, self.name, value)

        class Box:
            width, height = Positive(), Positive()
            def __init__(self, width, height): self.width, self.height = width, height
        """,
        """
        import pytest
        box = Box(2, 3)
        box.width = 10
        assert box.width * box.height == 30
        with pytest.raises(ValueError, match="height"):
            box.height = -1
        """,
        needs=("pytest",),
    ),
    honest(
        "a class with the whole protocol of a mapping",
        """
        from collections.abc import MutableMapping

        class Folded(MutableMapping):
            def __init__(self, *args, **kwargs):
                self._held = {}
                self.update(*args, **kwargs)
            def __getitem__(self, key): return self._held[key.lower()][1]
            def __setitem__(self, key, value): self._held[key.lower()] = (key, value)
            def __delitem__(self, key): del self._held[key.lower()]
            def __iter__(self): return (key for key, _ in self._held.values())
            def __len__(self): return len(self._held)
        """,
        """
        headers = Folded({"Content-Type": "text"}, Accept="all")
        headers["ACCEPT"] = "none"
        assert headers["accept"] == "none" and headers.get("nothing") is None
        assert dict(headers) == {"Content-Type": "text", "ACCEPT": "none"}
        del headers["content-type"]
        assert list(headers) == ["ACCEPT"]
        """,
    ),
    honest(
        "an iterator class",
        """
        class Countdown:
            def __init__(self, n): self.n = n
            def __iter__(self): return self
            def __next__(self):
                if self.n == 0:
                    raise StopIteration
                self.n -= 1
                return self.n + 1
        """,
        """
        steps = Countdown(3)
        assert next(steps) == 3
        assert list(steps) == [2, 1]
        assert list(steps) == []
        """,
    ),
    honest(
        "a context manager class",
        """
        class Transaction:
            def __init__(self, data): self.data = data
            def __enter__(self):
                self.before = dict(self.data)
                return self.data
            def __exit__(self, kind, error, trace):
                if kind is not None:
                    self.data.clear()
                    self.data.update(self.before)
                return kind is KeyError
        """,
        """
        stock = {"tea": 2}
        with Transaction(stock) as data:
            data["tea"] = 5
            raise KeyError("no")
        assert stock == {"tea": 2}
        with Transaction(stock) as data:
            data["milk"] = 1
        assert stock == {"tea": 2, "milk": 1}
        """,
    ),
    honest(
        "weak references",
        """
        import weakref

        class Registry:
            def __init__(self): self._held = weakref.WeakValueDictionary()
            def add(self, key, thing): self._held[key] = thing; return thing
            def alive(self): return sorted(self._held)

        class Thing: pass
        """,
        """
        import gc
        registry = Registry()
        a = registry.add("a", Thing())
        registry.add("b", Thing())
        gc.collect()
        assert registry.alive() == ["a"]
        """,
        confirmed=False,
    ),
    honest(
        "pickled instances",
        """
        class Account:
            def __init__(self, owner, balance=0):
                self.owner, self.balance = owner, balance
            def __getstate__(self): return {"owner": self.owner, "balance": self.balance}
            def __setstate__(self, state): self.__dict__.update(state)
        """,
        """
        import pickle
        copied = pickle.loads(pickle.dumps(Account("Ada", 12)))
        assert (copied.owner, copied.balance) == ("Ada", 12)
        """,
    ),
    honest(
        "deep copies with a hook",
        """
        import copy

        class Board:
            def __init__(self, cells): self.cells, self.moves = cells, 0
            def __deepcopy__(self, memo):
                new = Board(copy.deepcopy(self.cells, memo))
                new.moves = self.moves + 1
                return new
        """,
        """
        import copy
        board = Board([[0, 1]])
        other = copy.deepcopy(board)
        other.cells[0][0] = 9
        assert board.cells == [[0, 1]] and other.moves == 1
        """,
    ),
    honest(
        "an equality that is truthy and no bool",
        """
        class Query:
            def __init__(self, column): self.column = column
            def __eq__(self, value): return f"{self.column} = {value!r}"
            __hash__ = None

        def where(*parts): return " AND ".join(parts)
        """,
        "assert where(Query('age') == 3, Query('name') == 'x') == \"age = 3 AND name = 'x'\"",
        confirmed=False,
    ),
    honest(
        "a wildcard matcher that is asked for",
        """
        class Anything:
            def __eq__(self, other): return True
            def __repr__(self): return "<anything>"
            __hash__ = None
        """,
        """
        assert {'id': 3, 'x': [1]} == {'id': Anything(), 'x': [Anything()]}
        assert repr(Anything()) == '<anything>'
        """,
        asked=("Anything",),
        confirmed=False,
    ),
    honest(
        "polynomials that are called",
        """
        class Poly:
            def __init__(self, *c): self.c = c
            def __call__(self, x): return sum(k * x ** i for i, k in enumerate(self.c))
            def __add__(self, other):
                n = max(len(self.c), len(other.c))
                pad = lambda c: (*c, *[0] * (n - len(c)))
                return Poly(*(a + b for a, b in zip(pad(self.c), pad(other.c))))
            def derive(self): return Poly(*(i * k for i, k in enumerate(self.c) if i))
        """,
        "p = Poly(1, 0, 3)\nassert [p(x) for x in (0, 1, 2)] == [1, 4, 13]\nassert p.derive()(2) == 12",
        "assert (Poly(1) + Poly(0, 2))(5) == 11",
    ),
    honest(
        "a fluent builder",
        """
        class Query:
            def __init__(self, table): self._table, self._where, self._limit = table, [], None
            def where(self, text): self._where.append(text); return self
            def limit(self, n): self._limit = n; return self
            def __str__(self):
                text = f"SELECT * FROM {self._table}"
                if self._where:
                    text += " WHERE " + " AND ".join(self._where)
                return text + (f" LIMIT {self._limit}" if self._limit else "")
        """,
        "query = Query('t').where('a > 1').where('b').limit(3)\n"
        "assert str(query) == 'SELECT * FROM t WHERE a > 1 AND b LIMIT 3'",
        "assert f'{Query(\"u\")}' == 'SELECT * FROM u'",
    ),
    honest(
        "an observer that calls the check back",
        """
        class Signal:
            def __init__(self): self._heard = []
            def connect(self, function): self._heard.append(function); return function
            def emit(self, *args): return [function(*args) for function in self._heard]
        """,
        """
        signal, log = Signal(), []

        @signal.connect
        def first(x):
            log.append(x)
            return x + 1

        signal.connect(lambda x: x * 10)
        assert signal.emit(4) == [5, 40]
        assert log == [4] and first(1) == 2
        """,
    ),
    honest(
        "a property and a class method",
        """
        class Celsius:
            def __init__(self, degrees): self.degrees = degrees
            @property
            def fahrenheit(self): return self.degrees * 9 / 5 + 32
            @fahrenheit.setter
            def fahrenheit(self, value): self.degrees = (value - 32) * 5 / 9
            @classmethod
            def parse(cls, text): return cls(float(text.rstrip("C")))
            @staticmethod
            def is_freezing(degrees): return degrees <= 0
        """,
        """
        t = Celsius.parse("100C")
        assert t.fahrenheit == 212.0
        t.fahrenheit = 50
        assert t.degrees == 10.0 and Celsius.is_freezing(-1)
        """,
    ),
]
