"""Reads the common parts of KIF, KI2 and BOD: headers, diagrams, comments, bookmarks, variations, endings in words.

What is passed over is noted in the record. See docs/records.md for what is read although it is not in the standard.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from shogi_engine.games.shogi import notation
from shogi_engine.games.shogi.board.pieces import Move
from shogi_engine.games.shogi.records import kakinoki, kakinoki as lines
from shogi_engine.games.shogi.records.kakinoki import BLANKS, HANDICAP, MARKS, Setup, handicap, header_of, kind_of
from shogi_engine.games.shogi.records.words import take_evaluations
from shogi_engine.games.shogi.sfen import START
from shogi_engine.games.shogi.types import DROP_BASE, KANJI_NUMBERS, KINDS_BY_KANJI, KING, PROMOTION, SIDES_BY_MARK
from shogi_engine.language import InputError, mark
from shogi_engine.records.formats import LINE_ENDS, NO_ENDING, PASSED_OVER, Line, LineFormat, LineReader
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder, RecordError, clipped
from shogi_engine.types.outcomes import Outcome, Termination

REMARK_PASSED = mark("the remark {0} is passed over")
OTHER_START = "その他"  # the handicap of a game that begins with a diagram
_PLAYERS = "先手|後手|上手|下手"
_COUNTS = {text: n for n, text in enumerate(KANJI_NUMBERS) if n}
_ROW = re.compile(r"\|(?P<cells>.{9,60})\|.?")
_CELL = re.compile(rf"[{BLANKS}]*([vVｖ^+]?)([^{BLANKS}vVｖ^+])")
_HAND = re.compile(rf"(?P<side>{_PLAYERS})の?持ち?駒[{BLANKS}]*[：:](?P<held>.*)")
_HELD = re.compile(r"(?P<kind>[歩香桂銀金角飛玉王])(?P<count>[一二三四五六七八九十]{1,2}|[0-9０-９]{1,2})?")
_TURN = re.compile(rf"(?P<side>{_PLAYERS})番|手番[：:][{BLANKS}]*(?P<told>{_PLAYERS})番?")
_AT_MOVE = re.compile(rf"手数[＝=][{BLANKS}]*(?P<number>[0-9０-９]+)[{BLANKS}]*(?P<mark>[{MARKS}]?).*")
_ENDS = re.compile(  # an ending in a form that is not the closing line's: 後手時間切れ, （まで85手で先手の勝ち）
    rf"[(（]?(?:まで|以上)?、?[{BLANKS}]*(?:(?P<plies>[0-9０-９]+)手目?(?:まで|で|にて)?、?[{BLANKS}]*)?(?P<rest>.*?)[)）]?"
)
_FRAME = re.compile(rf"\+-{{9,}}\+|手数--.*|[1-9１-９](?:[{BLANKS}]{{0,4}}[1-9１-９]){{8}}")


def reconciled(outcome: Outcome, rest: str, turn: int, order: bool = False) -> tuple[Outcome | None, bool]:
    """Return how a line of moves ended, by its ending and its closing line, and whether these agree.

    The outcome is None if the closing line says nothing known. It agrees with the ending if it says less.

    Args:
        outcome: of the ending, without a termination if there was none
        rest: what the closing line says, 'まで85手で' removed
        turn: the side to move
        order: whether 先手 and 後手 may mean who moves first and second, as white begins
    """
    said = kakinoki.ending_of(rest, turn)
    if said is None or not outcome.termination:
        return said, True
    found = kakinoki.WINS.fullmatch(kakinoki.without_remark(rest))
    if found and order and found["side"] in "先後":
        return outcome, True
    ended = _refined(outcome, said, wins=found is not None)
    less = said.termination in (Termination.RESIGNATION, Termination.AGREEMENT)
    return ended, said.result() == ended.result() and (less or said.termination == ended.termination)


def _refined(outcome: Outcome, said: Outcome, *, wins: bool) -> Outcome:
    """Return what an ending and a closing line say together; `wins` says whether the line names a winner."""
    plain = said.termination == Termination.RESIGNATION
    if outcome.termination == Termination.INTERRUPTED and said.result() != "*":  # the game was adjudicated
        return Outcome(said.winner, Termination.ADJUDICATION) if plain else said
    draws_a_win = said.winner is None and outcome.winner is not None
    if outcome.termination in kakinoki.REFINED.get(said.termination, ()) and not draws_a_win:
        return said
    if wins and (said.termination == outcome.termination or (plain and outcome.termination in kakinoki.EITHER)):
        return Outcome(said.winner, outcome.termination)
    return outcome


def usual_move(board: Any, text: str) -> Any:
    """Return the legal move "76歩(77)", or "76歩" if one piece can make it; else None, for `parse_text` to judge.

    Most moves are of these forms, and are read much faster.
    """
    found = notation.MOVE.fullmatch(text)
    plain = found and found["file"] and not (found["words"] or found["before"] or found["after"])
    parts = notation.split_japanese(text, None) if plain else None
    if parts is None or parts.side not in (None, board.turn):
        return None
    if parts.source is not None and parts.source < DROP_BASE:
        move = Move._of(parts.source, parts.target, bool(parts.promotion))
        return move if board.piece_type_at(parts.source) == parts.kind and board.is_legal(move) else None
    if parts.source is not None:
        move = Move._of(parts.source, parts.target, False)
        return move if parts.kind < KING and board.is_legal(move) else None
    fitting = [
        move
        for move in board.legal_moves
        if move & 127 == parts.target
        and (source := move >> 7 & 127) < DROP_BASE
        and board.piece_type_at(source) == parts.kind
    ]
    wanted = [move for move in fitting if bool(move & PROMOTION) == bool(parts.promotion)]
    return wanted[0] if wanted and len({move >> 7 & 127 for move in fitting}) == 1 else None


class Diagram:
    """A position, read from a diagram and the lines around it."""

    def __init__(self) -> None:
        self.rows = 0
        self.turn: int | None = None
        self.number = 1
        self._setup = Setup()
        self._held = [False, False]

    def take(self, line: str) -> bool:
        """Read a line, without blanks at its ends, if it belongs to the diagram; return whether it does.

        Raises ValueError.
        """
        if line[0] == "|":
            self._row(line)
        elif found := _HAND.fullmatch(line):
            self._hand(kakinoki.SIDES[found["side"]], found["held"])
        elif found := _TURN.match(line):
            self.turn = kakinoki.SIDES[found["side"] or found["told"]]
        elif found := _AT_MOVE.fullmatch(line):
            self.number = int(found["number"][:9]) + 1
            if self.turn is None and found["mark"]:  # of the last move
                self.turn = 1 - SIDES_BY_MARK[found["mark"]]
        else:
            return False
        return True

    def _row(self, line: str) -> None:
        """Read a row of the board; each square takes two characters, the owner and the piece."""
        found = _ROW.fullmatch(line)
        cells = found["cells"] if found else ""
        if len(cells) > 18 and _CELL.sub("", cells).strip(BLANKS) == "":  # with more blanks between the squares
            cells = "".join(owner.ljust(1) + piece for owner, piece in _CELL.findall(cells))
        if len(cells) != 18:
            raise InputError("a row of the diagram is 9 squares of two characters between |, not {0}", clipped(line))
        if self.rows == 9:
            raise InputError("the diagram has more than 9 rows")
        for column, (owner, piece) in enumerate(zip(cells[::2], cells[1::2], strict=True)):
            if piece in "・.．*":
                continue
            if piece not in KINDS_BY_KANJI or owner not in " vVｖ^+":
                raise InputError("{0!r} is not a piece", owner + piece)
            colour = int(owner in "vVｖ")
            self._setup.board[9 * self.rows + column] = (colour, KINDS_BY_KANJI[piece])
        self.rows += 1

    def _hand(self, colour: int, text: str) -> None:
        """Read a side's hand, such as '飛　歩十二' or '飛歩十二'."""
        if self._held[colour]:
            raise InputError("the hand of this side is given twice")
        self._held[colour] = True
        for each in re.split("[\\s、，,]+", text.strip()):
            place = 0
            while each not in ("なし", "無し", "無") and place < len(each):
                found = _HELD.match(each, place)
                kind = KINDS_BY_KANJI[found["kind"]] if found else KING
                number = found["count"] if found else None
                count = 1 if number is None else int(number) if number.isdecimal() else _COUNTS.get(number, 0)
                if found is None or kind == KING or not count:
                    raise InputError("{0} cannot be held in hand", clipped(each))
                self._setup.hold(colour, kind, count)
                place = found.end()

    def sfen(self, start: str) -> str:
        """Return the position; `start` if there is no diagram. Raises ValueError if it is incomplete."""
        if not self.rows:
            if any(self._setup.hands):
                raise InputError("there are pieces in hand, but no diagram")
            if self.turn is not None and "bw".index(start.split()[1]) != self.turn:
                raise InputError("the side that begins is not the side to move in the starting position")
            return start
        if self.rows != 9:
            raise InputError("the diagram has {0} rows, not 9", self.rows)
        side = self.turn if self.turn is not None else "bw".index(start.split()[1])
        return self._setup.sfen(side, self.number)


