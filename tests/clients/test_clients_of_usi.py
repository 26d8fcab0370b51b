"""shogi_engine/clients/usi.py: engines as objects, with all that they may do wrong; the engine is a stub."""

import asyncio
import os
import subprocess
import sys
import threading
import time

import pytest

from shogi_engine.clients import base as engine_client
from shogi_engine.clients.base import EngineError
from shogi_engine.clients.usi import (
    Option,
    SimpleEngine,
    go_words,
    parse_info,
    parse_option,
    parse_options,
    popen_usi,
    position_command,
    side_to_move,
)
from shogi_engine.games.shogi.board import Board, Move
from shogi_engine.types.limits import Limit
from shogi_engine.types.results import Info, Score
from tests.support.processes import TESTS

STUB = [sys.executable, "-S", str(TESTS / "support" / "usi_stub.py")]
NOW = Limit(time=0.01)


def stub(*kinds, **settings):
    return SimpleEngine([*STUB, *kinds], **{"timeout": 5.0, "ready_timeout": 10.0, **settings})


@pytest.mark.parametrize(
    ("line", "info"),
    [
        (
            "info depth 3 seldepth 9 time 12 score cp -12 nodes 400 nps 9000 hashfull 5 pv 7g7f 3c3d",
            Info(3, 9, time=0.012, score=Score(-12), nodes=400, nps=9000, hashfull=5, pv=("7g7f", "3c3d")),
        ),
        (
            "info depth 3 multipv 2 score cp 12 upperbound nodes 4",
            Info(depth=3, multipv=2, nodes=4, score=Score(12), bound="upper"),
        ),
        ("info score mate -3 lowerbound", Info(score=Score.mated_in(3), bound="lower")),
        ("info score mate + nodes 5", Info(score=Score.mate_in(None), nodes=5)),
        ("info score mate -0", Info(score=Score.mated_in(0))),
        ("info currmove P*5e currmovenumber 3 nodes +7", Info(currmove="P*5e", currmovenumber=3, nodes=7)),
        ("info pv 7g7f nodes 5", Info(pv=("7g7f",), nodes=5)),
        ("info string depth 7  score cp 9", Info(string="depth 7  score cp 9")),
        ("info depth nodes 12 score cp pv", Info(nodes=12)),
        ("info score mate x", Info()),
        ("info nodes " + "9" * 400, Info(nodes=1 << 53)),
        ("info score cp 99999999999999999999", Info(score=Score(99_999))),
        ("info score cp -99999999999999999999", Info(score=Score(-99_999))),
        ("info score mate -99999999999999999999", Info(score=Score.mated_in(9_999))),
        ("info depth 99999999999 seldepth -3 multipv 99999999999", Info(depth=9_999, seldepth=0, multipv=9_999)),
        ("info time -5 nps 99999999999999999999 hashfull 2000", Info(time=0.0, nps=1 << 53, hashfull=1000)),
        ("info pv 7g7f 3c3d rep_draw", Info(pv=("7g7f", "3c3d"))),
        ("info pv rep_inf nodes 5", Info(nodes=5)),
        ("info currmove (none) nodes 5", Info(nodes=5)),
        ("info", Info()),
    ],
)
def test_info_lines(line, info):
    assert parse_info(line) == info


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("option name Hash type spin default 16 min 1 max 9", Option("Hash", "spin", "16", 1, 9)),
        ("option name Skill Level type spin default -3 min -20 max 20", Option("Skill Level", "spin", "-3", -20, 20)),
        (
            "option name Some Style type combo default slow and calm var slow and calm var quick",
            Option("Some Style", "combo", "slow and calm", var=("slow and calm", "quick")),
        ),
        ("option name Clear Hash type button", Option("Clear Hash", "button")),
        ("option name File type filename default <empty>", Option("File", "filename")),
        ("option name Min type spin min x", Option("Min", "spin")),
        ("option name X type string default a b", Option("X", "string", "a b")),
        ("option name", None),
        ("option", None),
    ],
)
def test_option_lines(line, option):
    assert parse_option(line) == option


def test_what_options_can_not_be():
    refused = [("spin", "10"), ("spin", "x"), ("spin", None), ("check", "yes"), ("combo", "c"), ("button", 1)]
    for kind, value in refused:
        with pytest.raises(ValueError):
            Option("X", kind, min=1, max=9, var=("a", "b")).text(value)
    assert Option("X", "check").text(True) == "true"
    assert Option("X", "button").text(None) is None
    assert parse_options("A=1, B,C=x\\,y") == (("A", "1"), ("B", None), ("C", "x,y"))


