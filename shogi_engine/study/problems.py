"""Problems made of the mistakes of judged games: positions in which a few moves were clearly best."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shogi_engine import games
from shogi_engine.analysis import GameAnalysis, Hint, MoveAnalysis, hints
from shogi_engine.analysis.judgement import INACCURACY
from shogi_engine.analysis.kinds import MATE, MOVE, OPENING, PIECE, WIN, is_mistake, kind_of
from shogi_engine.engine import Engine
from shogi_engine.language import LANGUAGES, mark, translate
from shogi_engine.play.words import VERSUS, names_shown
from shogi_engine.types.limit import SIDES

KINDS = {  # what is to be found
    MATE: mark("There is a mate."),
    WIN: mark("A won game was given away. Hold the win."),
    PIECE: mark("Pieces were lost. Find the better move."),
    OPENING: mark("The opening went wrong. Find the better move."),
    MOVE: mark("Find the better move."),
}
CLEARLY = 0.1  # of winning chance: how much better the best move is than all that are no answers
ANSWERS_MAX = 3
NODES = 100_000  # of a search of the two best moves, in games without LIMITS
LIMITS: dict[str, dict[str, int]] = {"othello": {"level": 10}}


@dataclass(frozen=True)
class Problem:
    """A position in which a player missed the best move.

    Attributes:
        position: in the game's notation (SFEN, OBF)
        kind: one of KINDS
        answers: the right moves, the best first: one, or all first moves of a mate
        line: the best line, beginning with the best move
        played: the move that was made
        refutation: the best line after it
        why: sentences that say why the move was bad, by language
        source: the players' names, if any is known, and the ply
    """

    game: str
    position: str
    kind: str
    answers: tuple[str, ...]
    line: tuple[str, ...]
    played: str
    refutation: tuple[str, ...] = ()
    why: tuple[tuple[str, tuple[str, ...]], ...] = ()
    source: str = ""

    @property
    def id(self) -> str:
        """The identifier: the same position of another game, with another move number, has the same one."""
        position = " ".join(self.position.split()[:3])
        return hashlib.sha256(f"{self.game} {position}".encode()).hexdigest()[:16]

    def where(self, language: str) -> str:
        """Return the source in words."""
        names, _, ply = self.source.rpartition(", ")
        if not ply.isdigit():
            return self.source
        if not names:
            return translate("move {0}", language).format(ply)
        players = [
            name or translate(SIDES[side], language, context=self.game)
            for side, name in enumerate(names_shown(names, language).split(VERSUS, 1))
        ]
        return translate("{0}, move {1}", language).format(VERSUS.join(players), ply)

    def reasons(self, language: str) -> tuple[str, ...]:
        """Return the sentences that say why the move that was made was bad."""
        return dict(self.why).get(language, ())

    def board(self) -> Any:
        """Return a Board with the position."""
        return games.part(self.game, "board").Board(self.position)


class Examined:
    """Finds whether a few moves of a position are clearly best, by searches of the best moves.

    Args:
        limits: of each search; by default those of LIMITS, or NODES
        engine: that searches, by default one of its own
    """

    def __init__(self, game: str, limits: dict[str, Any] | None = None, engine: Engine | None = None) -> None:
        self._engine, self._limits = engine or Engine(game, hash_mb=16), limits or LIMITS.get(game, {"nodes": NODES})

    def answers(self, position: str, move: MoveAnalysis) -> tuple[str, ...] | None:
        """Return the moves that solve a position, () if none is clearly best, None to look at no more positions.

        Where the solver has found a mate, these are all first moves of mates that it finds.
        """
        self._engine.set_position(position)
        if move.missed_mate:
            found = self._engine.find_mate(nodes=1_000_000, every=True)
            return tuple(dict.fromkeys([move.best, *(line[0] for line in found.solutions if line)]))
        self._engine.new_game()
        return clear(hints(self._engine, ANSWERS_MAX + 1, **self._limits), move.best)


class Accepted(Examined):
    """Takes the best move of the analysis for the answer, without another search."""

    def __init__(self) -> None:
        pass

    def answers(self, position: str, move: MoveAnalysis) -> tuple[str, ...]:
        """Return the best move of the analysis."""
        return (move.best,)


def clear(found: Sequence[Hint], best: str) -> tuple[str, ...]:
    """Return the moves that are about as good as the best, `best` first, if all others are clearly worse, else ().

    Args:
        found: the best moves by a second search, one more than there may be answers
        best: the best move by the first search, which must be among the answers
    """
    chances = [hint.chance for hint in found]
    for count in range(1, len(found)):
        if chances[0] - chances[count] >= CLEARLY:
            moves = [hint.move for hint in found[:count]]
            near = chances[0] - chances[count - 1] < INACCURACY
            return tuple(dict.fromkeys([best, *moves])) if near and best in moves else ()
    return ()


def problems_of(game: GameAnalysis, side: str = "", examined: Examined | None = None) -> Iterator[Problem]:
    """Yield the problems of a judged game.

    Args:
        side: 'black' or 'white', '' for both
        examined: finds the answers; by default a search decides
    """
    name = game.record.game
    texts = {language: game.why_texts(language) for language in LANGUAGES}
    for move, board in game.boards():
        if side in ("", move.side) and is_mistake(move):
            position = board.position()
            examined = examined or Examined(name)
            answers = examined.answers(position, move)
            if answers is None:
                return
            if answers:
                yield Problem(
                    name,
                    position,
                    kind_of(game, move),
                    answers,
                    move.pv or (move.best,),
                    move.move,
                    move.replies,
                    tuple((language, tuple(said.get(move.ply, ()))) for language, said in texts.items()),
                    _source(game, move),
                )


def _source(game: GameAnalysis, move: MoveAnalysis) -> str:
    names = VERSUS.join(game.record.names) if any(game.record.names) else ""
    return f"{names}, {move.ply}"
