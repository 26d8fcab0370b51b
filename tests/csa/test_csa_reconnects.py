"""What a session does when a connection is lost, a server is silent, an engine fails, or somebody wants to leave."""

import time
from types import SimpleNamespace

import pytest

from shogi_engine.csa import session
from shogi_engine.csa.session import Timeouts
from shogi_engine.types.results import Score
from tests.csa.scripted import Played, Screen, ScriptedPlayer, ScriptedServer, kept_record, play, quick_win
from tests.support.answers import answered

# ---- the connection is lost in a game


def first_half(peer):
    peer.begin("+", names=("me", "other"))
    peer.accept("+7776FU", 2)
    peer.send("-3334FU,T5")
    peer.expect("+2726FU")
    peer.cut()


MOVES = ("+7776FU,T2", "-3334FU,T5", "+2726FU,T3")


@pytest.mark.parametrize("game_id", ["g1", "g1-again"])
@pytest.mark.parametrize("known", [2, 3])
def test_a_game_that_is_offered_again_goes_on(tmp_path, game_id, known):
    """known : whether the server has taken note of our last move."""

    def second_half(peer):
        peer.begin("+", *MOVES[:known], game_id=game_id)
        if known == 2:
            peer.accept("+2726FU", 3)
        else:
            peer.send("-8384FU,T1")
            peer.accept("+9796FU")
        peer.send("#TIME_UP", "#WIN")
        peer.logout()

    first = answered("7g7f", score=Score(12))
    third = "2g2f" if known == 2 else "9g9f"
    played = play([first_half, second_half], first, "2g2f", third, folder=tmp_path, resume=5.0, games=1)
    assert played.error is None and played.tally.games == 1 and played.tally.broken == 0
    assert f"game 1 continues after {known} moves" in played.notes
    times = [clock.time for clock in played.player.turns[2].clocks]
    assert times == ([318_000, 315_000] if known == 2 else [325_000, 324_000])  # the increment included
    assert [path.name for path in tmp_path.glob("*.csa")] == ["g1.csa"]
    record = kept_record(tmp_path)
    assert record.moves[:3] == ["7g7f", "3c3d", "2g2f"] and record.root.next.evaluation == Score(12)


def test_a_game_that_is_not_offered_again_is_broken_off_and_the_next_one_is_played(tmp_path):
    second = [quick_win]
    played = play([first_half, *second], "7g7f", "2g2f", folder=tmp_path, games=2)
    assert played.counts == (1, 0, 0, 1)
    assert sorted(path.name for path in tmp_path.glob("*.csa")) == ["g1-2.csa", "g1.csa"]
    assert kept_record(tmp_path).ending == "interrupted"


def test_a_last_game_is_waited_for_only_so_long():
    def waiting(peer):
        peer.login()
        peer.logout()

    played = play([first_half, waiting], "7g7f", "2g2f", resume=0.1)
    assert played.counts == (0, 0, 0, 1) and "not offered again" in played.notes


def test_another_game_than_the_one_waited_for_is_refused():
    def other(peer):
        peer.login()
        peer.offer("-", game_id="g2")
        assert peer.expect("REJECT") == "REJECT g2"
        peer.logout()

    assert play([first_half, other], "7g7f", "2g2f", resume=5.0).counts == (0, 0, 0, 1)


def test_a_game_that_the_server_interrupts_can_go_on(tmp_path):
    def script(peer):
        peer.begin("+")
        peer.accept("+7776FU", 2)
        peer.send("#CHUDAN")
        peer.begin_next("+", "+7776FU,T2")
        peer.send("-3334FU,T1", "%TORYO", "#RESIGN", "#LOSE")
        peer.logout()

    assert play(script, "7g7f", folder=tmp_path, resume=5.0).counts == (0, 1, 0, 0)
    assert kept_record(tmp_path).moves == ["7g7f", "3c3d"]


def test_a_drop_between_the_offer_of_a_broken_game_and_its_start():
    def cut_again(peer):
        peer.login()
        peer.offer("+", *MOVES)
        peer.expect("AGREE")
        peer.cut()

    def last(peer):
        peer.begin("+", *MOVES)
        peer.send("#TIME_UP", "#WIN")
        peer.logout()

    assert play([first_half, cut_again, last], "7g7f", "2g2f", resume=5.0).counts == (1, 0, 0, 0)


def rejected(peer):
    """Offer the broken game again, and take the offer back."""
    peer.login()
    peer.offer("+", *MOVES)
    peer.expect("AGREE")
    peer.send("REJECT:g1 by other")


def test_a_resumption_that_is_rejected_may_be_offered_once_more(tmp_path):
    def third(peer):
        rejected(peer)
        peer.begin_next("+", *MOVES)
        peer.send("#TIME_UP", "#WIN")
        peer.logout()

    played = play([first_half, third], "7g7f", "2g2f", resume=5.0, folder=tmp_path)
    assert played.counts == (1, 0, 0, 0) and "game 1 continues after 3 moves" in played.notes
    assert [path.name for path in tmp_path.glob("*.csa")] == ["g1.csa"]


@pytest.mark.parametrize(("games", "counts"), [(1, (0, 0, 0, 1)), (2, (1, 0, 0, 1))])
def test_a_resumption_that_is_rejected_and_not_offered_again_is_one_aborted_game(games, counts):
    def last(peer):
        rejected(peer)
        if games > 1:
            peer.begin_next("-", game_id="g2")
            peer.send("#TIME_UP", "#WIN")
        peer.logout()

    assert play([first_half, last], "7g7f", "2g2f", resume=0.2, games=games).counts == counts


