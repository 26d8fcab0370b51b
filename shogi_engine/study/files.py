"""Problems as files: a line each with the position and the answers, and records with the best line."""

from collections.abc import Iterable

from shogi_engine.language import mark, translate
from shogi_engine.records import GameRecord
from shogi_engine.study.problems import KINDS, Problem

ALSO = mark("This move is right too.")


def as_text(problems: Iterable[Problem]) -> str:
    """Return a line for each problem: the position (SFEN, OBF), a tab, and the answers, separated by blanks."""
    return "".join(f"{each.position}\t{' '.join(each.answers)}\n" for each in problems)


def as_records(problems: Iterable[Problem], language: str = "en") -> list[GameRecord]:
    """Return the problems as records.

    The main line is the best one. The move that was made is a variation, with its refutation, and so are other moves
    that solve the problem. Comments say what is to be found, why the move was bad, and that others are right.
    """
    made = []
    for each in problems:
        record = GameRecord.from_moves(each.game, each.line, start=each.position)
        record.root.add_comment(translate(KINDS[each.kind], language))
        record.root.add_comment(each.where(language))
        if each.played not in [child.move for child in record.root.children]:
            node = record.root.add(each.played)
            for said in each.reasons(language):
                node.add_comment(said)
            for move in each.refutation:
                node = node.add(move)
        for move in each.answers[1:]:
            record.root.add(move, comment=translate(ALSO, language))
        made.append(record)
    return made
