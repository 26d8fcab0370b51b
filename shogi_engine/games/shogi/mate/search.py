"""The mate search: depth-first proof-number search (df-pn) for a mate by checks, on its own stack.

The attacker moves at OR nodes and gives check with every move; the defender moves at AND nodes. A position's proof
number estimates how hard it is to prove the mate, its disproof number how hard it is to disprove it. They are weak
numbers: of the children that must all be solved, the hardest counts in full and each other child counts 1. In a sum, a
position that several moves reach would count several times, and long mates would look too hard. The search follows the
child with the least delta. It returns when a number reaches its threshold, that is, when another child has become the
best one.

    Ayumu Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002: the search, phi and delta,
        proof and disproof hands
    Toru Ueda, Tsuyoshi Hashimoto, Junichi Hashimoto, Hiroyuki Iida, "Weak proof-number search", 2008
    Akihiro Kishimoto, Martin Mueller, "A solution to the GHI problem for depth-first proof-number search", 2005:
        disproofs that depend on a repetition are kept for their path only
    KomoringHeights, https://github.com/komori-n/KomoringHeights: drops on one square are tried one after the other

The attacker gains nothing from a repetition. A position therefore counts as no mate if it occurred earlier on the path
with at least the same attacker's hand. A proof never depends on a repetition and holds on any path; a disproof that
depends on one is stored with its path.
"""

import numpy as np

from shogi_engine.common.bits import ZERO
from shogi_engine.games.shogi.mate import expansion, table
from shogi_engine.games.shogi.mate.expansion import position_key
from shogi_engine.games.shogi.position import board_key_after
from shogi_engine.games.shogi.types import MAX_MOVES, UNDO
from shogi_engine.interface.game import do_move, generate_moves, undo_move
from shogi_engine.jit import njit, record_dtype

REPETITION_PROOF = 1 << 6  # the proof number, on other paths, of a position disproved by a repetition

STOPPED, MATE, NO_MATE, TOO_DEEP = range(4)  # the results of `prove`


# ---- results -----------------------------------------------------------------------------------------------------


@njit
def select_child(ctx):
    """Compute phi and delta of the position at ctx.ply and choose its best child; return the second-best delta.

    phi is the least delta of the children; delta is their largest phi, plus 1 for each other unsolved child.
    """
    frame = ctx.frames[ctx.ply]
    phi, second_best, delta = table.INFINITE, table.INFINITE, 0
    unsolved = 0
    best = -1
    best_phi = 0
    for index in range(frame.first, frame.first + frame.count):
        child = ctx.children[index]
        if child.superseded_by >= 0 and ctx.children[child.superseded_by].phi != 0 and child.delta != 0:
            continue
        delta = max(delta, int(child.phi))
        unsolved += child.phi != 0
        if child.delta < phi or child.delta == phi and (best < 0 or child.phi < best_phi):
            second_best = phi
            phi, best, best_phi = int(child.delta), index, int(child.phi)
        elif child.delta < second_best:
            second_best = int(child.delta)
    frame.phi, frame.best = phi, best
    frame.others = max(unsolved - 1, 0)
    frame.delta = min(delta + frame.others, table.INFINITE - 1) if phi != 0 else table.INFINITE
    return second_best


@njit
def one_longer(length):
    """Return a length with one more ply."""
    return length + 1 if length < table.LENGTH_MAX else length


