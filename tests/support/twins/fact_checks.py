"""Are facts about bad moves true? Told by python-shogi and the plain Othello of `naive_othello`, slowly.

Of the engine only the mate solver is asked, for the moves of a mate: all replies to them are tried here.
"""

import shogi

from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.openings.castles import castle_at
from shogi_engine.games.shogi.openings.patterns import View
from shogi_engine.types.fact import Fact, Kind
from tests.support.twins.naive_othello import State

# Centipawns on the board by python-shogi's piece types; and when it changes hands.
VALUES = (0, 90, 315, 405, 495, 540, 855, 990, 0, 540, 540, 540, 540, 945, 1395)
WORTH = tuple(value + VALUES[(0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 6, 7)[kind]] for kind, value in enumerate(VALUES))
SYMBOLS = ("", "P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R")
LEAST = 350
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
            found[number % 2].append(SYMBOLS[piece.piece_type])
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
    if kind is Kind.CASTLE_BROKEN:
        side = shogi.Board(sfen).turn
        return castle_of(shogi.Board(sfen), side) == fact.name and castle_of(board, side) is None
    return kind is Kind.BOOK_LEFT


def _pieces_are_true(fact: Fact, sfen: str, board: shogi.Board, end: shogi.Board) -> bool:
    kind, moves = fact.kind, fact.moves
    if (fact.won, fact.lost) != taken(sfen, moves):
        return False
    worth = sum(WORTH[SYMBOLS.index(each)] for each in fact.won) - sum(WORTH[SYMBOLS.index(each)] for each in fact.lost)
    if (worth if kind in WINS else -worth) < LEAST:
        return False
    if kind in (Kind.PIECES_LOST, Kind.PIECES_MISSED):
        squares = {move.to_square for move in captures(end)}
        return not end.is_check() and all(exchanged(end, square) < LEAST for square in squares)
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


def is_true_in_othello(fact: Fact, obf: str) -> bool:
    """Tell whether a fact about a bad move in the position `obf` is true; DISCS_LOST is not looked at."""
    state = State.from_text(obf)
    for move in fact.moves:
        if move not in state.legal_moves():
            return False
        state.push(move)
    if fact.kind is Kind.CORNER_GIVEN:
        return fact.moves[-1] == fact.square and fact.square in ("a1", "a8", "h1", "h8")
    if fact.kind in (Kind.FEW_MOVES, Kind.MOVES_GIVEN):
        return len(state.disc_moves(state.side)) == fact.number
    return fact.kind in (Kind.DISCS_LOST, Kind.BOOK_LEFT)
