"""Notations of moves: one parser reads USI, Japanese, KIF, CSA and Western notation; each can also be written.

    parse_move(pos, "７六歩")       # or 7g7f, 7六歩, ▲７六歩, 76歩(77), 76FU, +7776FU, P-7f
    format_move(pos, move, "western")

Positions are record[POSITION] and moves are encoded; a Board's `parse_text` and `text` do the same.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shogi_engine.common.text import wide_to_ascii
from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.sfen import format_usi, legal_move, parse_usi
from shogi_engine.games.shogi.texts import (
    JAPANESE,
    KIF,
    NAME_BYTES,
    QUALIFIERS,
    WESTERN,
    WESTERN_FULL,
    WORD_UP,
    qualified_halves,
    source_halves,
    write_name,
)
from shogi_engine.jit.bitboards import Bitboard, from_halves
from shogi_engine.language import InputError, Message

# ---- The moves that a text may mean: the pieces of a kind that reach a square, and which of them its qualifiers select
#
# Directions are from the mover's point of view.


WORD_NUMBERS = {word: number for number, word in enumerate(("", *QUALIFIERS))} | {"行": WORD_UP, "入": WORD_UP}


@dataclass(frozen=True)
class Parts:
    """The parts of a move's text.

    Attributes:
        kind: the piece's kind before the move, or after it if `arrives`
        target: the square it moves to
        source: the square it comes from, DROP_BASE + kind for a drop, None if not given
        words: characters of WORD_NUMBERS
        promotion: whether it promotes, None if not given
        side: the mover, None if not given
    """

    kind: int
    target: int
    source: int | None = None
    words: str = ""
    promotion: bool | None = None
    side: int | None = None
    arrives: bool = False


def piece_name(kind: int) -> str:
    """Return a kind's English name, 'promoted silver'."""
    name = t.KIND_NAMES[int(t.UNPROMOTED[kind])]
    return name if kind <= t.KING else Message("promoted {0}", name)


def sources(pos: Any, kind: int, target: int) -> list[int]:
    """Return the squares from which pieces of `kind` of the side to move reach `target`, pinned pieces included."""
    return list(from_halves(*source_halves(pos, kind, target)))


def choose(pos: Any, found: list[int], target: int, words: str) -> list[int]:
    """Return the source squares in `found` to which all `words` (of WORD_NUMBERS) apply; see `is_qualified`."""
    squares = Bitboard(sum(1 << square for square in found))
    halves = squares.lo, squares.hi
    for word in words:
        halves = qualified_halves(*halves, int(pos.side), target, WORD_NUMBERS[word])
    return list(from_halves(*halves))


def resolve(pos: Any, text: str, parts: Parts, write: Any) -> int:
    """Return the one legal move that `parts` describe; `write(pos, move)` writes candidates for messages.

    A move that does not say whether it promotes does so only if it must. Raises ValueError if the move is illegal, or
    if it is ambiguous (listing the moves it could be).
    """
    if parts.side is not None and parts.side != int(pos.side):
        raise InputError("move {0!r}: it is {1}'s turn, not {2}'s", text, t.SIDES[int(pos.side)], t.SIDES[parts.side])
    if parts.source is not None:
        return _legal(pos, text, parts.source, parts)
    found: list[int] = []
    kinds = [parts.kind]
    if parts.arrives and parts.promotion is None and int(t.UNPROMOTED[parts.kind]) != parts.kind:
        kinds.append(int(t.UNPROMOTED[parts.kind]))  # the piece may promote with this move
    for kind in kinds:
        reaching = sources(pos, kind, parts.target)
        found += choose(pos, reaching, parts.target, parts.words) if parts.words else reaching
    drops = parts.kind < t.KING and not parts.words and not parts.promotion
    if not found and drops and t.hand_count(pos.hand[int(pos.side)], parts.kind):
        return _legal(pos, text, t.DROP_BASE + parts.kind, parts)
    legal, faults = [], []
    for source in found:
        try:
            legal.append(_legal(pos, text, source, parts))
        except ValueError as fault:
            faults.append(fault)
    if len(legal) == 1:
        return legal[0]
    if legal:
        listed = ", ".join(f"{write(pos, move)} ({format_usi(pos, move)})" for move in legal)
        raise InputError("move {0!r} is ambiguous; it could be {1}", text, listed)
    if len(faults) == 1:
        raise faults[0]
    raise InputError("illegal move {0!r}: {1}", text, _nothing(pos, parts))


