"""A network as a player of games: PolicyPlayer searches by PUCT, the search of AlphaZero.

`match policy:FILE level:3` uses the networks of files, see `load_network`.
"""

import contextlib
import importlib
import math
import runpy
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.batch.batch import Batch, defaulted, side_by_side
from shogi_engine.batch.puct import LiveGames, Network, Puct, check_network
from shogi_engine.batch.puct_kernels import LONGEST
from shogi_engine.common.threads import Search
from shogi_engine.language import InputError
from shogi_engine.play.game import Game
from shogi_engine.play.players import Player
from shogi_engine.search.timeman import TimeOptions, fixed, plan
from shogi_engine.types.limits import Limit, check_limit, check_names, keyword_names
from shogi_engine.types.results import Info, PlayResult, Score

SIMULATIONS = 400  # for a move without another limit
COPIES = 8  # leaves of a tree that are evaluated at once
ROUND = 4 * COPIES  # simulations between two looks at the clock
ENDLESS = 1 << 20  # simulations, when time alone limits them
CERTAIN = 0.9999  # the largest expected result that is shown as centipawns


class PolicyPlayer(Player):
    """Plays the moves of a network.

    Its search is deterministic: a game depends only on the opening, the network and the limits, unless time limits it.

    Args:
        network: as `Puct` has it
        game: the name of the game
        limit: `nodes` are simulations; without nodes, time or a clock there are SIMULATIONS
        layout: the layout of the logits, one of `Batch.layouts`, None for the game's usual one
        settings: of Puct
    """

    def __init__(
        self,
        network: Network,
        game: str = "shogi",
        limit: Limit | None = None,
        *,
        layout: str | None = None,
        **settings: Any,
    ) -> None:
        check_network(network)
        check_limit(limit := limit or Limit())
        check_names("a PolicyPlayer", settings, keyword_names(Puct))
        self.limit, self.network = limit, network
        if unknown := [name for name in ("depth", "mate", "level") if getattr(self.limit, name) is not None]:
            raise InputError("a network cannot be limited by {0}", unknown[0])
        self._batch, self._layout = Batch(game), defaulted(game, layout, ())[0]
        self._labels = self._batch.labels(self._layout)
        self._settings: dict[str, Any] = {"copies": COPIES} | settings
        self._search: Puct | None = None
        self._known: tuple[str, list[int]] = ("", [])  # the start and the labels of the moves made in the search

    def __repr__(self) -> str:
        return f"PolicyPlayer({self.network!r}, {self._batch.game.name!r}, {self.limit!r})"

    def ready(self) -> None:
        """Compile the search or load it from the cache."""
        if self._search is None:
            self._search = Puct(self._batch, 1, self.network, layout=self._layout, **self._settings)

    def new_game(self, game: Game, side: int, seed: str) -> None:
        """Forget the tree."""
        self._known = ("", [])

    def think(self, game: Game, search: Search[Any] | None = None) -> PlayResult[Any]:
        """Search the position, or claim a win."""
        self.ready()
        began, stop = time.perf_counter(), search or Search[Any]()
        board = game.board
        if game.may_declare():
            return PlayResult(declares=True)
        self._follow(game)
        assert self._search is not None
        made, most, seconds = 0, *self._limits(game)
        while made < most and (made == 0 or not stop.stopped and time.perf_counter() - began < seconds):
            self._search.run(min(ROUND, most - made))
            made += ROUND
        label, value = int(self._search.choose()[0]), float(self._search.values()[0])
        labels = self._labels[int(board.turn)]
        moves = [move for move in board.legal_moves if int(labels[move]) == label]
        if not moves:
            raise InputError("the network's search found no move")
        score = Score.of_chance((1 + max(-CERTAIN, min(value, CERTAIN))) / 2)
        info = Info(score=score, nodes=min(made, most), pv=(moves[0],))
        return PlayResult(moves[0], info=info, time=time.perf_counter() - began)

    def _follow(self, game: Game) -> None:
        """Let the search have the game; it keeps its tree where it knows the first moves."""
        assert self._search is not None
        batch, start, board = self._search.batch, game.record.start, game.board.root()
        known, moves = self._known[1], []
        for move in game.board.move_stack:
            moves.append(int(self._labels[int(board.turn), move]))
            board.push(move)
        if len(moves) >= LONGEST:  # of LiveGames: continue from the position alone
            position = batch.pack([start])
            for move in game.board.move_stack:
                position = batch.apply(position, [int(move)])
            self._search.reset(positions=position)
            self._known = ("", [])
            return
        if self._known[0] != start or moves[: len(known)] != known:
            self._search.reset(positions=batch.pack([start]))
            known = []
        for label in moves[len(known) :]:
            self._search.step([label])
        self._known = (start, moves)

    def _limits(self, game: Game) -> tuple[int, float]:
        """Return the simulations and the seconds that the move may take."""
        budget = game.clock.budget(game.turn, lambda clock, options: plan(clock, game.ply, options, 0))
        if self.limit.time is not None:
            exact = fixed(1000 * self.limit.time, TimeOptions())
            budget = budget.at_most(exact.hard_ms) if budget else exact
        nodes = self.limit.nodes or (SIMULATIONS if budget is None else ENDLESS)
        return nodes, math.inf if budget is None else budget.soft_ms / 1000


