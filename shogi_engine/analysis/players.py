"""What several judged games say about each of their players."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shogi_engine.analysis.judgement import BLUNDER, VERDICTS, GameAnalysis, MoveAnalysis
from shogi_engine.analysis.kinds import KINDS, MATE, MOVE, OPENING, PIECE, WIN, is_mistake, kind_of
from shogi_engine.analysis.results import BY_RESULT, Scored, scored
from shogi_engine.analysis.tables import sentences_on
from shogi_engine.common.text import table
from shogi_engine.language import mark, translate
from shogi_engine.types.limit import SIDES

HEAD = (
    mark("player"), mark("games"), mark("won"), mark("drawn"), mark("lost"), mark("accuracy"),
    *(name for name, _ in VERDICTS),
)  # fmt: skip
KIND_NAMES = {
    MATE: mark("missed mate"),
    WIN: mark("win given away"),
    PIECE: mark("pieces lost"),
    OPENING: mark("opening"),
    MOVE: mark("other"),
}
MISTAKES, OPENINGS = mark("kinds of mistakes"), mark("score (games)")
LESSON = mark("best lesson, game {number}")
SEVERAL = 2  # games of a player of whom more than a row of the table is said


@dataclass(frozen=True)
class Lesson:
    """A mistake to learn from.

    Attributes:
        game: the number of the game, from 0
    """

    game: int
    move: MoveAnalysis


@dataclass(frozen=True)
class Player:
    """A player of some games.

    Attributes:
        games: how many
        results: wins, draws and losses
        accuracy: 0 to 1, see `accuracy_of`; None without a judged move
        verdicts: how many moves got each verdict
        kinds: how many mistakes, by the standard of `is_mistake`, are of each kind
        openings: how the openings and castles have scored
        lesson: the most instructive mistake, None if there is none
    """

    name: str
    games: int
    results: tuple[int, int, int]
    accuracy: float | None
    verdicts: dict[str, int]
    kinds: dict[str, int]
    openings: list[Scored]
    lesson: Lesson | None

    def values(self) -> dict[str, Any]:
        """Return the player for JSON."""
        lesson = self.lesson and {
            "game": self.lesson.game,
            **{name: getattr(self.lesson.move, name) for name in ("ply", "side", "move", "best", "loss")},
        }
        return {
            **vars(self),
            **dict(zip(("wins", "draws", "losses"), self.results, strict=True)),
            "openings": [row.values() for row in self.openings],
            "lesson": lesson,
        }


def accuracy_of(moves: Sequence[MoveAnalysis]) -> float | None:
    """Return the mean accuracy of moves, 0 to 1, None without moves.

    A move's accuracy falls with the winning chance it gives away, by the curve of https://lichess.org/page/accuracy.
    """
    if not moves:
        return None
    shares = (103.1668 * math.exp(-4.354 * move.loss) - 3.1669 for move in moves)
    return sum(min(max(share, 0.0), 100.0) for share in shares) / len(moves) / 100


def players(games: Sequence[GameAnalysis]) -> list[Player]:
    """Return the players of judged games, those with most games first. Sides without a name are left out."""
    names = Counter(name for game in games for name in set(game.record.names) if name)
    return [_player(name, games) for name in sorted(names, key=lambda name: (-names[name], name))]


def _player(name: str, games: Sequence[GameAnalysis]) -> Player:
    sides = [(number, side) for number, game in enumerate(games) for side in _sides(game, name)]
    results = [0, 0, 0]
    for number, side in sides:
        if found := BY_RESULT.get(games[number].record.result):
            results[found[side]] += 1
    moves = [(number, move) for number, side in sides for move in games[number].moves if move.side == SIDES[side]]
    kinds = Counter(kind_of(games[number], move) for number, move in moves if is_mistake(move))
    return Player(
        name,
        len({number for number, _side in sides}),
        (results[0], results[1], results[2]),
        accuracy_of([move for _number, move in moves]),
        {verdict: sum(move.verdict == verdict for _number, move in moves) for verdict, _ in VERDICTS},
        {kind: kinds[kind] for kind in KINDS},
        scored(games, name),
        _lesson(games, moves),
    )


def _sides(game: GameAnalysis, name: str) -> Iterator[int]:
    return (side for side, each in enumerate(game.record.names) if each == name)


def _lesson(games: Sequence[GameAnalysis], moves: Sequence[tuple[int, MoveAnalysis]]) -> Lesson | None:
    """Return the most instructive mistake: a blunder that can be explained, then the costliest, then the first."""

    def worth(number: int, move: MoveAnalysis) -> tuple[bool, float]:
        explained = move.ply in games[number].why
        return explained and (move.loss >= BLUNDER or bool(move.missed_mate)), move.loss

    bad = [(number, move) for number, move in moves if is_mistake(move)]
    return Lesson(*max(bad, key=lambda each: worth(*each))) if bad else None


# ---- texts -------------------------------------------------------------------------------------------------------


def player_rows(found: Sequence[Player], language: str = "en") -> list[list[str]]:
    """Return the rows of a table of players, the head first."""
    rows = [[translate(word, language) for word in HEAD]]
    for player in found:
        counts = (player.games, *player.results)
        accuracy = "–" if player.accuracy is None else f"{player.accuracy:.0%}"
        rows.append([player.name, *map(str, counts), accuracy, *map(str, player.verdicts.values())])
    return rows


def player_lines(player: Player, games: Sequence[GameAnalysis], language: str = "en") -> list[str]:
    """Return what is said of a player: kinds of mistakes, openings with their scores, the best lesson."""
    kinds = [f"{translate(KIND_NAMES[kind], language)} {count}" for kind, count in player.kinds.items() if count]
    lines = [f"{translate(MISTAKES, language)}: {', '.join(kinds)}"] if kinds else []
    if player.openings:
        scores = [f"{row.name.text(language)} {row.score:.0%} ({sum(row.counts)})" for row in player.openings]
        lines.append(f"{translate(OPENINGS, language)}: {'; '.join(scores)}")
    if (lesson := player.lesson) is not None:
        said = translate(LESSON, language).format(number=lesson.game + 1)
        what, *why = sentences_on(games[lesson.game], lesson.move, language)
        lines += [f"{said}: {what}", *why]
    return lines


def player_table(games: Sequence[GameAnalysis], language: str = "en") -> str:
    """Return the players of several games as text, '' if no side has a name."""
    found = players(games)
    if not found:
        return ""
    parts = ["\n".join(table(player_rows(found, language)))]
    for player in found:
        if player.games >= SEVERAL and (lines := player_lines(player, games, language)):
            parts.append("\n".join([player.name, *(f"  {line}" for line in lines)]))
    return "\n\n".join(parts)
