"""The memory of the machine. Standard library only."""

import os
import sys


def machine_megabytes() -> int:
    """Return the machine's memory in MB, 0 if the system does not tell."""
    if sys.platform == "win32":
        return _windows_megabytes()
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError):
        return 0


def _windows_megabytes() -> int:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", "free", "a", "b", "c", "d", "e")),
        )

    status = Status(ctypes.sizeof(Status))
    answered = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))  # type: ignore[attr-defined]
    return status.total >> 20 if answered else 0
