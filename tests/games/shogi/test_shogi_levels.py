"""Shogi's book and levels as every front end reaches them: through Engine."""

import random
import threading

import pytest

from shogi_engine.games.shogi import names
from shogi_engine.interface.extras import BookError
from tests.support.text_engine import TextEngine

AFTER = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"


@pytest.fixture(scope="module")
def engine():
    with TextEngine("shogi", hash_mb=1) as engine:
        yield engine


def test_levels_bound_the_search(engine):
    engine.set_position()
    assert engine.game.extras.levels == names.FULL + 1 == 21
    engine.rng = random.Random(1)
    chosen = {engine.search(level=0).bestmove for _ in range(20)}
    assert len(chosen) > 5 and chosen <= set(engine.legal_moves())  # any move
    assert engine.search(level=9).depth == 1
    assert 200 < engine.search(level=11).nodes < 2000
    assert engine.search(level=9, depth=2).depth == 1  # whichever is reached first
    assert engine.search(level=12, nodes=300).nodes < 600 and engine.search(level=12, nodes=10**6).nodes < 10**5
    assert engine.search(level=0, searchmoves=["1g1f"]).bestmove == "1g1f"
    for wrong in (21, 99):
        with pytest.raises(ValueError, match="level must be 0 to 20"):
            engine.search(level=wrong)


def test_the_highest_level_limits_nothing_but_a_search_without_any_limit(engine, monkeypatch):
    engine.set_position()
    assert engine.check_level(names.FULL).is_full_strength() and not engine.check_level(19).is_full_strength()
    assert engine.search(level=20, depth=3).depth == 3
    assert engine.search(level=20, nodes=2000).nodes >= 2000
    monkeypatch.setattr("shogi_engine.engine.engine.FULL_STRENGTH_MS", 50)
    rescue = threading.Timer(60, engine.stop)  # of a search that does not end by itself
    rescue.start()
    assert engine.search(level=20).seconds < 50
    rescue.cancel()


def test_the_book_is_the_shipped_one_unless_another_is_opened(engine, tmp_path):
    engine.set_position()
    assert engine.book_move() in engine.legal_moves()
    path = tmp_path / "mine.db"
    path.write_text(f"sfen {AFTER}\n3c3d 2g2f -20 9 1\n8c8d none -22 9 1\n1c1d none -90 9 1\n")
    engine.book.open(str(path))
    assert engine.book_move() == ""
    engine.set_position(moves=["7g7f"])
    assert {engine.book_move() for _ in range(40)} == {"3c3d", "8c8d"}
    found = engine.book.choice(engine.here, best=1)
    assert (found.move, found.ponder, found.value, found.depth) == ("3c3d", "2g2f", -20, 9)
    with pytest.raises(BookError, match="No such file"):
        engine.book.open(str(tmp_path / "missing.db"))
    assert engine.book_move() == ""
    engine.book.open("no_book")
    assert engine.book_move() == ""
    engine.book.open()
    engine.set_position()
    assert engine.book_move() in engine.legal_moves()
