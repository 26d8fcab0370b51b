"""Through every pair of formats moves, variations, comments and times survive, as far as both can hold them."""

import copy
import pickle

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shogi_engine.jit import JIT_DISABLED
from shogi_engine.records import all_formats, dumps, load_format, loads
from tests.records.random_records import random_record, reduced

EXAMPLES = settings(max_examples=2 if JIT_DISABLED else 6, suppress_health_check=list(HealthCheck))
WHOLE = {"shogi": ("kif", "ki2", "csa", "jkf", "usi"), "othello": ("ggf", "sgf", "transcript", "wthor")}
PAIRS = [(game, one, two) for game, names in WHOLE.items() for one in names for two in names]
# CSA has no words for these, WTHOR and the others none at all.
NOT_OF = {"csa": ("default", "sealed move", "last move", "try"), "jkf": ("try",)}  # endings without a word there


def through(record, *names):
    """Return the record after it was written and read in each of the formats."""
    for name in names:
        (record,) = loads(dumps(record, name))
    return record


@pytest.mark.parametrize(("game", "one", "two"), PAIRS)
@EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_through_two_formats(game, one, two, seed):
    record = random_record(seed, game, 30, start=None if game == "shogi" else "")
    if game == "othello":  # a pass at the end of an unfinished game is nowhere
        while len(line := record.main_line) > 1 and line[-1].move == "pass":
            line[-2].children.clear()
    formats = load_format(one), load_format(two)
    holds = formats[0].holds & formats[1].holds
    again = through(record, one, two)
    if "variations" not in holds or "comments" not in holds or "sgf" not in (one, two):
        assert reduced(again, holds) == reduced(record, holds)
    assert again.moves == record.moves
    assert again.start.split()[:3] == record.start.split()[:3]
    if "names" in holds:
        assert again.names == record.names
    if "headers" in holds:
        assert again.headers == record.headers
    if "endings" in holds and game == "shogi" and not any(record.ending in NOT_OF.get(name, ()) for name in (one, two)):
        assert again.ending == record.ending and again.result == record.result


@pytest.mark.parametrize("tail", [b"\x1a", b"\r\n\x1a\r\n", b"\0\0\0", b"\n\0"])
@pytest.mark.parametrize("format", [each for each in all_formats() if not each.binary], ids=lambda each: each.name)
def test_what_dos_and_broken_disks_leave_at_the_end_of_a_file(format, tail):
    data = dumps(random_record(1, format.game or "shogi", 30, start=""), format.name)
    assert loads(data + tail) == loads(data)


@pytest.mark.parametrize("name", ["jkf", "kif", "sgf", "jsonl"])
@EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_what_holds_all_is_the_same_record(name, seed):
    game = load_format(name).game or "othello"
    record = random_record(seed, game, 40, 8, start="")
    for node in record.nodes():  # the ends of variations, too
        if node.ending in NOT_OF.get(name, ()):
            node.end(None)
    again = through(record, name)
    if name == "sgf":
        for node in record.nodes():
            node.seconds = None
        record.score = again.score  # of a finished game it is counted
    assert again == record
    again.check()


@pytest.mark.parametrize("format", [each for each in all_formats() if each.many], ids=lambda each: each.name)
def test_many_games_in_a_file(format):
    records = [random_record(seed, format.game or "shogi", 20, start="") for seed in range(5)]
    if format.name in ("bod", "obf"):
        expected = [
            (record.board().sfen() if format.game == "shogi" else record.board().obf(), []) for record in records
        ]
    else:
        expected = [(record.start, record.moves) for record in records]
    again = loads(dumps(records, format.name))
    assert [(record.start, record.moves) for record in again] == expected


def test_long_games_and_deep_variations_need_no_deep_stack():
    moves = ["2h3h", "8b7b", "3h2h", "7b8b"] * 500
    record = random_record(1, start="", plies=2)
    node = record.root = type(record.root)()
    for move in moves:
        node = node.add(move)
    node = record.root
    for ply, move in enumerate(moves[:1200]):
        node.add("9i9h" if ply % 2 == 0 else "9a9b")
        node = node.children[0]
        assert node.move == move
    for name in ("kif", "jkf"):
        assert through(record, name) == record
    for again in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert again == record and again.root is not record.root
    shallow = copy.copy(record.root)
    assert shallow == record.root and shallow.next is record.root.next


@pytest.mark.parametrize("game", ["shogi", "othello"])
@pytest.mark.parametrize("header", ["event", "記録係", "note", "ZZ", "started", "PB", "time", "max_moves"])
def test_a_header_is_kept_or_listed_as_lost(game, header):
    record = random_record(1, game, 6, start="")
    record.headers = {header: "x"}
    for format in all_formats(game):
        if format.name in WHOLE[game]:
            kept = through(record, format.name).headers == record.headers
            assert kept or "headers" in format.losses(record), format.name
            assert not (kept and "headers" in format.losses(record)), format.name
