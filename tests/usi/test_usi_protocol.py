"""Lines to dataclasses and back, without an engine."""

import pytest
from hypothesis import given, strategies as st

from shogi_engine.common.text import NUMBER_MAX
from shogi_engine.games.shogi.names import flip_sfen
from usi.options import HELP, OPTIONS, Options, options_table
from usi.protocol import Position, ProtocolError, info_line, parse_go, parse_position, parse_setoption

SFEN = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"


def go(line):
    return parse_go(line.split())


def test_go_reads_every_form():
    clock = go("btime 60000 wtime 50000 byoyomi 1000")
    assert (clock.btime, clock.wtime, clock.byoyomi, clock.binc) == (60000, 50000, 1000, None)
    assert go("btime 0 wtime 0 binc 5000 winc 4000").winc == 4000
    assert go("infinite").infinite and not go("infinite").has_limit()
    assert go("ponder btime 1 wtime 1 byoyomi 1").ponder
    assert (go("mate 500").mate, go("mate infinite").mate) == (500, 0)
    assert go("depth 3 nodes 7").has_limit() and go("movetime 9").movetime == 9
    assert go("searchmoves 7g7f P*5e depth 4").searchmoves == ("7g7f", "P*5e")
    assert go("searchmoves 7g7f P*5e depth 4").depth == 4
    assert go("perft 3").perft == 3


def test_go_skips_unknown_words_and_names_faults():
    assert go("rtime 5 depth 3 quickly").depth == 3
    assert go("rtime 5 depth 3 quickly").faults == []
    assert go("depth x").faults == ["go: depth 'x' is not a whole number"]
    assert go("depth").faults == ["go: expected a number after depth"]
    assert go("depth nodes 5").nodes == 5
    assert go("btime -300 wtime 5").btime == 0  # a clock below zero
    assert go("depth 0").depth == 1
    assert go("nodes " + "9" * 5000).nodes == NUMBER_MAX


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("perft x", "go: perft 'x' is not a whole number"),
        ("perft x btime 5 wtime 5", "go: perft 'x' is not a whole number"),
        ("perft infinite", "go: perft 'infinite' is not a whole number"),
        ("perft", "go: expected a number after perft"),
        ("perft depth 3", "go: expected a number after perft"),
    ],
)
def test_a_count_is_one_even_if_its_depth_can_not_be_read(line, fault):
    assert go(line).perft == 0 and go(line).faults == [fault]
    assert go("depth 3").perft is None and go("perft 0").perft == 1


def test_a_mate_search_is_one_whatever_its_limit():
    assert go("mate").mate == go("mate infinite").mate == 0 and not go("mate").faults
    assert go("mate btime 5").mate == 0 and go("mate btime 5").btime == 5
    assert go("mate many").mate and go("mate many").faults == ["go: mate 'many' is not a whole number"]
    assert go("mate 9" + "9" * 30).mate == NUMBER_MAX


@pytest.mark.parametrize(
    ("line", "bounded"),
    [("depth 3", True), ("nodes 3", True), ("movetime 3", True), ("btime 3", True), ("byoyomi 0", True), ("", False),
     ("infinite", False), ("ponder btime 3", False), ("infinite depth 3", False), ("mate", False), ("mate 5", True),
     ("mate infinite", False), ("searchmoves 7g7f", False), ("depth x", True)],
)  # fmt: skip
def test_what_ends_by_itself(line, bounded):
    assert go(line).is_bounded() is bounded


def position(line):
    return parse_position(line.split())


def test_position_reads_every_form():
    assert position("startpos") == Position()
    assert position("startpos moves") == Position()
    assert position("startpos moves 7g7f 3c3d") == Position("", ("7g7f", "3c3d"))
    assert position(f"sfen {SFEN} moves 1a1b") == Position(SFEN, ("1a1b",))
    assert position(SFEN) == Position(SFEN)  # the word sfen is often left out
    assert position(f"sfen {SFEN.rsplit(' ', 1)[0]}") == Position(SFEN)  # the move number too


def test_a_move_number_of_0_is_1():
    """For the number of moves made, by which time is planned; the engine's reader does the same."""
    zero, one = (position(f"sfen {SFEN.rsplit(' ', 1)[0]} {number} moves 1a1b") for number in (0, 1))
    assert zero.ply == one.ply == 1


@pytest.mark.parametrize("line", ["", "startpos 7g7f", "sfen", "sfen moves 7g7f", "somewhere", "moves 7g7f"])
def test_position_names_faults(line):
    with pytest.raises(ProtocolError, match="position: "):
        position(line)


