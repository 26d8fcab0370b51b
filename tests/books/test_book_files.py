"""Books of other programs are read, merged and written; many boards at once are what one at a time is."""

import contextlib
import random
import struct

import numpy as np
import pytest

from shogi_engine.books import load, merged
from shogi_engine.books.othello import canonical, turned
from shogi_engine.games.othello import book as othello_book
from shogi_engine.games.othello.bitboard import SYMMETRIES, transform
from shogi_engine.games.othello.board import Board
from shogi_engine.games.othello.book import canonical_boards, many_after, many_images, many_places
from shogi_engine.games.othello.notation import START, parse_obf
from shogi_engine.games.othello.types import PASS
from shogi_engine.games.shogi import book as shogi_book
from shogi_engine.interface.extras import BookError, BookMove

OTHELLO, SHOGI = load("othello"), load("shogi")
START_SFEN = SHOGI.game.start


def positions(count, seed=1):
    """Return Boards from games at random."""
    rng, boards = random.Random(seed), []
    while len(boards) < count:
        board = Board()
        while board.legal_moves:
            boards.append(board.copy())
            board.push(rng.choice(list(board.legal_moves)))
    return boards[:count]


def discs(board):
    record = parse_obf(board.obf())
    return int(record.own), int(record.opponent)


def test_many_boards_are_what_one_is():
    boards = positions(200)
    own, opponent = (np.array(column, dtype=np.uint64) for column in zip(*map(discs, boards), strict=True))
    for symmetry in range(SYMMETRIES):
        assert [int(transform(each, symmetry)) for each in own] == many_images(own, symmetry).tolist()
    best = canonical_boards(own, opponent)
    places = many_places(own, opponent)
    for number, board in enumerate(boards):
        record = parse_obf(board.obf())
        key, symmetry = othello_book.canonical_key(record)
        assert (int(best[0][number]), int(best[1][number]), int(best[2][number])) == (*key, symmetry)
        moves = [move for move in board.legal_moves if str(move) != "pass"]
        assert int(places[number]) == sum(1 << move.square for move in moves)
        for move in moves[:2]:
            after = board.copy()
            after.push(move)
            found = many_after(own[number : number + 1], opponent[number : number + 1], move.square)
            assert (int(found[0][0]), int(found[1][0])) == discs(after)


# ---- a small book, as three programs would write it ---------------------------------------------------------------

AFTER = Board()
AFTER.push_text("f5")
SECOND = AFTER.copy()
SECOND.push_text("d6")


def edax_dat(entries):
    """Return Edax's file. entries : (own, opponent), level, [(square, value)] of which the last is the leaf"""
    data = (
        b"XADEKOOB" + bytes([4, 6]) + bytes(8) + struct.pack("<5i", 21, 24, 2, 1, 0) + struct.pack("<i", len(entries))
    )
    for (own, opponent), level, moves in entries:
        data += struct.pack("<QQ4I3hBB", own, opponent, 0, 0, 0, 1, moves[0][1], -64, 64, len(moves) - 1, level)
        data += b"".join(struct.pack("bB", value, square) for square, value in moves)
    return data


def egaroucid(entries):
    """Return Egaroucid's file. entries : (own, opponent), value, level, leaf's square and value"""
    data = b"DICUORAGE\x03" + struct.pack("<i", len(entries))
    for (own, opponent), value, level, leaf, leaf_value in entries:
        data += struct.pack("<QQbbIbbb", own, opponent, value, level, 1, leaf_value, leaf, level)
    return data


def known(entries, board):
    """Return {move: value} of a position."""
    key, image = canonical(board.obf())
    return {turned(each.move, image, True): each.value for each in entries.get(key, ())}


def square(name):
    return ord(name[0]) - ord("a") + 8 * (int(name[1]) - 1)


def test_edax_books_as_dat(tmp_path):
    path = tmp_path / "book.dat"
    moves = [(square("d6"), 0), (square("a1"), 9), (square("f4"), -6), (64, 9), (square("f6"), 2)]  # two are illegal
    own, opponent = discs(SECOND)
    twice = (own | opponent & -opponent, opponent), 9, [(number, 0) for number in range(65)]  # a square has both discs
    path.write_bytes(edax_dat([(discs(AFTER), 21, moves), (discs(SECOND), 20, [(65, -127)]), twice]))
    entries = OTHELLO.read(path, [])
    assert known(entries, AFTER) == {"d6": 0, "f4": -600, "f6": 200}
    assert len(entries) == 1 and {each.depth for each in entries[canonical(AFTER.obf())[0]]} == {21}
    for broken, fault in ((path.read_bytes()[:-3], "within a position"), (b"XADEKOOB\x03" + bytes(60), "version 4")):
        path.write_bytes(broken)
        with pytest.raises(BookError, match=fault):
            OTHELLO.read(path, [])


