"""How games end: `game_result`, and random games that it judges, against what the boards say."""

import json

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.batch.kernels import play_random
from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.shogi.board import Board as ShogiBoard, Move, Termination
from shogi_engine.games.shogi.names import CSA_27, NO_ENTERING_KING, TRY_RULE
from shogi_engine.interface.game import (
    DECLARATION,
    MOVE_LIMIT,
    NO_LEGAL_MOVE,
    NOT_OVER,
    PERPETUAL_CHECK,
    REPETITION,
    TERMINATIONS,
    TRY,
    VALUE_MATE,
    VALUE_NONE,
    game_result,
    terminal_value,
)
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.context import new_context, replay_game, write_root_moves
from tests.support.games import othello4, tictactoe
from tests.support.processes import TESTS

CASES = json.loads((TESTS / "data" / "shogi_rules.json").read_text())
KINDS = {
    Termination.CHECKMATE: NO_LEGAL_MOVE,
    Termination.STALEMATE: NO_LEGAL_MOVE,
    Termination.FOURFOLD_REPETITION: REPETITION,
    Termination.PERPETUAL_CHECK: PERPETUAL_CHECK,
    Termination.TRY: TRY,
}
LONGEST = 512
# Few pieces: games that go round, end in an entering king or by a try.
SHOGI_STARTS = (
    "", "4k4/9/9/9/9/9/9/9/4K4 b - 1", "4k4/9/9/9/9/9/9/9/4K4 b R 1", "k8/9/9/9/9/9/9/9/R7K w - 1",
    "4k4/9/9/3+p1+P3/9/9/9/9/4K4 w - 1", "3+P+P+P3/2+P1K1+P2/2+P+P+P+P+P2/9/9/9/9/9/4k4 w 2RB8P 1",
)  # fmt: skip


@pytest.fixture(scope="module")
def shogi():
    return new_context(games.load("shogi"))


def at(ctx, game, position, moves=()):
    """Put `position` and the encoded `moves` made from there into `ctx`; return its game_result."""
    ctx.pos = position
    replay_game(ctx, np.array(moves, dtype=np.uint32))
    termination, value = game_result(ctx, write_root_moves(ctx))
    return int(termination), int(value)


def expected(board):
    """Return what game_result has to say of a Shogi board."""
    outcome = board.outcome()
    if outcome is None:
        claimed = board.entering_king_rule != "TryRule" and board.can_declare_win()
        return (DECLARATION, VALUE_MATE) if claimed else (NOT_OVER, VALUE_NONE)
    value = 0 if outcome.winner is None else VALUE_MATE if outcome.winner == board.turn else -VALUE_MATE
    return KINDS[outcome.termination], value


@pytest.mark.parametrize("case", CASES["repetition"], ids=lambda case: case["id"])
def test_repetitions(shogi, case):
    game = games.load("shogi")
    board = ShogiBoard() if case["sfen"] == "startpos" else ShogiBoard(case["sfen"])
    start, encoded = game.parse_position(board.sfen()), []
    for usi in case["moves"]:
        assert at(shogi, game, start, encoded) == expected(board) == (NOT_OVER, VALUE_NONE)
        encoded.append(game.parse_move(game.parse_position(board.sfen()), usi))
        board.push_usi(usi)
    found = at(shogi, game, start, encoded)
    loser = {"black_loses": 0, "white_loses": 1}.get(case["result"])
    sides = {"none": NOT_OVER, "draw": REPETITION}
    assert found == expected(board) and found[0] == sides.get(case["result"], PERPETUAL_CHECK)
    if loser is not None:
        assert found[1] == (-VALUE_MATE if board.turn == loser else VALUE_MATE)


@pytest.mark.parametrize("case", CASES["declaration"], ids=lambda case: case[0])
def test_declarations(shogi, case):
    game = games.load("shogi")
    shogi.params.entering_king_rule = CSA_27
    found = at(shogi, game, game.parse_position(case[1]))
    assert found == ((DECLARATION, VALUE_MATE) if case[2] else (NOT_OVER, VALUE_NONE))
    shogi.params.entering_king_rule = NO_ENTERING_KING
    try:
        assert at(shogi, game, game.parse_position(case[1])) == (NOT_OVER, VALUE_NONE)
    finally:
        shogi.params.entering_king_rule = CSA_27


