"""The mate search's context: the path from the root, the children of its positions, and the search's limits."""

import numpy as np

from shogi_engine.games.shogi.types import MAX_MOVES, POSITION, SQUARES, UNDO
from shogi_engine.jit import load_u64, njit, record_dtype

MAX_PLIES = 2000
BUFFER_SIZE = 1 << 15  # moves of all plies together
REPETITION_FILTER_SIZE = 1 << 12

ATTACKER_KEYS = np.array([0x9AE16A3B2F90404F, 0xC949D7C7509E6557], dtype=np.uint64)  # by the attacker's colour

# The table's result for a position, as `table.probe` reads and the search stores it.
RESULT = record_dtype(
    [
        ("proof", np.int64),  # proof number
        ("disproof", np.int64),  # disproof number
        ("length", np.int64),  # of a proof, the plies to mate; else, the plies within which no mate was found
        ("hand", np.int64),  # proof hand, disproof hand, or the attacker's hand if neither is known
        ("ply", np.int64),  # the ply of the repeated position on which a disproof depends, or NO_PLY
        ("move", np.uint64),
    ]
)

# A position on the path. phi and delta are Nagai's: at an OR node (the attacker to move) the proof and the disproof
# number, at an AND node (the defender to move) the other way round.
FRAME = record_dtype(
    [
        ("key", np.uint64),
        ("path_key", np.uint64),
        ("hand", np.int64),  # the attacker's hand
        ("first", np.int64),  # index of its first move in ctx.moves and ctx.children
        ("count", np.int64),
        ("best", np.int64),  # index of the child that is searched
        ("phi", np.int64),
        ("delta", np.int64),
        ("others", np.int64),  # the number of its unsolved children except the hardest
        ("phi_threshold", np.int64),
        ("delta_threshold", np.int64),
        ("nodes_before", np.int64),  # ctx.nodes when the search entered this position
    ]
)

# The position after a move, with its own phi and delta: the move succeeds if delta is 0 and fails if phi is 0.
CHILD = record_dtype(
    [
        ("delta", np.int32),
        ("phi", np.int32),
        ("hand", np.int64),  # as in RESULT
        ("key", np.uint64),
        ("attacker_hand", np.int64),
        ("length", np.int32),
        ("ply", np.int32),
        ("superseded_by", np.int32),  # index of the move that has to fail before this one is considered, or -1
        ("move", np.uint32),  # the mating move of a proof in the table, for `lengths.tighten_mate_length`
    ]
)

MATE_SEARCH = record_dtype(
    [
        ("pos", POSITION),
        ("moves", np.uint32, (BUFFER_SIZE,)),
        ("children", CHILD, (BUFFER_SIZE,)),
        ("frames", FRAME, (MAX_PLIES + 1,)),
        ("undo", UNDO, (MAX_PLIES + 2,)),
        ("found", RESULT),
        ("check_squares", np.uint64, (16, 2)),
        ("last_drop", np.int32, (SQUARES,)),
        (
            "repetition_filter",
            np.uint8,
            (REPETITION_FILTER_SIZE,),
        ),  # by slot, the number of positions of the path that hash to it
        ("ply", np.int64),
        ("attacker", np.int64),
        ("limit", np.int64),  # the longest mate to look for, in plies; LENGTH_MAX for no limit
        ("nodes", np.int64),  # moves made
        ("node_limit", np.int64),
        ("steps", np.int64),
        ("stop_address", np.uint64),  # of a uint64 that becomes nonzero to stop the search
        ("tt_address", np.uint64),
        ("tt_clusters", np.uint64),
        ("generation", np.uint64),
    ]
)


@njit
def has_room(ctx, start):
    """Tell whether two more plies fit on the stack, with their moves from `start` on in the buffers."""
    return ctx.ply + 2 < MAX_PLIES and start + 2 * MAX_MOVES < BUFFER_SIZE


@njit
def should_stop(ctx):
    """Tell whether the node limit or another thread ends the search."""
    ctx.steps += 1
    return ctx.nodes >= ctx.node_limit or ctx.steps & 127 == 0 and load_u64(ctx.stop_address) != np.uint64(0)
