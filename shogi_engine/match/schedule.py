"""The schedule of a match or tournament: the players of each game, by its number."""

import itertools
from dataclasses import dataclass

KINDS = ("round-robin", "gauntlet", "ladder")


@dataclass(frozen=True)
class Meeting:
    """A game to play: the players' numbers (the first is black in even games of the pairing) and the opening."""

    first: int
    second: int
    swapped: bool
    opening: int

    @property
    def sides(self) -> tuple[int, int]:
        """The players' numbers, black first."""
        return (self.second, self.first) if self.swapped else (self.first, self.second)


@dataclass(frozen=True)
class Schedule:
    """The games of a match or tournament; each pair of players plays `games` games.

    In a gauntlet only the first player meets the others, on a ladder each player meets its neighbours. Each opening
    is played twice with colours swapped. Games come in rounds: one pair of games for every pairing. All pairings play
    the same openings.
    """

    players: int = 2
    games: int = 1
    kind: str = "round-robin"

    def __post_init__(self) -> None:
        if self.players < 2:
            raise ValueError("a match needs two players")
        if self.kind not in KINDS:
            raise ValueError(f"a tournament must be one of {', '.join(KINDS)}, not {self.kind!r}")

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """The pairs of players, by number, that meet."""
        every = itertools.combinations(range(self.players), 2)
        if self.kind == "gauntlet":
            return [pair for pair in every if pair[0] == 0]
        return [(one, other) for one, other in every if self.kind == "round-robin" or other == one + 1]

    def numbers(self) -> list[int]:
        """Return the numbers of all games, in order."""
        whole = 2 * len(self.pairings) * -(-self.games // 2)
        return [number for number in range(whole) if self.place(number) < self.games]

    def place(self, number: int) -> int:
        """Return the index of game `number` among the games of its two players, from 0."""
        return number // (2 * len(self.pairings)) * 2 + number % 2

    def meeting(self, number: int) -> Meeting:
        """Return the players and the opening of game `number`."""
        first, second = self.pairings[number // 2 % len(self.pairings)]
        return Meeting(first, second, number % 2 == 1, self.place(number) // 2)
