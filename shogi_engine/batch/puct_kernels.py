"""PUCT over many trees at once: descents to leaves, and backups of the network's values to the roots.

Row r of the games is a copy of the game of tree r // copies. A descent makes its moves in that row, so the rules see
the whole history at the leaf, repetition included. The backup undoes them.
"""

import math

import numpy as np

from shogi_engine.batch.kernels import NO_LABEL, list_node
from shogi_engine.interface.game import NOT_OVER, Game, do_move, game_result, undo_move
from shogi_engine.jit import load_u64, njit, record_dtype, store_u64
from shogi_engine.jit.random_numbers import random_below

# ---- The kernels of `LiveGames`: moves, endings and restarts of games in progress, one node each, for any game
#
# A node is a record of `live_dtype`, which a game's rules use as a context with the moves that led to its position, so
# repetition counts as on a Board.


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
        for place in range(start.count):
            node.moves[place] = start.moves[place]


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


# A position in a tree: its legal moves are edges[first_edge : first_edge + count]; none if it ends the game.
# visits : through its edges.   value : for the side to move; the network's or, at the end of a game, the result.
NODE = record_dtype([("value", np.float32), ("first_edge", np.int32), ("count", np.int32), ("visits", np.int32)])
# A legal move. total : the sum of its visits' values for the side that makes it.   child : a node, or one of these.
EDGE = record_dtype(
    [("prior", np.float32), ("total", np.float32), ("move", np.uint32), ("visits", np.int32), ("child", np.int32)]
)
UNVISITED, IN_FLIGHT = -1, -2

# Where a descent ended: at a position for the network, one whose value is known, or one that another descent reached.
# ABANDONED : a position that the network did not evaluate.
WAITING, KNOWN, COLLISION, ABANDONED, INACTIVE = range(5)


@njit
def best_edge(node, edges, explore, explore_base, first_play):
    """Return the index of the edge with the highest value plus exploration bonus.

    Args:
        explore: c_init of AlphaZero's formula
        explore_base: c_base of the formula
        first_play: how far the assumed value of an unvisited move is below its position's mean value
    """
    visits = max(float(node.visits), 1.0)
    rate = np.float32((explore + math.log((visits + explore_base + 1.0) / explore_base)) * math.sqrt(visits))
    total, seen = np.float32(0), 0
    first, end = np.int64(node.first_edge), np.int64(node.first_edge) + node.count
    for place in range(first, end):
        total += edges[place].total
        seen += edges[place].visits
    unvisited = (total / np.float32(seen) if seen > 0 else node.value) - np.float32(first_play)
    best, best_score = first, np.float32(-1e30)
    for place in range(first, end):
        edge = edges[place]
        value = edge.total / np.float32(edge.visits) if edge.visits > 0 else unvisited
        score = value + rate * edge.prior / np.float32(1 + edge.visits)
        if score > best_score:
            best, best_score = np.int64(place), score
    return best


