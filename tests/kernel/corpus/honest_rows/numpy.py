"""numpy and pandas: arrays, frames, changes in place, accessors, options, large data."""

from __future__ import annotations

from .. import Row, honest

SALES = """
import numpy as np
import pandas as pd
sales = pd.DataFrame({"region": ["n", "s", "n", "w"], "amount": [10.0, 2.0, 30.0, np.nan]})
sales["day"] = pd.date_range("2024-01-01", periods=4)
"""
NUMPY, PANDAS = ("numpy",), ("numpy", "pandas")


def row(name: str, candidate: str, *checks: str, setup: str = SALES, needs=PANDAS, **more) -> Row:
    return honest(name, candidate, *checks, setup=setup, needs=needs, **more)


def array(name: str, candidate: str, *checks: str, **more) -> Row:
    return honest(
        name, candidate, *checks, setup=more.pop("setup", "import numpy as np"), needs=NUMPY, **more
    )


ROWS: list[Row] = [
    array(
        "softmax",
        """
        def softmax(x, axis=-1):
            e = np.exp(x - x.max(axis=axis, keepdims=True))
            return e / e.sum(axis=axis, keepdims=True)
        """,
        """
        p = softmax(np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]]))
        np.testing.assert_allclose(p.sum(axis=1), [1, 1])
        assert p.shape == (2, 3) and np.allclose(p[1], 1 / 3)
        """,
        holdout="assert np.isfinite(softmax(np.array([1e5, 0.0]))).all()",
    ),
    array(
        "an array changed in place",
        "def clip_outliers(a, k=2):\n    limit = k * a.std()\n    np.clip(a, -limit, limit, out=a)",
        """
        a = np.array([0.0, 1, -1, 50])
        view = a[:2]
        assert clip_outliers(a, k=1) is None
        assert a[3] < 30 and view[1] == 1.0
        """,
    ),
    array(
        "a seeded simulation",
        """
        def simulate(n, seed):
            rng = np.random.default_rng(seed)
            return rng.normal(size=n).cumsum()
        """,
        """
        a, b = simulate(100, seed=7), simulate(100, seed=7)
        assert np.array_equal(a, b) and not np.array_equal(a, simulate(100, seed=8))
        assert len(a) == 100
        """,
    ),
    array(
        "the global seed of numpy",
        "np.random.seed(0)\ndef sample(n): return np.random.rand(n)",
        "x = sample(3)\nassert x.shape == (3,) and ((0 <= x) & (x < 1)).all()",
    ),
    array(
        "a structured array",
        """
        people = np.array([("Ada", 36), ("Alan", 41)], dtype=[("name", "U10"), ("age", "i4")])
        oldest = people[people["age"].argmax()]["name"]
        """,
        "assert oldest == 'Alan'\nassert people['age'].sum() == 77 and people.dtype.names == ('name', 'age')",
    ),
    array(
        "masked values",
        "def mean_valid(x): return np.ma.masked_invalid(x).mean()",
        "assert mean_valid(np.array([1.0, np.nan, 3.0])) == 2.0",
    ),
    array(
        "a subclass of ndarray",
        """
        class Signal(np.ndarray):
            def __new__(cls, values, rate):
                made = np.asarray(values, float).view(cls)
                made.rate = rate
                return made
            def __array_finalize__(self, other): self.rate = getattr(other, "rate", None)
            def seconds(self): return self.size / self.rate
        """,
        "s = Signal([1, 2, 3, 4], rate=2)\nassert s.seconds() == 2.0\nassert s[:2].rate == 2",
        "assert float(Signal([1, 3], 1).sum()) == 4.0",
        confirmed=False,
    ),
    array(
        "a vectorised function",
        "@np.vectorize\ndef tax(income):\n    return 0 if income < 10 else (income - 10) * 0.2",
        "np.testing.assert_allclose(tax([5, 10, 20]), [0, 0, 2])",
    ),
    array(
        "linear algebra",
        """
        def fit(x, y):
            a = np.column_stack([x, np.ones_like(x)])
            solution, *_ = np.linalg.lstsq(a, y, rcond=None)
            return solution
        """,
        """
        slope, offset = fit(np.arange(4.0), 2 * np.arange(4.0) + 1)
        assert abs(slope - 2) < 1e-9 and round(offset, 6) == 1
        """,
    ),
    array(
        "200 MB of numbers",
        "big = np.arange(25_000_000, dtype='f8')\ntotal = big.sum()",
        "assert big.nbytes == 200_000_000\nassert total == 25_000_000 * 24_999_999 / 2",
        "assert big[-1] == 24_999_999 and big.max() == big[-1]",
        slow=True,
    ),
    array(
        "a memory map that is read",
        "data = np.memmap('numbers.bin', dtype='i4', mode='r')\ntop = int(data[-10:].max())",
        "assert top == 99 and data.shape == (100,)",
        setup="import numpy as np\nnp.arange(100, dtype='i4').tofile('numbers.bin')",
    ),
    row(
        "totals by region",
        "totals = sales.groupby('region')['amount'].sum()",
        """
        wanted = pd.Series([40.0, 2.0, 0.0], list("nsw"), name="amount")
        pd.testing.assert_series_equal(totals, wanted, check_names=False)
        assert totals["n"] == 40 and list(totals.index) == ["n", "s", "w"]
        """,
    ),
    row(
        "a new column in the user's frame",
        "sales['share'] = sales['amount'] / sales['amount'].sum()",
        "assert 'share' in sales.columns\nassert abs(sales['share'].sum() - 1) < 1e-12",
        own=("sales",),
    ),
    row(
        "a function that changes a frame in place",
        """
        def add_tax(frame, rate):
            frame["gross"] = frame["amount"] * (1 + rate)
            frame.drop(columns="day", inplace=True)
        """,
        """
        mine = sales.copy()
        add_tax(mine, 0.5)
        assert list(mine.columns) == ["region", "amount", "gross"]
        assert mine["gross"].iloc[0] == 15.0 and "gross" not in sales
        """,
    ),
    row(
        "rows dropped in place",
        "sales.dropna(inplace=True)\nsales.reset_index(drop=True, inplace=True)",
        "assert len(sales) == 3 and sales['amount'].notna().all()\nassert sales.index.tolist() == [0, 1, 2]",
        own=("sales",),
    ),
    row(
        "a new method on DataFrame",
        "def top(self, n=1): return self.nlargest(n, 'amount')\npd.DataFrame.top = top",
        "assert sales.top()['amount'].tolist() == [30.0]\nassert len(sales.top(2)) == 2",
    ),
    row(
        "an accessor",
        """
        @pd.api.extensions.register_dataframe_accessor("clean")
        class Clean:
            def __init__(self, frame): self._frame = frame
            def full(self): return self._frame.dropna()
            @property
            def gaps(self): return int(self._frame.isna().sum().sum())
        """,
        "assert sales.clean.gaps == 1\nassert len(sales.clean.full()) == 3",
    ),
    row(
        "a pivot",
        "wide = sales.pivot_table(index='region', values='amount', aggfunc=['sum', 'count'])",
        """
        assert wide[('sum', 'amount')].to_dict() == {'n': 40.0, 's': 2.0, 'w': 0.0}
        assert wide.shape == (3, 2)
        """,
    ),
    row(
        "dates of a frame",
        "by_weekday = sales.assign(weekday=sales['day'].dt.day_name()).set_index('weekday')['amount']",
        "assert by_weekday['Monday'] == 10.0\nassert by_weekday.index[0] == 'Monday'",
        "assert sales['day'].max() - sales['day'].min() == pd.Timedelta(days=3)",
    ),
    row(
        "a merge",
        """
        names = pd.DataFrame({"region": ["n", "s"], "name": ["North", "South"]})
        joined = sales.merge(names, on="region", how="left")
        """,
        "assert joined['name'].fillna('?').tolist() == ['North', 'South', 'North', '?']",
        holdout="assert joined.shape == (4, 4)",
    ),
    row(
        "apply with a function of the check",
        "def per_region(frame, f): return {k: f(g) for k, g in frame.groupby('region')['amount']}",
        "assert per_region(sales, len) == {'n': 2, 's': 1, 'w': 1}\n"
        "assert per_region(sales, lambda g: g.iloc[0])['n'] == 10.0",
    ),
    row(
        "categories",
        """
        sizes = pd.Categorical(['s', 'l', 's'], categories=['s', 'm', 'l'], ordered=True)
        largest = sizes.max()
        """,
        """
        assert largest == 'l' and sizes.codes.tolist() == [0, 2, 0]
        assert list(sizes.categories) == ['s', 'm', 'l']
        """,
    ),
    row(
        "a multi index",
        "table = sales.set_index(['region', 'day']).sort_index()",
        "assert table.loc['n']['amount'].tolist() == [10.0, 30.0]\nassert table.index.nlevels == 2",
    ),
    row(
        "display options on request",
        "pd.set_option('display.max_rows', 7)",
        "assert pd.get_option('display.max_rows') == 7",
    ),
    row(
        "a million rows",
        "frame = pd.DataFrame({f'c{i}': np.arange(1_000_000) + i for i in range(8)})",
        "assert frame.shape == (1_000_000, 8)\nassert frame['c7'].iloc[-1] == 1_000_006",
        "assert frame.sum().is_monotonic_increasing",
        slow=True,
    ),
    row(
        "a styled table",
        "styled = sales.style.format({'amount': '{:.1f}'})",
        "assert '30.0' in styled.to_html()",
        needs=(*PANDAS, "jinja2"),
    ),
    row(
        "an own subclass of DataFrame",
        """
        class Ledger(pd.DataFrame):
            @property
            def _constructor(self): return Ledger
            def balance(self): return self["amount"].sum()
        """,
        "ledger = Ledger(sales)\nassert ledger.balance() == 42.0\nassert isinstance(ledger.head(1), Ledger)",
        confirmed=False,
    ),
]
