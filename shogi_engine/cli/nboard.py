"""`shogi-engine nboard` and `shogi-engine gtp`: Othello's protocols on standard input and output."""

from typing import TYPE_CHECKING

from shogi_engine.cli import common
from shogi_engine.cli.common import option, real, tell_notes
from shogi_engine.language import InputError

if TYPE_CHECKING:
    from shogi_engine.frontends.othello import BookUse

SHIPPED = ""  # --book without a file


class Arguments(common.Arguments):
    """The book; both commands have the same arguments."""

    book: str | None = option("play from the engine's own book, or from FILE", nargs="?", const=SHIPPED, metavar="FILE")
    book_randomness: float = option(
        "how much worse than the best move a book move may be, in discs", type=real(0, 64), default=0.0, metavar="DISCS"
    )


def run(args: Arguments) -> int:
    """Run until `quit` or the end of input."""
    from shogi_engine.frontends.core import Output, run_stdio
    from shogi_engine.frontends.othello import Gtp, NBoard

    book, front_end = book_use(args), {"gtp": Gtp, "nboard": NBoard}[args.command]
    return run_stdio(Output, lambda output, lines: front_end(output, book=book).run(lines))


def book_use(args: Arguments) -> "BookUse | None":
    """Return the requested use of a book. Raises ValueError if it cannot be read, or for options without a book."""
    from shogi_engine.frontends.othello import BookUse

    if args.book is None:
        if args.book_randomness:
            raise InputError("{0}: --book-randomness needs --book", args.command)
        return None
    book = None
    if args.book != SHIPPED:
        from shogi_engine.games.othello.book import open_book
        from shogi_engine.interface.extras import BookError

        try:
            book = open_book(args.book)  # errors are reported now, not in the middle of a game
        except BookError as fault:
            raise InputError("{0}: {1}", args.book, fault) from None
        tell_notes(args.book, book.notes)
    return BookUse(book, args.book_randomness)
