"""`shogi-engine dev`: the tools of developers. Each is also a command of its own: `shogi-engine perft`."""

from typing import Any

from shogi_engine.cli import bench, compare, perft, search, warmup
from shogi_engine.cli.common import Parser, add_language
from shogi_engine.language import mark

HELP = mark("For developers: perft, bench, search, compare, warmup.")


def add_parser(commands: Any) -> None:
    """Add the tools."""
    parser: Parser = commands.add_parser("dev", help=HELP, description=HELP, allow_abbrev=False)
    add_language(parser)
    tools = parser.add_subparsers(dest="tool", required=True, metavar="TOOL")
    for tool in (perft, bench, search, compare, warmup):
        tool.add_parser(tools)
    commands.choices.update(tools.choices)
