"""Mini-Shogi (Gogo Shogi, Shigenobu Kusumoto, about 1970): Shogi on 5 x 5 squares, in the notation of SFEN and USI.

A repetition is lost for the side that began, unless the other side has given check with every move.
"""

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.extras import Drawing, Extras
from shogi_engine.interface.game import NO_LEGAL_MOVE, NOT_OVER, REPETITION, VALUE_MATE, VALUE_NONE, Game, provides
from shogi_engine.jit import new_record, njit, record_dtype
from shogi_engine.search.parameters import SEARCH_FIELDS, search_defaults

SIZE, SQUARES = 5, 25  # 5a is 0, 1a 4, 5b 5
FILES, RANKS = "54321", "abcde"
NAMES = [file + rank for rank in RANKS for file in FILES]
SYMBOLS = ["", *"PSGBRK", "+P", "+S", "+B", "+R", *"psgbrk", "+p", "+s", "+b", "+r"]
PAWN, SILVER, GOLD, BISHOP, ROOK, KING = range(1, 7)
KINDS = 10  # a piece of white is its kind + 10
PROMOTED = np.array([0, 7, 8, 0, 9, 10, 0, 0, 0, 0, 0], dtype=np.int8)
PLAIN = np.array([0, 1, 2, 3, 4, 5, 6, 1, 2, 4, 5], dtype=np.int8)  # what a captured piece becomes
VALUES = np.array([0, 100, 400, 500, 600, 700, 0, 500, 500, 900, 1000], dtype=np.int32)
IN_HAND = 5  # kinds, all but the king
DROP, PROMOTION = SQUARES, 1 << 10  # a move is origin << 5 | target; a drop's origin is DROP + kind - 1
POSITION = record_dtype([("board", np.int8, (SQUARES,)), ("hands", np.int8, (2, IN_HAND + 1)), ("side", np.int64)])
UNDO = record_dtype([("key", np.uint64), ("moved", np.int8), ("captured", np.int8), ("check", np.int8)])
PARAMS = record_dtype(SEARCH_FIELDS)
RANDOM = np.random.default_rng(55).integers(1 << 63, size=(2 * KINDS + 1 + 2 * IN_HAND, SQUARES), dtype=np.uint64)

# The steps of each kind: bits of the nine squares around it, 0 the forward left, 8 the backward right.
STEPS = np.zeros(KINDS + 1, dtype=np.int64)
for _kind, _steps in {
    PAWN: (1,), SILVER: (0, 1, 2, 6, 8), GOLD: (0, 1, 2, 3, 5, 7), BISHOP: (0, 2, 6, 8), ROOK: (1, 3, 5, 7),
    KING: (0, 1, 2, 3, 5, 6, 7, 8), 7: (0, 1, 2, 3, 5, 7), 8: (0, 1, 2, 3, 5, 7), 9: (0, 1, 2, 3, 5, 6, 7, 8),
    10: (0, 1, 2, 3, 5, 6, 7, 8),
}.items():  # fmt: skip
    STEPS[_kind] = sum(1 << _step for _step in _steps)


@njit
def owns(piece, side):
    """Tell whether a piece belongs to `side`."""
    return piece > KINDS if side else 0 < piece <= KINDS


@njit
def reaches(pos, origin, target):
    """Tell whether the piece on `origin` attacks `target`, another square."""
    piece = np.int64(pos.board[origin])
    ahead, kind = (-1, piece - KINDS) if piece > KINDS else (1, piece)
    down, right = target // SIZE - origin // SIZE, target % SIZE - origin % SIZE
    if abs(down) <= 1 and abs(right) <= 1:
        return STEPS[kind] >> (3 * (ahead * down + 1) + ahead * right + 1) & 1 == 1
    kind = PLAIN[kind]
    if not (kind == BISHOP and abs(down) == abs(right) or kind == ROOK and (down == 0 or right == 0)):
        return False
    step = SIZE * ((down > 0) - (down < 0)) + (right > 0) - (right < 0)
    square = origin + step
    while square != target:
        if pos.board[square]:
            return False
        square += step
    return True


@njit
def is_attacked(pos, side):
    """Tell whether the king of `side` is attacked."""
    king = KING + KINDS * side
    for target in range(SQUARES):
        if pos.board[target] == king:
            for origin in range(SQUARES):
                if owns(pos.board[origin], 1 - side) and reaches(pos, origin, target):
                    return True
    return False


