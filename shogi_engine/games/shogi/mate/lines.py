"""The line of a proven mate: the attacker's shortest moves against the defence that lasts longest."""

import numpy as np

from shogi_engine.games.shogi.mate.search import MATE, NO_MATE, prove, tighten_mate_length
from shogi_engine.games.shogi.mate.table import LENGTH_MAX
from shogi_engine.games.shogi.types import MAX_MOVES, UNDO
from shogi_engine.interface.game import do_move, generate_moves, undo_move
from shogi_engine.jit import njit, record_dtype

LONGEST = LENGTH_MAX + 1

# What `write_line` needs next to the search's record.
LINE = record_dtype(
    [("moves", np.uint32, (LONGEST,)), ("replies", np.uint32, (MAX_MOVES,)), ("undo", UNDO, (LONGEST + 1,))]
)
PROVE, SHORTEN, ATTACK, DEFEND = range(4)  # what `solve` does


@njit
def prove_within(ctx, limit):
    """Return `prove(ctx)` for mates within `limit` plies."""
    ctx.limit = min(limit, LENGTH_MAX)
    return prove(ctx)


@njit
def longest_reply(ctx, line, made, left):
    """Write to line.moves[made] the reply to the check in ctx.pos that delays the mate longest, by up to `left` plies.

    Return 1; 0 if a limit ends the search for parts of the proof that the table has lost, -1 if there is no reply.
    """
    count, most = generate_moves(ctx, 0), -1
    if count == 0:
        return -1
    for index in range(count):
        line.replies[index] = ctx.moves[index]
    for index in range(count):
        do_move(ctx.pos, line.replies[index], line.undo[made])
        proven = prove_within(ctx, left) == MATE
        undo_move(ctx.pos, line.replies[index], line.undo[made])
        if not proven:
            return 0
        if ctx.found.length > most:
            line.moves[made], most = line.replies[index], int(ctx.found.length)
            if most == left:
                break
    return 1


@njit
def follow_line(ctx, line, length, made):
    """Write the line from ctx.pos, where the defender is in check, to line.moves[made:]; see `write_line`."""
    ctx.ply = 0
    tightened = tighten_mate_length(ctx, np.int64(length - made), np.int64(0))
    if tightened >= 0:
        length = made + tightened
    while True:
        found = longest_reply(ctx, line, made, length - made - 1)
        if found <= 0:
            return made, found < 0
        do_move(ctx.pos, line.moves[made], line.undo[made])
        made += 1
        if made + 1 >= LONGEST or prove_within(ctx, length - made) != MATE:
            return made, False
        line.moves[made] = np.uint32(ctx.found.move)
        do_move(ctx.pos, line.moves[made], line.undo[made])
        made += 1


@njit
def write_line(ctx, line, length, attacks):
    """Write the line of the mate of at most `length` plies proven for ctx.pos to line.moves; return its length.

    Return -1 if the limits end the search for parts of the proof that the table has lost.

    Args:
        line: record[LINE]
        attacks: whether the attacker is to move; otherwise the defender is in check
    """
    made = 0
    if attacks:
        if prove_within(ctx, length) != MATE:
            return -1
        line.moves[0] = np.uint32(ctx.found.move)
        length = int(ctx.found.length)
        do_move(ctx.pos, line.moves[0], line.undo[0])
        made = 1
    made, whole = follow_line(ctx, line, length, made)
    for index in range(made - 1, -1, -1):
        undo_move(ctx.pos, line.moves[index], line.undo[index])
    return made if whole else -1


@njit
def shorten(ctx, length):
    """Look for mates of ctx.pos shorter than `length`; return the shortest length found.

    It is negated if the limits ended the search, so that there may be shorter ones.
    """
    while length > 1:
        answer = prove_within(ctx, length - 2)
        if answer != MATE:
            return length if answer == NO_MATE else -length
        length = int(ctx.found.length)
    return length


@njit
def solve(ctx, line, task, number):
    """Do one of the tasks above; Python calls this one kernel, because they share most of their code.

    PROVE returns `prove_within(ctx, number)`, SHORTEN `shorten(ctx, number)`. ATTACK and DEFEND return
    `write_line(ctx, line, number, ...)` for the attacker or the defender to move.
    """
    if task == PROVE:
        return prove_within(ctx, number)
    if task == SHORTEN:
        return shorten(ctx, number)
    return write_line(ctx, line, number, task == ATTACK)
