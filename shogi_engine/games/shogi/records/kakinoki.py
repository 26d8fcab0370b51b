"""The common parts of KIF, KI2 and BOD: headers, diagrams, comments, bookmarks, variations, endings in words.

Kakinoki's program defined them and Japanese GUIs write them: http://kakinoki.o.oo7.jp/kif_format.html
"""

import re
from collections.abc import Iterator
from typing import Any

from shogi_engine.games.shogi.board.drawing import kif as draw_kif
from shogi_engine.games.shogi.records.ending_words import NEAREST
from shogi_engine.games.shogi.records.evaluations import comment_lines
from shogi_engine.games.shogi.records.handicaps import EVEN, handicap_name
from shogi_engine.games.shogi.records.kakinoki_lines import (
    BLANKS,
    HEADER,
    KI2_MOVES,
    MARKS,
    NUMBERED,
    PLAYERS,
    header_of,
    kind_of,
)
from shogi_engine.games.shogi.types import BLACK, WHITE
from shogi_engine.records.headers import HeaderNames, one_line
from shogi_engine.records.tree import GameRecord, Node
from shogi_engine.types.termination import EndingWords, Outcome, Termination, Winner, completed, usual_outcome


def is_header(name: str) -> bool:
    """Tell whether a line 'NAME：' is read back as a header, and not as the players' names or the handicap."""
    line = f"{name}："
    moves = KI2_MOVES.match(line) or NUMBERED.match(line)
    return not moves and kind_of(line)[0] == HEADER and header_of(line) == (name, "")


HEADER_NAMES = HeaderNames("kif", is_header)
SIDES = dict(zip(PLAYERS, (BLACK, BLACK, WHITE, WHITE), strict=True))
BLACK_AND_WHITE = ("先手", "後手")
HANDICAP_SIDES = ("下手", "上手")

