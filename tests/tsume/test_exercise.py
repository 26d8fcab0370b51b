"""The machine that solves problems: what it asks, what it says of each move, what it answers; without an engine."""

import pytest

from shogi_engine.games.shogi.board import Board
from shogi_engine.tsume import Exercise, Verdict, best_defence, problems, prove
from tests.support.sizes import sized

PROBLEM = problems(3)[0]


class Solver:
    """The board's own solver as an engine."""

    def mate(self, board, limit, **wanted):
        return board.find_mate(nodes=1_000_000, shortest=True)


class Task:
    """The first move is to be `best`; `mate`: then the king must be mated."""

    def __init__(self, best, mate=False):
        self.line, self.mate, self.wrong, self.hints = (best,), mate, False, 0

    def tried(self, moves, board):
        if len(moves) > 1:
            return Verdict("")
        self.wrong = self.wrong or moves[0] != self.line[0]
        return Verdict("done") if moves == self.line else Verdict("wrong", ("3c3d",)) if moves[0] == "2g2f" else None

    def reply(self, engine, board):
        return Verdict("good") if engine == "kind" else Verdict("wrong")

    def hint(self, moves):
        self.hints += 1
        return "" if moves else self.line[0]

    def mates(self, moves):
        return self.mate and moves[:1] == self.line


def moved(exercise, start, *moves):
    """Make moves; answer the question by the solver, and return the reply."""
    board = Board(start)
    for move in moves:
        board.push_usi(move)
    reply = exercise.moved(moves, board)
    return answered(exercise, start) if exercise.ask else reply


def answered(exercise, start):
    board, ask = Board(start), exercise.ask
    for move in ask.moves:
        board.push_usi(move)
    return exercise.answered(ask.work(Solver(), board))


def test_a_mate_is_proven_defended_and_given():
    exercise, start = Exercise(), PROBLEM.sfen
    exercise.begin()
    assert exercise.status == "searching" and exercise.ask.work is prove
    with pytest.raises(ValueError, match="please wait"):
        exercise.check((), Board(start), PROBLEM.moves[0])
    assert answered(exercise, start) == () and exercise.status == "yours" and exercise.lengths == {(): 3}
    quiet = next(move for move in Board(start).legal_moves if not Board(start).gives_check(move))
    with pytest.raises(ValueError, match="no check"):
        exercise.check((), Board(start), str(quiet))
    (reply,) = moved(exercise, start, PROBLEM.moves[0])
    line = (PROBLEM.moves[0], reply)
    assert exercise.status == "right" and exercise.lengths[line] == 1
    board = Board(start)
    for move in line:
        board.push_usi(move)
    assert moved(exercise, start, *line, str(board.find_mate().moves[0])) == () and exercise.status == "solved"
    assert exercise.undone((*line, "x")) == line and exercise.status == "yours"
    assert exercise.undone(line) == ()
    with pytest.raises(ValueError, match="take back"):
        exercise.undone(())


def test_first_moves_are_judged_as_the_solver_judges_their_replies():
    """A move is lost if some reply escapes, or it gives no check; longer if the mate takes more plies."""
    start, seen = PROBLEM.sfen, set()
    for move in {PROBLEM.moves[0], *list(map(str, Board(start).legal_moves))[:: sized(8, 1)]}:
        exercise, board = Exercise(lengths={(): 3}), Board(start)
        board.push_usi(move)
        lengths = []
        for reply in map(str, board.legal_moves):
            board.push_usi(reply)
            found = board.find_mate(nodes=1_000_000, shortest=True)
            lengths.append(found.length if found else None)
            board.pop()
        reply = moved(exercise, start, move)
        seen.add(exercise.status)
        if not board.is_check() or None in lengths:
            assert exercise.status == "lost"
        else:
            assert exercise.status == ("right" if max(lengths) == 1 else "longer")
            assert exercise.lengths[move, *reply] == max(lengths)
    assert {"lost", "right"} <= seen


