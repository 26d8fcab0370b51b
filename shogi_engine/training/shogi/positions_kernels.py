"""The positions of games as a network sees them."""

from shogi_engine.games.shogi.evaluation.network_features import ACTIVE, FEATURES, view_of, write_features
from shogi_engine.games.shogi.types import POSITION, UNDO
from shogi_engine.interface.game import VALUE_NONE, do_move, is_in_check, is_quiet, undo_move
from shogi_engine.jit import njit, record_dtype
from shogi_engine.training.game_kernels import LONGEST

REPLAY = record_dtype([("pos", POSITION), ("undo", UNDO, (LONGEST + 1,))])  # a position, and the way back to the start


@njit
def write_position(pos, features):
    """Write what the side to move and the other see of `pos` to `features`, uint16[2, ACTIVE], filled with FEATURES."""
    for place in range(2):
        colour = int(pos.side) ^ place
        count = write_features(pos, view_of(colour, int(pos.king[colour])), features[place])
        for rest in range(count, ACTIVE):
            features[place, rest] = FEATURES


@njit
def write_positions(replay, games, first, begins, moves, values, results, largest, features, scores, outcomes, plies):
    """Write the quiet positions of games to the rows of four arrays; return (the game to go on with, rows written).

    replay : record[REPLAY], at the start, and there again.   games : int64[n], numbers of games; from `first` on as
    many are taken as fit.   begins : int64[games + 1], moves[begins[game] : begins[game + 1]] are a game's.
    moves, values, results : as training.data has them.
    features : uint16[rows, 2, ACTIVE], out, as `write_position`.   scores : int16[rows], out, for the side to move.
    outcomes : int8[rows], out, 1, 0, -1 for the side to move.   plies : int16[rows], out, moves made before.
    Quiet: searched, not in check, the move chosen neither captures nor promotes, |value| <= largest.
    """
    pos, row = replay.pos, 0
    for index in range(first, games.shape[0]):
        begin, end = begins[games[index]], begins[games[index] + 1]
        if row + end - begin > scores.shape[0]:
            return index, row
        for place in range(begin, end):
            value, ply = int(values[place]), place - begin
            if value != VALUE_NONE and abs(value) <= largest and not is_in_check(pos) and is_quiet(pos, moves[place]):
                write_position(pos, features[row])
                scores[row], plies[row] = value, ply
                outcomes[row] = -results[games[index]] if ply & 1 else results[games[index]]
                row += 1
            do_move(pos, moves[place], replay.undo[ply])
        for back in range(end - begin):
            ply = end - begin - 1 - back
            undo_move(pos, moves[begin + ply], replay.undo[ply])
    return games.shape[0], row