WORDS = EndingWords(
    {
        "投了": (Termination.RESIGNATION, Winner.OPPONENT),
        "詰み": (Termination.CHECKMATE, Winner.OPPONENT),
        "詰": (Termination.CHECKMATE, Winner.OPPONENT),
        "切れ負け": (Termination.TIME_FORFEIT, Winner.OPPONENT),
        "時間切れ": (Termination.TIME_FORFEIT, Winner.OPPONENT),
        "反則負け": (Termination.ILLEGAL_MOVE, Winner.OPPONENT),
        "反則勝ち": (Termination.ILLEGAL_MOVE, Winner.TO_MOVE),
        "入玉勝ち": (Termination.DECLARATION, Winner.TO_MOVE),
        "勝ち宣言": (Termination.DECLARATION, Winner.TO_MOVE),
        "入玉宣言": (Termination.DECLARATION, Winner.TO_MOVE),
        "千日手": (Termination.REPETITION, Winner.NOBODY),
        "持将棋": (Termination.IMPASSE, Winner.NOBODY),
        "引き分け": (Termination.AGREEMENT, Winner.NOBODY),
        "引分け": (Termination.AGREEMENT, Winner.NOBODY),
        "引分": (Termination.AGREEMENT, Winner.NOBODY),
        "最大手数": (Termination.MAX_MOVES, Winner.NOBODY),
        "不戦勝": (Termination.DEFAULT, Winner.TO_MOVE),
        "不戦敗": (Termination.DEFAULT, Winner.OPPONENT),
        "中断": (Termination.INTERRUPTED, Winner.NOBODY),
        "封じ手": (Termination.SEALED_MOVE, Winner.NOBODY),
        "最終手": (Termination.LAST_MOVE, Winner.NOBODY),
        "不詰": (Termination.NO_MATE, Winner.NOBODY),
        "待った": (Termination.TAKE_BACK, Winner.NOBODY),
        "エラー": (Termination.ERROR, Winner.NOBODY),
        # other words for the same
        "切れ負": (Termination.TIME_FORFEIT, Winner.OPPONENT),
        "時間切れ負け": (Termination.TIME_FORFEIT, Winner.OPPONENT),
        "反則負": (Termination.ILLEGAL_MOVE, Winner.OPPONENT),
        "反則勝": (Termination.ILLEGAL_MOVE, Winner.TO_MOVE),
        "入玉宣言勝ち": (Termination.DECLARATION, Winner.TO_MOVE),
        "宣言勝ち": (Termination.DECLARATION, Winner.TO_MOVE),
        "千日手成立": (Termination.REPETITION, Winner.NOBODY),
        "不戦勝ち": (Termination.DEFAULT, Winner.TO_MOVE),
        "不戦負け": (Termination.DEFAULT, Winner.OPPONENT),
        "トライ": (Termination.TRY, Winner.OPPONENT),
        "トライ勝ち": (Termination.TRY, Winner.OPPONENT),
        "持将棋成立": (Termination.IMPASSE, Winner.NOBODY),
        "Time-up": (Termination.TIME_FORFEIT, Winner.OPPONENT),  # 81Dojo
        "詰め": (Termination.CHECKMATE, Winner.OPPONENT),
        "詰め上がり": (Termination.CHECKMATE, Winner.OPPONENT),
    },
    NEAREST,
)
# The comment by which 81Dojo ends a game without a numbered ending; an illegal move is the one before it.
COMMENTED = EndingWords(
    {
        "時間切れにて終局": (Termination.TIME_FORFEIT, Winner.OPPONENT),
        "接続切れにて終局": (Termination.UNKNOWN, Winner.OPPONENT),
        "反則手にて終局": (Termination.ILLEGAL_MOVE, Winner.TO_MOVE),
    }
)
COMMENTED_MAX = max(map(len, COMMENTED.words))
NUMBERED_MOVE = (  # or a numbered ending
    rf"[0-9０-９]+[{BLANKS}]+[{MARKS}]?([１-９1-9][1-9１-９一二三四五六七八九]|同|{'|'.join(WORDS.words)})"
)
# The endings whose winner the closing line tells, 'まで85手で先手の勝ち', and what is written before that line.
_TOLD = {
    Termination.RESIGNATION: Termination.RESIGNATION,
    Termination.TIME_FORFEIT: Termination.TIME_FORFEIT,
    Termination.ADJUDICATION: Termination.RESIGNATION,
    Termination.UNKNOWN: Termination.RESIGNATION,
}
# The endings that a closing line may tell more about, by what it says.
REFINED = {
    Termination.ADJUDICATION: (Termination.RESIGNATION, Termination.INTERRUPTED),
    Termination.UNKNOWN: (Termination.RESIGNATION, Termination.INTERRUPTED),
    Termination.PERPETUAL_CHECK: (Termination.REPETITION, Termination.ILLEGAL_MOVE),
    **dict.fromkeys((Termination.REPETITION, Termination.IMPASSE, Termination.MAX_MOVES), (Termination.AGREEMENT,)),
}
# The endings that either side may bring about, no matter whose turn it is.
EITHER = (
    Termination.RESIGNATION,
    Termination.TIME_FORFEIT,
    Termination.ILLEGAL_MOVE,
    Termination.DEFAULT,
    Termination.DECLARATION,
)
_BECAUSE = {Termination.TIME_FORFEIT: "時間切れにより", Termination.ADJUDICATION: "判定により"}

