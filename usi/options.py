"""The USI options: their declarations and values.

Names have no spaces, because ShogiHome drops names with spaces. They are not case-sensitive, and a leading `USI_` is
optional. Unknown options are ignored without a message, because GUIs always send some.
"""

import random
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine.common.text import clamped_number, sanitize
from shogi_engine.games.shogi import names
from shogi_engine.games.shogi.book import SHIPPED, shipped
from shogi_engine.interface.extras import opens_from_book
from shogi_engine.language import mark, translate
from shogi_engine.search.timeman import TimeOptions
from shogi_engine.types.results import Score
from usi.protocol import Go, ProtocolError

if TYPE_CHECKING:
    from shogi_engine.engine import Engine
    from usi.protocol import UsiOutput


STANDARD_FILE = "nn.bin"  # for nnue; with this name, `network` uses the engine's own file


@dataclass(frozen=True)
class Option:
    """One option as `usi` declares it.

    Attributes:
        kind: check, spin, combo, string or filename
    """

    name: str
    kind: str
    default: int | str  # of a check, 'true' or 'false'
    least: int = 0
    most: int = 0
    choices: Collection[str] = ()  # of a combo; a registry may grow

    def declaration(self) -> str:
        """Return the `option` line."""
        value = str(self.default) or "<empty>"
        line = f"option name {self.name} type {self.kind} default {value}"
        if self.kind == "spin":
            line += f" min {self.least} max {self.most}"
        return line + "".join(f" var {choice}" for choice in self.choices)

    def parse(self, text: str) -> int | str:
        """Return the value of `text`. A number outside the range is replaced by the nearest one inside."""
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise ProtocolError(f"setoption: {self.name} is true or false, not {sanitize(text)!r}")
            return text.lower()
        if self.kind == "spin":
            try:
                return max(self.least, min(self.most, clamped_number(text)))
            except ValueError:
                raise ProtocolError(f"setoption: {self.name} is a number, not {sanitize(text)!r}") from None
        if self.kind == "combo":
            for choice in self.choices:
                if choice.lower() == text.lower():
                    return choice
            raise ProtocolError(f"setoption: {self.name} is one of {' '.join(self.choices)}, not {sanitize(text)!r}")
        return "" if text == "<empty>" else text


OPTIONS = (
    Option("USI_Hash", "spin", 64, 1, 65536),
    Option("USI_Ponder", "check", "false"),
    Option("Stochastic_Ponder", "check", "false"),
    Option("Threads", "spin", 1, 1, 256),
    Option("MultiPV", "spin", 1, 1, 593),
    Option("NetworkDelay", "spin", TimeOptions.network_delay, 0, 10000),
    Option("NetworkDelay2", "spin", TimeOptions.network_delay2, 0, 10000),
    Option("MinimumThinkingTime", "spin", TimeOptions.minimum_thinking_time, 0, 100000),
    Option("SlowMover", "spin", TimeOptions.slow_mover, 10, 1000),
    Option("RoundUpToFullSecond", "check", "false"),
    Option("MateSearch", "check", "true"),
    Option("EvalType", "combo", names.EVALUATIONS.default, choices=names.EVALUATIONS),
    Option("EvalDir", "string", "eval"),
    Option("EvalFile", "filename", STANDARD_FILE),
    Option("FV_SCALE", "spin", names.DEFAULT_SCALE, 1, names.LARGEST_SCALE),
    Option("USI_OwnBook", "check", "true"),
    Option("BookFile", "filename", "book.db"),
    Option("BookMoves", "spin", 16, 1, 600),
    Option("BookEvalDiff", "spin", 30, 0, 99999),
    Option("BookIgnoreRate", "spin", 0, 0, 100),
    Option("IgnoreBookPly", "check", "true"),
    Option("FlippedBook", "check", "true"),
    Option("EnteringKingRule", "combo", "CSARule27", choices=names.ENTERING_KING_RULES),
    Option("MaxMovesToDraw", "spin", 0, 0, 100000),
    Option("DrawValueBlack", "spin", -2, -30000, 30000),
    Option("DrawValueWhite", "spin", -2, -30000, 30000),
    Option("ResignValue", "spin", 99999, 1, 99999),
    Option("SkillLevel", "spin", names.FULL, 0, names.FULL),
    Option("PvInterval", "spin", 300, 0, 100000),
    Option("ConsiderationMode", "check", "false"),
    Option("OutputFailLHPV", "check", "true"),
    Option("NodesLimit", "spin", 0, 0, 1 << 53),
    Option("DepthLimit", "spin", 0, 0, 1000),
    Option("DebugLogFile", "filename", ""),
)

