"""Positions in 32 bytes, and moves made in them."""
