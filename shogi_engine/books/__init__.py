"""Makes, extends, shows and converts opening books of any game; one file per game adds the rest.

    growth = Growth(load("othello"), Settings(depth=8, width=3, margin=100, max_ply=10))
    growth.grow(200, searches)

The next position searched is always the one that both sides are most likely to reach from the start. Each move costs a
fixed amount for its ply, plus how much worse it is than the best move. Positions on given lines cost nothing, like the
start. Each position is searched for its best few moves from an empty table, limited by nodes or depth. So a book
depends only on the settings and the lines, not on the threads or on interruptions. The written values are those of the
last positions reached, backed up through the book (negamax).

Engines look up books in the games' own packages (`games.shogi.book`, `games.othello.book`).
"""

import heapq
import importlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine import games
from shogi_engine.common.files import LineFile, json_of
from shogi_engine.common.text import read_text
from shogi_engine.common.threads import results_on_threads
from shogi_engine.interface.extras import BookMove, distinct
from shogi_engine.interface.game import VALUE_MATE_IN_MAX, Game, do_move
from shogi_engine.jit import new_record
from shogi_engine.language import InputError
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Limits

# ---- A game's part in making books: one file per game, whose `RECIPE` defines the keys of positions
#
# A book identifies a position by its key, a text that the game's `parse_position` reads. Positions that are the same up
# to rotation, reflection or exchanged colours (images) share one key.


Entries = dict[str, list[BookMove]]  # by key


@dataclass(frozen=True)
class Defaults:
    """A game's defaults for searching positions and keeping moves.

    Attributes:
        limit: 'nodes' or 'depth', and its amount
        multi_probcut_margin: as in search.timeman.Limits
        width: moves searched per position
        margin: how much worse than the best a kept move may be, in the game's unit
        max_ply: plies of the last positions from the start
        ply_cost: how much better a line has to be to be followed one ply further than another
    """

    limit: tuple[str, int]
    width: int
    margin: int
    max_ply: int
    ply_cost: int
    multi_probcut_margin: int | None = None


@dataclass(frozen=True)
class BookRecipe:
    """A game's books.

    Attributes:
        unit: value of the unit shown to people (Shogi: a centipawn, 1; Othello: a disc, 100)
        canonical: `canonical(text)` returns (key, image) of any position in the game's notation; raises ValueError
        turned: `turned(move, image, back)` converts a move of the position to one of its key, or back
        read: `read(path, notes)` returns Entries from the game's own format or another, and adds what it passed over
            to the notes; raises book.BookError
        write: `write(entries)` returns them in the game's own format
        sources: what `read` reads
        gzip: files ending in .gz are compressed; `read` unpacks them
    """

    game_name: str
    defaults: Defaults
    unit: int
    unit_name: str
    canonical: Callable[[str], tuple[str, int]]
    turned: Callable[[str, int, bool], str]
    read: Callable[[Path, list[str]], Entries]
    write: Callable[[Entries], str]
    sources: str
    gzip: bool = False

    @property
    def game(self) -> Game:
        """The game."""
        return games.load(self.game_name)


def load(name: str) -> BookRecipe:
    """Return the recipe of a game. Raises ValueError, listing the known games, if it has none."""
    if name not in games.NAMES:
        raise ValueError(f"book: {name!r} has no books; there are books for {', '.join(games.NAMES)}")
    recipe: BookRecipe = importlib.import_module(f"shogi_engine.books.{name}").RECIPE
    return recipe


def merged(books: list[Entries]) -> Entries:
    """Merge books. Of a move that several books have, the deepest search is kept; of equal depths, the first."""
    result: Entries = {}
    for book in books:
        for key, moves in book.items():
            result[key] = distinct([*result.get(key, ()), *moves])
    return result


# ---- The file of a run that makes a book: JSON lines, first the settings, then one for each position and each given
# line
#
# {"nodes": 40000, "width": 3, "margin": 50, "max_ply": 24}
#     {"line": "a name", "start": "", "moves": ["7g7f", "3c3d"]}
#     {"position": KEY, "moves": [{"move": "7g7f", "ponder": "3c3d", "value": 35, "depth": 12}]}
#
# Positions are written as they are searched. An interrupted run continues; an incomplete last line is removed.


DOUBTFUL = "?"
Found = list[dict[str, Any]]  # a position's moves, best first: move, ponder, value, depth


@dataclass(frozen=True)
class RunLine:
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
        self.lines: list[RunLine] = []
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
            self.lines.append(RunLine(line["line"], tuple(line["moves"]), line["start"]))
        else:
            self.known[line["position"]] = line["moves"]

    def add(self, key: str, moves: Found) -> None:
        """Add a searched position."""
        self._file.write_line(_line({"position": key, "moves": moves}))
        self.known[key] = moves

    def add_lines(self, lines: Iterable[RunLine]) -> int:
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


