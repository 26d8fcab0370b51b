"""`shogi-engine dev`: the tools of developers. Each is also a command of its own: `shogi-engine perft`."""

from importlib import import_module
from typing import Any

from shogi_engine.cli import TOOLS
from shogi_engine.cli.common import add_command


def add_parser(commands: Any) -> None:
    """Add the tools."""
    tools = add_command(commands, "dev").add_subparsers(dest="tool", required=True, metavar="TOOL")
    for name in TOOLS:
        import_module(f"shogi_engine.cli.{name}").add_parser(tools)
    commands.choices.update(tools.choices)