def test_what_go_says():
    clock = Limit(black_clock=0.009, white_clock=0.0089, black_inc=0.001, white_inc=0.002, nodes=7)
    assert go_words(clock) == "btime 9 wtime 8 binc 1 winc 2 nodes 7"
    assert go_words(Limit(byoyomi=0.005, depth=3, time=0.004)) == "byoyomi 5 movetime 4 depth 3"
    assert go_words(Limit()) == "" and go_words(Limit(time=0.3 - 0.2)) == "movetime 100"
    for wrong in (Limit(mate=3), Limit(level=3)):
        with pytest.raises(ValueError, match="cannot be limited"):
            go_words(wrong)
    clock = Limit(black_clock=0.009, white_clock=0.008, byoyomi=0.1, time=0.003)
    assert [clock.allowed(side) for side in (0, 1)] == [0.109, 0.108]
    assert [Limit(nodes=5).allowed(0), Limit(time=5).allowed(1)] == [None, 5]


def test_positions():
    board = Board()
    board.push_usi("7g7f")
    assert position_command(board) == "position startpos moves 7g7f" == position_command("startpos moves 7g7f")
    other = Board("4k4/9/9/9/9/9/9/9/4K4 w G 1")
    assert position_command(other) == f"position sfen {other.sfen()}" == position_command(other.sfen())
    start = board.root().sfen()  # in other forms that are read as a position, but not by engines
    for text in (start, start.replace(" ", "_"), f"{start[:-1]}0", start[:-2], "position startpos", f"sfen {start}"):
        assert position_command(f"{text} moves 7g7f") == position_command(board)
    commands = ["startpos", "startpos moves 7g7f", position_command(other), f"{position_command(other)} moves 5a4a"]
    assert [side_to_move(f"position {each.removeprefix('position ')}") for each in commands] == [0, 1, 1, 0]


def test_the_last_word_is_that_of_the_best_move():
    infos = (
        "info depth 5 score cp 10 lowerbound multipv 1|info depth 5 multipv 2 score cp -300 pv 2g2f|info nodes 9"
        "|info depth 6 score cp 20 pv 7g7f|bestmove 7g7f"
    )
    with stub(f"says:{infos}") as engine:
        info = engine.play("startpos", NOW).info
        assert info == Info(depth=6, multipv=1, score=Score(20), nodes=9, pv=("7g7f",)) and info.nps is None
        assert dict(info) == {"depth": 6, "multipv": 1, "score": Score(20), "nodes": 9, "pv": ("7g7f",)}
        assert info["nodes"] == info.get("nodes") == 9 and "nps" not in info
        with pytest.raises(KeyError):
            info["nps"]
        assert [line.score for line in engine.analyse("startpos", NOW, multipv=2)] == [Score(20), Score(-300)]


def test_a_conversation():
    lines = []
    with stub(options={"MultiPV": 2, "Clear Hash": None}, log=lambda way, line: lines.append(way + line)) as engine:
        assert (engine.name, engine.author, engine.running) == ("stub", "nobody", True)
        assert engine.listed["MultiPV"] == Option("MultiPV", "spin", "1", 1, 5)
        engine.new_game()
        found = engine.play("startpos", Limit(black_clock=0.1, white_clock=0.2, byoyomi=0.003))
        assert (found.move, found.ponder, found.info["score"]) == ("7g7f", "3c3d", Score(20))
        assert 0 < found.time < 5 and not (found.resigned or found.declares)
        engine.game_over("win")
    assert not engine.running
    sent = [line[1:] for line in lines if line[0] == ">"]
    assert sent == [
        "usi", "setoption name MultiPV value 2", "setoption name Clear Hash", "isready", "usinewgame",
        "position startpos", "go btime 100 wtime 200 byoyomi 3", "gameover win", "quit",
    ]  # fmt: skip


def test_an_analysis_is_followed_and_stopped():
    with stub() as engine:
        with engine.analysis("startpos") as search:
            for info in search:
                if info.depth == 2:
                    break
            assert search.info.pv == search.multipv[0].pv == ("7g7f", "3c3d")
        assert search.info.string == "stop"
        assert [info.depth for info in engine.analyse(Board(), NOW, multipv=3)] == [2, 2, 2]
        assert engine.analyse(Board(), NOW)["depth"] == 2
        endless = engine.analysis("startpos")
        threading.Timer(0.1, endless.stop).start()
        assert endless.wait().move == "7g7f"
        left = engine.analysis("startpos")
        assert engine.play("startpos", NOW).move == "7g7f"  # which ended the one before
        assert left.wait().move == "7g7f"


