"""Record formats: their interface and their registry.

A format is one file in `shogi_engine/games/<game>/records/formats/` that defines FORMAT; `register` adds one from
elsewhere. Names are known without loading a module.
"""

import functools
import importlib
import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from shogi_engine.language import InputError, Message, mark
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder, RecordError, registry
from shogi_engine.types.outcomes import BY_RULE, Outcome, Termination

GAMES = ("shogi", "othello")
LINE_MAX = 1 << 20  # characters; longer lines are not part of a record
FAULTS_MAX = 10_000  # damaged games; a file that has more of them than whole games is no file of records

# What a format can hold besides the moves of the main line; see `RecordFormat.holds`.
VARIATIONS, COMMENTS, SECONDS, FRACTIONS, EVALUATIONS, LINES, LABELS = (
    "variations",
    "comments",
    "times",
    "fractions of seconds",
    "evaluations",
    "depths and lines of searches",
    "bookmarks",
)
NAMES, HEADERS, ENDINGS, START, MOVES = "names", "headers", "endings", "other starting positions", "moves"
NUMBERS = "numbers of first moves"
ALL = frozenset(
    {VARIATIONS, COMMENTS, SECONDS, FRACTIONS, EVALUATIONS, LINES, LABELS, NAMES, HEADERS, ENDINGS, START, MOVES}
) | {NUMBERS}
OPEN = "games without a result"  # which a format gives one
WINNERS = "winners"  # of games whose ending a format cannot hold
PASSED_OVER, NO_ENDING = mark("{0} is passed over"), mark("{0} is not an ending")  # notes
ENDING_ALONE = mark("a variation that has only an ending is passed over")
LINE_ENDS = "\n\x1a\0\ufeff"  # also what is at the ends of files, which may be joined: of DOS, broken disks, UTF-8

_added: dict[str, str] = {}


Line = tuple[int, str]  # its number, from 1, and its text without the line end


