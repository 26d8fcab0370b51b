"""Games under way, by the hundred: what a Board says of each, repetition and perpetual check among it."""

import random

import numpy as np
import pytest

from shogi_engine.batch import Batch, LiveGames
from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.shogi.board import Board as ShogiBoard, Move, Termination
from shogi_engine.interface.game import TERMINATIONS
from shogi_engine.jit import JIT_DISABLED

BOARDS = {"shogi": ShogiBoard, "othello": OthelloBoard}
PACKED = {"shogi": "to_hcp", "othello": "to_packed"}
STEPS = 30 if JIT_DISABLED else 400
CHASE = "4k4/9/9/9/9/9/9/9/R3K4 b - 1"  # a rook that gives check forever
SHUFFLES = ("9i9a", *(("5a5b", "9a9b", "5b5a", "9b9a") * 3))


def chosen(rng, board):
    """Return a legal move, often one that takes the side's last one back, so that positions are repeated."""
    moves, made = list(board.legal_moves), board.move_stack
    if isinstance(board, ShogiBoard) and len(made) > 1 and rng.random() < 0.9 and made[-2].from_square is not None:
        back = Move(made[-2].to_square, made[-2].from_square)
        if back in moves:
            return back
    return rng.choice(moves)


def check(games, boards):
    """Compare all games with Boards."""
    game = games.batch.game.name
    assert games.positions().tobytes() == b"".join(getattr(board, PACKED[game])() for board in boards)
    assert games.turns.tolist() == [board.turn for board in boards]
    assert games.plies.tolist() == [len(board.move_stack) for board in boards]
    masks = games.legal_masks()
    for mask, board in zip(masks, boards, strict=True):
        expected = [] if board.outcome() is not None else sorted(int(move) for move in board.legal_moves)
        assert np.flatnonzero(mask).tolist() == expected


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_the_same_as_boards(game):
    rng, count = random.Random(7), 12
    games, boards = LiveGames(Batch(game), count), [BOARDS[game]() for _ in range(count)]
    check(games, boards)
    seen = set()
    for number in range(STEPS):
        moves = [chosen(rng, board) for board in boards]
        movers = [board.turn for board in boards]
        steps = games.step([int(move) for move in moves])
        for board, move in zip(boards, moves, strict=True):
            board.push(move)
        for row, board in enumerate(boards):
            outcome = board.outcome()
            assert steps.ended[row] == (outcome is not None) and not steps.truncations[row]
            won = 0 if outcome is None or outcome.winner is None else 1 if outcome.winner == movers[row] else -1
            assert steps.results[row] == won
            if outcome is not None:
                seen.add(TERMINATIONS[steps.terminations[row]])
        if number % 10 == 0 or steps.ended.any():
            check(games, boards)
        games.reset(steps.ended)
        boards = [BOARDS[game]() if over else board for over, board in zip(steps.ended, boards, strict=True)]
    check(games, boards)
    if not JIT_DISABLED:
        assert seen >= ({"repetition"} if game == "shogi" else {"no legal move"}), seen


def test_perpetual_check_loses():
    batch = Batch("shogi")
    games, board = LiveGames(batch, 2), ShogiBoard(CHASE)
    games.reset(positions=batch.pack([CHASE, CHASE]))
    for usi in SHUFFLES:
        assert board.outcome() is None
        steps = games.step([int(board.push_usi(usi))] * 2)
    assert board.outcome().termination is Termination.PERPETUAL_CHECK and board.outcome().winner == 1
    assert [TERMINATIONS[number] for number in steps.terminations] == ["perpetual check"] * 2
    assert steps.results.tolist() == [-1, -1] and steps.ended.all()
    games.reset([1])
    assert games.plies.tolist() == [len(SHUFFLES), 0]
    with pytest.raises(ValueError, match="row 0: the game is over"):
        games.step([int(Move.from_usi("5a5b")), int(Move.from_usi("7g7f"))])


def test_truncation_and_refusals():
    batch = Batch("othello")
    games = LiveGames(batch, 3, layout="squares+pass", longest=4)
    random_state = np.random.default_rng(1)
    for number in range(4):
        steps = games.step(games.random_moves(random_state))
        assert steps.truncations.tolist() == [number == 3] * 3 and not steps.terminations.any()
    with pytest.raises(ValueError, match="row 0: the game is over"):
        games.step(games.random_moves(random_state))
    games.reset(np.array([False, True, True]))
    assert games.plies.tolist() == [4, 0, 0]
    games.reset()
    before = games.positions()
    with pytest.raises(ValueError, match=r"row 1: the move 0 \(squares\+pass\) is not legal in ---"):
        games.step([19, 0, 19])
    assert (games.positions() == before).all()
    with pytest.raises(ValueError, match="there are 3 games"):
        games.step([19])
    with pytest.raises(ValueError, match="3 games to begin, but 1 positions"):
        games.reset(positions=before[:1])
    with pytest.raises(ValueError, match="row 2: "):
        games.reset(positions=np.concatenate([before[:2], np.full((1, batch.size), 255, np.uint8)]))
    wrong = {(0, 4): "count must be at least 1, not 0", (1, 0): "longest must be at least 1, not 0"}
    for (count, longest), said in (wrong | {(1, 513): "at most 512 moves, not 513"}).items():
        with pytest.raises(ValueError, match=said):
            LiveGames(batch, count, longest=longest)


@pytest.mark.parametrize(("game", "names"), [("shogi", ("dlshogi1", "dlshogi2")), ("othello", ("planes",))])
def test_features_are_those_of_the_batch(game, names):
    batch = Batch(game)
    games, random_state = LiveGames(batch, 20), np.random.default_rng(2)
    for _ in range(6 if JIT_DISABLED else 40):
        games.reset(games.step(games.random_moves(random_state)).ended)
    for name in names:
        assert (games.features(name) == batch.features(games.positions(), name)).all()
        some = np.arange(20) % 3 == 0
        found = games.features(name, rows=some, dtype=np.float32)
        assert found.dtype == np.float32 and (found == games.features(name)[some]).all()
