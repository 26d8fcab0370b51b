"""A Shogi position drawn: as letters, as KIF files do, and as SVG. Nothing here reads more than Board's public face."""

from typing import TYPE_CHECKING

from shogi_engine.games.shogi.board.pieces import (
    COLORS,
    NUMBER_JAPANESE_KANJI_SYMBOLS,
    NUMBER_JAPANESE_NUMBER_SYMBOLS,
    PIECE_JAPANESE_SYMBOLS,
    SQUARES,
    Piece,
    file_index,
    rank_index,
)
from shogi_engine.games.shogi.symbols import HAND_ORDER, RANKS, SIDES, SYMBOLS
from shogi_engine.games.shogi.types import BLACK, WHITE

if TYPE_CHECKING:
    from shogi_engine.games.shogi.board import Board
    from shogi_engine.games.shogi.board.base_board import BaseBoard

KIF_FILES = " ".join(NUMBER_JAPANESE_NUMBER_SYMBOLS[9:0:-1])
KIF_FRAME = f"+{'-' * 27}+"
KIF_HANDS = ("先手の持駒：", "後手の持駒：")

# SVG: the unit is a pixel of the unscaled picture. Hands stand beside the board, each next to its owner.
CELL, FRAME, HAND = 40, 24, 52
BOARD_SIZE = 9 * CELL
WIDTH, HEIGHT = BOARD_SIZE + 2 * (FRAME + HAND), BOARD_SIZE + 2 * FRAME
LEFT, TOP = FRAME + HAND, FRAME
WOOD, LINE, MARK, DANGER, PROMOTED_INK = "#f7d9a0", "#5b4523", "#e8b04b", "#e58a6f", "#b5141d"
FONT = "'Noto Serif CJK JP','Hiragino Mincho ProN','Yu Mincho','MS Mincho',serif"


# ---- text --------------------------------------------------------------------------------------------------------


def rows_of(cells: list[str]) -> list[str]:
    """Return the nine rows of 81 cells, each joined."""
    return ["".join(cells[start : start + 9]) for start in range(0, 81, 9)]


def letters(board: "BaseBoard") -> str:
    """Return nine rows of SFEN symbols, '.' where empty, and below them the hands if there are any ('P*2')."""
    cells = [f"{str(board.piece_at(square) or '.'):>2}" for square in SQUARES]
    rows = [" ".join(cells[start : start + 9]) for start in range(0, 81, 9)]
    held = "".join(
        f" {Piece(kind, color)}*{hand[kind]}"
        for color, hand in zip(COLORS, board.pieces_in_hand, strict=True)
        for kind in HAND_ORDER
        if hand[kind]
    )
    return "\n".join([*rows, "", held] if held else rows)


def _between_hands(board: "BaseBoard", header: str, rows: list[str], names: tuple[str, ...]) -> str:
    """Return the rows, lettered, between white's hand and black's, and whose move it is."""
    hands = []
    for hand in board.pieces_in_hand:
        held = (names[kind] + (str(hand[kind]) if hand[kind] > 1 else "") for kind in HAND_ORDER if hand[kind])
        hands.append(" ".join(held) or "-")
    lettered = [f"{row} {rank}" for row, rank in zip(rows, RANKS, strict=True)]
    side = f"{SIDES[board.turn]} to move"
    return "\n".join([f"white: {hands[WHITE]}", header, *lettered, f"black: {hands[BLACK]}", side])


def diagram(board: "BaseBoard") -> str:
    """Return the board with coordinates in SFEN symbols, both hands, and whose move it is."""
    cells = [f"{str(board.piece_at(square) or '.'):>3}" for square in SQUARES]
    return _between_hands(board, "".join(f"{file:>3}" for file in range(9, 0, -1)), rows_of(cells), SYMBOLS)


def _kanji_cells(board: "BaseBoard") -> list[str]:
    pieces = (board.piece_at(square) for square in SQUARES)
    return [piece.japanese_symbol_with_direction() if piece else " ・" for piece in pieces]


def unicode(board: "BaseBoard") -> str:
    """Return the same with one-letter Japanese names, 'v' before white's pieces."""
    header = "".join(f" {digit}" for digit in NUMBER_JAPANESE_NUMBER_SYMBOLS[9:0:-1])
    return _between_hands(board, header, rows_of(_kanji_cells(board)), PIECE_JAPANESE_SYMBOLS)


def kif_hand(board: "BaseBoard", color: int) -> str:
    """Return a hand as KIF files write it: '先手の持駒：　飛　歩三'."""
    hand = board.pieces_in_hand[color]
    held = [
        f"　{PIECE_JAPANESE_SYMBOLS[kind]}{NUMBER_JAPANESE_KANJI_SYMBOLS[hand[kind]] if hand[kind] > 1 else ''}"
        for kind in HAND_ORDER
        if hand[kind]
    ]
    return KIF_HANDS[color] + "".join(held)


