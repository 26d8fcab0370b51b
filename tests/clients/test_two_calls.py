"""Two calls of one client at once, calls that are cancelled, and engines that die, in each protocol."""

import asyncio
import contextlib
import gc
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from shogi_engine import othello, shogi
from shogi_engine.clients.base import EngineError
from shogi_engine.clients.gtp import GtpClient, SimpleGtp
from shogi_engine.clients.nboard import NBoardClient, SimpleNBoard
from shogi_engine.clients.usi import SimpleEngine, UsiClient
from shogi_engine.types.limits import Limit
from tests.support.processes import TESTS

STUBS = [sys.executable, "-S", str(TESTS / "support")]
USI = [*STUBS[:2], f"{STUBS[2]}/usi_stub.py"]
OTHELLO = [*STUBS[:2], f"{STUBS[2]}/othello_stub.py"]
NOW = Limit(time=0.01)
KINDS = [(UsiClient, SimpleEngine, USI), (GtpClient, SimpleGtp, [*OTHELLO, "gtp"]),
         (NBoardClient, SimpleNBoard, [*OTHELLO, "nboard"])]  # fmt: skip
SETTINGS = {"timeout": 20.0, "ready_timeout": 20.0}


def boards(client):
    """Return two positions with different moves, and the moves that the stub finds."""
    if client is UsiClient:
        one, other = shogi.Board(), shogi.Board()
        other.push_usi("7g7f")
        return (one, "7g7f"), (other, "3c3d")
    return (othello.Board(), "d3"), (othello.Board.from_transcript("f5"), "f4")


async def cancelled(call, after=0.1):
    """Begin a call and cancel it."""
    task = asyncio.create_task(call)
    await asyncio.sleep(after)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


@pytest.mark.parametrize(("client", "plain", "command"), KINDS)
def test_the_second_of_two_calls_at_once_waits(client, plain, command):
    cases = boards(client) * 2

    async def both():
        async with client([*command, "slow"], **SETTINGS) as engine:
            found = await asyncio.gather(*(engine.play(board, NOW) for board, _ in cases))
            return [str(each.move) for each in found]

    wanted = [move for _, move in cases]
    assert asyncio.run(both()) == wanted
    with plain([*command, "slow"], **SETTINGS) as engine, ThreadPoolExecutor() as pool:
        assert [str(each.move) for each in pool.map(lambda case: engine.play(case[0], NOW), cases)] == wanted


@pytest.mark.parametrize(("client", "plain", "command"), KINDS)
@pytest.mark.parametrize("again", [1, 2])
def test_a_call_after_a_cancelled_one_has_its_own_answer(client, plain, command, again):
    (one, _), (other, move) = boards(client)

    async def play():
        async with client([*command, "slow"], **SETTINGS) as engine:
            for _ in range(again):  # the second is cancelled while it ends the first
                await cancelled(engine.play(one, NOW))
            return str((await engine.play(other, NOW)).move), str((await engine.play(other, NOW)).move)

    assert asyncio.run(play()) == (move, move)


@pytest.mark.parametrize("call", ["ready", "mate", "analysis", "ponder", "analyse", "new_game"])
def test_every_call_of_usi_may_be_cancelled(call):
    calls = {
        "ready": lambda engine: engine.ready(), "new_game": lambda engine: engine.new_game(),
        "mate": lambda engine: engine.mate("startpos"), "analysis": lambda engine: engine.analysis("startpos"),
        "analyse": lambda engine: engine.analyse("startpos", NOW, multipv=2),
        "ponder": lambda engine: engine.ponder("startpos", NOW),
    }  # fmt: skip

    async def play():
        async with UsiClient([*USI, "slow"], **SETTINGS) as engine:
            await cancelled(calls[call](engine))
            await engine.ready()
            await cancelled(calls[call](engine))
            return (await engine.play(boards(UsiClient)[1][0], NOW)).move.usi(), (await engine.mate("startpos")).result

    assert asyncio.run(play()) == ("3c3d", "mate")


