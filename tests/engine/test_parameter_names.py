"""A game's parameters by name: each can be read and set alone, and what is declared for tuning makes sense."""

import pytest

from shogi_engine import games
from shogi_engine.engine import parameters

GAMES = [games.load(name) for name in games.NAMES]


@pytest.mark.parametrize("game", GAMES, ids=games.NAMES)
def test_every_parameter_can_be_read_and_set_alone(game):
    names = list(parameters.names(game.default_params()))
    default = {name: parameters.value(game.default_params(), name) for name in names}
    assert "futility_margin" in names and len(names) == len(set(names))
    for name in names:
        params = game.default_params()
        parameters.set_value(params, name, 77)
        changed = [each for each in names if parameters.value(params, each) != default[each]]
        assert changed in ([name], [])
        assert parameters.value(params, name) == 77


@pytest.mark.parametrize("game", GAMES, ids=games.NAMES)
def test_what_is_declared_for_tuning_makes_sense(game):
    declared = parameters.tunable(game)
    known = parameters.defaults(game)
    assert set(declared) <= set(known)
    for each in declared.values():
        assert each.least <= each.default <= each.most and each.step >= 1
        assert each.default == known[each.name]


@pytest.mark.parametrize(
    "name", ["nothing", "king_piece", "values", "values.99", "values.-1", "futility_margin.0", "values.x"]
)
def test_what_is_no_parameter_is_refused(name):
    with pytest.raises(ValueError, match="no parameter"):
        parameters.set_value(GAMES[0].default_params(), name, 1)


def test_a_number_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="cannot be"):
        parameters.set_value(GAMES[0].default_params(), "futility_margin", 1 << 70)
