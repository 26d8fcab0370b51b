"""The mate search: depth-first proof-number search for a mate by checks, on a stack of its own.

A position's proof number says how many positions must still be proven to prove the mate, its disproof number how many
must be disproven to prove that there is none; the search goes where the smaller one is, and stays there until a number
passes the bound up to which no other place is better.

    Ayumu Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002: the search, proof and
        disproof hands (what a proof needs in hand, what a disproof still holds against)
    Akihiro Kishimoto, Martin Mueller, "A solution to the GHI problem for depth-first proof-number search", 2005:
        disproofs that rest on a repetition are kept for their path only
    KomoringHeights, https://github.com/komori-n/KomoringHeights: drops on one square one after the other

The attacker gains nothing from a repetition, so a position that came before on the path, with no more in the attacker's
hand, is no mate there. A proof never rests on one and holds anywhere; a disproof that does is kept with its path.
"""

import numpy as np

from shogi_engine.bits import ONE, ZERO
from shogi_engine.game import do_move, generate_moves, undo_move
from shogi_engine.games.shogi.mate.moves import (
    HAND_UNITS,
    count_evasions,
    generate_checks,
    hand_covers,
    hand_intersection,
    hand_union,
    hand_without,
    kinds_held,
    packed_hand,
    withheld,
)
from shogi_engine.games.shogi.mate.table import INFINITE, LENGTH_MAX, NO_PLY, PATH_MASK, keep, look_up
from shogi_engine.games.shogi.position import SIDE_KEY, SQUARE_KEYS
from shogi_engine.games.shogi.types import (
    BISHOP,
    DROP_BASE,
    MAX_MOVES,
    PAWN,
    POSITION,
    PROMOTED,
    PROMOTION,
    ROOK,
    SQUARES,
    UNDO,
    UNPROMOTED,
    is_drop,
    is_promotion,
    move_captured,
    move_from,
    move_kind,
    move_to,
)
from shogi_engine.jit import load_u64, njit, record_dtype

MAX_PLIES = 2000
BUFFER = 1 << 15  # moves of all plies together
REPETITION_FILTER_SIZE = 1 << 12
FIRST_GUESS = 1 << 6  # the proof number of what repetition disproved, for another path

STOPPED, MATE, NO_MATE, TOO_DEEP = range(4)  # what `prove` answers

ATTACKER_KEYS = np.array([0x9AE16A3B2F90404F, 0xC949D7C7509E6557], dtype=np.uint64)  # who mates is part of the key
PATH_FACTOR = np.uint64(0x9E3779B97F4A7C15)

# What the table knows of a position.
FOUND = record_dtype(
    [
        ("proof", np.int64),
        ("disproof", np.int64),
        ("length", np.int64),  # plies to the mate; or so many are not enough
        ("hand", np.int64),  # the least that the attacker needs for the proof, or the most the disproof holds against
        ("ply", np.int64),  # the ply whose repetition the disproof rests on, or NO_PLY
        ("move", np.uint64),
    ]
)

# A position on the path. `first`, `count`: its moves in ctx.moves and ctx.children; `best`: the one searched.
# win_bound, loss_bound: the search leaves it when one of its numbers gets there.
FRAME = record_dtype(
    [
        ("key", np.uint64),
        ("path", np.uint64),
        ("hand", np.int64),
        ("first", np.int64),
        ("count", np.int64),
        ("best", np.int64),
        ("win", np.int64),
        ("loss", np.int64),
        ("win_bound", np.int64),
        ("loss_bound", np.int64),
        ("entered", np.int64),  # ctx.nodes when it was entered
    ]
)

# A move's outcome, for who makes it: `win` is 0 if it wins (the mate is proven, or disproven), `loss` if it fails.
CHILD = record_dtype(
    [
        ("win", np.int32),
        ("loss", np.int32),
        ("hand", np.int64),  # as in FOUND
        ("key", np.uint64),
        ("own_hand", np.int64),  # the attacker's, after the move
        ("length", np.int32),
        ("ply", np.int32),
        ("elder", np.int32),  # the move that has to fail before this one is looked at, or -1
        ("unused", np.int32),
    ]
)

