"""What Shogi's record formats write for endings that they have no word for."""

from shogi_engine.types.termination import Termination

NEAREST = {
    Termination.PERPETUAL_CHECK: Termination.ILLEGAL_MOVE,
    Termination.STALEMATE: Termination.CHECKMATE,
    Termination.ADJUDICATION: Termination.AGREEMENT,  # for a draw
    Termination.UNKNOWN: Termination.AGREEMENT,
}
