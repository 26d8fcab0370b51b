"""Code shared by the commands: argument types, common options, and output."""

import argparse
import contextlib
import json
import math
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from shogi_engine import games, language
from shogi_engine.cli import COMMANDS, Command
from shogi_engine.common.files import AnyPath, is_same_file, write_whole
from shogi_engine.common.system import machine_megabytes
from shogi_engine.common.text import columns, nodes_per_second, printable, printable_lines
from shogi_engine.games.shogi.names import NOTATIONS
from shogi_engine.language import InputError, Message, plural, translate as _, translate_fault
from shogi_engine.types.limits import Clock

if TYPE_CHECKING:
    from shogi_engine.records import GameRecord, RecordFormat
    from shogi_engine.suites import SuiteResult


DIGITS_MAX = 18  # longer numbers do not fit an int64
HASH_MB_MAX = 65536  # as in USI
NOTES_MAX = 10  # of a file of records
PORT_MAX = 65535
STANDARD = "-"  # stdin or stdout


class Formatter(argparse.HelpFormatter):
    """Shows help in the language in use, with defaults; kanji take two columns and have no spaces between them."""

    def start_section(self, heading: str | None) -> None:
        """Begin a section with a translated heading."""
        super().start_section(heading and _(heading))

    def _get_help_string(self, action: argparse.Action) -> str:
        text, default = _(action.help) if action.help else "", action.default
        said = default in (None, "", argparse.SUPPRESS) or "default" in str(action.help)
        if said or not isinstance(default, int | float | str) or isinstance(default, bool):
            return text
        shown = f"{default:g}" if isinstance(default, float) else default
        return _("{text}; default {default}").format(text=text, default=shown)

    def _get_default_metavar_for_optional(self, action: argparse.Action) -> str:
        number = action.type in (natural, at_least_one, int)
        return "N" if number else "FILE" if action.type is Path else super()._get_default_metavar_for_optional(action)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if text.isascii() else wrapped(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(
            paragraph.strip("\n")
            if "\n  " in paragraph  # a table
            else "\n".join(indent + line for line in self._split_lines(paragraph, width - len(indent)))
            for paragraph in _(text).strip("\n").split("\n\n")
        )


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text that may contain two-column characters; return its lines."""
    lines = [""]
    for part in re.findall(r"[\x21-\x7e]+|.", " ".join(text.split())):
        if lines[-1] and columns(lines[-1] + part) > width and part not in "、。」）":
            lines.append("")
        lines[-1] += part if lines[-1] else part.lstrip()
    return [line.rstrip() for line in lines if line]


vars(argparse).update(_=_, ngettext=plural)  # it looks its own texts up by these names


class Parser(argparse.ArgumentParser):
    """An ArgumentParser with messages in the language in use, and one-line errors."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"formatter_class": Formatter, **settings})

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with status 2."""
        tell(f"{self.prog}: {message}")
        sys.exit(2)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse all arguments; exit if some are unknown."""
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command = f"{self.prog} {getattr(parsed, 'command', '')}".rstrip()
            self.error(_(Message("unrecognized arguments: {0}; see {1} --help", " ".join(unknown), command)))
        return parsed

    def _parse_known_args(self, *arguments: Any) -> Any:
        try:
            return super()._parse_known_args(*arguments)
        except argparse.ArgumentError as fault:  # its message is about to become a part of another
            fault.message = _(fault.message)
            raise


# ---- argument types ----------------------------------------------------------------------------------------------


def natural(text: str, least: int = 0) -> int:
    """Return the integer `text`, `least` or more, for argparse."""
    if len(text.lstrip("0")) > DIGITS_MAX and text.isascii() and text.isdecimal():
        raise argparse.ArgumentTypeError(Message("the number {0}... is too large", text[:DIGITS_MAX]))
    if not (text.isascii() and text.isdecimal()) or int(text) < least:
        raise argparse.ArgumentTypeError(Message("expected a number, {0} or more, not {1!r}", least, text))
    return int(text)


def at_least_one(text: str) -> int:
    """Return the positive integer `text`, for argparse."""
    return natural(text, 1)


def real(least: float, most: float) -> Callable[[str], float]:
    """Return a reader of numbers from `least` to `most`, for argparse."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(
                Message("expected a number from {0:g} to {1:g}, not {2!r}", least, most, text)
            )
        return number

    return read


def true_or_false(text: str) -> bool:
    """Return a truth value, for argparse."""
    if text not in ("true", "false"):
        raise argparse.ArgumentTypeError(Message("expected true or false, not {0!r}", text))
    return text == "true"


def megabytes(text: str) -> int:
    """Return the size of a transposition table, for argparse; refuse one that cannot be allocated.

    A system that overcommits memory would kill the process when the table is first written.
    """
    size = at_least_one(text)
    if size > HASH_MB_MAX:
        raise argparse.ArgumentTypeError(Message("a table can have 1 to {0} MB, not {1}", HASH_MB_MAX, size))
    memory = machine_megabytes()
    if 0 < memory < size:
        raise argparse.ArgumentTypeError(
            Message("a table of {0} MB does not fit: this machine has {1} MB of memory", size, memory)
        )
    return size


def port(text: str) -> int:
    """Return the number of a TCP port, for argparse."""
    if (number := natural(text)) > PORT_MAX:
        raise argparse.ArgumentTypeError(Message("a port is a number from 0 to {0}, not {1}", PORT_MAX, number))
    return number


def time_control(text: str) -> Clock:
    """Return the clock of both sides at the start of a game, for argparse."""
    try:
        return Clock.parse(text)
    except ValueError as fault:
        raise argparse.ArgumentTypeError(str(fault)) from None


def game_name(text: str) -> str:
    """Return the name of a game, for argparse."""
    if text not in games.names():
        raise argparse.ArgumentTypeError(
            Message("there is no game {0!r}; there are {1}", text, ", ".join(games.names()))
        )
    return text


# ---- A command's arguments: a class whose attributes are read from the command line


class Argument(NamedTuple):
    """An attribute of `Arguments` that the parser reads.

    Attributes:
        names: of the option; None for a positional argument
        settings: of `add_argument`
        group: the heading of the option in the help, '' for none of its own
        listed: settings that the help lists, under each title
    """

    names: Sequence[str] | None
    settings: Mapping[str, Any]
    group: str = ""
    listed: Mapping[str, Iterable["Setting"]] = {}


class Arguments:
    """The arguments of a command.

    Attributes:
        command: the command's name
        language: of messages
    """

    command: str
    language: str

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def add_to(cls, parser: argparse.ArgumentParser) -> None:
        """Add the arguments that the attributes of the class stand for, in their order."""
        groups: dict[str, argparse._ActionsContainer] = {"": parser}
        for name, each in vars(cls).items():
            if not isinstance(each, Argument):
                continue
            if each.group not in groups:
                groups[each.group] = parser.add_argument_group(each.group)
            if each.names is None:
                parser.add_argument(name, **each.settings)
            else:
                names = each.names or [f"--{name.replace('_', '-')}"]
                groups[each.group].add_argument(*names, dest=name, **each.settings)
            for title, listed in each.listed.items():
                parser.add_argument_group(title)._group_actions += listed

    @classmethod
    def of_group(cls, group: str) -> list[str]:
        """Return the names of the arguments under a heading."""
        return [name for name, each in vars(cls).items() if isinstance(each, Argument) and each.group == group]


def positional(metavar: str, help: Any, **settings: Any) -> Any:
    """Return an attribute of `Arguments` for a positional argument."""
    return Argument(None, {"metavar": metavar, "help": help, **settings})


def option(help: Any, *names: str, group: str = "", **settings: Any) -> Any:
    """Return an attribute of `Arguments` for an option, which has the attribute's name unless it has others."""
    return Argument(names, {"help": help, **settings}, group)


def flag(help: Any, group: str = "") -> Any:
    """Return an attribute of `Arguments` for an option without a value."""
    return option(help, group=group, action="store_true")


def add_command(
    commands: Any,
    name: str,
    run: Callable[[Any], int] | None = None,
    arguments: type[Arguments] = Arguments,
    command: Command | None = None,
) -> argparse.ArgumentParser:
    """Return a new parser for a command, one of COMMANDS if no other is given, added to `commands`."""
    command = command or COMMANDS[name]
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=command.help, description=command.help, allow_abbrev=False, aliases=command.aliases
    )
    if run is not None:
        parser.set_defaults(run=lambda parsed: run(arguments(**vars(parsed))))
    add_language(parser)
    arguments.add_to(parser)
    return parser


