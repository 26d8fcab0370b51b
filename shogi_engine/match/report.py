"""Reports on a match: as JSON, as a line, as a table, and as a picture."""

import math
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shogi_engine import records
from shogi_engine.common.match_statistics import (
    ELO_PER_SCORE,
    Estimate,
    Sprt,
    estimate,
    expected_score,
    log_likelihood_ratio,
    pentanomial,
)
from shogi_engine.common.text import table
from shogi_engine.language import current, mark, plural, translate
from shogi_engine.match.runner import SIDES, Record
from shogi_engine.pages import render
from shogi_engine.play.game import HUNDREDTHS
from shogi_engine.play.players import FAULT_TERMINATIONS
from shogi_engine.records import GameRecord
from shogi_engine.types.outcomes import ENDINGS, Outcome, Termination
from shogi_engine.types.results import Score

MATE_LEAST = 29_000  # scores from this on mean a mate, in logs of USI clients and of the search
PLY_CLASSES = (0, 30, 60, 90, 150)  # the first ply of each class of `own_scores`
POINTS = 200  # approximate number of points in a picture's curve
ROUNDS = 200  # iterations when fitting a tournament's ratings


def summarise(records: Mapping[int, Record], sprt: Sprt | None) -> Record:
    """Return the figures of a match between two players for JSON."""
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
            faults[SIDES[int(record["score"])]][record["fault"]] += 1  # the side that committed it has lost
    summary["faults"] = {side: dict(counts) for side, counts in faults.items()}
    for side in SIDES:
        summary[side] = usage([record[side] for record in records.values() if side in record])
        summary[side]["own_scores"] = own_scores(records, side)
    return summary


def own_scores(records: Mapping[int, Record], side: str) -> list[list[int]]:
    """Return [first ply, number, mean] of a player's scores for itself, mates left out, by PLY_CLASSES.

    Between equal players the means of correct scores are near 0; a player that overestimates its positions has higher
    ones in games that it does not win.
    """
    found: list[list[int]] = [[] for _ in PLY_CLASSES]
    for game, record in records.items():
        mover = (game + SIDES.index(side)) % 2
        for ply, score in enumerate(record.get("scores") or ()):
            if ply % 2 == mover and score is not None and abs(score) < MATE_LEAST:
                found[bisect(PLY_CLASSES, ply) - 1].append(score)
    rows = zip(PLY_CLASSES, found, strict=True)
    return [[first, len(scores), round(sum(scores) / len(scores))] for first, scores in rows if scores]


def _reason(record: Record) -> str:
    winner = {1.0: "first wins", 0.5: "draw", 0.0: "second wins"}[record["score"]]
    reason = "discs" if "discs" in record["reason"] else record["reason"].split(":")[0]
    return f"{winner}: {reason}"


def reason_text(reason: str) -> str:
    """Return why a game ended, as logs and summaries say it, in the language in use."""
    result, colon, why = reason.rpartition(": ")
    known = translate(result) if result == "draw" else translate(result, context="ending")  # "draw" alone is agreed
    text = known + colon + translate(why, context="ending")
    return text.replace(" discs", " " + translate("discs"))  # of '33-31 discs'


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


