"""Wrong arguments: a sentence says what was expected, from `Engine` and from clients alike; reprs; completion."""

import copy
import pickle
import sys

import pytest

import shogi_engine
from shogi_engine import Engine, Limit, analysis, games, match, othello, records, shogi
from shogi_engine.clients.gtp import SimpleGtp
from shogi_engine.clients.nboard import SimpleNBoard
from shogi_engine.clients.usi import SimpleEngine
from shogi_engine.play.game import Game
from shogi_engine.play.players import EnginePlayer
from tests.support.processes import TESTS

BOARD, LIMIT = shogi.Board(), Limit(nodes=100)
STUB = [sys.executable, "-S", str(TESTS / "support" / "usi_stub.py")]
WRONG = {  # what is passed, and what is said of it
    "seconds": ((BOARD, 0.1), r"expected a Limit, such as Limit\(time=0.1\), not 0.1"),
    "dict": ((BOARD, {"nodes": 100}), "expected a Limit, .*, not {'nodes': 100}"),
    "nothing": ((None, LIMIT), "expected a Board with the method .*, not None"),
    "class": ((shogi.Board, LIMIT), "expected a Board with the method .*, not <class"),
    "number": ((9, LIMIT), "expected a Board with the method .*, not 9"),
}


@pytest.fixture(scope="module")
def engines():
    with Engine("shogi", hash_mb=1) as engine, SimpleEngine(STUB) as client:
        yield engine, client


@pytest.mark.parametrize("call", ["play", "analyse", "analysis", "mate"])
@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_board_or_no_limit(engines, call, wrong):
    arguments, said = WRONG[wrong]
    for engine in engines:
        with pytest.raises(TypeError, match=said):
            getattr(engine, call)(*arguments)


@pytest.mark.parametrize("call", ["play", "analyse", "analysis"])
def test_moves_and_lines_that_are_none(engines, call):
    for engine in engines:
        for moves in ("7g7f", shogi.Move.from_usi("7g7f")):
            with pytest.raises(TypeError, match="expected a list of moves, not .*7g7f"):
                getattr(engine, call)(BOARD, LIMIT, root_moves=moves)
        if call == "play":
            continue
        for lines, said in (
            (0, "at least 1, not 0"),
            ("3", "a whole number, not '3'"),
            (1.5, "a whole number, not 1.5"),
        ):
            with pytest.raises((TypeError, ValueError), match=f"multipv must be {said}"):
                getattr(engine, call)(BOARD, LIMIT, multipv=lines)


def test_a_text_is_no_board_of_the_engine_and_another_game_s_board_is_none_of_the_client(engines):
    engine, client = engines
    with pytest.raises(TypeError, match="not 'startpos'"):
        engine.play("startpos", LIMIT)
    with pytest.raises(TypeError, match="with the method search_form, not None"):
        engine.solve(None)
    with pytest.raises(TypeError, match="with the method sfen, not Board"):
        client.play(othello.Board(), LIMIT)


