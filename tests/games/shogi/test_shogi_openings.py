"""Castles are named: known positions, half-built castles, and a slow twin."""

import random
import re

import pytest

from shogi_engine.games.shogi import openings
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.openings import lines_of, patterns_of, relative_move
from shogi_engine.games.shogi.types import SQUARE_NAMES

# A castle, and ranks f to i of black's camp, as SFEN writes them. Pawns and pieces around it as in games.
POSITIONS = """
kin_yagura 2PPP2P1/PPSG1PP1P/1KGB5/LN5RL
kin_yagura P1PPPPP1P/1PSG3P1/1KG1S2R1/LN5NL
sou_yagura P1PPP1P1P/1PSGSP1P1/1KG4R1/LN5NL
hishi_yagura 2PS1P3/PPSG2P1P/1KG4R1/LN5NL 3P5
gin_yagura P1PPP1P1P/1PSS1P1P1/1KG2G1R1/LN5NL
shikaku_yagura P1PPP1P1P/1PSS1P1P1/1KGG3R1/LN5NL
hekomi_yagura P1P1P1P1P/1PSP1P1P1/1KGG1S1R1/LN5NL
gintachi_yagura P1SPP1P1P/1P1G1P1P1/1KG1S2R1/LN5NL 2P6
kikusui_yagura P1PPP1P1P/1PNG1P1P1/1SG1S2R1/LK5NL
kata_yagura P1PPP1P1P/1PSG1P1P1/1BKG3R1/LN5NL
doi_yagura P1PPP1P1P/1PSG1P1P1/2K1G2R1/LN5NL
yagura_hayagakoi P1PPP1P1P/1PSG1P1P1/2K4R1/LN1G1S1NL
migi_yagura P4PP1P/1PPPPGSP1/1B4GK1/LNS1R2NL
matsuo_anaguma P1PPP1P2/1P1G1P1PP/LSGB3R1/KNS4NL
yonmai_anaguma P1P1P1P2/1PSP1P1PP/LSG2R3/KNG4NL
big_four_anaguma 1PPPP1P2/PSS2P1PP/LGG2R3/KN5NL
big_four_anaguma 2P1PPPP1/P2P2SSP/3R2GGL/LN5NK
ginkanmuri_anaguma PP1PP1P2/1SPG1P1PP/L1GB3R1/KN4SNL
ginkanmuri_anaguma 2PPPP1PP/PP3GPS1/2R3G1L/LN5NK
yagura_anaguma P1PPP1P1P/1PSG1P1P1/L1G4R1/KN3S1NL
ibisha_anaguma 2P1P2P1/PP1P1PP1P/LSG1G2R1/KN3S1NL
ibisha_anaguma 2PPP2P1/PP1S1PP1P/LSG4R1/KNG4NL
ibisha_anaguma 2PPP2P1/PP1G1PP1P/LSG2S1R1/KN5NL
furibisha_anaguma 2PPP4/PP1S1PPPP/1BR2G1SL/LN3G1NK
furibisha_anaguma 2P6/PP1PPPPPP/1B1RS2SL/LN2G1GNK
yonenaga_gyoku PP1PP1P2/1SPG1P1PP/K1G4R1/LN3S1NL
kushikatsu P1P1P1P2/1P1P1P1PP/KSGBG2R1/LN3S1NL
millennium 2PBP1P2/PPNP1P1PP/1SG4R1/LKG2S1NL
millennium 2PBP1P2/PPNG1P1PP/1SG4R1/LKS4NL
furibisha_millennium 2PPP1P1P/PP3PNP1/1BRS3S1/LN3GGKL
hon_mino 2PP4P/PP2PPPP1/1B1RG1SK1/LNS2G1NL
hon_mino 4P3P/PPPP1PPP1/1B2G1SK1/LNS1RG1NL
taka_mino 2PPPPP1P/PP3G1P1/1B1R2SK1/LNS2G1NL
diamond_mino 2PPPPP1P/PP3S1P1/1B1RG1SK1/LN3G1NL
kata_mino 2PP4P/PP1SPPPP1/1B1R2SK1/LN1G1G1NL
kata_mino 2P5P/PPSPPPPP1/1R4SK1/LNG2G1NL
gin_mino 2P5P/PP1PPPPP1/1BR1S1SK1/LN1G1G1NL
oyama_mino 2PP1PP1P/PP2P1SP1/1B1R2SK1/LNG2G1NL
hirame_mino 2P5P/PP1PPPPP1/1B2R1SK1/LNS1GG1NL
chonmage_mino 2PP3PP/PP2PPP2/1B1R2SK1/LNSG1G1NL
kimura_mino 2P2P2P/PP1PPSPP1/1BR1G1GK1/LNS4NL
ibisha_kin_mino P1PPP1PPP/1PBGSP3/1KG4R1/LNS4NL
ibisha_kin_mino P1P1P1P2/1PBPSP2P/1KG1G2R1/LNS4NL
kin_mino 2P5P/PP1PPPPP1/1BR2SGK1/LNS1G2NL
yonmai_mino 2PPPSPPP/PP3GN2/1B1R2SK1/LN3G2L
yonmai_mino PPPP1P2P/1KSGP1PP1/1BS4R1/LN1G3NL
ginkanmuri 2PPPP1PP/PP3GPS1/1B1RS1GK1/LN5NL
ginkanmuri PP1P1P2P/1SPGP1PP1/1KGB3R1/LN3S1NL
kata_ginkanmuri 2PPP1PPP/PP1G1PNS1/1B1RS1GK1/LN6L
kata_ginkanmuri PP2P1PPP/1S1P1PN2/1KGSR4/LN3G2L
tenshukaku_mino PPP1P1P1P/1K1P1P1P1/1BS1G2R1/LN1G1S1NL
hidari_taka_mino P1PPP1P1P/1PNG1P1P1/1KSB3R1/L2G1S1NL
hidari_mino P1PPP1P1P/1P3P1P1/1KSBG2R1/LN1G1S1NL
ikaku_hidari_mino P1P1P1P1P/1P1PSP1P1/1BS4R1/LNKG1G1NL
hakoiri_musume 2P1P1P2/PP1PSP1PP/1BKG3R1/LNSG3NL
hakoiri_musume 2P1P2P1/PP1P1PN1P/2KGS2R1/LNSG4L
funagakoi P1P1P2PP/1P1P1PP2/1BK1GS1R1/LNSG3NL
funagakoi P1P1P2P1/1PBPSPP1P/2K1G2R1/LNSG3NL
elmo P1P1P2P1/1P1P1PP1P/1BKSG2R1/LNG2S1NL
ibisha_kinmuso P1P1P2P1/1P1P1PP1P/1BKGG2R1/LNS2S1NL
bonanza P1P1P2P1/1PSP1PP1P/2KGG2R1/LN3S1NL
cement P1PPP1P1P/1P1SSP1P1/2KGG2R1/LN5NL
kinmuso 2PP2P1P/PP2PP1P1/1R2GGKS1/LNS4NL
furibisha_elmo 2PP4P/PP2PPPP1/1B1R1SK2/LNSG2GNL
hayagakoi 2PP4P/PP2PPPP1/1B1R1SK2/LNSG1G1NL
tsunogin_gangi P1PPPPP1P/1P1S1S1P1/2G1G2R1/LN1K3NL
gangi P1PPP2P1/1P1SSPP1P/1BG1G2R1/LN1K3NL
gangi P1PP3P1/1P1SPPP1P/1BG1GS1R1/LN1K3NL
kani P1PPP2P1/1P3PP1P/1BGSGS1R1/LN1K3NL
ichigo P1P1P2P1/1P1P1PP1P/1BGKGS1R1/LNS4NL
nakahara 2P6/P2PPPP1P/1SG2S3/LN1KG2NL
nakazumai P1P4RP/3PPPP2/1BG1KSG2/LNS4NL
nakazumai P1P5P/3PPPP2/1BG1K1SR1/LNS2G1NL
ahiru P1P4RP/3PPPP2/3SKS3/LNG3GNL
migigyoku P1PPPPP1P/1PS2SN2/2G1GK3/LN5RL
migigyoku P1PP1PP1P/1P1SPSNP1/1B1G1KG2/LN5RL
migigyoku P1PP1PP1P/1P1SSGNP1/2G2K3/LN5RL
muteki 4P4/PPPP1PPPP/1B1SRS3/LN1GKG1NL
""".strip().splitlines()

