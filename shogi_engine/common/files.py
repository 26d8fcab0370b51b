"""Files: the folder of the user's data, free names, and files written atomically. Standard library and platformdirs."""

import itertools
import os
import time
import uuid
from collections.abc import Callable
from pathlib import Path

PATIENCE = 20  # attempts to replace a file: on Windows a reader may hold it open for a moment


def data_folder() -> Path:
    """Return the folder of the user's data."""
    import platformdirs

    return Path(platformdirs.user_data_dir("shogi_engine", appauthor=False))


def free_name(stem: str, is_taken: Callable[[str], bool]) -> str:
    """Return the first name of `stem`, `stem`-2, `stem`-3 ... that is not taken."""
    names = itertools.chain([stem], (f"{stem}-{number}" for number in itertools.count(2)))
    return next(name for name in names if not is_taken(name))


def write_whole(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Write a file atomically: it has its old content or the new one, even after an interruption. Raises OSError.

    Args:
        durable: also after a power failure, which takes longer
    """
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        aside.write_bytes(content)
        if durable:
            with aside.open("r+b") as stream:
                os.fsync(stream.fileno())
        replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def replace(source: Path, target: Path) -> None:
    """Rename over `target`. Raises OSError."""
    for _ in range(PATIENCE):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            time.sleep(0.02)
    os.replace(source, target)
