"""Positions by the thousand, for those who learn from them: NumPy arrays of packed positions in, arrays out.

batch, kernels    `Batch`: legal moves and masks, moves made, outcomes, features, values, perft
games             random games and games of the engine against itself
streams           files of positions, read and written in pieces: hcp, hcpe, psv, and Othello's
"""

from shogi_engine.batch.batch import Batch, Found, Legal, Outcomes

__all__ = ["Batch", "Found", "Legal", "Outcomes"]
