"""A small search tree for study: every node is kept and explained.

A simplified alphabeta.py in plain Python: negamax alpha-beta with principal variation search, a transposition table
and, if requested, late move reductions. There is no quiescence, forward pruning, history or repetition, so without
reductions the value equals that of `textbook.minimax`, which is also run to show how many nodes alpha-beta saves.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import MAX_PLY, MOVE_NONE, VALUE_INFINITE, VALUE_MATE, VALUE_MATE_IN_MAX, Game
from shogi_engine.search.context import generate_searched_moves, make_move, new_context, set_root, unmake_move
from shogi_engine.textbook.searches import minimax

REDUCE_MIN_DEPTH, REDUCE_MIN_MOVES = 3, 3  # neither the first moves nor those near the leaves are reduced

# Why a node was searched.
FIRST = "first move"  # with its parent's window
SCOUT = "scout"  # with a zero window: is its move better than alpha at all?
REDUCED = "reduced"  # the same, one ply less deep: a late move is rarely the best
AGAIN = "re-search"  # a scout or a reduced search beat alpha: by how much?

# Why the search of a node ended.
LEAF = "depth 0"  # no depth left: the static evaluation
TERMINAL = "game over"  # no legal move
TABLE = "table"  # the table's entry was sufficient
CUTOFF = "cut-off"  # a move reached beta: the opponent will avoid this position
SEARCHED = "searched"  # all moves were searched


@dataclass
class TraceNode:
    """One visit of a position. A second search of the position is another node.

    Attributes:
        move: the move that led here, '' at the root
        depth: the remaining depth in plies
        alpha, beta: the window
        value: for the side to move, as the window is; exact only if it lies within the window
        question, ended: one of the words above
        legal: number of legal moves, 0 if none was searched
        best: the child with the best move, None if no move is better than alpha
    """

    move: str
    depth: int
    alpha: int
    beta: int
    question: str
    value: int = 0
    ended: str = SEARCHED
    legal: int = 0
    children: list["TraceNode"] = field(default_factory=list)
    best: "TraceNode | None" = None

    @property
    def bound(self) -> str:
        """'=' if the value is exact, '>=' if it is at least that, '<=' if it is at most that."""
        if self.ended in (LEAF, TERMINAL):
            return "="
        return ">=" if self.value >= self.beta else "<=" if self.value <= self.alpha else "="

    def walk(self) -> Iterator["TraceNode"]:
        """Yield this node and all below it, in the order of their visits."""
        yield self
        for child in self.children:
            yield from child.walk()

    def pv(self) -> list[str]:
        """Return the moves of the principal variation."""
        return [self.best.move, *self.best.pv()] if self.best else []


@dataclass
class TraceTree:
    """A searched tree.

    Attributes:
        minimax_value, minimax_nodes: the value and the nodes of plain minimax
    """

    root: TraceNode
    minimax_value: int
    minimax_nodes: int

    def count(self, **attributes: str) -> int:
        """Return the number of nodes with these attributes, e.g. ended=CUTOFF; without any, of all nodes."""
        return sum(all(getattr(node, name) == value for name, value in attributes.items()) for node in self.root.walk())

    def counts(self) -> dict[str, int]:
        """Return the tree's figures by name."""
        return {
            "nodes": self.count(),
            "cutoffs": self.count(ended=CUTOFF),
            "table_hits": self.count(ended=TABLE),
            "reductions": self.count(question=REDUCED),
            "researches": self.count(question=AGAIN),
            "minimax_nodes": self.minimax_nodes,
        }


