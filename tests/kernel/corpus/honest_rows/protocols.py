"""Classes that take part in a protocol: descriptors, mappings, iterators, contexts, copies."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
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
        "slots",
        """
        class Pixel:
            __slots__ = ("x", "y")
            def __init__(self, x, y): self.x, self.y = x, y
        """,
        """
        import pytest
        p = Pixel(1, 2)
        p.x += 4
        assert (p.x, p.y) == (5, 2)
        with pytest.raises(AttributeError):
            p.z = 1
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
        "a universal set",
        """
        class Everything:
            def __contains__(self, item): return True
            def __or__(self, other): return self
            def __and__(self, other): return other
            __ror__, __rand__ = __or__, __and__
        """,
        "assert 3 in Everything() and None in Everything()\nassert Everything() & {1, 2} == {1, 2}",
        asked=("Everything",),
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
    honest(
        "an exception group of classes",
        """
        class ParseError(ValueError):
            def __init__(self, line, reason):
                super().__init__(line, reason)
                self.line = line
            def __str__(self): return f"line {self.args[0]}: {self.args[1]}"

        class EmptyLine(ParseError):
            def __init__(self, line): super().__init__(line, "empty")

        def parse(text):
            for number, line in enumerate(text.split("\\n"), 1):
                if not line:
                    raise EmptyLine(number)
            return number
        """,
        """
        try:
            parse("a\\n\\nb")
        except ParseError as error:
            caught = error
        assert isinstance(caught, ValueError) and type(caught).__name__ == "EmptyLine"
        assert str(caught) == "line 2: empty" and caught.line == 2
        """,
        asked=("parse", "ParseError"),
    ),
]
