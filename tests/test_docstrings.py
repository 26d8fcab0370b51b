"""The examples in the docstrings of what programs import do what they say; each of these modules has some."""

import doctest
import importlib

import pytest

MODULES = [
    "shogi_engine.games.shogi.board",
    "shogi_engine.games.shogi.base_board",
    "shogi_engine.games.shogi.pieces",
    "shogi_engine.games.shogi.packed",
    "shogi_engine.games.othello.board",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0 and results.failed == 0
