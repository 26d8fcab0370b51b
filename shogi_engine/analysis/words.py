"""What an analysis says to people, in English and Japanese."""

from collections.abc import Sequence
from typing import Any

from shogi_engine.types.score import Score

LANGUAGES = ("en", "ja")
NOTATIONS = {"en": "western", "ja": "japanese"}  # of Shogi moves
LINE_MOVES = 10  # of a line that is no mate

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "inaccuracy": "inaccuracy",
        "mistake": "mistake",
        "blunder": "blunder",
        "missed": "missed a mate in {length}",
        "better": "better",
        "chance": "black's winning chance",
        "black": "black",
        "white": "white",
        "start": "Start",
        "analysis": "Game analysis",
        "game": "Game",
        "gave": "gave away",
        "pawns": "pawns",
        "discs": "discs",
        "mate": "mate in {length}",
        "mated": "mated in {length}",
        "first": "First",
        "back": "Back",
        "next": "Next",
        "last": "Last",
        "blunders": "Next mistake",
        "keys": "Arrow keys step through the game, Home and End go to its ends.",
        "script": "The boards need JavaScript.",
    },
    "ja": {
        "inaccuracy": "緩手",
        "mistake": "疑問手",
        "blunder": "悪手",
        "missed": "{length}手詰を逃す",
        "better": "最善",
        "chance": "先手の勝率",
        "black": "先手",
        "white": "後手",
        "start": "開始局面",
        "analysis": "棋譜解析",
        "game": "対局",
        "gave": "損失",
        "pawns": "歩",
        "discs": "石",
        "mate": "{length}手詰",
        "mated": "{length}手で詰まされる",
        "first": "最初",
        "back": "戻る",
        "next": "進む",
        "last": "最後",
        "blunders": "次の疑問手",
        "keys": "矢印キーで進む・戻る、Home・End で最初と最後へ。",
        "script": "盤の表示には JavaScript が必要です。",
    },
}


def words_of(language: str, game: str = "shogi") -> dict[str, str]:
    """Return the words of a language. Raises ValueError if there is no such language."""
    if language not in WORDS:
        raise ValueError(f"there is no language {language!r}; there are {', '.join(LANGUAGES)}")
    sides = {"black": "黒", "white": "白", "chance": "黒の勝率"} if (game, language) == ("othello", "ja") else {}
    return {**WORDS[language], **sides}


def move_text(board: Any, move: str, language: str) -> str:
    """Return a move of the position on `board` as people write it."""
    if not hasattr(board, "text"):  # one notation only
        return move
    text: str = board.text(board.parse_text(move), NOTATIONS[language])
    return text


def line_texts(board: Any, moves: Sequence[str], language: str) -> list[str]:
    """Return the moves of a line from the position on `board`, which is left as it was."""
    texts = []
    for move in moves:
        texts.append(move_text(board, move, language))
        board.push_text(move)
    for _ in moves:
        board.pop()
    return texts


def shown(pv: Sequence[str], whole: bool) -> Sequence[str]:
    """Return what is shown of a line: `whole` if it is a mate."""
    return pv if whole else pv[:LINE_MOVES]


def score_words(score: Score, unit: str, words: dict[str, str]) -> str:
    """Return a score as people read it: '+1.20', 'mated in 4'; discs '+4' or '+3.5'."""
    if score.mate:
        return words["mate" if score.value > 0 else "mated"].format(length=score.plies)
    if unit == "pawns":
        return f"{score.value / 100.0:+.2f}"
    return f"{round(score.value, 1) + 0.0:+.1f}".removesuffix(".0")  # adding 0 takes the sign from -0


def called(verdict: str, missed_mate: int, words: dict[str, str]) -> str:
    """Return what a move is called: 'blunder, missed a mate in 3', '' if nothing."""
    missed = words["missed"].format(length=missed_mate) if missed_mate else ""
    return ", ".join(text for text in (words.get(verdict, ""), missed) if text)