@njit
def descend(games, copies, tree_nodes, tree_edges, used, active, paths, lengths, kinds, values, settings):
    """Go from the root to a leaf in each row.

    Args:
        games: nodes of `live_dtype`, [trees * copies], in-out: the leaves' positions, and their legal moves listed
        tree_nodes, tree_edges: NODE and EDGE[trees, capacity], in-out
        used: int32[trees, 2], in, how many nodes and edges of each tree are in use
        active: uint8[rows], in, 0 for a game that is over
        paths: int32[rows, LONGEST], out, the edges from the root to the leaf
        lengths: int32[rows], out, the number of these edges
        kinds: int8[rows], out, WAITING ...
        values: float32[rows], out, the values of KNOWN leaves
        settings: float64[4], in, the last three arguments of `best_edge`, and the virtual loss
    """
    explore, explore_base, first_play = settings[0], settings[1], settings[2]
    virtual_loss = np.float32(settings[3])
    for row in range(games.shape[0]):
        tree = row // copies
        game, nodes, edges = games[row], tree_nodes[tree], tree_edges[tree]
        lengths[row] = 0
        kinds[row] = INACTIVE
        if active[row] == 0:
            continue
        at, depth = np.int64(0), 0
        is_new = used[tree, 0] == 0
        kinds[row] = WAITING if is_new else KNOWN
        while not is_new and nodes[at].count > 0:
            if game.game_ply >= LONGEST:
                values[row] = 0
                break
            place = best_edge(nodes[at], edges, explore, explore_base, first_play)
            edge = edges[place]
            nodes[at].visits += 1
            edge.visits += 1
            edge.total -= virtual_loss
            paths[row, depth] = place
            depth += 1
            do_move(game.pos, edge.move, game.undo[game.game_ply])
            game.game_ply += 1
            if edge.child == IN_FLIGHT:
                kinds[row] = COLLISION
                break
            if edge.child == UNVISITED:
                edge.child = IN_FLIGHT
                kinds[row] = WAITING
                break
            at = np.int64(edge.child)
            values[row] = nodes[at].value
        lengths[row] = depth
        if kinds[row] == WAITING:
            list_node(game)
            if is_new and row % copies > 0:
                kinds[row] = COLLISION  # the first descent makes the root


@njit
def expand(games, row, nodes, edges, used, edge_place, table, code_mask, logits, value):
    """Add the position of a row to its tree if there is space.

    Args:
        edge_place: the edge to it, -1 at the root
        table, code_mask: as in `kernels.write_labels`
        logits: float32[labels], in; empty if all moves are equally likely
    """
    game = games[row]
    place, first = np.int64(used[0]), np.int64(used[1])
    if place >= nodes.shape[0] or first + game.count > edges.shape[0]:
        if edge_place >= 0:
            edges[edge_place].child = UNVISITED
        return
    used[0] += 1
    used[1] += game.count
    if edge_place >= 0:
        edges[edge_place].child = place
    node = nodes[place]
    node.value, node.first_edge, node.count, node.visits = value, first, game.count, 0
    by_code = table[np.uint64(game.pos.side)]
    largest = np.float32(-1e30)
    for index in range(game.count):
        edge = edges[first + index]
        edge.move, edge.visits, edge.total, edge.child = game.moves[index], 0, 0, UNVISITED
        label = by_code[np.uint64(edge.move & code_mask)]
        edge.prior = logits[label] if 0 <= label < logits.shape[0] else np.float32(0)
        largest = max(largest, edge.prior)
    total = np.float32(0)
    for index in range(game.count):
        edge = edges[first + index]
        edge.prior = np.float32(math.exp(edge.prior - largest))
        total += edge.prior
    for index in range(game.count):
        edges[first + index].prior /= total


@njit
def end_of_game(game, value):
    """Return (whether the game of a leaf is over, its value for the side to move, `value` if it is not)."""
    termination, result = game_result(game, game.count)
    if termination == NOT_OVER:
        return False, value
    return True, np.float32(np.int64(result > 0) - np.int64(result < 0))


@njit
def judge_ends(games, kinds, values):
    """Find leaves at which the game is over: their legal moves are removed, and their value is the result."""
    for row in range(games.shape[0]):
        if kinds[row] == WAITING:
            over, values[row] = end_of_game(games[row], values[row])
            if over:
                games[row].count = 0


