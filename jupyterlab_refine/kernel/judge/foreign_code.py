"""Which code a check may run: text and pickled data that it did not write may be the candidate's."""

from __future__ import annotations

import os
import re
import sysconfig
import types
from typing import Any

from . import importing
from .exchange import stub_types

_FRAMES = 8
#: Modules of the standard library that run text as code.
_RUNNERS = (
    "doctest.py",
    "timeit.py",
    "code.py",
    "codeop.py",
    "runpy.py",
    "trace.py",
    "profile.py",
    "cProfile.py",
)
_OF_TIMEIT = re.compile(
    r"def inner\(_it, _timer(, _(setup|stmt)=_(setup|stmt))*\):|_t[01] = _timer\(\)|for _i in _it:"
    r"|return _t1 - _t0|_(setup|stmt)\(\)|pass|"
)
_ARRAYS = ("_reconstruct", "scalar", "_frombuffer")
_RESTORING = {
    *((module, "_reconstructor") for module in ("copyreg", "copy_reg")),
    *(
        (f"numpy.{core}.{part}", name)
        for core in ("core", "_core")
        for part in ("multiarray", "numeric")
        for name in _ARRAYS
    ),
    ("_codecs", "encode"),
    (stub_types.__name__, "restore"),
}
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def is_harmless(module: Any, name: Any) -> bool:
    """Whether what is unpickled so is plain data, or an instance of the user's own class."""
    if "." in str(name):
        return False
    if module == "__main__":
        return True
    return (module, name) in _RESTORING or isinstance(importing.find(module, name), type)


def runs_text(caller: str) -> bool:
    """Whether code of this file runs what it is given; libraries make functions of their own."""
    if os.path.basename(caller) in _RUNNERS:
        return True
    return not (caller.startswith(("<frozen", "<jupyterlab-refine")) or caller.startswith(_LIBRARIES))


def timed(text: str, caller: str) -> list[str]:
    """The text of a source; for one that `timeit` makes, the lines that its caller passed."""
    if os.path.basename(caller) != "timeit.py":
        return [text.strip()]
    return [line for line in map(str.strip, text.splitlines()) if not _OF_TIMEIT.fullmatch(line)]


def computes(frame: types.FrameType | None) -> bool:
    """Whether a library evaluates an expression, as ``DataFrame.query`` does."""
    for _ in range(_FRAMES):
        if frame is None:
            return False
        if os.sep + "computation" + os.sep in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
