"""Shogi's evaluations, one module each."""
