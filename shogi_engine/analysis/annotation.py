"""Adds an analysis to a game record: evaluations, comments and better lines, for any program to read."""

import copy
import functools
import importlib
import re
from collections.abc import Sequence

from shogi_engine.analysis.judgement import GameAnalysis, MoveAnalysis, after_move
from shogi_engine.analysis.words import LANGUAGES, called, line_texts, score_words, shown, words_of
from shogi_engine.games import NAMES
from shogi_engine.records import GameRecord, Node
from shogi_engine.types.limit import SIDES


def annotated(game: GameAnalysis, language: str = "en") -> GameRecord:
    """Return an annotated copy of a game's record, see `annotate`."""
    record = copied(game.record)
    annotate(record, record.main_line, game, language)
    return record


def copied(record: GameRecord) -> GameRecord:
    """Return a copy of a record with a tree of its own."""
    root = copy.copy(record.root)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        node.children = [copy.copy(each) for each in node.children]
        waiting += node.children
    return GameRecord(record.game, record.start, list(record.names), dict(record.headers), root, record.score)


def annotate(
    record: GameRecord, line: Sequence[Node], game: GameAnalysis, language: str = "en", first: int = 1
) -> None:
    """Add the findings to the nodes of a line of a record, from the root on, and the opening's name to its headers.

    Each move gets the value and winning chance after it, both for black. A bad move gets its verdict, and the better
    line both as a variation and, for formats without variations, in the comment, with what `reasons` says. A move
    without an evaluation gets one.
    In Shogi the comment also has the value found by the analysis in ShogiHome's notation, `#評価値=`.

    Args:
        first: the first ply to annotate
    """
    if game.names and (opening := game.names.header(language)):
        record.headers.setdefault("opening", opening)
    words = words_of(language, record.game)
    judged = {move.ply: move for move in game.moves}
    board, why = record.board(0), game.why_texts(language)
    for ply, node in enumerate(line[1:], 1):
        move = judged.get(ply)
        if move is not None and ply >= first:
            better = list(shown(move.pv, move.score.mate)) if move.worth_a_word else []
            for text in _comments(game, move, line_texts(board, better, language), why.get(ply, ()), words):
                node.add_comment(text)
            _evaluate(node, move, record.game)
            _add_line(line[ply - 1], better, move)
        board.push_text(node.move)


def _evaluate(node: Node, move: MoveAnalysis, game: str) -> None:
    """Write the value of a move, also in the notation that GUIs read."""
    if game == "shogi":
        evaluations = importlib.import_module("shogi_engine.games.shogi.records.evaluations")
        for text in evaluations.analysis_lines(move.played_score, SIDES.index(move.side)):
            node.add_comment(text)
    if node.evaluation is None:
        node.evaluation = move.played_score


def _add_line(node: Node, moves: Sequence[str], move: MoveAnalysis) -> None:
    """Add a better line to the variations after a node, unless one already starts with its first move."""
    if moves and moves[0] not in [child.move for child in node.children]:
        first = node = node.add(moves[0])
        first.evaluation, first.depth = after_move(move.score), move.depth or None
        for each in moves[1:]:
            node = node.add(each)


def _comments(
    game: GameAnalysis, move: MoveAnalysis, better: list[str], why: Sequence[str], words: dict[str, str]
) -> list[str]:
    """Return the lines to add to the comment of a move."""
    value = score_words(move.black_played_score, game.unit, words)
    lines = [f"{value} ({words['chance']} {move.black_after:.0%})"]
    if move.worth_a_word:
        best = score_words(move.black_score, game.unit, words)
        judged = f"{called(move.verdict, move.missed_mate, words)} (-{move.loss:.0%})"
        lines.append(" ".join([f"{judged}; {words['better']}: {' '.join(better)} ({best})", *why]))
    return lines


# ---- reading


def of_programs(comment: str) -> list[str]:
    """Return the lines of a comment that programs wrote: values as GUIs read them, and those of `annotate`."""
    return [line for line in comment.split("\n") if _by_program(line)]


def own_words(comment: str) -> str:
    """Return a comment without the lines that programs wrote."""
    return "\n".join(line for line in comment.split("\n") if not _by_program(line)) if comment else ""


def _by_program(line: str) -> bool:
    """Tell whether a program wrote a line of a comment."""
    if line[:1] in ("*", "#"):
        evaluations = importlib.import_module("shogi_engine.games.shogi.records.evaluations")
        return evaluations.told_by(line) is not None
    return "%)" in line and _annotations().fullmatch(line) is not None


@functools.cache
def _annotations() -> re.Pattern[str]:
    """Return a pattern of the lines that `annotate` writes: of a value, of a verdict with the better line."""
    words = [words_of(language, game) for language in LANGUAGES for game in NAMES]
    chance, better = ("|".join(re.escape(each[name]) for each in words) for name in ("chance", "better"))
    return re.compile(rf".{{1,40}} \((?:{chance}) [0-9]+%\)|.{{1,60}} \(-[0-9]+%\); (?:{better}): .*\).*")