def add_module(commands: Any, name: str) -> None:
    """Add the command `name` with the arguments that its module has."""
    module = import_module(f"shogi_engine.cli.{name}")
    if hasattr(module, "add_parser"):
        module.add_parser(commands)
    else:
        add_command(commands, name, module.run, module.Arguments).epilog = getattr(module, "EPILOG", None)


def add_language(parser: argparse.ArgumentParser) -> None:
    """Add --language. `__main__` reads it before it makes the parser, so that the help is in that language."""
    parser.add_argument(
        "--language",
        choices=language.LANGUAGES,
        default=language.current(),
        help="language of messages; default: that of the locale",
    )


# ---- attributes that several commands have


JSON = flag("print one JSON object as the last line")
POSITION = option("a position in the game's notation; default: the starting position", default="", metavar="POS")
MOVES = option("moves to make from the position first", nargs="*", default=[], metavar="M")
THREADS = option("number of threads", type=at_least_one, default=1)
THREADS_OR_CORES = option("positions searched at the same time; default: one per core", type=at_least_one)
LEVEL = option("strength of the engine: 0 (a beginner) to 20 (full strength) in Shogi, to 30 in Othello", type=int)
CLUSTER = option(
    "distribute the work with Ray: on the cluster at ADDRESS, on this machine's (auto), or here alone (local)",
    default="",
    metavar="ADDRESS",
)


