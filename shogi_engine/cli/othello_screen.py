"""An Othello board in the terminal: discs on green cloth, or X, O and -; clocks, the last move, the legal moves.

Terminals differ in whether a disc is one or two columns wide. All characters of a board with discs, including
the file letters, have this ambiguous width, so that the board is aligned on every terminal.
"""

from typing import Any

from shogi_engine.cli.terminal import KANJI, BoardStyle, Line
from shogi_engine.games.othello.notation import FILES, SYMBOLS
from shogi_engine.language import translate as _
from shogi_engine.play.words import side_name

DISCS = "●○·"  # by colour, then an empty square
MAY_PLACE = "□"
WIDE_FILES = "ⓐⓑⓒⓓⓔⓕⓖⓗ"
CLOTH = "on green"
INK = ("black", "bright_white")  # by colour
MOVED, PLACE = "reverse", "white"


def draw(board: Any, look: BoardStyle) -> list[Line]:
    """Return the board with files and ranks, the discs of both sides, and the side to move."""
    files, ranks = (range(7, -1, -1), range(7, -1, -1)) if look.flipped else (range(8), range(8))
    names = WIDE_FILES if look.pieces == KANJI else FILES
    header = "  " + " ".join(names[file] for file in files)
    last = board.peek().square if board.move_stack else None
    places = {move.square for move in board.legal_moves}
    lines: list[Line] = [[(header, "")]]
    for rank in ranks:
        row = [_cell(board, 8 * rank + file, last, places, look) for file in files]
        lines.append([(f"{rank + 1} ", ""), *row, (f"{rank + 1}", "")])
    signs = DISCS if look.pieces == KANJI else SYMBOLS
    counts = "  ".join(
        f"{signs[colour]} {board.count(colour)}" + (f" ({look.clocks[colour]})" if look.clocks[colour] else "")
        for colour in (0, 1)
    )
    side = f"{side_name(board.turn, 'othello')} ({signs[board.turn]})"
    state = _("{side} to move") if places else _("game over")
    if places == {None}:
        state = _("{side} to move, who can only pass")
    state = state.format(side=side)
    return [*lines, [(header, "")], [(f"{counts}  {state}", "")]]


def _cell(board: Any, square: int, last: int | None, places: set[int | None], look: BoardStyle) -> tuple[str, str]:
    """Return a square, two columns wide, and its style."""
    colour = board.disc_at(square)
    moved = square == last
    if look.pieces == KANJI:
        sign = DISCS[colour] if colour is not None else MAY_PLACE if square in places else DISCS[2]
    else:
        sign = SYMBOLS[2 if colour is None else colour]
    if colour is not None:
        gap = "*" if moved and not look.colours else " "
        return f"{sign}{gap}", f"{INK[colour]} {MOVED if moved else CLOTH}"
    return f"{sign} ", f"{PLACE} {CLOTH}"