@njit
def combine_children(ctx):
    """Write the result of the solved position at ctx.ply to ctx.found: proof or disproof hand, length and move."""
    pos = ctx.pos
    frame = ctx.frames[ctx.ply]
    found = ctx.found
    or_node = int(pos.side) == ctx.attacker
    found.move = ZERO
    found.ply = table.NO_PLY
    proven = (frame.phi == 0) == or_node
    found.proof = 0 if proven else table.INFINITE
    found.disproof = table.INFINITE if proven else 0
    if frame.phi == 0:
        child = ctx.children[frame.best]
        move = ctx.moves[frame.best]
        found.length = one_longer(int(child.length))
        if or_node:
            found.hand = expansion.hand_before(child.hand, move)
            found.move = np.uint64(move)
        else:
            found.hand = table.hand_intersection(child.hand, expansion.both_hands(pos))
            found.ply = int(child.ply)
    elif or_node:  # every check fails
        disproof_hand = expansion.both_hands(pos)
        length = table.LENGTH_MAX
        for index in range(frame.first, frame.first + frame.count):
            child = ctx.children[index]
            disproof_hand = table.hand_intersection(disproof_hand, expansion.hand_before(child.hand, ctx.moves[index]))
            length = min(length, one_longer(int(child.length)))
            found.ply = min(found.ply, int(child.ply))
        found.hand = disproof_hand & table.kinds_held(frame.hand)
        found.length = length
    else:  # every evasion is mated
        proof_hand = table.withheld_hand(pos)
        length = 0
        for index in range(frame.first, frame.first + frame.count):
            child = ctx.children[index]
            proof_hand = table.hand_union(proof_hand, child.hand)
            length = max(length, int(child.length) + 1)
        found.hand = proof_hand
        found.length = length
    if found.ply >= ctx.ply and found.ply != table.NO_PLY and found.proof != 0:
        found.ply = table.NO_PLY  # depends only on a repetition of this position, so it holds on any path


@njit
def store_result(ctx):
    """Store the result of the position at ctx.ply, and leave it in ctx.found."""
    frame = ctx.frames[ctx.ply]
    found = ctx.found
    nodes = ctx.nodes - frame.nodes_before
    or_node = int(ctx.pos.side) == ctx.attacker
    left = ctx.limit - ctx.ply if ctx.limit < table.LENGTH_MAX else table.LENGTH_MAX
    if frame.phi != 0 and frame.delta != 0:
        found.proof = frame.phi if or_node else frame.delta
        found.disproof = frame.delta if or_node else frame.phi
        found.hand, found.length, found.ply = frame.hand, left, table.NO_PLY
        table.store(ctx, frame.key, frame.hand, found.proof, found.disproof, left, ZERO, nodes)
        return
    combine_children(ctx)
    if found.ply == table.NO_PLY:
        table.store(ctx, frame.key, found.hand, found.proof, found.disproof, found.length, found.move, nodes)
    else:
        twin = frame.path_key & table.PATH_MASK | np.uint64(found.ply + 1)
        table.store(ctx, frame.key, frame.hand, REPETITION_PROOF, 1, found.length, twin, nodes)


# ---- the search --------------------------------------------------------------------------------------------------


@njit
def init_root(ctx):
    """Set up the first frame of the path."""
    ctx.ply = 0
    frame = ctx.frames[0]
    frame.key = expansion.position_key(ctx, ctx.pos.board_key)
    frame.hand = table.packed_hand(ctx.pos.hand[ctx.attacker])
    frame.path_key = expansion.path_key_after(ZERO, frame.key, frame.hand)
    frame.first = 0
    frame.phi_threshold = frame.delta_threshold = table.INFINITE
    frame.nodes_before = ctx.nodes
    ctx.repetition_filter[:] = 0
    ctx.repetition_filter[frame.key & np.uint64(table.REPETITION_FILTER_SIZE - 1)] = 1


@njit
def make_best_move(ctx, second_best):
    """Make the move to the best child of the position at ctx.ply, set the child's thresholds and expand it."""
    frame = ctx.frames[ctx.ply]
    child = ctx.children[frame.best]
    do_move(ctx.pos, ctx.moves[frame.best], ctx.undo[ctx.ply])
    ctx.nodes += 1
    ctx.ply += 1
    below = ctx.frames[ctx.ply]
    below.key, below.hand = child.key, child.attacker_hand
    below.path_key = expansion.path_key_after(frame.path_key, below.key, below.hand)
    below.first = frame.first + frame.count
    below.phi_threshold = frame.delta_threshold - frame.others
    # Wider than second_best + 1, so that the search changes children less often (Pawlewicz and Lew's 1 + epsilon).
    below.delta_threshold = min(frame.phi_threshold, second_best + (second_best >> 2) + 1)
    below.nodes_before = ctx.nodes
    ctx.repetition_filter[below.key & np.uint64(table.REPETITION_FILTER_SIZE - 1)] += np.uint8(1)
    expansion.expand(ctx)


