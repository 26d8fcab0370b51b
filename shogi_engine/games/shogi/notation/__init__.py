"""Shogi as text: SFEN, USI moves, and moves in other notations."""
