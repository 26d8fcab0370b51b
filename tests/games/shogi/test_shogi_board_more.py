"""Board beyond python-shogi's: copies and images, edits and their checks, pins, exchanges, pictures, help."""

import copy
import inspect
import pickle
import random
import xml.etree.ElementTree as ElementTree

import pytest

from shogi_engine.games.shogi import board
from shogi_engine.games.shogi.board import (
    BLACK,
    E5,
    GOLD,
    KING,
    LANCE,
    PAWN,
    PROM_PAWN,
    ROOK,
    SQUARES,
    WHITE,
    Board,
    Move,
    Outcome,
    Piece,
    SquareSet,
    Status,
    Termination,
    board as base_board,
    pieces,
)
from shogi_engine.games.shogi.board.drawing import SETS, piece_shape
from shogi_engine.games.shogi.ordering import BY_VALUE, exchange_value
from shogi_engine.games.shogi.params import VALUES, default_params
from shogi_engine.games.shogi.rules import position_status, validate_position
from shogi_engine.games.shogi.sfen import parse_sfen
from shogi_engine.games.shogi.types import SQUARE_NAMES

PARAMS = default_params()


@pytest.fixture(scope="module")
def boards():
    """Boards in the middle of random games, the moves behind them."""
    rng, found = random.Random(21), []
    while len(found) < 40:
        game = Board()
        for _ in range(rng.randrange(20, 160)):
            moves = list(game.legal_moves)
            if not moves:
                break
            game.push(rng.choice(moves))
        found.append(game)
    return found


# ---- the position as a whole


