"""Othello's books: the eight images of a position share one entry, the smallest image with black (X) to move."""

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shogi_engine.books import BookRecipe, Defaults, Entries
from shogi_engine.common.text import text_of
from shogi_engine.games.othello import notation
from shogi_engine.games.othello.bitboard import INVERSE_SYMMETRY, transform_square
from shogi_engine.games.othello.book import (
    Boards,
    canonical_boards,
    canonical_key,
    format_line,
    many_after,
    many_places,
    open_book,
)
from shogi_engine.games.othello.names import DISC
from shogi_engine.games.othello.notation import PASS_NAME, SQUARE_NAMES, parse_obf, split_move
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.interface.extras import BookError, BookMove, whole_number
from shogi_engine.language import InputError, Message

# ---- Reads books of other Othello programs for their users; the values, in discs, are those of the programs
#
# Edax's `.dat` (version 4) lists each position's moves with their values. Its exported text and Egaroucid's `.egbk3`
# (version 3) name a position and one move that leads out of the book, the leaf. The other moves are those that lead to
# positions in the book. Numbers are little-endian.
# Sources: R. Delorme, Edax, https://github.com/abulmo/edax-reversi (book.c); T. Yamana, Egaroucid,
# https://www.egaroucid.nyanyan.dev/en/usage/book. Both programs are under the GPL; this reader contains none of
# their code.


Discs = tuple[int, int]  # own and the opponent's, canonical
Values = NDArray[np.int64]

EDAX_MAGIC, EDAX_VERSION, EDAX_HEADER = b"XADEKOOB", 4, 42
EDAX_POSITION = struct.Struct("<QQ4I3hBB")  # discs, four counts of games, value and bounds, links, level
EGAROUCID_MAGIC, EGAROUCID_VERSION, EGAROUCID_HEADER = b"DICUORAGE", 3, 14
EGAROUCID_POSITION = np.dtype(
    [("own", "<u8"), ("opponent", "<u8"), ("value", "i1"), ("level", "i1"), ("lines", "<u4"), ("leaf_value", "i1"),
     ("leaf", "i1"), ("leaf_level", "i1")]
)  # fmt: skip
PASS, NO_MOVE = 64, 65
UNKNOWN = -1000  # in place of a value in discs


def read_foreign(path: Path, notes: list[str]) -> dict[Discs, list[BookMove]] | None:
    """Return the positions of another program's book, None if it is not one; note the lines that are passed over.

    Raises BookError, OSError.
    """
    with path.open("rb") as file:
        head = file.read(len(EGAROUCID_MAGIC))
        if not head.startswith((EDAX_MAGIC, EGAROUCID_MAGIC)):
            return _read_edax_text(path, notes)
        data = head + file.read()
    return _read_edax(data) if head.startswith(EDAX_MAGIC) else _read_egaroucid(data)


# ---- Edax --------------------------------------------------------------------------------------------------------


def _read_edax(data: bytes) -> dict[Discs, list[BookMove]]:
    if len(data) < EDAX_HEADER or data[8] != EDAX_VERSION:
        raise BookError("an Edax book, but not of version {0}", EDAX_VERSION)
    found, discs, at = [], [], EDAX_HEADER
    while at < len(data):
        try:
            own, opponent, *_, links, level = EDAX_POSITION.unpack_from(data, at)
            at += EDAX_POSITION.size
            moves = [struct.unpack_from("bB", data, at + 2 * number) for number in range(links + 1)]
        except struct.error:
            raise BookError("it ends within a position, at byte {0}", at) from None
        at += 2 * (links + 1)
        if not own & opponent:
            discs.append((own, opponent))
            found.append([(move, value, level) for value, move in moves if move <= PASS and abs(value) <= SQUARES])
    return _turned_entries(discs, found)


def _turned_entries(discs: list[Discs], found: list[list[tuple[int, int, int]]]) -> dict[Discs, list[BookMove]]:
    """Return positions with their (square, discs, level) in canonical orientation and without illegal moves."""
    boards = np.array(discs, dtype=np.uint64).reshape(-1, 2)
    own, opponent, symmetries = canonical_boards(boards[:, 0].copy(), boards[:, 1].copy())
    places, passes = many_places(own, opponent), _passes(own, opponent)
    entries: dict[Discs, list[BookMove]] = {}
    for number, moves in enumerate(found):
        symmetry, legal = int(symmetries[number]), int(places[number]) | int(passes[number]) << PASS
        turned = [(move if move == PASS else transform_square(move, symmetry), *rest) for move, *rest in moves]
        kept = [
            BookMove(PASS_NAME if move == PASS else SQUARE_NAMES[move], "", DISC * value, level, 1)
            for move, value, level in sorted(turned, key=lambda each: -each[1])
            if legal >> move & 1
        ]
        if kept:
            entries.setdefault((int(own[number]), int(opponent[number])), []).extend(kept)
    return entries


