"""The protocol as a machine of lines and events, the summary and the clock: no connection, no thread."""

import pytest

from shogi_engine.csa.game import GameContext, PlayerThread, ServerClock, ServerGame, TimeReader
from shogi_engine.csa.protocol import (
    ConnectionState,
    Declared,
    GameEnded,
    GameRefused,
    LoggedIn,
    LoggedOut,
    Moved,
    Notice,
    Offered,
    Protocol,
    Refused,
    Rejected,
    ServerTime,
    Started,
    SummaryError,
    SummaryReader,
    Unreadable,
    check_game,
    check_name,
)
from shogi_engine.csa.session import Settings
from shogi_engine.types.limits import Clock
from tests.csa.scripted import START, ScriptedPlayer, summary


def feed(protocol, *lines):
    """Return all events of some lines."""
    return [event for line in lines for event in protocol.receive(line)]


def waiting(x1=False):
    protocol = Protocol(x1=x1)
    protocol.login("me", "pw")
    assert feed(protocol, "LOGIN:me OK") == [LoggedIn()]
    return protocol


def playing(*arguments, **values):
    protocol = waiting()
    feed(protocol, *summary(*arguments, **values))
    protocol.agree()
    assert feed(protocol, "START:g1") == [Started()]
    return protocol


def read(lines):
    reader = SummaryReader()
    for line in lines[1:]:
        found = reader.take(line)
    return found


@pytest.mark.parametrize(("position", "side"), [(("PI",), "w"), ((), "w"), (("PI", "+"), "b")])
def test_to_move_counts_where_the_position_does_not_say_it(position, side):
    lines = [line.replace("To_Move:+", "To_Move:-") for line in summary(position=position)]
    assert read(lines).start.split()[1] == side


def test_a_whole_game():
    protocol = Protocol()
    assert protocol.login("me", "pw") == "LOGIN me pw"
    feed(protocol, "LOGIN:me OK")
    (offered,) = feed(protocol, *summary())
    assert isinstance(offered, Offered) and offered.summary.names == ("me", "other")
    assert protocol.agree() == "AGREE g1"
    assert feed(protocol, "START:g1") == [Started()]
    assert protocol.move("+7776FU", "* 30 -3334FU") == "+7776FU,'* 30 -3334FU"
    assert feed(protocol, "+7776FU,T12") == [Moved("+7776FU", "12")]
    assert feed(protocol, "-3334FU,T0.5,'x") == [Moved("-3334FU", "0.5")]
    assert feed(protocol, "%TORYO,T3", "#RESIGN", "#WIN") == [Declared("TORYO", "3"), GameEnded("RESIGN", "WIN")]
    assert protocol.logout() == "LOGOUT"
    assert feed(protocol, "LOGOUT:completed") == [LoggedOut()]


def test_blanks_at_the_end_of_lines():
    """The protocol has none; a line that is not recognised for one would stop the game."""
    protocol = Protocol()
    protocol.login("me", "pw")
    assert feed(protocol, "LOGIN:me OK ") == [LoggedIn()]
    (offered,) = feed(protocol, *(f"{line} \t" for line in summary()))
    assert isinstance(offered, Offered) and offered.summary == read(summary())
    protocol.agree()
    assert feed(protocol, "START:g1 ", "+7776FU ", "%TORYO ", "#RESIGN ", "#WIN ") == [
        Started(),
        Moved("+7776FU", ""),
        Declared("TORYO", ""),
        GameEnded("RESIGN", "WIN"),
    ]


def test_the_extended_mode():
    protocol = Protocol(x1=True)
    assert protocol.login("me", "pw") == "LOGIN me pw x1"
    assert feed(protocol, "LOGIN:me OK", "##[LOGIN] +OK x1") == [LoggedIn(), Notice("##[LOGIN] +OK x1")]
    assert protocol.ask_for_game("test-30-5F", "*") == "%%GAME test-30-5F *"
    assert feed(protocol, "##[ERROR] bad game name: x.") == [GameRefused("bad game name: x.")]


def test_a_login_that_is_refused():
    protocol = Protocol()
    protocol.login("me", "pw")
    assert feed(protocol, "LOGIN:incorrect") == [Refused("incorrect")]
    assert protocol.state is ConnectionState.REFUSED


@pytest.mark.parametrize("line", ["", " ", "\r"])
def test_an_empty_line_means_nothing(line):
    assert feed(playing(), line) == [] and feed(waiting(), line) == []


NOTHING = {
    playing: ["hello", "+7776", "+7776FU junk", "7776FU,T1", "#", "# WIN", "%", "\\xff\\xfe", "START:g1", "##[CHAT] x"],
    waiting: ["+7776FU,T1", "#WIN", "START:g1", "REJECT:g1 by x", "END Game_Summary"],
}


@pytest.mark.parametrize(("begun", "line"), [(begun, line) for begun, lines in NOTHING.items() for line in lines])
def test_a_line_that_means_nothing_changes_nothing(begun, line):
    protocol, before = begun(), begun().state
    assert feed(protocol, line) == [Notice(line)] and protocol.state is before


