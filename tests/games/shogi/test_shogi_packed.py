"""HuffmanCodedPos and PackedSfen against cshogi's, there and back, and what the formats have no room for."""

import random

import numpy as np
import pytest

from shogi_engine.games.shogi import packed
from shogi_engine.games.shogi.board import GOLD, KING, PIECE_PROMOTED, SQUARES, WHITE, Board, Piece
from tests.support.twins.naive_packed import pack

HANDICAPS = [  # lance, bishop, rook, rook and lance, two, four, six, eight, ten pieces, and bare kings
    "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b - 1",
]


@pytest.fixture(scope="module")
def positions():
    """SFENs, their move numbers 1: random games, positions with pieces left out, positions thrown together."""
    rng = random.Random(11)
    sfens = [*HANDICAPS, *thrown(rng, 300)]
    while len(sfens) < 2000:
        board = Board(rng.choice([None, *HANDICAPS[:9]]))
        for _ in range(rng.randrange(1, 120)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
            if rng.random() < 0.4:
                sfens.append(board.sfen())
    return [" ".join([*sfen.split()[:3], "1"]) for sfen in sfens]


def thrown(rng, wanted):
    """Return SFENs of positions with random pieces anywhere, in hand or nowhere."""
    sfens = []
    while len(sfens) < wanted:
        board = Board()
        board.clear()
        squares = rng.sample(SQUARES, 40)
        for color in (0, WHITE):
            board.set_piece_at(squares.pop(), Piece(KING, color))
        for kind, count in ((1, 18), (2, 4), (3, 4), (4, 4), (GOLD, 4), (6, 2), (7, 2)):
            for _ in range(count):
                where, color = rng.random(), rng.randrange(2)
                if where < 0.3:
                    board.add_piece_into_hand(kind, color)
                elif where < 0.7:
                    kinds = [kind, PIECE_PROMOTED[kind] or kind]
                    board.set_piece_at(squares.pop(), Piece(rng.choice(kinds), color))
        board.turn = rng.randrange(2)
        if board.is_valid():
            sfens.append(board.sfen())
    return sfens


def test_there_and_back(positions):
    assert len(positions) >= 2000
    for sfen in positions:
        board = Board(sfen)
        for data, other in ((board.to_hcp(), Board.from_hcp), (board.to_psfen(), Board.from_psfen)):
            assert type(data) is bytes and len(data) == 32
            assert other(data).sfen() == sfen


def test_as_cshogi_writes_and_reads_them(positions):
    cshogi = pytest.importorskip("cshogi")
    theirs, ours = cshogi.Board(), Board()
    hcp, psfen = np.zeros(1, dtype=cshogi.HuffmanCodedPos), np.zeros(1, dtype=cshogi.PackedSfen)
    for sfen in positions:
        theirs.set_sfen(sfen)
        theirs.to_hcp(hcp)
        theirs.to_psfen(psfen)
        board = Board(sfen)
        assert board.to_hcp() == hcp.tobytes(), sfen
        assert board.to_psfen() == psfen.tobytes(), sfen
        ours.set_hcp(hcp[0]["hcp"])
        assert ours.sfen() == sfen
        ours.set_psfen(psfen[0]["sfen"])
        assert ours.sfen() == sfen
        theirs.set_hcp(np.frombuffer(board.to_hcp(), dtype=cshogi.HuffmanCodedPos))
        assert theirs.sfen() == sfen
        theirs.set_psfen(np.frombuffer(board.to_psfen(), dtype=cshogi.PackedSfen))
        assert theirs.sfen() == sfen


def test_start():
    """The starting position's bytes, as cshogi 1.1 writes them: the test without cshogi."""
    assert Board().to_hcp().hex() == HCP_START
    assert Board().to_psfen().hex() == PSFEN_START


HCP_START = "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c"
PSFEN_START = "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c"


@pytest.mark.parametrize("sfen", ["4k4/9/9/9/9/9/9/9/9 b 2r2b4g4s4n4l18p 1", "9/9/9/9/9/9/9/9/4K4 b - 1"])
def test_a_missing_king_does_not_fit(sfen):
    for write in (Board(sfen).to_hcp, Board(sfen).to_psfen):
        with pytest.raises(ValueError, match="(black|white) has no king"):
            write()


@pytest.mark.parametrize("packing", [packed.HCP, packed.PSFEN], ids=lambda packing: packing.name)
class TestRefusals:
    def test_length(self, packing):
        for length in (0, 31, 33):
            with pytest.raises(ValueError, match=f"expected 32 bytes, not {length}"):
                packed.unpack(packing, bytes(length))

    def test_kings(self, packing):
        with pytest.raises(ValueError, match="both kings are on 1a"):
            packed.unpack(packing, bytes(32))
        with pytest.raises(ValueError, match="black's king must be on a square from 0 to 80"):
            packed.unpack(packing, b"\xff" * 32)

    def test_the_board_stays(self, packing):
        board = Board()
        with pytest.raises(ValueError):
            (board.set_hcp if packing is packed.HCP else board.set_psfen)(bytes(32))
        assert board == Board()

    def test_noise_is_refused_or_a_position(self, packing):
        """Whatever the bytes, the answer is a ValueError or a valid position."""
        rng, read = random.Random(3), 0
        good = pack(packing, Board()._pos)
        for _ in range(1000):
            number = int.from_bytes(good, "little")
            for _ in range(rng.randrange(1, 4)):
                number ^= 1 << rng.randrange(256)
            try:
                pos = packed.unpack(packing, number.to_bytes(32, "little"))
            except ValueError as error:
                assert str(error).startswith((packing.name, "position"))
            else:
                read += 1
                assert pack(packing, pos) is not None
        assert 0 < read < 1000

    def test_no_code_begins_another(self, packing):
        for codes in (packing.on_board, packing.off_board):
            assert not [(a, b) for a in codes for b in codes if a != b and b.startswith(a)]
        assert (len(packing.on_board), len(packing.off_board)) == (27, 21)
