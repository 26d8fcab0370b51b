"""A match between two engines or two settings: Elo with its 95 % interval by pairs of games, LOS, and an SPRT.

    python -m tools.match.match "shogi-usi" "fairy-stockfish" --options2 UCI_Variant=shogi --limit movetime=200 \\
        --games 200 --concurrency 2 --log fairy.jsonl
    python -m tools.match.match shogi-usi shogi-usi --options1 param.futility_margin=100 --log f.jsonl
    python -m tools.match.match --in-process --a futility_margin=90 --games 900 --sprt 0 10 --log f.jsonl

Each opening is played twice, colours swapped. A limit is nodes=N, depth=N, movetime=MS, byoyomi=MS or
clock=MAIN+BYOYOMI+INCREMENT (ms). Games are judged by the package's own rules; an engine's fault (illegal move, loss
on time, crash, missing or second answer) loses the game and is counted. Every finished game is a line of the log: a run
that was stopped goes on when started again, and refuses to with other settings. --in-process plays two settings of
this build's parameters (`futility_margin=100,values.1=95`, see --list) against each other without USI: repeatable, at
nodes or depth.
Exit status: 0 when the match is complete or decided, 1 when it had to be given up, 2 for bad arguments.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from shogi_engine import games, parameters
from shogi_engine.match_statistics import Sprt
from tools.match import report
from tools.match.arena import RESIGN
from tools.match.limits import parse_limit
from tools.match.openings import Openings
from tools.match.runner import GameLog, Match, Record, Worker
from tools.match.terms import Terms
from tools.match.usi_client import UsiEngine, parse_options
from tools.match.usi_game import Player
from tools.match.workers import ArenaWorker, UsiWorker, search_limits

NEVER = "never"


def resign_terms(text: str) -> tuple[int, int] | str:
    """Return (value, count) of 'VALUE:COUNT', or NEVER."""
    if text == NEVER:
        return text
    value, _, count = text.partition(":")
    if int(value) < 1 or int(count or 2) < 1:
        raise ValueError
    return int(value), int(count or 2)


def positive(text: str) -> int:
    """Return a number of at least 1."""
    if int(text) < 1:
        raise ValueError
    return int(text)


def arguments_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", help="two commands")
    parser.add_argument("--in-process", action="store_true", help="play --a against --b in this process")
    parser.add_argument("--a", default="", help="parameters of the first: name=integer,...")
    parser.add_argument("--b", default="", help="parameters of the second")
    parser.add_argument("--game", default="shogi", help="in this process: shogi or othello")
    parser.add_argument("--list", action="store_true", help="list the game's parameters and their values, and leave")
    for side in "12":
        parser.add_argument(f"--options{side}", default="", help="Name=Value,Name=Value")
        parser.add_argument(f"--limit{side}", default="", help="instead of --limit")
    parser.add_argument("--limit", default="nodes=10000")
    parser.add_argument("--games", type=positive, default=1000)
    parser.add_argument("--concurrency", type=positive, default=1, help="games at a time")
    parser.add_argument("--openings", type=Path, help="a file; the shipped one for Shogi")
    parser.add_argument("--random-plies", type=int, default=0, help="random moves added to each opening")
    parser.add_argument("--seed", type=int, default=1, help="of the openings")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="stop when decided")
    parser.add_argument("--risks", type=float, nargs=2, default=(0.05, 0.05), metavar=("ALPHA", "BETA"))
    parser.add_argument("--max-plies", type=positive, default=320, help="then the game is drawn")
    parser.add_argument(
        "--resign",
        type=resign_terms,
        help=f"VALUE:COUNT or {NEVER}; both sides' scores have to agree; in this process {RESIGN[0]}:{RESIGN[1]}",
    )
    parser.add_argument("--ponder", action="store_true", help="engines think on the opponent's time")
    parser.add_argument("--margin", type=float, default=100.0, help="ms over the time that are no loss yet")
    parser.add_argument("--patience", type=float, default=60.0, help="s over the time until an answer is missing")
    parser.add_argument("--ready-patience", type=float, default=600.0, help="s until readyok")
    parser.add_argument("--max-faults", type=int, default=10, help="give up after so many; 0 for never")
    parser.add_argument("--hash", type=positive, default=8, help="MB of each player's table in this process")
    parser.add_argument("--log", type=Path, help="every game, a line each; the match goes on from it")
    parser.add_argument("--plot", type=Path, help="a picture of the run (matplotlib)")
    parser.add_argument("--report", type=int, default=0, help="a line to stderr after each so many games")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object")
    return parser


def worker_maker(arguments: argparse.Namespace, openings: Openings, terms: Terms) -> Callable[[], Worker]:
    """Return what makes a thread's worker. Raises ValueError for what is wrong, before any thread runs."""
    texts = (arguments.limit1 or arguments.limit, arguments.limit2 or arguments.limit)
    first, second = map(parse_limit, texts)
    if arguments.in_process:
        settings = parameters.parse_settings(arguments.a), parameters.parse_settings(arguments.b)
        limits = search_limits(first), search_limits(second)

        def make_arena(hash_mb: int = arguments.hash) -> Worker:
            return ArenaWorker(openings.game, settings, limits, openings, terms, hash_mb)

        make_arena(1)
        return make_arena

    def make_pair() -> Worker:
        patience = {"patience": arguments.patience, "ready_patience": arguments.ready_patience}
        ponder = (("USI_Ponder", "true"),) if arguments.ponder else ()
        one, other = (
            UsiEngine(command, (*parse_options(options), *ponder), **patience)
            for command, options in zip(arguments.engines, (arguments.options1, arguments.options2), strict=True)
        )
        players = Player(one, first, arguments.ponder), Player(other, second, arguments.ponder)
        return UsiWorker(players, openings.__getitem__, terms)

    return make_pair


