"""Progress: which problems the user has solved, in a file of the user's folder. Standard library and platformdirs."""

import contextlib
import datetime
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shogi_engine.common.files import data_folder, write_whole
from shogi_engine.common.json_text import json_of
from shogi_engine.common.locks import locked
from shogi_engine.tsume.problems import Problem

NAME = "tsume.json"
TIMEOUT = 5.0  # seconds to wait for another process that writes the file


class Progress:
    """The solved problems. They are identified by SFEN, since their numbers may change between versions.

    Several processes can use a file. One that cannot be read counts as empty, and is not overwritten. `saved` is false
    if the file could not be written.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or data_folder() / NAME
        self.saved = True
        self._rows: dict[str, dict[str, Any]] = {}
        with contextlib.suppress(OSError, ValueError):
            self._rows = self._read()

    def _read(self) -> dict[str, dict[str, Any]]:
        """Return the file's rows. Raises OSError, and ValueError if it is damaged."""
        try:
            found = json_of(self.file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        if not isinstance(found, dict) or not all(isinstance(row, dict) for row in found.values()):
            raise ValueError(self.file)
        return found

    def is_solved(self, problem: Problem) -> bool:
        """Tell whether the problem was solved, with or without help."""
        return "solved" in self._rows.get(problem.sfen, {})

    def solve(self, problem: Problem, helped: bool = False) -> None:
        """Note that the problem was solved.

        Args:
            helped: by a hint
        """
        self._note(problem, {"solved": datetime.date.today().isoformat(), "helped": helped})

    def fail(self, problem: Problem) -> None:
        """Note a wrong move."""
        self._note(problem, {})

    def count(self, some: Iterable[Problem]) -> int:
        """Return how many of the problems in `some` were solved."""
        return sum(map(self.is_solved, some))

    def next_of(self, some: Iterable[Problem]) -> Problem | None:
        """Return the first problem in `some` that was not solved, None if all were."""
        return next((each for each in some if not self.is_solved(each)), None)

    def _note(self, problem: Problem, solution: dict[str, Any]) -> None:
        """Note a solution, or a wrong move if it is empty, together with what other processes have noted meanwhile."""
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.file, TIMEOUT):
                rows = with_note(self._rows | self._read(), problem.sfen, solution)
                write_whole(self.file, json.dumps(rows, indent=1).encode())
            self._rows, self.saved = rows, True
        except (OSError, ValueError):
            self._rows, self.saved = with_note(self._rows, problem.sfen, solution), False


def with_note(rows: dict[str, dict[str, Any]], sfen: str, solution: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return `rows` with a solution, or with one more wrong move if it is empty."""
    row = rows.get(sfen, {})
    return rows | {sfen: row | (solution or {"wrong": int(row.get("wrong", 0)) + 1})}
