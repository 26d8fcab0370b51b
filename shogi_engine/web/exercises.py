"""Problems on the board: tsume, and the user's own mistakes, whose mates are solved like tsume after the first move."""

import datetime
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec

from shogi_engine import study
from shogi_engine.analysis import GameAnalysis, MoveAnalysis
from shogi_engine.analysis.judgement import LINE_MOVES, MATE, line_texts
from shogi_engine.language import InputError, fault_text, translate
from shogi_engine.tsume import Problem, Progress, best_defence, daily, problems
from shogi_engine.types.limits import SIDES
from shogi_engine.web import replies
from shogi_engine.web.links import Look, Viewer, Viewers
from shogi_engine.web.pool import Engines, PoolSearch, Priority, SearchSlot
from shogi_engine.web.replies import Hint, Lessons, Problems as ProblemRows
from shogi_engine.web.tree import Tree

# ---- Makes problems of the mistakes of a session's judged game, and counts those that are due


PROBLEMS_MAX = 10_000  # of an owner in a game


class _Examined(study.Examined):
    """Examines positions with the engine of a search. It remembers them: a search that is interrupted begins again.

    Args:
        known: the answers found so far, by position
    """

    def __init__(self, search: PoolSearch[Any], engine: Any, known: dict[str, tuple[str, ...]]) -> None:
        super().__init__(search.game, engine=engine)
        self._search, self._known = search, known

    def answers(self, position: str, move: MoveAnalysis) -> tuple[str, ...] | None:
        """Return the moves that solve a position, None if the search was stopped."""
        if position not in self._known:
            found = super().answers(position, move)
            if self._search.stopped or found is None:
                return None
            self._known[position] = found
        return self._known[position]


def counts(problems: study.Store, new: int | None = None) -> Lessons:
    """Return the message that says how many problems are due; `new` were made just now."""
    when = problems.next_due()
    return Lessons(due=len(problems.due()), total=problems.count(), next=when.timestamp() if when else 0, new=new)


class Learning:
    """The making of problems in a session."""

    def __init__(self, engines: Engines, viewers: Viewers) -> None:
        self._search, self._viewers = SearchSlot(engines, "learn", Priority.ANALYSIS), viewers

    @property
    def on(self) -> bool:
        """Whether problems are being made."""
        return self._search.on

    def close(self) -> None:
        """Stop it."""
        self._search.cancel()

    def begin(self, tree: Tree, game: GameAnalysis, side: int, problems: study.Store, page: Viewer) -> None:
        """Make problems of a side's mistakes. Raises ValueError while others are being made, or if there are too many.

        Args:
            problems: where they are added
            page: that is told how many are new
        """
        known: dict[str, tuple[str, ...]] = {}

        def work(engine: Any, search: PoolSearch[Any]) -> list[study.Problem]:
            return list(study.problems_of(game, SIDES[side], _Examined(search, engine, known)))

        if self.on:
            raise InputError("problems are being made")
        if problems.count() >= PROBLEMS_MAX:
            raise InputError("there are too many problems")
        self._search.begin(tree, work, lambda made: self._made(made, problems, page))

    def _made(self, made: list[study.Problem], problems: study.Store, page: Viewer) -> None:
        """Add the problems, and tell the page that asked."""
        try:
            page.send(counts(problems, problems.add(made)))
        except OSError as fault:
            self._viewers.tell(fault_text(fault))


# ---- Tsume: the user mates by checks, and the engine holds out as long as it can. The problems are the terminal's


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
    rows = [(each.length, each.grade, int(progress is not None and progress.is_solved(each))) for each in problems()]
    return ProblemRows(rows=rows, daily=daily().number)


def prove(engine: Any, search: PoolSearch[Any]) -> Any:
    """Look for the shortest mate in the engine's position."""
    return engine.find_mate(max_ms=PROVE_MS, shortest=True)


