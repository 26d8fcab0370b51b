"""The tasks of hosts without Python, called from Python: what the page's text and arrays cannot hold."""

import numpy as np
import pytest

from shogi_engine import embedded
from shogi_engine.embedded import shogi
from shogi_engine.games.shogi.texts import JAPANESE, KIF
from shogi_engine.jit import JIT_DISABLED, new_record
from shogi_engine.search.root import Searcher

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="kernels are called with addresses")


@pytest.fixture(scope="module")
def page():
    """Return a page at the start of a game, with room for a search; its searcher keeps the memory."""
    searcher = Searcher(shogi.GAME, hash_mb=1, threads=1)
    ctx = searcher._contexts[0]
    searcher.tt.attach(ctx)
    np.asarray(ctx)["params"], np.asarray(ctx)["evaluation"] = searcher.params, searcher.evaluator.params
    page = new_record(shogi.PAGE)
    fields = np.asarray(page)
    fields["ctx"], fields["search_flags"] = np.asarray(ctx).ctypes.data, searcher.search_flags
    return page, searcher


def task(page, number, text, style=0):
    """Do a task; return its result and the page's text."""
    record = np.asarray(page[0])
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    record["text"][: len(data)] = data
    end = int(shogi.call(number, record.ctypes.data, len(data), style))
    return end, record["text"]


def test_root_moves_that_are_named_again_and_again_count_once(page):
    assert task(page, embedded.POSITION, shogi.GAME.start)[0] == 0
    clusters = int(np.asarray(page[1]._contexts[0])["tt_clusters"])
    moves = "7g7f 2g2f " * 2000
    assert task(page, embedded.PREPARE, f"{clusters} 1 1 1000 -1 0 {moves.strip()}")[0] == 2


def test_names_end_where_the_text_is_full(page):
    assert task(page, embedded.POSITION, shogi.GAME.start)[0] == 0
    moves = " ".join(["2h3h", "8b7b", "3h2h", "7b8b"] * 1000)
    end, text = task(page, shogi.NAMES, moves, JAPANESE)
    assert len(moves) < end <= embedded.TEXT_BYTES
    names = text[len(moves) + 1 : end].tobytes().decode().split()
    assert 1000 < len(names) < 4000 and names[:4] == names[4:8]


def test_names_of_a_game_that_is_longer_than_what_is_kept_of_it(page):
    """Only the first undo record after the root's changes, not the root, and nothing behind the undo records."""
    assert task(page, embedded.POSITION, f"{shogi.GAME.start} moves 2h3h 8b7b")[0] == 2
    context = np.asarray(page[1]._contexts[0])
    before = np.frombuffer(context.tobytes(), dtype=np.uint8)
    moves = " ".join(["3h2h", "7b8b", "2h3h", "8b7b"] * 300)
    end, text = task(page, shogi.NAMES, moves, KIF)
    names = text[len(moves) + 1 : end].tobytes().decode().split()
    assert names == ["２八飛(38)", "８二飛(72)", "３八飛(28)", "７二飛(82)"] * 300
    changed = np.flatnonzero(before != np.frombuffer(context.tobytes(), dtype=np.uint8))
    undo, size = context.dtype.fields["undo"][1], context["undo"].dtype.itemsize
    assert changed.min() >= undo + 2 * size and changed.max() < undo + 3 * size