def test_an_analysis_of_several_moves_leaves_the_option_as_it_was():
    def lines(engine, **settings):
        search = engine.analysis("startpos", NOW, **settings)
        assert search.wait().move == "7g7f"
        return len(search.multipv)

    with stub() as engine:
        assert [lines(engine, multipv=3), lines(engine)] == [3, 1]
        engine.configure({"MultiPV": 2})
        assert [lines(engine), lines(engine, multipv=3), lines(engine)] == [2, 3, 2]
        engine.close()
        assert [lines(engine), lines(engine, multipv=3), lines(engine)] == [1, 3, 1]


def test_root_moves():
    with stub() as engine:
        root_moves = [Move.from_usi("2g2f"), Move.from_usi("7g7f")]
        assert engine.play(Board(), NOW, root_moves=root_moves).info.string.endswith(
            "movetime 10 searchmoves 2g2f 7g7f"
        )
        with pytest.raises(ValueError, match="a limit is needed"):
            engine.play("startpos", Limit())
        with pytest.raises(ValueError, match="a limit is needed"):
            engine.analyse("startpos moves 7g7f", Limit(black_clock=3))  # white is to move


def test_an_engine_that_resigns_or_declares_makes_no_move():
    for word, resigned in (("resign", True), ("win", False)):
        for position in ("startpos", Board()):
            with stub(f"says:bestmove {word}") as engine:
                found = engine.play(position, NOW)
                assert (found.move, found.resigned, found.declares) == (None, resigned, not resigned)


def test_pondering():
    with stub() as engine:
        engine.ponder("startpos moves 7g7f 3c3d", Limit(byoyomi=0.05))
        assert engine.pondering == "position startpos moves 7g7f 3c3d"
        assert engine.play("startpos moves 7g7f 3c3d", NOW).info.string == "ponderhit"
        engine.ponder("startpos", NOW)
        found = engine.play(Board(), NOW)  # a Board of the position that was given as text
        assert found.info.pv[:1] == (found.move,) == (Move.from_usi("7g7f"),)
        engine.ponder("startpos", NOW)
        assert engine.ponder_hit(Limit(black_clock=0.005, white_clock=0.006)).info.string == "ponderhit btime 5 wtime 6"
        engine.ponder("startpos", NOW)
        assert engine.play("startpos moves 2g2f", NOW).info.string.endswith("go movetime 10")  # a miss
        engine.ponder("startpos", NOW)
        engine.game_over("draw", stop=False)
        assert engine.pondering == ""
        with pytest.raises(ValueError, match="does not ponder"):
            engine.ponder_hit()


def test_mates():
    with stub() as engine:
        assert engine.mate("startpos").moves == ("G*5b", "4a3b")
        limits = [Limit(time=ms / 1000) for ms in (1, 2, 3)]
        assert [engine.mate("startpos", limit).result for limit in limits] == ["timeout", "nomate", "mate"]
    with stub("dumb-mate") as engine:
        assert engine.mate("startpos", Limit(time=0.005)).result == "notimplemented"


def test_garbage_does_no_harm():
    with stub("garbage") as engine:
        engine.new_game()
        assert engine.play("startpos", NOW).move == "7g7f"
        assert engine.mate("startpos")


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        ("deaf", "no answer"),
        ("silent", "no answer"),
        ("mute-stop", "no answer"),
        ("dies", "crash: exit status 1, no such network"),
        ("twice", "second answer"),
    ],
)
def test_faults(kind, fault):
    engine = stub(kind)
    engine.start()
    if fault == "no answer":
        engine.client.timeout = engine.client.ready_timeout = 0.2
    with pytest.raises(EngineError, match=fault) as raised:
        if kind == "deaf":
            engine.ready()
        if kind == "mute-stop":
            with engine.analysis("startpos"):
                pass
        engine.play("startpos", Limit(nodes=5))
        time.sleep(0.1)
        engine.ready()
    assert raised.value.kind == fault.split(":")[0]
    engine.close()
    engine.client.ready_timeout = 10.0
    engine.start()  # it can be had again
    engine.close()


def test_an_illegal_move_is_noticed_on_a_board():
    board = Board()
    board.push_usi("2g2f")
    with stub() as engine:
        assert engine.play("startpos moves 2g2f", NOW).move == "7g7f"
        with pytest.raises(EngineError, match="illegal move"):
            engine.play(board, NOW)


@pytest.mark.parametrize(
    ("bestmove", "on_board", "in_text"),
    [
        ("bestmove 7g7f ponder 3c3d", "3c3d", "3c3d"),
        ("bestmove 7g7f", None, None),
        ("bestmove 7g7f ponder", None, None),
        ("bestmove 7g7f ponder (none)", None, None),
        ("bestmove 7g7f ponder resign", None, None),
        ("bestmove 7g7f ponder 7g7f", None, "7g7f"),  # illegal, which only a board knows
        ("bestmove 7g7f ponder P*5e", None, "P*5e"),
        ("bestmove resign ponder 3c3d", None, None),
    ],
)
def test_an_expected_reply_is_a_legal_move_or_none(bestmove, on_board, in_text):
    with stub(f"says:{bestmove}") as engine:
        board = Board()
        assert str(engine.play(board, NOW).ponder) == str(on_board)
        assert engine.play("startpos", NOW).ponder == in_text
        assert not board.move_stack


