"""What the Othello tests share: the published facts, contexts, random games and strategies for odd boards."""

import json
import random
from pathlib import Path

from hypothesis import strategies as st

from shogi_engine.games.othello import GAME
from shogi_engine.games.othello.notation import legal_moves, parse_obf
from shogi_engine.interface.game import do_move
from shogi_engine.jit import new_record

# Source: the pages of Egaroucid, https://www.egaroucid.nyanyan.dev (perft, openings, draws, the shortest stoner).
FACTS = json.loads((Path(__file__).resolve().parent.parent / "data" / "othello_facts.json").read_text())


def random_game(rng, start=GAME.start):
    """Yield (position, encoded move) of a game of random moves; the position is changed after each."""
    pos = parse_obf(start)
    undo = new_record(GAME.undo)
    while moves := legal_moves(pos):
        move = rng.choice(moves)
        yield pos, move
        do_move(pos, move, undo)


def random_positions(games, seed):
    """Yield every position of some random games, finished ones included (copies)."""
    for number in range(games):
        pos = None
        for pos, _ in random_game(random.Random(f"{seed} {number}")):
            yield pos.copy()
        yield pos.copy()


def _board(draw_from):
    return st.lists(st.sampled_from(draw_from), min_size=64, max_size=64).map("".join)


# Boards that no game reaches among them: few discs, few empty squares, one colour nearly or wholly gone.
BOARDS = st.one_of(*map(_board, ("XO-", "XXXXOO-", "XO------", "XOOOOOOOO-", "OOOOOOOOOOOOOOOO-X", "O-", "OOO--X")))
POSITIONS = st.tuples(BOARDS, st.sampled_from("XO")).map(" ".join)
