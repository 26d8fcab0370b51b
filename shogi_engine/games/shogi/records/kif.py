"""KIF records, as Kakinoki's program defined them and Japanese GUIs write them: http://kakinoki.o.oo7.jp/kif_format.html.

The main line is read; variations after it (変化) are skipped.
"""

import re

from shogi_engine.games.shogi.board import (
    BLACK,
    NUMBER_JAPANESE_KANJI_SYMBOLS,
    NUMBER_JAPANESE_NUMBER_SYMBOLS,
    PIECE_JAPANESE_SYMBOLS,
    STARTING_SFEN,
    WHITE,
    Board,
)
from shogi_engine.games.shogi.board.pieces import Piece
from shogi_engine.games.shogi.records.record import ENDINGS, Record

HANDICAPS = {
    "平手": STARTING_SFEN,
    "香落ち": "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "右香落ち": "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "角落ち": "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "飛車落ち": "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "飛香落ち": "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "二枚落ち": "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "三枚落ち": "lnsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "四枚落ち": "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "五枚落ち": "2sgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "左五枚落ち": "1nsgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "六枚落ち": "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "八枚落ち": "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "十枚落ち": "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
}
PLAYERS = {"先手": BLACK, "下手": BLACK, "後手": WHITE, "上手": WHITE}
RULER = "手数----指手---------消費時間--"

_DIGITS = "123456789"
_FILES = {text: n for n in range(1, 10) for text in (_DIGITS[n - 1], NUMBER_JAPANESE_NUMBER_SYMBOLS[n])}
_RANKS = _FILES | {text: n for n, text in enumerate(NUMBER_JAPANESE_KANJI_SYMBOLS[:10]) if n}
_PIECES = {symbol: kind for kind, symbol in enumerate(PIECE_JAPANESE_SYMBOLS) if kind} | {
    "王": PIECE_JAPANESE_SYMBOLS.index("玉"),
    "竜": PIECE_JAPANESE_SYMBOLS.index("龍"),
    "成香": PIECE_JAPANESE_SYMBOLS.index("杏"),
    "成桂": PIECE_JAPANESE_SYMBOLS.index("圭"),
    "成銀": PIECE_JAPANESE_SYMBOLS.index("全"),
}
_LONG_NAMES = {"杏": "成香", "圭": "成桂", "全": "成銀"}
_COUNTS = {text: n for n, text in enumerate(NUMBER_JAPANESE_KANJI_SYMBOLS) if n}
_MOVE = re.compile(
    r"(?:(?P<file>[1-9１-９])(?P<rank>[1-9１-９一二三四五六七八九])|同)[ 　]*"
    r"(?P<piece>成[香桂銀]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])(?P<how>不成|成|打)?(?:\((?P<from>[1-9]{2})\))?"
)
_LINE = re.compile(r"\s*(?P<number>[0-9]+)\s+(?P<move>\S.*?)\s*(?P<time>\([\s\d./]*:[\s\d:./]*\))?\s*\+?\s*")
_TIME = re.compile(r"\(\s*(\d+):\s*(\d+(?:\.\d+)?)")
_ROW = re.compile(r"\|(?P<cells>.+)\|")


def parse_move(board: Board, text: str) -> str:
    """Return the USI form of a KIF move like '７六歩(77)'. Raises ValueError if it is none or not legal in `board`."""
    found = _MOVE.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text!r} is no move")
    if found["file"]:
        to = f"{_FILES[found['file']]}{'abcdefghi'[_RANKS[found['rank']] - 1]}"
    elif board.move_stack:
        to = board.peek().usi()[2:4]
    else:
        raise ValueError(f"{text!r}: there was no move before")
    kind = _PIECES[found["piece"]]
    if found["from"] is None:
        return board.parse_usi(f"{Piece(kind, BLACK).symbol()}*{to}").usi()
    file, rank = (int(digit) for digit in found["from"])
    stands = board.piece_type_at((rank - 1) * 9 + 9 - file)
    if stands != kind:
        raise ValueError(f"{text!r}: on {found['from']} stands {PIECE_JAPANESE_SYMBOLS[stands].strip() or 'nothing'}")
    return board.parse_usi(f"{file}{'abcdefghi'[rank - 1]}{to}{'+' if found['how'] == '成' else ''}").usi()


def format_move(board: Board, usi: str) -> str:
    """Return the KIF form of a move that is legal in `board`. Raises ValueError if it is not."""
    move = board.parse_usi(usi)
    file, rank = int(usi[2]), "abcdefghi".index(usi[3]) + 1
    to = f"{NUMBER_JAPANESE_NUMBER_SYMBOLS[file]}{NUMBER_JAPANESE_KANJI_SYMBOLS[rank]}"
    if usi[1] == "*":
        return f"{to}{PIECE_JAPANESE_SYMBOLS[move.drop_piece_type or 0]}打"
    if board.move_stack and board.peek().usi()[2:4] == usi[2:4]:
        to = "同　"
    origin = f"{usi[0]}{'abcdefghi'.index(usi[1]) + 1}"
    symbol = PIECE_JAPANESE_SYMBOLS[board.piece_type_at((int(origin[1]) - 1) * 9 + 9 - int(origin[0]))]
    return f"{to}{_LONG_NAMES.get(symbol, symbol)}{'成' if usi.endswith('+') else ''}({origin})"