def test_the_end_of_a_connection_while_the_end_is_told():
    def script(peer):
        peer.begin("-")
        peer.send("#TIME_UP")

    played = play(script)
    assert played.counts == (0, 0, 0, 1) and "moves: time" in played.notes


def test_a_new_offer_in_the_middle_of_a_game():
    def script(peer):
        peer.begin("-")
        peer.begin_next("-", game_id="g2")
        peer.send("#TIME_UP", "#WIN")
        peer.logout()

    assert play(script, games=2).counts == (1, 0, 0, 1)


# ---- silence


def test_silence_over_the_time_of_the_side_to_move():
    def script(peer):
        peer.begin("-", time=("Time_Unit:1msec", "Byoyomi:100"))
        assert peer.end() == []

    timeouts = Timeouts(silence=0.1, first_delay=0.01)
    played = play(script, timeouts=timeouts)
    assert played.counts == (0, 0, 0, 1) and "no line" in played.notes


def test_silence_within_the_time_of_the_side_to_move_is_no_fault(monkeypatch):
    """An opponent who thinks for long has not gone: only what exceeds the clock counts."""
    monkeypatch.setattr(session, "TICK", 0.02)

    def script(peer):
        peer.begin("-")
        time.sleep(0.6)
        peer.send("+7776FU,T1")
        peer.expect("-3334FU")
        peer.send("-3334FU,T0", "%TORYO", "#RESIGN", "#WIN")
        peer.logout()

    played = play(script, "3c3d", timeouts=Timeouts(silence=0.1, first_delay=0.01))
    assert played.error is None and played.counts == (1, 0, 0, 0) and "no line" not in played.notes


# ---- attempts


def test_the_delay_doubles_up_to_a_limit(monkeypatch):
    now, naps = [0.0], []

    def sleep(seconds):
        now[0] += seconds
        naps.append(seconds)

    watch = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep, strftime=time.strftime)
    monkeypatch.setattr(session, "time", watch)
    with ScriptedServer() as server:
        pass
    played = Played(server, ScriptedPlayer(), timeouts=Timeouts(first_delay=1.0, longest_delay=60.0), attempts=10)
    waits = [1, 2, 4, 8, 16, 32, 60, 60, 60]
    told = [text for text in played.screen.progressed if text.startswith("connecting again")]
    assert told == [f"connecting again in {seconds} s" for seconds in waits]
    assert sum(waits) <= sum(naps) <= (1 + session.JITTER) * sum(waits) + 1e-6
    assert "10 consecutive attempts" in played.error


def test_failures_are_forgotten_after_a_connection_that_lasted(monkeypatch):
    monkeypatch.setattr(session, "STEADY", 0.3)

    def cut(peer):
        peer.cut()

    def steady(peer):
        peer.login()
        time.sleep(0.5)
        peer.cut()

    played = play([cut, cut, steady, cut, quick_win], attempts=3)
    assert played.error is None and played.counts == (1, 0, 0, 0)


def test_an_idle_connection_is_kept_alive():
    def script(peer):
        peer.begin("-")
        for _ in range(3):
            assert peer.line() == ""
            peer.send("")
        peer.send("#TIME_UP", "#WIN")
        peer.logout()

    assert play(script, timeouts=Timeouts(keep_alive=0.03)).counts == (1, 0, 0, 0)


# ---- the engine fails


def test_an_engine_that_fails_is_started_again():
    def script(peer):
        peer.begin("+")
        peer.accept("+7776FU")
        peer.send("%TORYO", "#RESIGN", "#WIN")
        peer.logout()

    played = play(script, ValueError("it crashed"), "7g7f")
    assert played.counts == (1, 0, 0, 0) and played.player.restarts == 1
    assert "it crashed" in played.notes


@pytest.mark.parametrize("bad", [answered("7g7e"), answered(""), RuntimeError("out of order")])
def test_an_engine_that_fails_twice_gives_up(bad):
    def script(peer):
        peer.begin("+")
        assert peer.expect("%") == "%TORYO"
        peer.send("%TORYO", "#RESIGN", "#LOSE")
        peer.logout()

    assert play(script, bad, bad).counts == (0, 1, 0, 0)


# ---- leaving early


def test_the_first_interrupt_lets_the_game_be_played(monkeypatch):
    monkeypatch.setattr(Screen, "interrupt_at", ("game 1: white",))
    played = play(quick_win, games=0)
    assert played.counts == (1, 0, 0, 0) and "will be finished" in played.notes
    assert not played.session.left_at_once


def test_the_second_interrupt_breaks_it_off(monkeypatch, tmp_path):
    monkeypatch.setattr(Screen, "interrupt_at", ("game 1: white", "this game"))

    def script(peer):
        peer.begin("-")
        peer.end()

    played = play(script, games=0, folder=tmp_path)
    assert played.counts == (0, 0, 0, 1) and played.session.left_at_once
    assert kept_record(tmp_path).ending == "interrupted"


def test_an_interrupt_without_a_game_logs_out(monkeypatch):
    monkeypatch.setattr(Screen, "interrupt_at", ("logged in",))

    def script(peer):
        peer.login()
        peer.logout()

    assert play(script, games=0).counts == (0, 0, 0, 0)


def test_an_interrupt_ends_the_waiting_for_a_server(monkeypatch):
    monkeypatch.setattr(Screen, "interrupt_at", ("",))
    played = play(lambda peer: None, timeouts=Timeouts(first_delay=60.0), attempts=9)
    assert played.error is None and played.counts == (0, 0, 0, 0)