@njit
def backup(
    games, copies, tree_nodes, tree_edges, used, paths, lengths, kinds, values, table, code_mask, logits, settings
):
    """Add leaves to the trees and their values to the edges on their paths; undo the rows' moves back to the roots.

    Args:
        values: float32[rows], in, for the side to move at the leaf
        settings: for this and the other arguments see `descend` and `expand`
    """
    virtual_loss = np.float32(settings[3])
    none = logits[0, :0]
    for row in range(games.shape[0]):
        if kinds[row] == INACTIVE:
            continue
        tree = row // copies
        game, nodes, edges = games[row], tree_nodes[tree], tree_edges[tree]
        depth = np.int64(lengths[row])
        if kinds[row] == WAITING:
            edge_place = np.int64(paths[row, depth - 1]) if depth > 0 else -1
            said = logits[row] if logits.shape[0] > 1 or games.shape[0] == 1 else none
            expand(games, row, nodes, edges, used[tree], edge_place, table, code_mask, said, values[row])
        is_counted = kinds[row] == WAITING or kinds[row] == KNOWN
        at = np.int64(0)
        for step in range(depth):
            edge = edges[paths[row, step]]
            if not is_counted:
                nodes[at].visits -= 1
                edge.visits -= 1
            at = np.int64(edge.child)
        if kinds[row] == ABANDONED and depth > 0:
            edges[paths[row, depth - 1]].child = UNVISITED
        value = values[row]
        for step in range(depth - 1, -1, -1):
            edge = edges[paths[row, step]]
            value = -value
            edge.total += virtual_loss + (value if is_counted else np.float32(0))
            game.game_ply -= 1
            undo_move(game.pos, edge.move, game.undo[game.game_ply])


@njit
def list_roots(games, active):
    """List the legal moves of the roots again; a game that is over has none."""
    for row in range(games.shape[0]):
        if active[row] != 0:
            list_node(games[row])


@njit
def add_noise(tree_nodes, tree_edges, used, share, noise):
    """Mix noise into the probabilities of root moves.

    Args:
        share: the weight of the noise, 0 to 1
        noise: float64[trees, moves], in
    """
    for tree in range(tree_nodes.shape[0]):
        if used[tree, 0] == 0:
            continue
        root = tree_nodes[tree, 0]
        total = 0.0
        for index in range(root.count):
            total += noise[tree, index]
        for index in range(root.count):
            edge = tree_edges[tree, root.first_edge + index]
            edge.prior = np.float32((1.0 - share) * edge.prior + share * noise[tree, index] / total)


@njit
def write_visits(games, copies, tree_nodes, tree_edges, used, table, code_mask, visits, values):
    """Write the visits of each root move, and the mean value of each root for the side to move.

    Args:
        visits: int32[trees, labels], out
        values: float32[trees], out; 0 where nothing has been searched
    """
    for tree in range(tree_nodes.shape[0]):
        visits[tree, :] = 0
        values[tree] = 0
        if used[tree, 0] == 0:
            continue
        root = tree_nodes[tree, 0]
        by_code = table[np.uint64(games[tree * copies].pos.side)]
        total, seen = root.value, 1
        for place in range(root.first_edge, root.first_edge + root.count):
            edge = tree_edges[tree, place]
            label = by_code[np.uint64(edge.move & code_mask)]
            if label >= 0:
                visits[tree, np.uint64(label)] = edge.visits
            total += edge.total
            seen += edge.visits
        values[tree] = total / np.float32(seen)


@njit
def keep_subtree(nodes, edges, used, move, spare_nodes, spare_edges):
    """Make the position after `move` the root of a tree and drop everything outside its subtree.

    Args:
        spare_nodes, spare_edges: scratch, as large as a tree
        used: int32[2], in-out
    """
    child = np.int64(UNVISITED)
    if used[0] > 0:
        for place in range(nodes[0].first_edge, nodes[0].first_edge + nodes[0].count):
            if edges[place].move == move:
                child = np.int64(edges[place].child)
    used[0] = 0
    used[1] = 0
    if child < 0 or nodes[child].count == 0:
        return
    spare_nodes[0] = nodes[child]
    used[0] = 1
    at = 0
    while at < used[0]:  # breadth first: a node is moved before its edges are
        node = spare_nodes[at]
        first = np.int64(node.first_edge)
        node.first_edge = used[1]
        for place in range(first, first + node.count):
            edge = spare_edges[used[1]]
            spare_edges[used[1]] = edges[place]
            used[1] += 1
            if edge.child >= 0:
                spare_nodes[used[0]] = nodes[edge.child]
                edge.child = used[0]
                used[0] += 1
        at += 1
    for place in range(used[0]):
        nodes[place] = spare_nodes[place]
    for place in range(used[1]):
        edges[place] = spare_edges[place]