@njit
def is_safe(pos, origin, target):
    """Tell whether the king is not attacked after a piece on the board has moved."""
    side = 1 if pos.board[origin] > KINDS else 0
    piece, captured = pos.board[origin], pos.board[target]
    pos.board[origin], pos.board[target] = 0, piece
    safe = not is_attacked(pos, side)
    pos.board[origin], pos.board[target] = piece, captured
    return safe


@njit
def is_mated(pos, side):
    """Tell whether no move on the board ends the check to `side` by a pawn, against which a drop is no help."""
    for origin in range(SQUARES):
        if owns(pos.board[origin], side):
            for target in range(SQUARES):
                free = target != origin and not owns(pos.board[target], side)
                if free and reaches(pos, origin, target) and is_safe(pos, origin, target):
                    return False
    return True


@njit
def write_moves(ctx, start, captures, quiets):
    """Write the pseudo-legal captures, the other moves, or both, to ctx.moves[start:]; return their number."""
    pos, count = ctx.pos, 0
    side = pos.side
    last = 0 if side == 0 else SIZE - 1  # the rank where pieces promote
    for origin in range(SQUARES):
        if not owns(pos.board[origin], side):
            continue
        kind = pos.board[origin] - KINDS * side
        for target in range(SQUARES):
            if target == origin or owns(pos.board[target], side) or not (captures if pos.board[target] else quiets):
                continue
            if reaches(pos, origin, target):
                zone = PROMOTED[kind] > 0 and (target // SIZE == last or origin // SIZE == last)
                if zone:
                    ctx.moves[start + count] = origin << 5 | target | PROMOTION
                    count += 1
                if not (zone and kind == PAWN):
                    ctx.moves[start + count] = origin << 5 | target
                    count += 1
    for kind in range(1, IN_HAND + 1 if quiets else 1):
        for target in range(SQUARES if pos.hands[side, kind] else 0):
            if pos.board[target] == 0 and may_drop(pos, kind, target):
                ctx.moves[start + count] = (DROP + kind - 1) << 5 | target
                count += 1
    return count


@njit
def may_drop(pos, kind, target):
    """Tell whether a kind may stand on the empty `target`: a pawn neither on the last rank nor with one on its file."""
    if kind != PAWN:
        return True
    for rank in range(SIZE):
        if pos.board[SIZE * rank + target % SIZE] == PAWN + KINDS * pos.side:
            return False
    return target // SIZE != (0 if pos.side == 0 else SIZE - 1)


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
def is_legal(pos, move):
    origin, target, side = np.int64(move) >> 5 & 31, np.int64(move) & 31, pos.side
    if origin < DROP:
        return is_safe(pos, origin, target)
    kind = origin - DROP + 1
    pos.board[target] = kind + KINDS * side
    legal = not is_attacked(pos, side)
    if legal and kind == PAWN and is_attacked(pos, 1 - side):
        legal = not is_mated(pos, 1 - side)
    pos.board[target] = 0
    return legal


@provides(POSITION)
def do_move(pos, move, undo):
    origin, target, side = np.int64(move) >> 5 & 31, np.int64(move) & 31, pos.side
    undo.key, undo.check = rules.key(pos), is_attacked(pos, side)
    undo.captured = pos.board[target]
    if origin >= DROP:
        kind = origin - DROP + 1
        undo.moved = kind + KINDS * side
        pos.hands[side, kind] -= 1
    else:
        undo.moved = pos.board[origin]
        pos.board[origin] = 0
    if undo.captured:
        pos.hands[side, PLAIN[undo.captured - KINDS * (1 - side)]] += 1
    promoted = PROMOTED[undo.moved - KINDS * side] + KINDS * side
    pos.board[target] = promoted if np.int64(move) & PROMOTION else undo.moved
    pos.side = 1 - side


@provides(POSITION)
def undo_move(pos, move, undo):
    origin, target = np.int64(move) >> 5 & 31, np.int64(move) & 31
    pos.side = 1 - pos.side
    pos.board[target] = undo.captured
    if origin >= DROP:
        pos.hands[pos.side, origin - DROP + 1] += 1
    else:
        pos.board[origin] = undo.moved
    if undo.captured:
        pos.hands[pos.side, PLAIN[undo.captured - KINDS * (1 - pos.side)]] -= 1


@provides(POSITION)
def key(pos):
    mixed = np.uint64(pos.side)
    for square in range(SQUARES):
        mixed ^= RANDOM[pos.board[square], square]
    for side in range(2):
        for kind in range(1, IN_HAND + 1):
            mixed ^= RANDOM[2 * KINDS + IN_HAND * side + kind, pos.hands[side, kind]]
    return mixed


@provides(POSITION)
def is_in_check(pos):
    return is_attacked(pos, pos.side)


@provides(POSITION)
def is_quiet(pos, move):
    return pos.board[np.int64(move) & 31] == 0


@provides(POSITION)
def capture_value(ctx, move):
    piece = np.int64(ctx.pos.board[np.int64(move) & 31])
    return np.int64(VALUES[piece - KINDS if piece > KINDS else piece])


@provides(POSITION)
def evaluate(ctx):
    value = np.int64(0)
    for square in range(SQUARES):
        piece = np.int64(ctx.pos.board[square])
        value += -VALUES[piece - KINDS] if piece > KINDS else VALUES[piece]
    for kind in range(1, IN_HAND + 1):
        value += (np.int64(ctx.pos.hands[0, kind]) - ctx.pos.hands[1, kind]) * VALUES[kind] * 11 // 10
    return value if ctx.pos.side == 0 else -value


@provides(POSITION)
def terminal_value(ctx):
    return -VALUE_MATE + ctx.ply


@njit
def repetitions(ctx):
    """Return (how often ctx.pos has occurred before, the game ply at which it last did)."""
    now, count, last = rules.key(ctx.pos), 0, 0
    for back in range(4, ctx.game_ply + 1, 2):
        if ctx.undo[ctx.game_ply - back].key == now:
            count += 1
            last = last if count > 1 else ctx.game_ply - back
    return count, last


@njit
def repeated_value(ctx, last):
    """Return the value of a repetition of the position at the game ply `last`."""
    i_was_checked = they_were_checked = True
    for ply in range(last, ctx.game_ply):
        if (ctx.game_ply - ply) % 2 == 0:
            i_was_checked &= ctx.undo[ply].check == 1
        else:
            they_were_checked &= ctx.undo[ply].check == 1
    lost = they_were_checked or not i_was_checked and ctx.pos.side == 0
    return -VALUE_MATE + ctx.ply if lost else VALUE_MATE - ctx.ply


@provides(POSITION)
def repetition_value(ctx):
    count, last = repetitions(ctx)
    return repeated_value(ctx, last) if count else VALUE_NONE


@provides(POSITION)
def game_result(ctx, move_count):
    if move_count == 0:
        return np.int64(NO_LEGAL_MOVE), np.int64(rules.terminal_value(ctx))
    count, last = repetitions(ctx)
    if count >= 3:
        return np.int64(REPETITION), np.int64(repeated_value(ctx, last))
    return np.int64(NOT_OVER), np.int64(VALUE_NONE)


@provides(POSITION)
def write_cells(pos, cells):
    for square in range(SQUARES):
        cells[square] = pos.board[square]
    for side in range(2):
        for kind in range(1, IN_HAND + 1):
            cells[SQUARES + IN_HAND * side + kind - 1] = pos.hands[side, kind]


def parse_position(text):
    """Return the position of an SFEN of five ranks; the move number may be left out."""
    words = text.split()
    try:
        board, side, hands = words[:3]
        pos = new_record(POSITION)
        pos.side = "bw".index(side)
        rows = [_pieces(row) for row in board.split("/")]
        if len(words) > 4 or len(rows) != SIZE or any(len(row) != SIZE for row in rows):
            raise ValueError("expected five ranks of five squares")
        for square, piece in enumerate(piece for row in rows for piece in row):
            pos.board[square] = piece
        count = 1
        for letter in "" if hands == "-" else hands:
            if letter.isdecimal():
                count = int(letter)
                continue
            place = "PSGBRpsgbr".index(letter)
            pos.hands[place // IN_HAND, place % IN_HAND + 1] = count
            count = 1
    except ValueError as fault:
        raise ValueError(f"mini-Shogi: {text!r} is not an SFEN: {fault}") from None
    _check(pos, text)
    return pos


def _pieces(row):
    """Return the pieces of a rank of an SFEN."""
    found, plus = [], ""
    for letter in row:
        if letter == "+":
            plus = letter
        elif letter in "12345":
            found += [0] * int(letter)
        else:
            found.append(SYMBOLS.index(plus + letter))
            plus = ""
    return found


def _check(pos, text):
    """Raise ValueError for a position that the rules cannot handle."""
    pieces = [int(piece) for piece in pos.board if piece]
    for kind in range(1, IN_HAND + 1):
        count = sum(PLAIN[(piece - 1) % KINDS + 1] == kind for piece in pieces) + int(pos.hands[:, kind].sum())
        if count > 2:
            raise ValueError(f"mini-Shogi: {text!r} has {count} {SYMBOLS[kind]}")
    if sorted(piece for piece in pieces if piece in (KING, KING + KINDS)) != [KING, KING + KINDS]:
        raise ValueError(f"mini-Shogi: {text!r} does not have a king on each side")
    for side, last in ((0, 0), (1, SIZE - 1)):
        pawns = [square for square in range(SQUARES) if pos.board[square] == PAWN + KINDS * side]
        if len({square % SIZE for square in pawns}) < len(pawns) or any(square // SIZE == last for square in pawns):
            raise ValueError(f"mini-Shogi: {text!r} has two pawns on a file, or one that cannot move")
    if is_attacked(pos, 1 - int(pos.side)):
        raise ValueError(f"mini-Shogi: the side not to move is in check in {text!r}")


def format_position(pos):
    """Return the SFEN of a position, with the move number 1."""
    rows = []
    for rank in range(SIZE):
        row, empty = "", 0
        for piece in [*pos.board[SIZE * rank :][:SIZE], -1]:
            if piece == 0:
                empty += 1
                continue
            row, empty = row + (str(empty) if empty else "") + (SYMBOLS[piece] if piece > 0 else ""), 0
        rows.append(row)
    counts = [int(pos.hands[side, kind]) for side in range(2) for kind in range(1, IN_HAND + 1)]
    held = [f"{count if count > 1 else ''}{name}" for name, count in zip("PSGBRpsgbr", counts, strict=True) if count]
    held = "".join(sorted(held, key=lambda each: "RBGSPrbgsp".index(each[-1])))
    return f"{'/'.join(rows)} {'bw'[int(pos.side)]} {held or '-'} 1"


def parse_move(pos, text):
    """Return the legal move '5e5d', '1b1a+' or 'P*3c'."""
    origin, target, promotion = text[:2], text[2:4], text[4:]
    move = 0
    if target in NAMES and promotion in ("", "+"):
        if origin in NAMES:
            move = NAMES.index(origin) << 5 | NAMES.index(target) | (PROMOTION if promotion else 0)
        elif origin in ("P*", "S*", "G*", "B*", "R*") and not promotion:
            move = (DROP + "PSGBR".index(origin[0])) << 5 | NAMES.index(target)
    if not move or not is_listed(pos, move):
        raise ValueError(f"mini-Shogi: {text!r} is not a legal move")
    return move


LIST = record_dtype([("pos", POSITION), ("moves", np.uint32, (160,))])


def is_listed(pos, move):
    """Tell whether a move is legal."""
    node = new_record(LIST)
    np.asarray(node)["pos"] = np.asarray(pos)
    return bool(holds(node, move))


@njit
def holds(node, move):
    """Tell whether a move is among the legal moves of node.pos."""
    for index in range(rules.generate_moves(node, 0)):
        if node.moves[index] == move:
            return rules.is_legal(node.pos, move)
    return False


def format_move(pos, move):
    """Return the text of a move."""
    origin, target = int(move) >> 5 & 31, NAMES[int(move) & 31]
    return f"{'PSGBR'[origin - DROP]}*{target}" if origin >= DROP else (
        f"{NAMES[origin]}{target}{'+' if int(move) & PROMOTION else ''}"
    )  # fmt: skip


def default_params():
    """Return the search's margins in this game's unit."""
    params = search_defaults(PARAMS)
    params.aspiration_window, params.rfp_margin, params.futility_margin = 50, 150, 150
    return params


GAME = Game(
    name="mini_shogi",
    position=POSITION,
    undo=UNDO,
    max_moves=160,
    start="rbsgk/4p/5/P4/KGSBR b - 1",
    parse_position=parse_position,
    format_position=format_position,
    parse_move=parse_move,
    format_move=format_move,
    params=PARAMS,
    default_params=default_params,
    extras=Extras(drawing=Drawing(FILES, RANKS, [".", *SYMBOLS[1:]], "PSGBRpsgbr"), move_codes=1 << 11),
)
