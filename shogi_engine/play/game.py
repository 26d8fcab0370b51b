"""Game: a game being played. It knows no input, no output and no threads.

    game = Game.begin("shogi", clock=GameClock(Clock.parse("10+30")))
    game.start()
    game.move("7g7f")
    game.take_back()

Every loop that plays a game drives one: a match, the terminal, the browser, a client of a server. Here, and only here,
clocks are charged and endings are decided.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from shogi_engine import games
from shogi_engine.language import InputError, Message
from shogi_engine.play.clock import GameClock
from shogi_engine.records.tree import GameRecord, Node
from shogi_engine.types.limits import Clock, Limit
from shogi_engine.types.outcomes import BY_RULE, Outcome, Termination
from shogi_engine.types.results import DISCS, Score

# ---- When a game ends before the rules end it. Standard library only


MAX_MOVES = 1000  # the usual length at which a game is a draw
HUNDREDTHS = 100  # of a disc, the unit of Othello's scores as numbers


@dataclass(frozen=True)
class Terms:
    """What ends a game besides the rules, a resignation and the clock.

    Values of scores are numbers as `number` returns them: centipawns or hundredths of a disc.

    Attributes:
        max_plies: a game this long is a draw; 0 for no limit
        resign: (value, count): a side wins after its move when the last `count` scores of both players put it ahead
            by `value`; None for never
        draw: (value, count, ply): from `ply` on, the game is drawn when the last `count` scores of both players are
            within `value`; None for never
        margin: ms by which a clock may be exceeded without losing on time
    """

    max_plies: int = MAX_MOVES
    resign: tuple[int, int] | None = None
    draw: tuple[int, int, int] | None = None
    margin: float = 0.0


def number(score: Score) -> int:
    """Return a score as a whole number: centipawns, hundredths of a disc, or MATE_SCORE for a mate."""
    return round(score.value * HUNDREDTHS) if score.unit == DISCS else int(score.value)


PASS = "pass"


class Reason(StrEnum):
    """Why a game refuses an action."""

    OVER = "over"
    ILLEGAL_MOVE = "illegal move"
    NO_DECLARATION = "no declaration"
    NO_MOVE = "no move"  # to take back


class Refusal(ValueError):  # noqa: N818  (an answer to a player)
    """A game does not allow an action; nothing has changed.

    Args:
        reason: for programs; `text` is for people
    """

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Game:
    """A game that continues a line of a record. An ending of that line is removed.

    Args:
        record: the moves are added to it
        at: the nodes from the root to the last move, None for the main line
        clock: None for no time limits
        terms: what else ends the game
        judged: False if all endings are decided elsewhere, as by a server: then neither the rules nor the terms nor
            the clock end the game
        rule: the rule by which a win can be declared (`Board.can_declare_win`), None for the Board's own

    Attributes:
        path: the nodes from the root to the last move
        board: the position after the last move; do not change it
        outcome: how the game ended, None while it continues

    Raises:
        ValueError: a move of the record is illegal
    """

    def __init__(
        self,
        record: GameRecord,
        *,
        at: Sequence[Node] | None = None,
        clock: GameClock | None = None,
        terms: Terms | None = None,
        judged: bool = True,
        rule: str | None = None,
    ) -> None:
        self.record, self.judged, self.rule = record, judged, rule
        self.clock, self.terms = clock or GameClock(), terms or Terms()
        self.board = record.board(0)
        self.path = [record.root]
        self.outcome: Outcome | None = None
        self._first = int(self.board.turn)
        self.continue_at(record.main_line if at is None else at)

    @classmethod
    def restore(cls, record: GameRecord, at: Sequence[Node], **settings: Any) -> "Game":
        """Return the game as a record has it at a node: it is over if the line ends there."""
        last = at[-1]
        ended, seconds = last.ending and record.outcome_of(last, len(at) - 1), last.ending_seconds
        game = cls(record, at=at, **settings)
        if ended:
            game.end(ended, seconds)
        return game

    @classmethod
    def begin(cls, name: str, start: str = "", moves: Sequence[str] = (), **settings: Any) -> "Game":
        """Begin the game called `name` (see `games.load`) at a position, '' for the usual one, after some moves.

        Raises ValueError for an unknown game, an invalid position or an illegal move.
        """
        game = games.load(name)
        record = GameRecord(name, game.format_position(game.parse_position(start or game.start)))
        made = cls(record, **settings)
        for place, move in enumerate(moves, 1):
            try:
                made._add(made._legal(move))
            except ValueError as fault:
                raise InputError("move {0}: {1}", place, fault) from None
        made._settle()
        return made

    # ---- how it stands

    @property
    def name(self) -> str:
        """The name of the game that is played, 'shogi' or 'othello'."""
        return self.record.game

    @property
    def turn(self) -> int:
        """The side to move, 0 (black) or 1 (white)."""
        return int(self.board.turn)

    @property
    def ply(self) -> int:
        """The number of moves made."""
        return len(self.path) - 1

    @property
    def node(self) -> Node:
        """The last move, or the root."""
        return self.path[-1]

    @property
    def moves(self) -> list[str]:
        """The moves made, in the game's notation."""
        return [node.move for node in self.path[1:]]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None

    def must_pass(self) -> bool:
        """Tell whether the side to move can only pass."""
        return hasattr(self.board, "must_pass") and bool(self.board.must_pass())

    def may_declare(self) -> bool:
        """Tell whether the side to move can win by a declaration."""
        return hasattr(self.board, "can_declare_win") and bool(self.board.can_declare_win(self.rule))

    def is_legal(self, move: Any) -> bool:
        """Tell whether a Move, or a text in any notation, is a legal move."""
        try:
            self._legal(move)
        except ValueError:
            return False
        return True

    # ---- moves

    def start(self, at: float | None = None) -> None:
        """Start the clock of the side to move, or continue after a pause; `at` is the clock's time, None for now."""
        if not self.over:
            self.clock.start(self.turn, at)

    def pause(self) -> None:
        """Stop the clock in the middle of a move; `start` resumes it."""
        self.clock.pause()

    def move(
        self, move: Any, *, seconds: float | None = None, evaluation: Score | None = None, depth: int | None = None
    ) -> Node | None:
        """Make a move for the side to move, and charge its time. If the time had run out, end the game instead.

        Start the opponent's clock by `start`.

        Args:
            move: a Move of the Board, or a text in any notation
            seconds: the time of the move; None for that measured by the clock, if it is running
            evaluation: the mover's evaluation
            depth: the depth of the search that found it

        Returns:
            the move's node, a new one unless the record has it already; None if the time had run out

        Raises:
            Refusal: the move is illegal, or the game is over
        """
        self._must_go_on()
        if self.flag_fell(seconds):
            return None
        legal, side = self._legal(move), self.turn
        node = self._add(legal)
        if seconds is None:
            seconds = self.clock.stop()
        else:
            self.clock.charge(side, seconds)
        node.seconds = None if seconds is None else round(seconds, 4)
        if evaluation is not None:
            node.evaluation, node.depth = evaluation, depth
        self._settle()
        return node

    def take_back(self, count: int = 1) -> None:
        """Take back moves and remove them from the record. The clock is stopped."""
        self._must_go_on()
        if not 1 <= count <= self.ply:
            raise Refusal(Reason.NO_MOVE, Message("there is no move to take back"))
        removed, siblings = self.path[-count], self.path[-count - 1].children
        siblings[:] = [node for node in siblings if node is not removed]
        self.clock.stop()
        self._go(self.path[:-count])

    def continue_at(self, path: Sequence[Node]) -> None:
        """Continue at another move of the record; later moves stay there as variations. The clock is stopped.

        Args:
            path: the nodes from the root to that move

        Raises:
            ValueError: one of the moves is illegal
        """
        self.clock.stop()
        self._go(path)
        self.outcome = None
        self.node.end(None)
        self._settle()

    def _go(self, path: Sequence[Node]) -> None:
        """Go to a node of the record."""
        common = 1
        while common < min(len(path), len(self.path)) and path[common] is self.path[common]:
            common += 1
        while self.ply >= common:
            self.board.pop()
            self.path.pop()
        for node in path[common:]:
            self.board.push_text(node.move)
            self.path.append(node)

    def _must_go_on(self) -> None:
        if self.over:
            raise Refusal(Reason.OVER, Message("the game is over"))

    def _legal(self, move: Any) -> Any:
        """Return a legal move of the Board. Raises Refusal."""
        if not isinstance(move, str) and self.board.is_legal(move):
            return move
        try:
            return self.board.parse_text(str(move))
        except ValueError as fault:
            raise Refusal(Reason.ILLEGAL_MOVE, str(fault)) from None

    def _add(self, move: Any) -> Node:
        """Make a legal move. It becomes the continuation of the record's line, ahead of its alternatives."""
        children, text = self.node.children, str(move)
        self.node.end(None)
        known = next((child for child in children if child.move == text), None) or Node(text)
        children[:] = [known, *(child for child in children if child is not known)]
        self.board.push(move)
        self.path.append(known)
        return known

    # ---- the ending

    def _settle(self) -> None:
        """End the game if the rules or the terms end it."""
        if not self.judged:
            return
        found = self.board.outcome()
        if found is not None:
            self.record.score = getattr(found, "score", self.record.score)
            self.end(Outcome(found.winner, found.termination))
        elif 0 < self.terms.max_plies <= self.ply:
            self.end(Outcome(None, Termination.MAX_MOVES))
        else:
            self._adjudicate()

    def _adjudicate(self) -> None:
        """End the game if the last scores of both players agree on its result."""
        mover = 1 - self.turn
        if self.terms.resign is not None:
            value, count = self.terms.resign
            ahead = [score if mover == 0 else -score for score in self._last_scores(count)]
            if len(ahead) == 2 * count and min(ahead) >= value:
                self.end(Outcome(mover, Termination.ADJUDICATION))
                return
        if self.terms.draw is not None:
            value, count, ply = self.terms.draw
            scores = self._last_scores(count)
            if self.ply >= ply and len(scores) == 2 * count and max(map(abs, scores)) <= value:
                self.end(Outcome(None, Termination.ADJUDICATION))

    def _last_scores(self, count: int) -> list[int]:
        """Return the scores of both sides' last `count` moves but passes, for black; fewer if some are unknown."""
        scores = []
        for side in range(2):
            made = [node for node in self.path[1 + (side != self._first) :: 2] if node.move != PASS][-count:]
            known = [number(node.evaluation) for node in made if node.evaluation is not None]
            scores += [score if side == 0 else -score for score in known]
        return scores

    def allowed(self, limit: float | None = None) -> float | None:
        """Return the seconds that the move may take: by the clock or, without one, by the player's `limit`."""
        allowed = self.clock.allowed(self.turn)
        return limit if allowed is None else allowed

    def flag_fell(self, seconds: float | None = None, limit: float | None = None) -> bool:
        """End the game if the side to move has run out of time; tell whether it has.

        Args:
            seconds: how long the move has taken; None for the time measured by the clock
            limit: as in `allowed`
        """
        if self.over or not self.judged:
            return False
        allowed = self.allowed(limit)
        left = self.clock.left() if seconds is None else None if allowed is None else allowed - seconds
        if left is None or left + self.terms.margin / 1000 > 0:
            return False
        self.end(Outcome(1 - self.turn, Termination.TIME_FORFEIT))
        return True

    def resign(self, side: int | None = None) -> None:
        """Resign, for the side to move or for `side`. Raises Refusal if the game is over."""
        self._must_go_on()
        self.forfeit(self.turn if side is None else side, Termination.RESIGNATION)

    def agree(self) -> None:
        """End the game in a draw. Raises Refusal if it is over."""
        self._must_go_on()
        self.end(Outcome(None, Termination.AGREEMENT))

    def declare(self) -> None:
        """Declare a win for the side to move. Raises Refusal if its conditions are not met."""
        self._must_go_on()
        if not self.may_declare():
            raise Refusal(Reason.NO_DECLARATION, Message("the conditions for declaring a win are not met"))
        self.end(Outcome(self.turn, Termination.DECLARATION))

    def forfeit(self, side: int, termination: Termination) -> None:
        """Let `side` lose by a fault, such as a crash, even if it is found after the end."""
        self.end(Outcome(1 - side, termination))

    def interrupt(self) -> None:
        """End the game without a result. Raises Refusal if it is over."""
        self._must_go_on()
        self.end(Outcome(None, Termination.INTERRUPTED))

    def end(self, outcome: Outcome, seconds: float | None = None) -> None:
        """End the game with an outcome that was decided elsewhere.

        Args:
            seconds: the time that the side to move had taken
        """
        self.clock.stop()
        self.outcome = outcome
        self.node.end(None if outcome.termination in BY_RULE else outcome, seconds)


