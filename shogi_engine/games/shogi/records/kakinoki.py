"""The common parts of KIF, KI2 and BOD: headers, diagrams, comments, bookmarks, variations, endings in words.

Kakinoki's program defined them and Japanese GUIs write them: http://kakinoki.o.oo7.jp/kif_format.html
"""

import re
from collections.abc import Iterator
from typing import Any

from shogi_engine.games.shogi.board.drawing import kif as draw_kif
from shogi_engine.games.shogi.notation.symbols import KANJI_NUMBERS, KINDS_BY_KANJI
from shogi_engine.games.shogi.records.ending_words import NEAREST
from shogi_engine.games.shogi.records.evaluations import comment_lines, take_evaluations
from shogi_engine.games.shogi.records.handicaps import EVEN, handicap, handicap_name
from shogi_engine.games.shogi.records.setup import Setup
from shogi_engine.games.shogi.types import BLACK, KING, WHITE
from shogi_engine.records.formats import Line, LineFormat, LineReader
from shogi_engine.records.headers import HeaderNames, one_line
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder
from shogi_engine.types.termination import EndingWords, Outcome, Termination, Winner, completed, usual_outcome

HEADER_NAMES = HeaderNames(
    {
        "event": "棋戦",
        "site": "場所",
        "started": "開始日時",
        "ended": "終了日時",
        "opening": "戦型",
        "time": "持ち時間",
    }
)
PLAYERS = {"先手": BLACK, "下手": BLACK, "後手": WHITE, "上手": WHITE}
BLACK_AND_WHITE = ("先手", "後手")
TURNS = {f"{name}番": side for name, side in PLAYERS.items()}

WORDS = EndingWords(
    {
        "投了": (Termination.RESIGNATION, Winner.OPPONENT),
        "詰み": (Termination.CHECKMATE, Winner.OPPONENT),
        "詰": (Termination.CHECKMATE, Winner.OPPONENT),
        "切れ負け": (Termination.TIME_FORFEIT, Winner.OPPONENT),
        "時間切れ": (Termination.TIME_FORFEIT, Winner.OPPONENT),
        "反則負け": (Termination.ILLEGAL_MOVE, Winner.OPPONENT),
        "反則勝ち": (Termination.ILLEGAL_MOVE, Winner.TO_MOVE),
        "入玉勝ち": (Termination.DECLARATION, Winner.TO_MOVE),
        "勝ち宣言": (Termination.DECLARATION, Winner.TO_MOVE),
        "入玉宣言": (Termination.DECLARATION, Winner.TO_MOVE),
        "千日手": (Termination.REPETITION, Winner.NOBODY),
        "持将棋": (Termination.IMPASSE, Winner.NOBODY),
        "引き分け": (Termination.AGREEMENT, Winner.NOBODY),
        "引分け": (Termination.AGREEMENT, Winner.NOBODY),
        "引分": (Termination.AGREEMENT, Winner.NOBODY),
        "最大手数": (Termination.MAX_MOVES, Winner.NOBODY),
        "不戦勝": (Termination.DEFAULT, Winner.TO_MOVE),
        "不戦敗": (Termination.DEFAULT, Winner.OPPONENT),
        "中断": (Termination.INTERRUPTED, Winner.NOBODY),
        "封じ手": (Termination.SEALED_MOVE, Winner.NOBODY),
        "最終手": (Termination.LAST_MOVE, Winner.NOBODY),
        "不詰": (Termination.NO_MATE, Winner.NOBODY),
        "待った": (Termination.TAKE_BACK, Winner.NOBODY),
        "エラー": (Termination.ERROR, Winner.NOBODY),
    },
    NEAREST,
)
NUMBERED_MOVE = rf"[0-9]+[\s　]+([１-９1-9][1-9一二三四五六七八九]|同|{'|'.join(WORDS.words)})"  # a move or an ending
# The endings whose winner the closing line tells, 'まで85手で先手の勝ち', and the usual ending written before that line.
_TOLD = {
    Termination.RESIGNATION: Termination.RESIGNATION,
    Termination.TIME_FORFEIT: Termination.TIME_FORFEIT,
    Termination.ADJUDICATION: Termination.RESIGNATION,
    Termination.UNKNOWN: Termination.RESIGNATION,
}
_ADJUDICATED = (Termination.RESIGNATION, Termination.INTERRUPTED)  # written before a closing line with 判定 or 中断
_BECAUSE = {Termination.TIME_FORFEIT: "時間切れにより", Termination.ADJUDICATION: "判定により"}

