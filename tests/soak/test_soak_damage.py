"""Damaged files of every kind that is read: the documented error, or what is valid; never anything else, nor for long.

A hundred of each kind are tried by day, 300 by night.
`SOAK_EXAMPLES=100000 pytest tests/soak/test_soak_damage.py -k kif` tries many.
"""

import gzip
import itertools
import json
import os
import random

import numpy as np
import pytest

from shogi_engine import suites
from shogi_engine.__main__ import main
from shogi_engine.batch import Batch, from_records, open_records, read_hcpe3, training_games, write_hcpe3
from shogi_engine.batch.games import HCPE
from shogi_engine.books import load as load_recipe
from shogi_engine.games.shogi.book import Book
from shogi_engine.interface.extras import BookError
from shogi_engine.match import plan
from shogi_engine.records import RecordError, all_formats, dumps, games, loads
from shogi_engine.records.formats import load_format
from tests.books.test_book_files import AFTER, SECOND, START_SFEN, discs, edax_dat, egaroucid, sbk, sbk_move, square
from tests.records.random_records import random_record
from tests.records.test_damage import damaged
from tests.support.clock import ended_after
from tests.support.processes import ROOT
from tests.support.sizes import sized

EXAMPLES = int(os.environ.get("SOAK_EXAMPLES", sized(100, 300)))
SECONDS = 10.0  # of processor time for a file
OTHELLO, SHOGI = load_recipe("othello"), load_recipe("shogi")


def files_of(format, rng, count=8):
    """Return files with a random game each."""
    game = format.game or "othello"
    start = None if game == "shogi" else ""
    made = (random_record(rng.randrange(10**6), game, 24, start=start) for _ in range(count))
    return [dumps(record, format.name, "" if format.binary else "utf-8") for record in made]


@pytest.mark.parametrize("name", [format.name for format in all_formats()])
def test_damaged_records(name, tmp_path):
    rng, path, format = random.Random(name), tmp_path / "a", load_format(name)
    files, refused = files_of(format, rng), 0
    for number in range(EXAMPLES):
        data, told = damaged(rng, rng.choice(files), format.binary), rng.choice((name, ""))
        try:
            with ended_after(SECONDS):
                if number % 8 == 0:
                    path.write_bytes(data)
                    assert all(len(found) or found.faults for found in games(path, format=told, keep=True))
                records = loads(data, format=told)
        except RecordError as error:
            refused += 1
            assert str(error) and "\n" not in str(error), (number, data)
            assert "the game cannot be read: " not in str(error), (number, data, error)  # not by the reader itself
            records = [] if error.record is None else [error.record]
        except Exception as fault:
            raise AssertionError((number, data)) from fault
        for record in records:
            record.check()
    assert 0 < refused < EXAMPLES


# ---- other files: what reads one, the error that it documents, and the contents of whole ones
#
# Each reader gets the path of a file that has the name it is known by.


def shogi_book(path):
    book = Book.load(path)
    assert all(moves is not None for moves in book.positions.values())
    return SHOGI.write(SHOGI.read(path, []))


def othello_book(path):
    return OTHELLO.write(OTHELLO.read(path, []))


def sbk_file():
    value = 10, b"\x08\x05\x10\x1c\x2a" + bytes([len(line := "▲７六歩(77) △３四歩(33)".encode())]) + line
    first = (1, 0), (7, f"sfen {START_SFEN}".encode()), (8, b"comment"), value, sbk_move("7g7f", 1, 30, 1)
    return sbk((*first, sbk_move("2g2f", 2, 10, 2)), ((1, 1), sbk_move("3c3d", 0, 4, -1)), ((1, 2),))


def packed(kind):
    """Return a reader of packed positions."""

    def read(path):
        return from_records(Batch("shogi"), np.asarray(open_records(path, kind)), kind)

    return read


def packed_file(kind):
    records = np.zeros(4, HCPE)
    records["hcp"] = Batch("shogi", "hcp").pack([START_SFEN] * 4)
    if kind == "hcpe":
        return records.tobytes()
    return (ROOT / "tools" / "data" / "floodgate.psv").read_bytes()[: 40 * 8]


def hcpe3_file(folder):
    (folder / "a.usi").write_text("startpos moves 7g7f 3c3d 2g2f resign\nstartpos moves 2g2f 8c8d\n")
    write_hcpe3(Batch("shogi"), folder / "b", games(folder / "a.usi"))
    return (folder / "b").read_bytes()