def read_lines(path: Path) -> list[RunLine]:
    """Return the lines of a file: `name: moves`, # for comments. Raises ValueError naming the line, OSError."""
    found = []
    for number, text in enumerate(read_text(path).splitlines(), 1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        name, colon, moves = text.rpartition(":")
        if not colon or not moves.split():
            raise ValueError(f"{path}, line {number}: a line is written 'name: moves'")
        found.append(RunLine(name.strip(), tuple(moves.split())))
    return found


BATCH = 4  # positions taken from the queue at a time, at most, for any number of threads
HASH_MB = 16
UNSEARCHED = -1000  # the value of a line's move that leads to an unsearched position
TIMEOUT = 5.0  # timeout in seconds for searches that are no longer needed


class Searches:
    """Searches positions on `threads` threads, at most BATCH.

    Args:
        settings: those of a run, see `run_settings`
    """

    def __init__(self, recipe: BookRecipe, settings: dict[str, Any], threads: int = 1) -> None:
        self.game, self._settings = recipe.game, settings
        self._threads = min(threads, BATCH)
        self._searchers = [Searcher(self.game, hash_mb=HASH_MB) for _ in range(self._threads)]

    def __call__(self, keys: Sequence[str]) -> dict[str, Found]:
        """Return the best moves of each position, by key."""

        def worker(index: int) -> Callable[[str], Found]:
            return lambda key: self._search(self._searchers[index], key)

        return dict(results_on_threads(worker, keys, self._threads, "book", self._stop, TIMEOUT))

    def warmup(self) -> None:
        """Compile the search or load it from the cache."""
        self._searchers[0].warmup()

    def _stop(self) -> None:
        for searcher in self._searchers:
            searcher.stop()

    def _search(self, searcher: Searcher, key: str) -> Found:
        """Return the best moves of a position, best first, without those that end the game by force."""
        game, settings = self.game, self._settings
        searcher.new_game()
        limits = Limits(
            nodes=settings.get("nodes"),
            depth=settings.get("depth"),
            multi_probcut_margin=settings.get("multi_probcut_margin"),
            multipv=settings["width"],
        )
        result = searcher.search(game.parse_position(key), (), limits)
        moves = []
        for info in result.infos:
            undo, position, texts = new_record(game.undo), game.parse_position(key), []
            for move in info.pv[:2]:
                texts.append(game.format_move(position, move))
                do_move(position, np.uint32(move), undo)
            if texts and abs(info.score) < VALUE_MATE_IN_MAX:
                ponder = "".join(texts[1:2])
                moves.append({"move": texts[0], "ponder": ponder, "value": info.score, "depth": info.depth})
        return sorted(moves, key=lambda each: -each["value"])


def run_settings(recipe: BookRecipe, **given: int | None) -> dict[str, Any]:
    """Return a run's settings: nodes or depth, width, margin, max_ply; None means the recipe's default."""
    defaults = recipe.defaults
    limit = {name: value for name in ("nodes", "depth") if (value := given.get(name)) is not None}
    settings: dict[str, Any] = limit or dict([defaults.limit])
    if defaults.multi_probcut_margin is not None:
        settings["multi_probcut_margin"] = defaults.multi_probcut_margin
    for name in ("width", "margin", "max_ply"):
        value = given.get(name)
        settings[name] = getattr(defaults, name) if value is None else value
    return settings


class Growth:
    """The queue of positions to search, and the searched ones.

    Args:
        settings: the settings of a run
        lines: lines to include
    """

    def __init__(self, recipe: BookRecipe, settings: dict[str, Any], lines: Iterable[RunLine] = ()) -> None:
        self.recipe, self.game = recipe, recipe.game
        self._margin, self._max_ply = settings["margin"], settings["max_ply"]
        self.found: dict[str, Found] = {}
        self._ply: dict[str, int] = {}
        self._given: dict[str, dict[str, int]] = {}  # by key: the moves of the lines, and how many lines recommend each
        self._children: dict[tuple[str, str], tuple[str, int]] = {}
        start, _ = recipe.canonical(self.game.start)
        self._queue: list[tuple[int, int, str]] = [(0, 0, start)]
        for line in lines:
            self._give(line)

    def _give(self, line: RunLine) -> None:
        """Queue the positions of a line. Raises ValueError naming an illegal move."""
        game = self.game
        position, undo = game.parse_position(line.start or game.start), new_record(game.undo)
        key, image = self.recipe.canonical(game.format_position(position))
        if line.start:
            heapq.heappush(self._queue, (0, 0, key))
        for ply, written in enumerate(line.moves, 1):
            move = written.removesuffix(DOUBTFUL)
            try:
                encoded = game.parse_move(position, move)
            except ValueError as fault:
                raise InputError("{0}: move {1}: {2}", line.name or "a line", ply, fault) from None
            turned = self.recipe.turned(move, image, False)
            given = self._given.setdefault(key, {})
            given[turned] = given.get(turned, 0) + (move == written)
            do_move(position, np.uint32(encoded), undo)
            key, image = self.recipe.canonical(game.format_position(position))
            heapq.heappush(self._queue, (0, ply, key))

    def _after(self, key: str, move: str) -> tuple[str, int]:
        """Return the key of the position after a move of `key`, and its image. Raises ValueError if it is illegal."""
        known = self._children.get((key, move))
        if known is None:
            position = self.game.parse_position(key)
            do_move(position, np.uint32(self.game.parse_move(position, move)), new_record(self.game.undo))
            known = self._children[key, move] = self.recipe.canonical(self.game.format_position(position))
        return known

    def _next(self, count: int) -> list[tuple[int, int, str]]:
        """Return (cost, ply, key) of up to `count` positions not taken yet, likeliest first."""
        taken: list[tuple[int, int, str]] = []
        while self._queue and len(taken) < count:
            cost, ply, key = heapq.heappop(self._queue)
            if key not in self._ply:
                self._ply[key] = ply
                taken.append((cost, ply, key))
        return taken

    def _add(self, cost: int, ply: int, key: str, moves: Found) -> None:
        """Add a searched position's moves, and queue the positions they lead to."""
        kept = [each for each in moves if each["value"] >= moves[0]["value"] - self._margin]
        self.found[key] = kept
        for each in kept if ply < self._max_ply else ():
            child, _ = self._after(key, each["move"])
            loss = moves[0]["value"] - each["value"]
            heapq.heappush(self._queue, (cost + self.recipe.defaults.ply_cost + loss, ply + 1, child))

    def grow(
        self,
        run: RunFile,
        searches: Callable[[Sequence[str]], dict[str, Found]],
        *,
        positions: int | None = None,
        more: int = 0,
        progress: Callable[[], None] | None = None,
    ) -> None:
        """Search until the book has `positions` positions, or `more` beyond all that the run knows.

        Args:
            progress: called after each searched position
        """
        searched = 0
        while (left := more - searched if positions is None else positions - len(self.found)) > 0:
            batch = self._next(min(BATCH, left))
            if not batch:
                break
            missing = [key for _, _, key in batch if key not in run.known]
            results = searches(missing) if missing else {}
            for cost, ply, key in batch:
                if key in results:
                    run.add(key, results[key])
                    searched += 1
                    if progress:
                        progress()
                self._add(cost, ply, key, run.known[key])
        if positions is None:
            self.recall(run)

    def unsearched_lines(self, run: RunFile) -> int:
        """Return the number of positions on the lines (including the start) that the run does not know."""
        return len({key for cost, _, key in self._queue if cost == 0} - run.known.keys())

    def recall(self, run: RunFile) -> None:
        """Add all reachable positions that the run knows, without a search."""
        while batch := self._next(1):
            cost, ply, key = batch[0]
            if key in run.known:
                self._add(cost, ply, key, run.known[key])
            else:
                del self._ply[key]

    def entries(self) -> Entries:
        """Return the book with values backed up from the deepest positions; counts are those of the lines."""
        book: Entries = {}
        for key in sorted(self.found, key=lambda each: -self._ply[each]):
            found = self.found[key]
            given = self._given.get(key, {})
            moves = [
                BookMove(each["move"], each["ponder"], each["value"], each["depth"], given.get(each["move"], 0))
                for each in found
            ]
            there = {each.move for each in moves}
            moves += [BookMove(move, "", UNSEARCHED, 0, count) for move, count in given.items() if move not in there]
            moves = [self._answered(book, key, move) for move in moves]
            if moves:
                top = max(move.worth for move in moves)
                book[key] = [move for move in moves if move.worth >= top - self._margin or move.move in given]
        return book

    def _answered(self, book: Entries, key: str, move: BookMove) -> BookMove:
        """Return a move with the value of the position it leads to, if that is in the book."""
        child, image = self._after(key, move.move)
        answers = book.get(child)
        if not answers or self._ply[child] <= self._ply[key]:
            return move
        best = max(answers, key=lambda answer: answer.worth)
        reply = self.recipe.turned(best.move, image, True)
        return replace(move, value=-best.worth, ponder=reply, depth=best.depth + 1)