_COUNTS = {text: n for n, text in enumerate(KANJI_NUMBERS) if n}
_ROW = re.compile(r"\|(?P<cells>.{9,18})\|.?\s*")
_HAND = re.compile(r"(?P<side>先手|後手|上手|下手)の持駒[：:](?P<held>.*)")
_HEADER = re.compile(r"(?P<name>[^\s：:|*#&'0-9][^：:|]{0,30}?)\s*[：:](?P<value>.*)")
_AT_MOVE = re.compile(r"手数[＝=]\s*(?P<number>[0-9]+).*")
_FRAME = re.compile(r"\s*(\+-{9,}\+|([1-9１-９]\s*){9}|手数-{2,}.*)\s*")
_BRANCH = re.compile(r"変化[：:]\s*(?P<ply>[0-9]+)\s*手.*")
_OVER = re.compile(r"まで、?\s*(?P<plies>[0-9]+)\s*手(?:で|にて)?、?(?P<rest>.*)")
_WINS = re.compile(
    r"(?P<reason>.*?)(?P<side>[先後上下])手の(?P<how>反則勝ち|反則負け|入玉勝ち|勝ち宣言|不戦勝|不戦敗|勝ち|負け)"
)
# The words of the closing line about a side: why the game ended, and whether that side has won.
_SAID = {
    "反則勝ち": (Termination.ILLEGAL_MOVE, True),
    "反則負け": (Termination.ILLEGAL_MOVE, False),
    "不戦勝": (Termination.DEFAULT, True),
    "不戦敗": (Termination.DEFAULT, False),
    "入玉勝ち": (Termination.DECLARATION, True),
    "勝ち宣言": (Termination.DECLARATION, True),
}
_REASONS = (
    ("時間切れ", Termination.TIME_FORFEIT),
    ("切れ負け", Termination.TIME_FORFEIT),
    ("反則", Termination.ILLEGAL_MOVE),
    ("詰", Termination.CHECKMATE),
    ("判定", Termination.ADJUDICATION),
    ("中断", Termination.ADJUDICATION),
)


def ending_of(rest: str, turn: int) -> Outcome:
    """Return the ending in `rest`, the part of 'まで85手で先手の勝ち' after 'で'; `turn` is the side to move.

    Raises ValueError if it is not an ending.
    """
    rest = rest.strip(" 　。")
    if rest in WORDS:
        return WORDS.read(rest, turn)
    found = _WINS.fullmatch(rest)
    if not found:
        raise ValueError(f"{rest!r} is not an ending")
    side, how, reason = PLAYERS[f"{found['side']}手"], found["how"], found["reason"]
    if how in _SAID:
        termination, won = _SAID[how]
        return Outcome(side if won else 1 - side, termination)
    termination = next((each for word, each in _REASONS if word in reason), Termination.RESIGNATION)
    return Outcome(side if how == "勝ち" else 1 - side, termination)


def _by_order(record: GameRecord, name: str) -> bool:
    """Tell whether white moves first and `name` begins with 先 or 後, so that it may mean the order of moves."""
    return name[0] in "先後" and record.side(0) == WHITE


def names_winner(record: GameRecord) -> bool:
    """Tell whether the closing line, after an ending, names the winner without doubt."""
    return not _by_order(record, player_names(record)[0])


def ending_word(node: Node, side: int, told: bool) -> str:
    """Return the word for the end of a line, with `side` to move.

    Args:
        told: whether the closing line names the winner
    """
    outcome = node.outcome
    if told and node.ending in _TOLD and node.winner is not None:
        outcome = usual_outcome(_TOLD[node.ending], side)
    return WORDS.word(outcome, side)


def ending_line(node: Node, plies: int, side: int, names: tuple[str, str], told: bool = True) -> str:
    """Return 'まで85手で先手の勝ち' for a line that ends with `side` to move; `names` are black's name and white's.

    Args:
        told: whether the line names the winner; see `names_winner`
    """
    word = ending_word(node, side, told)
    won_by = completed(node.outcome, side).winner
    winner = "" if won_by is None else names[won_by]
    termination = WORDS.words[word][0]
    if winner and termination in _TOLD:
        rest = f"{_BECAUSE.get(node.ending, '')}{winner}の勝ち"
    elif termination in (Termination.ILLEGAL_MOVE, Termination.DECLARATION, Termination.DEFAULT):
        rest = f"{names[side]}の{word}"
    else:
        rest = word
    return f"まで{plies}手で{rest}"


def player_names(record: GameRecord) -> tuple[str, str]:
    """Return the words for black and white: 先手 and 後手, or in a handicap game 下手 and 上手."""
    return BLACK_AND_WHITE if handicap_name(record.start) in (EVEN, "") else ("下手", "上手")


# The closing line of a game in the forms that programs write.
SAID = (*(f"{side}手の{how}" for side in "先後上下" for how in ("勝ち", *_SAID)), *WORDS.words)


