"""The file of a run that makes a book: JSON lines, first the settings, then one for each position and each given line.

    {"nodes": 40000, "width": 3, "margin": 50, "max_ply": 24}
    {"line": "a name", "start": "", "moves": ["7g7f", "3c3d"]}
    {"position": KEY, "moves": [{"move": "7g7f", "ponder": "3c3d", "value": 35, "depth": 12}]}

Positions are written as they are searched. An interrupted run continues; an incomplete last line is removed.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shogi_engine.common.appending import LineFile
from shogi_engine.common.json_text import json_of
from shogi_engine.common.text_files import read_text

DOUBTFUL = "?"
Found = list[dict[str, Any]]  # a position's moves, best first: move, ponder, value, depth


@dataclass(frozen=True)
class Line:
    """Moves in the game's notation from `start` ('' is the game's); all their positions are in the book.

    A move marked DOUBTFUL is in the book because others may play it, but the line does not recommend it.
    """

    name: str
    moves: tuple[str, ...]
    start: str = ""


class RunFile:
    """A run's settings, lines and positions, in memory and on disk. Until `close`, no other process can extend the run.

    Args:
        settings: of a new run; None: the run must exist

    Raises:
        OSError: the file cannot be read or written, or another process extends the run
        ValueError: the existing run has other settings or an unreadable line
    """

    def __init__(self, path: Path, settings: dict[str, Any] | None = None) -> None:
        self.path = path
        self.known: dict[str, Found] = {}
        self.lines: list[Line] = []
        self.settings = settings or {}
        if settings is None and not path.exists():
            raise ValueError(f"{path}: there is no such run")
        if settings is None and not path.stat().st_size:
            raise ValueError(f"{path} is empty")

        def check(number: int, raw: bytes) -> None:
            try:
                self._take(number, json_of(raw), settings)
            except _OtherRunError:
                raise
            except (ValueError, KeyError, TypeError, AttributeError):
                raise ValueError(f"{path}, line {number}: this is not a line of a run") from None

        self._file = LineFile(path, check, b"" if settings is None else _line(settings))

    def _take(self, number: int, line: dict[str, Any], settings: dict[str, Any] | None) -> None:
        if number == 1:
            if not isinstance(line, dict) or "position" in line:
                raise ValueError("settings come first")
            if settings is not None and line != settings:
                raise _OtherRunError(f"{self.path} is a run with {json.dumps(line)}, not {json.dumps(settings)}")
            self.settings = line
        elif "line" in line:
            self.lines.append(Line(line["line"], tuple(line["moves"]), line["start"]))
        else:
            self.known[line["position"]] = line["moves"]

    def add(self, key: str, moves: Found) -> None:
        """Add a searched position."""
        self._file.write_line(_line({"position": key, "moves": moves}))
        self.known[key] = moves

    def add_lines(self, lines: Iterable[Line]) -> int:
        """Add the lines that are new; return their number."""
        there = {(line.start, line.moves) for line in self.lines}
        before = len(there)
        for line in lines:
            if (line.start, line.moves) not in there:
                there.add((line.start, line.moves))
                self._file.write_line(_line({"line": line.name, "start": line.start, "moves": list(line.moves)}))
                self.lines.append(line)
        return len(there) - before

    def close(self) -> None:
        """Write everything to disk, and let other processes extend the run."""
        self._file.close()


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()


class _OtherRunError(ValueError):
    """A run with other settings."""


def read_lines(path: Path) -> list[Line]:
    """Return the lines of a file: `name: moves`, # for comments. Raises ValueError naming the line, OSError."""
    found = []
    for number, text in enumerate(read_text(path).splitlines(), 1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        name, colon, moves = text.rpartition(":")
        if not colon or not moves.split():
            raise ValueError(f"{path}, line {number}: a line is written 'name: moves'")
        found.append(Line(name.strip(), tuple(moves.split())))
    return found
