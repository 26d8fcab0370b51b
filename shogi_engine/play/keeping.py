"""Files of games played here: saved by name, loaded, and saved automatically in the user's folder."""

import time
from collections.abc import Sequence
from pathlib import Path

from shogi_engine import records
from shogi_engine.common.files import data_folder, write_free
from shogi_engine.records import GameRecord

KEPT_AS = {"shogi": ".kifu", "othello": ".ggf"}  # both hold times, and any name in UTF-8


def game_record(
    game: str, start: str, moves: Sequence[str], seconds: Sequence[float | None], names: Sequence[str]
) -> GameRecord:
    """Return the record of a game played here; times are in full seconds, as in KIF."""
    whole = [None if each is None else float(round(each)) for each in seconds]
    record = GameRecord.from_moves(game, moves, start=start, seconds=whole)
    record.names = list(names)
    record.headers["started"] = time.strftime("%Y/%m/%d")
    return record


def keep(record: GameRecord) -> Path:
    """Write a record to a new file in the user's folder and return its path. Raises OSError."""
    folder = data_folder() / "games"
    folder.mkdir(parents=True, exist_ok=True)
    ending = KEPT_AS[record.game]
    format = records.format_for(f"game{ending}", record.game)
    content = records.dumps(record, format.name, records.encoding_for(f"game{ending}"))
    return write_free(folder, f"{record.game}-{time.strftime('%Y%m%d-%H%M%S')}", ending, content)


def kept_games(game: str) -> list[Path]:
    """Return the automatically saved games of terminal and browser, the latest first."""
    found = (data_folder() / "games").glob(f"{game}-*{KEPT_AS[game]}")
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def load_game(path: str, game: str) -> GameRecord:
    """Return the first game of a file, or a saved game by its number in `kept_games`, from 1.

    Raises:
        OSError: the file cannot be read
        ValueError: it contains no game
    """
    file = Path(path).expanduser()
    if path.isdecimal() and not file.exists():
        kept = kept_games(game)
        if not 1 <= int(path) <= len(kept):
            raise ValueError(f"there is no saved game number {path}")
        file = kept[int(path) - 1]
    return next(iter(records.iterate(file, game=game)))
