"""The tasks of MBPP, where the data is there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

#: The data is not part of this repository: https://github.com/google-research/google-research, mbpp.
_BESIDE_THE_CHECKOUT = Path(__file__).parents[3] / "shared" / "data" / "mbpp" / "mbpp.jsonl"
DATA = Path(os.environ.get("REFINE_MBPP") or _BESIDE_THE_CHECKOUT)


def tasks() -> list[dict[str, Any]]:
    with open(DATA, encoding="utf-8") as file:
        return [json.loads(line) for line in file]
