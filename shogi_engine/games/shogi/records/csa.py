"""CSA records: http://www2.computer-shogi.org/protocol/record_v22.html, the times of version 3 as well."""

import re

from shogi_engine.games.shogi.board import BLACK, STARTING_SFEN, WHITE, Board
from shogi_engine.games.shogi.board.pieces import Piece
from shogi_engine.games.shogi.records.record import ENDINGS, Record

PIECES = ("", "FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY")  # by piece type
_TYPES = {code: kind for kind, code in enumerate(PIECES) if code}
_SYMBOLS = {
    "FU": "P", "KY": "L", "KE": "N", "GI": "S", "KI": "G", "KA": "B", "HI": "R", "OU": "K", "TO": "+P", "NY": "+L",
    "NK": "+N", "NG": "+S", "UM": "+B", "RY": "+R",
}  # fmt: skip
_SET = {"FU": 18, "KY": 4, "KE": 4, "GI": 4, "KI": 4, "KA": 2, "HI": 2}
_MOVE = re.compile(r"([+-])(\d\d)([1-9]{2})([A-Z]{2})$")
_RANKS = "abcdefghi"


class _Setup:
    """A position as its lines build it."""

    def __init__(self) -> None:
        self.board: dict[str, tuple[str, str]] = {}  # square as two digits: sign, piece
        self.hands: dict[str, dict[str, int]] = {"+": {}, "-": {}}
        self.given = False

    def read(self, line: str) -> None:
        """Take one line that begins with P."""
        self.given = True
        kind, rest = line[1], line[2:]
        if kind == "I":
            self._rows(Board())
            for square, _piece in re.findall(r"(\d\d)([A-Z]{2})", rest):
                if self.board.pop(square, None) is None:
                    raise ValueError(f"there is no piece to take away on {square}")
        elif kind in "123456789":
            for file in range(9):
                cell = rest[3 * file : 3 * file + 3].ljust(3)
                if cell.strip() not in ("*", ""):
                    self._put(f"{9 - file}{kind}", cell[0], cell[1:])
        elif kind in "+-":
            for square, piece in re.findall(r"(\d\d)(..)", rest):
                if square == "00" and piece == "AL":
                    self._all_else(kind)
                elif square == "00":
                    self.hands[kind][piece] = self.hands[kind].get(piece, 0) + 1
                else:
                    self._put(square, kind, piece)
        else:
            raise ValueError(f"{line!r} sets up nothing")

    def _put(self, square: str, sign: str, piece: str) -> None:
        if sign not in "+-" or piece not in _TYPES or "0" in square:
            raise ValueError(f"{sign}{square}{piece} is no piece on a square")
        self.board[square] = (sign, piece)

    def _rows(self, board: Board) -> None:
        for square, piece in board.piece_map().items():
            where = f"{9 - square % 9}{square // 9 + 1}"
            self.board[where] = ("+-"[piece.color], PIECES[piece.piece_type])

    def _all_else(self, sign: str) -> None:
        """Put all pieces that are nowhere else into a hand."""
        plain = {code: code for code in _SET} | {"TO": "FU", "NY": "KY", "NK": "KE", "NG": "GI", "UM": "KA", "RY": "HI"}
        for code, whole in _SET.items():
            used = sum(plain.get(piece) == code for _, piece in self.board.values())
            used += sum(hand.get(code, 0) for hand in self.hands.values())
            if whole > used:
                self.hands[sign][code] = self.hands[sign].get(code, 0) + whole - used

    def sfen(self, sign: str) -> str:
        """Return the position with `sign`'s side to move; the start if no line has set it up."""
        if not self.given:
            return STARTING_SFEN
        rows = []
        for rank in "123456789":
            row = ""
            for file in "987654321":
                side, piece = self.board.get(f"{file}{rank}", ("", ""))
                row += (_SYMBOLS[piece] if side == "+" else _SYMBOLS[piece].lower()) if piece else "1"
            rows.append(re.sub("1+", lambda ones: str(len(ones[0])), row))
        held = ""
        for side in "+-":
            for piece in ("HI", "KA", "KI", "GI", "KE", "KY", "FU"):
                if count := self.hands[side].get(piece, 0):
                    symbol = _SYMBOLS[piece] if side == "+" else _SYMBOLS[piece].lower()
                    held += (str(count) if count > 1 else "") + symbol
        return Board(f"{'/'.join(rows)} {'b' if sign == '+' else 'w'} {held or '-'} 1").sfen()


def parse_move(board: Board, text: str) -> str:
    """Return the USI form of a CSA move like '+7776FU'. Raises ValueError if it is none or not legal in `board`."""
    found = _MOVE.match(text)
    if not found:
        raise ValueError(f"{text!r} is no move")
    sign, origin, target, piece = found.groups()
    if sign != "+-"[board.turn]:
        raise ValueError(f"{text!r}: it is the other side's turn")
    if piece not in _TYPES:
        raise ValueError(f"{text!r}: there is no piece {piece!r}")
    to = target[0] + _RANKS[int(target[1]) - 1]
    if origin == "00":
        usi = f"{_SYMBOLS[piece]}*{to}"
    else:
        if "0" in origin:
            raise ValueError(f"{text!r}: {origin} is no square")
        stands = board.piece_type_at((int(origin[1]) - 1) * 9 + 9 - int(origin[0]))
        promotes = stands != _TYPES[piece]
        usi = f"{origin[0]}{_RANKS[int(origin[1]) - 1]}{to}{'+' if promotes else ''}"
        if promotes and (not stands or _SYMBOLS[piece] != f"+{Piece(stands, BLACK).symbol()}"):
            raise ValueError(f"{text!r}: no piece on {origin} becomes {piece}")
    return board.parse_usi(usi).usi()


