"""How the openings and castles of some games have scored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shogi_engine.analysis.judgement import GameAnalysis
from shogi_engine.common.text import table
from shogi_engine.language import mark, translate
from shogi_engine.types.opening import Name

HEAD = (mark("name"), mark("games"), mark("won"), mark("drawn"), mark("lost"), mark("score"))
BY_RESULT = {"1-0": (0, 2), "0-1": (2, 0), "1/2-1/2": (1, 1)}  # 2 for the side that lost, 0 for the one that won


@dataclass
class Scored:
    """The results of the sides that had an opening or a castle.

    Attributes:
        counts: wins, draws and losses
    """

    name: Name
    counts: list[int]

    @property
    def score(self) -> float:
        """The share of the points, 0 to 1."""
        return (self.counts[0] + self.counts[1] / 2) / sum(self.counts)

    def values(self) -> dict[str, Any]:
        """Return the row for JSON."""
        return {
            "id": self.name.id,
            **dict(zip(("wins", "draws", "losses"), self.counts, strict=True)),
            "score": self.score,
        }


def player_of(games: Sequence[GameAnalysis]) -> str:
    """Return the name of the only player who is in all of several games, '' if there is none."""
    found = set.intersection(*(set(game.record.names) for game in games)) - {""} if len(games) > 1 else set()
    return found.pop() if len(found) == 1 else ""


def scored(games: Sequence[GameAnalysis], player: str = "") -> list[Scored]:
    """Return the results by opening and castle, the most frequent first.

    Args:
        player: only the sides of this player; '' for both sides
    """
    rows: dict[str, Scored] = {}
    for game in games:
        results = BY_RESULT.get(game.record.result)
        if game.names is None or results is None:
            continue
        for side, name in enumerate(game.record.names):
            if player in ("", name):
                for standing in (*game.names.openings[side], *game.names.castles[side]):
                    row = rows.setdefault(standing.name.id, Scored(standing.name, [0, 0, 0]))
                    row.counts[results[side]] += 1
    return sorted(rows.values(), key=lambda row: (-sum(row.counts), row.name.id))


def score_table(games: Sequence[GameAnalysis], language: str = "en") -> str:
    """Return the results by opening and castle as text, '' if no opening of a finished game has a name.

    They are those of the player who is in all games, if there is only one; else those of both sides.
    """
    player = player_of(games)
    rows = scored(games, player)
    if not rows:
        return ""
    cells = [[translate(word, language) for word in HEAD]]
    for row in rows:
        name = row.name.text(language)
        cells.append([name, str(sum(row.counts)), *map(str, row.counts), f"{row.score:.0%}"])
    return "\n".join([*([player] if player else []), *table(cells)])
