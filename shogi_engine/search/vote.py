"""The choice among the results of several search threads."""

from collections import Counter
from collections.abc import Sequence

from shogi_engine.interface.game import VALUE_MATE_IN_MAX
from shogi_engine.search.limits import Info


def elected(lines: Sequence[Info], unit: int) -> Info:
    """Return the line of the thread whose move gets the most votes, the first of equals.

    Each thread votes for its best move, with more weight the deeper it has searched and the better its value is. A
    proven win is chosen without a vote, the shortest if there are several. As in Stockfish
    (https://github.com/official-stockfish/Stockfish, thread.cpp).

    Args:
        lines: the best line of each thread
        unit: a small margin, in the game's unit, that the thread with the worst value has as well
    """
    best = max(lines, key=lambda line: line.score)
    if best.score >= VALUE_MATE_IN_MAX:
        return best
    least = min(line.score for line in lines)
    weights = [(line.score - least + unit) * line.depth for line in lines]
    votes: Counter[int] = Counter()
    for line, weight in zip(lines, weights, strict=True):
        votes[line.pv[0]] += weight
    return max(zip(lines, weights, strict=True), key=lambda each: (votes[each[0].pv[0]], each[1]))[0]
