"""An analysis as text."""

from collections.abc import Sequence
from typing import Any

from shogi_engine.analysis.analyst import Hint
from shogi_engine.analysis.judgement import PASS, VERDICTS, GameAnalysis, MoveAnalysis
from shogi_engine.analysis.words import called, line_texts, score_words, shown, words_of
from shogi_engine.common.text import table
from shogi_engine.language import mark, translate
from shogi_engine.types.limit import SIDES

BARS = "▁▂▃▄▅▆▇█"
GOOD = mark("no serious mistakes")
HEAD = (mark("move"), mark("value"), mark("chance"), mark("depth"), mark("line"))  # of `hint_table`
GAME_HEAD = (
    mark("ply"), mark("side"), mark("move"), mark("value"), mark("black's chance"), mark("best"), mark("gave away"),
    mark("remark"),
)  # fmt: skip
MARKS = {"blunder": "??", "mistake": "?", "inaccuracy": "?!", "": ""}


def sparkline(chances: Sequence[float]) -> str:
    """Return winning chances, 0 to 1, as a line of bars."""
    return "".join(BARS[min(int(chance * len(BARS)), len(BARS) - 1)] for chance in chances)


def hint_table(hints: Sequence[Hint], board: Any = None, language: str = "en") -> str:
    """Return the moves of a position as text.

    Args:
        board: a Board with the position, to write moves in the user's notation
    """
    if not hints:
        return translate("the game is over", language)
    words = words_of(language)
    rows = [[translate(name, language) for name in HEAD], *(_hint_row(hint, board, language, words) for hint in hints)]
    return "\n".join(table(rows, "<>><<"))


def _hint_row(hint: Hint, board: Any, language: str, words: dict[str, str]) -> list[str]:
    usual = board is None or language == "en"
    line = list(hint.pv) if usual else line_texts(board, hint.pv, language)
    unit = "discs" if hint.score.unit == "discs" else "pawns"
    value = str(hint.score) if language == "en" else score_words(hint.score, unit, words)
    depth = translate("exact", language) if hint.exact else translate("depth {depth}", language)
    return [line[0], value, f"{hint.chance:.0%}", depth.format(depth=hint.depth), " ".join(line)]


def game_table(game: GameAnalysis, language: str = "en") -> str:
    """Return a game's moves, its graph and its worst moves, each with the better line, as text.

    The value and the chance next to a move are those of the position after it, as in records and pages.
    Passes are not numbered, as is usual in Othello.
    """
    name = game.record.game
    words = words_of(language, name)
    board = game.record.board(0)
    moves = {move.ply: move for move in game.moves}
    rows = [[translate(each, language, name) for each in GAME_HEAD]]
    why = game.why_texts(language)
    guilty, passes = [], 0
    for ply, text in enumerate(game.record.moves, 1):
        passes += text == PASS
        move = moves.get(ply)
        if move is not None:
            rows.append(_row(move, str(ply - passes), game, board, language))
            if move.worth_a_word:
                line = line_texts(board, shown(move.pv, move.score.mate), language)
                played = line_texts(board, [text], language)[0]
                guilty.append(f"{ply - passes:>3}  {_sentence(move, game, played, line, words)}")
                guilty += [f"     {text}" for text in why.get(ply, ())]
        board.push_text(text)
    graph = f"{words['chance']}: {sparkline(game.chances)} {game.final:.0%}"
    lines = table(rows, "><<>><><")
    return "\n".join(
        [
            *lines,
            "",
            graph,
            *_counts(game, words),
            *named_lines(game, language),
            "",
            *(guilty or [translate(GOOD, language)]),
        ]
    )


def _row(move: MoveAnalysis, number: str, game: GameAnalysis, board: Any, language: str) -> list[str]:
    words = words_of(language, game.record.game)
    texts = [move.move, move.best]
    if language != "en":
        texts = [line_texts(board, [text], language)[0] if text else "" for text in texts]
    given = f"{100 * move.given:.0f}" if game.unit == "pawns" and language == "ja" else f"{move.given:.2f}"
    lost = f"{move.loss:.0%} {given}" if move.loss or move.given else ""
    missed = words["missed"].format(length=move.missed_mate) if move.missed_mate else ""
    value = score_words(move.black_played_score, game.unit, words)
    remark = f"{MARKS[move.verdict]} {missed}".strip()
    return [number, words[move.side], texts[0], value, f"{move.black_after:.0%}", texts[1], lost, remark]


def _counts(game: GameAnalysis, words: dict[str, str]) -> list[str]:
    """Return a row per side: the number of each verdict, and the mean loss."""
    rows = []
    for side in SIDES:
        counts = (
            f"{words[name]} {sum(move.verdict == name for move in game.moves if move.side == side)}"
            for name, _ in VERDICTS
        )
        rows.append(f"{words[side]}: {', '.join(counts)}; {words['gave']} {game.mean_loss(side):.1%}")
    return rows


def named_lines(game: GameAnalysis, language: str) -> list[str]:
    """Return a row per side that has an opening or a castle: their names, each with the ply at which it stood."""
    words, names = words_of(language, game.record.game), game.names
    rows = []
    for side, *named in zip(SIDES, names.openings, names.castles, strict=True) if names else ():
        texts = [f"{each.name.text(language)} ({each.ply})" for standings in named for each in standings]
        if texts:
            rows.append(f"{words[side]}: {', '.join(texts)}")
    return rows


def sentences_on(game: GameAnalysis, move: MoveAnalysis, language: str = "en") -> list[str]:
    """Return what was wrong with a bad move of a game, what was better, and why."""
    board = next(board for each, board in game.boards() if each.ply == move.ply)
    line = line_texts(board, shown(move.pv, move.score.mate), language)
    (played,) = line_texts(board, [move.move], language)
    number = move.ply - game.record.moves[: move.ply].count(PASS)
    said = _sentence(move, game, played, line, words_of(language, game.record.game))
    return [f"{number}. {said}", *game.why_texts(language).get(move.ply, ())]


def _sentence(move: MoveAnalysis, game: GameAnalysis, text: str, line: list[str], words: dict[str, str]) -> str:
    """Return what was wrong with a move, and what was better."""
    before, after = (score_words(score, game.unit, words) for score in (move.black_score, move.black_played_score))
    judged = f"{called(move.verdict, move.missed_mate, words)} ({before} -> {after})"
    return f"{text}: {judged}; {words['better']}: {' '.join(line)}"
