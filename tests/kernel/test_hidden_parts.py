"""What hides cells and data, part by part: shells, histories and values as they differ between systems."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from jupyterlab_refine.kernel import hidden_data

# Data that only the scorer sees


def shell_with(names: dict[str, Any], **parts: Any) -> Any:
    return SimpleNamespace(user_ns=names, user_ns_hidden={}, **parts)


def test_outputs_that_show_hidden_data_are_gone_wherever_they_are_kept() -> None:
    secret, other = np.array([5.0, 6.0]), np.array([7.0])
    kept = {1: secret, 2: other, 3: secret[:1]}
    history = SimpleNamespace(
        output_hist=dict(kept), output_hist_reprs={1: "5", 2: "7", 3: "5"}, outputs=None
    )
    names = {"secret": secret, "other": other, "_oh": dict(kept), "_1": secret, "_2": other, "_": secret[:1]}
    shell = shell_with(names, history_manager=history)
    assert hidden_data.hide(["secret"], shell) == []
    assert [*names] == ["other", "_oh", "_1", "_2", "_"]
    assert (names["_1"], names["_2"], names["_"]) == ("", other, "")
    # `Out` is the history's own, or what the user has put in its place.
    assert [*names["_oh"]] == [*history.output_hist] == [*history.output_hist_reprs] == [2]


def test_a_shell_that_keeps_no_outputs() -> None:
    for names in ({"_oh": None}, {}):
        shell = shell_with({"secret": [5], "_3": 5, **names})
        assert hidden_data.hide(["secret"], shell) == []
        assert shell.user_ns == {"_3": 5, **names}