def test_a_game_can_be_rejected_by_the_other_side_and_the_start_of_another_is_none():
    protocol = waiting()
    feed(protocol, *summary())
    protocol.agree()
    assert feed(protocol, "START:g2") == [Notice("START:g2")]
    assert feed(protocol, "REJECT:g1 by other") == [Rejected("g1 by other")]
    assert protocol.state is ConnectionState.WAITING


def test_a_new_offer_ends_a_game_without_a_result():
    protocol = playing()
    events = feed(protocol, *summary(game_id="g2"))
    assert events[0] == GameEnded("", "") and events[1].summary.game_id == "g2"


def test_the_end_of_a_connection_tells_what_the_server_had_begun_to_say():
    protocol = playing()
    assert feed(protocol, "#TIME_UP") == []
    assert protocol.closed() == [GameEnded("TIME_UP", "")]
    assert playing().closed() == []


def test_an_offer_within_an_offer_counts():
    protocol = waiting()
    events = feed(protocol, *summary()[:7], *summary(game_id="g2"))
    assert [event.summary.game_id for event in events] == ["g2"]


@pytest.mark.parametrize("say", ["agree", "resign", "declare", "reject"])
def test_what_can_not_be_said_now_is_refused(say):
    with pytest.raises(RuntimeError):
        getattr(waiting(), say)()


def test_nothing_is_sent_out_of_a_game():
    with pytest.raises(RuntimeError):
        waiting().move("+7776FU")


# ---- the summary


def test_a_summary_with_moves():
    found = read(summary("-", "+7776FU,T12", "-3334FU,T6"))
    assert found.side == 1 and found.max_moves == 256 and found.declaration == "Jishogi 1.1"
    assert found.moves == (("7g7f", 12.0), ("3c3d", 6.0))
    assert found.times == (ServerTime(Clock(300_000, 0, 10_000)),) * 2
    assert found.describe() == "300 s + 10 s increment"


def test_a_position_of_its_own():
    position = ("P1 *  *  *  * -OU *  *  *  * ", "P9 *  *  *  * +OU *  *  *  * ", "P+00HI00FU", "P-00AL", "-")
    found = read(summary("-", position=position))
    assert found.start.startswith("4k4/9/9/9/9/9/9/9/4K4 w RP")


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (["Time_Unit:1msec", "Total_Time:900", "Byoyomi:5"], ServerTime(Clock(900, 5), 1)),
        (["Time_Unit:1min", "Total_Time:15", "Byoyomi:1"], ServerTime(Clock(900_000, 60_000), 60_000)),
        (["Time_Unit:10sec", "Total_Time:15"], ServerTime(Clock(150_000), 10_000)),
        (["Total_Time:15", "Time_Roundup:YES"], ServerTime(Clock(15_000), roundup=True)),
        (["Delay:3", "Total_Time:15"], ServerTime(Clock(15_000))),
        ([], ServerTime()),
    ],
)
def test_times(time, expected):
    lines = [line for line in summary(time=time) if time and "Unit:1sec" not in line or line != "Time_Unit:1sec"]
    assert read(lines).times == (expected, expected)


def test_times_of_their_own():
    lines = summary()
    begin, end = lines.index("BEGIN Time"), lines.index("END Time")
    blocks = ["BEGIN Time+", "Total_Time:10", "END Time+", "BEGIN Time-", "Total_Time:20", "Byoyomi:5", "END Time-"]
    found = read([*lines[:begin], *blocks, *lines[end + 1 :]])
    assert [time.clock.time for time in found.times] == [10_000, 20_000]
    assert found.describe() == "black 10 s, white 20 s + byoyomi 5 s"


def test_shogi_servers_stop_watch_says_minutes_and_means_seconds():
    lines = [line for line in summary(game_id="wdoor+test-1500-060+a+b+2020") if not line.startswith("Time_Unit")]
    place = lines.index("BEGIN Time") + 1
    lines[place : place + 2] = ["Time_Unit:1min", "Total_Time:1500", "Byoyomi:60"]
    (time, _) = read(lines).times
    assert time.clock == Clock(1_440_000, 60_000)


@pytest.mark.parametrize(
    ("lines", "word"),
    [
        (summary("*"), "Your_Turn"),
        ([line for line in summary(position=START[:-1]) if "To_Move" not in line], "whose move"),
        (summary(position=("P1 nonsense", *START[1:])), "position"),
        (summary("+", "+7775FU,T1"), "7775FU"),
        (summary("+", "-3334FU,T1"), "3334FU"),
        (summary("+", "%TORYO"), "already over"),
        (summary(time=["Total_Time:much"]), "much"),
        (summary(time=["Total_Time:-5"]), "-5"),
        (summary(time=["Time_Unit:1week"]), "week"),
        (summary(time=["Time_Unit:0sec"]), "0sec"),
        (summary(head=["Format:Go 1.0"]), "Go"),
        (summary(head=["Max_Moves:many"]), "many"),
    ],
)
def test_a_summary_that_will_not_do_is_refused_with_a_reason(lines, word):
    with pytest.raises(SummaryError, match=word):
        read(lines)
    protocol = waiting()
    (event,) = feed(protocol, *lines)
    assert isinstance(event, Unreadable) and event.game_id == "g1"
    assert protocol.reject() == "REJECT g1"


