"""Openings, and castles in games: known games, turned around, in another order of moves."""

import pytest

from shogi_engine import games as front
from shogi_engine.games.shogi import openings
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.openings import relative_move
from shogi_engine.games.shogi.records.kakinoki import handicap
from shogi_engine.records import GameRecord

YAGURA = "7g7f 7i6h 6g6f 5g5f 3i4h 4i5h 6i7h 5i6i 5h6g 6h7g 8h7i 3g3f 7i6h 6i7i 7i8h"
SHIKEN = "7g7f 6g6f 2h6h 5i4h 4h3h 3h2h 3i3h 7i7h 1g1f 6i5h 4g4f 5h4g"
SANGEN = "7g7f 6g6f 2h7h 5i4h 4h3h 3h2h 3i3h 7i6h 6i5h 9g9f 8h7g"
ANAGUMA = "2g2f 7g7f 3i4h 5i6h 6h7h 5g5f 8h7g 4i5h 7h8h 9i9h 8h9i 7i8h 6i7i"
BOAT = "2g2f 7g7f 3i4h 5i6h 6h7h 5g5f 4i5h 1g1f 4h5g 3g3f"
SIDE_PAWN = "7g7f 2g2f 2f2e 6i7h 2e2d 2h2d 8g8f 2d3d"
TO_SIDE_PAWN = "7g7f 2g2f 2f2e 6i7h 8g8f 2e2d 2h2d"

