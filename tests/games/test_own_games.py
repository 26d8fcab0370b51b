"""The games of examples/games: their rules against slow twins, and what the package makes of the rules alone."""

import copy
import dataclasses
import importlib
import os
import pickle
import random
import re
import sys

import numpy as np
import pytest

from shogi_engine import Engine, Limit, games, records
from shogi_engine.batch import Batch, LiveGames, random_games
from shogi_engine.environments.agents import GameState, RandomPlayer, TwoAgents
from shogi_engine.environments.vector import VectorGames
from shogi_engine.games.batch import rules_of
from shogi_engine.interface.extras import Extras
from shogi_engine.play.game import Game
from shogi_engine.play.players import EnginePlayer, play
from shogi_engine.training import pipeline, recipe
from shogi_engine.training.pipeline import Plan
from shogi_engine.types.outcomes import Termination
from tests.interface.test_registered_games import METADATA, run
from tests.support.processes import ROOT, needs_workshop
from tests.support.sizes import sized
from tests.support.twins.naive_own_games import TWINS, perft

FOLDER = ROOT / "examples" / "games"
NAMES = tuple(TWINS)
each_game = pytest.mark.parametrize("name", NAMES)
searched = pytest.mark.parametrize("name", sized(["mini_shogi"], NAMES))  # whose search is compiled
PUBLISHED = {  # Connect Four: OEIS A212693, mini-Shogi: Fairy-Stockfish's tests
    "connect_four": [7, 49, 343, 2401, 16807, 117649, 823536],
    "mini_shogi": [14, 181, 2512, 35401, 533203],
}


@pytest.fixture(scope="module", autouse=True)
def registered():
    sys.path.insert(0, str(FOLDER))
    for name in NAMES:
        games.register(name, name)
    yield
    sys.path.remove(str(FOLDER))
    for name in NAMES:
        games._registry._modules.pop(name)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the environment of a process that sees the three games as an installed package."""
    info = tmp_path_factory.mktemp("site") / "example_games-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text("[shogi_engine.games]\n" + "".join(f"{name} = {name}\n" for name in NAMES))
    paths = os.pathsep.join(map(str, (info.parent, FOLDER, ROOT)))
    return os.environ | {"PYTHONPATH": paths, "XDG_DATA_HOME": str(info.parent)}


def random_texts(name, seed, count=1):
    """Yield the moves of random games of the twin, each with its position before and the twin's legal moves."""
    rng, twin = random.Random(seed), TWINS[name]
    for _ in range(count):
        text = twin.start
        for _ply in range(60):
            legal = twin.moves(text)
            yield text, legal
            if not legal:
                break
            text = twin.make(text, rng.choice(legal))


@each_game
def test_perft_is_the_twin_s_and_the_published_one(name):
    depth = {"connect_four": 4, "breakthrough": 3, "mini_shogi": 3}[name]
    with Engine(name, hash_mb=1) as engine:
        assert engine.perft(engine.board(), depth).nodes == perft(TWINS[name], TWINS[name].start, depth)
        for plies, leaves in enumerate(PUBLISHED.get(name, ()), 1):
            assert engine.perft(engine.board(), plies).nodes == leaves


@each_game
def test_moves_of_random_positions_are_the_twin_s(name):
    board_of = games.game_module(name, "board").Board
    for text, legal in random_texts(name, 5, 6):
        board = board_of(text)
        assert board.position() == text
        assert sorted(map(str, board.legal_moves)) == sorted(legal)
        assert board.is_game_over() == (not legal)


