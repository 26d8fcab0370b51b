"""UsiClient: a USI engine in a separate process, for asyncio."""

import asyncio
import contextlib
import logging
import sys
import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, overload

from shogi_engine.clients.base import Command, EngineClient, EngineError, in_turn
from shogi_engine.clients.usi.lines import (
    IMPLIED,
    Option,
    Value,
    first_word,
    listed_options,
    parse_option,
    plain_text,
)
from shogi_engine.clients.usi.searches import (
    RULES,
    Position,
    Search,
    clock_words,
    go_words,
    legal_moves,
    position_command,
    searched_moves,
    side_to_move,
)
from shogi_engine.common.text import sanitize
from shogi_engine.language import InputError
from shogi_engine.types.arguments import check_number
from shogi_engine.types.forced_win import ForcedWin
from shogi_engine.types.info import Info, Move, Moves, PlayResult
from shogi_engine.types.limit import Limit, check_limit

MATE_STATUSES = ("nomate", "timeout", "notimplemented")
OptionValues = Mapping[str, Value] | Iterable[tuple[str, Value]]

_log = logging.getLogger(__name__)


class UsiClient(EngineClient):
    """A USI engine; see EngineClient. A crash, a timeout or another violation of the protocol raises EngineError.

    If a search of `analysis`, `begin` or `ponder` is running, a call that needs the engine ends that search first.

    Attributes:
        options: the options sent at each start; see `configure`
        unlisted: whether to send options that the engine does not list
        defaults: options that are sent first, as by `offer`
        name: the name that the engine reports
        author: the author that it reports
        listed: the options that it lists, by name
    """

    def __init__(
        self,
        command: Command,
        options: OptionValues = (),
        *,
        defaults: OptionValues = (),
        unlisted: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(command, **settings)
        self.options, self.unlisted = listed_options(options), unlisted
        self._defaults = listed_options(defaults)
        self.author = ""
        self.listed: Mapping[str, Option] = MappingProxyType({})
        self._configured: dict[str, Value] = {}  # all that were set since the start
        self._later: dict[str, Value] = {}  # those set by calls of `configure`
        self._owes_ready = False  # whether a readyok may still come to a call that was cancelled
        self._lines_changed = False  # whether the last analysis set MultiPV
        self._search: Search[Any] | None = None
        self._pondered = ""
        self._ponder_limit = Limit()

    # ---- lines -------------------------------------------------------------------------------------------------

    def send(self, line: str) -> float:
        """Send a line, including protocol extensions; return when (time.monotonic). Raises EngineError."""
        return self.process.send(line)

    async def _until(self, wanted: str, seconds: float | None) -> str:
        """Return the next line that begins with the word `wanted`; no bestmove may come before it."""
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            _, line = await self.process.receive(lambda: end)
            if first_word(line) == wanted:
                return line
            self._refuse_answer(line)

    @staticmethod
    def _refuse_answer(line: str) -> None:
        if first_word(line) == "bestmove":
            raise EngineError("second answer", line)

    def check_silent(self) -> None:
        """Process the waiting lines; raises EngineError for an unrequested bestmove."""
        if self._process is not None and (self._search is None or self._search.done):
            while self._process.waiting():
                self._refuse_answer(self._process.take()[1])

    # ---- the process -------------------------------------------------------------------------------------------

    async def _greet(self) -> None:
        listed: dict[str, Option] = {}
        self.send("usi")
        end = time.monotonic() + self.ready_timeout
        while (line := (await self.process.receive(lambda: end))[1]) != "usiok":
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
            elif line.startswith("id author "):
                self.author = line.removeprefix("id author ").strip()
            elif (option := parse_option(line)) is not None:
                listed[option.name] = option
        self.listed, self._lines_changed, self._configured = MappingProxyType(listed), False, {}
        await self.offer(self._defaults)
        await self.configure(self.options)
        await self.configure(self._later)

    async def close(self) -> None:
        """End the process: tell it to quit, and kill it if it does not."""
        self._search, self._pondered, self._owes_ready = None, "", False
        if self.running:  # an engine that died is started again as it was
            self._later = {}
        await super().close()

    # ---- options and games -------------------------------------------------------------------------------------

    @in_turn
    async def configure(self, options: OptionValues) -> None:
        """Set options until `close`; a value is a str, int or bool, None presses a button.

        Raises ValueError for a value outside the range that the engine lists, and for an option that it does not list
        (unless `unlisted` allows it).
        """
        await self.start()
        await self._settle()
        for name, value in listed_options(options):
            self._set_option(name, value)
            self._configured[name] = value
            if not self._greeting and value is not None:
                self._later[name] = value

    @in_turn
    async def offer(self, options: OptionValues) -> None:
        """Set those options that the engine has, to values that it accepts."""
        await self.start()
        for name, value in listed_options(options):
            if name in self.listed or name in IMPLIED:
                with contextlib.suppress(ValueError):
                    await self.configure([(name, value)])

    def _set_option(self, name: str, value: Value) -> None:
        option = self.listed.get(name)
        if option is None and name not in IMPLIED:
            if not self.unlisted:
                raise InputError("{0} has no option {1!r}", self.name, name)
            _log.warning("%s does not list the option %r", self.name, name)
        text = plain_text(value) if option is None else option.text(value)
        self.send(f"setoption name {name}" + (f" value {text}" if text is not None else ""))

    def _set_lines(self, multipv: int | None) -> None:
        """Set the option MultiPV for one search; None sets it back after a search that has changed it."""
        if multipv is not None or self._lines_changed:
            own = self._configured.get("MultiPV", self.listed["MultiPV"].default) if "MultiPV" in self.listed else ""
            self._set_option("MultiPV", own if multipv is None else multipv)
            self._lines_changed = multipv is not None

    @in_turn
    async def ready(self) -> None:
        """Send isready and wait for readyok."""
        await self.start()
        await self._settle()
        self.send("isready")
        self._owes_ready = True
        await self._receive_ready()

    async def _receive_ready(self) -> None:
        if self._owes_ready:
            await self._until("readyok", self.ready_timeout)
            self._owes_ready = False

    @in_turn
    async def new_game(self) -> None:
        """Prepare for a game."""
        await self.ready()
        self.send("usinewgame")

    @in_turn
    async def game_over(self, result: str, *, stop: bool = True) -> None:
        """Send the result, 'win', 'lose' or 'draw'.

        Args:
            stop: whether to end pondering first; otherwise `gameover` has to end it
        """
        if result not in ("win", "lose", "draw"):
            raise InputError("a result must be win, lose or draw, not {0!r}", result)
        if not self.running:
            return
        if stop:
            await self._settle()
        self.check_silent()
        search, self._search, self._pondered = self._search, None, ""
        if search is None or search.done:
            self.send(f"gameover {result}")
            return
        search.refuse_answer()
        search.hit(self.send(f"gameover {result}"), None)
        await search.finished()

    # ---- searches ----------------------------------------------------------------------------------------------

    @staticmethod
    async def _command(position: Position[Any]) -> str:
        """Return the `position` command. The first text is checked in a thread, as that loads or compiles rules."""
        if isinstance(position, str) and RULES not in sys.modules:
            return await asyncio.to_thread(position_command, position)
        return position_command(position)

    async def _settle(self) -> None:
        """End the current search, if there is one, and drop its answer; it must be the only answer."""
        search, pondered, self._pondered = self._search, self._pondered, ""
        if search is not None and not search.done:
            try:
                if pondered:
                    search.refuse_answer()
                await search.end()
            except EngineError:
                self._search = None
                raise
        self._search = None  # not if this call was cancelled: its answer is still to come
        await self._receive_ready()
        self.check_silent()

    @in_turn
    async def analysis(
        self,
        position: Position[Move],
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        root_moves: Moves = (),
    ) -> Search[Move]:
        """Begin a search and return it, to be followed while it runs. Without a limit, it runs until `stop`.

        Args:
            multipv: the number of best moves, set by the option MultiPV for this search; None for the engine's own
            root_moves: the moves to choose from; empty means all
        """
        limit, command = limit or Limit(), await self._command(position)
        side = side_to_move(command)
        go = [
            "go",
            go_words(limit),
            "infinite" if limit.is_endless(side) else "",
            *searched_moves(position, root_moves),
        ]
        if multipv is not None:
            check_number("multipv", multipv, 1, whole=True)
        await self.start()
        await self._settle()
        self._set_lines(multipv)
        self.send(command)
        began = self.send(" ".join(filter(None, go)))
        self._search = search = Search(self.process, position, self.timeout)
        if not limit.is_endless(side):
            search.hit(began, limit.allowed(side))
        return search

    @staticmethod
    def check(limit: Limit) -> None:
        """Raise ValueError if USI cannot express a limit."""
        go_words(limit)

    @in_turn
    async def begin(self, position: Position[Move], limit: Limit, *, root_moves: Moves = ()) -> Search[Move]:
        """Begin the search of `play`; after `ponder` of the same position, by a ponderhit.

        Raises ValueError if no limit ends the search.
        """
        command = await self._command(position)
        check_limit(limit)
        limit.must_end(side_to_move(command))
        if self._search is not None and self._pondered and self._pondered == command:
            self._search.place(position)
            return self._hit()
        return await self.analysis(position, limit, root_moves=root_moves)

    @in_turn
    async def play(self, position: Position[Move], limit: Limit, *, root_moves: Moves = ()) -> PlayResult[Move]:
        """Return the move for `position`; after `ponder` of the same position, by a ponderhit.

        An illegal bestmove on a Board raises EngineError; for a position in text the move is not checked. Raises
        ValueError if no limit ends the search.
        """
        return await (await self.begin(position, limit, root_moves=root_moves)).wait()

    @overload
    async def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: None = None, root_moves: Moves = ()
    ) -> Info[Move]: ...

    @overload
    async def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: int, root_moves: Moves = ()
    ) -> list[Info[Move]]: ...

    @in_turn
    async def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: int | None = None, root_moves: Moves = ()
    ) -> Info[Move] | list[Info[Move]]:
        """Return what the engine reports of a position. With `multipv`, return a list of reports, best move first."""
        check_limit(limit)
        limit.must_end(side_to_move(await self._command(position)))
        search = await self.analysis(position, limit, multipv=multipv, root_moves=root_moves)
        await search.wait()
        return search.info if multipv is None else search.multipv

    @in_turn
    async def mate(self, position: Position[Move], limit: Limit | None = None) -> ForcedWin[Move]:
        """Look for a mate within the limit's `time`, without one until a result is proven.

        An engine without a mate search may answer with a bestmove; the result is then 'notimplemented'. If it does not
        answer in time, or its first move is illegal, EngineError is raised.
        """
        command, limit = await self._command(position), limit or Limit()
        check_limit(limit)
        await self.start()
        await self._settle()
        self.send(command)
        seconds = limit.time
        began = self.send(f"go mate {'infinite' if seconds is None else round(1000 * seconds)}")
        self._search = search = Search(self.process, position, self.timeout, answers=("bestmove", "checkmate"))
        if seconds is not None:
            search.hit(began, seconds)
        received, words = await search.answer()
        if words[0] == "bestmove":
            return ForcedWin("notimplemented")
        if len(words) > 1 and words[1] in MATE_STATUSES:
            return ForcedWin(words[1], seconds=received - began)
        if not (moves := legal_moves(words[1:], search.board)):
            raise EngineError("illegal move", sanitize(" ".join(words)))
        return ForcedWin("mate", moves, seconds=received - began, solutions=(moves,))

    # ---- pondering ---------------------------------------------------------------------------------------------

    @property
    def pondering(self) -> str:
        """The position, as a `position` command, that the engine ponders on; '' if it is not pondering."""
        return self._pondered

    @in_turn
    async def ponder(self, position: Position[Move], limit: Limit) -> Search[Move]:
        """Begin to search `position`, in which the expected reply has been made, on the opponent's time."""
        words, command = go_words(limit), await self._command(position)
        await self.start()
        await self._settle()
        self._set_lines(None)
        self.send(command)
        self.send(f"go ponder {words}".rstrip())
        self._search = search = Search(self.process, position, self.timeout)
        self._pondered, self._ponder_limit = command, limit
        return search

    def _hit(self, clock: Limit | None = None) -> Search[Any]:
        search, command = self._search, self._pondered
        if search is None or not command:
            raise InputError("the engine does not ponder")
        search.refuse_answer()
        self._pondered = ""
        began = self.send(f"ponderhit {clock_words(clock) if clock else ''}".rstrip())
        search.hit(began, (clock or self._ponder_limit).allowed(side_to_move(command)))
        return search

    @in_turn
    async def ponder_hit(self, clock: Limit | None = None) -> PlayResult[Any]:
        """Send `ponderhit`, as the expected move was played; return the answer.

        Args:
            clock: a clock to send with `ponderhit`, as some GUIs do
        """
        return await self._hit(clock).wait()

    @in_turn
    async def stop_pondering(self) -> None:
        """End a search on the opponent's time and drop its answer."""
        if self._pondered:
            await self._settle()


async def popen_usi(command: Command, options: OptionValues = (), **settings: Any) -> UsiClient:
    """Return a started engine; the arguments are those of UsiClient."""
    client = UsiClient(command, options, **settings)
    await client.start()
    return client
