"""Trees of games whose moves a kernel has checked: its arrays give the moves, the text everything else."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shogi_engine.games.shogi.board.moves import MOVES
from shogi_engine.games.shogi.notation.sfen import START, parse_sfen, starting_position
from shogi_engine.games.shogi.records import csa_kernels
from shogi_engine.games.shogi.records.evaluations import FLOODGATE, number_score
from shogi_engine.games.shogi.types import POSITION, UNDO
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.jit.cache import is_saved
from shogi_engine.jit.folders import cache_folder
from shogi_engine.records.arrays import Table
from shogi_engine.records.formats import Line
from shogi_engine.records.tree import Node

PATIENCE = 100  # number of games after which kernels that are not in the cache are compiled
SHORTEST = 8  # number of lines below which a game is read in less time than the kernel is called
LONGEST = 1024  # maximum number of moves of a game
LINE_MAX = 128  # maximum number of moves of a line in a comment


class QuickMoves:
    """Reads the moves of games with a format's scanner.

    Args:
        kernels: the kernels that the format needs; they are compiled after PATIENCE games
    """

    def __init__(self, make_scanner: Callable[[], Any], kernels: Sequence[Any]) -> None:
        self._make_scanner, self._kernels = make_scanner, kernels
        self._games = 0
        self._scanner: Any = None
        self._table: Any = None

    def _ready(self) -> bool:
        """Tell whether the kernels are in the cache, or worth compiling."""
        self._games += 1
        if self._games == 1 and not JIT_DISABLED and cache_folder() is not None and all(map(is_saved, self._kernels)):
            self._games = PATIENCE + 1
        return self._games > PATIENCE and not JIT_DISABLED

    def moves(self, block: list[Line]) -> Any:
        """Return the moves (int32[n]) of the only game in `block`; None to leave it to the format's reader."""
        if len(block) < SHORTEST or not self._ready():
            return None
        if self._scanner is None:
            self._scanner, self._table = self._make_scanner(), Table(1, LONGEST)
        text = "\n".join([line for _, line in block])
        table = self._table
        _, declined = self._scanner.scan(self._scanner.array_of(text), 0, True, table)
        filled = table.filled
        table.clear()
        if declined or filled != 1:
            return None
        return table.moves[0, : table.lengths[0]]


class _Texts(dict[int, str]):
    """The texts of all moves seen so far, by the moves' ints."""

    def __missing__(self, move: int) -> str:
        self[move] = text = MOVES[move].usi()
        return text


_TEXTS = _Texts()


def texts_of(moves: Any) -> list[str]:
    """Return the texts of moves, USI.

    Args:
        moves: int32[n]
    """
    return [_TEXTS[move] for move in moves.tolist()]


def take_lines(nodes: list[Node], moves: Any, start: str) -> None:
    """Move evaluations and lines from comments that consist only of floodgate's line to the nodes.

    Args:
        nodes: the nodes of the main line, without its root
        moves: int32[n], their moves
        start: the SFEN of the starting position
    """
    found = [FLOODGATE.fullmatch(node.comment) if node.comment else None for node in nodes]
    if not any(found):
        return
    texts = ["" if match is None or match[3] else match[2] for match in found]
    data = np.frombuffer("".join(texts).encode("ascii"), dtype=np.uint8)
    lengths = np.array([len(text) for text in texts], dtype=np.int32)
    ends = np.cumsum(lengths, dtype=np.int32)
    legal, counts = np.empty((len(nodes), LINE_MAX), np.int32), np.zeros(len(nodes), np.int32)
    position, work, line = (np.zeros(1, POSITION) for _ in range(3))
    position[0] = starting_position() if start == START else parse_sfen(start)
    # A line is ' -8384FU +2625FU': its first move begins after the first blank.
    csa_kernels.read_lines(
        data, ends - lengths + (lengths > 0), ends, position, work, line, np.zeros(1, UNDO), np.zeros(1, UNDO),
        moves, legal, counts,
    )  # fmt: skip
    black = start.split()[1] == "b"
    for ply, (node, match) in enumerate(zip(nodes, found, strict=True)):
        if match is not None and not match[3] and 8 * counts[ply] == lengths[ply]:
            score = number_score(match[1])
            node.evaluation, node.comment = (score if black == (ply % 2 == 0) else -score), ""
            node.pv = tuple(texts_of(legal[ply, : counts[ply]]))
