"""The commands of `shogi-engine`, one module each.

A command's module has its `Arguments`, as `cli.common` explains, and `run(args)`, which returns the exit status; `book`
and `dev`, which have commands of their own, have `add_parser(commands)` instead.
Modules that load numba are imported in `run`, and only the module of the command that was requested is imported at all,
so that the help appears at once.
"""

from typing import NamedTuple

from shogi_engine.language import mark


class Command(NamedTuple):
    """What `--help` says of a command; `aliases` are its other names."""

    help: str
    aliases: tuple[str, ...] = ()


GROUPS = {  # by heading, in the order of the help; a command's module has its name
    mark("play"): {
        "play": Command(mark("Play in the terminal; it asks for what is not given.")),
        "serve": Command(mark("Play, analyse and solve in a browser.")),
        "tsume": Command(mark("Solve mate problems in the terminal; the engine defends.")),
    },
    mark("study"): {
        "analyse": Command(mark("Judge recorded games, or show a position's best moves.")),
        "study": Command(mark("Solve problems of your own mistakes until you know them.")),
        "repertoire": Command(mark("Learn opening lines until you know them.")),
        "solve": Command(mark("Solve a mate problem of Shogi, or an ending of Othello."), ("mate",)),
        "convert": Command(mark("Convert game records from one format to another.")),
    },
    mark("engines"): {
        "match": Command(mark("Play a match or a tournament, with Elo and SPRT.")),
        "csa": Command(mark("Play on a CSA server, such as floodgate.")),
        "nboard": Command(mark("Speak NBoard or GTP, for Othello GUIs."), ("gtp",)),
        "book": Command(mark("Make, extend, show and convert opening books.")),
        "train": Command(mark("Train an evaluation on the engine's own games.")),
    },
    mark("develop"): {
        "doctor": Command(mark("Check this installation, for bug reports.")),
        "dev": Command(mark("For developers: perft, bench, search, compare, warmup.")),
    },
}
TOOLS = {  # of `dev`
    "perft": Command(mark("Perft: count the leaves of the tree of legal moves.")),
    "bench": Command(mark("Search fixed positions; the number of nodes is the signature of the search.")),
    "search": Command(mark("Search one position.")),
    "compare": Command(mark("Play a round robin of textbook players; print tables of results, times and nodes.")),
    "warmup": Command(mark("Compile and cache everything, so that later starts are quick.")),
}
COMMANDS = {name: command for group in (*GROUPS.values(), TOOLS) for name, command in group.items()}
