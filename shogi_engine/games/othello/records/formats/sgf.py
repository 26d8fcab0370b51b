"""SGF for Othello, GM[2]: https://www.red-bean.com/sgf/: a tree of moves.

Squares are written 'f5'; 'fe' is read too.
"""

import re
from collections.abc import Iterable, Iterator

import numpy as np

from shogi_engine.games.othello import notation
from shogi_engine.games.othello.records.referee import LETTERS, LineBuilder, kept_outcome, set_result
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.brackets import GameText, Token, read_block, split_games, tokens
from shogi_engine.records.formats import RecordFormat
from shogi_engine.records.tree import GameRecord, HeaderNames, Node, one_line
from shogi_engine.types.outcomes import Outcome
from shogi_engine.types.results import Score

_ROOT_ONLY = ("FF", "CA", "AP", "ST", "GM", "SZ")
_OF_THE_GAME = ("PB", "PW", "B", "W", "C", "N", "V", "AB", "AW", "AE", "PL")
# A sign that a comment begins with, as properties.
_SIGNS = {"!!": "TE[2]", "!": "TE[1]", "!?": "IT[]", "?!": "DO[]", "?": "BM[1]", "??": "BM[2]"}
_NUMBER = re.compile(r"\s*[+-]?\d{1,9}(\.\d{1,9})?\s*", re.ASCII)


def _is_property(name: str) -> bool:
    """Tell whether a header can be a property of this name."""
    return bool(re.fullmatch("[A-Z]{1,3}", name)) and name not in (*_ROOT_ONLY, *_OF_THE_GAME)


HEADER_NAMES = HeaderNames("sgf", _is_property)


def _text(value: str) -> str:
    """Return a value without its escapes."""
    return re.sub(r"\\(\n|.)", lambda found: "" if found[1] == "\n" else found[1], value, flags=re.DOTALL)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]").replace("\r\n", "\n").replace("\r", "\n")


def _square(value: str) -> str:
    """Return the name of a square or 'pass'. Raises ValueError."""
    text = value.strip().lower()
    if text in ("", "tt"):
        return notation.PASS_NAME
    if text[1:].isalpha() and re.fullmatch("[a-h][a-h]", text):
        return f"{text[0]}{notation.FILES.index(text[1]) + 1}"
    try:
        square = notation.split_move(text)
    except ValueError:
        raise InputError("{0!r} is not a square", value[:24]) from None
    return notation.PASS_NAME if square is None else notation.SQUARE_NAMES[square]


