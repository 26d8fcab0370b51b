"""The lessons: each can be done and missed, by the rules alone; the course and its progress."""

import tomllib

import pytest

from shogi_engine import lessons, study
from shogi_engine.language import translate
from shogi_engine.tsume import Exercise, Progress

EVERY = [lesson for game in ("shogi", "othello") for lesson in lessons.lessons(game)]


def tried(lesson, *moves):
    """Return the verdict on the last of some moves."""
    board = lesson.board()
    for move in moves:
        board.push_text(move)
    return lessons.Attempt(lesson).tried(moves, board)


@pytest.mark.parametrize("lesson", EVERY, ids=lambda each: each.key)
def test_the_line_reaches_the_goal_at_its_end_and_not_before(lesson):
    board, made = lesson.board(), ()
    for number, move in enumerate(lesson.line):
        assert str(board.parse_text(move)) == move
        board.push_text(move)
        made += (move,)
        if number % 2 == 0:
            status, reply = tried(lesson, *made)
            assert tuple(reply) == lesson.line[number + 1 : number + 2]
            assert status == ("done" if number >= len(lesson.line) - 2 + len(lesson.line) % 2 else "yours")


@pytest.mark.parametrize("lesson", EVERY, ids=lambda each: each.key)
def test_the_goal_can_be_missed(lesson):
    """Some line of legal moves ends without it: the first move of each position, or another one."""
    if lesson.name in ("flip", "repetition"):  # every move flips; repeating takes the whole line
        return
    missed, board = False, lesson.board()
    for first in map(str, board.legal_moves):
        status, reply = tried(lesson, first)
        if status == "wrong":
            missed = True
        elif status == "yours":
            after = lesson.board()
            after.push_text(first)
            after.push_text(reply[0])
            missed |= any(tried(lesson, first, *reply, str(move)).status != "done" for move in after.legal_moves)
    assert missed or len(list(board.legal_moves)) == 1


def test_positions_are_legal_and_black_moves():
    for lesson in EVERY:
        board = lesson.board()
        assert board.turn == 0 and not board.is_game_over()
        if lesson.game == "shogi":
            assert board.is_valid() and board.king_squares[1] is not None


@pytest.mark.parametrize(
    ("name", "move", "reason"),
    [
        ("nifu", "P*5f", "nifu"),
        ("pawnmate", "P*1b", "may not mate"),
        ("king", "5g4f", "in check from 4c"),
        ("must", "5d4b", "must promote"),
        ("check", "G*4h", "in check from 5e"),
        ("silver", "6h6i", "does not reach"),
        ("gold", "5f6g", "does not reach"),
        ("lines", "a1", "flips no disc"),
    ],
)
def test_the_board_says_why_what_a_lesson_forbids_is_illegal(name, move, reason):
    (lesson,) = [each for each in EVERY if each.name == name]
    with pytest.raises(ValueError, match=reason):
        lesson.board().parse_text(move)


def test_the_opponent_answers_even_beside_the_line():
    (gold,) = [each for each in EVERY if each.name == "gold"]
    status, (reply,) = tried(gold, "5f6f")
    board = gold.board()
    board.push_text("5f6f")
    assert status == "yours" and board.is_legal(board.parse_text(reply))


def test_both_languages_have_all_words():
    texts = list(lessons.texts())
    assert len(texts) > 2 * len(EVERY)
    assert all(translate(text, "ja", lessons.CONTEXT) != text for text in texts)
    rows = tomllib.loads(lessons.FILE.read_text(encoding="utf-8"))
    assert [row["name"] for game in rows.values() for row in game] == [each.name for each in EVERY]


def test_a_course_goes_on_and_is_kept(tmp_path):
    progress = Progress(tmp_path / "tsume.json")
    course = lessons.Course("shogi", progress=progress)
    assert course.size == len(course.due()) == len(lessons.lessons("shogi")) and course.found == 0
    first, second, *_ = course.due()
    attempt = course.attempt(first)
    exercise = Exercise(task=attempt)
    exercise.give_up()
    course.review(first, attempt.rating(exercise.helped))
    assert course.found == 0  # the answer was shown
    course.review(first, study.Rating.Good)
    assert course.found == 1
    again = lessons.Course("shogi", progress=Progress(tmp_path / "tsume.json"))
    assert again.due()[0] is second and again.done()[0]
    assert lessons.Course("shogi", "pawn", progress).due()[0] is first
    with pytest.raises(ValueError, match="no such lesson"):
        lessons.Course("othello", "pawn")
    lessons.Course("othello").review(lessons.lessons("othello")[0], study.Rating.Good)  # nothing is kept


def test_hints_follow_the_line_only():
    (pawn,) = [each for each in EVERY if each.name == "pawn"]
    attempt = lessons.Attempt(pawn)
    assert attempt.hint(()) == pawn.line[0]
    assert attempt.hint(pawn.line[:2]) == pawn.line[2] and attempt.hint(pawn.line) == ""
    assert attempt.hint(("5g5f", "1a2a")) == "" and attempt.rating(helped=True) == study.Rating.Hard
