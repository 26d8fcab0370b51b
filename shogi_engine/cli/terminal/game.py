"""One game at the terminal, between a human and the engine or any two of them."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import games, records
from shogi_engine.cli.terminal.screen import WESTERN, Line, Look, draw, plain
from shogi_engine.interface.extras.levels import opens_from_book
from shogi_engine.language import mark, plural, translate_fault
from shogi_engine.language import translate as _
from shogi_engine.play.clock import GameClock, TimeUp
from shogi_engine.play.keeping import game_record, kept_games, load_game
from shogi_engine.play.strength import DEFAULT_MS, level_limits, timed_limits
from shogi_engine.play.words import outcome_text, score_text, side_name
from shogi_engine.types.termination import BY_RULE, Outcome, Termination

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.engine.results import SearchResult
    from shogi_engine.records import GameRecord

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
SHORT = {"exit": "quit", "q": "quit", "?": "help", "h": "help", "d": "board"} | {
    "終了": "quit", "ヘルプ": "help", "待った": "undo", "ヒント": "hint", "投了": "resign", "宣言": "declare"
}  # fmt: skip


@dataclass
class TerminalGame:
    """One game at the terminal.

    Attributes:
        humans: the sides that humans play, of 0 (black) and 1 (white)
        limits: the engine's limits, as keywords of Engine.search; if empty, DEFAULT_MS or the clock's time
        read: given a prompt, returns one line; raises EOFError at the end of input, or TimeUp
        show: prints a line
        await_search: called before a search; returns when the engine is ready
        notation: the notation of displayed moves; '' for the game's own
        show_board: prints the lines of a board; None: `show` prints them without styles
    """

    engine: "Engine"
    humans: set[int]
    limits: dict[str, Any] = field(default_factory=dict)
    read: Callable[[str], str] = input
    show: Callable[[str], Any] = print
    max_moves: int = 1000
    await_search: Callable[[], object] = lambda: None
    notation: str = ""
    pieces: str = WESTERN
    flipped: bool = False
    clock: GameClock = field(default_factory=GameClock)
    show_board: Callable[[list[Line]], Any] | None = None
    outcome: Outcome | None = None  # how the game ended
    over: bool = False

    def __post_init__(self) -> None:
        self._seconds: list[float | None] = [None] * len(self.engine.moves)
        self._stored = self._state()  # the part of the game that is saved in a file
        self._written: set[Path] = set()
        self._board_now: Any = None

    # ---- the game

    def play(self) -> None:
        """Play until the game is over or the human leaves."""
        self._board()
        while not self._is_finished():
            side = self._position().turn
            if side in self.humans:
                if not self._human_moves(side):
                    return
            else:
                self._engine_moves()

    def _is_finished(self) -> bool:
        """Tell whether the game is over; if the rules end it, show how."""
        if self.over:
            return True
        found = self._position().outcome()
        if found is not None:
            self._end(Outcome(found.winner, found.termination), outcome_text(found, self._game))
        elif len(self.engine.moves) >= self.max_moves:
            self._end(Outcome(None, Termination.MAX_MOVES), _("a draw: {count} moves").format(count=self.max_moves))
        return self.over

    def _end(self, outcome: Outcome, text: str = "") -> None:
        self.clock.stop()
        self.outcome, self.over = outcome, True
        self.show(text or outcome_text(outcome, self._game))

    def _end_by_time(self, side: int) -> None:
        self._end_with(_("{winner} wins: {loser} ran out of time"), side, Termination.TIME_FORFEIT)

    def _end_with(self, sentence: str, loser: int, termination: Termination) -> None:
        sides = {"winner": side_name(1 - loser, self._game), "loser": side_name(loser, self._game)}
        self._end(Outcome(1 - loser, termination), sentence.format(**sides))

    @property
    def _game(self) -> str:
        return self.engine.game.name

    def _position(self) -> Any:
        """Return the game's Board with all moves."""
        made = self.engine.move_texts
        board = self._board_now
        if board is None or [str(move) for move in board.move_stack] != made:
            board = self._board_now = games.board(self.engine.game, self.engine.root, made)
        return board.copy()

    def _push(self, move: str) -> None:
        """Make a move and stop the clock."""
        self.engine.push(move)
        self._seconds.append(self.clock.stop())

    # ---- what is shown

    def _shown(self, moves: Sequence[str]) -> str:
        """Return consecutive moves from the current position in the displayed notation."""
        if not self.notation:
            return " ".join(moves)
        board, texts = self._position(), []
        for move in moves:
            texts.append(board.text(board.parse_text(move), self.notation))
            board.push_text(move)
        return " ".join(texts)

    def _board(self) -> None:
        clocks = (self.clock.text(0), self.clock.text(1))
        look = Look(self.pieces, self.flipped, clocks, colours=self.show_board is not None)
        lines = draw(self.engine.game.name, self._position(), look)
        self.show("")
        if self.show_board is None:
            self.show(plain(lines))
        else:
            self.show_board(lines)

    def words(self) -> Iterator[str]:
        """Yield the possible inputs: commands, and the moves in the engine's and in the displayed notation."""
        yield from COMMANDS
        for move in self.engine.legal_moves():
            yield move
            if self.notation:
                yield self._shown([move]).lstrip("▲△")

    def clocks(self) -> str:
        """Return both clocks in a line."""
        return "   ".join(f"{side_name(side, self._game)} {self.clock.text(side)}" for side in (0, 1))

    # ---- the engine

    def _engine_moves(self) -> None:
        """Let the engine move, or end the game."""
        side = self._position().turn
        if self.engine.may_declare():
            self.show(_("engine: declares a win (entering king)"))
            self._end(Outcome(side, Termination.DECLARATION))
            return
        known = self.engine.book.move() if opens_from_book(self.limits.get("level")) else ""
        if known:
            shown, how = self._shown([known]), _("book")
        else:
            self.await_search()
            self.clock.start(side)
            found = self._search(self._limits(side))
            known, shown = found.bestmove, self._shown([found.bestmove])
            how = _("{score}, depth {depth}, {seconds:.1f} s").format(
                score=score_text(found.score), depth=found.depth, seconds=found.seconds
            )
        if self.clock.is_over():
            self._end_by_time(side)
            return
        self._push(known)
        self._board()
        self.show(_("engine: {move}   ({how})").format(move=shown, how=how))

    def _limits(self, side: int) -> dict[str, Any]:
        """Return the limits of one search: those of the level or the given ones, within what the clock allows."""
        return timed_limits(self.engine, self.limits, self.clock, side, len(self.engine.moves))

    def _search(self, limits: dict[str, Any]) -> "SearchResult":
        """Search in a thread, so that Ctrl-C works at once."""
        with self.engine.start(**limits) as running:
            return running.search_result()

    # ---- the human

    def _human_moves(self, side: int) -> bool:
        """Execute one line; return False if the human leaves."""
        self.clock.start(side)
        try:
            line = self.read(f"{side_name(side, self._game)}> ").strip()
        except EOFError:
            return False
        except TimeUp:
            line = ""
        if self.clock.is_over():
            self._end_by_time(side)
            return True
        command, _blank, rest = line.partition(" ")
        command = SHORT.get(command, command)
        if command == "quit":
            return False
        try:
            if command in COMMANDS:
                getattr(self, f"_do_{command}")(rest.strip())
            elif line:
                self._push(str(self._position().parse_text(line)))
                self._board()
        except (ValueError, OSError) as fault:
            self.show(_("{fault} (`help` lists the commands)").format(fault=translate_fault(fault)))
        return True

    def _do_help(self, rest: str) -> None:
        formats = ", ".join(each.extensions[0] for each in records.all_formats(self.engine.game.name))
        example = self._shown(self.engine.legal_moves()[:1])
        self.show(_(HELP).format(example=example, formats=formats, strongest=self.engine.game.extras.levels - 1))
        if hasattr(self._position(), "can_declare_win"):
            self.show(_(HELP_DECLARE))

    def _do_moves(self, rest: str) -> None:
        self.show(" ".join(self._shown([move]) for move in self.engine.legal_moves()))

    def _do_board(self, rest: str) -> None:
        self._board()

    def _do_flip(self, rest: str) -> None:
        self.flipped = not self.flipped
        self._board()

    def _do_hint(self, rest: str) -> None:
        self.await_search()
        strength = {name: value for name, value in self.limits.items() if name != "level"}
        found = self._search(strength or {"movetime": DEFAULT_MS})
        move, line = self._shown([found.bestmove]), self._shown(found.pv)
        self.show(_("hint: {move}   ({score}, {line})").format(move=move, score=score_text(found.score), line=line))

    def _do_go(self, rest: str) -> None:
        self._engine_moves()

    def _do_resign(self, rest: str) -> None:
        side = self._position().turn
        self._end_with(_("{winner} wins: {loser} resigns"), side, Termination.RESIGNATION)

    def _do_declare(self, rest: str) -> None:
        if not self.engine.may_declare():
            raise ValueError("the conditions for declaring a win are not met")
        self._end(Outcome(int(self._position().turn), Termination.DECLARATION))

    def _do_level(self, text: str) -> None:
        if text:
            if not text.isdecimal():
                raise ValueError(f"a level must be a number, not {text!r}")
            kept = {name: value for name, value in self.limits.items() if name == "movetime"}
            self.limits = kept | level_limits(self.engine, int(text))
        self.show(self.strength())

    def strength(self) -> str:
        """Return how strongly the engine plays, in words."""
        level = self.limits.get("level")
        if level is not None:
            return _("The engine plays at level {level}; `level N` changes it.").format(level=level)
        if self.limits:
            limits = ", ".join(f"{name} {value}" for name, value in self.limits.items())
            return _("The engine plays within these limits: {limits}.").format(limits=limits)
        return _("The engine plays at full strength; `level N` makes it weaker.")

    def _do_undo(self, rest: str) -> None:
        """Take back a move of the human, and the engine's reply."""
        count = 1 if len(self.humans) == 2 else 2
        if len(self.engine.moves) < count:
            raise ValueError("there is no move to take back")
        for _taken in range(count):
            self.engine.pop()
            self._seconds.pop()
        self.clock.stop()
        self._board()

    # ---- files

    def _do_save(self, name: str) -> None:
        self.save(_file_name(name))

    def save(self, name: str) -> None:
        """Write the game in the format of the file's name. Raises OSError, or ValueError for another game's file."""
        if not name:
            raise ValueError("save under which name? `save game.kif`")
        path = Path(name).expanduser()
        if path.exists() and path.resolve() not in self._written:
            raise ValueError(f"{path} already exists; choose another name")
        records.save(self.record(), path)
        self._written.add(path.resolve())
        self.note_stored()
        self.show(_("saved in {path}").format(path=path))

    def _do_load(self, name: str) -> None:
        name = _file_name(name)
        if not name:
            self._list_kept()
            return
        self.load(name)
        self._board()

    def _list_kept(self) -> None:
        """List the latest saved games. Raises ValueError if there is none."""
        game = self.engine.game.name
        paths = kept_games(game)[:KEPT_SHOWN]
        if not paths:
            raise ValueError("load which file?")
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
        record = load_game(name, self.engine.game.name)
        self.engine.set_position(record.start, record.moves)
        self.clock.stop()
        self.clock.reset()
        self._board_now = None
        self._seconds = record.seconds
        self.note_stored()

    def _state(self) -> tuple[Any, ...]:
        """Return what a file holds: an ending by the rules follows from the moves."""
        outcome = None if self.outcome is None or self._position().outcome() else self.outcome
        return bytes(self.engine.root), tuple(self.engine.moves), outcome

    def note_stored(self) -> None:
        """Note that the current game is saved in a file."""
        self._stored = self._state()

    def is_unsaved(self) -> bool:
        """Tell whether there are unsaved moves."""
        return bool(self.engine.moves) and self._state() != self._stored

    def record(self) -> "GameRecord":
        """Return the game so far."""
        level = self.limits.get("level")
        engine_name = "shogi_engine" if level is None else f"shogi_engine level {level}"
        names = [_("human") if side in self.humans else engine_name for side in (0, 1)]
        game = self.engine.game
        start = game.format_position(self.engine.root)
        record = game_record(game.name, start, self.engine.move_texts, self._seconds, names)
        record.end(self._outcome_so_far())
        outcome = self._position().outcome()
        record.score = getattr(outcome, "score", None)
        return record

    def _outcome_so_far(self) -> Outcome | None:
        if self.outcome is None:
            return None if self.over else Outcome(None, Termination.INTERRUPTED)
        return None if self.outcome.termination in BY_RULE else self.outcome


def _file_name(text: str) -> str:
    """Return a file name without its quotes."""
    try:
        parts = shlex.split(text)
    except ValueError:
        return text
    return parts[0] if len(parts) == 1 and text[:1] in "'\"" else text
