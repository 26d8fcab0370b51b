"""PUCT over batches: the same visits as a slow twin on Boards, ends of games, what is kept, what is refused."""

import math

import numpy as np
import pytest

from shogi_engine.batch import Batch
from shogi_engine.batch.puct import Puct
from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.shogi.board import Board as ShogiBoard

BOARDS = {"shogi": ShogiBoard, "othello": OthelloBoard}
LAYOUTS = {"shogi": "dlshogi", "othello": "squares+pass"}
SETTINGS = {"explore": 1.5, "explore_base": 100.0, "first_play": 0.25}


def judgement(packed):
    """Return (logits, value) of a packed position: numbers that mean nothing, but are always the same."""
    random = np.random.default_rng(list(packed.tobytes()))
    return random.normal(size=3000).astype(np.float32), np.float32(random.uniform(-0.9, 0.9))


def network(leaves):
    """Judge each row alone."""
    found = [judgement(row) for row in leaves.positions()]
    size = leaves.batch.layouts[leaves.layout]
    return np.array([logits[:size] for logits, _ in found]), np.array([value for _, value in found])


class Twin:
    """A tree as one writes it on paper: a position's Board, its moves, and a child for each that was visited."""

    def __init__(self, board, batch, labels):
        self.board, self.batch, self.labels = board, batch, labels
        outcome = board.outcome()
        self.moves = [] if outcome else list(board.legal_moves)
        self.children, self.visits, self.totals = {}, [0] * len(self.moves), [0.0] * len(self.moves)
        if outcome:
            self.value = 0.0 if outcome.winner is None else 1.0 if outcome.winner == board.turn else -1.0
            return
        logits, value = judgement(batch.pack([board.sfen() if hasattr(board, "sfen") else board.obf()])[0])
        self.value = float(value)
        said = np.array([logits[labels[board.turn, int(move) & 0x7FFF]] for move in self.moves], dtype=np.float64)
        chances = np.exp(said - said.max())
        self.priors = chances / chances.sum()

    def visit(self):
        """Search one more line; return its value for the side to move."""
        if not self.moves:
            return self.value
        count = max(sum(self.visits), 1)
        rate = (1.5 + math.log((count + 101.0) / 100.0)) * math.sqrt(count)
        mean = sum(self.totals) / sum(self.visits) if sum(self.visits) else self.value
        scores = [
            (total / visits if visits else mean - 0.25) + rate * prior / (1 + visits)
            for total, visits, prior in zip(self.totals, self.visits, self.priors, strict=True)
        ]
        best = int(np.argmax(scores))
        if best in self.children:
            value = -self.children[best].visit()
        else:
            after = self.board.copy()
            after.push(self.moves[best])
            self.children[best] = Twin(after, self.batch, self.labels)
            value = -self.children[best].value
        self.visits[best] += 1
        self.totals[best] += value
        return value

    def visits_by_label(self, size):
        """Return int32[size]."""
        counts = np.zeros(size, dtype=np.int32)
        for move, visits in zip(self.moves, self.visits, strict=True):
            counts[self.labels[self.board.turn, int(move) & 0x7FFF]] = visits
        return counts


def with_positions(game, positions, **options):
    """Return (search, its batch) of one game for each position, all in the game's notation."""
    batch = Batch(game)
    search = Puct(batch, len(positions), network, layout=LAYOUTS[game], **SETTINGS | options)
    search.reset(positions=batch.pack(positions))
    return search, batch


SHOGI_POSITIONS = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "8k/9/8K/9/9/9/9/9/9 b 2G2r2b 1",  # a mate
    "ln1g5/1r2S1k2/p2pppn2/2ps2p2/1p7/2P6/PPSPPPPLP/2G2K1pr/LN4G1b w BGSLPnp 62",
]
OTHELLO_POSITIONS = [
    "---------------------------OX------XO--------------------------- X",
    "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOOOOOOOXXXOO--- X",
    "OOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOOXXXXO-O- O",
]


@pytest.mark.parametrize(("game", "positions"), [("shogi", SHOGI_POSITIONS), ("othello", OTHELLO_POSITIONS)])
def test_the_visits_are_a_slow_twins(game, positions):
    search, batch = with_positions(game, positions)
    twins = [Twin(BOARDS[game](text), batch, batch.labels(LAYOUTS[game])) for text in positions]
    for _ in range(2):
        search.run(150)
        for twin in twins:
            for _ in range(150):
                twin.visit()
        wanted = np.array([twin.visits_by_label(batch.layouts[LAYOUTS[game]]) for twin in twins])
        assert (search.visits() == wanted).all()
        means = [(sum(twin.totals) + twin.value) / (sum(twin.visits) + 1) for twin in twins]
        assert search.values() == pytest.approx(means, abs=1e-4)


def test_what_is_known_of_the_moves_made_is_kept():
    search, batch = with_positions("othello", OTHELLO_POSITIONS[:1])
    labels = batch.labels("squares+pass")
    twin = Twin(OthelloBoard(OTHELLO_POSITIONS[0]), batch, labels)
    for _ in range(5):
        search.run(100)
        for _ in range(100):
            twin.visit()
        move = search.choose()
        assert move[0] == twin.visits_by_label(65).argmax()
        search.step(move)
        twin = next(
            child
            for place, child in twin.children.items()
            if labels[twin.board.turn, int(twin.moves[place]) & 0x7FFF] == move[0]
        )
        assert (search.visits()[0] == twin.visits_by_label(65)).all()