def test_a_search_that_is_followed_ends_when_another_call_needs_the_engine():
    async def follow():
        async with UsiClient(USI, **SETTINGS) as engine:
            search = await engine.analysis("startpos")
            followers = [asyncio.create_task(search.wait()) for _ in range(2)]
            await asyncio.sleep(0.1)
            found = await engine.play(boards(UsiClient)[0][0], NOW)
            return found.move.usi(), [(await each).move for each in followers]

    assert asyncio.run(follow()) == ("7g7f", ["7g7f", "7g7f"])


@pytest.mark.parametrize(("client", "plain", "command"), KINDS)
def test_an_engine_that_died_is_started_again(client, plain, command, tmp_path):
    board, move = boards(client)[0]
    engine = plain([*command, f"once:{tmp_path / 'one'}"], **SETTINGS)
    with pytest.raises(EngineError, match="crash"):
        engine.play(board, NOW)
    assert not engine.running
    with engine:
        assert str(engine.play(board, NOW).move) == move and engine.running

    async def play():
        async with client([*command, f"once:{tmp_path / 'two'}"], **SETTINGS) as engine:
            with pytest.raises(EngineError, match="crash"):
                await engine.play(board, NOW)
            return str((await engine.play(board, NOW)).move)

    assert asyncio.run(play()) == move


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # asyncio, of a closed loop's pipes
@pytest.mark.parametrize(("client", "plain", "command"), KINDS)
def test_a_client_that_was_left_open_is_started_again_in_another_loop(client, plain, command):
    engine, (board, move) = client([*command, "slow"], **SETTINGS), boards(client)[0]

    async def play():
        return str((await engine.play(board, NOW)).move), engine.pid

    (one, first), (two, second) = asyncio.run(play()), asyncio.run(play())
    assert one == two == move and first != second

    async def elsewhere():
        call = asyncio.create_task(engine.play(board, NOW))
        await asyncio.sleep(0.05)
        with pytest.raises(RuntimeError, match="another event loop"):
            await asyncio.to_thread(asyncio.run, engine.play(board, NOW))
        found = await call
        await engine.close()
        return str(found.move)

    assert asyncio.run(elsewhere()) == move
    gc.collect()  # where the warnings are ignored


def test_an_engine_that_is_started_again_has_its_options(tmp_path):
    lines = []
    with SimpleEngine([*USI, f"once:{tmp_path / 'died'}"], {"USI_Hash": 8}, **SETTINGS) as engine:
        engine.client._line_log = lambda way, line: lines.append(line) if "setoption" in line else None
        engine.configure({"MultiPV": 2, "Clear Hash": None})
        with pytest.raises(EngineError, match="crash"):
            engine.play("startpos", NOW)
        assert engine.play("startpos", NOW).move == "7g7f"
    assert lines == ["setoption name USI_Hash value 8", "setoption name MultiPV value 2"]


@pytest.mark.parametrize(("client", "plain", "command"), KINDS)
def test_a_late_answer_is_never_that_of_another_position(client, plain, command):
    """Of an engine that thinks longer than it may: the call after it fails too, until the engine has answered."""
    (one, _), (other, move) = boards(client)
    with plain([*command, "slow"], timeout=0.1, ready_timeout=20.0) as engine:
        for board in (one, other):
            with pytest.raises(EngineError, match="no answer"):
                engine.play(board, NOW)
        engine.client.timeout = 5.0
        assert [str(engine.play(other, NOW).move) for _ in range(2)] == [move] * 2


def test_the_answer_to_a_game_s_end_is_never_that_of_another_position():
    async def play():
        async with UsiClient([*USI, "mute-stop"], timeout=0.2, ready_timeout=20.0) as engine:
            await engine.ponder("startpos", NOW)
            await cancelled(engine.game_over("win", stop=False))
            with pytest.raises(EngineError, match="no answer"):
                await engine.play("startpos moves 7g7f", NOW)

    asyncio.run(play())


def test_a_second_answer_of_nboard_is_refused():
    with SimpleNBoard([*OTHELLO, "nboard", "twice"], **SETTINGS) as engine:
        board = othello.Board()
        board.push(engine.play(board, NOW).move)
        time.sleep(0.1)
        with pytest.raises(EngineError, match="second answer"):
            engine.play(board, NOW)


ENGINE = "import sys; [{} for line in sys.stdin]"
GREETED = "print('\\ufeffid name x\\0\\nusiok', flush=True) if line == 'usi\\n' else line[:2] == 'go' and "


