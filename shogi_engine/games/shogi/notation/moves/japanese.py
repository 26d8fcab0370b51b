"""Japanese moves: '７六歩', '同銀左上不成', '５五角打', and with the source square, as in KIF, '７六歩(77)'."""

import re
from typing import Any

from shogi_engine.games.shogi import symbols
from shogi_engine.games.shogi.notation.moves.candidates import Parts, qualifiers, resolve, sources
from shogi_engine.games.shogi.types import BLACK, DROP_BASE, is_promotion, move_from, move_kind, move_to
from shogi_engine.language import InputError

_DIGITS = {str(n): n for n in range(1, 10)} | {symbols.KANJI_NUMBERS[n]: n for n in range(1, 10)}
MOVE = re.compile(
    rf"(?P<side>[{''.join(symbols.SIDES_BY_MARK)}])? *"
    r"(?:(?P<before>同 *(?=[1-9]))?(?P<file>[1-9])(?P<rank>[1-9一二三四五六七八九])(?P<after> *同)?|同) *"
    r"(?P<kind>成[香桂銀]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])(?P<words>[左右直上行入引寄]*)"
    r"(?P<how>不成|成らず|ならず|生|成|打)?(?: *\((?P<source>[1-9][1-9]|00)\))?"
)


def square_of(file: int, rank: int) -> int:
    """Return the square of a file and a rank, both 1 to 9."""
    return 9 * rank - file


def file_and_rank(square: int) -> tuple[int, int]:
    """Return the file and the rank of a square, both 1 to 9."""
    return 9 - square % 9, square // 9 + 1


def split(text: str, last: int | None) -> Parts | None:
    """Return the parts of a Japanese move whose digits are ASCII, None if the text does not have its form.

    Args:
        last: the target of the previous move, which `同` means

    Raises:
        ValueError: the text has `同`, but there was no previous move, or it went to another square
    """
    found = MOVE.fullmatch(text)
    if not found:
        return None
    if found["file"]:
        target = square_of(int(found["file"]), _DIGITS[found["rank"]])
        if (found["before"] or found["after"]) and target != last:
            raise InputError("move {0!r}: 同 means another square", text)
    elif last is None:
        raise InputError("move {0!r}: 同 needs a previous move, and there is none", text)
    else:
        target = last
    kind, how = symbols.KINDS_BY_KANJI[found["kind"]], found["how"]
    side = symbols.SIDES_BY_MARK.get(found["side"])
    if how == "打" or found["source"] == "00":  # 00 is CSA's square for pieces in hand
        if found["words"] or found["source"] not in (None, "00") or how not in (None, "打"):
            raise InputError("move {0!r}: a drop has no source square", text)
        return Parts(kind, target, DROP_BASE + kind, side=side)
    source = square_of(int(found["source"][0]), int(found["source"][1])) if found["source"] else None
    promotion = True if how == "成" else None if how is None and source is None else False
    return Parts(kind, target, source, found["words"], promotion, side)


def parse(pos: Any, text: str, last: int | None) -> int | None:
    """Return the encoded legal move, None if the text does not have this form. Raises ValueError if it is not legal."""
    parts = split(text, last)
    if parts is None:
        return None
    if parts.source is not None:
        _check_piece(pos, text, parts)
    return resolve(pos, text, parts, lambda pos, move: format_japanese(pos, move, None))


def _check_piece(pos: Any, text: str, parts: Parts) -> None:
    """Raise ValueError if the named piece is not on the named square."""
    source = parts.source or 0
    if source >= DROP_BASE:
        if parts.kind >= 8:
            raise InputError("move {0!r}: no {1} can be dropped", text, symbols.KANJI_PIECES[parts.kind])
        return
    stands = int(pos.board[source]) & 15
    if stands != parts.kind:
        file, rank = file_and_rank(source)
        raise InputError(
            "move {0!r}: {1}{2} holds {3}", text, file, rank, symbols.KANJI_PIECES[stands].strip() or "nothing"
        )


def target_name(square: int) -> str:
    """Return '７六'."""
    file, rank = file_and_rank(square)
    return f"{symbols.WIDE_DIGITS[file]}{symbols.KANJI_NUMBERS[rank]}"


def format_japanese(pos: Any, move: int, last: int | None) -> str:
    """Return '▲７六歩': a legal move as KI2 and books write it, with the fewest words that identify the piece."""
    source, target, kind = move_from(move), move_to(move), move_kind(move)
    mark = symbols.SIDE_MARKS[int(pos.side)]
    where = "同" if target == last else target_name(target)
    if source >= DROP_BASE:
        return f"{mark}{target_name(target)}{symbols.KANJI_PIECES[kind]}{'打' if sources(pos, kind, target) else ''}"
    name = symbols.KANJI_NAMES[kind]
    space = "　" if where == "同" and len(name) == 1 else ""
    return f"{mark}{where}{space}{name}{qualifiers(pos, kind, source, target)}{_promotion(pos, move)}"


def _promotion(pos: Any, move: int) -> str:
    """Return 成, 不成, or '' if there is no choice."""
    if is_promotion(move):
        return "成"
    return "不成" if may_promote(pos, move) else ""


def may_promote(pos: Any, move: int) -> bool:
    """Tell whether a legal move of a piece on the board could promote."""
    ranks = (0, 1, 2) if int(pos.side) == BLACK else (6, 7, 8)
    in_zone = move_from(move) // 9 in ranks or move_to(move) // 9 in ranks
    return move_from(move) < DROP_BASE and bool(symbols.PROMOTED_KINDS[move_kind(move)]) and in_zone


def format_kif(pos: Any, move: int, last: int | None) -> str:
    """Return '７六歩(77)' or '同　銀(31)': a legal move as KIF writes it."""
    source, target, kind = move_from(move), move_to(move), move_kind(move)
    if source >= DROP_BASE:
        return f"{target_name(target)}{symbols.KANJI_PIECES[kind]}打"
    file, rank = file_and_rank(source)
    where = "同　" if target == last else target_name(target)
    return f"{where}{symbols.KANJI_NAMES[kind]}{'成' if is_promotion(move) else ''}({file}{rank})"
