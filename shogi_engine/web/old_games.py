"""Taking over the games of earlier versions, which were JSON files in the folder of games."""

import contextlib
import hashlib
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from shogi_engine.common.files import free_name, replace
from shogi_engine.common.json_text import json_of

ASIDE = "taken-over"  # the folder into which the files are moved afterwards
_NAME = re.compile(r"(shogi|othello)-[0-9-]{1,40}\.json")
log = logging.getLogger(__name__)


def solver_of(owner: str) -> str:
    """Return the name of an owner's progress."""
    return hashlib.sha256(owner.encode()).hexdigest()[:24]


def take_over(
    folder: Path,
    add_game: Callable[[str, Mapping[str, Any]], None],
    add_solution: Callable[[str, str, Mapping[str, Any]], None],
) -> list[Path]:
    """Pass on the games and solutions of an earlier version; return their files. Damaged ones are left alone.

    Args:
        add_game: called with each game's name, and its columns in the database
        add_solution: called with the solver, the problem and what is known about it
    """
    taken = []
    for place, deleted in ((folder, False), (folder / "deleted", True)):
        for path in sorted(place.glob("*.json")) if place.is_dir() else ():
            if not _NAME.fullmatch(path.name):
                continue
            try:
                add_game(path.stem, _columns(path, deleted))
            except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as fault:
                log.warning("%s contains no game: %s", path, fault)
            else:
                taken.append(path)
    for path in sorted((folder / "tsume").glob("*.json")):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            for sfen, row in json_of(path.read_text(encoding="utf-8")).items():
                add_solution(path.stem, sfen, dict(row))
            taken.append(path)
    return taken


def _columns(path: Path, deleted: bool) -> dict[str, Any]:
    """Return the columns of a game. Raises if the file contains none."""
    content = json_of(path.read_text(encoding="utf-8"))
    head, changed = content.pop("head"), path.stat().st_mtime
    if content.pop("version") != 1 or head["game"] != path.name.partition("-")[0]:
        raise TypeError
    return {
        "game": head["game"],
        "title": str(head["title"]),
        "moves": int(head["moves"]),
        "result": str(head["result"]),
        "playing": int(bool(head.get("on"))),
        "hidden": int(bool(head.get("hidden"))),
        "owner": str(head.get("owner", "")),
        "session": str(head.get("session", "")),
        "content": msgspec.json.encode(content),
        "changed": changed,
        "deleted": changed if deleted else None,
    }


def put_aside(folder: Path, taken: Sequence[Path]) -> None:
    """Move files that were taken over into a folder of their own; none is lost, and none is read again."""
    aside = folder / ASIDE
    for path in taken:
        with contextlib.suppress(OSError):  # the next start tries again
            aside.mkdir(exist_ok=True)
            replace(path, aside / f"{free_name(path.stem, lambda stem: (aside / f'{stem}.json').exists())}.json")
