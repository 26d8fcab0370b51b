"""Analyst: searches the positions of games in several threads and judges the moves."""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from shogi_engine.analysis import judgement
from shogi_engine.analysis.judgement import GameAnalysis, MoveAnalysis, PositionResult
from shogi_engine.common.files import json_of, write_whole
from shogi_engine.engine import Engine
from shogi_engine.jobs import Pool
from shogi_engine.language import InputError
from shogi_engine.records import GameRecord
from shogi_engine.search.forced_win import ForcedWinSolver
from shogi_engine.tsume import best_defence
from shogi_engine.types.limits import Limit
from shogi_engine.types.outcomes import Fact
from shogi_engine.types.results import ForcedWin, Info, Score

HASH_MB = 16  # per thread; the table is cleared before each position, so that results do not depend on other positions
MATE_MB = 16
MATE_PLIES = 9  # mates by checks up to this length are searched with MATE_NODES
MATE_NODES = 1_000_000
LONG_MATE_NODES = 100_000  # the node limit for longer mates
# The default limit of a position: a game then takes about a minute on one core.
NODES = 300_000  # for a position, in games without DEFAULTS
DEFAULTS: dict[str, dict[str, int]] = {"othello": {"level": 14}}
LIMITS = ("nodes", "movetime", "depth", "level")

Key = tuple[int, int]  # the number of a game, from 0, and the ply
OnPosition = Callable[[Key, PositionResult], None]


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def limits_for(game: str, given: Mapping[str, int | None]) -> dict[str, Any]:
    """Return the limits of a search of `game`: the given ones, or DEFAULTS, or NODES.

    Raises ValueError for a level in Shogi, where levels only make the engine weaker.
    """
    limits = {name: value for name in LIMITS if (value := given.get(name)) is not None}
    if "level" in limits and game != "othello":
        raise InputError("analysis: levels are for othello; for {0} give nodes, depth or movetime", game)
    return limits or dict(DEFAULTS.get(game, {"nodes": NODES}))


@dataclass(frozen=True)
class Hint:
    """A move of a position and its value for the side to move.

    Attributes:
        value: centipawns, discs, or the plies to a mate; negative if the side to move is behind
        chance: the chance to win, 0 to 1
        depth: the depth in plies
        exact: whether the value is proven
        pv: the best line, beginning with `move`
    """

    move: str
    score: Score
    chance: float
    depth: int
    exact: bool
    pv: tuple[str, ...]

    @property
    def value(self) -> float:
        """The number in `score`."""
        (number,) = self.score.values().values()
        return float(number or 0)


def hints(engine: Engine, board: Any, count: int | None = None, **limits: Any) -> list[Hint]:
    """Return all moves of a Board's position, or the best `count`, with their values, best first.

    In Othello with a `level`, the values are exact if a player of this level solves the position.

    Args:
        limits: as in `limits_for`
    """
    limit, moves = Limit.of(**limits), len(board.legal_moves)
    if not moves:
        return []
    exact = limit.level is not None and engine.check_level(limit.level, board).exact
    lines = engine.analyse(board, limit, multipv=moves if count is None else min(count, moves))
    return [_hint(line["score"], line, exact) for line in lines]


def _hint(score: Score, line: Info[Any], exact: bool) -> Hint:
    pv = tuple(map(str, line.pv))
    return Hint(pv[0], score, score.chance(), line["depth"], exact or line.exact, pv)


