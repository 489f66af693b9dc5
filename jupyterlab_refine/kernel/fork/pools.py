"""Native thread pools and executors: which of them survive a fork, and how to reset the others."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import queue
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

_OMP_LIBRARY = re.compile(r"lib(?:g|i)?omp5?[-.]")
_PAUSE_SOFT = 1

#: How many modules had been imported, and how to drop the pool of each OpenMP that was loaded then.
_known: tuple[int, list[Callable[[int], int]]] = (0, [])


def hostile() -> list[str]:
    """Reasons, as sentences, why this kernel cannot be forked now: started pools count, imports do not."""
    reasons = []
    names = list(_names_of_threads())
    if any(re.match(r"polars-\d+$|async-executor", name) for name in names):
        reasons.append("polars has started its threads, which do not survive a fork")
    if any(name.startswith("cuda") for name in names) or _cuda_started():
        reasons.append("CUDA is initialised, which does not survive a fork")
    if getattr(sys.modules.get("jax._src.xla_bridge"), "_backends", None):
        reasons.append("jax has started its runtime, which does not survive a fork")
    return reasons


def _names_of_threads() -> Iterator[str]:
    """Of the native ones."""
    for task in os.listdir("/proc/self/task"):
        # It may have ended.
        with contextlib.suppress(OSError), open(f"/proc/self/task/{task}/comm", errors="replace") as file:
            yield file.read().rstrip("\n")


def _cuda_started() -> bool:
    try:
        return bool(sys.modules["torch"].cuda.is_initialized())
    except Exception:
        return False


def pause_openmp() -> None:
    """Drop the OpenMP pools of the calling thread; they come back on their next use.

    After a fork GNU OpenMP still counts on workers that no longer exist, and hangs in
    its next parallel region. Wheels bring their own copies: each one is reset.
    """
    global _known
    if _known[0] != len(sys.modules):
        _known = (len(sys.modules), list(_pausing()))
    for pause in _known[1]:
        pause(_PAUSE_SOFT)


def _pausing() -> Iterator[Callable[[int], int]]:
    with open("/proc/self/maps", "rb") as file:
        paths = {os.fsdecode(line.split(None, 5)[-1].strip()) for line in file if b"omp" in line}
    for path in paths:
        if _OMP_LIBRARY.search(os.path.basename(path)):
            with contextlib.suppress(OSError, AttributeError):
                pause = ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW).omp_pause_resource_all
                pause.argtypes, pause.restype = [ctypes.c_int], ctypes.c_int
                yield pause


def revive() -> None:
    """In the child: reset executors that wait for threads and processes of the kernel."""
    _revive_thread_pools()
    loky: Any = sys.modules.get("joblib.externals.loky.reusable_executor")
    if loky is not None:
        loky._executor = loky._executor_kwargs = None
    with contextlib.suppress(Exception):
        omppool: Any = sys.modules["numba.np.ufunc.omppool"]
        threads = sys.modules["numba"].config.NUMBA_NUM_THREADS
        ctypes.CFUNCTYPE(None, ctypes.c_int)(omppool.launch_threads)(threads)


def _revive_thread_pools() -> None:
    """Call it before ``gc.freeze()``, which hides objects from ``gc.get_referrers``."""
    module: Any = sys.modules.get("concurrent.futures.thread")
    if module is None or not module._threads_queues:
        return
    for candidate in gc.get_objects():
        # Its type, not its `__class__`, which may be code of the user's.
        if issubclass(type(candidate), module.ThreadPoolExecutor):
            vars(candidate).update(
                _threads=set(),
                _idle_semaphore=threading.Semaphore(0),
                _work_queue=queue.SimpleQueue(),
                _shutdown_lock=threading.Lock(),
            )
