"""Transcripts: squares in a row, 'f5d6c3...', one game per line; words before or after them, and '#', are a comment."""

import functools
import re
from collections.abc import Iterable, Iterator

from shogi_engine.common.text import wide_to_ascii
from shogi_engine.games.othello.notation import IN_TRANSCRIPT, PASS_NAME, START, format_obf, parse_obf, split_transcript
from shogi_engine.games.othello.records.referee import LineBuilder
from shogi_engine.games.othello.types import SQUARES
from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.formats import Line, LineFormat, LineReader
from shogi_engine.records.tree import GameRecord, clipped, leader, one_line

_MOVES = re.compile(rf"(?:{IN_TRANSCRIPT})+\s*", re.IGNORECASE)
_MOVE = re.compile(r"[a-h][1-8]", re.IGNORECASE)
_USUAL = re.compile(r"[a-hA-H1-8\s]*+")  # a line of squares alone, as most are
_LETTER = re.compile(r"[^\W\d_](?![1-8])")  # that is no square: there may be words in the line
_PART = re.compile(r"[^\s|,;:]+")
_JUDGEMENT = re.compile(r"[!?]+")
_SEPARATED = re.compile(rf"(?:{IN_TRANSCRIPT})(?:\s*$|{IN_TRANSCRIPT})", re.IGNORECASE)
# The result after the moves: the discs of black and white, '40-24', '(40 - 24)', their difference, ': +16', 'W+4', or
# as in chess, '1-0', '1/2-1/2', '*'.
_SAID = (
    r"(?:[([]?(?P<black>\d{1,2})\s*[-:]\s*(?P<white>\d{1,2})[)\]]?|(?P<winner>[BW])?(?P<score>[+-]\d{1,2}|0)"
    r"|1/2\s*-\s*1/2|0?\.5\s*-\s*0?\.5|(?P<none>\*))\s*$"
)
_RESULT, _ONLY_RESULT = re.compile(rf"[\s:=]+{_SAID}", re.ASCII), re.compile(rf"[\s:=]*{_SAID}", re.ASCII)
_CONTINUES = re.compile(r"\s*(?:[2-9]|\d{2,3})\s*[.):]", re.ASCII)
RESULT_MAX = 16  # characters at the end of a line, in which its result is
SHORT = 16  # characters of a game that is remembered: a file of such games has very many of them
SURE = 3  # moves that a line with words must have to be recognised


class TranscriptReader(LineReader):
    """Reads the line of one game."""

    def __init__(self) -> None:
        self.record = GameRecord("othello")

    def take(self, line: str) -> None:
        """Read the line. Raises ValueError saying which move is wrong and why."""
        text, _, comment = line.partition("#")
        self.record.root.comment, given = comment.strip(), None
        if not _USUAL.fullmatch(text):
            text, given = self._beside(text)
        if len(text) > SHORT:
            self._play(text)
        else:
            moves, self.record.score, fault = _played(text)
            node = self.record.root
            for move in moves:
                node = node.add(move)
            if fault:
                raise ValueError(fault)
        if given:
            self._result(given)

    def _beside(self, text: str) -> tuple[str, re.Match[str] | None]:
        """Return the moves of a line and the result after them; the words around them become the comment."""
        text, words = _without_words(wide_to_ascii(text))
        self.record.root.comment = "  ".join(filter(None, (words, self.record.root.comment)))
        given = _RESULT.search(text, max(0, len(text) - RESULT_MAX)) or _ONLY_RESULT.match(text)
        text = text[: given.start()] if given else text
        if given and not text.strip():
            raise InputError("transcript: a result without moves")
        if judgements := _JUDGEMENT.findall(text):
            self.note(formats.PASSED_OVER, clipped(" ".join(judgements)))
        return text, given

    def _result(self, given: re.Match[str]) -> None:
        """Take the result that the line gives, unless the game was played to its end."""
        if given["none"]:
            return
        discs = [int(given[side] or 0) for side in ("black", "white")]
        score = float(given["score"] or discs[0] - discs[1]) * (-1 if given["winner"] == "W" else 1)
        if sum(discs) > SQUARES or abs(score) > SQUARES:
            self.note("{0} is passed over: no game has this result", clipped(given[0].strip()))
        elif self.record.score is None:
            self.record.score = score
        elif leader(score) != leader(self.record.score):
            self.note("{0} is passed over: the game ended otherwise", clipped(given[0].strip()))

    def _play(self, text: str) -> None:
        """Play the moves. Raises ValueError saying which is wrong and why."""
        self.builder = builder = LineBuilder(self.record)
        for number, move in enumerate(split_transcript(text), 1):
            try:
                builder.play(move)
            except ValueError as fault:
                raise InputError("transcript: move {0}: {1}", number, fault) from None
        builder.count()


