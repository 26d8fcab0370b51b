"""Every figure that a match prints, in JSON, tables, the page and records, counted again game by game."""

import json
import re
from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given, strategies as st

from shogi_engine import language
from shogi_engine.common.match_statistics import Sprt, estimate, log_likelihood_ratio
from shogi_engine.match import GameLog, Match, Schedule, page, standings, summarise
from shogi_engine.match.report import course, crosstable, game_records, line
from shogi_engine.match.runner import log_record
from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import Game, Terms
from shogi_engine.play.players import Player, play
from shogi_engine.types.limits import Clock, Limit
from shogi_engine.types.results import Score
from tests.support.answers import answered

REASONS = {"resignation": "", "mate": "", "time: 120 ms of 100": "time", "illegal move: no": "illegal move"}
NAMES = ["one", "two", "three"]
MOVES = ["7g7f", "3c3d", "2g2f", "8c8d"]
_USED = {"moves": 1, "ms": 1.0, "nodes": 1}
GAME = {
    "game": 0, "score": 1.0, "reason": "mate", "fault": None, "plies": 1, "moves": "7g7f", "times": [1.0],
    "first": _USED, "second": _USED, "scores": [0],
}  # fmt: skip

resources = st.fixed_dictionaries(
    {"moves": st.integers(1, 40), "ms": st.integers(0, 9000).map(float), "nodes": st.integers(0, 10**6),
     "late": st.integers(0, 3), "longest": st.integers(0, 900).map(float)}
)  # fmt: skip


@st.composite
def logs(draw, players):
    """Return the records of some of the games of a tournament; some pairs lack a game."""
    records, schedule = {}, Schedule(players, draw(st.integers(1, 6)))
    for number in schedule.numbers():
        if draw(st.integers(0, 9)) == 0:
            continue  # not played yet
        score = draw(st.sampled_from([0.0, 0.5, 1.0]))
        reason = "repetition" if score == 0.5 else draw(st.sampled_from(sorted(REASONS)))
        moves = MOVES[: draw(st.integers(0, 4))]
        records[number] = {"game": number, "score": score, "reason": reason, "fault": REASONS.get(reason, "")}
        records[number] |= {"plies": len(moves), "moves": " ".join(moves)}
        records[number] |= {side: draw(resources) for side in ("first", "second")}
        if players > 2:
            meeting = schedule.meeting(number)
            records[number]["players"] = [meeting.first, meeting.second]
        records[number]["scores"] = [draw(st.sampled_from([None, -300, 5, 29_900])) for _ in moves]
        records[number]["times"] = [draw(st.sampled_from([None, 1500.0])) for _ in moves]
    return records


def sides(record):
    """Return black's number, white's, and the points of black; the first player is black in even games."""
    first, second = record.get("players", (0, 1))
    if record["game"] % 2 == 0:
        return first, second, record["score"]
    return second, first, 1 - record["score"]


def pairs_of(records, player, other):
    """Return the pentanomial of `player` against `other`, from the colours of each game."""
    counts = [0] * 5
    for number in records:
        if number % 2 == 0 and number + 1 in records and {player, other} == set(sides(records[number])[:2]):
            points = 0.0
            for each in (records[number], records[number + 1]):
                black, _, score = sides(each)
                points += score if black == player else 1 - score
            counts[round(2 * points)] += 1
    return counts


def used_by(records, player):
    """Return what a player used: ms and nodes for each move, moves too late, and the longest."""
    used = []
    for each in records.values():
        first, second = each.get("players", (0, 1))
        used += [each["first"]] if first == player else [each["second"]] if second == player else []
    moves = sum(each["moves"] for each in used) or 1
    return {
        "ms_per_move": round(sum(each["ms"] for each in used) / moves, 2),
        "nodes_per_move": round(sum(each["nodes"] for each in used) / moves),
        "late": sum(each["late"] for each in used),
        "longest_ms": max([each["longest"] for each in used], default=0.0),
    }


