"""The problems of users and when they come back, in a database. Several processes can use it."""

import contextlib
import copy
import datetime
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from fsrs import Card, Rating, Scheduler

from shogi_engine.common.database import Database, migrations
from shogi_engine.common.files import data_folder
from shogi_engine.language import Message
from shogi_engine.study.problems import LINE, Attempt, Problem

NAME = "study.db"
DAY = datetime.timedelta(days=1)  # after which a problem that was not solved comes back; by default it takes minutes
SCHEDULER = Scheduler(learning_steps=(DAY,), relearning_steps=(DAY,), enable_fuzzing=False)


def now() -> datetime.datetime:
    """Return the time, as the scheduler wants it."""
    return datetime.datetime.now(datetime.UTC)


class Store:
    """One user's problems and reviews, in a file. Use it in `with`.

    Args:
        file: `study.db` in the folder of the user's data by default

    Attributes:
        is_repertoire: whether the lines of the repertoire are given, else the other problems

    Raises:
        OSError: the file cannot be used; also from its methods
    """

    size = found = 0  # see Source

    def __init__(self, file: Path | None = None) -> None:
        self.file = file or data_folder() / NAME
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self._database = Database(self.file, migrations("shogi_engine.study"))
        self._owner = self._game = ""
        self.is_repertoire = False

    def of(self, owner: str, game: str = "") -> Self:
        """Return the problems of another user in the same file, which stays this store's to close.

        Args:
            owner: '' is the terminal's user
            game: only the problems of this game are given
        """
        other = copy.copy(self)
        other._owner, other._game = owner, game
        return other

    def lines(self) -> Self:
        """Return the same user's repertoire, which is kept in the same file and given apart; see `of`."""
        other = copy.copy(self)
        other.is_repertoire = True
        return other

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def add(self, problems: Iterable[Problem]) -> int:
        """Add problems that are due at once, except those that are there already. Return how many are new.

        A line with another move than before takes the place of the one that was learnt.
        """
        made = list(problems)
        with self._database.transaction() as database:
            before = database.total_changes
            for problem in made:
                content, card = json.dumps(asdict(problem), ensure_ascii=False), Card(card_id=0, due=now())
                database.execute(
                    "INSERT INTO problems VALUES (?, ?, ?, ?, 0) ON CONFLICT (owner, id) DO UPDATE"
                    " SET content = excluded.content, card = excluded.card, due = 0"
                    " WHERE ? AND json_extract(content, '$.answers') <> json_extract(excluded.content, '$.answers')",
                    (self._owner, problem.id, content, json.dumps(card.to_dict()), problem.kind == LINE),
                )
            return database.total_changes - before

    def due(self, at: datetime.datetime | None = None) -> list[Problem]:
        """Return the problems that are due, by default now, the longest overdue first."""
        return self._problems("AND due <= :at ORDER BY due, rowid", at=(at or now()).timestamp())

    def all(self) -> list[Problem]:
        """Return all problems, in the order in which they were added."""
        return self._problems("ORDER BY rowid")

    def schedule(self) -> list[tuple[Problem, datetime.datetime]]:
        """Return all problems and when each is due, in that order."""
        rows = self._rows("content, due", "ORDER BY due, rowid")  # at once: others write meanwhile
        times = (datetime.datetime.fromtimestamp(row["due"], datetime.UTC) for row in rows)
        return list(zip(self._read(rows), times, strict=True))

    def count(self) -> int:
        """Return how many problems there are."""
        return int(self._rows("count(*) AS count", "")[0]["count"])

    def next_due(self) -> datetime.datetime | None:
        """Return when the next problem is due, None if there are no problems."""
        due = self._rows("min(due) AS due", "")[0]["due"]
        return None if due is None else datetime.datetime.fromtimestamp(due, datetime.UTC)

    def attempt(self, problem: Problem) -> Attempt:
        """Return a new attempt at a problem."""
        return Attempt(problem)

    def review(self, problem: Problem, rating: Rating, at: datetime.datetime | None = None) -> datetime.datetime:
        """Note how a problem was solved; return when it comes back. Raises KeyError if the problem is not there."""
        when = at or now()
        with self._database.transaction() as database:
            key = (self._owner, problem.id)
            row = database.execute("SELECT card FROM problems WHERE owner = ? AND id = ?", key).fetchone()
            if row is None:
                raise KeyError(problem.id)
            with self._damage():
                card, _ = SCHEDULER.review_card(Card.from_dict(json.loads(row[0])), rating, when)
            database.execute(
                "UPDATE problems SET card = ?, due = ? WHERE owner = ? AND id = ?",
                (json.dumps(card.to_dict()), card.due.timestamp(), *key),
            )
            database.execute("INSERT INTO reviews VALUES (?, ?, ?, ?)", (*key, when.timestamp(), int(rating)))
        return card.due

    def reviews(self, problem: Problem) -> list[tuple[datetime.datetime, Rating]]:
        """Return when a problem was solved, and how, the oldest first."""
        query = "SELECT at, rating FROM reviews WHERE owner = :owner AND problem = :id ORDER BY at"
        rows = self._database.rows(query, owner=self._owner, id=problem.id)
        return [(datetime.datetime.fromtimestamp(at, datetime.UTC), Rating(rating)) for at, rating in rows]

    def _rows(self, columns: str, condition: str, **values: Any) -> list[Any]:
        query = (
            f"SELECT {columns} FROM problems "
            f"WHERE owner = :owner AND (:game = '' OR json_extract(content, '$.game') = :game) "
            f"AND (json_extract(content, '$.kind') IS '{LINE}') = :lines {condition}"
        )
        return self._database.rows(query, owner=self._owner, game=self._game, lines=self.is_repertoire, **values)

    def _problems(self, condition: str, **values: Any) -> list[Problem]:
        return self._read(self._rows("content", condition, **values))

    def _read(self, rows: list[Any]) -> list[Problem]:
        with self._damage():
            return [_problem(json.loads(row["content"])) for row in rows]

    @contextlib.contextmanager
    def _damage(self) -> Iterator[None]:
        """Raise OSError for what a damaged row raises."""
        try:
            yield
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            raise OSError(Message("{0} cannot be used: {1}", self.file, fault)) from None


def _problem(row: dict[str, Any]) -> Problem:
    """Return the problem of JSON, whose lists it makes tuples."""
    why = tuple((language, tuple(said)) for language, said in row["why"])
    lines = {name: tuple(row[name]) for name in ("answers", "line", "refutation")}
    return Problem(**{**row, **lines, "why": why})
