"""A Shogi board in the terminal: kanji in a frame, or SFEN letters; hands, clocks and the last move."""

from typing import Any

from shogi_engine.cli.terminal import KANJI, BoardStyle, Line
from shogi_engine.games.shogi import types
from shogi_engine.language import translate as _
from shogi_engine.play.words import side_name

FRAME = f"+{'-' * 27}+"
INK = ("bold", "cyan")  # by colour
PROMOTED, MOVED, LEFT, CHECK, EMPTY = "red", "reverse", "bold yellow", "bold white on red", "dim"


def draw(board: Any, look: BoardStyle) -> list[Line]:
    """Return the board between the far side's hand and the near side's, and the side to move."""
    near = types.WHITE if look.flipped else types.BLACK
    order = range(80, -1, -1) if look.flipped else range(81)
    cells = [_cell(board, square, look) for square in order]
    rows = [cells[start : start + 9] for start in range(0, 81, 9)]
    files = range(1, 10) if look.flipped else range(9, 0, -1)
    ranks = range(9, 0, -1) if look.flipped else range(1, 10)
    lines: list[Line] = [_hand(board, 1 - near, look)]
    if look.pieces == KANJI:
        lines.append([("  " + " ".join(types.WIDE_DIGITS[file] for file in files), "")])
        lines.append([(FRAME, "")])
        lines += [
            [("|", ""), *row, (f"|{types.KANJI_NUMBERS[rank]}", "")] for row, rank in zip(rows, ranks, strict=True)
        ]
        lines.append([(FRAME, "")])
    else:
        lines.append([("".join(f"{file:>3}" for file in files), "")])
        lines += [[*row, (f" {types.RANKS[rank - 1]}", "")] for row, rank in zip(rows, ranks, strict=True)]
    check = board.king_squares[board.turn] is not None and board.is_check()
    state = _("{side} to move, in check") if check else _("{side} to move")
    return [*lines, _hand(board, near, look), [(state.format(side=side_name(board.turn, "shogi")), "")]]


def _hand(board: Any, colour: int, look: BoardStyle) -> Line:
    """Return a side's name, hand and clock."""
    kanji = look.pieces == KANJI
    names, hand = types.KANJI_PIECES if kanji else types.SYMBOLS, board.pieces_in_hand[colour]
    held = " ".join(
        names[kind] + (str(hand[kind]) if hand[kind] > 1 else "") for kind in types.HAND_ORDER if hand[kind]
    )
    line = [
        (f"{types.SIDE_MARKS[colour]} " if kanji else "", ""),
        (f"{side_name(colour, 'shogi')}: ", ""),
        (held or "-", INK[colour]),
    ]
    return [*line, (f"   {look.clocks[colour]}", "bold")] if look.clocks[colour] else line


def _cell(board: Any, square: int, look: BoardStyle) -> tuple[str, str]:
    """Return a square, three columns wide, and its style. A `v` precedes pieces that point towards the viewer."""
    last = board.peek() if board.ply() and board.move_stack else None
    moved = last is not None and last.to_square == square
    piece = board.piece_at(square)
    if piece is None:
        left = last is not None and last.from_square == square
        return ("・" if look.pieces == KANJI else ".").rjust(2 if look.pieces == KANJI else 3), LEFT if left else EMPTY
    style = f"{INK[piece.color]} {PROMOTED}" if piece.is_promoted() else INK[piece.color]
    if moved:
        style += f" {MOVED}"
    elif piece.color == board.turn and square == board.king_squares[board.turn] and board.is_check():
        style = CHECK
    if look.pieces == KANJI:
        far = (piece.color == types.WHITE) != look.flipped
        return f"{'v' if far else ' '}{piece.japanese_symbol()}", style
    return f"{('*' if moved and not look.colours else '') + str(piece):>3}", style
