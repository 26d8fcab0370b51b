"""Score: a value that can be negated, compared and written."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from shogi_engine.types.results import MATE_SCORE, Score

PLIES = st.none() | st.integers(0, 200)
SCORES = (
    st.integers(-9000, 9000).map(Score)
    | PLIES.map(Score.mate_in)
    | PLIES.map(Score.mated_in)
)  # fmt: skip


@given(SCORES | st.integers(-6400, 6400).map(lambda value: Score.discs(value / 100)))
def test_texts_are_read_back(score):
    assert Score.parse(str(score)) == score and (-score).__neg__() == score
    assert score.chance() + (-score).chance() == pytest.approx(1)
    assert pickle.loads(pickle.dumps(score)) == score


@given(st.integers(-9000, 9000).map(Score))
def test_a_chance_is_read_back(score):
    assert Score.of_chance(score.chance()) == score


@given(SCORES, SCORES)
def test_order(one, two):
    assert (one < two) == (-two < -one) and (one < two) + (two < one) + (one == two) == 1
    assert not (one < two and one.chance() > two.chance())


def test_mates():
    order = ["mate -0", "mate -3", "mate -", "cp -31000", "cp 0", "cp 31000", "mate +", "mate 5", "mate 0"]
    scores = [Score.parse(text) for text in order]
    assert sorted(set(scores)) == scores and max(scores) == Score.mate_in(0)
    assert [str(-score) for score in scores[:3]] == ["mate 0", "mate 3", "mate +"]
    assert (Score.mated_in(4).value, Score.mated_in(4).mate) == (-MATE_SCORE, True)


def test_units():
    assert Score.discs(3) < Score.mate_in(9) and Score.discs(-2.5).values() == {"discs": -2.5}
    assert (Score.parse("mate -4").values(), Score(12).values()) == ({"mate": -4}, {"cp": 12})
    assert f"{Score(5):>6}" == "  cp 5" and repr(-Score.discs(0)) == "Score('discs 0')"
    with pytest.raises(TypeError):
        assert Score(1) < Score.discs(1)
    for text in ("cp", "cp x", "mate", "", "12", "cp 1 lowerbound"):
        with pytest.raises(ValueError, match="number|score"):
            Score.parse(text)


def test_a_mate_has_no_negative_length():
    for make in (Score.mate_in, Score.mated_in):
        with pytest.raises(ValueError, match="0 plies or more, not -3"):
            make(-3)


# ---- texts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "score",
    [
        Score(3), Score(-40), Score.mate_in(5), Score.mated_in(4), Score.mate_in(None), Score.mated_in(0),
        Score.discs(2.5),
    ],
)  # fmt: skip
def test_the_repr_of_a_score_is_the_score(score):
    assert eval(repr(score)) == score == Score(str(score)) == Score.parse(str(score))
    assert pickle.loads(pickle.dumps(score)) == score == replace(score) and hash(Score(str(score))) == hash(score)


@pytest.mark.parametrize("text", ["", "3", "cp", "cp x", "mate", "points 3"])
def test_what_is_no_score_is_refused(text):
    with pytest.raises(ValueError):
        Score(text)


@pytest.mark.parametrize("value", [None, [3], b"cp 3", Score(3)])
def test_a_value_is_a_number(value):
    with pytest.raises(TypeError, match="a score must be a number"):
        Score(value)
    assert str(Score(np.int16(3))) == "cp 3"
