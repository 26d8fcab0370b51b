"""Standard input of every kind: no read is begun before there is something to read."""

import os
import socket
import threading

import pytest

from shogi_engine.frontends.core import (
    CHARACTERS,
    DISK,
    EVENTS,
    KEY_RECORD,
    PIPE,
    Input,
    Output,
    Source,
    poll,
    probe_of,
)


def begin(source):
    return Input(source, Output(lambda data: None, lambda: None))


class Gui:
    """A source that is empty until `text` is given; a read from it while it is empty would wait, and is a fault."""

    is_terminal, can_wait = False, True

    def __init__(self):
        self.came = threading.Event()
        self.parts = []

    def give(self, part):
        self.parts.append(part)
        self.came.set()

    def wait(self, seconds=3600.0):
        return self.came.wait(min(seconds, 30))

    def read(self):
        assert self.parts, "a read is pending: on Windows a library that loads now waits forever"
        part = self.parts.pop(0)
        if not self.parts:
            self.came.clear()
        return part


def test_no_read_waits_for_input():
    gui = Gui()
    lines = iter(begin(gui))
    gui.give(b"usi\n")
    assert next(lines) == b"usi"
    for text in (b"isready\n", b"go\n", b""):
        threading.Timer(0.25, gui.give, [text]).start()
        if text:
            assert next(lines) == text.strip()
    assert list(lines) == []


class Unknown:
    """A source of which nothing is known before it is read."""

    is_terminal, can_wait = False, False

    def __init__(self, *parts):
        self.parts = list(parts)

    def wait(self, seconds=float("inf")):
        return seconds == float("inf")

    def read(self):
        return self.parts.pop(0)


def test_a_source_that_cannot_be_waited_for_is_live_and_answers_each_line():
    source = Unknown(b"usi\n", b"isready\n", b"")
    stream = begin(source)
    lines = iter(stream)
    assert next(lines) == b"usi" and len(source.parts) == 2
    assert next(lines) == b"isready" and stream.live and list(lines) == []


# ---- descriptors -------------------------------------------------------------------------------------------------


def read_all(descriptor):
    return list(begin(Source(descriptor)))


def test_a_file(tmp_path):
    (tmp_path / "script").write_bytes(b"usi\r\nquit")
    with open(tmp_path / "script", "rb") as file:
        assert read_all(file.fileno()) == [b"usi\r", b"quit"]


def test_a_pipe_and_its_end():
    reading, writing = os.pipe()
    source = Source(reading)
    assert source.can_wait and not source.is_terminal and not source.wait(0)
    os.write(writing, b"usi\n")
    assert source.wait(0) and source.read() == b"usi\n"
    os.close(writing)
    assert source.wait() and source.read() == b""
    os.close(reading)


def test_nothing_at_all():
    with open(os.devnull, "rb") as nothing:
        assert read_all(nothing.fileno()) == []
    closed = os.open(os.devnull, os.O_RDONLY)
    os.close(closed)
    assert read_all(closed) == []


def test_a_folder_is_the_end_of_input(tmp_path):
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(tmp_path, os.O_RDONLY)
        assert read_all(folder) == []
        os.close(folder)


# ---- handles of Windows ------------------------------------------------------------------------------------------


def key(character, down=1, code=65, kind=1):
    return KEY_RECORD.pack(kind, down, 1, code, 0, ord(character), 0)


SHIFT, RELEASED, UP = key("\0", code=16), key("\r", down=0), key("\0", code=38)
MOUSE = key("x", kind=2)


class Kernel:
    """What kernel32.dll says of one handle of a kind that GetFileType gives."""

    def __init__(self, kind, *, pipe=False, console=False, waiting=0, broken=False, events=()):
        self.kind, self.pipe, self.console = kind, pipe, console
        self.waiting, self.broken, self.events = waiting, broken, list(events)

    def GetFileType(self, handle):  # noqa: N802
        return self.kind

    def GetNamedPipeInfo(self, *arguments):  # noqa: N802
        return self.pipe

    def GetConsoleMode(self, handle, mode):  # noqa: N802
        return self.console

    def PeekNamedPipe(self, handle, buffer, size, read, waiting, left):  # noqa: N802
        waiting._obj.value = self.waiting
        return not self.broken

    def PeekConsoleInputW(self, handle, buffer, size, count):  # noqa: N802
        count._obj.value = min(size, len(self.events))
        buffer.raw = b"".join(self.events[:size]).ljust(len(buffer), b"\0")
        return True

    def ReadConsoleInputW(self, handle, buffer, size, count):  # noqa: N802
        del self.events[:size]
        return True


def test_a_pipe_is_read_when_it_has_input_or_has_ended():
    for known, expected in ((Kernel(PIPE, pipe=True), False), (Kernel(PIPE, pipe=True, waiting=5), True),
                            (Kernel(PIPE, pipe=True, broken=True), True)):  # fmt: skip
        assert probe_of(known, 1)() is expected


def test_a_file_and_nul_are_read_at_once():
    assert probe_of(Kernel(DISK), 1)() and probe_of(Kernel(CHARACTERS), 1)()


@pytest.mark.parametrize(
    ("events", "ready", "left"),
    [
        ([], False, 0),
        ([RELEASED, MOUSE, SHIFT], False, 0),
        ([MOUSE] * (EVENTS + 1) + [key("u")], True, 2),
        ([UP], True, 1),
        ([SHIFT, key("将")], True, 2),
    ],
)
def test_a_console_is_read_once_a_line_is_begun(events, ready, left):
    kernel = Kernel(CHARACTERS, console=True, events=events)
    assert probe_of(kernel, 1)() is ready and len(kernel.events) == left


def test_a_socket_is_waited_for_and_another_pipe_is_unknown():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        probe = probe_of(Kernel(PIPE), ours.fileno())
        assert probe() is False
        theirs.sendall(b"usi\n")
        assert poll(probe, 5)
    assert probe_of(Kernel(PIPE), 1 << 30) is None


def test_polling_ends_with_the_time():
    assert not poll(lambda: False, 0.02)
