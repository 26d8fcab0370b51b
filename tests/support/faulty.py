"""Search told plainly on othello.naive_othello.State, right and with faults that real programs had.

A position is worth its disc difference, at the end of the game with the empty squares given to the winner. Any even
board will do.
"""

import random

from tests.support.twins.naive_othello import OTHER, State

INFINITE = 1000
SMALLEST_POSITIVE = 5e-324  # what JavaScript calls Number.MIN_VALUE; its most negative number is -Number.MAX_VALUE


def children(state):
    """Return [(move, state after it, depth it costs)] for all legal moves; [] if the game is over."""
    found = []
    for move in state.legal_moves():
        child = state.copy()
        child.push(move)
        found.append((move, child, int(move != "pass")))
    return found


def worth(state, side, depth):
    """Return the value for `side` of a leaf: at depth 0 the difference of discs, else the game is over."""
    value = state.score() if depth > 0 else state.count(state.side) - state.count(OTHER[state.side])
    return value if side == state.side else -value


def first_best(values):
    """Return (value, move) of the first of the best of `values`, by move."""
    move = max(values, key=values.__getitem__)
    return values[move], move


def random_states(start, games, longest):
    """Yield states of random games, seeded by their number: each after up to `longest` moves, none of them over."""
    for number in range(games):
        rng, state = random.Random(number), State.from_text(start)
        for _ in range(rng.randrange(longest + 1)):
            moves = state.legal_moves()
            if not moves:
                break
            state.push(rng.choice(moves))
        if state.legal_moves():
            yield state


# ---- right -------------------------------------------------------------------------------------------------------


def minimax(state, depth):
    """Return the value for the side to move; a pass costs no depth."""
    moves = children(state)
    if depth <= 0 or not moves:
        return worth(state, state.side, depth)
    return max(-minimax(child, depth - cost) for _, child, cost in moves)


def move_values(state, depth):
    """Return what minimax finds each move worth."""
    return {move: -minimax(child, depth - cost) for move, child, cost in children(state)}


# ---- a pass taken for a leaf ---------------------------------------------------------------------------------------


def minimax_pass_is_leaf(state, depth):
    """Minimax that stops where the side to move can place no disc, though the other side continues."""
    moves = [each for each in children(state) if each[0] != "pass"]
    if depth <= 0 or not moves:
        return worth(state, state.side, depth)
    return max(-minimax_pass_is_leaf(child, depth - cost) for _, child, cost in moves)


# ---- a sign by colour inside a negamax ---------------------------------------------------------------------------


def negascout_signed_for_the_root(state, alpha, beta, depth, root):
    """NegaScout whose nodes without a move have the value for the side at the root, not for the side to move."""
    moves = children(state)
    if depth <= 0 or not moves:
        return worth(state, state.side if depth <= 0 else root, depth)
    best = -INFINITE
    for _, child, cost in moves:
        left, low = depth - cost, max(alpha, best)
        value = -INFINITE
        if best > -INFINITE:
            value = -negascout_signed_for_the_root(child, -low - 1, -low, left, root)
        if best == -INFINITE or low < value < beta:
            value = -negascout_signed_for_the_root(child, -beta, -low, left, root)
        best = max(best, value)
        if best >= beta:
            break
    return best


# ---- bounds passed wrongly ---------------------------------------------------------------------------------------


def limits_mixed_up(state, lower, upper, depth, me):
    """Alpha-beta by two players, whose minimizing one hands down its upper limit where its lower one is meant."""
    moves = children(state)
    if depth <= 0 or not moves:
        return worth(state, me, depth)
    ratings = []
    for _, child, cost in moves:
        left = depth - cost
        if state.side == me:
            ratings.append(limits_mixed_up(child, max([lower, *ratings]), upper, left, me))
            if ratings[-1] >= upper:
                break
        else:
            ratings.append(limits_mixed_up(child, upper, min([upper, *ratings]), left, me))
            if ratings[-1] <= lower:
                break
    return max(ratings) if state.side == me else min(ratings)


def limits_of_two_players(state, lower, upper, depth, me):
    """The same, right, fail-hard: a value outside the limits is told as the limit it is beyond."""
    moves = children(state)
    if depth <= 0 or not moves:
        return worth(state, me, depth)
    for _, child, cost in moves:
        value = limits_of_two_players(child, lower, upper, depth - cost, me)
        if state.side == me:
            lower = max(lower, value)
        else:
            upper = min(upper, value)
        if lower >= upper:
            break
    return lower if state.side == me else upper


def move_never_kept(state, alpha, beta, depth, me):
    """Alpha-beta by two players; return (value, move). The minimizing one lowers beta, then asks if it is lower."""
    moves = children(state)
    if depth <= 0 or not moves:
        return worth(state, me, depth), None
    kept = None
    for move, child, cost in moves:
        score, _ = move_never_kept(child, alpha, beta, depth - cost, me)
        if state.side == me:
            if score > alpha:
                alpha, kept = score, move
        else:
            beta = min(beta, score)
            if score < beta:
                kept = move
        if alpha >= beta:
            break
    return (alpha if state.side == me else beta), kept
