"""The kernels of tune.py: the positions of games as data, and an evaluation's loss on them."""

import numpy as np

from shogi_engine.games.shogi.evaluation.king_piece_weights import FEATURES, HAND_BASE, HAND_COUNTS, SAFETIES
from shogi_engine.games.shogi.evaluation.king_safety import safety_index
from shogi_engine.games.shogi.queries import occupied
from shogi_engine.games.shogi.types import hand_count
from shogi_engine.interface.game import VALUE_NONE, do_move, is_in_check, is_quiet
from shogi_engine.jit import njit

PIECES = 40  # features of a position with all pieces, including kings


@njit
def write_features(pos, features):
    """Write the features of `pos` for black's king to `features`, uint16[PIECES], with 0 after the last."""
    count = 0
    for square in occupied(pos):
        features[count] = int(pos.board[square]) * 81 + square
        count += 1
    for owner in range(2):
        for kind in range(1, 8):
            for number in range(hand_count(pos.hand[owner], kind)):
                features[count] = HAND_BASE + (owner << 3 | kind) * HAND_COUNTS + number + 1
                count += 1
    for rest in range(count, PIECES):
        features[rest] = 0


@njit
def collect(pos, undo, moves, values, largest, features, kings, safeties, sides, scores, plies, start):
    """Write the quiet positions of a game from `pos` to the rows from `start`; return the row after the last.

    Quiet: searched, not in check, the move chosen neither captures nor promotes, |value| <= largest.

    Args:
        plies: int16[n], out: moves made before the position
        features: uint16[n, PIECES], out
        kings: uint8[n, 2], out: each king's square from its owner's side
        safeties: uint16[n, 2], out: the indices of their safety
        sides: int8[n], out: 1 if black is to move, else -1
        scores: int16[n], out, for black
    """
    row = start
    for ply in range(moves.shape[0]):
        value = int(values[ply])
        if value != VALUE_NONE and abs(value) <= largest and not is_in_check(pos) and is_quiet(pos, moves[ply]):
            write_features(pos, features[row])
            kings[row, 0] = int(pos.king[0])
            kings[row, 1] = 80 - int(pos.king[1])
            safeties[row, 0] = safety_index(pos, 0)
            safeties[row, 1] = safety_index(pos, 1)
            side = -1 if pos.side else 1
            sides[row] = side
            scores[row] = side * value
            plies[row] = ply
            row += 1
        do_move(pos, moves[ply], undo)
    return row


@njit
def later_results(values, result, fade, scale, expected):
    """Write the expected result of each position of a game for black, 0 to 1, to `expected`, float64[n].

    The search's value there has weight 1 - fade, and the next position's expected result `fade`: TD(lambda).

    Args:
        values: int16[n], from training.game_kernels.play_game
        result: 0 to 1, for black
        scale: as in `cross_entropy`
    """
    last = values.shape[0] - 1
    after = result
    for back in range(last + 1):
        ply = last - back
        if values[ply] != VALUE_NONE:
            value = float(values[ply] if ply & 1 == 0 else -values[ply])
            after = fade * after + (1.0 - fade) / (1.0 + np.exp(-value / scale))
        expected[ply] = after


@njit
def cross_entropy(cells, swap, features, kings, safeties, sides, targets, rows, scale, gradients):
    """Return the summed cross-entropy of the positions `rows`, and add its gradient to `gradients` unless it is empty.

    Args:
        cells, gradients: float32[81 * FEATURES + SAFETIES + 1], centipawns: the kings' cells, their safety, and the
            tempo
        swap: int64[FEATURES], a feature from the other side
        targets: float32[n], black's result, 0 to 1
        scale: the centipawns that mean winning odds of e : 1
        features, kings, safeties, sides: as `collect` writes them
    """
    loss = 0.0
    safety = 81 * FEATURES
    tempo = safety + SAFETIES
    for index in range(rows.shape[0]):
        row = rows[index]
        black, white = int(kings[row, 0]) * FEATURES, int(kings[row, 1]) * FEATURES
        value = cells[tempo] * sides[row] + cells[safety + safeties[row, 0]] - cells[safety + safeties[row, 1]]
        for place in range(PIECES):
            feature = int(features[row, place])
            value += cells[black + feature] - cells[white + swap[feature]]
        expected = 1.0 / (1.0 + np.exp(-value / scale))
        target = targets[row]
        loss -= target * np.log(expected + 1e-9) + (1.0 - target) * np.log(1.0 - expected + 1e-9)
        if gradients.shape[0] > 0:
            gradient = np.float32((expected - target) / scale)
            gradients[tempo] += gradient * sides[row]
            gradients[safety + safeties[row, 0]] += gradient
            gradients[safety + safeties[row, 1]] -= gradient
            for place in range(PIECES):
                feature = int(features[row, place])
                gradients[black + feature] += gradient
                gradients[white + swap[feature]] -= gradient
    return loss
