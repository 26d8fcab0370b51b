"""Breakthrough (Dan Troyka, 2000): stones step straight or diagonally forward, and capture diagonally.

The first to reach the last rank or to capture all stones wins. X, who begins, moves up; bit 0 is a1, bit 7 h1.
The evaluation is a table of the values of stones by square, which `recipe.py` learns.
"""

from pathlib import Path

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.common.registry import Registry
from shogi_engine.games import weights
from shogi_engine.interface.extras import Drawing, Extras
from shogi_engine.interface.game import VALUE_MATE, Game, provides, provides_evaluation
from shogi_engine.interface.stubs import Evaluation
from shogi_engine.jit import ctz, new_record, njit, record_dtype
from shogi_engine.search.parameters import SEARCH_FIELDS, search_defaults

POSITION = record_dtype([("stones", np.uint64, (2,)), ("side", np.int64)])
UNDO = record_dtype([("captured", np.uint64)])
PARAMS = record_dtype(SEARCH_FIELDS)
SIZE = 8
FILES, RANKS = "abcdefgh", "87654321"
NAMES = [f"{file}{rank}" for rank in "12345678" for file in FILES]
GOALS = np.array([0xFF << 56, 0xFF], dtype=np.uint64)  # the ranks that each side wants to reach
STONE, STEP = 100, 6  # the values of a stone and, growing with its rank, of a step forward, before anything is learnt
TURNED = SIZE * (SIZE - 1)  # square ^ TURNED is the square as the other side sees it
LAYOUT = "a1 to h8"
SHAPES = {"values": (np.int32, (SIZE * SIZE,))}  # of a stone of X by its square; of a file, and of ctx.evaluation


@njit
def is_over(pos):
    """Tell whether the side that has just moved has won."""
    return pos.stones[pos.side] == ZERO or pos.stones[1 - pos.side] & GOALS[1 - pos.side] != ZERO


@njit
def may_step(pos, origin, target):
    """Tell whether the side to move may step between two squares on the board (0..63, any integers)."""
    forward = SIZE if pos.side == 0 else -SIZE
    aside = target - origin - forward
    if not 0 <= target < SIZE * SIZE or abs(target % SIZE - origin % SIZE) > 1 or abs(aside) > 1:
        return False
    goal = ONE << np.uint64(target)
    if pos.stones[pos.side] & ONE << np.uint64(origin) == ZERO or pos.stones[pos.side] & goal != ZERO:
        return False
    return aside != 0 or pos.stones[1 - pos.side] & goal == ZERO


@njit
def write_moves(ctx, start, captures, quiets):
    """Write the captures, the other moves, or both, to ctx.moves[start:], and return their number."""
    count = 0
    if is_over(ctx.pos):
        return count
    theirs = ctx.pos.stones[1 - ctx.pos.side]
    for origin in range(SIZE * SIZE):
        for aside in range(-1, 2):
            target = origin + (SIZE if ctx.pos.side == 0 else -SIZE) + aside
            if not may_step(ctx.pos, origin, target):
                continue
            if captures if theirs & ONE << np.uint64(target) != ZERO else quiets:
                ctx.moves[start + count] = origin << 6 | target
                count += 1
    return count


@provides(POSITION)
def generate_moves(ctx, start):
    return write_moves(ctx, start, True, True)


@provides(POSITION)
def generate_captures(ctx, start):
    return write_moves(ctx, start, True, False)


@provides(POSITION)
def generate_quiets(ctx, start):
    return write_moves(ctx, start, False, True)


@provides(POSITION)
def is_quiet(pos, move):
    return pos.stones[1 - pos.side] & ONE << np.uint64(move & 63) == ZERO


@provides(POSITION)
def capture_value(ctx, move):
    return STONE


@provides(POSITION)
def do_move(pos, move, undo):
    origin, target = ONE << np.uint64(move >> 6), ONE << np.uint64(move & 63)
    undo.captured = pos.stones[1 - pos.side] & target
    pos.stones[pos.side] ^= origin | target
    pos.stones[1 - pos.side] ^= undo.captured
    pos.side = 1 - pos.side


@provides(POSITION)
def undo_move(pos, move, undo):
    pos.side = 1 - pos.side
    pos.stones[pos.side] ^= ONE << np.uint64(move >> 6) | ONE << np.uint64(move & 63)
    pos.stones[1 - pos.side] |= undo.captured


