"""Settings and random states that a check changes and the candidate's functions read.

For example ``np.errstate``, ``decimal.localcontext`` and ``random.seed``: the judge sends what a check
has changed with its next question, and the worker takes it. Nothing travels the other way.
"""

from __future__ import annotations

import decimal
import os
import random
import sys
from typing import Any

#: By the words of a check that speak of them.
_WORDS = {
    "numpy": ("errstate", "seterr"),
    "decimal": ("localcontext", "getcontext", "setcontext"),
    "random": ("seed", "setstate"),
    "numpy.random": ("seed", "set_state"),
}


def read(words: set[str]) -> dict[str, Any]:
    """What checks of these words may have changed."""
    return {name: _READ[name]() for name, own in _WORDS.items() if not words.isdisjoint(own)}


def write(found: dict[str, Any]) -> None:
    """Set what :func:`read` gave elsewhere."""
    for name, state in found.items():
        if state is not None:
            _WRITE[name](state)


def environment() -> dict[bytes, bytes]:
    """A copy of the environment variables; decoding all of them for each question takes too long."""
    return dict(os.environ._data)  # type: ignore[attr-defined]


def _numpy() -> Any:
    return sys.modules.get("numpy")


def _read_decimal() -> list[Any]:
    context = decimal.getcontext()
    return [context.prec, context.rounding, context.Emin, context.Emax]


def _write_decimal(state: list[Any]) -> None:
    context = decimal.getcontext()
    context.prec, context.rounding, context.Emin, context.Emax = state


def _read_seed() -> Any:
    state = _numpy() and _numpy().random.get_state(legacy=False)
    return state and {**state, "state": {**state["state"], "key": state["state"]["key"].tolist()}}


_READ = {
    "numpy": lambda: _numpy() and _numpy().geterr(),
    "decimal": _read_decimal,
    "random": random.getstate,
    "numpy.random": _read_seed,
}
_WRITE: dict[str, Any] = {
    "numpy": lambda state: _numpy() and _numpy().seterr(**state),
    "decimal": _write_decimal,
    "random": random.setstate,
    "numpy.random": lambda state: _numpy() and _numpy().random.set_state(state),
}
