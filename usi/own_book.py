"""The opening book of a USI session: opening it, and answering `go` from it."""

import random
from typing import TYPE_CHECKING

from shogi_engine.common.text import sanitize
from shogi_engine.games.shogi.book import SHIPPED, shipped
from shogi_engine.interface.extras.levels import opens_from_book
from shogi_engine.types.score import Score
from usi.options import Options
from usi.protocol import Go

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from usi.info import UsiOutput

NO_BOOK = "no_book"
NOTES_MAX = 3  # lines that are passed over and told


class OwnBook:
    """The book selected by the options. An engine begins with its own book, which it opens itself."""

    def __init__(self, options: Options, out: "UsiOutput") -> None:
        self._options, self._out = options, out
        self._name = SHIPPED.name
        self._rng = random.Random()

    def open(self, engine: "Engine") -> None:
        """Open the selected book. If it cannot be read, report this once and play without a book."""
        wanted = self._options.text("BookFile") if self._options.flag("USI_OwnBook") else NO_BOOK
        if wanted == self._name:
            return
        self._name = wanted
        try:
            engine.book.open(wanted)
        except ValueError as fault:
            self._out.info(f"no book: {fault}; BookFile {sanitize(wanted)}")
        for note in engine.book.notes[:NOTES_MAX]:
            self._out.info(f"book: {note}; BookFile {sanitize(wanted)}")

    def load(self) -> None:
        """Read the engine's own book if it is selected, so that this does not use time on the clock later."""
        if self._name == SHIPPED.name:
            shipped()

    def answer(self, go: Go, engine: "Engine") -> str | None:
        """Return a book move as the answer to a `go` with a clock or movetime, or None if the book is not used."""
        by_clock = go.has_clock() or go.movetime is not None
        number, flag = self._options.number, self._options.flag
        if not opens_from_book(number("SkillLevel")):
            return None
        if not by_clock or go.infinite or go.searchmoves or go.depth or go.nodes or flag("ConsiderationMode"):
            return None
        self.open(engine)
        if self._name == NO_BOOK or self._rng.randrange(100) < number("BookIgnoreRate"):
            return None
        lookup = {"flipped": flag("FlippedBook"), "any_ply": flag("IgnoreBookPly")}
        found = engine.book.choice(best=number("BookMoves"), margin=number("BookEvalDiff"), **lookup)
        if found is None:
            return None
        lines, count = [found], number("MultiPV")
        if count > 1:
            lines += [each for each in engine.book.moves(**lookup) if each.move != found.move][: count - 1]
        for place, each in enumerate(lines, 1):
            rank = f"multipv {place} " if count > 1 else ""
            pv = " ".join(filter(None, (each.move, each.ponder)))
            self._out.line(f"info depth {each.depth} {rank}score {Score(each.worth)} nodes 0 time 0 pv {pv}")
        self._out.info("book move")
        return " ponder ".join(filter(None, ("bestmove " + found.move, found.ponder)))