def test_lines_end_at_the_first_word_that_is_no_legal_move():
    infos = (
        "info depth 2 pv 7g7f 3c3d 2g2f rep_draw|info multipv 2 pv 2g2f 2f2e 8c8d|info multipv 3 pv 5e5d|bestmove 7g7f"
    )
    with stub(f"says:{infos}") as engine:
        board = Board()
        lines = [info.pv for info in engine.analysis(board, NOW)]
        assert lines == [tuple(map(Move.from_usi, line)) for line in (("7g7f", "3c3d", "2g2f"), ("2g2f",), ())]
        assert [len(info.pv) for info in engine.analyse("startpos", NOW, multipv=3)] == [3, 3, 1]
        search = engine.analysis(board, NOW)
        board.push_usi("2g2f")  # its own board is not the search's
        search.wait()
        assert [info.pv for info in search.multipv] == lines[:2]


@pytest.mark.parametrize(("says", "moves"), [("checkmate G*5b 4a3b G*3b", 3), ("checkmate G*5b 5a5b x", 2)])
def test_a_mate_is_read_up_to_its_first_illegal_move(says, moves):
    with stub(f"says:{says}") as engine:
        assert len(engine.mate("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1").moves) == moves


@pytest.mark.parametrize("says", ["checkmate", "checkmate none", "checkmate P*5e"])
def test_a_mate_without_a_legal_move_is_an_error(says):
    with stub(f"says:{says}") as engine, pytest.raises(EngineError, match="illegal move"):
        engine.mate(Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), Limit(time=0.1))


def test_what_an_engine_does_not_have():
    with stub() as engine:
        for options in ({"Nonsense": 1}, {"MultiPV": 9}, {"Some Style": "bold"}):
            with pytest.raises(ValueError):
                engine.configure(options)
        engine.configure({"Some Style": "quick", "USI_Hash": 64})
    with pytest.raises(EngineError, match="cannot start"):
        SimpleEngine("/no/such/engine").start()
    with pytest.raises(ValueError, match="no option"):
        stub(options={"Nonsense": 1}).start()
    with stub(options={"Nonsense": 1}, unlisted=True) as engine:
        assert engine.play("startpos", NOW).move == "7g7f"
    defaults = {"MultiPV": 3, "USI_OwnBook": False}  # of which the engine lists one
    for options, lines in (({}, 3), ({"MultiPV": 2}, 2)):
        with stub(options=options, defaults=defaults) as engine:
            assert len({info.multipv for info in engine.analysis("startpos", NOW) if info.pv}) == lines
    with pytest.raises(ValueError, match="one line"):
        SimpleEngine.popen_usi([*STUB], {"File": "x\nquit"})


def test_an_engine_that_does_not_quit_is_killed(monkeypatch):
    monkeypatch.setattr(engine_client, "QUIT_TIMEOUT", 0.1)
    engine = stub("stubborn")
    engine.start()
    pid = int(engine.play("startpos", NOW).info.string.split()[0])
    began = time.monotonic()
    engine.close()
    assert time.monotonic() - began < 5
    with pytest.raises(OSError):
        os.kill(pid, 0)


def test_a_program_that_ends_takes_its_engines_with_it():
    code = f"""
from shogi_engine.types.limits import Limit
from shogi_engine.clients.usi import SimpleEngine
engine = SimpleEngine.popen_usi({[*STUB, "stubborn"]!r})
print(engine.play("startpos", Limit(time=0.005)).info.string.split()[0])
import sys
sys.exit("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    with pytest.raises(OSError):
        for _ in range(100):  # the system takes a moment to end it
            os.kill(int(done.stdout), 0)
            time.sleep(0.1)


def test_asyncio():
    async def follow():
        async with await popen_usi([*STUB], {"MultiPV": 1}) as one, await popen_usi([*STUB]) as other:
            moves = await asyncio.gather(one.play("startpos", NOW), other.play(Board(), NOW))
            async with await one.analysis("startpos") as search:
                depths = [info.depth async for info in search if info.depth == 1 or await search.stop()]
            return [str(each.move) for each in moves], depths, (await search.wait()).move

    assert asyncio.run(follow()) == (["7g7f", "7g7f"], [1], "7g7f")
