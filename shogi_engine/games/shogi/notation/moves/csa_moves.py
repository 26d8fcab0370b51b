"""CSA's moves: '+7776FU'; also without the sign, '7776FU', or without the source square, '76FU'."""

import re
from typing import Any

from shogi_engine.games.shogi.notation.moves.candidates import Parts, resolve
from shogi_engine.games.shogi.notation.moves.japanese import file_and_rank, square_of
from shogi_engine.games.shogi.symbols import CSA_PIECES, KINDS_BY_CSA
from shogi_engine.games.shogi.types import BLACK, DROP_BASE, WHITE, arriving_kind, move_from, move_to
from shogi_engine.language import InputError

_MOVE = re.compile(r"(?P<sign>[+-])?(?P<source>00|[1-9][1-9])?(?P<target>[1-9][1-9])(?P<kind>[A-Z]{2})")


def split(text: str) -> Parts | None:
    """Return the parts of a CSA move, None if the text does not have its form."""
    found = _MOVE.fullmatch(text)
    if not found:
        return None
    kind = KINDS_BY_CSA.get(found["kind"], 0)
    if not kind:
        raise InputError(
            "move {0!r}: there is no piece {1}; there are {2}", text, found["kind"], " ".join(CSA_PIECES[1:])
        )
    side = {"+": BLACK, "-": WHITE}.get(found["sign"] or "")
    target = square_of(int(found["target"][0]), int(found["target"][1]))
    if found["source"] == "00":
        if kind >= 8:
            raise InputError("move {0!r}: no {1} can be dropped", text, found["kind"])
        return Parts(kind, target, DROP_BASE + kind, side=side)
    source = square_of(int(found["source"][0]), int(found["source"][1])) if found["source"] else None
    return Parts(kind, target, source, side=side, arrives=True)


def parse(pos: Any, text: str, last: int | None) -> int | None:
    """Return the encoded legal move, None if the text does not have this form. Raises ValueError if it is not legal."""
    parts = split(text)
    if parts is None:
        return None
    return resolve(pos, text, parts, lambda pos, move: format_csa(pos, move, None))


def format_csa(pos: Any, move: int, last: int | None) -> str:
    """Return '+7776FU'."""
    source = move_from(move)
    origin = "00" if source >= DROP_BASE else "{}{}".format(*file_and_rank(source))
    goal = "{}{}".format(*file_and_rank(move_to(move)))
    return f"{'+-'[int(pos.side)]}{origin}{goal}{CSA_PIECES[arriving_kind(move)]}"
