"""Tsume: a person mates by checks, the engine defends as long as it can."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shogi_engine.play.ending import rule_ending
from shogi_engine.web.pool import Job

if TYPE_CHECKING:
    from shogi_engine.web.session import Session

PROVE_MS = 10_000  # for the problem
REPLY_MS = 4_000  # for each defence
# The shortest first: mates in 1, 3, 3, 5, 5 and 7. The first is every beginner's, the others come from games.
PROBLEMS = (
    "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
    "lnSk3nl/r1s1g1+B2/pppp+R1p2/5p1p1/8p/P8/NPPP1nSPP/3SGK3/L4G3 b BGLP3p 49",
    "9/3S2+R1l/P1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87",
    "lnks+R4/5+S1+B1/ppppp3+L/3l2+N2/2P1P4/3P1p3/PP1S1g1+p1/1B1K3+p1/LN7 b R3GS2Pn3p 127",
    "+P8/2G3s1k/1+P4nNl/2G6/P1PP4P/2Lg+BP3/2p2pPPL/LSRG3SB/3N1KSN1 b R7P 157",
    "k3+L4/ps7/2g+P2+S1+N/1p7/P4+B1P1/2S6/NP1PPPP1P/1N3RS2/L1RKGBGNL b GL7P 97",
)

SEARCHING, YOURS, DEFENDING, SOLVED, NO_MATE, UNKNOWN, LOST = (
    *("searching", "yours", "defending", "solved", "no mate", "unknown", "lost"),
)


@dataclass
class Tsume:
    """A problem in a session.

    root : the move it begins at    ply : how many moves lead there    status : see above
    length : plies of the shortest mate, 0 if not known
    """

    session: "Session"
    root: int
    ply: int = 0
    status: str = SEARCHING
    length: int = 0
    job: Job | None = None

    def wake(self) -> None:
        """Take up what was cut short."""
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
        """Take back the last move of the attacker's. Raises ValueError if there is none."""
        tree = self.session.tree
        path = tree.path()
        moves = len(path) - 1 - path.index(self.root) if self.root in path else 0
        if not moves:
            raise ValueError("there is no move to take back")
        tree.go(path[-1 - (2 if moves % 2 == 0 else 1)])
        self.status = YOURS

    def check(self) -> None:
        """Raise ValueError if it is not the person's turn."""
        if self.status not in (YOURS, LOST, SOLVED, NO_MATE, UNKNOWN):
            raise ValueError("please wait: the engine is thinking")

    def moved(self, number: int) -> None:
        """Answer the attacker's move `number`: with the longest defence, or the one that escapes."""
        tree = self.session.tree
        board = self.session.board_at(number)
        attacker = (tree.start_turn + len(tree.path(self.root)) - 1) % 2
        if int(board.turn) == attacker:
            self.status = YOURS
            return
        if rule_ending(board) is not None and board.is_checkmate():
            self.status = SOLVED
            return
        start, moves = tree.record.start, tree.moves(number)

        def work(engine: Any, job: Job) -> None:
            engine.set_position(start, moves)
            reply, escapes = best_defence(engine, job)
            if not job.cancelled:
                self._reply(job, number, reply, escapes)

        self.close()
        self.status = DEFENDING
        self.job = self.session.pool.submit(Job(tree.game, work))

    def _settle(self, job: Job, status: str, length: int) -> None:
        with self.session.lock:
            if job is self.job:
                self.job, self.status, self.length = None, status, length
                self.session.changed()

    def _reply(self, job: Job, number: int, reply: str, escapes: bool) -> None:
        session = self.session
        with session.lock:
            if job is not self.job or number not in session.tree:
                return
            self.job = None
            self.status = LOST if escapes else YOURS
            if reply:
                made = session.tree.add(reply, number)
                if session.tree.node == number:
                    session.tree.go(made)
            session.changed()


def best_defence(engine: Any, job: Job) -> tuple[str, bool]:
    """Return the reply that holds out longest against a mate by checks, and whether there is no mate after it.

    engine : stands where the defence is to move; '' if it can not move    job : ends it early when it is cancelled
    """
    best, longest = "", -1
    for reply in engine.legal_moves():
        if job.cancelled:
            break
        engine.push(reply)
        found = engine.find_mate(max_ms=REPLY_MS, shortest=True)
        engine.pop()
        if not found:
            return reply, True
        if found.length > longest:
            best, longest = reply, found.length
    return best, False
