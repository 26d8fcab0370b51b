"""`shogi-engine dev`: the tools of developers. Each is also a command of its own: `shogi-engine perft`."""

from typing import Any

from shogi_engine.cli import TOOLS
from shogi_engine.cli.common import add_command, add_module


def add_parser(commands: Any) -> None:
    """Add the tools."""
    tools = add_command(commands, "dev").add_subparsers(dest="tool", required=True, metavar="TOOL")
    for name in TOOLS:
        add_module(tools, name)
    commands.choices.update(tools.choices)
