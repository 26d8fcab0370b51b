"""shogi_engine/match: who plays whom, tables, adjudication, games as records."""

import io
import itertools
import math
import random
from types import SimpleNamespace

import pytest
from rich.console import Console

from shogi_engine import records
from shogi_engine.cli.match import MatchView
from shogi_engine.common.match_statistics import Sprt, expected_score
from shogi_engine.match import GameLog, Match, Schedule, Terms, standings
from shogi_engine.match.report import fitted, game_record, outcome_of, save
from shogi_engine.play.game import Game
from shogi_engine.play.players import Player, play
from shogi_engine.types.outcomes import Outcome
from shogi_engine.types.results import Score
from tests.support.answers import answered

USED = {"moves": 10, "ms": 50.0, "nodes": 700, "late": 0, "longest": 9.0}


@pytest.mark.parametrize(("kind", "pairings"), [("round-robin", 6), ("gauntlet", 3), ("ladder", 3)])
@pytest.mark.parametrize("games", [1, 4, 5])
def test_each_two_players_play_each_opening_with_both_colours(kind, pairings, games):
    schedule = Schedule(4, games, kind)
    assert len(schedule.numbers()) == pairings * games
    played = {}
    for number in schedule.numbers():
        meeting = schedule.meeting(number)
        played.setdefault((meeting.first, meeting.second), []).append((meeting.opening, meeting.sides))
    assert set(played) == set(schedule.pairings)
    for (first, second), met in played.items():
        assert met == [(n // 2, (first, second) if n % 2 == 0 else (second, first)) for n in range(games)]


def test_two_players_meet_in_the_order_of_games():
    schedule = Schedule(2, 4)
    assert schedule.numbers() == [0, 1, 2, 3]
    assert [schedule.meeting(number).opening for number in range(4)] == [0, 0, 1, 1]
    for wrong in ((1, 4), (3, 4, "knock-out")):
        with pytest.raises(ValueError):
            Schedule(*wrong)


def tournament(ratings, games, seed=1):
    """Return the records of a tournament decided at random."""
    schedule, rng, records = Schedule(len(ratings), games), random.Random(seed), {}
    for number in schedule.numbers():
        meeting = schedule.meeting(number)
        won = rng.random() < expected_score(ratings[meeting.first] - ratings[meeting.second])
        records[number] = {"game": number, "players": [meeting.first, meeting.second], "score": float(won)}
        records[number] |= {"reason": "resignation", "plies": 2, "moves": "7g7f 3c3d", "fault": "", "first": USED}
        records[number] |= {"second": USED}
    return records


def test_ratings_are_found_again():
    ratings = [150.0, 0.0, -30.0, -120.0]
    rows = standings(tournament(ratings, 1500), ["a", "b", "c", "d"])
    found = {row["name"]: row["elo"] for row in rows}
    assert all(abs(found[name] - rating) < 20 for name, rating in zip("abcd", ratings, strict=True))
    assert rows[0]["name"] == "a" and rows[0]["games"] == 4500 and rows[0]["ms_per_move"] == 5.0
    assert math.isclose(sum(found.values()), 0, abs_tol=0.5)
    assert fitted([[0, 1], [0, 0]])[0] == pytest.approx(95.4, abs=0.1)  # 1.5 of 2 points: Elo +191 between the two


def test_the_live_table_shows_how_it_stands(monkeypatch):
    log, now = GameLog(None, {}), [50.0]
    monkeypatch.setattr("shogi_engine.cli.match.time", SimpleNamespace(monotonic=lambda: now[0]))
    log.records = tournament([0.0, 50.0, 100.0], 4)
    for names in (["<one>", "two", "three"], ["one", "two"]):
        match = Match(log, Schedule(3, 10).numbers(), None)
        if len(names) == 2:
            log.records = tournament([0.0, 100.0], 4)
            match = Match(log, range(30), None, Sprt(0, 5))
        console, view = Console(file=io.StringIO(), width=150), MatchView(match, names)
        console.print(view.table())
        text, before = console.file.getvalue(), len(log.records)
        assert f"{before} of 30 games" in text and all(name in text for name in names)
        assert ("LLR" in text) == (len(names) == 2) and "min left" not in text
        log.records |= {number: log.records[number - 2] for number in (before, before + 1)}
        now[0] += 180  # a minute and a half for each of two games
        assert view.table().title == f"{before + 2} of 30 games, {1.5 * (28 - before):.1f} min left"


@pytest.mark.parametrize(
    ("reason", "fault", "winner", "termination"),
    [
        ("mate", "", 0, "mate"),
        ("declaration", "", 0, "declaration"),
        ("resignation", "", 1, "resignation"),
        ("max moves", "", None, "max moves"),
        ("adjudication", "", None, "draw"),
        ("adjudication", "", 1, "resignation"),
        ("perpetual check", "", 0, "perpetual check"),
        ("time: 120 ms of 100", "time", 1, "time"),
        ("illegal move: no", "illegal move", 1, "illegal move"),
        ("crash: exit status 1", "crash", 1, "default"),
        ("second answer", "second answer", 0, "default"),
    ],
)
def test_how_games_end_in_records(reason, fault, winner, termination):
    assert outcome_of({"reason": reason, "fault": fault}, winner) == Outcome(winner, termination)


def test_what_a_file_of_games_cannot_hold_is_told(tmp_path):
    record = {"game": 0, "score": 1.0, "reason": "adjudication", "fault": "", "moves": "7g7f 3c3d", "plies": 2}
    assert "endings" in save(tmp_path / "games.csa", "shogi", {0: record}, ["first", "second"])  # black is to move
    assert not {"endings", "winners"} & set(save(tmp_path / "games.kif", "shogi", {0: record}, ["first", "second"]))
    record["moves"] = "7g7f"
    assert not {"endings", "winners"} & set(save(tmp_path / "games.csa", "shogi", {0: record}, ["first", "second"]))


@pytest.mark.parametrize(
    ("game", "moves", "formats"),
    [("shogi", "7g7f 3c3d 2g2f", ("kif", "ki2", "csa", "jkf", "usi")), ("othello", "f5 d6 c3", ("ggf", "sgf"))],
)
def test_adjudicated_games_keep_their_results_in_every_format(game, moves, formats):
    """As other programs write them: the loser resigns, or the players agree to a draw; the comment says the rest."""
    record = {"game": 0, "reason": "adjudication", "fault": "", "plies": 2}
    for plies, score, format in itertools.product((2, 3), (0.0, 0.5, 1.0), formats):
        played = " ".join(moves.split()[:plies])
        made = game_record(game, 0, record | {"moves": played, "score": score}, ["first", "second"])
        expected = {0.0: Outcome(1, "resignation"), 0.5: Outcome(None, "draw"), 1.0: Outcome(0, "resignation")}[score]
        assert made.outcome() == expected and made.main_line[-1].comment == "adjudicated"
        (again,) = records.loads(records.dumps(made, format))
        if score == 0.5 and format == "usi":  # it has no words for draws
            assert "endings" in records.load_format(format).losses(made)
            continue
        assert again.result == made.result, (format, played)
        if format not in ("usi", "ggf"):
            assert again.main_line[-1].comment == "adjudicated"


def test_a_game_is_adjudicated_when_the_loser_is_to_move():
    moves = ["7g7f", "3c3d", "2g2f", "8c8d"]

    class Sure(Player):
        """A player who is sure that a side wins."""

        def __init__(self, winner):
            self.winner = winner

        def think(self, game):
            return answered(moves[game.ply], 0.001, score=Score(2000 if game.turn == self.winner else -2000))

    for winner, plies in ((0, 3), (1, 2)):
        played = play(Game.begin("shogi", terms=Terms(resign=(1000, 1))), (Sure(winner), Sure(winner)))
        assert (played.winner, played.reason, played.game.ply) == (winner, "adjudication", plies)


def test_a_game_becomes_a_record():
    record = {"game": 3, "score": 1.0, "reason": "resignation", "fault": "", "moves": "7g7f 3c3d", "plies": 2}
    record |= {"times": [None, 1500.0], "scores": [None, -42]}
    made = game_record("shogi", 3, record, ["first", "second"], "a cup")
    assert (made.names, made.moves, made.seconds) == (["second", "first"], ["7g7f", "3c3d"], [None, 1.5])
    assert (made.ending, made.result, made.headers["event"]) == ("resignation", "0-1", "a cup")
    assert made.main_line[2].evaluation == Score(-42)
