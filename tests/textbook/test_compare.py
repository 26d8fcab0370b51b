"""Textbook players against each other: rules, counts and tables; what they choose is what minimax says."""

import json

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.__main__ import main
from shogi_engine.games.othello.board import Board
from shogi_engine.interface.game import MAX_PLY, VALUE_INFINITE
from shogi_engine.match.plan import parse_engine
from shogi_engine.play.game import Game, Terms
from shogi_engine.play.players import play
from shogi_engine.search.context import new_context, write_root_moves
from shogi_engine.textbook.player import Textbook, TextbookPlayer, parse_player
from shogi_engine.textbook.searches import (
    ALPHA_BETA,
    MINIMAX,
    NEGASCOUT,
    ORDERED,
    PLAIN,
    alpha_beta,
    choose,
    minimax,
    negascout,
)
from tests.support.searching import place
from tests.support.sizes import sized

PLAYERS = "random,minimax:2,alphabeta:2,negascout:2,pvs:2"


@pytest.fixture
def compare(capsys):
    """Return a function that plays a round robin; it returns the figures, without the times."""

    def compare(game, players, games, *words):
        assert main(["compare", game, "--players", players, "--games", str(games), *words, "--json"]) == 0
        values = json.loads(capsys.readouterr().out.splitlines()[-1])
        for row in values["rows"]:
            seconds, scaled = row.pop("seconds"), row.pop("ms_per_1000_games")
            assert scaled == pytest.approx(1e6 * seconds / games) and seconds > 0
        return values

    return compare


def naive_value(board, depth):
    """Return the disc difference by minimax for the side to move."""
    own, other = board.count(board.turn), board.count(1 - board.turn)
    if depth == 0:
        return own - other
    moves = list(board.legal_moves)
    if not moves:
        return own - other + (board.empties if own > other else -board.empties if own < other else 0)
    best = -1000
    for move in moves:
        child = board.copy()
        child.push(move)
        best = max(best, -naive_value(child, depth - (move.square is not None)))
    return best


def values_of_moves(board):
    """Return the value of each move by a naive search of two plies."""
    values = {}
    for move in board.legal_moves:
        child = board.copy()
        child.push(move)
        values[str(move)] = -naive_value(child, 1 if move.square is not None else 2)
    return values


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


def test_values_are_those_of_a_naive_search():
    game = games.load("othello")
    ctx = new_context(game)
    visits = np.zeros(MAX_PLY + 2, dtype=np.int64)
    for board in (*boards(15, 1), *boards(40, 2, (2, 9))):
        wanted = 100 * naive_value(board, 3)
        for flags in (PLAIN, PLAIN | ORDERED):
            place(ctx, game.parse_position(board.obf()), flags)
            assert minimax(ctx, 3, 0, visits) == wanted
            assert alpha_beta(ctx, -VALUE_INFINITE, VALUE_INFINITE, 3, 0, visits) == wanted
            assert negascout(ctx, -VALUE_INFINITE, VALUE_INFINITE, 3, 0, visits) == wanted


def test_the_players_choose_a_best_move_each_equally_often():
    game = games.load("othello")
    ctx = new_context(game)
    visits, killers = np.zeros(MAX_PLY + 2, dtype=np.int64), np.zeros((MAX_PLY + 2, 2), dtype=np.uint32)
    for board in boards(sized(3, 8), 4):
        best = values_of_moves(board)
        wanted = {move for move, value in best.items() if value == max(best.values())}
        for kind in (MINIMAX, ALPHA_BETA, NEGASCOUT):
            seen = set()
            for seed in range(60):
                place(ctx, game.parse_position(board.obf()), PLAIN)
                state = np.array([977 * seed + 12345], dtype=np.uint64)
                for _ in range(3):
                    move = choose(ctx, write_root_moves(ctx), kind, 2, state, visits, killers)
                    seen.add(game.format_move(ctx.pos, int(move)))
            assert seen == wanted, (board.obf(), kind)


