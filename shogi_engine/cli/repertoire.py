"""`shogi-engine repertoire`: opening lines as problems in the terminal, which come back until they are known."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import games, language
from shogi_engine.cli import common
from shogi_engine.cli.common import check_outputs, flag, option, positional, write_problems
from shogi_engine.cli.study import give
from shogi_engine.language import InputError, plural, translate as _
from shogi_engine.types.limits import SIDES

if TYPE_CHECKING:
    from shogi_engine.records import GameRecord
    from shogi_engine.study import Store


class Arguments(common.Arguments):
    """The lines to learn, whose moves, and where they are kept."""

    files: list[str] = positional(
        "FILE", "records with the lines, variations included; without FILE, play the moves that are due", nargs="*"
    )
    side: str | None = option("whose moves are learnt", choices=SIDES)
    book: str | None = option("learn the best line of this game's book, after --moves", choices=games.NAMES)
    moves: list[str] = common.MOVES
    plies: int = option("how many moves of each line are learnt", type=common.at_least_one, default=30, metavar="N")
    explorer: Path | None = option("an index of games, whose figures are told too", type=Path, metavar="FILE")
    list: bool = flag("only list the repertoire, and when each move is asked")
    json: bool = common.JSON
    out: Path | None = option("only write the repertoire: as a page to print (.html), as records, else as lines",
                              type=Path, metavar="FILE")  # fmt: skip
    store: Path | None = option(
        "the database of the problems; default: in the user's folder", type=Path, metavar="FILE"
    )


def run(args: Arguments) -> int:
    """Add lines, list or write the repertoire, or ask what is due."""
    from shogi_engine import study

    adds = bool(args.files or args.book)
    if adds != bool(args.side):
        raise InputError("repertoire: --side says whose moves of a FILE or of --book are learnt")
    if args.moves and not args.book:
        raise InputError("repertoire: --moves is for --book")
    check_outputs("repertoire", {"--out": args.out, "--store": args.store}, args.files)
    with study.Store(args.store) as every:
        store = every.lines()
        if adds:
            _add(args, store)
        if args.out:
            found = study.as_records(store.all(), language.current())
            print(write_problems(args.out, found, _("Openings"), study.as_text(store.all())))
        if args.list or args.json:
            _list(args, store)
        elif not (adds or args.out):
            give(store)
    return 0


def _add(args: Arguments, store: "Store") -> None:
    """Learn the lines of the files and of the book."""
    from shogi_engine import study
    from shogi_engine.explorer import Explorer, book_of, figures, moves_of_book

    def said(board: Any) -> Callable[[str], list[str]]:
        book = book_of(board.record().game)
        return partial(figures, board, explorer.moves(board, book) if explorer else moves_of_book(board, book))

    explorer = Explorer(args.explorer) if args.explorer else None
    records = [*(record for file in args.files for record in common.loaded(file)), *_book_lines(args)]
    new = sum(
        store.add(study.problems_of_lines(each, args.side or "", plies=args.plies, figures=said)) for each in records
    )
    print(plural("{count} new move", "{count} new moves", new).format(count=new))


def _book_lines(args: Arguments) -> Iterator["GameRecord"]:
    """Yield the book's best line if it is requested."""
    if not args.book:
        return
    from shogi_engine.explorer import book_of, moves_of_book

    board = games.game_module(args.book, "board").Board()
    for move in games.typed_moves(games.load(args.book), "", args.moves):
        board.push_text(move)
    while len(board.move_stack) < args.plies and (known := moves_of_book(board, book_of(args.book))):
        board.push_text(known[0].move)
    yield board.record()


def _list(args: Arguments, store: "Store") -> None:
    """Print the repertoire: when each move is asked, where, and which move it is."""
    from shogi_engine.analysis.judgement import move_text

    rows = store.schedule()
    values = [
        {"game": each.game, "position": each.position, "move": each.answers[0], "source": each.source,
         "due": when.timestamp()}
        for each, when in rows
    ]  # fmt: skip
    spoken = language.current()
    lines = [
        f"{when.astimezone():%Y-%m-%d}  {move_text(each.board(), each.answers[0], spoken):8}  {each.where(spoken)}"
        for each, when in rows
    ]
    common.report(args.json, {"moves": values}, "\n".join(lines) or _("The repertoire is empty."))