def format_move(board: Board, usi: str) -> str:
    """Return the CSA form of a move that is legal in `board`. Raises ValueError if it is not."""
    move = board.parse_usi(usi)
    to = f"{usi[2]}{_RANKS.index(usi[3]) + 1}"
    if usi[1] == "*":
        return f"{'+-'[board.turn]}00{to}{PIECES[move.drop_piece_type or 0]}"
    origin = f"{usi[0]}{_RANKS.index(usi[1]) + 1}"
    board.push(move)
    piece = board.piece_type_at((int(to[1]) - 1) * 9 + 9 - int(to[0]))
    board.pop()
    return f"{'+-'[board.turn]}{origin}{to}{PIECES[piece]}"


def parse_games(text: str) -> list[Record]:
    """Return the games of a CSA text, '/' between them. Raises ValueError naming the line."""
    games: list[list[tuple[int, str]]] = []
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.rstrip() == "/":
            games.append(lines)
            lines = []
        else:
            lines.append((number, line.rstrip()))
    return [_parse(game) for game in [*games, lines] if any(line for _, line in game)]


def parse(text: str) -> Record:
    """Return the only game of a CSA text. Raises ValueError naming the line, or if there is not one game."""
    games = parse_games(text)
    if len(games) != 1:
        raise ValueError(f"one game expected, not {len(games)}")
    return games[0]


def _parse(lines: list[tuple[int, str]]) -> Record:
    record, setup, board = Record(), _Setup(), None
    for number, whole in lines:
        # Several statements may stand in one line, but a comma in a name or a comment is only a comma.
        for line in [whole] if whole[:1] in ("'", "N", "$", "V") else whole.split(","):
            try:
                board = _statement(line, record, setup, board)
            except ValueError as fault:
                raise ValueError(f"line {number}: {fault}") from None
    if board is None:
        raise ValueError("the record does not say whose move it is")
    return record


def _statement(line: str, record: Record, setup: _Setup, board: Board | None) -> Board | None:
    """Take one statement; return the board once the position is complete."""
    if not line or line[0] == "V":
        return board
    if line[0] == "'":
        record.comment(line[1:])
    elif line[:2] in ("N+", "N-"):
        record.names[BLACK if line[1] == "+" else WHITE] = line[2:]
    elif line[0] == "$":
        name, _, value = line[1:].partition(":")
        record.headers[name] = value
    elif line[0] == "P" and board is None and len(line) > 1:
        setup.read(line)
    elif line in ("+", "-") and board is None:
        record.start = setup.sfen(line)
        return Board(record.start)
    elif board is None:
        raise ValueError(f"{line!r} before the position is complete")
    elif line[0] in "+-" and not record.ending:
        usi = parse_move(board, line)
        board.push_usi(usi)
        record.moves.append(usi)
        record.seconds.append(None)
    elif line[0] == "T" and record.moves:
        if not record.ending:  # the time of an ending belongs to no move
            record.seconds[-1] = float(line[1:])
    elif line[0] == "%":
        record.ending = _ending(line, board)
    else:
        raise ValueError(f"{line!r} says nothing")
    return board


def _ending(word: str, board: Board) -> str:
    if word in ("%+ILLEGAL_ACTION", "%-ILLEGAL_ACTION"):
        return "illegal move" if word[1] == "+-"[board.turn] else "opponent's illegal move"
    if word == "%MATTA":
        return "error"
    for ending in ENDINGS:
        if ending.csa == word:
            return ending.name
    raise ValueError(f"{word!r} is no ending")


def render(record: Record) -> str:
    """Return a record as CSA 2.2. Raises ValueError if it holds a move that is not legal."""
    lines = ["V2.2"]
    lines += [f"N{sign}{name}" for sign, name in zip("+-", record.names, strict=True) if name]
    lines += [f"${name}:{value}" for name, value in record.headers.items() if re.fullmatch("[A-Z_]+", name)]
    board = Board(record.start)
    if record.start == STARTING_SFEN:
        lines.append("PI")
    else:
        for rank in range(9):
            pieces = [board.piece_at(9 * rank + file) for file in range(9)]
            cells = [f"{'+-'[piece.color]}{PIECES[piece.piece_type]}" if piece else " * " for piece in pieces]
            lines.append(f"P{rank + 1}{''.join(cells)}")
        for sign, hand in zip("+-", board.pieces_in_hand, strict=True):
            held = "".join(f"00{PIECES[kind]}" * count for kind, count in sorted(hand.items(), reverse=True))
            lines += [f"P{sign}{held}"] if held else []
    lines.append("+-"[board.turn])
    for number in range(len(record.moves) + 1):
        lines += [f"'{line}" for line in record.comments[number].split("\n")] if number in record.comments else []
        if number < len(record.moves):
            lines.append(format_move(board, record.moves[number]))
            board.push_usi(record.moves[number])
            seconds = record.seconds[number] if number < len(record.seconds) else None
            lines += [f"T{seconds:g}"] if seconds is not None else []
    if record.ending == "opponent's illegal move":
        lines.append(f"%{'-+'[board.turn]}ILLEGAL_ACTION")
    else:
        lines += [ending.csa for ending in ENDINGS if ending.name == record.ending and ending.csa]
    return "\n".join(lines) + "\n"
