"""Self-play games as training data, for any game; each game has its own options.

The data are files, called shards (piece-SEED-NUMBER.npz), of a few hundred games each. A shard stores, for one game
after another, `moves` (uint32) and `values` (int16: the search's value for the side to move, VALUE_NONE for a move of
the opening); for each game, `lengths` (int32), `results` (int8: 1, 0, -1 for the side that began) and `starts` (uint8:
the number of its start in DataOptions.starts(); older shards have none, and their games start at the first); and
`options`, which record how the games were made. A position takes four to five bytes. A shard depends only on its
options, seed and number, byte for byte. It is written atomically, and its container (zip) has checksums.
"""

import contextlib
import io
import json
import logging
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Protocol

import numpy as np

from shogi_engine import games
from shogi_engine.common.files import write_whole
from shogi_engine.interface.game import VALUE_MAX, Game
from shogi_engine.interface.stubs import Evaluation, Evaluator
from shogi_engine.jit import new_record
from shogi_engine.language import fault_text
from shogi_engine.search.context import ALL_FLAGS, new_context
from shogi_engine.search.history import Histories, forget
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.game_kernels import ABANDONED, CHANCES, LONGEST, TERMS, play_game

FORMAT = 2  # the version of shards; others are not read
TABLE_MB = 1
DAMAGED = (  # what numpy and zipfile raise for incomplete files
    OSError,
    KeyError,
    ValueError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)
ZIPPED = b"PK"  # the first bytes of numpy's files of arrays
NEVER = np.zeros(1, dtype=np.uint64)  # a stop word that is never set
UNBALANCED = 1 << 20  # TERMS.balance that accepts every opening
Losses = dict[str, float]  # the losses of an epoch, by name


class OpeningSampler(Protocol):
    """The openings of games."""

    def draw(self, random: np.random.Generator, terms: Any, moves: np.ndarray) -> None:
        """Write an opening to `terms`, a record of game_kernels.TERMS, and the opening's given moves to `moves`."""


@dataclass(frozen=True)
class Openings:
    """Openings of random moves, for any game. They may be unbalanced, so that such positions are learnt too.

    Attributes:
        plies: the fewest and the most random moves
        late_plies: the same for games that begin later
        late_share: the share of games that begin later
        explore: the chance of a random move after the opening
    """

    plies: tuple[int, int] = (4, 12)
    late_share: float = 0.0
    late_plies: tuple[int, int] = (0, 0)
    explore: float = 0.0

    def draw(self, random: np.random.Generator, terms: Any, moves: np.ndarray) -> None:
        """Write an opening to `terms`, a record of game_kernels.TERMS; it has no given moves."""
        first, last = self.late_plies if random.random() < self.late_share else self.plies
        terms.random, terms.given, terms.opening = 1, 0, int(random.integers(first, last + 1))
        terms.balance, terms.explore = UNBALANCED, round(self.explore * CHANCES)


class SearchState:
    """A search with its own table and histories, in a context that only holds their addresses."""

    def __init__(self, evaluator: Evaluator, table: TranspositionTable, game: Game) -> None:
        self.evaluator, self.table, self.histories = evaluator, table, Histories(game)
        self.ctx = new_context(game, self.histories, evaluator)
        self.ctx.search_flags = ALL_FLAGS & game.search_flags
        self.ctx.stop_address = NEVER.ctypes.data
        self.new_game()

    def new_game(self) -> None:
        """Clear the table and histories."""
        self.table.clear()
        self.table.attach(self.ctx)
        forget(self.ctx)


