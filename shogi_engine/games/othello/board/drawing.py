"""An Othello position drawn as SVG. Nothing here reads more than Board's public face."""

from typing import TYPE_CHECKING

from shogi_engine.games.othello.notation import FILES, SIDES
from shogi_engine.games.othello.types import BLACK

if TYPE_CHECKING:
    from shogi_engine.games.othello.board import Board

# The unit is a pixel of the unscaled picture.
CELL, FRAME = 40, 24
BOARD_SIZE = 8 * CELL
SIZE = BOARD_SIZE + 2 * FRAME
CLOTH, EDGE, LINE, INK, MARK = "#2f7d4f", "#1d1d1d", "#123a24", "#e8e8e8", "#d8322a"
DISCS = ("#151515", "#f4f4f4")  # by colour


def _centre(square: int) -> tuple[float, float]:
    """Return where the middle of a square is drawn: a1 at the upper left."""
    return FRAME + CELL * (square % 8 + 0.5), FRAME + CELL * (square // 8 + 0.5)


def _circle(square: int, radius: float, fill: str, rest: str = "") -> str:
    """Return an SVG circle in the middle of a square."""
    x, y = _centre(square)
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}"{rest}/>'


def _coordinates() -> list[str]:
    """Return the files' letters above the board and the ranks' numbers on its left."""
    drawn = []
    for line in range(8):
        place = FRAME + CELL * (line + 0.5)
        drawn.append(f'<text x="{place:g}" y="{FRAME / 2:g}" dy=".36em">{FILES[line]}</text>')
        drawn.append(f'<text x="{FRAME / 2:g}" y="{place:g}" dy=".36em">{line + 1}</text>')
    return drawn


def svg(board: "Board", *, size: int | None = None) -> str:
    """Return the position as an SVG image: a1 at the upper left, a red dot on the last disc placed.

    Rings, in the colour of the side to move, mark where it may place a disc.

    size : the width in pixels, None for the picture's own.
    """
    width = SIZE if size is None else size
    across = "".join(f"M{FRAME} {FRAME + CELL * line}h{BOARD_SIZE}" for line in range(9))
    down = "".join(f"M{FRAME + CELL * line} {FRAME}v{BOARD_SIZE}" for line in range(9))
    dots = [
        f'<circle cx="{FRAME + CELL * x}" cy="{FRAME + CELL * y}" r="3" fill="{LINE}"/>' for x in (2, 6) for y in (2, 6)
    ]
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{width}" height="{width}">',
        f"<title>{board.obf()}: {SIDES[board.turn]} to move</title>",
        f'<rect width="{SIZE}" height="{SIZE}" fill="{EDGE}"/>',
        f'<rect x="{FRAME}" y="{FRAME}" width="{BOARD_SIZE}" height="{BOARD_SIZE}" fill="{CLOTH}"/>',
        f'<path d="{across}{down}" stroke="{LINE}" fill="none"/>',
        *dots,
        f'<g font-family="sans-serif" font-size="13" fill="{INK}" text-anchor="middle">',
        *_coordinates(),
        "</g>",
    ]
    for square, colour in board.piece_map().items():
        rim = DISCS[1 - colour] if colour == BLACK else LINE
        drawn.append(_circle(square, CELL * 0.42, DISCS[colour], f' stroke="{rim}" stroke-width="0.5"'))
    ring = f' stroke="{DISCS[board.turn]}" stroke-width="1.5"'
    drawn += [_circle(move.square, CELL * 0.12, "none", ring) for move in board.legal_moves if move.square is not None]
    placed = board.move_stack[-1].square if board.move_stack else None
    if placed is not None:
        drawn.append(_circle(placed, CELL * 0.1, MARK))
    return "\n".join([*drawn, "</svg>"]) + "\n"
