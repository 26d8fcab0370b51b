"""Through every pair of formats moves, variations, comments and times survive, as far as both can hold them."""

import copy
import itertools
import pickle

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from shogi_engine import othello, shogi
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.records import (
    ENDINGS,
    GameRecord,
    Outcome,
    Termination,
    all_formats,
    dumps,
    from_arrays,
    games,
    load_format,
    loads,
)
from shogi_engine.types.outcomes import BY_RULE, USUAL_WINNERS, completed, termination_of, usual_outcome
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


@pytest.mark.parametrize("between", [b"\xef\xbb\xbf", b"\x1a", b"\x1a\xef\xbb\xbf"])
@pytest.mark.parametrize("name", [each.name for each in all_formats() if not each.binary and each.name != "jkf"])
def test_files_are_joined_with_what_they_begin_and_end_with(name, between, tmp_path):
    data = dumps(random_record(1, load_format(name).game or "shogi", 30, start=""), name, "utf-8")
    assert loads(data + between + data) == loads(data) * 2
    (tmp_path / "both").write_bytes(data + between + data)
    (arrays,) = games(tmp_path / "both", format=name)
    moves = loads(data)[0].moves
    assert [record.moves for record in from_arrays(arrays, arrays.game)] == [moves, moves] and arrays.faults == []


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


@pytest.mark.parametrize("format", all_formats(), ids=lambda each: each.name)
def test_a_board_s_move_is_added_as_its_text(format):
    game = format.game or "shogi"
    board, record, other = (shogi if game == "shogi" else othello).Board(), GameRecord(game), GameRecord(game)
    for text in MOVES[game][:2]:
        move = board.push_text(text)
        record.main_line[-1].add(move), other.main_line[-1].add(text)
    assert dumps(record, format.name) == dumps(other, format.name)


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


# ---- endings -----------------------------------------------------------------------------------------------------


MOVES = {"shogi": ["7g7f", "3c3d", "2g2f"], "othello": ["f5", "d6", "c3"]}
WIPED_OUT = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]
WHITE_FIRST = {
    "shogi": "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "othello": "---------------------------OX------XO--------------------------- O",
}
FORMATS = [each for each in all_formats() if each.name not in ("bod", "obf")]  # these hold a position
WHO = (None, 0, 1)


def saved_and_read(record, name):
    (again,) = loads(dumps(record, name), format=name)
    return again


@pytest.mark.parametrize("termination", ENDINGS)
@pytest.mark.parametrize("format", FORMATS, ids=lambda each: each.name)
def test_every_ending_is_kept_or_named_as_lost(format, termination):
    for plies, winner, score in itertools.product((2, 3), WHO, (None, 12.0, -12.0)):
        if score is not None and (format.game == "shogi" or winner != int(score < 0)):
            continue
        record = GameRecord.from_moves(format.game or "shogi", MOVES[format.game or "shogi"][:plies])
        record.score = score
        record.end(Outcome(winner, termination))
        before, after = record.outcome(), saved_and_read(record, format.name).outcome()
        lost, now = format.losses(record), after or Outcome(None, Termination.NONE)
        if termination not in BY_RULE:  # which no unfinished game has
            assert now.termination == before.termination or "endings" in lost, (before, now)
            assert now.winner == before.winner or "winners" in lost, (before, now)
            assert not lost or now != before or set(lost).isdisjoint(("endings", "winners")), (before, now)


@pytest.mark.parametrize("name", ["kif", "ki2", "csa", "jkf", "usi", "sgf"])
def test_endings_of_games_that_white_begins(name):
    format = load_format(name)
    moves = {"shogi": ["3c3d", "7g7f"], "othello": ["c5", "e6"]}[format.game]
    for termination, winner, plies in itertools.product(ENDINGS, WHO, (1, 2)):
        record = GameRecord.from_moves(format.game, moves[:plies], start=WHITE_FIRST[format.game])
        record.end(Outcome(winner, termination))
        after = saved_and_read(record, name).outcome() or Outcome(None, Termination.NONE)
        lost = format.losses(record)
        assert termination in BY_RULE or after.winner == record.outcome().winner or "winners" in lost, (
            name,
            termination,
            winner,
        )


