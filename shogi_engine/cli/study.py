"""`shogi-engine study`: one's own mistakes as problems in the terminal, which come back until they are known."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import language
from shogi_engine.cli import common, terminal
from shogi_engine.cli.common import check_outputs, flag, option, positional, write_problems
from shogi_engine.cli.progress import progress_bar
from shogi_engine.cli.terminal import default_pieces, draw, plain
from shogi_engine.language import InputError, mark, plural, translate as _
from shogi_engine.types.limits import SIDES

if TYPE_CHECKING:
    from shogi_engine.analysis import GameAnalysis
    from shogi_engine.records import GameRecord
    from shogi_engine.study import Attempt, Problem, Source, Store, TurningPoints

AS_GOOD = mark("Good: this is about as strong as the best move.")
HINT_MS = 10_000  # of the search for the next move of a mate


class Arguments(common.Arguments):
    """The games to make problems of, and where they are kept."""

    files: list[str] = positional(
        "FILE", "games to make problems of; without FILE, solve the problems that are due", nargs="*"
    )
    player: str | None = option("only the mistakes of this player", metavar="NAME")
    side: str | None = option("only the mistakes of this side", choices=SIDES)
    now: bool = flag("find the better moves of these games at once; no problem is kept")
    limit: dict[str, int] = common.limit_option(
        "nodes", "movetime", "depth", "level", default="nodes=300000, Othello level=14"
    )
    threads: int | None = common.THREADS_OR_CORES
    out: Path | None = option(
        "only write all problems: as records (.kif ...), as a page to print (.html), else as lines",
        type=Path,
        metavar="FILE",
    )
    store: Path | None = option(
        "the database of the problems; default: in the user's folder", type=Path, metavar="FILE"
    )


def run(args: Arguments) -> int:
    """Add problems, write them, or give those that are due."""
    from shogi_engine import study

    if not args.files and (args.player or args.side or args.now):
        raise InputError("study: --player, --side and --now are for games of a FILE")
    if args.now and (args.out or args.store):
        raise InputError("study: --now keeps and writes nothing")
    check_outputs("study", {"--out": args.out, "--store": args.store}, args.files)
    if args.now:
        _retry(args)
        return 0
    with study.Store(args.store) as store:
        if args.files:
            _add(args, store)
        if args.out:
            problems = store.all()
            made = study.as_records(problems, language.current())
            print(write_problems(args.out, made, _("Problems"), study.as_text(problems)))
        if not (args.files or args.out):
            desk = Desk(store, pieces=default_pieces(sys.stdout))
            with progress_bar():
                desk.prepare()
            desk.run()
    return 0


# ---- problems in and out -----------------------------------------------------------------------------------------


def _add(args: Arguments, store: "Store") -> None:
    """Judge the games, and add the problems made of them."""
    from shogi_engine import study

    new = 0
    for judged, side in _judged(args):
        new += store.add(study.problems_of(judged, side))  # at once: an interrupted run keeps them
    print(plural("{count} new problem", "{count} new problems", new).format(count=new))


def _retry(args: Arguments) -> None:
    """Judge the games, then give their turning points."""
    from shogi_engine import study

    for judged, side in list(_judged(args)):
        desk = TurningDesk(study.TurningPoints(judged, side), pieces=default_pieces(sys.stdout))
        with progress_bar():
            desk.prepare()
        desk.run()


def _judged(args: Arguments) -> Iterator[tuple["GameAnalysis", str]]:
    """Yield the judged games, each with the side whose mistakes count, '' for both."""
    from shogi_engine import analysis

    found = [record for file in args.files for record in common.loaded(file)]
    wanted = [(record, side) for record in found if (side := side_of(record, args.player, args.side)) is not None]
    if not wanted:
        raise InputError("study: no game of {0} in these files", args.player)
    analyst = analysis.Analyst(args.threads or analysis.cores(), limits=args.limit)
    with progress_bar():
        analyst.warmup(sorted({record.game for record, _side in wanted}))
    with progress_bar("analysing", len(wanted), 0) as line:
        for record, side in wanted:
            (judged,) = analyst.run([record])
            yield judged, side
            line.advance()


def side_of(record: "GameRecord", player: str | None, side: str | None) -> str | None:
    """Return whose mistakes to take: 'black', 'white', '' for both, None if the player is not in the game."""
    if not player:
        return side or ""
    sides = [each for each, name in zip(SIDES, record.names, strict=True) if name == player]
    if side:
        return side if side in sides else None
    return None if not sides else sides[0] if len(sides) == 1 else ""


# ---- solving -----------------------------------------------------------------------------------------------------


class Desk(terminal.Desk):
    """Gives the problems that are due.

    Args:
        read, show, pieces: as in `terminal.Desk`
        clock: returns the time, by default the present
    """

    def __init__(
        self,
        store: "Source",
        read: Callable[[str], str] = input,
        show: Callable[[str], object] = print,
        pieces: str = "western",
        clock: Callable[[], Any] | None = None,
    ) -> None:
        from shogi_engine.study.store import now

        super().__init__(read, show, pieces)
        self.store, self.clock = store, clock or now
        self._engines: dict[str, Any] = {}

    def prepare(self) -> None:
        """Compile the kernels that the problems need."""
        from shogi_engine.analysis.judgement import MATE

        due = self.store.due(self.clock())
        for game in {each.game for each in due}:
            self._engine(game).warmup()
        for game in {each.game for each in due if each.kind == MATE}:
            self._engine(game).warmup_mate()

    def _engine(self, game: str) -> Any:
        from shogi_engine.engine import Engine

        if game not in self._engines:
            self._engines[game] = Engine(game, hash_mb=16)
        return self._engines[game]

    def run(self) -> None:
        """Give problems until none is due or the user leaves."""
        due = self.store.due(self.clock())
        if not due:
            self.show(self._none())
        try:
            for left, problem in zip(range(len(due), 0, -1), due, strict=True):
                self.show(self._left(left))
                if not self.give(problem):
                    return
        except EOFError:
            pass

    def _none(self) -> str:
        """Return what is said if there is no problem."""
        when = self.store.next_due()
        words = _("No problem is due; the next one is on {day}.") if when else _("There are no problems yet.")
        return words.format(day=when and f"{when.astimezone():%Y-%m-%d}")

    def _left(self, count: int) -> str:
        """Return what is said before each problem."""
        return plural("{count} problem is due.", "{count} problems are due.", count).format(count=count)

    def give(self, problem: "Problem") -> bool:
        """Give a problem until it is solved or skipped; return False if the user leaves."""
        from shogi_engine.analysis.judgement import MATE
        from shogi_engine.study import KINDS

        board, attempt = problem.board(), self.store.attempt(problem)
        self.show(plain(draw(problem.game, board, self._look)))
        self.show(f"{_(KINDS[problem.kind])} ({problem.where('')})")

        def tried(line: str) -> bool:
            move = self._move(board, line)
            if not move:
                return False
            if not board.move_stack and not attempt.is_right(move):
                return not self._is_refuted(attempt, board, move)
            if problem.kind == MATE and not self._mates(attempt, board, move):
                return False
            self.show(_("Right.") if attempt.is_best(move) else _(AS_GOOD))
            self._done(attempt)
            return True

        def answer() -> None:
            attempt.give_up()
            self._done(attempt)

        def hint() -> str:
            best = attempt.hint()
            if board.move_stack:
                found = board.find_mate(shortest=True, max_ms=HINT_MS)
                if not found:
                    return _("No mate has been proven; try anyway.")
                best = str(found.moves[0])
            return _("The move goes to {square}.").format(square=best.rstrip("+")[-2:])

        return self._solve(tried, hint, answer)

    def _move(self, board: Any, line: str) -> str:
        """Return a typed move in the game's notation, '' if it is not legal."""
        try:
            move = board.parse_text(line)
        except ValueError as fault:
            self.show(_(str(fault)))
            return ""
        return str(move)

    def _mates(self, attempt: "Attempt", board: Any, move: str) -> bool:
        """Make a move of a mate and the best defence; tell whether the problem is solved.

        A first move is right even if no mate by checks is proven after it.
        """
        from shogi_engine.tsume import best_defence

        first, text = not board.move_stack, self._texts(board, [move])
        board.push_text(move)
        if board.is_checkmate():
            return True
        engine = self._engine(attempt.problem.game)
        engine.set_position(board.position())
        reply, left = best_defence(engine) if board.is_check() else ("", 0)  # without a check it is no mate
        if first and not left:
            return True
        if left == 0:
            board.pop()
            attempt.wrong = True
            self.show(_("{move} is not the solution.").format(move=text))
            return False
        self.show(self._texts(board, [reply]))
        board.push_text(reply)
        self.show(plain(draw(attempt.problem.game, board, self._look)))
        return False

    def _is_refuted(self, attempt: "Attempt", board: Any, move: str) -> bool:
        """Answer a move that is not the best one as the engine would; return False if it is right all the same."""
        line = attempt.refutation(move)
        if line is None:
            right, line = attempt.reply(self._engine(attempt.problem.game), move)
            if right:
                self.show(_(AS_GOOD))
                self._done(attempt)
                return False
        self.show(_("{move} is not the solution.").format(move=self._texts(board, [move])))
        if line:
            self.show(self._texts(board, [move, *line]))
        if move == attempt.problem.played:
            for said in attempt.problem.reasons(language.current()):
                self.show(said)
        return True

    def _done(self, attempt: "Attempt") -> None:
        """Show the solution and note the review."""
        problem = attempt.problem
        self.show(self._texts(problem.board(), problem.line))
        when = self.store.review(problem, attempt.rating, self.clock())
        if when is not None:
            self.show(_("It comes back on {day}.").format(day=f"{when.astimezone():%Y-%m-%d}"))

    def _texts(self, board: Any, line: Sequence[str]) -> str:
        from shogi_engine.analysis.judgement import line_texts, truncated_line

        return " ".join(line_texts(board, truncated_line(line, False), language.current()))


class TurningDesk(Desk):
    """Gives the turning points of a game; see Desk."""

    store: "TurningPoints"

    def run(self) -> None:
        """Give all of them, then say how many were found at once."""
        super().run()
        if self.store.size:
            words = _("Found at the first try: {found} of {count}.")
            self.show(words.format(found=self.store.found, count=self.store.size))

    def _none(self) -> str:
        return _("No better move was missed.")

    def _left(self, count: int) -> str:
        return plural("{count} position is left.", "{count} positions are left.", count).format(count=count)
