"""Text files as people and other programs write them. Standard library only."""

import codecs
import os
from pathlib import Path

from shogi_engine.language import InputError

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def encoding_of_text(head: bytes) -> str:
    """Return the encoding of a text that begins with `head`: that of its byte order mark, UTF-8 if it has none.

    Editors and shells of Windows write UTF-8 and UTF-16 with a mark.
    """
    return "utf-16" if head.startswith(UTF_16) else "utf-8-sig"


def text_of(data: bytes) -> str:
    """Return the text of a file's bytes, with line feeds only. Raises ValueError if it is not UTF-8 or UTF-16."""
    try:
        text = data.decode(encoding_of_text(data))
    except UnicodeDecodeError:
        raise InputError("not a text file in UTF-8 or UTF-16") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file. Raises OSError, and ValueError that names the file if it is not UTF-8 or UTF-16."""
    try:
        return text_of(Path(path).read_bytes())
    except InputError as fault:
        raise InputError("{0}: {1}", path, *fault.args) from None
