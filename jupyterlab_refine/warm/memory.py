"""Use up the gaps in this process's memory before it is forked."""

from __future__ import annotations

#: Of pymalloc: a pool holds objects of one size, a multiple of the step up to the largest.
_POOL_BYTES = 16 << 10
_STEP, _LARGEST = 16, 512
#: Bytes that an empty ``bytes`` takes.
_EMPTY = 33
#: For objects of one size, at most: other allocators have no such pools.
_MOST_BYTES = 256 << 10

_kept: list[list[bytes]] = []


def fill_gaps() -> None:
    """Take the free places of pools in use, which stay taken.

    What a fork makes would go there, and each page with such a place would be copied; in pools of its own its
    objects lie together.
    """
    for size in range(3 * _STEP, _LARGEST + 1, _STEP):
        taken: list[bytes] = []
        place, in_a_row = 0, 0
        # Two pools full of neighbours: these are new ones.
        while in_a_row < 2 * (_POOL_BYTES // size) and len(taken) < _MOST_BYTES // size:
            taken.append(bytes(size - _EMPTY))
            last, place = place, id(taken[-1])
            # The first of a pool follows its head.
            starts_pool = place % _POOL_BYTES <= 3 * _STEP
            in_a_row = in_a_row + 1 if place - last == size or (in_a_row and starts_pool) else 0
        _kept.append(taken)
