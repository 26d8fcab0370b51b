"""Tic-tac-toe told plainly, on the nine characters of its notation: an oracle for games/tictactoe.py."""

ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def has_won(text: str, stone: str) -> bool:
    """Tell whether `stone` holds a row of the board `text`."""
    return any(all(text[square] == stone for square in row) for row in ROWS)


def legal_moves(text: str) -> list[str]:
    """Return the squares, 1..9, that the side to move may take."""
    if has_won(text, "X") or has_won(text, "O"):
        return []
    return [str(square + 1) for square in range(9) if text[square] == "-"]


def transpose(text: str) -> str:
    """Return the board with its rows as columns."""
    return "".join(text[3 * (n % 3) + n // 3] for n in range(9))


def flip(text: str) -> str:
    """Return the board upside down."""
    return text[6:] + text[3:6] + text[:3]
