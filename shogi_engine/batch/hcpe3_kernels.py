"""Where the games and moves of an hcpe3 file are, found in one pass; `hcpe3` has the format."""

from shogi_engine.jit import njit

HEADER_BYTES, MOVE_BYTES, VISITS_BYTES = 36, 6, 4
MOVE_COUNT, CANDIDATES = 32, 4  # where the uint16 are, in a header and in a move
LONGEST = 1024  # moves of a game; dlshogi's own limit is 513


@njit
def read_games(data, at, begins, offsets):
    """Find as many games as `begins` has rows, from data[at:] on; return (games, where the next one begins).

    Args:
        data: uint8[bytes of the file]
        begins: int64[games], out
        offsets: int64[games, LONGEST], out, of the moves. The second number is -1 if the game after those does not
            end within the file or is too long.
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
