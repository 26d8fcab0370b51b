"""The `shogi-engine` command: finds the command's module in `cli` and runs it.

Every command has `--help`; wrong arguments end with status 2 and one line on stderr; `--json` prints one JSON object as
the last line of stdout; progress goes to stderr, and only to a terminal.
"""

import sys

from shogi_engine import __version__
from shogi_engine.common.safe_path import leave_start_folder

if __name__ == "__main__":
    leave_start_folder()

from shogi_engine.cli import (  # noqa: E402
    analyse,
    bench,
    book,
    compare,
    convert,
    csa,
    doctor,
    gtp,
    match,
    mate,
    nboard,
    perft,
    play,
    search,
    serve,
    solve,
    trace,
    train,
    warmup,
)
from shogi_engine.cli.common import Parser  # noqa: E402

COMMANDS = (
    warmup, perft, bench, doctor, search, solve, trace, mate, compare, match, analyse, convert, nboard, gtp, csa, play,
    serve, train, book,
)  # fmt: skip


def parser() -> Parser:
    """Return the parser of the whole command line."""
    top = Parser(prog="shogi-engine", description="Shogi and Othello on one search.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"shogi-engine {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    args = parser().parse_args(arguments)
    try:
        status: int = args.run(args)
    except MemoryError as fault:
        print(f"shogi-engine: not enough memory: {' '.join(str(fault).split())}", file=sys.stderr)
        return 2
    except (ValueError, OverflowError, OSError) as fault:
        print(f"shogi-engine: {' '.join(str(fault).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
