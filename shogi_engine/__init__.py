"""A Shogi engine over USI and an Othello engine on one search module, in Python with numba."""

__version__ = "0.1.0"
