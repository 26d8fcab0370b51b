"""`shogi-engine match`: plays programs, and levels or settings of this engine, against each other."""

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine.cli import common
from shogi_engine.cli.common import Attempts, Setting, at_least_one, check_outputs, flag, natural, option, positional
from shogi_engine.cli.progress import live
from shogi_engine.common.files import write_whole
from shogi_engine.language import InputError, Message, mark, translate as _

if TYPE_CHECKING:
    from shogi_engine.match import EngineGames, EngineSpec, Match, Schedule, Terms


# ---- The progress of a match: a table on a terminal


class MatchView:
    """The table, drawn from a copy of the log, because another thread may change the log meanwhile."""

    def __init__(self, match: "Match", names: Sequence[str]) -> None:
        self._match, self._names = match, names
        self._began, self._before = time.monotonic(), len(match.log.records)

    def table(self) -> Any:
        """Return the current table, a rich table."""
        from rich.table import Table

        from shogi_engine.match import report

        records = dict(self._match.log.records)
        table = Table(title=self._title(len(records)), caption=self._caption(records))
        for column in report.COLUMNS:
            table.add_column(_(column), justify="left" if not column else "right")
        for row in report.standings(records, self._names):
            table.add_row(*report.cells(row))
        return table

    def _title(self, done: int) -> str:
        whole = len(self._match.numbers)
        played = done - self._before
        elapsed = time.monotonic() - self._began
        title = _("{done} of {whole} games").format(done=done, whole=whole)
        minutes = elapsed / max(played, 1) * (whole - done) / 60
        return title + (_(", {minutes:.1f} min left").format(minutes=minutes) if played > 0 else "")

    def _caption(self, records: dict[int, Any]) -> str:
        from shogi_engine.match import report

        if len(self._names) != 2:
            return ""
        return report.line(report.summarise(records, self._match.sprt))


MOST_ENGINES = 24
LIMIT = "nodes=10000"
NEVER = "never"
EPILOG = mark("""
An engine is the command line of a USI engine or, after 'gtp:' or 'nboard:', of a GTP or NBoard engine. 'shogi' and
'othello' are this package's engines. Append a USI engine's options as in 'shogi:SkillLevel=5,Threads=2'. More than two
engines play a tournament.

A limit is nodes=N, depth=N, movetime=MS, byoyomi=MS or clock=MAIN+BYOYOMI+INCREMENT (as in 10:00+0+5s), or several of
these joined by commas.

Each opening is played twice, with colours swapped. The games are judged by this package's rules. A fault (illegal move,
loss on time, crash, missing or second answer) loses the game and is counted. Each finished game is one line of --log.
To continue a stopped match, start it again with the same settings.

'engine' is this engine in this process, without a protocol: 'level:3' plays at a level,
'engine:futility_margin=100,evaluation=NAME,weights=FILE' with other settings (see --list). With a limit of nodes or
depth, such games are reproducible. 'policy:FILE' is a network in a file (.onnx or .py).

Exit status: 0 when the match is complete or decided, 1 when there were too many faults, 2 for wrong arguments, 130 or
143 after Ctrl-C or SIGTERM.
""")

_amount = common.real(0, 999_999)
SETTINGS = (
    Setting("max_plies=N", at_least_one, "plies after which a game is drawn", 320),
    Setting("margin=MS", _amount, "grace period: time beyond the limit that does not lose the game", 100.0),
    Setting("timeout=S", _amount, "seconds beyond the limit after which an engine counts as not answering", 60.0),
    Setting("max_faults=N", natural, "stop the match after N faults; 0 for never", 10),
    Setting("random_plies=N", natural, "random moves added to each opening", 0),
)


def terms_numbers(text: str) -> tuple[int, ...] | str:
    """Return the numbers of 'VALUE:COUNT[:PLY]', or NEVER, for argparse."""
    if text == NEVER:
        return text
    numbers = tuple(int(number) if number.isdecimal() else -1 for number in text.split(":"))
    if len(numbers) > 3 or min(numbers) < 0 or (len(numbers) > 1 and numbers[1] < 1):
        raise argparse.ArgumentTypeError(
            Message("expected numbers with colons between them, or {0}, not {1!r}", NEVER, text)
        )
    return numbers