def usage(used: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the resources one player used in all games."""
    moves = sum(each["moves"] for each in used) or 1
    return {
        "ms_per_move": round(sum(each["ms"] for each in used) / moves, 2),
        "nodes_per_move": round(sum(each["nodes"] for each in used) / moves),
        "late": sum(each.get("late", 0) for each in used),
        "longest_ms": round(max((each.get("longest", 0.0) for each in used), default=0.0), 1),
    }


def line(summary: Record) -> str:
    """Return the figures of a match between two players as one line."""
    low, high = summary["elo95"]
    text = plural(
        "{games} game +{wins} ={draws} -{losses}", "{games} games +{wins} ={draws} -{losses}", summary["games"]
    ).format(**summary)
    text += translate("  Elo {elo:+.1f} (95 %: {low:+.1f} to {high:+.1f})  LOS {los:.1f} %").format(
        elo=summary["elo"], low=low, high=high, los=100 * summary["los"]
    )
    if "sprt" in summary:
        text += f"  {sprt_text(summary['sprt'])}"
    faults = {side: count for side, of in summary["faults"].items() if (count := sum(of.values()))}
    return text + (translate("  faults {faults}").format(faults=faults) if faults else "")


def sprt_text(test: Mapping[str, Any]) -> str:
    """Return the state of the sequential test."""
    low, high = test["bounds"]
    text = f"LLR {test['llr']:+.2f} [{low}, {high}] for [{test['elo0']:g}, {test['elo1']:g}]"
    return f"{text} {test['verdict']}".rstrip()


# ---- tables ------------------------------------------------------------------------------------------------------


def meeting_of(record: Record) -> tuple[int, int]:
    """Return the numbers of the two players, the first of the pairing first."""
    first, second = record.get("players", (0, 1))
    return first, second


def standings(records: Mapping[int, Record], names: Sequence[str]) -> list[Record]:
    """Return a row for each player, best first.

    In a row, `elo` is relative to the mean of all players who played, fitted to all games (Bradley and Terry's model).
    `error` is half its 95 % interval, from pairs of games, as if the opponents' ratings were known; None if there is
    only one pair.

    Args:
        records: the games by number
        names: the players' names, by number
    """
    players = range(len(names))
    won = [[0.0] * len(names) for _ in players]
    rows: list[Record] = [
        {"name": name, "number": number, "games": 0, "wins": 0, "draws": 0, "losses": 0, "faults": 0, "used": []}
        for number, name in enumerate(names)
    ]
    by_pairing: dict[tuple[int, int], dict[int, float]] = {}
    for game, record in sorted(records.items()):
        first, second = meeting_of(record)
        score = record["score"]
        by_pairing.setdefault((first, second), {})[game] = score
        for player, other, own, side in ((first, second, score, SIDES[0]), (second, first, 1 - score, SIDES[1])):
            row = rows[player]
            won[player][other] += own
            row["games"] += 1
            row["wins" if own == 1 else "losses" if own == 0 else "draws"] += 1
            row["faults"] += bool(record.get("fault")) and own == 0
            row["used"].append(record.get(side, {"moves": 0, "ms": 0.0, "nodes": 0}))
    ratings = fitted(won)
    for player, row in zip(players, rows, strict=True):
        row |= {"score": row["wins"] + row["draws"] / 2, "elo": round(ratings[player], 1)}
        row["error"] = _error(player, by_pairing)
        row |= usage(row.pop("used"))
    return sorted(rows, key=lambda row: (-row["score"] / max(row["games"], 1), row["number"]))


def _error(player: int, by_pairing: Mapping[tuple[int, int], Mapping[int, float]]) -> float | None:
    """Return half the 95 % interval of a player's Elo, from the pentanomial of all its pairs."""
    pairs = [0] * 5
    for (first, second), scores in by_pairing.items():
        if player in (first, second):
            own = scores if player == first else {game: 1 - score for game, score in scores.items()}
            pairs = [one + other for one, other in zip(pairs, pentanomial(own), strict=True)]
    return round(estimate(pairs).error, 1) if sum(pairs) > 1 else None


def fitted(won: Sequence[Sequence[float]]) -> list[float]:
    """Return the ratings (Elo, mean 0) for which each player's expected score equals its actual score.

    Newton's method is applied to one player after another. Half a point is added to each side's points against each
    opponent it met, so that no rating is infinite.

    Args:
        won: the points of each player against each other player
    """
    players = range(len(won))
    met = [[won[i][j] + won[j][i] for j in players] for i in players]
    ratings = [0.0] * len(won)
    for _ in range(ROUNDS):
        for i in players:
            others = [j for j in players if met[i][j]]
            if not others:
                continue
            expected = [(met[i][j] + 1) * expected_score(ratings[i] - ratings[j]) for j in others]
            slope = math.fsum(e * (1 - e / (met[i][j] + 1)) for e, j in zip(expected, others, strict=True))
            step = math.fsum(won[i][j] + 0.5 for j in others) - math.fsum(expected)
            ratings[i] += max(-200.0, min(200.0, step / slope * ELO_PER_SCORE / 4))
    played = [any(row) for row in met]
    mean = math.fsum(ratings) / max(sum(played), 1)  # of those who have not played the rating is still 0
    return [rating - mean if each else 0.0 for rating, each in zip(ratings, played, strict=True)]


def crosstable(records: Mapping[int, Record], count: int) -> list[list[tuple[int, int, int]]]:
    """Return the first player's wins, draws and losses for every two players."""
    table = [[(0, 0, 0)] * count for _ in range(count)]
    for record in records.values():
        first, second = meeting_of(record)
        for one, other, own in ((first, second, record["score"]), (second, first, 1 - record["score"])):
            wins, draws, losses = table[one][other]
            table[one][other] = (wins + (own == 1), draws + (own == 0.5), losses + (own == 0))
    return table


COLUMNS = ("", mark("games"), "+", "=", "-", mark("points"), "Elo", mark("ms/move"), mark("faults"))


def cells(row: Record) -> list[str]:
    """Return a row of `standings` as text, one for each of COLUMNS."""
    error = "" if row["error"] is None else f" ±{row['error']:.0f}"
    counts = [str(row[name]) for name in ("games", "wins", "draws", "losses")]
    rest = [f"{row['score']:g}", f"{row['elo']:+.0f}{error}", f"{row['ms_per_move']:.0f}", str(row["faults"])]
    return [row["name"], *counts, *rest]


def text_table(rows: Sequence[Record]) -> str:
    """Return the standings as lines of text."""
    return "\n".join(table([[translate(name) for name in COLUMNS], *(cells(row) for row in rows)]))


# ---- pictures ----------------------------------------------------------------------------------------------------


def course(scores: Mapping[int, float], sprt: Sprt | None) -> list[tuple[int, Estimate, float]]:
    """Return (games, estimate, log-likelihood ratio) at some points of a match between two players, in order."""
    games = sorted(scores)
    steps: list[tuple[int, Estimate, float]] = []
    known: dict[int, float] = {}
    for count, game in enumerate(games, 1):
        known[game] = scores[game]
        if game % 2 == 1 and (count % max(len(games) // POINTS * 2, 2) == 0 or count == len(games)):
            pairs = pentanomial(known)
            ratio = log_likelihood_ratio(pairs, sprt.elo0, sprt.elo1) if sprt else 0.0
            steps.append((count, estimate(pairs), ratio))
    return steps


# ---- The games of a match as records, to be saved as KIF, CSA, GGF or any other format


ADJUDICATED = "adjudicated"  # the comment on such a game


def outcome_of(record: Record, winner: int | None) -> Outcome:
    """Return the outcome of a logged game.

    An adjudicated game is the loser's resignation, or a draw by agreement, as other programs understand only these.

    Args:
        winner: 0 (black), 1, None for a draw
    """
    known = _termination(record)
    if known is Termination.ADJUDICATION:
        known = Termination.AGREEMENT if winner is None else Termination.RESIGNATION
    return Outcome(winner, known or (Termination.AGREEMENT if winner is None else Termination.DEFAULT))


def _termination(record: Record) -> Termination | None:
    """Return why a logged game ended, None for a fault that has no Termination."""
    reason = record.get("fault") or record["reason"]
    return FAULT_TERMINATIONS.get(reason) or next((each for each in ENDINGS if each == reason), None)


def game_record(game: str, number: int, record: Record, names: Sequence[str], event: str = "") -> GameRecord:
    """Return one game.

    Args:
        names: the names of all players
    """
    first, second = meeting_of(record)
    players = (second, first) if number % 2 else (first, second)
    moves = record["moves"].split()
    made = GameRecord(game, names=[names[player] for player in players])
    made.headers = {"event": event} if event else {}
    node = made.root
    times, scores = (record.get(name) or [None] * len(moves) for name in ("times", "scores"))
    for move, milliseconds, score in zip(moves, times, scores, strict=True):
        node = node.add(move, seconds=None if milliseconds is None else round(milliseconds / 1000, 3))
        node.evaluation = None if score is None else _score(game, score)
    points = record["score"] if number % 2 == 0 else 1 - record["score"]
    if record.get("points") is not None:
        made.score = record["points"]
    else:
        made.end(outcome_of(record, None if points == 0.5 else int(points == 0)))
        if _termination(record) is Termination.ADJUDICATION:
            node.add_comment(ADJUDICATED)
    return made


def _score(game: str, value: int) -> Score:
    """Return the score logged as a number."""
    if abs(value) >= MATE_LEAST:
        return Score.mate_in(None) if value > 0 else Score.mated_in(None)
    return Score.discs(value / HUNDREDTHS) if game == "othello" else Score(value)


def game_records(game: str, log: Mapping[int, Record], names: Sequence[str], event: str = "") -> Iterator[GameRecord]:
    """Yield all games in order."""
    for number, record in sorted(log.items()):
        yield game_record(game, number, record, names, event)


def save(path: Path, game: str, log: Mapping[int, Record], names: Sequence[str], event: str = "") -> list[str]:
    """Write all games to a file, in the format of its extension; return, in words, what the format cannot hold.

    Raises ValueError, OSError.
    """
    made, format = list(game_records(game, log, names, event)), records.format_for(path, game)
    records.save(made, path)
    return sorted({what for record in made for what in format.losses(record)})


# ---- A match as a page: the table, the course of Elo, the cross table, and every game


HEAD = (mark("game"), mark("black"), mark("white"), mark("result"), mark("why"), mark("moves"))  # of the page's games


def _game(game: int, record: Record, names: Sequence[str]) -> dict[str, Any]:
    """Return what the page says about a game."""
    first, second = meeting_of(record)
    black, white = (second, first) if game % 2 else (first, second)
    points = record["score"] if game % 2 == 0 else 1 - record["score"]
    result = {1.0: "1-0", 0.5: "1/2", 0.0: "0-1"}[points]
    cells = [game, names[black], names[white], result, reason_text(record["reason"])]
    return {"cells": cells, "plies": record["plies"], "moves": record["moves"]}


def page(title: str, records: Mapping[int, Record], names: Sequence[str], sprt: Sprt | None = None) -> str:
    """Return the page's HTML.

    Args:
        names: the players' names, by number
    """
    summary, steps, meetings = None, [], []
    if len(names) == 2:
        summary = summarise(records, sprt)
        steps = course({game: record["score"] for game, record in records.items()}, sprt)
    else:
        meetings = [
            [name, *("" if sum(cell) == 0 else "+{} ={} -{}".format(*cell) for cell in line)]
            for name, line in zip(names, crosstable(records, len(names)), strict=True)
        ]
    return render(
        "match.html",
        language=current(),
        title=title,
        names=names,
        summary=summary and line(summary),
        columns=[translate(name) for name in COLUMNS],
        head=[translate(name) for name in HEAD],
        standings=[cells(row) for row in standings(records, names)],
        elo=[(count, each.elo) for count, each, _ in steps],
        course=[(count, each.low, each.high) for count, each, _ in steps],
        clip=6 * max(steps[-1][1].error, 5) if steps else 0,
        llr=[(count, ratio) for count, _, ratio in steps] if sprt else [],
        reasons=[(reason_text(reason), count) for reason, count in summary["reasons"].items()] if summary else [],
        meetings=meetings,
        games=[_game(game, record, names) for game, record in sorted(records.items())],
    )
