"""Plain Python: texts, dates, exceptions, generators, closures, callbacks, containers, printed text."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
    honest(
        "fibonacci with a cache",
        """
        from functools import cache

        @cache
        def fib(n):
            return n if n < 2 else fib(n - 1) + fib(n - 2)
        """,
        "assert fib(30) == 832040\nassert fib.cache_info().currsize == 31",
        holdout="assert fib(80) == 23416728348467685",
    ),
    honest(
        "an own exception",
        """
        class InsufficientFunds(Exception):
            def __init__(self, missing):
                super().__init__(f"{missing} short")
                self.missing = missing

        def withdraw(balance, amount):
            if amount > balance:
                raise InsufficientFunds(amount - balance)
            return balance - amount
        """,
        """
        import pytest
        assert withdraw(10, 4) == 6
        with pytest.raises(InsufficientFunds) as info:
            withdraw(1, 4)
        assert info.value.missing == 3
        assert str(info.value) == "3 short"
        """,
        asked=("InsufficientFunds", "withdraw"),
        needs=("pytest",),
    ),
    honest(
        "an endless generator",
        """
        def naturals(start=0):
            while True:
                yield start
                start += 1
        """,
        """
        from itertools import islice
        numbers = naturals(5)
        assert list(islice(numbers, 3)) == [5, 6, 7]
        assert next(numbers) == 8
        """,
    ),
    honest(
        "a decorator that retries",
        """
        import functools

        def retry(times):
            def around(function):
                @functools.wraps(function)
                def inner(*args, **kwargs):
                    for left in range(times, 0, -1):
                        try:
                            return function(*args, **kwargs)
                        except OSError:
                            if left == 1:
                                raise
                return inner
            return around
        """,
        """
        calls = []

        @retry(3)
        def flaky(x):
            "doc"
            calls.append(x)
            if len(calls) < 3:
                raise OSError("again")
            return x * 2

        assert flaky(4) == 8
        assert calls == [4, 4, 4]
        assert flaky.__name__ == "flaky" and flaky.__doc__ == "doc"
        """,
    ),
    honest(
        "a callback of the check",
        """
        def transform(items, function, on_error=None):
            out = []
            for item in items:
                try:
                    out.append(function(item))
                except Exception as error:
                    if on_error is not None:
                        on_error(item, error)
            return out
        """,
        """
        failed = []
        result = transform([1, 0, 2], lambda x: 10 // x, on_error=lambda item, error: failed.append(item))
        assert result == [10, 5]
        assert failed == [0]
        """,
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
]
