"""GGF, the Generic Game Format of GGS and NBoard.

See https://www.skatgame.net/mburo/ggsa/ggf.
"""

import re
from collections.abc import Iterable, Iterator

import numpy as np

from shogi_engine.games.othello.notation import PASS_NAME, format_board, format_obf, parse_obf, split_move
from shogi_engine.games.othello.records.referee import LETTERS, LineBuilder, kept_outcome, set_result
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.brackets import GameText, Token, read_block, split_games, tokens
from shogi_engine.records.formats import RecordFormat
from shogi_engine.records.tree import GameRecord, HeaderNames, Node, clipped, leader, one_line
from shogi_engine.types.outcomes import Outcome, Termination, usual_outcome
from shogi_engine.types.results import Score


def _is_tag(name: str) -> bool:
    """Tell whether a header can be a tag of this name."""
    return bool(re.fullmatch("[A-Z]+", name)) and name not in ("B", "W", "BO", "GM", "PB", "PW")


HEADER_NAMES = HeaderNames("ggf", _is_tag)
DIGITS = 15  # maximum number of digits before and after the point
_NUMBER = re.compile(rf"[+-]?(\d{{1,{DIGITS}}}\.?\d{{0,{DIGITS}}}|\.\d{{1,{DIGITS}}})", re.ASCII)


def _number(text: str) -> float | None:
    """Return the number `text`, None if it is empty; raises ValueError."""
    text = text.strip()
    if text and not _NUMBER.fullmatch(text):
        raise InputError("{0} is not a number", clipped(text, 24))
    return float(text) if text else None


def _board(value: str) -> str:
    """Return the OBF of a BO tag, '8', 64 squares and the side to move."""
    size, _, rest = value.strip().partition(" ")
    if size != "8":
        raise InputError("the board must have 8 by 8 squares, not {0}", clipped(size, 24))
    return format_obf(parse_obf(rest))


class _Reader:
    """Reads one game's tokens; `record` is the game so far, `place` the last character read."""

    def __init__(self) -> None:
        self.record = GameRecord("othello")
        self.builder: LineBuilder | None = None
        self.place = 0
        self._result = ""

    def take(self, text: str) -> None:
        """Read the text '(;...;)'. Raises ValueError."""
        properties = list(tokens(text, escapes=False, nested=False))
        if not text.rstrip().endswith(")"):
            self.place = len(text)
            raise InputError("expected a tag, NAME[...], or ;), not the end")
        seen: set[str] = set()
        for token in properties:
            self.place = token.place
            if token.kind not in ("B", "W"):
                self._header(token, seen)
        if properties:
            self._play(properties)
        if self._result:
            set_result(self.record, self._result)

    def _play(self, properties: list[Token]) -> None:
        self.builder = builder = LineBuilder(self.record)
        for token in properties:
            self.place = token.place
            if token.kind in ("B", "W"):
                self._move(token, builder)
        builder.count()

    def _header(self, token: Token, seen: set[str]) -> None:
        name, value = token.kind, token.values[0]
        try:
            if name in seen or len(token.values) > 1:
                raise InputError("the tag is given twice")
            seen.add(name)
            if name == "BO":
                self.record.start = _board(value)
            elif name == "GM":
                if value.strip().lower() != "othello":
                    raise InputError("the game must be Othello, not {0}", clipped(value, 24))
            elif name in ("PB", "PW"):
                self.record.names["BW".index(name[1])] = value
            elif name == "RE":
                self._result = value
            else:
                self.record.headers[HEADER_NAMES.to_shared(name)] = value
        except ValueError as fault:
            raise InputError("{0}: {1}", name, fault) from None

    def _move(self, token: Token, builder: LineBuilder) -> None:
        for value in token.values:
            parts = value.split("/")
            try:
                if len(parts) > 3:
                    raise InputError("expected at most a move, an evaluation and a time")
                if split_move(parts[0]) is not None:
                    builder.pass_if_due()
                if token.kind != "BW"[builder.board.turn]:
                    raise InputError("it is not {0}'s turn", "black" if token.kind == "B" else "white")
                evaluation, seconds = [_number(part) for part in (*parts[1:], "", "")][:2]
                score = None if evaluation is None else Score.discs(evaluation)
                builder.play(parts[0], evaluation=score, seconds=seconds)
            except ValueError as fault:
                number = len(self.record.moves) + 1
                raise InputError(
                    "move {0}, {1}[{2}]: {3}", number, token.kind, clipped(value, 24)[1:-1], fault
                ) from None


