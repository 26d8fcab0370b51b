"""`shogi-engine study`: one's own mistakes as problems in the terminal, which come back until they are known."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import language
from shogi_engine.cli import common
from shogi_engine.cli.common import check_outputs, flag, option, positional, write_problems
from shogi_engine.cli.progress import progress_bar
from shogi_engine.cli.terminal import Desk, default_pieces
from shogi_engine.language import InputError, mark, plural, translate as _
from shogi_engine.tsume import ANSWERED, GOOD, Exercise
from shogi_engine.types.limits import SIDES

if TYPE_CHECKING:
    from shogi_engine.analysis import GameAnalysis
    from shogi_engine.records import GameRecord
    from shogi_engine.study import Problem, Source, Store

AS_GOOD = mark("Good: this is about as strong as the best move.")


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
            give(store)
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
        give(study.TurningPoints(judged, side))


def give(source: "Source") -> None:
    """Give problems at the terminal."""
    given = Round(source, Desk(pieces=default_pieces(sys.stdout)))
    with progress_bar():
        given.prepare()
    given.run()


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


class Round:
    """Gives the problems that are due.

    Args:
        clock: returns the time, by default the present
    """

    def __init__(self, source: "Source", desk: Desk, clock: Callable[[], Any] | None = None) -> None:
        from shogi_engine.study.store import now

        self.source, self.desk, self.clock = source, desk, clock or now
        self._engines: dict[str, Any] = {}

    def prepare(self) -> None:
        """Compile the kernels that the problems need."""
        from shogi_engine.analysis.judgement import MATE

        due = self.source.due(self.clock())
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
        """Give problems until none is due or the user leaves; of all of one round, say how many were found at once."""
        due, show, source = self.source.due(self.clock()), self.desk.show, self.source
        if not due:
            show(self._none())
        try:
            for left, problem in zip(range(len(due), 0, -1), due, strict=True):
                if source.size:
                    show(plural("{count} position is left.", "{count} positions are left.", left).format(count=left))
                else:
                    show(plural("{count} problem is due.", "{count} problems are due.", left).format(count=left))
                if not self.give(problem):
                    break
        except EOFError:
            pass
        if source.size:
            words = _("Found at the first try: {found} of {count}.")
            show(words.format(found=source.found, count=source.size))

    def _none(self) -> str:
        """Return what is said if there is no problem."""
        from shogi_engine.study import TurningPoints

        if isinstance(self.source, TurningPoints):
            return _("No better move was missed.")
        when = self.source.next_due()
        words = _("No problem is due; the next one is on {day}.") if when else _("There are no problems yet.")
        return words.format(day=when and f"{when.astimezone():%Y-%m-%d}")

    def give(self, problem: "Problem") -> bool:
        """Give a problem until it is solved or skipped; return False if the user leaves."""
        from shogi_engine.study import KINDS

        attempt, desk = self.source.attempt(problem), self.desk
        exercise = Exercise(task=attempt)

        def wrong(move: str) -> tuple[str, ...]:
            return problem.reasons(language.current()) if problem.told_of(move) else ()

        desk.show(f"{_(KINDS[problem.kind])} ({problem.where('')})")
        stays = desk.solve(exercise, problem.game, problem.board(), self._engine(problem.game), wrong)
        if not exercise.over:
            return stays
        if exercise.status != ANSWERED:
            desk.show(_(AS_GOOD) if exercise.status == GOOD else _("Right."))
        desk.show(desk.text(problem.board(), problem.line))
        when = self.source.review(problem, attempt.rating(exercise.helped), self.clock())
        if when is not None:
            desk.show(_("It comes back on {day}.").format(day=f"{when.astimezone():%Y-%m-%d}"))
        return stays
