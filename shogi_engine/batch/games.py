"""Many games at once, with random moves or played by the engine against itself, and their positions."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch import kernels
from shogi_engine.batch.batch import Batch
from shogi_engine.batch.rows import CHUNK
from shogi_engine.common.threads import results_on_threads
from shogi_engine.games.batch_rules import IDS
from shogi_engine.interface.game import VALUE_MAX, VALUE_NONE
from shogi_engine.search.context import MAX_GAME_PLY, new_context, set_root
from shogi_engine.search.tt import TranspositionTable
from shogi_engine.training.data import SearchState, new_terms, play_from
from shogi_engine.training.game_kernels import ABANDONED, LONGEST

TOGETHER = 16  # games that a thread plays one after the other
TABLE_MB = 4

Made = tuple[NDArray[np.uint32], NDArray[np.int16], int]  # a game's moves, values and result


class Games(NamedTuple):
    """Games from the starting position, one per row.

    Attributes:
        moves: int32[n, longest], in the layout 'ids', -1 after the last move
        lengths: int32[n], the numbers of moves
        results: int8[n], 1, 0, -1 for the side that began; an unfinished game is a draw
        values: int16[n, longest], the value of the search before each move, for the side to move; VALUE_NONE if there
            was no search
    """

    moves: NDArray[np.int32]
    lengths: NDArray[np.int32]
    results: NDArray[np.int8]
    values: NDArray[np.int16]


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
    _check_longest(longest, MAX_GAME_PLY)
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

    return _collect(batch, worker, count, TOGETHER)


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
    _check_longest(longest, LONGEST)
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

    return _collect(batch, worker, count, 1)


def positions_of(batch: Batch, games: Games) -> Positions:
    """Return all positions of games except the last of each; raises ValueError if a game has an illegal move."""
    starts = np.repeat(batch.pack([batch.game.start]), len(games.lengths), 0)
    out = positions_after(batch, starts, games.moves, games.lengths, IDS)
    game = np.repeat(np.arange(len(games.lengths), dtype=np.int32), games.lengths)
    begins = np.cumsum(games.lengths) - games.lengths
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


def _check_longest(longest: int, most: int) -> None:
    """Raise ValueError for a length that is too large."""
    if not 1 <= longest <= most:
        raise ValueError(f"a game has at least 1 move and at most {most}, not {longest}")


def _collect(batch: Batch, worker: Callable[[int], Callable[[int], list[Made]]], count: int, together: int) -> Games:
    """Return the games that threads play: worker(index) plays `together` games, starting with that number."""
    made: dict[int, list[Made]] = dict(results_on_threads(worker, range(0, count, together), batch.threads, "games"))
    games = [game for first in sorted(made) for game in made[first]]
    lengths = np.array([len(moves) for moves, _, _ in games], dtype=np.int32)
    width = int(lengths.max(initial=0))
    table: Any = np.full((len(games), width), kernels.NO_LABEL, dtype=np.int32)
    values = np.full((len(games), width), VALUE_NONE, dtype=np.int16)
    for row, (moves, found, _) in enumerate(games):
        table[row, : len(moves)] = moves & ((1 << batch.rules.code_bits) - 1)
        values[row, : len(moves)] = found
    return Games(table, lengths, np.array([result for _, _, result in games], dtype=np.int8), values)
