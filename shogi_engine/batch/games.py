"""Many games at once, with random moves or by self-play, and their positions."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import kernels
from shogi_engine.batch.batch import Batch
from shogi_engine.batch.rows import CHUNK, check_batch
from shogi_engine.common.threads import results_on_threads
from shogi_engine.games.batch_rules import IDS
from shogi_engine.interface.game import VALUE_MAX, VALUE_NONE
from shogi_engine.records.arrays import GameArrays
from shogi_engine.search.context import MAX_GAME_PLY, new_context, set_root
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.data import SearchState, new_terms, play_from
from shogi_engine.training.game_kernels import ABANDONED, LONGEST
from shogi_engine.types.arguments import check_number

TOGETHER = 16  # games that a thread plays one after the other
TABLE_MB = 4
ROWS = 256  # games that iterators yield at a time

_EMPTY = (2, np.int32), (1, np.int32), (1, np.int8), (2, np.int16)  # axes and dtypes of Games' arrays
Made = tuple[NDArray[np.uint32], NDArray[np.int16], int]  # a game's moves, values and result


class Games(NamedTuple):
    """Games, one per row.

    Attributes:
        moves: int32[n, longest], in the layout 'ids', -1 after the last move
        lengths: int32[n], the numbers of moves
        results: int8[n], 1, 0, -1 for black; an unfinished game is a draw
        values: int16[n, longest], the value of the search before each move, for the side to move; VALUE_NONE if there
            was no search
        starts: where each begins, as text; None: all at the game's usual start
    """

    moves: NDArray[np.int32]
    lengths: NDArray[np.int32]
    results: NDArray[np.int8]
    values: NDArray[np.int16]
    starts: Sequence[str] | None = None


class Positions(NamedTuple):
    """The positions of games before each move, one game after the other.

    Attributes:
        positions: uint8[n, size], packed
        game: int32[n], the row in Games
        ply: int32[n], the number of moves made before
    """

    positions: NDArray[np.uint8]
    game: NDArray[np.int32]
    ply: NDArray[np.int32]


def random_games(batch: Batch, count: int, *, seed: int = 0, longest: int = 512) -> Games:
    """Return `count` games of random moves, which end by the rules or after `longest` moves.

    They depend on the seed, not on the number of threads.
    """
    return _joined(iterate_random_games(batch, count, seed=seed, longest=longest))


def iterate_random_games(
    batch: Batch, count: int, *, rows: int = ROWS, seed: int = 0, longest: int = 512
) -> Iterator[Games]:
    """Yield the games of `random_games`, at most `rows` at a time, as `iterate_self_play` does."""
    _check(batch, count, longest, MAX_GAME_PLY)
    states = np.random.default_rng(seed).integers(1, 1 << 63, size=count, dtype=np.uint64)
    start = batch.game.parse_position(batch.game.start)

    def worker(_: int) -> Callable[[int], list[Made]]:
        ctx = new_context(batch.game)
        for name, value in batch.rules.params.items():
            ctx.params[name] = value
        moves = np.zeros(longest, dtype=np.uint32)

        def play(first: int) -> list[Made]:
            made = []
            for game in range(first, min(first + TOGETHER, count)):
                set_root(ctx, start)
                length, result = kernels.play_random(ctx, states[game : game + 1], longest, moves)
                made.append((moves[:length].copy(), np.full(length, VALUE_NONE, dtype=np.int16), int(result)))
            return made

        return play

    yield from _collect(batch, worker, count, TOGETHER, rows)


def self_play(
    batch: Batch,
    count: int,
    *,
    nodes: int,
    seed: int = 0,
    opening: int = 8,
    longest: int = LONGEST,
    evaluation: str = "",
) -> Games:
    """Return `count` games of the engine against itself, with about `nodes` nodes per move.

    A game ends by the rules, when a win is found, or after `longest` moves. It depends only on the seed.

    Args:
        opening: the number of random moves at the start
        evaluation: the name of one of the game's evaluations, '' for the default
    """
    wanted: Any = {"seed": seed, "opening": opening, "longest": longest, "evaluation": evaluation}
    return _joined(iterate_self_play(batch, count, nodes=nodes, **wanted))


def iterate_self_play(
    batch: Batch,
    count: int,
    *,
    nodes: int,
    rows: int = ROWS,
    seed: int = 0,
    opening: int = 8,
    longest: int = LONGEST,
    evaluation: str = "",
) -> Iterator[Games]:
    """Yield the games of `self_play`, at most `rows` at a time and in the same order, as soon as they are played.

    The threads play on while the caller works. When the caller leaves the loop, or closes the iterator, they stop after
    their current games.

    >>> batch, made = Batch("othello"), 0
    >>> for games in iterate_self_play(batch, 1000, nodes=1, rows=2):
    ...     made += len(games.lengths)
    ...     if made >= 4:
    ...         break
    """
    _check(batch, count, longest, LONGEST)
    check_number("nodes", nodes, 1, whole=True)
    evaluator = batch.game.evaluation(evaluation).load()
    start = batch.game.parse_position(batch.game.start)
    terms = new_terms(nodes, VALUE_MAX)
    terms.random, terms.opening, terms.balance, terms.longest = 1, opening, VALUE_MAX, longest

    def worker(_: int) -> Callable[[int], list[Made]]:
        table = TranspositionTable(TABLE_MB)
        players = [SearchState(evaluator, table, batch.game) for _ in range(2)]
        moves, values = np.zeros(longest, dtype=np.uint32), np.zeros(longest, dtype=np.int16)

        def play(game: int) -> list[Made]:
            random = np.random.default_rng([seed, game])
            result = ABANDONED
            while result == ABANDONED:  # the game ended within the opening
                for player in players:
                    player.new_game()
                result, length = play_from(start, players, random, terms, moves, values)
            return [(moves[:length].copy(), values[:length].copy(), result)]

        return play

    yield from _collect(batch, worker, count, 1, rows)


def positions_of(batch: Batch, games: Games | GameArrays, plies: int | None = None) -> Positions:
    """Return all positions of games except the last of each, from their starts if the games have them.

    Args:
        plies: only the positions before the first `plies` moves

    Raises:
        ValueError: a game has an illegal move
    """
    lengths = games.lengths if plies is None else np.minimum(games.lengths, plies)
    if games.starts is None:
        starts = np.repeat(batch.pack([batch.game.start]), len(lengths), 0)
    else:
        starts = batch.pack(games.starts)
    out = positions_after(batch, starts, games.moves, lengths, IDS)
    game = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    begins = np.cumsum(lengths) - lengths
    return Positions(out, game, (np.arange(len(out)) - begins[game]).astype(np.int32))


def positions_after(
    batch: Batch, starts: NDArray[np.uint8], moves: NDArray[np.int32], lengths: NDArray[np.int32], layout: str
) -> NDArray[np.uint8]:
    """Return uint8[sum of lengths, size]: the positions before each move of games, one game after the other.

    Args:
        starts: uint8[n, size], the starting positions, packed
        moves: int32[n, longest], labels of `layout`
        lengths: int32[n], the numbers of moves

    Raises:
        ValueError: a game has an illegal move
    """
    begins = np.concatenate([[0], np.cumsum(lengths)])
    out = np.empty((begins[-1], batch.size), dtype=np.uint8)
    for first in range(0, len(lengths), CHUNK):
        rows = slice(first, first + CHUNK)
        here, current = lengths[rows], starts[rows].copy()
        for ply in range(int(here.max(initial=0))):
            going = np.flatnonzero(here > ply)
            out[begins[rows][: len(here)][going] + ply] = current[going]
            current[going] = batch.apply(current[going], moves[rows][going, ply], layout)
    return out


def _check(batch: object, count: int, longest: int, most: int) -> None:
    """Raise TypeError for what is no batch, ValueError for a negative number of games or a length that is too large."""
    check_batch(batch)
    check_number("count", count, 0, whole=True)
    if not 1 <= longest <= most:
        raise ValueError(f"a game must have 1 to {most} moves, not {longest}")


def _collect(
    batch: Batch, worker: Callable[[int], Callable[[int], list[Made]]], count: int, together: int, rows: int
) -> Iterator[Games]:
    """Yield the games that threads play: worker(index) plays `together` games, starting with that number."""
    if rows < 1:
        raise ValueError(f"at least one game must be yielded at a time, not {rows}")
    made: dict[int, list[Made]] = {}
    waiting: list[Made] = []
    following = 0
    with contextlib.closing(results_on_threads(worker, range(0, count, together), batch.threads, "games")) as found:
        for first, games in found:
            made[first] = games
            while following in made:
                waiting += made.pop(following)
                following += together
            while len(waiting) >= rows:
                yield _arrays(batch, waiting[:rows])
                del waiting[:rows]
    if waiting:
        yield _arrays(batch, waiting)


def _joined(parts: Iterator[Games]) -> Games:
    """Return all games as one object."""
    found = list(parts) or [Games(*(np.zeros((0,) * axes, kind) for axes, kind in _EMPTY))]
    width = max(part.moves.shape[1] for part in found)

    def joined(tables: list[Any], filler: int) -> Any:
        rows = [np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=filler) for table in tables]
        return np.concatenate(rows)

    return Games(
        joined([part.moves for part in found], kernels.NO_LABEL),
        np.concatenate([part.lengths for part in found]),
        np.concatenate([part.results for part in found]),
        joined([part.values for part in found], VALUE_NONE),
    )


def _arrays(batch: Batch, games: list[Made]) -> Games:
    """Return games as arrays."""
    lengths = np.array([len(moves) for moves, _, _ in games], dtype=np.int32)
    width = int(lengths.max(initial=0))
    table: Any = np.full((len(games), width), kernels.NO_LABEL, dtype=np.int32)
    values = np.full((len(games), width), VALUE_NONE, dtype=np.int16)
    for row, (moves, found, _) in enumerate(games):
        table[row, : len(moves)] = moves & ((1 << batch.rules.code_bits) - 1)
        values[row, : len(moves)] = found
    return Games(table, lengths, np.array([result for _, _, result in games], dtype=np.int8), values)
