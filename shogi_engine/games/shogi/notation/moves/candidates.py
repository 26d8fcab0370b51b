"""The moves that a text may mean: the pieces of a kind that reach a square, and which of them its qualifiers select.

Directions are from the mover's point of view.
"""

from dataclasses import dataclass
from typing import Any

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.notation.usi_moves import legal_move, usi_of
from shogi_engine.games.shogi.rules.validation import attacking_squares
from shogi_engine.games.shogi.symbols import KIND_NAMES, PROMOTED_KINDS, SIDES, SQUARE_NAMES, list_squares
from shogi_engine.language import InputError, Message

UP, SIDEWAYS, DOWN = "上", "寄", "引"
LEFT, RIGHT, STRAIGHT = "左", "右", "直"
QUALIFIERS = {UP: UP, "行": UP, "入": UP, SIDEWAYS: SIDEWAYS, DOWN: DOWN, LEFT: LEFT, RIGHT: RIGHT, STRAIGHT: STRAIGHT}
STEPPERS = (t.SILVER, t.GOLD, *range(t.PROM_PAWN, t.PROM_SILVER + 1))  # the pieces that `直` can qualify


@dataclass(frozen=True)
class Parts:
    """The parts of a move's text.

    Attributes:
        kind: the piece's kind before the move, or after it if `arrives`
        target: the square it moves to
        source: the square it comes from, DROP_BASE + kind for a drop, None if not given
        words: characters of QUALIFIERS
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
    name = KIND_NAMES[int(t.UNPROMOTED[kind])]
    return name if kind <= t.KING else Message("promoted {0}", name)


def sources(pos: Any, kind: int, target: int) -> list[int]:
    """Return the squares from which pieces of `kind` of the side to move reach `target`, pinned pieces included."""
    side, board = int(pos.side), pos.board
    piece, there = t.make_piece(side, kind), int(board[target])
    if there and there >> 4 == side:
        return []
    return [square for square in attacking_squares(pos, target, side) if int(board[square]) == piece]


def _seen(side: int, square: int) -> tuple[int, int]:
    """Return (column, row) of a square as `side` sees it, from its left and from the far end."""
    square = square if side == t.BLACK else 80 - square
    return square % 9, square // 9


def direction(side: int, source: int, target: int) -> str:
    """Return UP, SIDEWAYS or DOWN."""
    before, after = _seen(side, source)[1], _seen(side, target)[1]
    return UP if after < before else DOWN if after > before else SIDEWAYS


def choose(pos: Any, found: list[int], target: int, words: str) -> list[int]:
    """Return the source squares in `found` to which all `words` (of QUALIFIERS) apply.

    A right piece stands to the right of the target or, if none does, is the rightmost: of two dragons, one may stand
    straight below the target. Left is defined likewise.
    """
    side = int(pos.side)
    column = _seen(side, target)[0]
    for word in words:
        word = QUALIFIERS[word]
        columns = {square: _seen(side, square)[0] for square in found}
        if word in (LEFT, RIGHT):
            sign = 1 if word == RIGHT else -1
            beside = [square for square in found if sign * (columns[square] - column) > 0]
            outermost = max((sign * each for each in columns.values()), default=0)
            found = beside or [square for square in found if sign * columns[square] == outermost]
        elif word == STRAIGHT:
            found = [square for square in found if columns[square] == column and direction(side, square, target) == UP]
        else:
            found = [square for square in found if direction(side, square, target) == word]
    return found


def qualifiers(pos: Any, kind: int, source: int, target: int) -> str:
    """Return the fewest words that distinguish this piece from others of its kind that reach the target, '' if none do.

    They are tried in the order of the Japan Shogi Association: the direction, then `直`, then the side, then both.
    """
    found = sources(pos, kind, target)
    if len(found) < 2:
        return ""
    side = int(pos.side)
    way = direction(side, source, target)
    tries = [way]
    if kind in STEPPERS:
        tries.append(STRAIGHT)
    tries += [LEFT, RIGHT, LEFT + way, RIGHT + way]
    return next(words for words in tries if choose(pos, found, target, words) == [source])


def resolve(pos: Any, text: str, parts: Parts, write: Any) -> int:
    """Return the one legal move that `parts` describe; `write(pos, move)` writes candidates for messages.

    A move that does not say whether it promotes does so only if it must. Raises ValueError if the move is illegal, or
    if it is ambiguous (listing the moves it could be).
    """
    if parts.side is not None and parts.side != int(pos.side):
        raise InputError("move {0!r}: it is {1}'s turn, not {2}'s", text, SIDES[int(pos.side)], SIDES[parts.side])
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
        listed = ", ".join(f"{write(pos, move)} ({usi_of(*_split(move))})" for move in legal)
        raise InputError("move {0!r} is ambiguous; it could be {1}", text, listed)
    if len(faults) == 1:
        raise faults[0]
    raise InputError("illegal move {0!r}: {1}", text, _nothing(pos, parts))


def _split(move: int) -> tuple[int, int, bool]:
    return move >> 7 & 127, move & 127, bool(move >> 14 & 1)


def _legal(pos: Any, text: str, source: int, parts: Parts) -> int:
    """Return the legal move from `source`. Raises ValueError."""
    promotion = parts.promotion
    if parts.arrives and source < t.DROP_BASE and promotion is None:
        stands = int(pos.board[source]) & 15
        promotion = stands != parts.kind
        if promotion and PROMOTED_KINDS[stands] != parts.kind:
            raise InputError(
                "move {0!r}: no piece on {1} can be a "
                "{2} after the move", text, SQUARE_NAMES[source], piece_name(parts.kind))  # fmt: skip
    try:
        return legal_move(pos, source, parts.target, bool(promotion))
    except ValueError as fault:
        if promotion is None and source < t.DROP_BASE:
            try:
                return legal_move(pos, source, parts.target, True)
            except ValueError:
                pass
        raise InputError("move {0!r}: {1}", text, fault) from None


def _nothing(pos: Any, parts: Parts) -> str:
    """Return why no piece makes the move."""
    side = int(pos.side)
    goal, name = SQUARE_NAMES[parts.target], piece_name(parts.kind)
    there = int(pos.board[parts.target])
    if there and there >> 4 == side:
        return Message("{0}'s own piece is on {1}", SIDES[side], goal)
    where = [square for square in range(81) if int(pos.board[square]) == t.make_piece(side, parts.kind)]
    reach = [square for square in where if square in sources(pos, parts.kind, parts.target)]
    if reach and parts.words:
        return Message("no {0} matches {1!r}; {2} reach {3}", name, parts.words, list_squares(reach), goal)
    if reach:
        return Message("none of {0} can legally move to {1}", list_squares(reach), goal)
    if where:
        return Message("no {0} of {1} reaches {2} (on {3})", name, SIDES[side], goal, list_squares(where))
    return Message("{0} has no {1}", SIDES[side], name)
