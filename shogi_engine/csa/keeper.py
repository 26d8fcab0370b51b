"""Records of games on a server as files: CSA and KIF, written when a game ends or is aborted."""

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from shogi_engine.records.files import dumps
from shogi_engine.records.tree import GameRecord

FORMATS = ("csa", "kif")
NAME_MAX = 200  # characters of a file name without its extension


class Keeper:
    """Writes records into a folder, under their game's name; does nothing without a folder."""

    def __init__(self, folder: str | Path = "", formats: Sequence[str] = FORMATS) -> None:
        self._folder = Path(folder).expanduser() if folder else None
        self._formats = formats
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def stem(self, game_id: str) -> str:
        """Return an unused file name, without extension, for a new game."""
        name = re.sub(r"[^\w+.@-]+", "_", game_id, flags=re.ASCII).strip("._") or time.strftime("%Y%m%d-%H%M%S")
        name = name[:NAME_MAX]
        number = 1
        while self._folder is not None and (self._folder / f"{_numbered(name, number)}.{self._formats[0]}").exists():
            number += 1
        return _numbered(name, number)

    def save(self, record: GameRecord, stem: str) -> Path | None:
        """Write a game's record, replacing any earlier one; return the first file's path. Raises OSError."""
        if self._folder is None:
            return None
        paths = [self._folder / f"{stem}.{each}" for each in self._formats]
        for path, each in zip(paths, self._formats, strict=True):
            unfinished = path.with_name(path.name + ".part")
            unfinished.write_bytes(dumps(record, each))
            os.replace(unfinished, path)
        return paths[0]


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"
