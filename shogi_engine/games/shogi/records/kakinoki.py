"""The common parts of KIF, KI2 and BOD: headers, diagrams, comments, bookmarks, variations, endings in words.

Kakinoki's program defined them and Japanese GUIs write them: http://kakinoki.o.oo7.jp/kif_format.html
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from shogi_engine.games.shogi.records.words import NEAREST, comment_lines
from shogi_engine.games.shogi.sfen import START, format_sfen, parse_sfen
from shogi_engine.games.shogi.types import BLACK, HAND_ORDER, SET_SIZE, SIDES_BY_MARK, SYMBOLS, UNPROMOTED, WHITE
from shogi_engine.language import InputError
from shogi_engine.records.tree import GameRecord, HeaderNames, Node, one_line
from shogi_engine.types.outcomes import EndingWords, Outcome, Termination, Winner, completed, usual_outcome

# ---- Handicaps: the names that KIF and JKF have for starting positions


EVEN = "平手"
_PAWNS_AND_BELOW = "ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"

# KIF's name: (white's first two ranks, JKF's name). White, who gives the handicap, moves first.
_RANKS = {
    "香落ち": ("lnsgkgsn1/1r5b1", "KY"),
    "右香落ち": ("1nsgkgsnl/1r5b1", "KY_R"),
    "角落ち": ("lnsgkgsnl/1r7", "KA"),
    "飛車落ち": ("lnsgkgsnl/7b1", "HI"),
    "飛香落ち": ("lnsgkgsn1/7b1", "HIKY"),
    "二枚落ち": ("lnsgkgsnl/9", "2"),
    "三枚落ち": ("lnsgkgsn1/9", "3"),
    "四枚落ち": ("1nsgkgsn1/9", "4"),
    "五枚落ち": ("2sgkgsn1/9", "5"),
    "左五枚落ち": ("1nsgkgs2/9", "5_L"),
    "六枚落ち": ("2sgkgs2/9", "6"),
    "右七枚落ち": ("3gkgs2/9", "7_R"),
    "左七枚落ち": ("2sgkg3/9", "7_L"),
    "八枚落ち": ("3gkg3/9", "8"),
    "十枚落ち": ("4k4/9", "10"),
}
HANDICAPS = {EVEN: START, **{name: f"{ranks}/{_PAWNS_AND_BELOW}" for name, (ranks, _) in _RANKS.items()}}
PRESETS = {"HIRATE": START, **{preset: HANDICAPS[name] for name, (_, preset) in _RANKS.items()}}
WESTERN = {
    "even": EVEN,
    "lance": "香落ち",
    "right-lance": "右香落ち",
    "bishop": "角落ち",
    "rook": "飛車落ち",
    "rook-lance": "飛香落ち",
    "2-piece": "二枚落ち",
    "3-piece": "三枚落ち",
    "4-piece": "四枚落ち",
    "5-piece": "五枚落ち",
    "left-5-piece": "左五枚落ち",
    "6-piece": "六枚落ち",
    "7-piece": "右七枚落ち",
    "left-7-piece": "左七枚落ち",
    "8-piece": "八枚落ち",
    "10-piece": "十枚落ち",
}
_OTHER_NAMES = {"左香落ち": "香落ち", "飛角落ち": "二枚落ち", "飛車角落ち": "二枚落ち"}
_DIGITS = str.maketrans("2345678２３４５６７８", "二三四五六七八" * 2)


def handicap(name: str) -> str:
    """Return the SFEN of a handicap by KIF's name or a variant of it ('2枚落ち', '香落'), or a Western name, '2-piece'.

    Raises ValueError if no handicap has this name.
    """
    western = "-".join(name.lower().split()).replace("pieces", "piece").removesuffix("-handicap")
    if western in WESTERN:
        return HANDICAPS[WESTERN[western]]
    plain = name.strip(" 　").replace("・", "").translate(_DIGITS).replace("10枚", "十枚").replace("１０枚", "十枚")
    for known in (plain, f"{plain}ち", plain.replace("飛落", "飛車落"), f"右{plain}"):
        known = _OTHER_NAMES.get(known, known)
        if known in HANDICAPS:
            return HANDICAPS[known]
    raise InputError("there is no handicap {0!r}; there are {1}", name, ", ".join([*HANDICAPS, *WESTERN]))


def handicap_name(sfen: str) -> str:
    """Return the name of a starting position, '' if it has none."""
    return next((name for name, known in HANDICAPS.items() if known == sfen), "")


# ---- The kinds of lines in KIF and KI2 files, and the rule by which the next game of a file begins
#
# The reader in Python and the kernel use the same rule; `kind_of` here and the kernel find the kinds of lines.


# The lines from REMARK on are outside the moves: a program's comment (#), a header, a header that each game has (names,
# handicap, the line above the moves), a part of a diagram, anything else. NOTE is a comment or a bookmark.
MOVE, ENDING, OVER, BRANCH, NOTE, REMARK, HEADER, MAIN_HEADER, DIAGRAM, OTHER, END = range(11)
# What was found since the last line of moves: nothing, a line outside the moves, also a header after it, and so on.
NOTHING, OUTSIDE, HEADERS, MAIN, POSITION = range(5)
UNNUMBERED = -1  # the number of a line of KI2's moves, and of a closing line without a number

BLANKS = " \t\u3000\xa0\ufeff"
PLAYERS = ("先手", "下手", "後手", "上手")
HANDICAP = "手合割"
MARKS = "".join(SIDES_BY_MARK)
_TARGET = "(?:同|[1-9１-９][1-9１-９一二三四五六七八九])"
_PIECE = "(?:成[香桂銀]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])"
# What may be a move, also of CSA or USI, whose games may follow in the same file.
MOVE_LIKE = re.compile(rf"{_TARGET}[{BLANKS}]?{_PIECE}|[+-][0-9]{{4}}[A-Z]{{2}}|\bmoves [1-9A-Z][a-i*]")
# A line of moves as KI2 has them: it begins with a mark, or has only moves. In a file of an unknown format, a
# square must follow the mark.
_MARKED = rf"(?:[0-9０-９]++[{BLANKS}]*+)?[{MARKS}]"
_UNMARKED = rf"(?:{_TARGET}[{BLANKS}]?{_PIECE}[左右直上行入引寄]*(?:不成|成|生|打)?[{BLANKS}、,]*)+$"
KI2_MOVES = re.compile(rf"[{BLANKS}]*+(?:{_MARKED}|{_UNMARKED})")
_SOURCE = rf"[{BLANKS}]?[^{BLANKS}{MARKS}(（\n]{{1,6}}[(（][0-9０-９]{{2}}[)）]"
_KIF_MOVE = rf"[0-9０-９]++[{BLANKS}]++[{MARKS}]{_TARGET}{_SOURCE}"  # some programs write marks in KIF, too
KI2_HEAD = rf"[{BLANKS}]*+(?!{_KIF_MOVE})(?:{_MARKED}[{BLANKS}]*+{_TARGET}|{_UNMARKED})"
DIGITS = "0123456789０１２３４５６７８９"
NUMBERED = re.compile(
    rf"[{BLANKS}]*(?P<number>[0-9０-９]+)[{BLANKS}]+(?P<rest>(?P<first>[^\s{BLANKS}0-9０-９]|[0-9０-９][^\s{BLANKS}]).*)"
)
# The moves as almost all KIF files have them; it fits only lines of the kind MOVE, and saves the work of finding that.
USUAL_MOVE = re.compile(rf"[{BLANKS}]*+[0-9０-９]++[{BLANKS}]++[{MARKS}]?{_TARGET}")
BRANCHES = re.compile(rf"変化[：:{BLANKS}]*(?P<ply>[0-9０-９]+)[{BLANKS}]*手?.*")
CLOSING = re.compile(
    rf"まで、?[{BLANKS}]*(?:(?P<plies>[0-9０-９]+)[{BLANKS}]*手目?(?:で|にて)?)?、?[{BLANKS}]*(?P<rest>.*)"
)
_HEADER = re.compile(r"(?P<name>[^\s：:|*#&'0-9][^：:|]{0,30})[：:](?P<value>.*)")


def line_finder(pattern: str, flags: int = 0) -> Callable[[str], bool]:
    """Return a function that tells whether a line of a text begins with `pattern`.

    A line feed is looked for faster than ^, which is tried at every character.
    """
    find = re.compile(rf"\n{pattern}", flags | re.MULTILINE).search
    return lambda text: find(f"\n{text}") is not None


def header_of(text: str) -> tuple[str, str] | None:
    """Return the name and value of a header, None for another line; `text` begins with no blank."""
    found = _HEADER.match(text)
    return (found["name"].strip(), found["value"].strip()) if found else None


def kind_of(text: str) -> tuple[int, int]:
    """Return the kind of a line that is no move, and the number of a closing line, 0 for others.

    Args:
        text: the line, without the blanks at its beginning
    """
    first = text[:1]
    if first in "*&":  # or nothing
        return NOTE, 0
    if first == "#":
        return REMARK, 0
    if text.startswith("まで"):
        plies = CLOSING.match(text)["plies"]  # type: ignore[index]
        return OVER, int(plies[:9]) if plies else UNNUMBERED
    if first == "変" and BRANCHES.match(text):
        return BRANCH, 0
    if first == "|":
        return DIAGRAM, 0
    if text.startswith("手数--"):
        return MAIN_HEADER, 0
    header = header_of(text)
    if header is None:
        return OTHER, 0
    name = header[0]
    return DIAGRAM if name[-1] == "駒" else MAIN_HEADER if name == HANDICAP or name in PLAYERS else HEADER, 0


def found_after(found: int, kind: int) -> int:
    """Return what was found between two lines of moves, after one more line of the given kind."""
    if kind == DIAGRAM:
        return POSITION
    if kind == MAIN_HEADER:
        return max(found, MAIN)
    if kind == HEADER and found != NOTHING:
        return max(found, HEADERS)
    return max(found, OUTSIDE) if kind >= REMARK else found


def begins_game(kind: int, number: int, last: int, last_number: int, found: int) -> bool:
    """Tell whether a new game begins with the lines outside the moves before a line, or with the line itself.

    A diagram begins a game, and so does move 1 after such lines or after the end of a game. Names, a handicap or two
    lines outside the moves, of which the second is a header, do so too, unless the next move continues the numbers of
    those before. A header or remarks alone were written amid the moves of a game.

    Args:
        kind: that of the line of moves after these lines: MOVE, ENDING, OVER or BRANCH; END at the end of the file
        number: the move's, or the number of moves that a closing line gives
        last, last_number: the kind of the line of moves before these lines, and the number of the last move
        found: the result of `found_after` for these lines
    """
    ended = last in (OVER, ENDING)
    if found == POSITION:
        return True
    if kind == END:
        return found == MAIN
    if kind == BRANCH or last == BRANCH:
        return False
    if kind == OVER:
        return found != NOTHING and number == 0
    if number == 1:
        return found != NOTHING or ended
    if number == UNNUMBERED:
        return found >= HEADERS or ended
    return found >= HEADERS and number != last_number + 1


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
    found = WINS.fullmatch(without_remark(rest))
    reason = found["reason"].removesuffix("により") if found else ""
    return found is not None and (not reason or any(reason == word for word, _ in _REASONS))


def without_remark(rest: str) -> str:
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
    rest = without_remark(rest)
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
    yield from board.kif_str().splitlines()
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


# ---- Sets up positions from files piece by piece; they are then written as SFEN and checked


class Setup:
    """A position being set up.

    Attributes:
        board: (colour, kind) by square
        hands: counts by colour and kind
    """

    def __init__(self) -> None:
        self.board: dict[int, tuple[int, int]] = {}
        self.hands: tuple[dict[int, int], dict[int, int]] = ({}, {})

    @classmethod
    def of(cls, sfen: str) -> "Setup":
        """Return the setup of an SFEN."""
        setup, pos = cls(), parse_sfen(sfen)
        for square, piece in enumerate(pos.board.tolist()):
            if piece:
                setup.board[square] = (piece >> 4, piece & 15)
        for colour in (BLACK, WHITE):
            for kind in HAND_ORDER:
                setup.hold(colour, kind, int(pos.hand[colour]) >> 8 * kind & 255)
        return setup

    def hold(self, colour: int, kind: int, count: int = 1) -> None:
        """Put pieces into a hand. Raises ValueError for a piece that cannot be there."""
        if kind not in HAND_ORDER:
            raise InputError("a {0} cannot be in hand", SYMBOLS[kind])
        self.hands[colour][kind] = self.hands[colour].get(kind, 0) + count

    def hold_all_else(self, colour: int) -> None:
        """Put all remaining pieces of the set, except kings, into a hand."""
        for kind in HAND_ORDER:
            used = sum(int(UNPROMOTED[each]) == kind for _, each in self.board.values())
            used += sum(hand.get(kind, 0) for hand in self.hands)
            if SET_SIZE[kind] > used:
                self.hold(colour, kind, SET_SIZE[kind] - used)

    def sfen(self, side: int, number: int = 1) -> str:
        """Return the SFEN with `side` to move. Raises ValueError if the position is impossible."""
        cells = [self._symbol(*self.board[square]) if square in self.board else "1" for square in range(81)]
        rows = ["".join(cells[start : start + 9]) for start in range(0, 81, 9)]
        board = re.sub("1+", lambda ones: str(len(ones[0])), "/".join(rows))
        held = "".join(self._held(colour) for colour in (BLACK, WHITE))
        return format_sfen(parse_sfen(f"{board} {'bw'[side]} {held or '-'} {number}"))

    def _held(self, colour: int) -> str:
        """Return a hand as SFEN writes it."""
        counts: Iterable[tuple[int, int]] = ((kind, self.hands[colour].get(kind, 0)) for kind in HAND_ORDER)
        return "".join(f"{count if count > 1 else ''}{self._symbol(colour, kind)}" for kind, count in counts if count)

    @staticmethod
    def _symbol(colour: int, kind: int) -> str:
        return SYMBOLS[kind].lower() if colour == WHITE else SYMBOLS[kind]
