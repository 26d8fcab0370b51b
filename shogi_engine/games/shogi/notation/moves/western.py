"""Western moves: 'P-7f', 'Sx3c+', 'R*5e', 'G6i-7h'; also with digits for ranks, as in Hosking's books: 'P-76'."""

import re
from typing import Any

from shogi_engine.games.shogi.notation.moves.candidates import Parts, resolve, sources
from shogi_engine.games.shogi.notation.moves.japanese import may_promote
from shogi_engine.games.shogi.symbols import KINDS_BY_SYMBOL, RANKS, SQUARE_NAMES, SQUARES_BY_NAME, SYMBOLS
from shogi_engine.games.shogi.types import DROP_BASE, is_promotion, move_captured, move_from, move_kind, move_to
from shogi_engine.language import InputError

_SQUARE = r"[1-9][1-9a-i]"
_MOVE = re.compile(
    rf"(?P<kind>\+?[PLNSGBRK])(?P<source>{_SQUARE})?(?P<how>[-x*'~])?(?P<target>{_SQUARE})(?P<promotion>[+=])?"
)


def square_of(name: str) -> int:
    """Return the square of '7f' or '76'."""
    rank = RANKS[int(name[1]) - 1] if name[1].isdigit() else name[1]
    return SQUARES_BY_NAME[name[0] + rank]


def split(text: str) -> Parts | None:
    """Return the parts of a Western move, None if the text does not have its form."""
    found = _MOVE.fullmatch(text)
    if not found:
        return None
    kind = KINDS_BY_SYMBOL.get(found["kind"], 0)
    if not kind:
        raise InputError("move {0!r}: there is no piece {1}", text, found["kind"])
    target = square_of(found["target"])
    promotion = {"+": True, "=": False}.get(found["promotion"] or "")
    if found["how"] in ("*", "'"):
        if found["source"] or found["promotion"] or kind >= 8:
            raise InputError("move {0!r}: a drop is written as a piece, * and a square", text)
        return Parts(kind, target, DROP_BASE + kind)
    return Parts(kind, target, square_of(found["source"]) if found["source"] else None, promotion=promotion)


def parse(pos: Any, text: str, last: int | None) -> int | None:
    """Return the encoded legal move, None if the text does not have this form. Raises ValueError if it is not legal."""
    parts = split(text)
    if parts is None:
        return None
    if "x" in text and not pos.board[parts.target]:
        raise InputError("move {0!r}: there is nothing to capture on {1}", text, SQUARE_NAMES[parts.target])
    if parts.source is not None and parts.source < DROP_BASE:
        stands = int(pos.board[parts.source]) & 15
        if stands != parts.kind:
            name = SYMBOLS[stands] or "nothing"
            raise InputError("move {0!r}: {1} holds {2}", text, SQUARE_NAMES[parts.source], name)
    return resolve(pos, text, parts, lambda pos, move: format_western(pos, move, None, full=True))


def format_western(pos: Any, move: int, last: int | None, full: bool = False) -> str:
    """Return 'P-7f': a legal move, with its source square if it is needed or if `full`."""
    source, target, kind = move_from(move), move_to(move), move_kind(move)
    if source >= DROP_BASE:
        return f"{SYMBOLS[kind]}*{SQUARE_NAMES[target]}"
    several = full or len(sources(pos, kind, target)) > 1
    origin = SQUARE_NAMES[source] if several else ""
    promotion = "+" if is_promotion(move) else "=" if may_promote(pos, move) else ""
    return f"{SYMBOLS[kind]}{origin}{'x' if move_captured(move) else '-'}{SQUARE_NAMES[target]}{promotion}"