def test_a_try_and_the_limit_of_moves(shogi):
    game = games.load("shogi")
    tried = game.parse_position("4K4/9/9/9/9/9/9/9/k8 w - 1")
    assert at(shogi, game, tried) == (NOT_OVER, VALUE_NONE)
    shogi.params.entering_king_rule = TRY_RULE
    assert at(shogi, game, tried) == (TRY, -VALUE_MATE)
    one_away = game.parse_position("9/4K4/9/9/9/9/9/9/k8 b - 1")
    assert at(shogi, game, one_away) == (NOT_OVER, VALUE_NONE)  # a king that may step there has to
    shogi.params.entering_king_rule = CSA_27
    shogi.params.max_moves = 100
    late, in_check = "4k4/9/9/9/9/9/9/9/4K4 b - 101", "4k4/9/9/9/9/4r4/9/9/4K4 b - 101"
    assert at(shogi, game, game.parse_position(late)) == (MOVE_LIMIT, 0)
    assert at(shogi, game, game.parse_position(in_check)) == (NOT_OVER, VALUE_NONE)
    shogi.params.max_moves = 0
    assert at(shogi, game, game.parse_position(late)) == (NOT_OVER, VALUE_NONE)


@pytest.mark.parametrize("game", [tictactoe.GAME, othello4.GAME], ids=lambda game: game.name)
def test_a_game_without_such_rules_ends_without_legal_moves(game):
    ctx = new_context(game)
    for seed in range(20):
        value, _moves = random_game(ctx, game, "", seed)
        assert write_root_moves(ctx) == 0
        termination, last = game_result(ctx, 0)
        assert (termination, last) == (NO_LEGAL_MOVE, terminal_value(ctx)) and abs(value) == abs(sign(last))
    assert len(TERMINATIONS) == 7


def sign(value):
    return int(value > 0) - int(value < 0)


def random_game(ctx, game, start, seed, longest=LONGEST):
    """Play a game of random moves; return the sign of its result for the side that began, and the moves."""
    ctx.pos = game.parse_position(start or game.start)
    moves = np.zeros(longest, dtype=np.uint32)
    made, value = play_random(ctx, np.array([7919 * seed + 1], dtype=np.uint64), longest, moves)
    return int(value), moves[: int(made)].tolist()


def test_random_games_of_shogi_end_as_the_board_says(shogi):
    game, seen = games.load("shogi"), set()
    longest = 40 if JIT_DISABLED else LONGEST
    for number in range(4 if JIT_DISABLED else 1000):
        start = SHOGI_STARTS[number % len(SHOGI_STARTS)]
        rule = ("CSARule27", "TryRule")[number // len(SHOGI_STARTS) % 2]
        shogi.params.entering_king_rule = {"CSARule27": CSA_27, "TryRule": TRY_RULE}[rule]
        value, encoded = random_game(shogi, game, start, number, longest)
        moves = [Move.from_encoded(move).usi() for move in encoded]
        board = ShogiBoard(entering_king_rule=rule)
        board.push_usi_position_cmd(" ".join(["sfen", start or board.sfen(), "moves", *moves]))
        termination, wanted = expected(board)
        if termination == NOT_OVER:
            assert (len(moves), value) == (longest, 0)
        else:
            assert value == sign(wanted if len(moves) % 2 == 0 else -wanted), (start, number)
        seen.add(termination)
        for _ in range(len(moves) if number < 30 else min(len(moves), 5)):
            board.pop()
            assert expected(board) == (NOT_OVER, VALUE_NONE), (start, number, board.sfen())
    shogi.params.entering_king_rule = CSA_27
    # No one checks forever at random; the published cases do.
    assert JIT_DISABLED or seen >= {NOT_OVER, NO_LEGAL_MOVE, REPETITION, DECLARATION, TRY}


def test_random_games_of_othello_end_as_the_board_says():
    game = games.load("othello")
    ctx = new_context(game)
    for number in range(5 if JIT_DISABLED else 200):
        value, encoded = random_game(ctx, game, "", number)
        board = OthelloBoard()
        for move in encoded:
            assert board.outcome() is None
            board.push_text(game.format_move(ctx.pos, move))
        assert value == sign(board.outcome().score)
