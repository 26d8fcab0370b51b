"""Play in the terminal: a person, or the engine, on either side."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shogi_engine import games
from shogi_engine.engine import Engine

SIDES = ("black", "white")  # black begins
HELP = """a move    e.g. {example}; `moves` lists them
undo      take your last move back
hint      what the engine would play
go        let the engine move for you
board     show the board again
quit      leave"""


@dataclass
class Match:
    """One game at the terminal.

    people : the sides a person has, of 0 (black) and 1    limits : the engine's, as keywords of Engine.search
    read() -> one line, EOFError at the end of input    show(text) prints a line
    """

    engine: Engine
    people: set[int]
    limits: dict[str, Any] = field(default_factory=dict)
    read: Callable[[str], str] = input
    show: Callable[[str], Any] = print
    max_moves: int = 1000

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        self._board()
        while True:
            board = games.board(self.engine.game, self.engine.root, self.engine.move_texts)
            ending = board.outcome()
            if ending is not None:
                self.show(str(ending))
                return
            if len(self.engine.moves) >= self.max_moves:
                self.show(f"a draw: {self.max_moves} moves")
                return
            if board.turn not in self.people:
                if not self._engine_moves():
                    return
            elif not self._person_moves(SIDES[board.turn]):
                return

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
            self.engine.push(known)
            self._board()
            self.show(f"engine: {known}   (book)")
            return True
        found = self.engine.search(**self.limits)
        self.engine.push(found.bestmove)
        self._board()
        self.show(f"engine: {found.bestmove}   ({found.score}, depth {found.depth}, {found.seconds:.1f} s)")
        return True

    def _person_moves(self, side: str) -> bool:
        """Obey one line; return False if the person leaves."""
        legal = self.engine.legal_moves()
        try:
            line = self.read(f"{side}> ").strip()
        except EOFError:
            return False
        if line in ("quit", "exit", "q", "resign"):
            return False
        if line in ("help", "?", "h"):
            self.show(HELP.format(example=legal[0]))
        elif line == "moves":
            self.show(" ".join(legal))
        elif line in ("board", "d"):
            self._board()
        elif line == "hint":
            found = self.engine.search(**self.limits)
            self.show(f"hint: {found.bestmove}   ({found.score}, {' '.join(found.pv)})")
        elif line == "go":
            return self._engine_moves()
        elif line == "undo":
            self._undo()
        elif line:
            try:
                self.engine.push(line)
            except ValueError as fault:
                self.show(f"{fault} (`help` lists what can be typed)")
            else:
                self._board()
        return True

    def _undo(self) -> None:
        """Take back a move of the person's, and the engine's answer to it."""
        for _ in range(1 if len(self.people) == 2 else 2):
            try:
                self.engine.pop()
            except ValueError as fault:
                self.show(str(fault))
                return
        self._board()
