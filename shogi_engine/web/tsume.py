"""Tsume: the user mates by checks, and the engine holds out as long as it can."""

import time
from dataclasses import dataclass, field
from typing import Any

from shogi_engine.tsume import problems
from shogi_engine.web.pool import Job
from shogi_engine.web.shared import Shared

PROVE_MS = 10_000  # for the problem
REPLY_MS = 4_000  # for each defence
DEFENCE_SECONDS = 12.0  # for all of them, once one was unresolved
# Plies of the mate, and the position. The first is every beginner's; the others are of random positions around a king
# those with a single solution that leaves no piece in hand.
FIRST = (
    (1, "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"),
    (3, "9/7kS/9/9/9/9/9/9/9 b 2G2r2b2g3s4n4l18p 1"),
    (3, "8k/9/6+Rs1/9/9/9/9/9/9 b BSrb4g2s4n4l18p 1"),
    (3, "6pSk/9/9/9/9/9/9/9/9 b RSr2b4g2s4n4l17p 1"),
    (3, "7k1/9/9/7N1/4G4/9/9/9/9 b BG2rb2g4s3n4l18p 1"),
    (5, "7s1/7p1/8k/9/8G/9/9/9/9 b RNr2b3g3s3n4l17p 1"),
    (5, "6G1k/6g2/6+R2/9/9/9/9/9/9 b 2SNr2b2g2s3n4l18p 1"),
    (5, "7k1/6s2/4R4/9/9/9/9/9/9 b RS2b4g2s4n4l18p 1"),
    (5, "9/5R3/8k/9/8N/9/9/9/9 b 2Gr2b2g4s3n4l18p 1"),
    (7, "8k/9/9/8G/9/9/9/9/9 b 2RS2b3g3s4n4l18p 1"),
    (7, "9/6Bk1/4S1P2/9/9/9/9/9/9 b BS2r4g2s4n4l17p 1"),
    (9, "7g1/5G1k1/9/6pP1/9/9/9/9/9 b BGS2rbg3s4n4l16p 1"),
)
PROBLEMS = (*FIRST, *((each.length, each.sfen) for each in problems()))

SEARCHING, YOURS, RIGHT, LONGER, DEFENDING, SOLVED, NO_MATE, UNKNOWN, LOST = (
    *("searching", "yours", "right", "longer", "defending", "solved", "no mate", "unknown", "lost"),
)
WAITING = (SEARCHING, DEFENDING)


@dataclass
class Tsume:
    """A problem in a session.

    Attributes:
        root: the move it begins at
        ply: of that move
        status: of the attacker's last move: RIGHT mates fastest, LONGER mates later, LOST lets the king escape
        lengths: plies of the shortest mate after a move, by that move's number, where known
    """

    session: Shared
    root: int
    ply: int = 0
    status: str = SEARCHING
    lengths: dict[int, int] = field(default_factory=dict)
    job: Job | None = None

    def wake(self) -> None:
        """Resume an interrupted search."""
        if self.job is None and self.status == SEARCHING:
            self.begin()
        elif self.job is None and self.status == DEFENDING:
            self.moved(self.session.tree.node)

    def begin(self) -> None:
        """Let the engine prove that there is a mate."""
        tree = self.session.tree
        start, moves = tree.record.start, tree.moves(self.root)

        def work(engine: Any, job: Job) -> None:
            engine.set_position(start, moves)
            found = engine.find_mate(max_ms=PROVE_MS, shortest=True)
            status = {"mate": YOURS, "nomate": NO_MATE}.get(found.result, UNKNOWN)
            if not job.cancelled:
                self._settle(job, status, found.length)

        self.job = self.session.pool.submit(Job(tree.game, work))

    def close(self) -> None:
        """End a search."""
        self.session.pool.cancel(self.job)
        self.job = None

    def undo(self) -> None:
        """Take back the attacker's last move. Raises ValueError if there is none."""
        tree = self.session.tree
        path = tree.path()
        moves = len(path) - 1 - path.index(self.root) if self.root in path else 0
        if not moves:
            raise ValueError("there is no move to take back")
        tree.go(path[-1 - (2 if moves % 2 == 0 else 1)])
        self.status = YOURS

    def check(self) -> None:
        """Raise ValueError if it is not the user's turn."""
        if self.status in WAITING:
            raise ValueError("please wait: the engine is thinking")

    def moved(self, number: int) -> None:
        """Answer the attacker's move `number`: with the longest defence, or with an escape."""
        tree = self.session.tree
        board = self.session.board_at(number)
        attacker = (tree.start_turn + len(tree.path(self.root)) - 1) % 2
        if int(board.turn) == attacker:
            self.status = YOURS
            return
        if board.is_checkmate():
            self.status = SOLVED
            return
        start, moves = tree.record.start, tree.moves(number)

        def work(engine: Any, job: Job) -> None:
            engine.set_position(start, moves)
            reply, left = best_defence(engine, job)
            if not job.cancelled:
                self._reply(job, number, reply, left)

        self.close()
        self.status = DEFENDING
        self.job = self.session.pool.submit(Job(tree.game, work))

    def _settle(self, job: Job, status: str, length: int) -> None:
        with self.session.lock:
            if job is self.job:
                self.job, self.status, self.lengths[self.root] = None, status, length
                self.session.changed()

    def _reply(self, job: Job, number: int, reply: str, left: int | None) -> None:
        session = self.session
        with session.lock:
            if job is not self.job or number not in session.tree:
                return
            self.job = None
            self.status = {0: LOST, None: UNKNOWN}.get(left, RIGHT)
            if reply:
                made = session.tree.add(reply, number)
                self.lengths[made] = left or 0
                before = self.lengths.get(session.tree.parent(number), 0)
                if left and before and left > before - 2:
                    self.status = LONGER
                if session.tree.node == number:
                    session.tree.go(made)
            session.changed()


def best_defence(engine: Any, job: Job) -> tuple[str, int | None]:
    """Return the reply that holds out longest against a mate by checks, and the plies to mate after it.

    The plies are 0 if it is proven that there is no mate, None if no mate was found.

    Args:
        engine: its position has the defence to move; the reply is '' if there is none
        job: ends this when cancelled
    """
    best, longest, unproven = "", -1, ""
    end = time.monotonic() + DEFENCE_SECONDS
    for reply in engine.legal_moves():
        if job.cancelled or (unproven and time.monotonic() > end):
            break
        engine.push(reply)
        found = engine.find_mate(max_ms=REPLY_MS, shortest=True)
        engine.pop()
        if found.result == "nomate":
            return reply, 0
        if not found:
            unproven = unproven or reply
        elif found.length > longest:
            best, longest = reply, found.length
    return (unproven, None) if unproven else (best, longest)
