"""The soundness of a mate problem: it has one solution, after which the attacker's hand is empty.

The rule is strict: every legal defence counts, even useless interpositions. Against the longest defences, each move of
the attacker, including the last, must be the only one that mates, in whatever number of moves. The attacker's hand must
be empty after all longest defences.
"""

from typing import Any

from shogi_engine.games.shogi.mate.solver import NODES, MateSolver, after_move
from tests.support.shogi_moves import legal_moves

FIRST_NODES = 1_000  # for a first, quick check that rejects obviously unsound problems


def is_sound(solver: MateSolver, position: Any, length: int, nodes: int = NODES) -> bool:
    """Tell whether `position`, whose shortest mate takes `length` plies, is a sound problem.

    Return False too if `nodes` are too few to prove it.
    """
    solver.new_problem()
    return _holds(solver, position, length, FIRST_NODES, False) and _holds(solver, position, length, nodes, True)


def _holds(solver: MateSolver, position: Any, length: int, nodes: int, proven: bool) -> bool:
    """Tell whether the problem is sound.

    Args:
        proven: whether a check that the nodes are too few to decide makes the problem unsound; if not, it counts as no
            mate
    """
    keys = []
    for check in solver.checks(position):
        plies = solver.length_after(position, check, nodes=nodes)
        if plies > 0:
            keys.append(check)
        if len(keys) > 1 or (proven and plies < 0):
            return False
    if not keys:
        return not proven
    after = after_move(position, keys[0])
    replies = legal_moves(after).tolist()
    if not replies:
        return int(after.hand[int(position.side)]) == 0
    lasting = []
    for reply in replies:
        pos = after_move(after, reply)
        found = solver.solve(pos, nodes=nodes, shortest=True, keep=True)
        if proven and not found.shortest:
            return False
        if found.length == length - 2:
            lasting.append(pos)
    return bool(lasting) and all(_holds(solver, pos, length - 2, nodes, proven) for pos in lasting)
