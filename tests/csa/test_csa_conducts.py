"""Conducts of servers that the protocol does not foresee: chat, unknown fields, a late start, a cut within a line."""

import time

from tests.csa.scripted import Played, ScriptedPlayer, ScriptedServer, kept_record, play
from tests.support.answers import answered

RESIGNED = ("%TORYO,T1", "#RESIGN", "#WIN")


def test_unknown_fields_chat_and_a_late_start(tmp_path):
    def script(peer):
        peer.login()
        peer.send("##[CHAT][x] hello", "%%SETBUOY", "")
        peer.offer("-", head=("Rematch_On_Draw:NO", "X_Field:a:b", "Note:\u3053", "Declaration:Jishogi 1.1"))
        peer.expect("AGREE g1")
        peer.send("##[CHAT][x] wait", "", "# a remark")
        time.sleep(0.3)
        peer.send("START:g1", "##[LOWTIME] x", "+7776FU,T1", "##[CHAT][y] +3334FU")
        peer.accept("-3334FU")
        peer.send("'a comment", *RESIGNED[:2], "##[CHAT] gg", "#WIN")
        peer.logout()

    played = play(script, "3c3d", folder=tmp_path)
    assert played.error is None and played.counts == (1, 0, 0, 0)
    assert kept_record(tmp_path).moves == ["7g7f", "3c3d"]


def test_the_game_ends_while_we_think(tmp_path):
    def slow(turn):
        while not turn.search.stopped:
            time.sleep(0.01)
        return answered("2g2f")

    def script(peer):
        peer.begin("+")
        time.sleep(0.2)
        peer.send("%TORYO", "#RESIGN", "#WIN")
        peer.logout()

    played = play(script, slow, folder=tmp_path)
    assert played.error is None and played.counts == (1, 0, 0, 0)
    assert (kept_record(tmp_path).moves, kept_record(tmp_path).result) == ([], "1-0")


def test_the_result_before_its_reason(tmp_path):
    def script(peer):
        peer.begin("-")
        peer.send("+7776FU,T1")
        peer.accept("-3334FU")
        peer.send("#WIN", "#RESIGN")
        peer.logout()

    played = play(script, "3c3d", folder=tmp_path)
    assert played.error is None and played.counts == (1, 0, 0, 0)


def test_a_connection_that_is_cut_within_a_line():
    def cut(peer):
        peer.begin("-")
        peer.raw(b"+7776F")
        peer.close()

    def again(peer):
        peer.begin("-", game_id="g2")
        peer.send("+7776FU,T1")
        peer.accept("-3334FU")
        peer.send(*RESIGNED)
        peer.logout()

    with ScriptedServer(cut, again) as server:
        played = Played(server, ScriptedPlayer("3c3d"), games=2)
    assert played.error is None and played.counts == (1, 0, 0, 1)


def test_long_lines_of_chat_are_passed_over():
    def script(peer):
        peer.begin("-")
        peer.send("##[CHAT][x] " + "a" * 2000, "+7776FU,T1", "##" + "b" * 2000)
        peer.accept("-3334FU")
        peer.send(*RESIGNED)
        peer.logout()

    assert play(script, "3c3d").counts == (1, 0, 0, 0)