def _decoded(move: int) -> tuple[int, int, int, bool]:
    """Return (source, target, kind, promotion) of an encoded move; the source of a drop is DROP_BASE + kind."""
    move = int(move)
    return move >> 7 & 127, move & 127, move >> 15 & 15, move & t.PROMOTION != 0


def _legal(pos: Any, text: str, source: int, parts: Parts) -> int:
    """Return the legal move from `source`. Raises ValueError."""
    promotion = parts.promotion
    if parts.arrives and source < t.DROP_BASE and promotion is None:
        stands = int(pos.board[source]) & 15
        promotion = stands != parts.kind
        if promotion and t.PROMOTED_KINDS[stands] != parts.kind:
            raise InputError(
                "move {0!r}: no piece on {1} can be a "
                "{2} after the move", text, t.SQUARE_NAMES[source], piece_name(parts.kind))  # fmt: skip
    try:
        return legal_move(pos, parts.target | source << 7 | (t.PROMOTION if promotion else 0))
    except ValueError as fault:
        if promotion is None and source < t.DROP_BASE:
            try:
                return legal_move(pos, parts.target | source << 7 | t.PROMOTION)
            except ValueError:
                pass
        raise InputError("move {0!r}: {1}", text, fault) from None


def _nothing(pos: Any, parts: Parts) -> str:
    """Return why no piece makes the move."""
    side = int(pos.side)
    goal, name = t.SQUARE_NAMES[parts.target], piece_name(parts.kind)
    there = int(pos.board[parts.target])
    if there and there >> 4 == side:
        return Message("{0}'s own piece is on {1}", t.SIDES[side], goal)
    where = [square for square in range(81) if int(pos.board[square]) == side << 4 | parts.kind]
    reach = [square for square in where if square in sources(pos, parts.kind, parts.target)]
    if reach and parts.words:
        return Message("no {0} matches {1!r}; {2} reach {3}", name, parts.words, t.list_squares(reach), goal)
    if reach:
        return Message("none of {0} can legally move to {1}", t.list_squares(reach), goal)
    if where:
        return Message("no {0} of {1} reaches {2} (on {3})", name, t.SIDES[side], goal, t.list_squares(where))
    return Message("{0} has no {1}", t.SIDES[side], name)


# ---- Japanese moves: '７六歩', '同銀左上不成', '５五角打', and with the source square, as in KIF, '７六歩(77)'


_DIGITS = {str(n): n for n in range(1, 10)} | {t.KANJI_NUMBERS[n]: n for n in range(1, 10)}
MOVE = re.compile(
    rf"(?P<side>[{''.join(t.SIDES_BY_MARK)}])? *"
    r"(?:(?P<before>同 *(?=[1-9]))?(?P<file>[1-9])(?P<rank>[1-9一二三四五六七八九])(?P<after> *同)?|同) *"
    r"(?P<kind>成[香桂銀]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])(?P<words>[左右直上行入引寄]*)"
    r"(?P<how>不成|成らず|ならず|生|成|打)?(?: *\((?P<source>[1-9][1-9]|00)\))?"
)


def japanese_square(file: int, rank: int) -> int:
    """Return the square of a file and a rank, both 1 to 9."""
    return 9 * rank - file


def file_and_rank(square: int) -> tuple[int, int]:
    """Return the file and the rank of a square, both 1 to 9."""
    return 9 - square % 9, square // 9 + 1


def split_japanese(text: str, last: int | None) -> Parts | None:
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
        target = japanese_square(int(found["file"]), _DIGITS[found["rank"]])
        if (found["before"] or found["after"]) and target != last:
            raise InputError("move {0!r}: 同 means another square", text)
    elif last is None:
        raise InputError("move {0!r}: 同 needs a previous move, and there is none", text)
    else:
        target = last
    kind, how = t.KINDS_BY_KANJI[found["kind"]], found["how"]
    side = t.SIDES_BY_MARK.get(found["side"])
    if how == "打" or found["source"] == "00":  # 00 is CSA's square for pieces in hand
        if found["words"] or found["source"] not in (None, "00") or how not in (None, "打"):
            raise InputError("move {0!r}: a drop has no source square", text)
        return Parts(kind, target, t.DROP_BASE + kind, side=side)
    source = japanese_square(int(found["source"][0]), int(found["source"][1])) if found["source"] else None
    promotion = True if how == "成" else None if how is None and source is None else False
    return Parts(kind, target, source, found["words"], promotion, side)


def parse_japanese(pos: Any, text: str, last: int | None) -> int | None:
    """Return the encoded legal move, None if the text does not have this form. Raises ValueError if it is not legal."""
    parts = split_japanese(text, last)
    if parts is None:
        return None
    if parts.source is not None:
        _check_piece(pos, text, parts)
    return resolve(pos, text, parts, lambda pos, move: format_japanese(pos, move, None))