def said_already(rest: str, outcome: Outcome, turn: int) -> bool:
    """Tell whether a closing line with `rest` adds nothing to `outcome` in an even game, with `turn` to move."""
    reader, node = Reader(), Node()
    node.end(outcome)
    reader._told(node, rest, turn)
    return node.outcome == outcome


# ---- reading -----------------------------------------------------------------------------------------------------


class Diagram:
    """A position, read from a diagram and the lines around it."""

    def __init__(self) -> None:
        self.rows = 0
        self.turn: int | None = None
        self.number = 1
        self._setup = Setup()
        self._held = [False, False]

    def take(self, line: str) -> bool:
        """Read a line if it belongs to the diagram; return whether it does. Raises ValueError."""
        if line.lstrip().startswith("|"):
            self._row(line.strip())
        elif found := _HAND.fullmatch(line.strip()):
            self._hand(PLAYERS[found["side"]], found["held"])
        elif line.strip() in TURNS:
            self.turn = TURNS[line.strip()]
        elif found := _AT_MOVE.fullmatch(line.strip()):
            self.number = int(found["number"][:9]) + 1
        else:
            return False
        return True

    def _row(self, line: str) -> None:
        """Read a row of the board; each square takes two characters, the owner and the piece."""
        found = _ROW.fullmatch(line)
        cells = found["cells"] if found else line.strip("|")
        marks = [cells[place : place + 2] for place in range(0, len(cells), 2)]
        if not found or len(marks) != 9 or len(cells) != 18:
            raise ValueError(f"a row of the diagram is 9 squares of two characters between |, not {line!r}")
        if self.rows == 9:
            raise ValueError("the diagram has more than 9 rows")
        for column, mark in enumerate(marks):
            owner, piece = mark[0], mark[1]
            if piece in "・.．*":
                continue
            if piece not in KINDS_BY_KANJI or owner not in " vVｖ^":
                raise ValueError(f"{mark!r} is not a piece")
            colour = WHITE if owner in "vVｖ" else BLACK
            self._setup.board[9 * self.rows + column] = (colour, KINDS_BY_KANJI[piece])
        self.rows += 1

    def _hand(self, colour: int, text: str) -> None:
        """Read a side's hand, such as '飛　歩十二'."""
        if self._held[colour]:
            raise ValueError("the hand of this side is given twice")
        self._held[colour] = True
        for each in re.split(r"[ 　]+", text.strip(" 　")):
            if each in ("", "なし"):
                continue
            kind = KINDS_BY_KANJI.get(each[0], KING)
            number = each[1:].translate(str.maketrans("０１２３４５６７８９", "0123456789"))
            count = int(number) if number.isascii() and number.isdecimal() and len(number) < 3 else _COUNTS.get(number)
            if kind >= KING or (number and not count):
                raise ValueError(f"{each!r} cannot be held in hand")
            self._setup.hold(colour, kind, count or 1)

    def sfen(self, start: str) -> str:
        """Return the position; `start` if there is no diagram. Raises ValueError if it is incomplete."""
        if not self.rows:
            if any(self._held):
                raise ValueError("there are pieces in hand, but no diagram")
            if self.turn is not None and "bw".index(start.split()[1]) != self.turn:
                raise ValueError("the side that begins is not the side to move in the starting position")
            return start
        if self.rows != 9:
            raise ValueError(f"the diagram has {self.rows} rows, not 9")
        side = self.turn if self.turn is not None else "bw".index(start.split()[1])
        return self._setup.sfen(side, self.number)


