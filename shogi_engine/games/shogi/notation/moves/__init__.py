"""Notations of moves: one parser reads USI, Japanese, KIF, CSA and Western notation; each can also be written.

    parse_move(pos, "７六歩")       # or 7g7f, 7六歩, ▲７六歩, 76歩(77), 76FU, +7776FU, P-7f
    format_move(pos, move, "western")

Positions are record[POSITION] and moves are encoded; a Board's `parse_text` and `text` do the same.
"""

import re
from collections.abc import Callable
from typing import Any

from shogi_engine.common.text import wide_to_ascii
from shogi_engine.games.shogi.notation.moves import csa_moves, japanese, western
from shogi_engine.games.shogi.notation.moves.csa_moves import format_csa
from shogi_engine.games.shogi.notation.moves.japanese import format_japanese, format_kif
from shogi_engine.games.shogi.notation.moves.western import format_western
from shogi_engine.games.shogi.notation.usi_moves import format_usi, parse_usi
from shogi_engine.language import InputError

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
    for parse in (japanese.parse, csa_moves.parse, western.parse):
        move = parse(pos, plain, last)
        if move is not None:
            return move
    move = None if plain.upper() == plain else _parse_lower(pos, plain, last)
    if move is None:
        raise InputError("{0!r} is not a move; write 7g7f, ７六歩, 76FU or P-7f", text)
    return move


def _parse_lower(pos: Any, plain: str, last: int | None) -> int | None:
    """Return a CSA or Western move typed in small letters ('7776fu', 'p-7f', 'sx3c+'), None if it is neither."""
    move = csa_moves.parse(pos, plain.upper(), last)
    if move is None and plain[:1] in "+plnsgbrk" and plain:
        piece = 2 if plain[0] == "+" else 1
        move = western.parse(pos, plain[:piece].upper() + plain[piece:].lower(), last)
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
