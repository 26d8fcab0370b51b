"""The statistics of matches, against figures of fishtest, brute force, and simulated matches."""

import math
import random

import pytest

from shogi_engine.common.match_statistics import (
    Sprt,
    constrained,
    distribution,
    elo_difference,
    estimate,
    expected_score,
    log_likelihood_ratio,
    pentanomial,
)

# What fishtest's LLRcalc.LLR_logistic gives; the first is its own test's sample.
RATIOS = [
    ((10789, 19328, 33806, 19402, 10543), -3, 1, 2.1310678117857),
    ((39, 2226, 31451, 2412, 40), 0.2, 0.9, 2.162542580049),
    ((0, 10, 20, 50, 20), 0, 5, 1.4286861064744),
    ((3, 20, 45, 25, 7), 0, 10, 0.6959726064981),
]
# What fishtest's stat_util.get_elo gives: Elo, half the 95 % interval, likelihood of superiority.
ESTIMATES = [
    ((10789, 19328, 33806, 19402, 10543), -0.7735773359165423, 1.2775798957280218, 0.1176588580327751),
    ((39, 2226, 31451, 2412, 40), 0.902981048809024, 0.6625314859816553, 0.9962220973354207),
    ((1187, 7410, 13475, 7378, 1164), -0.4426077992236841, 1.7298590276177421, 0.3080138791226903),
    ((50, 400, 1000, 450, 60), 6.204866471299001, 6.235842323937144, 0.9744626991857153),
]


@pytest.mark.parametrize(("pairs", "elo0", "elo1", "ratio"), RATIOS)
def test_likelihood_ratio_is_fishtests(pairs, elo0, elo1, ratio):
    assert log_likelihood_ratio(pairs, elo0, elo1) == pytest.approx(ratio, abs=1e-8)


@pytest.mark.parametrize(("pairs", "elo", "error", "los"), ESTIMATES)
def test_elo_interval_and_superiority_are_fishtests(pairs, elo, error, los):
    found = estimate(pairs)
    assert (found.elo, found.error, found.los) == pytest.approx((elo, error, los), rel=1e-9)


def test_scores_and_elo_are_inverse_and_the_usual_ones():
    assert str(elo_difference(0.5)) == "0.0"  # not -0.0
    assert elo_difference(0.75) == pytest.approx(190.848, abs=1e-3)
    assert expected_score(100) == pytest.approx(0.640065, abs=1e-6)
    for elo in (-300, -5, 0, 70):
        assert elo_difference(expected_score(elo)) == pytest.approx(elo)


def test_the_constrained_distribution_is_the_likeliest_with_its_mean():
    _, distributed = distribution((3, 20, 45, 25, 7))
    score = expected_score(10)
    best = constrained(distributed, score)
    values = [value for value, _ in distributed]
    assert sum(best) == pytest.approx(1)
    assert sum(value * p for value, p in zip(values, best, strict=True)) == pytest.approx(score)

    def likelihood(probabilities):
        return sum(p * math.log(q) for (_, p), q in zip(distributed, probabilities, strict=True))

    rng = random.Random(1)
    for _ in range(500):  # steps that keep sum and mean: every one lowers the likelihood
        first, middle, last = sorted(rng.sample(range(5), 3))
        share = (last - middle) / (last - first)
        step = rng.uniform(-0.2, 0.2) * min(best)
        other = list(best)
        other[middle] += step
        other[first] -= step * share
        other[last] -= step * (1 - share)
        assert likelihood(other) <= likelihood(best) + 1e-15


def test_the_ratio_grows_with_the_score_and_changes_sign_with_the_sides():
    ratios = [
        log_likelihood_ratio(pairs, -5, 5) for pairs in ((5, 25, 40, 20, 5), (5, 20, 40, 20, 5), (5, 20, 40, 25, 5))
    ]
    assert ratios[0] < ratios[1] < ratios[2]
    assert ratios[1] == pytest.approx(0, abs=1e-9)
    assert ratios[0] == pytest.approx(-ratios[2])
    assert log_likelihood_ratio((0,) * 5, 0, 10) == 0


def test_pairs_that_agree_are_less_certain_than_pairs_that_cancel():
    agreeing, cancelling = estimate((50, 0, 0, 0, 50)), estimate((0, 0, 100, 0, 0))
    assert agreeing.elo == cancelling.elo == pytest.approx(0)
    assert agreeing.error > 5 * cancelling.error


def test_pairs_count_when_both_games_are_there():
    assert pentanomial({0: 1.0, 1: 1.0, 2: 0.5, 3: 0.0, 5: 1.0}) == [0, 1, 0, 0, 1]


def test_one_pair_proves_little():
    for place in range(5):
        pairs = [0] * 5
        pairs[place] = 1
        found = estimate(pairs)
        assert found.error > 150
        assert 0.01 < found.los < 0.99


def test_estimates_stay_finite_without_games_and_at_clean_sweeps():
    for pairs in ((0,) * 5, (0, 0, 0, 0, 9), (9, 0, 0, 0, 0), (0, 0, 1, 0, 0)):
        found = estimate(pairs)
        assert all(math.isfinite(each) for each in (found.elo, found.low, found.high, found.los))
        assert found.low <= found.elo <= found.high
        assert math.isfinite(log_likelihood_ratio(pairs, 0, 10))


def test_bounds_and_arguments_of_the_sequential_test():
    assert Sprt(0, 10).bounds == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert Sprt(0, 10).verdict((0,) * 5) == ""
    assert Sprt(0, 10).verdict((10, 100, 300, 200, 40)) == "accepted"
    assert Sprt(0, 10).verdict((40, 200, 300, 100, 10)) == "rejected"
    with pytest.raises(ValueError, match="elo0 < elo1"):
        Sprt(10, 0)
    with pytest.raises(ValueError, match="risks"):
        Sprt(0, 10, alpha=0.7)


@pytest.mark.parametrize(("elo", "wrong"), [(0, "accepted"), (20, "rejected")])
def test_the_sequential_test_errs_as_seldom_as_it_says(elo, wrong):
    """Simulated matches at either end of [0, 20]: about 5 % end in the wrong verdict."""
    rng, test, errors, matches = random.Random(7), Sprt(0, 20), 0, 120
    win = expected_score(elo) - 0.15  # 30 % draws
    for _ in range(matches):
        pairs = [0] * 5
        verdict = ""
        while not verdict:
            for _ in range(32):
                score = sum(2 if (roll := rng.random()) < win else 1 if roll < win + 0.3 else 0 for _ in range(2))
                pairs[score] += 1
            verdict = test.verdict(pairs)
        errors += verdict == wrong
    assert errors <= 0.05 * matches + 3 * math.sqrt(0.05 * 0.95 * matches)
