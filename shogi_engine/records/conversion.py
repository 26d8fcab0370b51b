"""Between arrays of games and records, in both directions."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from shogi_engine.records import tree
from shogi_engine.records.arrays import VALUE_LIMIT, VALUE_NONE, GameArrays, Table
from shogi_engine.records.formats import load_format
from shogi_engine.records.tree import GameRecord, RecordBuilder
from shogi_engine.types.score import Score
from shogi_engine.types.termination import ENDINGS, Outcome, Termination

ROWS, LONGEST = 256, 256  # of a table at first
WINNERS = {1: 0, -1: 1, 0: None}  # by result


def from_arrays(games: Any, game: str = "shogi") -> Iterator[GameRecord]:
    """Yield the games of arrays as records, with their moves, values, names and endings; moves are checked.

    >>> import numpy as np
    >>> from shogi_engine.records import loads, to_arrays
    >>> arrays = to_arrays(loads("f5d6c3", format="transcript"))
    >>> [record.moves for record in from_arrays(arrays, "othello")]
    [['f5', 'd6', 'c3']]

    Args:
        games: GameArrays, or `batch.Games`, which begin at the usual starting position
        game: the name of the game

    Raises:
        ValueError: a move is illegal; the message names the row
    """
    in_players_unit = tree.registry().load(game).extras.score
    of_files = isinstance(games, GameArrays)
    for row in range(len(games.lengths)):
        record = GameRecord(game, games.starts[row] if of_files else "")
        if of_files:
            record.names = list(games.names[row])
        builder = RecordBuilder(record)
        length = int(games.lengths[row])
        line = zip(games.moves[row, :length].tolist(), games.values[row, :length].tolist(), strict=True)
        for ply, (code, value) in enumerate(line, 1):
            try:
                builder.board.push(code)
            except ValueError as fault:
                raise ValueError(f"row {row}: move {ply}: {fault}") from None
            builder.path.append(builder.node.add(str(builder.board.peek()), evaluation=_score(value, in_players_unit)))
        record.end(_outcome(games, row, builder.board))
        builder.release()
        yield record


def _score(value: int, in_players_unit: Callable[[int], Score]) -> Score | None:
    """Return a value of arrays as a Score, None if there is none."""
    if value == VALUE_NONE:
        return None
    if abs(value) >= VALUE_LIMIT:
        return Score.mate_in(None) if value > 0 else Score.mated_in(None)
    return in_players_unit(value)


def _outcome(games: Any, row: int, board: Any) -> Outcome | None:
    """Return how a game ended: as the arrays say, else by the rules, else by its result alone."""
    winner = WINNERS[int(games.results[row])]
    if isinstance(games, GameArrays):
        ending = ENDINGS[games.endings[row]]
        if ending or winner is None:
            return Outcome(winner, ending) if ending else None
    found = board.outcome()
    if found is not None and found.winner == winner:
        return Outcome(winner, found.termination)
    return Outcome(winner, Termination.UNKNOWN)


def to_arrays(records: Iterable[GameRecord], format: str = "jsonl") -> GameArrays:
    """Return the main lines of records as arrays.

    Args:
        format: the format whose headers tell the ratings

    Raises:
        ValueError: a move is illegal, or the records are of several games
    """
    table, chosen = Table(ROWS, LONGEST), load_format(format)
    for record in records:
        if table.is_full:
            table.lengthen()
        table.take(record, chosen)
    return table.arrays()