# What is said about a side: why the game ended, and whether that side has won. Longer words come first.
_SAID = {
    "反則勝ち": (Termination.ILLEGAL_MOVE, True),
    "反則負け": (Termination.ILLEGAL_MOVE, False),
    "時間切れ負け": (Termination.TIME_FORFEIT, False),
    "切れ負け": (Termination.TIME_FORFEIT, False),
    "不戦勝": (Termination.DEFAULT, True),
    "不戦敗": (Termination.DEFAULT, False),
    "入玉勝ち": (Termination.DECLARATION, True),
    "入玉宣言勝ち": (Termination.DECLARATION, True),
    "宣言勝ち": (Termination.DECLARATION, True),
    "勝ち宣言": (Termination.DECLARATION, True),
    "トライ勝ち": (Termination.TRY, True),
    "投了": (Termination.RESIGNATION, False),
    "時間切れ": (Termination.TIME_FORFEIT, False),
    "接続切れ": (Termination.UNKNOWN, False),
    "切断": (Termination.UNKNOWN, False),
    "反則": (Termination.ILLEGAL_MOVE, False),
}
_WON = {"勝ち": True, "勝利": True, "勝": True, "負け": False, "負": False}  # for the reason before it, if there is one
_DRAWS = re.compile(r".*?(?:により|による|の?ため|で)、?(?:引き?分け?|持将棋|千日手)")
_DRAWN = re.compile(r"(?:千日手|持将棋)(?:が成立|(?:により|で|のため)?、?指し?直し)")
_DRAW_REASONS = (
    ("千日手", Termination.REPETITION),
    ("持将棋", Termination.IMPASSE),
    ("入玉", Termination.IMPASSE),
    ("手数", Termination.MAX_MOVES),
    ("手に達した", Termination.MAX_MOVES),
    ("合意", Termination.AGREEMENT),
    ("判定", Termination.ADJUDICATION),
    ("中断", Termination.ADJUDICATION),
)
_REASONS = (
    ("時間切れ", Termination.TIME_FORFEIT),
    ("切れ負け", Termination.TIME_FORFEIT),
    ("千日手", Termination.PERPETUAL_CHECK),
    ("反則", Termination.ILLEGAL_MOVE),
    ("二歩", Termination.ILLEGAL_MOVE),
    ("歩詰", Termination.ILLEGAL_MOVE),
    ("詰", Termination.CHECKMATE),
    ("判定", Termination.ADJUDICATION),
    ("中断", Termination.ADJUDICATION),
    ("入玉", Termination.DECLARATION),
    ("宣言", Termination.DECLARATION),
    ("不戦", Termination.DEFAULT),
    ("トライ", Termination.TRY),
    ("投了", Termination.RESIGNATION),
)
_DISCONNECTED = ("接続切れ", "切断")  # nothing says that this is a resignation
WINS = re.compile(
    r"(?P<reason>.*?)(?P<side>[先後上下])手[のが]?"
    rf"(?P<by>{'|'.join([*(word for word, _ in _REASONS), *_DISCONNECTED])})??(?P<how>{'|'.join([*_SAID, *_WON])})"
)
_POLITE = re.compile(r"(?:です|でした|と(?:なりました|なった|なる))$")
# The last letter of what has a result. A line of prose with such a letter belongs to the moves before it.
LAST_LETTERS = frozenset(
    text[-1]
    for text in (*_SAID, *_WON, *(word for word in WORDS.words if WORDS.read(word, BLACK).result() != "*"))
    if not text.isascii()
)
AFTER_ENDING = f"{BLANKS}。)）"


def says_ending(line: str) -> bool:
    """Tell whether a line of prose may say how the moves before it ended, as '後手時間切れ' does."""
    return line.rstrip(AFTER_ENDING)[-1:] in LAST_LETTERS


def says_winner(rest: str) -> bool:
    """Tell whether a line says who has won and nothing else, '後手時間切れ', '時間切れにより先手の勝ち'."""
    found = WINS.fullmatch(said_in(rest))
    reason = found["reason"].removesuffix("により") if found else ""
    return found is not None and (not reason or any(reason == word for word, _ in _REASONS))


def said_in(rest: str) -> str:
    """Return what a closing line says without a remark in brackets after it, 'まで85手で先手の勝ち（投了図）'."""
    rest = rest.strip(f"{BLANKS}。")
    if rest[-1:] in (")", "）"):
        rest = rest[: max(0, rest.rfind("("), rest.rfind("（"))].rstrip(f"{BLANKS}。")
    return _POLITE.sub("", rest)


