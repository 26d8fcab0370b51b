"""A repertoire: the lines that a player wants to know, as problems that come back. A Store keeps them apart."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from shogi_engine.language import LANGUAGES
from shogi_engine.play.words import VERSUS
from shogi_engine.records import GameRecord, Node
from shogi_engine.study.problems import LINE, Problem
from shogi_engine.types.limits import SIDES

Figures = Callable[[Any], Callable[[str], Sequence[str]]]


def problems_of_lines(
    record: GameRecord, side: str, *, plies: int = 30, figures: Figures = lambda board: lambda language: ()
) -> Iterator[Problem]:
    """Yield the positions of a record's lines in which a side is to move, with its move, in the order of the lines.

    Of variations those of the other side are followed; of one's own moves only the first.

    Args:
        side: 'black' or 'white'
        plies: of each line, from its start
        figures: `figures(board)(language)` returns sentences on the moves of a Board's position
    """
    who, board = VERSUS.join(record.names) if any(record.names) else "", record.board(0)

    def walk(node: Node, ply: int) -> Iterator[Problem]:
        if ply > plies:
            return
        own = SIDES[int(board.turn)] == side
        for child in node.children[: 1 if own else None]:
            if own:
                line = tuple(each.move for each in GameRecord.line(child))[: plies - ply + 1]
                said = figures(board)
                why = tuple((language, tuple(said(language))) for language in LANGUAGES)
                yield Problem(record.game, board.position(), LINE, line[:1], line, "", why=why, source=f"{who}, {ply}")
            board.push_text(child.move)
            yield from walk(child, ply + 1)
            board.pop()

    return walk(record.root, 1)
