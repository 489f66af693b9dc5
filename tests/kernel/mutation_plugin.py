"""For the mutation run: pytest runs the tests that are named, in that order, or tells which reach what.

``REFINE_MUTATION_TESTS`` names a JSON list of tests to run. ``REFINE_MUTATION_HITS`` names the file
of counters that instrumented modules map (see :mod:`mutation_hits`), ``REFINE_MUTATION_MAP`` where
to write what each test reached.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS, HITS, MAP = (os.environ.get(f"REFINE_MUTATION_{name}", "") for name in ("TESTS", "HITS", "MAP"))
#: {test: [seconds, blocks that ran]}
_reached: dict[str, tuple[float, list[int]]] = {}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from jupyterlab_refine.kernel import pack

    # A run of the checkout's own modules would find no mutant at all.
    if not Path(pack.__file__).resolve().is_relative_to(Path.cwd().resolve()):
        raise pytest.UsageError(f"{pack.__file__} is not the copy in {Path.cwd()}")
    if TESTS:
        order = {name: number for number, name in enumerate(json.loads(Path(TESTS).read_text()))}
        chosen = sorted((item for item in items if item.nodeid in order), key=lambda i: order[i.nodeid])
        if len(chosen) != len(order):
            raise pytest.UsageError(f"{len(order) - len(chosen)} of the tests were not found")
        items[:] = chosen


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if not MAP:
        return (yield)
    counters = Path(HITS)
    with open(counters, "r+b") as file:
        file.write(bytes(counters.stat().st_size))
    start = time.monotonic()
    result = yield
    blocks = [number for number, seen in enumerate(counters.read_bytes()) if seen]
    _reached[item.nodeid] = (round(time.monotonic() - start, 3), blocks)
    return result


def pytest_sessionfinish() -> None:
    if MAP:
        Path(MAP).write_text(json.dumps(_reached))
