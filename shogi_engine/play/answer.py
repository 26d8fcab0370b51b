"""Answer: what a player answers when it is its turn. Standard library only."""

from dataclasses import dataclass

from shogi_engine.types.score import Score

RESIGN, DECLARE = "resign", "win"  # instead of a move


@dataclass(frozen=True)
class Answer:
    """A move and its evaluation.

    Attributes:
        move: the move in the game's notation, RESIGN or DECLARE
        seconds: the time that it took, as measured from outside a program
        reported: that time by the player's own count, None if it does not tell
        ponder: the reply that the player expects, '' for none
        score: the mover's evaluation, None if unknown
        pv: the line that the player expects, `move` first; () if unknown
        visits: the nodes by ply, for players that count them
        from_book: whether the move is one of an opening book
    """

    move: str
    seconds: float = 0.0
    ponder: str = ""
    score: Score | None = None
    depth: int = 0
    nodes: int = 0
    pv: tuple[str, ...] = ()
    visits: tuple[int, ...] = ()
    from_book: bool = False
    reported: float | None = None
