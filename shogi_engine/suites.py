"""Files of positions with known answers, read and checked: perft counts, mates, endgame scores; and the bench.

{"positions": [POSITION, ...]}; a POSITION is an object with these keys:

Perft    Shogi:   "sfen": ..., "nodes": {"1": 30, "2": 900, ...}
         Othello: "id": ..., "board": 64 of X O -, "side": X or O, "mode1": [d1, d2, ...], "mode2": [...]
         In mode 1 a pass is a ply, in mode 2 it is free.
Mates    "sfen": ..., "mate": N, the plies of the shortest mate by checks, counting every legal defence including
         useless interpositions; 0 if there is no such mate; -1 for a mate of unknown length.
Endings  "id": ..., "board": 64 of X O -, "side": X or O, "score": discs, "best": [moves]
         A position passes if the score is equal and the move found is one of the best.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from shogi_engine import games
from shogi_engine.common.files import json_of
from shogi_engine.common.text import read_text
from shogi_engine.engine import Engine
from shogi_engine.games.othello.endgame.solver import Solver
from shogi_engine.games.othello.notation import format_move, parse_move, parse_obf
from shogi_engine.games.shogi.mate.solver import MateSolver, line_texts
from shogi_engine.games.shogi.sfen import parse_sfen
from shogi_engine.interface.game import Game
from shogi_engine.perft import Perft, perft
from shogi_engine.types.limits import Limit
from shogi_engine.types.results import ForcedWin

# ---- The bench: fixed positions at a fixed depth with one thread. The number of nodes is the search's signature
#
# It is the same on every machine and in every run. A commit that changes it changes the engine's play.


HASH_MB = 16

# By game: the depth, and positions as (notation, moves): openings, middlegames, a king under attack, an endgame.
POSITIONS: dict[str, tuple[int, tuple[tuple[str, str], ...]]] = {
    "shogi": (
        8,
        (
            ("", ""),
            ("", "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d"),
            ("", "7g7f 8c8d 2h6h 7a6b 5i4h 5a4b 4h3h 4b3b 3h2h 6a5b 3i3h 5c5d"),
            ("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", ""),
            ("l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1", ""),
            ("8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124", ""),
        ),
    ),
    "othello": (
        12,
        (
            ("", ""),
            ("------------------O-OX----XOOX---XXXOX----XOOO------------------ X", ""),
            ("--OOO-----XOXX----XXOX-----XXO---OOXXXXX--OX-XX---XXO----------- X", ""),
            ("---X----O-XX----OOOXOO-OOOXXXXOOOXXOOOOOXXXOOOX---XXXX---XXXXXX- X", ""),
        ),
    ),
}


@dataclass(frozen=True)
class BenchResult:
    """Nodes and seconds of one game's positions."""

    nodes: int
    seconds: float


def bench(name: str, progress: Callable[[int, int], None] | None = None) -> BenchResult:
    """Search the positions of the game `name`, each with an empty table. Raises ValueError if the game has no bench.

    `progress(done, all)` is called after each position. The seconds do not include compiling.
    """
    if name not in POSITIONS:
        raise ValueError(f"there is no bench for {name!r}; only for {', '.join(POSITIONS)}")
    depth, positions = POSITIONS[name]
    nodes, seconds = 0, 0.0
    with Engine(name, hash_mb=HASH_MB) as engine:
        engine.warmup()
        for done, (text, moves) in enumerate(positions, 1):
            board = engine.board(text, moves.split())
            engine.new_game()
            found = engine.analyse(board, Limit(depth=depth))
            nodes += found["nodes"]
            seconds += found["time"]
            if progress:
                progress(done, len(positions))
    return BenchResult(nodes, seconds)


# ---- Suites: recognised by their keys, and a check's totals


Row = dict[str, Any]
Case = TypeVar("Case")