@pytest.mark.parametrize("kind", [SimpleGtp, SimpleNBoard])
def test_othello_s_clients(kind):
    client = kind([sys.executable, "-S", str(TESTS / "support" / "othello_stub.py"), "gtp"])
    for arguments in ((othello.Board(), 1), (BOARD, Limit(depth=1)), (None, Limit(depth=1))):
        with pytest.raises(TypeError, match="expected a"):
            client.play(*arguments)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"nodes": "5"}, "nodes must be a whole number, not '5'"),
        ({"depth": 2.5}, "depth must be a whole number, not 2.5"),
        ({"level": "3"}, "level must be a whole number, not '3'"),
        ({"time": "1"}, "time must be a number, not '1'"),
        ({"mate": 0}, "mate must be at least 1, not 0"),
        ({"byoyomi": float("nan")}, "byoyomi must be at least 0, not nan"),
    ],
)
def test_a_limit_s_numbers(given, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Limit(**given)


@pytest.mark.parametrize(
    ("wrong", "said"), [("5", "a number, not '5'"), (-1, "at least 0"), (float("nan"), "at least 0")]
)
def test_a_time_in_milliseconds(wrong, said):
    with pytest.raises((TypeError, ValueError), match=f"movetime must be {said}"):
        Limit.of(movetime=wrong)
    assert Limit.of(movetime=250, depth=3) == Limit(time=0.25, depth=3)
    assert Limit.of(movetime=250, depth=3).named() == {"movetime": 250, "depth": 3}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda engine, client: engine.play(BOARD, LIMIT, lines=5), r"Engine.play\(\) got .* 'lines'"),
        (lambda engine, client: Limit.of(dept=5), "a search has no argument 'dept'; there are movetime, depth"),
        (lambda engine, client: analysis.hints(engine, BOARD, 3, node=5), "a search has no argument 'node'; there are"),
        (lambda engine, client: engine.book.moves(BOARD, colours=True), r"EngineBook.moves\(\) got .* 'colours'"),
        (lambda engine, client: engine.book.choice(BOARD, colours=True), r"EngineBook.choice\(\) got .* 'colours'"),
        (lambda engine, client: client.analyse(BOARD, LIMIT, lines=2), r"SimpleEngine.analyse\(\) got .* 'lines'"),
        (lambda engine, client: SimpleEngine(STUB, timeouts=3), "UsiClient has no argument 'timeouts'; there are"),
        (lambda engine, client: SimpleGtp(STUB, timeouts=3), "GtpClient has no argument 'timeouts'; there are cwd"),
        (lambda engine, client: SimpleNBoard(STUB, x=3), "NBoardClient has no argument 'x'; there are cwd, timeout"),
        (lambda engine, client: analysis.analyse("game.kif"), "expected a GameRecord, not 'game.kif'"),
    ],
)
def test_mistyped_names_of_arguments(engines, call, said):
    with pytest.raises(TypeError, match=said):
        call(*engines)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("max_move=1", "there is no parameter 'max_move'"),
        ("max_move=[1]", "there is no parameter 'max_move'"),
        ("max_moves=1.5", "parameter max_moves cannot be 1.5"),
        ("max_moves=None", "parameter max_moves cannot be None"),
        ("max_moves='many'", "parameter max_moves cannot be many"),
        ("max_moves=1 << 40", "parameter max_moves cannot be 1099511627776"),
    ],
)
def test_parameters_of_an_engine(engines, call, said):
    before = int(engines[0].searcher.params.max_moves)
    with pytest.raises(ValueError, match=said):
        eval(f"engine.configure({call})", {"engine": engines[0]})
    assert int(engines[0].searcher.params.max_moves) == before


GAMES = {  # what takes a game's name
    "Engine": Engine,
    "EnginePlayer": EnginePlayer,
    "Game": Game.begin,
    "records": lambda name: records.loads("f5d6", game=name),
    "files": lambda name: list(records.games(__file__, game=name)),
    "from_arrays": lambda name: list(records.from_arrays(records.to_arrays([]), name)),
    "record": lambda name: records.GameRecord.from_moves(name, ["7g7f"]),
    "openings": match.OpeningPlan.of,
    "engine": lambda name: match.parse_engine("level:3", game=name),
    "policy": lambda name: match.parse_engine("policy:network.py", game=name),
    "start": games.start,
}


@pytest.mark.parametrize("call", GAMES)
def test_what_takes_a_game_says_at_once_that_there_is_no_such_game(call):
    with pytest.raises(ValueError, match="there is no game 'chess'; there are shogi, othello"):
        GAMES[call]("chess")


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy])
def test_an_engine_cannot_be_copied(engines, copied):
    with pytest.raises(TypeError, match="make an Engine in each process"):
        copied(engines[0])


@pytest.mark.parametrize("wrong", [None, 9, BOARD])
def test_what_is_no_text(wrong):
    for read in (shogi.Move.from_usi, BOARD.push_usi):
        with pytest.raises(ValueError, match="move .*: a move has 4 characters"):
            read(wrong)
    if wrong is not None:
        with pytest.raises(ValueError, match="position: expected text, not (int|Board)"):
            shogi.Board(wrong)


def test_reprs(engines):
    assert repr(engines[0]) == "Engine('shogi', evaluation='network')"
    assert repr(engines[1]).startswith("<SimpleEngine ") and repr(engines[1].client).startswith("<UsiClient ")
    with engines[1].analysis(BOARD, LIMIT) as search:
        search.wait()
    assert repr(search).startswith("<Search done: Info(")


@pytest.mark.parametrize("package", [shogi_engine, records, shogi], ids=lambda package: package.__name__)
def test_dir_has_the_public_names(package):
    assert dir(package) == sorted(package.__all__)
    assert all(hasattr(package, name) for name in dir(package))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"game": None}, "there is no game None; there are shogi, othello"),
        ({"game": 3}, "there is no game 3"),
        ({"hash_mb": "8"}, "hash_mb must be a whole number, not '8'"),
        ({"hash_mb": 1.5}, "hash_mb must be a whole number, not 1.5"),
        ({"threads": "2"}, "threads must be a whole number, not '2'"),
        ({"threads": 0}, "threads must be at least 1, not 0"),
        ({"threads": 1000}, "1 to 256 threads, not 1000"),
    ],
)
def test_arguments_of_an_engine(arguments, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Engine(**arguments)
    if "game" not in arguments:
        with Engine("othello", hash_mb=1) as engine, pytest.raises((TypeError, ValueError), match=said):
            engine.resize(**arguments)