def test_an_interrupted_question_is_asked_again():
    exercise, start = Exercise(), PROBLEM.sfen
    exercise.begin()
    exercise.ask = None
    exercise.resume((), Board(start))
    assert exercise.ask.waiting == "searching"
    exercise.failed()
    assert (exercise.status, exercise.ask) == ("unknown", None)
    board = Board(start)
    board.push_usi(PROBLEM.moves[0])
    exercise.moved(PROBLEM.moves[:1], board)
    exercise.ask = None
    exercise.resume(PROBLEM.moves[:1], board)
    assert exercise.ask.work is best_defence and exercise.ask.moves == PROBLEM.moves[:1]
    exercise.resume((), Board(start))  # the board shows the problem again
    assert (exercise.status, exercise.ask) == ("yours", None)
    assert exercise.answered(None) == ()


def test_hints_of_a_mate_need_proof_and_those_of_a_task_do_not():
    exercise = Exercise()
    assert exercise.hint(()) == "" and exercise.helped
    exercise.status = "lost"
    with pytest.raises(ValueError, match="hint at"):
        exercise.hint(())
    task = Exercise(task=Task("7g7f"))
    assert task.hint(()) == "7g7f" and task.task.hints == 1
    with pytest.raises(ValueError, match="hint at"):
        task.hint(("7g7f",))


@pytest.mark.parametrize(
    ("move", "status", "reply"), [("7g7f", "done", ()), ("2g2f", "wrong", ("3c3d",)), ("9g9f", "refuting", ())]
)
def test_a_task_is_done_refuted_or_asked_about(move, status, reply):
    exercise, board = Exercise(task=Task("7g7f")), Board()
    board.push_usi(move)
    assert (exercise.moved((move,), board), exercise.status) == (reply, status)
    assert exercise.over == (status == "done")
    if status == "wrong":
        assert exercise.refuted == ((move,), ("3c3d",))
        assert exercise.undone((move, "3c3d")) == () and exercise.status == "yours"


def test_an_engine_says_of_a_task_whether_a_move_is_good():
    for engine, status in (("kind", "good"), ("strict", "wrong")):
        exercise, board = Exercise(task=Task("7g7f")), Board()
        board.push_usi("9g9f")
        exercise.moved(("9g9f",), board)
        exercise.answered(exercise.ask.work(engine, Board()))
        assert exercise.status == status
    exercise.failed()  # nothing is asked: nothing changes
    assert exercise.status == "wrong"


def test_a_task_can_go_on_as_a_mate_and_its_first_move_is_right_without_proof():
    start, first = PROBLEM.sfen, PROBLEM.moves[0]
    exercise = Exercise(task=Task(first, mate=True))
    (reply,) = moved(exercise, start, first)
    assert exercise.status == "right" and not exercise.over
    assert exercise.hint((first, reply)) == "" and exercise.task.hints == 1
    unproven = Exercise(task=Task(first, mate=True))
    board = Board(start)
    board.push_usi(first)
    unproven.moved((first,), board)
    assert unproven.answered((reply, None)) == (reply,) and unproven.status == "done" and not unproven.task.wrong
    assert exercise.give_up() == (first,) and exercise.status == "answered" and exercise.task.wrong
    with pytest.raises(ValueError, match="no problem"):
        exercise.give_up()


def test_a_problem_can_begin_anywhere_in_a_record():
    before = ("7g7f", "3c3d")
    exercise = Exercise(root=before)
    board = Board()
    for move in (*before, "8h2b+"):
        board.push_usi(move)
    assert exercise.moved((*before, "8h2b+"), board) == () and exercise.status == "lost"
    assert exercise.undone((*before, "8h2b+")) == before
    with pytest.raises(ValueError, match="take back"):
        exercise.undone(before)
    with pytest.raises(ValueError, match="take back"):
        exercise.undone(("2g2f", "3c3d", "2f2e"))
