"""Board's quick ways, held against other boards and against the slow ways that they stand for."""

import copy
import pickle
import random

import numpy as np
import pytest

import shogi_engine.games.shogi.board as ours
from shogi_engine.games.shogi import packed
from shogi_engine.games.shogi.board import STARTING_SFEN, BaseBoard, Board, Move
from shogi_engine.games.shogi.board.board import ENTRIES
from shogi_engine.games.shogi.board.pieces import MOVES
from shogi_engine.games.shogi.board_kernels import BOARD, TEXT_BYTES
from shogi_engine.games.shogi.sfen import format_sfen, parse_sfen
from shogi_engine.jit import JIT_DISABLED
from tests.support.sizes import sized
from tests.support.twins.naive_packed import pack

TEXT = BOARD.fields["text"][1]


@pytest.fixture(scope="module", autouse=True)
def ready():
    """Every kernel from the first call on."""
    ENTRIES.warmup()


def play(seed, plies=300):
    """Yield the board of a random game before each move and at its end."""
    rng, board = random.Random(seed), Board()
    for _ in range(40 if JIT_DISABLED else plies):
        yield board
        moves = list(board.legal_moves)
        if not moves:
            return
        board.push(rng.choice(moves))
    yield board


# ---- other boards


def test_the_same_as_cshogi():
    cshogi = pytest.importorskip("cshogi")
    for seed in range(12):
        theirs, hcp, psfen = cshogi.Board(), np.zeros(32, np.uint8), np.zeros(1, cshogi.PackedSfen)
        for number, board in enumerate(play(seed)):
            if number:
                theirs.push_usi(board.peek().usi())
            assert board.sfen() == theirs.sfen()
            assert board.is_check() == theirs.is_check() and board.turn == theirs.turn
            legal = {cshogi.move_to_usi(move) for move in theirs.legal_moves}
            assert {move.usi() for move in board.legal_moves} == legal and len(board.legal_moves) == len(legal)
            theirs.to_hcp(hcp)
            theirs.to_psfen(psfen)
            assert board.to_hcp() == hcp.tobytes() and board.to_psfen() == psfen["sfen"].tobytes()
            assert Board.from_hcp(hcp) == board == Board.from_psfen(psfen["sfen"].tobytes())
            theirs.set_hcp(np.frombuffer(board.to_hcp(), np.uint8))
            theirs.set_sfen(board.sfen())


def test_the_same_as_python_shogi():
    shogi = pytest.importorskip("shogi")
    theirs = shogi.Board()
    for number, board in enumerate(play(4, 60)):
        if number:
            theirs.push_usi(board.peek().usi())
        assert board.sfen() == theirs.sfen() and Board(theirs.sfen()) == board
        if number % 10 == 0:
            assert {str(move) for move in board.legal_moves} == {str(move) for move in theirs.legal_moves}
            for move in board.legal_moves:
                assert hash(move) == hash(shogi.Move.from_usi(move.usi()))
                assert move.drop_piece_type == shogi.Move.from_usi(move.usi()).drop_piece_type
                assert move.from_square == shogi.Move.from_usi(move.usi()).from_square
    for _ in range(len(theirs.move_stack)):
        assert board.pop().usi() == theirs.pop().usi() and board.sfen() == theirs.sfen()


# ---- kernels and the Python that they stand for


def read(board, data, kernel, argument):
    """Have a kernel read `data`; return what it returns."""
    board._bytes[TEXT : TEXT + len(data)] = data
    return kernel(board._address, argument)


def agree(board, before, quick, slow):
    """Assert that a kernel took what `slow` takes, or declined and left `board` alone; tell whether `slow` takes it."""
    try:
        known = slow()
    except ValueError:
        known = None
    if quick:
        assert known is not None and board._record.tobytes() == known.tobytes()
    else:
        assert board._record.tobytes() == before
    return known is not None


def test_damaged_sfens_are_read_as_python_reads_them():
    rng, accepted, declined = random.Random(9), 0, 0
    alphabet = "+PLNSGBRKplnsgbrk123456789/ bw-0"
    for seed in range(3):
        for position in play(seed + 50, 200):
            text = position.sfen()
            for _ in range(6):
                place = rng.randrange(len(text))
                end = place + rng.randrange(3)
                damaged = text[:place] + rng.choice(["", rng.choice(alphabet), text[place:end]]) + text[end:]
                board = Board()
                before = board._record.tobytes()
                taken = read(board, damaged.encode(), ENTRIES.take_sfen, len(damaged))
                known = agree(board, before, taken, lambda damaged=damaged: parse_sfen(damaged))
                accepted += known and taken
                declined += not known
    assert accepted > (5 if JIT_DISABLED else 50) and declined > 100


