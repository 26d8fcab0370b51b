"""`shogi-engine play`: play in the terminal, with a human or the engine on either side.

On the first run, kernels are compiled in the order in which they are needed: the rules before the first prompt, the
search while the human reads and types. The engine waits for its search only if the book has no move.
"""

import contextlib
import random
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import games, language, records
from shogi_engine.cli import common, terminal
from shogi_engine.cli.common import NOTES_MAX, ending_signals, flag, option
from shogi_engine.cli.progress import Preparation, leave, progress_bar
from shogi_engine.cli.terminal import WESTERN, BoardStyle, Line, draw, plain
from shogi_engine.common.files import data_folder
from shogi_engine.language import InputError, Message, fault_text, mark, plural, translate as _, translate_fault
from shogi_engine.play.clock import GameClock, TimeUp
from shogi_engine.play.game import Game
from shogi_engine.play.words import (
    DEFAULT_MS,
    FIRST_LEVEL,
    choose,
    ending_text,
    level_limit,
    name_in_records,
    score_text,
    side_name,
    timed_limit,
)
from shogi_engine.records import GameRecord
from shogi_engine.records.files import GameFile, kept_games, load_game
from shogi_engine.types.limits import SIDES, Clock, Limit
from shogi_engine.types.results import PlayResult, Score

if TYPE_CHECKING:
    from shogi_engine.analysis.analyst import PositionAnalyser
    from shogi_engine.engine import Engine


# ---- One game at the terminal, between a human and the engine or any two of them


HELP = mark(
    """a move    e.g. {example}, in any notation; `moves` lists them
undo      take back your last move
hint      what the engine would play
go        let the engine move for you
board     show the board again; `flip` turns it
level N   the engine's level from now on, 0 to {strongest}
resign    give up
save FILE write the game: {formats}
load FILE continue with the game of a file; `load` alone lists saved games
quit      leave; the game is saved"""
)
HELP_DECLARE = mark("declare   claim a win by the entering-king rule")
COMMANDS = (
    "undo", "hint", "go", "board", "flip", "moves", "level", "resign", "declare", "save", "load", "help", "quit"
)  # fmt: skip
KEPT_SHOWN = 20  # maximum number of games that `load` lists
YES = ("y", "yes", "はい", "待った")
SHORT = {"exit": "quit", "q": "quit", "?": "help", "h": "help", "d": "board"} | {
    "終了": "quit", "ヘルプ": "help", "待った": "undo", "ヒント": "hint", "投了": "resign", "宣言": "declare"
}  # fmt: skip


