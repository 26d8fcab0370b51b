"""Mates by trying everything, for tests: all legal moves of both sides, no table, no check generator, no short cut."""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi.game import GAME
from shogi_engine.interface.game import do_move, generate_moves, is_legal, undo_move
from shogi_engine.jit import njit
from shogi_engine.search.context import new_context

_context = new_context(GAME)


@njit
def mated_within(ctx, plies, start):
    """Tell whether the attacker, to move, mates by checks in at most `plies` (odd); start : the free part of ctx.moves.

    Looks two plies deep in each call, since a defence has to be answered before the next one is tried.
    """
    end = start + generate_moves(ctx, start)
    for index in range(start, end):
        move = ctx.moves[index]
        if not is_legal(ctx.pos, move):
            continue
        do_move(ctx.pos, move, ctx.undo[ctx.ply])
        ctx.ply += 1
        mates = ctx.pos.checkers[0] | ctx.pos.checkers[1] != ZERO
        if mates:
            replies = end + generate_moves(ctx, end)
            for place in range(end, replies):
                reply = ctx.moves[place]
                if not is_legal(ctx.pos, reply):
                    continue
                if plies < 3:
                    mates = False
                else:
                    do_move(ctx.pos, reply, ctx.undo[ctx.ply])
                    ctx.ply += 1
                    mates = mated_within(ctx, plies - 2, replies)
                    ctx.ply -= 1
                    undo_move(ctx.pos, reply, ctx.undo[ctx.ply])
                if not mates:
                    break
        ctx.ply -= 1
        undo_move(ctx.pos, move, ctx.undo[ctx.ply])
        if mates:
            return True
    return False


def shortest_mate(position, most):
    """Return the length of the shortest mate by checks up to `most` plies, 0 if there is none."""
    for plies in range(1, most + 1, 2):
        _context.pos = position
        _context.ply = 0
        if mated_within(_context, np.int64(plies), np.int64(0)):
            return plies
    return 0
