"""Textbook players against each other: rules, counts and tables; what they choose is what minimax says."""

import json

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.__main__ import main
from shogi_engine.cli.compare import table
from shogi_engine.games.othello.board import Board
from shogi_engine.interface.game import MAX_PLY, VALUE_INFINITE
from shogi_engine.search.context import new_context, write_root_moves
from shogi_engine.textbook.arena import ALPHA_BETA, MINIMAX, NEGASCOUT, choose, play_game
from shogi_engine.textbook.round_robin import TextbookPlayer, compare, parse_player
from shogi_engine.textbook.searches import ORDERED, PLAIN, PUBLISHED_BUGS, alpha_beta, minimax, negascout
from tests.support.searching import place

PLAYERS = ["random", "minimax:2", "alphabeta:2", "negascout:2", "pvs:2"]


def players(*texts):
    return [parse_player(text) for text in texts]


def naive_value(board, depth, published_bugs=False):
    """Return the disc difference by minimax for the side to move; with the faults of `published_value` if asked."""
    own, other = board.count(board.turn), board.count(1 - board.turn)
    if depth == 0:
        return own - other
    moves = list(board.legal_moves)
    if not moves:
        empties = board.empties * (2 if published_bugs else 1)
        return own - other + (empties if own > other else -empties if own < other else 0)
    if board.must_pass() and published_bugs:
        return own - other
    best = -1000
    for move in moves:
        child = board.copy()
        child.push(move)
        best = max(best, -naive_value(child, depth - (move.square is not None), published_bugs))
    return best


def boards(count, seed, empties=(2, 60)):
    """Yield boards after random moves, with that many empty squares."""
    rng = np.random.default_rng(seed)
    while count:
        board = Board()
        for _ in range(rng.integers(60 - empties[1], 61 - empties[0])):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(moves[rng.integers(len(moves))])
        if board.legal_moves:
            count -= 1
            yield board


@pytest.mark.parametrize("published_bugs", [False, True])
def test_values_are_those_of_a_naive_search(published_bugs):
    game = games.load("othello")
    ctx = new_context(game)
    visits = np.zeros(MAX_PLY + 2, dtype=np.int64)
    differ = 0
    for board in (*boards(15, 1), *boards(40, 2, (2, 9))):
        wanted = 100 * naive_value(board, 3, published_bugs)
        differ += wanted != 100 * naive_value(board, 3, not published_bugs)
        for flags in (PLAIN, PLAIN | ORDERED):
            place(ctx, game.parse_position(board.obf()), flags | (PUBLISHED_BUGS if published_bugs else 0))
            assert minimax(ctx, 3, 0, visits) == wanted
            assert alpha_beta(ctx, -VALUE_INFINITE, VALUE_INFINITE, 3, 0, visits) == wanted
            if not published_bugs:  # its sign is wrong then, that is the fault
                assert negascout(ctx, -VALUE_INFINITE, VALUE_INFINITE, 3, 0, visits) == wanted
    assert differ > 3


def test_the_players_choose_a_best_move_each_equally_often():
    game = games.load("othello")
    ctx = new_context(game)
    visits = np.zeros(MAX_PLY + 2, dtype=np.int64)
    for board in boards(8, 4):
        best = {}
        for move in board.legal_moves:
            child = board.copy()
            child.push(move)
            best[str(move)] = -naive_value(child, 1 if move.square is not None else 2)
        wanted = {move for move, value in best.items() if value == max(best.values())}
        for kind in (MINIMAX, ALPHA_BETA, NEGASCOUT):
            seen = set()
            for seed in range(60):
                place(ctx, game.parse_position(board.obf()), PLAIN)
                state = np.array([977 * seed + 12345], dtype=np.uint64)
                for _ in range(3):
                    move = choose(ctx, write_root_moves(ctx), kind, 2, state, visits)
                    seen.add(game.format_move(ctx.pos, int(move)))
            assert seen == wanted, (board.obf(), kind)


