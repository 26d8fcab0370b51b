"""A local CSA server for two clients: it pairs them, referees, and cuts connections on request.

It follows the rules of shogi-server, with one exception: an interrupted game is offered again, with the moves made and
their times, as the protocol's Begin Position allows. Errors of a client are counted by its name in `faults`.

With `one_game_per_login` it behaves as shogi-server in standard mode (shogi_server/player.rb, game.rb): after a game it
closes the connection of the side that ended it. The other one's stays open, is not answered, and ends with the next
line from it or with the next login of that name.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from shogi_engine.games.shogi.board import Board
from shogi_engine.types.termination import Termination

CUTS = ("offered", "waiting", "thinking", "moved")  # when a client's connection is cut
SIGNS = "+-"
START = (
    "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY", "P2 * -HI *  *  *  *  * -KA * ", "P3-FU-FU-FU-FU-FU-FU-FU-FU-FU",
    "P4 *  *  *  *  *  *  *  *  * ", "P5 *  *  *  *  *  *  *  *  * ", "P6 *  *  *  *  *  *  *  *  * ",
    "P7+FU+FU+FU+FU+FU+FU+FU+FU+FU", "P8 * +KA *  *  *  *  * +HI * ", "P9+KY+KE+GI+KI+OU+KI+GI+KE+KY", "+",
)  # fmt: skip
COMPLETE = ("resignation", "declaration", "repetition", "perpetual check", "max moves")


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


class Seat:
    """A client that is logged in."""

    def __init__(self, name: str, writer: asyncio.StreamWriter) -> None:
        self.name, self.writer = name, writer
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()
        self.alive = True

    def send(self, *lines: str) -> None:
        """Send lines, unless the connection has been cut."""
        if self.alive:
            with contextlib.suppress(OSError):
                self.writer.write("".join(f"{line}\n" for line in lines).encode())

    def cut(self) -> None:
        """Close the connection without a message."""
        self.alive = False
        self.writer.transport.abort()


@dataclass
class State:
    """A game in progress."""

    number: int
    names: tuple[str, str]
    left: list[int]
    mover: int = 0  # the side that made the last move or ended the game
    board: Board = field(default_factory=Board)
    moves: list[tuple[str, int]] = field(default_factory=list)
    offers: int = 0


class Broken(Exception):  # noqa: N818  (no error)
    """A connection has ended."""


class RefereeServer:
    """`games` games between the clients `names`, colours in turn.

    Args:
        cuts: by the number of the game, from 0
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
        self._arrived = asyncio.Condition()
        self._opening_plies, self._random = opening_plies, random.Random(seed)
        self._one_game_per_login = one_game_per_login

    async def start(self) -> int:
        """Listen on a free port of this machine and return it."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def run(self) -> None:
        """Play all games."""
        for number in range(self.games):
            began = time.monotonic()
            played = await self._play(number)
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

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        words = (await reader.readline()).decode().split()
        if len(words) < 3 or words[0] != "LOGIN" or words[1] not in self.names:
            writer.write(b"LOGIN:incorrect\n")
            writer.close()
            return
        seat = Seat(words[1], writer)
        seat.send(f"LOGIN:{seat.name} OK")
        async with self._arrived:
            if (earlier := self._seats.get(seat.name)) is not None:
                earlier.writer.close()
            self._seats[seat.name] = seat
            self._arrived.notify_all()
        with contextlib.suppress(OSError):
            while (raw := await reader.readline()) and seat.alive:
                line = raw.decode().rstrip("\n")
                if line == "LOGOUT":
                    seat.send("LOGOUT:completed")
                    break
                if line:
                    seat.lines.put_nowait(line)
                else:
                    seat.send("")
        seat.alive = False
        seat.lines.put_nowait(None)
        writer.close()

    async def _seated(self, name: str) -> Seat:
        async with self._arrived:
            await self._arrived.wait_for(lambda: name in self._seats and self._seats[name].alive)
        return self._seats[name]

    # ---- games

    async def _play(self, number: int) -> Played:
        names = self.names if number % 2 == 0 else (self.names[1], self.names[0])
        state = State(number, names, [self.conditions.total] * 2)
        self._open(state)
        played = Played(number)
        while not played.reason:
            seats = [await self._seated(name) for name in names]
            started = False
            try:
                await self._begin(state, seats)
                started = True
                played.winner, played.reason = await self._referee(state, seats, played.spare)
                if self._one_game_per_login:
                    for seat in seats:
                        seat.alive = False
                    seats[state.mover].writer.close()
            except Broken:
                played.breaks += 1
                for seat in seats:
                    seat.send("#CHUDAN" if started else f"REJECT:{self._id(state)} by server")
        played.plies = len(state.board.move_stack)
        return played

    def _open(self, state: State) -> None:
        """Make some random moves, so that games differ."""
        for _ in range(self._opening_plies):
            move = self._random.choice(list(state.board.legal_moves))
            state.moves.append((state.board.text(move, "csa"), 0))
            state.board.push(move)

    async def _begin(self, state: State, seats: list[Seat]) -> None:
        """Offer the game and wait until both have agreed. Raises Broken."""
        state.offers += 1
        for side, seat in enumerate(seats):
            seat.send(*self._summary(state, side))
        self._cut(state, seats, "offered")
        for seat in seats:
            while (line := await seat.lines.get()) != f"AGREE {self._id(state)}":
                if line is None:  # other lines were sent before the last game or offer had ended
                    raise Broken
        for seat in seats:
            seat.send(f"START:{self._id(state)}")

    def _id(self, state: State) -> str:
        if self._one_game_per_login:
            return f"loopback+test-600-10F+{'+'.join(state.names)}+{state.number:014}"
        return f"loopback+{state.number}+{'+'.join(state.names)}+{state.offers}"

    def _summary(self, state: State, side: int) -> list[str]:
        conditions = self.conditions
        names = ("Time_Unit", "Total_Time", "Byoyomi", "Increment")
        values = (conditions.unit, conditions.total, conditions.byoyomi, conditions.increment)
        return summary(
            self._id(state), state.names, SIGNS[side],
            time=[f"{name}:{value}" for name, value in zip(names, values, strict=True)],
            moves=[f"{move},T{self._time(units)}" for move, units in state.moves],
            head=[f"Max_Moves:{conditions.max_moves}"],
        )  # fmt: skip

    def _time(self, units: int) -> str:
        """Return the time after T: seconds, as in CSA files."""
        return f"{units / self.conditions.per_second:g}"

    def _cut(self, state: State, seats: list[Seat], when: str) -> None:
        """Cut a connection if a cut is due. Raises Broken."""
        cut = self.cuts.get(state.number)
        if cut is None or cut.when != when or len(state.moves) < cut.ply:
            return
        if when == "thinking" and state.board.turn != cut.side or when == "waiting" and state.board.turn == cut.side:
            return
        if when == "moved" and state.board.turn == cut.side:  # the move was just made
            return
        del self.cuts[state.number]
        seats[cut.side].cut()
        raise Broken

    async def _referee(self, state: State, seats: list[Seat], spare: dict[str, int]) -> tuple[str, str]:
        """Play the game; return the winner and the reason. spare : see Played, in-out. Raises Broken."""
        conditions, board = self.conditions, state.board
        while True:
            self._cut(state, seats, "waiting")
            self._cut(state, seats, "thinking")
            side = state.mover = board.turn
            mover, other = seats[side], seats[1 - side]
            available = state.left[side] + conditions.byoyomi + conditions.increment
            began = time.monotonic()
            line = await self._line(mover, other, available / conditions.per_second)
            units = int((time.monotonic() - began) * conditions.per_second)
            spare[mover.name] = min(spare.get(mover.name, available), available - units)
            if line is None or units >= available:
                return self._end(seats, "TIME_UP", 1 - side, "time")
            move = line.split(",")[0]
            if move in ("%TORYO", "%KACHI"):
                return self._declared(state, seats, move, units)
            try:
                played = board.parse_text(move)
            except ValueError:
                self._fault(f"illegal: {line}")
                return self._end(seats, "ILLEGAL_MOVE", 1 - side, "illegal move")
            board.push(played)
            state.moves.append((move, units))
            state.left[side] = max(state.left[side] + conditions.increment - units, 0)
            self._cut(state, seats, "moved")
            for seat in seats:
                seat.send(f"{move},T{self._time(units)}")
            if (verdict := self._verdict(state, seats)) is not None:
                return verdict

    def _declared(self, state: State, seats: list[Seat], word: str, units: int) -> tuple[str, str]:
        side = state.board.turn
        for seat in seats:
            seat.send(f"{word},T{self._time(units)}")
        if word == "%TORYO":
            return self._end(seats, "RESIGN", 1 - side, "resignation")
        if state.board.can_declare_win("CSARule27"):
            return self._end(seats, "JISHOGI", side, "declaration")
        return self._end(seats, "ILLEGAL_MOVE", 1 - side, "false declaration")

    def _verdict(self, state: State, seats: list[Seat]) -> tuple[str, str] | None:
        """Return the end of the game by the rules, None if it continues; a mated side has to resign."""
        outcome = state.board.outcome()
        if outcome is not None and outcome.termination is Termination.FOURFOLD_REPETITION:
            return self._end(seats, "SENNICHITE", None, "repetition")
        if outcome is not None and outcome.termination is Termination.PERPETUAL_CHECK:
            return self._end(seats, "OUTE_SENNICHITE", outcome.winner, "perpetual check")
        if len(state.moves) >= self.conditions.max_moves:
            return self._end(seats, "MAX_MOVES", None, "max moves")
        return None

    @staticmethod
    def _end(seats: list[Seat], word: str, winner: int | None, reason: str) -> tuple[str, str]:
        for side, seat in enumerate(seats):
            result = (
                "CENSORED" if word == "MAX_MOVES" else "DRAW" if winner is None else ("LOSE", "WIN")[side == winner]
            )
            seat.send(f"#{word}", f"#{result}")
        return (seats[winner].name if winner is not None else "", reason)

    async def _line(self, mover: Seat, other: Seat, seconds: float) -> str | None:
        """Return the next line of the side to move, None if there is none in time. Raises Broken."""
        end = time.monotonic() + seconds
        mine, theirs = asyncio.ensure_future(mover.lines.get()), asyncio.ensure_future(other.lines.get())
        try:
            while (left := end - time.monotonic()) > 0:
                await asyncio.wait({mine, theirs}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                if theirs.done():
                    if theirs.result() is None:
                        raise Broken
                    self._fault(f"out of turn: {theirs.result()}")
                    theirs = asyncio.ensure_future(other.lines.get())
                elif mine.done():
                    if (line := mine.result()) is None:
                        raise Broken
                    return line
            return None
        finally:
            for waiting in (mine, theirs):
                waiting.cancel()
