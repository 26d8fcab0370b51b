"""Expanding a node of the mate search: its children, each with a result from the table or from one ply ahead."""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.mate import table
from shogi_engine.games.shogi.movegen import count_evasions, generate_checks, is_searched
from shogi_engine.games.shogi.position import board_key_after
from shogi_engine.interface.game import do_move, generate_moves, undo_move
from shogi_engine.jit import njit

PATH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


# ---- keys and hands ----------------------------------------------------------------------------------------------


@njit
def position_key(ctx, board_key):
    """Return the table's key of a position: of its board and the attacker's colour, not of the hands."""
    return board_key ^ table.ATTACKER_KEYS[ctx.attacker]


@njit
def path_key_after(path_key, key, hand):
    """Return the key of a path that is one position longer."""
    return (path_key ^ key ^ np.uint64(hand) * PATH_FACTOR) * PATH_FACTOR + ONE


@njit
def hand_after(hand, move):
    """Return the packed hand of the side that makes `move`."""
    if t.is_drop(move):
        return hand - table.HAND_UNITS[t.move_kind(move)]
    return hand + table.HAND_UNITS[t.UNPROMOTED[t.move_captured(move)]]


@njit
def hand_before(hand, move):
    """Return the least hand before `move` that leaves at least `hand` after it (both packed)."""
    if t.is_drop(move):
        return hand + table.HAND_UNITS[t.move_kind(move)]
    captured = t.move_captured(move)
    return table.hand_without(hand, t.UNPROMOTED[captured]) if captured != 0 else hand


@njit
def both_hands(pos):
    """Return the packed hand of all pieces in either side's hand."""
    return table.packed_hand(pos.hand[0]) + table.packed_hand(pos.hand[1])


@njit
def repeated_ply(ctx, key, hand):
    """Return the ply of the path's position with this board and at least this hand of the attacker's, or -1."""
    if ctx.repetition_filter[key & np.uint64(table.REPETITION_FILTER_SIZE - 1)] == 0:
        return -1
    for ply in range(ctx.ply, -1, -1):
        if ctx.frames[ply].key == key and t.hand_covers(ctx.frames[ply].hand, hand, table.PACKED_GUARDS):
            return ply
    return -1


# ---- initial proof and disproof numbers ------------------------------------------------------------------------------


@njit
def set_child(child, or_node, proof, disproof, hand, length, ply):
    """Write the result of the position after a move.

    Args:
        or_node: the attacker makes the move
    """
    child.delta = proof if or_node else disproof
    child.phi = disproof if or_node else proof
    child.hand, child.length, child.ply = hand, length, ply


@njit
def init_and_node(ctx, child, move, left):
    """Initialise the AND node after the check `move`: mate, or else its proof number is the number of evasions."""
    pos = ctx.pos
    undo = ctx.undo[ctx.ply]
    do_move(pos, move, undo)
    ctx.nodes += 1
    evasions = count_evasions(pos)
    if evasions == 0:
        set_child(child, True, 0, table.INFINITE, table.withheld_hand(pos), 0, table.NO_PLY)
    elif left <= 0:
        set_child(child, True, table.INFINITE, 0, child.attacker_hand, 0, table.NO_PLY)
    else:
        set_child(child, True, evasions, 1, child.attacker_hand, left, table.NO_PLY)
    undo_move(pos, move, undo)


