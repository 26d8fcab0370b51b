"""Records of games: what KIF and CSA files hold. Every move read is checked by the rules.

    record = load("game.kif")[0]
    print(record.names, record.ending, record.board().sfen())
    save(record, "game.csa")

kif.py and csa.py read and write the two formats.
"""

from dataclasses import dataclass, field
from pathlib import Path

from shogi_engine.games.shogi.board import STARTING_SFEN, Board

LOST, WON, DRAWN = -1, 1, 0  # by the side to move


@dataclass(frozen=True)
class Ending:
    """How a game ends. kif, csa : its word there, '' if it has none    result : for the side to move, None if open."""

    name: str
    kif: str
    csa: str
    result: int | None


ENDINGS = (
    Ending("resignation", "投了", "%TORYO", LOST),
    Ending("mate", "詰み", "%TSUMI", LOST),
    Ending("time", "切れ負け", "%TIME_UP", LOST),
    Ending("illegal move", "反則負け", "%ILLEGAL_MOVE", LOST),  # by the side to move; it is not among the moves
    Ending("opponent's illegal move", "反則勝ち", "", WON),
    Ending("declaration", "入玉勝ち", "%KACHI", WON),
    Ending("repetition", "千日手", "%SENNICHITE", DRAWN),
    Ending("impasse", "持将棋", "%JISHOGI", DRAWN),
    Ending("draw", "", "%HIKIWAKE", DRAWN),
    Ending("interrupted", "中断", "%CHUDAN", None),
    Ending("no mate", "不詰", "%FUZUMI", None),
    Ending("error", "", "%ERROR", None),
    Ending("won by default", "不戦勝", "", WON),
    Ending("lost by default", "不戦敗", "", LOST),
)


@dataclass
class Record:
    """One game.

    start : SFEN    moves : USI, all legal    names : of black and white
    seconds : what each move took, None where it is not known; as long as `moves`, or empty
    comments : by the number of moves before them    headers : other facts, as the file calls them
    ending : the name of one of ENDINGS, '' if the file does not say
    """

    start: str = STARTING_SFEN
    moves: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=lambda: ["", ""])
    seconds: list[float | None] = field(default_factory=list)
    comments: dict[int, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    ending: str = ""

    @classmethod
    def of(cls, board: Board, ending: str = "") -> "Record":
        """Return the record of a Board's moves."""
        return cls(start=board.root().sfen(), moves=[move.usi() for move in board.move_stack], ending=ending)

    def board(self) -> Board:
        """Return the position after all moves, which can be taken back. Raises ValueError if one is not legal."""
        board = Board(self.start)
        for move in self.moves:
            board.push_usi(move)
        return board

    @property
    def result(self) -> str:
        """'1-0' if black has won, '0-1' if white has, '1/2-1/2' if drawn, '*' if it is not known."""
        result = next((ending.result for ending in ENDINGS if ending.name == self.ending), None)
        if result is None:
            return "*"
        white_to_move = (self.start.split()[1] == "w") != bool(len(self.moves) % 2)
        return {0: "1/2-1/2", 1: "1-0", -1: "0-1"}[-result if white_to_move else result]

    def comment(self, text: str) -> None:
        """Add a line of comment after the moves so far."""
        before = self.comments.get(len(self.moves))
        self.comments[len(self.moves)] = text if before is None else f"{before}\n{text}"


def decode(data: bytes) -> str:
    """Return the text of a record file: UTF-8, with or without a mark, or else Shift JIS as Windows writes it.

    Raises ValueError if it is neither.
    """
    for encoding in ("utf-8-sig", "cp932"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ValueError("a record is written in UTF-8 or Shift JIS, this is neither")


def load(path: str | Path) -> list[Record]:
    """Return the games of a KIF or CSA file, whichever it is. Raises OSError, ValueError naming the line."""
    from shogi_engine.games.shogi import csa, kif

    text = decode(Path(path).read_bytes())
    first = next((line for line in text.splitlines() if line.strip() and line[0] not in "'#"), "")
    return csa.parse_games(text) if first[:1] in ("V", "N", "$", "P", "+", "-") else [kif.parse(text)]


def save(record: Record, path: str | Path) -> None:
    """Write a record in the format the name ends in: .csa, .kif (Shift JIS if it can be) or .kifu (UTF-8)."""
    from shogi_engine.games.shogi import csa, kif

    path = Path(path)
    if path.suffix.lower() == ".csa":
        path.write_text(csa.render(record), encoding="utf-8", newline="\n")
    elif path.suffix.lower() in (".kif", ".kifu"):
        text = kif.render(record).replace("\n", "\r\n")
        try:
            path.write_bytes(text.encode("cp932" if path.suffix.lower() == ".kif" else "utf-8"))
        except UnicodeEncodeError:
            path.write_bytes(text.encode("utf-8-sig"))
    else:
        raise ValueError(f"a record's name ends in .kif, .kifu or .csa, not {path.suffix!r}")