# The descriptions of the options.
HELP = {
    "USI_Hash": mark("Size of the transposition table in MB."),
    "USI_Ponder": mark("The engine also thinks on the opponent's time, so its own time lasts longer."),
    "Stochastic_Ponder": mark("Ponder on the position before the opponent's move, that is, on all replies."),
    "Threads": mark("Number of search threads."),
    "MultiPV": mark("Number of best moves to search; the lines of each depth are shown together, best first."),
    "NetworkDelay": mark("Delay of each move in ms between the engine and the clock."),
    "NetworkDelay2": mark("Maximum reserve in ms on a move that may use all the remaining time."),
    "MinimumThinkingTime": mark("Minimum time for a move in ms, if the clock allows it."),
    "SlowMover": mark("Thinking time per move, in percent of the planned share of the main time."),
    "RoundUpToFullSecond": mark("For clocks that count full seconds only: use each second charged, less NetworkDelay."),
    "MateSearch": mark("Also look for mates in another thread; its kernels are loaded at isready."),
    "EvalType": mark("The evaluation; nnue needs a file, see EvalFile."),
    "EvalDir": mark("The folder of EvalFile."),
    "EvalFile": mark(
        "For nnue, a network in the standard format (HalfKP, K-P, SFNN); for network, one made by `train`."
    ),
    "FV_SCALE": mark(
        "The divisor of an nnue network's output; eval_options.txt in its folder can replace the default 16."
    ),
    "USI_OwnBook": mark("Play from the opening book if there is a clock or a movetime; not with ConsiderationMode."),
    "BookFile": mark("The book: a file, book.db for the engine's own book, or no_book."),
    "BookMoves": mark("Maximum number of moves of a book position to choose from."),
    "BookEvalDiff": mark("Centipawns by which a book move may be worse than the best one."),
    "BookIgnoreRate": mark("Percentage of moves, at random, for which the book is not used."),
    "IgnoreBookPly": mark("Look positions up regardless of the move number; if false, it must be the book's."),
    "FlippedBook": mark("Also look positions up with the colours reversed."),
    "EnteringKingRule": mark("The rule by which an entering king wins by declaration."),
    "MaxMovesToDraw": mark("The game is drawn after this many moves; 0 for never."),
    "DrawValueBlack": mark("Value of a draw to the engine in centipawns when it plays black."),
    "DrawValueWhite": mark("Value of a draw to the engine in centipawns when it plays white."),
    "ResignValue": mark("Resign when the engine's score is minus this many centipawns or less."),
    "SkillLevel": mark("20 is full strength, 0 plays any move; 0 to 3 use no book; analysis is never weakened."),
    "PvInterval": mark("Minimum time between two reports in ms."),
    "ConsiderationMode": mark("For analysis: extend lines that the transposition table cut short, from the table."),
    "OutputFailLHPV": mark("Show lines whose value is only a bound (fail low, fail high)."),
    "NodesLimit": mark("Maximum number of nodes per search; 0 for no limit."),
    "DepthLimit": mark("Maximum search depth in plies; 0 for no limit."),
    "DebugLogFile": mark("A file to which all input and output lines are written."),
}


def plain_name(name: str) -> str:
    """Return an option's name in lower case and without a prefix, for comparison."""
    return name.lower().removeprefix("usi_")


class Options:
    """The values of `OPTIONS`: `options["MultiPV"]`; `set` accepts the text that a GUI sends."""

    def __init__(self) -> None:
        self._declared = {plain_name(option.name): option for option in OPTIONS}
        self._values = {option.name: option.default for option in OPTIONS}

    def set(self, name: str, text: str) -> str:
        """Set a value; return the declared name, or '' for an unknown option. Raises ProtocolError."""
        option = self._declared.get(plain_name(name))
        if option is None:
            return ""
        self._values[option.name] = option.parse(text)
        return option.name

    def number(self, name: str) -> int:
        """Return the value of a spin option."""
        return int(self._values[name])

    def flag(self, name: str) -> bool:
        """Return the value of a check option."""
        return self._values[name] == "true"

    def text(self, name: str) -> str:
        """Return the value of a combo, string or filename option."""
        return str(self._values[name])

    def limit_searches(self) -> bool:
        """Tell whether the options limit every search. Analysis and mate searches are never limited."""
        limited = any(self.number(name) > 0 for name in ("NodesLimit", "DepthLimit"))
        return limited or self.number("SkillLevel") < names.FULL

    def time_options(self) -> TimeOptions:
        """Return the settings of the time management."""
        return TimeOptions(
            network_delay=self.number("NetworkDelay"),
            network_delay2=self.number("NetworkDelay2"),
            minimum_thinking_time=self.number("MinimumThinkingTime"),
            slow_mover=self.number("SlowMover"),
            ponder=self.flag("USI_Ponder") and not self.flag("Stochastic_Ponder"),
        )


TABLE_HEAD = (mark("option"), mark("type"), mark("default"), mark("range"), mark("what it does"))


def options_table(language: str = "en") -> str:
    """Return all options as a table in Markdown."""
    head = " | ".join(translate(name, language) for name in TABLE_HEAD)
    lines = [f"| {head} |", "|---|---|---|---|---|"]
    between = translate("{least} to {most}", language)
    for option in OPTIONS:
        spread = ", ".join(option.choices)
        if option.kind == "spin":
            spread = between.format(least=option.least, most=option.most)
        words = translate(HELP[option.name], language)
        lines.append(f"| `{option.name}` | {option.kind} | {option.default} | {spread} | {words} |")
    return "\n".join(lines)


