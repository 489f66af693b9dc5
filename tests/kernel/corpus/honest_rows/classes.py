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
        "a stack with a length",
        """
        class Stack:
            def __init__(self): self._items = []
            def push(self, item): self._items.append(item)
            def pop(self): return self._items.pop()
            def __len__(self): return len(self._items)
        """,
        """
        s = Stack()
        assert not s
        s.push(3); s.push(1)
        assert len(s) == 2 and s
        """,
        "assert s.pop() == 1 and len(s) == 1",
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
        "an attribute that a check deletes",
        """
        class Cached:
            def __init__(self):
                self.n, self.sum = 2, 3
        """,
        """
        cached = Cached()
        del cached.sum
        assert not hasattr(cached, "sum") and cached.n == 2
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
