"""`shogi-engine compare`: a round robin of textbook players, as a match with tables of its own."""

import argparse
import io
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
    from shogi_engine.match import Match, Schedule
    from shogi_engine.match.runner import Record
    from shogi_engine.textbook.player import Textbook

MAX_MOVES = 512  # longer games are drawn
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
    from shogi_engine.textbook.player import parse_player

    players = [
        replace(parse_player(name, args.depth), published_bugs=args.published_bugs) for name in args.players.split(",")
    ]
    plt = pyplot(args.plot) if args.plot else None  # raises before the games, not after
    rows = round_robin(args, players)
    names = [player.name for player in players]
    if plt is not None:
        plot(args.game, rows, args.plot, plt)
    values = {"game": args.game, "players": names, "games": args.games, "seed": args.seed}
    values |= {"published_bugs": args.published_bugs, "rows": [row.values() for row in rows]}
    report(args, values, table(names, rows))
    return 0


def round_robin(args: argparse.Namespace, players: Sequence["Textbook"]) -> list["Row"]:
    """Play all games and return a row for every two players. Raises ValueError."""
    from shogi_engine import match
    from shogi_engine.match.engines import TEXTBOOK

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
        maker.warm_up()
        played = match.Match(match.GameLog(None, {}), numbers, maker)
        for _record in played.run():
            line.advance()
    return rows_of(schedule, [player.name for player in players], played)


@dataclass
class Row:
    """The results of `first` against `second`.

    Attributes:
        seconds: the time that both players needed for their moves
        visits: the nodes of each player, by ply
    """

    first: str
    second: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    seconds: float = 0.0
    visits: list[list[int]] = field(default_factory=lambda: [[], []])

    @property
    def games(self) -> int:
        """The number of games between the two."""
        return self.wins + self.draws + self.losses

    @property
    def ms_per_1000_games(self) -> float:
        """Milliseconds for a thousand such games, the unit of published tables of other programs."""
        return 1e6 * self.seconds / max(self.games, 1)

    def add(self, record: "Record") -> None:
        """Add a game of the two, a line of a match's log."""
        self.wins += record["score"] == 1
        self.draws += record["score"] == 0.5
        self.losses += record["score"] == 0
        for number, side in enumerate(("first", "second")):
            used = record[side]
            self.seconds += used["ms"] / 1000
            self.visits[number] = summed([self.visits[number], used.get("visits", [])])

    def values(self) -> dict[str, Any]:
        """Return the row for JSON; `nodes_by_depth` is of both players, by plies below the root."""
        return {
            "players": [self.first, self.second],
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "seconds": self.seconds,
            "ms_per_1000_games": self.ms_per_1000_games,
            "nodes_by_depth": summed(self.visits),
            "nodes_by_player": self.visits,
        }


def summed(counts: Sequence[Sequence[int]]) -> list[int]:
    """Return the sums of counts by ply."""
    return [sum(nodes) for nodes in itertools.zip_longest(*counts, fillvalue=0)]


def rows_of(schedule: "Schedule", names: Sequence[str], played: "Match") -> list[Row]:
    """Return a row for every two players of a finished match."""
    rows = {pair: Row(names[pair[0]], names[pair[1]]) for pair in schedule.pairings}
    for number, record in sorted(played.log.records.items()):
        meeting = schedule.meeting(number)
        rows[meeting.first, meeting.second].add(record)
    return list(rows.values())


# ---- tables and pictures -----------------------------------------------------------------------------------------


def table(names: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the tournament as three tables: wins/draws/losses of the row, ms per 1000 games, nodes by depth."""
    places = range(len(names))
    pairs = dict(zip(itertools.combinations(places, 2), rows, strict=True))
    results = [["wins/draws/losses of the row against", *names]]
    for one in places:
        cells = []
        for two in places:
            pair = pairs.get((min(one, two), max(one, two)))
            own = (pair.wins, pair.draws, pair.losses) if pair and one < two else ()
            cells.append("/".join(map(str, own or ((pair.losses, pair.draws, pair.wins) if pair else ("-",)))))
        results.append([names[one], *cells])
    times = [["pair", "games", "ms per 1000 games"]]
    deepest = max((len(visits) for pair in rows for visits in pair.visits), default=0)
    nodes = [["nodes by depth", *map(str, range(deepest))]]
    for pair in rows:
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


def plot(game: str, rows: Sequence[Row], path: Path, plt: Any) -> None:
    """Draw the three tables with matplotlib's pyplot `plt` to the image `path`; raises OSError, ValueError."""
    names = [f"{pair.first} - {pair.second}" for pair in rows]
    figure, (results, times, nodes) = plt.subplots(3, 1, figsize=(9, 5 + len(names)), layout="constrained")
    left = [0] * len(names)
    for label, colour in zip(("wins", "draws", "losses"), COLOURS, strict=True):
        counts = [getattr(pair, label) for pair in rows]
        results.barh(names, counts, left=left, color=colour, label=label)
        left = [sum(both) for both in zip(left, counts, strict=True)]
    results.set_title(f"{game}: games of the first of each pair")
    times.barh(names, [pair.ms_per_1000_games for pair in rows], color=COLOURS[0])
    times.set_xscale("log")
    times.set_xlabel("ms per 1000 games")
    for axes in (results, times):
        axes.invert_yaxis()
    for pair in rows:
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