class _Reader:
    """Reads one game's tokens; `record` is the game so far, `place` the last character read."""

    def __init__(self) -> None:
        self.record = GameRecord("othello")
        self.place = 0
        self.builder: LineBuilder | None = None
        self._discs: list[str] = []  # of a position that is set up
        self._side: int | None = None
        self._result = ""
        self._value: Score | None = None  # of the starting position, for black

    def take(self, text: str) -> None:
        """Read the text '(;...)'. Raises ValueError."""
        forks: list[int] = []  # the number of moves at each open (
        closed = False
        for token in tokens(text, escapes=True, nested=True):
            self.place = token.place
            if closed:
                raise InputError("there is more text after the end of the game")
            if token.kind == "(":
                forks.append(self.builder.ply if self.builder else 0)
            elif token.kind == ")":
                if not forks:
                    raise InputError("a ) without a (")
                ply = forks.pop()
                if self.builder:
                    self.builder.back_to(ply)
                closed = not forks
            elif not forks:
                raise InputError("a property before the first (")
            else:
                self._property(token)
        self.place = len(text)
        if not closed:
            raise InputError("the ) at the end is missing")
        if self.builder is not None or self._discs or self._side is not None:
            builder = self._started()
            for move in self.record.moves:
                builder.board.push_text(move)
            builder.count()
        if self._result:
            set_result(self.record, self._result)
        if self._value is not None:
            self.record.root.evaluation = -self._value if self.record.side(0) else self._value

    def _started(self) -> LineBuilder:
        """Return the builder, created when the starting position is complete."""
        if self.builder is None:
            if self._discs:
                self.record.start = notation.format_obf(notation.position_of("".join(self._discs), self._side or 0))
            elif self._side == 1:
                self.record.start = notation.START[:-1] + "O"
            self.builder = LineBuilder(self.record)
        return self.builder

    def _property(self, token: Token) -> None:
        name = token.kind
        try:
            if name in ("B", "W"):
                self._move(name, token.values[0], self._started())
            elif name in ("C", "N", "V"):
                self._note(name, token.values, self.builder.node if self.builder else self.record.root)
            elif name in ("TE", "IT", "DO", "BM"):
                self._sign(name, _text(token.values[0]))
            elif name in ("AB", "AW", "AE", "PL"):
                self._setup(name, token.values)
            else:
                self._header(name, token.values[0])
        except ValueError as fault:
            raise InputError("{0}[{1}]: {2}", name, token.values[0][:24], fault) from None

    def _move(self, name: str, value: str, builder: LineBuilder) -> None:
        square = _square(value)
        if square != notation.PASS_NAME:
            builder.pass_if_due()
        if name != "BW"[builder.board.turn]:
            raise InputError("it is not {0}'s turn", "black" if name == "B" else "white")
        builder.play(square)

    def _note(self, name: str, values: tuple[str, ...], node: Node) -> None:
        text = _text(values[0])
        if name == "C" and node.comment in _SIGNS:
            node.comment += f" {text}"
        elif name == "C":
            node.add_comment(text)
        elif name == "N":
            node.label = one_line(text)
        elif _NUMBER.fullmatch(text):
            black = Score.discs(float(text))
            if self.builder is None or not self.builder.ply:
                self._value = black
            else:
                node.evaluation = -black if self.builder.board.turn == 0 else black  # for the side that made the move

    def _sign(self, name: str, value: str) -> None:
        """Let the comment of a move begin with its sign."""
        emphasis = "2" if value.strip() == "2" else "1"
        written = f"{name}[{emphasis if name in ('TE', 'BM') else ''}]"
        sign = next(each for each, known in _SIGNS.items() if known == written)
        if self.builder is not None and self.builder.ply:
            self.builder.node.comment = f"{sign} {self.builder.node.comment}".rstrip()

    def _setup(self, name: str, values: tuple[str, ...]) -> None:
        if self.builder is not None:
            raise InputError("a position can be set up only before the first move")
        if name == "PL":
            self._side = {"B": 0, "1": 0, "W": 1, "2": 1}.get(values[0].strip().upper()[:1])
            if self._side is None:
                raise InputError("the side to move must be B or W")
            return
        self._discs = self._discs or ["-"] * SQUARES
        for value in values:
            first, _, second = value.partition(":")
            corners = (_square(first), _square(second or first))
            if notation.PASS_NAME in corners:
                raise InputError("expected a square, or two opposite corners of a rectangle")
            ranks, files = zip(*(divmod(notation.SQUARE_NAMES.index(each), 8) for each in corners), strict=True)
            for rank in range(min(ranks), max(ranks) + 1):
                for file in range(min(files), max(files) + 1):
                    self._discs[8 * rank + file] = {"AB": "X", "AW": "O", "AE": "-"}[name]

    def _header(self, name: str, value: str) -> None:
        text = one_line(_text(value))
        if name == "GM" and text != "2":
            raise InputError("the game must be Othello, GM[2]")
        if name == "SZ" and text not in ("8", "8:8"):
            raise InputError("the board must have 8 by 8 squares")
        if name in ("PB", "PW"):
            self.record.names["BW".index(name[1])] = text
        elif name == "RE":
            self._result = text
        elif name not in _ROOT_ONLY and (self.builder is None or self.builder.ply == 0):
            self.record.headers[HEADER_NAMES.to_shared(name)] = text


