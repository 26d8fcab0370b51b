"""Draw the pictures of the page "How the boards work" from the boards and tables that the engine uses.

`tools.generate` writes them.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from shogi_engine import othello, shogi
from shogi_engine.games.shogi.bitboard import NORTH, RAYS, ROOK_LINES, SQUARE_BITS, between
from shogi_engine.jit.bitboards import Bitboard, from_highest

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
CELL, GAP, HEAD = 28, 24, 26  # pixels: a square, between boards, above a board
STYLE = """\
text { fill: #1b1f23; font: 12px sans-serif; text-anchor: middle }
.title { font-size: 13px; font-weight: bold }
rect { stroke: #5b6770 }
.o { fill: #ffffff } .a { fill: #f2c14e } .b { fill: #8fb8de } .c { fill: #a8d08d }"""


def board(title: str, size: int, texts: Mapping[int, str], **shades: Iterable[int]) -> tuple[str, int, list[str]]:
    """Return a board to draw: texts by square, and sets of squares by their shade, a, b or c."""
    cells = []
    shade_of = {square: name for name, squares in reversed(shades.items()) for square in squares}
    for square in range(size * size):
        x, y = square % size * CELL, square // size * CELL
        cells.append(f'<rect class="{shade_of.get(square, "o")}" x="{x}" y="{y}" width="{CELL}" height="{CELL}"/>')
        if square in texts:
            cells.append(f'<text x="{x + CELL // 2}" y="{y + CELL // 2 + 4}">{texts[square]}</text>')
    return title, size, cells


def picture(title: str, *boards: tuple[str, int, list[str]]) -> str:
    """Return an SVG of boards side by side."""
    x, drawn = GAP // 2, []
    for name, size, cells in boards:
        middle = size * CELL // 2
        drawn += [f'<g transform="translate({x} {HEAD})"><text class="title" x="{middle}" y="-9">{name}</text>']
        drawn += [*cells, "</g>"]
        x += size * CELL + GAP
    width, height = x - GAP // 2, HEAD + max(size for _, size, _ in boards) * CELL + 8
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    background = f'<rect x="0" y="0" width="{width}" height="{height}" fill="#ffffff" style="stroke: none"/>'
    return "\n".join([head, f"<title>{title}</title>", f"<style>\n{STYLE}\n</style>", background, *drawn, "</svg>", ""])


def squares() -> str:
    """Return the picture of the numbers of the squares."""
    numbers = board("Shogi: two words", 9, {square: str(square) for square in range(81)}, a=range(64), b=range(64, 81))
    return picture("Numbers of squares", numbers, board("Othello: one word", 8, {n: str(n) for n in range(64)}))


def rays() -> str:
    """Return the picture of a slider's ray."""
    rook, occupied = shogi.E5, Bitboard(sum(1 << square for square in (shogi.C5, shogi.B5, shogi.E2)))
    pieces = {rook: "R"} | dict.fromkeys(occupied, "x")
    ray = RAYS[rook, NORTH]
    beyond = from_highest(ray & occupied)
    return picture(
        "A ray, and where it ends",
        board("1. the ray", 9, pieces, a=ray),
        board("2. from the highest piece up", 9, pieces, b=beyond),
        board("3. both: what is attacked", 9, pieces, c=ray & beyond),
    )


def pins() -> str:
    """Return the picture of a pin and a check along the lines of the king."""
    king, pinned, rook, other = shogi.G5, shogi.E5, shogi.B5, shogi.G1
    snipers = SQUARE_BITS[rook] | SQUARE_BITS[other]
    texts = {king: "K", pinned: "S", rook: "r", other: "r"}
    ways = [between.py_func(king, sniper) for sniper in snipers]
    return picture(
        "A check and a pin",
        board("the king's lines, and the snipers", 9, texts, b=snipers, a=ROOK_LINES[king]),
        board("between: none is check, one is a pin", 9, texts, c=ways[0] | ways[1]),
    )


def flips() -> str:
    """Return the picture of a move of Othello."""
    start = othello.Board.from_transcript("f5d6c3d3c4")
    move = next(iter(start.legal_moves))
    texts = {square: "●" if colour == start.turn else "○" for square, colour in start.piece_map().items()}
    places = [each.square for each in start.legal_moves if each.square is not None]
    assert move.square is not None
    return picture(
        "A move of Othello",
        board("mobility", 8, texts, a=places),
        board("a move, and what it flips", 8, texts | {move.square: "●"}, a=[move.square], b=start.flipped(move)),
    )


def pictures() -> dict[Path, str]:
    """Return all pictures by their files."""
    made = (squares, rays, pins, flips)
    return {IMAGES / f"boards-{draw.__name__}.svg": draw() for draw in made}