@dataclass(frozen=True)
class DataOptions:
    """How games are played; each game has a subclass with its name, and with other defaults if it wants them.

    Attributes:
        nodes: the nodes searched for each move
        evaluation: the name of the one that plays, '' for the game's default
        weights: the bytes of a file of weights for the evaluation, None for those of the package
        openings: how the games begin
        decided: the value, in the evaluation's unit, that ends a game; see game_kernels.TERMS
    """

    game_name: ClassVar[str]

    nodes: int = 300
    seed: int = 1
    evaluation: str = ""
    weights: bytes | None = None
    openings: OpeningSampler = Openings(explore=0.06)
    decided: int = VALUE_MAX
    piece_games: int = 200  # of a shard; the old name, as files tell their options by name

    @cached_property
    def text(self) -> str:
        """The options as JSON; weights as their SHA-256."""
        values = asdict(self)
        values["weights"] = sha256(self.weights).hexdigest() if self.weights else ""
        return json.dumps({"format": FORMAT, "longest": LONGEST, "table_mb": TABLE_MB, **values}, sort_keys=True)

    @property
    def game(self) -> Game:
        """The game."""
        return games.load(self.game_name)

    @classmethod
    def starts(cls) -> tuple[str, ...]:
        """Return the positions where games start, by TERMS.start; by default only the game's usual one."""
        return (games.load(cls.game_name).start,)

    def evaluator(self) -> Evaluator:
        """Return the evaluation that labels the games. Raises ValueError."""
        evaluation: Evaluation = self.game.evaluation(self.evaluation)
        if self.weights is None:
            return evaluation.load()
        with TemporaryDirectory() as folder:
            file = Path(folder) / "weights"
            file.write_bytes(self.weights)
            return evaluation.load(file)

    def draw(self, random: np.random.Generator, terms: Any, moves: np.ndarray) -> None:
        """Write a game's opening to `terms`, a record of TERMS, and the opening's given moves to `moves`."""
        self.openings.draw(random, terms, moves)

    def label(self, player: SearchState, start: Any, moves: np.ndarray, values: np.ndarray) -> None:
        """Improve the values of a finished game from the position `start`, in place; by default they are kept."""


