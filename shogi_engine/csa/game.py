"""One game on a server: the position, the clock, the record, and the requests to the player."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shogi_engine.common.lines import legal_line
from shogi_engine.csa.clock import MS, ServerClock
from shogi_engine.csa.players import RESIGN, WIN, CsaAnswer, CsaPlayer, GameRules, ServerTurn
from shogi_engine.csa.protocol import Declared, Ended, Moved, Protocol
from shogi_engine.csa.summary import JISHOGI, Summary
from shogi_engine.games.shogi.records.evaluations import evaluation_lines, number_score
from shogi_engine.records.headers import one_line
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder
from shogi_engine.types.termination import Outcome, Termination

PV_MAX = 12  # maximum number of moves in a comment
OVERHEAD_KEPT = 0.8  # share of the overhead kept at the next move, so that a slow move has an effect for a while
FAULTS_MAX = 2  # faults of a player at one move before the engine resigns
SIGNS = "+-"
RESULTS = {"WIN": "win", "LOSE": "lose", "DRAW": "draw", "CENSORED": "draw"}  # CHUDAN, an aborted game, has none
SAID_BY_ENDING = (
    Termination.RESIGNATION,
    Termination.TIME_FORFEIT,
    Termination.REPETITION,
    Termination.DECLARATION,
    Termination.MAX_MOVES,
)
REASONS = {  # as the server names them
    "RESIGN": Termination.RESIGNATION,
    "TIME_UP": Termination.TIME_FORFEIT,
    "ILLEGAL_MOVE": Termination.ILLEGAL_MOVE,
    "ILLEGAL_ACTION": Termination.ILLEGAL_MOVE,
    "OUTE_SENNICHITE": Termination.PERPETUAL_CHECK,
    "JISHOGI": Termination.DECLARATION,  # or an impasse, if it is a draw
    "SENNICHITE": Termination.REPETITION,
    "MAX_MOVES": Termination.MAX_MOVES,
}


def outcome_of(reason: str, result: str, side: int) -> Outcome:
    """Return the outcome for the server's `reason` and the engine's `result`, a value of RESULTS or '', as `side`."""
    if not result:
        return Outcome(None, Termination.INTERRUPTED)
    if result == "draw":
        termination = REASONS.get(reason, Termination.AGREEMENT)
        return Outcome(None, Termination.IMPASSE if termination is Termination.DECLARATION else termination)
    return Outcome(side if result == "win" else 1 - side, REASONS.get(reason, Termination.UNKNOWN))


class BrokenGame(Exception):  # noqa: N818  (not an error of this program)
    """The server's messages contradict the game, so it cannot continue on this connection."""


@dataclass(frozen=True)
class Talk:
    """How a game talks to the server, the player and the user.

    Attributes:
        protocol, send: to the server
        comments: send scores and lines with moves, in shogi-server's form
        ponder: think on the opponent's time
        deliver: called with (token, CsaAnswer) from the player's thread
        note: called with a line for the user
    """

    protocol: Protocol
    send: Callable[[str], None]
    player: CsaPlayer
    deliver: Callable[[object, CsaAnswer], None]
    comments: bool = False
    ponder: bool = False
    note: Callable[[str], None] = print