@given(logs(2))
def test_the_figures_of_two_players(records):
    sprt = Sprt(0, 10, 0.05, 0.1)
    found = summarise(records, sprt)
    wins, losses = (sum(each["score"] == score for each in records.values()) for score in (1, 0))
    assert (found["games"], found["wins"], found["losses"]) == (len(records), wins, losses)
    assert found["draws"] == len(records) - wins - losses
    pairs = pairs_of(records, 0, 1)
    expected = estimate(pairs)
    assert found["pairs"] == pairs and found["score"] == pytest.approx(expected.score, abs=1e-4)
    figures = [found["elo"], *found["elo95"], found["los"]]
    assert figures == pytest.approx([expected.elo, expected.low, expected.high, expected.los], abs=0.06)
    ratio, verdict = log_likelihood_ratio(pairs, 0, 10), sprt.verdict(pairs)
    asked = {"elo0": 0, "elo1": 10, "alpha": 0.05, "beta": 0.1, "bounds": [-2.251, 2.89]}  # logs of 2/19 and 18
    assert found["sprt"] == asked | {"llr": pytest.approx(ratio, abs=1e-3), "verdict": verdict}
    points = [sides(each)[2] for each in records.values()]
    assert found["black_score"] == pytest.approx(sum(points) / max(len(points), 1), abs=1e-4)
    plies = [each["plies"] for each in records.values()]
    assert found["plies"] == pytest.approx(sum(plies) / max(len(plies), 1), abs=0.06)
    faults = {"first": Counter(), "second": Counter()}
    for each in records.values():
        if each["fault"]:
            faults["first" if each["score"] == 0 else "second"][each["fault"]] += 1  # the loser's
    assert found["faults"] == faults
    assert sum(found["reasons"].values()) == len(records)
    for reason, count in found["reasons"].items():
        who, _, why = reason.partition(": ")
        score = {"first wins": 1.0, "draw": 0.5, "second wins": 0.0}[who]
        assert count == sum(each["score"] == score and each["reason"].startswith(why) for each in records.values())
    for player, side in enumerate(("first", "second")):
        scores = found[side].pop("own_scores")
        assert found[side] == used_by(records, player)
        own = [
            value
            for each in records.values()
            for ply, value in enumerate(each["scores"])
            if sides(each)[ply % 2] == player and value is not None and abs(value) < 29_000
        ]
        assert scores == ([[0, len(own), round(sum(own) / len(own))]] if own else [])


@given(logs(3))
def test_the_table_of_a_tournament(records):
    rows = standings(records, NAMES)
    assert sorted(row["name"] for row in rows) == sorted(NAMES)
    shares = [row["score"] / max(row["games"], 1) for row in rows]
    assert shares == sorted(shares, reverse=True)
    for row in rows:
        player = row["number"]
        assert NAMES[player] == row["name"]
        results = Counter()
        for each in records.values():
            black, white, points = sides(each)
            if player in (black, white):
                own = points if player == black else 1 - points
                results[own] += 1
                results["faults"] += bool(each["fault"]) and own == 0
        won, drawn, lost = (results[own] for own in (1.0, 0.5, 0.0))
        assert [row[name] for name in ("games", "wins", "draws", "losses")] == [won + drawn + lost, won, drawn, lost]
        assert (row["score"], row["faults"]) == (won + drawn / 2, results["faults"])
        assert {name: row[name] for name in used_by(records, player)} == used_by(records, player)
        others = [pairs_of(records, player, other) for other in range(3) if other != player]
        pairs = [sum(column) for column in zip(*others, strict=True)]
        assert row["error"] == (pytest.approx(estimate(pairs).error, abs=0.05) if sum(pairs) > 1 else None)
    assert sum(row["elo"] for row in rows if row["games"]) == pytest.approx(0, abs=0.2)
    table = crosstable(records, 3)
    for one in range(3):
        for other in range(3):
            met = [each for each in records.values() if {one, other} == set(sides(each)[:2]) and one != other]
            own = [points if black == one else 1 - points for black, _, points in map(sides, met)]
            assert table[one][other] == (own.count(1), own.count(0.5), own.count(0))


def test_a_single_game_counts_in_the_singular():
    assert line(summarise({0: GAME}, None)).startswith("1 game +1 =0 -0  Elo")
    assert "<summary>1 move</summary>" in page("a match", {0: GAME}, NAMES[:2])


def test_all_texts_of_the_page_are_in_japanese():
    language.use("ja")
    reasons = ["mate", "time: 120 ms of 100", "repetition", "32-30 discs"]
    records = {number: GAME | {"game": number, "reason": reason} for number, reason in enumerate(reasons)}
    html = page("試合", records, NAMES[:2], Sprt(0, 5)) + page("試合", records, NAMES)
    shown = re.findall('<(?:h2|th|p|summary)>([^<]+)|<td>([^<]+)</td></tr>|aria-label="([^"]+)', html)
    english = {text for texts in shown for text in texts if re.search("[a-z]{2}", text) and text.isascii()}
    assert len(shown) > 50 and english == {"Elo", *NAMES} and '<html lang="ja">' in html
    assert "<td>詰み</td>" in html and "<td>時間切れ: 120 ms of 100</td>" in html and "<td>32-30 石</td>" in html
    assert "先の勝ち: 石数" in html


