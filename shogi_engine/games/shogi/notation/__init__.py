"""Shogi as text: SFEN, USI's moves, and moves as people write them."""
