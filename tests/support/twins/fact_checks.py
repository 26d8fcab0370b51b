"""Are facts about bad moves true? Told by python-shogi and the plain Othello of `naive_othello`, slowly.

Of the engine only the mate solver is asked, for the moves of a mate: all replies to them are tried here.
"""

import shogi

from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.openings import View, castle_at
from shogi_engine.types.outcomes import Fact, Kind
from tests.support.twins.naive_othello import DIRECTIONS, OTHER, State

# Centipawns on the board by python-shogi's piece types; and when it changes hands.
VALUES = (0, 90, 315, 405, 495, 540, 855, 990, 0, 540, 540, 540, 540, 945, 1395)
WORTH = tuple(value + VALUES[(0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 6, 7)[kind]] for kind, value in enumerate(VALUES))
SYMBOLS = ("", "P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R")
LEAST, PAWN = 350, 180
PROMOTED = ("+P", "+L", "+N", "+B", "+R")
DEFENDERS = ("S", "G", "+P", "+L", "+N", "+S")
SLIDERS = ("B", "R", "+B", "+R")
PROVED_PLIES = 5  # longer mates take too long here; of them the line is checked
ALLOWS_MATE = (Kind.MATE_ALLOWED, Kind.MATE_THREAT_UNMET)
LOSES = (Kind.PIECE_LEFT, Kind.PIECE_THREAT_UNMET, Kind.EXCHANGE_LOST, Kind.PIECES_LOST)
WINS = (Kind.PIECE_MISSED, Kind.EXCHANGE_MISSED, Kind.PIECES_MISSED)
FREE = (Kind.PIECE_LEFT, Kind.PIECE_THREAT_UNMET, Kind.PIECE_MISSED)


def after(sfen: str, moves: tuple[str, ...]) -> shogi.Board:
    """Return the board after legal moves; AssertionError for others."""
    board = shogi.Board(sfen)
    for usi in moves:
        move = shogi.Move.from_usi(usi)
        assert move in board.legal_moves, (sfen, moves, usi)
        board.push(move)
    return board


def passed(board: shogi.Board) -> shogi.Board:
    """Return the board with the other side to move; AssertionError in check."""
    assert not board.is_check()
    squares, side, *rest = board.sfen().split()
    return shogi.Board(" ".join([squares, "bw"[side == "b"], *rest]))


def mates_within(board: shogi.Board, plies: int) -> bool:
    """Tell whether the side to move mates by checks in at most `plies`: each reply to the solver's moves is tried."""
    found = Board(board.sfen()).find_mate(nodes=100_000, shortest=True)
    if not found or plies < 1:
        return False
    move = shogi.Move.from_usi(found.moves[0].usi())
    assert move in board.legal_moves
    board.push(move)
    mated = board.is_check()
    for reply in list(board.legal_moves) if mated else []:
        board.push(reply)
        mated = mates_within(board, plies - 2)
        board.pop()
        if not mated:
            break
    board.pop()
    return mated


def captures(board: shogi.Board, square: int | None = None) -> list[shogi.Move]:
    """Return the legal captures, optionally on one square."""
    moves = [move for move in board.legal_moves if move.from_square is not None and board.piece_at(move.to_square)]
    return [move for move in moves if square in (None, move.to_square)]


def gain(board: shogi.Board, move: shogi.Move) -> int:
    """Return the worth of the captured piece, and of the promotion."""
    moved = board.piece_at(move.from_square).piece_type
    promoted = VALUES[moved + 8 - (moved > shogi.GOLD)] - VALUES[moved] if move.promotion else 0
    return WORTH[board.piece_at(move.to_square).piece_type] + promoted


def exchanged(board: shogi.Board, square: int) -> int:
    """Return what the side to move gains by captures on a square, by trying all of them."""
    best = 0
    for move in captures(board, square):
        won = gain(board, move)
        board.push(move)
        best = max(best, won - exchanged(board, square))
        board.pop()
    return best