MATE_SEARCH = record_dtype(
    [
        ("pos", POSITION),
        ("moves", np.uint32, (BUFFER,)),
        ("children", CHILD, (BUFFER,)),
        ("frames", FRAME, (MAX_PLIES + 1,)),
        ("undo", UNDO, (MAX_PLIES + 2,)),
        ("found", FOUND),
        ("check_squares", np.uint64, (16, 2)),
        ("last_drop", np.int32, (SQUARES,)),
        ("repetition_filter", np.uint8, (REPETITION_FILTER_SIZE,)),  # how many positions of the path fall in each slot
        ("ply", np.int64),
        ("attacker", np.int64),
        ("limit", np.int64),  # plies the mate may take, LENGTH_MAX for any
        ("nodes", np.int64),  # positions looked at: moves made
        ("node_limit", np.int64),
        ("steps", np.int64),
        ("stop_address", np.uint64),  # a uint64 that is not 0 once the search has to stop
        ("tt_address", np.uint64),
        ("tt_clusters", np.uint64),
        ("generation", np.uint64),
    ]
)


# ---- the next positions ------------------------------------------------------------------------------------------


@njit
def key_after(pos, move):
    """Return the board key that `move` leads to."""
    us = int(pos.side)
    source, target, kind = move_from(move), move_to(move), move_kind(move)
    key = pos.board_key ^ SIDE_KEY
    if source >= DROP_BASE:
        return key ^ SQUARE_KEYS[us, kind, target]
    captured = move_captured(move)
    if captured != 0:
        key ^= SQUARE_KEYS[1 - us, captured, target]
    arrived = int(PROMOTED[kind]) if is_promotion(move) else kind
    return key ^ SQUARE_KEYS[us, kind, source] ^ SQUARE_KEYS[us, arrived, target]


@njit
def hand_after(hand, move):
    """Return the packed hand of who makes `move`."""
    if is_drop(move):
        return hand - HAND_UNITS[move_kind(move)]
    return hand + HAND_UNITS[UNPROMOTED[move_captured(move)]]


@njit
def hand_before(hand, move):
    """Return what must be in hand before `move` for `hand` to be there after it: the inverse, never below 0."""
    if is_drop(move):
        return hand + HAND_UNITS[move_kind(move)]
    captured = move_captured(move)
    return hand_without(hand, UNPROMOTED[captured]) if captured != 0 else hand


@njit
def path_after(path, key, hand):
    """Return the number of the path `path` with one more position."""
    return (path ^ key ^ np.uint64(hand) * PATH_FACTOR) * PATH_FACTOR + ONE


@njit
def both_hands(pos):
    """Return the packed hand of all pieces that both sides hold."""
    return packed_hand(pos.hand[0]) + packed_hand(pos.hand[1])


@njit
def repeated_ply(ctx, key, hand):
    """Return the ply of the path's position with this board and no less in the attacker's hand, or -1."""
    if ctx.repetition_filter[key & np.uint64(REPETITION_FILTER_SIZE - 1)] == 0:
        return -1
    for ply in range(ctx.ply, -1, -1):
        if ctx.frames[ply].key == key and hand_covers(ctx.frames[ply].hand, hand):
            return ply
    return -1


@njit
def set_outcome(child, attacking, proof, disproof, hand, length, ply):
    """Write what is known of the position after a move, seen by who makes it."""
    child.win = proof if attacking else disproof
    child.loss = disproof if attacking else proof
    child.hand, child.length, child.ply = hand, length, ply


@njit
def first_look(ctx, child, move, left):
    """Look at the position after the check `move`: mate, or how many ways out."""
    pos = ctx.pos
    undo = ctx.undo[ctx.ply]
    do_move(pos, move, undo)
    ctx.nodes += 1
    ways = count_evasions(pos)
    if ways == 0:
        set_outcome(child, True, 0, INFINITE, withheld(pos), 0, NO_PLY)
    elif left <= 0:
        set_outcome(child, True, INFINITE, 0, child.own_hand, 0, NO_PLY)
    else:
        set_outcome(child, True, ways, 1, child.own_hand, left, NO_PLY)
    undo_move(pos, move, undo)


