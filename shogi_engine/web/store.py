"""The games of browsers, in a folder: one JSON file per game, written atomically.

The terminal saves its games in the same folder; they are listed here too. Only names that the store itself has found
are ever opened. Deleted games stay in the folder `deleted` for a month.
"""

import contextlib
import hashlib
import json
import logging
import os
import re
import threading
import time
from pathlib import Path
from typing import Any

from shogi_engine import records
from shogi_engine.common.files import free_name, write_whole
from shogi_engine.play.keeping import KEPT_AS
from shogi_engine.records import GameRecord
from shogi_engine.tsume import Progress
from shogi_engine.tsume.progress import NAME as PROGRESS_NAME

VERSION = 1
LISTED_MAX = 300
DELETED_SECONDS = 30 * 86400.0
_NAME = re.compile(r"(shogi|othello)-[0-9-]{1,40}(\.kifu|\.ggf)?")
log = logging.getLogger(__name__)


class Store:
    """The saved games.

    Args:
        folder: None saves nothing
        shared: every user sees all games, not only their own
    """

    def __init__(self, folder: Path | None = None, shared: bool = True) -> None:
        self.folder, self.shared = folder, shared
        self._lock = threading.Lock()
        self.holders: dict[str, str] = {}  # the sessions of open games, by the games' names
        self._heads: dict[str, dict[str, Any]] = {}  # the head of each game: all but its moves
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            self.find_games()
            self._empty_deleted(folder / "deleted")

    def find_games(self) -> None:
        """Add games that are new in the folder: the terminal's, and at the start all of them."""
        with self._lock:
            for path in self.folder.iterdir() if self.folder is not None else ():
                name = path.name.removesuffix(".json")
                if name in self._heads or not _NAME.fullmatch(name) or not path.is_file():
                    continue
                head: dict[str, Any] | None = {"game": name.partition("-")[0], "owner": ""}
                if path.suffix == ".json":
                    head = self._head(path)
                elif path.suffix not in KEPT_AS.values() or path.with_suffix(".json").is_file():
                    head = None
                if head is not None:
                    self._heads[name] = {**head, "time": path.stat().st_mtime}

    def undescribed(self) -> list[tuple[str, Path]]:
        """Return the terminal's latest games of which only the names are known, and their files."""
        with self._lock:
            latest = sorted(self._heads.items(), key=lambda item: item[1]["time"], reverse=True)[:LISTED_MAX]
        return [(name, path) for name, head in latest if "title" not in head and (path := self.record_file(name))]

    def describe(self, name: str, head: dict[str, Any]) -> None:
        """Add to a game's entry in the list."""
        with self._lock:
            if name in self._heads:
                self._heads[name] |= head

    def adopt(self, name: str) -> str:
        """Let a browser continue a game of the terminal; return the name under which it is saved from now on."""
        stem = name.rpartition(".")[0]
        with self._lock:
            self._heads[stem] = self._heads.pop(name)
        return stem

    def without_record(self) -> list[str]:
        """Return the names of games whose records are missing or old, because a server was killed."""
        if self.folder is None:
            return []
        found = []
        with self._lock:
            for name, head in self._heads.items():
                game, record = self.folder / f"{name}.json", self.folder / f"{name}{KEPT_AS[head['game']]}"
                if head.get("hidden") or not game.is_file():
                    continue
                if not record.is_file() or record.stat().st_mtime < game.stat().st_mtime:
                    found.append(name)
        return found

    @staticmethod
    def _head(path: Path) -> dict[str, Any] | None:
        """Return the head of a browser's game, None if the file is not one."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            return dict(content["head"]) if content["version"] == VERSION else None
        except (OSError, ValueError, KeyError, TypeError):
            log.warning("%s holds no game", path)
            return None

    @staticmethod
    def _empty_deleted(folder: Path) -> None:
        """Erase games that were deleted long ago."""
        for path in folder.iterdir() if folder.is_dir() else ():
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > DELETED_SECONDS:
                    path.unlink()

    # ---- writing

    def new_name(self, game: str) -> str:
        """Return a unique name for a game."""
        with self._lock:
            name = free_name(f"{game}-{time.strftime('%Y%m%d-%H%M%S')}", self._is_taken)
            self._heads[name] = {"game": game, "owner": "", "time": time.time(), "empty": True}
            return name

    def _is_taken(self, name: str) -> bool:
        return name in self._heads or (self.folder is not None and any(self.folder.glob(f"{name}.*")))

    def write(self, name: str, head: dict[str, Any], content: dict[str, Any]) -> None:
        """Save a game.

        Raises OSError.

        Args:
            head: its entry in the list of games, with its `owner` and `session`
        """
        with self._lock:
            self._heads[name] = {**head, "time": time.time()}
        if self.folder is not None:
            text = json.dumps({"version": VERSION, "head": head, **content}, ensure_ascii=False, separators=(",", ":"))
            write_whole(self.folder / f"{name}.json", text.encode())

    def write_record(self, name: str, record: GameRecord) -> None:
        """Write a game's record into the same folder, for the terminal and other programs. Raises OSError."""
        if self.folder is not None:
            try:
                records.save(record, self.folder / f"{name}{KEPT_AS[record.game]}")
            except ValueError as fault:  # the format cannot hold it
                log.warning("%s has no record: %s", name, fault)

    def delete(self, name: str) -> None:
        """Delete a game; `restore` brings it back. Raises OSError."""
        with self._lock:
            self._heads.pop(name, None)
            if self.folder is not None:
                aside = self.folder / "deleted"
                aside.mkdir(exist_ok=True)
                for path in self._files(self.folder, name):
                    os.replace(path, aside / path.name)
                    os.utime(aside / path.name)

    def restore(self, name: str) -> None:
        """Bring a deleted game back. Raises ValueError if there is none."""
        found = self._files(self.folder / "deleted", name) if self.folder is not None and _NAME.fullmatch(name) else []
        if self.folder is None or not found:
            raise ValueError("this game is gone")
        for path in found:
            os.replace(path, self.folder / path.name)
        head = self._head(found[0].parent.parent / found[0].name) if found[0].suffix == ".json" else None
        with self._lock:
            self._heads[name] = {"game": name.partition("-")[0], "owner": "", **(head or {}), "time": time.time()}

    @staticmethod
    def _files(folder: Path, name: str) -> list[Path]:
        """Return the files of a game, the one to read first."""
        paths = (folder / f"{name}.json", folder / name, *(folder / f"{name}{suffix}" for suffix in KEPT_AS.values()))
        return [path for path in paths if path.is_file()]

    # ---- reading

    def may_see(self, name: str, owner: str) -> bool:
        """Tell whether this game exists and the owner may see it."""
        with self._lock:
            head = self._heads.get(name)
        return head is not None and (self.shared or (bool(owner) and head["owner"] == owner))

    def games(self, owner: str) -> list[dict[str, Any]]:
        """Return the heads of an owner's games, the latest first, without secrets."""
        with self._lock:
            found = [(head["time"], name, head) for name, head in self._heads.items() if not head.get("empty")]
        mine = [
            {"id": name, **{key: value for key, value in head.items() if key not in ("owner", "session")}}
            for _, name, head in sorted(found, key=lambda row: row[:2], reverse=True)
            if (self.shared or (owner and head["owner"] == owner)) and not head.get("hidden")
        ]
        return mine[:LISTED_MAX]

    def of_session(self, identity: str) -> str:
        """Return the name of a session's last game, '' if none is saved."""
        if not identity:
            return ""
        with self._lock:
            found = [(head["time"], name) for name, head in self._heads.items() if head.get("session") == identity]
        return max(found)[1] if found else ""

    def read(self, name: str) -> dict[str, Any]:
        """Return a game as passed to `write`. Raises OSError, and ValueError if it is damaged."""
        if self.folder is None:
            raise ValueError("this game is gone")
        try:
            content = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise ValueError("this game is gone") from None
        if not isinstance(content, dict) or content.get("version") != VERSION:
            raise ValueError("this game was kept by another version")
        return content

    def progress(self, owner: str) -> Progress | None:
        """Return which tsume problems an owner has solved; None if nothing is saved.

        If all games are shared, the terminal's progress is too.
        """
        if self.folder is None:
            return None
        if self.shared:
            return Progress(self.folder.parent / PROGRESS_NAME)
        name = hashlib.sha256(owner.encode()).hexdigest()[:24]
        return Progress(self.folder / "tsume" / f"{name}.json") if owner else None

    def record_file(self, name: str) -> Path | None:
        """Return the record of a game saved by the terminal, None if it is a browser's."""
        path = None if self.folder is None else self.folder / name
        return path if path is not None and path.suffix in KEPT_AS.values() and name in self._heads else None
