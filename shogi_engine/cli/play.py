"""`shogi-engine play`: play in the terminal, with a human or the engine on either side.

On the first run, kernels are compiled in the order in which they are needed: the rules before the first prompt, the
search while the human reads and types. The engine waits for its search only if the book has no move.
"""

import argparse
import contextlib
import random
import sys
import time
from typing import TYPE_CHECKING, Any

from shogi_engine import games
from shogi_engine.cli import common
from shogi_engine.cli.ending_signals import ending_signals
from shogi_engine.cli.preparation import Preparation, leave
from shogi_engine.cli.progress import progress_bar
from shogi_engine.cli.terminal import screen
from shogi_engine.cli.terminal.game import TerminalGame
from shogi_engine.common.files import data_folder
from shogi_engine.language import InputError, Message, translate_fault
from shogi_engine.language import translate as _
from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import Game
from shogi_engine.play.strength import DEFAULT_MS, FIRST_LEVEL, level_limits
from shogi_engine.play.words import side_name
from shogi_engine.types.limit import SIDES

if TYPE_CHECKING:
    from shogi_engine.engine import Engine

# If any of these options is given, no questions are asked.
SAID = (
    "human", "handicap", "clock", "xot", "load", "position", "moves", "level", "limit"
)  # fmt: skip
SIGNAL_DELAY = 0.1  # seconds: when a terminal is closed, input may end before the signal arrives


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = common.add_command(commands, "play", run)
    common.add_game(parser, "?")
    parser.add_argument("--human", choices=(*SIDES, "both", "none"), help="the human's side, default black")
    common.add_level(parser)
    parser.add_argument(
        "--pieces",
        choices=screen.PIECES,
        help="draw kanji (Othello: discs) or letters; default: kanji if the terminal supports them",
    )
    common.add_notation(parser)
    parser.add_argument(
        "--handicap",
        default="",
        metavar="NAME",
        help="Shogi: handicap: 2-piece, 二枚落ち, lance, rook-lance ...; white begins",
    )
    parser.add_argument(
        "--clock",
        type=common.time_control,
        metavar="MAIN+BYOYOMI+INC",
        help="clock of both sides: 10+30, 10:00 or 5m+0+10s; without units, MAIN is in minutes and the rest in seconds",
    )
    parser.add_argument(
        "--xot", action="store_true", help="Othello: begin with eight random moves that leave the game balanced"
    )
    parser.add_argument("--load", default="", metavar="FILE", help="continue a recorded game")
    common.add_position(parser)
    common.add_limit(parser, "nodes", "movetime", "depth", default=f"movetime={DEFAULT_MS} without --level")
    common.add_threads(parser)
    common.add_hash(parser)


def run(args: argparse.Namespace) -> int:
    """Play until the game is over or the human leaves."""
    try:
        complete(args)
    except EOFError:
        return 0
    position = _start(args)
    games.part(args.game, "board")  # raises now if it is missing
    from shogi_engine.engine import Engine

    with progress_bar():
        engine = Engine(args.game, hash_mb=args.hash, threads=args.threads)
        moves = games.typed_moves(engine.game, position, args.moves or _opening(args))
        match = _match(args, engine, Game.begin(args.game, position, moves, clock=GameClock(args.clock)))
        load_rules(match)
    preparation = Preparation(engine.game)
    match.await_search = preparation.wait
    status = 0
    with engine, ending_signals() as signals:
        match.show(greeting(match))
        try:
            match.play()
            if match.game.over and screen.is_terminal():
                offer_save(match)
            elif screen.is_terminal():
                time.sleep(SIGNAL_DELAY)
        except KeyboardInterrupt:
            status = signals.status or 130
        except OSError:
            if not signals.status:  # otherwise the terminal is gone and cannot be restored
                raise
            status = signals.status
        finally:
            tell_kept(match)
    if signals.status or preparation.is_busy():
        leave(status)
    return status


