"""A local CSA server: the server's end of a connection, and a referee of games between two clients.

The referee follows the rules of shogi-server, with one exception: an interrupted game is offered again, with the moves
made and their times, as the protocol's Begin Position allows. It cuts connections on request. Errors of a client are
counted in `faults`.

With `one_game_per_login` it behaves as shogi-server in standard mode (shogi_server/player.rb, game.rb): after a game it
closes the connection of the side that ended it. The other one's stays open, is not answered, and ends with the next
line from it or with the next login of that name.
"""

import contextlib
import queue
import random
import socket
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import Game, Refusal, Terms
from shogi_engine.types.limits import Clock
from shogi_engine.types.outcomes import Termination

CUTS = ("offered", "waiting", "thinking", "moved")  # when a client's connection is cut
SIGNS = "+-"
START = (
    "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "P2 * -HI *  *  *  *  * -KA * ", "P3-FU-FU-FU-FU-FU-FU-FU-FU-FU",
    "P4 *  *  *  *  *  *  *  *  * ", "P5 *  *  *  *  *  *  *  *  * ", "P6 *  *  *  *  *  *  *  *  * ",
    "P7+FU+FU+FU+FU+FU+FU+FU+FU+FU", "P8 * +KA *  *  *  *  * +HI * ", "P9+KY+KE+GI+KI+OU+KI+GI+KE+KY", "+",
)  # fmt: skip
WORDS = {  # of endings by the rules; a mated side has to resign
    Termination.REPETITION: "SENNICHITE",
    Termination.PERPETUAL_CHECK: "OUTE_SENNICHITE",
    Termination.MAX_MOVES: "MAX_MOVES",
}
COMPLETE = ("resignation", "declaration", "repetition", "perpetual check", "max moves")


def summary(
    game_id: str, names: Sequence[str], turn: str, *, time: Iterable[str], position: Iterable[str] = START,
    moves: Iterable[str] = (), head: Iterable[str] = ("Max_Moves:256",),
) -> list[str]:  # fmt: skip
    """Return the lines of a Game_Summary as shogi-server writes them.

    Args:
        time: the lines of the block Time
        head: more lines before it
    """
    return [
        "BEGIN Game_Summary", "Protocol_Version:1.2", "Protocol_Mode:Server", "Format:Shogi 1.0",
        "Declaration:Jishogi 1.1", f"Game_ID:{game_id}", f"Name+:{names[0]}", f"Name-:{names[1]}", f"Your_Turn:{turn}",
        "Rematch_On_Draw:NO", "To_Move:+", *head, "BEGIN Time", *time, "Least_Time_Per_Move:0", "END Time",
        "BEGIN Position", *position, *moves, "END Position", "END Game_Summary",
    ]  # fmt: skip


class Peer:
    """The server's end of one connection.

    Attributes:
        lines: received so far, None at the end
    """

    def __init__(self, connection: socket.socket, timeout: float | None = None) -> None:
        connection.settimeout(timeout)
        self._connection = connection
        self._file = connection.makefile("rb")
        self.lines: list[str | None] = []

    def send(self, *lines: str) -> None:
        """Send lines. Raises OSError."""
        self.raw("".join(f"{line}\n" for line in lines).encode())

    def raw(self, data: bytes) -> None:
        """Send bytes. Raises OSError."""
        self._connection.sendall(data)

    def line(self) -> str | None:
        """Return the next line, None at the end; keep-alive lines count."""
        try:
            raw = self._file.readline()
        except ConnectionError:
            raw = b""
        self.lines.append(raw.decode().rstrip("\n") if raw else None)
        return self.lines[-1]

    def expect(self, start: str) -> str:
        """Return the next line, which begins so; empty ones are skipped."""
        while (line := self.line()) == "":
            pass
        assert line is not None and line.startswith(start), f"{line!r} instead of {start!r}; before: {self.lines[:-1]}"
        return line

    def end(self) -> list[str]:
        """Wait until the client closes the connection; return what it sent before."""
        return list(iter(self.line, None))

    def hang_up(self) -> None:
        """End the connection, also while another thread waits for a line."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the connection."""
        self._file.close()
        self._connection.close()

    def cut(self) -> None:
        """End the connection as a broken line does."""
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close()


