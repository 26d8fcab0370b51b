"""A problem that is being solved: what each move was worth, what an engine must find out, and what it answers.

It has no thread, no engine and no board of its own. Positions are named by the moves to them from a record's start.

    exercise = Exercise()
    exercise.begin()
    while exercise.ask:
        reply = exercise.answered(exercise.ask.work(engine, board))  # of the position after `exercise.ask.moves`
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from shogi_engine.common.threads import Search
from shogi_engine.language import InputError
from shogi_engine.types.limits import Limit

Moves = tuple[str, ...]

# What is known of the user's last move. A mate: RIGHT mates fastest, LONGER mates later, LOST lets the king escape.
SEARCHING, YOURS, RIGHT, LONGER, DEFENDING, SOLVED, NO_MATE, UNKNOWN, LOST = (
    *("searching", "yours", "right", "longer", "defending", "solved", "no mate", "unknown", "lost"),
)
# A Task: DONE is the best move, GOOD about as good, WRONG is refuted; ANSWERED: the solution was shown
REFUTING, WRONG, DONE, GOOD, ANSWERED, RETRY = ("refuting", "wrong", "done", "good", "answered", "retry")
WAITING = (SEARCHING, DEFENDING, REFUTING)  # for an engine
OVER = (DONE, GOOD, SOLVED, ANSWERED)

PROVE_SECONDS = 10.0  # for the problem
REPLY_SECONDS = 4.0  # for each defence
DEFENCE_SECONDS = 12.0  # for all of them, once one was unresolved


def prove(engine: Any, board: Any, search: Search[Any] | None = None) -> Any:
    """Look for the shortest mate in a Board's position."""
    return engine.mate(board, Limit(PROVE_SECONDS), shortest=True, search=search)


def best_defence(
    engine: Any, board: Any, search: Search[Any] | None = None, *, find: Callable[[Any], Any] | None = None
) -> tuple[str, int | None]:
    """Return the reply that holds out longest against a mate by checks, and the plies to mate after it.

    The plies are 0 if it is proven that there is no mate, None if no mate was found.

    Args:
        board: has the defence to move; the reply is '' if there is none
        search: ends this when it is stopped
        find: looks for a mate in a Board's position; None from it counts as a proof that there is none
    """
    best, longest, unproven = "", -1, ""
    end, after = time.monotonic() + DEFENCE_SECONDS, board.copy()
    for move in board.legal_moves:
        if (search and search.stopped) or (unproven and time.monotonic() > end):
            break
        reply = str(move)
        after.push(move)
        found = find(after) if find else engine.mate(after, Limit(REPLY_SECONDS), shortest=True, search=search)
        after.pop()
        if found is None or found.result == "nomate":
            return reply, 0
        if not found:
            unproven = unproven or reply
        elif found.length > longest:
            best, longest = reply, found.length
    return (unproven, None) if unproven else (best, longest)


class Question(NamedTuple):
    """What an engine must find out: `work(engine, board, search)`, with a Board of the position after some moves.

    Attributes:
        waiting: the status meanwhile
    """

    waiting: str
    moves: Moves
    work: Callable[..., Any]


class Verdict(NamedTuple):
    """What a move was worth: a status, '' for no change, and the line after it, of which the first move is made."""

    status: str
    line: Sequence[str] = ()


class Task(Protocol):
    """What is to be done in a problem that is more than a mate by checks. Its moves are those from the problem on.

    Attributes:
        wrong: whether a wrong move was tried, or the solution shown
    """

    wrong: bool

    @property
    def line(self) -> Sequence[str]:
        """The solution."""

    def tried(self, moves: Moves, board: Any) -> Verdict | None:
        """Return what the last move was worth, None if an engine must find it out."""

    def reply(self, engine: Any, board: Any) -> Verdict:
        """Find it out, of the position after the move."""

    def hint(self, moves: Moves) -> str:
        """Return the next move, '' if there is none to be hinted at."""

    def mates(self, moves: Moves) -> bool:
        """Tell whether these moves have begun a mate, which is solved like tsume."""