def game_argument(count: str | None = None, read: Callable[[str], str] = game_name) -> Any:
    """Return the argument GAME."""
    help = Message("{0}, or one of an installed package", Message("{0} or {1}", *games.NAMES))
    return positional("GAME", help, nargs=count, type=read)


def hash_option(default: int = 64) -> Any:
    """Return the option --hash."""
    return option("size of the transposition table", type=megabytes, default=default, metavar="MB")


def notation_option(group: str = "") -> Any:
    """Return the option --notation, of Shogi's moves."""
    help = "Shogi: notation of moves; default: as the language and the terminal suggest"
    return option(help, group=group, choices=NOTATIONS, default="")


class PairsAction(argparse.Action):
    """Collects NAME=VALUE,... in a dictionary. A further option of the action is a name: --nodes N means nodes=N."""

    def __init__(self, readers: Mapping[str, Callable[[str], Any]], **options: Any) -> None:
        super().__init__(**options)
        self._readers = readers

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        """Add the given values to those before."""
        found = dict(getattr(namespace, self.dest))
        for part in values.split(",") if option == self.option_strings[0] else [f"{str(option)[2:]}={values}"]:
            name, _sign, value = part.partition("=")
            if name not in self._readers:
                names = ", ".join(self._readers)
                raise argparse.ArgumentError(
                    self, Message("expected one of {0}, each with =VALUE, not {1!r}", names, part)
                )
            try:
                found[name] = self._readers[name](value)
            except argparse.ArgumentTypeError as fault:
                raise argparse.ArgumentError(self, Message("{0}: {1}", f"{name}={value}", fault)) from None
        setattr(namespace, self.dest, found)


def limit_option(*names: str, default: str) -> Any:
    """Return the option --limit, with the `names` of limits as options of their own."""
    first, values = names[0], ", ".join(f"{name}={'MS' if name == 'movetime' else 'N'}" for name in names)
    words = "{0}, or several joined by commas; --{1} N is short for --limit {2}=N; default {3}"
    readers = {name: natural if name == "level" else at_least_one for name in names}
    help, options = Message(words, values, first, first, default), (f"--{name}" for name in ("limit", *names))
    return option(help, *options, action=PairsAction, readers=readers, default={})


class Setting(argparse.Action):
    """A setting of --set, which the help shows as NAME=METAVAR."""

    def __init__(self, shown: str, read: Callable[[str], Any], help: str, default: Any = None) -> None:
        super().__init__([], shown.partition("=")[0], default=default, metavar=shown, help=help)
        self.read = read


def settings_option(**groups: Iterable[Setting]) -> Any:
    """Return the option --set, for settings that are rarely changed, by the titles that the help lists them under."""
    settings = [each for listed in groups.values() for each in listed]
    readers = {each.dest: each.read for each in settings}
    default = {each.dest: each.default for each in settings if each.default is not None}
    told: dict[str, Any] = {"metavar": "NAME=VALUE,...", "help": "settings, listed below"}
    return Argument(["--set"], told | {"action": PairsAction, "readers": readers, "default": default}, "", groups)


