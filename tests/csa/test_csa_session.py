"""A session against a scripted server: logins, offers, games, refusals, broken lines, time-outs, abnormal ends."""

import os
import re
import socket
import threading
import time

import pytest

from shogi_engine import records
from shogi_engine.csa.connection import Closed, Connection, ConnectionLost
from shogi_engine.csa.session import Timeouts
from shogi_engine.games.shogi.records.words import MATE_VALUE
from shogi_engine.types.results import Score
from tests.csa.scripted import (
    SECRET,
    Played,
    ScriptedPlayer,
    ScriptedServer,
    finished_game,
    kept_record,
    play,
    quick_win,
)
from tests.support.answers import answered

OFFICIAL_TIME = ("Total_Time:300", "Byoyomi:10")


# ---- a game


def test_the_time_that_the_server_counts_beyond_thinking_is_remembered():
    def script(peer):
        peer.begin("+", time=("Time_Unit:1msec", "Total_Time:300000", "Increment:100"))
        for ours, theirs, seconds in (("+7776FU", "-3334FU", 2.1), ("+2726FU", "-8384FU", 0.5), ("+2625FU", "", 0.5)):
            peer.accept(ours, seconds)
            if theirs:
                peer.send(f"{theirs},T0.1")
        peer.send("-8485FU,T0.1")
        peer.accept("%TORYO", 0.1)
        peer.send("#RESIGN", "#LOSE")
        peer.logout()

    answers = [answered(move, 0.1) for move in ("7g7f", "2g2f", "2f2e")]
    played = play(script, *answers)
    overheads = [turn.overhead for turn in played.player.turns]
    assert overheads[:2] == [0, 2000] and overheads[2:] == pytest.approx([1600, 1280], abs=300)


def test_a_game_is_played_and_kept(tmp_path):
    def script(peer):
        assert peer.login() == f"LOGIN me {SECRET}"
        peer.begin_next("-", time=OFFICIAL_TIME)
        peer.send("+7776FU,T12")
        assert peer.expect("-") == "-3334FU"
        peer.send("-3334FU,T5", "+2726FU,T3", "")
        peer.accept("-8384FU", 7)
        peer.send("%TORYO,T4", "#RESIGN", "#WIN")
        peer.logout()

    first = answered("3c3d", 0.0, "2g2f", Score(30), 5, pv=("3c3d", "2g2f", "8c8d"))
    played = play(script, first, "8c8d", folder=tmp_path)
    assert played.error is None and played.counts == (1, 0, 0, 0)
    assert played.player.results == ["win"]
    turns = played.player.turns
    assert [turn.moves for turn in turns] == [("7g7f",), ("7g7f", "3c3d", "2g2f")]
    times = [[clock.time for clock in turn.clocks] for turn in turns]
    assert times == [[288_000, 300_000], [285_000, 295_000]]
    assert "game 1: won by resignation after 4 moves" in played.notes
    line = re.compile(r"move (\d): (\w+) thinks?, (\d+) s left(, score \+0\.30)?")
    shown = [line.fullmatch(text) for text in played.screen.progressed if text.startswith("move")]
    said = {1: ("other", False), 2: ("we", True), 3: ("other", True), 4: ("we", True), 5: ("other", True)}
    assert {int(found[1]): (found[2], bool(found[4])) for found in shown} == said  # the last of each move
    left = [310, 310, 298, 305, 295]  # the byoyomi included
    assert all(0 <= left[int(found[1]) - 1] - int(found[3]) < 7 for found in shown)

    record = kept_record(tmp_path)
    assert (record.moves, record.seconds) == (["7g7f", "3c3d", "2g2f", "8c8d"], [12, 5, 3, 7])
    assert (record.names, record.ending, record.result) == (["other", "me"], "resignation", "0-1")
    ours = record.main_line[2]
    assert (ours.evaluation, ours.pv, ours.depth, ours.comment) == (Score(30), ("2g2f", "8c8d"), 5, "")
    assert "'** -30 +2726FU -8384FU\n" in next(tmp_path.glob("*.csa")).read_text()
    assert record.headers["time"] == "00:05+10"
    (kif,) = records.iterate(tmp_path / "g1.kif")
    assert kif.moves == record.moves and kif.seconds == record.seconds
    assert not list(tmp_path.glob("*.tmp"))


def test_the_time_of_a_resignation_is_in_the_unit_of_the_moves(tmp_path):
    """A server that gives milliseconds after moves."""

    def script(peer):
        peer.begin("+", time=("Time_Unit:1msec", "Total_Time:300000"))
        peer.accept("+7776FU", 900)
        peer.send("%TORYO,T2500", "#RESIGN", "#WIN")
        peer.logout()

    play(script, "7g7f", folder=tmp_path)
    last = kept_record(tmp_path).main_line[-1]
    assert (last.seconds, last.ending_seconds) == (0.9, 2.5)