def kif(board: "BaseBoard") -> str:
    """Return the board as KIF files draw it, between white's hand and black's."""
    rows = rows_of(_kanji_cells(board))
    ranks = NUMBER_JAPANESE_KANJI_SYMBOLS[1:10]
    framed = [f"|{row}|{rank}" for row, rank in zip(rows, ranks, strict=True)]
    files = f"  {KIF_FILES}"
    return "\n".join([kif_hand(board, WHITE), files, KIF_FRAME, *framed, KIF_FRAME, kif_hand(board, BLACK)])


# ---- SVG ---------------------------------------------------------------------------------------------------------


def _text(x: float, y: float, size: float, content: str, ink: str = "#000", turned: bool = False) -> str:
    """Return SVG text centred on (x, y), upside down if `turned`."""
    turn = f' transform="rotate(180 {x:g} {y:g})"' if turned else ""
    # Shifted by hand: renderers differ in what they take for the middle of a kanji.
    return f'<text x="{x:g}" y="{y:g}" dy=".37em" font-size="{size:g}" fill="{ink}"{turn}>{content}</text>'


def _cell(square: int, fill: str, flipped: bool) -> str:
    """Return an SVG square in another colour."""
    column, row = _place(square, flipped)
    return f'<rect x="{LEFT + CELL * column}" y="{TOP + CELL * row}" width="{CELL}" height="{CELL}" fill="{fill}"/>'


def _place(square: int, flipped: bool) -> tuple[int, int]:
    """Return the column and the row where a square is drawn."""
    square = 80 - square if flipped else square
    return file_index(square), rank_index(square)


def _grid() -> list[str]:
    """Return the board's lines and its four dots."""
    across = "".join(f"M{LEFT} {TOP + CELL * line}h{BOARD_SIZE}" for line in range(10))
    down = "".join(f"M{LEFT + CELL * line} {TOP}v{BOARD_SIZE}" for line in range(10))
    dots = [
        f'<circle cx="{LEFT + CELL * x}" cy="{TOP + CELL * y}" r="3" fill="{LINE}"/>' for x in (3, 6) for y in (3, 6)
    ]
    return [f'<path d="{across}{down}" stroke="{LINE}" fill="none"/>', *dots]


def _coordinates(flipped: bool) -> list[str]:
    """Return the files' numbers above the board and the ranks' on its right."""
    drawn = []
    for line in range(9):
        file, rank = (line + 1, 9 - line) if flipped else (9 - line, line + 1)
        drawn.append(_text(LEFT + CELL * (line + 0.5), TOP / 2, 13, str(file), LINE))
        where = LEFT + BOARD_SIZE + FRAME / 2
        drawn.append(_text(where, TOP + CELL * (line + 0.5), 13, NUMBER_JAPANESE_KANJI_SYMBOLS[rank], LINE))
    return drawn


def _hand(board: "Board", color: int, flipped: bool) -> list[str]:
    """Return one side's mark and hand, from its own edge of the board inwards."""
    near = (color == BLACK) != flipped  # drawn at the lower right, upright
    x = WIDTH - HAND / 2 if near else HAND / 2
    hand = board.pieces_in_hand[color]
    held = [(PIECE_JAPANESE_SYMBOLS[kind], hand[kind]) for kind in HAND_ORDER if hand[kind]]
    drawn = []
    for number, (name, count) in enumerate([("☗☖"[color], 1), *held]):
        y = TOP + CELL * (8 - len(held) + number + 0.5)
        content = name + (f'<tspan font-size="15">{count}</tspan>' if count > 1 else "")
        drawn.append(_text(x, y if near else HEIGHT - y, 26, content, turned=not near))
    return drawn


def svg(board: "Board", *, flipped: bool = False, size: int | None = None) -> str:
    """Return the position as an SVG image: kanji, white's upside down, promoted pieces red, hands at the sides.

    The last move's squares and the square of a king in check are coloured.

    flipped : show it from white's side.    size : the width in pixels, None for the picture's own.
    """
    width = WIDTH if size is None else size
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{width}" '
        f'height="{width * HEIGHT / WIDTH:g}">',
        f"<title>{board.sfen()}</title>",
        f'<rect x="{LEFT}" y="{TOP}" width="{BOARD_SIZE}" height="{BOARD_SIZE}" fill="{WOOD}"/>',
    ]
    if board.move_stack:
        last = board.peek()
        marked = [last.to_square] if last.from_square is None else [last.from_square, last.to_square]
        drawn += [_cell(square, MARK, flipped) for square in marked]
    king = board.king_squares[board.turn]
    if king is not None and board.is_valid() and board.is_check():
        drawn.append(_cell(king, DANGER, flipped))
    drawn += _grid()
    drawn.append(f'<g font-family="{FONT}" text-anchor="middle">')
    drawn += _coordinates(flipped)
    for square, piece in board.piece_map().items():
        column, row = _place(square, flipped)
        ink = PROMOTED_INK if piece.is_promoted() else "#000"
        upside_down = (piece.color == WHITE) != flipped
        x, y = LEFT + CELL * (column + 0.5), TOP + CELL * (row + 0.5)
        drawn.append(_text(x, y, 30, piece.japanese_symbol(), ink, upside_down))
    for color in COLORS:
        drawn += _hand(board, color, flipped)
    return "\n".join([*drawn, "</g>", "</svg>"]) + "\n"
