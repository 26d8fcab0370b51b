"""Networks as players of games: in Python, from files, in a match."""

import inspect
import math
import re

import numpy as np
import pytest

from shogi_engine import games, othello
from shogi_engine.__main__ import main
from shogi_engine.batch import PolicyPlayer, load_network
from shogi_engine.common.threads import Search
from shogi_engine.match.plan import parse_engine
from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import Game
from shogi_engine.play.players import EnginePlayer, play
from shogi_engine.types.limits import Clock, Limit


def discs(leaves):
    """Return the side's lead in discs as its value, and no logits."""
    planes = leaves.features("planes", dtype=np.float32)
    return None, np.tanh((planes[:, 0].sum(axis=(1, 2)) - planes[:, 1].sum(axis=(1, 2))) / 20)


def preferring(label):
    """Return a network that knows one move only."""

    def network(leaves):
        logits = np.zeros((len(leaves), 65), np.float32)
        logits[:, label] = 40
        return logits, np.full(len(leaves), 0.5, np.float32)

    return network


def test_a_game_and_the_tree_that_is_kept():
    player, seen = PolicyPlayer(discs, "othello", Limit(nodes=32)), []
    played = play(Game.begin("othello"), (player, EnginePlayer("othello", Limit(depth=1), hash_mb=1)), seed="1")
    assert not played.fault, played.reason
    for _ in range(2):
        game = Game.begin("othello")
        game.move("f5")
        seen.append(PolicyPlayer(discs, "othello", Limit(nodes=64)).think(game))
    assert seen[0].move == seen[1].move and seen[0].info.nodes == 64
    assert othello.Board(game.board.obf()).is_legal(seen[0].move)


@pytest.mark.parametrize("label", [19, 26, 37, 44])
def test_the_preferred_move_and_its_score(label):
    answer = PolicyPlayer(preferring(label), "othello", Limit(nodes=40)).think(Game.begin("othello"))
    assert answer.move == othello.Move(label)
    mean = answer.info.score.chance()
    assert 0 < mean < 1 and not math.isclose(mean, 0.5)


def test_what_ends_a_move():
    game, stopped = Game.begin("othello"), Search()
    stopped.stop()
    assert PolicyPlayer(discs, "othello", Limit(time=30)).think(game, stopped).info.nodes == 32  # one round
    assert PolicyPlayer(discs, "othello").think(game).info.nodes == 400
    clocked = Game.begin("othello", clock=GameClock(Clock(time=200)))
    assert PolicyPlayer(discs, "othello").think(clocked).time < 60
    for limit in (Limit(depth=3), Limit(level=1)):
        with pytest.raises(ValueError, match="a network cannot be limited by (depth|level)"):
            PolicyPlayer(discs, "othello", limit)


def test_a_file_in_a_match(tmp_path):
    file = tmp_path / "discs.py"
    file.write_text("import numpy as np\n\n" + inspect.getsource(discs).replace("def discs", "def network"))
    spec = parse_engine(f"policy:{file}", Limit(nodes=32), game="othello")
    assert spec.name == f"policy:{file}" and isinstance(spec.player(), PolicyPlayer)
    played = play(Game.begin("othello"), (EnginePlayer("othello", Limit(level=0), hash_mb=1), spec.player()), seed="2")
    assert not played.fault, played.reason


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.py", None, "there is no file .*none.py"),
        ("empty.py", "", "empty.py defines no function `network`"),
        ("data.txt", "x", "a network is a file .onnx or .py, not .*data.txt"),
        ("syntax.py", "def network(", "syntax.py: SyntaxError: '\\(' was never closed"),
        ("raises.py", "1 / 0", "raises.py: ZeroDivisionError: division by zero"),
        ("imports.py", "import nothing_of_this_name", "imports.py: ModuleNotFoundError: No module named 'nothing_of"),
        ("name.py", "network = 5", "name.py defines no function `network`"),
    ],
)
def test_files_that_are_no_networks(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=said):
        load_network(tmp_path / name)


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("1 / 0", "program.py: ZeroDivisionError: division by zero"),
        ("None", "program.py: TypeError: cannot unpack"),
        ("(None, np.full(len(leaves), np.nan))", "a network's values must be finite numbers"),
        ("(None, np.full(len(leaves), np.inf))", "a network's values must be finite numbers"),
        ("(np.full((len(leaves), 65), np.nan), np.zeros(len(leaves)))", "logits must be numbers below infinity"),
        ("(np.zeros((3, 65)), np.zeros(len(leaves)))", r"logits must be float32\[8, 65\]"),
        ("(None, np.zeros(3))", r"values must be float32\[8\]"),
    ],
)
def test_what_a_network_must_not_return(tmp_path, capsys, result, said):
    file = tmp_path / "program.py"
    file.write_text(f"import numpy as np\n\ndef network(leaves):\n    return {result}\n")
    with pytest.raises(ValueError, match=said):
        PolicyPlayer(load_network(file, "othello"), "othello", Limit(nodes=8)).think(Game.begin("othello"))
    assert main(["match", f"policy:{file}", "level:0", "--game", "othello", "--games", "2", "--limit", "nodes=8"]) == 2
    fault = capsys.readouterr().err.strip().splitlines()
    assert len(fault) == 1 and re.search(said, fault[0])