class SavedProblem(msgspec.Struct):
    """A problem that is being solved on a tree, as JSON; see Tsume."""

    root: int
    ply: int
    status: str
    lengths: dict[int, int]
    helped: bool


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

    tree: Tree
    engines: Engines
    viewers: Viewers
    root: int
    ply: int = 0
    status: str = SEARCHING
    lengths: dict[int, int] = field(default_factory=dict)
    search: SearchSlot = field(init=False)
    progress: Progress | None = None
    helped: bool = False

    def __post_init__(self) -> None:
        self.search = SearchSlot(self.engines, "tsume", Priority.SEARCH, self._failed)

    @property
    def problem(self) -> Problem | None:
        """The problem of the collection that is being solved, None for another position."""
        return by_position().get(self.tree.record.start) if self.root == 0 else None

    def saved(self, place: Mapping[int, int]) -> SavedProblem | None:
        """Return what is saved, None if the problem's move is gone; `place` has the new numbers of the tree's moves."""
        if self.root not in place:
            return None
        lengths = {place[number]: plies for number, plies in self.lengths.items() if number in place}
        return SavedProblem(place[self.root], self.ply, self.status, lengths, self.helped)

    @property
    def barred(self) -> bool:
        """Whether the engine must not help."""
        return False

    def state(self, language: str) -> replies.Tsume:
        """Return what the pages show."""
        length, left = self.lengths.get(self.root, 0), self.lengths.get(self.tree.node, 0)
        shown, problem = replies.Tsume(self.status, length, left, self.tree.ply - self.ply), self.problem
        if problem is not None:
            shown.number, shown.plies, shown.grade = problem.number, problem.length, problem.grade
            shown.count = len(problems())
        return shown

    def wake(self) -> None:
        """Resume an interrupted search."""
        if self.search.on:
            return
        if self.status == SEARCHING:
            self.begin()
        elif self.status == DEFENDING:
            self.moved(self.tree.node)

    def begin(self) -> None:
        """Let the engine prove that there is a mate."""

        def settle(found: Any) -> None:
            self.status = {"mate": YOURS, "nomate": NO_MATE}.get(found.result, UNKNOWN)
            self.lengths[self.root] = found.length

        self.search.begin(self.tree, prove, settle, self.root)

    def close(self) -> None:
        """End a search."""
        self.search.cancel()

    def undo(self) -> None:
        """Take back the attacker's last move. Raises ValueError if there is none."""
        tree = self.tree
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
        board = self.tree.board
        if not board.gives_check(board.parse_text(move)):
            raise InputError("this move gives no check")

    def moved(self, number: int) -> None:
        """Answer the attacker's move `number`: with the longest defence, or with an escape."""
        tree = self.tree
        board = tree.board_at(number)
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
            tree,
            lambda engine, search: best_defence(engine, lambda: search.stopped),
            lambda found: self._reply(number, *found),
            number,
        )

    def hint(self) -> None:
        """Send the pages the next move. Raises ValueError if it is not the user's turn, or the mate was lost."""
        self.check()
        if self.status not in (YOURS, RIGHT, LONGER):
            raise InputError("there is no move to hint at")
        number = self.tree.node

        def show(found: Any) -> None:
            if found:
                self._show_hint(number, found.moves[0])

        self.helped = True
        self.search.begin(self.tree, prove, show, number)

    def _show_hint(self, number: int, move: str) -> None:
        board = self.tree.board_at(number)

        def hint(look: Look) -> Hint:
            return Hint(node=number, move=move, text=line_texts(board, [move], look.language)[0])

        self.viewers.send(hint)

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
        tree = self.tree
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


WRONG, DONE, GOOD, ANSWERED, RETRY = "wrong", "done", "good", "answered", "retry"


