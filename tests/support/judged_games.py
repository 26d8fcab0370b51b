"""Judged games that the engine's levels have played against each other: mistakes for tests of what is said of them.

`python -m tests.support.judged_games` writes the games that the tests read to FILE.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shogi_engine.analysis import GameAnalysis, analyse, judge
from shogi_engine.analysis.analyst import PositionAnalyser, finding_of, finding_row
from shogi_engine.analysis.judgement import plies_to_examine
from shogi_engine.play.game import Game, Terms
from shogi_engine.play.players import LEVEL, EnginePlayer, play
from shogi_engine.records import GameRecord

FILE = Path(__file__).resolve().parents[1] / "data" / "judged_games.json"
LIMITS: dict[str, dict[str, Any]] = {"shogi": {"nodes": 1500}, "othello": {"level": 6}}
STORED = (("shogi", 5, 7), ("othello", 5, 6), ("shogi", 8, 6))  # the games of FILE, with the levels of both sides
MAX_PLIES = 120


def self_played(game: str, *levels: int) -> GameRecord:
    """Return a game of two levels, which is the same each time."""
    players = [EnginePlayer(game, settings=[(LEVEL, level)]) for level in levels]
    begun = Game.begin(game, terms=Terms(max_plies=MAX_PLIES))
    play(begun, (players[0], players[1]), seed=f"{game} {levels}")
    return begun.record


def judged(game: str, *levels: int) -> GameAnalysis:
    """Return a game of two levels, judged."""
    return analyse(self_played(game, *levels), **LIMITS[game])


def stored() -> Iterator[GameAnalysis]:
    """Yield the games of FILE, which need no search."""
    for row in json.loads(FILE.read_text(encoding="utf-8")):
        record = GameRecord.from_moves(row["game"], row["moves"].split())
        yield judge(record, {int(ply): finding_of(found) for ply, found in row["findings"].items()})


def main() -> None:
    """Write FILE."""
    rows = []
    for game, *levels in STORED:
        record = self_played(game, *levels)
        examiner = PositionAnalyser(game, LIMITS[game])
        findings = {ply: finding_row(examiner.examine(record, ply)) for ply in plies_to_examine(record)}
        rows.append({"game": game, "levels": levels, "moves": " ".join(record.moves), "findings": findings})
        FILE.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