@each_game
def test_a_board_is_like_the_others(name):
    board = games.game_module(name, "board").Board()
    start, rng = board.position(), random.Random(2)
    while not board.is_game_over():
        move = rng.choice(board.legal_moves)
        board.push(rng.choice([move, int(move), str(move)]))
        assert board.peek() == move and board.move_stack[-1] == move
    assert board.result() in ("1-0", "0-1") and board.outcome().termination == Termination.RULES
    for twin in (copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert twin == board and hash(twin) == hash(board) and twin.move_stack == board.move_stack
        twin.pop()
        assert twin != board and twin.ply() == board.ply() - 1
    assert board.root().position() == start and board.record().moves == list(map(str, board.move_stack))
    with pytest.raises(ValueError, match="not|over"):
        board.push_text("nowhere")
    with pytest.raises(ValueError, match="not a legal move"):
        board.push(0)
    assert not board.is_legal("nowhere") and repr(board) == f"Board({board.position()!r})"
    while board.move_stack:
        board.pop()
    assert board.position() == start and board.turn == 0


def test_the_board_is_drawn_from_the_cells():
    board = games.game_module("mini_shogi", "board").Board("rb1gk/4p/2+P2/S4/KG1BR w s 1")
    assert board.diagram().splitlines()[2:] == [
        *("c  .  . +P  .  .", "d  S  .  .  .  .", "e  K  G  .  B  R", "   5  4  3  2  1"),
        *("in hand: s", "white to move"),
    ]
    picture = board.svg(areas=True, size=300)
    assert picture.count('class="square"') == 25 and ">+P<" in picture and 'width="300"' in picture
    places = [re.search(r'x="([\d.]+)" y="([\d.]+)"[^>]*>\+P<', board.svg(flipped=side)).groups() for side in (0, 1)]
    assert places == [("151", "151"), ("151", "151")]  # the centre stays


def test_repetition_is_lost_for_the_side_that_began_unless_it_was_checked():
    board = games.game_module("mini_shogi", "board").Board()
    for _ in range(3):
        for move in ("1e1d", "5a5b", "1d1e", "5b5a"):
            assert board.outcome() is None
            board.push(move)
    assert board.outcome().winner == 1 and board.outcome().termination == Termination.REPETITION
    board = games.game_module("mini_shogi", "board").Board("4k/5/5/1r3/3K1 w - 1")
    for _ in range(3):
        for move in ("4d4e", "2e2d", "4e4d", "2d2e"):
            board.push(move)
    assert board.outcome().winner == 0  # white has always given check


@searched
def test_engine_levels_and_boards(name):
    board = games.game_module(name, "board").Board()
    with Engine(name, hash_mb=1) as engine:
        result = engine.play(board, Limit(nodes=500))
        board.push(result.move)
        assert engine.analyse(board, Limit(depth=3)).score is not None
        assert str(board) == board.diagram() != board.position()
        assert [engine.check_level(level).is_full_strength() for level in (0, 10)] == [False, True]
        with pytest.raises(ValueError, match="the level must be 0 to 10, not 11"):
            engine.check_level(11)


@searched
def test_higher_levels_win(name):
    players = [EnginePlayer(name, Limit(level=level), hash_mb=1) for level in (0, 6)]
    points = 0
    for number in range(6):
        order = players if number % 2 else players[::-1]
        played = play(Game.begin(name), (order[0], order[1]), seed=str(number))
        assert not played.fault, played.reason
        points += played.winner is not None and order[played.winner] is players[1]
    assert points >= 5


@each_game
def test_records_go_through_a_file(name, tmp_path):
    board = games.game_module(name, "board").Board()
    board.push(board.legal_moves[0])
    record = board.record("resignation")
    record.root.next.comment, record.root.next.seconds = "first\n[second]", 1.5
    records.save(record, tmp_path / "game.jsonl")
    assert records.load(tmp_path / "game.jsonl") == [record]
    record.root.children[0].move = "nowhere"
    with pytest.raises(records.RecordError, match=r"line 1: nodes\[1\]: .*nowhere"):
        records.loads(records.dumps(record, "jsonl"))


@each_game
def test_batches_agree_with_boards(name):
    batch, board_of = Batch(name), games.game_module(name, "board").Board
    texts, legal = zip(*((text, legal) for text, legal in random_texts(name, 9, 2) if legal), strict=True)
    positions = batch.pack(texts)
    assert batch.texts(positions) == list(texts)
    assert batch.sides(positions).tolist() == [board_of(text).turn for text in texts]
    found = batch.legal_moves(positions)
    assert found.counts.tolist() == list(map(len, legal))
    after = batch.apply(positions, found.labels[:, 0])
    for row, text in enumerate(texts):
        board = board_of(text)
        planes, drawing = batch.features(positions[row : row + 1], "planes")[0], board.game.extras.drawing
        cells = np.array(board.cells())
        kinds = (cells[: drawing.squares, None] == np.arange(1, len(drawing.symbols))).T
        assert planes[: len(kinds)].reshape(len(kinds), -1).tolist() == kinds.astype(int).tolist()
        held = planes[len(kinds) : -1].reshape(len(drawing.hand), drawing.squares)
        assert (held == cells[drawing.squares :, None]).all() and (planes[-1] == board.turn).all()
        board.push(int(found.labels[row, 0]))
        assert batch.texts(after[row : row + 1]) == [board.position()]
    positions[1] = 255
    with pytest.raises(ValueError, match="row 1"):
        batch.sides(positions)
    games_played = random_games(batch, 3, seed=1, longest=200)
    assert set(games_played.results.tolist()) <= {-1, 0, 1} and games_played.lengths.min() > 4
    live = LiveGames(batch, 4)
    steps = live.step(live.random_moves(np.random.default_rng(1)))
    assert not steps.ended.any() and live.features("planes").shape[0] == 4


@each_game
def test_environments(name):
    state, player = GameState(name), RandomPlayer(2)
    while state.result() is None:
        assert state.observation() in state.space
        state.play(player(state))
    assert state.result() in (-1, 1) and state.legal() == []
    env = TwoAgents(name)
    env.reset()
    env.step(env.state_of_game.legal()[0])
    vector = VectorGames(name, 2)
    seen, _ = vector.reset(seed=1)
    for _ in range(40):
        assert vector.observation_space.contains(seen)
        seen, *_ = vector.step(vector.random_actions())


def test_what_a_game_lacks_is_said_in_a_sentence(monkeypatch):
    game = games.load("connect_four")
    with pytest.raises(ValueError, match="move_codes must be 1 to 1048576, not 0"):
        rules_of(dataclasses.replace(game, extras=Extras()))
    module = importlib.import_module("connect_four")
    monkeypatch.setattr(module, "GAME", dataclasses.replace(game, position=np.dtype([("mine", np.uint64)])))
    with pytest.raises(ValueError, match="'connect_four' does not provide generate_moves, do_move, .*evaluate"):
        games.load("connect_four")


@searched
@needs_workshop
def test_commands(installed, name, tmp_path):
    done = run(installed, "play", name, "--human", "none", "--limit", "nodes=300", "--pieces", "western")
    assert done.returncode == 0 and ("wins: end of the game" in done.stdout or "draw" in done.stdout), done.stderr
    out = str(tmp_path / "games.jsonl")
    words = ("match", "level:0", "level:3", "--game", name, "--games", "2", "--out", out)
    done = run(installed, *words)
    assert done.returncode == 0 and done.stdout.startswith("2 games"), done.stderr
    assert [record.game for record in records.load(out)] == [name] * 2
    done = run(installed, "analyse", out, "--nodes", "1000", "--threads", "1")
    assert done.returncode == 0 and "black's winning chance" in done.stdout, done.stderr
    store = ("--store", str(tmp_path / "study.db"))
    done = run(installed, "study", out, "--nodes", "1000", "--threads", "1", *store)
    assert done.returncode == 0 and "new problem" in done.stdout, done.stderr
    done = run(installed, "study", "--out", str(tmp_path / "problems.jsonl"), *store)
    assert done.returncode == 0 and "problem" in done.stdout, done.stderr
    settings = ("--set", "nodes=20,gate_games=2,gate_nodes=20")
    done = run(installed, "train", name, str(tmp_path / "run"), "--games", "4", *settings)
    if games.has(name, "recipe"):
        assert done.returncode == 0 and "gate: " in done.stdout, done.stderr
    else:
        assert done.returncode == 2 and f"training: the game '{name}' has no recipe; docs/game-parts.md" in done.stderr


def by_table(values, text):
    """Return the value of a position of Breakthrough by the values of stones of X, a1 first, then b1."""
    rows, side = text.split()
    sums = {"X": 0, "O": 0, ".": 0}
    for down, row in enumerate(rows.split("/")):
        for file, stone in enumerate(row):
            sums[stone] += values[8 * (down if stone == "O" else 7 - down) + file]
    return sums[side] - sums["XO".replace(side, "")]


@needs_workshop
def test_breakthrough_learns(tmp_path):
    """Games that take seconds are enough to beat what played them; the table in the file is what plays."""
    own = recipe.load("breakthrough")
    plan = Plan(tmp_path, own.data(nodes=50), own.training(), games=1000, gate_games=200, gate_nodes=100)
    outcome = pipeline.run(plan)
    assert outcome.estimate.low > 0, outcome
    assert "Losses" in plan.file(0, "report.html").read_text("utf-8")
    file = plan.file(0, "bin")
    learnt = own.named_evaluator(str(file)).weights
    table = learnt.arrays["values"].tolist()
    assert learnt.header["made"]["games"] == 1000 and table == np.reshape(table, (8, 8))[:, ::-1].ravel().tolist()
    with Engine("breakthrough", hash_mb=1) as engine:
        for name in (None, file):
            engine.set_evaluation("squares", name)
            values = table if name else own.named_evaluator("").weights.arrays["values"].tolist()
            for text, _ in random_texts("breakthrough", 3):
                assert engine.evaluate(engine.board(text)) == by_table(values, text)
    pipeline.export(plan, 0)  # from the checkpoint
    assert own.named_evaluator(str(file)).weights.arrays["values"].tolist() == table
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(ValueError, match=r"weights\.bin is damaged"):
        own.named_evaluator(str(file))


@each_game
def test_files_and_arrays_of_several_games(name, tmp_path):
    """The Board of one game is used again for the next."""
    board, made = games.game_module(name, "board").Board(), []
    start = board.position()
    for number in range(3):
        for _ in range(3 + number):
            board.push(board.legal_moves[number])
        made.append(board.record())
        board.reset()
        assert board.position() == start and board.move_stack == []
    moves = [record.moves for record in made]
    assert len(set(map(tuple, moves))) == 3
    assert [record.moves for record in records.from_arrays(records.to_arrays(made), name)] == moves
    records.save(made, tmp_path / "games.jsonl")
    assert [record.moves for record in records.load(tmp_path / "games.jsonl")] == moves