class SgfFormat(RecordFormat):
    """SGF."""

    name = "sgf"
    game = "othello"
    extensions = (".sgf",)
    expected = "'(;FF[4]GM[2]SZ[8];B[f5];W[d6]...)'"
    holds = formats.ALL - {formats.SECONDS, formats.FRACTIONS, formats.LINES}

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome of a line as it is read back from the written file."""
        return kept_outcome(_result(record), record, node, side)

    def keeps_headers(self, headers: dict[str, str]) -> bool:
        """Tell whether the names are properties that the game itself does not use, and the values in their form."""
        return HEADER_NAMES.keeps(headers)

    def recognises(self, head: str) -> bool:
        """Tell whether `head` contains the beginning of a game tree that is not GGF."""
        return bool(re.match(r"\s*\(\s*;", head)) and not re.search(r"GM\s*\[\s*othello|BO\s*\[\s*8\s", head, re.I)

    def split(self, source: Iterable[str]) -> Iterator[GameText]:
        """Yield the text of each game."""
        return split_games(source, escapes=True)

    def parse(self, block: GameText) -> GameRecord:
        """Return the game of a text '(;...)'. Raises RecordError."""
        return read_block(_Reader(), block, "SGF")

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield each game."""
        for record in records:
            yield f"({_root(record, encoding)}{_moves(record)})\n"


def _result(record: GameRecord) -> str:
    """Return the value of RE, '' if nothing is known."""
    winner = {"1-0": "B+", "0-1": "W+", "1/2-1/2": "0"}.get(record.result, "")
    if winner[1:] != "+":
        return winner
    return winner + (LETTERS.get(record.ending) or (f"{abs(record.score):g}" if record.score else ""))


def _root(record: GameRecord, encoding: str) -> str:
    """Return the first node: headers, the position, the comment."""
    result = _result(record)
    own = HEADER_NAMES.own_of(record.headers)
    values = {"PB": record.names[0], "PW": record.names[1], "RE": result or own.pop("RE", "")}
    values |= {name: value for name, value in own.items() if name not in values}
    text = f";FF[4]GM[2]SZ[8]CA[{encoding.upper() or 'UTF-8'}]"
    text += "".join(f"{name}[{_escaped(one_line(value))}]" for name, value in values.items() if value)
    if record.start != notation.START:
        position = notation.parse_obf(record.start)
        for name, discs in zip(("AB", "AW"), notation.discs_of(position), strict=True):
            squares = "".join(f"[{notation.SQUARE_NAMES[square]}]" for square in range(64) if discs >> square & 1)
            text += name + squares if squares else ""
        text += f"PL[{'BW'[int(position.side)]}]"
    return text + _notes(record.root, record.side(0))


def _notes(node: Node, side: int) -> str:
    """Return a node's comment, bookmark and evaluation for `side`, which made the move; at the root it is to move."""
    sign, space, said = node.comment.partition(" ")
    signed = node.move and sign in _SIGNS and bool(said) == bool(space)
    text = _SIGNS[sign] if signed else ""
    comment = said if signed else node.comment
    text += f"C[{_escaped(comment)}]" if comment else ""
    text += f"N[{_escaped(one_line(node.label))}]" if node.label else ""
    if node.evaluation is not None:
        black = (-node.evaluation if side else node.evaluation).value
        text += f"V[{np.format_float_positional(black, precision=9, trim='-')}]"
    return text


def _moves(record: GameRecord) -> str:
    """Return the tree below the root. Iterative, as a game may exceed Python's recursion limit."""
    first = 0 if record.start.endswith("X") else 1
    text: list[str] = []
    todo: list[tuple[Node | str, int]] = [(record.root, -1)]  # nodes with their plies, and parentheses
    while todo:
        node, ply = todo.pop()
        if isinstance(node, str):
            text.append(node)
            continue
        if node.move:
            side = (first + ply) % 2
            text.append(f";{'BW'[side]}[{'' if node.move == notation.PASS_NAME else node.move}]{_notes(node, side)}")
        if node.ending:
            continue  # SGF cannot express an ending at a move that has variations
        if len(node.children) == 1:
            todo.append((node.children[0], ply + 1))
        else:
            for child in reversed(node.children):
                todo += [(")", 0), (child, ply + 1), ("(", 0)]
    return "".join(text)


FORMAT = SgfFormat()
