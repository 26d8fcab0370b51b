"""What shogi-server does beyond the protocol, by its source (shogi_server/*.rb), and what the client makes of it."""

import pytest

from shogi_engine.csa.session import Timeouts
from tests.csa.scripted import START, finished_game, play, quick_win, summary

# ---- declarations: a wrong one loses

# 28 points and 12 pieces in the camp; with a lance for the last rook it is 24 points, which is not enough here.
ENTERED = ("P-59OU", "P+51OU11RY12RY13UM21UM22TO23TO31TO32TO33TO41TO42TO43TO", "+")
TOO_POOR = (ENTERED[0], ENTERED[1].replace("11RY", "11NY"), "+")


@pytest.mark.parametrize(
    ("answer", "sent", "lines", "counts"),
    [
        ("resign", "%TORYO", ["%TORYO,T1", "#RESIGN", "#LOSE"], (0, 1, 0, 0)),
        ("win", "%KACHI", ["%KACHI,T1", "#JISHOGI", "#WIN"], (1, 0, 0, 0)),
    ],
)
def test_giving_up_and_declaring(answer, sent, lines, counts):
    def script(peer):
        peer.begin("+", position=ENTERED)
        assert peer.expect("%") == sent
        peer.send(*lines)
        peer.logout()

    assert play(script, answer).counts == counts


@pytest.mark.parametrize(
    ("position", "rule"),
    [(START, "Declaration:Jishogi 1.1"), (TOO_POOR, "Declaration:Jishogi 1.1"), (ENTERED, ""),
     (ENTERED, "Declaration:Jishogi 2.0")],
)  # fmt: skip
def test_a_win_is_declared_only_if_server_and_position_allow_it(position, rule):
    """A wrong declaration loses on shogi-server: '%KACHI,T1', '%KACHI', '#ILLEGAL_MOVE', '#LOSE'."""

    def script(peer):
        peer.login()
        lines = [line for line in summary("+", position=position) if "Declaration" not in line]
        peer.send(lines[0], *filter(None, [rule]), *lines[1:])
        peer.expect("AGREE")
        peer.send("START:g1")
        peer.accept("+")
        peer.send("#SENNICHITE", "#DRAW")
        peer.logout()

    played = play(script, "win", "7g7f" if position == START else "5a6a")
    assert played.counts == (0, 0, 1, 0) and "declared a win" in played.notes
    offered = rule == "Declaration:Jishogi 1.1"
    # Then it is told not to.
    assert played.player.rules == ["CSARule27" if offered else "NoEnteringKing", "NoEnteringKing"]


def test_an_engine_that_insists_on_a_wrong_declaration_resigns():
    def script(peer):
        peer.begin("+")
        peer.accept("%TORYO")
        peer.send("#RESIGN", "#LOSE")
        peer.logout()

    assert play(script, "win", "win").counts == (0, 1, 0, 0)


def test_the_declaration_of_protocol_1_0_is_read():
    def script(peer):
        peer.login()
        lines = [line for line in summary("-") if "Declaration" not in line]
        peer.send(*lines[:-2], "Jishogi_Declaration:1.1", *lines[-2:])
        peer.expect("AGREE")
        peer.send("START:g1", "#SENNICHITE", "#DRAW")
        peer.logout()

    assert play(script).player.rules[0] == "CSARule27"


# ---- refusals, and the end of a login in standard mode


@pytest.mark.parametrize(
    "error",
    [
        "You are not allowed to specify TEBAN + for the game floodgate-300-10F",
        "Random turn preference is not allowed for handicapped games",
        "bad game name: x-300-10F.",
    ],
)
def test_a_game_that_shogi_server_refuses_in_standard_mode(error):
    """The server asks itself for the game of the login, refuses it, and then waits without a word."""

    def script(peer):
        peer.login()
        peer.send(f"##[ERROR] {error}")
        peer.end()

    assert error in play(script, game="floodgate-300-10F-B").error


@pytest.mark.parametrize("mode", [{"x1": True}, {}])
def test_an_agreement_that_crosses_the_other_sides_refusal_ends_nothing(mode):
    def script(peer):
        peer.expect("LOGIN")
        peer.send("LOGIN:me OK")
        for number in (1, 2):
            if mode:
                peer.expect("%%GAME")
            peer.offer("-", game_id=f"g{number}")
            peer.expect("AGREE")
            if number == 1:
                error = "##[ERROR] you are in connected status. AGREE is valid in agree_waiting status"
                peer.send("REJECT:g1 by other", error)
        peer.send("START:g2", "#TIME_UP", "#WIN")
        peer.logout()

    assert play(script, **mode, game="x-300-10" if mode else "").counts == (1, 0, 0, 0)


def test_after_a_refused_game_the_login_of_standard_mode_is_over_too():
    def refused(peer):
        peer.login()
        peer.offer("-")
        peer.expect("AGREE")
        peer.send("REJECT:g1 by other")
        peer.expect("LOGOUT")  # shogi-server closes without an answer

    played = play([refused] * 4 + [quick_win], game="test-300-10F", attempts=2)
    assert played.error is None and played.counts == (1, 0, 0, 0)


def test_a_logout_between_games_that_is_answered_or_not():
    def answering(peer):
        peer.begin("-")
        peer.send("#TIME_UP", "#WIN")
        peer.logout()

    def silent(peer):
        peer.begin("-", game_id="g2")
        peer.send("#TIME_UP", "#WIN")
        assert peer.end() == ["LOGOUT"]

    def last(peer):
        finished_game(peer, "#JISHOGI", "#LOSE", turn="-")

    timeouts = Timeouts(logout=0.2, first_delay=0.01)
    played = play([answering, silent, last], games=3, game="test-300-10F", timeouts=timeouts)
    assert played.error is None and played.counts == (2, 1, 0, 0)