class Game:
    """A game from its offer to its end.

    Attributes:
        earlier: the same game before it was aborted, whose comments are kept
        stem: of the file for its record
        result: 'win', 'lose' or 'draw', '' while it is open
    """

    def __init__(self, summary: Summary, talk: Talk, *, stem: str = "", earlier: "Game | None" = None) -> None:
        self.summary, self.stem = summary, stem
        self.side = summary.side
        self.clock = ServerClock(summary.times)
        self.record = GameRecord("shogi", summary.start, list(summary.names))
        self.builder = RecordBuilder(self.record)
        self.reason = self.result = ""
        self.started = self.over = False
        self.score: int | None = None  # of the engine's last move
        self.began: str = earlier.began if earlier else time.strftime("%Y/%m/%d %H:%M:%S")
        self._talk = talk
        self._since = time.monotonic()  # when the clock of the side to move began to run
        self._token: object | None = None  # the current question
        self._guess = ""  # the reply being pondered on
        self._sent = ""  # the engine's move, '+7776FU', until the server accepts it
        self._answer = CsaAnswer()  # which contains that move
        self._measured_ms = 0.0  # the time of that move, as measured here
        self._overhead_ms = 0.0  # the time charged for the last moves beyond their thinking time
        self._turn_answered = False
        self._declares = summary.declaration == JISHOGI  # whether the player may declare a win
        self._faults = 0
        self._suspect = False
        self._head()
        # Moves that a game begins with cost no time and earn no increment; those made before it was aborted do.
        self.opening_moves: int = earlier.opening_moves if earlier else len(summary.moves)
        for number, (move, seconds) in enumerate(summary.moves):
            self.builder.play(move, seconds=seconds)
            if seconds is not None and number >= self.opening_moves:
                self.clock.charge(1 - self.builder.board.turn, f"{seconds:g}")
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

    def _keep_comments(self, earlier: "Game") -> None:
        for new, old in zip(self.record.main_line[1:], earlier.record.main_line[1:], strict=False):
            if new.move != old.move:
                break
            new.comment, new.evaluation = old.comment, old.evaluation
            new.depth, new.pv = old.depth, old.pv

    def continues(self, earlier: "Game") -> bool:
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
        return bool(self.builder.board.turn == self.side)

    @property
    def opponent(self) -> str:
        """The opponent's name."""
        return self.summary.names[1 - self.side]

    @property
    def ply(self) -> int:
        """The number of moves made."""
        return self.builder.ply

    def time_left(self, now: float) -> float:
        """Return the remaining seconds of the side to move, infinite without a limit."""
        return self.clock.available_ms(self.builder.board.turn) / MS - (now - self._since)

    def _turn(self, *more: str) -> ServerTurn:
        """Return the position after `more` moves."""
        moves = (*self.record.moves, *more)
        side = (self.builder.board.turn + len(more)) % 2
        clocks = self.clock.clocks[0], self.clock.clocks[1]
        return ServerTurn(self.record.start, moves, side, clocks, self.summary.times, self._since, self._overhead_ms)

    # ---- what happens

    @property
    def rules(self) -> GameRules:
        """The conditions that the player must know."""
        return GameRules(self.summary.max_moves, self._declares)

    def start(self, now: float) -> None:
        """The game begins, or continues."""
        self.started, self._since = True, now
        if self.our_turn:
            self._think()

    def moved(self, event: Moved, now: float) -> None:
        """The server has accepted a move. Raises BrokenGame if the move is impossible."""
        board, ours = self.builder.board, self.our_turn
        if self._suspect:
            raise BrokenGame(f"the server sent {event.move} after an illegal move")
        if event.move[0] != SIGNS[board.turn]:
            raise BrokenGame(f"{event.move} is a move of the wrong side")
        if ours and event.move != self._sent:
            raise BrokenGame(f"the server reports {event.move} as this engine's move, not {self._sent or 'none'}")
        try:
            node = self.builder.play(board.parse_text(event.move))
        except ValueError as fault:
            self.builder.suspect(event.move, fault, 0)
            self._suspect = True
            self._talk.player.halt()
            return
        node.seconds = self._charge(event.time, ours, now)
        self._since, self._sent, self._faults, self._turn_answered = now, "", 0, False
        if ours:
            self._measure_overhead(node.seconds)
            self._note(node, self._answer, board)
            self._ponder()
        elif self._token is not None and self._guess == node.move:
            self._guess = ""
            self._talk.player.hit(self._turn())
        else:
            self._think()

    def declared(self, event: Declared) -> None:
        """A side has resigned or declared a win; the result follows."""
        if event.time:
            self.builder.node.ending_seconds = float(event.time)

    def ended(self, event: Ended) -> None:
        """The game is over."""
        self._stop()
        self.over, self.reason = True, event.reason or event.result
        self.result = RESULTS.get(event.result, "")
        outcome = outcome_of(event.reason, self.result, self.side)
        self._finish(outcome, "" if outcome.termination in SAID_BY_ENDING else self.reason)
        if self.result:
            self._talk.player.over(self.result)

    def break_off(self, reason: str) -> None:
        """The game cannot continue on this connection; the record ends here."""
        self._stop()
        self.over, self.reason = True, reason
        self._finish(Outcome(None, Termination.INTERRUPTED), reason)

    def _finish(self, outcome: Outcome, remark: str) -> None:
        node = self.builder.node
        if remark:
            node.add_comment(one_line(remark))
        try:
            self.builder.end(outcome, node.ending_seconds)
        except ValueError as fault:  # an illegal move that the server did not report as such
            node.add_comment(one_line(str(fault)))
            self.builder.end(outcome, node.ending_seconds)
        self.record.headers["ended"] = time.strftime("%Y/%m/%d %H:%M:%S")

    def answered(self, token: object, answer: CsaAnswer, now: float) -> None:
        """The player answers; an answer to an older question is ignored."""
        if token is not self._token or self.over or self._turn_answered:
            return
        self._token = None
        protocol = self._talk.protocol
        try:
            move = self._checked(answer)
        except ValueError as fault:
            self._retry(str(fault))
            return
        self._turn_answered, self._answer = True, answer
        if answer.score is not None:
            self.score = answer.score
        if move == RESIGN:
            self._talk.send(protocol.resign())
        elif move == WIN:
            self._talk.send(protocol.declare())
        else:
            self._sent = move
            self._measured_ms = (now - self._since) * MS
            self._talk.send(protocol.move(move, self._comment_text(answer) if self._talk.comments else ""))

    def _checked(self, answer: CsaAnswer) -> str:
        """Return the move in CSA notation, RESIGN or WIN. Raises ValueError if the player failed.

        A wrong declaration loses the game at once, so the player is told not to declare any more in this game.
        """
        board = self.builder.board
        if answer.fault:
            raise ValueError(answer.fault)
        if answer.move == RESIGN:
            return RESIGN
        if answer.move == WIN:
            if self._declares and board.can_declare_win(self.rules.entering_king_rule):
                return WIN
            self._declares = False
            raise ValueError("it declared a win that this server or position does not allow")
        try:
            return str(board.text(board.parse_usi(answer.move), "csa"))
        except ValueError:
            raise ValueError(f"the engine answered {answer.move!r}, which is not legal here") from None

    def _retry(self, fault: str) -> None:
        """The player failed: ask again with the remaining time, or resign."""
        self._faults += 1
        self._talk.note(f"the engine failed: {fault}")
        if self._faults >= FAULTS_MAX:
            self._turn_answered = True
            self._talk.send(self._talk.protocol.resign())
            return
        try:
            self._talk.player.restart()
            self._talk.player.begin(self.rules)
        except (ValueError, OSError) as failure:
            self._retry(str(failure))
            return
        self._think()

    # ---- the player

    def _ask(self) -> Callable[[CsaAnswer], None]:
        """Begin a new question and return the receiver of its answer."""
        token = self._token = object()
        return lambda answer: self._talk.deliver(token, answer)

    def _think(self) -> None:
        self._guess = ""
        self._talk.player.think(self._turn(), self._ask())

    def _ponder(self) -> None:
        """Think on the opponent's time, if there is a reply to think about."""
        if not self._talk.ponder or not self._answer.ponder:
            return
        board = self.builder.board
        try:
            board.push(board.parse_usi(self._answer.ponder))
        except ValueError:
            return
        replies = bool(board.legal_moves)
        board.pop()
        if replies:
            self._guess = self._answer.ponder
            self._talk.player.ponder(self._turn(self._guess), self._ask())

    def _stop(self) -> None:
        self._token, self._guess = None, ""
        self._talk.player.halt()

    # ---- times and comments

    def _charge(self, text: str, ours: bool, now: float) -> float | None:
        """Charge the time of a move just made."""
        side = 1 - self.builder.board.turn
        measured = self._measured_ms if ours else None
        if not text:  # not given; the measured time is at least the server's
            text = str(int(now - self._since))
            measured = None
        return self.clock.charge(side, text, measured)

    def _measure_overhead(self, seconds: float | None) -> None:
        """Compare how long the move just made took, here or at the server, with the thinking time of the engine."""
        if self._answer.thought_ms is None:
            return
        counted = (seconds or 0.0) * MS if self.summary.times[self.side].unit < MS else 0.0
        overhead = max(self._measured_ms, counted) - self._answer.thought_ms
        self._overhead_ms = max(overhead, self._overhead_ms * OVERHEAD_KEPT)

    def _note(self, node: Node, answer: CsaAnswer, board: Any) -> Node:
        """Add the answer's score and line to the move's node; `board` is the position after it. Return the node."""
        if answer.score is not None:
            node.evaluation, node.depth = number_score(answer.score), answer.depth or None
            node.pv = tuple(map(str, legal_line(answer.pv[1 : PV_MAX + 1], board, board.parse_usi)))
        return node

    def _comment_text(self, answer: CsaAnswer) -> str:
        """Return '* 30 -3334FU +2726FU' as on floodgate: black's centipawns, and the line after the move."""
        board = self.builder.board.copy()
        board.push_usi(answer.move)
        node = self._note(Node(answer.move), answer, board)
        return next(evaluation_lines(node, self.side, board, floodgate=True), "")