@dataclass(frozen=True)
class Conditions:
    """The time control in units, as in the summary.

    Attributes:
        unit: '1sec' or '1msec'
    """

    unit: str = "1sec"
    total: int = 600
    byoyomi: int = 0
    increment: int = 10
    max_moves: int = 256

    @property
    def per_second(self) -> int:
        """The number of units in a second."""
        return 1000 if self.unit == "1msec" else 1

    def clock(self) -> GameClock:
        """Return both sides' clocks: the increment comes before each move."""
        values = (self.total + self.increment, self.byoyomi, self.increment)
        return GameClock(Clock.from_seconds(*(value / self.per_second for value in values)))


@dataclass(frozen=True)
class Cut:
    """Cut the connection of one side at a move of the game.

    Attributes:
        when: one of CUTS
    """

    ply: int
    side: int
    when: str


@dataclass
class Played:
    """A game.

    Attributes:
        winner: a name, '' for a draw
        reason: how it ended
        breaks: the number of cuts
        spare: by name, the least time left on the clock after a move, in units
    """

    number: int
    winner: str = ""
    reason: str = ""
    plies: int = 0
    breaks: int = 0
    seconds: float = 0.0
    spare: dict[str, int] = field(default_factory=dict)


class Seat:
    """A client that is logged in."""

    def __init__(self, name: str, peer: Peer) -> None:
        self.name, self.peer = name, peer
        self.alive = True

    def send(self, *lines: str) -> None:
        """Send lines, unless the connection has been cut."""
        if self.alive:
            with contextlib.suppress(OSError):
                self.peer.send(*lines)

    def leave(self) -> None:
        """Answer no more."""
        self.alive = False
        self.peer.hang_up()


@dataclass
class Table:
    """A game in progress.

    Attributes:
        names: of black and white
        moves: in CSA's notation, each with its time in units
    """

    number: int
    names: tuple[str, str]
    game: Game
    moves: list[tuple[str, int]] = field(default_factory=list)
    offers: int = 0


class Broken(Exception):  # noqa: N818  (no error)
    """A connection has ended."""


