"""Lines from USI engines: options and infos. Unreadable parts are skipped without an error, and numbers are limited."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from shogi_engine.common.text import NUMBER_MAX, clamped_number, sanitize
from shogi_engine.language import InputError
from shogi_engine.types.info import Info
from shogi_engine.types.score import Score

BOUNDS = {"lowerbound": "lower", "upperbound": "upper"}
IMPLIED = ("USI_Hash", "USI_Ponder")  # options that every engine has, listed or not

Value = str | int | bool | None  # an option's value; None presses a button
Options = tuple[tuple[str, Value], ...]  # in the order of sending

_OPTION = re.compile(r"option\s+name\s+(?P<name>.+?)\s+type\s+(?P<type>\S+)(?P<rest>.*)")
_WITH_OPTIONS = re.compile(r"(.+?):([A-Za-z_][\w ]*=.*)")
_PART = re.compile(r"\s(default|min|max|var)(?=\s|$)")
_MOVE = re.compile(r"[1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i]", re.ASCII)
_NUMBERS = {"time": NUMBER_MAX, "nodes": NUMBER_MAX, "nps": NUMBER_MAX, "hashfull": 1000}  # with the highest values
_NUMBERS |= dict.fromkeys(("depth", "seldepth", "multipv", "currmovenumber"), 9999)


@dataclass(frozen=True)
class Option:
    """An option as listed by the engine.

    Attributes:
        type: check, spin, combo, button, string or filename
        var: the choices of a combo
    """

    name: str
    type: str
    default: str = ""
    min: int | None = None
    max: int | None = None
    var: tuple[str, ...] = ()

    def text(self, value: Value) -> str | None:
        """Return a value as it is sent, None for a button. Raises ValueError if the option cannot have it."""
        if self.type == "button":
            if value is not None:
                raise InputError("option {0} is a button and has no value", self.name)
            return None
        text = plain_text(value)
        if text is None:
            raise InputError("option {0} needs a value", self.name)
        if self.type == "check" and text not in ("true", "false"):
            raise InputError("option {0} must be true or false, not {1!r}", self.name, sanitize(text))
        if self.type == "combo" and self.var and text not in self.var:
            raise InputError("option {0} must be one of {1}, not {2!r}", self.name, ", ".join(self.var), sanitize(text))
        if self.type == "spin":
            number = clamped_number(text)
            if (self.min is not None and number < self.min) or (self.max is not None and number > self.max):
                raise InputError("option {0} must be {1} to {2}, not {3}", self.name, self.min, self.max, number)
        return text


def is_move(text: str) -> bool:
    """Tell whether a word is a move: '7g7f', '8h2b+', 'P*5e'; not 'resign', '(none)', 'rep_draw' ..."""
    return _MOVE.fullmatch(text) is not None


def first_word(line: str) -> str:
    """Return the command of a line."""
    return line.split(maxsplit=1)[0] if line else ""


def plain_text(value: Value) -> str | None:
    """Return an option's value as text; None stays None."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def parse_option(line: str) -> Option | None:
    """Return the option of a line 'option name ...', None for other lines."""
    found = _OPTION.match(line)
    if not found:
        return None
    _, *parts = _PART.split(" " + found["rest"].strip()) if found["rest"].strip() else [""]
    fields: dict[str, str] = {}
    var = []
    for key, text in zip(parts[::2], parts[1::2], strict=True):
        if key == "var":
            var.append(text.strip())
        else:
            fields[key] = text.strip()
    default = "" if fields.get("default") == "<empty>" else fields.get("default", "")
    return Option(found["name"], found["type"], default, _number(fields, "min"), _number(fields, "max"), tuple(var))


def _number(fields: Mapping[str, str], name: str) -> int | None:
    try:
        return clamped_number(fields[name])
    except (KeyError, ValueError):
        return None


def parse_options(text: str) -> Options:
    r"""Return the options of 'Name=Value,Name=Value'; a comma within a value is written '\,'."""
    options: list[tuple[str, Value]] = []
    for part in text.replace("\\,", "\0").split(","):
        part = part.replace("\0", ",").strip()
        if part:
            name, equals, value = part.partition("=")
            options.append((name.strip(), value.strip() if equals else None))
    return tuple(options)


def split_options(text: str) -> tuple[str, Options]:
    """Return the command and the options of 'COMMAND' or 'COMMAND:NAME=VALUE,...'; a path may begin with 'C:'."""
    found = _WITH_OPTIONS.fullmatch(text)
    return (found[1], parse_options(found[2])) if found else (text, ())


def listed_options(options: "Mapping[str, Value] | Iterable[tuple[str, Value]]") -> Options:
    """Return options as pairs."""
    return tuple(options.items() if isinstance(options, Mapping) else options)


def parse_info(line: str) -> Info[str]:
    """Return the contents of an info line. Moves are not checked; a pv ends before a non-move such as 'rep_draw'."""
    numbers: dict[str, Any] = {}
    score: Score | None = None
    currmove: str | None = None
    bound, string = "", ""
    pv: list[str] = []
    words = line.split()[1:]
    place = 0
    while place < len(words):
        word, after = words[place], words[place + 1] if place + 1 < len(words) else ""
        place += 1
        if word == "string":
            string = line.partition(" string")[2].strip()
            break
        if word in _NUMBERS:
            try:
                numbers[word] = clamped_number(after, 0, _NUMBERS[word])
                place += 1
            except ValueError:
                continue
        elif word == "currmove":
            currmove = after if is_move(after) else None
            place += 1
        elif word == "score":
            score, used = _score(words[place : place + 2])
            place += used
            bound = BOUNDS.get("".join(words[place : place + 1]), "") if score else ""
            place += bool(bound)
        elif word == "pv":
            while place < len(words) and is_move(words[place]):
                pv.append(words[place])
                place += 1
    if "time" in numbers:
        numbers["time"] /= 1000
    return Info(**numbers, score=score, bound=bound, currmove=currmove, pv=tuple(pv), string=string)


def _score(words: list[str]) -> tuple[Score | None, int]:
    """Return the score in the words after `score` and the number of words; None, 0 if there is none."""
    try:
        return (Score.parse(" ".join(words)), 2) if words[:1] in (["cp"], ["mate"]) else (None, 0)
    except ValueError:
        return None, 0
