"""Finds the games and moves of an hcpe3 file in one pass; `hcpe3` describes the format."""

from shogi_engine.jit import njit

HEADER_BYTES, MOVE_BYTES, VISITS_BYTES = 36, 6, 4
MOVE_COUNT, CANDIDATES = 32, 4  # byte offsets of these uint16 numbers, in a header and in a move
LONGEST = 1024  # moves of a game; dlshogi's own limit is 513


@njit
def read_games(data, at, begins, offsets):
    """Find the games in data[at:], at most len(begins); return (their number, where the next one begins).

    The second number is -1 if the next game does not end within the file or is too long.

    Args:
        data: uint8[], the file
        begins: int64[games], out, the offsets of the games
        offsets: int64[games, LONGEST], out, the offsets of the moves
    """
    for game in range(len(begins)):
        if at == len(data):
            return game, at
        begins[game] = at
        if at + HEADER_BYTES > len(data):
            return game, -1
        moves = int(data[at + MOVE_COUNT]) | int(data[at + MOVE_COUNT + 1]) << 8
        if moves > LONGEST:
            return game, -1
        at += HEADER_BYTES
        for ply in range(moves):
            if at + MOVE_BYTES > len(data):
                return game, -1
            offsets[game, ply] = at
            candidates = int(data[at + CANDIDATES]) | int(data[at + CANDIDATES + 1]) << 8
            at += MOVE_BYTES + VISITS_BYTES * candidates
        if at > len(data):
            return game, -1
    return len(begins), at