class KakinokiReader(LineReader):
    """The lines of one KIF or KI2 game: all but the moves, which subclasses read in `take_moves`.

    Attributes:
        usual_moves: fits the beginning of most lines of moves, and of no other line
    """

    usual_moves: re.Pattern[str]

    def __init__(self) -> None:
        self.record = GameRecord("shogi")
        self.diagram = Diagram()
        self._handicap: tuple[int, str] | None = None  # the line and the value
        self._word: tuple[int, str] | None = None  # the line and the text of an ending that is not known
        self._known = False  # whether a line was read that only such files have
        self.first: int | None = None  # the number of the first move, if the moves have numbers

    @staticmethod
    def kind_of_line(line: str) -> tuple[int, int]:
        """Return the kind and number of a line that begins with no blank; see `kakinoki_lines`."""
        return kind_of(line)

    def take_moves(self, line: str, builder: RecordBuilder) -> None:
        """Read a line of moves. Raises ValueError."""
        raise NotImplementedError

    def take(self, line: str) -> None:
        """Read one line. Raises ValueError saying what is wrong with it."""
        line = line.lstrip(BLANKS)
        kind, _ = self.kind_of_line(line)
        if kind == lines.NOTE:
            if line[:1] == "*":
                self.comment(self._node(), line[1:])
            elif line:
                self._node().label = line[1:].strip()
            return
        self.keep_comment()
        line = line.rstrip()
        if not line:  # a form feed, for example
            return
        if kind in (lines.MOVE, lines.ENDING):
            self._known = True
            if self._word is not None:
                raise RecordError("{0} is neither a move nor an ending", clipped(self._word[1]), line=self._word[0])
            self.take_moves(line, self._started())
        elif kind == lines.OVER:
            self._known = True
            self._close(line, self._started())
        elif kind == lines.BRANCH and self.builder is None:
            self.note("{0} is passed over: there are no moves before it", clipped(line))
        elif kind == lines.BRANCH and self.builder is not None:
            self._settle()
            found = lines.BRANCHES.match(line)
            assert found is not None  # the kind of the line
            self.builder.back_to(int(found["ply"][:9]) - 1)
        elif kind == lines.REMARK:
            if self.builder is not None:
                self.note_remark(line)
        elif self.builder is None and self._takes_position(line):
            self._known = True
        else:
            self._outside(line)

    def note_remark(self, line: str) -> None:
        """Note a line of a program, #, that is amid the moves or after them."""
        self.note(REMARK_PASSED, clipped(line))

    def note_closing(self, rest: str, ended: Outcome, outcome: Outcome | None, agreed: bool) -> None:
        """Note what a closing line says, if the game's numbered ending says something else or has another winner.

        Args:
            ended, outcome, agreed: the ending, and what `reconciled` returns
        """
        if not agreed:
            self.note("{0} is passed over: the game ended otherwise", clipped(rest))
        elif outcome and ended.winner is not None and outcome.winner != ended.winner:
            self.note("{0} counts, although the ending before it names the other side", clipped(rest))

    def note_count(self, plies: str | None, made: int, node: Node, illegal: bool = False) -> None:
        """Note a closing line that counts other moves than those made, or also those before or an illegal one."""
        count, before = int(plies[:9]) if plies else made, {0, (self.first or 1) - 1, self.diagram.number - 1}
        illegal = illegal or node.ending == Termination.ILLEGAL_MOVE
        if not {count - made, count - made - illegal} & before:
            self.note("the closing line counts {0} moves, but there are {1}", count, made)

    def _node(self) -> Node:
        """Return the node that a comment belongs to."""
        return self.builder.node if self.builder else self.record.root

    def _started(self) -> RecordBuilder:
        """Return the builder, created when the starting position is complete."""
        if self.builder is None:
            self.record.start = self.diagram.sfen(self._start())
            self.builder = RecordBuilder(self.record)
        return self.builder

    def _start(self) -> str:
        """Return the position of the handicap. Raises RecordError for an unknown handicap without a diagram."""
        number, name = self._handicap or (0, "")
        if name in ("", OTHER_START):
            return START
        name, remark, text = name.partition("#")
        if remark:
            self.note(REMARK_PASSED, clipped(f"#{text}"), line=number)
        try:
            return handicap(name)
        except ValueError as fault:
            if not self.diagram.rows:
                raise RecordError(str(fault), line=number) from None
            self.note("{0} is no handicap; the diagram gives the position", clipped(name), line=number)
            return START

    def _takes_position(self, line: str) -> bool:
        """Read a line of the diagram, or what frames it; tell whether it was one. Raises ValueError."""
        return self.diagram.take(line) or _FRAME.fullmatch(line) is not None

    def _outside(self, line: str) -> None:
        """Read a header, or pass over what is none. Raises ValueError for a line that may be a move."""
        header = header_of(line)
        if header is None:
            if lines.MOVE_LIKE.search(line):
                raise InputError("{0} is neither a header nor a move", clipped(line))
            if self.builder is not None and self._ends(line, self.builder):
                return
            self.note(PASSED_OVER, clipped(line))
            return
        name, value = header
        if self.builder is not None:
            self.note("the header {0} is amid the moves", clipped(line))
        if name in kakinoki.SIDES:
            self._known = True
            if self.builder is None or not self.record.names[kakinoki.SIDES[name]]:
                self.record.names[kakinoki.SIDES[name]] = value
        elif name == HANDICAP:
            self._known = True
            self._handicap = (self.number, value)
        elif name.endswith("の持駒"):
            raise InputError("{0!r} is neither side's hand", name)
        else:
            self._known = self._known or kakinoki.HEADER_NAMES.to_shared(name) != name
            if self.builder is None:
                self.record.headers[kakinoki.HEADER_NAMES.to_shared(name)] = value
            else:
                self.record.headers.setdefault(kakinoki.HEADER_NAMES.to_shared(name), value)

    def _ends(self, line: str, builder: RecordBuilder) -> bool:
        """Read a line that has only an ending with a result, '投了', '後手時間切れ'; tell whether it was one."""
        found = _ENDS.fullmatch(line)
        rest = found["rest"] if found else ""
        if not kakinoki.says_winner(rest):
            if builder.node.ending or rest not in kakinoki.WORDS:
                return False
            if kakinoki.WORDS.read(rest, builder.board.turn).result() == "*":  # it may stand amid the moves: 封じ手
                return False
        if "まで" in line[:3]:
            self._count(found["plies"] if found else None, builder)
        self._end(line, rest, builder)
        return True

    def _close(self, line: str, builder: RecordBuilder) -> None:
        """Read the closing line of moves, 'まで85手で先手の勝ち'."""
        found = lines.CLOSING.match(line)
        assert found is not None  # the kind of the line
        self._count(found["plies"], builder)
        self._end(line, found["rest"], builder)

    def _count(self, plies: str | None, builder: RecordBuilder) -> None:
        if not builder.branches:
            self.note_count(plies, builder.ply, builder.node, builder.illegal is not None)

    def _end(self, line: str, rest: str, builder: RecordBuilder) -> None:
        """End the moves as a line says; `rest` is the part of it that gives the result, '先手の勝ち'."""
        rest, node, word = self._by_side(rest), builder.node, self._word
        self._settle()
        order = self.record.start.split()[1] == "w"
        outcome, agreed = reconciled(node.outcome, rest, builder.board.turn, order)
        self.note_closing(rest, node.outcome, outcome, agreed)
        if outcome is None:
            builder.finish()
            if rest:
                self.note(NO_ENDING, clipped(rest))
            if rest and not node.ending and word is None:
                node.add_comment(line)
        elif node.ending and not builder.branches:
            node.ending, node.winner = outcome.termination, outcome.winner
        else:
            self.end(outcome)

    def _by_side(self, rest: str) -> str:
        """Return what a closing line says, with the side in place of a player's name: 'Aの勝ち'."""
        who, _, how = kakinoki.without_remark(rest).rpartition("の")
        reason, by, said = who.rpartition("により")
        said, names = said.lstrip("、"), self.record.names
        if how not in ("勝ち", "勝利", "勝") or not said or kakinoki.WINS.fullmatch(f"{who}の{how}"):
            return rest
        fits = [name == said for name in names]
        if not any(fits):  # a part of a name: the surname, or without a title
            fits = [name != "" and (name.startswith(said) or said.startswith(name)) for name in names]
        if sum(fits) != 1:
            return rest
        return f"{reason}{by}{kakinoki.HANDICAP_SIDES[fits.index(True)]}の{how}"

    def _settle(self) -> None:
        """End the line as the comment on its last move says; note the words that ended it, if they are not known.

        Such words are kept as a comment.
        """
        word = self._node().comment[-kakinoki.COMMENTED_MAX - 1 :].rpartition("\n")[2]
        if self.builder is not None and word in kakinoki.COMMENTED and not self.builder.node.ending:
            self.end(kakinoki.COMMENTED.read(word, self.builder.board.turn))
        if self._word is not None:
            number, word = self._word
            self._word = None
            self._node().add_comment(word)
            self.note(NO_ENDING, clipped(word), line=number)

    def finish(self) -> None:
        """Finish. Raises ValueError if it was not a record."""
        if not self._known:
            raise InputError("the file has neither moves nor headers of a game record")
        self._settle()
        self._started().finish()
        if self.has_comments:
            take_evaluations(self.record)