@dataclass
class TerminalGame:
    """The lines typed and shown during one game.

    Attributes:
        humans: the sides that humans play, of 0 (black) and 1 (white); their games are saved after each move
        limit: the engine's limit; without one, DEFAULT_MS or the clock's time
        read: given a prompt, returns one line; raises EOFError at the end of input, or TimeUp
        show: prints a line
        await_search: called before a search; returns when the engine is ready
        notation: the notation of displayed moves; '' for the game's own
        show_board: prints the lines of a board; None: `show` prints them without styles
        coach: whether the human's blunders are told, and can be taken back
    """

    engine: "Engine"
    game: Game
    humans: set[int]
    limit: Limit = field(default_factory=Limit)
    read: Callable[[str], str] = input
    show: Callable[[str], Any] = print
    await_search: Callable[[], object] = lambda: None
    notation: str = ""
    pieces: str = WESTERN
    flipped: bool = False
    show_board: Callable[[list[Line]], Any] | None = None
    coach: bool = False

    def __post_init__(self) -> None:
        self._stored = self._state()  # the game as the user's own file has it
        self._written: set[Path] = set()
        self.file = GameFile()
        self._examiner: PositionAnalyser | None = None  # the coach's
        self.fault = ""  # why the game could not be saved automatically

    # ---- the game

    def play(self) -> None:
        """Play until the game is over or the human leaves."""
        self._board()
        while not self.game.over:
            if self.game.turn not in self.humans:
                self._engine_moves()
            elif not self._human_moves():
                return
        self.show(ending_text(self.game))

    @property
    def board(self) -> Any:
        """A copy of the game's Board."""
        return self.game.board.copy()

    def _changed(self) -> None:
        """Save the game, and show the board; in a game with the engine once it has answered."""
        self.keep()
        if self.game.over or not self.humans or self.game.turn in self.humans:
            self._board()

    def _value(self, score: Score) -> str:
        """Return a value for the side to move as text: for the human who plays the engine, otherwise for black."""
        side = min(self.humans) if len(self.humans) == 1 else 0
        return score_text(score if self.game.turn == side else -score)

    # ---- what is shown

    def _shown(self, moves: Sequence[str]) -> str:
        """Return consecutive moves from the current position in the displayed notation."""
        if not self.notation:
            return " ".join(moves)
        board, texts = self.board, []
        for move in moves:
            texts.append(board.text(board.parse_text(move), self.notation))
            board.push_text(move)
        return " ".join(texts)

    def _board(self) -> None:
        clock = self.game.clock
        look = BoardStyle(
            self.pieces, self.flipped, (clock.text(0), clock.text(1)), colours=self.show_board is not None
        )
        lines = draw(self.game.name, self.board, look)
        self.show("")
        if self.show_board is None:
            self.show(plain(lines))
        else:
            self.show_board(lines)

    def _legal_moves(self) -> list[str]:
        return [str(move) for move in self.game.board.legal_moves]

    def words(self) -> Iterator[str]:
        """Yield the possible inputs: commands, and the moves in the engine's and in the displayed notation."""
        yield from COMMANDS
        for move in self._legal_moves():
            yield move
            if self.notation:
                yield self._shown([move]).lstrip("▲△")

    def clocks(self) -> str:
        """Return both clocks in a line."""
        return "   ".join(f"{side_name(side, self.game.name)} {self.game.clock.text(side)}" for side in (0, 1))

    # ---- the engine

    def _engine_moves(self) -> None:
        """Let the engine move, or end the game."""
        game = self.game
        answer = choose(self.engine, self.board, self._search, self.limit.level)
        if answer.declares:
            self.show(_("engine: declares a win (entering king)"))
            game.declare()
            self.keep()
            return
        shown, how = self._shown([str(answer.move)]), _("book")
        if answer.info.score is not None and not answer.from_book:
            how = _("{score}, depth {depth}, {seconds:.1f} s").format(
                score=self._value(answer.info.score), depth=answer.info.depth, seconds=answer.time
            )
        if game.move(answer.move) is None:
            self.keep()
            return
        self._changed()
        self.show(_("engine: {move}   ({how})").format(move=shown, how=how))

    def _search(self, limit: Limit | None = None) -> PlayResult[Any]:
        """Search, within the engine's limit and its clock or the one given.

        The search runs in a thread, so that Ctrl-C works at once.
        """
        self.await_search()
        self.game.start()
        limit = limit or timed_limit(self.engine, self.limit, self.game)
        with self.engine.analysis(self.game.board, limit) as running:
            return running.wait()

    # ---- the human

    def _human_moves(self) -> bool:
        """Execute one line; return False if the human leaves."""
        game = self.game
        game.start()
        try:
            line = self.read(f"{side_name(game.turn, game.name)}> ").strip()
        except EOFError:
            return False
        except TimeUp:
            line = ""
        if game.flag_fell():
            self.keep()
            return True
        command, _blank, rest = line.partition(" ")
        command = SHORT.get(command, command)
        if command == "quit":
            return False
        try:
            if command in COMMANDS:
                getattr(self, f"_do_{command}")(rest.strip())
            elif line:
                self._move(line)
                self._warn()
        except (ValueError, OSError) as fault:
            self.show(
                _("{fault} (`help` lists the commands)").format(fault=_(fault_text(fault), context=self.game.name))
            )
        return True

    def _move(self, line: str) -> None:
        """Make the move of a line; if it has several, as a transcript has, make them for both sides."""
        try:
            self.game.move(line)
        except ValueError:
            if len(getattr(self.game.board, "split_moves", str.split)(line)) < 2:
                raise
            position = self.game.board.position()
            for move in games.typed_moves(games.load(self.game.name), position, [line]):
                self.game.move(move)
        self._changed()

    def _warn(self) -> None:
        """Say why the human's last move was a blunder, if it was one, and offer to take it back."""
        if not self.coach or self.game.over or self.game.turn in self.humans:
            return
        from shogi_engine.analysis.analyst import COACH_EFFORT, EFFORTS, PositionAnalyser, last_blunder
        from shogi_engine.analysis.judgement import sentences, words_of

        self.await_search()
        self.game.pause()
        name, record = self.game.name, self.game.record
        self._examiner = self._examiner or PositionAnalyser(name, EFFORTS[name][COACH_EFFORT])
        blunder = last_blunder(self._examiner, GameRecord.from_moves(name, self.game.moves, start=record.start))
        if blunder is None:
            return
        board, spoken = self.board, language.current()
        board.pop()
        self.show(f"{words_of(spoken, name)['blunder']} (-{blunder.move.loss:.0%})".capitalize())
        for said in sentences(name, board, blunder.facts, spoken) or [_("There is a much better move.")]:
            self.show(said)
        with contextlib.suppress(EOFError, TimeUp):
            if self.read(_("take it back? [y]es, [n]o> ")).strip().lower() in YES:
                self.game.take_back()
                self._changed()

    def _do_help(self, rest: str) -> None:
        formats = ", ".join(each.extensions[0] for each in records.all_formats(self.game.name))
        example = self._shown(self._legal_moves()[:1])
        self.show(_(HELP).format(example=example, formats=formats, strongest=self.engine.game.extras.levels - 1))
        if hasattr(self.game.board, "can_declare_win"):
            self.show(_(HELP_DECLARE))

    def _do_moves(self, rest: str) -> None:
        self.show(" ".join(self._shown([move]) for move in self._legal_moves()))

    def _do_board(self, rest: str) -> None:
        self._board()

    def _do_flip(self, rest: str) -> None:
        self.flipped = not self.flipped
        self._board()

    def _do_hint(self, rest: str) -> None:
        strength = replace(self.limit, level=None)
        info = self._search(Limit(DEFAULT_MS / 1000) if strength == Limit() else strength).info
        pv = list(map(str, info.pv))
        move, line = self._shown(pv[:1]), self._shown(pv)
        self.show(_("hint: {move}   ({score}, {line})").format(move=move, score=self._value(info["score"]), line=line))

    def _do_go(self, rest: str) -> None:
        self._engine_moves()

    def _do_resign(self, rest: str) -> None:
        self.game.resign()
        self.keep()

    def _do_declare(self, rest: str) -> None:
        self.game.declare()
        self.keep()

    def _do_level(self, text: str) -> None:
        if text:
            if not text.isdecimal():
                raise InputError("a level must be a number, not {0!r}", text)
            self.limit = Limit(self.limit.time, level=level_limit(self.engine, int(text)).level)
        self.show(self.strength())

    def strength(self) -> str:
        """Return how strongly the engine plays, in words."""
        if self.limit.level is not None:
            return _("The engine plays at level {level}; `level N` changes it.").format(level=self.limit.level)
        if self.limit != Limit():
            limits = ", ".join(f"{name} {value}" for name, value in self.limit.named().items())
            return _("The engine plays within these limits: {limits}.").format(limits=limits)
        return _("The engine plays at full strength; `level N` makes it weaker.")

    def _do_undo(self, rest: str) -> None:
        """Take back a move of the human, and the engine's reply."""
        self.game.take_back(1 if len(self.humans) == 2 else 2)
        self._changed()

    # ---- files

    def _do_save(self, name: str) -> None:
        self.save(_file_name(name))

    def save(self, name: str) -> None:
        """Write the game in the format of the file's name. Raises OSError, or ValueError for another game's file."""
        if not name:
            raise InputError("save under which name? `save game.kif`")
        path = Path(name).expanduser()
        if path.exists() and path.resolve() not in self._written:
            raise InputError("{0} already exists; choose another name", path)
        records.save(self.record(), path)
        self._written.add(path.resolve())
        self._stored = self._state()
        self.file.discard()
        self.show(_("saved in {path}").format(path=path))

    def keep(self) -> None:
        """Write a human's game into the user's folder, unless the user's own file has it as it stands."""
        if not self.humans or not self.is_unsaved():
            return
        try:
            self.file.write(self.record())
            self.fault = ""
        except (ValueError, OSError) as fault:
            text = _("the game could not be saved: {fault}").format(fault=translate_fault(fault))
            if text != self.fault:
                self.fault = text
                self.show(text)

    def _do_load(self, name: str) -> None:
        name = _file_name(name)
        if not name:
            self._list_kept()
            return
        self.load(name)
        self._board()

    def _list_kept(self) -> None:
        """List the latest saved games. Raises ValueError if there is none."""
        game = self.game.name
        paths = kept_games(game)[:KEPT_SHOWN]
        if not paths:
            raise InputError("load which file?")
        for number, path in enumerate(paths, 1):
            try:
                record = load_game(str(path), game)
            except (OSError, ValueError):
                continue
            count = len(record.moves)
            about = plural("{count} move", "{count} moves", count).format(count=count)
            self.show(f"{number:>3}  {path.stem}  {about}  {' - '.join(filter(None, record.names))}".rstrip())
        self.show(_("`load N` continues game N."))

    def load(self, name: str) -> None:
        """Continue with the first game of a file. Raises OSError, ValueError; the current game is then unchanged."""
        clock = self.game.clock
        record = load_game(name, self.game.name)
        self.game = Game(record, clock=clock, terms=self.game.terms)
        clock.reset()
        self._stored, self.file = self._state(), GameFile()
        for note in record.notes[:NOTES_MAX]:
            self.show(_(note))

    def _state(self) -> tuple[Any, ...]:
        """Return what a file holds: an ending by the rules follows from the moves."""
        game = self.game
        outcome = None if game.outcome is None or game.board.outcome() else game.outcome
        return game.record.start, tuple(game.moves), outcome

    def is_unsaved(self) -> bool:
        """Tell whether there are moves that the user's own file lacks."""
        return bool(self.game.moves) and self._state() != self._stored

    def record(self) -> "GameRecord":
        """Return the game so far."""
        level, record = self.limit.level, self.game.record
        record.names = [_("human") if side in self.humans else name_in_records(level) for side in (0, 1)]
        record.headers.setdefault("started", time.strftime("%Y/%m/%d"))
        if not self.game.over:
            record.ending = "interrupted"  # until the next move
        return record


