"""One game on a server: its events become moves and the end of a `play.Game`, and requests to the player."""

import contextlib
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from shogi_engine.clients.base import EngineError
from shogi_engine.common.text import legal_line
from shogi_engine.common.threads import Search, start_thread
from shogi_engine.csa.protocol import (
    JISHOGI,
    Declared,
    GameEnded,
    GameSummary,
    Moved,
    Protocol,
    ServerTime,
    outcome_of,
    result_of,
)
from shogi_engine.games.shogi.names import CSA_27, ENTERING_KING_RULES, NO_ENTERING_KING
from shogi_engine.games.shogi.records.words import evaluation_lines
from shogi_engine.play.clock import GameClock, Share
from shogi_engine.play.game import Game, Terms, number
from shogi_engine.play.players import Player
from shogi_engine.records.tree import GameRecord, Node, one_line
from shogi_engine.search.timeman import TimeOptions, in_full_seconds
from shogi_engine.types.limits import Clock, Limit, TimeBudget
from shogi_engine.types.outcomes import Outcome, Termination
from shogi_engine.types.results import PlayResult

# ---- The time of moves by the server's count: the `T` after a move is the time charged for it. Standard library only


MS = 1000.0
UNTIMED_MS = 5000  # for each move if the game has no time limit


class ServerClock(GameClock):
    """Both sides' clocks by the server's count. CSA adds the increment before each move, including the first.

    Args:
        delay: the ms that a move takes on its way to the server

    Attributes:
        overhead: the ms charged for the last moves beyond their thinking time, on a busy machine or a slow line
    """

    def __init__(self, times: tuple[ServerTime, ServerTime], delay: int = 20) -> None:
        black, white = (
            replace(each.clock, time=each.clock.time + each.clock.increment) if each.timed else None for each in times
        )
        super().__init__((black, white))
        self.overhead = 0.0
        self._times, self._delay = times, delay

    def for_search(self, side: int) -> Clock:
        """Return the clock for a search; a game without a time limit is played within UNTIMED_MS for each move."""
        return super().for_search(side) or Clock(byoyomi=UNTIMED_MS)

    def _late(self) -> int:
        """Return the ms that a move loses to the line and the machine."""
        return max(self._delay, int(self.overhead))

    def budget(self, side: int, share: Share) -> TimeBudget:
        """Return the time for a search that begins now."""
        time, late = self._times[side], self._late()
        clock = self.for_search(side)
        if time.roundup:
            clock = _less(clock, time.unit)
        options = TimeOptions(
            network_delay=late,
            network_delay2=max(TimeOptions.network_delay2, 5 * late),
            minimum_thinking_time=max(time.least - late, 0),
        )
        budget = share(clock, options)
        if time.timed and time.unit >= MS:
            budget = in_full_seconds(budget, clock, options)
        return budget.less(MS * self.elapsed if self.side == side else 0)

    def limited(self, limit: Limit, side: int) -> Limit:
        """Return `limit` with the clocks for a search by `side`: the main time without the increment, less the delay.

        The overhead of each move, or the part of the delay that the clock cannot pay, also reduces the increment.
        """
        clocks = [self.for_search(each) for each in range(2)]
        increments = [int(clock.increment) for clock in clocks]
        times = [int(clock.time) - increment for clock, increment in zip(clocks, increments, strict=True)]
        byoyomi, overhead = int(clocks[side].byoyomi), int(self.overhead)
        late = self._late() + (int(MS * self.elapsed) if self.side == side else 0)
        if byoyomi:  # USI has no increments together with a byoyomi
            times[side] += increments[side]
            increments = [0, 0]
        from_byoyomi = late if byoyomi > 2 * late else 0
        from_clock = min(late - from_byoyomi, times[side])
        times[side] -= from_clock
        increments[side] = max(increments[side] - max(late - from_byoyomi - from_clock, overhead), 0)
        limit = replace(limit, black_clock=times[0] / MS, white_clock=times[1] / MS)
        if any(increments):
            return replace(limit, black_inc=increments[0] / MS, white_inc=increments[1] / MS)
        return replace(limit, byoyomi=(byoyomi - from_byoyomi) / MS)