def test_copies_of_every_kind(boards):
    for game in boards[:5]:
        for twin in (game.copy(), copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
            assert type(twin) is Board and twin == game
            assert twin.move_stack == game.move_stack and twin.move_number == game.move_number
            twin.pop()
            assert twin != game and len(twin.move_stack) == len(game.move_stack) - 1


def test_root(boards):
    for game in boards:
        assert game.root() == Board() and game.root().move_stack == []
        assert game.move_stack and game.ply() == len(game.move_stack)
    game = Board("4k4/9/9/9/9/9/9/9/4K4 w - 31")
    game.push_usi("5a5b")
    assert game.root().sfen() == "4k4/9/9/9/9/9/9/9/4K4 w - 31" and game.ply() == 31


def test_equal_boards_are_the_same_position():
    one = Board.from_usi_position("startpos moves 7g7f 3c3d 2g2f")
    other = Board.from_usi_position("startpos moves 2g2f 3c3d 7g7f")
    assert one == other and hash(one) == hash(other) and one.key() == other.key() == one.zobrist_hash()
    assert len({one, other, one.copy()}) == 1
    assert one != Board() and one != one.sfen()
    assert Board("4k4/9/9/9/9/9/9/9/4K4 b P 1") != Board("4k4/9/9/9/9/9/9/9/4K4 b - 1")
    assert Board("4k4/9/9/9/9/9/9/9/4K4 b P 1") != Board("4k4/9/9/9/9/9/9/9/4K4 b p 1")
    assert Board("4k4/9/9/9/9/9/9/9/4K4 b P 1") != Board("4k4/9/9/9/9/9/9/9/4K4 w P 1")
    assert Board("4k4/9/9/9/9/9/9/9/4K4 b P 1") == Board("4k4/9/9/9/9/9/9/9/4K4 b P 9")


def test_keys(boards):
    """64 bits, the same whichever way the position came about, different for different positions, and forever."""
    assert Board().key() == START_KEY
    keys = {}
    for game in boards:
        game = game.copy()
        while game.move_stack:
            assert 0 <= game.key() < 1 << 64
            assert keys.setdefault(game.key(), game.sfen().rsplit(" ", 1)[0]) == game.sfen().rsplit(" ", 1)[0]
            assert Board(game.sfen()).key() == game.key()
            game.pop()
    assert len(keys) > 1000


START_KEY = 9827534628782995718


def test_images(boards):
    for game in boards:
        turned, flipped = game.mirror(), game.flip()
        assert turned.turn == 1 - game.turn and flipped.turn == game.turn
        assert turned.pieces_in_hand == game.pieces_in_hand[::-1] and flipped.pieces_in_hand == game.pieces_in_hand
        for square, piece in game.piece_map().items():
            assert turned.piece_at(80 - square) == Piece(piece.piece_type, 1 - piece.color)
            assert flipped.piece_at(square // 9 * 9 + 8 - square % 9) == piece
        assert turned.mirror() == game == flipped.flip()
        assert set(turned.legal_moves) == {move.rotate() for move in game.legal_moves}
        assert len(flipped.legal_moves) == len(game.legal_moves)
        assert turned.move_stack == flipped.move_stack == []
        assert turned.move_number == game.move_number


def test_position_commands():
    game = Board()
    game.push_usi_position_cmd("position startpos moves 7g7f 3c3d")
    assert [move.usi() for move in game.move_stack] == ["7g7f", "3c3d"]
    with pytest.raises(ValueError, match="move 2 of 2"):
        game.push_usi_position_cmd("position startpos moves 7g7f 7g7f")
    assert len(game.move_stack) == 2
    game.push_usi_position_cmd("position sfen 4k4/9/9/9/9/9/9/9/4K4 b G 1 moves G*5b")
    assert game.sfen() == "4k4/4G4/9/9/9/9/9/9/4K4 w - 2"


# ---- edits


def test_an_edit_is_checked_when_it_is_used():
    game = Board()
    game.push_usi("7g7f")
    game.set_piece_at(E5, Piece(PAWN, WHITE))  # the 19th pawn, and a second one on the file
    assert game.move_stack == [] and not game.is_valid()
    assert game.status() == Status.TOO_MANY_PIECES | Status.TWO_PAWNS
    assert game.piece_type_at(E5) == PAWN and "p" in game.sfen().split("/")[4]  # it can be looked at
    assert game.unicode() and game.kif_str() and str(game) and game.svg()
    for use in (game.is_check, game.key, lambda: list(game.legal_moves), lambda: game.push_usi("3c3d"), game.to_hcp):
        with pytest.raises(ValueError, match="19 pawns"):
            use()
    assert game.remove_piece_at(E5) == Piece(PAWN, WHITE) and game.remove_piece_at(E5) is None
    assert game.status() == Status.VALID and game.is_valid()
    game.push_usi("3c3d")


@pytest.mark.parametrize(
    ("sfen", "square", "symbol", "status"),
    [
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", "5e", "K", Status.TOO_MANY_KINGS),
        ("4k4/9/9/9/9/9/9/9/4K4 b 18P 1", "5e", "P", Status.TOO_MANY_PIECES),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", "1a", "L", Status.DEAD_PIECE),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", "1h", "n", Status.DEAD_PIECE),
        ("4k4/9/9/9/9/9/9/P8/4K4 b - 1", "9b", "P", Status.TWO_PAWNS),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", "5e", "R", Status.OPPOSITE_CHECK),
        ("4k4/9/9/9/9/9/9/9/4K4 b - 1", "1i", "P", Status.VALID),
        ("4k4/9/9/9/9/9/9/9/9 b - 1", "5e", "r", Status.VALID),
    ],
)
def test_status(sfen, square, symbol, status):
    game = Board(sfen)
    game.set_piece_at(board.SQUARE_NAMES.index(square), Piece.from_symbol(symbol))
    assert game.status() == status and game.is_valid() == (status == Status.VALID)
    assert game.was_suicide() == (status == Status.OPPOSITE_CHECK)
    if not game.is_valid():
        with pytest.raises(ValueError):
            game.outcome()


@pytest.mark.parametrize("counts", [(19, 0), (10, 9), (18, 127), (128, 128), (0, 255)])
def test_hands_with_more_than_a_set(counts):
    pos = parse_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1")
    pos.hand[:] = [count << 8 * board.PAWN for count in counts]
    assert position_status(pos) == Status.TOO_MANY_PIECES
    with pytest.raises(ValueError, match=f"{sum(counts)} pawns"):
        validate_position(pos)


def test_hands():
    game = Board()
    game.clear()
    assert game.piece_map() == {} and game.sfen() == "9/9/9/9/9/9/9/9/9 b - 1"
    game.add_piece_into_hand(PROM_PAWN, WHITE, 3)
    assert game.has_piece_in_hand(PAWN, WHITE) and game.has_piece_in_hand(PROM_PAWN, WHITE)
    assert not game.has_piece_in_hand(PAWN, BLACK)
    game.remove_piece_from_hand(PAWN, WHITE)
    assert game.pieces_in_hand == [{}, {PAWN: 2}]
    with pytest.raises(ValueError, match="no piece of type 5 in the hand"):
        game.remove_piece_from_hand(GOLD, WHITE)
    with pytest.raises(ValueError, match="0 to 4"):
        game.add_piece_into_hand(LANCE, BLACK, 5)
    for kind in (0, KING, 15):
        with pytest.raises(ValueError, match="in hand"):
            game.add_piece_into_hand(kind, BLACK)
    with pytest.raises(ValueError, match="a colour must be 0"):
        game.add_piece_into_hand(PAWN, 2)
    game.turn = WHITE
    game.set_piece_at(E5, Piece(PAWN, WHITE), from_hand=True)
    assert game.pieces_in_hand[WHITE] == {PAWN: 1}
    game.set_piece_at(E5, Piece(ROOK, BLACK), into_hand=True)
    assert game.pieces_in_hand[WHITE] == {PAWN: 2} and game.piece_at(E5) == Piece(ROOK, BLACK)
    game.remove_piece_at(E5, into_hand=True)
    assert game.pieces_in_hand[WHITE] == {PAWN: 2, ROOK: 1} and game.color_at(E5) is None
    game.move_number = 9
    assert game.sfen() == "9/9/9/9/9/9/9/9/9 w r2p 9"
    with pytest.raises(ValueError, match="1 to 30000"):
        game.move_number = 0
    with pytest.raises(ValueError, match="0 to 80"):
        game.set_piece_at(81, Piece(ROOK, BLACK))


# ---- attacks and moves


def naive_pins(game, color):
    """The pieces of `color` without which its king is attacked by one piece more."""
    king = game.king_squares[color]
    known = set(game.attackers(1 - color, king))
    enemies = {square: piece for square, piece in game.piece_map().items() if piece.color != color}
    found = set()
    for square, piece in game.piece_map().items():
        if piece.color == color and square != king:
            occupied = game.occupied.bits & ~(1 << square)
            attackers = {
                origin
                for origin, enemy in enemies.items()
                if Board.attacks_from(enemy.piece_type, origin, occupied, enemy.color) >> king & 1
            }
            if attackers - known:
                found.add(square)
    return found


def test_pins(boards):
    pinned = 0
    for game in boards:
        game = game.copy()
        while len(game.move_stack) > 10:
            for _ in range(10):
                game.pop()
            for color in (BLACK, WHITE):
                known = naive_pins(game, color)
                assert {square for square in SQUARES if game.is_pinned(color, square)} == known
                pinned += len(known)
                for square in known:
                    line, king = game.pin(color, square), game.king_squares[color]
                    assert {square, king} < set(line) and 2 <= len(line) <= 9
                    if color == game.turn:
                        assert all(move.to_square in line for move in game.legal_moves if move.from_square == square)
    assert pinned > 15


def test_pin_lines():
    game = Board("4k4/9/9/4r4/9/4P4/9/9/4K4 b - 1")
    assert game.pin(BLACK, board.F5) == SquareSet(range(4, 81, 9))
    assert game.pin(BLACK, board.I5).mask == board.BB_ALL and not game.is_pinned(BLACK, board.I5)
    game = Board("8b/9/9/9/9/3P5/2K6/9/4k4 b - 1")
    assert game.pin(BLACK, board.F6) == SquareSet(range(8, 73, 8))
    assert not Board("8b/9/9/9/9/3P5/9/9/4k4 b - 1").is_pinned(BLACK, board.F6)  # no king


def test_checks_and_captures(boards):
    for game in boards:
        for move in game.legal_moves:
            after = game.copy()
            after.push(move)
            assert game.gives_check(move) == after.is_check() == bool(after.checkers())
            assert game.is_capture(move) == (after.captured_piece_stack[-1] != 0)
        with pytest.raises(ValueError, match="illegal move"):
            game.gives_check(Move(0, 80))


def naive_gain(game, target, side, occupied, on_target):
    """What `side` gains by retaking the piece of kind `on_target`, if it pays."""
    attackers = [
        (BY_VALUE.index(piece.piece_type) if piece.piece_type != KING else 99, square, piece.piece_type)
        for square, piece in game.piece_map().items()
        if piece.color == side
        and square in occupied
        and Board.attacks_from(piece.piece_type, square, occupied, side) >> target & 1
    ]
    if not attackers:
        return 0
    _, square, kind = min(attackers)
    left = occupied - {square}
    if kind == KING and any(
        Board.attacks_from(piece.piece_type, other, left, piece.color) >> target & 1
        for other, piece in game.piece_map().items()
        if piece.color != side and other in left and other != target
    ):
        return 0
    return max(0, exchange_value(PARAMS, on_target) - naive_gain(game, target, 1 - side, left | {target}, kind))


def naive_see(game, move):
    target, occupied = move.to_square, game.occupied.bits
    gain = exchange_value(PARAMS, game.piece_type_at(target)) if game.is_capture(move) else 0
    kind = move.drop_piece_type or game.piece_type_at(move.from_square)
    if move.from_square is not None:
        occupied &= ~(1 << move.from_square)
    if move.promotion:
        gain += VALUES[pieces.PIECE_PROMOTED[kind]] - VALUES[kind]
        kind = pieces.PIECE_PROMOTED[kind]
    return gain - naive_gain(game, target, 1 - game.turn, SquareSet(occupied | 1 << target), kind)


def test_exchanges(boards):
    rng, seen = random.Random(1), set()
    for game in boards:
        moves = list(game.legal_moves)
        for move in rng.sample(moves, min(12, len(moves))):
            assert game.see(move) == naive_see(game, move), (game.sfen(), move)
            seen.add(game.see(move))
    assert len(seen) > 10
    game = Board("4k4/9/9/4p4/9/4R4/9/9/4K4 b - 1")
    assert game.see(Move.from_usi("5f5d")) == 2 * VALUES[PAWN]
    assert game.see(Move.from_usi("5f5e")) == -2 * VALUES[ROOK]
    with pytest.raises(ValueError, match="illegal move"):
        game.see(Move.from_usi("5f5c"))


def test_find_move():
    game = Board("4k4/2P6/9/9/4S4/9/9/9/4K4 b G 1")
    assert game.find_move(board.B7, board.A7).usi() == "7b7a+"  # it has to
    assert game.find_move(E5, board.D5).usi() == "5e5d"
    assert game.find_move(None, E5 + 1, drop_piece_type=GOLD).usi() == "G*4e"
    for arguments in [(E5, board.A1), (E5, board.D5, True), (board.B7, board.A7, False), (None, 3, None, PAWN)]:
        with pytest.raises(ValueError, match="illegal move"):
            game.find_move(*arguments)
    silver = Board("4k4/9/9/4S4/9/9/9/9/4K4 b - 1")
    assert silver.find_move(board.D5, board.C5).usi() == "5d5c"
    assert silver.find_move(board.D5, board.C5, True).usi() == "5d5c+"


def test_parse_usi():
    game = Board()
    assert game.parse_usi("7g7f") == Move.from_usi("7g7f") and game.move_stack == []
    for text in ("7g7e", "0000", "resign", ""):
        with pytest.raises(ValueError):
            game.parse_usi(text)


def test_result():
    assert Board().result() == "*"
    mate = Board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
    assert mate.result() == "1-0" and str(mate.outcome()) == "black wins: mate"
    assert mate.mirror().result() == "0-1"
    game = Board("4k4/9/9/9/9/9/9/9/4K4 b - 1")
    for usi in ["5i5h", "5a5b", "5h5i", "5b5a"] * 3:
        assert game.result() == "*"
        game.push_usi(usi)
    assert game.outcome() == Outcome(None, Termination.FOURFOLD_REPETITION) and game.result() == "1/2-1/2"


# ---- pictures and words


def turned(piece):
    """Tell whether a drawn piece points downwards."""
    return any(element.get("transform", "").startswith("scale(-") for element in piece.iter())


def test_the_glyphs_of_all_pieces_are_drawn_in_all_sets():
    shapes = [piece_shape(Piece(kind, 0), pieces) for kind in range(1, 15) for pieces in SETS]
    for shape in shapes:
        assert ElementTree.fromstring(f"<g>{shape}</g>").find(".//g/path") is not None
    assert len(set(shapes)) == 14 * len(SETS)


def test_svg_says_what_stands_where(boards):
    for game in boards[:10]:
        root = ElementTree.fromstring(game._repr_svg_())
        assert root.tag.endswith("svg")
        texts = [element for element in root.iter() if element.tag.endswith("text")]
        assert all(element.text.isascii() for element in texts)  # no font is needed for the rest
        drawn = {element.get("data-square"): element for element in root.iter() if element.get("class") == "piece"}
        pieces = {SQUARE_NAMES[square]: piece for square, piece in game.piece_map().items()}
        assert {square: element.get("data-piece") for square, element in drawn.items()} == {
            square: str(piece) for square, piece in pieces.items()
        }
        for square, element in drawn.items():
            assert turned(element) == (pieces[square].color == WHITE)
        marked = [element for element in root.iter() if element.get("fill") == "#e8b04b"]
        assert len(marked) == (1 if game.peek().from_square is None else 2)
        places = {(element.get("x"), element.get("y")) for element in texts}
        assert len(places) == len(texts)
        x, y = (float(root.get("viewBox").split()[place]) for place in (2, 3))
        assert all(0 < float(element.get("x")) < x and 0 < float(element.get("y")) < y for element in texts)


def test_svg_from_the_other_side():
    game = Board("4k4/4G4/4P4/9/9/9/9/9/4K4 w 2R17p 1")
    for flipped in (False, True):
        root = ElementTree.fromstring(game.svg(flipped=flipped, size=200))
        assert root.get("width") == "200"
        (gold,) = (element for element in root.iter() if element.get("data-piece") == "G")
        assert turned(gold) == flipped
        assert any(element.get("fill") == "#e58a6f" for element in root.iter())  # the king in check


def test_every_public_name_is_documented():
    for module in (board, base_board, pieces):
        for name, thing in vars(module).items():
            if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
                continue
            assert inspect.getdoc(thing), name
            for member, value in inspect.getmembers(thing) if inspect.isclass(thing) else ():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_values_do_not_change():
    with pytest.raises(AttributeError):
        SquareSet([1]).mask = 3
    assert pickle.loads(pickle.dumps(SquareSet([1, 80]))) == SquareSet([1, 80])
    for squares in ([81], [-1], 1 << 81, -1):
        with pytest.raises(ValueError):
            SquareSet(squares)
    assert "x" not in SquareSet([1]) and SquareSet([1, 2]) >= SquareSet([1]) and SquareSet([1]) - [1] == SquareSet()
    for kind, color in ((0, 0), (15, 0), (PAWN, 2)):
        with pytest.raises(ValueError):
            Piece(kind, color)


def test_texts_of_moves_are_read_where_moves_are_asked_for():
    board = Board()
    assert "7g7f" in board.legal_moves and board.is_legal("7g7f") and "7g7f" in board.pseudo_legal_moves
    assert board.is_legal("７六歩") and board.is_legal("P-7f")
    for text in ("7g7e", "7c7d", "rubbish", "", "0000", "resign", "12345"):
        assert text not in board.legal_moves and not board.is_legal(text) and text not in board.pseudo_legal_moves
    board.push_usi("7g7f")
    assert "7g7f" not in board.legal_moves and "3c3d" in board.legal_moves and None not in board.legal_moves