def test_an_impossible_move_counts_for_nothing():
    """Logits of minus infinity are allowed."""

    def network(leaves):
        logits = np.full((len(leaves), 65), -np.inf, np.float32)
        logits[:, 19] = 0
        return logits, np.zeros(len(leaves))

    assert PolicyPlayer(network, "othello", Limit(nodes=40)).think(Game.begin("othello")).move == othello.Move(19)


def test_without_onnxruntime(tmp_path, monkeypatch):
    (tmp_path / "a.onnx").write_bytes(b"nonsense")
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    with pytest.raises(ValueError, match="pip install onnxruntime"):
        load_network(tmp_path / "a.onnx")


def onnx_file(onnx, path, inputs, labels):
    """Write a network: the logits are the same for all positions, the value is the mean of the first input."""
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    logits = helper.make_tensor("table", kind, (1, labels), np.linspace(-3, 3, labels, dtype=np.float32))
    nodes = [
        helper.make_node("Flatten", [inputs[0][0]], ["flat"]),
        helper.make_node("ReduceMean", ["flat"], ["value"], keepdims=1, axes=[1]),
        helper.make_node("Mul", ["value", "nothing"], ["zero"]),
        helper.make_node("Add", ["zero", "table"], ["policy"]),
    ]
    outputs = [("policy", (labels,)), ("value", (1,))]
    given, found = (
        [helper.make_tensor_value_info(name, kind, ("n", *shape)) for name, shape in each] for each in (inputs, outputs)
    )
    graph = helper.make_graph(
        nodes, "network", given, found, [logits, helper.make_tensor("nothing", kind, (1,), [0.0])]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, path)


@pytest.mark.parametrize("game", ["othello", "shogi"])
def test_onnx(tmp_path, game):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    shogi = game == "shogi"
    inputs = [("input1", (62, 9, 9)), ("input2", (57, 9, 9))] if shogi else [("planes", (3, 8, 8))]
    labels = 2187 if shogi else 65
    onnx_file(onnx, tmp_path / "a.onnx", inputs, labels)
    network = load_network(tmp_path / "a.onnx", game)
    player = PolicyPlayer(network, game, Limit(nodes=32))
    player.ready()
    leaves = player._search.leaves
    logits, values = network(leaves)
    mean = leaves.features("dlshogi1" if shogi else "planes", dtype=np.float32).reshape(len(leaves), -1).mean(axis=1)
    assert np.allclose(values, 2 * mean - 1 if shogi else mean, atol=1e-6)
    assert np.allclose(logits[0], np.linspace(-3, 3, labels), atol=1e-6)
    answer = player.think(Game.begin(game))
    board = games.game_module(game, "board").Board()
    board.push(answer.move)
    (tmp_path / "b.onnx").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match="b.onnx is no ONNX file"):
        load_network(tmp_path / "b.onnx", game)
