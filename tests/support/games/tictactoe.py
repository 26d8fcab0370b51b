"""Tic-tac-toe: the smallest game for the search, explained in docs/add-a-game.md."""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.interface.game import VALUE_MATE, Game, provides
from shogi_engine.jit import new_record, njit, record_dtype
from shogi_engine.search.parameters import SEARCH_FIELDS, search_defaults

POSITION = record_dtype([("mine", np.uint64), ("theirs", np.uint64)])  # bits of nine squares
UNDO = record_dtype([("unused", np.uint8)])
PARAMS = record_dtype(SEARCH_FIELDS)
LINES = np.array([0o700, 0o070, 0o007, 0o444, 0o222, 0o111, 0o421, 0o124], dtype=np.uint64)


@njit
def has_line(stones):
    """Tell whether `stones` (uint64) hold three in a row."""
    for line in LINES:
        if stones & line == line:
            return True
    return False


@provides(POSITION)
def generate_moves(ctx, start):
    count = 0
    if has_line(ctx.pos.theirs):
        return count
    for square in range(9):
        if (ctx.pos.mine | ctx.pos.theirs) >> np.uint64(square) & ONE == ZERO:
            ctx.moves[start + count] = square + 1
            count += 1
    return count


@provides(POSITION)
def do_move(pos, move, undo):
    after = pos.mine | ONE << np.uint64(move - 1)
    pos.mine = pos.theirs
    pos.theirs = after


@provides(POSITION)
def undo_move(pos, move, undo):
    before = pos.theirs ^ ONE << np.uint64(move - 1)
    pos.theirs = pos.mine
    pos.mine = before


@provides(POSITION)
def key(pos):
    mixed = (pos.mine << np.uint64(9) | pos.theirs) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ mixed >> np.uint64(29)


@provides(POSITION)
def evaluate(ctx):
    return 0


@provides(POSITION)
def terminal_value(ctx):
    return -VALUE_MATE + ctx.ply if has_line(ctx.pos.theirs) else 0


def parse_position(text):
    """Return the position of nine characters X, O or -, row by row; X began."""
    if len(text) != 9 or set(text) - set("XO-"):
        raise ValueError(f"tic-tac-toe: expected nine characters X, O or -, got {text!r}")
    stones = {side: sum(1 << n for n, stone in enumerate(text) if stone == side) for side in "XO"}
    surplus = text.count("X") - text.count("O")
    if surplus not in (0, 1):
        raise ValueError(f"tic-tac-toe: {text!r} has {surplus} more X than O")
    pos = new_record(POSITION)
    pos.mine, pos.theirs = (stones["X"], stones["O"]) if surplus == 0 else (stones["O"], stones["X"])
    return pos


def format_position(pos):
    """Return the nine characters of `pos`."""
    x, o = int(pos.mine), int(pos.theirs)
    if x.bit_count() != o.bit_count():
        x, o = o, x
    return "".join("X" if x >> n & 1 else "O" if o >> n & 1 else "-" for n in range(9))


def parse_move(pos, text):
    """Return the move to the square `text`, 1..9."""
    if has_line(pos.theirs):
        raise ValueError("tic-tac-toe: the game is over")
    empty = ~int(pos.mine | pos.theirs)
    if text not in list("123456789") or not empty >> (int(text) - 1) & 1:
        raise ValueError(f"tic-tac-toe: {text!r} is not an empty square")
    return int(text)


GAME = Game(
    name="tictactoe",
    position=POSITION,
    undo=UNDO,
    max_moves=9,
    start="-" * 9,
    parse_position=parse_position,
    format_position=format_position,
    parse_move=parse_move,
    format_move=lambda pos, move: str(int(move)),
    params=PARAMS,
    default_params=lambda: search_defaults(PARAMS),
)
