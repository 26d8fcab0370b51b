"""The files of problems that `study` and `tsume` write: records, a page to print, or lines of text."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shogi_engine.cli.common import tell_lost
from shogi_engine.cli.pictures import draw, drawn_by
from shogi_engine.common.files import write_whole
from shogi_engine.language import plural

if TYPE_CHECKING:
    from shogi_engine.records import GameRecord


def write_problems(file: Path, problems: "Sequence[GameRecord]", title: str, lines: str) -> str:
    """Write problems as the file's name says: as a page, as records, else as lines of text; return what was written.

    A format that only one game has gets the problems of that game.

    Args:
        title: of a page
        lines: the problems as text
    """
    from shogi_engine import records

    formats = {game: records.format_of_name(str(file), game) for game in sorted({each.game for each in problems})}
    chosen = next((each for each in formats.values() if each is not None), None)
    written = problems
    if kind := drawn_by(file.name):
        content = draw(problems, kind, title)
    elif chosen is not None:
        written = [each for each in problems if formats[each.game] is not None]
        content = records.dumps(written, chosen.name, records.encoding_for(str(file)))
    else:
        content = lines.encode()
    write_whole(file, content)
    if chosen is not None and not kind:
        tell_lost(file, chosen, written)
    words = plural("{file}: {count} problem", "{file}: {count} problems", len(written))
    return words.format(file=file, count=len(written))
