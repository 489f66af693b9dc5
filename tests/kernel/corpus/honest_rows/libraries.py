"""numpy, pandas and other libraries of data science, on tasks as notebooks have them."""

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
        "a structured array",
        """
        people = np.array([("Ada", 36), ("Alan", 41)], dtype=[("name", "U10"), ("age", "i4")])
        oldest = people[people["age"].argmax()]["name"]
        """,
        "assert oldest == 'Alan'\nassert people['age'].sum() == 77 and people.dtype.names == ('name', 'age')",
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
        "a multi index",
        "table = sales.set_index(['region', 'day']).sort_index()",
        "assert table.loc['n']['amount'].tolist() == [10.0, 30.0]\nassert table.index.nlevels == 2",
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
        "dates of a frame",
        "by_weekday = sales.assign(weekday=sales['day'].dt.day_name()).set_index('weekday')['amount']",
        "assert by_weekday['Monday'] == 10.0\nassert by_weekday.index[0] == 'Monday'",
        "assert sales['day'].max() - sales['day'].min() == pd.Timedelta(days=3)",
    ),
    row(
        "display options on request",
        "pd.set_option('display.max_rows', 7)",
        "assert pd.get_option('display.max_rows') == 7",
    ),
    honest(
        "polars, grouped",
        "totals = (\n    sales.group_by('region').agg(pl.col('amount').sum()).sort('region')\n)",
        "assert totals['amount'].to_list() == [40, 2]\nassert totals.shape == (2, 2)",
        "from polars.testing import assert_frame_equal\n"
        "assert_frame_equal(totals, pl.DataFrame({'region': ['n', 's'], 'amount': [40, 2]}))",
        setup="import polars as pl\nsales = pl.DataFrame({'region': ['n', 's', 'n'], 'amount': [10, 2, 30]})",
        needs=("polars",),
    ),
    honest(
        "matplotlib, the current figure",
        """
        plt.figure(figsize=(4, 3))
        plt.plot([1, 2, 3], [1, 4, 9], label='squares')
        plt.title('Growth')
        plt.legend()
        """,
        "assert plt.gca().get_title() == 'Growth'\nassert len(plt.gca().lines) == 1",
        "assert list(plt.gcf().get_size_inches()) == [4, 3]\nassert plt.gca().lines[0].get_ydata()[-1] == 9",
        setup="%config InlineBackend.close_figures = False\nimport matplotlib.pyplot as plt",
        needs=("matplotlib",),
    ),
    honest(
        "matplotlib, axes of the check",
        """
        def mark(axes, x):
            axes.axvline(x, color='red', label=f'at {x}')
            axes.set_title('marked')
            return axes
        """,
        """
        import matplotlib.pyplot as plt
        figure, axes = plt.subplots()
        assert mark(axes, 2) is axes
        assert axes.get_title() == "marked" and axes.lines[0].get_label() == "at 2"
        """,
        needs=("matplotlib",),
    ),
    honest(
        "scikit-learn, a fitted model",
        """
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)).fit(X, y)
        """,
        "assert model.score(X, y) > 0.9\nassert set(model.predict(X[:5])) <= {0, 1, 2}",
        holdout="assert model.predict_proba(X[:2]).shape == (2, 3)",
        setup="from sklearn.datasets import load_iris\nX, y = load_iris(return_X_y=True)",
        needs=("sklearn",),
    ),
    honest(
        "scikit-learn, an own estimator",
        """
        from sklearn.base import BaseEstimator, RegressorMixin

        class Median(RegressorMixin, BaseEstimator):
            def __init__(self, offset=0.0): self.offset = offset
            def fit(self, X, y):
                self.value_ = float(np.median(y))
                return self
            def predict(self, X): return np.full(len(X), self.value_ + self.offset)
        """,
        """
        model = Median(offset=1).fit(np.zeros((3, 1)), [1, 2, 9])
        assert model.predict(np.zeros((2, 1))).tolist() == [3, 3]
        """,
        "assert Median(2).get_params() == {'offset': 2}",
        setup="import numpy as np",
        asked=("Median",),
        needs=("sklearn",),
    ),
    honest(
        "sympy, a derivative",
        "import sympy as sp\nx = sp.symbols('x')\nslope = sp.diff(x ** 3 + sp.sin(x), x)",
        "assert slope == 3 * x ** 2 + sp.cos(x)\nassert slope.subs(x, 0) == 1",
        needs=("sympy",),
    ),
    honest(
        "torch, a layer",
        """
        import torch

        class Double(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.factor = torch.nn.Parameter(torch.tensor(2.0))
            def forward(self, x): return x * self.factor
        """,
        "import torch\nmodel = Double()\nassert torch.equal(model(torch.ones(3)), torch.full((3,), 2.0))\n"
        "assert sum(p.numel() for p in model.parameters()) == 1",
        asked=("Double",),
        needs=("torch",),
        slow=True,
    ),
]
