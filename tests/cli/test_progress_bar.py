"""The bar of long work: on a terminal only."""

import io
from contextlib import redirect_stderr

from shogi_engine.cli.progress_bar import progress_bar


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_how_much_is_done_and_left(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    with redirect_stderr(screen), progress_bar("analysing", 3, 1) as advance:
        advance()
        advance()
    assert "analysing" in screen.getvalue() and "3/3" in screen.getvalue() and "left" in screen.getvalue()


def test_elsewhere_there_is_none_nor_for_what_is_done():
    for stream, done in ((io.StringIO(), 0), (Screen(), 3)):
        with redirect_stderr(stream), progress_bar("analysing", 3, done) as advance:
            advance()
        assert stream.getvalue() == ""
