"""The standard streams: all there, and whatever is written to them is no error. Standard library only.

People get their system's encoding and line ends. What it does not have is written with what it has: a graph in ASCII
for one in blocks, digits for wide digits, and as a last resort Python's escapes, by which names can be told apart.
Protocols write bytes (`frontends.core`).
"""

import codecs
import io
import os
import sys
import unicodedata

# ---- The memory of the machine. Standard library only


def machine_megabytes() -> int:
    """Return the machine's memory in MB, 0 if the system does not tell."""
    if sys.platform == "win32":
        return _windows_megabytes()
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (OSError, ValueError):
        return 0


def _windows_megabytes() -> int:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", "free", "a", "b", "c", "d", "e")),
        )

    status = Status(ctypes.sizeof(Status))
    answered = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))  # type: ignore[attr-defined]
    return status.total >> 20 if answered else 0


# ---- Windows' console: a program that is started by a double click gets one of its own


OURS = ("py", "shogi-engine")  # and what begins with them, such as python3.12.exe


def has_own_console() -> bool:
    """Tell whether only this program, its launcher and its Python are attached to the console: it closes with them."""
    if sys.platform != "win32":
        return False
    names = _console_programs()
    return bool(names) and all(name.startswith(OURS) for name in names)


def _console_programs() -> list[str]:
    """Return the file names, in lower case, of the programs that are attached to Windows' console."""
    import ctypes

    kernel, names = ctypes.windll.kernel32, []  # type: ignore[attr-defined]
    found = (ctypes.c_ulong * 64)()
    for process in found[: min(kernel.GetConsoleProcessList(found, len(found)), len(found))]:
        handle = kernel.OpenProcess(0x1000, False, process)  # PROCESS_QUERY_LIMITED_INFORMATION
        name, length = ctypes.create_unicode_buffer(1024), ctypes.c_ulong(1024)
        known = handle and kernel.QueryFullProcessImageNameW(handle, 0, name, ctypes.byref(length))
        kernel.CloseHandle(handle)
        names.append(name.value.rpartition("\\")[2].lower() if known else "?")
    return names


# ---- Keeps `python -m` from importing files of the folder it was started in. Loads no module


def leave_start_folder() -> None:
    """Remove the current folder from the path, unless it contains this package: it may hold a queue.py, say.

    GUIs start engines in any folder. `python -P` does the same, before anything is imported.
    """
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0]) != here:
        del sys.path[0]


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