def test_a_summary_without_end_is_given_up():
    reader = SummaryReader()
    with pytest.raises(SummaryError, match="lines"):
        for _ in range(30_000):
            reader.take("Name+:x")


# ---- the clock


class Times:
    """A server's clock that is charged with what it says of each move."""

    def __init__(self, unit=1000, total=60_000, byoyomi=0, increment=0):
        times = (ServerTime(Clock(total, byoyomi, increment), unit),) * 2
        self.clock, self._reader = ServerClock(times), TimeReader(times)

    def charge(self, side, text, measured_ms=None):
        seconds = self._reader.seconds(text, side, self.clock.allowed(side), measured_ms)
        self.clock.charge(side, seconds)
        return seconds


def test_opening_moves_earn_no_increment():
    """A game may begin with moves. Only those made after them, before it was aborted, are charged."""
    openings = "+7776FU,T0", "-3334FU,T0"
    context = GameContext(Protocol(), lambda text: None, PlayerThread(ScriptedPlayer()), lambda search: None)
    first = ServerGame(read(summary("+", *openings)), context)
    assert first.game.clock.times()[:2] == [310, 310]
    again = ServerGame(read(summary("+", *openings, "+2726FU,T3")), context, earlier=first)
    assert again.game.clock.times()[:2] == [317, 310]


@pytest.mark.parametrize(
    ("moves", "game_id", "left"),
    [
        (("+7776FU,T12", "-3334FU,T6"), "t-1", [88, 94]),  # played before this client came
        (("+7776FU,T0", "-3334FU,T0", "+2726FU,T5"), "t-1", [95, 100]),
        (("+7776FU", "-3334FU"), "t-1", [100, 100]),
        (("+7776FU,T12", "-3334FU,T6"), "wdoor+floodgate-300-10F+a+b+20261128090000", [100, 100]),
    ],
)
def test_moves_that_were_played_before_a_client_was_started_anew_are_charged(moves, game_id, left):
    context = GameContext(Protocol(), lambda text: None, PlayerThread(ScriptedPlayer()), lambda search: None)
    offer = read(summary("+", *moves, game_id=game_id, time=("Total_Time:100", "Byoyomi:1")))
    game = ServerGame(offer, context)
    assert game.game.clock.times()[:2] == left
    assert [node.seconds for node in game.record.main_line[1:]] == [seconds for _, seconds in offer.moves]


def test_the_increment_comes_before_the_move():
    time = Times(increment=10_000)
    assert time.clock.allowed(0) == 70
    assert time.charge(0, "15") == 15.0
    assert (time.clock.allowed(0), time.clock.allowed(1)) == (65, 70)


def test_the_byoyomi_is_no_main_time():
    time = Times(total=5000, byoyomi=10_000)
    time.charge(1, "12")
    assert (time.clock.times()[1], time.clock.allowed(1)) == (0, 10)


def test_without_a_limit_there_is_no_end():
    time = Times(total=0)
    time.charge(0, "500")
    assert time.clock.allowed(0) is None


def test_seconds_are_seconds_where_the_unit_is_a_millisecond():
    time = Times(unit=1)
    assert time.charge(0, "2", measured_ms=2100.0) == 2.0
    assert time.charge(1, "0.25") == 0.25


def test_a_server_that_counts_in_milliseconds_is_found_out():
    time = Times(unit=1)
    assert time.charge(0, "2100", measured_ms=2150.0) == 2.1
    assert time.charge(1, "3000") == 3.0
    assert time.clock.times()[:2] == [57.9, 57]
    assert Times(unit=1).charge(1, "30000") == 30.0  # as seconds it would be more than there was
    assert Times(unit=100).charge(0, "21", measured_ms=2150.0) == 2.1
    assert Times(unit=100).charge(0, "2", measured_ms=2150.0) == 2.0


# ---- names


@pytest.mark.parametrize("name", ["", "a b", "x" * 33, "é", "a\nb"])
def test_names_that_no_server_takes(name):
    with pytest.raises(ValueError):
        check_name(name)


@pytest.mark.parametrize("game", ["floodgate", "floodgate-300", "f-x-10", "f-300-10 ", "f-300-10G"])
def test_games_that_no_server_knows(game):
    with pytest.raises(ValueError):
        check_game(game)


def test_the_extended_mode_needs_a_game_and_only_it_has_sides():
    assert Settings("h", "me", game="floodgate-300-10F").password_game == "floodgate-300-10F"
    assert Settings("h", "me", game="floodgate-300-10F", x1=True).password_game == ""
    for values in ({"x1": True}, {"turn": "+"}, {"game": "x"}):
        with pytest.raises(ValueError):
            Settings("h", "me", **values)
