"""Judges moves by the results of searches before and after them, in winning chances and in pawns or discs.

Scores are for the side to move. This module does not search. Only the unit of scores depends on the game.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shogi_engine import language, openings
from shogi_engine.analysis.reasons import facts_of, sentences
from shogi_engine.play.game import PASS as PASS
from shogi_engine.records import GameRecord
from shogi_engine.types.fact import Fact
from shogi_engine.types.limit import SIDES
from shogi_engine.types.opening import GameNames
from shogi_engine.types.score import Score

PER_UNIT = {"cp": 100.0, "discs": 1.0}  # the value of a pawn or a disc
MOST = {"cp": 3000.0, "discs": 64.0}  # values, mates included, are clipped to this before subtraction

# The loss of winning chance for each verdict. Lichess uses the same (with chances from -1 to 1).
INACCURACY, MISTAKE, BLUNDER = 0.05, 0.10, 0.15
VERDICTS = (("blunder", BLUNDER), ("mistake", MISTAKE), ("inaccuracy", INACCURACY))


@dataclass(frozen=True)
class Finding:
    """The result of a search of one position of a game.

    Attributes:
        best: the best move, '' if the game is over
        score: its value, for the side to move
        pv: the best line, beginning with `best`
        exact: whether the value is proven
        mate: the length in plies of a mate by checks that the solver found, 0 if none
        played_mate: the length in plies of the mate that begins with the move played, 0 if none
    """

    best: str
    score: Score
    pv: tuple[str, ...] = ()
    depth: int = 0
    nodes: int = 0
    exact: bool = False
    mate: int = 0
    played_mate: int = 0


@dataclass(frozen=True)
class MoveAnalysis:
    """A judged move of a game. Values are for the side that made it, except `black`.

    Attributes:
        ply: the number of the move, from 1
        side: 'black' or 'white'
        move: the move played
        best: the best move
        score: the value of the best move: of the position before the move
        pv: the line of the best move
        played_score: the value of the move played: of the position after it, from where its mates are counted too
        loss: the winning chance that the move lost, 0 to 1
        given: the pawns or discs that the move lost
        verdict: 'blunder', 'mistake', 'inaccuracy' or ''
        missed_mate: the length in plies of a missed mate by checks, else 0
        black: black's winning chance before the move
        exact: whether `score` is proven
        replies: the best line after the move, forced passes included
        allowed_mate: the length in plies of a mate by checks that the opponent has after the move, 0 if none was found
        played_exact: whether `played_score` is proven
    """

    ply: int
    side: str
    move: str
    best: str
    score: Score
    played_score: Score
    loss: float
    given: float
    verdict: str
    missed_mate: int
    pv: tuple[str, ...]
    depth: int
    nodes: int
    black: float
    exact: bool
    replies: tuple[str, ...] = ()
    allowed_mate: int = 0
    played_exact: bool = False

    @property
    def black_score(self) -> Score:
        """The value of the best move for black, as tables, pages and records show it."""
        return self.score if self.side == "black" else -self.score

    @property
    def black_played_score(self) -> Score:
        """The value of the move played, for black."""
        return self.played_score if self.side == "black" else -self.played_score

    @property
    def black_after(self) -> float:
        """Black's winning chance after the move, by the same search as `played_score`."""
        return self.black_played_score.chance()

    @property
    def worth_a_word(self) -> bool:
        """Whether the better line is shown with the move."""
        return bool(self.verdict or self.missed_mate)

    def values(self) -> dict[str, Any]:
        """Return the move for JSON."""
        scores = {"score": self.score.values(), "played_score": self.played_score.values()}
        return {**vars(self), **scores, "pv": list(self.pv), "replies": list(self.replies)}


