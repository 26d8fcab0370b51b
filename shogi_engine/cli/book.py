"""`shogi-engine book`: makes, extends, shows and converts opening books."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import language
from shogi_engine.cli import Command, common
from shogi_engine.cli.common import Setting, check_outputs, option, positional
from shogi_engine.cli.progress import progress_bar
from shogi_engine.cli.terminal import notation_for
from shogi_engine.common.database import is_database
from shogi_engine.common.files import write_whole
from shogi_engine.common.text import table
from shogi_engine.language import InputError, Message, plural, translate as _, translate_fault

if TYPE_CHECKING:
    from shogi_engine.books import BookRecipe, Entries, RunFile, RunLine
    from shogi_engine.explorer import Added, Explorer, ExplorerMove
    from shogi_engine.interface.extras import BookMove


# ---- The games of `shogi-engine book`: index adds them to an index, and show prints the moves that were played


FAULTS_MAX = 10  # that are printed
LISTED = 5  # games that are listed under a position


def is_games(path: Path) -> bool:
    """Tell whether a path leads to an index of games, or to games: a folder, or a file that is no book."""
    from shogi_engine.records import format_of_name
    from shogi_engine.records.files import SUFFIXES

    if path.is_dir() or is_database(path):
        return True
    name = path.name.lower()
    archive = name.endswith(SUFFIXES) and not name.endswith(".txt.gz")
    return archive or path.suffix not in ("", ".txt") and format_of_name(name, "") is not None


def index_games(args: "MergeArguments") -> int:
    """Add games to an index; status 1 if some were skipped."""
    from shogi_engine.explorer import Explorer

    skipped = 0
    with progress_bar() as line, Explorer(args.out, args.game) as explorer:
        for path in args.books:
            line.say(str(path))
            added = explorer.add(path)
            line.say("")
            skipped += tell(path, added)
        count = len(explorer)
    print(plural("{count} game in {file}", "{count} games in {file}", count).format(count=count, file=args.out))
    return 1 if skipped else 0


def tell(path: Path, added: "Added") -> int:
    """Print what was added, and what was skipped to stderr; return the number of what was skipped."""
    words = plural("{count} new game", "{count} new games", added.games).format(count=added.games)
    words += _(", {known} known before").format(known=added.known) if added.known else ""
    words += _(", {others} of another game").format(others=added.others) if added.others else ""
    print(f"{path}: {words}", flush=True)
    tell_faults(added)
    return added.skipped


def tell_faults(added: "Added") -> None:
    """Print why files and games were skipped to stderr, at most FAULTS_MAX lines."""
    for fault in added.faults[:FAULTS_MAX]:
        common.tell(translate_fault(fault))
    if (more := added.skipped - FAULTS_MAX) > 0:
        common.tell(plural("{count} more was skipped", "{count} more were skipped", more).format(count=more))


def explore(args: "ShowArguments", path: Path, board: Any) -> int:
    """Print the moves played in a Board's position; status 1 if there are none."""
    with progress_bar() as line, opened(path, args.game, line) as explorer:
        rows, played = explorer.moves(board), explorer.played(board, most=LISTED)
    values = {
        "game": args.game,
        "position": board.position(),
        "moves": [as_json(row) for row in rows],
        "games": [game._asdict() for game in played],
    }
    common.report(
        args.json, values, as_text(board, rows, played, args.notation) if rows else _("no game has this position")
    )
    return 0 if rows else 1


def opened(path: Path, game: str, line: Any) -> "Explorer":
    """Return an index, or the games of a path in one in memory."""
    from shogi_engine.explorer import Explorer

    if is_database(path):
        return Explorer(path, game)
    explorer = Explorer(None, game)
    line.say(str(path))
    added = explorer.add(path)
    line.say("")
    tell_faults(added)
    return explorer


def as_json(row: "ExplorerMove") -> dict[str, Any]:
    """Return a move as JSON values."""
    return {
        "move": row.move, "games": row.games, "black": row.black, "draws": row.draws, "white": row.white,
        "score": None if row.score is None else round(row.score, 4),
    }  # fmt: skip


