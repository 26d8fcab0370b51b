"""The search's parameters: one line each, used by the search, and at the head of every game's params record."""

import functools

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.engine import parameters
from shogi_engine.games.othello import params as othello_params
from shogi_engine.games.shogi import params as shogi_params
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.parameters import SEARCH_FIELDS, SEARCH_PARAMETERS, SEARCH_RANGES, search_defaults
from shogi_engine.suites import POSITIONS
from tests.support.text_engine import TextEngine

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


DEPTH, DEEPER = 7, 9
# Values beyond the range for tuning, at DEEPER, where those within it change nothing in so small a search.
EXTREMES = {
    "aspiration_max": 1, "nmp_depth_divisor": 1000, "nmp_verify_depth": 1, "double_margin": -3000, "double_pv": -3000,
    "singular_deep": 1000, "triple_pv": -3000, "triple_tt_pv": -3000, "tt_trust_multicut.0": -100_000,
    "tt_trust_multicut.1": -100_000, "tt_trust_multicut.2": -100_000,
}  # fmt: skip
ELSEWHERE = {"score_noise"}  # of time management: tests/usi/test_clock.py
OF_SEARCH = {each.name for each in SEARCH_PARAMETERS}
TUNABLE = {name: each for name, each in parameters.tunable(GAMES[0]).items() if name.partition(".")[0] in OF_SEARCH}


@pytest.fixture(scope="module")
def searched():
    """Return a function that yields the nodes of a search of each of the bench's positions, with some parameters."""
    with TextEngine("shogi", hash_mb=1) as engine:
        engine.solve_roots = False
        plain = parameters.defaults(GAMES[0])

        @functools.cache
        def nodes(place, depth, **changed):
            engine.new_game()
            engine.configure(**changed)
            sfen, moves = POSITIONS["shogi"][1][place]
            engine.set_position(sfen, moves.split())
            found = engine.search(depth=depth).nodes
            engine.configure(**{name: plain[name] for name in changed})
            return found

        yield nodes


@pytest.mark.skipif(JIT_DISABLED, reason="takes long without JIT")
@pytest.mark.parametrize("name", sorted(TUNABLE.keys() - ELSEWHERE))
def test_each_changes_the_search(searched, name):
    """A part of the search that is gone is noticed by its parameters, also where the bench's nodes stay the same."""
    each, depth = TUNABLE[name], DEEPER if name in EXTREMES else DEPTH
    values = [EXTREMES[name]] if name in EXTREMES else [each.most, each.least]
    places = range(len(POSITIONS["shogi"][1]))
    assert any(
        searched(place, depth, **{name: value}) != searched(place, depth) for value in values for place in places
    )


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