def prepared(arguments: argparse.Namespace) -> tuple[Match, Record]:
    """Return the match that the arguments ask for and its settings. Raises ValueError and OSError."""
    if arguments.in_process == bool(arguments.engines) or len(arguments.engines) not in (0, 2):
        raise ValueError("give two engines, or --in-process with --a and --b")
    sprt = Sprt(*arguments.sprt, *arguments.risks) if arguments.sprt else None
    if arguments.resign is None and arguments.in_process:
        arguments.resign = RESIGN
    terms = Terms(arguments.max_plies, None if arguments.resign == NEVER else arguments.resign, arguments.margin)
    game = games.load(arguments.game if arguments.in_process else "shogi")
    openings = Openings(game, arguments.openings, seed=arguments.seed, plies=arguments.random_plies)
    make_worker = worker_maker(arguments, openings, terms)
    names = ["limit", "limit1", "limit2", "seed", "max_plies", "resign"]
    names += ["a", "b", "game", "hash"] if arguments.in_process else []
    names += [] if arguments.in_process else ["engines", "options1", "options2", "ponder", "margin"]
    settings = {name: getattr(arguments, name) for name in names}
    settings |= {"random_plies": openings.plies, "openings": str(openings.path)}
    settings = json.loads(json.dumps(settings))
    log = GameLog(arguments.log, settings)
    return Match(log, arguments.games, make_worker, sprt, arguments.max_faults), settings


def show_progress(match: Match, concurrency: int, every: int) -> None:
    """Play to the end; a bar on a terminal, and a line after each `every` games."""
    began, before = time.monotonic(), len(match.log.records)
    for _ in match.run(concurrency):
        records = match.records()
        done = len(records)
        if sys.stderr.isatty():
            left = (time.monotonic() - began) / (done - before) * (match.games - done)
            filled = 20 * done // match.games
            bar = f"[{'#' * filled}{'.' * (20 - filled)}] {left / 60:.1f} min left"
            summary = report.line(report.summarise(records, match.sprt))
            print(f"\r{bar}  {summary}\033[K", end="", file=sys.stderr, flush=True)
        if every and done % every == 0:
            print(report.line(report.summarise(records, match.sprt)), file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)


def show_summary(summary: Record) -> None:
    """Print the figures, the reasons games ended for, and what the players used."""
    print(report.line(summary))
    for reason, count in summary["reasons"].items():
        print(f"  {count:5} {reason}")
    for name in report.SIDES:
        used = summary[name]
        print(f"  {name}: {used['ms_per_move']} ms and {used['nodes_per_move']} nodes a move")


def list_parameters(name: str) -> int:
    """Print the parameters of a game."""
    game = games.load(name)
    tunable = parameters.tunable(game)
    for each, default in parameters.defaults(game).items():
        found = tunable.get(each)
        extra = f"  tuned from {found.least} to {found.most} by {found.step}" if found else ""
        print(f"{each} = {default}{extra}")
    return 0


def main(words: list[str] | None = None) -> int:
    """Play what is missing and print the summary."""
    parser = arguments_parser()
    arguments = parser.parse_args(words)
    if arguments.list:
        return list_parameters(arguments.game)
    if arguments.plot:
        import matplotlib  # noqa: F401  say that it is missing before the games, not after
    try:
        match, settings = prepared(arguments)
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    interrupted = False
    try:
        show_progress(match, arguments.concurrency, arguments.report)
    except KeyboardInterrupt:
        interrupted = True
    summary = report.summarise(match.log.records, match.sprt)
    if arguments.plot:
        report.plot(match.log.scores, match.sprt, arguments.plot)
    if arguments.json:
        print(json.dumps(summary | {"settings": settings}))
    else:
        show_summary(summary)
    complete = len(match.log.records) >= arguments.games or bool(match.sprt and summary["sprt"]["verdict"])
    return 0 if complete and not interrupted else 1


if __name__ == "__main__":
    sys.exit(main())
