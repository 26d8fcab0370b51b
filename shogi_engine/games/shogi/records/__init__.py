"""Records of games: what KIF and CSA files hold. Every move read is checked by the rules.

    record = load("game.kif")[0]
    print(record.names, record.ending, record.board().sfen())
    save(record, "game.csa")

kif.py and csa.py read and write the two formats.
"""

from pathlib import Path

from shogi_engine.games.shogi.records import csa, kif
from shogi_engine.games.shogi.records.record import DRAWN, ENDINGS, LOST, WON, Ending, Record

__all__ = ["DRAWN", "ENDINGS", "LOST", "WON", "Ending", "Record", "decode", "load", "save"]


def decode(data: bytes) -> str:
    """Return the text of a record file: UTF-8, with or without a mark, or else Shift JIS as Windows writes it.

    Raises ValueError if it is neither.
    """
    for encoding in ("utf-8-sig", "cp932"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ValueError("a record is written in UTF-8 or Shift JIS, this is neither")


def load(path: str | Path) -> list[Record]:
    """Return the games of a KIF or CSA file, whichever it is. Raises OSError, ValueError naming the line."""
    text = decode(Path(path).read_bytes())
    first = next((line for line in text.splitlines() if line.strip() and line[0] not in "'#"), "")
    return csa.parse_games(text) if first[:1] in ("V", "N", "$", "P", "+", "-") else [kif.parse(text)]


def save(record: Record, path: str | Path) -> None:
    """Write a record in the format the name ends in: .csa, .kif (Shift JIS if it can be) or .kifu (UTF-8)."""
    path = Path(path)
    if path.suffix.lower() == ".csa":
        path.write_text(csa.render(record), encoding="utf-8", newline="\n")
    elif path.suffix.lower() in (".kif", ".kifu"):
        text = kif.render(record).replace("\n", "\r\n")
        try:
            path.write_bytes(text.encode("cp932" if path.suffix.lower() == ".kif" else "utf-8"))
        except UnicodeEncodeError:
            path.write_bytes(text.encode("utf-8-sig"))
    else:
        raise ValueError(f"a record's name ends in .kif, .kifu or .csa, not {path.suffix!r}")