# Camps that have no castle: half built, broken, or something that has no name here.
NAMELESS = """
9/PPPPPPPPP/1B5R1/LNSGKGSNL
2PPP2P1/PPSG1PP1P/2G2S1R1/LNK2B1NL
2PPP2P1/PPSG1PP1P/1K5R1/LNG2S1NL
P1PPP1P1P/1P1G1P1P1/1KG1S2R1/LN5NL
2PPP2P1/PPS2PP1P/1KG1GS1R1/LN5NL
2PP5/PP2PPPPP/1B1RG1S2/LNS2GKNL
2PP5/PP2PPPPP/1B1R1GSK1/LNSG3NL
2PP5/PP2PPPPP/1B1RG2K1/LNS2GSNL
2PP5/PPS1PPPPP/1B1R2K2/LN1G1GSNL
2P1P2P1/PP1P1PP1P/LSG1G2R1/1NK2S1NL
2P1P2P1/PP1P1PP1P/L1G1G2R1/KNS2S1NL
2P1P2P1/PP1P1PP1P/LS3G1R1/KN1B1S1NL
2P1P2P1/PP1P1PP1P/1SG1G2R1/KN3S1NL
2P1P2P1/PP1P1PP1P/1BK2S1R1/LNSG1G1NL
2P1P2P1/PP1P1PP1P/1B1KG2R1/LNSG2SNL
2P1P2P1/PP1P1PP1P/1BK1G2R1/LN1G1SSNL
2PPP2P1/PP1S1PP1P/1BG4R1/LN1KG1SNL
2P3P2/PP1PPP1PP/1BG1K2R1/LNS1G1SNL
P1PPPPP1P/1P1S1SN2/2G1GK3/LN6L
2PP5/PP2PPPPP/1B1R1GK2/LNSG2SNL
P1PPP1P2/1P1GSP2P/1KGS3R1/LNB4NL
2P1P2P1/PPBP1PP1P/1KG2S1R1/LN3GSNL
""".strip().splitlines()

