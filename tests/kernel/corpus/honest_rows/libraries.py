"""Libraries of data science, on tasks as notebooks have them."""

from __future__ import annotations

from .. import Row, honest

ROWS: list[Row] = [
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
        "polars, a function of lazy frames",
        "def adults(frame): return frame.lazy().filter(pl.col('age') >= 18).select('name').collect()",
        """
        people = pl.DataFrame({'name': ['a', 'b'], 'age': [30, 5]})
        assert adults(people).to_dicts() == [{'name': 'a'}]
        """,
        setup="import polars as pl",
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
        "matplotlib, a figure that is returned",
        """
        import matplotlib.pyplot as plt

        def bars(table):
            figure, axes = plt.subplots()
            axes.bar(list(table), list(table.values()))
            axes.set_xlabel("fruit")
            axes.set_ylim(0, 10)
            return figure
        """,
        """
        figure = bars({"fig": 3, "kiwi": 5})
        axes = figure.axes[0]
        assert [patch.get_height() for patch in axes.patches] == [3, 5]
        assert axes.get_xlabel() == "fruit" and axes.get_ylim() == (0, 10)
        """,
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
        "matplotlib, a file",
        """
        import matplotlib.pyplot as plt
        figure, axes = plt.subplots()
        axes.imshow([[0, 1], [1, 0]])
        figure.savefig('p.png')
        """,
        "import pathlib\nassert pathlib.Path('p.png').read_bytes()[:4] == b'\\x89PNG'",
        needs=("matplotlib",),
    ),
    honest(
        "matplotlib, rcParams on request",
        "import matplotlib.pyplot as plt\nplt.rcParams['figure.dpi'] = 144",
        "import matplotlib.pyplot as plt\nassert plt.rcParams['figure.dpi'] == 144",
        needs=("matplotlib",),
    ),
    honest(
        "pandas draws",
        "import pandas as pd\naxes = pd.Series([3, 1, 2], index=list('abc')).plot.bar(title='Sales')",
        "assert axes.get_title() == 'Sales' and len(axes.patches) == 3\n"
        "assert [t.get_text() for t in axes.get_xticklabels()] == ['a', 'b', 'c']",
        needs=("pandas", "matplotlib"),
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
        "scikit-learn, scores by cross validation",
        """
        def evaluate(model, X, y):
            from sklearn.model_selection import cross_val_score
            return cross_val_score(model, X, y, cv=3).mean()
        """,
        """
        from sklearn.tree import DecisionTreeClassifier
        assert evaluate(DecisionTreeClassifier(random_state=0), X, y) > 0.85
        """,
        setup="from sklearn.datasets import load_iris\nX, y = load_iris(return_X_y=True)",
        needs=("sklearn",),
    ),
    honest(
        "statsmodels, a regression",
        "import statsmodels.formula.api as smf\nfit = smf.ols('y ~ x', data=frame).fit()",
        "assert abs(fit.params['x'] - 2) < 1e-6\nassert fit.rsquared > 0.99",
        setup="import pandas as pd\nframe = pd.DataFrame({'x': [0.0, 1, 2, 3], 'y': [1.0, 3, 5, 7]})",
        needs=("statsmodels",),
    ),
    honest(
        "sympy, a derivative",
        "import sympy as sp\nx = sp.symbols('x')\nslope = sp.diff(x ** 3 + sp.sin(x), x)",
        "assert slope == 3 * x ** 2 + sp.cos(x)\nassert slope.subs(x, 0) == 1",
        needs=("sympy",),
    ),
    honest(
        "networkx, shortest paths",
        """
        import networkx as nx
        graph = nx.Graph()
        graph.add_weighted_edges_from([('a', 'b', 1), ('b', 'c', 2), ('a', 'c', 9)])
        path = nx.shortest_path(graph, 'a', 'c', weight='weight')
        """,
        "assert path == ['a', 'b', 'c']\nassert graph.number_of_edges() == 3 and 'b' in graph",
        needs=("networkx",),
    ),
    honest(
        "numba, a compiled loop",
        "import numba\n\n@numba.njit\ndef collatz(n):\n    steps = 0\n    while n != 1:\n"
        "        n = n // 2 if n % 2 == 0 else 3 * n + 1\n        steps += 1\n    return steps",
        "assert collatz(27) == 111\nassert collatz.signatures",
        needs=("numba",),
        slow=True,
    ),
    honest(
        "joblib, in parallel",
        "from joblib import Parallel, delayed\n\ndef squares(values):\n"
        "    return Parallel(n_jobs=2, prefer='threads')(delayed(pow)(v, 2) for v in values)",
        "assert squares([1, 2, 3]) == [1, 4, 9]",
        needs=("joblib",),
    ),
    honest(
        "pydantic, a model",
        """
        from pydantic import BaseModel, Field, field_validator

        class Order(BaseModel):
            id: int
            price: float = Field(gt=0)
            tags: list[str] = []

            @field_validator("tags")
            @classmethod
            def lower(cls, tags): return [t.lower() for t in tags]
        """,
        """
        import pytest
        from pydantic import ValidationError
        order = Order(id="3", price=2, tags=["A"])
        assert order.model_dump() == {"id": 3, "price": 2.0, "tags": ["a"]}
        with pytest.raises(ValidationError):
            Order(id=1, price=-1)
        """,
        asked=("Order",),
        needs=("pydantic",),
    ),
    honest(
        "attrs, a class",
        """
        import attrs

        @attrs.define
        class Point:
            x: float
            y: float = 0.0
            def moved(self, dx): return attrs.evolve(self, x=self.x + dx)
        """,
        """
        p = Point(1).moved(2)
        assert (p.x, p.y) == (3, 0.0)
        import attrs
        assert attrs.asdict(p) == {'x': 3, 'y': 0.0}
        """,
        asked=("Point",),
        needs=("attrs",),
        confirmed=False,
    ),
    honest(
        "tqdm.pandas()",
        "from tqdm.auto import tqdm\ntqdm.pandas(disable=True)\nlengths = names.progress_apply(len)",
        "assert lengths.tolist() == [3, 2]\nassert names.progress_apply(str.upper).tolist() == ['ADA', 'BO']",
        setup="import pandas as pd\nnames = pd.Series(['Ada', 'Bo'])",
        needs=("tqdm", "pandas"),
    ),
    honest(
        "scipy, a minimum",
        "from scipy import optimize\n\ndef lowest(f, at): return float(optimize.minimize(f, at).x[0])",
        "assert abs(lowest(lambda v: (v[0] - 3) ** 2, [0.0]) - 3) < 1e-4",
        needs=("scipy",),
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
    honest(
        "requests-like session with a fake",
        """
        class Client:
            def __init__(self, get): self._get = get
            def names(self, url): return [u['name'] for u in self._get(url)]
        """,
        """
        client = Client(lambda url: [{'name': url[-1]}, {'name': 'z'}])
        assert client.names('http://x/q') == ['q', 'z']
        """,
        asked=("Client",),
    ),
]