@dataclass
class Lesson(Tsume):
    """A problem in a session, alone on its board: the game that was there is closed, and opened again after it.

    Attributes:
        attempt: at the problem
        problems: where the problems of this round come from
        left: how many are left of the round, this one included
        given: the identifiers of the problems that this round has given
        before: the name of the game that was on the board, '' for none
        back: when the problem comes back, once it is solved
        refutation: the move after which the last refutation begins, and its line
    """

    FAILED: ClassVar[str] = RETRY

    attempt: study.Attempt = field(kw_only=True)
    problems: study.Source = field(kw_only=True)
    left: int = 0
    given: tuple[str, ...] = ()
    before: str = ""
    back: datetime.datetime | None = None
    refutation: tuple[int, Sequence[str]] | None = None

    @property
    def problem(self) -> None:
        """None: it is not of the collection."""

    @property
    def over(self) -> bool:
        """Whether the problem was solved or the answer shown; moves are then free."""
        return self.status in (DONE, GOOD, SOLVED, ANSWERED)

    @property
    def barred(self) -> bool:
        """Whether the engine must not help, as it would solve the problem."""
        return not self.over

    @property
    def _is_mating(self) -> bool:
        """Whether the first move of a mate was made, on the way to the current move."""
        moves = self.tree.moves()
        return self.attempt.problem.kind == MATE and bool(moves) and moves[0] in self.attempt.problem.answers

    def wake(self) -> None:
        """Resume an interrupted search, unless the board shows another move now."""
        if not self.search.on and self.status in WAITING:
            self.status = YOURS
            if self.tree.node != self.root:
                self.moved(self.tree.node)

    def undo(self) -> None:
        """Take back the user's last move, a wrong first one with all after it. Raises ValueError if there is none."""
        over, status, mating = self.over, self.status, self._is_mating
        super().undo()
        if over:
            self.status = status
        elif not mating:
            self.tree.go(self.root)

    def check_move(self, move: str) -> None:
        """Raise ValueError if the user may not make this move: after the first move of a mate each must give check."""
        if self._is_mating and not self.over:
            super().check_move(move)
        else:
            self.check()

    def moved(self, number: int) -> None:
        """Answer the user's move `number`: with the refutation of a wrong one, with the defence against a mate."""
        tree, problem = self.tree, self.attempt.problem
        if self.over:
            return
        if tree.parent(number) != self.root:
            if self._is_mating:
                super().moved(number)
        elif not self.attempt.is_right(tree[number].move):
            self._refute(number)
        elif problem.kind == MATE and tree.board.is_check():
            super().moved(number)
        else:
            self._end(DONE if self.attempt.is_best(tree[number].move) else GOOD)

    def _refute(self, number: int) -> None:
        """Answer a move that is not the best; it may be right all the same."""
        self.close()
        move = self.tree[number].move
        known = self.attempt.refutation(move)
        if known is not None:
            self._refuted(number, known)
            return

        def answer(found: tuple[bool, Sequence[str]]) -> None:
            right, line = found
            if right:
                self._end(GOOD)
            else:
                self._refuted(number, line)

        self.status = REFUTING
        self.search.begin(self.tree, lambda engine, search: self.attempt.reply(engine, move), answer, number)

    def _refuted(self, number: int, line: Sequence[str]) -> None:
        """Show the line after a wrong move, and make its first move."""
        tree, self.status = self.tree, WRONG
        self.refutation = (number, line[:LINE_MOVES])
        if line and tree.node == number:
            tree.go(tree.add_line(line[:1], number)[0])

    def hint(self) -> None:
        """Send the pages the next move. Raises ValueError if it is not the user's turn, or the move was wrong."""
        if self._is_mating:
            super().hint()
            self.attempt.hint()
            return
        self.check()
        if self.over or self.tree.node != self.root:
            raise InputError("there is no move to hint at")
        self._show_hint(self.root, self.attempt.hint())

    def answer(self) -> None:
        """Show the answer, and note that the problem was not solved. Raises ValueError if it is over."""
        if self.over:
            raise InputError("no problem is being solved")
        self.close()
        self.attempt.give_up()
        tree = self.tree
        tree.go(tree.add_line(self.attempt.problem.line, self.root)[0])
        self._end(ANSWERED)

    def _end(self, status: str) -> None:
        """Note how the problem was solved."""
        self.status = status
        try:
            self.back = self.problems.review(self.attempt.problem, self.attempt.rating)
        except KeyError:  # it was removed meanwhile, and does not come back
            pass
        except OSError as fault:
            self.viewers.tell(fault_text(fault))

    def _note(self, solved: int = 0) -> None:
        """Note that it was mated, or that the king escapes."""
        if solved:
            self._end(SOLVED)
        else:
            self.attempt.wrong = True

    def _judged(self, number: int, left: int | None) -> str:
        """Return the status after the attacker's move `number`; a first move is right even if no mate is proven."""
        if not left and self.tree.parent(number) == self.root:
            self._end(DONE)
            return DONE
        return super()._judged(number, left)

    def state(self, language: str) -> replies.Tsume:
        """Return what the pages show of the problem. The solution comes at the end only."""
        problem, shown = self.attempt.problem, super().state(language)
        shown.lesson = replies.Lesson(
            task=translate(study.KINDS[problem.kind], language),
            source=problem.where(language),
            due=self.left - self.over,
            place=len(self.given),
            count=self.problems.size,
            over=self.over,
            back=self.back.timestamp() if self.back else 0,
            refutation=self._line(*self.refutation, language) if self.refutation and self._in_tree() else None,
            solution=self._line(self.root, problem.line[:LINE_MOVES], language) if self.over else None,
        )
        if self.over or problem.played in self.tree.moves()[:1] and self.status == WRONG:
            shown.lesson.played = line_texts(problem.board(), [problem.played], language)[0]
            shown.lesson.why = problem.reasons(language)
        return shown

    def _in_tree(self) -> bool:
        return self.refutation is not None and self.refutation[0] in self.tree

    def _line(self, number: int, line: Sequence[str], language: str) -> replies.Line:
        """Return a line after a move, as pages play it through."""
        return replies.Line(number, line, line_texts(self.tree.board_at(number), line, language))
