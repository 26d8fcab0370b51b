"""The worth of each piece in a position: how much its side's value falls without it. Standard library only."""

import re
from collections.abc import Callable, Iterator

COLUMN = 7  # characters of a square in the table
ROW_NAMES = "abcdefghi"


def piece_worths(sfen: str, value_of: Callable[[str], int]) -> Iterator[tuple[str, str, int | None]]:
    """Yield for each piece except kings its place (`7g` or `hand`), its SFEN symbol, and its worth.

    Args:
        value_of: returns the value of an SFEN for its side to move. If it raises ValueError, because the position
            without the piece is impossible, the worth is None. In hand, the worth is that of the last piece of a kind.
    """
    board, side, hands, *number = sfen.split()
    value = value_of(sfen)

    def worth(piece: str, board: str, hands: str) -> int | None:
        try:
            lost = value - value_of(" ".join([board, side, hands or "-", *number]))
        except ValueError:
            return None
        return lost if piece.isupper() == (side == "b") else -lost

    tokens = re.findall(r"\+?[A-Za-z]|[0-9/]", board)
    square = 0  # along the ranks from 9a
    for place, token in enumerate(tokens):
        if token == "/":
            continue
        if token.isdigit():
            square += int(token)
            continue
        if token.upper() != "K":
            without = "".join([*tokens[:place], "1", *tokens[place + 1 :]])
            yield f"{9 - square % 9}{ROW_NAMES[square // 9]}", token, worth(token, without, hands)
        square += 1
    for found in re.finditer(r"(\d*)([A-Za-z])", hands):
        rest = int(found[1] or 1) - 1
        fewer = f"{rest if rest > 1 else ''}{found[2]}" if rest else ""
        yield "hand", found[2], worth(found[2], board, hands[: found.start()] + fewer + hands[found.end() :])


def worth_table(sfen: str, value_of: Callable[[str], int]) -> list[str]:
    """Return `piece_worths` as lines of text: the board, and a line for both hands if there are pieces in hand."""
    cells, held = {}, []
    for place, piece, worth in piece_worths(sfen, value_of):
        shown = "?" if worth is None else str(worth)
        if place == "hand":
            held.append(f"{piece} {shown}")
        else:
            cells[place] = f"{piece} {shown}"
    lines = ["".join(f"{file:>{COLUMN}}" for file in range(9, 0, -1))]
    for row in ROW_NAMES:
        lines.append("".join(f"{cells.get(f'{file}{row}', '.'):>{COLUMN}}" for file in range(9, 0, -1)) + f"  {row}")
    return [*lines, f"in hand: {', '.join(held)}"] if held else lines