def _passes(own: Boards, opponent: Boards) -> NDArray[np.bool_]:
    """Return where the side to move has to pass."""
    passes: NDArray[np.bool_] = (many_places(own, opponent) == 0) & (many_places(opponent, own) != 0)
    return passes


def _read_edax_text(path: Path, notes: list[str]) -> dict[Discs, list[BookMove]] | None:
    """Return the positions of Edax's exported text, `BOARD,LEVEL,MOVE,VALUE` per line; None for other text."""
    try:
        text = text_of(path.read_bytes(), foreign=True)
    except InputError as fault:
        raise BookError(*fault.args) from None
    table = _Rows([], [], [], [], [], [])
    for number, line in enumerate(text.splitlines(), 1):
        fields = [field.strip() for field in line.split(",")]
        if len(fields) < 2 and number == 1:
            return None
        if not line.strip():
            continue
        try:
            position = parse_obf(fields[0])
            leaf, value = NO_MOVE, UNKNOWN
            if len(fields) >= 4 and fields[2].lower() not in ("--", "no", ""):
                square = split_move(fields[2])
                if (given := whole_number(fields[3])) is not None:
                    leaf, value = PASS if square is None else square, given
            if len(fields) < 2 or (level := whole_number(fields[1])) is None:
                raise InputError("expected BOARD,LEVEL,MOVE,VALUE")
            table.add(int(position.own), int(position.opponent), UNKNOWN, level, leaf, value)
        except ValueError as fault:
            if number == 1:
                return None
            notes.append(Message("line {0}: {1}", number, fault))
    return _linked(table)


# ---- Egaroucid, and links ----------------------------------------------------------------------------------------


def _read_egaroucid(data: bytes) -> dict[Discs, list[BookMove]]:
    if len(data) < EGAROUCID_HEADER or data[9] != EGAROUCID_VERSION:
        raise BookError("an Egaroucid book, but not of version {0}", EGAROUCID_VERSION)
    count = int.from_bytes(data[10:EGAROUCID_HEADER], "little")
    if EGAROUCID_HEADER + count * EGAROUCID_POSITION.itemsize > len(data):
        raise BookError("it ends before its {0} positions are complete", count)
    rows = np.frombuffer(data, EGAROUCID_POSITION, count, EGAROUCID_HEADER)
    rows = rows[(np.abs(rows["value"].astype(int)) <= SQUARES) & (rows["own"] & rows["opponent"] == 0)]
    columns = ("own", "opponent", "value", "level", "leaf", "leaf_value")
    return _linked(_Rows(*(rows[name].tolist() for name in columns)))


@dataclass
class _Rows:
    """Positions: value in discs, UNKNOWN if it is that of the best move; the leaf's square and value."""

    own: list[int]
    opponent: list[int]
    value: list[int]
    level: list[int]
    leaf: list[int]
    leaf_value: list[int]

    def add(self, *row: int) -> None:
        """Add a position."""
        for column, value in zip(vars(self).values(), row, strict=True):
            column.append(value)