class _Diagram:
    """A position as a diagram and its lines around it give it."""

    def __init__(self) -> None:
        self.rows: list[str] = []
        self.hands = ["", ""]
        self.turn = ""

    def row(self, cells: str) -> None:
        """Take a row of the board, two characters a square: whose, and which piece."""
        marks = [cells[place : place + 2] for place in range(0, len(cells), 2)]
        if len(marks) != 9:
            raise ValueError(f"a row of the diagram has 9 squares, not {len(marks)}")
        row = ""
        for mark in marks:
            if mark[1] in "・.":
                row += "1"
            elif mark[1] in _PIECES:
                symbol = Piece(_PIECES[mark[1]], BLACK).symbol()
                row += symbol.lower() if mark[0] in "vVｖ" else symbol
            else:
                raise ValueError(f"{mark!r} is no piece")
        self.rows.append(re.sub("1+", lambda ones: str(len(ones[0])), row))

    def hand(self, color: int, text: str) -> None:
        """Take what a side holds, like '飛　歩十二'."""
        held = ""
        for each in re.split(r"[ 　]+", text.strip(" 　")):
            if each in ("", "なし"):
                continue
            if each[0] not in _PIECES or (each[1:] and each[1:] not in _COUNTS):
                raise ValueError(f"{each!r} is nothing to hold")
            symbol = Piece(_PIECES[each[0]], color).symbol()
            held += f"{_COUNTS[each[1:]] if each[1:] and _COUNTS[each[1:]] > 1 else ''}{symbol}"
        self.hands[color] = held

    def sfen(self, start: str) -> str:
        """Return the position; `start` if there is no diagram."""
        if not self.rows:
            return start
        side = self.turn or start.split()[1]
        return Board(f"{'/'.join(self.rows)} {side} {''.join(self.hands) or '-'} 1").sfen()


def parse(text: str) -> Record:
    """Return the game of a KIF text. Raises ValueError naming the line."""
    record, diagram, board = Record(), _Diagram(), None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.rstrip()
        if line.startswith("変化"):
            break
        try:
            if not line.strip() or line[0] in "#&":
                continue
            if line[0] == "*":
                record.comment(line[1:])
            elif board is None and not _LINE.fullmatch(line):
                _header(line, record, diagram)
            else:
                if board is None:
                    record.start = diagram.sfen(record.start)
                    board = Board(record.start)
                _move_line(line, record, board)
        except ValueError as fault:
            raise ValueError(f"line {number}: {fault}") from None
    if board is None:
        record.start = diagram.sfen(record.start)
    return record


def _header(line: str, record: Record, diagram: _Diagram) -> None:
    """Take a line before the first move."""
    if row := _ROW.match(line):
        diagram.row(row["cells"])
        return
    if line.strip() in ("後手番", "上手番", "先手番", "下手番"):
        diagram.turn = "w" if line.strip()[0] in "後上" else "b"
        return
    name, colon, value = line.partition("：")
    if not colon:
        return  # the diagram's frame, the ruler above the moves
    if name in PLAYERS:
        record.names[PLAYERS[name]] = value.strip(" 　")
    elif name[2:] == "の持駒" and name[:2] in PLAYERS:
        diagram.hand(PLAYERS[name[:2]], value)
    elif name == "手合割":
        handicap = value.strip(" 　")
        if handicap in HANDICAPS:
            record.start = HANDICAPS[handicap]
        elif handicap != "その他":
            raise ValueError(f"the handicap {handicap!r} is not known")
    else:
        record.headers[name] = value


def _move_line(line: str, record: Record, board: Board) -> None:
    """Take a line from the first move on."""
    if line.startswith("まで"):
        return
    found = _LINE.fullmatch(line)
    if not found or record.ending:
        raise ValueError(f"{line!r} is no move")
    word = found["move"]
    for ending in ENDINGS:
        if ending.kif == word:
            record.ending = ending.name
            return
    usi = parse_move(board, word)
    board.push_usi(usi)
    record.moves.append(usi)
    time = _TIME.match(found["time"] or "")
    record.seconds.append(int(time[1]) * 60 + float(time[2]) if time else None)


def render(record: Record) -> str:
    """Return a record as KIF. Raises ValueError if it holds a move that is not legal."""
    board = Board(record.start)
    handicap = next((name for name, sfen in HANDICAPS.items() if sfen == record.start), None)
    lines = [f"{name}：{value}" for name, value in record.headers.items()]
    black, white = ("先手", "後手") if handicap in ("平手", None) else ("下手", "上手")
    if handicap:
        lines.append(f"手合割：{handicap}")
    else:
        lines += board.kif_str().splitlines()
        lines += ["後手番"] if board.turn == WHITE else []
    lines += [f"{black}：{record.names[BLACK]}", f"{white}：{record.names[WHITE]}", RULER]
    spent = [0.0, 0.0]
    for number in range(len(record.moves) + 1):
        lines += [f"*{line}" for line in record.comments[number].split("\n")] if number in record.comments else []
        if number < len(record.moves):
            text = format_move(board, record.moves[number])
            seconds = record.seconds[number] if number < len(record.seconds) else None
            if seconds is not None:
                spent[board.turn] += seconds
                total = int(spent[board.turn])
                text += f"   ({int(seconds) // 60:2}:{int(seconds) % 60:02}"
                text += f"/{total // 3600:02}:{total // 60 % 60:02}:{total % 60:02})"
            lines.append(f"{number + 1:4} {text}")
            board.push_usi(record.moves[number])
    ending = next((ending.kif for ending in ENDINGS if ending.name == record.ending), "")
    if ending:
        lines.append(f"{len(record.moves) + 1:4} {ending}")
    return "\n".join(lines) + "\n"
