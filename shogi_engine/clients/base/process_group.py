"""A process with its children, which end together. Standard library only."""

import contextlib
import ctypes
import os
import signal
import struct
import subprocess
import sys
from typing import Any

# JOBOBJECT_EXTENDED_LIMIT_INFORMATION with only JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
EXTENDED_LIMITS, LIMITS = 9, struct.pack("<16xI124x", 0x2000)
PROCESS_SET_QUOTA_AND_TERMINATE = 0x0101

# How to start a process so that Ctrl-C at the terminal does not reach it.
APART: dict[str, Any] = {"start_new_session": True}
if sys.platform == "win32":
    APART = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}


class ProcessGroup:
    """A process that was started with APART, and its children: a launcher's engine, for instance.

    On Windows they are a job, which also ends when this process does.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._job: Any = None
        if sys.platform == "win32":
            self._kernel = ctypes.WinDLL("kernel32")
            self._job = self._kernel.CreateJobObjectW(None, None)
            self._kernel.SetInformationJobObject(self._job, EXTENDED_LIMITS, LIMITS, len(LIMITS))
            process = self._kernel.OpenProcess(PROCESS_SET_QUOTA_AND_TERMINATE, False, pid)
            self._kernel.AssignProcessToJobObject(self._job, process)
            self._kernel.CloseHandle(process)

    def kill(self) -> None:
        """Kill all of them; the process must not have been waited for."""
        if sys.platform == "win32":
            self._kernel.TerminateJobObject(self._job, 1)
        else:
            with contextlib.suppress(OSError):
                os.killpg(self._pid, signal.SIGKILL)

    def close(self) -> None:
        """Free what the system keeps for the group."""
        if sys.platform == "win32" and self._job:
            self._kernel.CloseHandle(self._job)
            self._job = None
