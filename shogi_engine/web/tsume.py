"""Tsume: the user mates by checks, and the engine holds out as long as it can. The problems are the terminal's."""

import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from shogi_engine.analysis.words import line_texts
from shogi_engine.language import InputError
from shogi_engine.tsume import Problem, Progress, daily, problems
from shogi_engine.tsume.defence import best_defence
from shogi_engine.web.pool import Job, Turn
from shogi_engine.web.replies import Hint
from shogi_engine.web.replies import Problems as ProblemRows
from shogi_engine.web.searching import SearchSlot

if TYPE_CHECKING:
    from shogi_engine.web.session import Session

PROVE_MS = 10_000  # for the problem
SEARCHING, YOURS, RIGHT, LONGER, DEFENDING, SOLVED, NO_MATE, UNKNOWN, LOST = (
    *("searching", "yours", "right", "longer", "defending", "solved", "no mate", "unknown", "lost"),
)
REFUTING = "refuting"  # a wrong move of a lesson
WAITING = (SEARCHING, DEFENDING, REFUTING)


@functools.cache
def by_position() -> dict[str, Problem]:
    """Return the problems by their SFEN."""
    return {each.sfen: each for each in problems()}


def problem_rows(progress: Progress | None) -> ProblemRows:
    """Return the message that lists the problems: the plies and the grade of each, and whether it was solved."""
    rows = [[each.length, each.grade, int(progress is not None and progress.is_solved(each))] for each in problems()]
    return ProblemRows(rows=rows, daily=daily().number)


def prove(engine: Any, job: Job) -> Any:
    """Look for the shortest mate in the engine's position."""
    return engine.find_mate(max_ms=PROVE_MS, shortest=True)


@dataclass
class Tsume:
    """A problem in a session.

    Attributes:
        root: the number of the move at which it begins
        ply: of that move
        status: of the attacker's last move: RIGHT mates fastest, LONGER mates later, LOST lets the king escape
        lengths: plies of the shortest mate after a move, by that move's number, where known
        progress: the record of solved problems
        helped: by a hint or the solution
    """

    FAILED: ClassVar[str] = UNKNOWN  # the status after a search that has failed

    session: "Session"
    root: int
    ply: int = 0
    status: str = SEARCHING
    lengths: dict[int, int] = field(default_factory=dict)
    search: SearchSlot = field(init=False)
    progress: Progress | None = None
    helped: bool = False

    def __post_init__(self) -> None:
        self.search = SearchSlot(self.session, "tsume", Turn.SEARCH, self._failed)

    @property
    def problem(self) -> Problem | None:
        """The problem of the collection that is being solved, None for another position."""
        return by_position().get(self.session.tree.record.start) if self.root == 0 else None

    @property
    def barred(self) -> bool:
        """Whether the engine must not help."""
        return False

    def state(self, language: str) -> dict[str, Any]:
        """Return what the pages show besides the status and the lengths."""
        problem = self.problem
        if problem is None:
            return {}
        return {"number": problem.number, "plies": problem.length, "grade": problem.grade, "count": len(problems())}

    def wake(self) -> None:
        """Resume an interrupted search."""
        if self.search.on:
            return
        if self.status == SEARCHING:
            self.begin()
        elif self.status == DEFENDING:
            self.moved(self.session.tree.node)

    def begin(self) -> None:
        """Let the engine prove that there is a mate."""

        def settle(found: Any) -> None:
            self.status = {"mate": YOURS, "nomate": NO_MATE}.get(found.result, UNKNOWN)
            self.lengths[self.root] = found.length

        self.search.begin(prove, settle, self.root)

    def close(self) -> None:
        """End a search."""
        self.search.cancel()

    def undo(self) -> None:
        """Take back the attacker's last move. Raises ValueError if there is none."""
        tree = self.session.tree
        path = tree.path()
        moves = len(path) - 1 - path.index(self.root) if self.root in path else 0
        if not moves:
            raise InputError("there is no move to take back")
        self.close()
        tree.go(path[-1 - (2 if moves % 2 == 0 else 1)])
        self.status = YOURS

    def check(self) -> None:
        """Raise ValueError if it is not the user's turn."""
        if self.status in WAITING:
            raise InputError("please wait: the engine is thinking")

    def check_move(self, move: str) -> None:
        """Raise ValueError if it is not the user's turn, or the move gives no check."""
        self.check()
        board = self.session.tree.board
        if not board.gives_check(board.parse_text(move)):
            raise InputError("this move gives no check")

    def moved(self, number: int) -> None:
        """Answer the attacker's move `number`: with the longest defence, or with an escape."""
        tree = self.session.tree
        board = self.session.board_at(number)
        attacker = (tree.start_turn + len(tree.path(self.root)) - 1) % 2
        if int(board.turn) == attacker:
            self.status = YOURS
            return
        if board.is_checkmate():
            self.status = SOLVED
            self._note(solved=len(tree.path(number)) - 1)
            return

        self.status = DEFENDING
        self.search.begin(
            lambda engine, job: best_defence(engine, lambda: job.stopped),
            lambda found: self._reply(number, *found),
            number,
        )

    def hint(self) -> None:
        """Send the pages the next move. Raises ValueError if it is not the user's turn, or the mate was lost."""
        self.check()
        if self.status not in (YOURS, RIGHT, LONGER):
            raise InputError("there is no move to hint at")
        number = self.session.tree.node

        def show(found: Any) -> None:
            if found:
                self._show_hint(number, found.moves[0])

        self.helped = True
        self.search.begin(prove, show, number)

    def _show_hint(self, number: int, move: str) -> None:
        board = self.session.board_at(number)
        for viewer in self.session.viewers:
            text = line_texts(board, [move], viewer.language)[0]
            viewer.send(Hint(node=number, move=move, text=text))

    def _note(self, solved: int = 0) -> None:
        """Note a solution of `solved` plies, or a wrong move."""
        problem = self.problem
        if problem is None or self.progress is None:
            return
        if not solved:
            self.progress.fail(problem)
        elif solved == problem.length:
            self.progress.solve(problem, self.helped)

    def _failed(self) -> None:
        """After a search that has failed the attacker tries again, or takes the move back."""
        self.status = self.FAILED if self.status in WAITING else self.status

    def _reply(self, number: int, reply: str, left: int | None) -> None:
        """Make the defender's move `reply` after the attacker's move `number`."""
        tree = self.session.tree
        if number not in tree:
            return
        self.status = self._judged(number, left)
        if reply:
            made = tree.add(reply, number)
            self.lengths[made] = left or 0
            before = self.lengths.get(tree.parent(number), 0)
            if left and before and left > before - 2:
                self.status = LONGER
            if tree.node == number:
                tree.go(made)

    def _judged(self, number: int, left: int | None) -> str:
        """Return the status after the attacker's move `number`; `left` is as from `best_defence`."""
        if left == 0:
            self._note()
        return {0: LOST, None: UNKNOWN}.get(left, RIGHT)