@njit
def first_look_on(ctx, child, move, left, scratch):
    """Look at the position after the evasion `move`: a check that mates, no check at all, or the checks' first numbers.

    scratch : index in ctx.moves of room for the checks.   What is found is stored in the table.
    """
    pos = ctx.pos
    do_move(pos, move, ctx.undo[ctx.ply])
    ctx.ply += 1
    ctx.nodes += 1
    hand = child.own_hand
    count = generate_checks(ctx, scratch, ctx.check_squares, ctx.undo[ctx.ply])
    undo = ctx.undo[ctx.ply]
    proof, needed = INFINITE, 0
    last = ZERO
    for index in range(scratch, scratch + count):
        check = ctx.moves[index]
        do_move(pos, check, undo)
        ctx.nodes += 1
        ways = count_evasions(pos)
        if ways == 0:
            needed = hand_before(withheld(pos), check)
            last = np.uint64(check)
        undo_move(pos, check, undo)
        if ways < proof:
            proof = ways
            if ways == 0:
                break
    if proof == 0:
        set_outcome(child, False, 0, INFINITE, needed, 1, NO_PLY)
        keep(ctx, child.key, needed, 0, INFINITE, 1, last, 1)
    elif count == 0:
        most = both_hands(pos) & kinds_held(hand)
        set_outcome(child, False, INFINITE, 0, most, LENGTH_MAX, NO_PLY)
        keep(ctx, child.key, most, INFINITE, 0, LENGTH_MAX, ZERO, 1)
    elif left <= 1:
        set_outcome(child, False, INFINITE, 0, hand, 1, NO_PLY)
    else:
        set_outcome(child, False, proof, count, hand, left, NO_PLY)
        keep(ctx, child.key, hand, proof, count, left, ZERO, 1)
    ctx.ply -= 1
    undo_move(pos, move, ctx.undo[ctx.ply])


@njit
def link_elders(ctx, first, count):
    """Put moves that seldom matter behind others: see CHILD.elder.

    Drops on one square (which only interpose) wait for each other, and where a pawn, bishop or rook could promote, not
    promoting waits for promoting: it matters only where a dropped pawn must not mate.
    """
    for index in range(first, first + count):
        move = ctx.moves[index]
        child = ctx.children[index]
        child.elder = -1
        if is_drop(move):
            ctx.last_drop[move_to(move)] = -1
        elif not is_promotion(move) and move_kind(move) in (PAWN, BISHOP, ROOK):
            for other in range(index - 1, first - 1, -1):
                if int(ctx.moves[other]) & ~PROMOTION == int(move):
                    child.elder = other
                    break


@njit
def link_drops(ctx, first, count):
    """Let drops on one square wait for each other."""
    for index in range(first, first + count):
        move = ctx.moves[index]
        if is_drop(move):
            target = move_to(move)
            ctx.children[index].elder = ctx.last_drop[target]
            ctx.last_drop[target] = index


@njit
def expand(ctx):
    """Write the moves of the position at ctx.ply and what is known of each to ctx.children."""
    pos = ctx.pos
    frame = ctx.frames[ctx.ply]
    first = frame.first
    attacking = int(pos.side) == ctx.attacker
    if attacking:
        count = generate_checks(ctx, first, ctx.check_squares, ctx.undo[ctx.ply])
    else:
        count = generate_moves(ctx, first)
    frame.count = count
    link_elders(ctx, first, count)
    if not attacking:
        link_drops(ctx, first, count)
    left = ctx.limit - ctx.ply - 1 if ctx.limit < LENGTH_MAX else LENGTH_MAX
    for index in range(first, first + count):
        move = ctx.moves[index]
        child = ctx.children[index]
        key = key_after(pos, move) ^ ATTACKER_KEYS[ctx.attacker]
        hand = hand_after(frame.hand, move) if attacking else frame.hand
        child.key, child.own_hand = key, hand
        ply = repeated_ply(ctx, key, hand)
        if ply >= 0:
            set_outcome(child, attacking, INFINITE, 0, hand, LENGTH_MAX, ply)
        elif look_up(ctx, key, hand, left, path_after(frame.path, key, hand)) and (
            left > 1 or ctx.found.proof == 0 or ctx.found.disproof == 0
        ):
            found = ctx.found
            set_outcome(child, attacking, found.proof, found.disproof, found.hand, found.length, found.ply)
        elif attacking:
            first_look(ctx, child, move, left)
        else:
            first_look_on(ctx, child, move, left, first + count)
        if child.win == 0:
            frame.count = index - first + 1  # the others do not matter
            break


# ---- results -----------------------------------------------------------------------------------------------------


@njit
def add_up(ctx):
    """Sum up the children of the position at ctx.ply: its numbers, its best move; return the second best's number."""
    frame = ctx.frames[ctx.ply]
    win, second, loss = INFINITE, INFINITE, 0
    best = -1
    best_loss = 0
    for index in range(frame.first, frame.first + frame.count):
        child = ctx.children[index]
        if child.elder >= 0 and ctx.children[child.elder].loss != 0 and child.win != 0:
            continue
        loss += child.loss
        if child.win < win or child.win == win and (best < 0 or child.loss < best_loss):
            second = win
            win, best, best_loss = int(child.win), index, int(child.loss)
        elif child.win < second:
            second = int(child.win)
    frame.win, frame.best = win, best
    frame.loss = min(loss, INFINITE - 1) if win != 0 else INFINITE
    return second


