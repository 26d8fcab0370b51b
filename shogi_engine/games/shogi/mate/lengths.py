"""The length of a proven mate: corrects stored lengths along the longest defence."""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi.mate.context import has_room, should_stop
from shogi_engine.games.shogi.mate.expansion import position_key
from shogi_engine.games.shogi.mate.hands import packed_hand
from shogi_engine.games.shogi.mate.search import prove
from shogi_engine.games.shogi.mate.table import INFINITE, probe, store
from shogi_engine.games.shogi.position import board_key_after
from shogi_engine.interface.game import do_move, generate_moves, undo_move
from shogi_engine.jit import njit


@njit
def tighten_mate_length(ctx, bound, start):
    """Return the plies to mate from ctx.pos, the defender in check, by the table's proof; -1 if parts are missing.

    A stored length is too large if a shorter proof of a later position was found afterwards. This corrects the stored
    lengths along the longest line.

    Args:
        bound: int64, an upper bound of the length
        start: int64, the index from which ctx.moves and ctx.children are free
    """
    if should_stop(ctx) or not has_room(ctx, start):
        return -1
    end = start + generate_moves(ctx, start)
    if end == start:
        return 0
    hand = packed_hand(ctx.pos.hand[ctx.attacker])
    for index in range(start, end):
        child = ctx.children[index]
        child.key = position_key(ctx, board_key_after(ctx.pos, ctx.moves[index]))
        if not probe(ctx, child.key, hand, bound - 1, ZERO) or ctx.found.proof != 0:
            return -1
        child.length, child.hand, child.move = ctx.found.length, ctx.found.hand, np.uint32(ctx.found.move)
    longest = 0
    while True:
        chosen = start
        for index in range(start, end):
            if ctx.children[index].length > ctx.children[chosen].length:
                chosen = index
        child = ctx.children[chosen]
        length = int(child.length)
        if length < longest:
            return longest
        reply, answer = ctx.moves[chosen], child.move
        do_move(ctx.pos, reply, ctx.undo[ctx.ply])
        do_move(ctx.pos, answer, ctx.undo[ctx.ply + 1])
        ctx.ply += 2
        ctx.nodes += 2
        rest = tighten_mate_length(ctx, length - 1, end)
        ctx.ply -= 2
        undo_move(ctx.pos, answer, ctx.undo[ctx.ply + 1])
        undo_move(ctx.pos, reply, ctx.undo[ctx.ply])
        if rest < 0:
            return -1
        if rest + 1 < length:
            child.length = rest + 1
            store(ctx, child.key, child.hand, 0, INFINITE, rest + 1, np.uint64(answer), 1)
        longest = max(longest, rest + 2)


@njit
def prove_or_tighten(ctx, bound):
    """Return `prove(ctx)`, or `tighten_mate_length` of ctx.pos if `bound` (int64) is not negative.

    Python calls this one kernel for both, because they share most of their code.
    """
    return prove(ctx) if bound < 0 else tighten_mate_length(ctx, bound, 0)
