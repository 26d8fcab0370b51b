"""Folders for compiled kernels: which are possible, which can be trusted, and which is used."""

import contextlib
import functools
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from shogi_engine.jit.settings import HAS_WORKSHOP
from shogi_engine.jit.sources import PACKAGE, source_stamp

CACHE_VARIABLE = "SHOGI_ENGINE_CACHE_DIR"
KEPT_STAMPS = 4  # cache folders of other source versions that are kept, newest first


def _named_folders() -> list[Path]:
    """Return the folders that the environment names; a relative one is below the folder that is the current one now."""
    names = [os.environ[name] for name in (CACHE_VARIABLE, "NUMBA_CACHE_DIR") if os.environ.get(name)]
    with contextlib.suppress(OSError):  # the current folder is gone
        names = [os.path.abspath(name) for name in names]
    return [Path(name) for name in names]


_named = _named_folders()  # at the start, as the first kernel may be called after a change of the folder


def _cache_roots() -> Iterator[Path]:
    """Yield the folders that may hold the cache, the best first."""
    import platformdirs

    yield from _named
    with contextlib.suppress(OSError, RuntimeError):  # no home folder
        yield Path(platformdirs.user_cache_dir("shogi_engine", appauthor=False))
    yield PACKAGE / "__pycache__" / "kernels"
    owner = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    with contextlib.suppress(OSError):  # no folder for temporary files
        yield Path(tempfile.gettempdir()) / f"shogi_engine-{owner}"


def is_private(folder: Path) -> bool:
    """Tell whether only users who could change this package can put files in `folder`.

    `folder` and all its parents must belong to this user, root or the package's owner, and others must not be able to
    write there. A parent may be sticky (/tmp), and a user's private group (with the user's number) counts as the user.
    Windows' profile folders are private.
    """
    if not hasattr(os, "getuid"):
        return True
    trusted = {0, os.getuid(), PACKAGE.stat().st_uid}
    folder = folder.resolve()
    for place in (folder, *folder.parents):
        status = place.stat()
        own_group = status.st_gid == status.st_uid
        open_to_others = status.st_mode & (stat.S_IWOTH if own_group else stat.S_IWOTH | stat.S_IWGRP)
        sticky = place != folder and status.st_mode & stat.S_ISVTX
        if status.st_uid not in trusted or (open_to_others and not sticky):
            return False
    return True


def _remove_old(root: Path, keep: Path) -> None:
    """Remove the folders of old stamps except the newest few (another version may be in use)."""
    with contextlib.suppress(OSError):  # another process removes them too
        others = [entry for entry in root.iterdir() if entry.name.startswith("kernels-") and entry != keep]
        others.sort(key=lambda entry: entry.stat().st_mtime, reverse=True)
        for entry in others[KEPT_STAMPS:]:
            shutil.rmtree(entry, ignore_errors=True)


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder that holds this version's compiled kernels, or None if no folder can be trusted and written."""
    if not HAS_WORKSHOP or not source_stamp():
        return None
    for root in _cache_roots():
        try:
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder = root.resolve() / f"kernels-{source_stamp()[:20]}"
            fresh = not folder.is_dir()
            folder.mkdir(mode=0o700, exist_ok=True)
            if not is_private(folder):
                continue
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        if fresh:
            _remove_old(folder.parent, folder)
        return folder
    return None
