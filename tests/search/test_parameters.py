"""The search's parameters: one line each, used by the search, and at the head of every game's params record."""

import re

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.engine import parameters
from shogi_engine.games.othello import params as othello_params
from shogi_engine.games.shogi import params as shogi_params
from shogi_engine.search.parameters import SEARCH_FIELDS, SEARCH_PARAMETERS, SEARCH_RANGES, search_defaults
from tests.support.processes import ROOT

GAMES = [games.load(name) for name in games.NAMES]


def test_each_name_stands_for_one_number_with_a_meaning():
    names = [each.name for each in SEARCH_PARAMETERS]
    assert len(set(names)) == len(names) > 50
    assert all(each.unit and each.meaning for each in SEARCH_PARAMETERS)


def test_each_default_is_inside_its_range():
    for each in SEARCH_PARAMETERS:
        assert (each.least is None) == (each.most is None) == (each.name not in SEARCH_RANGES)
        if each.least is not None:
            assert each.step >= 1
            assert all(each.least <= number <= each.most for number in np.atleast_1d(each.default))


def test_products_of_them_are_never_cut_to_32_bits():
    assert {field[1] for field in SEARCH_FIELDS} == {np.int64}


@pytest.mark.parametrize("each", SEARCH_PARAMETERS, ids=lambda each: each.name)
def test_the_search_uses_each(each):
    text = "".join(path.read_text() for path in (ROOT / "shogi_engine" / "search").glob("*.py"))
    assert re.search(rf"""params\.{each.name}\b|\["params"\]\["{each.name}"\]""", text)


@pytest.mark.parametrize("game", GAMES, ids=games.NAMES)
def test_every_game_has_them_with_the_defaults_it_does_not_set(game):
    names = [field[0] for field in SEARCH_FIELDS]
    assert list(game.params.names[: len(names)]) == names
    params, plain = game.default_params(), search_defaults(game.params)
    margins = {"shogi": shogi_params.MARGINS, "othello": othello_params.MARGINS}[game.name]
    for each in SEARCH_PARAMETERS:
        if each.least is not None:
            assert np.array_equal(params[each.name], margins.get(each.name, plain[each.name]))
            assert each.least <= np.min(params[each.name]) and np.max(params[each.name]) <= each.most


def test_what_has_a_range_can_be_tuned_by_element():
    declared = parameters.tunable(GAMES[0])
    assert {"lmr_base", "nmp_base", "continuation_weights.2", "correction_rates.5"} <= set(declared)
    assert declared["continuation_weights.1"].default == 648
    assert (declared["lmr_base"].least, declared["lmr_base"].most, declared["lmr_base"].step) == (-1000, 3000, 130)
