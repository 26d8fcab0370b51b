"""The headers that formats share: one common name for each, and its name and form in each format.

A record keeps a value as its file has it. KIF, KI2 and JKF take any text; the others fix the form of some values. What
cannot be written in that form is left out and belongs to `RecordFormat.losses`.
"""

import re
from collections.abc import Callable
from typing import NamedTuple
from unicodedata import category

from shogi_engine.common.text import wide_to_ascii
from shogi_engine.types.clock import UNITS, Clock

_BREAKS = ("Cc", "Cs", "Zl", "Zp")  # control characters, surrogates, line and paragraph separators
Form = Callable[[str], tuple[str, bool]]  # returns a value in a format's form, and whether nothing of it is missing


def one_line(text: str) -> str:
    """Return a header's value in writable form: one line without control characters."""
    return "".join(" " if category(letter) in _BREAKS else letter for letter in text).strip()


# ---- forms -------------------------------------------------------------------------------------------------------

_DATE = re.compile(
    r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?(?:\s*\(.\))?"
    r"(?:[\sT]*(\d{1,2})\s*[:時]\s*(\d{1,2})(?:\s*[:分]\s*(?:(\d{1,2})\s*秒?)?)?)?"
)
_SGF_DATE = re.compile(r"\d{4}(-\d\d){0,2}(,\d{2,4}(-\d\d){0,2})*")
_CSA_2 = re.compile(r"(\d{1,3}):(\d\d)\+(\d{1,5})")
_CSA_3 = re.compile(r"(\d{1,6})\+(\d{1,5})\+(\d{1,5})")
_GGF = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d\d)(?:/(?:(\d{1,2}):)?(\d{1,3}))?(/[\d:]*)?")
_SGF = re.compile(r"\d{1,6}(\.\d*)?")
_IN_WORDS = re.compile(
    r"各?(?:(\d{1,3})時間)?(?:(\d{1,4})分)?(?:(\d{1,5})秒)?"
    r"(?:[+、,]?(?:切れたら|秒読み|[一1]手)*(\d{1,5})秒(?:秒読み)?|\+?(\d{1,5})秒(?:加算|フィッシャー)|切れ負け)?"
)


def _clock(text: str) -> Clock | None:
    """Return the time control in a value of any format; None if it is none."""
    plain = "".join(wide_to_ascii(text).split())
    hours, minutes, seconds, byoyomi, increment = 5 * ["0"]
    if found := _CSA_2.fullmatch(plain):
        hours, minutes, byoyomi = found.groups()
    elif found := _CSA_3.fullmatch(plain):
        seconds, byoyomi, increment = found.groups()
    elif found := _GGF.fullmatch(plain):
        hours, minutes, seconds, more, left, _ = (each or "0" for each in found.groups())
        increment = str(60 * int(more) + int(left))
    elif _SGF.fullmatch(plain):
        seconds = plain.partition(".")[0]
    elif plain and (found := _IN_WORDS.fullmatch(plain)) and any(found.groups()):
        hours, minutes, seconds, byoyomi, increment = (each or "0" for each in found.groups())
    else:
        return None
    return Clock.from_seconds(3600 * int(hours) + 60 * int(minutes) + int(seconds), int(byoyomi), int(increment))


