"""Common parts of all suites: files of positions with known answers, recognised by their keys, and a check's totals."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from shogi_engine.common.files import json_of
from shogi_engine.common.text import read_text
from shogi_engine.engine import Engine
from shogi_engine.types.limits import Limit

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
        found = next((name for name in KINDS if rows and has_kind(rows[0], name)), kind)
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


def has_kind(row: Row, kind: str) -> bool:
    """Tell whether a position has the keys of a `kind` of suite."""
    return any(keys <= row.keys() for keys in KINDS[kind])


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
