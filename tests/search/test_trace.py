"""The tree to look at: its value is minimax's, its figures are those of the tree, and the command shows it."""

import json

import numpy as np
import pytest

from shogi_engine.__main__ import main
from shogi_engine.interface.game import MAX_PLY, VALUE_INFINITE, VALUE_MATE, move_cost
from shogi_engine.search.context import new_context
from shogi_engine.textbook import trace
from shogi_engine.textbook.searches import alpha_beta, minimax
from shogi_engine.textbook.trace import Tracer
from tests.support.games import game_of
from tests.support.searching import place, random_positions

# How deep, how many moves from the start at most, and how many positions.
CASES = [("tictactoe", 4, 6, 15), ("othello4", 4, 8, 15), ("othello", 3, 55, 15), ("shogi", 2, 60, 5)]


def textbook(ctx, position, depth):
    """Return the value of minimax, its visits and those of alpha-beta."""
    mini, alpha = np.zeros(MAX_PLY + 1, np.int64), np.zeros(MAX_PLY + 1, np.int64)
    place(ctx, position)
    value = int(minimax(ctx, depth, 0, mini))
    assert alpha_beta(ctx, -VALUE_INFINITE, VALUE_INFINITE, depth, 0, alpha) == value
    return value, int(mini.sum()), int(alpha.sum())


@pytest.mark.parametrize(("name", "depth", "longest", "count"), CASES)
def test_the_value_at_the_root_is_the_textbooks(name, depth, longest, count):
    game = game_of(name)
    ctx, tracer, saved = new_context(game), Tracer(game), 0
    for position in random_positions(game, count, 53, longest):
        for plies in range(1, depth + 1):
            value, visits, _ = textbook(ctx, position, plies)
            tree = tracer.trace(position, plies)
            assert tree.root.value == tree.minimax_value == value, game.format_position(position)
            assert tree.minimax_nodes == visits
            saved += tree.count() < visits
            check_tree(tree)
    assert saved


def check_tree(tree):
    """Compare each node with its children and with its window."""
    root = tree.root
    assert (root.alpha, root.beta, root.bound) == (-VALUE_INFINITE, VALUE_INFINITE, "=")
    for node in root.walk():
        assert node.alpha < node.beta
        values = {child.move: -child.value for child in node.children}  # by move, the last word counts
        if node.ended in (trace.LEAF, trace.TERMINAL, trace.TABLE):
            assert not node.children and node.bound == "=" or node.ended == trace.TABLE
            assert (node.depth <= 0) == (node.ended == trace.LEAF)
        else:
            assert node.children[0].question == trace.FIRST
            assert node.value == max(values.values())
            assert (node.ended == trace.CUTOFF) == (node.value >= node.beta)
            assert node.ended == trace.CUTOFF or len(values) == node.legal
            assert (node.best is None) == (node.value <= node.alpha)
        for child in node.children:
            assert child.depth in (node.depth, node.depth - 1, node.depth - 2)
            assert -node.beta <= child.alpha and child.beta <= -node.alpha
            if child.question == trace.SCOUT:
                assert child.beta - child.alpha == 1


def test_cut_offs_table_hits_reductions_and_re_searches_are_seen():
    game = game_of("othello")
    plain, reduced = Tracer(game), Tracer(game, reduce=True)
    seen, less = {}, 0
    for position in random_positions(game, 4, 59, 30):
        tree, smaller = plain.trace(position, 4), reduced.trace(position, 4)
        assert tree.counts()["reductions"] == 0
        assert smaller.minimax_value == tree.root.value
        for name, number in smaller.counts().items():
            seen[name] = seen.get(name, 0) + number
        less += smaller.count() < tree.count()
        for node in smaller.root.walk():
            for first, second in zip(node.children, node.children[1:], strict=False):
                if second.question == trace.AGAIN:  # what was asked before did not settle it
                    assert first.move == second.move and first.value < first.beta
    assert all(seen.values()) and less


def test_a_win_is_counted_from_the_root_also_when_the_table_tells_it():
    game = game_of("tictactoe")
    tree = Tracer(game).trace(game.parse_position("XX-OO----"), 4)
    assert (tree.root.value, tree.root.pv()) == (VALUE_MATE - 1, ["3"])
    tree = Tracer(game).trace(game.parse_position("X---O---X"), 4)
    assert tree.root.value == 0


def test_a_finished_game_and_a_pass():
    game = game_of("othello")
    tree = Tracer(game).trace(game.parse_position("X" * 63 + "- O"), 3)
    assert (tree.count(), tree.root.ended, tree.root.value, tree.root.pv()) == (1, trace.TERMINAL, -6400, [])
    position = game.parse_position("-OXXXXXX" + "-" * 56 + " O")
    tree = Tracer(game).trace(position, 2)
    assert tree.root.pv() == ["pass", "a1"] and move_cost(position, np.uint32(game.parse_move(position, "pass"))) == 0
    assert tree.root.children[0].depth == 2


# ---- the command ---------------------------------------------------------------------------------------------------


def test_the_command_tells_the_same_as_json(capsys):
    assert main(["search", "othello", "--tree", "--depth", "3", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    values = json.loads(line)
    tree = Tracer(game_of("othello")).trace(game_of("othello").parse_position("startpos"), 3)
    assert values["value"] == values["minimax_value"] == tree.root.value
    assert values["nodes"] == tree.count() < values["minimax_nodes"]
    assert values["pv"] == tree.root.pv() and values["tree"] == trace.tree_dict(tree.root)
    assert set(values["score"]) == {"discs"}


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["go"], ["othello", "--depth", "1"], ["othello", "--depth", "5"], ["othello", "--depth", "two"],
        ["othello", "--position", "nonsense"], ["othello", "--moves", "d3", "d3"], ["othello", "--nodes", "100"],
        ["shogi", "--position", "4k4/9/9/9/9/9/9/9/4KK3 b - 1"],
    ],
)  # fmt: skip
def test_wrong_arguments_end_with_2_and_one_line(capsys, arguments):
    try:
        status = main(["search", *arguments, "--tree"])
    except SystemExit as ended:
        status = ended.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1 and err.startswith("shogi-engine")
