"""Connect Four: the first with four stones in a row wins; moves are columns, a to g.

A column has seven bits, of which the uppermost stays empty (John Tromp's bitboards).
"""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.interface.extras import Drawing, Extras
from shogi_engine.interface.game import VALUE_MATE, Game, provides
from shogi_engine.jit import new_record, njit, popcount, record_dtype
from shogi_engine.search.parameters import SEARCH_FIELDS, search_defaults

POSITION = record_dtype([("mine", np.uint64), ("theirs", np.uint64), ("side", np.int64)])
UNDO = record_dtype([("stone", np.uint64)])
PARAMS = record_dtype(SEARCH_FIELDS)
WIDTH, HEIGHT = 7, 6
FILES, RANKS = "abcdefg", "654321"
STEPS = np.array([1, 6, 7, 8], dtype=np.uint64)  # up, down to the right, right, up to the right
COLUMN = np.uint64(0b111111)
CENTRE = np.uint64(0b111111 << 21)


@njit
def has_four(stones):
    """Tell whether four of `stones` (uint64) are in a row."""
    for step in STEPS:
        pairs = stones & stones >> step
        if pairs & pairs >> (step + step) != ZERO:
            return True
    return False


@njit
def lowest_empty(taken, column):
    """Return the lowest empty bit of a column, 0 if it is full."""
    shift = np.uint64(7 * column)
    stones = taken >> shift & COLUMN
    return ZERO if stones == COLUMN else (stones + ONE) << shift


@provides(POSITION)
def generate_moves(ctx, start):
    count = 0
    if has_four(ctx.pos.theirs):
        return count
    for column in range(WIDTH):
        if lowest_empty(ctx.pos.mine | ctx.pos.theirs, column) != ZERO:
            ctx.moves[start + count] = column + 1
            count += 1
    return count


@provides(POSITION)
def do_move(pos, move, undo):
    undo.stone = lowest_empty(pos.mine | pos.theirs, np.int64(move) - 1)
    after = pos.mine | undo.stone
    pos.mine, pos.theirs = pos.theirs, after
    pos.side = 1 - pos.side


@provides(POSITION)
def undo_move(pos, move, undo):
    before = pos.theirs ^ undo.stone
    pos.theirs, pos.mine = pos.mine, before
    pos.side = 1 - pos.side


@provides(POSITION)
def key(pos):
    mixed = (pos.mine * np.uint64(0x9E3779B97F4A7C15) ^ pos.theirs) * np.uint64(0xD6E8FEB86659FD93)
    return mixed ^ mixed >> np.uint64(32)


@provides(POSITION)
def evaluate(ctx):
    return 10 * (popcount(ctx.pos.mine & CENTRE) - popcount(ctx.pos.theirs & CENTRE))


@provides(POSITION)
def terminal_value(ctx):
    return -VALUE_MATE + ctx.ply if has_four(ctx.pos.theirs) else 0  # otherwise the board is full


@provides(POSITION)
def score_moves(ctx, start, count):
    for index in range(start, start + count):
        ctx.scores[index] = -abs(np.int64(ctx.moves[index]) - 4)


@provides(POSITION)
def write_cells(pos, cells):
    first, second = (pos.mine, pos.theirs) if pos.side == 0 else (pos.theirs, pos.mine)
    for square in range(WIDTH * HEIGHT):
        bit = ONE << np.uint64(7 * (square % WIDTH) + HEIGHT - 1 - square // WIDTH)
        cells[square] = 1 if first & bit != ZERO else 2 if second & bit != ZERO else 0


def parse_position(text):
    """Return the position of six rows of X, O and '.', the upper first; X began."""
    rows = text.split("/")
    if len(rows) != HEIGHT or any(len(row) != WIDTH for row in rows) or set(text) - set("XO./"):
        raise ValueError(f"connect four: expected six rows of seven X, O or '.', with / between them, not {text!r}")
    pos = new_record(POSITION)
    pos.side = text.count("X") - text.count("O")
    if pos.side not in (0, 1):
        raise ValueError(f"connect four: {text!r} has {int(pos.side)} more X than O")
    stones = [0, 0]
    for column in range(WIDTH):
        cells = "".join(rows[HEIGHT - 1 - height][column] for height in range(HEIGHT))
        if "." in cells.rstrip("."):
            raise ValueError(f"connect four: a stone of column {FILES[column]} hangs in the air in {text!r}")
        for height, cell in enumerate(cells.rstrip(".")):
            stones["XO".index(cell)] |= 1 << 7 * column + height
    pos.mine, pos.theirs = stones[int(pos.side)], stones[1 - int(pos.side)]
    if has_four(pos.mine):
        raise ValueError(f"connect four: the side to move has already won in {text!r}")
    return pos


def format_position(pos):
    """Return the text of a position."""
    cells = np.zeros(WIDTH * HEIGHT, dtype=np.uint8)
    write_cells(pos, cells)
    text = "".join(".XO"[cell] for cell in cells)
    return "/".join(text[row : row + WIDTH] for row in range(0, len(text), WIDTH))


def parse_move(pos, text):
    """Return the move into the column `text`."""
    if has_four(pos.theirs):
        raise ValueError("connect four: the game is over")
    if len(text) != 1 or text not in FILES or not lowest_empty(pos.mine | pos.theirs, FILES.index(text)):
        raise ValueError(f"connect four: {text!r} is not a column with an empty square")
    return FILES.index(text) + 1


GAME = Game(
    name="connect_four",
    position=POSITION,
    undo=UNDO,
    max_moves=WIDTH,
    start="/".join(["." * WIDTH] * HEIGHT),
    parse_position=parse_position,
    format_position=format_position,
    parse_move=parse_move,
    format_move=lambda pos, move: FILES[int(move) - 1],
    params=PARAMS,
    default_params=lambda: search_defaults(PARAMS),
    extras=Extras(drawing=Drawing(FILES, RANKS, ".XO"), move_codes=WIDTH + 1),
)
