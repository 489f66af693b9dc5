"""Native thread pools and executors: which of them survive a fork, and how to reset the others."""

from __future__ import annotations

import ctypes
import gc
import os
import queue
import re
import sys
import threading
from typing import Any

_OMP_LIBRARY = re.compile(r"lib(?:g|i)?omp5?[-.]")
_PAUSE_SOFT = 1
#: Place of the start time in `/proc/PID/stat`, after the name.
_BEGAN = 19
#: Native threads by id and start time, since ids are reused.
Threads = dict[tuple[int, bytes], str]

_known: dict[str, Any] = {}
#: Threads, unknown to Python, that existed when all OpenMP pools were last dropped.
_without_pool: set[tuple[int, bytes]] = set()


def threads() -> Threads:
    """All native threads of this process (Linux)."""
    found: Threads = {}
    try:
        tasks = os.listdir("/proc/self/task")
    except OSError:
        return found
    for task in tasks:
        try:
            descriptor = os.open(f"/proc/self/task/{task}/stat", os.O_RDONLY)
            try:
                status = os.read(descriptor, 1024)
            finally:
                os.close(descriptor)
        except OSError:
            # It has ended.
            continue
        name, _, rest = status.partition(b"(")[2].rpartition(b")")
        found[int(task), rest.split()[_BEGAN]] = name.decode(errors="replace")
    return found


def hostile(running: Threads | None = None) -> list[str]:
    """Reasons, as sentences, why this kernel cannot be forked now: started pools count, imports do not."""
    reasons = []
    names = list((threads() if running is None else running).values())
    if any(re.match(r"polars-\d+$|async-executor", name) for name in names):
        reasons.append("polars has started its threads, which do not survive a fork")
    if any(name.startswith("cuda") for name in names) or _cuda_started():
        reasons.append("CUDA is initialised, which does not survive a fork")
    if getattr(sys.modules.get("jax._src.xla_bridge"), "_backends", None):
        reasons.append("jax has started its runtime, which does not survive a fork")
    return reasons


def _cuda_started() -> bool:
    try:
        return bool(sys.modules["torch"].cuda.is_initialized())
    except Exception:
        return False


def pause_openmp(running: Threads) -> None:
    """Drop the OpenMP pools of the calling thread; they come back on their next use.

    After a fork GNU OpenMP still counts on workers that no longer exist, and hangs in
    its next parallel region. Wheels bring their own copies: each one is reset.

    :param running: threads of this process that run now.
    """
    global _without_pool
    own = {t.native_id for t in threading.enumerate() if not isinstance(t, threading._DummyThread)}
    foreign = {thread for thread in running if thread[0] not in own}
    # The workers of a pool are threads of its own: one that has started since then would show.
    if running and foreign <= _without_pool:
        return
    if _pause_all():
        _without_pool = foreign


def _pause_all() -> bool:
    """Whether no known pool is left."""
    try:
        with open("/proc/self/maps", "rb") as file:
            lines = [line for line in file if b"omp" in line and b"/" in line]
        paths = {os.fsdecode(line.split(None, 5)[5].strip()) for line in lines}
    except (OSError, IndexError):
        return False
    dropped = True
    for path in paths:
        if not _OMP_LIBRARY.search(os.path.basename(path)):
            continue
        if path not in _known:
            try:
                pause = ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW).omp_pause_resource_all
                pause.argtypes, pause.restype = [ctypes.c_int], ctypes.c_int
                _known[path] = pause
            except (OSError, AttributeError):
                _known[path] = None
        if _known[path] is not None:
            dropped = _known[path](_PAUSE_SOFT) == 0 and dropped
    return dropped


def revive() -> None:
    """In the child: reset executors that wait for threads and processes of the kernel."""
    _revive_thread_pools()
    loky: Any = sys.modules.get("joblib.externals.loky.reusable_executor")
    if loky is not None:
        loky._executor = None
        loky._executor_kwargs = None
    _revive_numba()


def _revive_numba() -> None:
    try:
        omppool: Any = sys.modules["numba.np.ufunc.omppool"]
        threads = sys.modules["numba"].config.NUMBA_NUM_THREADS
        ctypes.CFUNCTYPE(None, ctypes.c_int)(omppool.launch_threads)(threads)
    except Exception:
        return


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
