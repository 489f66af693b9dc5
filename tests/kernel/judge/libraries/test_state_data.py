"""Graphs of networkx and models of scikit-learn travel."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from library_codec import Codec, trip, trip_whole

from jupyterlab_refine.kernel.judge.exchange import digest
from jupyterlab_refine.kernel.judge.libraries.library_data import (
    BadData,
    is_mutable,
    overwrite,
    pack,
    unpack,
)


def same_graphs(back: Any, value: Any) -> bool:
    def content(graph: Any) -> list[Any]:
        return [
            type(graph),
            graph.graph,
            list(graph.nodes(data=True)),
            [(name, list(others.items())) for name, others in graph.adj.items()],
            [(n, list(p.items())) for n, p in graph.pred.items()] if graph.is_directed() else None,
        ]

    return content(back) == content(value)


def test_graphs_travel() -> None:
    nx = pytest.importorskip("networkx")
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        value = kind(name="n", year=2020)
        value.add_node((1, 2), color="red")
        value.add_edge("c", "a", weight=2.5)
        value.add_edge("b", "a", weight=1)
        value.add_edge("a", "b", tags=["x"])
        value.add_edge("a", "a")
        value.add_edge((1, 2), 3, 7) if value.is_multigraph() else value.add_edge((1, 2), 3)
        value.add_edge("b", "c")
        assert list(value.nodes) and list(value.edges)
        back = trip_whole(value)
        assert same_graphs(back, value) and is_mutable(value)
        assert list(nx.dfs_edges(back, "b")) == list(nx.dfs_edges(value, "b"))
        assert digest.of(value) == digest.of(back) is not None
        if not value.is_directed():
            edge = next(iter(back.edges(data=True)))
            edge[2]["new"] = 1
            assert "new" in str(back.get_edge_data(edge[1], edge[0]))
        mine = kind([(1, 2)])
        nodes = mine.nodes
        assert overwrite(mine, trip_whole(value)) and same_graphs(mine, value) and list(nodes) == list(value)
    assert same_graphs(trip_whole(nx.Graph()), nx.Graph())

    class Other(nx.Graph):
        pass

    assert pack(Other(), Codec()) is None


def models() -> list[str]:
    return [
        "linear_model.LinearRegression",
        "linear_model.LogisticRegression",
        "linear_model.Ridge",
        "linear_model.Lasso",
        "linear_model.Perceptron",
        "preprocessing.StandardScaler",
        "preprocessing.MinMaxScaler",
        "preprocessing.OneHotEncoder",
        "preprocessing.PolynomialFeatures",
        "impute.SimpleImputer",
        "decomposition.PCA",
        "cluster.KMeans",
        "naive_bayes.GaussianNB",
        "svm.LinearSVC",
        "dummy.DummyClassifier",
        "discriminant_analysis.LinearDiscriminantAnalysis",
    ]


@pytest.mark.parametrize("name", models())
def test_fitted_models_travel(name: str) -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("sklearn")
    module, _, kind = name.partition(".")
    model = getattr(importlib.import_module(f"sklearn.{module}"), kind)()
    random_numbers = np.random.default_rng(0)
    points = random_numbers.normal(size=(40, 3)).round(1)
    labels = (points[:, 0] > 0).astype(int)
    model.fit(points, labels)
    if pack(model, Codec()) is None and name == "linear_model.Perceptron":
        pytest.skip("It holds a compiled loss function.")
    back = trip(model)
    assert type(back) is type(model) and repr(back.get_params()) == repr(model.get_params())
    for method in ("predict", "transform", "predict_proba"):
        if hasattr(model, method):
            mine, other = getattr(model, method)(points), getattr(back, method)(points)
            dense = [part.toarray() if hasattr(part, "toarray") else part for part in (mine, other)]
            assert np.array_equal(*dense)
    assert digest.of(model) == digest.of(back) is not None and is_mutable(model)
    empty = type(model)()
    assert overwrite(empty, back) and vars(empty).keys() == vars(model).keys()


def test_pipelines_travel_and_trees_do_not() -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("sklearn")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    points = np.arange(20.0).reshape(10, 2)
    labels = np.arange(10) > 4
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(C=2.0)).fit(points, labels)
    back = trip(pipeline)
    assert np.array_equal(back.predict_proba(points), pipeline.predict_proba(points))
    assert trip(RandomForestClassifier(n_estimators=3)).n_estimators == 3
    assert trip(SVC(C=3.0)).C == 3.0
    trees = [RandomForestClassifier(n_estimators=2), DecisionTreeClassifier(), SVC()]
    for value in (*(tree.fit(points, labels) for tree in trees), FunctionTransformer(np.log)):
        assert pack(value, Codec()) is None and pack(make_pipeline(value), Codec()) is None

    class Mine(LogisticRegression):
        pass

    assert pack(Mine(), Codec()) is None


def test_attributes_that_hide_methods_are_refused() -> None:
    pytest.importorskip("sklearn.linear_model")
    head = ["lib:state", "sklearn.linear_model._base", "LinearRegression"]
    assert unpack([*head, [["coef_", 5]]], Codec()).coef_ == 5
    bad = ["predict", "score", "__class__", "__dict__", "__sklearn_tags__", "get_params", "not a name", 5]
    for name in bad:
        with pytest.raises(BadData):
            unpack([*head, [[name, 5]]], Codec())
    with pytest.raises(BadData):
        unpack([*head, [["coef_", ["handle"]]]], Codec())
    with pytest.raises(BadData):
        unpack([*head, [["coef_", ["list", ["dict", ["a", ["handle"]]]]]]], Codec())
    for module, kind in (
        ("os", "system"),
        ("sklearn.linear_model", "LinearRegression"),
        ("sklearn.base", "BaseEstimator.fit"),
        ("sklearn.linear_model._base", "sp"),
        ("sklearn.utils", "Bunch"),
        ("sklearn.tests.test_base", "MyEstimator"),
        ("sklearn..os", "x"),
    ):
        with pytest.raises(BadData):
            unpack(["lib:state", module, kind, []], Codec())
