"""`shogi-engine nboard`: the NBoard protocol on standard input and output."""

import argparse
from typing import Any

from shogi_engine.cli.common import add_command


def add_parser(commands: Any) -> None:
    """Add the command."""
    add_command(commands, "nboard", run, "Speak the NBoard protocol, for Othello GUIs.")


def run(args: argparse.Namespace) -> int:
    """Converse until `quit` or the end of input."""
    from shogi_engine.frontends.nboard import NBoard
    from shogi_engine.frontends.stdio import Output, run_stdio

    return run_stdio(Output, lambda output, lines: NBoard(output).run(lines))
