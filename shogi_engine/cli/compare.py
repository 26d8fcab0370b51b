"""`shogi-engine compare`: a round robin of textbook players, and its tables."""

import argparse
import io
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine.cli.common import (
    add_command,
    add_game,
    add_json,
    at_least_one,
    natural,
    report,
)
from shogi_engine.cli.outputs import check_outputs
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common import text
from shogi_engine.common.files import write_whole

if TYPE_CHECKING:
    from shogi_engine.textbook.round_robin import Tournament

COLOURS = ("#3b6ea8", "#c9c9c9", "#c2573a")  # won, drawn, lost


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(
        commands, "compare", run, "Play a round robin of textbook players; print tables of results, times and nodes."
    )
    add_game(parser)
    parser.add_argument(
        "--players",
        required=True,
        metavar="A,B,...",
        help=(
            "random, minimax, alphabeta, negascout or pvs (NegaScout with move ordering), optionally with a "
            "depth other than --depth (alphabeta:4). At depth 0 they count discs or material; "
            "alphabeta:4:engine uses the engine's evaluation"
        ),
    )
    parser.add_argument("--games", type=at_least_one, required=True, help="games for each pair of players")
    parser.add_argument("--depth", type=at_least_one, default=4, metavar="D", help="search depth in plies")
    parser.add_argument("--seed", type=natural, default=1, metavar="S", help="the same seed gives the same games")
    parser.add_argument("--random-plies", type=natural, default=0, help="random moves at the start of each game")
    parser.add_argument(
        "--published-bugs",
        action="store_true",
        help="search Othello with the bugs described in docs/textbook-players.md",
    )
    parser.add_argument("--plot", type=Path, help="draw the tables (PNG, SVG ...; needs matplotlib)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Play the round robin and print its tables."""
    from shogi_engine.textbook.round_robin import compare, parse_player

    players = [parse_player(name, args.depth) for name in args.players.split(",")]
    plt = pyplot(args.plot) if args.plot else None  # raises before the games, not after
    with progress_bar("game") as line:
        tournament = compare(
            args.game,
            players,
            games=args.games,
            seed=args.seed,
            opening=args.random_plies,
            published_bugs=args.published_bugs,
            progress=line.count,
        )
    if plt is not None:
        plot(tournament, args.plot, plt)
    values = {
        "game": tournament.game,
        "players": list(tournament.players),
        "games": args.games,
        "seed": args.seed,
        "seed_rules": args.published_bugs,
        "rows": [pair.values() for pair in tournament.pairs],
    }
    report(args, values, table(tournament))
    return 0


# ---- tables and pictures -----------------------------------------------------------------------------------------


def table(tournament: "Tournament") -> str:
    """Return the tournament as three tables: wins/draws/losses of the row, ms per 1000 games, nodes by depth."""
    places = range(len(tournament.players))
    pairs = dict(zip(itertools.combinations(places, 2), tournament.pairs, strict=True))
    results = [["wins/draws/losses of the row against", *tournament.players]]
    for one in places:
        cells = []
        for two in places:
            pair = pairs.get((min(one, two), max(one, two)))
            own = (pair.wins, pair.draws, pair.losses) if pair and one < two else ()
            cells.append("/".join(map(str, own or ((pair.losses, pair.draws, pair.wins) if pair else ("-",)))))
        results.append([tournament.players[one], *cells])
    times = [["pair", "games", "ms per 1000 games"]]
    deepest = max((len(visits) for pair in tournament.pairs for visits in pair.visits), default=0)
    nodes = [["nodes by depth", *map(str, range(deepest))]]
    for pair in tournament.pairs:
        times.append([f"{pair.first} - {pair.second}", str(pair.games), f"{pair.ms_per_1000_games:.0f}"])
        for name, other, visits in zip((pair.first, pair.second), (pair.second, pair.first), pair.visits, strict=True):
            if visits:
                nodes.append([f"{name} (against {other})", *map(str, visits), *[""] * (deepest - len(visits))])
    tables = [results, times, *([nodes] if len(nodes) > 1 else [])]
    return "\n\n".join("\n".join(text.table(each)) for each in tables)


def pyplot(path: Path) -> Any:
    """Return matplotlib's pyplot, set up to write files only.

    Raises ValueError, before hours of work, if it is not installed or could not write the image `path` in the end.
    """
    try:
        import matplotlib
    except ImportError:
        raise ValueError("--plot needs matplotlib, which is not installed: pip install matplotlib") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.backend_bases import FigureCanvasBase

    check_outputs("compare", {"--plot": path})
    kinds = FigureCanvasBase.get_supported_filetypes()
    if path.suffix and path.suffix[1:].lower() not in kinds:
        raise ValueError(f"--plot: {path.suffix} is none of the image formats ({', '.join(sorted(kinds))})")
    return pyplot


def plot(tournament: "Tournament", path: Path, plt: Any) -> None:
    """Draw the three tables with matplotlib's pyplot `plt` to the image `path`; raises OSError, ValueError."""
    names = [f"{pair.first} - {pair.second}" for pair in tournament.pairs]
    figure, (results, times, nodes) = plt.subplots(3, 1, figsize=(9, 5 + len(names)), layout="constrained")
    left = [0] * len(names)
    for label, colour in zip(("wins", "draws", "losses"), COLOURS, strict=True):
        counts = [getattr(pair, label) for pair in tournament.pairs]
        results.barh(names, counts, left=left, color=colour, label=label)
        left = [sum(both) for both in zip(left, counts, strict=True)]
    results.set_title(f"{tournament.game}: games of the first of each pair")
    times.barh(names, [pair.ms_per_1000_games for pair in tournament.pairs], color=COLOURS[0])
    times.set_xscale("log")
    times.set_xlabel("ms per 1000 games")
    for axes in (results, times):
        axes.invert_yaxis()
    for pair in tournament.pairs:
        for name, other, visits in zip((pair.first, pair.second), (pair.second, pair.first), pair.visits, strict=True):
            if visits:
                nodes.plot(range(len(visits)), visits, marker="o", label=f"{name} against {other}")
    nodes.set_yscale("log")
    nodes.set_xlabel("plies below the root")
    nodes.set_ylabel("nodes")
    results.legend()
    if nodes.lines:
        nodes.legend(fontsize="small")
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix[1:].lower() or None)
    write_whole(path, drawn.getvalue())
    plt.close(figure)
