"""Games between two USI engines: processes, clocks, pondering, and what they do wrong.

Legality and the end of a game are judged by our own Board. The engine that commits a fault loses the game by it.
"""

import contextlib
import queue
import shlex
import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from shogi_engine.games.shogi.board import Board

MATE_SCORE = 30000  # what a score of mate counts for adjudication


class FaultError(Exception):
    """What an engine did wrong. side : 0 (black) or 1.   kind : one of FAULTS.   text : the details."""

    def __init__(self, side: int, kind: str, text: str = "") -> None:
        super().__init__(f"{kind}: {text}" if text else kind)
        self.side, self.kind = side, kind


FAULTS = ("illegal move", "false declaration", "time", "crash", "no answer", "second answer", "illegal ponder move")


@dataclass(frozen=True)
class Limit:
    """What one engine may use for a move: see `parse_limit`. Times in ms."""

    nodes: int | None = None
    depth: int | None = None
    movetime: int | None = None
    byoyomi: int | None = None
    main: int | None = None
    increment: int = 0

    @property
    def clocked(self) -> bool:
        """Whether there is a clock, with a main time or byoyomi alone."""
        return self.main is not None or self.byoyomi is not None

    def allowed(self, left: int) -> float | None:
        """Return how long a move may take with `left` ms of main time, None for ever."""
        if self.clocked:
            return left + (self.byoyomi or 0)
        return self.movetime


def parse_limit(text: str) -> Limit:
    """Return the limit of e.g. 'nodes=10000', 'movetime=200', 'byoyomi=1000', 'clock=60000+0+1000', 'depth=6'.

    clock is MAIN[+BYOYOMI[+INCREMENT]]; several are joined by commas. Raises ValueError.
    """
    values: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.strip().partition("=")
        if name == "clock":
            numbers = [int(each) for each in number.split("+")]
            if len(numbers) > 3:
                raise ValueError(f"a clock is MAIN+BYOYOMI+INCREMENT, not {number!r}")
            values |= dict(zip(("main", "byoyomi", "increment"), numbers, strict=False))
        elif name in ("nodes", "depth", "movetime", "byoyomi"):
            values[name] = int(number)
        else:
            raise ValueError(f"a limit is nodes, depth, movetime, byoyomi or clock, not {part.strip()!r}")
    if min(values.values()) < 0 or any(values.get(name) == 0 for name in ("nodes", "depth", "movetime")):
        raise ValueError(f"a limit that is too small: {text!r}")
    limit = Limit(**values)
    if limit.clocked and not (limit.main or limit.byoyomi or limit.increment):
        raise ValueError(f"a clock without any time: {text!r}")
    return limit


@dataclass(frozen=True)
class Setup:
    """One side of a match. options : (name, value) in the order they are sent, value None for a button."""

    command: str
    options: tuple[tuple[str, str | None], ...]
    limit: Limit
    ponder: bool = False
    folder: str | None = None


def parse_options(text: str) -> tuple[tuple[str, str | None], ...]:
    """Return the options of 'Name=Value,Name=Value'; a comma within a value is written '\\,'."""
    options = []
    for part in text.replace("\\,", "\0").split(","):
        part = part.replace("\0", ",").strip()
        if part:
            name, equals, value = part.partition("=")
            options.append((name.strip(), value.strip() if equals else None))
    return tuple(options)


@dataclass
class Answer:
    """An engine's answer. score : centipawns for the engine, None if it gave none."""

    move: str
    ponder: str
    milliseconds: float
    score: int | None = None
    nodes: int = 0
    depth: int = 0


