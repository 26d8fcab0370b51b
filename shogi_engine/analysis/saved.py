"""Saves an analysis to a JSON file while it runs, so that an interrupted analysis can continue."""

import contextlib
import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shogi_engine.analysis.analyst import Key
from shogi_engine.analysis.judgement import Finding, plies_to_examine
from shogi_engine.common.files import write_whole
from shogi_engine.common.json_text import json_of
from shogi_engine.language import InputError
from shogi_engine.records import GameRecord
from shogi_engine.types.score import Score

VERSION = 1
SECONDS = 2.0  # minimum time between two writes
SHARE = 20  # and minimum multiple of the last write's duration


class SavedAnalysis:
    """The findings of some games, in a file or only in memory.

    Args:
        path: None for no file; an existing file is continued if it was made with the same `settings`

    Raises:
        OSError: the file cannot be read
        ValueError: the file is not an analysis, or was made with other settings
    """

    def __init__(self, path: str | Path | None, records: Sequence[GameRecord], settings: dict[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.settings = json.loads(json.dumps(settings))
        self._digests = [digest(record) for record in records]
        self._findings: dict[str, dict[int, Finding]] = {}
        self._games: list[dict[str, Any]] = []
        self._due = 0.0
        if self.path is not None and self.path.exists():
            self._read(self.path)
        examined = [set(plies_to_examine(record)) for record in records]
        self.known: dict[Key, Finding] = {
            (number, ply): found
            for number, name in enumerate(self._digests)
            for ply, found in self._findings.get(name, {}).items()
            if ply in examined[number]
        }

    def _read(self, path: Path) -> None:
        """Load the file."""
        try:
            content = json_of(path.read_text(encoding="utf-8"))
            version, settings = content["version"], content["settings"]
            findings = {
                name: {int(ply): finding_of(row) for ply, row in rows.items()}
                for name, rows in content["findings"].items()
            }
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError("{0}: this is not a saved analysis, so it is not overwritten", path) from None
        if version != VERSION or settings != self.settings:
            raise InputError(
                "{0}: this analysis was made with {1}, not {2}; choose another file", path, settings, self.settings
            )
        self._findings = findings

    def add(self, key: Key, found: Finding) -> None:
        """Store a finding, and write the file from time to time."""
        self._findings.setdefault(self._digests[key[0]], {})[key[1]] = found
        if self.path is not None and time.monotonic() >= self._due:
            began = time.monotonic()
            with contextlib.suppress(OSError):  # the end writes all of it again, and then tells
                self.write()
            ended = time.monotonic()
            self._due = ended + max(SECONDS, SHARE * (ended - began))

    def finish(self, games: Sequence[dict[str, Any]]) -> None:
        """Write the file with the judged games in it."""
        self._games = list(games)
        self.write()

    def write(self) -> None:
        """Write the file atomically; do nothing without a path."""
        if self.path is None:
            return
        findings = {
            name: {str(ply): finding_row(rows[ply]) for ply in sorted(rows)}
            for name, rows in sorted(self._findings.items())
        }
        content = {"version": VERSION, "settings": self.settings, "games": self._games, "findings": findings}
        write_whole(self.path, (json.dumps(content, ensure_ascii=False) + "\n").encode())


def digest(record: GameRecord) -> str:
    """Return a key for a game from its moves: the same game in another file or under another name has the same key."""
    text = "\n".join([record.game, record.start, *record.moves])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def finding_row(found: Finding) -> dict[str, Any]:
    """Return a finding for JSON."""
    return {**vars(found), "score": str(found.score)}


def finding_of(row: dict[str, Any]) -> Finding:
    """Return the inverse of `finding_row`. Raises ValueError for an invalid score."""
    return Finding(**{**row, "score": Score.parse(row["score"]), "pv": tuple(row["pv"])})
