"""A session's settings and timeouts, and the results of its games. Standard library only."""

from dataclasses import dataclass, field

from shogi_engine.csa.protocol import asks_for_side, check_game, check_name
from shogi_engine.language import InputError

PORT = 4081


@dataclass(frozen=True)
class Timeouts:
    """Timeouts and delays in seconds.

    Attributes:
        connect: until there is a connection
        login: until LOGIN is answered
        start: from AGREE to START
        silence: without a line, beyond the time of the side to move
        logout: until LOGOUT is answered
        keep_alive: without a line in either direction, until an empty one is sent; the protocol requires 30 at
            least
        first_delay, longest_delay: before reconnecting; the delay doubles with each failure
    """

    connect: float = 15.0
    login: float = 15.0
    start: float = 180.0
    silence: float = 120.0
    logout: float = 5.0
    keep_alive: float = 40.0
    first_delay: float = 1.0
    longest_delay: float = 60.0


@dataclass(frozen=True)
class Settings:
    """The settings of a session. Raises ValueError for values that no server would accept.

    Attributes:
        game: shogi-server's game name, '' for servers that know none
        x1: use the extended mode, which needs a game name
        turn: in the extended mode, '+', '-' or '*' for either
        games: the number of games, 0 for no limit
        comments: send scores and lines with moves
        ponder: think on the opponent's time
        delay: the ms that a move takes on its way to the server
        attempts: the maximum number of consecutive attempts to connect or log in
        resume: seconds to wait for the server to offer an aborted last game again
    """

    host: str
    name: str
    port: int = PORT
    game: str = ""
    x1: bool = False
    turn: str = "*"
    games: int = 1
    comments: bool = False
    ponder: bool = True
    delay: int = 20
    attempts: int = 10
    resume: float = 60.0
    timeouts: Timeouts = field(default_factory=Timeouts)

    def __post_init__(self) -> None:
        check_name(self.name)
        if self.game:
            check_game(self.game)
        elif self.x1:
            raise InputError("the extended mode x1 needs a game name")
        if self.x1 and asks_for_side(self.game):
            raise InputError("in the extended mode x1 a side is requested by --x1, not in the game's name")
        if not self.x1 and self.turn != "*":
            raise InputError("without the extended mode x1 a side is requested by -B or -W after the game's name")

    @property
    def password_game(self) -> str:
        """The game name that goes in front of the password in shogi-server's standard mode, '' otherwise."""
        return "" if self.x1 else self.game


@dataclass
class Tally:
    """The results of games.

    Attributes:
        broken: the number of games without a result
    """

    wins: int = 0
    losses: int = 0
    draws: int = 0
    broken: int = 0

    def count(self, result: str) -> None:
        """Count a game that ended in 'win', 'lose', 'draw' or ''."""
        name = {"win": "wins", "lose": "losses", "draw": "draws"}.get(result, "broken")
        setattr(self, name, getattr(self, name) + 1)

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.losses + self.draws + self.broken

    def describe(self) -> str:
        """Return the results in words."""
        text = f"{self.wins} won, {self.losses} lost, {self.draws} drawn"
        return f"{text}, {self.broken} aborted" if self.broken else text
