"""The texts of an analysis, in English and Japanese."""

from collections.abc import Sequence
from typing import Any

from shogi_engine.language import LANGUAGES, check, mark, translate
from shogi_engine.types.score import Score

__all__ = ["LANGUAGES"]

NOTATIONS = {"en": "western", "ja": "japanese"}  # of Shogi moves
PAWNS = {"en": "{pawns:+.2f}", "ja": "{centipawns:+d}"}  # how players write a value
LINE_MOVES = 10  # maximum number of moves shown of a line that is not a mate

WORDS = {
    "inaccuracy": mark("inaccuracy"),
    "mistake": mark("mistake"),
    "blunder": mark("blunder"),
    "missed": mark("missed a mate in {length}"),
    "better": mark("better"),
    "chance": mark("black's winning chance"),
    "black": mark("black"),
    "white": mark("white"),
    "start": mark("Start"),
    "analysis": mark("Game analysis"),
    "game": mark("Game"),
    "gave": mark("gave away"),
    "pawns": mark("pawns"),
    "discs": mark("discs"),
    "mate": mark("mate in {length}"),
    "mated": mark("mated in {length}"),
    "mates": mark("mate"),
    "is mated": mark("mated"),
    "first": mark("First"),
    "back": mark("Back"),
    "next": mark("Next"),
    "last": mark("Last"),
    "blunders": mark("Next mistake"),
    "show": mark("Show on the board"),
    "keys": mark("Arrow keys step through the game, Home and End go to its ends."),
    "script": mark("The boards need JavaScript."),
}
BY_GAME = ("black", "white", "chance")  # words that differ with the game


def words_of(language: str, game: str = "shogi") -> dict[str, str]:
    """Return the words of a language. Raises ValueError if there is no such language."""
    check(language)
    return {name: translate(text, language, game if name in BY_GAME else "") for name, text in WORDS.items()} | {
        "value": PAWNS[language]
    }


def move_text(board: Any, move: str, language: str) -> str:
    """Return a move of the position on `board` in the user's notation."""
    if not hasattr(board, "text"):  # one notation only
        return move
    text: str = board.text(board.parse_text(move), NOTATIONS[language])
    return text


def line_texts(board: Any, moves: Sequence[str], language: str) -> list[str]:
    """Return the moves of a line from the position on `board`, which is unchanged on return."""
    texts = []
    for move in moves:
        texts.append(move_text(board, move, language))
        board.push_text(move)
    for _ in moves:
        board.pop()
    return texts


def shown(pv: Sequence[str], whole: bool) -> Sequence[str]:
    """Return the part of a line that is shown: the whole line if it is a mate."""
    return pv if whole else pv[:LINE_MOVES]


def score_words(score: Score, unit: str, words: dict[str, str]) -> str:
    """Return a score as text: '+1.20', in Japanese '+120', 'mated in 4', 'mate' at the end; discs '+4' or '+3.5'."""
    if score.mate and not score.plies:
        return words["mates" if score.value > 0 else "is mated"]
    if score.mate:
        return words["mate" if score.value > 0 else "mated"].format(length=score.plies)
    if unit == "pawns":
        return words["value"].format(pawns=score.value / 100.0, centipawns=score.value)
    return f"{round(score.value, 1) + 0.0:+.1f}".removesuffix(".0")  # adding 0 takes the sign from -0


def called(verdict: str, missed_mate: int, words: dict[str, str]) -> str:
    """Return the verdict on a move: 'blunder, missed a mate in 3', '' for none."""
    missed = words["missed"].format(length=missed_mate) if missed_mate else ""
    return ", ".join(text for text in (words.get(verdict, ""), missed) if text)