@njit
def init_or_node(ctx, child, move, left, start):
    """Initialise the OR node after the evasion `move` by its checks: whether there are any, and whether one mates.

    Args:
        start: the index from which ctx.moves is free, for the checks
    """
    pos = ctx.pos
    do_move(pos, move, ctx.undo[ctx.ply])
    ctx.ply += 1
    ctx.nodes += 1
    hand = child.attacker_hand
    count = generate_checks(ctx, start, ctx, ctx.undo[ctx.ply])
    undo = ctx.undo[ctx.ply]
    proof, proof_hand = table.INFINITE, 0
    mating_move = ZERO
    for index in range(start, start + count):
        check = ctx.moves[index]
        do_move(pos, check, undo)
        ctx.nodes += 1
        evasions = count_evasions(pos)
        if evasions == 0:
            proof_hand = hand_before(table.withheld_hand(pos), check)
            mating_move = np.uint64(check)
        undo_move(pos, check, undo)
        if evasions < proof:
            proof = evasions
            if evasions == 0:
                break
    if proof == 0:
        set_child(child, False, 0, table.INFINITE, proof_hand, 1, table.NO_PLY)
        table.store(ctx, child.key, proof_hand, 0, table.INFINITE, 1, mating_move, 1)
    elif count == 0:
        disproof_hand = both_hands(pos) & table.kinds_held(hand)
        set_child(child, False, table.INFINITE, 0, disproof_hand, table.LENGTH_MAX, table.NO_PLY)
        table.store(ctx, child.key, disproof_hand, table.INFINITE, 0, table.LENGTH_MAX, ZERO, 1)
    elif left <= 1:
        set_child(child, False, table.INFINITE, 0, hand, 1, table.NO_PLY)
    else:
        set_child(child, False, proof, count, hand, left, table.NO_PLY)
        table.store(ctx, child.key, hand, proof, count, left, ZERO, 1)
    ctx.ply -= 1
    undo_move(pos, move, ctx.undo[ctx.ply])


# ---- children ----------------------------------------------------------------------------------------------------


@njit
def link_promotions(ctx, first, count):
    """Try a move that declines a promotion needlessly only after the promotion has failed; see CHILD.superseded_by.

    Not promoting helps only to avoid a mate by a pawn drop.
    """
    us = int(ctx.pos.side)
    for index in range(first, first + count):
        move = ctx.moves[index]
        child = ctx.children[index]
        child.superseded_by = -1
        if t.is_drop(move):
            ctx.last_drop[t.move_to(move)] = -1
        elif not is_searched(us, move):
            for other in range(index - 1, first - 1, -1):
                if int(ctx.moves[other]) & ~t.PROMOTION == int(move):
                    child.superseded_by = other
                    break


@njit
def link_drops(ctx, first, count):
    """Try interposing drops on the same square one after the other; see CHILD.superseded_by."""
    for index in range(first, first + count):
        move = ctx.moves[index]
        if t.is_drop(move):
            target = t.move_to(move)
            ctx.children[index].superseded_by = ctx.last_drop[target]
            ctx.last_drop[target] = index


@njit
def expand(ctx):
    """Write the moves of the position at ctx.ply to ctx.moves and initialise ctx.children.

    Stops at the first move that is known to succeed.
    """
    pos = ctx.pos
    frame = ctx.frames[ctx.ply]
    first = frame.first
    or_node = int(pos.side) == ctx.attacker
    if or_node:
        count = generate_checks(ctx, first, ctx, ctx.undo[ctx.ply])
        link_promotions(ctx, first, count)
    else:
        count = generate_moves(ctx, first)
        link_promotions(ctx, first, count)
        link_drops(ctx, first, count)
    frame.count = count
    left = ctx.limit - ctx.ply - 1 if ctx.limit < table.LENGTH_MAX else table.LENGTH_MAX
    for index in range(first, first + count):
        move = ctx.moves[index]
        child = ctx.children[index]
        key = position_key(ctx, board_key_after(pos, move))
        hand = hand_after(frame.hand, move) if or_node else frame.hand
        child.key, child.attacker_hand = key, hand
        ply = repeated_ply(ctx, key, hand)
        if ply >= 0:
            set_child(child, or_node, table.INFINITE, 0, hand, table.LENGTH_MAX, ply)
        elif table.probe(ctx, key, hand, left, path_key_after(frame.path_key, key, hand)) and (
            left > 1 or ctx.found.proof == 0 or ctx.found.disproof == 0
        ):
            found = ctx.found
            set_child(child, or_node, found.proof, found.disproof, found.hand, found.length, found.ply)
        elif or_node:
            init_and_node(ctx, child, move, left)
        else:
            init_or_node(ctx, child, move, left, first + count)
        if child.delta == 0:
            frame.count = index - first + 1
            break