class KakinokiFormat(LineFormat):
    """KIF or KI2: a game ends where the next one begins."""

    game = "shogi"
    encoding = "cp932"
    sure = False
    reader: type[KakinokiReader]
    tells_all_winners = False  # whether variations have a closing line too

    def split(self, source: Iterable[str]) -> Iterator[list[Line]]:
        """Yield the numbered lines of each game, without empty lines; `kakinoki_lines.begins_game` is the rule."""
        block: list[Line] = []
        kind_of_line, is_usual = self.reader.kind_of_line, self.reader.usual_moves.match
        last, last_number = lines.OTHER, 0  # the kind of the last line of moves; the last number
        last_moves = ""  # the last line with a number, if `last_number` is of one before it
        outside = 0  # the index of the first line outside the moves since the last of these
        moves, found = False, lines.NOTHING
        for number, text in enumerate(source, 1):
            if last == lines.MOVE and found == lines.NOTHING and is_usual(text):  # no game begins amid the moves
                block.append((number, text.strip(LINE_ENDS)))
                last_moves = text
                continue
            line = text.strip(LINE_ENDS)
            if not line.strip(f"{BLANKS}\r"):
                continue
            kind, count = kind_of_line(line.lstrip(BLANKS))
            if kind <= lines.BRANCH:
                if last_moves:
                    _, last_number = kind_of_line(last_moves.lstrip(BLANKS))
                if moves and lines.begins_game(kind, count, last, last_number, found):
                    first = outside if found else len(block)
                    yield block[:first]
                    block = block[first:]
                    last_number, last_moves, moves = 0, "", False
                last, found, moves = kind, lines.NOTHING, moves or kind != lines.BRANCH
                if kind in (lines.MOVE, lines.ENDING):
                    last_number, last_moves = count, ""
            elif moves and kind != lines.NOTE:
                if not found:
                    outside = len(block) + (kind == lines.OTHER and kakinoki.says_ending(line))
                found = lines.found_after(found, kind)
            block.append((number, line))
        if found and lines.begins_game(lines.END, 0, last, 0, found):
            yield block[:outside]
            block = block[outside:]
        if block:
            yield block

    def keeps_headers(self, headers: dict[str, str]) -> bool:
        """Tell whether all headers are read back."""
        return kakinoki.HEADER_NAMES.keeps(headers)

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome of a line as it is read back from the written file."""
        closes = self.tells_all_winners or (node is record.main_line[-1] and kakinoki.names_winner(record))
        if not closes:
            return kakinoki.WORDS.read(kakinoki.ending_word(node, side, closes), side)
        line = kakinoki.ending_line(node, 0, side, kakinoki.BLACK_AND_WHITE)
        kept = kakinoki.ending_of(line.removeprefix("まで0手で"), side)
        assert kept is not None  # such lines are endings
        return kept