@pytest.mark.parametrize("name", ["kif", "ki2", "jkf", "csa"])
def test_variations_keep_their_endings_too(name):
    format = load_format(name)
    for termination, winner in itertools.product(set(ENDINGS) - BY_RULE, WHO):
        record = GameRecord.from_moves("shogi", MOVES["shogi"], ending="interrupted")
        record.root.next.add("8c8d").end(Outcome(winner, termination))
        lost, again = format.losses(record), saved_and_read(record, name)
        if "variations" not in lost:
            wanted, found = completed(Outcome(winner, termination), 0), again.root.next.variations[0].outcome
            assert found == wanted or set(lost) & {"endings", "winners"}


@pytest.mark.parametrize("format", [each for each in FORMATS if each.game == "othello"], ids=lambda each: each.name)
def test_a_wipe_out_is_told_by_the_moves(format):
    record = GameRecord.from_moves("othello", WIPED_OUT)
    record.score = float(record.board().outcome().score)
    assert record.outcome() == Outcome(0, Termination.WIPE_OUT)
    again = saved_and_read(record, format.name)
    assert again.outcome() == record.outcome() and again.result == "1-0"
    record.end(Outcome(0, Termination.WIPE_OUT))
    assert "endings" not in format.losses(record)


@pytest.mark.parametrize("plies", [2, 3])
def test_what_used_to_be_lost(plies):
    """An adjudicated win, and a resignation while the opponent thinks."""
    for termination, winner in itertools.product((Termination.ADJUDICATION, Termination.RESIGNATION), (0, 1)):
        record = GameRecord.from_moves("shogi", MOVES["shogi"][:plies])
        record.end(Outcome(winner, termination))
        for name in ("kif", "ki2"):
            again = saved_and_read(record, name)
            assert again.outcome() == record.outcome() and again.result == record.result, name
        if termination is Termination.ADJUDICATION:
            assert load_format("csa").losses(record) == ["endings"]


@pytest.mark.parametrize("name", ["kif", "ki2", "csa", "jkf"])
def test_an_ending_without_a_winner_is_won_by_who_usually_wins_so(name):
    record = GameRecord.from_moves("shogi", MOVES["shogi"])
    record.main_line[-1].ending = "resignation"
    assert record.result == "1-0" and record.outcome() == Outcome(0, Termination.RESIGNATION)
    assert saved_and_read(record, name).outcome() == record.outcome() and not load_format(name).losses(record)


def test_names_of_endings():
    assert termination_of("resignation") is Termination.RESIGNATION and Termination("mate") == "mate"
    with pytest.raises(ValueError, match="there is no ending 'won'; there are resignation, mate"):
        termination_of("won")
    for termination in USUAL_WINNERS:
        assert usual_outcome(termination, 0).winner == 1 - usual_outcome(termination, 1).winner
    record = GameRecord.from_moves("shogi", ["7g7f"], ending="resignation")
    assert (record.result, record.outcome()) == ("1-0", Outcome(0, Termination.RESIGNATION))
    record.ending = ""
    assert record.outcome() is None and record.result == "*"
    assert str(Outcome(1, Termination.TIME_FORFEIT)) == "white wins: time"
    assert str(Outcome(None, Termination.REPETITION)) == "a draw: repetition"
    assert str(Outcome(None, Termination.INTERRUPTED)) == "interrupted"


def test_an_ending_without_moves_from_a_diagram():
    for termination in (Termination.TIME_FORFEIT, Termination.DECLARATION, Termination.NO_MATE):
        record = GameRecord.from_moves("shogi", [], start="4k4/9/4P4/9/9/9/9/9/9 b G 1")
        record.end(usual_outcome(termination, 0))
        (again,) = loads(dumps(record, "kif"))  # recognised as KIF, not as the diagram alone
        assert again.outcome() == record.outcome()