# ---- The limits of a player in the notation of the command line. Standard library only


def parse_limit(text: str) -> tuple[Limit, Clock | None]:
    """Return the limits of each move, and the clock of the game, of e.g. 'nodes=10000' or 'clock=10:00+0+5s,depth=6'.

    Limits are nodes, depth, movetime and byoyomi (both in ms) and clock, which is MAIN[+BYOYOMI[+INCREMENT]], see
    `Clock.parse`. Separate several by commas. Raises ValueError.
    """
    values: dict[str, int] = {}
    clock: Clock | None = None
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name == "clock":
            try:
                clock = Clock.parse(value)
            except ValueError as fault:
                raise InputError("invalid clock: {0}", fault) from None
        elif name not in ("nodes", "depth", "movetime", "byoyomi"):
            raise InputError("a limit must be nodes, depth, movetime, byoyomi or clock, not {0!r}", part.strip())
        elif not (value.isascii() and value.isdecimal() and int(value)):
            raise InputError("a limit must be a whole number, 1 or more, as in {0}=1000, not {1!r}", name, part.strip())
        else:
            values[name] = int(value)
    if "byoyomi" in values:
        clock = replace(clock or Clock(), byoyomi=values["byoyomi"])
    ms = values.get("movetime")
    return Limit(None if ms is None else ms / 1000, values.get("depth"), values.get("nodes")), clock