# The keys of a position in each kind of suite; it has at least one of these sets.
KINDS: dict[str, tuple[frozenset[str], ...]] = {
    "perft counts": (frozenset({"sfen", "nodes"}), frozenset({"board", "mode1"}), frozenset({"board", "mode2"})),
    "mate problems": (frozenset({"sfen", "mate"}),),
    "Othello endings": (frozenset({"board", "score"}),),
}


@dataclass(frozen=True)
class Checked:
    """The result for one position.

    Attributes:
        failure: what is wrong, None if nothing is wrong
        skipped: whether nothing was checked
        row: the position's JSON
    """

    nodes: int
    seconds: float
    row: Row
    failure: str | None = None
    skipped: bool = False


@dataclass
class SuiteResult:
    """The totals of a suite: `results` has the JSON of each position, `failures` a text for each failed one."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    nodes: int = 0
    seconds: float = 0.0
    results: list[Row] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, answer: Checked) -> None:
        """Add the result of one position."""
        self.nodes += answer.nodes
        self.seconds += answer.seconds
        self.results.append(answer.row)
        if answer.failure is not None:
            self.failed += 1
            self.failures.append(answer.failure)
        elif answer.skipped:
            self.skipped += 1
        else:
            self.passed += 1

    def values(self) -> dict[str, Any]:
        """Return the totals and results for JSON."""
        return {name: value for name, value in vars(self).items() if name != "failures"}

    def summary(self) -> str:
        """Return the totals as text."""
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        counts = f"{self.passed} passed, {self.failed} failed{skipped}"
        return f"{counts}; {self.nodes} nodes, {self.seconds:.3f} s"


def read_suite(path: str, kind: str, read_row: Callable[[int, Row], Case]) -> list[Case]:
    """Return `read_row(number, row)` for each position, numbered from 1, of the suite in the file `path`.

    Raises OSError, or ValueError that says of what other kind the file is or what is wrong with it.

    Args:
        kind: one of KINDS
    """
    text = read_text(path)
    try:
        rows = json_of(text)["positions"]
        found = next((name for name in KINDS if rows and any(keys <= rows[0].keys() for keys in KINDS[name])), kind)
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as fault:
        raise ValueError(f"{path} is not a suite of {kind}: {type(fault).__name__} {fault}") from None
    if found != kind:
        raise ValueError(f"{path} is a suite of {found}, not of {kind}")
    cases = []
    for number, row in enumerate(rows, 1):
        try:
            cases.append(read_row(number, row))
        except (KeyError, TypeError, AttributeError) as fault:
            raise ValueError(
                f"{path} is not a suite of {kind}: position {number}: {type(fault).__name__} {fault}"
            ) from None
        except ValueError as fault:
            raise ValueError(f"{path}: position {number}: {fault}") from None
    return cases


def check_all(
    cases: list[Case], check: Callable[[Case], Checked], progress: Callable[[int, int], None] | None = None
) -> SuiteResult:
    """Check the `cases` one after another and return the totals; progress(done, all) is called after each."""
    outcome = SuiteResult()
    for done, case in enumerate(cases, 1):
        outcome.add(check(case))
        if progress:
            progress(done, len(cases))
    return outcome


# ---- Endings with exact scores


@dataclass(frozen=True)
class Endgame:
    """A position with its exact score and the moves (encoded) that reach it."""

    id: str
    position: Any
    score: int
    best: tuple[int, ...]


def read_endgame(path: str) -> list[Endgame]:
    """Return the endgames of a file. Raises ValueError, OSError if it cannot be read as such a suite."""
    return read_suite(path, "Othello endings", _ending)


def _ending(number: int, row: Row) -> Endgame:
    position = parse_obf(f"{row['board']} {row['side']}")
    best = tuple(parse_move(position, move) for move in row["best"])
    return Endgame(str(row.get("id", number)), position, int(row["score"]), best)


def check_endgame(
    endings: list[Endgame], solver: Solver, progress: Callable[[int, int], None] | None = None
) -> SuiteResult:
    """Solve all `endings`, each with an empty table; progress(done, all) is called after each."""

    def check_one(ending: Endgame) -> Checked:
        solver.clear()
        solved = solver.solve(ending.position)
        move = format_move(ending.position, solved.move) if solved.move else None
        row = {"id": ending.id, "score": solved.score, "move": move, "nodes": solved.nodes, "seconds": solved.seconds}
        failure = None
        if solved.score != ending.score or (ending.best and solved.move not in ending.best):
            best = ", ".join(format_move(ending.position, each) for each in ending.best)
            failure = f"{ending.id}: {solved.score} {move}, not {ending.score} {best}"
        return Checked(solved.nodes, solved.seconds, row, failure)

    return check_all(endings, check_one, progress)


# ---- Mate problems solved one after another, in threads or on a cluster: each problem is a job


Found = tuple[ForcedWin[int], tuple[tuple[int, ...], ...]]  # a mate, and the lines of other first moves


@dataclass(frozen=True)
class MateRequest:
    """A problem to solve.

    Attributes:
        number: its index
        shortest, every, tsume: see MateSolver.solve and `tsume`
    """

    number: int
    sfen: str
    shortest: bool = False
    every: bool = False
    tsume: bool = False


def answer(
    solver: MateSolver, question: MateRequest, max_ms: float, progress: Callable[[int, float], None] | None = None
) -> Found:
    """Return the result within `max_ms`. Raises ValueError for an invalid position or one without a king to mate."""
    position = parse_sfen(question.sfen)
    if not question.tsume:
        found = solver.solve(
            position, max_ms=max_ms, shortest=question.shortest, every=question.every, progress=progress
        )
        return found, found.solutions[1:]
    found = solver.tsume(position, max_ms=max_ms, progress=progress)
    if not question.every or not found:
        return found, ()
    left = max(max_ms - 1000 * found.seconds, 1.0)
    others = solver.solve(position, max_ms=left, shortest=True, every=True, keep=True, progress=progress)
    return found, tuple(line for line in others.solutions if line[0] != found.moves[0])


@dataclass(frozen=True)
class MateMaker:
    """Makes workers with a solver each.

    Attributes:
        max_ms: the time limit for each problem
    """

    hash_mb: int
    max_ms: float

    def __call__(self) -> "MateWorker":
        """Return a worker."""
        return MateWorker(self)


class MateWorker:
    """Solves problems."""

    def __init__(self, plan: MateMaker) -> None:
        self._solver, self._max_ms = MateSolver(plan.hash_mb), plan.max_ms
        self._solver.warmup(solutions=True)

    def do(self, question: MateRequest) -> Found:
        """Return the result for a problem."""
        return answer(self._solver, question, self._max_ms)

    def close(self) -> None:
        """Stop the search."""
        self._solver.stop()


@dataclass(frozen=True)
class MateCase:
    """One problem with its published answer."""

    sfen: str
    mate: int


def read_mate(path: str) -> list[MateCase]:
    """Return the problems of a file. Raises ValueError, OSError if it cannot be read as such a suite."""
    return read_suite(path, "mate problems", lambda number, row: MateCase(row["sfen"], int(row["mate"])))


def plain_sfen(text: str) -> str:
    """Return the SFEN in `text`, which may begin like USI's position command."""
    return text.removeprefix("sfen ").removeprefix("position sfen ")