def test_egaroucid_books(tmp_path):
    path = tmp_path / "book.egbk3"
    start = Board()
    rows = [
        (discs(start), 0, 21, 65, -126),
        (discs(AFTER), 1, 21, square("f4"), -5),
        (discs(SECOND), -1, 19, 125, -126),
    ]
    path.write_bytes(egaroucid(rows))
    entries = OTHELLO.read(path, [])
    assert known(entries, AFTER) == {"d6": 100, "f4": -500}
    assert known(entries, start) == {"f5": -100, "d3": -100, "c4": -100, "e6": -100}  # its images are the same position
    assert known(entries, SECOND) == {}
    for broken, fault in ((path.read_bytes()[:-3], "ends before"), (b"DICUORAGE\x02" + bytes(60), "version 3")):
        path.write_bytes(broken)
        with pytest.raises(BookError, match=fault):
            OTHELLO.read(path, [])


def test_edax_books_as_text_get_their_values_from_the_leaves(tmp_path):
    path = tmp_path / "book.txt"
    path.write_text(f"{AFTER.obf()},21,f4,-5\n{SECOND.obf()},20,c3,3\n{START},21,--,-127\n")
    entries = OTHELLO.read(path, [])
    assert known(entries, SECOND) == {"c3": 300}
    assert known(entries, AFTER) == {"d6": -300, "f4": -500}
    assert known(entries, Board())["f5"] == 300
    path.write_text(path.read_text() + f"nonsense,1\n{SECOND.obf()},none,c3,3\n{SECOND.obf()}\n")
    notes = []
    assert OTHELLO.read(path, notes) == entries
    assert [note.partition(":")[0] for note in notes] == ["line 4", "line 5", "line 6"] and "int()" not in str(notes)


def test_a_line_of_othello_that_means_nothing_costs_only_itself(tmp_path):
    """Its value is no number, or its move is not legal; lines of the usual form are checked all at once."""
    path, notes = tmp_path / "mine.txt", []
    lines = [f"{START}; f5:+0.5", f"{START[:-1]}O; f5:0.5", f"{AFTER.obf()}; d6:none", f"{AFTER.obf()}; d6:inf",
             f"{AFTER.obf()}; f6:+1.0; a1:+3.0", f"{SECOND.obf()}; c3:+1.5"]  # fmt: skip
    path.write_text("\n".join(lines) + "\n")
    entries = OTHELLO.read(path, notes)
    assert known(entries, Board()) == {"f5": 50} and known(entries, SECOND) == {"c3": 150}
    assert known(entries, AFTER) == {}
    assert sorted(note.partition(":")[0] for note in notes) == ["line 2", "line 3", "line 4", "line 5"]
    path.write_text(f"{AFTER.obf()}; d6:none\n")
    with pytest.raises(BookError, match="line 1: expected a move such as"):
        OTHELLO.read(path, notes)


def test_a_pass_between_positions_is_seen_through(tmp_path):
    boards = [
        board for seed in range(40) for board in positions(60, seed) if str(next(iter(board.legal_moves))) == "pass"
    ]
    passing = next(board for board in boards if len(board.move_stack) > 1)
    before, after = passing.copy(), passing.copy()
    move = str(before.pop())
    after.push_text("pass")
    path = tmp_path / "book.egbk3"
    path.write_bytes(egaroucid([(discs(before), 4, 21, 65, -126), (discs(after), 4, 21, 65, -126)]))
    assert known(OTHELLO.read(path, []), before)[move] == 400


def test_othello_books_are_written_and_read_again(tmp_path):
    entries = {}
    for board in positions(120, seed=3):
        key, _ = canonical(board.obf())
        names = [str(move) for move in Board(key).legal_moves][:3]
        entries[key] = [BookMove(name, value=30 - 20 * number) for number, name in enumerate(names)]
    path = tmp_path / "mine.txt"
    path.write_text(OTHELLO.write(entries))
    assert OTHELLO.read(path, []) == entries
    assert any(move == PASS for moves in othello_book.read(path).entries.values() for move, _ in moves)


def test_shogi_books_turned_around_are_one(tmp_path):
    path = tmp_path / "mine.db"
    black, white = shogi_book.position_key(START_SFEN), shogi_book.flipped_key(shogi_book.position_key(START_SFEN))
    path.write_text(f"sfen {black} 1\n7g7f none 30 9 1\nsfen {white} 2\n8c8d none 40 9 1\n3c3d none 10 12 1\n")
    (moves,) = merged([SHOGI.read(path, [])]).values()
    assert [(each.move, each.value, each.depth) for each in moves] == [("2g2f", 40, 9), ("7g7f", 10, 12)]
    (again,) = shogi_book.Book(merged([SHOGI.read(path, [])])).positions.values()
    assert again == moves