@dataclass
class Exercise:
    """A problem that is being solved.

    Attributes:
        root: the moves to the problem
        status: of the user's last move
        lengths: plies of the shortest mate after some moves, where known
        helped: by a hint or the solution
        task: None for a mate by checks
        ask: the question that is open
        refuted: the moves up to a wrong one, and the line after it
    """

    root: Moves = ()
    status: str = YOURS
    lengths: dict[Moves, int] = field(default_factory=dict)
    helped: bool = False
    task: Task | None = None
    ask: Question | None = None
    refuted: tuple[Moves, Sequence[str]] | None = None

    @property
    def over(self) -> bool:
        """Whether a task was done or its solution shown; moves are then free."""
        return self.task is not None and self.status in OVER

    def begin(self) -> None:
        """Have it proven that there is a mate."""
        self._ask(SEARCHING, self.root, prove)

    def check(self, moves: Moves, board: Any, move: str) -> None:
        """Raise ValueError if the user may not make this move: while an engine is asked, or in a mate without check."""
        self._check_turn()
        if not self.over and self._mates(moves) and not board.gives_check(board.parse_text(move)):
            raise InputError("this move gives no check")

    def moved(self, moves: Moves, board: Any) -> Moves:
        """Judge the user's last move; return the moves after it, unless there is a question now.

        Args:
            board: the position after it
        """
        self.ask = None
        own = moves[len(self.root) :]
        if self.over:
            return ()
        if self._mates(moves):
            return self._attacked(moves, board)
        if self.task is None or not own:
            return ()
        verdict = self.task.tried(own, board)
        if verdict is not None:
            return self._judged(moves, verdict)
        task = self.task
        return self._ask(REFUTING, moves, lambda engine, board, search=None: task.reply(engine, board))

    def answered(self, found: Any) -> Moves:
        """Use what an engine has found; return the moves after those of the question."""
        ask, self.ask = self.ask, None
        if ask is None:
            return ()
        if ask.waiting == DEFENDING:
            return self._defended(ask.moves, *found)
        if ask.waiting == REFUTING:
            return self._judged(ask.moves, found)
        self.status = {"mate": YOURS, "nomate": NO_MATE}.get(found.result, UNKNOWN)
        self.lengths[self.root] = found.length
        return ()

    def failed(self) -> None:
        """After a search that has failed the user tries again, or takes the move back."""
        self.ask = None
        if self.status in WAITING:
            self.status = RETRY if self.task else UNKNOWN

    def resume(self, moves: Moves, board: Any) -> Moves:
        """Ask again what was asked before an interruption; `moves` and `board` are what is shown now."""
        if self.status == SEARCHING:
            self.begin()
        elif self.status in WAITING:
            self.status = YOURS
            return self.moved(moves, board)
        return ()

    def undone(self, moves: Moves) -> Moves:
        """Take back the user's last move, a wrong first one with all after it, and return the moves that are left.

        Raises ValueError if there is none.
        """
        own = len(moves) - len(self.root)
        if own <= 0 or moves[: len(self.root)] != self.root:
            raise InputError("there is no move to take back")
        self.ask = None
        first_was_wrong = not (self.over or self._mates(moves) or self.status == RIGHT)
        if not self.over:
            self.status = YOURS
        return self.root if first_was_wrong else moves[: -2 if own % 2 == 0 else -1]  # -2: with the reply to it

    def hint(self, moves: Moves) -> str:
        """Return the next move, '' if an engine must `prove` it. Raises ValueError if there is nothing to hint at."""
        self._check_turn()
        move = self.task.hint(moves[len(self.root) :]) if self.task and not self.over else ""
        if not move and (self.over or not self._mates(moves) or self.status not in (YOURS, RIGHT, LONGER)):
            raise InputError("there is no move to hint at")
        self.helped = True
        return move

    def give_up(self) -> Moves:
        """Note that the solution is shown, and return a task's. Raises ValueError if it was done."""
        if self.over:
            raise InputError("no problem is being solved")
        self.ask, self.status = None, ANSWERED
        if self.task is None:
            return ()
        self.task.wrong = True
        return tuple(self.task.line)

    # ---- what a move was worth

    def _check_turn(self) -> None:
        if self.status in WAITING:
            raise InputError("please wait: the engine is thinking")

    def _ask(self, waiting: str, moves: Moves, work: Callable[..., Any]) -> Moves:
        self.status, self.ask = waiting, Question(waiting, moves, work)
        return ()

    def _mates(self, moves: Moves) -> bool:
        return self.task is None or self.task.mates(moves[len(self.root) :])

    def _is_first(self, moves: Moves) -> bool:
        """Tell whether these moves end with a task's first, which is right even if no mate is proven after it."""
        return self.task is not None and len(moves) == len(self.root) + 1

    def _attacked(self, moves: Moves, board: Any) -> Moves:
        """Judge a move of a mate: the defence must be found, unless it mates or gives no check."""
        if (len(moves) - len(self.root)) % 2 == 0:
            self.status = YOURS
        elif board.is_checkmate():
            self.status = SOLVED
        elif board.is_check():
            self._ask(DEFENDING, moves, best_defence)
        else:
            self._lose(moves)
        return ()

    def _lose(self, moves: Moves) -> None:
        self.status = DONE if self._is_first(moves) else LOST
        if self.task and self.status == LOST:
            self.task.wrong = True

    def _defended(self, moves: Moves, reply: str, left: int | None) -> Moves:
        """Judge a move of a mate by its best defence."""
        if left == 0 or not left and self._is_first(moves):
            self._lose(moves)
        else:
            before = self.lengths.get(moves[:-1], 0)
            self.status = UNKNOWN if left is None else LONGER if before and left > before - 2 else RIGHT
        if not reply:
            return ()
        self.lengths[(*moves, reply)] = left or 0
        return (reply,)

    def _judged(self, moves: Moves, verdict: Verdict) -> Moves:
        """Use the verdict of a task."""
        self.status = verdict.status or self.status
        if verdict.status == WRONG:
            self.refuted = moves, verdict.line
        return tuple(verdict.line[:1])