def values(position: Any, found: ForcedWin[int]) -> Row:
    """Return a mate search's result for JSON: length is null if nothing is proven, 0 for no mate."""
    row: Row = {
        "result": found.result,
        "moves": line_texts(position, found.moves),
        "length": None if found.result == "timeout" else found.length,
        "nodes": found.nodes,
        "seconds": found.seconds,
    }
    if found.shortest is not None:
        row["shortest"] = found.shortest
    return row


def questions(problems: list[MateCase]) -> list[MateRequest]:
    """Return the problems as jobs; the shortest mate is requested if its length is known."""
    return [
        MateRequest(number, plain_sfen(problem.sfen), shortest=problem.mate > 0)
        for number, problem in enumerate(problems)
    ]


def check_mate(
    problems: list[MateCase], found: Iterable[Found], progress: Callable[[int, int], None] | None = None
) -> SuiteResult:
    """Compare the results, each found with empty tables, with the file's answers.

    If the file gives a length, the mate must have that length; otherwise any mate passes.
    """
    results = iter(found)

    def check_one(problem: MateCase) -> Checked:
        found, _ = next(results)
        failure = None
        expected = "nomate" if problem.mate == 0 else "mate"
        if found.result != expected or (problem.mate > 0 and found.length != problem.mate):
            answer = f"{found.result} {found.length}" if found.result == "mate" else found.result
            failure = f"{problem.sfen}: {answer}, not {problem.mate}"
        row = {"sfen": problem.sfen, **values(parse_sfen(plain_sfen(problem.sfen)), found)}
        return Checked(found.nodes, found.seconds, row, failure)

    return check_all(problems, check_one, progress)


