"""UsiClient: a USI engine in a separate process, for asyncio."""

import contextlib
import logging
import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, overload

from shogi_engine.clients.base import Command, EngineClient, EngineError
from shogi_engine.clients.usi.lines import (
    IMPLIED,
    Info,
    Option,
    Value,
    first_word,
    listed_options,
    parse_option,
    plain_text,
)
from shogi_engine.clients.usi.searches import (
    MateResult,
    PlayResult,
    Position,
    Search,
    board_of,
    clock_words,
    go_words,
    legal_moves,
    position_command,
    side_to_move,
)
from shogi_engine.common.text import sanitize
from shogi_engine.types.limit import Limit

MATE_STATUSES = ("nomate", "timeout", "notimplemented")
OptionValues = Mapping[str, Value] | Iterable[tuple[str, Value]]

_log = logging.getLogger(__name__)


class UsiClient(EngineClient):
    """A USI engine; see EngineClient. A crash, a timeout or another violation of the protocol raises EngineError.

    If the engine is searching, a call that needs the engine ends that search first.

    Attributes:
        options: the options sent at each start; see `configure`
        unlisted: whether to send options that the engine does not list
        defaults: options that are sent first, if the engine lists them
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
        self._search: Search | None = None
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
        self.listed = MappingProxyType(listed)
        await self.configure([*(each for each in self._defaults if each[0] in listed), *self.options])

    async def close(self) -> None:
        """End the process: tell it to quit, and kill it if it does not."""
        self._search, self._pondered = None, ""
        await super().close()

    # ---- options and games -------------------------------------------------------------------------------------

    async def configure(self, options: OptionValues) -> None:
        """Set options; a value is a str, int or bool, None presses a button.

        Raises ValueError for a value outside the range that the engine lists, and for an option that it does not list
        (unless `unlisted` allows it).
        """
        await self.start()
        await self._settle()
        for name, value in listed_options(options):
            option = self.listed.get(name)
            if option is None and name not in IMPLIED:
                if not self.unlisted:
                    raise ValueError(f"{self.name} has no option {name!r}")
                _log.warning("%s does not list the option %r", self.name, name)
            text = plain_text(value) if option is None else option.text(value)
            self.send(f"setoption name {name}" + (f" value {text}" if text is not None else ""))

    async def ready(self) -> None:
        """Send isready and wait for readyok."""
        await self.start()
        await self._settle()
        self.send("isready")
        await self._until("readyok", self.ready_timeout)

    async def new_game(self) -> None:
        """Prepare for a game."""
        await self.ready()
        self.send("usinewgame")

    async def game_over(self, result: str, *, stop: bool = True) -> None:
        """Send the result, 'win', 'lose' or 'draw'.

        Args:
            stop: whether to end pondering first; otherwise `gameover` has to end it
        """
        if result not in ("win", "lose", "draw"):
            raise ValueError(f"a result must be win, lose or draw, not {result!r}")
        if self._process is None:
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
        await search.result()

    # ---- searches ----------------------------------------------------------------------------------------------

    async def _settle(self) -> None:
        """End the current search, if there is one, and drop its answer; it must be the only answer."""
        search, self._search, pondered, self._pondered = self._search, None, self._pondered, ""
        if search is not None and not search.done:
            if pondered:
                search.refuse_answer()
            await search.end()
        self.check_silent()

    async def search(self, position: Position, limit: Limit | None = None) -> Search:
        """Begin a search and return it, to be followed while it runs. Without a limit, it runs until it is stopped."""
        await self.start()
        await self._settle()
        limit = limit or Limit()
        command, words = position_command(position), go_words(limit)
        self.send(command)
        began = self.send(f"go {words or 'infinite'}")
        self._search = Search(self.process, position, self.timeout)
        if words:
            self._search.hit(began, limit.allowed(side_to_move(command)))
        return self._search

    analysis = search

    async def play(self, position: Position, limit: Limit) -> PlayResult:
        """Return the move for `position`; after `ponder` of the same position, by a ponderhit.

        An illegal bestmove on a Board raises EngineError; for a position in text the move is not checked. Raises
        ValueError if no limit ends the search.
        """
        limit.must_end(side_to_move(position_command(position)))
        if self._search is not None and self._pondered and self._pondered == position_command(position):
            self._search.board = board_of(position)
            result = await self.ponder_hit()
        else:
            result = await (await self.search(position, limit)).result()
        if not isinstance(position, str) and result.move not in ("resign", "win"):
            try:
                position.parse_usi(result.move)
            except ValueError as fault:
                raise EngineError("illegal move", str(fault)) from None
        return result

    @overload
    async def analyse(self, position: Position, limit: Limit, *, multipv: None = None) -> Info: ...

    @overload
    async def analyse(self, position: Position, limit: Limit, *, multipv: int) -> list[Info]: ...

    async def analyse(self, position: Position, limit: Limit, *, multipv: int | None = None) -> Info | list[Info]:
        """Return the last info of the best move. With `multipv`, return a list of infos, best move first.

        An engine that reports no line returns an empty Info or list.

        Args:
            multipv: the number of best moves, set by the option MultiPV; None to leave the option unchanged
        """
        limit.must_end(side_to_move(position_command(position)))
        before = self.listed["MultiPV"].default if multipv is not None and "MultiPV" in self.listed else ""
        if multipv is not None:
            await self.configure({"MultiPV": multipv})
        try:
            lines = (await (await self.search(position, limit)).result()).lines
            return lines if multipv is not None else lines[0] if lines else Info()
        finally:
            if before:
                with contextlib.suppress(EngineError):
                    await self.configure({"MultiPV": before})

    async def mate(self, position: Position, limit: Limit | None = None) -> MateResult:
        """Look for a mate until a result is proven or the time is over. Only `time` of the limit is used.

        An engine without a mate search may answer with a bestmove; the result's status is then 'notimplemented'. If it
        does not answer in time, or its first move is illegal, EngineError is raised.
        """
        await self.start()
        await self._settle()
        self.send(position_command(position))
        seconds = limit.time if limit else None
        began = self.send(f"go mate {'infinite' if seconds is None else round(1000 * seconds)}")
        end = None if seconds is None or self.timeout is None else began + seconds + self.timeout
        while True:
            received, line = await self.process.receive(lambda: end)
            words = line.split()
            if words[:1] == ["bestmove"]:
                return MateResult("notimplemented")
            if words[:1] == ["checkmate"]:
                elapsed = (received - began) * 1000
                if len(words) > 1 and words[1] in MATE_STATUSES:
                    return MateResult(words[1], (), elapsed)
                if not (moves := legal_moves(words[1:], board_of(position))):
                    raise EngineError("illegal move", sanitize(line))
                return MateResult("mate", moves, elapsed)

    # ---- pondering ---------------------------------------------------------------------------------------------

    @property
    def pondering(self) -> str:
        """The position, as a `position` command, that the engine ponders on; '' if it is not pondering."""
        return self._pondered

    async def ponder(self, position: Position, limit: Limit) -> Search:
        """Begin to search `position`, in which the expected reply has been made, on the opponent's time."""
        await self.start()
        await self._settle()
        command = position_command(position)
        self.send(command)
        self.send(f"go ponder {go_words(limit)}".rstrip())
        self._search = Search(self.process, position, self.timeout)
        self._pondered, self._ponder_limit = command, limit
        return self._search

    async def ponder_hit(self, clock: Limit | None = None) -> PlayResult:
        """Send `ponderhit`, as the expected move was played; return the answer.

        Args:
            clock: a clock to send with `ponderhit`, as some GUIs do
        """
        search, command = self._search, self._pondered
        if search is None or not command:
            raise ValueError("the engine does not ponder")
        search.refuse_answer()
        self._pondered = ""
        began = self.send(f"ponderhit {clock_words(clock) if clock else ''}".rstrip())
        search.hit(began, (clock or self._ponder_limit).allowed(side_to_move(command)))
        return await search.result()

    async def stop_pondering(self) -> None:
        """End a search on the opponent's time and drop its answer."""
        if self._pondered:
            await self._settle()


async def popen_usi(command: Command, options: OptionValues = (), **settings: Any) -> UsiClient:
    """Return a started engine; the arguments are those of UsiClient."""
    client = UsiClient(command, options, **settings)
    await client.start()
    return client