def _file_name(text: str) -> str:
    """Return a file name without its quotes."""
    try:
        parts = shlex.split(text)
    except ValueError:
        return text
    return parts[0] if len(parts) == 1 and text[:1] in "'\"" else text


# If any of these options is given, no questions are asked.
SAID = (
    "human", "handicap", "clock", "xot", "load", "position", "moves", "level", "limit"
)  # fmt: skip
SIGNAL_DELAY = 0.1  # seconds: when a terminal is closed, input may end before the signal arrives


class Arguments(common.Arguments):
    """A game, who plays it, and how it begins and is shown."""

    game: str = common.game_argument("?")  # if not given, the command asks
    human: str = option("the human's side, default black", choices=(*SIDES, "both", "none"))
    level: int | None = common.LEVEL
    pieces: str | None = option(
        "draw kanji (Othello: discs) or letters; default: kanji if the terminal supports them", choices=terminal.PIECES
    )
    notation: str = common.notation_option()
    handicap: str = option(
        "Shogi: handicap: 2-piece, 二枚落ち, lance, rook-lance ...; white begins", default="", metavar="NAME"
    )
    clock: Clock | None = option(
        "clock of both sides: 10+30, 10:00 or 5m+0+10s; without units, MAIN is in minutes and the rest in seconds",
        type=common.time_control,
        metavar="MAIN+BYOYOMI+INC",
    )
    coach: bool = flag("stop at your blunders, say why, and offer to take them back")
    xot: bool = flag("Othello: begin with eight random moves that leave the game balanced")
    load: str = option("continue a recorded game", default="", metavar="FILE")
    position: str = common.POSITION
    moves: list[str] = common.MOVES
    limit: dict[str, int] = common.limit_option(
        "nodes", "movetime", "depth", default=f"movetime={DEFAULT_MS} without --level"
    )
    threads: int = common.THREADS
    hash: int = common.hash_option()