LACKING = "lnsgkgsnl/1r5b1/ppppppppp/9/"


def camp(rows, higher="9"):
    """Return a board with black's camp; `higher` is rank e."""
    return Board(f"{LACKING}{higher}/{rows} b - 1")


def placed(line):
    """Return the castle of a line of POSITIONS, and the board."""
    name, rows, *higher = line.split()
    return name, camp(rows, *higher)


def mirrored(board):
    """Return the identifiers of the castles of white and black of the board turned around."""
    return tuple(name and name.id for name in reversed(openings.castles(board.mirror())))


@pytest.mark.parametrize("line", POSITIONS)
def test_positions(line):
    name, board = placed(line)
    assert [each and each.id for each in openings.castles(board)] == [name, None]
    assert mirrored(board) == (name, None)


@pytest.mark.parametrize("rows", NAMELESS)
def test_what_is_half_built_has_no_name(rows):
    assert openings.castles(camp(rows)) == (None, None)


def test_every_castle_has_a_position_and_names_are_ascii_and_unique():
    without = {castle.name.id for castle in openings.CASTLES} ^ {line.split()[0] for line in POSITIONS}
    assert not without, f"castles.txt and POSITIONS in this file differ: {without}"
    every = {each.name for table in (openings.CASTLES, openings.OPENINGS) for each in table}
    assert set(openings.NAMES.values()) == every and len(openings.NAMES) == len(every)  # 雁木 is both
    for name in openings.NAMES.values():
        assert re.fullmatch("[a-z0-9_]+", name.id) and name.english.isascii() and not name.japanese.isascii()
    for table in (openings.CASTLES, openings.OPENINGS):
        assert len({each.name.japanese for each in table}) == len({each.name.english for each in table}) == len(table)


def test_a_castle_without_one_of_its_pieces_is_not_that_castle():
    missed = 0
    for line in POSITIONS:
        name, board = placed(line)
        (pattern,) = [row.split("|")[3] for row in lines_of("castles.txt") if row.split(" ")[0] == name]
        for token in {token for each in pattern.split(" or ") for token in each.split()}:
            square = SQUARE_NAMES.index(token[-2:])
            if (
                has(board, token)
                and "," not in token
                and token[0] not in "K!"
                and all(token in p for p in pattern.split(" or "))
            ):
                less = board.copy()
                less.remove_piece_at(square)
                found = openings.castles(less)[0]
                assert found is None or found.id != name, (line, token)
                missed += 1
    assert missed > 150


def twin(board):
    """Return the identifier of black's castle, read from the table in the plainest way."""
    for line in lines_of("castles.txt"):
        name, *_, pattern = (part.strip() for part in line.split("|"))
        if any(all(has(board, token) for token in each.split()) for each in pattern.split(" or ")):
            return name
    return None


def has(board, token):
    letters, squares = re.fullmatch("!?([A-Z]+)(.*)", token).groups()
    pieces = [board.piece_at((ord(square[1]) - ord("a")) * 9 + 9 - int(square[0])) for square in squares.split(",")]
    found = any(piece and str(piece) in letters for piece in pieces)
    return found != token.startswith("!")


def test_the_slow_twin_finds_the_same():
    """In the positions above, and after random moves from them, by which most castles break."""
    rng = random.Random(5)
    seen = set()
    for line in POSITIONS:
        name, board = placed(line)
        for _ in range(12):
            black, white = openings.castles(board)
            assert (black and black.id, white and white.id) == (twin(board), twin(board.mirror()))
            assert mirrored(board) == (black and black.id, white and white.id)
            seen.add(black and black.id)
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
    assert None in seen and len(seen) == len(openings.CASTLES) + 1


def test_tokens():
    with pytest.raises(AssertionError, match="K8j"):
        patterns_of("G7h K8j")
    assert relative_move("2b8h+", 1) == "8h2b+" and relative_move("B*6e", 1) == "B*4e"
    assert relative_move("2b8h+", 0) == "2b8h+"
