"""The games of `shogi-engine book`: index adds them to an index, and show prints the moves that were played."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine.cli import common
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common.database import is_database
from shogi_engine.common.text import table
from shogi_engine.language import plural, translate_fault
from shogi_engine.language import translate as _

if TYPE_CHECKING:
    from shogi_engine.explorer import Added, Explorer, Found

FAULTS_MAX = 10  # that are printed
LISTED = 5  # games that are listed under a position


def is_games(path: Path) -> bool:
    """Tell whether a path leads to an index of games, or to games: a folder, or a file that is no book."""
    from shogi_engine.records import format_of_name
    from shogi_engine.records.archives import SUFFIXES

    if path.is_dir() or is_database(path):
        return True
    name = path.name.lower()
    archive = name.endswith(SUFFIXES) and not name.endswith(".txt.gz")
    return archive or path.suffix not in ("", ".txt") and format_of_name(name, "") is not None


def index_games(args: argparse.Namespace) -> int:
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


def explore(args: argparse.Namespace, board: Any) -> int:
    """Print the moves played in a Board's position; status 1 if there are none."""
    with progress_bar() as line, opened(Path(args.book), args.game, line) as explorer:
        rows, played = explorer.moves(board), explorer.played(board, most=LISTED)
    values = {
        "game": args.game,
        "position": board.position(),
        "moves": [as_json(row) for row in rows],
        "games": [game._asdict() for game in played],
    }
    common.report(args, values, as_text(board, rows, played, args.notation) if rows else _("no game has this position"))
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


def as_json(row: "Found") -> dict[str, Any]:
    """Return a move as JSON values."""
    return {
        "move": row.move, "games": row.games, "black": row.black, "draws": row.draws, "white": row.white,
        "score": None if row.score is None else round(row.score, 4),
    }  # fmt: skip


def as_text(board: Any, rows: "Sequence[Found]", played: Sequence[Any], notation: str) -> str:
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
