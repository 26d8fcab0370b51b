"""The record of a game with what its analysis found, as comments that any program shows."""

import copy

from shogi_engine.analysis.judgement import GameAnalysis, MoveAnalysis, amount
from shogi_engine.analysis.words import called, line_texts, score_words, shown, words_of
from shogi_engine.records import GameRecord


def annotated(game: GameAnalysis, language: str = "en") -> GameRecord:
    """Return a copy of the game's record: its moves and variations are the same, comments are added.

    After each move stands its value for the side that made it and black's winning chance; a bad one is called so, with
    the better line. Othello's formats that keep evaluations get them too.
    """
    source = game.record
    record = GameRecord(
        source.game, source.start, list(source.names), dict(source.headers), copy.deepcopy(source.root), source.score
    )
    words = words_of(language, source.game)
    line = record.main_line
    after = dict(zip((move.ply for move in game.moves), game.chances[1:], strict=True))
    board = record.board(0)
    for ply, node in enumerate(line[1:], 1):
        move = next((each for each in game.moves if each.ply == ply), None)
        if move is not None:
            for text in _comments(game, move, after[ply], line_texts(board, _better(move), language), words):
                node.add_comment(text)
            if source.game == "othello":
                node.evaluation = amount(move.played_score, "discs")
        board.push_text(node.move)
    return record


def _better(move: MoveAnalysis) -> list[str]:
    """Return the line to show with a move, empty if it needs none."""
    return list(shown(move.pv, move.score.mate)) if move.worth_a_word else []


def _comments(
    game: GameAnalysis, move: MoveAnalysis, black: float, better: list[str], words: dict[str, str]
) -> list[str]:
    """Return the lines to add to the comment of a move. black : the winning chance after it."""
    value = score_words(move.played_score, game.unit, words)
    lines = [f"{value} ({words['chance']} {black:.0%})"]
    if move.worth_a_word:
        best = score_words(move.score, game.unit, words)
        judged = f"{called(move.verdict, move.missed_mate, words)} (-{move.loss:.0%})"
        lines.append(f"{judged}; {words['better']}: {' '.join(better)} ({best})")
    return lines
