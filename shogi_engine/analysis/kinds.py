"""Kinds of mistakes: what a bad move missed or gave away."""

from shogi_engine.analysis.judgement import MISTAKE, GameAnalysis, MoveAnalysis
from shogi_engine.types.fact import Kind

MATE, WIN, PIECE, OPENING, MOVE = KINDS = ("mate", "win", "piece", "opening", "move")
WON, LOST = 0.75, 0.5  # winning chances before and after a move that gives a win away
OPENING_PLIES = {"shogi": 30}
MATES = (Kind.MATE_MISSED, Kind.COULD_END_IN_MATE)
LOSSES = (
    Kind.PIECE_LEFT, Kind.PIECE_THREAT_UNMET, Kind.EXCHANGE_LOST, Kind.PIECES_LOST,
    Kind.PIECE_MISSED, Kind.EXCHANGE_MISSED, Kind.PIECES_MISSED,
)  # fmt: skip


def is_mistake(move: MoveAnalysis) -> bool:
    """Tell whether a move is bad enough to learn from: at least a mistake, or a missed mate."""
    return move.loss >= MISTAKE or bool(move.missed_mate)


def kind_of(game: GameAnalysis, move: MoveAnalysis) -> str:
    """Return the kind of a bad move, one of KINDS."""
    kinds = {fact.kind for fact in game.why.get(move.ply, ())}
    if move.missed_mate or kinds.intersection(MATES):
        return MATE
    if move.score.chance() >= WON and move.played_score.chance() <= LOST:
        return WIN
    if kinds.intersection(LOSSES):
        return PIECE
    return OPENING if move.ply <= OPENING_PLIES.get(game.record.game, 0) else MOVE