@dataclass(frozen=True)
class GameAnalysis:
    """A judged game.

    Attributes:
        moves: the judged moves, all except passes
        final: black's winning chance after the last move
    """

    record: GameRecord
    moves: tuple[MoveAnalysis, ...]
    final: float

    @property
    def blunders(self) -> list[MoveAnalysis]:
        """The moves judged as blunders."""
        return [move for move in self.moves if move.verdict == "blunder"]

    @property
    def missed_mates(self) -> list[MoveAnalysis]:
        """The moves that missed a mate by checks."""
        return [move for move in self.moves if move.missed_mate]

    @property
    def chances(self) -> list[float]:
        """Black's winning chance before each of `moves`, and at the end."""
        return [*(move.black for move in self.moves), self.final]

    @property
    def unit(self) -> str:
        """The unit of `given`: 'pawns' or 'discs'."""
        return "discs" if self.record.game == "othello" else "pawns"

    @cached_property
    def names(self) -> GameNames | None:
        """The castles and openings of the game, None if its players have no such names."""
        return openings.names_of(self.record)

    @cached_property
    def why(self) -> dict[int, tuple[Fact, ...]]:
        """What is known about the bad moves, by ply; see `reasons`."""
        facts = {move.ply: facts_of(self.record.game, board, move) for move, board in self.boards()}
        return {ply: found for ply, found in facts.items() if found}

    def why_texts(self, name: str = "en") -> dict[int, list[str]]:
        """Return the sentences that say why moves were bad, by ply, in the language `name`."""
        game, why = self.record.game, self.why
        return {
            move.ply: sentences(game, board, why[move.ply], name) for move, board in self.boards() if move.ply in why
        }

    def boards(self) -> Iterator[tuple[MoveAnalysis, Any]]:
        """Yield each judged move with a Board of the position before it, which must be unchanged afterwards."""
        judged = {move.ply: move for move in self.moves}
        board = self.record.board(0)
        for ply, text in enumerate(self.record.moves, 1):
            if ply in judged:
                yield judged[ply], board
            board.push_text(text)

    def mean_loss(self, side: str) -> float:
        """Return the mean winning chance that the moves of a side lost."""
        losses = [move.loss for move in self.moves if move.side == side]
        return sum(losses) / len(losses) if losses else 0.0

    def values(self) -> dict[str, Any]:
        """Return the game for JSON, with sentences in the language in use."""
        why, texts = self.why, self.why_texts(language.current())

        def reasons(ply: int) -> list[dict[str, Any]]:
            said = zip(why.get(ply, ()), texts.get(ply, ()), strict=True)
            return [{**fact.values(), "text": text} for fact, text in said]

        return {
            "game": self.record.game,
            "names": self.record.names,
            "result": self.record.result,
            "start": self.record.start,
            "moves": [{**move.values(), "why": reasons(move.ply)} for move in self.moves],
            "blunders": [move.ply for move in self.blunders],
            "missed_mates": [
                {"ply": move.ply, "move": move.move, "length": move.missed_mate, "line": list(move.pv)}
                for move in self.missed_mates
            ],
            "final": self.final,
            **(self.names.values() if self.names else {}),
        }


# ---- values ------------------------------------------------------------------------------------------------------


def amount(score: Score, unit: str) -> float:
    """Return a score in pawns (`unit` is 'cp') or discs, limited to MOST."""
    most = MOST[unit]
    value = score.value if not score.mate else math.copysign(math.inf, score.value)
    return max(-most, min(most, value)) / PER_UNIT[unit]


def after_move(score: Score) -> Score:
    """Return the score of the best move, counted from the position after it, given that of the position before it.

    The field counts mates so: with a mate in 5, the move leads to a mate in 4, and the forced reply to one in 3.
    """
    return replace(score, plies=max(score.plies - 1, 0)) if score.plies is not None else score


def verdict(loss: float) -> str:
    """Return the verdict on a move that loses this winning chance, '' for none."""
    return next((name for name, least in VERDICTS if loss >= least), "")


# ---- games -------------------------------------------------------------------------------------------------------


def plies_to_examine(record: GameRecord) -> list[int]:
    """Return the plies to examine: before each move that is not a pass, and at the end."""
    moves = record.moves
    return [ply for ply in range(len(moves) + 1) if ply == len(moves) or moves[ply] != PASS]


def judge(record: GameRecord, findings: Mapping[int, Finding]) -> GameAnalysis:
    """Return the game with each move judged.

    Args:
        findings: the findings by ply, for `plies_to_examine`
    """
    moves = record.moves
    first = int(record.board(0).turn)
    judged = []
    for ply, move in enumerate(moves):
        if move != PASS:
            side = (first + ply) % 2
            found, after, passes = findings[ply], *_after(moves, findings, ply)
            score = after.score if passes % 2 else -after.score
            judged.append(
                replace(
                    judged_move(ply, side, move, found, score),
                    replies=(PASS,) * passes + after.pv,
                    allowed_mate=0 if passes or found.played_mate else after.mate,
                    played_exact=after.exact,
                )
            )
    ends_with_white = (first + len(moves)) % 2
    final = findings[len(moves)].score.chance()
    return GameAnalysis(record, tuple(judged), 1.0 - final if ends_with_white else final)


def _after(moves: Sequence[str], findings: Mapping[int, Finding], ply: int) -> tuple[Finding, int]:
    """Return the finding after the move that follows `ply` moves and after the passes behind it, and their number."""
    later = next(later for later in range(ply + 1, len(moves) + 1) if later == len(moves) or moves[later] != PASS)
    return findings[later], later - ply - 1


def judged_move(ply: int, side: int, move: str, found: Finding, after: Score) -> MoveAnalysis:
    """Return the judged move after `ply` moves, from the finding before it and its value by that after it."""
    if found.played_mate:
        after = after_move(Score.mate_in(found.played_mate))
    loss = given = 0.0
    if move != found.best and not found.played_mate:
        unit = "discs" if "discs" in (found.score.unit, after.unit) else "cp"
        loss = max(0.0, found.score.chance() - after.chance())
        given = max(0.0, amount(found.score, unit) - amount(after, unit))
    own = found.score.chance()
    return MoveAnalysis(
        ply=ply + 1,
        side=SIDES[side],
        move=move,
        best=found.best,
        score=found.score,
        played_score=after,
        loss=round(loss, 6),
        given=round(given, 6),
        verdict=verdict(loss),
        missed_mate=found.mate if found.mate and not found.played_mate else 0,
        pv=found.pv,
        depth=found.depth,
        nodes=found.nodes,
        black=1.0 - own if side else own,
        exact=found.exact,
    )