def test_what_a_player_answers_is_what_the_search_counts():
    sides = [TextbookPlayer("othello", parse_player(text)) for text in ("alphabeta:2", "minimax:2")]
    game = Game.begin("othello", "", ["f5", "d6", "c3"], terms=Terms(40))
    for side, player in enumerate(sides):
        player.new_game(game, side, "any")
    while not game.over:
        board = game.board
        if game.must_pass():
            game.move("pass")
            continue
        answer = sides[game.turn].think(game)
        best = values_of_moves(board)
        assert (
            best[str(answer.move)] == max(best.values())
            and answer.visits[0] == 1
            and answer.info.nodes == sum(answer.visits)
        )
        assert answer.visits[1] == len(best)
        game.move(answer.move)
    again = play(Game.begin("othello", "", ["f5", "d6", "c3"], terms=Terms(40)), tuple(sides), "any")
    assert again.game.moves == game.moves  # the seed is all that they depend on
    assert play(Game.begin("othello", "", ["f5", "d6", "c3"]), tuple(sides), "other").game.moves[:40] != game.moves


def test_a_round_robin(compare):
    found = [compare("othello", PLAYERS, 20, "--seed", seed) for seed in ("5", "5", "6")]
    assert found[0] == found[1] and found[0]["rows"] != found[2]["rows"]
    rows = {tuple(row["players"]): row for row in found[0]["rows"]}
    assert len(rows) == 10 and all(row["wins"] + row["draws"] + row["losses"] == 20 for row in rows.values())
    assert sum(row["losses"] for (first, _), row in rows.items() if first == "random") > 45
    row = rows["minimax:2", "alphabeta:2"]
    assert row["nodes_by_player"][0][0] > 500 and len(row["nodes_by_depth"]) >= 3
    assert row["nodes_by_depth"] == [sum(both) for both in zip(*row["nodes_by_player"], strict=True)]
    assert rows["random", "minimax:2"]["nodes_by_player"][0] == []


def test_random_first_moves_are_the_same_with_both_colours(compare):
    values = compare("othello", "alphabeta:1,pvs:1", 4, "--random-plies", "50")
    assert values["rows"][0]["nodes_by_depth"][0] <= 4 * 11


def test_shogi_games_end(compare):
    values = compare("shogi", "random,alphabeta:1,negascout:1:engine", 2)
    assert values["players"] == ["random", "alphabeta:1", "negascout:1:engine"] and len(values["rows"]) == 3


def test_names_of_players():
    assert parse_player("AlphaBeta(3)") == Textbook("alphabeta", 3) == parse_player("alphabeta", 3)
    assert parse_player("pvs:2:engine").name == "pvs:2:engine" and parse_player("random").name == "random"
    for text in ("", "rnd", "random:2", "minimax:0", "minimax:99", "minimax:x", "minimax:2:best", "alphabeta:2(3)"):
        with pytest.raises(ValueError, match="player"):
            parse_player(text)
        with pytest.raises(ValueError, match="player"):
            parse_engine(f"textbook:{text}")


def test_a_match_has_them_too(capsys):
    words = ["textbook:alphabeta:3", "textbook:random", "--game", "othello", "--games", "6", "--json"]
    assert main(["match", *words]) == 0
    values = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert values["games"] == 6 and values["first"]["nodes_per_move"] > 10 > values["second"]["nodes_per_move"]


def test_what_cannot_be_compared_is_said(capsys):
    assert main(["compare", "othello", "--players", "random", "--games", "1"]) == 2
    error = capsys.readouterr().err
    assert "two players" in error and error.count("\n") == 1


def test_the_command(capsys, tmp_path):
    file = tmp_path / "tournament.png"
    arguments = ["compare", "othello", "--players", "random,minimax", "--depth", "2", "--games", "4"]
    assert main([*arguments, "--json", "--plot", str(file)]) == 0
    (row,) = json.loads(capsys.readouterr().out.splitlines()[-1])["rows"]
    assert row["wins"] + row["draws"] + row["losses"] == 4 and row["seconds"] > 0
    assert row["players"] == ["random", "minimax:2"] and len(row["nodes_by_depth"]) == 3
    assert file.read_bytes().startswith(b"\x89PNG")
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "wins/draws/losses" in text and "ms per 1000 games" in text and "nodes by depth" in text


@pytest.mark.parametrize(("name", "said"), [("no/x.png", "there is no folder"), ("x.nosuch", "image formats")])
def test_a_picture_that_could_not_be_written_is_refused_before_the_games(name, said, tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("shogi_engine.cli.compare.round_robin", lambda *words: pytest.fail("games were played"))
    arguments = ["compare", "othello", "--players", "random,random", "--games", "1", "--plot", str(tmp_path / name)]
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1 and said in output.err


def test_without_matplotlib_there_is_one_error(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    arguments = ["compare", "othello", "--players", "random,random", "--games", "1", "--plot", "x.png"]
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == "" and output.err.count("\n") == 1 and "matplotlib" in output.err