class RecordFormat:
    """A format: how to recognise, read and write it. Text formats derive from LineFormat.

    Attributes:
        name: the name of the format, as in `convert --to`
        game: the game that it is for, '' for any
        extensions: the extensions of file names; the first is used for new files
        expected: what such a file looks like, for error messages
        holds: some of VARIATIONS, COMMENTS ...
        encoding: the default encoding of written files
        many: whether a file may hold several games
        sure: whether the format is recognised by the beginning of a file; otherwise any line may decide, if no sure
            format fits
    """

    name = ""
    game = ""
    extensions: tuple[str, ...] = ()
    expected = ""
    holds: frozenset[str] = frozenset()
    encoding = "utf-8"
    many = True
    binary = False
    sure = True

    def recognises(self, head: str) -> bool:
        """Tell whether a text with this beginning (of a binary format: its bytes as latin-1) is of this format."""
        raise NotImplementedError

    def read(self, source: Any, keep: bool = False) -> Iterator[GameRecord]:
        """Yield the games of `source`: lines of text, or a binary file for a binary format.

        Args:
            keep: yield the readable part of a damaged game, with `fault` set, instead of raising RecordError, unless
                most of at least FAULTS_MAX games are damaged
        """
        faults = 0
        for number, block in enumerate(self.split(source), 1):
            try:
                record = self._parsed(block)
            except RecordError as error:
                error.number = number
                if not keep:
                    raise
                faults += 1
                if faults > max(FAULTS_MAX, number // 2):
                    raise RecordError("{0} of {1} games are damaged: {2}", faults, number, error) from None
                record = GameRecord(self.game or GAMES[0]) if error.record is None else error.record
                error.__traceback__ = error.__context__ = error.__cause__ = None  # they would keep the reader in memory
                record.fault = error
            yield record

    def _parsed(self, block: Any) -> GameRecord:
        """Return the game of one part. Raises RecordError also for what a reader should not raise, OSError."""
        try:
            return self.parse(block)
        except (RecordError, OSError):
            raise
        except Exception as fault:  # the other games, and the other files of a folder, can still be read
            raise RecordError("the game cannot be read: {0}: {1}", type(fault).__name__, fault) from fault

    def split(self, source: Any) -> Iterator[Any]:
        """Yield the part of `source` for each game."""
        raise NotImplementedError

    def parse(self, block: Any) -> GameRecord:
        """Return the game of one part. Raises RecordError."""
        raise NotImplementedError

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield the text of a file with these games. Raises ValueError for a game that cannot be written at all."""
        raise NotImplementedError

    def scanner(self) -> Any:
        """Return the `arrays.Scanner` that reads the format by kernels, or None."""
        return None

    def ratings(self, record: GameRecord) -> tuple[float, float]:
        """Return the ratings of black and white, nan where a record has none."""
        return math.nan, math.nan

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome of a line ending at `node`, with `side` to move, as it would be read back."""
        return node.outcome if ENDINGS in self.holds else Outcome(None, Termination.NONE)

    def keeps_headers(self, headers: dict[str, str]) -> bool:
        """Tell whether all headers can be written."""
        return HEADERS in self.holds or not headers

    def losses(self, record: GameRecord) -> list[str]:
        """Return, in words, the parts of a record that this format cannot hold."""
        nodes = list(record.nodes())
        lost_endings, lost_winners = self._lost_outcomes(record)
        has = {
            VARIATIONS: any(node.variations for node in nodes),
            COMMENTS: any(node.comment for node in nodes),
            SECONDS: any(node.seconds is not None for node in nodes),
            FRACTIONS: any((node.seconds or 0) % 1 for node in nodes) and SECONDS in self.holds,
            EVALUATIONS: any(node.evaluation is not None for node in nodes),
            LINES: any(node.pv or node.depth is not None for node in nodes),
            LABELS: any(node.label for node in nodes),
            NAMES: any(record.names),
            HEADERS: not self.keeps_headers(record.headers),
            START: record.start != GameRecord(record.game).start,
            NUMBERS: record.game == "shogi" and START in self.holds and record.start.split()[-1] != "1",
            MOVES: bool(record.moves),
        }
        lost = [what for what, there in has.items() if there and (what == HEADERS or what not in self.holds)]
        return lost + [ENDINGS] * lost_endings + [WINNERS] * lost_winners

    def _lost_outcomes(self, record: GameRecord) -> tuple[bool, bool]:
        """Return (whether the reason of an ending is lost, whether its winner is lost)."""
        reasons, winners = False, False
        for first, line in record.lines():
            node, ply = line[-1], first + len(line) - 1
            by_score = first == 0 and record.score is not None and not node.ending
            outcome = record.outcome() if by_score and ENDINGS not in self.holds else record.outcome_of(node, ply)
            if outcome is None or outcome.termination in BY_RULE:
                continue
            kept = self.kept_outcome(record, node, record.side(ply))
            reasons |= kept.termination != outcome.termination
            winners |= kept.winner != outcome.winner
        return reasons, winners


class LineFormat(RecordFormat):
    """A format of lines. A subclass gives `begins_game` if a file may hold several games.

    Attributes:
        reader: the class of the readers, each for one game
    """

    reader: "type[LineReader]"

    def begins_game(self, line: str, block: list[Line]) -> bool:
        """Tell whether `line` is the first of the next game; `block` holds the lines of this game so far."""
        return False

    def is_separator(self, line: str) -> bool:
        """Tell whether `line` separates two games."""
        return False

    def split(self, source: Iterable[str]) -> Iterator[list[Line]]:
        """Yield the numbered lines of each game, without empty lines."""
        block: list[Line] = []
        for number, text in enumerate(source, 1):
            line = text.strip(LINE_ENDS)
            if not line.strip():
                continue
            separates = self.is_separator(line)
            if (separates or self.begins_game(line, block)) and block:
                yield block
                block = []
            if not separates:
                block.append((number, line))
        if block:
            yield block

    def parse(self, block: list[Line]) -> GameRecord:
        """Return the game of a block of lines. Raises RecordError."""
        reader = self.reader()
        try:
            try:
                for number, line in block:
                    reader.number = number
                    if len(line) > LINE_MAX:
                        raise InputError("the line is too long: {0} characters", len(line))
                    reader.take(line)
            finally:
                reader.keep_comment()
            reader.finish()
        except RecordError as fault:  # a fault in an earlier line
            raise RecordError(fault.reason, line=fault.line, record=reader.record) from None
        except ValueError as fault:
            raise RecordError(str(fault), line=reader.number, record=reader.record) from None
        finally:
            reader.release()
        return reader.record


class LineReader:
    """Reads the lines of one game.

    Attributes:
        record: the game so far
        builder: builds it; None before the moves
        number: the number of the line, from 1
        has_comments: whether there was a comment
    """

    record: GameRecord
    builder: RecordBuilder | None = None
    number = 1
    has_comments = False
    _commented: Node | None = None  # the node of the comment lines that are not yet stored

    def note(self, template: str, *values: Any, line: int = 0) -> None:
        """Note what is passed over, or read in a doubtful sense, in this line or another one; see `Message`."""
        self.record.notes.append(Message("line {0}: {1}", line or self.number, Message(template, *values)))

    def end(self, outcome: Outcome, seconds: float | None = None) -> None:
        """End the line of moves; note an ending that the record cannot hold. Raises ValueError."""
        assert self.builder is not None
        if not self.builder.end(outcome, seconds):
            self.note(ENDING_ALONE)

    def suspect(self, text: str, fault: ValueError) -> None:
        """Keep an illegal move, which is read if the line ends because of it."""
        assert self.builder is not None
        self.builder.suspect(text, RecordError(str(fault), line=self.number))

    def comment(self, node: Node, line: str) -> None:
        """Add a line to a node's comment; the comment is complete after `keep_comment`.

        The lines are joined once: adding each to the others takes quadratic time.
        """
        self.has_comments = True
        if node is not self._commented:
            self.keep_comment()
            self._commented, self._lines = node, [line]
        else:
            self._lines.append(line)

    def keep_comment(self) -> None:
        """Store the lines of the last comment in its node."""
        if self._commented is not None:
            node, self._commented = self._commented, None
            first = 0 if node.comment else next((at for at, line in enumerate(self._lines) if line), len(self._lines))
            if first < len(self._lines):
                node.add_comment("\n".join(self._lines[first:]))

    def take(self, line: str) -> None:
        """Read one line. Raises ValueError saying what is wrong with it."""
        raise NotImplementedError

    def finish(self) -> None:
        """Finish the game. Raises ValueError if something is missing."""

    def release(self) -> None:
        """Leave the builder's board to other readers."""
        if self.builder is not None:
            self.builder.release()


# ---- the registry ------------------------------------------------------------------------------------------------


@functools.cache
def _own_modules() -> dict[str, str]:
    """Return the modules of the package's formats by name, without loading the packages: of any game, Shogi's ..."""
    root = Path(__file__).parents[1] / "games"
    return {"jsonl": "shogi_engine.records.jsonl"} | {
        module.name: f"shogi_engine.games.{game}.records.formats.{module.name}"
        for game in GAMES
        for module in pkgutil.iter_modules([str(root / game / "records" / "formats")])
    }


def _modules() -> dict[str, str]:
    """Return the modules of all formats by name."""
    return {**_own_modules(), **_added}


def format_names() -> list[str]:
    """Return the names of all formats."""
    return list(_modules())


def register(name: str, module: str) -> None:
    """Add a format from another module, which defines FORMAT. Raises ValueError if the name is taken."""
    if _modules().get(name, module) != module:
        raise InputError("there is already a record format {0!r}", name)
    _added[name] = module


def load_format(name: str) -> RecordFormat:
    """Return the format called `name`. Raises ValueError, listing the names, if there is no such format."""
    modules = _modules()
    if name.lower() not in modules:
        raise InputError("there is no record format {0!r}; there are {1}", name, ", ".join(modules))
    return _load(modules[name.lower()])


@functools.cache
def _load(module: str) -> RecordFormat:
    """Return the format that a module defines."""
    found: RecordFormat = importlib.import_module(module).FORMAT
    return found


def all_formats(game: str = "") -> list[RecordFormat]:
    """Return all formats, or those of one game. Raises ValueError if there is no such game."""
    if game:
        registry().check(game)
    formats = map(_load, _modules().values())
    return [each for each in formats if game in ("", each.game) or not each.game]


def format_of_name(path: str | Path, game: str = "") -> RecordFormat | None:
    """Return the format with a file name's extension, or None."""
    suffix = Path(path).suffix.lower()
    return _first(all_formats(game), lambda each: suffix in each.extensions)


def format_for(path: str | Path, game: str = "") -> RecordFormat:
    """Return the format with a file name's extension. Raises ValueError that names the extensions of `game`."""
    found = format_of_name(path, game)
    if found is None:
        endings = ", ".join(each.extensions[0] for each in all_formats(game))
        raise InputError("the extension of {0} is none of the formats of {1} ({2})", path, game or "any game", endings)
    return found


def recognise(head: str, binary: bool, game: str = "") -> RecordFormat | None:
    """Return the format of a file that begins with `head`, None if no format fits."""
    candidates = sorted(all_formats(game), key=lambda each: not each.sure)
    return _first(candidates, lambda each: each.binary == binary and each.recognises(head))


def _first(formats: Iterable[RecordFormat], fits: Callable[[RecordFormat], bool]) -> RecordFormat | None:
    return next((each for each in formats if fits(each)), None)


def expected(game: str = "") -> str:
    """Return a description of readable files, for messages."""
    return "; ".join(f"{each.name}: {each.expected}" for each in all_formats(game))


def binary_head(source: BinaryIO, size: int) -> bytes:
    """Return the first bytes of a seekable file and rewind it."""
    head = source.read(size)
    source.seek(0)
    return head
