"""The endings that Shogi's record formats write in place of endings for which they have no word."""

from shogi_engine.types.termination import Termination

NEAREST = {
    Termination.PERPETUAL_CHECK: Termination.ILLEGAL_MOVE,
    Termination.STALEMATE: Termination.CHECKMATE,
    Termination.ADJUDICATION: Termination.AGREEMENT,  # for a draw, as UNKNOWN
    Termination.UNKNOWN: Termination.AGREEMENT,
}
