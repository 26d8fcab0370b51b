"""SimpleEngine: a USI engine for programs without asyncio."""

from collections.abc import Iterator, Mapping
from typing import Any, Self, cast, overload

from shogi_engine.clients.base import Command, EngineError, PlainClient, plain, run_plainly
from shogi_engine.clients.usi.client import OptionValues, UsiClient
from shogi_engine.clients.usi.lines import Info, Option, parse_options
from shogi_engine.clients.usi.searches import PlayResult, Position, Search
from shogi_engine.types.limit import Limit


class SimpleSearch:
    """A running search: `for info in search`, `search.result()`, `search.stop()` (from any thread)."""

    def __init__(self, search: Search) -> None:
        self._search = search

    def __iter__(self) -> Iterator[Info]:
        while (info := run_plainly(self._search.next_info())) is not None:
            yield info

    @property
    def infos(self) -> list[Info]:
        """All infos read so far."""
        return self._search.infos

    def lines(self) -> list[Info]:
        """Return the last info of each of the best moves so far, best first."""
        return self._search.lines()

    def stop(self) -> None:
        """Tell the engine to end the search; read its result afterwards."""
        run_plainly(self._search.stop())

    def result(self) -> PlayResult:
        """Wait for the bestmove and return it with all infos."""
        return run_plainly(self._search.result())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None or not issubclass(kind, EngineError):
            run_plainly(self._search.end())


class SimpleEngine(PlainClient[UsiClient]):
    """A synchronous USI client: UsiClient's calls, with the same names, arguments and errors.

    Use it from one thread at a time, except that any thread may stop a search.
    """

    def __init__(self, command: Command, options: OptionValues = (), **settings: Any) -> None:
        super().__init__(UsiClient(command, options, **settings))

    @classmethod
    def popen_usi(cls, command: Command, options: OptionValues = (), **settings: Any) -> Self:
        """Return a started engine."""
        return cls._started(command, options, **settings)

    @classmethod
    def described(cls, text: str, more: OptionValues = (), **settings: Any) -> Self:
        """Return the engine of 'command:Option=value,Option=value', followed by `more` options."""
        command, _, options = text.partition(":")
        pairs = more.items() if isinstance(more, Mapping) else more
        return cls(command, (*parse_options(options), *pairs), **settings)

    @property
    def author(self) -> str:
        """The engine's author."""
        return self.client.author

    @property
    def listed(self) -> Mapping[str, Option]:
        """The options listed by the engine, by name."""
        return self.client.listed

    @property
    def pondering(self) -> str:
        """The position that the engine ponders on, as a `position` command; '' if it is not pondering."""
        return self.client.pondering

    @overload
    def analyse(self, position: Position, limit: Limit, *, multipv: None = None) -> Info: ...

    @overload
    def analyse(self, position: Position, limit: Limit, *, multipv: int) -> list[Info]: ...

    def analyse(self, position: Position, limit: Limit, *, multipv: int | None = None) -> Info | list[Info]:
        """Return the last info of the best move. With `multipv`, return a list of infos, best move first."""
        return cast(Info | list[Info], run_plainly(self.client.analyse(position, limit, multipv=multipv)))

    def analysis(self, position: Position, limit: Limit | None = None) -> SimpleSearch:
        """Begin a search and return it, to be followed while it runs. Without a limit, it runs until it is stopped."""
        return SimpleSearch(run_plainly(self.client.search(position, limit)))

    def ponder(self, position: Position, limit: Limit) -> SimpleSearch:
        """Begin to search `position`, in which the expected reply has been made, on the opponent's time."""
        return SimpleSearch(run_plainly(self.client.ponder(position, limit)))

    configure = plain(UsiClient.configure)
    ready = plain(UsiClient.ready)
    new_game = plain(UsiClient.new_game)
    game_over = plain(UsiClient.game_over)
    play = plain(UsiClient.play)
    mate = plain(UsiClient.mate)
    ponder_hit = plain(UsiClient.ponder_hit)
    stop_pondering = plain(UsiClient.stop_pondering)
