"""`shogi-engine compare`: a round robin of textbook players, as a match with tables of its own."""

import io
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine.cli import common
from shogi_engine.cli.common import check_outputs, option
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common import text
from shogi_engine.common.files import write_whole

if TYPE_CHECKING:
    from shogi_engine.textbook.player import Textbook

MAX_MOVES = 512  # longer games are drawn
RESULTS = ("wins", "draws", "losses")  # of the first of a pair
COLOURS = ("#3b6ea8", "#c9c9c9", "#c2573a")  # won, drawn, lost

Row = dict[str, Any]


class Arguments(common.Arguments):
    """The players, and how many games they play."""

    game: str = common.game_argument()
    players: str = option(
        "random, minimax, alphabeta, negascout, pvs (NegaScout with move ordering) or deepening, optionally with "
        "a depth other than --depth (alphabeta:4). At depth 0 they count discs or material; "
        "alphabeta:4:engine uses the engine's evaluation",
        required=True,
        metavar="A,B,...",
    )
    games: int = option("games for each pair of players", type=common.at_least_one, required=True)
    depth: int = option("search depth in plies", type=common.at_least_one, default=4, metavar="D")
    seed: int = option("the same seed gives the same games", type=common.natural, default=1, metavar="S")
    random_plies: int = option("random moves at the start of each game", type=common.natural, default=0)
    plot: Path | None = option("draw the tables (PNG, SVG ...; needs matplotlib)", type=Path)
    json: bool = common.JSON


def run(args: Arguments) -> int:
    """Play the round robin and print its tables."""
    from shogi_engine.textbook.player import parse_player

    players = [parse_player(name, args.depth) for name in args.players.split(",")]
    plt = pyplot(args.plot) if args.plot else None  # raises before the games, not after
    rows = round_robin(args, players)
    names = [player.name for player in players]
    if args.plot:
        plot(args.game, rows, args.plot, plt)
    values = {"game": args.game, "players": names, "games": args.games, "seed": args.seed, "rows": rows}
    common.report(args.json, values, table(names, rows))
    return 0


def round_robin(args: Arguments, players: Sequence["Textbook"]) -> list[Row]:
    """Play all games and return a row for every two players. Raises ValueError."""
    from shogi_engine import match
    from shogi_engine.match.plan import TEXTBOOK

    if len(players) < 2:
        raise ValueError("a round robin needs at least two players")
    engines = tuple(
        match.EngineSpec(TEXTBOOK, each.name, label=each.name, game=args.game, textbook=each) for each in players
    )
    schedule, terms = match.Schedule(len(players), args.games), match.Terms(max_plies=MAX_MOVES)
    openings = match.OpeningPlan(args.game, ("startpos",), args.seed, args.random_plies, balanced=False)
    maker = match.EngineGames(args.game, engines, schedule, openings, terms, seed=args.seed)
    numbers = schedule.numbers()
    with progress_bar("game", len(numbers)) as line:
        played = match.Match(match.GameLog(None, {}), numbers, maker)
        for _record in played.run():
            line.advance()
    return rows_of([player.name for player in players], played.log.records)


def rows_of(names: Sequence[str], records: Mapping[int, Row]) -> list[Row]:
    """Return a row for every two players of a match's log.

    In a row, `seconds` is the time that both players needed for their moves, `ms_per_1000_games` the unit of published
    tables of other programs, and `nodes_by_depth` the nodes of both by plies below the root.
    """
    from shogi_engine.match.report import crosstable, meeting_of
    from shogi_engine.match.runner import SIDES

    rows, results = [], crosstable(records, len(names))
    for one, two in itertools.combinations(range(len(names)), 2):
        used = [[each[side] for each in records.values() if meeting_of(each) == (one, two)] for side in SIDES]
        seconds = sum(each["ms"] for each in itertools.chain(*used)) / 1000
        visits = [summed([each.get("visits", []) for each in side]) for side in used]
        row: Row = {"players": [names[one], names[two]]}
        row |= dict(zip(RESULTS, results[one][two], strict=True))
        row |= {"seconds": seconds, "ms_per_1000_games": 1e6 * seconds / max(len(used[0]), 1)}
        rows.append(row | {"nodes_by_depth": summed(visits), "nodes_by_player": visits})
    return rows


def summed(counts: Sequence[Sequence[int]]) -> list[int]:
    """Return the sums of counts by ply."""
    return [sum(nodes) for nodes in itertools.zip_longest(*counts, fillvalue=0)]


# ---- tables and pictures -----------------------------------------------------------------------------------------


def table(names: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the tournament as three tables: wins/draws/losses of the row, ms per 1000 games, nodes by depth."""
    count = len(names)
    cells = [["-"] * count for _ in names]
    for (one, two), row in zip(itertools.combinations(range(count), 2), rows, strict=True):
        won = [str(row[result]) for result in RESULTS]
        cells[one][two], cells[two][one] = "/".join(won), "/".join(won[::-1])
    results = [["wins/draws/losses of the row against", *names]]
    results += [[name, *line] for name, line in zip(names, cells, strict=True)]
    times = [["pair", "games", "ms per 1000 games"]]
    times += [[" - ".join(row["players"]), str(games_of(row)), f"{row['ms_per_1000_games']:.0f}"] for row in rows]
    lines = list(visits_of(rows))
    deepest = max((len(visits) for _, visits in lines), default=0)
    nodes = [["nodes by depth", *map(str, range(deepest))]]
    nodes += [[name, *map(str, visits), *[""] * (deepest - len(visits))] for name, visits in lines]
    tables = [results, times, *([nodes] if lines else [])]
    return "\n\n".join("\n".join(text.table(each)) for each in tables)


def games_of(row: Row) -> int:
    """Return the number of games of a row."""
    return sum(row[result] for result in RESULTS)


def visits_of(rows: Sequence[Row]) -> Iterator[tuple[str, list[int]]]:
    """Yield 'a (against b)' and the nodes of a by ply, for players that search."""
    for row in rows:
        for (one, two), visits in zip(itertools.permutations(row["players"]), row["nodes_by_player"], strict=True):
            if visits:
                yield f"{one} (against {two})", visits


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


def plot(game: str, rows: Sequence[Row], path: Path, plt: Any) -> None:
    """Draw the three tables with matplotlib's pyplot `plt` to the image `path`; raises OSError, ValueError."""
    names = [" - ".join(row["players"]) for row in rows]
    figure, (results, times, nodes) = plt.subplots(3, 1, figsize=(9, 5 + len(names)), layout="constrained")
    left = [0] * len(names)
    for label, colour in zip(RESULTS, COLOURS, strict=True):
        counts = [row[label] for row in rows]
        results.barh(names, counts, left=left, color=colour, label=label)
        left = [sum(both) for both in zip(left, counts, strict=True)]
    results.set_title(f"{game}: games of the first of each pair")
    times.barh(names, [row["ms_per_1000_games"] for row in rows], color=COLOURS[0])
    times.set_xscale("log")
    times.set_xlabel("ms per 1000 games")
    for axes in (results, times):
        axes.invert_yaxis()
    for name, visits in visits_of(rows):
        nodes.plot(range(len(visits)), visits, marker="o", label=name)
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
