"""A program with types: engines, clients, boards, records. mypy and pyright check what it says of them."""

# pyright: strict
from collections import Counter
from collections.abc import Iterator
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from shogi_engine import Engine, Limit, Score, othello, records, shogi
from shogi_engine.batch import Batch, iterate_random_games, opening_moves
from shogi_engine.clients.gtp import GtpClient, SimpleGtp
from shogi_engine.clients.nboard import NBoardClient, SimpleNBoard
from shogi_engine.clients.usi import Option, Search, SimpleEngine, UsiClient
from shogi_engine.games.game_board import LegalMoves
from shogi_engine.types.outcomes import Outcome, Termination
from shogi_engine.types.results import ForcedWin, Info, PlayResult


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


async def clients(usi: UsiClient, gtp: GtpClient, nboard: NBoardClient) -> None:
    """Search with the asynchronous clients."""
    board, limit = othello.Board(), Limit(depth=4)
    assert_type(await usi.play(shogi.Board(), limit), PlayResult[shogi.Move])
    assert_type(await usi.play("startpos", limit), PlayResult[str])
    assert_type(await usi.analyse("startpos", limit, multipv=2), list[Info[str]])
    assert_type(await usi.mate("startpos"), ForcedWin[str])
    search = await usi.analysis(shogi.Board(), limit)
    assert_type(search, Search[shogi.Move])
    async with search:
        async for info in search:
            assert_type(info.score, Score | None)
    assert_type(dict(usi.listed), dict[str, Option])
    assert_type((await gtp.play(board, limit)).move, othello.Move | None)
    assert_type((await nboard.play(board, limit)).move, othello.Move | None)
    assert_type(await nboard.analyse(board, limit), Info[othello.Move])
    assert_type(await nboard.analyse(board, limit, multipv=2), list[Info[othello.Move]])


def boards(board: shogi.Board, other: othello.Board) -> None:
    """Use Boards of both games."""
    assert_type(board.legal_moves, LegalMoves[shogi.Move])
    assert_type(board.push_text("7g7f"), shogi.Move)
    assert_type(board.pop().from_square, int | None)
    assert_type(board.copy(), shogi.Board)
    assert_type(board.outcome(), Outcome | None)
    assert_type(board.piece_at(shogi.G7), shogi.Piece | None)
    assert_type(board.attackers(shogi.BLACK, shogi.F7) & board.occupied[shogi.BLACK], shogi.SquareSet)
    assert_type(board.pieces_in_hand, list[Counter[int]])
    assert_type(list(other.legal_moves), list[othello.Move])
    assert_type(other.push_text("f5"), othello.Move)
    assert_type(other.copy(), othello.Board)


def trees(record: records.GameRecord) -> Iterator[records.Node]:
    """Read a record; generate its moves."""
    for node in record.main_line:
        assert_type((node.move, node.seconds, node.comment), tuple[str, float | None, str])
        yield from node.variations
    assert_type(record.ending, Termination)
    assert_type(records.loads(records.dumps(record, "jsonl")), list[records.GameRecord])
    try:
        record.check()
    except records.RecordError as fault:
        assert_type((fault.line, fault.number), tuple[int | None, int | None])
