"""What a process of an attempt asks of Windows, where a stand-in for kernel32 takes it, and how it ends."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from jupyterlab_refine.kernel.attempt import forms
from jupyterlab_refine.kernel.spawn import job_object


class Kernel32:
    """Keeps the limits of one job, and the process that is in it."""

    def __init__(self, failing: str = "") -> None:
        self.limits: dict[str, int] = {}
        self.member = 0
        self.calls: list[str] = []
        for name in ("CreateJobObjectW", "GetCurrentProcess", "AssignProcessToJobObject"):
            setattr(self, name, self._function(name, failing))
        for name in ("SetInformationJobObject", "QueryInformationJobObject"):
            setattr(self, name, self._function(name, failing))

    def _function(self, name: str, failing: str) -> Any:
        def call(*arguments: Any) -> int:
            self.calls.append(name)
            return 0 if name == failing else getattr(self, f"_{name}")(*arguments)

        return call

    def _CreateJobObjectW(self, attributes: None, name: None) -> int:
        return 1 << 40

    def _GetCurrentProcess(self) -> int:
        return (1 << 64) - 1

    def _AssignProcessToJobObject(self, job: Any, process: Any) -> int:
        assert job.value == 1 << 40
        self.member = process.value
        return 1

    def _SetInformationJobObject(self, job: Any, kind: int, given: Any, size: int) -> int:
        assert (job.value, kind, size) == (1 << 40, 9, ctypes.sizeof(job_object.Limits))
        found = given._obj
        self.limits = {
            "flags": found.Basic.LimitFlags,
            "processes": found.Basic.ActiveProcessLimit,
            "memory": found.JobMemoryLimit,
        }
        return 1

    def _QueryInformationJobObject(self, job: Any, kind: int, found: Any, size: int, _: None) -> int:
        found._obj.PeakJobMemoryUsed = 5000
        return 1


def test_a_fault_is_no_exit_of_the_process() -> None:
    words = [forms.exit_words(code) for code in (0xC0000005, 0xC0000374, 3)]
    ended = "it ended the process itself, with exit status 3"
    assert words == ["killed by an access violation", "killed by error 0xC0000374", ended]


def test_the_layout_is_that_of_windows() -> None:
    wide = ctypes.sizeof(ctypes.c_void_p) == 8
    assert ctypes.sizeof(job_object.Limits) == (144 if wide else 112)
    assert job_object.Limits.JobMemoryLimit.offset == (120 if wide else 100)


def test_what_the_process_starts_ends_with_it() -> None:
    windows = Kernel32()
    job_object.Job(257, windows)
    assert windows.limits == {"flags": 0x2008, "processes": 257, "memory": 0}
    # Limited before it is entered.
    assert windows.member == (1 << 64) - 1 and windows.calls[-1] == "AssignProcessToJobObject"


def test_memory_is_limited_beyond_what_it_has_had() -> None:
    windows = Kernel32()
    job_object.Job(257, windows).limit_memory(1 << 31)
    assert windows.limits == {"flags": 0x2208, "processes": 257, "memory": 5000 + (1 << 31)}


def test_what_windows_refuses_is_an_error() -> None:
    for name in ("CreateJobObjectW", "SetInformationJobObject", "AssignProcessToJobObject"):
        with pytest.raises(OSError, match=f"{name} failed"):
            job_object.Job(257, Kernel32(name))