def _check_piece(pos: Any, text: str, parts: Parts) -> None:
    """Raise ValueError if the named piece is not on the named square."""
    source = parts.source or 0
    if source >= t.DROP_BASE:
        if parts.kind >= 8:
            raise InputError("move {0!r}: no {1} can be dropped", text, t.KANJI_PIECES[parts.kind])
        return
    stands = int(pos.board[source]) & 15
    if stands != parts.kind:
        file, rank = file_and_rank(source)
        raise InputError("move {0!r}: {1}{2} holds {3}", text, file, rank, t.KANJI_PIECES[stands].strip() or "nothing")


def target_name(square: int) -> str:
    """Return '７六'."""
    file, rank = file_and_rank(square)
    return f"{t.WIDE_DIGITS[file]}{t.KANJI_NUMBERS[rank]}"


def format_japanese(pos: Any, move: int, last: int | None) -> str:
    """Return '▲７六歩': a legal move as KI2 and books write it, with the fewest words that identify the piece."""
    return _written(pos, move, JAPANESE, last)


def _written(pos: Any, move: int, style: int, last: int | None) -> str:
    """Return what the kernel `write_name` writes."""
    text = np.empty(NAME_BYTES, dtype=np.uint8)
    end = int(write_name(pos, np.uint32(move), style, -1 if last is None else last, text, 0))
    return text[:end].tobytes().decode()


def format_kif(pos: Any, move: int, last: int | None) -> str:
    """Return '７六歩(77)' or '同　銀(31)': a legal move as KIF writes it."""
    return _written(pos, move, KIF, last)


# ---- CSA's moves: '+7776FU'; also without the sign, '7776FU', or without the source square, '76FU'


_CSA_MOVE = re.compile(r"(?P<sign>[+-])?(?P<source>00|[1-9][1-9])?(?P<target>[1-9][1-9])(?P<kind>[A-Z]{2})")


def split_csa(text: str) -> Parts | None:
    """Return the parts of a CSA move, None if the text does not have its form."""
    found = _CSA_MOVE.fullmatch(text)
    if not found:
        return None
    kind = t.KINDS_BY_CSA.get(found["kind"], 0)
    if not kind:
        raise InputError(
            "move {0!r}: there is no piece {1}; there are {2}", text, found["kind"], " ".join(t.CSA_PIECES[1:])
        )
    side = {"+": t.BLACK, "-": t.WHITE}.get(found["sign"] or "")
    target = japanese_square(int(found["target"][0]), int(found["target"][1]))
    if found["source"] == "00":
        if kind >= 8:
            raise InputError("move {0!r}: no {1} can be dropped", text, found["kind"])
        return Parts(kind, target, t.DROP_BASE + kind, side=side)
    source = japanese_square(int(found["source"][0]), int(found["source"][1])) if found["source"] else None
    return Parts(kind, target, source, side=side, arrives=True)


def parse_csa(pos: Any, text: str, last: int | None) -> int | None:
    """Return the encoded legal move, None if the text does not have this form. Raises ValueError if it is not legal."""
    parts = split_csa(text)
    if parts is None:
        return None
    return resolve(pos, text, parts, lambda pos, move: format_csa(pos, move, None))


def format_csa(pos: Any, move: int, last: int | None) -> str:
    """Return '+7776FU'."""
    source, target, kind, promotes = _decoded(move)
    origin = "00" if source >= t.DROP_BASE else "{}{}".format(*file_and_rank(source))
    goal = "{}{}".format(*file_and_rank(target))
    return f"{'+-'[int(pos.side)]}{origin}{goal}{t.CSA_PIECES[t.PROMOTED_KINDS[kind] if promotes else kind]}"


# ---- Western moves: 'P-7f', 'Sx3c+', 'R*5e', 'G6i-7h'; also with digits for ranks, as in Hosking's books: 'P-76'


_SQUARE = r"[1-9][1-9a-i]"
_WESTERN_MOVE = re.compile(
    rf"(?P<kind>\+?[PLNSGBRK])(?P<source>{_SQUARE})?(?P<how>[-x*'~])?(?P<target>{_SQUARE})(?P<promotion>[+=])?"
)


def western_square(name: str) -> int:
    """Return the square of '7f' or '76'."""
    rank = t.RANKS[int(name[1]) - 1] if name[1].isdigit() else name[1]
    return t.SQUARES_BY_NAME[name[0] + rank]


