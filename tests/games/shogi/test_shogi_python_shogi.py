"""Board against python-shogi: its README, its names, and the same answers on positions of random games.

python-shogi is right about all that is compared here but for a drop-pawn mate whose only defenders are pinned.
"""

import doctest
import importlib.metadata
import inspect
import json
import random

import pytest

import shogi_engine.games.shogi.board as ours
from tests.support.processes import TESTS

shogi = pytest.importorskip("shogi")

PERFT = TESTS / "data" / "shogi_perft.json"

# What python-shogi's Board has and ours has not: what depends on its rotated bitboards and random numbers.
LEFT_OUT = {"board_zobrist_hash", "incremental_zobrist_hash", "transpositions"}


@pytest.fixture(scope="module")
def pairs():
    """The same positions on both boards: those of the perft file, and of random games from them."""
    rng = random.Random(8)
    starts = [position["sfen"] for position in json.loads(PERFT.read_text())["positions"]]
    starts = [sfen for sfen in starts if None not in ours.Board(sfen).king_squares]
    sfens = [*starts]
    for _ in range(25):
        board = ours.Board(rng.choice([ours.STARTING_SFEN, *starts]))
        for _ in range(rng.randrange(10, 150)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        sfens.append(board.sfen())
    return [(ours.Board(sfen), shogi.Board(sfen)) for sfen in sfens]


def readme_examples():
    """The examples of python-shogi's README about the board; after them come record files and names of players."""
    metadata = importlib.metadata.metadata("python-shogi")
    text = metadata.get_payload() or metadata["Description"]
    board_part, rest = text.split("* Read KIFs.")
    assert "Export to KIFs" in rest
    assert board_part.count(">>> import shogi\n") == 1
    return board_part.replace("import shogi\n", "import shogi_engine.games.shogi.board as shogi\n")


def test_its_readme_runs_with_another_import():
    test = doctest.DocTestParser().get_doctest(readme_examples(), {}, "README", None, 0)
    assert len(test.examples) > 25
    report = []
    results = doctest.DocTestRunner().run(test, out=report.append)
    assert results.failed == 0, "".join(report)
    assert results.attempted == len(test.examples)


def test_every_public_name_of_its_board():
    theirs = {name for name in vars(shogi.Board()) | vars(shogi.Board) if not name.startswith("_")}
    assert {name for name in theirs if not hasattr(ours.Board(), name)} == LEFT_OUT
    for kind in ("Move", "Piece", "SquareSet"):
        names = {name for name in dir(getattr(shogi, kind)) if not name.startswith("_")}
        assert {name for name in names if not hasattr(getattr(ours, kind), name)} == set()


def test_parameters_are_called_the_same():
    for name in (
        "piece_at",
        "set_piece_at",
        "remove_piece_at",
        "add_piece_into_hand",
        "has_piece_in_hand",
        "attackers",
    ):
        theirs = inspect.signature(getattr(shogi.Board, name)).parameters
        assert list(inspect.signature(getattr(ours.Board, name)).parameters) == list(theirs), name


def test_constants():
    squares = [f"{rank}{file}" for rank in "ABCDEFGHI" for file in range(9, 0, -1)]
    pieces = ("PAWN", "GOLD", "KING", "PROM_PAWN", "PROM_BISHOP", "PROM_ROOK")
    for name in ("BB_VOID", "BB_ALL", "STARTING_SFEN", "NONE", "BLACK", "WHITE", *squares, *pieces):
        assert getattr(ours, name) == getattr(shogi, name), name
    for name in (
        *("BB_SQUARES", "BB_FILES", "BB_RANKS", "MAX_PIECES_IN_HAND", "PIECE_PROMOTED", "PIECE_TYPES_WITH_NONE"),
        *("NUMBER_JAPANESE_NUMBER_SYMBOLS", "NUMBER_JAPANESE_KANJI_SYMBOLS", "COLORS", "SQUARES"),
        *("PIECE_TYPES", "PIECE_SYMBOLS", "SQUARE_NAMES"),
    ):
        assert list(getattr(ours, name)) == list(getattr(shogi, name)), name
    assert list(ours.PIECE_JAPANESE_SYMBOLS[1:]) == list(shogi.PIECE_JAPANESE_SYMBOLS[1:])
    assert set(ours.PIECE_TYPES_WITHOUT_KING) == set(shogi.PIECE_TYPES_WITHOUT_KING)
    for square in ours.SQUARES:
        assert ours.file_index(square) == shogi.file_index(square)
        assert ours.rank_index(square) == shogi.rank_index(square)
        for kind in ours.PIECE_TYPES:
            for color in ours.COLORS:
                assert ours.can_promote(square, kind, color) == shogi.can_promote(square, kind, color)
                free = ours.can_move_without_promotion(square, kind, color)
                assert free == shogi.can_move_without_promotion(square, kind, color)


def test_texts(pairs):
    for mine, theirs in pairs:
        assert mine.sfen() == theirs.sfen()
        assert repr(mine) == repr(theirs)
        assert sorted(str(mine).split()) == sorted(str(theirs).split())  # a hand's order is the one it was filled in
        assert mine.kif_str() == theirs.kif_str()
        assert str(mine).splitlines()[:9] == str(theirs).splitlines()[:9]
        for color in ours.COLORS:
            assert mine.kif_pieces_in_hand_str(color) == theirs.kif_pieces_in_hand_str(color)


def test_what_stands_where(pairs):
    for mine, theirs in pairs:
        assert mine.pieces == theirs.pieces
        assert mine.piece_bb == theirs.piece_bb
        assert mine.king_squares == theirs.king_squares
        assert mine.pieces_in_hand == theirs.pieces_in_hand
        assert (mine.turn, mine.move_number) == (theirs.turn, theirs.move_number)
        assert list(mine.occupied) == theirs.occupied.by_color and mine.occupied.bits == theirs.occupied.bits
        assert mine.occupied.non_occupied() == theirs.occupied.non_occupied()
        for square in ours.SQUARES:
            assert str(mine.piece_at(square)) == str(theirs.piece_at(square))
        for color in ours.COLORS:
            for kind in ours.PIECE_TYPES:
                assert mine.piece_squares(kind, color) == theirs.piece_bb[kind] & theirs.occupied[color]
            for kind in ours.PIECE_TYPES_WITHOUT_KING:
                assert mine.has_piece_in_hand(kind, color) == theirs.has_piece_in_hand(kind, color)


@pytest.mark.parametrize(("kind", "color"), [(ours.NONE, ours.BLACK), (15, ours.BLACK), (ours.PAWN, 2)])
def test_no_squares_of_pieces_that_are_none(kind, color):
    with pytest.raises(ValueError, match="there is no type of piece|a colour must be"):
        ours.Board().piece_squares(kind, color)


def test_attacks(pairs):
    for mine, theirs in pairs:
        for square in ours.SQUARES:
            for color in ours.COLORS:
                attackers, known = mine.attackers(color, square), theirs.attackers(color, square)
                assert attackers.mask == known.mask == mine.attacker_mask(color, square)
                assert mine.is_attacked_by(color, square) == bool(known)
            piece = theirs.piece_at(square)
            known = shogi.Board.attacks_from(piece.piece_type, square, theirs.occupied, piece.color) if piece else 0
            assert mine.attacks(square) == known
        assert mine.is_check() == theirs.is_check()
        assert mine.checkers() == theirs.attackers(1 - mine.turn, mine.king_squares[mine.turn]).mask


def test_moves(pairs):
    for mine, theirs in pairs:
        assert sorted(map(str, mine.pseudo_legal_moves)) == sorted(map(str, theirs.pseudo_legal_moves))
        legal = set(map(str, mine.legal_moves))
        assert legal <= set(map(str, theirs.legal_moves))
        for extra in set(map(str, theirs.legal_moves)) - legal:
            assert extra.startswith("P*"), extra
            after = mine.copy()
            after.set_piece_at(ours.Move.from_usi(extra).to_square, ours.Piece(ours.PAWN, after.turn))
            after.remove_piece_from_hand(ours.PAWN, after.turn)
            after.turn = 1 - after.turn
            assert after.was_check_by_dropping_pawn(ours.Move.from_usi(extra))
        assert mine.is_checkmate() == theirs.is_checkmate() and mine.is_stalemate() == theirs.is_stalemate()


def test_edits(pairs):
    rng = random.Random(2)
    for mine, theirs in pairs[:20]:
        mine, theirs = ours.Board(mine.sfen()), shogi.Board(theirs.sfen())
        for _ in range(30):
            square, color = rng.randrange(81), rng.randrange(2)
            kind = rng.choice([kind for kind in ours.PIECE_TYPES if kind != ours.KING])
            match rng.randrange(4):
                case 0:
                    mine.set_piece_at(square, ours.Piece(kind, color))
                    theirs.set_piece_at(square, shogi.Piece(kind, color))
                case 1:
                    mine.remove_piece_at(square)
                    theirs.remove_piece_at(square)
                case 2 if mine.pieces_in_hand[color][ours.Piece(kind, color).piece_type] < 2:
                    mine.add_piece_into_hand(kind, color)
                    theirs.add_piece_into_hand(kind, color)
                case 3 if mine.has_piece_in_hand(kind, color):
                    mine.remove_piece_from_hand(kind, color)
                    theirs.remove_piece_from_hand(kind, color)
            assert mine.sfen() == theirs.sfen()


def test_square_sets():
    rng = random.Random(4)
    for _ in range(300):
        a, b = rng.getrandbits(81), rng.getrandbits(81) & rng.getrandbits(81)
        mine, theirs = (ours.SquareSet(a), ours.SquareSet(b)), (shogi.SquareSet(a), shogi.SquareSet(b))
        count = rng.randrange(81)
        for operation in (
            lambda x, y: x & y,
            lambda x, y: x | y,
            lambda x, y: x ^ y,
            lambda x, y: x ^ int(y),
            lambda x, y: ~x,
            lambda x, y, count=count: x << count,
            lambda x, y, count=count: x >> count,
        ):
            assert int(operation(*mine)) == int(operation(*theirs))
        assert list(mine[0]) == list(theirs[0]) and len(mine[0]) == len(theirs[0])
        assert str(mine[0]) == str(theirs[0]) and repr(mine[0]) == repr(theirs[0])
        assert [square in mine[0] for square in range(81)] == [square in theirs[0] for square in range(81)]
        assert mine[0] == a and mine[0] != mine[1] and hash(mine[0]) == hash(ours.SquareSet(list(mine[0])))
