"""JSON Lines: a game on each line, of any game, also one of another package. It holds whatever a GameRecord holds.

    {"game": "othello", "names": ["A", "B"], "nodes": [{}, {"move": "f5", "seconds": 1.5}, {"move": "d6"}]}

`nodes` are the root and the moves in preorder. A node with other than one child says how many (`children`); the last of
a line needs not. Standard library only.
"""

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from shogi_engine.language import InputError
from shogi_engine.records import formats
from shogi_engine.records.brackets import GAME_MAX
from shogi_engine.records.tree import GameRecord, Node, RecordBuilder, RecordError, clipped
from shogi_engine.types.outcomes import Outcome, completed, termination_of
from shogi_engine.types.results import Score

HEAD = '{"game":'
NUMBER_MAX = 1e9
_DEFAULTS = {each.name: getattr(Node(), each.name) for each in fields(Node) if each.name != "children"}
_OF_THE_GAME = ("game", "start", "names", "headers", "score", "nodes")


class _Reader:
    """Reads one game; `record` is the game so far, `where` the place of a fault."""

    def __init__(self) -> None:
        self.record: GameRecord | None = None
        self.where = ""

    def take(self, value: Any) -> GameRecord:
        """Return the record of a JSON object. Raises ValueError."""
        _of(value, dict)
        if unknown := set(value) - set(_OF_THE_GAME):
            raise InputError(
                "there is no JSON field {0}; there are {1}", clipped(min(unknown)), ", ".join(_OF_THE_GAME)
            )
        self.where = "game"
        record = GameRecord(_of(value.get("game"), str), _of(value.get("start", ""), str))
        self.where = "names"
        names = [_of(name, str) for name in _of(value.get("names", ["", ""]), list)]
        if len(names) != 2:
            raise InputError("a record has two names, not {0}", len(names))
        self.where = "headers"
        record.names, headers = names, _of(value.get("headers", {}), dict)
        record.headers = {name: _of(text, str) for name, text in headers.items()}
        self.where = "score"
        record.score = _number(value["score"], -NUMBER_MAX) if "score" in value else None
        self.where = "start"
        builder = RecordBuilder(record)
        self.record = record
        self._tree(_of(value.get("nodes", []), list), builder)
        return record

    def _tree(self, rows: list[Any], builder: RecordBuilder) -> None:
        """Add the nodes, the first of which is the root."""
        waiting: list[list[int]] = []  # (ply, children to come) of the nodes that have some
        for number, row in enumerate(rows):
            self.where = f"nodes[{number}]"
            values = dict(_of(row, dict))
            count = values.pop("children", int(number < len(rows) - 1))
            if type(count) is not int or count < 0:
                raise InputError("children must be a number of nodes, not {0}", clipped(repr(count)))
            if number:
                if not waiting:
                    raise InputError("this node has no parent")
                ply, missing = waiting[-1]
                waiting[-1][1] -= 1
                if missing == 1:
                    waiting.pop()
                builder.back_to(ply)
                builder.play(_of(values.pop("move", None), str))
            _read_node(builder.node, values)
            if count:
                waiting.append([builder.ply, count])
        if waiting:
            raise InputError("nodes are missing: {0}", sum(missing for _ply, missing in waiting))


def _read_node(node: Node, values: dict[str, Any]) -> None:
    """Write the values of a row to its node."""
    ending, winner = values.pop("ending", ""), values.pop("winner", None)
    if winner is not None and (type(winner) is not int or winner not in (0, 1)):
        raise InputError("winner must be 0 or 1, not {0}", clipped(repr(winner)))
    if ending:
        node.end(Outcome(winner, termination_of(_of(ending, str))))
    for name, value in values.items():
        if name in ("comment", "label"):
            setattr(node, name, _of(value, str))
        elif name in ("seconds", "ending_seconds"):
            setattr(node, name, _number(value, 0))
        elif name == "depth":
            node.depth = int(_number(value, 0))
        elif name == "evaluation":
            node.evaluation = Score.parse(_of(value, str))
        elif name == "pv":
            node.pv = tuple(_of(move, str) for move in _of(value, list))
        else:
            raise InputError(
                "there is no JSON field {0}; there are {1}", clipped(name), ", ".join((*_DEFAULTS, "children"))
            )


def _of(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise InputError("a JSON {0} belongs here, not {1}", kind.__name__, clipped(repr(value)))
    return value


def _number(value: Any, least: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= NUMBER_MAX:
        raise InputError("a number from {0:g} to {1:g} belongs here, not {2}", least, NUMBER_MAX, clipped(repr(value)))
    return value


class JsonLines(formats.RecordFormat):
    """JSON Lines."""

    name = "jsonl"
    extensions = (".jsonl",)
    expected = f"'{HEAD} ...'"
    holds = formats.ALL

    def kept_outcome(self, record: GameRecord, node: Node, side: int) -> Outcome:
        """Return the outcome of a line as it is read back."""
        return completed(node.outcome, side)

    def recognises(self, head: str) -> bool:
        """Tell whether a line of a game is first."""
        return head.lstrip().startswith(HEAD)

    def split(self, source: Iterable[str]) -> Iterator[formats.Line]:
        """Yield the numbered lines that are not empty."""
        lines = (text.strip(formats.LINE_ENDS) for text in source)
        return ((number, line) for number, line in enumerate(lines, 1) if line.strip())

    def parse(self, block: formats.Line) -> GameRecord:
        """Return the game of a line. Raises RecordError."""
        (number, line), reader = block, _Reader()
        try:
            if len(line) > GAME_MAX:
                raise InputError("the line is too long: {0} characters", len(line))
            return reader.take(json.loads(line))
        except (ValueError, RecursionError) as fault:
            where = f"{reader.where}: " if reader.where else ""
            raise RecordError("{0}{1}", where, fault, line=number, record=reader.record) from None

    def write(self, records: Iterable[GameRecord], encoding: str = "") -> Iterator[str]:
        """Yield a line for each game."""
        for record in records:
            yield json.dumps(values_of(record), ensure_ascii=False) + "\n"


def values_of(record: GameRecord) -> dict[str, Any]:
    """Return the JSON object of a game; it shares nothing with the record that may change."""
    rows = [_row(node) for node in record.nodes_in_preorder()]
    rows[-1].pop("children", None)
    has_score = record.score is not None and math.isfinite(record.score)
    return {
        "game": record.game, "start": record.start, "names": [*record.names], "headers": {**record.headers},
        **({"score": record.score} if has_score else {}), "nodes": rows,
    }  # fmt: skip


def record_of(values: Any) -> GameRecord:
    """Return the game of a JSON object. Raises ValueError."""
    return _Reader().take(values)


def _row(node: Node) -> dict[str, Any]:
    """Return the values of a node that are not the usual ones."""
    row = {name: value for name, usual in _DEFAULTS.items() if (value := getattr(node, name)) != usual}
    if node.evaluation is not None:
        row["evaluation"] = str(node.evaluation)
    return row if len(node.children) == 1 else row | {"children": len(node.children)}


FORMAT = JsonLines()