# ---- output ------------------------------------------------------------------------------------------------------


def tell(text: str) -> None:
    """Print a line to stderr, if it is still open."""
    with contextlib.suppress(OSError):  # the terminal may be closed
        print(printable(text), file=sys.stderr)


def loaded(path: str, game: str = "") -> "list[GameRecord]":
    """Return the games of a file, or of those files in a folder that can be read.

    What was passed over in a file, and why one cannot be read, is printed to stderr. Raises OSError, ValueError.
    """
    from shogi_engine import records
    from shogi_engine.records.files import files_below

    folder, games = Path(path).is_dir(), list[records.GameRecord]()
    for file in files_below(path) if folder else [path]:
        try:
            found = records.load(file, game=game)
        except (OSError, ValueError) as fault:
            if not folder:
                raise
            tell(language.translate_fault(fault))
            continue
        tell_notes(file, [note for record in found for note in record.notes])
        games += found
    if not games:
        raise InputError("{0}: there is no game that can be read", path)
    return games


def tell_lost(file: str | Path, format: "RecordFormat", written: "Iterable[GameRecord]") -> None:
    """Print what a format cannot hold of the games in a file to stderr."""
    if lost := sorted({what for record in written for what in format.losses(record)}):
        words = _("{file}: {format} cannot hold {lost}")
        tell(words.format(file=file, format=format.name, lost=", ".join(map(_, lost))))


def tell_notes(name: str, notes: Sequence[str]) -> None:
    """Print what was passed over in a file of records to stderr, at most NOTES_MAX lines."""
    for note in notes[:NOTES_MAX]:
        tell(f"{name}: {_(note)}")
    if len(notes) > NOTES_MAX:
        more = plural("{count} more note", "{count} more notes", len(notes) - NOTES_MAX)
        tell(f"{name}: {more.format(count=len(notes) - NOTES_MAX)}")


def report(as_json: bool, values: dict[str, Any], text: str) -> None:
    """Print the result: `text` for people, or one JSON object."""
    print(json.dumps(values) if as_json else printable_lines(text), flush=True)


def report_suite(as_json: bool, outcome: "SuiteResult") -> int:
    """Print a suite's failures and totals; return the exit status."""
    for failure in outcome.failures:
        print(printable_lines(failure))
    report(
        as_json, outcome.values(), f"{outcome.summary()}, {nodes_per_second(outcome.nodes, outcome.seconds)} nodes/s"
    )
    return 1 if outcome.failed else 0


# ---- The output files of commands, checked before hours of work, and each written whatever becomes of the others


class Attempts:
    """Writes of several outputs: the others are tried too if one fails, on a full disk for instance."""

    def __init__(self) -> None:
        self._faults: list[Exception] = []

    def __call__(self, write: Callable[..., object], *arguments: object) -> None:
        """Call `write(*arguments)` and keep its fault, an OSError or ValueError."""
        try:
            write(*arguments)
        except (OSError, ValueError) as fault:
            self._faults.append(fault)

    def end(self) -> None:
        """Print all faults but the last on stderr, and raise that one."""
        for fault in self._faults[:-1]:
            tell(f"shogi-engine: {translate_fault(fault)}")
        if self._faults:
            raise self._faults[-1]


def check_outputs(command: str, outputs: Mapping[str, AnyPath | None], inputs: Iterable[AnyPath | None] = ()) -> None:
    """Raise ValueError if an output has no folder or is one, or would overwrite an input or another output.

    Args:
        outputs: by their options; None or '' if an option is not given
        inputs: the files to be read, None or '' if they are not given
    """
    read = [path for path in inputs if path]
    written: dict[str, AnyPath] = {}
    for option, path in outputs.items():
        if not path:
            continue
        target = Path(path)
        if not target.absolute().parent.is_dir():
            raise InputError("{0}: there is no folder {1} to write {2} to", command, target.parent, target.name)
        if target.is_dir():
            raise InputError("{0}: {1} must be a file, and {2} is a folder", command, option, path)
        if any(is_same_file(path, each) for each in read):
            raise InputError("{0}: {1} would overwrite {2}, which is read", command, option, path)
        for other, earlier in written.items():
            if is_same_file(path, earlier):
                raise InputError("{0}: {1} and {2} would write the same file {3}", command, other, option, path)
        written[option] = path