class GgfFormat(RecordFormat):
    """GGF; a file has any number of games, one on each line."""

    name = "ggf"
    game = "othello"
    extensions = (".ggf",)
    expected = "'(;GM[Othello]...BO[8 ...]B[F5]...;)'"
    holds = formats.ALL - {formats.VARIATIONS, formats.COMMENTS, formats.LINES, formats.LABELS}

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome of a line as it is read back from the written file."""
        return kept_outcome(_result(record), record, node, side)

    def losses(self, record: GameRecord) -> list[str]:
        """Return, in words, the parts of a record that GGF cannot hold; no tag has the value of the position."""
        lost = super().losses(record)
        return lost if record.root.evaluation is None else [*lost, formats.EVALUATIONS]

    def keeps_headers(self, headers: dict[str, str]) -> bool:
        """Tell whether the names are tags that the game itself does not use, and the values in their form."""
        return HEADER_NAMES.keeps(headers)

    def recognises(self, head: str) -> bool:
        """Tell whether `head` contains the beginning of a GGF game."""
        return bool(re.search(r"\(\s*;", head)) and bool(re.search(r"GM\s*\[\s*othello|BO\s*\[\s*8\s", head, re.I))

    def split(self, source: Iterable[str]) -> Iterator[GameText]:
        """Yield the text of each game."""
        return split_games(source, escapes=False)

    def parse(self, block: GameText) -> GameRecord:
        """Return the game of a text '(;...;)'. Raises RecordError."""
        return read_block(_Reader(), block, "GGF")

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield a line for each game."""
        for record in records:
            yield f"{format_ggf(record)}\n"


FORMAT = GgfFormat()


def parse_ggf_games(text: str) -> list[GameRecord]:
    """Return all games '(;GM[Othello]...;)' of a text. Raises RecordError giving line and character."""
    return list(FORMAT.read(text.splitlines(keepends=True)))


def parse_ggf(text: str) -> GameRecord:
    """Return the only game of a GGF text; raises ValueError as `parse_ggf_games`, or if there is not exactly one."""
    games = parse_ggf_games(text)
    if len(games) != 1:
        raise InputError("GGF: expected one game, (;GM[Othello]...;), not {0}", len(games))
    return games[0]


def _value(text: str) -> str:
    """Return a tag's value in writable form: one line, no ]."""
    return one_line(text).replace("]", ")")


def _result(record: GameRecord) -> str:
    """Return the value of RE, '' if nothing is known."""
    node = record.main_line[-1]
    letter = LETTERS.get(node.ending, "").lower()
    if record.score is not None:
        fits = letter and record.score and node.winner == leader(record.score)
        return f"{record.score:+.2f}{f':{letter}' if fits else ''}"
    if letter and node.winner in (None, usual_outcome(node.ending, record.side(len(record.moves))).winner):
        return f"?:{letter}"
    # Without a score nothing names the winner but the sign of one: all discs, lost by resignation.
    lost_all = f"{SQUARES}.00:{letter or LETTERS[Termination.RESIGNATION].lower()}"
    return {"1-0": f"+{lost_all}", "0-1": f"-{lost_all}", "1/2-1/2": "+0.00"}.get(record.result, "")


def _digits(value: float | None) -> str:
    """Format a number for `_number`, rounded to DIGITS; '' for None and for numbers that `_number` cannot read."""
    if value is None or not abs(value) < 10**DIGITS:  # the latter holds for NaN, too
        return ""
    return np.format_float_positional(value, precision=DIGITS, trim="-")


def _move(side: int, node: Node) -> str:
    """Return B[F5/1.5/2], without unknown parts."""
    square = "PA" if node.move == PASS_NAME else node.move.upper()
    values = (None if node.evaluation is None else node.evaluation.value, node.seconds)
    return f"{'BW'[side]}[{'/'.join([square, *map(_digits, values)]).rstrip('/')}]"


def format_ggf(record: GameRecord) -> str:
    """Return a game as one line of GGF; the inverse of `parse_ggf`. Headers that GGF has no tag for are dropped."""
    position = parse_obf(record.start)
    own = HEADER_NAMES.own_of(record.headers)
    tags = {"GM": "Othello", "PC": own.pop("PC", ""), "DT": own.pop("DT", "")}
    tags |= {"PB": record.names[0], "PW": record.names[1], "RE": _result(record) or own.pop("RE", "")}
    tags |= {name: value for name, value in own.items() if name not in tags}
    header = "".join(f"{name}[{_value(value)}]" for name, value in tags.items() if value)
    board = format_board(position).replace("X", "*")
    side = int(position.side)
    moves = "".join(_move((side + number) % 2, node) for number, node in enumerate(record.main_line[1:]))
    return f"(;{header}BO[8 {board} {'*O'[side]}]{moves};)"
