"""Othello for hosts without Python; see the package."""

from shogi_engine import games
from shogi_engine.embedded import answer, page_dtype
from shogi_engine.games.othello import texts  # noqa: F401  (its rules register)
from shogi_engine.jit import njit, record_reader

GAME = games.load("othello")
PAGE = page_dtype(GAME)
page_at = record_reader(PAGE)


@njit
def call(task, page, a, b):
    """Do a `task` (calls.RESET ...) with the page at an address."""
    return answer(page_at(page), task, a)