# ---- Positions as pictures and pages, for `convert`, `study` and `tsume`


PAGE = "html"
STYLES = ("book.svg", "book.png", "svg", "png")  # a name ends in the first that fits
DRAWN = (*STYLES, PAGE)


def drawn_by(name: str) -> str:
    """Return which of DRAWN a file's name ends in, '' if none."""
    return next((kind for kind in DRAWN if name.lower().endswith(f".{kind}")), "")


def draw(games: "Sequence[GameRecord]", kind: str, title: str) -> bytes:
    """Return a picture of a game, as `study.diagram` draws it, or a page of several games.

    Args:
        kind: one of DRAWN
        title: of a page

    Raises:
        ValueError: several games for one picture, or the package for PNG is not installed
    """
    from shogi_engine import study
    from shogi_engine.games.svg import BOOK, COLOUR, png

    if kind == PAGE:
        return study.sheet(games, title, language.current()).encode("utf-8", "replace")
    if len(games) != 1:
        raise InputError("a picture shows one position, and there are {0}; .html is for several", len(games))
    picture = study.diagram(games[0], BOOK if kind.startswith("book") else COLOUR)
    return png(picture) if kind.endswith("png") else picture.encode()


# ---- The files of problems that `study` and `tsume` write: records, a page to print, or lines of text


def write_problems(file: Path, problems: "Sequence[GameRecord]", title: str, lines: str) -> str:
    """Write problems as the file's name says: as a page, as records, else as lines of text; return what was written.

    A format that only one game has gets the problems of that game.

    Args:
        title: of a page
        lines: the problems as text
    """
    from shogi_engine import records

    formats = {game: records.format_of_name(str(file), game) for game in sorted({each.game for each in problems})}
    chosen = next((each for each in formats.values() if each is not None), None)
    written = problems
    if kind := drawn_by(file.name):
        content = draw(problems, kind, title)
    elif chosen is not None:
        written = [each for each in problems if formats[each.game] is not None]
        content = records.dumps(written, chosen.name, records.encoding_for(str(file)))
    else:
        content = lines.encode()
    write_whole(file, content)
    if chosen is not None and not kind:
        tell_lost(file, chosen, written)
    words = plural("{file}: {count} problem", "{file}: {count} problems", len(written))
    return words.format(file=file, count=len(written))


# ---- The signals that end a command: an exception, so that children are ended and files are completed first


NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)


HUNG_UP = 129  # the exit status of SIGHUP


class EndSignal(KeyboardInterrupt):
    """A signal has requested the end of the program."""


class EndingSignals:
    """The first such signal.

    Attributes:
        status: its exit status by the convention of shells, 0 for none
        first: called instead of raising EndSignal
    """

    def __init__(self) -> None:
        self.status = 0
        self._terminal = os.isatty(0)
        self.first: Callable[[], object] | None = None

    def ended(self, status: int) -> int:
        """Return the exit status of a command that has failed with `status`: that of the signal, if one has ended it.

        A read from a terminal that is being closed fails just before the signal comes.
        """
        hung_up = self._terminal and not os.isatty(0)
        return self.status or (HUNG_UP if hung_up else status)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal. Raises EndSignal only once: a second signal must not interrupt the saving."""
        again, self.status = self.status, self.status or 128 + number
        if self.first is not None:
            self.first()
        elif not again:
            raise EndSignal


_active: list[EndingSignals] = []


@contextlib.contextmanager
def ending_signals() -> Iterator[EndingSignals]:
    """Raise EndSignal for Ctrl-C, SIGTERM and SIGHUP in this block of the main thread; ignored signals stay ignored.

    A block within another one gets the signals of the outer one.
    """
    if _active:
        yield _active[-1]
        return
    signals = EndingSignals()
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in filter(None, (getattr(signal, name, None) for name in NAMES)):
            if signal.getsignal(number) in DEFAULTS:
                before[number] = signal.signal(number, signals)
    _active.append(signals)
    try:
        yield signals
    finally:
        _active.remove(signals)
        for number, handler in before.items():
            signal.signal(number, handler)


def flush_quietly() -> None:
    """Flush stdout and stderr, ignoring the errors of a closed terminal.

    The unwritten output is discarded: Python would try again on exit, and exit with status 120.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError), open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())