def usi_engine(answer):
    return SimpleEngine([sys.executable, "-X", "utf8", "-c", ENGINE.format(GREETED + answer)], timeout=0.3)


def test_a_last_line_without_an_end_is_read():
    with usi_engine("(print('bestmove 7g7f', end='', flush=True), sys.exit())") as engine:
        assert engine.name == "x" and engine.play(shogi.Board(), NOW).move.usi() == "7g7f"


def test_a_line_that_comes_too_late_is_no_answer():
    """An engine that talks without a pause has always a line to read."""

    async def late():
        async with UsiClient(USI, **SETTINGS) as engine:
            engine.process._pipes.lines.append((time.monotonic(), "info depth 1"))
            with pytest.raises(EngineError, match="no answer"):
                await engine.process.receive(lambda: time.monotonic() - 1)

    asyncio.run(late())


TOLD = {
    "gtp": (r"\d+ (?:time_settings|set_level) (.*)", "0 1 1|0 3 1|0 1 0,4|5|0 2 1,60|0 2 1|0 1 0,5"),
    "nboard": (
        r"set depth (\d+)|set game .*?TI\[([^]]*)\]",
        "0:00.00/0:01.00|0:00.00/0:03.00|4|5|60,0:00.00/0:02.00||5",
    ),
}


@pytest.mark.parametrize(("plain", "command"), [(SimpleGtp, "gtp"), (SimpleNBoard, "nboard")])
def test_an_engine_is_told_the_limit_that_a_move_has(plain, command):
    """Of one game, and one position: what was told before does not hold any more."""
    limits = [
        Limit(time=1),
        Limit(time=3),
        Limit(depth=4),
        Limit(depth=5),
        Limit(time=2),
        Limit(time=2),
        Limit(depth=5),
    ]
    (words, wanted), lines, told = TOLD[command], [], []
    with plain([*OTHELLO, command], log=lambda way, line: lines.append(line) if way == ">" else None) as engine:
        for limit in limits:
            lines.clear()
            engine.play(othello.Board(), limit)
            found = filter(None, (re.match(words, line) for line in lines))
            told.append(",".join("".join(filter(None, each.groups())) for each in found))
    assert "|".join(told) == wanted


def test_an_engine_that_cannot_start_fails_in_every_call():
    engine = SimpleEngine([sys.executable, "-c", ""], **SETTINGS)
    for _ in range(3):
        with pytest.raises(EngineError, match="crash"):
            engine.configure({"MultiPV": 2})


@pytest.mark.parametrize(
    "position",
    ["", "sfen rubbish", "startpos moves 7g7f 7g7f", "startpos moves 7g7e", "startpos 7g7f", "position", "sfen",
     "9/9/9/9/9/9/9/9/9 x - 1", "startpos\nquit", "startpos moves P*5e"],
)  # fmt: skip
def test_a_text_that_is_no_position_is_refused_before_anything_is_sent(position):
    engine = SimpleEngine(USI, **SETTINGS)
    calls = [engine.analyse, engine.play, engine.analysis, engine.mate, engine.ponder, engine.begin]
    for call in calls:
        with pytest.raises(ValueError):
            call(position, NOW)
    with pytest.raises(ValueError):
        asyncio.run(engine.client.play(position, NOW))
    assert not engine.running


@pytest.mark.parametrize("position", ["startpos", "startpos moves 2g2f", shogi.Board()])
def test_root_moves_are_legal(position):
    engine = SimpleEngine(USI, **SETTINGS)
    for moves in (["3c3d", "7g7e"], ["7g7e"], ["resign"]):
        with pytest.raises(ValueError):
            engine.play(position, NOW, root_moves=moves)
    assert not engine.running


@pytest.mark.parametrize("engine", [SimpleGtp(OTHELLO), SimpleNBoard(OTHELLO)])
@pytest.mark.parametrize("position", ["", "startpos", "f5d6", shogi.Board(), None, othello.Board])
def test_what_is_no_board_of_othello_is_refused(engine, position):
    with pytest.raises(TypeError, match="expected a Board"):
        engine.play(position, NOW)
    assert not engine.running
