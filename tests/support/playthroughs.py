"""Stored playthroughs: random games of each game, with what the rules say at every ply, as in OpenSpiel.

A change of rules, keys or notation that no one intended shows as a difference to the files in tests/data/playthroughs.
`python -m tests.support.playthroughs` writes them anew.
"""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.interface.game import do_move, is_in_check, key, repetition_key, terminal_value
from shogi_engine.search.context import new_context
from tests.support.cases import CASES, ConformanceCase, random_move
from tests.support.move_lists import legal_moves

FOLDER = Path(__file__).resolve().parents[1] / "data" / "playthroughs"
SEEDS = range(4)
MAX_PLIES = 150


def describe(ctx: Any) -> list[Any]:
    """Return [key, repetition key, whether the side to move is in check, number of legal moves] of ctx.pos."""
    keys = [f"{int(number):016x}" for number in (key(ctx.pos), repetition_key(ctx.pos))]
    return [*keys, int(is_in_check(ctx.pos)), len(legal_moves(ctx))]


def begin(case: ConformanceCase, start: str) -> Any:
    """Return a context at the beginning of a game."""
    ctx = new_context(case.game)
    ctx.pos = case.game.parse_position(start)
    return ctx


def play(ctx: Any, move: int) -> None:
    """Make a move of the game."""
    do_move(ctx.pos, np.uint32(move), ctx.undo[ctx.game_ply])
    ctx.game_ply += 1


def describe_end(case: ConformanceCase, ctx: Any) -> dict[str, Any]:
    """Return the last position, and its value for the side to move if the game is over."""
    value = None if legal_moves(ctx) else int(terminal_value(ctx))
    return {"final_position": case.game.format_position(ctx.pos), "final_value": value}


def generate(case: ConformanceCase, seed: int) -> dict[str, Any]:
    """Return a random game from one of the case's starts to its end, or for MAX_PLIES plies."""
    rng = random.Random(seed)
    start = case.starts[seed % len(case.starts)]
    ctx = begin(case, start)
    moves: list[str] = []
    plies = [describe(ctx)]
    while len(moves) < MAX_PLIES and (choices := legal_moves(ctx)):
        move = int(random_move(ctx, rng, choices))
        moves.append(case.game.format_move(ctx.pos, move))
        play(ctx, move)
        plies.append(describe(ctx))
    return {"start": start, "moves": moves, "plies": plies, **describe_end(case, ctx)}


def replay(case: ConformanceCase, game: dict[str, Any]) -> dict[str, Any]:
    """Return what `generate` would have written of the moves of a stored game."""
    ctx = begin(case, game["start"])
    plies = [describe(ctx)]
    for text in game["moves"]:
        play(ctx, case.game.parse_move(ctx.pos, text))
        plies.append(describe(ctx))
    return {"start": game["start"], "moves": game["moves"], "plies": plies, **describe_end(case, ctx)}


def stored(case: ConformanceCase) -> list[dict[str, Any]]:
    """Return the stored games of a case."""
    return json.loads((FOLDER / f"{case}.json").read_text(encoding="utf-8"))["games"]


def main() -> None:
    """Write the files, a line for each ply."""
    for case in CASES:
        games = []
        for seed in SEEDS:
            game = generate(case, seed)
            plies = ",\n".join(f"    {json.dumps(ply)}" for ply in game.pop("plies"))
            games.append(f'  {json.dumps(game)[:-1]}, "plies": [\n{plies}\n  ]}}')
        about = json.dumps("Random games by tests/conformance/playthroughs.py, which writes this file.")
        text = f'{{"about": {about}, "games": [\n' + ",\n".join(games) + "\n]}\n"
        (FOLDER / f"{case}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