def run(args: Arguments) -> int:
    """Play until the game is over or the human leaves."""
    try:
        complete(args)
    except EOFError:
        return 0
    position = _start(args)
    games.game_module(args.game, "board")  # raises now if it is missing
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
            if match.game.over and terminal.is_terminal():
                offer_save(match)
            elif terminal.is_terminal():
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


def complete(args: Arguments) -> None:
    """Ask for missing arguments, at a terminal, if at most the game is given.

    Raises ValueError if there is no game, EOFError if the user leaves.
    """
    if terminal.is_terminal() and not any(getattr(args, name) for name in SAID):
        vars(args).update(terminal.ask(args.game))
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


def _start(args: Arguments) -> str:
    """Return the starting position. Raises ValueError for incompatible arguments."""
    if args.game != "shogi":
        if args.notation:
            raise InputError("play: --notation is for shogi; {0} has only one notation", args.game)
        if args.handicap:
            raise InputError("play: --handicap is for shogi; {0} has no handicaps", args.game)
    elif args.xot:
        raise InputError("play: --xot is for othello")
    if args.coach and args.human not in SIDES:
        raise InputError("play: --coach is for a human against the engine")
    given = [name for name in ("position", "handicap", "load", "xot") if getattr(args, name)]
    if len(given) > 1 or ((args.load or args.xot) and args.moves):
        raise InputError("play: only one of --position, --handicap, --load and --xot can be given")
    if not args.handicap:
        return str(args.position)
    from shogi_engine.games.shogi.records.kakinoki import handicap

    return handicap(args.handicap)


