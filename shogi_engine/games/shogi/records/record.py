"""Records of games: what KIF and CSA files hold. Every move read is checked by the rules.

    record = load("game.kif")[0]
    print(record.names, record.ending, record.board().sfen())
    save(record, "game.csa")

kif.py and csa.py read and write the two formats.
"""

from dataclasses import dataclass, field

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
