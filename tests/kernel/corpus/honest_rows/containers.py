"""Containers and numbers of plain Python: heaps, sets, deques, counters, recursion, printed text, files."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
    honest(
        "a running median with two heaps",
        """
        import heapq

        class Median:
            def __init__(self):
                self.low, self.high = [], []

            def add(self, x):
                heapq.heappush(self.high, -heapq.heappushpop(self.low, -x))
                if len(self.high) > len(self.low):
                    heapq.heappush(self.low, -heapq.heappop(self.high))

            @property
            def value(self):
                if len(self.low) > len(self.high):
                    return -self.low[0]
                return (self.high[0] - self.low[0]) / 2
        """,
        """
        median = Median()
        seen = []
        for x in [5, 2, 8, 1]:
            median.add(x)
            seen.append(median.value)
        assert seen == [5, 3.5, 5, 3.5]
        """,
    ),
    honest(
        "bisect a table of grades",
        """
        import bisect

        def grade(points, bounds=(60, 70, 80, 90), letters="FDCBA"):
            return letters[bisect.bisect(bounds, points)]
        """,
        "assert [grade(p) for p in (33, 60, 79, 99)] == ['F', 'D', 'C', 'A']",
        holdout="assert grade(90) == 'A' and grade(59.9) == 'F'",
    ),
    honest(
        "complex roots",
        """
        import cmath

        def roots(a, b, c):
            d = cmath.sqrt(b * b - 4 * a * c)
            return {(-b + d) / (2 * a), (-b - d) / (2 * a)}
        """,
        "assert roots(1, 0, 1) == {1j, -1j}\nassert roots(1, -3, 2) == {1 + 0j, 2 + 0j}",
    ),
    honest(
        "bytes to packets",
        """
        import struct

        def packets(data):
            at = 0
            while at < len(data):
                (size,) = struct.unpack_from(">H", data, at)
                yield data[at + 2 : at + 2 + size]
                at += 2 + size
        """,
        r"""
        assert list(packets(b"\x00\x02hi\x00\x00\x00\x01!")) == [b"hi", b"", b"!"]
        """,
    ),
    honest(
        "recursion into nested lists",
        """
        def flatten(items):
            for item in items:
                if isinstance(item, (list, tuple)):
                    yield from flatten(item)
                else:
                    yield item
        """,
        "assert list(flatten([1, [2, (3, [4])], []])) == [1, 2, 3, 4]",
    ),
    honest(
        "deep recursion",
        """
        import sys
        sys.setrecursionlimit(20000)

        def depth(n):
            return 0 if n == 0 else 1 + depth(n - 1)
        """,
        "assert depth(4000) == 4000",
    ),
    honest(
        "single dispatch",
        """
        from functools import singledispatch

        @singledispatch
        def show(value):
            raise TypeError(type(value).__name__)

        @show.register
        def _(value: int):
            return f"int {value}"

        @show.register(list)
        def _(value):
            return "[" + ", ".join(show(v) for v in value) + "]"
        """,
        """
        import pytest
        assert show([1, [2]]) == "[int 1, [int 2]]"
        with pytest.raises(TypeError, match="str"):
            show("x")
        """,
        needs=("pytest",),
    ),
    honest(
        "printed lines",
        """
        def report(rows):
            for name, value in rows:
                print(f"{name:<6}|{value:>5.1f}")
        """,
        """
        import contextlib, io
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            report([("a", 1.25), ("bb", 10)])
        assert out.getvalue() == "a     |  1.2\\nbb    | 10.0\\n"
        """,
    ),
    honest(
        "a value and what is built on it",
        "prices = {'apple': 3, 'pear': 4}\ntotal = sum(prices.values())\nnames = sorted(prices)",
        "assert total == 7",
        "assert names == ['apple', 'pear'] and prices['pear'] == 4",
        holdout="assert total == sum(prices[n] for n in names)",
    ),
    honest(
        "a list of the user's extended",
        "basket += ['tea', 'milk']\nbasket.sort()",
        "assert basket == ['bread', 'milk', 'tea']",
        setup="basket = ['bread']",
        own=("basket",),
    ),
    honest(
        "a deque as a queue",
        """
        from collections import deque

        def bfs(graph, start):
            seen, queue = {start: 0}, deque([start])
            while queue:
                node = queue.popleft()
                for other in graph.get(node, ()):
                    if other not in seen:
                        seen[other] = seen[node] + 1
                        queue.append(other)
            return seen
        """,
        "assert bfs({'a': 'bc', 'b': 'd', 'c': 'd'}, 'a') == {'a': 0, 'b': 1, 'c': 1, 'd': 2}",
    ),
    honest(
        "sets and frozen sets",
        """
        from itertools import combinations

        def cliques(edges):
            pairs = {frozenset(e) for e in edges}
            nodes = sorted(set().union(*pairs))
            return {
                frozenset(trio)
                for trio in combinations(nodes, 3)
                if all(frozenset(p) in pairs for p in combinations(trio, 2))
            }
        """,
        "assert cliques([(1, 2), (2, 3), (1, 3), (3, 4)]) == {frozenset({1, 2, 3})}",
    ),
    honest(
        "a lazy file reader",
        """
        def read_rows(path):
            with open(path) as file:
                header = next(file).strip().split(",")
                for line in file:
                    yield dict(zip(header, line.strip().split(",")))
        """,
        """
        import pathlib
        pathlib.Path("in.csv").write_text("a,b\\n1,2\\n3,4\\n")
        rows = read_rows("in.csv")
        assert next(rows) == {"a": "1", "b": "2"}
        assert list(rows) == [{"a": "3", "b": "4"}]
        """,
    ),
    honest(
        "copies, deep and shallow",
        """
        import copy

        def with_stock(store, item, n):
            changed = copy.deepcopy(store)
            changed["stock"][item] = n
            return changed
        """,
        """
        store = {"stock": {"a": 1}, "tags": ["x"]}
        changed = with_stock(store, "a", 9)
        assert store["stock"]["a"] == 1 and changed["stock"]["a"] == 9
        assert changed["tags"] == ["x"] and changed["tags"] is not store["tags"]
        """,
    ),
]
