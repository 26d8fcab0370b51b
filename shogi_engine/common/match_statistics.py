"""Statistics of a match: Elo with its interval, likelihood of superiority, the sequential test. Standard library only.

Games come in pairs: each opening is played twice with colours swapped. A pair's two results depend on each other, so
the sample is the pair. `pairs` is the pentanomial: how many pairs scored 0, 1/2, 1, 3/2 and 2 for the first player.
Elo is logistic: 400 points are odds of 10 : 1.
Formulas: M. Van den Bergh's notes for fishtest, https://www.cantate.be/Fishtest/ (GSPRT_approximation.pdf), and the
Chess Programming Wiki, "Match Statistics" and "Sequential Probability Ratio Test".
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Z_95 = 1.959963984540054
UNSEEN = 1e-3  # count of unseen results, so that no logarithm is infinite; as in fishtest
ELO_PER_SCORE = 1600 / math.log(10)  # the slope of Elo over the score (0 to 1) between equals


def expected_score(elo: float) -> float:
    """Return the expected score, 0 to 1, of a player who is `elo` points stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_difference(score: float) -> float:
    """Return the Elo difference of a score, which is limited to 0.001..0.999."""
    score = min(max(score, 1e-3), 1 - 1e-3)
    return 400 * math.log10(score / (1 - score))


def pentanomial(scores: Mapping[int, float]) -> list[int]:
    """Return how many pairs scored 0, 1/2, 1, 3/2 and 2 for the first player.

    Args:
        scores: the first player's scores (0, 1/2 or 1) by game number; games 2 n and 2 n + 1 are a pair, which counts
            once both are present
    """
    pairs = [0] * 5
    for game, score in scores.items():
        if game % 2 == 0 and game + 1 in scores:
            pairs[round(2 * (score + scores[game + 1]))] += 1
    return pairs


def normal_cdf(x: float) -> float:
    """Return the probability below x of the standard normal distribution."""
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def distribution(pairs: Sequence[float], unseen: float = UNSEEN) -> tuple[float, list[tuple[float, float]]]:
    """Return the number of pairs and [(score 0 to 1, probability)]; unseen results count as `unseen`."""
    counts = [count or unseen for count in pairs]
    total = math.fsum(counts)
    return total, [(place / (len(counts) - 1), count / total) for place, count in enumerate(counts)]


@dataclass(frozen=True)
class Estimate:
    """A match's result for the first player.

    Attributes:
        low, high: the 95 % confidence interval of the Elo difference
        los: the likelihood of superiority: the probability, 0 to 1, that the first player is stronger
    """

    score: float
    elo: float
    low: float
    high: float
    los: float

    @property
    def error(self) -> float:
        """Half the length of the interval."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        return f"Elo {self.elo:+.1f} (95 %: {self.low:+.1f} to {self.high:+.1f})"


def estimate(pairs: Sequence[int]) -> Estimate:
    """Return the estimate from the finished pairs; without any, it is unknown and the interval is the widest.

    While all pairs have the same score, their variance is unknown: each other result then counts as half a pair.
    """
    number = sum(pairs)
    if number == 0:
        return Estimate(0.5, 0.0, elo_difference(0), elo_difference(1), 0.5)
    scores = [place / (len(pairs) - 1) for place in range(len(pairs))]
    mean = math.fsum(score * count for score, count in zip(scores, pairs, strict=True)) / number
    total, distributed = distribution(pairs, UNSEEN if len(pairs) - list(pairs).count(0) > 1 else 0.5)
    middle = math.fsum(score * p for score, p in distributed)
    variance = math.fsum((score - middle) ** 2 * p for score, p in distributed)
    error = math.sqrt(variance / total)
    low, high = elo_difference(mean - Z_95 * error), elo_difference(mean + Z_95 * error)
    return Estimate(mean, elo_difference(mean), low, high, normal_cdf((mean - 0.5) / error))


def constrained(distributed: Sequence[tuple[float, float]], score: float) -> list[float]:
    """Return the probabilities nearest in likelihood to `distributed` whose mean is `score`.

    They are p / (1 + x (a - score)), where x solves sum p (a - score) / (1 + x (a - score)) = 0. The sum decreases in x
    between its two poles, so bisection finds x.
    """
    steps = [(value - score, p) for value, p in distributed]
    low = -1 / max(step for step, _ in steps)
    high = -1 / min(step for step, _ in steps)
    for _ in range(200):
        x = (low + high) / 2
        if math.fsum(p * step / (1 + x * step) for step, p in steps) > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * step) for step, p in steps]


def log_likelihood_ratio(pairs: Sequence[int], elo0: float, elo1: float) -> float:
    """Return the generalised log-likelihood ratio of `elo1` against `elo0` (logistic Elo); 0 before the first pair."""
    if sum(pairs) == 0:
        return 0.0
    total, distributed = distribution(pairs)
    under0, under1 = (constrained(distributed, expected_score(elo)) for elo in (elo0, elo1))
    steps = zip(distributed, under0, under1, strict=True)
    return total * math.fsum(p * math.log(p1 / p0) for (_, p), p0, p1 in steps)


@dataclass(frozen=True)
class Sprt:
    """A sequential test: is the difference elo1 (accept) or elo0 (reject)?

    Attributes:
        alpha, beta: error probabilities
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"a sequential test needs elo0 < elo1, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"risks lie between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios that end the test."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def verdict(self, pairs: Sequence[int]) -> str:
        """Return 'accepted' (elo1), 'rejected' (elo0), or '' while the match has to continue."""
        low, high = self.bounds
        ratio = log_likelihood_ratio(pairs, self.elo0, self.elo1)
        return "rejected" if ratio <= low else "accepted" if ratio >= high else ""
