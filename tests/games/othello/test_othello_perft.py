"""Perft in both modes against the published counts, and against the naive twin on boards that no game reaches."""

import pytest
from hypothesis import given

from shogi_engine.games.othello import GAME
from shogi_engine.perft import perft
from tests.support.othello_cases import FACTS, POSITIONS, random_positions
from tests.support.sizes import sized
from tests.support.twins.naive_othello import State, perft as naive_perft

MODES = {"mode1": False, "mode2": True}  # mode 2: a pass is free

# A board where passes are common, one that one side has nearly won by wiping out the other, and a full one.
SPECIAL = (
    "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO-------- X",
    "OXXXXXX-XOOOOO--XOOOOO--XOOOOO--XOOOOO--XOOOOO--XOOOOO---------- O",
    "--------------------X------XO----------------------------------- X",
    "XO-------------------------------------------------------------- O",
    "XO" * 32 + " X",
    "-" * 64 + " X",
)


def leaves(text, depth, **options):
    """Return perft's count for a position's text."""
    return perft(GAME, GAME.parse_position(text), depth, **options).nodes


@pytest.mark.parametrize("depth", [*range(1, 11), pytest.param(11, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", MODES)
def test_published_counts(mode, depth):
    assert leaves(GAME.start, depth, free_pass=MODES[mode]) == FACTS["perft"][mode][depth - 1]


@pytest.mark.parametrize("depth", [*range(1, 10), *(pytest.param(depth, marks=pytest.mark.slow) for depth in (10, 11))])
@pytest.mark.parametrize("mode", MODES)
def test_published_counts_by_making_every_move(mode, depth):
    assert leaves(GAME.start, depth, bulk=False, free_pass=MODES[mode]) == FACTS["perft"][mode][depth - 1]


@pytest.mark.slow
def test_published_counts_at_depth_12_with_threads():
    for mode, free_pass in MODES.items():
        assert leaves(GAME.start, 12, free_pass=free_pass, threads=2) == FACTS["perft"][mode][11]


def agree_with_the_twin(text, depth):
    """Assert that all four ways to count agree with the naive twin."""
    for free_pass in (False, True):
        wanted = naive_perft(State.from_text(text), depth, free_pass)
        for bulk in (False, True):
            assert leaves(text, depth, bulk=bulk, free_pass=free_pass) == wanted, (text, depth, bulk, free_pass)


@pytest.mark.parametrize("text", SPECIAL)
def test_special_positions(text):
    for depth in range(1, 4):
        agree_with_the_twin(text, depth)


@given(POSITIONS)
def test_any_board_to_depth_2(text):
    for depth in (1, 2):
        agree_with_the_twin(text, depth)


def test_late_positions_to_depth_3():
    """Near the end a reply is often a pass, or there is none: the counts of two plies at once must know."""
    late = [pos for pos in random_positions(40, "late") if GAME.format_position(pos).count("-") <= 6]
    texts = [GAME.format_position(pos) for pos in late]
    for text in texts[: sized(50, 150)]:
        agree_with_the_twin(text, 2)
        agree_with_the_twin(text, 3)
    passing = [text for text in texts if State.from_text(text).legal_moves() == ["pass"]]
    finished = [text for text in texts if not State.from_text(text).legal_moves()]
    assert len(texts) > 150 and passing and finished


def test_divide_adds_up():
    result = perft(GAME, GAME.parse_position(GAME.start), 6)
    assert result.divide.keys() == {"d3", "c4", "f5", "e6"}
    assert set(result.divide.values()) == {FACTS["perft"]["mode1"][5] // 4}
