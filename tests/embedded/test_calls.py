"""Tasks of hosts without Python, called from Python: what the page's text and arrays cannot hold.

Their own kernels are called: `call`, which has all of them, takes twenty seconds to compile.
"""

import numpy as np
import pytest

from shogi_engine import embedded
from shogi_engine.embedded import shogi
from shogi_engine.games.shogi.texts import JAPANESE, KIF
from shogi_engine.jit import new_record
from shogi_engine.search.root import Searcher


@pytest.fixture(scope="module")
def page():
    """Return a page at the start of a game, with room for a search; its searcher keeps the memory."""
    searcher = Searcher(shogi.GAME, hash_mb=1, threads=1)
    ctx = searcher._contexts[0]
    searcher.tt.attach(ctx)
    np.asarray(ctx)["params"], np.asarray(ctx)["evaluation"] = searcher.params, searcher.evaluator.params
    page = new_record(shogi.PAGE)
    fields = np.asarray(page)
    fields["search_flags"] = searcher.search_flags
    return page, ctx, searcher


def written(page, text):
    """Write the page's text and return its length."""
    data = np.frombuffer(text.encode(), dtype=np.uint8)
    page[0].text[: len(data)] = data
    return len(data)


def made(page, position):
    """Make a position the root; return the number of moves made."""
    length = written(page, position)
    return int(embedded.set_position(page[1], page[0].text, length))


def names(page, moves, style):
    """Name moves; return the end of the text and the names."""
    end = int(shogi.write_names(*page[:2], written(page, moves), style))
    return end, page[0].text[len(moves) + 1 : end].tobytes().decode().split()


def test_root_moves_that_are_named_again_and_again_count_once(page):
    assert made(page, shogi.GAME.start) == 0
    moves = "7g7f 2g2f " * 2000
    length = written(page, f"{int(page[1].tt_clusters)} 1 1 1000 -1 0 {moves.strip()}")
    assert embedded.prepare(*page[:2], length) == 2


def test_names_end_where_the_text_is_full(page):
    assert made(page, shogi.GAME.start) == 0
    moves = " ".join(["2h3h", "8b7b", "3h2h", "7b8b"] * 1000)
    end, found = names(page, moves, JAPANESE)
    assert len(moves) < end <= embedded.TEXT_BYTES
    assert 1000 < len(found) < 4000 and found[:4] == found[4:8]


def test_names_of_a_game_that_is_longer_than_what_is_kept_of_it(page):
    """Only the first undo record after the root's changes, not the root, and nothing behind the undo records."""
    assert made(page, f"{shogi.GAME.start} moves 2h3h 8b7b") == 2
    context = np.asarray(page[1])
    before = np.frombuffer(context.tobytes(), dtype=np.uint8)
    moves = " ".join(["3h2h", "7b8b", "2h3h", "8b7b"] * 300)
    _, found = names(page, moves, KIF)
    assert found == ["２八飛(38)", "８二飛(72)", "３八飛(28)", "７二飛(82)"] * 300
    changed = np.flatnonzero(before != np.frombuffer(context.tobytes(), dtype=np.uint8))
    undo, size = context.dtype.fields["undo"][1], context["undo"].dtype.itemsize
    assert changed.min() >= undo + 2 * size and changed.max() < undo + 3 * size
