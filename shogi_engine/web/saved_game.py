"""A session's game as JSON and back: the tree with its annotations, the players, the clock and the analysis.

The JSON numbers moves in preorder. The numbers of a Tree differ once moves were added or taken back.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from shogi_engine.analysis import Finding
from shogi_engine.analysis.saved import finding_of, finding_row
from shogi_engine.records import GameRecord, Node
from shogi_engine.types.clock import Clock
from shogi_engine.types.score import Score
from shogi_engine.types.termination import Termination
from shogi_engine.web.search import words_of
from shogi_engine.web.store import Head
from shogi_engine.web.tree import Tree
from shogi_engine.web.tsume import Tsume
from shogi_engine.web.view import title

if TYPE_CHECKING:
    from shogi_engine.web.session import Session

_FIELDS = {field.name: field.default for field in dataclasses.fields(Node) if field.name != "children"}


def rows_of(root: Node) -> list[dict[str, Any]]:
    """Return the nodes of a tree in preorder: the fields that are not defaults, and the number of children."""
    rows, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        row = {name: _plain(value) for name in _FIELDS if (value := getattr(node, name)) != _FIELDS[name]}
        rows.append(row | ({"children": len(node.children)} if node.children else {}))
        waiting += reversed(node.children)
    return rows


def _plain(value: Any) -> Any:
    """Return a value for JSON."""
    return {"score": str(value)} if isinstance(value, Score) else list(value) if isinstance(value, tuple) else value


def tree_of(rows: Sequence[Mapping[str, Any]]) -> Node:
    """Return the tree from the rows of `rows_of`. Raises ValueError if they are invalid."""
    top = Node()
    waiting = [(top, 1)]
    for row in rows:
        if not waiting:
            raise ValueError("a game with too many moves")
        node = Node(**{name: _value(name, row[name]) for name in _FIELDS if name in row})
        parent, missing = waiting.pop()
        parent.children.append(node)
        if missing > 1:
            waiting.append((parent, missing - 1))
        if count := row.get("children", 0):
            waiting.append((node, count))
    if waiting or len(top.children) != 1:
        raise ValueError("a game that was cut off")
    return top.children[0]


def _value(name: str, value: Any) -> Any:
    if name == "ending":
        return Termination(value)
    if isinstance(value, dict):
        return Score.parse(value["score"])
    return tuple(value) if isinstance(value, list) else value


# ---- a session


def dump(session: "Session") -> dict[str, Any]:
    """Return a session's game as JSON values."""
    tree, playing, analyses, record = session.tree, session.playing, session.analyses, session.tree.record
    place = {number: index for index, number in enumerate(tree.preorder())}
    clock = playing.clock
    setting = [ms / 1000 for ms in dataclasses.astuple(clock.setting)] if clock.setting else None
    return {
        "game": tree.game,
        "start": record.start,
        "names": list(record.names),
        "headers": dict(record.headers),
        "score": record.score,
        "nodes": rows_of(record.root),
        "node": place[tree.node],
        "live": place.get(playing.live, 0),
        "on": playing.on,
        "players": playing.players,
        "outcome": [playing.outcome.winner, playing.outcome.termination] if playing.outcome else None,
        "clock": {"setting": setting, "times": clock.times()} if setting else None,
        "flipped": session.flipped,
        "tsume": _tsume(session.tsume, place) if session.tsume is not None and session.tsume.root in place else None,
        "values": {
            place[number]: [str(score), exact] for number, (score, exact) in analyses.values.items() if number in place
        },
        "judged": [
            {
                "line": [place[number] for number in line],
                "found": {ply: finding_row(found) for ply, found in findings.items()},
            }
            for line, findings in analyses.judged.items()
            if all(number in place for number in line)
        ],
    }


def _tsume(problem: Tsume, place: Mapping[int, int]) -> dict[str, Any]:
    """Return the state of a problem."""
    lengths = {place[number]: plies for number, plies in problem.lengths.items() if number in place}
    return {
        "root": place[problem.root], "ply": problem.ply, "status": problem.status, "lengths": lengths,
        "helped": problem.helped,
    }  # fmt: skip


@dataclasses.dataclass(frozen=True)
class SavedGame:
    """A checked game from `dump`, with the move numbers of `tree`."""

    tree: Tree
    content: Mapping[str, Any]
    live: int
    values: dict[int, tuple[Score, bool]]
    judged: dict[tuple[int, ...], dict[int, Finding]]
    clock: tuple[Clock | None, list[float] | None]
    tsume: dict[str, Any] | None

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> "SavedGame":
        """Return the game from `dump`. Raises ValueError if it is invalid."""
        try:
            record = GameRecord(
                content["game"], content["start"], list(content["names"]), dict(content["headers"]),
                tree_of(content["nodes"]), content["score"],
            )  # fmt: skip
            tree = Tree(record)
            place = tree.preorder()
            tree.go(place[content["node"]])
            judged = {
                tuple(place[index] for index in one["line"]): {
                    int(ply): finding_of(row) for ply, row in one["found"].items()
                }
                for one in content["judged"]
            }
            clock, tsume = content["clock"], content["tsume"]
            if tsume:
                lengths = {place[int(index)]: plies for index, plies in tsume["lengths"].items()}
                tsume = {**tsume, "root": place[tsume["root"]], "lengths": lengths}
            return cls(
                tree,
                content,
                place[content["live"]],
                # Earlier builds kept chances instead; those values are found again.
                {place[int(at)]: (Score.parse(text), exact) for at, (text, exact) in content.get("values", {}).items()},
                judged,
                (Clock.from_seconds(*clock["setting"]), clock["times"]) if clock else (None, None),
                tsume,
            )
        except (KeyError, TypeError, IndexError, AttributeError) as fault:
            raise ValueError(f"a damaged game: {type(fault).__name__}") from None

    def put_into(self, session: "Session") -> None:
        """Let a session continue the game, paused until a page shows it."""
        session.replace(self.tree)
        session.analyses.restore(self.values, self.judged)
        if self.content["on"] or self.content["outcome"]:
            session.playing.restore(self.content["players"], *self.clock, self.live, on=self.content["on"])
        session.flipped = self.content["flipped"]
        progress = session.store.progress(session.owner)
        session.tsume = Tsume(session, **self.tsume, progress=progress) if self.tsume else None


def head_of_record(record: GameRecord) -> Head:
    """Return what the list of games says about a record."""
    moves, result = len(record.main_line) - 1, record.result
    return Head(game=record.game, title=title(record), moves=moves, result=result, words=words_of(record))


def head_of(session: "Session") -> Head:
    """Return what the list of games says about a session's game."""
    hidden = session.tsume is not None
    return msgspec.structs.replace(head_of_record(session.tree.record), playing=session.playing.on, hidden=hidden)