def test_position_knows_side_and_ply():
    assert not Position().white_to_move and Position("", ("7g7f",)).white_to_move
    assert Position(SFEN).white_to_move and not Position(SFEN, ("1a1b",)).white_to_move
    assert (Position().ply, Position("", ("7g7f",)).ply) == (0, 1)
    assert Position("9/9/9/9/9/9/9/9/9 b - 41", ("5i5h",)).ply == 41


def test_setoption_values_may_hold_spaces():
    option = parse_setoption(["name", "DebugLogFile", "value", "C:\\my", "games\\log.txt"])
    assert (option.name, option.value) == ("DebugLogFile", "C:\\my games\\log.txt")
    assert parse_setoption(["name", "Clear", "Hash"]).value == ""
    with pytest.raises(ProtocolError):
        parse_setoption(["USI_Hash", "64"])


def test_option_lines_are_those_guis_can_read():
    for option in OPTIONS:
        words = option.declaration().split(" ")
        assert words[:2] == ["option", "name"] and words[3] == "type" and words[5] == "default"
        assert "" not in words and len(words) % 2 == 1
        if option.kind == "spin":
            assert words[7] == "min" and words[9] == "max" and option.least <= option.default <= option.most


def test_every_option_says_what_it_does():
    names = {option.name for option in OPTIONS}
    assert set(HELP) == names, f"OPTIONS and HELP of usi/options.py differ: {set(HELP) ^ names}"
    assert all(f"| `{option.name}` |" in options_table() for option in OPTIONS)


def test_options_are_found_under_any_spelling():
    options = Options()
    assert options.set("multipv", "3") == options.set("USI_MultiPV", "3") == "MultiPV"
    assert options.set("Hash", "16") == options.set("usi_hash", "16") == "USI_Hash"
    assert options.set("bookfile", "no_book") == "BookFile"
    assert (options.number("MultiPV"), options.number("USI_Hash")) == (3, 16)
    options.set("Threads", "100000")
    assert options.number("Threads") == 256
    for name, value in (("MultiPV", "many"), ("USI_Ponder", "1"), ("MultiPV", "")):
        with pytest.raises(ProtocolError, match="setoption: "):
            options.set(name, value)
    options.set("DebugLogFile", "<empty>")
    assert options.text("DebugLogFile") == ""


def test_info_line_has_the_words_in_order():
    line = info_line(
        depth=9, seldepth=4, score="mate -4", nodes=2000, seconds=0.5, hashfull=12, pv=["7g7f", "3c3d"],
        bound="lower", multipv=2,
    )  # fmt: skip
    assert line == (
        "info depth 9 seldepth 9 multipv 2 score mate -4 lowerbound nodes 2000 nps 4000 hashfull 12 time 500"
        " pv 7g7f 3c3d"
    )
    assert "multipv" not in info_line(depth=1, seldepth=1, score="cp 0", nodes=1, seconds=0, hashfull=0, pv=["7g7f"])


KNOWN = "go btime wtime mate depth nodes infinite searchmoves moves sfen startpos name value -1 7 b"
words = st.one_of(st.sampled_from(KNOWN.split(" ")), st.text(min_size=1, max_size=8))


@given(st.lists(words, max_size=12))
def test_no_line_breaks_a_parser(arguments):
    parse_go(arguments)
    for parse in (parse_position, parse_setoption):
        try:
            parse(arguments)
        except ProtocolError as fault:
            text = str(fault)
            assert text.isascii() and "\n" not in text
    Position(" ".join(arguments), ("7g7f",)).ply  # noqa: B018


def test_a_position_turned_around():
    start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
    assert flip_sfen(f"{start} b - 1") == f"{start} w - 1"
    there = "lR6K/PG2P1P2/1N6P/p1PSgpB2/pP4p3/P1p5P/1S3nP2/KG1p+P5/L8 w RGgsn5p 7"
    assert flip_sfen(flip_sfen(SFEN)) == SFEN and flip_sfen(flip_sfen(there)) == there
    assert flip_sfen("9/9/4+P4/9/9/9/9/9/K8 b 2Pr 3") == "8k/9/9/9/9/9/4+p4/9/9 w 2pR 3"


def test_eval_type_is_checked():
    options = Options()
    options.set("EvalType", "Material")
    assert options.text("EvalType") == "material"
    with pytest.raises(ProtocolError, match="EvalType is one of material king-piece network nnue"):
        options.set("EvalType", "none")