def complete(args: argparse.Namespace) -> None:
    """Ask for missing arguments, at a terminal, if at most the game is given.

    Raises ValueError if there is no game, EOFError if the user leaves.
    """
    if screen.is_terminal() and not any(getattr(args, name) for name in SAID):
        from shogi_engine.cli.terminal.questions import ask

        ask(args)
    if args.game is None:
        raise InputError("play: which game? {0}", Message("{0} or {1}", *games.NAMES))
    args.human = args.human or "black"
    if args.human in SIDES and args.level is None and not args.limit:
        args.level = FIRST_LEVEL


def greeting(match: TerminalGame) -> str:
    """Return the first line."""
    if not match.humans:
        return _("The engine plays itself.")
    if len(match.humans) == 2:
        return _("You play both sides; `help` lists the commands.")
    side = side_name(min(match.humans), match.game.name)
    you = _("You are {side}; `help` lists the commands.").format(side=side)
    return f"{you}\n{match.strength()}"


def _start(args: argparse.Namespace) -> str:
    """Return the starting position. Raises ValueError for incompatible arguments."""
    if args.game != "shogi":
        if args.notation:
            raise InputError("play: --notation is for shogi; {0} has only one notation", args.game)
        if args.handicap:
            raise InputError("play: --handicap is for shogi; {0} has no handicaps", args.game)
    elif args.xot:
        raise InputError("play: --xot is for othello")
    given = [name for name in ("position", "handicap", "load", "xot") if getattr(args, name)]
    if len(given) > 1 or ((args.load or args.xot) and args.moves):
        raise InputError("play: only one of --position, --handicap, --load and --xot can be given")
    if not args.handicap:
        return str(args.position)
    from shogi_engine.games.shogi.records.handicaps import handicap

    return handicap(args.handicap)


def _opening(args: argparse.Namespace) -> list[str]:
    """Return a random opening for `--xot`."""
    if not args.xot:
        return []
    from shogi_engine.match.openings import OpeningPlan, Openings

    plan = OpeningPlan.of(args.game, seed=random.SystemRandom().randrange(1 << 32))
    return Openings(plan)[0].split()


def _match(args: argparse.Namespace, engine: "Engine", game: Game) -> TerminalGame:
    """Return the match that the arguments describe."""
    humans = {"both": {0, 1}, "none": set()}.get(args.human) or {n for n in (0, 1) if SIDES[n] == args.human}
    pieces = screen.pieces_for(sys.stdout, args.pieces or screen.default_pieces(sys.stdout))
    limits = args.limit | ({} if args.level is None else level_limits(engine, args.level))
    match = TerminalGame(
        engine,
        game,
        humans,
        limits,
        notation=screen.notation_for(
            sys.stdout, args.notation or ("japanese" if pieces == screen.KANJI and args.game == "shogi" else "")
        ),
        pieces=pieces,
        flipped=humans == {1} and args.game == "shogi",
    )
    if screen.is_terminal():
        from shogi_engine.cli.terminal.prompt import LinePrompt

        match.show, match.show_board = screen.console()
        history = data_folder() / f"history-{args.game}"
        match.read = LinePrompt(match.words, game.clock.left, match.clocks, history)
    if args.load:
        match.load(args.load)
    return match


def load_rules(match: TerminalGame) -> None:
    """Compile the kernels for the human's moves and for book moves, or load them from the cache."""
    board, engine = match.board, match.engine
    for move in list(board.legal_moves)[:1]:
        board.push(move)
        screen.draw(match.game.name, board, screen.Look())
    board.outcome()
    engine.set_position(match.game.record.start, [str(move) for move in board.move_stack])
    engine.may_declare()
    engine.book.move()


def offer_save(match: TerminalGame) -> None:
    """Ask for a file name until the finished game is written or the user declines."""
    while match.is_unsaved():
        try:
            name = match.read(_("save as (Enter keeps it in the user's folder)> ")).strip()
            if not name:
                return
            match.save(name)
        except EOFError:
            return
        except (ValueError, OSError) as fault:
            match.show(translate_fault(fault))


def tell_kept(match: TerminalGame) -> None:
    """Save the game, which may have been interrupted before that, and say where it is."""
    with contextlib.suppress(OSError):  # the terminal may be closed
        match.keep()
        if match.fault:
            common.tell(match.fault)
        if match.file.path is not None:
            match.show(_("the game is saved in {path}; `--load` continues it").format(path=match.file.path))