def split_western(text: str) -> Parts | None:
    """Return the parts of a Western move, None if the text does not have its form."""
    found = _WESTERN_MOVE.fullmatch(text)
    if not found:
        return None
    kind = t.KINDS_BY_SYMBOL.get(found["kind"], 0)
    if not kind:
        raise InputError("move {0!r}: there is no piece {1}", text, found["kind"])
    target = western_square(found["target"])
    promotion = {"+": True, "=": False}.get(found["promotion"] or "")
    if found["how"] in ("*", "'"):
        if found["source"] or found["promotion"] or kind >= 8:
            raise InputError("move {0!r}: a drop is written as a piece, * and a square", text)
        return Parts(kind, target, t.DROP_BASE + kind)
    return Parts(kind, target, western_square(found["source"]) if found["source"] else None, promotion=promotion)


def parse_western(pos: Any, text: str, last: int | None) -> int | None:
    """Return the encoded legal move, None if the text does not have this form. Raises ValueError if it is not legal."""
    parts = split_western(text)
    if parts is None:
        return None
    if "x" in text and not pos.board[parts.target]:
        raise InputError("move {0!r}: there is nothing to capture on {1}", text, t.SQUARE_NAMES[parts.target])
    if parts.source is not None and parts.source < t.DROP_BASE:
        stands = int(pos.board[parts.source]) & 15
        if stands != parts.kind:
            name = t.SYMBOLS[stands] or "nothing"
            raise InputError("move {0!r}: {1} holds {2}", text, t.SQUARE_NAMES[parts.source], name)
    return resolve(pos, text, parts, lambda pos, move: format_western(pos, move, None, full=True))


def format_western(pos: Any, move: int, last: int | None, full: bool = False) -> str:
    """Return 'P-7f': a legal move, with its source square if it is needed or if `full`."""
    return _written(pos, move, WESTERN_FULL if full else WESTERN, last)


__all__ = ["NOTATIONS", "USI_MOVE", "format_move", "normalize", "parse_move"]

USI_MOVE = re.compile(r"[1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i]")
_USI_IN_ANY_CASE = re.compile(r"[1-9][A-Ia-i][1-9][A-Ia-i]\+?|[PLNSGBRplnsgbr]\*[1-9][A-Ia-i]")

# By name: (pos, legal move, the target of the move before or None) -> text.
NOTATIONS: dict[str, Callable[[Any, int, int | None], str]] = {
    "usi": lambda pos, move, last: format_usi(pos, move),
    "japanese": format_japanese,
    "kif": format_kif,
    "western": format_western,
    "csa": format_csa,
}


def normalize(text: str) -> str:
    """Return `text` stripped, with full-width letters, digits and signs made ASCII."""
    return wide_to_ascii(text).strip()


def parse_move(pos: Any, text: str, last: int | None = None) -> int:
    """Return the encoded legal move of `pos` that a text in any notation means.

    A move that does not say whether it promotes does so only if it must. Raises ValueError if the text is not a move,
    if the move is illegal (saying why), or if it is ambiguous (listing the moves it could be).

    Args:
        last: the target square of the move before, for `同`; None if there was none
    """
    if USI_MOVE.fullmatch(text):
        return parse_usi(pos, text)
    plain = normalize(text)
    if _USI_IN_ANY_CASE.fullmatch(plain):
        return parse_usi(pos, plain[0].upper() + plain[1:].lower())
    for parse in (parse_japanese, parse_csa, parse_western):
        move = parse(pos, plain, last)
        if move is not None:
            return move
    move = None if plain.upper() == plain else _parse_lower(pos, plain, last)
    if move is None:
        raise InputError("{0!r} is not a move; write 7g7f, ７六歩, 76FU or P-7f", text)
    return move


def _parse_lower(pos: Any, plain: str, last: int | None) -> int | None:
    """Return a CSA or Western move typed in small letters ('7776fu', 'p-7f', 'sx3c+'), None if it is neither."""
    move = parse_csa(pos, plain.upper(), last)
    if move is None and plain[:1] in "+plnsgbrk" and plain:
        piece = 2 if plain[0] == "+" else 1
        move = parse_western(pos, plain[:piece].upper() + plain[piece:].lower(), last)
    return move


def format_move(pos: Any, move: int, notation: str = "usi", last: int | None = None) -> str:
    """Return a legal `move` of `pos` in one of NOTATIONS.

    Args:
        last: the target square of the move before, for `同`

    Raises:
        ValueError: if there is no such notation
    """
    if notation not in NOTATIONS:
        raise InputError("there is no notation {0!r}; there are {1}", notation, ", ".join(NOTATIONS))
    return NOTATIONS[notation](pos, move, last)