class RefereeServer:
    """`games` games between the clients `names`, colours in turn.

    Args:
        cuts: by the number of the game, from 0

    Attributes:
        port: on this machine
    """

    def __init__(
        self,
        names: tuple[str, str],
        games: int,
        conditions: Conditions,
        cuts: dict[int, Cut] | None = None,
        opening_plies: int = 0,
        seed: int = 1,
        one_game_per_login: bool = False,
    ) -> None:
        self.names, self.games, self.conditions = names, games, conditions
        self.cuts = dict(cuts or {})
        self.played: list[Played] = []
        self.faults: dict[str, int] = {}
        self._seats: dict[str, Seat] = {}
        self._arrived = threading.Condition()
        self._lines: queue.SimpleQueue[tuple[Seat, str | None]] = queue.SimpleQueue()
        self._opening_plies, self._random = opening_plies, random.Random(seed)
        self._one_game_per_login = one_game_per_login
        self.waits: list[float] = []  # seconds between a game's end and the next login of each of its players
        self._ended: dict[str, float] = {}
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def run(self) -> None:
        """Play all games."""
        for number in range(self.games):
            began = time.monotonic()
            played = self._play(number)
            played.seconds = time.monotonic() - began
            self.played.append(played)
            self._carry_over(number)

    def _carry_over(self, number: int) -> None:
        """Move the cut of a game that ended too early to the next game without one, at an earlier move."""
        cut = self.cuts.pop(number, None)
        free = next((other for other in range(number + 1, self.games) if other not in self.cuts), None)
        if cut is not None and free is not None:
            self.cuts[free] = Cut(cut.ply // 2, cut.side, cut.when)

    def _fault(self, name: str) -> None:
        self.faults[name] = self.faults.get(name, 0) + 1

    # ---- clients

    def _accept(self) -> None:
        while True:
            threading.Thread(target=self._serve, args=(Peer(self._listening.accept()[0]),), daemon=True).start()

    def _serve(self, peer: Peer) -> None:
        words = (peer.line() or "").split()
        if len(words) < 3 or words[0] != "LOGIN" or words[1] not in self.names:
            peer.send("LOGIN:incorrect")
            peer.close()
            return
        seat = Seat(words[1], peer)
        seat.send(f"LOGIN:{seat.name} OK")
        with self._arrived:
            if seat.name in self._ended:
                self.waits.append(time.monotonic() - self._ended.pop(seat.name))
            if (earlier := self._seats.get(seat.name)) is not None:
                earlier.leave()
            self._seats[seat.name] = seat
            self._arrived.notify_all()
        while (line := peer.line()) is not None and seat.alive:
            if line == "LOGOUT":
                seat.send("LOGOUT:completed")
                break
            if line:
                self._lines.put((seat, line))
            else:
                seat.send("")
        seat.leave()
        self._lines.put((seat, None))
        peer.close()

    def _seated(self, name: str) -> Seat:
        with self._arrived:
            self._arrived.wait_for(lambda: name in self._seats and self._seats[name].alive)
        return self._seats[name]

    def _next_line(self, seats: list[Seat], end: float | None = None) -> tuple[Seat, str] | None:
        """Return the next line of a seat, None if there is none until `end`. Raises Broken."""
        while end is None or end > time.monotonic():
            try:
                seat, line = self._lines.get(timeout=None if end is None else max(end - time.monotonic(), 0.0))
            except queue.Empty:
                break
            if seat in seats:
                if line is None:
                    raise Broken
                return seat, line
        return None

    # ---- games

    def _play(self, number: int) -> Played:
        names = self.names if number % 2 == 0 else (self.names[1], self.names[0])
        terms = Terms(max_plies=self.conditions.max_moves)
        table = Table(number, names, Game.begin("shogi", clock=self.conditions.clock(), terms=terms, rule="CSARule27"))
        self._open(table)
        played = Played(number)
        while not played.reason:
            seats = [self._seated(name) for name in names]
            started = False
            try:
                self._begin(table, seats)
                started = True
                played.winner, played.reason = self._referee(table, seats, played.spare)
            except Broken:
                played.breaks += 1
                for seat in seats:
                    seat.send("#CHUDAN" if started else f"REJECT:{self._id(table)} by server")
        played.plies = table.game.ply
        return played

    def _open(self, table: Table) -> None:
        """Make some random moves, so that games differ."""
        game = table.game
        for _ in range(self._opening_plies):
            move = self._random.choice(list(game.board.legal_moves))
            table.moves.append((game.board.text(move, "csa"), 0))
            game.move(move)

    def _begin(self, table: Table, seats: list[Seat]) -> None:
        """Offer the game and wait until both have agreed. Raises Broken."""
        table.offers += 1
        for side, seat in enumerate(seats):
            seat.send(*self._summary(table, side))
        self._cut(table, seats, "offered")
        agreed: set[Seat] = set()
        while len(agreed) < len(seats):  # other lines were sent before the last game or offer had ended
            if (found := self._next_line(seats)) is not None and found[1] == f"AGREE {self._id(table)}":
                agreed.add(found[0])
        for seat in seats:
            seat.send(f"START:{self._id(table)}")

    def _id(self, table: Table) -> str:
        if self._one_game_per_login:
            return f"loopback+test-600-10F+{'+'.join(table.names)}+{table.number:014}"
        return f"loopback+{table.number}+{'+'.join(table.names)}+{table.offers}"

    def _summary(self, table: Table, side: int) -> list[str]:
        conditions = self.conditions
        names = ("Time_Unit", "Total_Time", "Byoyomi", "Increment")
        values = (conditions.unit, conditions.total, conditions.byoyomi, conditions.increment)
        return summary(
            self._id(table), table.names, SIGNS[side],
            time=[f"{name}:{value}" for name, value in zip(names, values, strict=True)],
            moves=[f"{move},T{self._time(units)}" for move, units in table.moves],
            head=[f"Max_Moves:{conditions.max_moves}"],
        )  # fmt: skip

    def _time(self, units: int) -> str:
        """Return the time after T: seconds, as in CSA files."""
        return f"{units / self.conditions.per_second:g}"

    def _cut(self, table: Table, seats: list[Seat], when: str) -> None:
        """Cut a connection if a cut is due. Raises Broken."""
        cut = self.cuts.get(table.number)
        if cut is None or cut.when != when or len(table.moves) < cut.ply:
            return
        to_move = table.game.turn == cut.side
        if to_move if when in ("waiting", "moved") else when == "thinking" and not to_move:
            return
        del self.cuts[table.number]
        seats[cut.side].leave()
        raise Broken

    def _referee(self, table: Table, seats: list[Seat], spare: dict[str, int]) -> tuple[str, str]:
        """Play the game; return the winner and the reason. spare : see Played, in-out. Raises Broken."""
        game, per_second = table.game, self.conditions.per_second
        while True:
            self._cut(table, seats, "waiting")
            self._cut(table, seats, "thinking")
            side, allowed = game.turn, game.clock.allowed(game.turn) or 0.0
            began = time.monotonic()
            line = self._line(seats[side], seats, began + allowed)
            units = int((time.monotonic() - began) * per_second)
            seconds, name, available = units / per_second, seats[side].name, round(allowed * per_second)
            spare[name] = min(spare.get(name, available), available - units)
            if line is None or game.flag_fell(seconds):
                return self._end(seats, side, "TIME_UP", 1 - side, "time")
            move = line.split(",")[0]
            if move in ("%TORYO", "%KACHI"):
                return self._declared(game, seats, move, units)
            try:
                game.move(move, seconds=seconds)
            except Refusal:
                self._fault(f"illegal: {line}")
                return self._end(seats, side, "ILLEGAL_MOVE", 1 - side, "illegal move")
            table.moves.append((move, units))
            self._cut(table, seats, "moved")
            for seat in seats:
                seat.send(f"{move},T{self._time(units)}")
            if game.outcome is not None and game.outcome.termination in WORDS:
                termination = game.outcome.termination
                return self._end(seats, side, WORDS[termination], game.outcome.winner, str(termination))

    def _declared(self, game: Game, seats: list[Seat], word: str, units: int) -> tuple[str, str]:
        side = game.turn
        for seat in seats:
            seat.send(f"{word},T{self._time(units)}")
        if word == "%TORYO":
            return self._end(seats, side, "RESIGN", 1 - side, "resignation")
        if game.may_declare():
            return self._end(seats, side, "JISHOGI", side, "declaration")
        return self._end(seats, side, "ILLEGAL_MOVE", 1 - side, "false declaration")

    def _end(self, seats: list[Seat], by: int, word: str, winner: int | None, reason: str) -> tuple[str, str]:
        """Tell the seats the end of a game, which the side `by` has brought about."""
        drawn = "CENSORED" if word == "MAX_MOVES" else "DRAW"
        for side, seat in enumerate(seats):
            seat.send(f"#{word}", f"#{drawn if winner is None else ('LOSE', 'WIN')[side == winner]}")
        if self._one_game_per_login:
            with self._arrived:
                self._ended = dict.fromkeys((seat.name for seat in seats), time.monotonic())
            for seat in seats:
                seat.alive = False
            seats[by].leave()
        return (seats[winner].name if winner is not None else "", reason)

    def _line(self, mover: Seat, seats: list[Seat], end: float) -> str | None:
        """Return the next line of the side to move, None if there is none in time. Raises Broken."""
        while (found := self._next_line(seats, end)) is not None and found[0] is not mover:
            self._fault(f"out of turn: {found[1]}")
        return found[1] if found else None
