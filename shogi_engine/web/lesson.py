"""A problem of the user's own mistakes on the board. After the first move of a mate it is solved like any tsume."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from shogi_engine import study
from shogi_engine.analysis.kinds import MATE
from shogi_engine.analysis.words import LINE_MOVES, line_texts
from shogi_engine.language import InputError, fault_text, translate
from shogi_engine.web.tsume import REFUTING, SOLVED, WAITING, YOURS, Tsume

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
        moves = self.session.tree.moves()
        return self.attempt.problem.kind == MATE and bool(moves) and moves[0] in self.attempt.problem.answers

    def wake(self) -> None:
        """Resume an interrupted search, unless the board shows another move now."""
        if not self.search.on and self.status in WAITING:
            self.status = YOURS
            if self.session.tree.node != self.root:
                self.moved(self.session.tree.node)

    def undo(self) -> None:
        """Take back the user's last move, a wrong first one with all after it. Raises ValueError if there is none."""
        over, status, mating = self.over, self.status, self._is_mating
        super().undo()
        if over:
            self.status = status
        elif not mating:
            self.session.tree.go(self.root)

    def check_move(self, move: str) -> None:
        """Raise ValueError if the user may not make this move: after the first move of a mate each must give check."""
        if self._is_mating and not self.over:
            super().check_move(move)
        else:
            self.check()

    def moved(self, number: int) -> None:
        """Answer the user's move `number`: with the refutation of a wrong one, with the defence against a mate."""
        tree, problem = self.session.tree, self.attempt.problem
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
        move = self.session.tree[number].move
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
        self.search.begin(lambda engine, job: self.attempt.reply(engine, move), answer, number)

    def _refuted(self, number: int, line: Sequence[str]) -> None:
        """Show the line after a wrong move, and make its first move."""
        tree, self.status = self.session.tree, WRONG
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
        if self.over or self.session.tree.node != self.root:
            raise InputError("there is no move to hint at")
        self._show_hint(self.root, self.attempt.hint())

    def answer(self) -> None:
        """Show the answer, and note that the problem was not solved. Raises ValueError if it is over."""
        if self.over:
            raise InputError("no problem is being solved")
        self.close()
        self.attempt.give_up()
        tree = self.session.tree
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
            self.session.tell(fault_text(fault))

    def _note(self, solved: int = 0) -> None:
        """Note that it was mated, or that the king escapes."""
        if solved:
            self._end(SOLVED)
        else:
            self.attempt.wrong = True

    def _judged(self, number: int, left: int | None) -> str:
        """Return the status after the attacker's move `number`; a first move is right even if no mate is proven."""
        if not left and self.session.tree.parent(number) == self.root:
            self._end(DONE)
            return DONE
        return super()._judged(number, left)

    def state(self, language: str) -> dict[str, Any]:
        """Return what the pages show of the problem. The solution comes at the end only."""
        problem = self.attempt.problem
        shown = {
            "task": translate(study.KINDS[problem.kind], language),
            "source": problem.where(language),
            "due": self.left - self.over,
            "place": len(self.given),
            "count": self.problems.size,
            "over": self.over,
            "back": self.back.timestamp() if self.back else 0,
            "refutation": self._line(*self.refutation, language) if self.refutation and self._in_tree() else None,
            "solution": self._line(self.root, problem.line[:LINE_MOVES], language) if self.over else None,
            "played": "",
            "why": [],
        }
        if self.over or problem.played in self.session.tree.moves()[:1] and self.status == WRONG:
            shown["played"] = line_texts(problem.board(), [problem.played], language)[0]
            shown["why"] = list(problem.reasons(language))
        return {"lesson": shown}

    def _in_tree(self) -> bool:
        return self.refutation is not None and self.refutation[0] in self.session.tree

    def _line(self, number: int, line: Sequence[str], language: str) -> dict[str, Any]:
        """Return a line after a move, as pages play it through."""
        return {"node": number, "moves": list(line), "texts": line_texts(self.session.board_at(number), line, language)}