# Black's moves and white's, each from its own side; the openings and the castles of each; the handicap.
GAMES = {
    "yagura on both sides": (
        f"{YAGURA} 1g1f",
        "2g2f 7g7f 3i4h 5g5f 7i6h 6i7h 5i6i 4i5h 6g6f 6h7g 8h7i 5h6g 3g3f 7i6h 6i7i 7i8h",
        ("yagura", "yagura"),
        ("kani kin_yagura", "kani kin_yagura"),
    ),
    "fourth file against the bear": (
        SHIKEN,
        ANAGUMA,
        ("shikenbisha", ""),
        ("kata_mino hon_mino taka_mino", "funagakoi ibisha_anaguma"),
    ),
    "third file against the boat": (SANGEN, BOAT, ("sangenbisha", ""), ("kata_mino hon_mino", "funagakoi")),
    "white's fourth file": (BOAT, SHIKEN, ("", "shikenbisha"), ("funagakoi", "kata_mino hon_mino")),
    "cheerful central rook and lightning silver": (
        "7g7f 2g2f 2f2e 3i4h 3g3f 4h3g 5i6h 6h7h 3g4f 4i5h",
        "7g7f 5g5f 2h5h 5f5e 8h7g 5i4h 4h3h 3h2h 3i3h",
        ("chousoku_37gin", "gokigen_nakabisha"),
        ("funagakoi", "kata_mino"),
    ),
    "Maruyama's vaccine": (
        "7g7f 2g2f 2f2e 8h2b+ 5i6h 7i8h 8h7g",
        "7g7f 5g5f 2h5h 7i8h 5i4h 4h3h 3h2h",
        ("maruyama_vaccine", "gokigen_nakabisha"),
        ("", ""),
    ),
    "quick Ishida": (
        "7g7f 7f7e 2h7h 5i4h 4h3h 3h2h 3i3h",
        BOAT.replace("7g7f", "7g7f", 1),
        ("sangenbisha haya_ishida", ""),
        ("kata_mino", "funagakoi"),
    ),
    "Ishida in full": (
        "7g7f 6g6f 7f7e 2h7h 7h7f 8i7g 9g9f 8h9g 5i4h 4h3h 3h2h 3i3h",
        "2g2f 5i6h 6h7h 5g5f 4i5h 3i4h 1g1f 3g3f 1f1e 4h5g 7g7f",
        ("sangenbisha ishidaryu_hongumi", ""),
        ("kata_mino", "funagakoi"),
    ),
    "Ishida against the fourth file": (
        "7g7f 6g6f 7f7e 2h7h",
        "7g7f 6g6f 2h6h 7i7h",
        ("sangenbisha ishidaryu ai_furibisha", "shikenbisha ai_furibisha"),
        ("", ""),
    ),
    "opposing rook": (
        "7g7f 6g6f 8h7g 2h8h 5i4h 4h3h 3h2h 3i3h 6i5h",
        "2g2f 2f2e 7g7f 5i6h 6h7h 5g5f 4i5h 3i4h",
        ("mukaibisha", ""),
        ("kata_mino hon_mino", "funagakoi"),
    ),
    "double ranging rook": (
        "7g7f 6g6f 2h6h 5i4h 4h3h 3i2h 4i4h 6i5h",
        "7g7f 2h7h 5i4h 4h3h 3h2h 3i3h 6i5h 3g3f",
        ("shikenbisha ai_furibisha", "sangenbisha ai_furibisha"),
        ("kinmuso", "kata_mino hon_mino"),
    ),
    "bishop exchange, reclining silvers": (
        "7g7f 2g2f 8h7g 7i6h 6i7h 6h7g 3i3h 4g4f 3h4g 4g5f 5i6h",
        "2g2f 2f2e 7g7f 6i7h 8h3c+ 3i3h 7i8h 4g4f 3h4g 4g5f",
        ("kakugawari_koshikake_gin", "kakugawari_koshikake_gin"),
        ("", ""),
    ),
    "bishop exchange, climbing silver": (
        "7g7f 2g2f 8h7g 7i6h 6i7h 6h7g 3i3h 3h2g 2f2e 2g2f",
        "2g2f 2f2e 7g7f 6i7h 8h3c+ 3i4h 7i8h 4g4f 8h7g",
        ("kakugawari_bougin", "kakugawari"),
        ("", ""),
    ),
    "bishop exchange, rapid silver": (
        "7g7f 2g2f 8h7g 7i6h 6i7h 6h7g 3i3h 3g3f 3h3g 3g4f",
        "2g2f 2f2e 7g7f 6i7h 8h3c+ 3i4h 7i8h 4g4f 8h7g",
        ("kakugawari_hayakuri_gin", "kakugawari"),
        ("", ""),
    ),
    "bishop exchange with a move less": (
        "7g7f 2g2f 7i8h 8h7g 3i3h 2f2e 4g4f",
        "7g7f 8h2b+ 7i8h 8h7g 2g2f 3i3h 4g4f",
        ("itteson_kakugawari", "itteson_kakugawari"),
        ("", ""),
    ),
    "bishop exchange with a move less, and the king on the left": (
        "7g7f 2g2f 7i8h 8h7g 3i4h 5i6h",
        "7g7f 8h2b+ 7i8h 8h7g 3i4h 5i6h",
        ("itteson_kakugawari", "itteson_kakugawari"),
        ("", ""),
    ),
    "black, too, loses a move by an exchange, and then has white's part of the bishop exchange": (
        "7g7f 8h2b+ 7i8h 8h7g 2g2f 3i3h 4g4f",
        "7g7f 7i8h 2g2f 8h7g 3i3h 2f2e 4g4f",
        ("kakugawari", "kakugawari"),
        ("", ""),
    ),
    "bishop exchange after the rook's pawns": (
        "2g2f 2f2e 7g7f 3i4h 6i7h 5i5h 4i3h 8g8f P*8g 8h3c+ 7i8h",
        "7g7f 8h7g 7i8h 2g2f 3i4h 2f2e 2e2d 2h2d 2d2h 8h7g",
        ("kakugawari", "kakugawari"),
        ("nakazumai", ""),
    ),
    "yagura from the start": ("7g7f 7i6h 6h7g", "2g2f 7g7f", ("yagura", ""), ("", "")),
    "double wing attack, climbing silver": (
        "2g2f 2f2e 6i7h 3i3h 3h2g 2g2f",
        "2g2f 2f2e 6i7h 3i3h 1g1f 9g9f",
        ("aigakari_bougin", "aigakari"),
        ("", ""),
    ),
    "side pawn, Aono's, and rook on 8e": (
        f"{SIDE_PAWN} 5i5h 3g3f 2i3g",
        f"{TO_SIDE_PAWN} 8h7g 2d2e 5i6h",
        ("yokofudori_aono", "yokofudori_85hi"),
        ("", ""),
    ),
    "side pawn, courage": (
        f"{SIDE_PAWN} 5i6h 3g3f",
        f"{TO_SIDE_PAWN} 8h7g 5i6h",
        ("yokofudori_yuuki", "yokofudori_33kaku"),
        ("", ""),
    ),
    "side pawn on both sides": (
        f"{SIDE_PAWN} 7i8h",
        f"{TO_SIDE_PAWN} 8h2b+ 2d3d",
        ("yokofudori_ai", "yokofudori_ai"),
        ("", ""),
    ),
    "side pawn, bishop on 4e": (
        f"{SIDE_PAWN} 7i8h 3d2d",
        f"{TO_SIDE_PAWN} 8h2b+ B*6e",
        ("yokofudori", "yokofudori_45kaku"),
        ("", ""),
    ),
    "double wing attack, reclining silver and rapid silver": (
        "2g2f 2f2e 6i7h 3i4h 4g4f 4h4g 4g5f",
        "2g2f 2f2e 6i7h 3i4h 3g3f 4h3g 3g4f",
        ("aigakari_koshikake_gin", "aigakari_hayakuri_gin"),
        ("", ""),
    ),
    "yagura with a central rook, no cheerful one": (
        "7g7f 7i6h 6h7g 5g5f 2h5h 5i6h 6i7h 3i4h",
        "2g2f 7g7f 3i4h 5i6h 6i7h 5g5f 4i5h 6g6f",
        ("yagura yagura_nakabisha", ""),
        ("", "ichigo"),
    ),
    "Masuda's Ishida": (
        "7g7f 7f7e 2h7h 7h7f 8h2b+ 7i8h",
        "7g7f 2g2f 2f2e 5i6h 7i8h 6h7h",
        ("sangenbisha masuda_ishida", ""),
        ("", ""),
    ),
    "new demon slayer": ("7g7f 7f7e 8i7g 2h7h", "7g7f 2g2f 2f2e 3i4h", ("sangenbisha shin_onigoroshi", ""), ("", "")),
    "Sakata's opposing rook": (
        "7g7f 2g2f 2f2e 8h3c+ 5i6h 7i8h",
        "7g7f 6i7h 8h7g 7h7g 2h8h 5i4h",
        ("", "sakata_mukaibisha"),
        ("", ""),
    ),
    "windmill": (
        "7g7f 6g6f 5g5f 2h5h 7i6h 6h6g 3i4h 4g4f 4h4g 6i7h 5i4h 5h5i",
        "2g2f 7g7f 3i4h 5i6h 6h7h 5g5f 4i5h 1g1f 9g9f 3g3f 2f2e 1f1e",
        ("tsunogin_nakabisha kazaguruma", ""),
        ("", "funagakoi"),
    ),
    "double wing attack after 7f": (
        "2g2f 2f2e 7g7f 6i7h 8g8f P*8g 2e2d 2h2d 2d2h",
        "2g2f 2f2e 6i7h 2e2d 2h2d 2d2f 8g8f P*8g",
        ("aigakari", "aigakari"),
        ("", ""),
    ),
    "twisting rook": (
        "2g2f 2f2e 6i7h 2e2d 2h2d 2d2f 7g7f 7f7e 2f7f",
        "2g2f 2f2e 6i7h 8g8f P*8g 3i4h 7g7f 5i6h 9g9f",
        ("aigakari hineribisha", "aigakari"),
        ("", ""),
    ),
    "yagura, silver on 3g": (
        f"{YAGURA} 4h3g 1g1f",
        f"{YAGURA} 1g1f",
        ("yagura_37gin", "yagura"),
        ("kani kin_yagura", "kani kin_yagura"),
    ),
    "sparrow spearing": (
        "7g7f 7i6h 6h7g 6i7h 1g1f 1f1e 1i1g 2h1h",
        "2g2f 7g7f 3i4h 5g5f 4i5h 6i7h 5i6i 9g9f",
        ("yagura suzumezashi", ""),
        ("", ""),
    ),
    "bishop exchange fourth file": (
        "7g7f 2g2f 2f2e 8h2b+ 5i6h",
        "7g7f 2h6h 5i4h 7i8h 4h3h",
        ("", "kakukoukan_shikenbisha"),
        ("", ""),
    ),
    "opposing rook at once": (
        "7g7f 2g2f 8h2b+ 5i6h 7i8h 3i4h",
        "7g7f 1g1f 7i8h 8h7g 2h8h",
        ("", "direct_mukaibisha"),
        ("", ""),
    ),
    "Fujii's system": (
        "2g2f 7g7f 3i4h 5i6h 6h7h 5g5f 4i5h 8h7g 7h8h 9i9h",
        "7g7f 6g6f 2h6h 3i3h 1g1f 1f1e 7i7h 4g4f 3g3f",
        ("", "shikenbisha fujii_system"),
        ("funagakoi", ""),
    ),
    "primitive central rook": (
        "5g5f 2h5h 5f5e 3i4h 4h5g 5g5f",
        "2g2f 5i6h 7g7f 3i4h 4g4f 9g9f",
        ("genshi_nakabisha", ""),
        ("", ""),
    ),
    "horned silvers": (
        "7g7f 6g6f 5g5f 2h5h 7i6h 6h6g 3i4h 4g4f 4h4g 6i7h",
        "2g2f 7g7f 5i6h 6h7h 3i4h 4i5h 5g5f 9g9f 1g1f 3g3f",
        ("tsunogin_nakabisha", ""),
        ("", "funagakoi"),
    ),
    "feint ranging rook": (
        "7g7f 2g2f 6g6f 9g9f 2h6h 5i4h",
        "7g7f 2g2f 3i4h 5g5f 9g9f",
        ("youdou_furibisha shikenbisha", ""),
        ("", ""),
    ),
    "sleeve rook": ("7g7f 3i4h 3g3f 2h3h 5i6h", "7g7f 6g6f 2h6h 5i4h 4h3h", ("sodebisha", "shikenbisha"), ("", "")),
    "climbing silver against the fourth file": (
        "2g2f 2f2e 7g7f 3i3h 3h2g 2g2f",
        "7g7f 6g6f 2h6h 8h7g 5i4h 4h3h",
        ("bougin", "shikenbisha"),
        ("", ""),
    ),
    "two pawns thrust": (
        "7g7f 4g4f 4f4e 3i4h 4h4g 3g3f 3f3e",
        "3i4h 5g5f 4h5g 6i7h 5i5h 4g4f 5h4g 9g9f",
        ("nifu_tsukkiri", ""),
        ("", ""),
        "二枚落ち",
    ),
    "Gintaden": (
        "7g7f 4g4f 4f4e 3i4h 4h4g 3g3f 3f3e 5g5f 4g4f 7i6h 6h5g 2h5h 5g4h 4h4g",
        "3i4h 5g5f 4h5g 6i7h 5i5h 4g4f 5h4g 9g9f 1g1f 1f1e 9f9e 6g6f 3g3f 7i8h",
        ("nakabisha gintaden", ""),
        ("", ""),
        "二枚落ち",
    ),
    "attack on the edge": (
        "7g7f 8h6f 9g9f 9f9e 9i9g 2h1h 1h9h",
        "6i7h 4i3h 3i2h 5g5f 5i5h 4g4f 3g3f 6g6f",
        ("rokumai_hashizeme", ""),
        ("", ""),
        "六枚落ち",
    ),
    "snowroof": (
        "7g7f 6g6f 7i6h 6h6g 6i7h 5g5f 3i4h 4i5h 5i6i 4h5g",
        "2g2f 7g7f 3i4h 5g5f 6i7h 5i6i 7i6h 3g3f 1g1f",
        ("gangi", ""),
        ("gangi", ""),
    ),
    "rook on the right fourth file": (
        "7g7f 2g2f 4g4f 3i4h 4h4g 2h4h 5i6h 6h7h 9g9f 1g1f 4i5h",
        YAGURA,
        ("migi_shikenbisha", "yagura"),
        ("funagakoi", "kani"),
    ),
    "Ureshino's": ("7i6h 5g5f 8h7i 6h5g 2g2f", "7g7f 2g2f 2f2e 3i4h 5g5f", ("ureshinoryu", ""), ("", "")),
    "demon slayer": ("7g7f 8i7g 7g6e 7f7e", "7g7f 5g5f 3i4h 9g9f", ("onigoroshi", ""), ("", "")),
    "Pac-Man": ("7g7f 8h4d", "6g6f 2h6h", ("", "pacman shikenbisha"), ("", "")),
    "bishop's head pawn": ("7g7f 8g8f 3i4h", "7g7f 2g2f 3i4h", ("kakutoufu", ""), ("", "")),
    "wrong-diagonal bishop": ("7g7f 8h2b+ B*4e 4e3d", "7g7f 7i8h 3i4h 4i5h", ("sujichigai_kaku", ""), ("", "")),
    "a feint late in the game: the yagura of the other side is none": (
        "7g7f 7i6h 6h7g 2g2f 3i4h 6i7h 5g5f 5i6i 4i5h 3g3f 8h7i 6g6f",
        "2g2f 7g7f 6g6f 7i7h 7h6g 9g9f 5g5f 1g1f 6i7h 3g3f 2h6h 5i4h",
        ("", "youdou_furibisha shikenbisha"),
        ("", ""),
    ),
    "twisting rook by way of 3f": (
        "2g2f 2f2e 6i7h 2e2d 2h2d 2d2f 9g9f 2f3f 7g7f 8g8f 7f7e 8i7g 3f7f",
        "2g2f 2f2e 6i7h 8g8f P*8g 7g7f 3i4h 9g9f 1g1f 7i6h 5i6i 4g4f 4h4g",
        ("aigakari hineribisha", "aigakari"),
        ("", ""),
    ),
    "side pawn, although the golds were moved before 7f": (
        "2g2f 2f2e 6i7h 7g7f 2e2d 2h2d 8g8f 2d3d 5i5h",
        "2g2f 2f2e 6i7h 7g7f 8g8f 2e2d 2h2d 8h7g 5i6h",
        ("yokofudori_aono", "yokofudori_33kaku"),
        ("", ""),
    ),
    "side pawn, the king to 6h at once": (
        f"{SIDE_PAWN} 5i6h",
        f"{TO_SIDE_PAWN} 8h7g 7i6h",
        ("yokofudori_yuuki", "yokofudori_33kaku"),
        ("", ""),
    ),
    "double wing attack: a rook behind the reclining silver, and a silver on 6g, are no openings of their own": (
        "2g2f 2f2e 6i7h 3i3h 4g4f 3h4g 4g5f 7g7f 5i6h 1g1f 2h4h",
        "2g2f 2f2e 6i7h 3i3h 7g7f 6g6f 7i6h 6h6g 5i5h 1g1f 9g9f",
        ("aigakari_koshikake_gin", "aigakari"),
        ("", "nakazumai"),
    ),
    "yagura in which the bishops are exchanged": (
        f"{YAGURA} 2g2f 6h4f 4f6d",
        f"{YAGURA} 2g2f 6h4f 4g4f",
        ("yagura", "yagura"),
        ("kani kin_yagura", "kani kin_yagura"),
    ),
    "bishop exchange, and then the shape of a yagura": (
        "7g7f 2g2f 8h7g 7i6h 6i7h 6h7g 3i4h 5i6h 6h7i 4i5h 6g6f 5h6g 7i8h B*4f",
        "2g2f 2f2e 7g7f 6i7h 8h3c+ 3i4h 7i8h 8h7g 5i6h 1g1f 9g9f 4g4f B*4e 5g5f",
        ("kakugawari", "kakugawari"),
        ("kin_yagura", ""),
    ),
    "bishop exchange with a move less, white's pawn still on 8c": (
        "2g2f 7g7f 7i8h 3i4h 8h7g 2f2e 3g3f 4h3g 3g4f",
        "7g7f 8h2b+ 7i8h 8h7g 6i7h 3i4h 4g4f 4h4g",
        ("itteson_kakugawari kakugawari_hayakuri_gin", "itteson_kakugawari"),
        ("", ""),
    ),
    "wrong-diagonal bishops on both sides": (
        "7g7f 8h2b+ B*4e 4e3d",
        "7g7f 7i8h 4i5h B*4e",
        ("sujichigai_kaku", "sujichigai_kaku"),
        ("", ""),
    ),
    "a bishop dropped against an Ishida is on no wrong diagonal": (
        "7g7f 7f7e 2h7h 7e7d 7h7d 7i8h",
        "7g7f 2g2f 2f2e 3g3f 8h2b+ B*4e",
        ("sangenbisha haya_ishida", ""),
        ("", ""),
    ),
    "rook on the right fourth file, silver on 5g": (
        "2g2f 7g7f 3i4h 5g5f 7i7h 4i5h 4h5g 5i6h 6h7i 4g4f 2h4h",
        "7g7f 6g6f 2h6h 7i7h 7h6g 5i4h 4h3h 3h2h 3i3h 6i5h",
        ("migi_shikenbisha", "shikenbisha"),
        ("ikaku_hidari_mino", "kata_mino hon_mino"),
    ),
    "third file and a pawn on 7e late in the game: no Ishida": (
        f"{SANGEN} 7f7e",
        f"{BOAT} 9g9f",
        ("sangenbisha", ""),
        ("kata_mino hon_mino", "funagakoi"),
    ),
    "Ishida by way of the fourth file": (
        "7g7f 6g6f 2h6h 5i4h 4h3h 3h2h 3i3h 7i7h 7h6g 7f7e 6h7h 9g9f 7h7f",
        f"{BOAT} 9g9f 8g8f",
        ("shikenbisha ishidaryu", ""),
        ("kata_mino", "funagakoi"),
    ),
    "Tateishi's fourth file": (
        "7g7f 6g6f 2h6h 5i4h 4h3h 3h2h 3i3h 6f6e 6i7h 7f7e",
        f"{BOAT}",
        ("tateishiryu", ""),
        ("kata_mino", "funagakoi"),
    ),
    "pawn lead against the king": (
        "2g2f 7g7f 5i6h 6h7h 3i4h 7i6h 6h7g 7f7e 7g7f 4i5h",
        SHIKEN,
        ("gyokutou_kuraidori", "shikenbisha"),
        ("", "kata_mino hon_mino"),
    ),
    "yagura, climbing silver": (
        "7g7f 7i6h 6h7g 2g2f 6i7h 3i3h 5i6i 3h2g 2f2e 2g2f",
        "2g2f 7g7f 3i4h 5g5f 7i6h 6i7h 5i6i 4i5h 6g6f 6h7g",
        ("yagura_bougin", "yagura"),
        ("", "kani"),
    ),
    "right king with an underground rook": (
        "7g7f 2g2f 6g6f 7i6h 6h6g 6i7h 4g4f 3i4h 4h4g 3g3f 2i3g 2h2i 5i4h 4i3h 8i7g 2i8i",
        YAGURA,
        ("gangi chikatetsu_bisha", "yagura"),
        ("migigyoku", "kani kin_yagura"),
    ),
}