class Player:
    """One engine process, started when first needed and again after a fault. `patience` : s without an answer."""

    def __init__(self, setup: Setup, patience: float, ready_patience: float) -> None:
        self.setup, self.patience, self.ready_patience = setup, patience, ready_patience
        self.side = 0
        self.name = setup.command
        self.pondering = ""  # the position it ponders on
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[tuple[float, str | None]] = queue.Queue()

    def _start(self) -> None:
        self._lines = queue.Queue()
        try:
            self._process = subprocess.Popen(
                shlex.split(self.setup.command), cwd=self.setup.folder, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            )  # fmt: skip
        except OSError as fault:
            raise FaultError(self.side, "crash", f"can not start: {fault}") from None
        threading.Thread(target=self._read, args=(self._process, self._lines), daemon=True).start()
        self.send("usi")
        while not (line := self._next(self.ready_patience)[1]).startswith("usiok"):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
        options = list(self.setup.options)
        if self.setup.ponder:
            options.append(("USI_Ponder", "true"))
        for name, value in options:
            self.send(f"setoption name {name}" + (f" value {value}" if value is not None else ""))

    @staticmethod
    def _read(process: Any, lines: queue.Queue) -> None:
        for raw in process.stdout:
            lines.put((time.monotonic(), raw.decode("utf-8", "replace").strip()))
        lines.put((time.monotonic(), None))

    def send(self, line: str) -> float:
        """Send a line; return when it was written."""
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
        except OSError:
            raise FaultError(self.side, "crash", "it takes no more commands") from None
        return time.monotonic()

    def _next(self, patience: float) -> tuple[float, str]:
        try:
            came, line = self._lines.get(timeout=max(patience, 0.001))
        except queue.Empty:
            raise FaultError(self.side, "no answer") from None
        if line is None:
            raise FaultError(self.side, "crash", f"exit status {self._process.wait() if self._process else None}")
        return came, line

    def quiet(self) -> None:
        """Take what was said meanwhile; a bestmove that nobody asked for is a fault."""
        while not self._lines.empty():
            _, line = self._next(0)
            if line.startswith("bestmove"):
                raise FaultError(self.side, "second answer", line)

    def new_game(self, side: int) -> None:
        """Be ready for a game on `side`."""
        self.side, self.pondering = side, ""
        if self._process is None:
            self._start()
        self.quiet()
        self.send("isready")
        end = time.monotonic() + self.ready_patience
        while (line := self._next(end - time.monotonic())[1]) != "readyok":
            if line.startswith("bestmove"):
                raise FaultError(self.side, "second answer", line)
        self.send("usinewgame")

    def answer(self, began: float, allowed_ms: float | None) -> Answer:
        """Wait for the bestmove of a search that began at `began`."""
        end = began + (allowed_ms or 0) / 1000 + self.patience
        found = Answer("", "", 0.0)
        while True:
            came, line = self._next(end - time.monotonic())
            words = line.split()
            if words[:1] == ["info"]:
                _read_info(words, found)
            elif words[:1] == ["bestmove"]:
                found.milliseconds = (came - began) * 1000
                found.move = words[1] if len(words) > 1 else ""
                found.ponder = words[3] if len(words) > 3 and words[2] == "ponder" else ""
                return found

    def stop_pondering(self) -> None:
        """End a search on the opponent's time and drop its answer."""
        if self.pondering:
            self.pondering = ""
            self.answer(self.send("stop"), None)

    def end_game(self, result: str) -> None:
        """Tell the result: 'win', 'lose' or 'draw'."""
        self.stop_pondering()
        self.quiet()
        self.send(f"gameover {result}")

    def close(self) -> None:
        """End the process."""
        process, self._process, self.pondering = self._process, None, ""
        if process is None:
            return
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.write(b"quit\n")
            process.stdin.close()
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _read_info(words: list[str], found: Answer) -> None:
    """Note the score, the nodes and the depth of an info line; what can not be read is left out."""
    for word, after in zip(words, words[1:], strict=False):
        if word in ("pv", "string"):
            return
        with contextlib.suppress(ValueError):
            if word in ("nodes", "depth"):
                setattr(found, word, int(after))
            elif word == "cp":
                found.score = int(after)
            elif word == "mate":
                found.score = -MATE_SCORE if after.startswith("-") else MATE_SCORE


@dataclass
class Measured:
    """What one side used in a game."""

    moves: int = 0
    milliseconds: float = 0.0
    longest: float = 0.0
    late: int = 0  # moves over the limit, within the margin
    nodes: int = 0
    depths: int = 0
    hits: int = 0  # ponder moves that were played
    misses: int = 0


@dataclass
class Game:
    """A finished game. winner : 0 (black), 1, or None for a draw.   fault : what its loser did wrong, '' if nothing."""

    winner: int | None
    reason: str
    fault: str
    moves: list[str]
    measured: tuple[Measured, Measured]


@dataclass(frozen=True)
class Terms:
    """How a match's games are judged.

    max_plies : drawn after so many.   margin : ms over a limit that are no loss on time yet.   resign : (value, count)
    as in arena.Rules, in centipawns, by the scores both engines report; None: never.
    """

    max_plies: int = 320
    margin: float = 100.0
    resign: tuple[int, int] | None = None


@dataclass
class _State:
    """A game under way."""

    board: Board
    moves: list[str]
    clocks: list[int]
    measured: tuple[Measured, Measured] = field(default_factory=lambda: (Measured(), Measured()))
    ahead: tuple[list[int | None], list[int | None]] = field(default_factory=lambda: ([], []))

    @property
    def position(self) -> str:
        return "position startpos" + (" moves " + " ".join(self.moves) if self.moves else "")


