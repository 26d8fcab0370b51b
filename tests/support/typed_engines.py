"""A program with types, for `Engine` and for clients of other engines; mypy checks what it says of them."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from shogi_engine import Engine, Limit, Score, othello, records, shogi
from shogi_engine.batch import Batch, iterate_random_games, opening_moves
from shogi_engine.clients.gtp import SimpleGtp
from shogi_engine.clients.nboard import SimpleNBoard
from shogi_engine.clients.usi import SimpleEngine
from shogi_engine.types.results import Info, PlayResult


def program(engine: Engine | SimpleEngine, board: shogi.Board) -> list[shogi.Move]:
    """Return the moves that an engine plays and expects."""
    found = engine.play(board, Limit(nodes=100))
    info = engine.analyse(board, Limit(nodes=100))
    lines = engine.analyse(board, Limit(nodes=100), multipv=2)
    assert_type(found, PlayResult[shogi.Move])
    assert_type(found.move, shogi.Move | None)
    assert_type(info, Info[shogi.Move])
    assert_type(info["score"], Score)
    assert_type(info["nodes"], int)
    assert_type(lines, list[Info[shogi.Move]])
    with engine.analysis(board, Limit(nodes=100)) as analysis:
        for each in analysis:
            assert_type(each.pv, tuple[shogi.Move, ...])
    assert_type(analysis.wait().ponder, shogi.Move | None)
    return [line["pv"][0] for line in lines]


def text(engine: SimpleEngine) -> tuple[str, ...]:
    """Return a line for a position given as text."""
    assert_type(engine.play("startpos", Limit(nodes=100)), PlayResult[str])
    return engine.analyse("startpos", Limit(nodes=100)).pv


def games(shogi_engine: Engine, othello_engine: Engine) -> None:
    """Search the boards of both games."""
    assert_type(shogi_engine.play(shogi.Board(), Limit(nodes=100)).move, shogi.Move | None)
    assert_type(othello_engine.play(othello.Board(), Limit(nodes=100)).move, othello.Move | None)
    assert_type(othello_engine.analyse(othello.Board(), Limit(nodes=100)).pv, tuple[othello.Move, ...])
    assert_type(shogi_engine.mate(shogi.Board(), Limit(nodes=100)).moves, tuple[shogi.Move, ...])


def ported(engine: Engine | SimpleEngine) -> None:
    """Do what the program of docs/from-python-chess.md does; a test compares the two."""
    board = shogi.Board()
    while not board.is_game_over() and board.ply() < 6:
        result = engine.play(board, Limit(time=0.1))
        if result.move is None:
            break
        board.push(result.move)

    info = engine.analyse(board, Limit(depth=6))
    print(info["score"], info["pv"][0], board.sfen())

    for info in engine.analyse(board, Limit(nodes=20_000), multipv=3):
        print(info["multipv"], info["score"], [str(move) for move in info["pv"]])

    with engine.analysis(board) as analysis:
        for info in analysis:
            print(info.get("depth"), info.get("score"), info.get("nodes"))
            if info.get("depth", 0) >= 8:
                break


def programs(gtp: SimpleGtp, nboard: SimpleNBoard) -> list[othello.Move | None]:
    """Return the moves of programs for the start of a game of Othello."""
    board = othello.Board()
    assert_type(nboard.analyse(board, Limit(depth=4), multipv=2), list[Info[othello.Move]])
    assert_type(nboard.analyse(board, Limit(depth=4)), Info[othello.Move])
    moves = [gtp.play(board, Limit(depth=4)).move, nboard.play(board, Limit(depth=4)).move]
    assert_type(moves, list[othello.Move | None])
    return moves


def features(batch: Batch) -> None:
    """Take features of a position."""
    packed = batch.pack([batch.game.start])
    assert_type(batch.features(packed, "dlshogi1"), NDArray[Any])
    assert_type(batch.features(packed, "dlshogi1", "halfkp", dtype=np.float32), tuple[NDArray[Any], ...])
    games = next(iterate_random_games(batch, 2, longest=6))
    assert_type(games.moves, NDArray[np.int32])
    assert_type(records.to_arrays(records.from_arrays(games)).starts, list[str])
    assert_type(opening_moves(batch, games).counts, NDArray[np.int64])
    board = shogi.Board()
    assert_type(next(iter(board.legal_moves)), shogi.Move)
    assert_type((shogi.BB_A1, shogi.G7, shogi.shift_up(1)), tuple[int, int, int])