def message(*fields):
    """Return a message of Protocol Buffers of (number, integer or bytes)."""

    def varint(value):
        value &= (1 << 64) - 1
        data = b""
        while value > 127:
            data, value = data + bytes([value & 127 | 128]), value >> 7
        return data + bytes([value])

    return b"".join(
        varint(number << 3) + varint(value)
        if isinstance(value, int)
        else varint(number << 3 | 2) + varint(len(value)) + value
        for number, value in fields
    )


def sbk_move(text, judged=0, weight=0, following=-1):
    """Return a move of ShogiGUI's books; its source has the bits of rank and file only if it is no drop."""
    target = int(text[2]) << 12 | "_abcdefghi".index(text[3]) << 8
    source = "_PLNSGBR".index(text[0]) << 24 if text[1] == "*" else int(text[0]) << 4 | "_abcdefghi".index(text[1])
    code = target | source | (text[4:] == "+") << 19
    return 9, message((1, code - (1 << 31)), (2, judged), (3, weight), (4, following))


def sbk(*states):
    return message((1, b"author"), (2, "説明".encode()), *((3, message(*state)) for state in states))


def test_books_of_shogi_gui(tmp_path):
    path, notes = tmp_path / "book.sbk", []
    lone = "4k4/9/9/9/9/9/9/9/4K4 b G 1"
    first, second, third, white = (
        (10, message((1, value), (2, depth), (5, line.encode())))
        for value, depth, line in (
            (120, 9, "▲７六歩(77) △３四歩(33)"),
            (90, 7, "▲７六歩(77)"),
            (5, 5, "?"),
            (-40, 3, "△８四歩(83)"),
        )
    )
    path.write_bytes(sbk(
        ((1, 0), (7, f"sfen {START_SFEN}".encode()), (8, b"comment"), first, second, third, sbk_move("7g7f", 1, 30, 2),
         sbk_move("2g2f", 2, 10, 5), sbk_move("1g1f", 3, 9), sbk_move("9g9f", 4, 9), sbk_move("7g7e", 0, 1)),
        ((1, 1), (7, lone.encode()), sbk_move("G*5e", 0, 2)),
        ((1, 2), sbk_move("3c3d", 0, 4, 3)),
        ((1, 3), sbk_move("8h2b+", 0, 1, 4)),
        ((1, 4),),
        ((1, 5), sbk_move("8c8d", 0, 8), white),
        ((1, 6), (7, b"nonsense")),
    ))  # fmt: skip
    entries = SHOGI.read(path, notes)
    found = {key: [(each.move, each.value, each.depth, each.count) for each in moves] for key, moves in entries.items()}
    start = shogi_book.position_key(START_SFEN)
    assert found[start] == [("7g7f", 120, 9, 30), ("2g2f", None, 0, 10)] and len(found) == 5
    assert found[shogi_book.position_key(lone)] == [("G*5e", None, 0, 2)]
    assert {("8h2b+", None, 0, 1)} <= {move for moves in found.values() for move in moves}
    assert {("7g7f", None, 0, 4), ("2g2f", 40, 3, 8)} <= {move for moves in found.values() for move in moves}  # turned
    assert notes[0] == "position 1: illegal move '7g7e'" and notes[1].startswith("position 7: ") and len(notes) == 2
    data = path.read_bytes()
    for broken in (data[:-3], b"#YANEURAOU", b"", bytes([26, 2, 75, 0]), b"\x80" * 20):
        path.write_bytes(broken)
        with pytest.raises(BookError, match="cut off|not a book of ShogiGUI|no position"):
            SHOGI.read(path, [])
    rng = random.Random(1)
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(3):
            broken[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(broken)
        with contextlib.suppress(BookError):
            SHOGI.read(path, [])
    with pytest.raises(BookError, match="book shogi import"):
        shogi_book.Book.load(path)


def test_merged_books_have_the_value_that_one_of_them_gives():
    one, two = {"a": [BookMove("x"), BookMove("y", value=-5)]}, {"a": [BookMove("x", value=-7), BookMove("y", depth=9)]}
    assert {(each.move, each.value) for each in merged([one, two])["a"]} == {("x", -7), ("y", -5)}


def test_merged_books_have_all_moves_and_the_deeper_values():
    one = {"a": [BookMove("x", value=5, depth=3), BookMove("y", value=9, depth=3)], "b": [BookMove("z")]}
    two = {"a": [BookMove("x", value=7, depth=4), BookMove("y", value=1, depth=3)], "c": [BookMove("z")]}
    book = merged([one, two])
    assert {(each.move, each.value) for each in book["a"]} == {("x", 7), ("y", 9)} and set(book) == {"a", "b", "c"}
    assert [each.value for each in book["a"]] == [9, 7]
