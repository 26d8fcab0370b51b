"""The kinds of lines in KIF and KI2 files, and the rule by which the next game of a file begins.

The reader in Python and the kernel use the same rule; `kind_of` here and the kernel find the kinds of lines.
"""

import re
from collections.abc import Callable

from shogi_engine.games.shogi.symbols import SIDES_BY_MARK

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
MOVE_LIKE = re.compile(rf"{_TARGET}[{BLANKS}]?{_PIECE}")
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
