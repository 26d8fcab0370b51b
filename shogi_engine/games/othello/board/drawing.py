"""An Othello position drawn as SVG. Only Board's public interface is used."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from shogi_engine.games.othello.board.moves import Move
from shogi_engine.games.othello.notation import FILES, SIDES, SQUARE_NAMES, split_move
from shogi_engine.games.svg import BOOK, COLOUR, kinds_of_lines, ring, square_area

# The unit is a pixel of the unscaled picture.
CELL, FRAME = 50, 26
BOARD_SIZE = 8 * CELL
SIZE = BOARD_SIZE + 2 * FRAME
SHADE = "#1b5434"


class _Style(NamedTuple):
    """The inks of a picture.

    Attributes:
        discs, rims, marks: by colour; marks are on the last disc placed
    """

    cloth: str
    edge: str
    line: str
    ink: str
    discs: tuple[str, str]
    rims: tuple[str, str]
    marks: tuple[str, str]


STYLES = {
    COLOUR: _Style(
        "#2f7d4f", "#22211f", "#123a24", "#d9d5cc", ("#151515", "#f4f4f4"), ("#4a4a4a", "#c9c9c4"), ("#d8322a",) * 2
    ),
    BOOK: _Style("#fff", "#fff", "#000", "#000", ("#000", "#fff"), ("#000", "#000"), ("#fff", "#000")),
}


class _Drawable(Protocol):
    """The part of a Board that a drawing reads."""

    @property
    def turn(self) -> int: ...

    @property
    def legal_moves(self) -> Iterable[Move]: ...

    @property
    def move_stack(self) -> Sequence[Move]: ...

    def piece_map(self) -> Mapping[int, int]: ...

    def obf(self) -> str: ...


def _corner(square: int, flipped: bool) -> tuple[float, float]:
    """Return the upper left corner of a square: a1 is at the upper left, at the lower right if flipped."""
    square = 63 - square if flipped else square
    return FRAME + CELL * (square % 8), FRAME + CELL * (square // 8)


def _centre(square: int, flipped: bool) -> tuple[float, float]:
    """Return the centre of a square in the picture."""
    x, y = _corner(square, flipped)
    return x + CELL / 2, y + CELL / 2


def _circle(centre: tuple[float, float], radius: float, fill: str, rest: str = "", lower: float = 0.0) -> str:
    """Return an SVG circle."""
    x, y = centre
    return f'<circle cx="{x:g}" cy="{y + lower:g}" r="{radius:g}" fill="{fill}"{rest}/>'


def _coordinates(flipped: bool) -> list[str]:
    """Return the files' letters above the board and the ranks' numbers on its left."""
    drawn = []
    for line in range(8):
        place = FRAME + CELL * (line + 0.5)
        number = 7 - line if flipped else line
        drawn.append(f'<text x="{place:g}" y="{FRAME / 2:g}" dy=".36em">{FILES[number]}</text>')
        drawn.append(f'<text x="{FRAME / 2:g}" y="{place:g}" dy=".36em">{number + 1}</text>')
    return drawn


def _disc(square: int, colour: int, flipped: bool, style: str) -> str:
    """Return a disc, with its shadow unless it is printed."""
    centre, inks = _centre(square, flipped), STYLES[style]
    shadow = _circle(centre, CELL * 0.42, SHADE, lower=2) if style == COLOUR else ""
    disc = _circle(centre, CELL * 0.42, inks.discs[colour], f' stroke="{inks.rims[colour]}" stroke-width="1"')
    return f'<g class="piece" data-square="{SQUARE_NAMES[square]}">{shadow}{disc}</g>'


def arrows(
    board: _Drawable, lines: Sequence[Sequence[str]], *, flipped: bool = False, values: Sequence[str] = ()
) -> str:
    """Return rings that mark lines of moves from here, to be laid over `svg`.

    The best line comes first. Several of its moves are drawn, with their numbers, but only the first move of each other
    line.

    Args:
        values: a text for each line, written into the ring of its first move; then only first moves are drawn
    """
    firsts = {line[0]: value for line, value in zip(lines, values, strict=bool(values)) if line}
    drawn = []
    for text, kind, ply in kinds_of_lines(lines):
        square = split_move(text)
        if square is not None and not (ply and values):
            written = firsts.get(text, str(ply + 1) if ply else "")
            drawn.append(ring(_centre(square, flipped), CELL * 0.38, kind, written))
    return f'<g class="arrows" pointer-events="none">{"".join(drawn)}</g>'


def svg(
    board: _Drawable,
    *,
    flipped: bool = False,
    size: int | None = None,
    areas: bool = False,
    lines: Sequence[Sequence[str]] = (),
    style: str = COLOUR,
) -> str:
    """Return the position as an SVG image: a1 at the upper left, a red dot on the last disc placed.

    Rings, in the colour of the side to move, mark where it may place a disc. The style `book` is black on white paper,
    without rings; a disc in the corner tells the side to move.

    Args:
        flipped: draw a1 at the lower right
        size: the width in pixels, None for the picture's own
        areas: add squares that receive clicks, on top
        lines: lines of moves, drawn as by `arrows`
        style: one of STYLES
    """
    inks = STYLES[style]
    width = SIZE if size is None else size
    across = "".join(f"M{FRAME} {FRAME + CELL * line}h{BOARD_SIZE}" for line in range(9))
    down = "".join(f"M{FRAME + CELL * line} {FRAME}v{BOARD_SIZE}" for line in range(9))
    dots = [
        f'<circle cx="{FRAME + CELL * x}" cy="{FRAME + CELL * y}" r="3.5" fill="{inks.line}"/>'
        for x in (2, 6)
        for y in (2, 6)
    ]
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{width}" height="{width}">',
        f"<title>{board.obf()}: {SIDES[board.turn]} to move</title>",
        f'<rect width="{SIZE}" height="{SIZE}" rx="5" fill="{inks.edge}"/>',
        f'<rect x="{FRAME}" y="{FRAME}" width="{BOARD_SIZE}" height="{BOARD_SIZE}" fill="{inks.cloth}"/>',
        f'<path d="{across}{down}" stroke="{inks.line}" fill="none"/>',
        *dots,
        f'<g font-family="sans-serif" font-size="14" fill="{inks.ink}" text-anchor="middle">',
        *_coordinates(flipped),
        "</g>",
    ]
    drawn += [_disc(square, colour, flipped, style) for square, colour in board.piece_map().items()]
    if style == COLOUR:
        ring_style = f' stroke="{inks.discs[board.turn]}" stroke-width="1.5" stroke-opacity=".6"'
        places = [move.square for move in board.legal_moves if move.square is not None]
        drawn += [_circle(_centre(square, flipped), CELL * 0.12, "none", ring_style) for square in places]
    else:
        drawn.append(_circle((FRAME / 2, FRAME / 2), 8, inks.discs[board.turn], f' class="turn" stroke="{inks.line}"'))
    placed = board.move_stack[-1].square if board.move_stack else None
    if placed is not None:
        drawn.append(_circle(_centre(placed, flipped), CELL * 0.1, inks.marks[board.piece_map()[placed]]))
    if lines:
        drawn.append(arrows(board, lines, flipped=flipped))
    if areas:
        drawn += [square_area(name, *_corner(square, flipped), CELL) for square, name in enumerate(SQUARE_NAMES)]
    return "\n".join([*drawn, "</svg>"]) + "\n"
