"""A program with types, for `Engine` and for clients of other engines; mypy checks what it says of them."""

from typing import assert_type

from shogi_engine import Engine, Limit, Score, othello, shogi
from shogi_engine.clients.usi import Info, PlayResult, SimpleEngine


def program(engine: Engine | SimpleEngine, board: shogi.Board) -> list[shogi.Move]:
    """Return the moves that an engine plays and expects."""
    found = engine.play(board, Limit(nodes=100))
    info = engine.analyse(board, Limit(nodes=100))
    lines = engine.analyse(board, Limit(nodes=100), multipv=2)
    assert_type(found, PlayResult[shogi.Move])
    assert_type(found.move, shogi.Move | None)
    assert_type(info, Info[shogi.Move])
    assert_type(info["score"], Score)
    assert_type(info["time"], float)
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
    assert_type(othello_engine.search(nodes=100).pv, tuple[str, ...])
    assert_type(shogi_engine.mate(shogi.Board(), Limit(nodes=100)).moves, tuple[shogi.Move, ...])
