"""What the judge alone reads: `jupyterlab_refine/kernel/judge/held_out.py`."""

from __future__ import annotations

import pytest

from jupyterlab_refine.kernel.judge import held_out


def test_nothing_is_opened_without_a_key() -> None:
    with pytest.raises(ValueError, match="sealed for another process"):
        held_out.HeldOut().take({"to": "", "from": "02", "text": "00"}, None)


def test_a_command_is_complete_without_a_key() -> None:
    command = {"cells": [], "data": ["table"]}
    assert held_out.HeldOut().complete(command) == {**command, "scorer": None, "hidden": ["table"]}
