"""`shogi-engine gtp`: the Go Text Protocol on standard input and output."""

import argparse
from typing import Any

from shogi_engine.cli.common import add_command
from shogi_engine.cli.othello_book import add_othello_book, book_use


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = add_command(commands, "gtp", run, "Speak the Go Text Protocol, for Othello GUIs and match programs.")
    add_othello_book(parser)


def run(args: argparse.Namespace) -> int:
    """Run until `quit` or the end of input."""
    from shogi_engine.frontends.gtp import Gtp
    from shogi_engine.frontends.stdio import Output, run_stdio

    book = book_use(args)
    return run_stdio(Output, lambda output, lines: Gtp(output, book=book).run(lines))