@njit
def longer(length):
    """Return a length with one ply more."""
    return length + 1 if length < LENGTH_MAX else length


@njit
def conclude(ctx):
    """Write what the settled position at ctx.ply amounts to, to ctx.found."""
    pos = ctx.pos
    frame = ctx.frames[ctx.ply]
    found = ctx.found
    attacking = int(pos.side) == ctx.attacker
    found.move = ZERO
    found.ply = NO_PLY
    proven = (frame.win == 0) == attacking
    found.proof = 0 if proven else INFINITE
    found.disproof = INFINITE if proven else 0
    if frame.win == 0:
        child = ctx.children[frame.best]
        move = ctx.moves[frame.best]
        found.length = longer(int(child.length))
        if attacking:
            found.hand = hand_before(child.hand, move)
            found.move = np.uint64(move)
        else:
            found.hand = hand_intersection(child.hand, both_hands(pos))
            found.ply = int(child.ply)
    elif attacking:  # every check fails
        most = both_hands(pos)
        length = LENGTH_MAX
        for index in range(frame.first, frame.first + frame.count):
            child = ctx.children[index]
            most = hand_intersection(most, hand_before(child.hand, ctx.moves[index]))
            length = min(length, longer(int(child.length)))
            found.ply = min(found.ply, int(child.ply))
        found.hand = most & kinds_held(frame.hand)
        found.length = length
    else:  # every evasion is answered by a mate
        least = withheld(pos)
        length = 0
        for index in range(frame.first, frame.first + frame.count):
            child = ctx.children[index]
            least = hand_union(least, child.hand)
            length = max(length, int(child.length) + 1)
        found.hand = least
        found.length = length
    if found.ply >= ctx.ply and found.ply != NO_PLY and found.proof != 0:
        found.ply = NO_PLY  # rests on a repetition of this very position: no path needed


@njit
def leave(ctx):
    """Store what the search found at ctx.ply; leave it in ctx.found too."""
    frame = ctx.frames[ctx.ply]
    found = ctx.found
    nodes = ctx.nodes - frame.entered
    attacking = int(ctx.pos.side) == ctx.attacker
    left = ctx.limit - ctx.ply if ctx.limit < LENGTH_MAX else LENGTH_MAX
    if frame.win != 0 and frame.loss != 0:
        found.proof = frame.win if attacking else frame.loss
        found.disproof = frame.loss if attacking else frame.win
        found.hand, found.length, found.ply = frame.hand, left, NO_PLY
        keep(ctx, frame.key, frame.hand, found.proof, found.disproof, left, ZERO, nodes)
        return
    conclude(ctx)
    if found.ply == NO_PLY:
        keep(ctx, frame.key, found.hand, found.proof, found.disproof, found.length, found.move, nodes)
    else:
        twin = frame.path & PATH_MASK | np.uint64(found.ply + 1)
        keep(ctx, frame.key, frame.hand, FIRST_GUESS, 1, found.length, twin, nodes)


# ---- the search --------------------------------------------------------------------------------------------------


@njit
def enter_root(ctx):
    """Set up the path's first position."""
    ctx.ply = 0
    frame = ctx.frames[0]
    frame.key = ctx.pos.board_key ^ ATTACKER_KEYS[ctx.attacker]
    frame.hand = packed_hand(ctx.pos.hand[ctx.attacker])
    frame.path = path_after(ZERO, frame.key, frame.hand)
    frame.first = 0
    frame.win_bound = frame.loss_bound = INFINITE
    frame.entered = ctx.nodes
    ctx.repetition_filter[:] = 0
    ctx.repetition_filter[frame.key & np.uint64(REPETITION_FILTER_SIZE - 1)] = 1


@njit
def make_move(ctx, second):
    """Make the best move of the position at ctx.ply and expand what it leads to."""
    frame = ctx.frames[ctx.ply]
    child = ctx.children[frame.best]
    do_move(ctx.pos, ctx.moves[frame.best], ctx.undo[ctx.ply])
    ctx.nodes += 1
    ctx.ply += 1
    below = ctx.frames[ctx.ply]
    below.key, below.hand = child.key, child.own_hand
    below.path = path_after(frame.path, below.key, below.hand)
    below.first = frame.first + frame.count
    below.win_bound = min(frame.loss_bound - frame.loss + child.loss, INFINITE)
    below.loss_bound = min(frame.win_bound, second + (second >> 2) + 1)
    below.entered = ctx.nodes
    ctx.repetition_filter[below.key & np.uint64(REPETITION_FILTER_SIZE - 1)] += np.uint8(1)
    expand(ctx)