def taken(sfen: str, moves: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the symbols of the pieces that the first side and the other capture in a line."""
    board = shogi.Board(sfen)
    found: tuple[list[str], list[str]] = ([], [])
    for number, usi in enumerate(moves):
        piece = None if "*" in usi else board.piece_at(shogi.Move.from_usi(usi).to_square)
        if piece:
            symbol, square = SYMBOLS[piece.piece_type], usi[2:4]
            for earlier in reversed(moves[:number]):  # back to where the piece came from in the line
                if earlier[2:4] == square:
                    symbol, square = symbol.removeprefix("+" if earlier.endswith("+") else ""), earlier[:2]
            found[number % 2].append(symbol)
        board.push(shogi.Move.from_usi(usi))
    return tuple(found[0]), tuple(found[1])


def castle_of(board: shogi.Board, colour: int):
    """Return the castle of a side, None for none."""
    pieces = [board.piece_at(square) for square in range(81)]
    squares = bytes(piece.color << 4 | piece.piece_type if piece else 0 for piece in pieces)
    black, white = (bytes(hand[kind] for kind in range(8)) for hand in board.pieces_in_hand)
    found = castle_at(View(squares, (black, white), (set(), set())), colour, squares.find(colour << 4 | shogi.KING))
    return found and found[0].name.id


def is_true_in_shogi(fact: Fact, sfen: str) -> bool:
    """Tell whether a fact about a bad move in the position `sfen` is true."""
    kind, moves = fact.kind, fact.moves
    board, end = after(sfen, moves[:1]), after(sfen, moves)
    if kind in ALLOWS_MATE or kind is Kind.MATE_MISSED:
        from_here = board if kind in ALLOWS_MATE else shogi.Board(sfen)
        proven = fact.number > PROVED_PLIES or mates_within(from_here, fact.number)
        unmet = kind is not Kind.MATE_THREAT_UNMET or mates_within(passed(shogi.Board(sfen)), 7)
        return end.is_checkmate() and len(moves) == fact.number + (kind in ALLOWS_MATE) and proven and unmet
    if kind in (Kind.MATE_THREATENED, Kind.MATE_THREAT_MISSED):
        return fact.number > PROVED_PLIES or mates_within(passed(end), fact.number)
    if kind in (Kind.ENDS_IN_MATE, Kind.COULD_END_IN_MATE):
        return end.is_checkmate() and len(moves) % 2 == (kind is Kind.COULD_END_IN_MATE)
    if kind in (*LOSES, *WINS):
        return _pieces_are_true(fact, sfen, board, end)
    if kind in POSITIONAL:
        return POSITIONAL[kind](fact, sfen, end)
    if kind is Kind.CASTLE_BROKEN:
        side = shogi.Board(sfen).turn
        return castle_of(shogi.Board(sfen), side) == fact.name and castle_of(board, side) is None
    return kind is Kind.BOOK_LEFT


def _pieces_are_true(fact: Fact, sfen: str, board: shogi.Board, end: shogi.Board) -> bool:
    kind, moves = fact.kind, fact.moves
    if (fact.won, fact.lost) != taken(sfen, moves):
        return False
    worth = sum(WORTH[SYMBOLS.index(each)] for each in fact.won) - sum(WORTH[SYMBOLS.index(each)] for each in fact.lost)
    gained = worth if kind in WINS else -worth
    if gained < PAWN:
        return False
    if kind in (Kind.PIECES_LOST, Kind.PIECES_MISSED):
        squares = {move.to_square for move in captures(end)}
        return not end.is_check() and all(exchanged(end, square) < min(gained, LEAST) for square in squares)
    first = shogi.Board(sfen) if kind in WINS else board
    line = moves if kind in WINS else moves[1:]
    square = shogi.SQUARE_NAMES.index(fact.square)
    return _is_best_exchange(first, line, square) and (kind not in FREE or not captures(end, square))


def _is_best_exchange(board: shogi.Board, line: tuple[str, ...], square: int) -> bool:
    """Tell whether after its first capture no side does better on `square` than by this line."""
    gains = []
    board = shogi.Board(board.sfen())
    for number, usi in enumerate(line):
        move = shogi.Move.from_usi(usi)
        if move not in captures(board, square):
            return False
        gains.append(gain(board, move))
        board.push(move)
        if not number:
            best = exchanged(board, square)
    rest = sum(each if number % 2 == 0 else -each for number, each in enumerate(gains[1:]))
    return best == rest


def symbol_at(board: shogi.Board, square: int) -> str:
    return SYMBOLS[board.piece_at(square).piece_type] if board.piece_at(square) else ""


def attacks(board: shogi.Board, square: int) -> set[int]:
    """Return the squares that the piece on a square attacks, own pieces included."""
    colour = board.piece_at(square).color
    return {target for target in shogi.SQUARES if square in board.attackers(colour, target)}


def forked(board: shogi.Board, usi: str) -> list[str]:
    """Return what the move that led to `board` attacks of worth: by squares, () if its piece can be captured."""
    square = shogi.Move.from_usi(usi).to_square
    if captures(board, square):
        return []
    own = WORTH[board.piece_at(square).piece_type]
    found = []
    for target in attacks(board, square):
        piece = board.piece_at(target)
        if piece and piece.color == board.turn:
            worth = WORTH[piece.piece_type]
            hangs = worth >= LEAST and not board.attackers(board.turn, target)
            if piece.piece_type == shogi.KING or worth - own >= LEAST or hangs:
                found.append(SYMBOLS[piece.piece_type])
    return sorted(found) if len(found) > 1 else []


def is_fork(fact: Fact, sfen: str, end: shogi.Board) -> bool:
    spared = not forked(after(sfen, fact.instead), fact.instead[-1])
    return forked(end, fact.moves[-1]) == sorted(fact.lost or fact.won) and spared


def promoted_safely(sfen: str, moves: tuple[str, ...], first: int) -> bool:
    """Tell whether the side that makes the move `first` promotes a piece, no silver, that cannot be captured."""
    for number in range(first, len(moves), 2):
        if moves[number].endswith("+"):
            board, square = after(sfen, moves[: number + 1]), shogi.Move.from_usi(moves[number]).to_square
            if symbol_at(board, square) in PROMOTED and not captures(board, square):
                return True
    return False


def is_promotion(fact: Fact, sfen: str, end: shogi.Board) -> bool:
    square, first = shogi.SQUARE_NAMES.index(fact.square), fact.kind is Kind.PROMOTION_ALLOWED
    stands = shogi.Move.from_usi(fact.moves[-1]).to_square == square and not captures(end, square)
    spared = not promoted_safely(sfen, fact.instead, int(first))
    return stands and (symbol_at(end, square),) == (fact.lost if first else fact.won) and spared


def threatened(board: shogi.Board, square: int, last: str) -> bool:
    """Tell whether the side that made the `last` move would win a piece on `square`, if the other passed.

    Not by the piece that has moved, if it can be captured with profit.
    """
    if board.is_check():
        return False
    moved = shogi.Move.from_usi(last).to_square
    hangs, board = exchanged(board, moved) > 0, passed(board)
    for move in captures(board, square):
        if hangs and move.from_square == moved:
            continue
        worth, own = (WORTH[board.piece_at(each).piece_type] for each in (square, move.from_square))
        board.push(move)
        found = any(worth - lost >= LEAST for lost in best_losses(board, square, own))
        board.pop()
        if found:
            return True
    return False


def best_losses(board: shogi.Board, square: int, worth: int) -> list[int]:
    """Return what best play on `square` can cost the side that has just captured there, promotions not counted.

    `worth` is that of the piece there before it captured.
    """
    best = exchanged(board, square)
    found = [0] if best == 0 else []
    for move in captures(board, square):
        won, own = gain(board, move), WORTH[board.piece_at(move.from_square).piece_type]
        board.push(move)
        if won - exchanged(board, square) == best:
            found += [worth - lost for lost in best_losses(board, square, own)]
        board.pop()
    return found


def is_threat(fact: Fact, sfen: str, end: shogi.Board) -> bool:
    square = shogi.SQUARE_NAMES.index(fact.square)
    named = (symbol_at(end, square),) == (fact.lost or fact.won)
    spared = not threatened(after(sfen, fact.instead), square, fact.instead[-1])
    return named and threatened(end, square, fact.moves[-1]) and spared


def near_king(board: shogi.Board, side: int) -> list[int]:
    squares = [square for square in shogi.SQUARES if board.piece_at(square) == shogi.Piece(shogi.KING, side)]
    return list(attacks(board, squares[0])) if squares else []


def attacked(board: shogi.Board, side: int) -> int:
    return sum(board.is_attacked_by(1 - side, square) for square in near_king(board, side))


def defenders(board: shogi.Board, side: int) -> int:
    near = [square for square in near_king(board, side) if board.piece_at(square)]
    return sum(board.piece_at(square).color == side and symbol_at(board, square) in DEFENDERS for square in near)


def reached(board: shogi.Board, side: int) -> int:
    pieces = [board.piece_at(square) for square in shogi.SQUARES]
    own = {square for square, piece in enumerate(pieces) if piece and piece.color == side}
    return sum(len(attacks(board, square) - own) for square in own if symbol_at(board, square) in SLIDERS)


def is_count(fact: Fact, sfen: str, end: shogi.Board) -> bool:
    """Tell whether the counts of a fact are right, and worse than in the better line."""
    side, kind = shogi.Board(sfen).turn, fact.kind
    count, owner, fewer = {
        Kind.KING_ATTACKED: (attacked, side, False), Kind.KING_ATTACK_MISSED: (attacked, 1 - side, True),
        Kind.FEW_DEFENDERS: (defenders, side, True), Kind.LINES_CLOSED: (reached, side, True),
    }[kind]  # fmt: skip
    counts = count(end, owner), count(after(sfen, fact.instead), owner)
    return counts == (fact.number, fact.other) and (counts[0] < counts[1]) == fewer and counts[0] != counts[1]


POSITIONAL = {
    Kind.FORK_ALLOWED: is_fork, Kind.FORK_MISSED: is_fork,
    Kind.PROMOTION_ALLOWED: is_promotion, Kind.PROMOTION_MISSED: is_promotion,
    Kind.CAPTURE_THREATENED: is_threat, Kind.CAPTURE_THREAT_MISSED: is_threat,
    Kind.KING_ATTACKED: is_count, Kind.KING_ATTACK_MISSED: is_count,
    Kind.FEW_DEFENDERS: is_count, Kind.LINES_CLOSED: is_count,
}  # fmt: skip


# ---- Othello -----------------------------------------------------------------------------------------------------


CORNERS = ("a1", "a8", "h1", "h8")
NEXT = {"X": ((1, 1),), "C": ((0, 1), (1, 0))}  # distances from a corner


def state_after(obf: str, moves: tuple[str, ...]) -> State:
    """Return the state after legal moves; AssertionError for others."""
    state = State.from_text(obf)
    for move in moves:
        assert move in state.legal_moves(), (obf, moves, move)
        state.push(move)
    return state


def place(name: str) -> tuple[int, int]:
    return ord(name[0]) - 97, int(name[1]) - 1


def disc_places(state: State, cell: str) -> set[tuple[int, int]]:
    return {(file, rank) for rank in range(8) for file in range(8) if state.rows[rank][file] == cell}


def around(at: tuple[int, int]) -> set[tuple[int, int]]:
    return {(at[0] + files, at[1] + ranks) for files, ranks in DIRECTIONS}


def stable(state: State, side: str) -> int:
    """Return how many discs of a side are stable because each line through them is full, or held by a stable disc."""
    held: set[tuple[int, int]] = set()
    empty, own = disc_places(state, "-"), disc_places(state, side)

    def is_safe(at: tuple[int, int], files: int, ranks: int) -> bool:
        sides = [(at[0] + files, at[1] + ranks), (at[0] - files, at[1] - ranks)]
        if any(each in held or not (0 <= each[0] < 8 and 0 <= each[1] < 8) for each in sides):
            return True
        line = {(at[0] + step * files, at[1] + step * ranks) for step in range(-8, 9)}
        return not line & empty

    while more := {at for at in own - held if all(is_safe(at, *way) for way in DIRECTIONS[:4])}:
        held |= more
    return len(held)


def edges(state: State, side: str) -> int:
    return sum(0 in at or 7 in at for at in disc_places(state, side))


def frontier(state: State, side: str) -> int:
    empty = disc_places(state, "-")
    return sum(bool(around(at) & empty) for at in disc_places(state, side))


def region(state: State, name: str) -> int:
    empty, found, front = disc_places(state, "-"), {place(name)}, {place(name)}
    while front := {each for at in front for each in around(at)} & empty - found:
        found |= front
    return len(found)


def corners(moves: tuple[str, ...], side: int) -> int:
    return sum(move in CORNERS for move in moves[side::2])


def is_true_in_othello(fact: Fact, obf: str) -> bool:
    """Tell whether a fact about a bad move in the position `obf` is true; DISCS_LOST is not looked at."""
    start, end, other = State.from_text(obf), state_after(obf, fact.moves), state_after(obf, fact.instead)
    kind, own = fact.kind, start.side
    opponent = OTHER[own]
    if kind in (Kind.CORNER_GIVEN, Kind.CORNER_LOST, Kind.CORNER_MISSED):
        side = int(kind is not Kind.CORNER_MISSED)
        more = [corners(moves, side) - corners(moves, 1 - side) for moves in (fact.moves, fact.instead)]
        open_too = kind is Kind.CORNER_GIVEN and fact.square in other.legal_moves()
        taken = fact.moves[-1] == fact.square in CORNERS and len(fact.moves) % 2 != side
        return taken and more[0] > max(0, more[1]) and not open_too
    if kind in (Kind.PASS_FORCED, Kind.PASS_MISSED):
        passing = own if kind is Kind.PASS_FORCED else opponent
        return end.side == passing and end.legal_moves() == ["pass"] and "pass" not in fact.moves
    if kind is Kind.NEAR_CORNER:
        distance = tuple(abs(a - b) for a, b in zip(place(fact.moves[0]), place(fact.square), strict=True))
        return distance in NEXT[fact.name] and place(fact.square) in disc_places(start, "-")
    if kind is Kind.EVEN_REGION:
        counts = region(start, fact.moves[0]), region(start, fact.instead[0])
        return counts == (fact.number, fact.other) and counts[0] % 2 == 0 and counts[1] % 2 == 1
    if kind in COUNTS:
        counts = tuple(COUNTS[kind](state, own, opponent, start) for state in (end, other))
        fewer = kind in (Kind.FEW_MOVES, Kind.STABLE_MISSED)
        return counts == (fact.number, fact.other) and (counts[0] < counts[1]) == fewer and counts[0] != counts[1]
    return kind in (Kind.DISCS_LOST, Kind.BOOK_LEFT)


COUNTS = {
    Kind.MOVES_GIVEN: lambda state, _own, opponent, _start: len(state.disc_moves(opponent)),
    Kind.FEW_MOVES: lambda state, own, _opponent, _start: len(state.disc_moves(own)),
    Kind.STABLE_GIVEN: lambda state, _own, opponent, _start: stable(state, opponent),
    Kind.STABLE_MISSED: lambda state, own, _opponent, _start: stable(state, own),
    Kind.EDGES_GIVEN: lambda state, _own, opponent, _start: edges(state, opponent),
    Kind.FRONTIER: lambda state, own, _opponent, _start: frontier(state, own),
    Kind.DISCS_FLIPPED: lambda state, own, _opponent, start: state.count(own) - start.count(own) - 1,
}