def _linked(rows: _Rows) -> dict[Discs, list[BookMove]]:
    """Return positions with their leaves and the moves that lead to other positions."""
    own, opponent, symmetries = canonical_boards(
        np.array(rows.own, dtype=np.uint64), np.array(rows.opponent, dtype=np.uint64)
    )
    places = many_places(own, opponent)
    keys = list(zip(own.tolist(), opponent.tolist(), strict=True))
    index = {key: number for number, key in enumerate(keys)}
    values = list(rows.value)
    links: list[list[tuple[int, int, int]]] = [[] for _ in keys]  # square, target position, side to move
    for square in [*range(SQUARES), PASS]:
        if square == PASS:
            at = np.flatnonzero(_passes(own, opponent))
            children = opponent[at], own[at]
        else:
            at = np.flatnonzero(places >> np.uint64(square) & np.uint64(1))
            children = many_after(own[at], opponent[at], square)
        for parent, child, sign in _children(index, at, *children):
            links[parent].append((square, child, sign))
    for number in sorted(range(len(keys)), key=lambda each: (-_discs(keys[each]), int(places[each]) == 0)):
        if values[number] == UNKNOWN:
            reached = [sign * values[child] for _, child, sign in links[number] if values[child] != UNKNOWN]
            values[number] = max([*reached, rows.leaf_value[number]])
    found = []
    for number, moves in enumerate(links):
        listed = {move: sign * values[child] for move, child, sign in moves if values[child] != UNKNOWN}
        leaf, value = rows.leaf[number], rows.leaf_value[number]
        if 0 <= leaf < SQUARES and abs(value) <= SQUARES:
            leaf = transform_square(leaf, int(symmetries[number]))
            if int(places[number]) >> leaf & 1:
                listed.setdefault(leaf, value)
        found.append([(move, value, rows.level[number]) for move, value in listed.items()])
    return _turned_entries(keys, found)


def _discs(key: Discs) -> int:
    return (key[0] | key[1]).bit_count()


def _children(
    index: dict[Discs, int], at: NDArray[np.int64], own: Boards, opponent: Boards
) -> list[tuple[int, int, int]]:
    """Return (position, the one it leads to, the sign of that one's value) for all targets in the book.

    A book may omit a position with only a pass; the position after the pass then stands for it.
    """
    found = []
    passing = _passes(own, opponent).tolist()
    mine = canonical_boards(own, opponent)
    other = canonical_boards(opponent, own)
    for place, parent in enumerate(at.tolist()):
        child = index.get((int(mine[0][place]), int(mine[1][place])))
        sign = -1
        if child is None and passing[place]:
            child, sign = index.get((int(other[0][place]), int(other[1][place]))), 1
        if child is not None:
            found.append((parent, child, sign))
    return found


def key_of(own: int, opponent: int) -> str:
    """Return the key of canonical discs."""
    return f"{notation.format_discs(own, opponent)} X"


def canonical(obf: str) -> tuple[str, int]:
    """Return the key of a position and the symmetry that leads to it."""
    (own, opponent), symmetry = canonical_key(notation.parse_obf(obf))
    return key_of(own, opponent), symmetry


def turned(move: str, image: int, back: bool) -> str:
    """Convert a move of a position to one of its key, or back."""
    square = notation.split_move(move)
    symmetry = INVERSE_SYMMETRY[image] if back else image
    return notation.PASS_NAME if square is None else notation.SQUARE_NAMES[transform_square(square, symmetry)]


def read(path: Path, notes: list[str]) -> Entries:
    """Return a book's positions: this engine's, Edax's (.dat, text) or Egaroucid's (.egbk3); see `BookRecipe`."""
    try:
        foreign = None if path.suffix == ".gz" else read_foreign(path, notes)
    except OSError as fault:
        raise BookError(fault.strerror or "cannot be read") from None
    if foreign is not None:
        return {key_of(*discs): moves for discs, moves in foreign.items()}
    book = open_book(str(path))
    notes += book.notes
    return {
        key_of(own, opponent): [BookMove(notation.format_move(None, move), value=value) for move, value in moves]
        for (own, opponent), moves in book.entries.items()
    }


def write(entries: Entries) -> str:
    """Return a book in this engine's text format, positions with fewer discs first."""
    lines = [f"% {len(entries)} positions; each represents its eight images"]
    for key in sorted(entries, key=lambda each: (-each.count("-"), each)):
        position = notation.parse_obf(key)
        moves = [(notation.parse_move(position, each.move), each.worth) for each in entries[key]]
        lines.append(format_line(position, sorted(moves, key=lambda each: -each[1])))
    return "\n".join(lines) + "\n"


RECIPE = BookRecipe(
    game_name="othello",
    defaults=Defaults(
        limit=("depth", 10), width=6, margin=4 * DISC, max_ply=30, ply_cost=DISC // 4, multi_probcut_margin=130
    ),
    unit=DISC,
    unit_name="discs",
    canonical=canonical,
    turned=turned,
    read=read,
    write=write,
    sources="this engine's text (.txt, or compressed as .txt.gz), Edax's .dat and exported text, Egaroucid's .egbk3",
    gzip=True,
)