@pytest.mark.parametrize(
    "sfen",
    [
        "4k4/9/9/9/9/9/9/9/4K4 b - 30000", "9/9/9/9/9/9/9/9/9 w - 1", "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 10",
        "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLP2r 1",
        "+P+P+P+P+P+P+P+P+P/+P+P+P+P+P+P+P+P+P/+L+L+L+L+N+N+N+N1/+S+S+S+S+B+B+R+R1/9/k8/9/9/8K b - 9999",
        "4k4/9/9/9/9/9/9/9/4K4 b - 30001", "4k4/9/9/9/9/9/9/9/4K4 b 19P 1", "4k4/9/9/9/9/9/9/9/4K4 b 3R 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 02P 1", "4k4/9/9/9/9/9/9/9/4K4 b PP 1", "4k4/9/9/9/9/9/9/9/4K4 b 2P",
        "4k4/9/9/9/9/9/9/9/4K4 b K 1", "4k4/9/9/9/9/9/9/9/4K4 b  1", "4k4/9/9/9/9/9/9/9/4K4 b - 0",
        "4k4/9/9/9/9/9/9/9/4K4  b - 1", "4k5/9/9/9/9/9/9/9/4K4 b - 1", "4k31/9/9/9/9/9/9/9/4K4 b - 1",
        "4k4/9/9/9/9/9/9/9/4KK3 b - 1", "4k3P/9/9/9/9/9/9/9/4K4 b - 1", "4k4/8N/9/9/9/9/9/9/4K4 b - 1",
        "4k4/9/9/9/9/9/9/9/4K3l b - 1", "4k4/9/8P/8P/9/9/9/9/4K4 b - 1", "4k4/4P4/9/9/9/9/9/9/4K4 b - 1",
        "4k4/9/9/9/9/9/9/9/4K4 x - 1", "4k4/9/9/9/9/9/9/9/4K4 b -", "4k4/9/9/9/9/9/9/9/4+K4 b - 1", "startpos", "",
    ],
)  # fmt: skip
def test_unusual_sfens(sfen):
    board = Board()
    before = board._record.tobytes()
    known = agree(board, before, read(board, sfen.encode(), ENTRIES.take_sfen, len(sfen)), lambda: parse_sfen(sfen))
    if known:
        assert Board(sfen).sfen() == format_sfen(parse_sfen(sfen))
    else:
        with pytest.raises(ValueError, match=r"sfen|position"):
            board.set_sfen(sfen)
        assert board.sfen() == STARTING_SFEN


def test_no_text_is_too_long():
    board = Board()
    with pytest.raises(ValueError, match="rank"):
        board.set_sfen("k" * TEXT_BYTES + "/" * 8 + " b - 1")
    with pytest.raises(ValueError, match="which cannot occur"):
        board.set_sfen("歩" * 300)
    board.clear()
    for square in ours.SQUARES:
        board.set_piece_at(square, ours.Piece(ours.PROM_ROOK, ours.WHITE))
    for color in ours.COLORS:
        for kind, most in enumerate(ours.MAX_PIECES_IN_HAND[:8]):
            if most:
                board.add_piece_into_hand(kind, color, most)
    board.move_number = 30000
    assert board.sfen() == format_sfen(board._record) and len(board.sfen()) < TEXT_BYTES


def test_packed_positions_are_read_and_written_as_python_does():
    rng, taken = random.Random(3), 0
    for seed in range(3):
        for position in play(seed + 70, 150):
            for index, packing in enumerate(packed.PACKINGS):
                data = pack(packing, position._record)
                assert position._packed(index) == data
                board = Board()
                before = board._record.tobytes()
                flip = rng.randrange(256)
                damaged = (int.from_bytes(data, "little") ^ 1 << flip).to_bytes(32, "little")
                for each in (data, damaged):
                    board._begin(parse_sfen(STARTING_SFEN))
                    quick = read(board, each, ENTRIES.unpack_position, index)
                    known = agree(board, before, quick, lambda packing=packing, each=each: packed.unpack(packing, each))
                    assert bool(quick) == known
                    taken += known and each is damaged
    assert taken > (0 if JIT_DISABLED else 20)


# ---- moves