def test_every_opening_has_a_game():
    found = set()
    for _black, _white, expected, *_rest in GAMES.values():
        found.update(" ".join(expected).split())
    without = found ^ {opening.name.id for opening in openings.OPENINGS}
    assert not without, f"strategies.txt and the games in this file differ: {without}"


def played(black, white, start=""):
    """Return the record of the moves of both sides, white's as white sees them."""
    record = GameRecord("shogi", start)
    sides = [[relative_move(move, colour) for move in side.split()] for colour, side in enumerate((black, white))]
    moves, board = [], record.board(0)
    while sides[board.turn]:
        moves.append(sides[board.turn].pop(0))
        board.push_usi(moves[-1])
    return GameRecord.from_moves("shogi", moves, start=record.start)


def identifiers(sides):
    return tuple(" ".join(each.name.id for each in side) for side in sides)


@pytest.mark.parametrize("name", GAMES)
def test_games(name):
    black, white, expected, castles, *start = GAMES[name]
    names = openings.names_of_record(played(black, white, *map(handicap, start)))
    assert (identifiers(names.openings), identifiers(names.castles)) == (expected, castles)


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if len(game) == 4])
def test_games_turned_around(name):
    """With the colours exchanged, and white to move first, each side has the names that the other had."""
    record = played(*GAMES[name][:2])
    names = openings.names_of_record(record)
    moves = [relative_move(move, 1) for move in record.moves]
    turned = openings.names_of_moves(record.board(0).mirror(), moves)
    assert turned.openings == names.openings[::-1] and turned.castles == names.castles[::-1]


