"""Lines in and out and the threads of the protocols, without an engine."""

import threading

import pytest

from shogi_engine.common.text import sanitize
from shogi_engine.common.threads import STACK_BYTES, start_thread
from shogi_engine.frontends.core import Output, asks_to_quit, read_line


def test_a_thread_has_the_stack_of_a_search_and_leaves_the_size_of_others():
    before = threading.stack_size()
    sizes = []

    def recurse(depth):
        return depth if depth == 0 else recurse(depth - 1)

    start_thread(lambda depth: sizes.append(recurse(depth)), "test", 500).join()
    assert sizes == [0]
    assert threading.stack_size() == before != STACK_BYTES
    assert start_thread(lambda: None, "test").daemon


def test_the_size_is_restored_when_no_thread_can_be_started(monkeypatch):
    def fail(thread):
        raise RuntimeError("can't start new thread")

    before = threading.stack_size()
    monkeypatch.setattr(threading.Thread, "start", fail)
    with pytest.raises(RuntimeError):
        start_thread(lambda: None, "test")
    assert threading.stack_size() == before


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\r\nb\tc", "a b c"),
        ("\x1b[31mred", "?[31mred"),
        ("歩", r"\u6b69"),
        ("x" * 160, "x" * 160),
        ("x" * 161, "x" * 157 + "..."),
    ],
)
def test_shown_is_one_short_line_of_ascii(text, plain):
    assert sanitize(text) == plain


def test_lines_are_read_whatever_they_hold():
    assert read_line(b"\xef\xbb\xbfusi\r\n") == "usi"
    assert read_line(b"position \xff\n") == "position \ufffd"
    assert read_line(b"\0\n") == ""


def test_a_path_in_the_encoding_of_windows_is_understood():
    text = "setoption name EvalFile value C:\\将棋 ソフト\\nn.bin"
    assert read_line(text.encode("cp932"), "cp932") == read_line(text.encode(), "cp932") == text
    assert read_line(b"\x81", "cp932") == "\ufffd"


@pytest.mark.parametrize(("text", "quits"), [("quit", True), ("quit now", True), ("quite", False), ("", False)])
def test_quit_is_a_word(text, quits):
    assert asks_to_quit(text) is quits


@pytest.mark.parametrize("failure", [BrokenPipeError(), ValueError("closed")])
def test_a_reader_that_is_gone_is_told_once(failure):
    gone = []

    def write(data):
        raise failure

    Output(write, lambda: gone.append(True)).line("bestmove 7g7f")
    assert gone == [True]


def test_lines_of_several_threads_are_not_mixed():
    written = []

    def write(data):
        for byte in data:
            written.append(byte)

    output = Output(write, lambda: None)
    threads = [start_thread(lambda text: [output.line(text) for _ in range(50)], "test", c * 40) for c in "abc"]
    for thread in threads:
        thread.join()
    lines = bytes(written).decode().splitlines()
    assert len(lines) == 150
    assert all(line == line[0] * 40 for line in lines)