def test_a_move_is_an_int():
    for text in ("7g7f", "8h2b+", "P*5e", "R*1a", "1i9a+", "0000"):
        move = Move.from_usi(text)
        assert MOVES[int(move)] is move is Move.from_usi(text) is pickle.loads(pickle.dumps(move))
        assert copy.copy(move) is move is copy.deepcopy(move)
        assert f"{move}" == f"{move:s}" == str(move) == text and repr(move) == f"Move.from_usi({text!r})"
        assert Move(move.from_square, move.to_square, move.promotion, move.drop_piece_type) is move
        assert move.rotate().rotate() is move
    assert np.array([Move(64, 16, True)]).tolist() == [16 | 64 << 7 | 1 << 14]
    with pytest.raises(ValueError, match="another square"):
        Move(3, 3)


def test_the_null_move():
    null = Move.null()
    assert not null and null.from_square is None and null.to_square is None and null.drop_piece_type is None
    assert all(MOVES[int(move)] for move in Board().legal_moves)
    board = Board()
    board.push_usi("7g7f")
    key = board.key()
    assert board.push_usi("0000") is null and board.turn == ours.BLACK and board.move_stack[1] is null
    assert board.peek() is null and null not in board.legal_moves
    for twin in (board.copy(), pickle.loads(pickle.dumps(board))):
        assert twin == board and twin.move_stack == board.move_stack
    assert board.pop() is null and board.key() == key and board.pop().usi() == "7g7f"
    with pytest.raises(IndexError):
        board.pop()
    board.set_sfen("4k4/4R4/9/9/9/9/9/9/4K4 w - 1")
    with pytest.raises(ValueError, match="in check"):
        board.push(null)
    with pytest.raises(ValueError, match="null move"):
        board.parse_usi("0000")


def test_ints_are_moves():
    """They are pushed at any ply, also where the memory of the history has to grow."""
    board, rng = Board(), random.Random(3)
    for _ in range(200):
        if board.is_game_over():
            break
        move = rng.choice(list(board.legal_moves))
        assert Move.from_int(int(move)) is Move.from_int(np.int64(move)) is move
        assert int(move) in board.legal_moves and np.uint32(move) in board.legal_moves
        board.push(int(move) if len(board.move_stack) % 2 else np.uint32(move))
        assert board.move_stack[-1] is move
    assert len(board.move_stack) > 64


@pytest.mark.parametrize(
    "what",
    [-1, 1 << 15, 1 << 40, 1 << 100, -(1 << 100), 127, 127 << 7, 100 << 7, 81 << 7 | 40, 89 << 7 | 40, 0, "7g7f", None],
)
def test_ints_that_are_no_moves(what):
    board = Board()
    board.push_usi("7g7f")
    with pytest.raises((TypeError, ValueError), match="expected a Move|is not a move"):
        board.push(what)
    assert what not in board.legal_moves
    assert not isinstance(what, int) or not board.is_legal(what)
    for asks in (board.gives_check, board.is_capture, board.text, board.see):
        with pytest.raises((TypeError, ValueError), match="expected a Move|is not a move|no null move"):
            asks(what)
    assert board.ply() == 1 and board.move_stack == [Move.from_usi("7g7f")]


# ---- memory


def test_more_moves_than_there_is_room_for_at_first():
    board, keys = Board(), []
    for number in range(300):
        keys.append(board.key())
        board.push_usi(("5i5h", "5a5b", "5h5i", "5b5a")[number % 4])
    twin = board.copy()
    while keys:
        assert twin.pop() and twin.key() == keys.pop()
    assert twin == Board() == board.root()
    assert board.ply() == 300 and len(board.move_stack) == 300 and board.is_fourfold_repetition()
    board.set_sfen(STARTING_SFEN)
    assert board.move_stack == [] and twin.move_stack == [] and twin == board and hash(twin) == hash(board)


def test_positions_without_moves_are_pickled():
    base = BaseBoard()
    base.set_piece_at(40, ours.Piece(ours.KING, ours.BLACK))
    for twin in (pickle.loads(pickle.dumps(base)), copy.deepcopy(base), base.copy()):
        assert twin == base and not twin.is_valid()
        twin.remove_piece_at(40)
        assert twin != base and twin.is_valid() and base.piece_at(40) is not None


# ---- what is noted of a position when it changes


def slow_facts(board):
    """Return (in check, how it ended) by the long way: `Board.outcome` without its kernel."""
    twin = Board(board.sfen())
    checked = (
        bool(twin.attackers(1 - twin.turn, twin.king_squares[twin.turn])) if None not in twin.king_squares else False
    )
    if not list(twin.legal_moves):
        return checked, ours.Termination.CHECKMATE if checked else ours.Termination.STALEMATE
    return checked, None


