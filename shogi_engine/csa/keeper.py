"""Records of games on a server as files: CSA and KIF, written when a game ends or is aborted."""

import os
import re
import time
from pathlib import Path

from shogi_engine.common.files import free_name, write_whole
from shogi_engine.records.files import dumps
from shogi_engine.records.tree import GameRecord

FORMATS = ("csa", "kif")
NAME_MAX = 200  # characters of a file name without its extension


class Keeper:
    """Writes records into a folder, under their game's name; does nothing without a folder."""

    def __init__(self, folder: str | Path = "") -> None:
        self._folder = Path(folder).expanduser() if folder else None
        self._names: dict[str, str] = {}  # of the files written here, by the stems they were to have
        self._own: set[Path] = set()
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def stem(self, game_id: str) -> str:
        """Return an unused file name, without extension, for a new game."""
        name = re.sub(r"[^\w+.@-]+", "_", game_id, flags=re.ASCII).strip("._") or time.strftime("%Y%m%d-%H%M%S")
        name = name[:NAME_MAX]
        folder = self._folder
        return name if folder is None else free_name(name, lambda stem: any(map(os.path.lexists, _paths(folder, stem))))

    def save(self, record: GameRecord, stem: str) -> Path | None:
        """Write a game's record, replacing an earlier one of this object only; return the first file's path.

        If another process has taken the name since `stem` returned it, the record gets the next free one.

        Raises OSError.
        """
        if self._folder is None:
            return None
        contents = [dumps(record, each) for each in FORMATS]
        while True:
            name = self._names.get(stem) or self.stem(stem)
            paths = _paths(self._folder, name)
            try:
                for path, content in zip(paths, contents, strict=True):
                    write_whole(path, content, new=path not in self._own)
                    self._names[stem] = name
                    self._own.add(path)
                return paths[0]
            except FileExistsError:
                self._names.pop(stem, None)


def _paths(folder: Path, stem: str) -> list[Path]:
    return [folder / f"{stem}.{each}" for each in FORMATS]