class Arguments(common.Arguments):
    """The players, what they play, and where the games are written."""

    engines: list[str] = positional("ENGINE", "two or more engines; see below", nargs="*")
    limit: list[str] = option(
        "limit for each move; default nodes=10000. Given several times: one for each engine",
        action="append",
        default=[],
        metavar="LIMIT",
    )
    names: str = option("the engines' names in tables and records", default="", metavar="A,B,...")
    ponder: bool = flag("let engines think on the opponent's time")
    game: str = option("game of engines in this process: shogi (the default), othello, ...", default="")
    list: bool = flag("list the game's parameters and exit")
    hash: int = option("size of each player's table in this process", type=at_least_one, default=8, metavar="MB")
    games: int = option("games for each pair of players", type=at_least_one, default=100)
    tournament: str = option(
        "who meets whom: all, the first player all others, or each its neighbours",
        choices=("round-robin", "gauntlet", "ladder"),
        default="round-robin",
    )
    concurrency: int = option("games played at the same time", type=at_least_one, default=1)
    openings: Path | None = option("openings, one 'startpos moves ...' per line; default: the package's", type=Path)
    seed: int = option("seed of the openings", type=int, default=1)
    sprt: tuple[float, float] | None = option(
        "stop when a sequential test (SPRT) of ELO0 against ELO1 is decided, with error probabilities of 0.05",
        type=float,
        nargs=2,
        metavar=("ELO0", "ELO1"),
    )
    resign: tuple[int, ...] | str | None = option(
        Message(
            "adjudicate a win when both players' last COUNT scores see one side ahead by VALUE; '{0}': play on", NEVER
        ),
        type=terms_numbers,
        metavar="VALUE:COUNT",
    )
    draw: tuple[int, ...] | str | None = option(
        "from ply PLY on, adjudicate a draw when both players' last COUNT scores are within VALUE",
        type=terms_numbers,
        metavar="VALUE:COUNT:PLY",
    )
    log: Path | None = option("log file with a line for each game; an existing log is continued", type=Path)
    out: Path | None = option("write all games (.kif, .csa, .ggf ...)", type=Path)
    html: Path | None = option("write an HTML page with the table, the graph and the games", type=Path)
    cluster: str = common.CLUSTER
    json: bool = common.JSON
    set: dict[str, Any] = common.settings_option(settings=SETTINGS)


# ---- the games to play -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Prepared:
    """A match that is ready to start."""

    match: "Match"
    names: list[str]
    game: str
    settings: dict[str, Any]


def prepared(args: Arguments) -> Prepared:
    """Return the match that the arguments describe. Raises ValueError and OSError."""
    from shogi_engine import match
    from shogi_engine.common.match_statistics import Sprt

    count = len(args.engines)
    if not 2 <= count <= MOST_ENGINES:
        raise InputError("match: give 2 to {0} engines, not {1}", MOST_ENGINES, count)
    if count > 2 and args.sprt:
        raise InputError("match: --sprt is for two players")
    sprt = Sprt(*args.sprt) if args.sprt else None
    schedule = match.Schedule(count, args.games, args.tournament)
    maker, names = between_engines(args, schedule)
    plan, game = maker.openings, maker.game
    settings = {name: getattr(args, name) for name in ("seed", "resign", "draw", "limit")}
    settings |= {"game": game, "random_plies": plan.plies, "openings": str(args.openings or "")}
    settings |= {"max_plies": args.set["max_plies"]} | _own_settings(args, names)
    log = match.GameLog(args.log, json.loads(json.dumps(settings)))
    played = match.Match(log, schedule.numbers(), maker, sprt, args.set["max_faults"])
    return Prepared(played, names, game, log.settings)


def _own_settings(args: Arguments, names: list[str]) -> dict[str, Any]:
    """Return the players' settings, which must be the same whenever the log is continued."""
    from shogi_engine.match.plan import is_in_process

    own = {"engines": args.engines, "ponder": args.ponder, "margin": args.set["margin"]}
    own |= {"hash": args.hash} if any(map(is_in_process, args.engines)) else {}
    return own | ({"tournament": args.tournament} if len(names) > 2 else {})


def terms_of(args: Arguments) -> "Terms":
    """Return how games are judged."""
    from shogi_engine.match import Terms

    resign, draw = ((None if isinstance(given, str) else given) for given in (args.resign, args.draw))
    return Terms(
        args.set["max_plies"],
        (resign[0], (*resign, 2)[1]) if resign else None,
        (draw[0], (*draw, 4)[1], (*draw, 4, 60)[2]) if draw else None,
        args.set["margin"],
    )


def for_each(option: str, given: Sequence[str], count: int) -> Sequence[str]:
    """Return what is given for each of `count` engines. Raises ValueError for another number of values."""
    if len(given) != count:
        raise InputError("match: {0} has {1} values for {2} engines", option, len(given), count)
    return given


