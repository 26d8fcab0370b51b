"""The kernels of `LiveGames`: moves, endings and restarts of games in progress, one node each, for any game.

A node is a record of `live_dtype`, which a game's rules use as a context with the moves that led to its position, so
repetition counts as on a Board.
"""

import numpy as np

from shogi_engine.batch.kernels import NO_LABEL, list_node
from shogi_engine.interface.game import NOT_OVER, Game, do_move, game_result
from shogi_engine.jit import load_u64, njit, record_dtype, store_u64
from shogi_engine.jit.random_numbers import random_below

LONGEST = 512  # the most moves of a game


def live_dtype(game: Game) -> np.dtype:
    """Return the dtype of a node of `game`; `undo[:game_ply]` belong to the moves made."""
    return record_dtype(
        [
            ("pos", game.position),
            ("params", game.params),
            ("game_ply", np.int64),
            ("ply", np.int64),
            ("count", np.int64),
            ("moves", np.uint32, (game.max_moves + 1,)),
            ("undo", game.undo, (LONGEST,)),
        ]
    )


@njit
def begin_games(nodes, rows, starts, size):
    """Restart the games of nodes[rows].

    Args:
        rows: int64[n], in
        starts: nodes, in, one per game or one for all, after `list_games`
        size: the bytes of a position, which comes first in a node
    """
    for index in range(rows.shape[0]):
        row, first = rows[index], index if starts.shape[0] > 1 else 0
        node, start = nodes[row], starts[first]
        target = np.uint64(nodes[row : row + 1].ctypes.data)
        source = np.uint64(starts[first : first + 1].ctypes.data)
        for offset in range(0, size, 8):
            store_u64(target + np.uint64(offset), load_u64(source + np.uint64(offset)))
        node.game_ply = 0
        node.count = start.count
        node.moves[: start.count] = start.moves[: start.count]


@njit
def list_games(nodes):
    """List the legal moves of all nodes."""
    for row in range(nodes.shape[0]):
        list_node(nodes[row])


@njit
def choose_moves(nodes, table, code_mask, labels, chosen):
    """Find the moves with `labels`; return the first row that has no such move, -1 if all have one.

    Args:
        table, code_mask: as in `kernels.write_labels`
        labels: int32[n], in
        chosen: uint32[n], out
    """
    for row in range(nodes.shape[0]):
        node = nodes[row]
        by_code = table[np.uint64(node.pos.side)]
        chosen[row] = 0
        for index in range(node.count):
            move = node.moves[index]
            if by_code[np.uint64(move & code_mask)] == labels[row]:
                chosen[row] = move
                break
        if chosen[row] == 0:
            return row
    return -1


@njit
def make_moves(nodes, chosen, longest, terminations, results, truncations):
    """Make the legal moves `chosen` (uint32[n]) and list those that follow; a game that is over has none.

    Args:
        terminations: int8[n], out, an index into game.TERMINATIONS
        results: int8[n], out, 1, 0, -1 for the mover
        truncations: uint8[n], out, 1 for a game that is not over after `longest` moves
    """
    for row in range(nodes.shape[0]):
        node = nodes[row]
        do_move(node.pos, chosen[row], node.undo[node.game_ply])
        node.game_ply += 1
        list_node(node)
        termination, value = game_result(node, node.count)
        terminations[row] = termination
        results[row] = 0 if termination == NOT_OVER else np.int64(value < 0) - np.int64(value > 0)
        truncations[row] = termination == NOT_OVER and node.game_ply >= longest
        if termination != NOT_OVER:
            node.count = 0


@njit
def random_labels(nodes, table, code_mask, state, labels):
    """Write the label of a random legal move of each node to labels, int32[n]; NO_LABEL where there is none.

    Args:
        state: uint64[1], in-out, see `random_below`
    """
    for row in range(nodes.shape[0]):
        node = nodes[row]
        labels[row] = NO_LABEL
        if node.count > 0:
            move = node.moves[random_below(state, node.count)]
            labels[row] = table[np.uint64(node.pos.side), np.uint64(move & code_mask)]
