"""Problems as a page to print: numbered diagrams as books have them, and the answers on pages of their own."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from shogi_engine.analysis.judgement import line_texts, truncated_line, words_of
from shogi_engine.analysis.report import own_words
from shogi_engine.games.shogi.records.kakinoki import handicap_name
from shogi_engine.games.svg import BOOK
from shogi_engine.language import check, mark, translate
from shogi_engine.pages import render
from shogi_engine.records import GameRecord, Node
from shogi_engine.types.limits import SIDES

PER_PAGE = {2: (1, 2), 4: (2, 2), 6: (2, 3), 9: (3, 3), 12: (3, 4)}  # columns and rows by the number of diagrams
USUAL = 6
QUESTION_LINES, QUESTION_MAX = 2, 160  # maximum number of lines under a diagram, and of characters of a line
TURN = mark("{side} to play")
WORDS = {
    "answers": mark("Answers"),
    "per_page": mark("Diagrams per page"),
    "print": mark("The browser prints this page or saves it as PDF."),
}


def sheet(problems: Iterable[GameRecord], title: str, language: str = "en") -> str:
    """Return the page of some problems.

    The diagrams are those of `diagram`, and the first lines of a record's comment are the question. Of a record that
    begins at a position of its own the moves are the answer, with what comments say about other first moves. Where all
    first moves have values, the best one is the answer.

    Raises:
        ValueError: there is no such language, or a move is illegal
    """
    check(language)
    return render(
        "sheet.html",
        language=language,
        title=title,
        problems=[_problem(each, language) for each in problems],
        layouts=PER_PAGE,
        usual=USUAL,
        **{name: translate(text, language) for name, text in WORDS.items()},
    )


def _problem(record: GameRecord, language: str) -> dict[str, Any]:
    """Return what the page says about a problem."""
    solved, board = is_problem(record), _shown(record)
    side = words_of(language, record.game)[SIDES[board.turn]]
    names = " - ".join(name for name in record.names if name)
    lines = own_words(record.root.comment).split("\n")
    said = [line.strip()[:QUESTION_MAX] for line in [names, *lines] if line.strip()]
    return {
        "board": diagram(record),
        "side": translate(TURN, language).format(side=side).capitalize(),
        "question": said[:QUESTION_LINES],
        **(_answer(record, board, language) if solved else {"answer": "", "others": []}),
    }


def diagram(record: GameRecord, style: str = BOOK) -> str:
    """Return the position of a record as SVG: the first one if it is of the record's own, else the last one.

    In a mate problem, where the side to move has no king, the defender's hand is left out, as in books: it has all
    other pieces.
    """
    board = _shown(record)
    if getattr(board, "king_squares", (0, 0))[board.turn] is None:
        cells, turn, hands, number = board.sfen().split()
        kept = re.sub(r"\d*[A-Z]" if board.turn else r"\d*[a-z]", "", hands) or "-"
        board = type(board)(f"{cells} {turn} {kept} {number}")
    drawn: str = board.svg(style=style)
    return drawn


def is_problem(record: GameRecord) -> bool:
    """Tell whether a record is a problem, whose moves are a solution: it begins neither usually nor with a handicap."""
    return record.start != GameRecord(record.game).start and not handicap_name(record.start)


def _shown(record: GameRecord) -> Any:
    """Return the board whose position is shown."""
    return record.board(0 if is_problem(record) else None)


def _answer(record: GameRecord, board: Any, language: str) -> dict[str, Any]:
    """Return the solution from the position on `board`, and a line for each other first move that a comment is on."""
    first = list(record.root.children)
    values = [node.evaluation.chance() for node in first if node.evaluation is not None]
    if len(values) == len(first):
        first = [node for _, node in sorted(zip(values, first, strict=True), key=lambda each: -each[0])]
    lines = [_texts(board, [node.move for node in record.line(each)], language) for each in first]
    others = [
        f"{line[0]}: {_said(node) or ' '.join(line[1:])}"
        for node, line in zip(first[1:], lines[1:], strict=True)
        if node.comment or len(line) > 1
    ]
    return {"answer": " ".join(lines[0]) if lines else "", "others": others}


def _said(node: Node) -> str:
    return " ".join(own_words(node.comment).split("\n")).strip()


def _texts(board: Any, moves: Sequence[str], language: str) -> list[str]:
    """Return the moves of a line in the user's notation, all of them if it ends the game."""
    for move in moves:
        board.push_text(move)
    ends = board.is_game_over()
    for _ in moves:
        board.pop()
    return line_texts(board, truncated_line(moves, ends), language)