def _opening(args: Arguments) -> list[str]:
    """Return the moves of an even start for `--xot`."""
    if not args.xot:
        return []
    from shogi_engine.games.othello.openings import even_starts

    return [*random.choice(even_starts())]


def _match(args: Arguments, engine: "Engine", game: Game) -> TerminalGame:
    """Return the match that the arguments describe."""
    humans = {"both": {0, 1}, "none": set()}.get(args.human) or {n for n in (0, 1) if SIDES[n] == args.human}
    pieces = terminal.pieces_for(sys.stdout, args.pieces or terminal.default_pieces(sys.stdout))
    limit = Limit.of(**args.limit)
    if args.level is not None:
        limit = replace(limit, level=level_limit(engine, args.level).level)
    match = TerminalGame(
        engine,
        game,
        humans,
        limit,
        notation=terminal.notation_for(
            sys.stdout, args.notation or ("japanese" if pieces == terminal.KANJI and args.game == "shogi" else "")
        ),
        pieces=pieces,
        flipped=humans == {1} and args.game == "shogi",
        coach=args.coach,
    )
    if terminal.is_terminal():
        from shogi_engine.cli.prompt import LinePrompt

        match.show, match.show_board = terminal.console()
        history = data_folder() / f"history-{args.game}"
        match.read = LinePrompt(match.words, game.clock.left, match.clocks, history)
    if args.load:
        match.load(args.load)
    return match


def load_rules(match: TerminalGame) -> None:
    """Compile the kernels for the human's moves and for book moves, or load them from the cache."""
    board, engine = match.board, match.engine
    engine.may_declare(board)
    engine.book.play(board)
    for move in list(board.legal_moves)[:1]:
        board.push(move)
        terminal.draw(match.game.name, board, terminal.BoardStyle())
    board.outcome()


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