@njit
def unmake_best_move(ctx):
    """Take back the last move and store the result in ctx.found in the child to which it led."""
    found = ctx.found
    ctx.repetition_filter[ctx.frames[ctx.ply].key & np.uint64(table.REPETITION_FILTER_SIZE - 1)] -= np.uint8(1)
    ctx.ply -= 1
    frame = ctx.frames[ctx.ply]
    undo_move(ctx.pos, ctx.moves[frame.best], ctx.undo[ctx.ply])
    or_node = int(ctx.pos.side) == ctx.attacker
    child = ctx.children[frame.best]
    expansion.set_child(child, or_node, found.proof, found.disproof, found.hand, found.length, found.ply)


@njit
def prove(ctx):
    """Search ctx.pos for a mate by ctx.attacker within ctx.limit plies; return STOPPED, MATE, NO_MATE or TOO_DEEP.

    The result is in ctx.found and in the table. TOO_DEEP: there is no mate within the depth of the stack.

    Args:
        ctx: in its `pos` the attacker is to move, or the defender is in check; the defender has a king. `pos` is
            unchanged afterwards.
    """
    init_root(ctx)
    root = ctx.frames[0]
    if table.probe(ctx, root.key, root.hand, ctx.limit, root.path_key) and (
        ctx.found.proof == 0 or ctx.found.disproof == 0
    ):
        return MATE if ctx.found.proof == 0 else NO_MATE
    expansion.expand(ctx)
    while True:
        second_best = select_child(ctx)
        frame = ctx.frames[ctx.ply]
        solved = frame.phi == 0 or frame.delta == 0
        if solved or frame.phi >= frame.phi_threshold or frame.delta >= frame.delta_threshold:
            store_result(ctx)
            if ctx.ply == 0:
                break
            unmake_best_move(ctx)
            continue
        if table.should_stop(ctx):
            while ctx.ply > 0:
                ctx.ply -= 1
                undo_move(ctx.pos, ctx.moves[ctx.frames[ctx.ply].best], ctx.undo[ctx.ply])
            return STOPPED
        if not table.has_room(ctx, frame.first + frame.count):
            child = ctx.children[frame.best]
            or_node = int(ctx.pos.side) == ctx.attacker
            expansion.set_child(child, or_node, table.INFINITE, 0, child.attacker_hand, table.LENGTH_MAX, -1)
            continue
        make_best_move(ctx, second_best)
    if ctx.found.proof == 0:
        return MATE
    return NO_MATE if ctx.found.ply == table.NO_PLY else TOO_DEEP


# ---- The length of a proven mate: corrects stored lengths along the longest defence


@njit
def tighten_mate_length(ctx, bound, start):
    """Return the plies to mate from ctx.pos, the defender in check, by the table's proof; -1 if parts are missing.

    A stored length is too large if a shorter proof of a later position was found afterwards. This corrects the stored
    lengths along the longest line.

    Args:
        bound: int64, an upper bound of the length
        start: int64, the index from which ctx.moves and ctx.children are free
    """
    if table.should_stop(ctx) or not table.has_room(ctx, start):
        return -1
    end = start + generate_moves(ctx, start)
    if end == start:
        return 0
    hand = table.packed_hand(ctx.pos.hand[ctx.attacker])
    for index in range(start, end):
        child = ctx.children[index]
        child.key = position_key(ctx, board_key_after(ctx.pos, ctx.moves[index]))
        if not table.probe(ctx, child.key, hand, bound - 1, ZERO) or ctx.found.proof != 0:
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
            table.store(ctx, child.key, child.hand, 0, table.INFINITE, rest + 1, np.uint64(answer), 1)
        longest = max(longest, rest + 2)


# ---- The line of a proven mate: the attacker's shortest moves against the defence that lasts longest


LONGEST = table.LENGTH_MAX + 1

# What `write_line` needs next to the search's record.
LINE = record_dtype(
    [("moves", np.uint32, (LONGEST,)), ("replies", np.uint32, (MAX_MOVES,)), ("undo", UNDO, (LONGEST + 1,))]
)
PROVE, SHORTEN, ATTACK, DEFEND = range(4)  # what `solve` does


@njit
def prove_within(ctx, limit):
    """Return `prove(ctx)` for mates within `limit` plies."""
    ctx.limit = min(limit, table.LENGTH_MAX)
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
