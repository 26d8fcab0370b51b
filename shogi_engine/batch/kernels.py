"""The kernels of `Batch`: operations on rows of positions, for any game.

A node is a record of `node_dtype`, which a game's rules use as a context: `pos`, and `moves` with space for all moves
of one position. After `list_nodes`, `moves[:count]` are the legal moves.
"""

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import NOT_OVER, Game
from shogi_engine.jit import load_u64, njit, record_dtype, store_u64
from shogi_engine.jit.random_numbers import random_below
from shogi_engine.search.context import begin_game, play_move, write_root_moves

# ---- Finds the games and moves of an hcpe3 file in one pass; `hcpe3` describes the format


HEADER_BYTES, MOVE_BYTES, VISITS_BYTES = 36, 6, 4
MOVE_COUNT, CANDIDATES = 32, 4  # byte offsets of these uint16 numbers, in a header and in a move
LONGEST = 1024  # moves of a game; dlshogi's own limit is 513


@njit
def read_games(data, at, begins, offsets):
    """Find the games in data[at:], at most len(begins); return (their number, where the next one begins).

    The second number is -1 if the next game does not end within the file or is too long.

    Args:
        data: uint8[], the file
        begins: int64[games], out, the offsets of the games
        offsets: int64[games, LONGEST], out, the offsets of the moves
    """
    for game in range(len(begins)):
        if at == len(data):
            return game, at
        begins[game] = at
        if at + HEADER_BYTES > len(data):
            return game, -1
        moves = int(data[at + MOVE_COUNT]) | int(data[at + MOVE_COUNT + 1]) << 8
        if moves > LONGEST:
            return game, -1
        at += HEADER_BYTES
        for ply in range(moves):
            if at + MOVE_BYTES > len(data):
                return game, -1
            offsets[game, ply] = at
            candidates = int(data[at + CANDIDATES]) | int(data[at + CANDIDATES + 1]) << 8
            at += MOVE_BYTES + VISITS_BYTES * candidates
        if at > len(data):
            return game, -1
    return len(begins), at


NO_LABEL = -1


def node_dtype(game: Game) -> np.dtype:
    """Return the dtype of a node of `game`: a position at the start of a game, and the fields that its rules need."""
    return record_dtype(
        [
            ("pos", game.position),
            ("undo", game.undo, (1,)),
            ("params", game.params),
            ("game_ply", np.int64),
            ("ply", np.int64),
            ("count", np.int64),
            ("moves", np.uint32, (game.max_moves + 1,)),
        ]
    )


@njit
def list_node(node):
    """Write the legal moves of a node to node.moves and their number to node.count."""
    node.count = rules.list_legal(node, 0, rules.generate_moves(node, 0))


@njit
def list_nodes(nodes, count):
    """Write the legal moves of nodes[:count] to node.moves and their number to node.count."""
    for row in range(count):
        list_node(nodes[row])


@njit
def write_labels(nodes, count, table, code_mask, labels, counts):
    """Write the labels of the legal moves of nodes[:count], after `list_nodes`; the rest of a row is NO_LABEL.

    Args:
        table: int32[2, codes], in, by side and Board's move
        code_mask: uint32, the bits of such a move
        labels: int32[>= count, width], out; labels beyond the width are dropped
        counts: int32[>= count], out
    """
    for row in range(count):
        node = nodes[row]
        by_code = table[np.uint64(node.pos.side)]
        for index in range(min(node.count, labels.shape[1])):
            labels[row, index] = by_code[np.uint64(node.moves[index] & code_mask)]
        for index in range(node.count, labels.shape[1]):
            labels[row, index] = NO_LABEL
        counts[row] = node.count


@njit
def write_masks(nodes, count, table, code_mask, masks):
    """Write 1 for the label of each legal move of nodes[:count] and 0 for all others to masks, uint8[>= count, size].

    Call `list_nodes` first. A move without a label in the layout is dropped.
    """
    for row in range(count):
        node = nodes[row]
        by_code = table[np.uint64(node.pos.side)]
        masks[row, :] = 0
        for index in range(node.count):
            label = by_code[np.uint64(node.moves[index] & code_mask)]
            if label >= 0:
                masks[row, np.uint64(label)] = 1


@njit
def choose_labels(nodes, count, table, code_mask, wanted):
    """Put the legal move with the label wanted[row] first in node.moves of nodes[:count], after `list_nodes`.

    Return the first row without such a move, -1 if all have one. In a row without one, node.moves[0] is 0 (no move).
    """
    refused = -1
    for row in range(count):
        node = nodes[row]
        by_code = table[np.uint64(node.pos.side)]
        found = np.uint32(0)
        for index in range(node.count):
            move = node.moves[index]
            if by_code[np.uint64(move & code_mask)] == wanted[row]:
                found = move
                break
        if found == 0 and refused < 0:
            refused = row
        node.moves[0] = found
    return refused


@njit
def label_chosen(nodes, count, table, code_mask, labels):
    """Write the label of node.moves[0] of nodes[:count], NO_LABEL for no move, to labels, int32[>= count]."""
    for row in range(count):
        move = nodes[row].moves[0]
        labels[row] = table[np.uint64(nodes[row].pos.side), np.uint64(move & code_mask)] if move != 0 else NO_LABEL


@njit
def make_chosen(nodes, count):
    """Make node.moves[0] in nodes[:count]."""
    for row in range(count):
        node = nodes[row]
        rules.do_move(node.pos, node.moves[0], node.undo[0])


@njit
def write_checks(nodes, count, checks):
    """Write whether the side to move is in check to checks, uint8[>= count]."""
    for row in range(count):
        checks[row] = rules.is_in_check(nodes[row].pos)


@njit
def write_results(nodes, count, terminations, values):
    """Write how the game has ended in nodes[:count] and its result for the side to move, as `game_result` returns them.

    Args:
        terminations: int8[>= count], out
        values: int32[>= count], out
    """
    for row in range(count):
        terminations[row], values[row] = rules.game_result(nodes[row], nodes[row].count)


@njit
def copy_position(nodes, row, address, size):
    """Copy the position of a node, `size` bytes, to `address`."""
    source = np.uint64(nodes[row : row + 1].ctypes.data)
    for offset in range(0, size, 8):
        store_u64(np.uint64(address + offset), load_u64(source + np.uint64(offset)))


@njit
def write_evaluations(ctx, address, size, nodes, count, values):
    """Write the static values of nodes[:count] for the side to move to values, int32[>= count].

    Args:
        ctx: a search's context at its root
        address, size: the address and size of its position
    """
    for row in range(count):
        copy_position(nodes, row, address, size)
        rules.refresh_line(ctx)
        values[row] = rules.evaluate(ctx)


@njit
def play_random(ctx, state, longest, moves):
    """Play a game of random moves from ctx.pos; return (moves made, result for the side that began).

    A game that is not over after `longest` moves is a draw.

    Args:
        ctx: a search's context
        state: uint64[1], in-out, see `random_below`
        moves: uint32[>= longest], out
    """
    begin_game(ctx)
    for ply in range(longest + 1):
        count = write_root_moves(ctx)
        termination, value = rules.game_result(ctx, count)
        if termination != NOT_OVER:
            won = np.int64(value > 0) - np.int64(value < 0)
            return ply, -won if ply & 1 else won
        if ply < longest:
            moves[ply] = ctx.root_moves[random_below(state, count)]
            play_move(ctx, moves[ply])
    return longest, np.int64(0)