def test_a_result_counts_without_its_line_end(tmp_path):
    def script(peer):
        peer.begin("-")
        peer.raw(b"#TIME_UP\r\n#WIN")

    assert play(script, folder=tmp_path).counts == (1, 0, 0, 0)
    assert kept_record(tmp_path).ending == "time"


@pytest.mark.parametrize(("score", "value"), [(Score(30), 30), (Score.mate_in(5), MATE_VALUE)])
def test_scores_and_lines_are_sent_if_the_server_wants_them(score, value):
    def script(peer):
        assert peer.login() == f"LOGIN me test-300-10F,{SECRET}"
        peer.begin_next("+")
        assert peer.accept("+7776FU") == f"+7776FU,'* {value} -3334FU"
        peer.send("%TORYO", "#RESIGN", "#WIN")
        peer.logout()

    answer = answered("7g7f", 0.0, "3c3d", score, 5, pv=("7g7f", "3c3d"))
    assert play(script, answer, comments=True, game="test-300-10F").counts == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("turn", "lines", "counts", "ending"),
    [
        ("-", ["%TORYO,T3", "#RESIGN", "#WIN"], (1, 0, 0, 0), "resignation"),
        ("-", ["%TORYO", "#RESIGN", "#WIN"], (1, 0, 0, 0), "resignation"),  # also how the other one's drop is told
        ("-", ["#TIME_UP", "#WIN"], (1, 0, 0, 0), "time"),
        ("-", ["#ILLEGAL_MOVE", "#WIN"], (1, 0, 0, 0), "illegal move"),
        ("-", ["+7775FU,T1", "#ILLEGAL_MOVE", "#WIN"], (1, 0, 0, 0), "illegal move"),
        ("-", ["%KACHI,T1", "#ILLEGAL_MOVE", "#WIN"], (1, 0, 0, 0), "illegal move"),
        ("-", ["#ILLEGAL_ACTION", "#LOSE"], (0, 1, 0, 0), "illegal move"),
        ("-", ["%KACHI,T1", "#JISHOGI", "#LOSE"], (0, 1, 0, 0), "declaration"),
        ("-", ["#JISHOGI", "#DRAW"], (0, 0, 1, 0), "impasse"),
        ("-", ["#SENNICHITE", "#DRAW"], (0, 0, 1, 0), "repetition"),
        ("-", ["#OUTE_SENNICHITE", "#WIN"], (1, 0, 0, 0), "illegal move"),
        ("-", ["#OUTE_SENNICHITE", "#LOSE"], (0, 1, 0, 0), "illegal move"),
        ("-", ["#MAX_MOVES", "#CENSORED"], (0, 0, 1, 0), "max moves"),
        ("-", ["#WIN"], (1, 0, 0, 0), "unknown"),
        ("-", ["#ABNORMAL", "#WIN"], (1, 0, 0, 0), "unknown"),
        ("-", ["#CHUDAN"], (0, 0, 0, 1), "interrupted"),
        ("+", ["#TIME_UP", "#LOSE"], (0, 1, 0, 0), "time"),
        ("+", ["#ILLEGAL_MOVE", "#LOSE"], (0, 1, 0, 0), "illegal move"),
    ],
)
def test_every_end_of_a_game(tmp_path, turn, lines, counts, ending):
    def slow(turn):
        while not turn.search.stopped:
            time.sleep(0.01)
        return answered("")

    played = play(lambda peer: finished_game(peer, *lines, turn=turn), slow, folder=tmp_path)
    assert played.error is None and played.counts == counts
    assert kept_record(tmp_path).ending == ({"unknown": "resignation"}.get(ending, ending))  # what keeps the winner
    assert played.player.results == {(1, 0, 0, 0): ["win"], (0, 1, 0, 0): ["lose"], (0, 0, 1, 0): ["draw"]}.get(
        counts, []
    )


# ---- pondering


def ponder_script(reply):
    def script(peer):
        peer.begin("+")
        peer.accept("+7776FU")
        peer.send(f"{reply},T5")
        peer.accept("+2726FU")
        peer.send("%TORYO", "#RESIGN", "#WIN")
        peer.logout()

    return script


@pytest.mark.parametrize(("reply", "hits"), [("-3334FU", 1), ("-8384FU", 0)])
def test_pondering(reply, hits):
    played = play(ponder_script(reply), answered("7g7f", ponder="3c3d"), "2g2f", ponder=True)
    assert played.counts == (1, 0, 0, 0)
    assert played.player.pondered == [("7g7f", "3c3d")]
    assert played.player.hits == hits
    assert played.player.turns[-1].moves[-1] == ("3c3d" if hits else "8c8d")