def as_text(board: Any, rows: "Sequence[ExplorerMove]", played: Sequence[Any], notation: str) -> str:
    """Return the moves as a table, and the games added last under it."""
    heads = [_(head) for head in ("move", "games", "score", "black", "draws", "white")]
    cells = [
        [
            board.text(board.parse_text(row.move), notation) if notation else row.move,
            str(row.games),
            "-" if row.score is None else f"{100 * row.score:.1f}%",
            *map(str, (row.black, row.draws, row.white)),
        ]
        for row in rows
    ]
    games = [
        " ".join(filter(None, [f"{game.file}, {game.place}:", " - ".join(filter(None, game.names)), game.result]))
        for game in played
    ]
    return "\n".join([*table([heads, *cells], "<>>>>>"), "", *games])


ACTIONS = {
    "build": Command(
        "Make a book with the engine's own search, or continue its run; extend adds positions, lines or games.",
        ("extend",),
    ),
    "show": Command("Print the moves of a position, of a book or as they were played in games.", ("explore",)),
    "import": Command(
        "Merge books, including those of other programs, into one; export writes the book of a run, "
        "index adds games to an index for explore.",
        ("export", "index"),
    ),
}
POSITIONS = 800  # the default size of a new book
_KEPT = "how much worse than the best move a kept move may be; default 50 (centipawns), Othello 4 (discs)"
SETTINGS = (
    Setting("width=N", common.at_least_one, "moves searched in each position; default 3, Othello 6"),
    Setting("margin=X", common.real(0, 99_999), _KEPT),
    Setting("max_ply=N", common.natural, "last ply of the book; default 40, Othello 30"),
    Setting("plies=N", common.at_least_one, "first plies of each record", 24),
)


def _game(text: str) -> str:
    """Return the name of a game, for argparse; the name of an action there says that the two are swapped."""
    if any(text in (name, *action.aliases) for name, action in ACTIONS.items()):
        raise argparse.ArgumentTypeError(Message("the game comes before the action, as in book shogi {0}", text))
    return common.game_name(text)


class BookArguments(common.Arguments):
    """The game and the action, one of ACTIONS or of their aliases."""

    game: str = common.game_argument(read=_game)
    action: str


class Arguments(BookArguments):
    """What `build` is asked: the run, its size, its searches, and lines to include."""

    run_file: Path = positional("RUN", "a file with a line for each position; an existing one is continued", type=Path)
    positions: int | None = option(
        Message("positions in all, by default {0}; with extend, those to add", POSITIONS), type=common.at_least_one
    )
    limit: dict[str, int] = common.limit_option("nodes", "depth", default="nodes=40000, Othello depth=10")
    openings: Path | None = option("lines to include, each as 'name: moves'", type=Path)
    records: list[Path] = option("game records to include, in any format", type=Path, nargs="+", default=[])
    out: Path | None = option("the book to write at the end", type=Path)
    threads: int = common.THREADS
    set: dict[str, Any] = common.settings_option(settings=SETTINGS)


class ShowArguments(BookArguments):
    """What `show` is asked."""

    book: str | None = option(
        "a book, an index of games, or games: a record, a folder or an archive; default: the book that comes with the "
        "engine",
        metavar="FILE",
    )
    position: str = common.POSITION
    moves: list[str] = common.MOVES
    notation: str = common.notation_option()
    json: bool = common.JSON


class MergeArguments(BookArguments):
    """What `import` is asked."""

    books: list[Path] = positional(
        "FILE",
        "books to merge; if two have the same move, the deeper value is kept. With export: a run. With index: records, "
        "folders and archives",
        type=Path,
        nargs="+",
    )
    out: Path = option("the book to write; with index, a new or existing index", type=Path, required=True)