class PositionAnalyser:
    """One thread's engine and solver of mates for one game."""

    def __init__(self, game: str, limits: Mapping[str, Any], hash_mb: int = HASH_MB) -> None:
        self.engine = Engine(game, hash_mb=hash_mb)
        self._limit = Limit.of(**limits)
        if self._limit.level is not None:
            self.engine.check_level(self._limit.level)
        make_solver = self.engine.game.extras.mate_solver
        self._solver: ForcedWinSolver | None = make_solver(hash_mb=MATE_MB) if make_solver else None
        self._last: tuple[GameRecord | None, Any] = None, None  # whose position was analysed last, as a Board

    def warmup(self) -> None:
        """Compile, or load from the cache, the kernels that `examine` needs."""
        self.engine.warmup()
        if self._solver:
            self._solver.warmup()

    def stop(self) -> None:
        """End a running search at once."""
        self.engine.stop()
        if self._solver:
            self._solver.stop()

    def examine(self, record: GameRecord, ply: int) -> PositionResult:
        """Return the finding for the position after `ply` moves of the game. Raises ValueError for illegal moves."""
        moves, board = record.moves, self._board(record, ply)
        if ply == len(moves) and (over := _outcome(record.game, board)) is not None:
            return over
        won = self._mate(board)
        if won:
            line = tuple(map(str, board.line_of(won.moves)))
            kept = self._played_mate(board, moves[ply], line) if ply < len(moves) else 0
            return PositionResult(
                line[0], Score.mate_in(won.length), line, won.length, won.nodes, True, won.length, kept
            )
        self.engine.new_game()
        level = self._limit.level
        exact = level is not None and self.engine.check_level(level, board).exact
        found = self.engine.analyse(board, self._limit)
        line = tuple(map(str, found.pv))
        return PositionResult(line[0], found["score"], line, found["depth"], found["nodes"], exact)

    def _board(self, record: GameRecord, ply: int) -> Any:
        """Return the position after `ply` moves of a game, which is mostly the one after the last analysed."""
        last, board = self._last
        if last is not record or len(board.move_stack) > ply:
            board = record.board(0)
        self._last = record, board
        made = len(board.move_stack)
        for number, move in enumerate(record.moves[made:ply], made + 1):
            try:
                board.push_text(move)
            except ValueError as fault:
                raise InputError("move {0}: {1}", number, fault) from None
        return board

    def _mate(self, board: Any) -> ForcedWin[int] | None:
        """Return a mate by checks in a Board's position, or None. A short mate is proven to be the shortest."""
        if self._solver is None:
            return None
        try:
            found = self._solver.solve(board.state, nodes=MATE_NODES, limit=MATE_PLIES, shortest=True)
            if not found:
                found = self._solver.solve(board.state, nodes=LONG_MATE_NODES)
        except ValueError:  # there is no king to mate
            return None
        return found if found and found.moves else None

    def _played_mate(self, board: Any, played: str, line: Sequence[str]) -> int:
        """Return the length in plies of the mate by checks that begins with the move `played`, 0 for none.

        Args:
            line: the mate found; if `played` is not its first move, all replies to `played` must also lead to mate
        """
        if played == line[0]:
            return len(line)
        after = board.copy()
        after.push_text(played)
        if not after.is_check():
            return 0
        _, left = best_defence(self.engine, after, find=self._mate)
        return left + 2 if left else 0


def _outcome(game: str, board: Any) -> PositionResult | None:
    """Return the value of a position if the game is over there by the rules."""
    outcome = board.outcome()
    if outcome is None:
        return None
    if game == "othello":
        return PositionResult("", Score.discs(outcome.score if board.turn == 0 else -outcome.score), exact=True)
    if outcome.winner is None:
        return PositionResult("", Score(0), exact=True)
    return PositionResult("", Score.mate_in(0) if outcome.winner == board.turn else Score.mated_in(0), exact=True)


EFFORTS: dict[str, dict[str, dict[str, int]]] = {  # limits of a position while a person waits
    "shogi": {"quick": {"nodes": 15_000}, "normal": {"nodes": 100_000}, "deep": {"nodes": 500_000}},
    "othello": {"quick": {"level": 6}, "normal": {"level": 10}, "deep": {"level": 14}},
}
COACH_EFFORT = "normal"


class Blunder(NamedTuple):
    """A blunder, and what is known of it that does not give the better move away."""

    move: MoveAnalysis
    facts: tuple[Fact, ...]


def last_blunder(examiner: PositionAnalyser, record: GameRecord) -> Blunder | None:
    """Judge the last move of a game, as a coach does after each; None if it is no blunder."""
    moves = record.moves
    if not moves or moves[-1] == judgement.PASS:
        return None
    before = len(moves) - 1
    findings = {ply: examiner.examine(record, ply) for ply in (before, before + 1)}
    judged = judgement.judge_ply(record, moves, before, findings)
    if judged.verdict != "blunder":
        return None
    facts = judgement.facts_of(record.game, record.board(before), judged)
    return Blunder(judged, tuple(fact for fact in facts if fact.kind not in judgement.MISSED))


Game = tuple[str, str, tuple[str, ...]]  # a game's name, its start and its moves


class ExaminingWorker:
    """Examines positions of some games; an item is the key of a position."""

    def __init__(self, plan: "Examination") -> None:
        self._plan = plan
        self._examiners: dict[str, PositionAnalyser] = {}
        self._records: dict[int, GameRecord] = {}

    def examiner(self, game: str) -> PositionAnalyser:
        """Return the examiner of a game, made when first needed."""
        if game not in self._examiners:
            plan = self._plan
            self._examiners[game] = PositionAnalyser(game, limits_for(game, dict(plan.limits)), plan.hash_mb)
        return self._examiners[game]

    def do(self, key: Key) -> PositionResult:
        """Return the finding for a position."""
        number, ply = key
        if number not in self._records:
            name, start, moves = self._plan.games[number]
            self._records = {number: GameRecord.from_moves(name, moves, start=start)}
        record = self._records[number]
        return self.examiner(record.game).examine(record, ply)

    def close(self) -> None:
        """End a running search at once."""
        for examiner in list(self._examiners.values()):
            examiner.stop()


@dataclass(frozen=True)
class Examination:
    """Makes the workers that examine the positions of some games.

    Attributes:
        limits: pairs (name, value), as in `limits_for`
    """

    games: tuple[Game, ...]
    limits: tuple[tuple[str, int | None], ...]
    hash_mb: int

    def __call__(self) -> ExaminingWorker:
        """Return a worker."""
        return ExaminingWorker(self)