class Reader(LineReader):
    """The lines of one KIF or KI2 game: all but the moves, which subclasses read in `take_moves`.

    Attributes:
        MOVES: how a line of moves begins, or of an ending among them
    """

    MOVES = re.compile("(?!)")  # fits nothing

    def __init__(self) -> None:
        self.record = GameRecord("shogi")
        self.diagram = Diagram()
        self.builder: RecordBuilder | None = None
        self._start = self.record.start
        self._known = False  # whether a line was read that only such files have

    def take_moves(self, line: str, builder: RecordBuilder) -> bool:
        """Read a line of moves; tell whether it was one. Raises ValueError."""
        return False

    def take(self, line: str) -> None:
        """Read one line. Raises ValueError saying what is wrong with it."""
        if line[0] == "*":
            self._node().add_comment(line[1:])
        elif line[0] == "&":
            self._node().label = line[1:].strip()
        elif line[0] == "#":
            return
        elif self.builder is None and not self.MOVES.match(line) and not _BRANCH.match(line) and not _OVER.match(line):
            self._header(line)
        else:
            self._line(line.rstrip(), self._started())

    def _node(self) -> Node:
        """Return the node that a comment belongs to."""
        return self.builder.node if self.builder else self.record.root

    def _started(self) -> RecordBuilder:
        """Return the builder, created when the starting position is complete."""
        if self.builder is None:
            self.record.start = self.diagram.sfen(self._start)
            self.builder = RecordBuilder(self.record)
        return self.builder

    def _line(self, line: str, builder: RecordBuilder) -> None:
        """Read a line after the first move."""
        self._known = True
        if found := _BRANCH.fullmatch(line):
            builder.back_to(int(found["ply"][:9]) - 1)
        elif found := _OVER.fullmatch(line):
            builder.finish()
            if builder.node.ending:
                self._told(builder.node, found["rest"], builder.board.turn)
            else:
                builder.end(ending_of(found["rest"], builder.board.turn))
        elif not self.take_moves(line, builder):
            raise ValueError(f"{line.strip()!r} is not a move")

    def _told(self, node: Node, rest: str, turn: int) -> None:
        """Set the winner from the last line of a game whose ending is known."""
        try:
            said = ending_of(rest, turn)
        except ValueError:  # words of some program, treated as a comment
            return
        found = _WINS.fullmatch(rest.strip(" 　。"))
        if said.winner is None or not found or _by_order(self.record, found["side"]):
            return
        if said.termination is Termination.ADJUDICATION and node.ending in _ADJUDICATED:
            node.ending = said.termination
        if node.ending in (said.termination, Termination.ADJUDICATION):
            node.winner = said.winner

    def _header(self, line: str) -> None:
        """Read a line before the first move."""
        if self.diagram.take(line):
            self._known = True
            return
        if _FRAME.fullmatch(line):
            self._known = True
            return
        found = _HEADER.fullmatch(line)
        if not found:
            raise ValueError(f"{line.strip()!r} is neither a header nor a move")
        name, value = found["name"].strip(" 　"), found["value"].strip(" 　")
        if name in PLAYERS:
            self.record.names[PLAYERS[name]] = value
        elif name == "手合割":
            if value != "その他":
                self._start = handicap(value)
        else:
            if name.endswith("の持駒"):
                raise ValueError(f"{name!r} is neither side's hand")
            self._known = self._known or HEADER_NAMES.to_shared(name) != name
            self.record.headers[HEADER_NAMES.to_shared(name)] = value
            return
        self._known = True

    def finish(self) -> None:
        """Finish. Raises ValueError if it was not a record."""
        if not self._known:
            raise ValueError("the file has neither moves nor headers of a game record")
        self._started().finish()
        take_evaluations(self.record)


class KakinokiFormat(LineFormat):
    """KIF or KI2: a game ends where the next one's headers begin."""

    game = "shogi"
    encoding = "cp932"
    sure = False
    reader: type[Reader]
    tells_all_winners = False  # whether variations have a closing line too

    def begins_game(self, line: str, block: list[Line]) -> bool:
        """Tell whether `line` is a header after moves."""
        if line[:1] in ("*", "&", "'") or not (line[:1] == "#" or _HEADER.fullmatch(line) or _HAND.fullmatch(line)):
            return False
        if _BRANCH.match(line) or _OVER.match(line):
            return False
        return any(self.reader.MOVES.match(each) or _OVER.match(each) for _, each in block)

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome of a line as it is read back from the written file."""
        told = self.tells_all_winners or (node is record.main_line[-1] and names_winner(record))
        if not told:
            return WORDS.read(ending_word(node, side, told), side)
        return ending_of(ending_line(node, 0, side, BLACK_AND_WHITE).removeprefix("まで0手で"), side)


# ---- writing -----------------------------------------------------------------------------------------------------


def header_lines(record: GameRecord) -> Iterator[str]:
    """Yield the headers, the starting position and the names."""
    for name, value in HEADER_NAMES.own_of(record.headers).items():
        if _HEADER.fullmatch(f"{name}：") and name not in (*PLAYERS, "手合割") and not _HAND.match(f"{name}："):
            yield f"{name}：{value}"
    name = handicap_name(record.start)
    if name:
        yield f"手合割：{name}"
    else:
        yield from position_lines(record)
    for player, text in zip(player_names(record), record.names, strict=True):
        yield f"{player}：{one_line(text)}"


def position_lines(record: GameRecord) -> Iterator[str]:
    """Yield the diagram of the starting position."""
    board = record.board(0)
    yield from draw_kif(board).splitlines()
    if board.ply():
        yield f"手数＝{board.ply()}"
    if board.turn == WHITE:
        yield "後手番"


def note_lines(node: Node, mover: int, board: Any) -> Iterator[str]:
    """Yield the comment lines of a node whose position is on the board; see `comment_lines`."""
    for line in comment_lines(node, mover, board):
        yield f"*{line}"
    if node.label:
        yield f"&{one_line(node.label)}"