def add_parser(commands: Any) -> None:
    """Add the command and its actions."""
    parser = common.add_command(commands, "book", arguments=BookArguments)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    common.add_command(actions, "build", build_run, Arguments, ACTIONS["build"])
    common.add_command(actions, "show", show_position, ShowArguments, ACTIONS["show"])
    common.add_command(actions, "import", import_books, MergeArguments, ACTIONS["import"])


def build_run(args: Arguments) -> int:
    """Search the positions that a book of the requested size still lacks, or add positions to a run."""
    from shogi_engine.books import RunFile, load, read_lines, run_settings

    recipe = load(args.game)
    check_outputs("book", {"RUN": args.run_file, "--out": args.out}, [args.openings, *args.records])
    lines = [*(read_lines(args.openings) if args.openings else []), *_record_lines(args)]
    chosen = {name: value for name, value in args.set.items() if name != "plies"}
    if "margin" in chosen:
        chosen["margin"] = round(chosen["margin"] * recipe.unit)
    if args.action == "extend":
        if args.limit or chosen:
            raise InputError("book: a run is extended with its own limit, width, margin and last ply")
        if not lines and args.positions is None:
            raise InputError("book: extend needs --positions, --openings or --records")
        return _grow(args, recipe, RunFile(args.run_file), lines)
    if len(args.limit) > 1:
        raise InputError("book: positions are searched either to a depth or a number of nodes")
    settings = run_settings(recipe, **args.limit, **chosen)
    return _grow(args, recipe, RunFile(args.run_file, settings), lines, positions=args.positions or POSITIONS)


def _record_lines(args: Arguments) -> list["RunLine"]:
    """Return the games of the records as lines; moves are not recommended just because they were played."""
    from shogi_engine.books import DOUBTFUL, RunLine

    lines = []
    for path in args.records:
        for number, game in enumerate(common.loaded(str(path), args.game), 1):
            start = "" if game.start == type(game)(args.game).start else game.start
            moves = tuple(f"{move}{DOUBTFUL}" for move in game.moves[: args.set["plies"]])
            lines.append(RunLine(f"{path.name}, game {number}", moves, start))
    return lines


def _grow(
    args: Arguments, recipe: "BookRecipe", run_file: "RunFile", lines: list["RunLine"], positions: int | None = None
) -> int:
    """Grow a book, and write it if requested.

    Args:
        positions: the total; None to add the number given to `extend`
    """
    from shogi_engine.books import Growth, Searches

    try:
        growth = Growth(
            recipe, run_file.settings, [*run_file.lines, *lines]
        )  # raises before anything is written to the run
        run_file.add_lines(lines)
        whole = positions
        if whole is None:
            whole = len(run_file.known) + growth.unsearched_lines(run_file) + (args.positions or 0)
        with progress_bar("searching positions", whole, min(len(run_file.known), whole)) as line:
            searches = Searches(recipe, run_file.settings, args.threads)
            searches.warmup()
            more = max(whole - len(run_file.known), 0)
            growth.grow(run_file, searches, positions=positions, more=more, progress=line.advance)
    finally:
        run_file.close()
    entries = growth.entries()
    if args.out:
        _write(args.out, recipe, entries)
    else:
        print(_("{count} in {file}").format(count=_count(entries), file=args.run_file), flush=True)
    return 0


def _count(entries: "Entries") -> str:
    moves = sum(map(len, entries.values()))
    positions = plural("{count} position", "{count} positions", len(entries)).format(count=len(entries))
    plies = plural("{count} move", "{count} moves", moves).format(count=moves)
    return _("{positions}, {moves}").format(positions=positions, moves=plies)


def _write(path: Path, recipe: "BookRecipe", entries: "Entries") -> None:
    """Write a book, replacing an existing file atomically."""
    import gzip

    content = recipe.write(entries).encode()
    write_whole(path, gzip.compress(content, mtime=0) if recipe.gzip and path.suffix == ".gz" else content)
    print(f"{_count(entries)}: {path}", flush=True)


