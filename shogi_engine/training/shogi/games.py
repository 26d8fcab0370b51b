"""Training games in memory: split into training and held-out games, and read as blocks of positions."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.common.threads import results_on_threads
from shogi_engine.games.shogi import GAME
from shogi_engine.games.shogi.batch import RULES
from shogi_engine.games.shogi.book import shipped
from shogi_engine.games.shogi.evaluation.network import ACTIVE
from shogi_engine.games.shogi.packed import HAND_KINDS, PSFEN, unpack
from shogi_engine.interface.game import VALUE_MAX, VALUE_NONE, do_move
from shogi_engine.interface.stubs import Evaluator
from shogi_engine.jit import new_record
from shogi_engine.search.context import new_context, set_root, static_value, write_root_moves
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training import data
from shogi_engine.training.data import SearchState, read_shards
from shogi_engine.training.game_kernels import CHANCES as CHANCE_STEPS, think
from shogi_engine.training.shogi.kernels import LINE_MOVES, REPLAY, STARTS, write_ends, write_positions

# ---- The quiet ends of the searches of games: see kernels.py


Ends = tuple[np.ndarray, np.ndarray]  # `ends` and `lines` of all games of a shard, as `write_ends` writes them
Shard = Mapping[str, np.ndarray]


def quiet_ends(shards: Sequence[Shard], evaluator: Evaluator, threads: int = 1) -> list[Ends]:
    """Return the quiet ends of shards by quiescence searches with an evaluation."""
    starts = [GAME.parse_position(start) for start in STARTS]

    def finder(_: int) -> Callable[[int], Ends]:
        player = SearchState(evaluator, TranspositionTable(data.TABLE_MB), GAME)

        def found(number: int) -> Ends:
            shard, at = shards[number], 0
            ends, lines = np.zeros(len(shard["moves"]), np.uint8), [np.zeros(0, np.uint32)]
            player.new_game()
            for start, length in zip(shard["starts"], shard["lengths"].tolist(), strict=True):
                here, line = slice(at, at + length), np.zeros(LINE_MOVES * (length + 1), np.uint32)
                player.ctx.pos = starts[start]
                count = write_ends(player.ctx, shard["moves"][here], shard["values"][here], ends[here], line)
                lines.append(line[:count].copy())
                at += length
            return ends, np.concatenate(lines)

        return found

    made = dict(results_on_threads(finder, range(len(shards)), threads, "quiet ends"))
    return [made[number] for number in range(len(shards))]


SAME_PLIES = 24  # games that share these moves count as one game
SCALE = 600  # centipawns that mean winning odds of e : 1, as in front ends and analysis
LARGEST = 3000  # centipawns on that scale; positions with larger values are not used
SCALES = 200, 2000  # limits of the scale of searches: centipawns that mean odds of e : 1
CHANCES = 1e-5, 1 - 1e-5  # limits of winning chances
LARGEST_FITTED = 2500  # centipawns of a search; positions with larger values do not count in fitting the scale


def logistic_fit(values: np.ndarray, scores: np.ndarray, counts: np.ndarray | float = 1.0) -> tuple[float, float]:
    """Return (scale, log loss) of the logistic function of values that fits results best.

    The scale is the value that means odds of e : 1, inf or negative if values say nothing about results; the loss is
    the mean cross-entropy.

    Args:
        values: float[n], for the side to move
        scores: float[n], its results, 0 to 1; sums if there are several results for a value
        counts: the number of results for each value
    """
    slope = 0.0
    for _ in range(100):  # Newton's method; the curvature is largest where it begins, so it does not overshoot
        chances = 1 / (1 + np.exp(np.clip(-slope * values, -500, 500)))
        slope += ((scores - counts * chances) * values).sum() / max(
            float((counts * chances * (1 - chances) * values**2).sum()), 1e-9
        )
    chances = np.clip(1 / (1 + np.exp(np.clip(-slope * values, -500, 500))), *CHANCES)
    losses = scores * np.log(chances) + (counts - scores) * np.log(1 - chances)
    return 1 / slope if slope else math.inf, float(-losses.sum() / (np.ones_like(values) * counts).sum())


@dataclass(frozen=True)
class PositionBlock:
    """Quiet positions, as kernels.write_positions writes them."""

    features: np.ndarray
    scores: np.ndarray
    outcomes: np.ndarray
    plies: np.ndarray

    def targets(self, result_share: float) -> np.ndarray:
        """Return float32[n], the expected result of the side to move, 0 to 1: a mean of value and game result."""
        chances = 1 / (1 + np.exp(self.scores.astype(np.float32) / np.float32(-SCALE)))
        hope = (1 - result_share) * chances + result_share * (self.outcomes.astype(np.float32) + 1) / 2
        return np.asarray(hope, dtype=np.float32)


@dataclass(frozen=True)
class Games:
    """Games one after another: see training.data. Results are for the side that began.

    Attributes:
        ends, lines: the quiet ends of searches, as quiet_ends.py has them; by default there are none
    """

    moves: np.ndarray
    values: np.ndarray
    lengths: np.ndarray
    results: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    lines: np.ndarray

    @classmethod
    def load(
        cls, folders: Sequence[Path], older_share: float = 1.0, ends_by: Evaluator | None = None, threads: int = 1
    ) -> "Games":
        """Return the games of all shards in the last of `folders`, and of a share of the shards in the others.

        The scale of values depends on the evaluation that labelled them, so each folder's are converted to SCALE.
        Raises ValueError if there are no shards, or one is damaged.

        Args:
            ends_by: the evaluation that finds the quiet ends; None for no ends
        """
        generations = []
        for shards in read_shards(folders, older_share):
            ends = quiet_ends(shards, ends_by, threads) if ends_by else [None] * len(shards)
            generations.append(cls.joined([*map(cls.of, shards, ends)]).scaled())
        return cls.joined(generations)

    @classmethod
    def of(cls, shard: Mapping[str, np.ndarray], ends: Ends | None = None) -> "Games":
        """Return the games of a shard."""
        found, lines = ends or (np.zeros(len(shard["moves"]), np.uint8), np.zeros(0, np.uint32))
        return cls(**{field.name: shard[field.name] for field in fields(cls)[:-2]}, ends=found, lines=lines)

    @classmethod
    def joined(cls, parts: "Sequence[Games]") -> "Games":
        """Return the games of all parts."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    @cached_property
    def begins(self) -> np.ndarray:
        """The first place of each game in `moves`, int64[games + 1]."""
        return np.concatenate([[0], np.cumsum(self.lengths, dtype=np.int64)])

    @cached_property
    def line_begins(self) -> np.ndarray:
        """The first place of each game in `lines`, int64[games + 1]."""
        moves = np.concatenate([[0], np.cumsum(np.maximum(self.ends, 1) - 1, dtype=np.int64)])
        return np.asarray(moves[self.begins])

    def __len__(self) -> int:
        return len(self.results)

    def distinct(self) -> np.ndarray:
        """Return the numbers of the games, without those that repeat another's first SAME_PLIES moves."""
        seen: set[bytes] = set()
        kept = []
        for game in range(len(self)):
            begin, end = self.begins[game], self.begins[game + 1]
            opening = bytes([self.starts[game]]) + self.moves[begin : min(end, begin + SAME_PLIES)].tobytes()
            if opening not in seen:
                seen.add(opening)
                kept.append(game)
        return np.array(kept, dtype=np.int64)

    def split(self, seed: int, held_out: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the distinct games to learn from, and the distinct games held out, the share `held_out` of all."""
        games = np.random.default_rng([seed, len(self)]).permutation(self.distinct())
        count = max(round(held_out * len(games)), 1)
        return games[count:], games[:count]

    def scaled(self) -> "Games":
        """Return the games with values rescaled so that SCALE means odds of e : 1; mates and gaps are kept."""
        usual = np.abs(self.values.astype(np.int32)) <= VALUE_MAX
        scaled = np.clip(np.rint(self.values * (SCALE / self.scale())), -VALUE_MAX, VALUE_MAX)
        return replace(self, values=np.where(usual, scaled, self.values).astype(np.int16))

    def with_later_values(self, td_lambda: float) -> "Games":
        """Return the games with each value mixed with the next position's value, from the end backwards.

        Later searches see what a search with few nodes overlooks. Winning chances are mixed, not centipawns. Values
        must be at SCALE; mates, gaps and the values before gaps are kept. This is TD(lambda) with `td_lambda` as
        lambda: R. Sutton, "Learning to predict by the methods of temporal differences", Machine Learning 3 (1988).
        """
        usual = np.abs(self.values.astype(np.int32)) <= VALUE_MAX
        chances = 1 / (1 + np.exp(self.values.astype(np.float32) / np.float32(-SCALE)))
        played = self.lengths > 0
        last = self.begins[1:][played] - 1
        won = (self.results * np.where(self.lengths & 1, 1, -1) + 1)[played] / 2  # by the side that made the last move
        chances[last] = np.where(self.values[last] == VALUE_NONE, won, chances[last])
        by_length = np.argsort(-self.lengths, kind="stable")
        lengths, begins = self.lengths[by_length], self.begins[:-1][by_length]
        for ply in range(int(lengths.max(initial=0)) - 2, -1, -1):
            here = begins[: np.searchsorted(-lengths, -ply - 1)] + ply  # of the games that have a later move
            share = np.where(self.values[here] == VALUE_NONE, 1, td_lambda)  # a position without a value passes it on
            chances[here] = (1 - share) * chances[here] + share * (1 - chances[here + 1])
        chances = np.clip(chances, *CHANCES)
        values = np.where(usual, np.rint(SCALE * np.log(chances / (1 - chances))), self.values)
        return replace(self, values=values.astype(np.int16))

    def scale(self) -> float:
        """Return the centipawns that mean odds of e : 1: those that minimise the cross-entropy of the results."""
        plies = np.arange(len(self.moves)) - np.repeat(self.begins[:-1], self.lengths)
        sides = np.where(plies & 1, -1, 1)
        outcomes = (np.repeat(self.results, self.lengths) * sides + 1) / 2
        used = (self.values != VALUE_NONE) & (np.abs(self.values.astype(np.int32)) <= LARGEST_FITTED)
        cells = (self.values[used].astype(np.int64) + LARGEST_FITTED) // 10
        counts = np.bincount(cells)
        middles = np.arange(len(counts)) * 10.0 + 5 - LARGEST_FITTED
        return float(np.clip(logistic_fit(middles, np.bincount(cells, outcomes[used]), counts)[0], *SCALES))

    def blocks(
        self, games: np.ndarray, size: int, tables: Sequence[Any], turn: int = 0
    ) -> Iterator[tuple[int, PositionBlock]]:
        """Yield (games done, block) with the positions of `games` in their order, about `size` at a time.

        The next block overwrites the arrays of a block.

        Args:
            tables: one or two records[FEATURE_TABLE], the features; games with even and odd numbers use one each
            turn: with an odd one, it is the other one
        """
        longest = int(self.lengths.max())
        rows = max(size, longest)
        block = PositionBlock(
            np.zeros((rows, 2, ACTIVE), dtype=np.uint16),
            np.zeros(rows, dtype=np.int16),
            np.zeros(rows, dtype=np.int8),
            np.zeros(rows, dtype=np.int16),
        )
        replay, done = new_record(REPLAY), 0
        replay.starts[:], replay.turn = [GAME.parse_position(start) for start in STARTS], turn
        replay.tables[0], replay.tables[1] = tables[0], tables[-1]
        arrays: Any = self.begins, self.moves, self.values, self.results, self.starts
        arrays += self.ends, self.line_begins, self.lines
        while done < len(games):
            done, count = write_positions(
                replay, games, done, LARGEST, *arrays, block.features, block.scores, block.outcomes, block.plies
            )
            yield (
                int(done),
                PositionBlock(
                    block.features[:count], block.scores[:count], block.outcomes[:count], block.plies[:count]
                ),
            )


# ---- Measures how well an evaluation ranks positions with values from a strong engine. Not used for training
#
# Only the order counts (Spearman's rank correlation), so the scales of the two engines do not matter. The results of
# the games are compared with the logistic function of the values that fits them best. Searches run for one ply or a
# number of nodes, each with an empty table, so the figures are the same on every machine.
# Records are those of YaneuraOu's PackedSfenValue (`batch.streams`, psv).


TABLE_MB = 1
CELLS = (  # name, key, lowest and highest value
    ("all", "held", 0, 99),
    ("opening: 20 or more pieces where they began", "home", 20, 99),
    ("middle game: 10 to 19", "home", 10, 19),
    ("ending: 9 or fewer", "home", 0, 9),
    ("0 or 1 pieces in hand", "held", 0, 1),
    ("2 to 4", "held", 2, 4),
    ("5 to 8", "held", 5, 8),
    ("9 or more", "held", 9, 99),
)


@dataclass(frozen=True)
class Annotated:
    """Positions with known values.

    Attributes:
        records: record[n] with the fields `sfen`, `score`, `move` and `game_result` of psv
    """

    records: Any

    @cached_property
    def positions(self) -> list[Any]:
        """The positions. Raises ValueError with the record's number for an invalid one."""
        found = []
        for number, packed in enumerate(self.records["sfen"], 1):
            try:
                found.append(unpack(PSFEN, packed))
            except ValueError as fault:
                raise ValueError(f"annotated positions: record {number}: {fault}") from None
        return found

    @cached_property
    def held(self) -> np.ndarray:
        """The number of pieces in both hands, by position."""
        hands = np.array([position.hand for position in self.positions], dtype=np.uint64).reshape(-1, 2, 1)
        shifts = np.array([8 * kind for kind in HAND_KINDS], dtype=np.uint64)
        return np.asarray((hands >> shifts & np.uint64(255)).sum(axis=(1, 2)).astype(np.int64))

    @cached_property
    def home(self) -> np.ndarray:
        """The number of pieces on their starting squares, by position: 40 at first, fewer later in a game."""
        boards = np.array([position.board for position in self.positions])
        start = np.array(GAME.parse_position(GAME.start).board)
        return np.asarray(((boards == start) & (start != 0)).sum(axis=1))

    def searched(self, evaluator: Evaluator, nodes: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return (values int32[n] for the side to move, whether each best move is the recorded one) of searches.

        Args:
            nodes: the nodes of each search; the first ply is always completed
        """
        player, table = SearchState(evaluator, TranspositionTable(TABLE_MB), GAME), RULES.layouts["yaneuraou"].table()
        values, agreed = np.zeros(len(self.records), np.int32), np.zeros(len(self.records), bool)
        for number, (position, move) in enumerate(zip(self.positions, self.records["move"], strict=True)):
            player.new_game()  # nearly all the time at one ply, but kept histories would raise the figures by 0.01
            set_root(player.ctx, position)
            if write_root_moves(player.ctx):
                values[number] = think(player.ctx, nodes)
                best = int(player.ctx.root_moves[0]) & ((1 << RULES.code_bits) - 1)
                agreed[number] = table[int(position.side), best] == move
        return values, agreed

    def static(self, evaluator: Evaluator) -> np.ndarray:
        """Return the values without a search, int32[n]."""
        ctx, values = new_context(GAME, evaluator=evaluator), np.zeros(len(self.records), np.int32)
        for number, position in enumerate(self.positions):
            set_root(ctx, position)
            values[number] = static_value(ctx)
        return values

    def cells(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield (name, which positions) by CELLS."""
        for name, number, fewest, most in CELLS:
            count = getattr(self, number)
            yield name, (count >= fewest) & (count <= most)

    def correlations(self, values: np.ndarray) -> dict[str, tuple[int, float]]:
        """Return (positions, rank correlation of `values` with the recorded ones) by the names of CELLS."""
        scores = self.records["score"]
        return {name: (int(here.sum()), rank_correlation(values[here], scores[here])) for name, here in self.cells()}

    def log_losses(self, values: np.ndarray) -> dict[str, tuple[float, float]]:
        """Return (log loss of the games' results, scale of `values`) by the names of CELLS; draws are left out.

        A larger scale means that the values promise more than the results keep; see games.logistic_fit.
        """
        known, bounded = self.records["game_result"], np.clip(values, -VALUE_MAX, VALUE_MAX).astype(float)
        found = {}
        for name, here in self.cells():
            here &= known != 0
            found[name] = logistic_fit(bounded[here], (known[here] > 0).astype(float))[::-1]
        return found


def ranks(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value, from 0; equal ones share their mean."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts + 1) / 2)[places])


def rank_correlation(left: np.ndarray, right: np.ndarray) -> float:
    """Return Spearman's rank correlation, 0 if it is undefined: all values are equal, or there are none."""
    first, second = ranks(left), ranks(right)
    if len(first) < 2 or not first.std() or not second.std():
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def compared(now: Evaluator, before: Evaluator, records: Any) -> list[dict[str, Any]]:
    """Return the report's rows: by CELLS, how well two evaluations rank the positions of psv records."""
    annotated = Annotated(records)
    after, earlier = (annotated.correlations(annotated.searched(evaluator)[0]) for evaluator in (now, before))
    return [
        {"positions": name, "number": number, "rank correlation": value, "before": earlier[name][1]}
        for name, (number, value) in after.items()
    ]


# ---- Openings of training games: random, or sensible, so that castles are built
#
# A sensible opening follows the engine's book for a while and continues with searches, which sometimes play another
# move than the best (game_kernels.near_best_move).


_children: dict[str, list[tuple[int, str]]] = {}  # SFEN -> the book's moves there, each with the SFEN after it


def _book_moves(sfen: str) -> list[tuple[int, str]]:
    """Return the book's moves in a position, encoded, and the position after each."""
    if sfen not in _children:
        found, undo = [], new_record(GAME.undo)
        for known in shipped().known(sfen):
            position = GAME.parse_position(sfen)
            move = GAME.parse_move(position, known.move)
            do_move(position, np.uint32(move), undo)
            found.append((move, GAME.format_position(position)))
        _children[sfen] = found
    return _children[sfen]


def book_line(random: np.random.Generator, plies: int) -> list[int]:
    """Return at most `plies` book moves from the start, each chosen at random from the book's moves."""
    sfen = GAME.format_position(GAME.parse_position(GAME.start))
    moves: list[int] = []
    while len(moves) < plies and _book_moves(sfen):
        move, sfen = _book_moves(sfen)[int(random.integers(len(_book_moves(sfen))))]
        moves.append(move)
    return moves


@dataclass(frozen=True)
class Openings:
    """The mix of openings. Numbers of plies are (fewest, most); margins are in centipawns.

    Attributes:
        random_share: the share of openings with random moves
        chance: the probability that a move may be worse than the best
        book_share: the share of the other openings that start from the book
        balance: see game_kernels.TERMS
    """

    random_share: float = 0.5
    random_plies: tuple[int, int] = (7, 8)
    sensible_plies: tuple[int, int] = (4, 30)
    book_share: float = 0.5
    book_plies: tuple[int, int] = (2, 14)
    chance: float = 0.35
    margin: int = 60
    balance: int = 500

    def draw(self, random: np.random.Generator, terms: Any, moves: np.ndarray) -> None:
        """Write an opening to `terms`, a record of game_kernels.TERMS, and the opening's given moves to `moves`."""
        terms.random = int(random.random() < self.random_share)
        plies = self.random_plies if terms.random else self.sensible_plies
        terms.opening = int(random.integers(plies[0], plies[1] + 1))
        terms.given = 0
        terms.chance, terms.margin, terms.balance = round(self.chance * CHANCE_STEPS), self.margin, self.balance
        if not terms.random and random.random() < self.book_share:
            line = book_line(
                random, min(int(random.integers(self.book_plies[0], self.book_plies[1] + 1)), terms.opening)
            )
            terms.given = len(line)
            moves[: len(line)] = line
