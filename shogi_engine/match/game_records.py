"""The games of a match as records, to be saved as KIF, CSA, GGF or whatever else there is."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from shogi_engine import records
from shogi_engine.match.report import meeting_of
from shogi_engine.match.runner import Record
from shogi_engine.records import GameRecord

UNITS = {"othello": 100.0}  # of a game's scores in one of its records' evaluations, 1 if not here
BY_REASON = {
    "checkmate": "mate",
    "stalemate": "mate",
    "fourfold repetition": "repetition",
    "resign": "resignation",
    "declaration": "declaration",
    "max plies": "max moves",
    "time": "time",
    "illegal move": "illegal move",
    "false declaration": "illegal move",
}


def ending_of(record: Record, black_won: bool | None, side: int) -> str:
    """Return the ending, one of records.ENDINGS by name, of a game at whose end `side` (0 black) was to move."""
    reason = record["fault"] or record["reason"].split(":")[0]
    if black_won is None:
        return BY_REASON.get(reason, "draw")
    lost = (side == 0) != black_won
    if reason == "perpetual check":
        return "illegal move" if lost else "opponent's illegal move"
    if reason == "agreed" and lost:
        return "resignation"
    found = BY_REASON.get(reason, "")
    fits = lost != (found == "declaration")
    return found if found and fits else "lost by default" if lost else "won by default"


def game_record(game: str, number: int, record: Record, names: Sequence[str], event: str = "") -> GameRecord:
    """Return one game. names : of all players."""
    first, second = meeting_of(record)
    players = (second, first) if number % 2 else (first, second)
    moves = record["moves"].split()
    made = GameRecord(game, record.get("start", ""), names=[names[player] for player in players])
    made.headers = {"event": event} if event else {}
    node = made.root
    times, scores = (record.get(name) or [None] * len(moves) for name in ("times", "scores"))
    for move, milliseconds, score in zip(moves, times, scores, strict=True):
        node = node.add(move, seconds=None if milliseconds is None else round(milliseconds / 1000, 3))
        node.evaluation = None if score is None else score / UNITS.get(game, 1.0)
    points = record["score"] if number % 2 == 0 else 1 - record["score"]
    if record.get("points") is not None:
        made.score = record["points"]
    else:
        board = made.board()
        made.ending = ending_of(record, None if points == 0.5 else points == 1, int(board.turn))
    return made


def game_records(game: str, log: Mapping[int, Record], names: Sequence[str], event: str = "") -> Iterator[GameRecord]:
    """Yield all games in order."""
    for number, record in sorted(log.items()):
        yield game_record(game, number, record, names, event)


def save(path: Path, game: str, log: Mapping[int, Record], names: Sequence[str], event: str = "") -> None:
    """Write all games to a file, in the format that its name ends in. Raises ValueError, OSError."""
    records.save(game_records(game, log, names, event), path)