def between_engines(args: Arguments, schedule: "Schedule") -> tuple["EngineGames", list[str]]:
    """Return the maker of the games, and the engines' names. Raises ValueError."""
    from shogi_engine import games, match
    from shogi_engine.match.plan import is_in_process

    texts, count = args.engines, len(args.engines)
    limits = for_each("--limit", args.limit, count) if len(args.limit) > 1 else (args.limit or [LIMIT]) * count
    labels = for_each("--names", args.names.split(","), count) if args.names else [""] * count

    def engine(number: int, game: str) -> "EngineSpec":
        limit, clock = match.parse_limit(limits[number])
        return match.parse_engine(
            texts[number], limit, clock, ponder=args.ponder, label=labels[number], game=game, hash_mb=args.hash
        )

    programs = [engine(number, "") for number, text in enumerate(texts) if not is_in_process(text)]
    game = args.game or (programs[0].game if programs else games.NAMES[0])
    games.load(game)
    engines = tuple(engine(number, game) for number in range(count))
    if any(engine.game != game for engine in engines):
        raise InputError("match: {0} do not play the same game", ", ".join(engine.name for engine in engines))
    openings = match.OpeningPlan.of(game, args.openings, seed=args.seed, plies=args.set["random_plies"])
    maker = match.EngineGames(game, engines, schedule, openings, terms_of(args), args.set["timeout"])
    for each in engines:
        each.player()  # reports errors now
    names = [each.name for each in engines]
    return maker, [f"{name} ({n})" if names.count(name) > 1 else name for n, name in enumerate(names, 1)]


# ---- running it --------------------------------------------------------------------------------------------------


def list_parameters(name: str) -> int:
    """Print the parameters of a game."""
    from shogi_engine import games
    from shogi_engine.engine import parameters

    game = games.load(name)
    tunable = parameters.tunable(game)
    for each, default in parameters.defaults(game).items():
        found = tunable.get(each)
        extra = f"  tuned from {found.least} to {found.most} by {found.step}" if found else ""
        print(f"{each} = {default}{extra}")
    return 0


def run(args: Arguments) -> int:
    """Play the missing games and print the summary."""
    from shogi_engine.records import format_for

    if args.list:
        return list_parameters(args.game or "shogi")
    outputs = {f"--{name}": getattr(args, name) for name in ("out", "html", "log")}
    check_outputs("match", outputs, [args.openings])
    ready = prepared(args)
    with contextlib.closing(ready.match.log):
        if args.out:
            format_for(args.out, ready.game)  # raises before the games, not after
        return play(args, ready)


def play(args: Arguments, ready: Prepared) -> int:
    """Play, print the summary and write the other outputs; after an interruption too."""
    from shogi_engine.match.report import summarise

    interruption, attempts = None, Attempts()
    try:
        view = MatchView(ready.match, ready.names)
        with live(view.table) if sys.stderr.isatty() else contextlib.nullcontext():
            for _game in ready.match.run(args.concurrency, args.cluster):
                pass
    except KeyboardInterrupt as signal:
        interruption = signal
    finally:
        write_outputs(args, ready, attempts)
    records = ready.match.log.records
    if len(ready.names) == 2:
        values, text = summarise(records, ready.match.sprt), two_text(ready)
    else:
        values, text = tournament_values(ready), tournament_text(ready)
    common.report(args.json, {**values, "settings": ready.settings}, text)
    if interruption is not None:
        raise interruption
    attempts.end()
    return 0 if ready.match.complete() else 1


def write_outputs(args: Arguments, ready: Prepared, attempts: Attempts) -> None:
    """Write the records and the page."""
    from shogi_engine import match

    log, title = ready.match.log, " - ".join(ready.names)

    def save(out: Path) -> None:
        lost = match.save(out, ready.game, log.records, ready.names, title)
        if lost:
            words = _("{file}: this format cannot hold {lost}")
            common.tell(words.format(file=out, lost=", ".join(map(_, lost))))

    if args.out and log.records:
        attempts(save, args.out)
    if args.html:
        text = match.page(title, log.records, ready.names, ready.match.sprt)
        attempts(write_whole, args.html, text.encode("utf-8", "replace"))


def two_text(ready: Prepared) -> str:
    """Return the result of a match between two players, how games ended, and the resources used."""
    from shogi_engine.match.report import line, reason_text, summarise
    from shogi_engine.match.runner import SIDES

    summary = summarise(ready.match.log.records, ready.match.sprt)
    lines = [line(summary)]
    lines += [f"  {count:5} {reason_text(reason)}" for reason, count in summary["reasons"].items()]
    for side, name in zip(SIDES, ready.names, strict=True):
        used = summary[side]
        words = _("  {side} ({name}): {ms_per_move} ms and {nodes_per_move} nodes a move")
        lines.append(words.format(side=_(side), name=name, **used))
        means = ", ".join(f"{first}: {mean:+d}" for first, _count, mean in used["own_scores"])
        lines += [_("    mean of its own scores, from ply: {means}").format(means=means)] if means else []
    return "\n".join(lines)


def tournament_values(ready: Prepared) -> dict[str, Any]:
    """Return a tournament for JSON."""
    from shogi_engine.match.report import crosstable, standings

    records = ready.match.log.records
    table = crosstable(records, len(ready.names))
    return {"games": len(records), "standings": standings(records, ready.names), "crosstable": table}


def tournament_text(ready: Prepared) -> str:
    """Return the table of a tournament."""
    from shogi_engine.match.report import standings, text_table

    return text_table(standings(ready.match.log.records, ready.names))
