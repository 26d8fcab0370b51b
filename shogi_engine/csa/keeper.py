"""Records of games on a server as files: CSA and KIF, written when a game ends or is aborted."""

import re
import time
from pathlib import Path

from shogi_engine.common.files import free_name, write_whole
from shogi_engine.records.files import dumps
from shogi_engine.records.tree import GameRecord

FORMATS = ("csa", "kif")
NAME_MAX = 200  # characters of a file's name without its ending


class Keeper:
    """Writes records into a folder, under their game's name; does nothing without a folder."""

    def __init__(self, folder: str | Path = "") -> None:
        self._folder = Path(folder).expanduser() if folder else None
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def stem(self, game_id: str) -> str:
        """Return a new file name, without its ending, for a new game."""
        name = re.sub(r"[^\w+.@-]+", "_", game_id, flags=re.ASCII).strip("._") or time.strftime("%Y%m%d-%H%M%S")
        name = name[:NAME_MAX]
        folder = self._folder
        return name if folder is None else free_name(name, lambda stem: (folder / f"{stem}.{FORMATS[0]}").exists())

    def save(self, record: GameRecord, stem: str) -> Path | None:
        """Write a record, replacing an earlier one of the game; return the first file's path. Raises OSError."""
        if self._folder is None:
            return None
        paths = [self._folder / f"{stem}.{each}" for each in FORMATS]
        for path, each in zip(paths, FORMATS, strict=True):
            write_whole(path, dumps(record, each))
        return paths[0]
