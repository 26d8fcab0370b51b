"""What a match's records say: as JSON, in a line, and as a picture."""

from collections import Counter
from pathlib import Path
from typing import Any

from shogi_engine.match_statistics import Estimate, Sprt, estimate, log_likelihood_ratio, pentanomial
from tools.match.runner import Record

SIDES = ("first", "second")
POINTS = 200  # of a picture's curve, about


def summarise(records: dict[int, Record], sprt: Sprt | None) -> Record:
    """Return the match's figures as JSON has them."""
    scores = {game: record["score"] for game, record in records.items()}
    pairs = pentanomial(scores)
    result = estimate(pairs)
    results = Counter(scores.values())
    summary: Record = {
        "games": len(scores),
        "wins": results[1.0],
        "draws": results[0.5],
        "losses": results[0.0],
        "pairs": pairs,
        "score": round(result.score, 4),
        "elo": round(result.elo, 1),
        "elo95": [round(result.low, 1), round(result.high, 1)],
        "los": round(result.los, 4),
    }
    if sprt:
        summary["sprt"] = _test(pairs, sprt)
    black = sum(score if game % 2 == 0 else 1 - score for game, score in scores.items())
    summary["black_score"] = round(black / max(len(scores), 1), 4)
    summary["plies"] = round(sum(record["plies"] for record in records.values()) / max(len(records), 1), 1)
    reasons = Counter(_reason(record) for record in records.values())
    summary["reasons"] = dict(sorted(reasons.items()))
    faults = {side: Counter[str]() for side in SIDES}
    for record in records.values():
        if record.get("fault"):
            faults[SIDES[int(record["score"])]][record["fault"]] += 1  # whoever committed it has lost
    summary["faults"] = {side: dict(counts) for side, counts in faults.items()}
    for side in SIDES:
        summary[side] = _usage([record[side] for record in records.values() if side in record])
    return summary


def _reason(record: Record) -> str:
    winner = {1.0: "first wins", 0.5: "draw", 0.0: "second wins"}[record["score"]]
    return f"{winner}: {record['reason'].split(':')[0]}"


def _test(pairs: list[int], sprt: Sprt) -> dict[str, Any]:
    """Return the figures of the sequential test."""
    ratio = log_likelihood_ratio(pairs, sprt.elo0, sprt.elo1)
    return {
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "llr": round(ratio, 3),
        "bounds": [round(bound, 3) for bound in sprt.bounds],
        "verdict": sprt.verdict(pairs),
    }


def _usage(used: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what one player used in all games."""
    moves = sum(each["moves"] for each in used) or 1
    return {
        "ms_per_move": round(sum(each["ms"] for each in used) / moves, 2),
        "nodes_per_move": round(sum(each["nodes"] for each in used) / moves),
        "late": sum(each.get("late", 0) for each in used),
        "longest_ms": round(max((each.get("longest", 0.0) for each in used), default=0.0), 1),
    }


def line(summary: Record) -> str:
    """Return the figures in one line."""
    low, high = summary["elo95"]
    text = f"{summary['games']} games +{summary['wins']} ={summary['draws']} -{summary['losses']}"
    text += f"  Elo {summary['elo']:+.1f} (95 %: {low:+.1f} to {high:+.1f})  LOS {100 * summary['los']:.1f} %"
    if "sprt" in summary:
        test = summary["sprt"]
        low, high = test["bounds"]
        text += f"  LLR {test['llr']:+.2f} [{low}, {high}] for [{test['elo0']:g}, {test['elo1']:g}] {test['verdict']}"
    faults = {side: count for side, of in summary["faults"].items() if (count := sum(of.values()))}
    return text + (f"  faults {faults}" if faults else "")


def plot(scores: dict[int, float], sprt: Sprt | None, path: Path) -> None:
    """Draw how Elo, its interval and the likelihood ratio came about, scores : by game. Needs matplotlib."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    games = sorted(scores)
    steps: list[tuple[int, Estimate, float]] = []
    known: dict[int, float] = {}
    for count, game in enumerate(games, 1):
        known[game] = scores[game]
        if game % 2 == 1 and (count % max(len(games) // POINTS * 2, 2) == 0 or count == len(games)):
            pairs = pentanomial(known)
            ratio = log_likelihood_ratio(pairs, sprt.elo0, sprt.elo1) if sprt else 0.0
            steps.append((count, estimate(pairs), ratio))
    figure, axes = pyplot.subplots(2 if sprt else 1, 1, sharex=True, squeeze=False, figsize=(8, 6))
    above, x = axes[0][0], [count for count, _, _ in steps]
    above.plot(x, [result.elo for _, result, _ in steps], label="Elo")
    above.fill_between(x, [r.low for _, r, _ in steps], [r.high for _, r, _ in steps], alpha=0.3, label="95 %")
    if steps:
        last = steps[-1][1]
        above.set_ylim(last.elo - 6 * max(last.error, 5), last.elo + 6 * max(last.error, 5))
    above.axhline(0, color="grey", linewidth=0.5)
    above.set_ylabel("Elo of the first")
    above.legend()
    if sprt:
        below = axes[1][0]
        below.plot(x, [ratio for _, _, ratio in steps])
        for bound in sprt.bounds:
            below.axhline(bound, color="grey", linestyle="--")
        below.set_ylabel(f"LLR of {sprt.elo1:g} against {sprt.elo0:g}")
    axes[-1][0].set_xlabel("games")
    figure.tight_layout()
    figure.savefig(path)
