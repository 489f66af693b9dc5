"""What an error about a missing name is told of names that are there."""

from __future__ import annotations

import collections
from types import SimpleNamespace
from typing import Any

import pytest

from jupyterlab_refine.kernel.values.similar import did_you_mean


class Odd:
    def __dir__(self) -> Any:
        raise RuntimeError


NAMESPACE: dict[str, Any] = {
    "np": SimpleNamespace(trapezoid=1, trace=2, _trapz=3),
    "collections": collections,
    "totals": [],
    "_hidden": 1,
    "odd": Odd(),
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("np.trapz", ". Did you mean: 'trapezoid'?"),
        ("'a'.removesufix('b')", ". Did you mean: 'removesuffix', 'removeprefix'?"),
        ("def f():\n    return totls\nf()", ". Did you mean: 'totals'?"),
        ("pritn(1)", ". Did you mean: 'print'?"),
        ("from collections import OrderDict", ". Did you mean: 'OrderedDict'?"),
        ("[].add(1)", ""),
        ("collections.Mapping", ""),
        ("hidden", ""),
        ("odd.name", ""),
        ("def f():\n    x += 1\nf()", ""),
        ("raise AttributeError('no')", ""),
        ("raise AttributeError('no. Did you mean: 1?', name='ap', obj=[].append)", ""),
        ("{}['a']", ""),
    ],
)
def test_names_that_are_there(source: str, expected: str) -> None:
    with pytest.raises(Exception) as raised:
        exec(source, dict(NAMESPACE))
    assert did_you_mean(raised.value).startswith(expected[:-1])
    assert bool(expected) == bool(did_you_mean(raised.value))
