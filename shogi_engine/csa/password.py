"""The password of a server's login: from a file or the environment, never from the command line, never in a log."""

import os
import stat
from pathlib import Path

from shogi_engine.common.text_files import read_text
from shogi_engine.language import InputError

VARIABLE = "SHOGI_ENGINE_CSA_PASSWORD"
HIDDEN = "*****"


class Password:
    """A password that no message shows.

    Args:
        game: shogi-server's game name, a prefix in its standard mode
    """

    def __init__(self, text: str, game: str = "") -> None:
        if not text or not text.isascii() or not text.isprintable() or " " in text:
            raise InputError("a password is printable ASCII without spaces, and not empty")
        self._text = text
        self._game = game

    def for_login(self) -> str:
        """Return the argument for LOGIN."""
        return f"{self._game},{self._text}" if self._game else self._text

    def hide(self, text: str) -> str:
        """Return `text` with every occurrence of the password masked."""
        return text.replace(self._text, HIDDEN)

    def __repr__(self) -> str:
        return f"<Password {HIDDEN}>"


def read_password(file: str = "") -> str:
    """Return the first line of `file`, or the environment's password, which child processes then no longer see.

    Raises ValueError if there is neither, or if others can read the file; OSError if it cannot be read.
    """
    inherited = os.environ.pop(VARIABLE, "")
    if not file:
        if not inherited:
            raise InputError("no password: name its file by --password-file, or set {0}", VARIABLE)
        return inherited
    path = Path(file).expanduser()
    lines = read_text(path).splitlines()
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError("{0} can be read by others: chmod 600 {0}", path)
    if not lines or not lines[0].strip():
        raise InputError("{0} is empty; its first line is the password", path)
    return lines[0].strip()