def test_nobody_ponders_who_was_told_not_to():
    assert play(ponder_script("-3334FU"), answered("7g7f", ponder="3c3d"), "2g2f").player.pondered == []


# ---- what goes wrong with the login


def test_a_refused_login_ends_the_session():
    def script(peer):
        peer.expect("LOGIN me ")
        peer.send("LOGIN:incorrect")
        peer.end()

    played = play(script)
    assert "refused the login of me: incorrect" in played.error and SECRET not in played.error


def test_a_login_that_is_refused_after_a_drop_is_tried_again():
    def refuse(peer):
        peer.expect("LOGIN")
        peer.send("LOGIN:incorrect", "username me is already connected")
        peer.end()

    def first(peer):
        peer.begin("+")
        peer.expect("+7776FU")
        peer.cut()

    played = play([first, refuse, refuse, quick_win], "7g7f", games=2, attempts=5)
    assert played.error is None and played.counts == (1, 0, 0, 1)


def test_a_server_that_does_not_answer_the_login_is_tried_so_often():
    def silent(peer):
        peer.expect("LOGIN")
        assert peer.end() == []

    played = play([silent, silent, silent], timeouts=Timeouts(login=0.1, first_delay=0.01))
    assert "LOGIN" in played.error and "3 consecutive attempts" in played.error


def test_nobody_there():
    with ScriptedServer() as server:
        pass
    assert "no connection to 127.0.0.1" in Played(server, ScriptedPlayer()).error


def test_connections_that_end_at_once():
    played = play([lambda peer: peer.cut(), lambda peer: None, quick_win])
    assert played.error is None and played.counts == (1, 0, 0, 0)


def test_the_extended_mode():
    def script(peer):
        assert peer.expect("LOGIN") == f"LOGIN me {SECRET} x1"
        peer.send("LOGIN:me OK", "##[LOGIN] +OK x1")
        for number in (1, 2):
            assert peer.expect("%%GAME") == "%%GAME floodgate-300-10F *"
            peer.begin_next("-", game_id=f"g{number}")
            peer.send("##[CHAT] hello", "#TIME_UP", "#WIN")
        peer.logout()

    assert play(script, games=2, x1=True, game="floodgate-300-10F").counts == (2, 0, 0, 0)


def test_a_game_that_the_extended_mode_does_not_know():
    def script(peer):
        peer.expect("LOGIN")
        peer.send("LOGIN:me OK", "##[LOGIN] +OK x1")
        peer.expect("%%GAME")
        peer.send("##[ERROR] bad game name: x-300-10F.")
        peer.end()

    assert "bad game name" in play(script, x1=True, game="x-300-10F").error


def test_a_server_that_ends_the_connection_with_each_game():
    def script(peer):
        peer.begin("-", game_id=f"g{script.number}")
        script.number += 1
        peer.send("#TIME_UP", "#WIN")

    script.number = 1
    assert play([script] * 3, games=3).counts == (3, 0, 0, 0)


def test_a_logout_that_is_not_answered():
    def script(peer):
        peer.begin("-")
        peer.send("#TIME_UP", "#WIN")
        assert peer.end() == ["LOGOUT"]

    assert play(script, timeouts=Timeouts(logout=0.1)).counts == (1, 0, 0, 0)


# ---- what goes wrong with an offer


@pytest.mark.parametrize(
    ("offer", "answer", "who", "told"),
    [(("+", "+7775FU,T1"), "REJECT", "me", "the game g1 is refused"), (("+",), "AGREE", "other", "g1 by other")],
)
def test_an_offer_that_comes_to_nothing_and_the_next_one_taken(offer, answer, who, told):
    """It cannot be read, or the other side rejects it."""

    def script(peer):
        peer.login()
        peer.offer(*offer)
        assert peer.expect(answer) == f"{answer} g1"
        peer.send(f"REJECT:g1 by {who}")
        peer.begin_next("-", game_id="g2")
        peer.send("#TIME_UP", "#WIN")
        peer.logout()

    played = play(script)
    assert played.counts == (1, 0, 0, 0) and told in played.notes


def test_offers_that_can_not_be_read_end_the_session():
    def script(peer):
        peer.login()
        for _ in range(3):
            peer.offer("?")
            peer.expect("REJECT")

    assert "Your_Turn" in play(script).error


