"""Othello on four by four squares: a small game with passes, early ends and values that are scores.

It shares no line with the Othello of the package: bitboards by colour, and one loop for the eight directions.
"""

import numpy as np

from shogi_engine.common.bits import ONE, ZERO
from shogi_engine.interface.extras import Extras
from shogi_engine.interface.game import Game, provides
from shogi_engine.jit import new_record, njit, popcount, record_dtype
from shogi_engine.search.parameters import SEARCH_FIELDS, search_defaults
from shogi_engine.types.results import Score

POSITION = record_dtype([("discs", np.uint64, (2,)), ("turn", np.int64)])  # black's and white's discs; 0: black's turn
UNDO = record_dtype([("before", np.uint64, (2,))])
PARAMS = record_dtype([*SEARCH_FIELDS, ("mobility", np.int32)])
DISC = 10  # the value of a disc
PASS = 17  # a disc move is its square + 1, a1 = 0 ... d4 = 15
NAMES = [f"{file}{rank}" for rank in "1234" for file in "abcd"]


@njit
def turned_discs(own, opponent, square):
    """Return the discs (uint64) that turn when `own`'s side places one on the empty `square`."""
    turned = ZERO
    for direction in range(9):
        files, ranks = direction % 3 - 1, direction // 3 - 1
        if direction == 4:
            continue
        run = ZERO
        file, rank = square % 4 + files, square // 4 + ranks
        while 0 <= file < 4 and 0 <= rank < 4:
            disc = ONE << np.uint64(4 * rank + file)
            if own & disc != ZERO:
                turned |= run
            if opponent & disc == ZERO:
                break
            run |= disc
            file, rank = file + files, rank + ranks
    return turned


@njit
def count_disc_moves(own, opponent):
    """Return in how many places `own`'s side may place a disc."""
    count = 0
    for square in range(16):
        vacant = (own | opponent) >> np.uint64(square) & ONE == ZERO
        if vacant and turned_discs(own, opponent, square) != ZERO:
            count += 1
    return count


@provides(POSITION)
def generate_moves(ctx, start):
    own, opponent = ctx.pos.discs[ctx.pos.turn], ctx.pos.discs[1 - ctx.pos.turn]
    count = 0
    for square in range(16):
        vacant = (own | opponent) >> np.uint64(square) & ONE == ZERO
        if vacant and turned_discs(own, opponent, square) != ZERO:
            ctx.moves[start + count] = square + 1
            count += 1
    if count == 0 and count_disc_moves(opponent, own) > 0:
        ctx.moves[start] = PASS
        count = 1
    return count


@provides(POSITION)
def do_move(pos, move, undo):
    mover = pos.turn
    undo.before[0], undo.before[1] = pos.discs[0], pos.discs[1]
    if move != PASS:
        turned = turned_discs(pos.discs[mover], pos.discs[1 - mover], np.int64(move) - 1)
        pos.discs[mover] |= turned | ONE << np.uint64(move - 1)
        pos.discs[1 - mover] ^= turned
    pos.turn = 1 - mover


@provides(POSITION)
def undo_move(pos, move, undo):
    pos.discs[0], pos.discs[1] = undo.before[0], undo.before[1]
    pos.turn = 1 - pos.turn


@provides(POSITION)
def key(pos):
    packed = pos.discs[0] | pos.discs[1] << np.uint64(16) | np.uint64(pos.turn) << np.uint64(32)
    mixed = (packed + ONE) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ mixed >> np.uint64(32)


@provides(POSITION)
def move_cost(pos, move):
    return np.int64(move != PASS)


@provides(POSITION)
def finished_leaves(pos):
    return 1


@provides(POSITION)
def evaluate(ctx):
    own, opponent = ctx.pos.discs[ctx.pos.turn], ctx.pos.discs[1 - ctx.pos.turn]
    mobility = count_disc_moves(own, opponent) - count_disc_moves(opponent, own)
    return DISC * (popcount(own) - popcount(opponent)) + ctx.params.mobility * mobility


@provides(POSITION)
def terminal_value(ctx):
    mine, theirs = popcount(ctx.pos.discs[ctx.pos.turn]), popcount(ctx.pos.discs[1 - ctx.pos.turn])
    if mine > theirs:
        return DISC * (16 - 2 * theirs)
    return DISC * (2 * mine - 16) if mine < theirs else 0


def parse_position(text):
    """Return the position of '<16 of X, O and -> <X or O, the side to move>'."""
    cells, _, side = text.partition(" ")
    if len(cells) != 16 or set(cells) - set("XO-") or side not in ("X", "O"):
        raise ValueError(f"4x4 Othello: 16 of X, O and -, a blank and X or O wanted, not {text!r}")
    pos = new_record(POSITION)
    for colour, symbol in enumerate("XO"):
        pos.discs[colour] = sum(1 << square for square, cell in enumerate(cells) if cell == symbol)
    pos.turn = "XO".index(side)
    return pos


def format_position(pos):
    """Return the text of `pos`."""
    black, white = (int(discs) for discs in pos.discs)
    cells = ("X" if black >> square & 1 else "O" if white >> square & 1 else "-" for square in range(16))
    return f"{''.join(cells)} {'XO'[int(pos.turn)]}"


def parse_move(pos, text):
    """Return the legal move `text`, a1 to d4 or 'pass'."""
    own, opponent = pos.discs[int(pos.turn)], pos.discs[1 - int(pos.turn)]
    if text == "pass" and not count_disc_moves(own, opponent) and count_disc_moves(opponent, own):
        return PASS
    square = NAMES.index(text) if text in NAMES else -1
    vacant = square >= 0 and not int(own | opponent) >> square & 1
    if not vacant or not turned_discs(own, opponent, square):
        raise ValueError(f"4x4 Othello: {text!r} is no legal move")
    return square + 1


def default_params():
    """Return the margins and the weight of a move more than the other side has."""
    params = search_defaults(PARAMS)
    params.aspiration_window, params.mobility = 4 * DISC, 5
    params.rfp_margin = params.futility_margin = params.razor_margin = params.razor_depth_margin = 8 * DISC
    params.lmp_base = 100
    return params


GAME = Game(
    name="othello4",
    position=POSITION,
    undo=UNDO,
    max_moves=16,
    start="-----OX--XO----- X",
    parse_position=parse_position,
    format_position=format_position,
    parse_move=parse_move,
    format_move=lambda pos, move: "pass" if move == PASS else NAMES[int(move) - 1],
    params=PARAMS,
    default_params=default_params,
    extras=Extras(score=lambda value: Score.discs(value / DISC)),
)
