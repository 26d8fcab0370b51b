"""Searches that only pretend: what they find depends on the position alone, as with the real ones."""

import zlib


class Pretended:
    """`searches(keys)` for `growth.Growth`; `asked` lists what was searched, `dies_after` that many it raises."""

    def __init__(self, legal_moves, width=3, dies_after=None):
        self.legal_moves, self.width, self.dies_after = legal_moves, width, dies_after
        self.asked = []

    def __call__(self, keys):
        if self.dies_after is not None and len(self.asked) >= self.dies_after:
            raise KeyboardInterrupt
        self.asked += keys
        return {key: self.found(key) for key in keys}

    def found(self, key):
        """Return the moves of a position."""
        valued = sorted((zlib.crc32(f"{key} {move}".encode()) % 90, move) for move in self.legal_moves(key))
        best = valued[::-1][: self.width]
        return [{"move": move, "ponder": "", "value": value - 45, "depth": 7} for value, move in best]