def training_file(folder):
    moves = {"moves": np.zeros(9, np.uint32), "values": np.zeros(9, np.int16), "options": np.array("{}")}
    np.savez(folder / "b.npz", **moves, lengths=np.array([4, 5], np.int32), results=np.array([1, -1], np.int8))
    return (folder / "b.npz").read_bytes()


BOOK_LINE = "7g7f 3c3d 30 12 4\n2g2f none none none 1 // comment\n"
EDAX = [(discs(AFTER), 21, [(square("d6"), 0), (square("f4"), -6)]), (discs(SECOND), 20, [(65, 3)])]
EGAROUCID = [(discs(AFTER), 1, 21, square("f4"), -5), (discs(SECOND), -1, 19, 125, -126)]
PROBLEM = {"sfen": START_SFEN, "mate": 5}
OTHERS = {
    "db": (shogi_book, BookError, lambda _: f"#YANEURAOU-DB2016 1.00\nsfen {START_SFEN}\n{BOOK_LINE}".encode()),
    "sbk": (lambda path: SHOGI.write(SHOGI.read(path, [])), BookError, lambda _: sbk_file()),
    "txt": (othello_book, BookError, lambda _: f"{AFTER.obf()}; d6:+0.0; f4:-6.0\n{SECOND.obf()}; c3:+1.5\n".encode()),
    "txt.gz": (othello_book, BookError, lambda _: gzip.compress(f"{AFTER.obf()}; d6:+0.0\n".encode())),
    "edax.txt": (othello_book, BookError, lambda _: f"{AFTER.obf()},21,f4,-5\n{SECOND.obf()},20,c3,3\n".encode()),
    "dat": (othello_book, BookError, lambda _: edax_dat(EDAX)),
    "egbk3": (othello_book, BookError, lambda _: egaroucid(EGAROUCID)),
    "hcpe": (packed("hcpe"), ValueError, lambda _: packed_file("hcpe")),
    "psv": (packed("psv"), ValueError, lambda _: packed_file("psv")),
    "hcpe3": (lambda path: list(read_hcpe3(Batch("shogi"), path)), ValueError, hcpe3_file),
    "npz": (lambda path: list(training_games(Batch("shogi"), path)), ValueError, training_file),
    "openings": (plan.read, ValueError, lambda _: plan.SHIPPED.read_bytes()[:400]),
    "suite": (suites.read_mate, ValueError, lambda _: json.dumps({"positions": [PROBLEM] * 3}).encode()),
}  # fmt: skip
BINARY = {"sbk", "txt.gz", "dat", "egbk3", "hcpe", "psv", "hcpe3", "npz"}


@pytest.mark.parametrize("kind", OTHERS)
def test_damaged_files_of_other_kinds(kind, tmp_path):
    read, documented, made = OTHERS[kind]
    rng, path, whole, refused = random.Random(kind), tmp_path / f"a.{kind}", made(tmp_path), 0
    path.write_bytes(whole)
    read(path)
    for number in range(EXAMPLES):
        data = damaged(rng, whole, kind in BINARY)
        if rng.random() < 0.1:
            data = data[: rng.randrange(len(data) + 1)]
        path.write_bytes(data)
        try:
            with ended_after(SECONDS):
                read(path)
        except documented as error:
            refused += 1
            assert str(error), (number, data)
        except Exception as fault:
            raise AssertionError((number, data)) from fault
    assert 0 < refused < EXAMPLES


# ---- commands on folders


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "{}", "{}/../out", "--to", "jsonl", "--keep"),
        ("convert", "{}", "{}/../out", "--to", "kif"),
        ("book", "shogi", "index", "{}", "--out", "{}/../a.index"),
    ],
    ids=lambda words: words[-1],
)
def test_commands_on_folders_of_damaged_files(words, tmp_path, capsys):
    rng, folder = random.Random(words[-1]), tmp_path / "in"
    folder.mkdir()
    formats = all_formats()
    whole = {format.name: files_of(format, rng, 2) for format in formats}
    for number, format in zip(range(EXAMPLES), itertools.cycle(formats)):
        data = damaged(rng, rng.choice(whole[format.name]), format.binary)
        (folder / f"{number}{format.extensions[0]}").write_bytes(data)
    status = main([word.format(folder) for word in words])
    told = capsys.readouterr()
    assert status in (0, 1) and "Traceback" not in told.err and "Error" not in told.err, told.err