# ---- Loading the evaluation that the options select


@dataclass(frozen=True)
class Choice:
    """The name of an evaluation, the file of its weights if it needs one, and FV_SCALE."""

    name: str = names.EVALUATIONS.default
    file: Path | None = None
    fv_scale: int = names.DEFAULT_SCALE


def choice_of(options: Options) -> Choice:
    """Return the evaluation that `options` select."""
    name, file_name = options.text("EvalType"), options.text("EvalFile")
    if name not in names.FILE_EVALUATIONS and (name not in names.TRAINED_EVALUATIONS or file_name == STANDARD_FILE):
        return Choice(name)
    file = Path(options.text("EvalDir"), file_name).absolute()
    return Choice(name, file, options.number("FV_SCALE"))


def use(engine: "Engine", choice: Choice, inform: Callable[[str], None]) -> None:
    """Set the evaluation of `engine` to `choice`, or to the default if the file is invalid, and compile its kernels.

    Args:
        inform: called with a description of the evaluation, or of the fault in the file
    """
    try:
        engine.set_evaluation(choice.name, choice.file)
    except ValueError as fault:
        inform(f"{fault}; using {names.EVALUATIONS.default} instead")
        engine.set_evaluation()
    else:
        if choice.file is not None:
            described = f"evaluation {engine.searcher.evaluator.describe()}"
            if choice.name == "nnue":
                scale = (
                    choice.fv_scale if choice.fv_scale != names.DEFAULT_SCALE else names.read_scale(choice.file.parent)
                )
                engine.configure(fv_scale=scale)
                described += f", FV_SCALE {scale}"
            inform(described)
    engine.warmup()


def file_facts(engine: "Engine", choice: Choice) -> str:
    """Return the size of the evaluation's file and its FV_SCALE, '' if no file is in use."""
    if choice.file is None or not choice.file.exists():
        return ""
    evaluator = engine.searcher.evaluator
    if evaluator.evaluation.name != choice.name:  # the file was refused
        return ""
    size = f"{choice.file.stat().st_size / 1e6:.1f} MB"
    return f"{size}, FV_SCALE {evaluator.params.fv_scale}" if choice.name in names.FILE_EVALUATIONS else size


# ---- The opening book of a USI session: opening it, and answering `go` from it


NO_BOOK = "no_book"
NOTES_MAX = 3  # lines that are passed over and told


class OwnBook:
    """The book selected by the options. An engine begins with its own book, which it opens itself."""

    def __init__(self, options: Options, out: "UsiOutput") -> None:
        self._options, self._out = options, out
        self._name = SHIPPED.name
        self._rng = random.Random()

    def open(self, engine: "Engine") -> None:
        """Open the selected book. If it cannot be read, report this once and play without a book."""
        wanted = self._options.text("BookFile") if self._options.flag("USI_OwnBook") else NO_BOOK
        if wanted == self._name:
            return
        self._name = wanted
        try:
            engine.book.open(wanted)
        except ValueError as fault:
            self._out.info(f"no book: {fault}; BookFile {sanitize(wanted)}")
        for note in engine.book.notes[:NOTES_MAX]:
            self._out.info(f"book: {note}; BookFile {sanitize(wanted)}")

    def load(self) -> None:
        """Read the engine's own book if it is selected, so that this does not use time on the clock later."""
        if self._name == SHIPPED.name:
            shipped()

    def answer(self, go: Go, engine: "Engine", board: Any) -> str | None:
        """Return a book move as the answer to a `go` with a clock or movetime, or None if the book is not used."""
        by_clock = go.has_clock() or go.movetime is not None
        number, flag = self._options.number, self._options.flag
        if not opens_from_book(number("SkillLevel")):
            return None
        if not by_clock or go.infinite or go.searchmoves or go.depth or go.nodes or flag("ConsiderationMode"):
            return None
        self.open(engine)
        if self._name == NO_BOOK or self._rng.randrange(100) < number("BookIgnoreRate"):
            return None
        lookup = {"flipped": flag("FlippedBook"), "any_ply": flag("IgnoreBookPly")}
        found = engine.book.choice(board, best=number("BookMoves"), margin=number("BookEvalDiff"), **lookup)
        if found is None:
            return None
        lines, count = [found], number("MultiPV")
        if count > 1:
            lines += [each for each in engine.book.moves(board, **lookup) if each.move != found.move][: count - 1]
        for place, each in enumerate(lines, 1):
            rank = f"multipv {place} " if count > 1 else ""
            pv = " ".join(filter(None, (each.move, each.ponder)))
            self._out.line(f"info depth {each.depth} {rank}score {Score(each.worth)} nodes 0 time 0 pv {pv}")
        self._out.info("book move")
        return " ponder ".join(filter(None, ("bestmove " + found.move, found.ponder)))