@dataclass
class Analyst:
    """Examines games in several threads, each with its own engine, or on a cluster.

    Attributes:
        limits: the limits for each position: nodes, movetime (ms), depth or level; if empty, those of `limits_for`
        hash_mb: the table size of each thread, in MB
        cluster: see `jobs.Pool`
        seconds: how long `run` took
        positions: the number of positions that `run` examined
    """

    threads: int = 1
    hash_mb: int = HASH_MB
    limits: Mapping[str, int | None] = field(default_factory=dict)
    cluster: str = ""
    seconds: float = 0.0
    positions: int = 0

    def _examination(self, played: Sequence[Game]) -> Examination:
        return Examination(tuple(played), tuple(sorted(self.limits.items())), self.hash_mb)

    def warmup(self, names: Sequence[str]) -> None:
        """Compile or load the kernels that these games need. Raises ValueError for wrong limits."""
        worker = ExaminingWorker(self._examination(()))
        for name in names:
            worker.examiner(name).warmup()

    def run(
        self,
        records: Sequence[GameRecord],
        known: Mapping[Key, PositionResult] | None = None,
        on_position: OnPosition | None = None,
    ) -> list[GameAnalysis]:
        """Return the judged games.

        An exception, including KeyboardInterrupt, ends all searches. Raises ValueError for an illegal move.

        Args:
            known: findings from an earlier run
            on_position: called in this thread with each new finding
        """
        findings: dict[Key, PositionResult] = dict(known or {})
        keys = [(number, ply) for number, record in enumerate(records) for ply in judgement.plies_to_examine(record)]
        todo = [key for key in keys if key not in findings]
        plan = self._examination([(record.game, record.start, tuple(record.moves)) for record in records])
        if not self.cluster:  # once, before the threads start
            self.warmup(sorted({records[number].game for number, _ in todo}))
        began = time.perf_counter()
        try:
            if todo:
                with Pool(plan, self.threads, self.cluster, name="analysis") as pool:
                    for key, found in pool.results(todo):
                        self.positions += 1
                        findings[key] = found
                        if on_position:
                            on_position(key, found)
        finally:
            self.seconds += time.perf_counter() - began
        by_game: list[dict[int, PositionResult]] = [{} for _ in records]
        for number, ply in keys:
            by_game[number][ply] = findings[number, ply]
        return [judgement.judge(record, found) for record, found in zip(records, by_game, strict=True)]


def analyse(
    record: GameRecord,
    *,
    threads: int = 1,
    hash_mb: int = HASH_MB,
    cluster: str = "",
    progress: Callable[[int, int], None] | None = None,
    **limits: int | None,
) -> GameAnalysis:
    """Return a game with every move judged.

    >>> from shogi_engine import records
    >>> game = analyse(records.load("game.kif")[0], nodes=100_000)  # doctest: +SKIP
    >>> [(move.ply, move.verdict, move.best) for move in game.blunders]  # doctest: +SKIP

    Args:
        threads: the number of threads
        hash_mb: the table size of each thread, in MB
        cluster: see `jobs.Pool`
        progress: called as `progress(done, all)` after each position
        limits: the limits for each position: nodes, movetime (ms), depth or level

    Raises:
        TypeError: the record is no GameRecord
        ValueError: a move is illegal, or a limit unknown
    """
    if not isinstance(record, GameRecord):
        raise TypeError(f"expected a GameRecord, not {record!r:.60}")
    if unknown := set(limits) - set(LIMITS):
        raise InputError("there is no limit {0}; there are {1}", ", ".join(sorted(unknown)), ", ".join(LIMITS))
    whole = len(judgement.plies_to_examine(record))
    done = 0

    def tell(key: Key, found: PositionResult) -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, whole)

    return Analyst(threads, hash_mb, limits, cluster).run([record], on_position=tell)[0]


# ---- Saves an analysis to a JSON file while it runs, so that an interrupted analysis can continue


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
        self._findings: dict[str, dict[int, PositionResult]] = {}
        self._games: list[dict[str, Any]] = []
        self._due = 0.0
        if self.path is not None and self.path.exists():
            self._read(self.path)
        examined = [set(judgement.plies_to_examine(record)) for record in records]
        self.known: dict[Key, PositionResult] = {
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

    def add(self, key: Key, found: PositionResult) -> None:
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


def finding_row(found: PositionResult) -> dict[str, Any]:
    """Return a finding for JSON."""
    return {**vars(found), "score": str(found.score)}


def finding_of(row: dict[str, Any]) -> PositionResult:
    """Return the inverse of `finding_row`. Raises ValueError for an invalid score."""
    return PositionResult(**{**row, "score": Score.parse(row["score"]), "pv": tuple(row["pv"])})