def new_terms(nodes: int, decided: int) -> Any:
    """Return a record of TERMS without an opening. Opening moves are searched with a quarter of the nodes."""
    terms = new_record(TERMS)
    terms.nodes, terms.opening_nodes = nodes, max(nodes // 4, 50)
    terms.decided, terms.longest = decided, LONGEST
    return terms


def play_from(
    start: Any, players: Sequence[SearchState], random: np.random.Generator, terms: Any, *arrays: np.ndarray
) -> tuple[int, int]:
    """Play a game from a position; see `play_game`.

    Args:
        arrays: the moves and the values, in-out
    """
    state = random.integers(1, 1 << 63, size=1, dtype=np.uint64)
    for player in players:
        player.ctx.pos = start
    result, length = play_game(*(player.ctx for player in players), state, terms, *arrays)
    return int(result), int(length)


class Workbench:
    """The players with which a thread makes shards; both sides share a table."""

    def __init__(self, options: DataOptions) -> None:
        self.options = options
        evaluator, table, game = options.evaluator(), TranspositionTable(TABLE_MB), options.game
        self.players = SearchState(evaluator, table, game), SearchState(evaluator, table, game)

    def shard(self, number: int) -> bytes:
        """Return the contents of a shard's file."""
        options = self.options
        random = np.random.default_rng([options.seed, number])
        game = options.game
        starts, terms = [*map(game.parse_position, options.starts())], new_terms(options.nodes, options.decided)
        moves, values = np.zeros(LONGEST, dtype=np.uint32), np.zeros(LONGEST, dtype=np.int16)
        played: list[tuple[np.ndarray, np.ndarray, int, int]] = []
        for player in self.players:
            player.new_game()
        while len(played) < options.piece_games:
            options.draw(random, terms, moves)
            start = starts[terms.start]
            result, length = play_from(start, self.players, random, terms, moves, values)
            if result != ABANDONED:
                played.append((moves[:length].copy(), values[:length].copy(), result, int(terms.start)))
                options.label(self.players[0], start, *played[-1][:2])
        file = io.BytesIO()
        np.savez_compressed(
            file,
            moves=np.concatenate([each[0] for each in played]),
            values=np.concatenate([each[1] for each in played]),
            lengths=np.array([len(each[0]) for each in played], dtype=np.int32),
            results=np.array([each[2] for each in played], dtype=np.int8),
            starts=np.array([each[3] for each in played], dtype=np.uint8),
            options=np.array(options.text),
        )
        return file.getvalue()


def shard_path(folder: Path, seed: int, number: int) -> Path:
    """Return the path of a shard."""
    return folder / f"piece-{seed}-{number:05}.npz"


def refuse_foreign(file: Path) -> None:
    """Raise ValueError for a file that is not in numpy's format; a damaged file of a run is, and can be replaced."""
    with contextlib.suppress(FileNotFoundError), file.open("rb") as stream:
        if stream.read(len(ZIPPED)) not in (ZIPPED, b""):
            raise ValueError(f"training: {file} is not a file of a run, so it is not replaced; remove it")


def read_shard(file: Path) -> dict[str, np.ndarray]:
    """Return a shard's arrays. Raises ValueError, naming the file, if it is damaged or is not a shard."""
    try:
        with np.load(file, allow_pickle=False) as content:
            shard = {name: content[name] for name in ("moves", "values", "lengths", "results", "options")}
            shard["starts"] = content.get("starts", np.zeros(len(shard["lengths"]), np.uint8))
    except DAMAGED as fault:
        raise ValueError(f"training data: {file} cannot be read ({fault})") from None
    moves, lengths = len(shard["moves"]), shard["lengths"]
    if lengths.min(initial=0) < 0 or lengths.max(initial=0) > LONGEST:
        raise ValueError(f"training data: {file} has games of impossible lengths")
    of_games = {len(shard[name]) for name in ("lengths", "results", "starts")}
    if moves != int(lengths.sum()) or moves != len(shard["values"]) or len(of_games) > 1:
        raise ValueError(f"training data: {file} has arrays that do not fit each other")
    return shard


def read_shards(folders: Sequence[Path], older_share: float) -> list[list[dict[str, np.ndarray]]]:
    """Return the shards by folder, the last of `folders` first: all of its shards, and a share of the others'.

    Raises ValueError if there are none, or one is damaged.
    """
    files = []
    for age, folder in enumerate(reversed(folders)):
        here = sorted(folder.glob("piece-*.npz"))
        files.append(here if age == 0 else here[: round(older_share * len(here))])
    if not any(files):
        raise ValueError(f"training data: there are no shards in {', '.join(map(str, folders))}")
    return [[read_shard(file) for file in here] for here in files if here]


def is_made(file: Path, options: DataOptions) -> bool:
    """Tell whether a complete shard made with `options` exists; a damaged one counts as missing.

    Raises ValueError if the shard was made with other options.
    """
    if not file.exists():
        return False
    refuse_foreign(file)
    try:
        shard = read_shard(file)
    except ValueError:
        return False
    if str(shard["options"]) != options.text:
        raise ValueError(f"training data: {file} was made with other options: {shard['options']}")
    return True


# ---- Checkpoints: a run's arrays and losses in a file that is written atomically


_log = logging.getLogger(__name__)


def save_checkpoint(file: Path, identity: str, losses: list[Losses], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a checkpoint.

    Args:
        identity: a text that identifies the run
        losses: the losses of each epoch
    """
    content = io.BytesIO()
    texts = {"losses": np.array(json.dumps(losses)), "identity": np.array(identity)}
    np.savez(content, **arrays, **texts)  # type: ignore[arg-type]
    write_whole(file, content.getvalue())


def load_checkpoint(file: Path, identity: str) -> tuple[dict[str, np.ndarray], list[Losses]] | None:
    """Return (arrays, losses) of a run's checkpoint, None if there is no complete one; a damaged one is logged.

    Raises ValueError if it is from another run, or no checkpoint.
    """
    refuse_foreign(file)
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        found, losses = str(arrays.pop("identity")), json.loads(str(arrays.pop("losses")))
    except FileNotFoundError:
        return None
    except DAMAGED as fault:
        _log.warning("training: %s is damaged (%s), so its run begins again", file, fault_text(fault))
        return None
    if found != identity:
        raise ValueError(f"training: {file} is from another run ({found}, not {identity}); remove it or name this run")
    return arrays, losses
