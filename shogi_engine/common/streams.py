"""The standard streams: all there, and whatever is written to them is no error. Standard library only.

People get their system's encoding and line ends. What it does not have is written with what it has: a graph in ASCII
for one in blocks, digits for wide digits, and as a last resort Python's escapes, by which names can be told apart.
Protocols write bytes (`frontends.stdio`).
"""

import codecs
import io
import os
import sys
import unicodedata

FALLBACK = "shogi_engine"  # an error handler of codecs
# Texts for a character, the best first. The waves, dashes and minus signs are those of the Japanese encodings.
INSTEAD = {
    "〜": ("～", "~"), "～": ("〜", "~"), "—": ("―", "-"), "―": ("—", "-"), "–": ("-",), "−": ("－", "-"),
    "－": ("−", "-"), "·": ("・", "."), "・": ("·", "."), "±": ("+/-",), "×": ("x",), "→": ("->",), "…": ("...",),
    "●": ("X",), "○": ("O",), "□": ("*",), "▲": ("^",), "△": ("v",), "☗": ("▲", "^"), "☖": ("△", "v"),
    "「": ('"',), "」": ('"',), "、": (", ",), "。": (". ",), "•": ("・", "*"), "█": ("#",), "━": ("=",),
    "\ufffd": ("?",),
    **dict(zip("▁▂▃▄▅▆▇", ("_", ".", "-", "~", "=", "+", "*"), strict=True)),
}  # fmt: skip


def set_up_streams() -> None:
    """Set up sys.stdin, sys.stdout and sys.stderr of a command, once, when it starts."""
    keep_descriptors()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # it was closed, or this is pythonw.exe
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace" if mode == "r" else FALLBACK)


def keep_descriptors() -> None:
    """Open the null device as those of descriptors 0 to 2 that are closed: the next file opened would become one."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def can_show(text: str, stream: object) -> bool:
    """Tell whether a text stream has all characters of `text`."""
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def instead(character: str, encoding: str) -> str:
    """Return what to write for a character that `encoding` does not have."""
    plain = unicodedata.normalize("NFKC", character)
    for text in (*INSTEAD.get(character, ()), plain):
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            continue
        return text
    return character.encode("ascii", "backslashreplace").decode("ascii")


def _replace(fault: UnicodeError) -> tuple[str, int]:
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    lost = fault.object[fault.start : fault.end]
    return "".join(instead(character, fault.encoding) for character in lost), fault.end


codecs.register_error(FALLBACK, _replace)
