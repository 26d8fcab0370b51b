"""SFEN as plain text. Standard library only: front ends use it before numba is loaded."""

import re


def flip_sfen(sfen: str) -> str:
    """Return the position `sfen` (four fields) with the board turned around and the colours exchanged."""
    board, side, hand, number = sfen.split()
    squares = re.findall(r"\+?[A-Za-z]|[1-9/]", board)
    return f"{''.join(reversed(squares)).swapcase()} {'b' if side == 'w' else 'w'} {hand.swapcase()} {number}"