@given(logs(2))
def test_the_page_and_the_records_name_the_winner(records):
    html = page("a match", records, ["<one>", "two"], Sprt(0, 5))
    assert "<one>" not in html and page("nothing yet", {}, NAMES).startswith("<!doctype html>")
    made = list(game_records("shogi", records, ["&lt;one&gt;", "two"]))
    for each, record in zip((records[number] for number in sorted(records)), made, strict=True):
        black, white, points = sides(each)
        result = {1.0: "1-0", 0.5: "1/2", 0.0: "0-1"}[points]
        row = [each["game"], record.names[0], record.names[1], result, each["reason"]]
        assert "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) in html
        assert record.names == [["&lt;one&gt;", "two"][player] for player in (black, white)]
        assert record.result == {"1/2": "1/2-1/2"}.get(result, result)
        assert record.seconds == [None if ms is None else ms / 1000 for ms in each["times"]]
    steps = course({game: each["score"] for game, each in records.items()}, Sprt(0, 5))
    assert not records or max(records) % 2 == 0 or steps[-1][0] == len(records)
    for count, found, ratio in steps:
        pairs = pairs_of({number: records[number] for number in sorted(records)[:count]}, 0, 1)
        assert (found, ratio) == (estimate(pairs), log_likelihood_ratio(pairs, 0, 5))


class Scripted(Player):
    """Plays the moves of a list, each with its time in seconds, nodes and depth."""

    def __init__(self, *answers):
        self.answers, self.limit, self.results = list(answers), Limit(time=0.1), []

    def think(self, game, search=None):
        move, seconds, nodes, depth = self.answers.pop(0)
        return answered(move, seconds, score=Score(nodes), depth=depth, nodes=nodes)

    def game_over(self, result):
        self.results.append(result)


@pytest.mark.parametrize("number", [0, 1])
def test_what_the_players_used_is_logged_under_their_names(number):
    black = Scripted(("7g7f", 0.05, 100, 3), ("2g2f", 0.12, 300, 5), ("2f2e", 0.03, 10, 1))
    white = Scripted(("3c3d", 0.2, 7, 2), ("8c8d", 0.001, 9, 4), ("resign", 0.01, 1, 1))
    played = play(Game.begin("shogi", terms=Terms(margin=250)), (black, white))
    found = log_record(number, played)
    assert (found["game"], found["score"], found["reason"], found["fault"]) == (number, 1.0 - number, "resignation", "")
    assert (found["plies"], found["moves"]) == (5, "7g7f 3c3d 2g2f 8c8d 2f2e")
    assert found["times"] == [50, 200, 120, 1, 30] and found["scores"] == [100, 7, 300, 9, 10]
    used = {"first": ("black", "white")[number], "second": ("white", "black")[number]}
    expected = {
        "black": {"moves": 3, "ms": 200, "longest": 120, "late": 1, "latest": 20, "nodes": 410, "depths": 9},
        "white": {"moves": 3, "ms": 211, "longest": 200, "late": 1, "latest": 100, "nodes": 17, "depths": 7},
    }
    for side, who in used.items():
        assert {name: found[side][name] for name in expected[who]} == pytest.approx(expected[who])
    assert (black.results, white.results) == (["win"], ["lose"])


def test_a_move_over_the_clock_and_its_margin_loses():
    for seconds, fault in ((1.04, ""), (1.06, "time")):
        players = Scripted(("7g7f", seconds, 1, 1)), Scripted(("resign", 0.0, 1, 1))
        clock = GameClock(Clock(1000))
        played = play(Game.begin("shogi", clock=clock, terms=Terms(margin=50)), players)
        assert (played.fault, played.winner) == (fault, 1 if fault else 0)


class Faulty:
    """A worker, and its maker, whose games end by a fault but every third."""

    def __call__(self):
        return self

    def do(self, number):
        return {"game": number, "score": 1.0, "fault": "" if number % 3 == 2 else "crash"}

    def close(self):
        pass


@pytest.mark.parametrize(("most", "games"), [(1, 1), (2, 2), (3, 4), (4, 5), (0, 30)])
def test_the_fault_that_is_too_many_is_the_last(most, games, tmp_path):
    log = GameLog(tmp_path / "log.jsonl", {})
    match = Match(log, range(30), Faulty(), max_faults=most)
    assert [each["game"] for each in match.run()] == list(range(games))
    assert match.complete() == (games == 30) and match.decided() == (most > 0)
    assert not list(match.run())  # nor when it is continued
    log.close()
    rows = [json.loads(text) for text in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["game"] for row in rows[1:]] == list(range(games)) and SimpleNamespace(**rows[0]).settings == {}
