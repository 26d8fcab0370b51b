"""The games whose moves a page can explore: the user's own, and the server's index."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import Any, Literal

from shogi_engine import records
from shogi_engine.explorer import Explorer
from shogi_engine.language import InputError
from shogi_engine.records import GameRecord
from shogi_engine.web.saved_game import SavedGame
from shogi_engine.web.store import Store

OWNERS_MAX = 16  # whose games are kept counted
GAMES_MAX = 5000  # of all of them, that are kept as arrays
Stamp = tuple[tuple[str, float], ...]  # the games of an owner, and when each was changed


class Collections:
    """The games that can be explored: an index for each game, and the users' own.

    Args:
        indexes: by game
    """

    def __init__(self, indexes: Mapping[str, Explorer] | None = None) -> None:
        self.indexes = indexes or {}
        self._lock = threading.Lock()
        self._counted: OrderedDict[tuple[str, str], tuple[Stamp, Explorer]] = OrderedDict()  # by owner and game
        self._arrays: dict[str, tuple[float, Any]] = {}  # by name of a game: when it was changed, and its moves

    def sources(self, game: str, store: Store) -> list[str]:
        """Return where moves of a game can come from."""
        kept = ["mine"] if store.folder is not None else []
        return ["book", *kept, *(["index"] if game in self.indexes else [])]

    def of(self, source: Literal["mine", "index"], game: str, store: Store, owner: str) -> Explorer:
        """Return the games of a source. Raises ValueError if the server has none."""
        if source == "mine":
            return self._mine(game, store, owner)
        if game not in self.indexes:
            raise InputError("the server has no index of this game")
        return self.indexes[game]

    def _mine(self, game: str, store: Store, owner: str) -> Explorer:
        """Return the saved games of an owner, counted again if one has changed."""
        key = ("" if store.shared else owner, game)
        with self._lock:
            rows = [row for row in store.games(owner) if row["game"] == game]
            stamp = tuple((row["id"], row["time"]) for row in rows)
            if key not in self._counted or self._counted[key][0] != stamp:
                counted, copies = Explorer(None, game), Counter[bytes]()
                for id, changed in stamp:
                    if (moves := self._moves(id, changed, store, owner)) is not None:
                        counted.add_games(moves, id, copies)
                self._counted[key] = stamp, counted
                if len(self._counted) > OWNERS_MAX:
                    self._counted.popitem(last=False)
                if len(self._arrays) > GAMES_MAX:
                    self._arrays.clear()
            self._counted.move_to_end(key)
            return self._counted[key][1]

    def _moves(self, id: str, changed: float, store: Store, owner: str) -> Any:
        """Return a saved game as arrays, None if it cannot be read."""
        if id not in self._arrays or self._arrays[id][0] != changed:
            try:
                found = store.read(id, owner)
                record = found if isinstance(found, GameRecord) else SavedGame.parse(found).tree.record
                self._arrays[id] = changed, records.to_arrays([record])
            except (OSError, ValueError):
                self._arrays[id] = changed, None
        return self._arrays[id][1]