def test_transpositions_have_the_same_names():
    """The moves of a side in another order, as far as they are legal."""
    for order in ("6g6f 2h6h 5i4h 4h3h 7g7f 3h2h 3i3h", "7g7f 6g6f 2h6h 3i3h 5i4h 4h3i 3i2h"):
        names = openings.names_of_record(played(order, BOAT))
        assert identifiers(names.openings) == ("shikenbisha", "") and identifiers(names.castles)[0] == "kata_mino"


def test_a_castle_that_a_game_begins_with_and_one_that_a_drop_repairs():
    board = Board("lnsgkgsnl/1r5b1/ppppppppp/9/9/2PP4P/PP2PPPP1/1B1RG1SK1/LNS2G1NL b - 1")
    names = openings.names_of_moves(board, [])
    assert [(each.name.id, each.ply) for each in names.castles[0]] == [("hon_mino", 0)]
    assert names.values()["castles_at"] == {"black": {"hon_mino": 0}, "white": {}}
    dropped = Board("4k4/9/9/9/9/9/9/7K1/5G3 b S 1")
    assert openings.names_of_moves(dropped, ["S*3h"]).castles == ([], [])
    assert openings.castles(dropped)[0].id == "kata_mino"


def test_names_of_any_game():
    names = front.opening_names(played(SHIKEN, BOAT))
    assert names.header() == "四間飛車" and names.header("en") == "Fourth File Rook"
    assert front.opening_names(GameRecord()).header() == ""
    with pytest.raises(ValueError, match="7g7e"):
        front.opening_names(GameRecord.from_moves("shogi", ["7g7e"]))
