"""What is sealed for one process is read by that process alone."""

from __future__ import annotations

from typing import Any

import pytest
from sealed_jobs import seal

from jupyterlab_refine.kernel.secrecy.sealing import _PRIME, Opener

SOURCE = "assert f('\xe9\U0001f389') == 77_713\n" * 50
DATA: dict[str, Any] = {"holdouts": [{"source": SOURCE}], "scorer": None}


def test_its_process_opens_it() -> None:
    opener = Opener()
    assert opener.open(seal(DATA, opener.key)) == DATA
    assert opener.open(seal({}, opener.key)) == {}


def test_nothing_readable_is_in_it() -> None:
    opener = Opener()
    sealed = seal(DATA, opener.key)
    again = seal(DATA, opener.key)
    assert b"assert" not in bytes.fromhex(sealed["text"])
    assert sealed["text"] != again["text"] and sealed["from"] != again["from"]
    assert Opener().key != opener.key


def test_another_process_is_refused() -> None:
    sealed = seal(DATA, Opener().key)
    with pytest.raises(ValueError, match="sealed for another process"):
        Opener().open(sealed)


def test_a_changed_text_is_refused() -> None:
    opener = Opener()
    sealed = seal(DATA, opener.key)
    last = "0" if sealed["text"][-1] != "0" else "1"
    for changed in (sealed["text"][:-1] + last, last + sealed["text"][1:-1] + last, ""):
        with pytest.raises(ValueError, match="sealed for another process"):
            opener.open({**sealed, "text": changed})


@pytest.mark.parametrize("number", [0, 1, _PRIME - 1, _PRIME])
def test_a_number_that_fixes_the_key_is_refused(number: int) -> None:
    opener = Opener()
    sealed = {**seal(DATA, opener.key), "from": number.to_bytes(256, "big").hex()}
    with pytest.raises(ValueError, match="out of range"):
        opener.open(sealed)
