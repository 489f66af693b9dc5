"""The job object in which a process of an attempt puts itself on Windows.

What the process has started ends with it, also what no longer is below it.
"""

from __future__ import annotations

import ctypes
from typing import Any

_ACTIVE_PROCESS, _JOB_MEMORY, _KILL_ON_JOB_CLOSE = 0x8, 0x200, 0x2000
_EXTENDED_LIMITS = 9


class _Basic(ctypes.Structure):
    _fields_ = [
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    ]


class Limits(ctypes.Structure):
    """``JOBOBJECT_EXTENDED_LIMIT_INFORMATION``; sizes in bytes."""

    _fields_ = [
        ("Basic", _Basic),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


class Job:
    """The job of this process and of all that it starts. Windows ends them when this process has ended.

    :param processes: at the same time, with this one.
    :raises OSError: where Windows refuses.
    """

    def __init__(self, processes: int, kernel32: Any = None) -> None:
        windows: Any = ctypes
        self._kernel32 = kernel32 or windows.WinDLL("kernel32")
        for name in ("CreateJobObjectW", "GetCurrentProcess"):
            getattr(self._kernel32, name).restype = ctypes.c_void_p
        # It is never closed: the job would end this process with the others.
        self._handle = ctypes.c_void_p(self._call("CreateJobObjectW", None, None))
        self._limits = Limits()
        self._limits.Basic.LimitFlags = _KILL_ON_JOB_CLOSE | _ACTIVE_PROCESS
        self._limits.Basic.ActiveProcessLimit = processes
        self._set()
        this = ctypes.c_void_p(self._call("GetCurrentProcess"))
        self._call("AssignProcessToJobObject", self._handle, this)

    def limit_memory(self, more: int) -> None:
        """Let all of them allocate so many bytes beyond what they have had. :raises OSError: as above."""
        now = Limits()
        self._call("QueryInformationJobObject", self._handle, *self._of(now), None)
        self._limits.Basic.LimitFlags |= _JOB_MEMORY
        self._limits.JobMemoryLimit = now.PeakJobMemoryUsed + more
        self._set()

    def _set(self) -> None:
        self._call("SetInformationJobObject", self._handle, *self._of(self._limits))

    @staticmethod
    def _of(found: Limits) -> tuple[Any, ...]:
        return _EXTENDED_LIMITS, ctypes.byref(found), ctypes.sizeof(found)

    def _call(self, name: str, *arguments: Any) -> Any:
        answer = getattr(self._kernel32, name)(*arguments)
        if not answer:
            raise OSError(f"{name} failed")
        return answer
