"""Openings, and castles in games: known games, turned around, in another order of moves."""

import tomllib
from pathlib import Path

import pytest

from shogi_engine import games as front
from shogi_engine.games.shogi import openings
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.openings import relative_move
from shogi_engine.games.shogi.records.kakinoki import handicap
from shogi_engine.records import GameRecord

SHIKEN = "7g7f 6g6f 2h6h 5i4h 4h3h 3h2h 3i3h 7i7h 1g1f 6i5h 4g4f 5h4g"
BOAT = "2g2f 7g7f 3i4h 5i6h 6h7h 5g5f 4i5h 1g1f 4h5g 3g3f"
FILE = Path(__file__).parents[2] / "data" / "shogi_opening_games.toml"
GAMES = {game["name"]: game for game in tomllib.loads(FILE.read_text(encoding="utf-8"))["game"]}


def test_every_opening_has_a_game():
    found = {name for game in GAMES.values() for side in game["openings"] for name in side.split()}
    without = found ^ {opening.name.id for opening in openings.OPENINGS}
    assert not without, f"strategies.txt and {FILE.name} differ: {without}"


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
    return [" ".join(each.name.id for each in side) for side in sides]


@pytest.mark.parametrize("name", GAMES)
def test_games(name):
    game = GAMES[name]
    start = handicap(game["handicap"]) if "handicap" in game else ""
    names = openings.names_of_record(played(game["black"], game["white"], start))
    assert identifiers(names.openings) == game["openings"]
    assert identifiers(names.castles) == game.get("castles", ["", ""])


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if "handicap" not in game])
def test_games_turned_around(name):
    """With the colours exchanged, and white to move first, each side has the names that the other had."""
    record = played(GAMES[name]["black"], GAMES[name]["white"])
    names = openings.names_of_record(record)
    moves = [relative_move(move, 1) for move in record.moves]
    turned = openings.names_of_moves(record.board(0).mirror(), moves)
    assert turned.openings == names.openings[::-1] and turned.castles == names.castles[::-1]


def test_transpositions_have_the_same_names():
    """The moves of a side in another order, as far as they are legal."""
    for order in ("6g6f 2h6h 5i4h 4h3h 7g7f 3h2h 3i3h", "7g7f 6g6f 2h6h 3i3h 5i4h 4h3i 3i2h"):
        names = openings.names_of_record(played(order, BOAT))
        assert identifiers(names.openings) == ["shikenbisha", ""] and identifiers(names.castles)[0] == "kata_mino"


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
