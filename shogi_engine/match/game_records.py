"""The games of a match as records, to be saved as KIF, CSA, GGF or any other format."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from shogi_engine import records
from shogi_engine.match.report import MATE_LEAST, meeting_of
from shogi_engine.match.runner import Record
from shogi_engine.play.loop import FAULT_TERMINATIONS
from shogi_engine.play.terms import HUNDREDTHS
from shogi_engine.records import GameRecord
from shogi_engine.types.score import Score
from shogi_engine.types.termination import ENDINGS, Outcome, Termination

ADJUDICATED = "adjudicated"  # the comment on such a game


def outcome_of(record: Record, winner: int | None) -> Outcome:
    """Return the outcome of a logged game.

    An adjudicated game is the loser's resignation, or a draw by agreement, as other programs understand only these.

    Args:
        winner: 0 (black), 1, None for a draw
    """
    known = _termination(record)
    if known is Termination.ADJUDICATION:
        known = Termination.AGREEMENT if winner is None else Termination.RESIGNATION
    return Outcome(winner, known or (Termination.AGREEMENT if winner is None else Termination.DEFAULT))


def _termination(record: Record) -> Termination | None:
    """Return why a logged game ended, None for a fault that has no Termination."""
    reason = record.get("fault") or record["reason"]
    return FAULT_TERMINATIONS.get(reason) or next((each for each in ENDINGS if each == reason), None)


def game_record(game: str, number: int, record: Record, names: Sequence[str], event: str = "") -> GameRecord:
    """Return one game.

    Args:
        names: the names of all players
    """
    first, second = meeting_of(record)
    players = (second, first) if number % 2 else (first, second)
    moves = record["moves"].split()
    made = GameRecord(game, names=[names[player] for player in players])
    made.headers = {"event": event} if event else {}
    node = made.root
    times, scores = (record.get(name) or [None] * len(moves) for name in ("times", "scores"))
    for move, milliseconds, score in zip(moves, times, scores, strict=True):
        node = node.add(move, seconds=None if milliseconds is None else round(milliseconds / 1000, 3))
        node.evaluation = None if score is None else _score(game, score)
    points = record["score"] if number % 2 == 0 else 1 - record["score"]
    if record.get("points") is not None:
        made.score = record["points"]
    else:
        made.end(outcome_of(record, None if points == 0.5 else int(points == 0)))
        if _termination(record) is Termination.ADJUDICATION:
            node.add_comment(ADJUDICATED)
    return made


def _score(game: str, value: int) -> Score:
    """Return the score logged as a number."""
    if abs(value) >= MATE_LEAST:
        return Score.mate_in(None) if value > 0 else Score.mated_in(None)
    return Score.discs(value / HUNDREDTHS) if game == "othello" else Score(value)


def game_records(game: str, log: Mapping[int, Record], names: Sequence[str], event: str = "") -> Iterator[GameRecord]:
    """Yield all games in order."""
    for number, record in sorted(log.items()):
        yield game_record(game, number, record, names, event)


def save(path: Path, game: str, log: Mapping[int, Record], names: Sequence[str], event: str = "") -> list[str]:
    """Write all games to a file, in the format of its extension; return, in words, what the format cannot hold.

    Raises ValueError, OSError.
    """
    made, format = list(game_records(game, log, names, event)), records.format_for(path, game)
    records.save(made, path)
    return sorted({what for record in made for what in format.losses(record)})
