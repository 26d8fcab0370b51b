"""Other solutions of a mate problem: the checks next to the solution's that also mate."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts
from shogi_engine.games.shogi.types import POSITION, UNDO
from shogi_engine.interface.game import do_move
from shogi_engine.jit import new_record

NODES = 300_000  # for each check of a position, to prove that it mates or that it does not


def other_mates(
    solver: MateSolver, position: Any, line: Sequence[int], nodes: int = NODES
) -> Iterator[tuple[int, str, int]]:
    """Yield the other checks that mate: (number of the move in the solution, from 1; check in USI; plies to mate).

    Args:
        line: the solution's moves
        nodes: the node limit for each check; if it is too low for a result, the plies are -1
    """
    pos = position
    for ply, move in enumerate(line, 1):
        if ply % 2:
            solver.new_problem()
            for check in solver.checks(pos):
                if check != move and (plies := solver.length_after(pos, check, nodes=nodes)):
                    yield ply, line_texts(pos, [check])[0], plies
        pos = after_move(pos, move)


def after_move(position: Any, move: int) -> Any:
    """Return the position after `move`."""
    pos = new_record(POSITION)
    np.asarray(pos)[...] = position
    do_move(pos, np.uint32(move), new_record(UNDO))
    return pos
