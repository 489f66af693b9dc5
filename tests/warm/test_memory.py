"""The warm process's own memory: `jupyterlab_refine/warm/memory.py`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "jupyterlab_refine" / "warm"

#: Leaves gaps, and prints over how many pages 100 new objects are spread.
PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import memory
made = [bytes(31) for _ in range(20_000)]
del made[::9]
fill = sys.argv[1] == "fill"
if fill:
    memory.fill_gaps()
new = [bytes(31) for _ in range(100)]
print(len({{id(one) >> 12 for one in new}}), sum(sys.getsizeof(one) for some in memory._kept for one in some))
"""


def spread(argument: str, allocator: str = "pymalloc") -> tuple[int, int]:
    """Pages, and bytes that are kept."""
    command = [sys.executable, "-c", PROGRAM.format(folder=str(FOLDER)), argument]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={"PYTHONMALLOC": allocator}
    )
    pages, kept = done.stdout.split()
    return int(pages), int(kept)


def test_new_objects_lie_together_once_gaps_are_filled() -> None:
    filled, _ = spread("fill")
    assert filled <= 4
    assert filled < spread("leave")[0]


def test_another_allocator_costs_a_few_megabytes() -> None:
    assert spread("fill", "malloc")[1] < 10 << 20