@njit
def unmake_move(ctx):
    """Take back the last move and tell the position above what ctx.found says of it."""
    found = ctx.found
    ctx.repetition_filter[ctx.frames[ctx.ply].key & np.uint64(REPETITION_FILTER_SIZE - 1)] -= np.uint8(1)
    ctx.ply -= 1
    frame = ctx.frames[ctx.ply]
    undo_move(ctx.pos, ctx.moves[frame.best], ctx.undo[ctx.ply])
    attacking = int(ctx.pos.side) == ctx.attacker
    child = ctx.children[frame.best]
    set_outcome(child, attacking, found.proof, found.disproof, found.hand, found.length, found.ply)


@njit
def has_to_stop(ctx):
    """Tell whether the limits or another thread end the search."""
    ctx.steps += 1
    return ctx.nodes >= ctx.node_limit or ctx.steps & 127 == 0 and load_u64(ctx.stop_address) != ZERO


@njit
def prove(ctx):
    """Search ctx.pos for a mate by ctx.attacker within ctx.limit plies; return STOPPED, MATE, NO_MATE or TOO_DEEP.

    ctx.pos : the attacker to move, or the defender in check; the defender has a king.   The result is in ctx.found
    and in the table; ctx.pos is afterwards what it was.   TOO_DEEP: no mate within what the stack can hold.
    """
    enter_root(ctx)
    root = ctx.frames[0]
    if look_up(ctx, root.key, root.hand, ctx.limit, root.path) and (ctx.found.proof == 0 or ctx.found.disproof == 0):
        return MATE if ctx.found.proof == 0 else NO_MATE
    expand(ctx)
    while True:
        second = add_up(ctx)
        frame = ctx.frames[ctx.ply]
        if frame.win >= frame.win_bound or frame.loss >= frame.loss_bound or frame.win == 0 or frame.loss == 0:
            leave(ctx)
            if ctx.ply == 0:
                break
            unmake_move(ctx)
            continue
        if has_to_stop(ctx):
            while ctx.ply > 0:
                ctx.ply -= 1
                undo_move(ctx.pos, ctx.moves[ctx.frames[ctx.ply].best], ctx.undo[ctx.ply])
            return STOPPED
        if ctx.ply + 2 >= MAX_PLIES or frame.first + frame.count + 2 * MAX_MOVES >= BUFFER:
            child = ctx.children[frame.best]
            attacking = int(ctx.pos.side) == ctx.attacker
            set_outcome(child, attacking, INFINITE, 0, child.own_hand, LENGTH_MAX, -1)
            continue
        make_move(ctx, second)
    if ctx.found.proof == 0:
        return MATE
    return NO_MATE if ctx.found.ply == NO_PLY else TOO_DEEP


@njit
def tighten(ctx, bound, start):
    """Return how long the defender, in check in ctx.pos, holds out against the mate the table knows; -1 if it is lost.

    bound : int64, plies that are enough.   start : int64, free room in ctx.moves and ctx.children.
    Lengths in the table are right but for proofs that were found shorter since; here they become what they say.
    """
    if has_to_stop(ctx) or start + 2 * MAX_MOVES >= BUFFER or ctx.ply + 3 >= MAX_PLIES:
        return -1
    end = start + generate_moves(ctx, start)
    if end == start:
        return 0
    hand = packed_hand(ctx.pos.hand[ctx.attacker])
    for index in range(start, end):
        child = ctx.children[index]
        child.key = key_after(ctx.pos, ctx.moves[index]) ^ ATTACKER_KEYS[ctx.attacker]
        if not look_up(ctx, child.key, hand, bound - 1, ZERO) or ctx.found.proof != 0:
            return -1
        child.length, child.hand, child.win = ctx.found.length, ctx.found.hand, np.int32(ctx.found.move)
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
        reply, answer = ctx.moves[chosen], np.uint32(child.win)
        do_move(ctx.pos, reply, ctx.undo[ctx.ply])
        do_move(ctx.pos, answer, ctx.undo[ctx.ply + 1])
        ctx.ply += 2
        ctx.nodes += 2
        rest = tighten(ctx, length - 1, end)
        ctx.ply -= 2
        undo_move(ctx.pos, answer, ctx.undo[ctx.ply + 1])
        undo_move(ctx.pos, reply, ctx.undo[ctx.ply])
        if rest < 0:
            return -1
        if rest + 1 < length:
            child.length = rest + 1
            keep(ctx, child.key, child.hand, 0, INFINITE, rest + 1, np.uint64(answer), 1)
        longest = max(longest, rest + 2)
