"""A Score from its text, as its repr shows it."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from shogi_engine.types.results import Score


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
