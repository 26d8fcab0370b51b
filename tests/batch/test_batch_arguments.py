"""Wrong arguments of batches, games in progress and networks: a sentence says what was expected."""

import numpy as np
import pytest

from shogi_engine import Engine
from shogi_engine.batch import Batch, LiveGames, PolicyPlayer, Puct, random_games, self_play
from shogi_engine.batch.batch import output_array, shared_array
from shogi_engine.games.othello.board import Board

START = "---------------------------OX------XO--------------------------- X"
BATCH = Batch("othello")
BEYOND = 37 + (1 << 32)  # f5, if the upper half is lost


def even(leaves):
    """Return values of a network that knows nothing."""
    return None, np.zeros(len(leaves))


NO_BATCH = r"expected a Batch, such as Batch\('othello'\), not 'othello'"
NO_LABELS = "moves must be integers, the labels of a layout, not "
WRONG = [  # what is called, and what is said of it
    (lambda: Batch("othello", threads="2"), "threads must be a whole number, not '2'"),
    (lambda: BATCH.pack(START), "expected a list of positions, not '-----"),
    (lambda: BATCH.pack([START, None]), "row 1: expected a position as text, not None"),
    (lambda: BATCH.apply(BATCH.pack([START]), ["f5"]), NO_LABELS + r"\['f5'\]"),
    (lambda: BATCH.apply(BATCH.pack([START]), [37.0]), NO_LABELS + r"\[37.0\]"),
    (lambda: BATCH.search(BATCH.pack([START]), depth="3"), "depth must be a whole number, not '3'"),
    (lambda: BATCH.perft(BATCH.pack([START]), "3"), "depth must be a whole number, not '3'"),
    (lambda: LiveGames("othello", 2), NO_BATCH),
    (lambda: LiveGames(BATCH, "2"), "count must be a whole number, not '2'"),
    (lambda: LiveGames(BATCH, 2).step(None), NO_LABELS + "None"),
    (lambda: random_games("othello", 1), NO_BATCH),
    (lambda: random_games(BATCH, "1"), "count must be a whole number, not '1'"),
    (lambda: self_play(BATCH, 1, nodes=None), "nodes must be a whole number, not None"),
    (lambda: Puct("othello", 1, even), NO_BATCH),
    (lambda: Puct(BATCH, 1, None), "a network is a function of the leaves .*, not None"),
    (lambda: Puct(BATCH, 1, even).run("5"), "simulations must be a whole number, not '5'"),
    (lambda: Puct(BATCH, 1, even).step(["f5"]), NO_LABELS),
    (lambda: PolicyPlayer("network.onnx"), "a network is a function .*load_network.*, not 'network.onnx'"),
    (lambda: PolicyPlayer(even, "othello", 400), r"expected a Limit, such as Limit\(time=0.1\), not 400"),
    (lambda: PolicyPlayer(even, "othello", copy=2), "a PolicyPlayer has no argument 'copy'; there are layout, longest"),
    (lambda: Engine("othello", hash_mb=1).perft(Board(), "3"), "depth must be a whole number, not '3'"),
    (lambda: Engine("othello", hash_mb=1).board("", "f5"), "expected a list of moves, not 'f5'"),
    (lambda: Engine("othello", hash_mb=1).board("", None), "expected a list of moves, not None"),
]