def test_mates_are_found_and_repetition_is_seen():
    search, batch = with_positions("shogi", SHOGI_POSITIONS[1:2], capacity=4096)
    search.run(3000)
    board = ShogiBoard(SHOGI_POSITIONS[1])
    best = next(m for m in board.legal_moves if batch.labels("dlshogi")[0, int(m) & 0x7FFF] == search.choose()[0])
    board.push(best)
    assert board.is_checkmate() and search.values()[0] > 0.8
    # Three times there and back: the fourth time is a draw, whatever the network says of it.
    kings = "4k4/9/9/9/9/9/9/9/4K4 b - 1"
    shuttle = Puct(batch, 1, lambda leaves: (None, np.full(len(leaves), 0.9)), layout="dlshogi")
    shuttle.reset(positions=batch.pack([kings]))
    board = ShogiBoard(kings)
    for text in ["5i5h", "5a5b", "5h5i", "5b5a"] * 2 + ["5i5h", "5a5b", "5h5i"]:
        move = board.push_usi(text)
        shuttle.step([batch.labels("dlshogi")[1 - board.turn, int(move) & 0x7FFF]])
    shuttle.run(60)
    drawing = batch.labels("dlshogi")[1, int(board.parse_text("5b5a")) & 0x7FFF]
    assert shuttle.visits()[0, drawing] > 40  # all others seem to lose: 0.9 for the other side


def test_games_that_are_over_stay_so():
    search, _ = with_positions("othello", OTHELLO_POSITIONS)
    finished = None
    for _ in range(70):
        search.run(8)
        moves = search.choose(1.0)
        if (moves < 0).any():
            finished = moves < 0
            break
        search.step(moves)
    assert finished is not None
    before = search.positions()
    search.run(8)
    assert (search.visits().sum(axis=1) == 0).tolist() == finished.tolist()
    assert (search.positions() == before).all()
    with pytest.raises(ValueError, match="the game is over"):
        search.step(moves)
    search.reset(finished)
    search.run(8)
    assert (search.visits().sum(axis=1) >= 8).all()


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_several_leaves_of_a_tree_at_once(game):
    positions = (SHOGI_POSITIONS if game == "shogi" else OTHELLO_POSITIONS)[:2]
    search, _ = with_positions(game, positions, copies=8)
    before = search.positions()
    search.run(400)
    visits = search.visits().sum(axis=1)
    assert (visits <= 401).all() and visits[0] > 300
    assert (search.positions() == before).all()
    for tree in range(len(search)):
        nodes = search._tree_nodes[tree, : search._used[tree, 0]]
        edges = search._tree_edges[tree, : search._used[tree, 1]]
        assert (edges["child"] >= -1).all() and (edges["visits"] >= 0).all()
        assert (np.abs(edges["total"]) <= edges["visits"] + 1e-3).all()
        for node in nodes:
            own = edges[node["first_edge"] : node["first_edge"] + node["count"]]
            assert node["visits"] == own["visits"].sum()
    search.step(search.choose())


def test_a_tree_that_is_full_goes_on():
    search, _ = with_positions("othello", OTHELLO_POSITIONS[:1], capacity=20)
    search.run(500)
    assert search.visits().sum() == 500 and search._used[0, 0] == 20


def test_noise_and_temperature():
    quiet, _ = with_positions("othello", OTHELLO_POSITIONS[:1])
    noisy, _ = with_positions("othello", OTHELLO_POSITIONS[:1], noise=(0.3, 0.9), seed=5)
    again, _ = with_positions("othello", OTHELLO_POSITIONS[:1], noise=(0.3, 0.9), seed=5)
    for search in (quiet, noisy, again):
        search.run(50)
    assert (noisy.visits() == again.visits()).all() and (noisy.visits() != quiet.visits()).any()
    for search in (quiet, noisy):  # the chances of the root's moves, whatever was mixed in
        first, count = search._tree_nodes[0, 0]["first_edge"], search._tree_nodes[0, 0]["count"]
        assert search._tree_edges[0, first : first + count]["prior"].sum() == pytest.approx(1.0, abs=1e-5)
    visits = quiet.visits()[0].astype(float)
    for temperature in (0.5, 1.0, 2.0, 5.0):
        drawn = np.bincount([int(quiet.choose(temperature)[0]) for _ in range(2000)], minlength=65) / 2000
        wanted = visits ** (1 / temperature)
        assert drawn == pytest.approx(wanted / wanted.sum(), abs=0.05), temperature
    assert quiet.choose(0.0)[0] == quiet.visits()[0].argmax()
    several, _ = with_positions("othello", OTHELLO_POSITIONS[:1] * 2)  # a temperature for each game
    several.run(50)
    chosen = np.array([several.choose([0.0, 3.0]) for _ in range(200)])
    assert set(chosen[:, 0]) == {int(visits.argmax())} and len(set(chosen[:, 1])) > 2


def test_a_network_that_fails_leaves_the_search_as_it_was():
    search, _ = with_positions("othello", OTHELLO_POSITIONS)
    search.run(30)
    before, at = search.visits(), search.positions()
    for broken, said in (
        (lambda leaves: (None, np.zeros(7)), r"values must be float32\[3\], not \[7\]"),
        (lambda leaves: (np.zeros((3, 64)), np.zeros(3)), r"logits must be float32\[3, 65\], not \[3, 64\]"),
        (lambda leaves: 1 / 0, "division"),
    ):
        search.network = broken
        with pytest.raises((ValueError, ZeroDivisionError), match=said):
            search.run(5)
        assert (search.visits() == before).all() and (search.positions() == at).all()
    search.network = network
    search.run(30)
    assert (search.visits().sum(axis=1) == before.sum(axis=1) + 30).all()


def test_refusals():
    with pytest.raises(ValueError, match="count must be at least 1"):
        Puct(Batch("othello"), 0, network)
    search, _ = with_positions("othello", OTHELLO_POSITIONS)
    with pytest.raises(ValueError, match="3 games, but moves of the shape"):
        search.step([19])
