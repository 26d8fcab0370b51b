"""`shogi-engine play`: play in the terminal; a human, or the engine, on either side.

The first time, kernels are compiled in the order in which they are needed: the rules before the first prompt, the
search while the human reads and types. A move of the engine waits for it only if the book has none.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shogi_engine import games
from shogi_engine.cli.common import add_command, add_game, add_search, search_limits
from shogi_engine.cli.compile_bar import compile_bar
from shogi_engine.cli.preparation import Preparation, leave

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from shogi_engine.results import SearchResult

SIDES = ("black", "white")  # black begins
NOTATIONS = ("usi", "japanese", "kif", "western", "csa")
HELP = """a move    e.g. {example}; `moves` lists them
undo      take your last move back
hint      what the engine would play
go        let the engine move for you
board     show the board again
quit      leave"""


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(commands, "play", run, "Play in the terminal.")
    add_game(parser)
    choices = (*SIDES, "both", "none")
    parser.add_argument("--human", choices=choices, default="black", help="the human's side, default black")
    # The option's older name. It has no default: the one of --human holds.
    parser.add_argument("--person", dest="human", choices=choices, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.add_argument("--notation", choices=NOTATIONS, default="", help="Shogi: how moves are shown, default usi")
    add_search(parser)


def run(args: argparse.Namespace) -> int:
    """Play until the game is over or the human leaves."""
    from shogi_engine.engine import Engine

    if args.notation and args.game != "shogi":
        raise ValueError(f"play: --notation is for shogi, {args.game} has one only")
    humans = {"both": {0, 1}, "none": set()}.get(args.human) or {n for n in (0, 1) if SIDES[n] == args.human}
    with compile_bar():
        engine = Engine(args.game, hash_mb=args.hash, threads=args.threads)
        engine.set_position(args.position, games.typed_moves(engine.game, args.position, args.moves))
        if args.level is not None:
            engine.check_level(args.level)
        load_rules(engine)
    preparation = Preparation(engine.game)
    with engine:
        print(f"You are {args.human}; `help` lists what can be typed." if humans else "The engine plays itself.")
        status = 0
        try:
            limits = search_limits(args)
            Match(engine, humans, limits, await_search=preparation.wait, notation=args.notation).play()
        except KeyboardInterrupt:
            status = 130
    if preparation.is_busy():
        leave(status)
    return status


def load_rules(engine: "Engine") -> None:
    """Compile, or load, what a move of the human's and one from the book need."""
    for move in engine.legal_moves()[:1]:
        engine.push(move)
        engine.pop()
    games.board(engine.game, engine.position).outcome()
    engine.may_declare()
    engine.book_move()


@dataclass
class Match:
    """One game at the terminal.

    humans : the sides a human has, of 0 (black) and 1    limits : the engine's, as keywords of Engine.search
    read() -> one line, EOFError at the end of input    show(text) prints a line
    await_search() returns when the engine can search
    """

    engine: "Engine"
    humans: set[int]
    limits: dict[str, Any] = field(default_factory=dict)
    read: Callable[[str], str] = input
    show: Callable[[str], Any] = print
    max_moves: int = 1000
    await_search: Callable[[], object] = lambda: None
    notation: str = ""  # how moves are shown; '' is the game's own

    def play(self) -> None:
        """Play until the game is over or the human leaves."""
        self._board()
        while True:
            board = self._position()
            ending = board.outcome()
            if ending is not None:
                self.show(str(ending))
                return
            if len(self.engine.moves) >= self.max_moves:
                self.show(f"a draw: {self.max_moves} moves")
                return
            if board.turn not in self.humans:
                if not self._engine_moves():
                    return
            elif not self._human_moves(SIDES[board.turn]):
                return

    def _position(self) -> Any:
        """Return the game's Board with all moves."""
        return games.board(self.engine.game, self.engine.root, self.engine.move_texts)

    def _shown(self, moves: Sequence[str]) -> str:
        """Return moves that follow each other from here as they are shown."""
        if not self.notation:
            return " ".join(moves)
        board, texts = self._position(), []
        for move in moves:
            texts.append(board.text(board.parse_text(move), self.notation))
            board.push_text(move)
        return " ".join(texts)

    def _board(self) -> None:
        self.show("")
        self.show(self.engine.diagram())

    def _engine_moves(self) -> bool:
        """Let the engine move; return False if it ends the game instead."""
        if self.engine.may_declare():
            self.show("engine: declares a win (entering king)")
            return False
        known = self.engine.book_move()
        if known:
            shown = self._shown([known])
            self.engine.push(known)
            self._board()
            self.show(f"engine: {shown}   (book)")
            return True
        found = self._search()
        shown = self._shown([found.bestmove])
        self.engine.push(found.bestmove)
        self._board()
        self.show(f"engine: {shown}   ({found.score}, depth {found.depth}, {found.seconds:.1f} s)")
        return True

    def _search(self) -> "SearchResult":
        self.await_search()
        return self.engine.search(**self.limits)

    def _human_moves(self, side: str) -> bool:
        """Obey one line; return False if the human leaves."""
        legal = self.engine.legal_moves()
        try:
            line = self.read(f"{side}> ").strip()
        except EOFError:
            return False
        if line in ("quit", "exit", "q", "resign"):
            return False
        if line in ("help", "?", "h"):
            self.show(HELP.format(example=self._shown(legal[:1])))
        elif line == "moves":
            self.show(" ".join(self._shown([move]) for move in legal))
        elif line in ("board", "d"):
            self._board()
        elif line == "hint":
            found = self._search()
            self.show(f"hint: {self._shown([found.bestmove])}   ({found.score}, {self._shown(found.pv)})")
        elif line == "go":
            return self._engine_moves()
        elif line == "undo":
            self._undo()
        elif line:
            try:
                self.engine.push(str(self._position().parse_text(line)))
            except ValueError as fault:
                self.show(f"{fault} (`help` lists what can be typed)")
            else:
                self._board()
        return True

    def _undo(self) -> None:
        """Take back a move of the human's, and the engine's answer to it."""
        for _ in range(1 if len(self.humans) == 2 else 2):
            try:
                self.engine.pop()
            except ValueError as fault:
                self.show(str(fault))
                return
        self._board()
