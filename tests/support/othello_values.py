"""Print, as JSON, what Othello's kernels answer, so that runs with and without JIT can be compared."""

import json
import random

import numpy as np

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.bitboard import stable_discs
from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.othello.movegen import flips, flips_filled, mobility, mobility_filled
from shogi_engine.games.othello.notation import format_obf
from shogi_engine.games.othello.position import make_canonical
from shogi_engine.games.othello.types import placed_disc
from shogi_engine.interface.game import (
    evaluate,
    generate_moves,
    history_slot,
    key,
    move_cost,
    refresh_line,
    score_moves,
    terminal_value,
)
from shogi_engine.perft import perft
from shogi_engine.search.context import new_context
from tests.support.othello_cases import random_game

DEEP = "OOOOOOOOOOOOOX--OXXOOXOOOXOOXX--OOXOX---OOOXX---OOOOX---OOOOO--- X"  # soon solved, for its 16 empty squares


def values_at(ctx):
    """Return the kernels' answers at ctx.pos."""
    own, opponent = ctx.pos.own, ctx.pos.opponent
    count = generate_moves(ctx, 0)
    score_moves(ctx, 0, count)
    moves = ctx.moves[:count].copy()
    refresh_line(ctx)
    values = [mobility(own, opponent), mobility_filled(own, opponent)]
    values += [stable_discs(own, opponent), key(ctx.pos), evaluate(ctx), terminal_value(ctx)]
    values += [*moves, *ctx.scores[:count], *(history_slot(ctx.pos, move) for move in moves)]
    values += [move_cost(ctx.pos, move) for move in moves]
    disc_moves = [move for move in moves if move & 64]
    values += [flips(own, opponent, int(move) & 63) for move in disc_moves]
    values += [flips_filled(own, opponent, np.uint64(placed_disc(move))) for move in disc_moves]
    image = ctx.pos.copy()
    make_canonical(image)
    return [int(value) for value in [*values, image.own, image.opponent]]


def main():
    """Print the values."""
    found = {}
    ctx = new_context(GAME)
    with np.errstate(over="ignore"):  # a kernel's arithmetic wraps around; numpy's scalars do too, and say so
        for number in range(4):
            for pos, _ in random_game(random.Random(number)):
                ctx.pos = pos
                found[format_obf(pos)] = values_at(ctx)
        start = GAME.parse_position(GAME.start)
        ways = [(bulk, free_pass) for bulk in (False, True) for free_pass in (False, True)]
        late = [text for text in found if text.count("-") <= 6]
        solver = Solver(GAME, hash_mb=1)
        for text in late:
            solved = solver.solve(GAME.parse_position(text))
            found[f"solved {text}"] = [solved.score, solved.move, solved.nodes]
        deep = solver.solve(GAME.parse_position(DEEP))
        found["solved deep"] = [deep.score, deep.move, deep.nodes]
        for depth in range(5):
            counts = [perft(GAME, start, depth, bulk=bulk, free_pass=free_pass).nodes for bulk, free_pass in ways]
            found[f"perft {depth}"] = counts
    print(json.dumps(found))


if __name__ == "__main__":
    main()