class Tracer:
    """Searches positions of one game and keeps the trees.

    Args:
        reduce: first search late quiet moves one ply less deep. That saves nodes, but may miss the best move.
    """

    def __init__(self, game: Game, *, reduce: bool = False) -> None:
        self.game = game
        self.reduce = reduce
        self.ctx = new_context(game)
        self.table: dict[int, tuple[int, str, int, int]] = {}  # key -> depth, bound, value from here, best move

    def trace(self, position: Any, depth: int) -> TraceTree:
        """Return the tree `depth` plies deep of `position` (record[game.position])."""
        ctx = self.ctx
        set_root(ctx, position)
        rules.refresh_line(ctx)
        self.table.clear()
        root = TraceNode("", depth, -VALUE_INFINITE, VALUE_INFINITE, FIRST)
        self._search(root, 0)
        visits = np.zeros(MAX_PLY + 1, dtype=np.int64)
        value = int(minimax(ctx, depth, 0, visits))
        return TraceTree(root, value, int(visits.sum()))

    def _search(self, node: TraceNode, start: int) -> int:
        """Search ctx.pos as `node` says, complete it, and return its value.

        Args:
            start: first free index of ctx.moves
        """
        ctx, alpha, beta = self.ctx, node.alpha, node.beta

        # At depth 0 a position's value is its static evaluation.
        if node.depth <= 0:
            node.ended, node.value = LEAF, int(rules.evaluate(ctx))
            return node.value

        # An entry of the same depth may suffice for a scout; otherwise its move is searched first.
        depth, bound, value, tt_move = self.table.get(int(rules.key(ctx.pos)), (0, "", 0, int(MOVE_NONE)))
        if depth == node.depth and beta - alpha == 1:
            value = _count_from(value, ctx.ply)
            if bound == "=" or (bound == ">=" and value >= beta) or (bound == "<=" and value <= alpha):
                node.ended, node.value = TABLE, value
                return value

        moves = self._moves(start, tt_move)
        end = start + self.game.max_moves
        node.legal = len(moves)
        if not moves:
            node.ended, node.value = TERMINAL, int(rules.terminal_value(ctx))
            return node.value

        best, best_move = -VALUE_INFINITE, int(MOVE_NONE)
        for number, move in enumerate(moves, 1):
            value = self._try(node, move, number, alpha, end)
            if value > best:
                best = value
                if value > alpha:
                    alpha, best_move, node.best = value, int(move), node.children[-1]
                    if value >= beta:
                        node.ended = CUTOFF
                        break
        node.value = best
        self.table[int(rules.key(ctx.pos))] = node.depth, node.bound, _count_from(best, -ctx.ply), best_move
        return best

    def _try(self, node: TraceNode, move: Any, number: int, alpha: int, start: int) -> int:
        """Search the `number`-th move and return its value for the side that makes it."""
        ctx, beta = self.ctx, node.beta
        text = self.game.format_move(ctx.pos, int(move))
        depth = node.depth - int(rules.move_cost(ctx.pos, move))
        late = number > REDUCE_MIN_MOVES and bool(rules.is_quiet(ctx.pos, move)) and not rules.is_in_check(ctx.pos)
        make_move(ctx, move)

        def ask(question: str, depth: int, alpha: int, beta: int) -> int:
            child = TraceNode(text, depth, -beta, -alpha, question)
            node.children.append(child)
            return -self._search(child, start)

        if number == 1:
            value = ask(FIRST, depth, alpha, beta)
        else:
            r = int(self.reduce and late and node.depth >= REDUCE_MIN_DEPTH and not rules.is_in_check(ctx.pos))
            value = ask(REDUCED if r else SCOUT, depth - r, alpha, alpha + 1)
            if value > alpha and r:
                value = ask(AGAIN, depth, alpha, alpha + 1)
            if alpha < value < beta:
                value = ask(AGAIN, depth, alpha, beta)
        unmake_move(ctx, move)
        return value

    def _moves(self, start: int, tt_move: int) -> list[Any]:
        """Return the moves in order: the table's, good captures, the others; each group sorted by score."""
        ctx = self.ctx
        count = int(generate_searched_moves(ctx, start))
        rules.score_moves(ctx, start, count)
        ranks = []
        for index in range(start, start + count):
            move, score = ctx.moves[index], int(ctx.scores[index])
            if rules.is_legal(ctx.pos, move):
                good_capture = not rules.is_quiet(ctx.pos, move) and bool(rules.see_ge(ctx, move, 0))
                if good_capture:
                    score = int(rules.capture_value(ctx, move))
                ranks.append((int(move) != tt_move, not good_capture, -score, index, move))
        return [rank[-1] for rank in sorted(ranks)]


def _count_from(value: int, ply: int) -> int:
    """Convert a value whose mates count plies from a node at `ply` into one that counts them from the root.

    A negative `ply` converts the other way: the table stores mates as counted from the node.
    """
    if value >= VALUE_MATE_IN_MAX:
        return int(value - ply)
    return int(value + ply) if value <= -VALUE_MATE_IN_MAX else int(value)


# ---- output as text, as a dictionary, as a drawing -------------------------------------------------------------------


def value_text(value: int) -> str:
    """Return a value or a bound of a window: 'inf', 'mate 3' (won in three plies from the root), or the number."""
    sign = "-" if value < 0 else ""
    if abs(value) == VALUE_INFINITE:
        return f"{sign}inf"
    return f"{sign}mate {VALUE_MATE - abs(value)}" if abs(value) >= VALUE_MATE_IN_MAX else str(value)


def node_text(node: TraceNode) -> str:
    """Return the description of a node, without its move."""
    notes = [] if node.question == FIRST else [node.question]
    if node.ended == CUTOFF:
        made = len({child.move for child in node.children})
        notes.append(f"{CUTOFF} after {made} of {node.legal}")
    elif node.ended != SEARCHED:
        notes.append(node.ended)
    elif node.best is None:
        notes.append("no move is better than alpha")
    window = f"({value_text(node.alpha)}, {value_text(node.beta)})"
    return f"depth {node.depth} {window} {node.bound} {value_text(node.value)}{'  ' * bool(notes)}{', '.join(notes)}"


def tree_lines(node: TraceNode, indent: int = 0) -> Iterator[str]:
    """Yield the tree of `node`, one line for each node, indented below its parent."""
    yield f"{'  ' * indent}{node.move or 'root'}  {node_text(node)}"
    for child in node.children:
        yield from tree_lines(child, indent + 1)


def tree_dict(node: TraceNode) -> dict[str, Any]:
    """Return the tree in JSON types."""
    values = {name: getattr(node, name) for name in ("move", "depth", "alpha", "beta", "value", "bound")}
    children = [tree_dict(child) for child in node.children]
    return values | {"question": node.question, "ended": node.ended, "children": children}


FILLS = {LEAF: "white", TERMINAL: "tomato", TABLE: "lightblue", CUTOFF: "orange", SEARCHED: "palegreen"}
EDGES = {FIRST: "solid", SCOUT: "dashed", REDUCED: "dotted", AGAIN: "solid"}


def dot(tree: TraceTree) -> str:
    """Return a Graphviz graph of the tree: colours show why nodes ended, edges why they were searched; bold is best."""
    lines = ["digraph trace {", '  node [shape=box, style=filled, fontname="monospace"];', "  rankdir=LR;"]
    numbers = {id(node): number for number, node in enumerate(tree.root.walk())}
    for node in tree.root.walk():
        label = "\\n".join([node.move or "root", *node_text(node).split("  ")])
        lines.append(f'  n{numbers[id(node)]} [label="{label}", fillcolor={FILLS[node.ended]}];')
        for child in node.children:
            width = 3 if child is node.best else 1
            edge = f"style={EDGES[child.question]}, penwidth={width}"
            lines.append(f"  n{numbers[id(node)]} -> n{numbers[id(child)]} [{edge}];")
    return "\n".join([*lines, "}", ""])
