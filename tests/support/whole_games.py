"""Search tic-tac-toe and 4x4 Othello to the end in every way; as a program, print what is found as JSON.

python -m tests.support.whole_games JOB...       JOB is one of JOBS, all if none is given
"""

import sys

import numpy as np

from shogi_engine.interface.game import MAX_PLY, VALUE_INFINITE
from shogi_engine.search.context import EXACT, USE_TT, new_context
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Limits
from shogi_engine.textbook.searches import alpha_beta, minimax, negascout
from tests.support.games import game_of
from tests.support.searching import final_position, place

DEPTHS = {"tictactoe": 10, "othello4": 13}  # one more than there are squares to fill: nothing is left to quiescence
FEATURES = {"nothing": 0, "table": USE_TT, "exact": EXACT}
LATE = {"tictactoe": "1 5 9", "othello4": "b1 a1 a2 a3 d4"}  # moves after which little is left


def run(job):
    """Return [value, nodes] of the `job`, of the shared search also its line and the position that ends it."""
    name, _, search = job.partition(" ")
    game = game_of(name)
    position = game.parse_position(game.start)
    if search.startswith("late "):
        search = search.removeprefix("late ")
        for move in LATE[name].split():
            position = final_position(game, position, [game.parse_move(position, move)])
    if search in FEATURES:
        searcher = Searcher(game, hash_mb=1)
        searcher.search_flags = FEATURES[search]
        result = searcher.search(position, (), Limits(depth=DEPTHS[name]))
        final = final_position(game, position, result.pv)
        return [result.score, result.nodes, list(result.pv), game.format_position(final)]
    ctx = new_context(game)
    place(ctx, position)
    visits = np.zeros(MAX_PLY + 2, dtype=np.int64)
    if search == "minimax":
        value = minimax(ctx, DEPTHS[name], 0, visits)
    elif search == "alpha-beta":
        value = alpha_beta(ctx, -VALUE_INFINITE, VALUE_INFINITE, DEPTHS[name], 0, visits)
    else:
        value = negascout(ctx, -VALUE_INFINITE, VALUE_INFINITE, DEPTHS[name], 0, visits)
    return [int(value), int(visits.sum())]


SEARCHES = (*FEATURES, "alpha-beta", "negascout", "minimax", "late minimax", "late table", "late exact")
JOBS = [f"{name} {search}" for name in DEPTHS for search in SEARCHES]
QUICK_WITHOUT_JIT = [job for job in JOBS if " late " in job]
SLOW_WITHOUT_JIT = [job for job in JOBS if job not in QUICK_WITHOUT_JIT and not job.endswith(" minimax")]


def main():
    """Print the results of the jobs that the command line names."""
    from tests.support.processes import REPORT

    scope: dict = {}
    exec(REPORT, scope)
    scope["report"](found={job: run(job) for job in sys.argv[1:] or JOBS})


if __name__ == "__main__":
    main()