@provides(POSITION)
def key(pos):
    mixed = (pos.stones[0] * np.uint64(0x9E3779B97F4A7C15) ^ pos.stones[1]) * np.uint64(0xD6E8FEB86659FD93)
    return mixed ^ mixed >> np.uint64(32) ^ np.uint64(pos.side)


def load_weights(file: Path | None) -> weights.WeightsFile:
    """Return the values in a file that training wrote; for None, those that are not learnt. Raises ValueError."""
    if file is not None:
        return weights.decode(weights.read(file), file, GAME.name, LAYOUT, SHAPES)
    ranks = np.arange(SIZE * SIZE, dtype=np.int32) // SIZE
    return weights.WeightsFile({}, {"values": STONE + STEP * ranks**2}, "not learnt")


FIELDS = tuple((name, *kind) for name, kind in SHAPES.items())
EVALUATION = Evaluation("squares", POSITION, fields=FIELDS, load_weights=load_weights)
EVALUATIONS = Registry("evaluation", "EVALUATION", {"squares": __name__}, default="squares")


@provides_evaluation(EVALUATION)
def evaluate(ctx):
    value = 0
    for side in range(2):
        stones = ctx.pos.stones[side]
        while stones != ZERO:
            square = ctz(stones)
            value += ctx.evaluation.values[square] if side == 0 else -ctx.evaluation.values[square ^ TURNED]
            stones &= stones - ONE
    return value if ctx.pos.side == 0 else -value


@provides(POSITION)
def terminal_value(ctx):
    return -VALUE_MATE + ctx.ply  # a side with stones always has a move


@provides(POSITION)
def write_cells(pos, cells):
    for square in range(SIZE * SIZE):
        bit = ONE << np.uint64(SIZE * (SIZE - 1 - square // SIZE) + square % SIZE)
        cells[square] = 1 if pos.stones[0] & bit != ZERO else 2 if pos.stones[1] & bit != ZERO else 0


def parse_position(text):
    """Return the position of eight rows of X, O and '.', the upper first, a blank, and the side to move, X or O."""
    board, _, side = text.partition(" ")
    rows = board.split("/")
    if len(rows) != SIZE or any(len(row) != SIZE for row in rows) or set(board) - set("XO./") or side not in ("X", "O"):
        raise ValueError(f"breakthrough: expected eight rows like 'XX..O...' and the side, X or O: {text!r}")
    cells = "".join(reversed(rows))
    pos = new_record(POSITION)
    for colour, sign in enumerate("XO"):
        pos.stones[colour] = sum(1 << square for square, cell in enumerate(cells) if cell == sign)
    pos.side = "XO".index(side)
    if pos.stones[int(pos.side)] & GOALS[int(pos.side)] or not pos.stones[1 - int(pos.side)]:
        raise ValueError(f"breakthrough: the side to move has already won in {text!r}")
    return pos


def format_position(pos):
    """Return the text of a position."""
    cells = np.zeros(SIZE * SIZE, dtype=np.uint8)
    write_cells(pos, cells)
    text = "".join(".XO"[cell] for cell in cells)
    return "/".join(text[row : row + SIZE] for row in range(0, len(text), SIZE)) + f" {'XO'[int(pos.side)]}"


def parse_move(pos, text):
    """Return the move 'a2b3'."""
    squares = [NAMES.index(name) if name in NAMES else -1 for name in (text[:2], text[2:])]
    if min(squares) < 0 or is_over(pos) or not may_step(pos, *squares):
        raise ValueError(f"breakthrough: {text!r} is not a legal move")
    return squares[0] << 6 | squares[1]


def default_params():
    """Return the search's margins in this game's unit."""
    params = search_defaults(PARAMS)
    params.aspiration_window, params.rfp_margin, params.futility_margin = 50, 100, 100
    return params


GAME = Game(
    name="breakthrough",
    position=POSITION,
    undo=UNDO,
    max_moves=48,
    start="OOOOOOOO/OOOOOOOO/......../......../......../......../XXXXXXXX/XXXXXXXX X",
    parse_position=parse_position,
    format_position=format_position,
    parse_move=parse_move,
    format_move=lambda pos, move: NAMES[int(move) >> 6] + NAMES[int(move) & 63],
    params=PARAMS,
    default_params=default_params,
    evaluations=EVALUATIONS,
    extras=Extras(drawing=Drawing(FILES, RANKS, ".XO"), move_codes=1 << 12),
)
