"""Bytes from standard input, of whatever kind it is: a pipe, a console, a file, a socket, or none.

On Windows a read that waits locks its handle. A library that loads asks for the state of standard input (OpenBLAS does,
and so does every C runtime) and waits behind that read: forever, if the GUI at the other end waits for an answer. So
no read is begun before there is something to read. Standard library only.
"""

import ctypes
import math
import select
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

CHUNK = 1 << 16
POLL = 0.005  # seconds between looks at a handle of Windows

DISK, CHARACTERS, PIPE = 1, 2, 3  # GetFileType
KEY_EVENT = 1
KEY_RECORD = struct.Struct("<HxxiHHHHI")  # INPUT_RECORD: type, down, repeat, key, scan code, character, shift state
KEYS_OF_HISTORY = range(0x25, 0x29)  # the arrows bring back the lines typed before
EVENTS = 32  # of a console, looked at together

Probe = Callable[[], bool]  # tells whether a read would return at once


class Source:
    """A file descriptor to read from. A descriptor that is not open is at its end.

    Attributes:
        can_wait: whether `wait` knows when there is input
        is_terminal: whether a person types there
    """

    def __init__(self, descriptor: int) -> None:
        self._probe: Probe | None = None
        self.can_wait = True
        try:
            # What is typed in a console of Windows comes as UTF-8 this way, and not by os.read.
            self._file: Any = open(descriptor, "rb", buffering=0, closefd=False)  # noqa: SIM115
        except OSError:
            self._file = None
        self.is_terminal = bool(self._file and self._file.isatty())
        if sys.platform == "win32" and self._file:
            import msvcrt

            self._probe = probe_of(ctypes.windll.kernel32, msvcrt.get_osfhandle(descriptor))
            self.can_wait = self._probe is not None

    def wait(self, seconds: float = math.inf) -> bool:
        """Wait up to `seconds` for input or its end; tell whether there is any.

        If that cannot be known, the answer is no, or yes if the wait has no limit.
        """
        if self._file is None:
            return True
        if self._probe:
            return poll(self._probe, seconds)
        if not self.can_wait:
            return seconds == math.inf
        return bool(select.select([self._file], [], [], None if seconds == math.inf else seconds)[0])

    def read(self) -> bytes:
        """Return what there is, up to CHUNK bytes; b'' at the end."""
        try:
            return (self._file and self._file.read(CHUNK)) or b""
        except OSError:
            return b""


def poll(probe: Probe, seconds: float) -> bool:
    """Wait up to `seconds` until `probe()` holds; tell whether it does."""
    end = time.monotonic() + seconds
    while not probe():
        if time.monotonic() >= end:
            return False
        time.sleep(POLL)
    return True


# ---- what Windows knows of a handle ------------------------------------------------------------------------------


def probe_of(kernel: Any, handle: int) -> Probe | None:
    """Return a probe for a handle; None if there is no way to know.

    Args:
        kernel: kernel32.dll
    """
    kind, mode = kernel.GetFileType(handle), ctypes.c_ulong()
    if kind == PIPE:
        if kernel.GetNamedPipeInfo(handle, None, None, None, None):  # an anonymous pipe has a name too
            return lambda: _pipe_has_input(kernel, handle)
        return (lambda: _socket_has_input(handle)) if _is_socket(handle) else None
    if kind == CHARACTERS and kernel.GetConsoleMode(handle, ctypes.byref(mode)):
        return lambda: _console_has_text(kernel, handle)
    return lambda: True  # a file, or NUL


def _pipe_has_input(kernel: Any, handle: int) -> bool:
    waiting = ctypes.c_ulong()
    peeked = kernel.PeekNamedPipe(handle, None, 0, None, ctypes.byref(waiting), None)
    return not peeked or waiting.value > 0  # not after the other end has closed it


def _is_socket(handle: int) -> bool:
    try:
        _socket_has_input(handle)
    except (OSError, ValueError):
        return False
    return True


def _socket_has_input(handle: int) -> bool:
    return bool(select.select([handle], [], [], 0)[0])


def _console_has_text(kernel: Any, handle: int) -> bool:
    """Tell whether a key was pressed that begins a line. Other events (mouse, focus, Shift) are removed.

    The read then waits for the end of the line, which a person who has begun it will type.
    """
    events, count = ctypes.create_string_buffer(EVENTS * KEY_RECORD.size), ctypes.c_ulong()
    while kernel.PeekConsoleInputW(handle, events, EVENTS, ctypes.byref(count)) and count.value:
        for number in range(count.value):
            kind, down, _, key, _, character, _ = KEY_RECORD.unpack_from(events, number * KEY_RECORD.size)
            if kind == KEY_EVENT and down and (character or key in KEYS_OF_HISTORY):
                return True
        kernel.ReadConsoleInputW(handle, events, count.value, ctypes.byref(count))
    return False