def export_run(args: MergeArguments, recipe: "BookRecipe") -> int:
    """Write all positions of a run as a book."""
    from shogi_engine.books import Growth, RunFile

    if len(args.books) > 1:
        raise InputError("book: only one run can be exported")
    run_file = RunFile(args.books[0])
    run_file.close()
    growth = Growth(recipe, run_file.settings, run_file.lines)
    growth.recall(run_file)
    _write(args.out, recipe, growth.entries())
    return 0


def import_books(args: MergeArguments) -> int:
    """Merge books, or write that of a run."""
    from shogi_engine.books import load, merged
    from shogi_engine.interface.extras import BookError

    check_outputs("book", {"--out": args.out}, args.books)
    recipe = load(args.game)
    if args.action == "export":
        return export_run(args, recipe)
    if args.action == "index":
        return index_games(args)
    books = []
    for path in args.books:
        notes: list[str] = []
        try:
            books.append(recipe.read(path, notes))
        except BookError as fault:
            raise InputError("{0}: {1} (known: {2})", path, fault, recipe.sources) from None
        common.tell_notes(str(path), notes)
        print(f"{path}: {_count(books[-1])}", flush=True)
    _write(args.out, recipe, merged(books))
    return 0


# ---- show --------------------------------------------------------------------------------------------------------


def show_position(args: ShowArguments) -> int:
    """Print the moves of a position; status 1 if it is not in the book."""
    import numpy as np

    from shogi_engine import games
    from shogi_engine.books import load
    from shogi_engine.interface.extras import BookError
    from shogi_engine.interface.game import do_move
    from shogi_engine.jit import new_record

    recipe = load(args.game)
    if language.current() == "ja" and args.game == "shogi" and not args.json:
        args.notation = args.notation or "japanese"
    if not args.json:
        args.notation = notation_for(sys.stdout, args.notation)
    if args.notation and args.game != "shogi":
        raise InputError("book: --notation is for shogi; {0} has only one notation", args.game)
    game = recipe.game
    assert game.extras.open_book is not None
    with progress_bar():
        start = game.parse_position(args.position or game.start)
        texts = games.typed_moves(game, args.position, args.moves)
        board = games.board(game, start, texts)
        position, undo = start.copy(), new_record(game.undo)
        for move in texts:
            do_move(position, np.uint32(game.parse_move(position, move)), undo)
    if args.book and is_games(path := Path(args.book)):
        return explore(args, path, board)
    try:
        book = game.extras.open_book(args.book)
    except BookError as fault:
        raise InputError("{0}: {1}", args.book or "the book", fault) from None
    common.tell_notes(str(args.book), book.notes)
    where = game.format_position(position)
    moves = book.known(where)
    rows = [_row(recipe, board, move, args.notation) for move in moves]
    lines = [
        f"{row['move']:<8} {'' if row['value'] is None else format(row['value'], '+g')}"
        + (_("  depth {depth}").format(**row) if row["depth"] else "")
        + (_("  then {ponder}").format(**row) if row["ponder"] else "")
        for row in rows
    ]  # fmt: skip
    head = _("this position is not in the book")
    if rows:
        words = plural("{count} move, values in {unit}", "{count} moves, values in {unit}", len(rows))
        head = words.format(count=len(rows), unit=_(recipe.unit_name))
    common.report(args.json, {"game": args.game, "position": where, "moves": rows}, "\n".join([head, *lines]))
    return 0 if rows else 1


def _row(recipe: "BookRecipe", board: Any, move: "BookMove", notation: str) -> dict[str, Any]:
    """Return a move and the reply to it as they are shown."""
    texts = [move.move, move.ponder]
    if notation:
        after = board.copy()
        for number, text in enumerate(each for each in (move.move, move.ponder) if each):
            try:
                texts[number] = after.text(after.parse_text(text), notation)
                after.push_text(text)
            except ValueError:  # books of other programs may contain anything
                break
    value = move.value if recipe.unit == 1 or move.value is None else move.value / recipe.unit
    return {"move": texts[0], "value": value, "depth": move.depth, "count": move.count, "ponder": texts[1]}
