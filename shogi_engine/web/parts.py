"""The parts of a session, as those see it who show or keep all of it."""

from shogi_engine.records import GameRecord
from shogi_engine.web.playing import Playing
from shogi_engine.web.shared import Shared
from shogi_engine.web.store import Store
from shogi_engine.web.study import Study
from shogi_engine.web.tree import Tree
from shogi_engine.web.tsume import Tsume


class Parts(Shared):
    """A session's game, analyses, problem and place on disk. flipped : the board is seen from white's side"""

    playing: Playing
    study: Study
    tsume: Tsume | None
    store: Store
    flipped: bool

    def replace(self, tree: Tree) -> None:
        """Put a tree in the place of the game."""
        raise NotImplementedError

    def open_record(self, record: GameRecord) -> str:
        """Let another game take the place of this one; return the name of the one that was left, as `Kept.leave`."""
        raise NotImplementedError