def _less(clock: Clock, ms: float) -> Clock:
    """Return a clock less `ms`, of the byoyomi if it is long enough, else of the main time."""
    if clock.byoyomi > ms:
        return replace(clock, byoyomi=clock.byoyomi - ms)
    return replace(clock, time=max(clock.time - ms, 0))


class TimeReader:
    """Reads the times after the moves of a game, as the server writes them.

    They are in seconds, as in CSA files, but with a unit of less than a second some servers give them in that unit.
    This is assumed if it is nearer to the measured time, or if as many seconds would exceed the side's time.
    """

    def __init__(self, times: tuple[ServerTime, ServerTime]) -> None:
        self._times = times
        self._counts_units = False

    def seconds(self, text: str, side: int, allowed: float | None, measured_ms: float | None = None) -> float:
        """Return the time of a move of `side` in seconds.

        Args:
            allowed: the seconds that it could take, None for no limit
            measured_ms: the time of this engine's move as measured here; None for the opponent's moves
        """
        number, unit = float(text), self._times[side].unit
        if unit < MS and "." not in text and number:
            if measured_ms is not None:
                self._counts_units = abs(number * unit - measured_ms) < abs(number * MS - measured_ms)
            elif allowed is not None and number > allowed:
                self._counts_units = True
            if self._counts_units:
                number *= unit / MS
        return number


# ---- PlayerThread: a player thinks in a thread of its own, and the session listens to the server meanwhile


CLOSE_TIMEOUT = 5.0  # seconds for a player to end its search

Deliver = Callable[[Search[PlayResult[Any]]], object]


class PlayerThread:
    """Calls a player, at most once at a time; any thread may call it, but not two at once."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._working = threading.Lock()  # held while the player is called
        self._search: Search[PlayResult[Any]] = Search()  # of the last requested move
        self._thread: threading.Thread | None = None

    def begin(self, game: Game, side: int) -> None:
        """Prepare for a game. Raises EngineError, ValueError, OSError."""
        with self._free():
            self.player.new_game(game, side, "")

    def restart(self) -> None:
        """Start the player again after a fault. Raises EngineError, ValueError, OSError."""
        with self._free():
            self.player.close()
            self.player.ready()

    @contextlib.contextmanager
    def _free(self) -> Iterator[None]:
        """Drop the requested move, and let no one else call the player inside the `with` block."""
        self._search.stop()
        with self._working:
            yield

    def think(self, game: Game, deliver: Deliver) -> Search[PlayResult[Any]]:
        """Let it think about the next move. The search is delivered when it has ended, unless it was dropped."""
        self._search.stop()
        self._search = search = Search(
            lambda player, search: player.think(game, search), done=lambda search: search.stopped or deliver(search)
        )
        self._thread = start_thread(self._run, "player", search)
        return search

    def _run(self, search: Search[PlayResult[Any]]) -> None:
        with self._working:
            if not search.stopped:
                search.run(self.player)

    def ponder(self, game: Game, move: Any) -> None:
        """Let it begin to think on the opponent's time; if that fails, the next move does."""
        with self._working, contextlib.suppress(EngineError):
            self.player.ponder(game, move)

    def halt(self) -> None:
        """Drop the requested move, without waiting, and end thinking on the opponent's time."""
        self._search.stop()
        self._thread = start_thread(self._rest, "player")

    def _rest(self) -> None:
        with self._working, contextlib.suppress(EngineError):
            self.player.stop_pondering()

    def over(self, result: str) -> None:
        """Tell it how the game ended: 'win', 'lose' or 'draw'."""
        with self._free():
            try:
                self.player.game_over(result)
            except EngineError:  # the next game starts it again
                self.player.close()

    def close(self) -> None:
        """End the player."""
        self.halt()
        assert self._thread is not None
        self._thread.join(CLOSE_TIMEOUT)
        self.player.close()


PV_MAX = 12  # maximum number of moves in a comment
OVERHEAD_KEPT = 0.8  # share of the overhead kept at the next move, so that a slow move has an effect for a while
FAULTS_MAX = 2  # faults of a player at one move before the engine resigns
SIGNS = "+-"
_OF_SHOGI_SERVER = re.compile(r"[^+]+(?:\+.+){3}\+[0-9]{14}")  # its names of games: EVENT+GAME+BLACK+WHITE+TIME
SAID_BY_ENDING = (
    Termination.RESIGNATION,
    Termination.TIME_FORFEIT,
    Termination.REPETITION,
    Termination.DECLARATION,
    Termination.MAX_MOVES,
)


