"""What travels between a check and the candidate, and what a function changes in place."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
    honest(
        "rarer containers",
        """
        from collections import OrderedDict, deque
        from types import SimpleNamespace
        def last(xs, n): return deque(xs, maxlen=n)
        def by_name(**given): return OrderedDict(sorted(given.items()))
        def raw(text): return bytearray(text.encode())
        def point(x): return SimpleNamespace(x=x, y=0)
        """,
        """
        from collections import deque
        assert last([1, 2, 3], 2) == deque([2, 3]) and list(last([1], 2)) == [1]
        assert by_name(b=1, a=2) == {"a": 2, "b": 1} and list(by_name(b=1, a=2)) == ["a", "b"]
        assert raw("ab") == b"ab" and point(4).x == 4
        """,
    ),
    honest(
        "a decimal context of a check",
        """
        from decimal import Decimal, localcontext, ROUND_HALF_UP
        def cents(x): return Decimal(x).quantize(Decimal('0.01'), ROUND_HALF_UP)
        def third(): return Decimal(1)/3
        """,
        """
        from decimal import Decimal, localcontext
        assert cents('2.675') == Decimal('2.68') and str(cents('1')) == '1.00'
        with localcontext() as c:
            c.prec = 4
            assert third() == Decimal('0.3333')
        """,
    ),
    honest(
        "seeds of a check",
        """
        import random
        import numpy as np
        def roll(): return random.randint(1,1000)
        def nr(): return float(np.random.rand())
        """,
        """
        import random
        import numpy as np
        random.seed(5)
        a = roll()
        random.seed(5)
        assert a == random.randint(1,1000)
        np.random.seed(3)
        x = nr()
        np.random.seed(3)
        assert x == np.random.rand()
        """,
        needs=("numpy",),
    ),
    honest(
        "generators as arguments",
        """
        import numpy as np
        def noise(rng, n): return rng.normal(size=n)
        def legacy(rs): return rs.rand()
        def pick(r, xs): return r.choice(xs)
        """,
        """
        import numpy as np, random
        r = np.random.default_rng(1)
        a = noise(r, 3)
        b = noise(r, 3)
        assert not np.allclose(a, b)
        assert np.allclose(np.concatenate([a,b]), np.random.default_rng(1).normal(size=6))
        rs = np.random.RandomState(3)
        assert legacy(rs) == np.random.RandomState(3).rand()
        assert pick(random.Random(1), 'abc') == random.Random(1).choice('abc')
        """,
        needs=("numpy",),
    ),
    honest(
        "a name in a magic",
        """
        def f(x): return x*2
        """,
        """
        %time v = f(4)
        assert v == 8
        """,
    ),
    honest(
        "pytest.MonkeyPatch",
        """
        import os
        def home(): return os.environ.get('APP_HOME', '/opt')
        def cpu(): return os.cpu_count()*2
        """,
        """
        import pytest, os
        with pytest.MonkeyPatch.context() as m:
            m.setenv('APP_HOME','/x')
            m.setattr(os, 'cpu_count', lambda: 4)
            assert home() == '/x'
            assert cpu() == 8
        assert home() == '/opt'
        """,
    ),
    honest(
        "pytest.MonkeyPatch of the notebook",
        """
        def rate(): return 2.0
        def price(x): return x*rate()
        """,
        """
        import pytest, __main__
        with pytest.MonkeyPatch.context() as m:
            m.setattr(__main__, 'rate', lambda: 3.0)
            assert price(2) == 6.0
        assert price(2) == 4.0
        """,
    ),
    honest(
        "a mock with a specification",
        """
        class Db:
            def get(self, k): ...
        def show(db, k): return f'<{db.get(k)}>'
        """,
        """
        from unittest.mock import create_autospec, Mock
        db = Mock(spec=Db)
        db.get.return_value = 5
        assert show(db, 'a') == '<5>'
        db.get.assert_called_once_with('a')
        """,
    ),
    honest(
        "a coroutine of the check with a time limit",
        """
        import asyncio
        async def limited(coro, t):
            try: return await asyncio.wait_for(coro, t)
            except asyncio.TimeoutError: return 'timeout'
        """,
        """
        import asyncio
        async def slow(): await asyncio.sleep(5)
        async def fast(): return 1
        assert await limited(slow(), .05) == 'timeout'
        assert await limited(fast(), 1) == 1
        """,
    ),
    honest(
        "a task that the check cancels",
        """
        import asyncio
        log = []
        async def forever():
            try: await asyncio.sleep(100)
            except asyncio.CancelledError:
                log.append('cancelled'); raise
        """,
        """
        import asyncio
        t = asyncio.create_task(forever())
        await asyncio.sleep(.05)
        t.cancel()
        try:
            await t
        except asyncio.CancelledError:
            pass
        assert log == ['cancelled']
        """,
    ),
    honest(
        "a tree of objects of the notebook's class",
        """
        def total(n): return n.v + sum(map(total, n.kids))
        def root(n):
            while n.up is not None: n = n.up
            return n
        def add(n, v):
            k = Node(v)
            k.up = n
            n.kids.append(k)
            return k
        """,
        """
        t = Node(1, [Node(2), Node(3)])
        assert total(t) == 6
        assert root(t.kids[0]) is t
        k = add(t, 5)
        assert k.up is t and t.kids[-1] is k
        assert total(t) == 11
        """,
        setup="""
        class Node:
            def __init__(self, v, kids=()):
                self.v, self.kids, self.up = v, list(kids), None
                for k in self.kids: k.up = self
        """,
    ),
    honest(
        "signature and annotations",
        """
        def greet(name: str, *, loud: bool = False) -> str:
            'Greets.'
            return name.upper() if loud else name
        """,
        """
        import inspect, typing
        sig = inspect.signature(greet)
        assert sig.parameters['loud'].kind is inspect.Parameter.KEYWORD_ONLY
        assert sig.parameters['loud'].default is False
        assert sig.return_annotation is str
        assert sig.parameters['name'].annotation is str
        assert typing.get_type_hints(greet) == {'name': str, 'loud': bool, 'return': str}
        assert inspect.getdoc(greet) == 'Greets.'
        """,
    ),
    honest(
        "the source of a function",
        """
        def f(x):
            return sum(i for i in range(x))
        """,
        """
        import inspect
        assert f(4) == 6
        src = inspect.getsource(f)
        assert 'for' in src and 'while' not in src
        """,
    ),
    honest(
        "sorts in place",
        """
        def f(xs):
            xs.sort()
            return xs
        """,
        """
        xs=[3,1]
        assert f(xs) == [1,3]
        assert xs == [1,3]
        ys=[2,1]
        assert f(ys) == sorted(ys)
        assert f(ys) is ys
        expected=[1,2,3]
        zs=[3,1,2]
        f(zs)
        assert zs == expected
        assert zs == sorted(zs)
        """,
    ),
    honest(
        "adds a column in place",
        """
        def add(df):
            df['t'] = df.a * 2
            return df
        """,
        """
        import pandas as pd
        df = pd.DataFrame({'a':[1,2]})
        r = add(df)
        assert r is df
        assert (r['t'] == df['a'] * 2).all()
        assert (df.t == df.a + df.a).all()
        assert list(df.columns) == ['a','t']
        """,
        needs=("pandas",),
    ),
    honest(
        "empty on both sides",
        """
        import numpy as np
        def f(x): return x[x>5]
        """,
        """
        import numpy as np
        assert (f(np.array([1,2])) == np.array([])).all()
        assert np.array_equal(f(np.array([1,2])), [])
        assert all(x > 5 for x in f(np.array([1,7])))
        """,
        needs=("numpy",),
    ),
    honest(
        "missing on both sides",
        """
        import numpy as np, pandas as pd
        def f(): return pd.Series([1.0, None])
        def g(): return np.array([1, np.nan])
        """,
        """
        import numpy as np, pandas as pd
        pd.testing.assert_series_equal(f(), pd.Series([1.0, None]))
        np.testing.assert_allclose(g(), [1, np.nan])
        assert f().isna().tolist() == [False, True]
        assert np.isnan(g()[1])
        """,
        needs=("numpy", "pandas"),
    ),
]
