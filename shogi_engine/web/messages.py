"""The messages of browsers, by name. Their fields are checked before they are used.

A message is a JSON object whose field `do` names it; if it has a number in `re`, the answer has the same.
Every refusal is a MessageError, a ValueError that tells the user what is wrong.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from shogi_engine.analysis.words import LANGUAGES
from shogi_engine.common.text import sanitize
from shogi_engine.games import NAMES
from shogi_engine.games.shogi.board.piece_shapes import SETS

MESSAGE_MAX = 3 << 20  # bytes: a file of FILE_MAX bytes in base64, and the other fields
FILE_MAX = 2 << 20  # bytes of a record
TEXT_MAX = 200_000  # characters of a pasted record
LEVEL_MAX = 30
MULTIPV_MAX = {"shogi": 5, "othello": 60}  # in Othello all moves
LINE_MAX = 200  # moves of a line

Check = Callable[[Any], Any]


class MessageError(ValueError):
    """A message is malformed or not allowed."""


def text(most: int) -> Check:
    """Return a check for text of limited length, in characters."""

    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise MessageError("text is expected")
        if len(value) > most:
            raise MessageError(f"at most {most} characters are expected, not {len(value)}")
        return value

    return check


def choice(*names: Any) -> Check:
    """Return a check for one of some values."""

    def check(value: Any) -> Any:
        if not isinstance(value, str | bool | None) or value not in names:
            raise MessageError(f"one of {', '.join(map(str, names))} is expected")
        return value

    return check


def number(least: int, most: int) -> Check:
    """Return a check for a whole number."""

    def check(value: Any) -> int:
        if isinstance(value, float) and math.isfinite(value) and value == int(value):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise MessageError(f"a number from {least} to {most} is expected")
        return value

    return check


def flag(value: Any) -> bool:
    """Check a truth value."""
    if not isinstance(value, bool):
        raise MessageError("true or false is expected")
    return value


def players(value: Any) -> list[int | None]:
    """Check the players: for each side a level, or null for a human."""
    if not isinstance(value, list) or len(value) != 2:
        raise MessageError("two players are expected")
    level = number(0, LEVEL_MAX)
    return [None if each is None else level(each) for each in value]


def moves(value: Any) -> list[str]:
    """Check a line of moves."""
    if not isinstance(value, list) or not 0 < len(value) <= LINE_MAX:
        raise MessageError(f"1 to {LINE_MAX} moves are expected")
    return [_MOVE(each) for each in value]


_MOVE = text(12)
_SQUARE = text(3)
_NODE = number(0, 1 << 30)
LOOK: Mapping[str, Check] = {
    "language": choice(*LANGUAGES),
    "flipped": flag,
    "narrow": flag,
    "pieces": choice(*SETS),
}

# The fields of each message; those in OPTIONAL may be omitted.
MESSAGES: Mapping[str, Mapping[str, Check]] = {
    "hello": {"session": text(64), "owner": text(64), **LOOK},  # the first one
    "look": LOOK,
    "game": {"game": choice(*NAMES)},  # an empty board
    "new": {"game": choice(*NAMES), "players": players, "clock": text(40), "handicap": text(40), "here": flag},
    "move": {"move": _MOVE},
    "step": {"to": choice("first", "back", "next", "last", "above", "below")},
    "go": {"node": _NODE},
    "undo": {},
    "delete": {},  # this move and those after it
    "promote": {},  # the variation on the board becomes the main line
    "restore": {},  # the last deletion
    "kept": {},  # the list of the user's games
    "continue": {"id": text(60)},  # one of them
    "forget": {"id": text(60)},
    "recall": {"id": text(60)},  # a deleted one
    "comment": {"text": text(2000), "node": _NODE},  # on the current move, unless one is named
    "line": {"node": _NODE, "moves": moves, "go": number(0, LINE_MAX)},  # added there; go : which of its moves to go to
    "preview": {"node": _NODE, "moves": moves},  # show the board after them
    "rematch": {},
    "resign": {},
    "declare": {},
    "think": {},
    "stop": {},
    "level": {"side": number(0, 1), "level": number(0, LEVEL_MAX)},
    "analyse": {"on": flag, "multipv": number(1, max(MULTIPV_MAX.values()))},
    "judge": {"on": flag, "effort": choice("quick", "normal", "deep")},
    "mate": {},
    "open": {"name": text(200), "data": text(FILE_MAX * 4 // 3 + 8), "number": number(0, 100_000)},
    "paste": {"text": text(TEXT_MAX), "number": number(0, 100_000)},
    "save": {"format": text(20)},
    "setup": {"on": flag, "keep": flag},  # keep : use the new position at the end
    "put": {"square": _SQUARE, "piece": text(2)},
    "hand": {"side": number(0, 1), "piece": text(1), "count": number(0, 18)},
    "turn": {"side": number(0, 1)},
    "board": {"which": choice("start", "empty", "rest")},
    "tsume": {"on": flag, "problem": number(0, 10_000)},
    "problems": {},  # the list of problems
    "hint": {},
    "ping": {},
}
OPTIONAL = {
    *LOOK,
    "session",
    "owner",
    "number",
    "node",
    "effort",
    "multipv",
    "clock",
    "handicap",
    "here",
    "problem",
    "keep",
    "go",
}


def parse(data: str | bytes) -> dict[str, Any]:
    """Return a checked message. Raises MessageError."""
    if len(data) > MESSAGE_MAX:
        raise MessageError("the message is too long")
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        raise MessageError("a message is a JSON object") from None
    if not isinstance(message, dict):
        raise MessageError("a message is a JSON object")
    name = message.pop("do", None)
    fields = MESSAGES.get(name) if isinstance(name, str) else None
    if fields is None:
        raise MessageError(f"there is no message {sanitize(str(name), 40)!r}")
    checked: dict[str, Any] = {"do": name}
    for key, value in message.items():
        if key == "re":
            checked[key] = _NODE(value)
            continue
        if key not in fields:
            raise MessageError(f"{name}: there is no field {sanitize(key, 40)!r}")
        try:
            checked[key] = fields[key](value)
        except MessageError as fault:
            raise MessageError(f"{name}, {key}: {fault}") from None
    if missing := [key for key in fields if key not in checked and key not in OPTIONAL]:
        raise MessageError(f"{name}: {', '.join(missing)} is missing")
    return checked
