"""Freeze a version of the engine as an opponent that later edits do not touch.

    python -m tools.freeze FOLDER [--commit HEAD]

FOLDER gets the commit's files, its own kernel cache, and a launcher `shogi-usi.sh` (on Windows `shogi-usi.bat`) that
any GUI and `shogi-engine match` can start. The frozen engine runs with the Python that runs this tool, and its kernels
are compiled now. Installed packages are not frozen.
"""

import argparse
import io
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

from shogi_engine.clients.base import EngineError
from shogi_engine.clients.usi import SimpleEngine
from shogi_engine.types.limits import Limit

READY_TIMEOUT = 1200.0  # seconds to compile everything on a slow machine
ROOT = Path(__file__).resolve().parents[1]


def git(*words: str) -> bytes:
    """Return git's output in this repository. Raises ValueError with git's error."""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True)
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def freeze(folder: Path, commit: str) -> Path:
    """Write the frozen copy to `folder`, which must be new or empty; return the launcher. Raises ValueError."""
    folder = folder.resolve()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} already exists")
    name = git("rev-parse", "--verify", f"{commit}^{{commit}}").decode().strip()
    archive = git("archive", "--format=zip", name, "--", "shogi_engine", "usi")
    source = folder / "source"
    source.mkdir(parents=True)
    zipfile.ZipFile(io.BytesIO(archive)).extractall(source)
    (folder / "COMMIT").write_text(name + "\n")
    cache = folder / "cache"
    cache.mkdir(mode=0o700)
    if os.name == "nt":
        launcher = folder / "shogi-usi.bat"
        launcher.write_text(
            f'@set "PYTHONPATH={source}"\n@set "SHOGI_ENGINE_CACHE_DIR={cache}"\n@"{sys.executable}" -P -m usi\n'
        )
    else:
        launcher = folder / "shogi-usi.sh"
        quoted = {name: shlex.quote(str(path)) for name, path in (("source", source), ("cache", cache))}
        launcher.write_text(
            "#!/bin/sh\n"
            f"PYTHONPATH={quoted['source']} SHOGI_ENGINE_CACHE_DIR={quoted['cache']} PYTHONDONTWRITEBYTECODE=1 "
            f'exec {shlex.quote(sys.executable)} -P -m usi "$@"\n'
        )
        launcher.chmod(0o755)
    return launcher


def warm(launcher: Path) -> None:
    """Compile the frozen engine's kernels by requesting one move. Raises ValueError if there is none."""
    engine = SimpleEngine(shlex.quote(str(launcher)), timeout=READY_TIMEOUT, ready_timeout=READY_TIMEOUT)
    try:
        engine.new_game()
        engine.play("startpos", Limit(nodes=2000))
    except EngineError as fault:
        raise ValueError(f"{launcher} gives no move: {fault}") from None
    finally:
        engine.close()


def main(words: list[str] | None = None) -> int:
    """Freeze, compile, and print the launcher's path."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commit", default="HEAD", help="anything git takes for one")
    parser.add_argument("--cold", action="store_true", help="compile nothing now")
    arguments = parser.parse_args(words)
    try:
        launcher = freeze(arguments.folder, arguments.commit)
        if not arguments.cold:
            warm(launcher)
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    print(launcher)
    return 0


if __name__ == "__main__":
    sys.exit(main())