def _seconds(text: str) -> tuple[int, int, int] | None:
    """Return the seconds of a time control: main time, byoyomi, increment."""
    clock = _clock(text)
    return clock and tuple(int(ms) // UNITS["s"] for ms in (clock.time, clock.byoyomi, clock.increment))  # type: ignore[return-value]


def _time_csa_2(text: str) -> tuple[str, bool]:
    main, byoyomi, increment = _seconds(text) or (1, 0, 0)
    if main % 60 or byoyomi > 99 or increment:
        return "", False
    return f"{main // 3600:02}:{main // 60 % 60:02}+{byoyomi:02}", True


def _time_csa_3(text: str) -> tuple[str, bool]:
    found = _seconds(text)
    return ("+".join(map(str, found)), True) if found else ("", False)


def _time_ggf(text: str) -> tuple[str, bool]:
    if _GGF.fullmatch(text) or not (found := _seconds(text)):
        return text, True  # GGF does not say what else may be there
    main, byoyomi, increment = found
    hours = f"{main // 3600}:{main // 60 % 60:02}" if main >= 3600 else f"{main // 60}"
    return f"{hours}:{main % 60:02}{f'/0:{increment:02}' if increment else ''}", not byoyomi


def _time_sgf(text: str) -> tuple[str, bool]:
    if _SGF.fullmatch(text):
        return text, True
    main, byoyomi, increment = _seconds(text) or (None, 0, 0)
    extension = (found := _GGF.fullmatch(text)) and found[6]
    return ("", False) if main is None else (str(main), not (byoyomi or increment or extension))


def _date(text: str) -> tuple[list[int], bool]:
    """Return the numbers of a date, with hour, minute and second or without; [] if it is none."""
    text = wide_to_ascii(text).strip()
    found = _DATE.match(text)
    numbers = [int(each) for each in found.groups() if each] if found else []
    limits = zip(numbers, (9999, 12, 31, 23, 59, 59), strict=False)
    if found is None or not all(numbers[:3]) or any(number > limit for number, limit in limits):
        return [], False
    return numbers, found.end() == len(text)


def _date_csa(text: str) -> tuple[str, bool]:
    numbers, whole = _date(text)
    if not numbers:
        return "", False
    time = [*numbers[3:], 0, 0, 0][:3]
    day = "{:04}/{:02}/{:02}".format(*numbers)
    return day + (" {:02}:{:02}:{:02}".format(*time) if numbers[3:] else ""), whole


def _date_sgf(text: str) -> tuple[str, bool]:
    if _SGF_DATE.fullmatch(text):
        return text, True
    numbers, whole = _date(text)
    return ("{:04}-{:02}-{:02}".format(*numbers), whole and len(numbers) == 3) if numbers else ("", False)


def _number(text: str) -> tuple[str, bool]:
    digits = wide_to_ascii(text).strip().removesuffix("手").strip()
    return (digits, True) if digits.isascii() and digits.isdecimal() else ("", False)


def _with_escapes(text: str) -> tuple[str, bool]:
    return text.replace("\\", "\\\\").replace("\n", "\\n"), True


# ---- the table ---------------------------------------------------------------------------------------------------


class Header(NamedTuple):
    """A header's name in each format, '' if the format has none."""

    meaning: str
    kif: str
    csa_2: str = ""
    csa_3: str = ""
    sgf: str = ""
    ggf: str = ""


_TABLE = {
    "title": Header("the game's title", "表題", "TITLE", "TITLE", "GN"),
    "event": Header("the tournament, the match", "棋戦", "EVENT", "EVENT", "EV", "EV"),
    "site": Header("where it was played", "場所", "SITE", "SITE", "PC", "PC"),
    "started": Header("date and time of its start", "開始日時", "START_TIME", "START_TIME", "DT", "DT"),
    "ended": Header("date and time of its end", "終了日時", "END_TIME", "END_TIME"),
    "opening": Header("the opening's name", "戦型", "OPENING", "OPENING", "ON", "ON"),
    "time": Header("the time control", "持ち時間", "TIME_LIMIT", "TIME", "TM", "TI"),
    "black_time": Header("black's time control", "先手持ち時間", "", "TIME+", "", "TB"),
    "white_time": Header("white's time control", "後手持ち時間", "", "TIME-", "", "TW"),
    "max_moves": Header("the number of moves after which it is drawn", "最大手数", "", "MAX_MOVES"),
    "impasse": Header("the rule for games with both kings in the other's camp", "持将棋", "", "JISHOGI"),
    "note": Header("a note", "備考", "", "NOTE", "GC"),
}
_FORMS: dict[str, dict[str, Form]] = {
    "csa_2": {"started": _date_csa, "ended": _date_csa, "time": _time_csa_2},
    "csa_3": {"started": _date_csa, "ended": _date_csa, "max_moves": _number, "note": _with_escapes}
    | dict.fromkeys(("time", "black_time", "white_time"), _time_csa_3),
    "sgf": {"started": _date_sgf, "time": _time_sgf},
    "ggf": dict.fromkeys(("time", "black_time", "white_time"), _time_ggf),
}
HEADERS = {name: header.meaning for name, header in _TABLE.items()}


class HeaderNames:
    """A format's names of headers. Use `to_shared` when reading, `own_of` when writing.

    Args:
        column: the format's in the table
        fits: tells whether a name can be written
    """

    def __init__(self, column: str, fits: Callable[[str], bool] = bool) -> None:
        self._own = {name: own for name, header in _TABLE.items() if (own := getattr(header, column))}
        self._shared = {own: name for name, own in self._own.items()}
        self._forms, self._fits = _FORMS.get(column, {}), fits

    def to_shared(self, name: str) -> str:
        """Return the shared name for the format's `name`, or the name itself."""
        return self._shared.get(name, name)

    def to_own(self, name: str) -> str:
        """Return the format's name for the shared `name`, or the name itself."""
        return self._own.get(name, name)

    def own_of(self, headers: dict[str, str]) -> dict[str, str]:
        """Return the headers that can be written, by the format's names: on one line, in the format's form."""
        return {self.to_own(name): text for name, (text, _) in self._written(headers).items() if text}

    def keeps(self, headers: dict[str, str]) -> bool:
        """Tell whether `own_of` leaves nothing out."""
        return all(whole for _, whole in self._written(headers).values())

    def _written(self, headers: dict[str, str]) -> dict[str, tuple[str, bool]]:
        """Return each value as it is written, '' if it cannot be, and whether this is all of it."""
        found = {}
        for name, value in headers.items():
            text, whole = self._forms[name](value.strip()) if name in self._forms else (value, True)
            text = one_line(text) if self._fits(self.to_own(name)) else ""
            found[name] = text, not one_line(value) or (bool(text) and whole)
        return found
