"""The problems of a user and when they come back, in a database. Several processes can use it."""

import datetime
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from fsrs import Card, Rating, Scheduler

from shogi_engine.common.database import Database
from shogi_engine.common.files import data_folder
from shogi_engine.language import Message
from shogi_engine.study.problems import Problem

NAME = "study.db"
TABLES = (  # by version, see common.database
    (
        """
        CREATE TABLE problems (
            id TEXT PRIMARY KEY,
            content TEXT NOT NULL,  -- JSON of a Problem
            card TEXT NOT NULL,  -- of the scheduler, JSON
            due REAL NOT NULL  -- Unix time, as all of these
        )
        """,
        "CREATE INDEX problems_by_due ON problems (due)",
        """
        CREATE TABLE reviews (
            problem TEXT NOT NULL REFERENCES problems (id),
            at REAL NOT NULL,
            rating INTEGER NOT NULL
        )
        """,
    ),
)
DAY = datetime.timedelta(days=1)  # after which a problem that was not solved comes back; by default it takes minutes
SCHEDULER = Scheduler(learning_steps=(DAY,), relearning_steps=(DAY,), enable_fuzzing=False)


def now() -> datetime.datetime:
    """Return the time, as the scheduler wants it."""
    return datetime.datetime.now(datetime.UTC)


class Store:
    """Problems and reviews in a file. Use it in `with`.

    Args:
        file: `study.db` in the folder of the user's data by default

    Raises:
        OSError: the file cannot be used; also from its methods
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or data_folder() / NAME
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._database = Database(self.file, TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def add(self, problems: Iterable[Problem]) -> int:
        """Add problems that are due at once, except those that are there already. Return how many are new."""
        made = list(problems)
        with self._database.transaction() as database:
            before = database.total_changes
            for problem in made:
                card = Card(card_id=0, due=now())
                database.execute(
                    "INSERT OR IGNORE INTO problems VALUES (?, ?, ?, 0)",
                    (problem.id, json.dumps(asdict(problem), ensure_ascii=False), json.dumps(card.to_dict())),
                )
            return database.total_changes - before

    def due(self, at: datetime.datetime | None = None) -> list[Problem]:
        """Return the problems that are due, by default now, the longest overdue first."""
        return self._problems("WHERE due <= :at ORDER BY due, rowid", at=(at or now()).timestamp())

    def all(self) -> list[Problem]:
        """Return all problems, in the order in which they were added."""
        return self._problems("ORDER BY rowid")

    def next_due(self) -> datetime.datetime | None:
        """Return when the next problem is due, None if there are no problems."""
        due = self._database.rows("SELECT min(due) AS due FROM problems")[0]["due"]
        return None if due is None else datetime.datetime.fromtimestamp(due, datetime.UTC)

    def review(self, problem: Problem, rating: Rating, at: datetime.datetime | None = None) -> datetime.datetime:
        """Note how a problem was solved; return when it comes back. Raises KeyError if the problem is not there."""
        when = at or now()
        with self._database.transaction() as database:
            row = database.execute("SELECT card FROM problems WHERE id = ?", (problem.id,)).fetchone()
            if row is None:
                raise KeyError(problem.id)
            card, _ = SCHEDULER.review_card(Card.from_dict(json.loads(row[0])), rating, when)
            database.execute(
                "UPDATE problems SET card = ?, due = ? WHERE id = ?",
                (json.dumps(card.to_dict()), card.due.timestamp(), problem.id),
            )
            database.execute("INSERT INTO reviews VALUES (?, ?, ?)", (problem.id, when.timestamp(), int(rating)))
        return card.due

    def reviews(self, problem: Problem) -> list[tuple[datetime.datetime, Rating]]:
        """Return when a problem was solved, and how, the oldest first."""
        rows = self._database.rows("SELECT at, rating FROM reviews WHERE problem = :id ORDER BY at", id=problem.id)
        return [(datetime.datetime.fromtimestamp(at, datetime.UTC), Rating(rating)) for at, rating in rows]

    def _problems(self, condition: str, **values: Any) -> list[Problem]:
        rows = self._database.rows(f"SELECT content FROM problems {condition}", **values)
        try:
            return [_problem(json.loads(row["content"])) for row in rows]
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise OSError(Message("{0} cannot be used: {1}", self.file, fault)) from None


def _problem(row: dict[str, Any]) -> Problem:
    """Return the problem of JSON, whose lists it makes tuples."""
    why = tuple((language, tuple(said)) for language, said in row["why"])
    lines = {name: tuple(row[name]) for name in ("answers", "line", "refutation")}
    return Problem(**{**row, **lines, "why": why})