def load_network(file: str | Path, game: str = "shogi") -> Network:
    """Return the network of a file, for `Puct` and PolicyPlayer. Raises ValueError.

    A Python program defines `network(leaves)`, as Puct describes it. An ONNX file needs the package onnxruntime. Its
    inputs are the game's usual features: dlshogi's two, or one input with all planes side by side. Its outputs are the
    logits in the usual layout and the value, from -1 to 1; with dlshogi's two inputs a probability from 0 to 1.
    """
    path = Path(file)
    if not path.is_file():
        raise InputError("there is no file {0}", path)
    if path.suffix == ".py":
        return _program(path)
    if path.suffix == ".onnx":
        return _onnx(path, game)
    raise InputError("a network is a file .onnx or .py, not {0}", path)


def _program(path: Path) -> Network:
    """Return the network that a Python program defines."""
    with _faults_of(path):
        found = runpy.run_path(str(path)).get("network")
    if not callable(found):
        raise InputError("{0} defines no function `network`", path)

    def network(leaves: LiveGames) -> tuple[Any, Any]:
        with _faults_of(path):
            logits, values = found(leaves)
        return logits, values

    return network


@contextlib.contextmanager
def _faults_of(path: Path) -> Iterator[None]:
    """Raise InputError, which names the program, for what it raises."""
    try:
        yield
    except Exception as fault:
        raise InputError("{0}: {1}: {2}", path, type(fault).__name__, fault) from fault


def _onnx(path: Path, game: str) -> Network:
    """Return the network of an ONNX file."""
    try:
        runtime = importlib.import_module("onnxruntime")
    except ImportError:
        raise InputError("ONNX needs another package: pip install onnxruntime") from None
    try:
        session = runtime.InferenceSession(str(path), providers=runtime.get_available_providers())
    except Exception as fault:  # of several classes, which the package does not export
        raise InputError("{0} is no ONNX file: {1}", path, fault) from None
    features = defaulted(game, None, None)[1]
    names = [each.name for each in session.get_inputs()]
    if len(names) not in (1, len(features)) or len(session.get_outputs()) != 2:
        raise InputError("{0} must have {1} inputs or one, and two outputs", path, len(features))
    several = len(names) > 1

    def network(leaves: LiveGames) -> tuple[Any, Any]:
        found = leaves.features(*features, dtype=np.float32)
        planes = found if several else (side_by_side(found),)
        logits, values = session.run(None, dict(zip(names, planes, strict=True)))
        values = np.asarray(values, dtype=np.float32).reshape(len(leaves))
        return logits.reshape(len(leaves), -1), 2 * values - 1 if several else values

    return network


def player(file: str, game: str, limit: Limit) -> Player:
    """Return the player 'policy:FILE' of a match."""
    return PolicyPlayer(load_network(file, game), game, limit)