def _without_words(text: str) -> tuple[str, str]:
    """Return a line without the words before and after its moves and result, and these words: 'Name | f5d6 40-24'."""
    if not _LETTER.search(text):
        return text, ""
    parts = list(_PART.finditer(text))
    played = [part for part in parts if _MOVE.search(part[0]) and _MOVES.fullmatch(part[0])]
    if not played:
        return text, ""
    first, last = played[0].start(), played[-1].end()
    words = [part for part in parts if _is_word(part[0])]
    head = text[:first] if any(part.end() <= first for part in words) else ""
    end = next((part.start() for part in words if part.start() >= last), len(text))
    said = "  ".join(filter(None, (head.strip(" \t|,;:-"), text[end:].strip())))
    return text[len(head) : end].rstrip(" \t|,;:"), said


def _is_word(part: str) -> bool:
    """Tell whether a part of a line is a word, not moves, a number or a result."""
    letters = sum(map(str.isalpha, part))
    return letters > part.isascii() and not any(map(str.isdigit, part)) and not _MOVES.fullmatch(part)


@functools.lru_cache(maxsize=1 << 12)
def _played(text: str) -> tuple[list[str], float | None, str]:
    """Return the moves and the score of a short game, and why it cannot be read further, '' if it can."""
    reader, fault = TranscriptReader(), ""
    try:
        reader._play(text)
    except ValueError as error:
        fault = str(error)
    finally:
        reader.release()
    return reader.record.moves, reader.record.score, fault


class TranscriptFormat(LineFormat):
    """Transcripts."""

    name = "transcript"
    game = "othello"
    extensions = (".txt", ".tra", ".transcript")
    expected = "lines like 'f5d6c3d3c4'"
    holds = frozenset({formats.MOVES})
    reader = TranscriptReader

    def losses(self, record: GameRecord) -> list[str]:
        """Return, in words, the parts of a record that a transcript cannot hold; it has one comment, on the start."""
        lost, others = super().losses(record), list(record.nodes())[1:]
        return lost if any(node.comment for node in others) else [each for each in lost if each != formats.COMMENTS]

    def recognises(self, head: str) -> bool:
        """Tell whether the first line that is not a comment begins with moves, or has words and then moves."""
        lines = (line.partition("#")[0].strip() for line in head.splitlines())
        first, words = _without_words(wide_to_ascii(next((line for line in lines if line), "")))
        if words and len(_MOVE.findall(first)) < SURE:
            return False
        if _MOVES.fullmatch(first) or _SEPARATED.match(first):
            return True
        return bool(len(first) > 8 and len(_MOVE.findall(first)) * 3 > len(first))

    def is_separator(self, line: str) -> bool:
        """Tell whether a line is a comment."""
        return not line.partition("#")[0].strip()

    def begins_game(self, line: str, block: list[Line]) -> bool:
        """Return True, as each line is a game, but for a line that continues with another number than 1: '2. c3 d3'.

        A line that has only a result gives that of the game before it, if this has none.
        """
        if line[:1].isalpha() and line[:1] not in "BW":
            return True
        said, last = wide_to_ascii(line.partition("#")[0]), block[-1][1] if block else ""
        if _ONLY_RESULT.match(said):
            return not block or _ONLY_RESULT.search(last.partition("#")[0][-RESULT_MAX:]) is not None
        return not _CONTINUES.match(said)

    def parse(self, block: list[Line]) -> GameRecord:
        """Return the game of one line, or of several with numbered moves. Raises RecordError."""
        if len(block) > 1:
            parts = [line.partition("#") for _, line in block]
            comment = " ".join(part[2].strip() for part in parts).strip()
            block = [(block[0][0], f"{' '.join(part[0] for part in parts)}#{comment}")]
        return super().parse(block)

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield a line for each game."""
        for record in records:
            if not record.moves:  # an empty line is no game
                raise InputError("a game without moves has no transcript")
            comment = one_line(record.root.comment.replace("\n", " "))
            yield f"{format_transcript(record)}{f'  # {comment}' if comment else ''}\n"


FORMAT = TranscriptFormat()


def read_transcripts(text: str) -> list[GameRecord]:
    """Return the games of a text with one transcript on each line. Raises RecordError, which names the line."""
    return list(FORMAT.read(text.splitlines(keepends=True)))


def format_transcript(record: GameRecord) -> str:
    """Return a game's moves in a row, without passes. Raises ValueError for a game from another starting position."""
    if format_obf(parse_obf(record.start)) != START:
        raise InputError("a transcript has no starting position, and this game does not begin with the usual one")
    return "".join(move for move in record.moves if move != PASS_NAME)
