"""Functions of plain Python: texts, dates, exceptions, generators, closures, callbacks, changes in place."""

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
        "parse a log line",
        r"""
        import re

        LINE = re.compile(r"(?P<time>\S+) \[(?P<level>\w+)\] (?P<text>.*)")

        def parse(line):
            found = LINE.fullmatch(line)
            if found is None:
                raise ValueError(f"no log line: {line!r}")
            return found.groupdict()
        """,
        """
        import pytest
        assert parse("10:02 [WARN] disk full") == {"time": "10:02", "level": "WARN", "text": "disk full"}
        with pytest.raises(ValueError, match="no log line"):
            parse("hello")
        """,
        needs=("pytest",),
    ),
    honest(
        "dates across a change of clocks",
        """
        from datetime import datetime, timedelta
        from zoneinfo import ZoneInfo

        def hours_between(start, end, zone):
            a, b = (datetime.fromisoformat(t).replace(tzinfo=ZoneInfo(zone)) for t in (start, end))
            return (b.timestamp() - a.timestamp()) / 3600

        def next_day(text):
            return datetime.fromisoformat(text).date() + timedelta(days=1)
        """,
        """
        from datetime import date
        assert hours_between("2024-03-30T12:00", "2024-03-31T12:00", "Europe/Berlin") == 23
        assert next_day("2024-02-28T08:00") == date(2024, 2, 29)
        """,
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
        "a closure that counts",
        """
        def make_counter(step=1):
            total = 0

            def count():
                nonlocal total
                total += step
                return total

            return count
        """,
        """
        tick = make_counter(2)
        assert [tick(), tick(), tick()] == [2, 4, 6]
        assert make_counter()() == 1
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
        "an argument changed in place",
        """
        def rotate(matrix):
            n = len(matrix)
            for i in range(n):
                for j in range(i + 1, n):
                    matrix[i][j], matrix[j][i] = matrix[j][i], matrix[i][j]
            for row in matrix:
                row.reverse()
        """,
        """
        grid = [[1, 2], [3, 4]]
        inner = grid[0]
        assert rotate(grid) is None
        assert grid == [[3, 1], [4, 2]]
        assert grid[0] is inner
        """,
    ),
    honest(
        "a context manager",
        """
        import contextlib
        import time

        @contextlib.contextmanager
        def timer(label, log):
            start = time.perf_counter()
            try:
                yield label.upper()
            finally:
                log.append((label, time.perf_counter() - start))
        """,
        """
        log = []
        with timer("load", log) as name:
            assert name == "LOAD"
            assert log == []
        assert log[0][0] == "load" and 0 <= log[0][1] < 5
        """,
    ),
]