def test_a_game_is_scored_by_the_rules():
    game = games.load("othello")
    ctx = new_context(game)
    row = [ALPHA_BETA, 1, PLAIN]
    for number in range(20):
        place(ctx, game.parse_position(game.start))
        states = np.array([[7919 * number + 1], [104729 * number + 1]], dtype=np.uint64)
        visits = np.zeros((2, MAX_PLY + 2), dtype=np.int64)
        value = play_game(ctx, np.array([row, row], dtype=np.int64), 20, states, 512, visits)
        board = Board()
        board.set_obf(game.format_position(ctx.pos))
        assert board.is_game_over() and value == 100 * board.outcome().score
        assert visits[0, 0] + visits[1, 0] <= ctx.game_ply - 20 and visits[:, 1:].sum() > 0


def test_a_round_robin():
    tournament = compare("othello", players(*PLAYERS), games=20, seed=5)
    again = compare("othello", players(*PLAYERS), games=20, seed=5)
    other = compare("othello", players(*PLAYERS), games=20, seed=6)
    values = [[vars(pair) | {"seconds": 0} for pair in each.pairs] for each in (tournament, again, other)]
    assert values[0] == values[1] != values[2]
    assert len(tournament.pairs) == 10 and all(pair.games == 20 for pair in tournament.pairs)
    against_random = [pair for pair in tournament.pairs if pair.first == "random"]
    assert sum(pair.losses for pair in against_random) > 45
    pair = next(pair for pair in tournament.pairs if (pair.first, pair.second) == ("minimax:2", "alphabeta:2"))
    assert pair.visits[0][0] > 500 and len(pair.values()["nodes_by_depth"]) >= 3
    text = table(tournament)
    assert "wins/draws/losses" in text and "ms per 1000 games" in text and "nodes by depth" in text


def test_shogi_games_end():
    tournament = compare("shogi", players("random", "alphabeta:1", "negascout:1:engine"), games=2)
    assert [pair.games for pair in tournament.pairs] == [2, 2, 2]
    assert tournament.players == ("random", "alphabeta:1", "negascout:1:engine")


def test_names_of_players():
    assert parse_player("AlphaBeta(3)") == TextbookPlayer("alphabeta", 3) == parse_player("alphabeta", 3)
    assert parse_player("pvs:2:engine").name == "pvs:2:engine" and parse_player("random").name == "random"
    for text in ("", "rnd", "random:2", "minimax:0", "minimax:99", "minimax:x", "minimax:2:best", "alphabeta:2(3)"):
        with pytest.raises(ValueError, match="player"):
            parse_player(text)
    with pytest.raises(ValueError, match="Othello only"):
        compare("shogi", players("random", "random"), games=1, published_bugs=True)
    with pytest.raises(ValueError, match="two players"):
        compare("othello", players("random"), games=1)


def test_the_command(capsys, tmp_path):
    file = tmp_path / "tournament.png"
    arguments = [
        "compare",
        "othello",
        "--players",
        "random,minimax",
        "--depth",
        "2",
        "--games",
        "4",
        "--published-bugs",
    ]
    assert main([*arguments, "--json", "--plot", str(file)]) == 0
    values = json.loads(capsys.readouterr().out.splitlines()[-1])
    (row,) = values["rows"]
    assert row["wins"] + row["draws"] + row["losses"] == 4 and row["seconds"] > 0
    assert row["players"] == ["random", "minimax:2"] and len(row["nodes_by_depth"]) == 3
    assert file.read_bytes().startswith(b"\x89PNG")
    assert main(arguments) == 0 and "minimax:2" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["no/x.png", "x.nosuch"])
def test_a_picture_that_could_not_be_written_is_refused_before_the_games(name, tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("shogi_engine.textbook.round_robin.compare", lambda *a, **k: pytest.fail("games were played"))
    arguments = ["compare", "othello", "--players", "random,random", "--games", "1", "--plot", str(tmp_path / name)]
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1 and "--plot" in output.err


def test_without_matplotlib_there_is_one_error(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    arguments = ["compare", "othello", "--players", "random,random", "--games", "1", "--plot", "x.png"]
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1 and "matplotlib" in output.err