def repeated(board):
    """Tell whether the position is there for the fourth time, by its SFENs."""
    seen, twin = [], board.root()
    for move in board.move_stack:
        seen.append(twin.sfen().rsplit(" ", 1)[0])
        twin.push(move)
    return seen.count(board.sfen().rsplit(" ", 1)[0]) >= 3


def check_facts(board):
    """Compare what a board says of itself, whatever was done to it, with the long way and with a new board."""
    checked, termination = slow_facts(board)
    outcome = board.outcome()
    assert board.is_check() is checked and board.is_game_over() is (outcome is not None)
    if termination is not None:
        assert outcome.termination is termination and outcome.winner == 1 - board.turn
    else:
        assert (outcome is not None) == repeated(board)
    assert board.zobrist_hash() == board.key() == Board(board.sfen()).key() == parse_key(board.sfen())


def parse_key(sfen):
    """Return the key of a position that Python has read."""
    board = Board()
    board._begin(parse_sfen(sfen))
    return board.key()


def test_check_key_and_end_follow_the_position():
    for seed in range(4 if JIT_DISABLED else sized(12, 30)):
        for number, board in enumerate(play(seed)):
            if number % 7 == 0 or board.is_check():
                check_facts(board)
                for other in (board.copy(), pickle.loads(pickle.dumps(board)), board.mirror(), board.flip()):
                    check_facts(other)
        if board.move_stack:
            board.pop()
            check_facts(board)
        if not board.is_check():
            key = board.key()
            board.push(Move.null())
            assert board.key() != key
            check_facts_after_edit(board)
            board.pop()
            assert board.key() == key and not board.is_check()


def check_facts_after_edit(board):
    """As `check_facts`, of a position that a null move or an edit made, if it can be."""
    assert board.is_check() == slow_facts(board)[0] and board.key() == parse_key(board.sfen())


def test_an_edit_changes_what_was_noted():
    board = Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    before = board.key()
    board.set_piece_at(13, ours.Piece.from_symbol("G"))
    board.turn = ours.WHITE
    assert board.is_check() and board.is_checkmate() and board.is_game_over() and board.key() != before
    board.remove_piece_at(13)
    assert not board.is_check() and not board.is_game_over()
    board.clear()
    assert not board.is_check()
    board.set_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
    assert board.is_check() and board.is_game_over()
    board.set_piece_at(4, None)
    board.turn = ours.BLACK
    board.set_piece_at(14, ours.Piece.from_symbol("k"))
    with pytest.raises(ValueError, match="check"):
        board.is_check()
    with pytest.raises(ValueError, match="check"):
        board.is_game_over()
    with pytest.raises(ValueError, match="check"):
        board.key()


def test_games_end_by_repetition_and_perpetual_check():
    board = Board()
    for _ in range(3):
        for usi in ("2h3h", "8b7b", "3h2h", "7b8b"):
            assert not board.is_game_over()
            board.push_usi(usi)
    check_facts(board)
    assert board.outcome().termination is ours.Termination.FOURFOLD_REPETITION
    board = Board("4k4/9/9/9/9/9/9/9/R3K4 b - 1")
    board.push_usi("9i9a")
    for _ in range(3):
        for usi in ("5a5b", "9a9b", "5b5a", "9b9a"):
            assert not board.is_game_over()
            board.push_usi(usi)
    check_facts(board)
    assert board.outcome() == ours.Outcome(ours.WHITE, ours.Termination.PERPETUAL_CHECK)


def test_ends_as_cshogi_finds_them():
    cshogi = pytest.importorskip("cshogi")
    for seed in range(100, 104 if JIT_DISABLED else 160):
        theirs = cshogi.Board()
        for number, board in enumerate(play(seed, 600)):
            if number:
                theirs.push_usi(board.peek().usi())
            assert board.is_game_over() == (theirs.is_game_over() or board.is_fourfold_repetition())


def test_moves_are_read_the_same_the_second_time():
    for text in ("7g7f", "8h2b+", "P*5e", "0000"):
        assert Move.from_usi(text) is Move.from_usi(text) and Move.from_usi(text).usi() == text
    for text in ("7g7g", "K*5e", "7g7f*", "", "7G7f", "0g7f"):
        for _ in range(2):
            with pytest.raises(ValueError):
                Move.from_usi(text)
    board = Board()
    with pytest.raises(ValueError, match="illegal move '7g7e'"):
        board.push_usi("7g7e")
    with pytest.raises(ValueError, match="illegal move '7g7e'"):
        board.push_usi("7g7e")
    assert board.push_usi("7g7f").usi() == "7g7f" and board.push_usi("0000") == Move.null()
