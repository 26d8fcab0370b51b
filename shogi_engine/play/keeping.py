"""Files of games played here: written after each move in the user's folder, and loaded again."""

import time
from pathlib import Path

from shogi_engine.common.files import data_folder, status_of_file, write_free, write_whole
from shogi_engine.language import InputError
from shogi_engine.records.files import dumps, encoding_for, iterate
from shogi_engine.records.formats import format_for
from shogi_engine.records.tree import GameRecord

KEPT_AS = {"shogi": ".kifu", "othello": ".ggf"}  # both hold times, and any name in UTF-8
FOR_ANY_GAME = ".jsonl"


class GameFile:
    """A game's file in the user's folder, written again after each change.

    Attributes:
        path: the file, None until it is written
    """

    def __init__(self) -> None:
        self.path: Path | None = None

    def write(self, record: GameRecord) -> None:
        """Write the game as it stands now. Raises OSError, ValueError; the file then has the earlier content."""
        ending = KEPT_AS.get(record.game, FOR_ANY_GAME)
        format = format_for(f"game{ending}", record.game)
        content = dumps(record, format.name, encoding_for(f"game{ending}"))
        if self.path is None:
            folder = data_folder() / "games"
            folder.mkdir(parents=True, exist_ok=True)
            self.path = write_free(folder, f"{record.game}-{time.strftime('%Y%m%d-%H%M%S')}", ending, content)
        else:
            write_whole(self.path, content)

    def discard(self) -> None:
        """Remove the file, as the game is saved elsewhere. Raises OSError."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
            self.path = None


def kept_games(game: str) -> list[Path]:
    """Return the automatically saved games of terminal and browser, the latest first."""
    found = (data_folder() / "games").glob(f"{game}-*{KEPT_AS.get(game, FOR_ANY_GAME)}")
    dated = [(status.st_mtime, path) for path in found if (status := status_of_file(path)) is not None]
    return [path for _, path in sorted(dated, reverse=True)]


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
            raise InputError("there is no saved game number {0}", path)
        file = kept[int(path) - 1]
    return next(iter(iterate(file, game=game)))
