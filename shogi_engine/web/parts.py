"""The parts of a session, for the modules that show or save all of it."""

from shogi_engine.records import GameRecord
from shogi_engine.web.analyses import Analyses
from shogi_engine.web.learning import Learning
from shogi_engine.web.links import Role
from shogi_engine.web.playing import Playing
from shogi_engine.web.shared import Shared
from shogi_engine.web.store import Store
from shogi_engine.web.tree import Tree
from shogi_engine.web.tsume import Tsume
from shogi_engine.web.viewer import Viewer


class Parts(Shared):
    """A session's game, analyses, problem and place on disk.

    Attributes:
        flipped: the board is shown from white's side on pages that have not turned it
        write_fault: why the last write of the game failed, '' if it did not
    """

    playing: Playing
    analyses: Analyses
    tsume: Tsume | None
    learning: Learning
    store: Store
    flipped: bool
    write_fault: str

    def role_of(self, viewer: Viewer) -> Role | None:
        """Return what a page may do, None if it may no longer show this game."""
        raise NotImplementedError

    def guest_sides(self) -> set[int]:
        """Return the sides that guests play in the game that is being played."""
        raise NotImplementedError

    def publish(self) -> None:
        """Send all pages what has changed."""
        raise NotImplementedError

    def replace(self, tree: Tree) -> None:
        """Replace the game by a tree."""
        raise NotImplementedError

    def open_record(self, record: GameRecord) -> str:
        """Replace this game by another; return the name of the game that was left, as `Autosave.leave` does.

        Raises ValueError for an invalid game; nothing has changed then.
        """
        raise NotImplementedError