# ---- Perft counts


@dataclass(frozen=True)
class Count:
    """One published count."""

    depth: int
    nodes: int
    free_pass: bool = False


@dataclass(frozen=True)
class PerftCase:
    """A position of a suite with its counts, smallest first."""

    game: str
    position: str
    counts: list[Count]


def read_perft(path: str) -> tuple[Game, list[PerftCase]]:
    """Return the game and the cases of a suite. Raises ValueError, OSError if the file is not a perft suite."""
    cases = read_suite(path, "perft counts", _case)
    names = {case.game for case in cases} or {"shogi"}
    if len(names) > 1:
        raise ValueError(f"{path} has positions of several games: {', '.join(sorted(names))}")
    return games.load(names.pop()), cases


def _case(number: int, row: Row) -> PerftCase:
    if "board" in row:
        counts = sorted(_modes(row), key=lambda count: count.nodes)
        return PerftCase("othello", f"{row['board']} {row['side']}", counts)
    return PerftCase("shogi", row["sfen"], [Count(int(depth), int(nodes)) for depth, nodes in row["nodes"].items()])


def _modes(row: Row) -> Iterator[Count]:
    for mode, free_pass in (("mode1", False), ("mode2", True)):
        for depth, nodes in enumerate(row.get(mode, ()), 1):
            yield Count(depth, int(nodes), free_pass)


def check_perft(
    game: Game,
    cases: list[PerftCase],
    *,
    max_nodes: int | None = None,
    bulk: bool = True,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> SuiteResult:
    """Count all `cases`; `progress(done, all)` is called after each.

    Counts above `max_nodes` are skipped, and so is a position without other counts. A failure contains the divide.
    """

    def check_one(case: PerftCase) -> Checked:
        counts = [count for count in case.counts if max_nodes is None or count.nodes <= max_nodes]
        position = game.parse_position(case.position)
        nodes, seconds, failure = 0, 0.0, None
        for count in counts:
            result = perft(game, position, count.depth, bulk=bulk, threads=threads, free_pass=count.free_pass)
            nodes += result.nodes
            seconds += result.seconds
            if result.nodes != count.nodes:
                failure = difference(case, count, result)
                break
        row = {"position": case.position, "passed": failure is None, "nodes": nodes, "seconds": seconds}
        return Checked(nodes, seconds, row, failure, skipped=not counts)

    return check_all(cases, check_one, progress)


def difference(case: PerftCase, count: Count, result: Perft) -> str:
    """Return how `result` differs from the published `count`, with the divide."""
    divide = "".join(f"\n  {move}: {nodes}" for move, nodes in result.divide.items())
    what = f"depth {count.depth}{' (free pass)' if count.free_pass else ''}"
    return f"{case.position} {what}: {result.nodes}, not {count.nodes}{divide}"
