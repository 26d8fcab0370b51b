"""Othello on 6 x 6 squares, solved by Joel Feinstein (1993): white wins by four discs.

X, who begins, is side 0. Squares are numbered from a1, row by row; a move is its square + 1.
"""

import numpy as np

from shogi_engine.interface.extras import Drawing, Extras
from shogi_engine.interface.game import VALUE_MATE, Game, provides
from shogi_engine.jit import new_record, njit, record_dtype
from shogi_engine.search.parameters import SEARCH_FIELDS, search_defaults

SIZE = 6
SQUARES, PASS = SIZE * SIZE, SIZE * SIZE + 1
FILES, RANKS = "abcdef", "123456"
NAMES = [f"{file}{rank}" for rank in RANKS for file in FILES]
POSITION = record_dtype([("board", np.uint8, (SQUARES,)), ("side", np.int64)])  # 0 empty, 1 X, 2 O
UNDO = record_dtype([("board", np.uint8, (SQUARES,))])
PARAMS = record_dtype(SEARCH_FIELDS)
RANDOM = np.random.default_rng(6).integers(1 << 63, size=(3, SQUARES), dtype=np.uint64)


@njit
def turned(board, side, square, flip):
    """Return the number of discs that a disc of `side` on the empty `square` turns, and turn them if `flip`."""
    count = 0
    for across in range(-1, 2):
        for down in range(-1, 2):
            x, y, run = square % SIZE + across, square // SIZE + down, 0
            while 0 <= x < SIZE and 0 <= y < SIZE and board[SIZE * y + x] == 2 - side:
                x, y, run = x + across, y + down, run + 1
            if run and 0 <= x < SIZE and 0 <= y < SIZE and board[SIZE * y + x] == 1 + side:
                count += run
                for step in range(1, run + 1 if flip else 1):
                    board[square + step * (SIZE * down + across)] = 1 + side
    return count


@njit
def placements(pos, side):
    """Return the number of squares where `side` may put a disc."""
    count = 0
    for square in range(SQUARES):
        count += pos.board[square] == 0 and turned(pos.board, side, square, False) > 0
    return count


@njit
def lead(pos):
    """Return the side's lead in discs."""
    mine = theirs = 0
    for square in range(SQUARES):
        mine += pos.board[square] == 1 + pos.side
        theirs += pos.board[square] == 2 - pos.side
    return mine - theirs


@provides(POSITION)
def generate_moves(ctx, start):
    pos, count = ctx.pos, 0
    for square in range(SQUARES):
        if pos.board[square] == 0 and turned(pos.board, pos.side, square, False):
            ctx.moves[start + count] = square + 1
            count += 1
    if count == 0 and placements(pos, 1 - pos.side):
        ctx.moves[start] = PASS
        count = 1
    return count


@provides(POSITION)
def do_move(pos, move, undo):
    undo.board[:] = pos.board
    if move != PASS:
        square = np.int64(move) - 1
        turned(pos.board, pos.side, square, True)
        pos.board[square] = 1 + pos.side
    pos.side = 1 - pos.side


@provides(POSITION)
def undo_move(pos, move, undo):
    pos.board[:] = undo.board
    pos.side = 1 - pos.side


@provides(POSITION)
def key(pos):
    mixed = np.uint64(pos.side)
    for square in range(SQUARES):
        mixed ^= RANDOM[pos.board[square], square]
    return mixed


@provides(POSITION)
def evaluate(ctx):
    return 100 * lead(ctx.pos)


@provides(POSITION)
def terminal_value(ctx):
    discs = lead(ctx.pos)
    return 0 if discs == 0 else VALUE_MATE - ctx.ply if discs > 0 else -VALUE_MATE + ctx.ply


@provides(POSITION)
def write_cells(pos, cells):
    cells[:SQUARES] = pos.board


def parse_position(text):
    """Return the position of 36 characters X, O or -, row by row, a blank, and the side to move, X or O."""
    board, _, side = text.partition(" ")
    if len(board) != SQUARES or set(board) - set("XO-") or side not in ("X", "O"):
        raise ValueError(f"othello6: expected 36 characters X, O or - and the side to move: {text!r}")
    pos = new_record(POSITION)
    pos.board[:] = ["-XO".index(cell) for cell in board]
    pos.side = "XO".index(side)
    return pos


def format_position(pos):
    """Return the text of a position."""
    return "".join("-XO"[cell] for cell in pos.board) + f" {'XO'[int(pos.side)]}"


def parse_move(pos, text):
    """Return the move 'c2', or 'pass' if there is no other."""
    side = int(pos.side)
    if text in NAMES:
        square = NAMES.index(text)
        if pos.board[square] == 0 and turned(pos.board, side, square, False):
            return square + 1
    elif text == "pass" and not placements(pos, side) and placements(pos, 1 - side):
        return PASS
    raise ValueError(f"othello6: {text!r} is not a legal move")


def default_params():
    """Return the search's margins in this game's unit."""
    params = search_defaults(PARAMS)
    params.aspiration_window, params.rfp_margin, params.futility_margin = 200, 500, 500
    return params


GAME = Game(
    name="othello6",
    position=POSITION,
    undo=UNDO,
    max_moves=33,
    start="-" * 14 + "OX----XO" + "-" * 14 + " X",
    parse_position=parse_position,
    format_position=format_position,
    parse_move=parse_move,
    format_move=lambda pos, move: "pass" if int(move) == PASS else NAMES[int(move) - 1],
    params=PARAMS,
    default_params=default_params,
    extras=Extras(drawing=Drawing(FILES, RANKS, "-XO"), move_codes=PASS + 1),
)
