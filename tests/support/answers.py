"""What a player answers, in one line."""

from shogi_engine.types.results import Info, PlayResult


def answered(move, seconds=0.0, ponder="", score=None, depth=0, nodes=0, pv=()):
    """Return the answer of a player who makes a move, given as text; 'resign' and 'win' are none, as in USI."""
    info = Info(depth=depth or None, score=score, nodes=nodes or None, pv=pv)
    resigns, declares = move == "resign", move == "win"
    move = None if resigns or declares or not move else move
    return PlayResult(move, ponder or None, info, resigned=resigns, declares=declares, time=seconds)