class BrokenGame(Exception):  # noqa: N818  (not an error of this program)
    """The server's messages contradict the game, so it cannot continue on this connection."""


@dataclass(frozen=True)
class GameContext:
    """The server, the player and the user, as a game reaches them.

    Attributes:
        protocol, send: to the server
        delay: the ms that a move takes on its way there
        comments: send scores and lines with moves, in shogi-server's form
        ponder: think on the opponent's time
        deliver: called with a search for a move that has ended, in the player's thread
        note: called with a line for the user
    """

    protocol: Protocol
    send: Callable[[str], None]
    player: PlayerThread
    deliver: Deliver
    delay: int = 20
    comments: bool = False
    ponder: bool = False
    note: Callable[[str], None] = print


def opening_moves(summary: GameSummary) -> int:
    """Return how many of the moves that a game begins with are its opening, which cost no time and earn no increment.

    Moves with times were played before this client was started anew, and are charged; not so by shogi-server, which
    cannot resume games and sets up openings only.
    """
    if _OF_SHOGI_SERVER.fullmatch(summary.game_id):
        return len(summary.moves)
    return next((ply for ply, (_, seconds) in enumerate(summary.moves) if seconds), len(summary.moves))


class ServerGame:
    """A game from its offer to its end.

    Attributes:
        game: what has been played; its ending is the server's word
        earlier: the same game before it was aborted, whose comments are kept
        stem: of the file for its record
        result: 'win', 'lose' or 'draw', '' while it is open
    """

    def __init__(
        self, summary: GameSummary, context: GameContext, *, stem: str = "", earlier: "ServerGame | None" = None
    ) -> None:
        self.summary, self.stem = summary, stem
        self.side = summary.side
        self.record = GameRecord("shogi", summary.start, list(summary.names))
        self._clock = ServerClock(summary.times, context.delay)
        self.game = Game(
            self.record,
            clock=self._clock,
            terms=Terms(max_plies=summary.max_moves),
            judged=False,
            rule=ENTERING_KING_RULES[CSA_27 if summary.declaration == JISHOGI else NO_ENTERING_KING],
        )
        self._times = TimeReader(summary.times)
        self.reason = self.result = ""
        self.started = False
        self.score: int | None = None  # of the engine's last move, in centipawns
        self.began: str = earlier.began if earlier else time.strftime("%Y/%m/%d %H:%M:%S")
        self._context = context
        self._search: Search[PlayResult[Any]] | None = None  # for the move to be made now
        self._sent = ""  # the engine's move, '+7776FU', until the server accepts it
        self._answer: PlayResult[Any] = PlayResult()  # which contains that move
        self._measured_ms = 0.0  # the time of that move, as measured here
        self._turn_answered = False
        self._faults = 0
        self._illegal: tuple[str, str] | None = None  # a move by the server that is not legal, and why
        self._accepted = ""  # the last move by the server
        self._head()
        self.opening_moves: int = earlier.opening_moves if earlier else opening_moves(summary)
        for ply, (move, seconds) in enumerate(summary.moves):
            charged = None if seconds is None or ply < self.opening_moves else self._seconds(f"{seconds:g}")
            self.game.move(move, seconds=charged)
            self.game.node.seconds = seconds if charged is None else charged
        if earlier:
            self._keep_comments(earlier)

    def _head(self) -> None:
        """Write the headers known before the first move into the record."""
        summary, (black, white) = self.summary, self.summary.times
        self.record.headers |= {"event": one_line(summary.game_id), "started": self.began}
        if black == white and not black.clock.increment:
            minutes, byoyomi = int(black.clock.time) // 60_000, int(black.clock.byoyomi) // 1000
            self.record.headers["time"] = f"{minutes // 60:02}:{minutes % 60:02}+{byoyomi:02}"
        self.record.root.add_comment(f"time: {summary.describe()}")
        if summary.max_moves:
            self.record.root.add_comment(f"Max_Moves:{summary.max_moves}")

    def _keep_comments(self, earlier: "ServerGame") -> None:
        for new, old in zip(self.record.main_line[1:], earlier.record.main_line[1:], strict=False):
            if new.move != old.move:
                break
            new.comment, new.evaluation = old.comment, old.evaluation
            new.depth, new.pv = old.depth, old.pv

    def continues(self, earlier: "ServerGame") -> bool:
        """Tell whether this is `earlier`, offered again: the moves of one are the beginning of the other's."""
        one, two = self.summary, earlier.summary
        if (one.names, one.side, one.start) != (two.names, two.side, two.start):
            return False
        mine, theirs = self.record.moves, earlier.record.moves
        shorter = min(len(mine), len(theirs))
        if mine[:shorter] != theirs[:shorter]:
            return False
        return one.game_id == two.game_id or len(mine) >= max(len(theirs) - 1, 1)

    # ---- whose turn it is

    @property
    def our_turn(self) -> bool:
        """Tell whether the engine is to move, or waits for its move to be accepted."""
        return self.game.turn == self.side

    @property
    def opponent(self) -> str:
        """The opponent's name."""
        return self.summary.names[1 - self.side]

    @property
    def ply(self) -> int:
        """The number of moves made."""
        return self.game.ply

    def time_left(self) -> float:
        """Return the remaining seconds of the side to move, infinite without a limit."""
        left = self._clock.left()
        return math.inf if left is None else left

    # ---- what happens

    def start(self, now: float) -> None:
        """The game begins, or continues."""
        self.started = True
        self.game.start(now)
        if self.our_turn:
            self._think()

    def moved(self, event: Moved, now: float) -> None:
        """The server has accepted a move. Raises BrokenGame if the move is impossible."""
        board, ours = self.game.board, self.our_turn
        if self._illegal is not None:
            raise BrokenGame(f"the server sent {event.move} after an illegal move")
        if event.move[0] != SIGNS[board.turn]:
            if event.move == self._accepted:
                return  # said twice
            raise BrokenGame(f"{event.move} is a move of the wrong side")
        if ours and event.move != self._sent:
            raise BrokenGame(f"the server reports {event.move} as this engine's move, not {self._sent or 'none'}")
        try:
            move = board.parse_text(event.move)
        except ValueError as fault:
            self._illegal = event.move, str(fault)
            self._context.player.halt()
            return
        # If the server gives no time, the measured one is at least the server's.
        text, measured = (event.time, self._measured_ms) if event.time else (str(int(self._clock.elapsed)), None)
        self._accepted = event.move
        node = self.game.move(move, seconds=self._seconds(text, measured if ours else None))
        assert node is not None  # the server judges
        self.game.start(now)
        self._sent, self._faults, self._turn_answered = "", 0, False
        if ours:
            self._measure_overhead(node.seconds)
            self._note(node, self._answer, board)
            self._ponder()
        else:
            self._think()

    def declared(self, event: Declared) -> None:
        """A side has resigned or declared a win; the result follows."""
        if event.time:
            measured = self._clock.elapsed * MS if self.our_turn else None
            self.game.node.ending_seconds = self._seconds(event.time, measured)

    def ended(self, event: GameEnded) -> None:
        """The game is over."""
        self._stop()
        self.reason = event.reason or event.result
        self.result = result_of(event.result)
        outcome = outcome_of(event.reason, self.result, self.side)
        self._finish(outcome, "" if outcome.termination in SAID_BY_ENDING else self.reason)
        if self.result:
            self._context.player.over(self.result)

    def break_off(self, reason: str) -> None:
        """The game cannot continue on this connection; the record ends here."""
        self._stop()
        self.reason = reason
        self._finish(outcome_of("", "", self.side), reason)

    def _finish(self, outcome: Outcome, remark: str) -> None:
        node = self.game.node
        if remark:
            node.add_comment(one_line(remark))
        if self._illegal is not None:
            text, fault = self._illegal
            said = outcome.termination is Termination.ILLEGAL_MOVE
            node.add_comment(f"illegal move: {text}" if said else one_line(fault))
        self.game.end(outcome, node.ending_seconds)
        self.record.headers["ended"] = time.strftime("%Y/%m/%d %H:%M:%S")

    def answered(self, search: Search[PlayResult[Any]]) -> None:
        """The player answers, or fails; an answer to an older question is ignored."""
        if search is not self._search or self.game.over or self._turn_answered:
            return
        self._search = None
        protocol = self._context.protocol
        try:
            move = self._checked(answer := search.result())
        except Exception as fault:  # after any failure the game continues: the player tries again, or resigns
            self._retry(str(fault) or repr(fault))
            return
        self._turn_answered, self._answer = True, answer
        if answer.info.score is not None:
            self.score = number(answer.info.score)
        if answer.resigned:
            self._context.send(protocol.resign())
        elif answer.declares:
            self._context.send(protocol.declare())
        else:
            self._sent = move
            self._measured_ms = self._clock.elapsed * MS
            self._context.send(protocol.move(move, self._comment_text(answer) if self._context.comments else ""))

    def _checked(self, answer: PlayResult[Any]) -> str:
        """Return the move in CSA notation, '' if there is none. Raises ValueError if the player failed.

        A wrong declaration loses the game at once, so the player is told not to declare any more in this game.
        """
        board = self.game.board
        if answer.resigned:
            return ""
        if answer.declares:
            if self.game.may_declare():
                return ""
            self.game.rule = ENTERING_KING_RULES[NO_ENTERING_KING]
            raise ValueError("it declared a win that this server or position does not allow")
        try:
            return str(board.text(board.parse_usi(str(answer.move or "")), "csa"))
        except ValueError:
            raise ValueError(f"the engine answered {str(answer.move or '')!r}, which is not legal here") from None

    def _retry(self, fault: str) -> None:
        """The player failed: ask again with the remaining time, or resign."""
        self._faults += 1
        self._context.note(f"the engine failed: {fault}")
        if self._faults >= FAULTS_MAX:
            self._turn_answered = True
            self._context.send(self._context.protocol.resign())
            return
        try:
            self._context.player.restart()
            self._context.player.begin(self.game, self.side)
        except (EngineError, ValueError, OSError) as failure:
            self._retry(str(failure))
            return
        self._think()

    # ---- the player

    def _think(self) -> None:
        self._search = self._context.player.think(self.game, self._context.deliver)

    def _ponder(self) -> None:
        """Think on the opponent's time, if there is a reply to think about."""
        if not self._context.ponder or not self._answer.ponder:
            return
        board = self.game.board.copy()
        try:
            move = board.push_usi(str(self._answer.ponder))
        except ValueError:
            return
        if board.legal_moves:
            self._context.player.ponder(self.game, move)

    def _stop(self) -> None:
        self._search = None
        self._context.player.halt()

    # ---- times and comments

    def _seconds(self, text: str, measured_ms: float | None = None) -> float:
        """Return the time of the move that is about to be made, as the server counts it."""
        side = self.game.turn
        return self._times.seconds(text, side, self.game.clock.allowed(side), measured_ms)

    def _measure_overhead(self, seconds: float | None) -> None:
        """Compare how long the move just made took, here or at the server, with the thinking time of the engine."""
        counted = (seconds or 0.0) * MS if self.summary.times[self.side].unit < MS else 0.0
        thought, told = self._answer.time, self._answer.info.time  # which includes the opponent's time, if it pondered
        thought = thought if told is None else min(thought, told)
        overhead = max(self._measured_ms, counted) - thought * MS
        self._clock.overhead = max(overhead, self._clock.overhead * OVERHEAD_KEPT)

    def _note(self, node: Node, answer: PlayResult[Any], board: Any) -> Node:
        """Add the answer's score and line to the move's node; `board` is the position after it. Return the node."""
        info = answer.info
        if info.score is not None:
            node.evaluation, node.depth = info.score, info.depth or None
            texts = list(map(str, info.pv[: PV_MAX + 1])) if info.pv[:1] == (answer.move,) else []
            node.pv = tuple(map(str, legal_line(texts[1:], board, board.parse_usi)))
        return node

    def _comment_text(self, answer: PlayResult[Any]) -> str:
        """Return '* 30 -3334FU +2726FU' as on floodgate: black's centipawns, and the line after the move."""
        board = self.game.board.copy()
        board.push_usi(str(answer.move))
        node = self._note(Node(str(answer.move)), answer, board)
        lines = evaluation_lines(node, self.side, board, floodgate=True)
        return next((line for line in lines if line.startswith("* ")), "")