def ending_of(rest: str, turn: int) -> Outcome | None:
    """Return the ending in `rest`, the part of 'まで85手で先手の勝ち' after 'で'; None if it is not an ending.

    Args:
        turn: the side to move
    """
    rest = said_in(rest)
    if rest in WORDS:
        return WORDS.read(rest, turn)
    if rest in _DISCONNECTED:
        return Outcome(1 - turn, Termination.UNKNOWN)
    if drawn := _DRAWS.fullmatch(rest) or _DRAWN.fullmatch(rest):
        because = (each for word, each in _DRAW_REASONS if word in drawn[0])
        return Outcome(None, next(because, Termination.UNKNOWN))
    found = WINS.fullmatch(rest)
    if not found:
        return None
    side, how, reason = SIDES[f"{found['side']}手"], found["how"], found["reason"] + (found["by"] or "")
    if how in _SAID:
        termination, won = _SAID[how]
        return Outcome(side if won else 1 - side, termination)
    other = Termination.UNKNOWN if reason.strip(f"{BLANKS}、") else Termination.RESIGNATION
    termination = next((each for word, each in _REASONS if word in reason), other)
    return Outcome(side if _WON[how] else 1 - side, termination)


def by_order(record: GameRecord, name: str) -> bool:
    """Tell whether white moves first and `name` begins with 先 or 後, so that it may mean the order of moves."""
    return name[0] in "先後" and record.side(0) == WHITE


def names_winner(record: GameRecord) -> bool:
    """Tell whether the closing line, after an ending, names the winner without doubt."""
    return not by_order(record, player_names(record)[0])


def ending_word(node: Node, side: int, told: bool) -> str:
    """Return the word for the end of a line, with `side` to move.

    Args:
        told: whether the closing line names the winner
    """
    outcome = node.outcome
    if told and node.ending in _TOLD and node.winner is not None:
        outcome = usual_outcome(_TOLD[node.ending], side)
    return WORDS.word(outcome, side)


def ending_line(node: Node, plies: int, side: int, names: tuple[str, str], told: bool = True) -> str:
    """Return 'まで85手で先手の勝ち' for a line that ends with `side` to move; `names` are black's name and white's.

    Args:
        told: whether the line names the winner; see `names_winner`
    """
    word = ending_word(node, side, told)
    won_by = completed(node.outcome, side).winner
    winner = "" if won_by is None else names[won_by]
    termination = WORDS.words[word][0]
    if winner and termination in _TOLD:
        rest = f"{_BECAUSE.get(node.ending, '')}{winner}の勝ち"
    elif termination in (Termination.ILLEGAL_MOVE, Termination.DECLARATION, Termination.DEFAULT):
        rest = f"{names[side]}の{word}"
    else:
        rest = word
    return f"まで{plies}手で{rest}"


# The closing line of a game in the forms that programs write.
SAID = (
    *(f"{side}手の{how}" for side in "先後上下" for how in ("勝ち", *_SAID)),
    *(f"{reason}により{side}手の勝ち" for side in "先後上下" for reason in ("時間切れ", "判定", "中断")),
    *WORDS.words,
)


def player_names(record: GameRecord) -> tuple[str, str]:
    """Return the words for black and white: 先手 and 後手, or in a handicap game 下手 and 上手."""
    return BLACK_AND_WHITE if handicap_name(record.start) in (EVEN, "") else HANDICAP_SIDES


# ---- writing -----------------------------------------------------------------------------------------------------


def header_lines(record: GameRecord) -> Iterator[str]:
    """Yield the headers, the starting position and the names."""
    for name, value in HEADER_NAMES.own_of(record.headers).items():
        yield f"{name}：{value}"
    name = handicap_name(record.start)
    if name:
        yield f"手合割：{name}"
    else:
        yield from position_lines(record)
    for player, text in zip(player_names(record), record.names, strict=True):
        yield f"{player}：{one_line(text)}"


def position_lines(record: GameRecord) -> Iterator[str]:
    """Yield the diagram of the starting position."""
    board = record.board(0)
    yield from draw_kif(board).splitlines()
    if board.ply():
        yield f"手数＝{board.ply()}"
    if board.turn == WHITE:
        yield "後手番"


def note_lines(node: Node, mover: int, board: Any) -> Iterator[str]:
    """Yield the comment lines of a node whose position is on the board; see `comment_lines`."""
    for line in comment_lines(node, mover, board):
        yield f"*{line}"
    if node.label:
        yield f"&{one_line(node.label)}"