@pytest.mark.parametrize(("call", "said"), WRONG, ids=[said[:40] for _, said in WRONG])
def test_wrong_types(call, said):
    with pytest.raises(TypeError, match=said):
        call()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Batch("othello", threads=0), "threads must be at least 1, not 0"),
        (lambda: BATCH.search(BATCH.pack([START]), depth=0), "depth must be at least 1, not 0"),
        (lambda: random_games(BATCH, -1), "count must be at least 0, not -1"),
        (lambda: self_play(BATCH, 1, nodes=0), "nodes must be at least 1, not 0"),
        (lambda: Batch("chess"), "there is no game 'chess'; there are shogi, othello"),
        (lambda: PolicyPlayer(even, "chess"), "there is no game 'chess'; there are shogi, othello"),
        (lambda: PolicyPlayer(even, "othello", layout="rows"), "there is no layout 'rows'; there are ids, squares"),
        (lambda: LiveGames(BATCH, 2, longest=999), "a game has at most 512 moves, not 999"),
        (lambda: LiveGames(BATCH, 2).step([1]), r"there are 2 games, but moves of the shape \[1\]"),
        (lambda: LiveGames(BATCH, 2).step([37, BEYOND]), f"{BEYOND} is not the label of a move"),
        (lambda: BATCH.apply(BATCH.pack([START]), np.array([BEYOND], np.uint64)), "is not the label of a move"),
    ],
)
def test_wrong_values(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_environments_before_their_first_reset():
    pytest.importorskip("pettingzoo")
    from shogi_engine.environments.agents import OneAgent, TwoAgents

    for env in (OneAgent("othello", 0), TwoAgents("othello")):
        with pytest.raises(RuntimeError, match=r"call reset\(\) before step\(\)"):
            env.step(19)
    for opponent in ("3", None, 1.5):
        with pytest.raises(TypeError, match="an opponent is a level or a function"):
            OneAgent("othello", opponent)


@pytest.mark.parametrize("none", [[], (), np.zeros(0), np.zeros((0, 17), dtype=np.uint8)])
def test_no_positions_are_no_mistake(none):
    assert BATCH.legal_moves(none).labels.shape == (0, 0) and BATCH.texts(none) == []
    assert BATCH.apply(none, []).shape == (0, BATCH.size) and BATCH.legal_masks(none, "ids").shape[0] == 0
    games = LiveGames(BATCH, 2)
    games.step(games.random_moves(np.random.default_rng(1)))
    before = games.plies.tolist()
    for rows in ([], (), np.zeros(0)):
        games.reset(rows)
        Puct(BATCH, 2, even).reset(rows)
        assert len(games.features(next(iter(BATCH.feature_names)), rows=rows)) == 0
    assert games.plies.tolist() == before == [1, 1]
    games.reset([1])
    assert games.plies.tolist() == [1, 0]


# ---- arrays to write to ------------------------------------------------------------------------------------------


class Tensor:
    """Memory of another library, which offers DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **wanted):
        return self.array.__dlpack__(**wanted)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Viewed:
    """Memory that `__array__` shows, or copies."""

    def __init__(self, array, copies=False):
        self.array, self.copies = array, copies

    def __array__(self, dtype=None, copy=None):
        return self.array.copy() if self.copies else self.array


def of_buffer(array):
    """Return a view without NumPy's type."""
    return memoryview(array)


@pytest.mark.parametrize("kind", [Tensor, Viewed, of_buffer])
def test_other_memory_is_written_to(kind):
    array = np.zeros((3, 4), np.float32)
    output_array(kind(array), (3, 4), np.float32)[1, 2] = 7
    assert array[1, 2] == 7


@pytest.mark.parametrize("out", [[[0, 0]], Viewed(np.zeros((1, 2)), copies=True)], ids=["list", "copies"])
def test_a_copy_is_refused(out):
    with pytest.raises(ValueError, match="which is a (list|Viewed): NumPy would have to copy it"):
        shared_array(out)


def test_what_can_not_be_written_to_is_refused():
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    for out in (fixed, b"123", Viewed(fixed)):
        with pytest.raises(ValueError, match="it is read-only|cannot write to out"):
            shared_array(out)


def test_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"a C-contiguous bool\[2, 3\], not uint8\[2, 2\]"):
        output_array(Tensor(np.zeros((2, 2), np.uint8)), (2, 3), np.bool_)


def test_batches_write_to_tensors():
    batch = Batch("othello")
    positions = batch.pack([batch.game.start] * 3)
    planes, masks = np.zeros((3, *batch.feature_names["planes"]), np.float32), np.zeros((3, 65), np.bool_)
    after = np.zeros_like(positions)
    batch.features(positions, "planes", out=Tensor(planes))
    batch.legal_masks(positions, "squares+pass", out=Tensor(masks))
    moves = batch.legal_moves(positions).labels[:, 0]
    batch.apply(positions, moves, out=Tensor(after))
    assert (planes == batch.features(positions, "planes")).all() and planes.any()
    assert (masks == batch.legal_masks(positions, "squares+pass")).all() and masks.any()
    assert (after == batch.apply(positions, moves)).all() and after.any()
