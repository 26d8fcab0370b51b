"""SimpleEngine: a USI engine for programs without asyncio."""

from collections.abc import Iterator, Mapping
from typing import Any, Generic, Self, overload

from shogi_engine.clients.base import Command, EngineError, PlainClient, attribute, plain, run_plainly
from shogi_engine.clients.usi.client import OptionValues, UsiClient
from shogi_engine.clients.usi.lines import Option, listed_options, split_options
from shogi_engine.clients.usi.searches import Position, Search
from shogi_engine.types.forced_win import ForcedWin
from shogi_engine.types.info import Info, Move, Moves, PlayResult
from shogi_engine.types.limit import Limit


class SimpleSearch(Generic[Move]):
    """A running search: `for info in search`, `search.wait()`, `search.stop()` (from any thread)."""

    def __init__(self, search: Search[Move]) -> None:
        self.client = search

    def __repr__(self) -> str:
        return repr(self.client)

    def __iter__(self) -> Iterator[Info[Move]]:
        while (info := run_plainly(self.client.next_info())) is not None:
            yield info

    info: Info[Move] = attribute("info")
    multipv: list[Info[Move]] = attribute("multipv")
    stop = plain(Search.stop)

    def wait(self) -> PlayResult[Move]:
        """Wait for the bestmove and return it."""
        return run_plainly(self.client.wait())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None or not issubclass(kind, EngineError):
            run_plainly(self.client.end())


class SimpleEngine(PlainClient[UsiClient]):
    """A synchronous USI client: UsiClient's calls and attributes, with the same names, arguments and errors.

    Of two calls at once, in two threads, the second waits until the first is answered. Any thread may stop a search.
    """

    client_class = UsiClient

    def __init__(self, command: Command, options: OptionValues = (), **settings: Any) -> None:
        super().__init__(command, options=options, **settings)

    @classmethod
    def popen_usi(cls, command: Command, options: OptionValues = (), **settings: Any) -> Self:
        """Return a started engine."""
        engine = cls(command, options, **settings)
        engine.start()
        return engine

    @classmethod
    def described(cls, text: str, more: OptionValues = (), **settings: Any) -> Self:
        """Return the engine of 'command:Option=value,Option=value', followed by `more` options."""
        command, options = split_options(text)
        return cls(command, (*options, *listed_options(more)), **settings)

    author: str = attribute("author")
    listed: Mapping[str, Option] = attribute("listed")
    pondering: str = attribute("pondering")

    def analysis(
        self,
        position: Position[Move],
        limit: Limit | None = None,
        *,
        multipv: int | None = None,
        root_moves: Moves = (),
    ) -> SimpleSearch[Move]:
        """Begin a search and return it, to be followed while it runs. Without a limit, it runs until `stop`."""
        return SimpleSearch(run_plainly(self.client.analysis(position, limit, multipv=multipv, root_moves=root_moves)))

    @overload
    def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: None = None, root_moves: Moves = ()
    ) -> Info[Move]: ...

    @overload
    def analyse(
        self, position: Position[Move], limit: Limit, *, multipv: int, root_moves: Moves = ()
    ) -> list[Info[Move]]: ...

    def analyse(self, position: Any, limit: Limit, *, multipv: Any = None, root_moves: Moves = ()) -> Any:
        """Return what the engine reports of a position. With `multipv`, return a list of reports, best move first."""
        return run_plainly(self.client.analyse(position, limit, multipv=multipv, root_moves=root_moves))

    def play(self, position: Position[Move], limit: Limit, *, root_moves: Moves = ()) -> PlayResult[Move]:
        """Return the move for `position`; after `ponder` of the same position, by a ponderhit."""
        return run_plainly(self.client.play(position, limit, root_moves=root_moves))

    def mate(self, position: Position[Move], limit: Limit | None = None) -> ForcedWin[Move]:
        """Look for a mate within the limit's `time`, without one until a result is proven."""
        return run_plainly(self.client.mate(position, limit))

    def begin(self, position: Position[Move], limit: Limit, *, root_moves: Moves = ()) -> SimpleSearch[Move]:
        """Begin the search of `play`; after `ponder` of the same position, by a ponderhit."""
        return SimpleSearch(run_plainly(self.client.begin(position, limit, root_moves=root_moves)))

    def ponder(self, position: Position[Move], limit: Limit) -> SimpleSearch[Move]:
        """Begin to search `position`, in which the expected reply has been made, on the opponent's time."""
        return SimpleSearch(run_plainly(self.client.ponder(position, limit)))

    configure = plain(UsiClient.configure)
    offer = plain(UsiClient.offer)
    ready = plain(UsiClient.ready)
    game_over = plain(UsiClient.game_over)
    ponder_hit = plain(UsiClient.ponder_hit)
    stop_pondering = plain(UsiClient.stop_pondering)