def play(black: Player, white: Player, opening: str, terms: Terms) -> Game:
    """Play one game from `opening` (moves); a fault ends it and the process that committed it."""
    players = black, white
    state = _State(Board(), opening.split(), [player.setup.limit.main or 0 for player in players])
    for move in state.moves:
        state.board.push_usi(move)
    fault = ""
    try:
        for side, player in enumerate(players):
            player.new_game(side)
        winner, reason = _play_on(players, state, terms)
        for side, player in enumerate(players):
            player.end_game("draw" if winner is None else "win" if winner == side else "lose")
    except FaultError as failure:
        winner, reason, fault = 1 - failure.side, str(failure), failure.kind
        players[failure.side].close()
        with contextlib.suppress(FaultError):
            players[1 - failure.side].end_game("win")
    return Game(winner, reason, fault, state.moves, state.measured)


def _play_on(players: tuple[Player, Player], state: _State, terms: Terms) -> tuple[int | None, str]:
    """Play to the end; return the winner and the reason. Raises FaultError."""
    board = state.board
    while True:
        outcome = board.outcome()
        if outcome is not None:
            return outcome.winner, outcome.termination.name.lower().replace("_", " ")
        if len(state.moves) >= terms.max_plies:
            return None, "max plies"
        side = board.turn
        answer = _think(players, state, side, terms)
        if answer.move == "resign":
            return 1 - side, "resign"
        if answer.move == "win":
            if not board.can_declare_win():
                raise FaultError(side, "false declaration")
            return side, "declaration"
        try:
            board.push_usi(answer.move)
        except ValueError as fault:
            own = state.moves[-2:-1]  # said again, and so late that it seemed to answer the next question
            raise FaultError(side, "second answer" if own == [answer.move] else "illegal move", str(fault)) from None
        state.moves.append(answer.move)
        state.ahead[side].append(answer.score if side == 0 or answer.score is None else -answer.score)
        if terms.resign is not None:
            value, count = terms.resign
            last = [score for scores in state.ahead for score in scores[-count:] if score is not None]
            if len(last) == 2 * count and (min(last) >= value or max(last) <= -value):
                return int(last[0] < 0), "agreed"
        if players[side].setup.ponder and answer.ponder and board.outcome() is None:
            _ponder(players, state, side, answer.ponder)


def _go(state: _State, players: tuple[Player, Player], side: int) -> str:
    """Return the words after `go` for `side`."""
    limit, words = players[side].setup.limit, []
    if limit.clocked:
        words += ["btime", str(state.clocks[0]), "wtime", str(state.clocks[1])]
        increments = [player.setup.limit.increment for player in players]
        if any(increments):
            words += ["binc", str(increments[0]), "winc", str(increments[1])]
        if limit.byoyomi or not limit.increment:
            words += ["byoyomi", str(limit.byoyomi or 0)]
    for name in ("movetime", "nodes", "depth"):
        if getattr(limit, name) is not None:
            words += [name, str(getattr(limit, name))]
    return " ".join(words)


def _think(players: tuple[Player, Player], state: _State, side: int, terms: Terms) -> Answer:
    """Return the move of `side`, within its time."""
    player = players[side]
    limit, measured = player.setup.limit, state.measured[side]
    allowed = limit.allowed(state.clocks[side])
    player.quiet()
    if player.pondering == state.position:
        measured.hits += 1
        player.pondering = ""
        began = player.send("ponderhit")
    else:
        measured.misses += bool(player.pondering)
        player.stop_pondering()
        player.send(state.position)
        began = player.send(f"go {_go(state, players, side)}")
    answer = player.answer(began, allowed)
    measured.moves += 1
    measured.milliseconds += answer.milliseconds
    measured.longest = max(measured.longest, answer.milliseconds)
    measured.nodes += answer.nodes
    measured.depths += answer.depth
    if allowed is not None and answer.milliseconds > allowed:
        measured.late += 1
        if answer.milliseconds > allowed + terms.margin:
            raise FaultError(side, "time", f"{answer.milliseconds:.0f} ms of {allowed:.0f}")
    if limit.clocked:
        state.clocks[side] = max(0, state.clocks[side] - int(answer.milliseconds)) + limit.increment
    return answer


def _ponder(players: tuple[Player, Player], state: _State, side: int, move: str) -> None:
    """Let `side` think on the opponent's time about `move`, which has to be legal."""
    player = players[side]
    if move not in {legal.usi() for legal in state.board.legal_moves}:
        raise FaultError(side, "illegal ponder move", move)
    player.pondering = f"{state.position} {move}"
    player.send(player.pondering)
    player.send(f"go ponder {_go(state, players, side)}")