def test_a_game_that_does_not_start():
    def script(peer):
        peer.login()
        peer.offer("+")
        peer.expect("AGREE")
        assert peer.end() == []

    played = play(script, timeouts=Timeouts(start=0.1), attempts=1)
    assert played.counts == (0, 0, 0, 0) and "START" in played.error


def test_an_offer_that_is_cut_off():
    def script(peer):
        peer.login()
        peer.send("BEGIN Game_Summary", "Your_Turn:+")
        peer.raw(b"BEGIN Ti")
        peer.cut()

    assert play([script, quick_win]).counts == (1, 0, 0, 0)


# ---- broken lines


@pytest.mark.parametrize(
    "noise", [b"\xff\xfe\x00\n", b"\r\n", b"hello\n", b"+77\n", b"#\n", b"\0\0\n", b"x" * 5000 + b"\n"]
)
def test_broken_lines_in_a_game_change_nothing(noise):
    def script(peer):
        peer.begin("+")
        peer.raw(noise)
        peer.accept("+7776FU")
        peer.raw(noise)
        peer.raw(b"-3334")
        peer.raw(b"FU,T1\n" + noise)
        peer.accept("+2726FU")
        peer.send("%TORYO", "#RESIGN", "#WIN")
        peer.logout()

    assert play(script, "7g7f", "2g2f").counts == (1, 0, 0, 0)


def test_lines_that_are_said_twice_change_nothing():
    def script(peer):
        peer.begin("+")
        peer.accept("+7776FU")
        peer.send("+7776FU,T1", "-3334FU,T1", "-3334FU,T1")
        peer.accept("+2726FU")
        peer.send("+2726FU,T1", "%TORYO", "%TORYO", "#RESIGN", "#RESIGN", "#WIN", "#WIN")
        peer.logout()

    assert play(script, "7g7f", "2g2f").counts == (1, 0, 0, 0)


def test_what_is_sent_after_the_end_of_a_connection_says_why_it_ended():
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = threading.Event()
        connection = Connection(
            *server.getsockname(), lambda event: isinstance(event, Closed) and closed.set(), timeout=10,
            log=lambda way, line: None,
        )  # fmt: skip
        server.accept()[0].close()
        assert closed.wait(60)
        with pytest.raises(ConnectionLost, match="^the server closed the connection$"):
            connection.send("LOGOUT")
        connection.close()


def test_ends_of_lines_as_on_windows():
    def script(peer):
        peer.begin("-")
        peer.raw(b"+7776FU,T1\r\n")
        peer.expect("-3334FU")
        peer.raw(b"-3334FU,T1\r\n%TORYO\r\n#RESIGN\r\n#WIN\r\n")
        peer.logout()

    assert play(script, "3c3d").counts == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (["-3334FU,T1"], "wrong side"),
        (["+2726FU,T1"], "the server reports"),
        (["+7776FU,T1", "-3335FU,T1", "+2726FU,T1"], "after an illegal move"),
        (["+7776FU,T1", "+2726FU,T1"], "wrong side"),
    ],
)
def test_moves_that_can_not_be_break_the_game_off(tmp_path, lines, word):
    def script(peer):
        peer.begin("+")
        peer.expect("+7776FU")
        peer.send(*lines)
        peer.end()

    played = play(script, "7g7f", folder=tmp_path)
    assert played.error is None and played.counts == (0, 0, 0, 1)
    record = kept_record(tmp_path)
    assert record.ending == "interrupted" and word in "".join(record.comments.values())


def test_a_line_without_end():
    def script(peer):
        peer.begin("-")
        peer.raw(b"+" * 10_000)
        peer.end()

    played = play(script)
    assert played.counts == (0, 0, 0, 1) and "more than" in played.notes


# ---- secrets


def test_the_password_is_in_no_log_even_if_the_server_repeats_it():
    def script(peer):
        peer.login()
        peer.send(f"##[ERROR] unknown command: LOGIN me {SECRET}", f"{SECRET}")
        peer.begin_next("-", game_id=f"g-{SECRET}")
        peer.send("#TIME_UP", "#WIN")
        peer.logout()

    played = play(script)
    assert played.counts == (1, 0, 0, 0)
    assert any("LOGIN me *****" in line for line in played.log)
    assert SECRET not in "\n".join([*played.log, *played.screen.notes, *played.screen.progressed])


@pytest.mark.skipif(os.name != "posix", reason="permissions")
def test_a_record_that_can_not_be_written_ends_nothing(tmp_path, monkeypatch):
    def no_room(*arguments, **options):
        raise OSError("no room")

    monkeypatch.setattr("shogi_engine.csa.session.write_whole", no_room)
    played = play(quick_win, folder=tmp_path)
    assert played.counts == (1, 0, 0, 0) and "no room" in played.notes
