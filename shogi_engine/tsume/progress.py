"""Progress: which problems somebody has solved, in a file of the user's folder. Standard library and platformdirs."""

import datetime
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shogi_engine.common.files import data_folder, write_whole
from shogi_engine.tsume.problems import Problem

NAME = "tsume.json"


class Progress:
    """What was solved. Problems are known by their SFEN: a later version may number them otherwise.

    A file that cannot be read counts as empty, one that cannot be written is not; `saved` tells.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or data_folder() / NAME
        self.saved = True
        self._rows: dict[str, dict[str, Any]] = {}
        try:
            found = json.loads(self.file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            found = {}
        if isinstance(found, dict):
            self._rows = {sfen: row for sfen, row in found.items() if isinstance(row, dict)}

    def is_solved(self, problem: Problem) -> bool:
        """Tell whether the problem was solved, with help or without."""
        return "solved" in self._rows.get(problem.sfen, {})

    def solve(self, problem: Problem, helped: bool = False) -> None:
        """Note that the problem was solved.

        Args:
            helped: by a hint
        """
        self._note(problem, solved=datetime.date.today().isoformat(), helped=helped)

    def fail(self, problem: Problem) -> None:
        """Note a wrong move."""
        self._note(problem, wrong=int(self._rows.get(problem.sfen, {}).get("wrong", 0)) + 1)

    def count(self, some: Iterable[Problem]) -> int:
        """Return how many of some problems were solved."""
        return sum(map(self.is_solved, some))

    def next_of(self, some: Iterable[Problem]) -> Problem | None:
        """Return the first of some problems that was not solved, None if all were."""
        return next((each for each in some if not self.is_solved(each)), None)

    def _note(self, problem: Problem, **values: Any) -> None:
        self._rows[problem.sfen] = self._rows.get(problem.sfen, {}) | values
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.file, json.dumps(self._rows, indent=1).encode())
            self.saved = True
        except OSError:
            self.saved = False
