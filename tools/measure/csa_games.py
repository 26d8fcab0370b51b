"""Games between two instances of this engine over a local CSA server, some of them with a cut connection.

    python -m tools.measure.csa_games --games 200 --cuts 20 --nodes 300
    python -m tools.measure.csa_games --games 10 --cuts 3 --msec --total 3000 --increment 100 --ponder

    python -m tools.measure.csa_games --games 4 --cuts 2 --usi shogi-usi --ponder

Both clients are sessions of `shogi-engine csa`, in threads of this process. A game counts as failed if it ends on
time, by an illegal move or a false declaration, or is not finished; the status is then 1.
"""

import argparse
import collections
import json
import random
import threading
import time
from pathlib import Path

from shogi_engine.clients.usi import SimpleEngine
from shogi_engine.csa.session import CsaSession, GameSaver, Settings, Tally, Timeouts
from shogi_engine.play.players import EnginePlayer, Player, UsiPlayer
from shogi_engine.types.limits import Limit
from tools.measure.csa_server import COMPLETE, CUTS, Conditions, Cut, RefereeServer

NAMES = ("one", "two")
LAST_WAIT = 30.0  # seconds for the games to end after a client has ended


class Quiet:
    """Stores a session's messages."""

    def __init__(self, log: list[str], name: str) -> None:
        self._log, self._name = log, name

    def note(self, text: str) -> None:
        """Keep a line of the log."""
        self._log.append(f"{self._name}: {text}")

    def progress(self, text: str) -> None:
        """Nothing."""


def plan_cuts(games: int, cuts: int, seed: int) -> dict[int, Cut]:
    """Return `cuts` cuts in different games, with random moves, sides and moments."""
    rng = random.Random(seed)
    numbers = sorted(rng.sample(range(games), cuts))
    return {
        number: Cut(0 if (when := CUTS[index % len(CUTS)]) == "offered" else rng.randrange(60), rng.randrange(2), when)
        for index, number in enumerate(numbers)
    }


def client(args: argparse.Namespace, name: str, port: int, log: list[str]) -> tuple[CsaSession, Player]:
    """Return a client and its player."""
    settings = Settings(
        "127.0.0.1", name, port=port, game="test-600-10F" if args.standard else "", games=args.games,
        ponder=args.ponder, delay=args.delay, comments=True, resume=10.0,
        timeouts=Timeouts(first_delay=0.05, longest_delay=1.0),
    )  # fmt: skip
    nodes = None if args.msec else args.nodes
    player: Player
    if args.usi and name == NAMES[1]:
        engine = SimpleEngine.described(args.usi, defaults={"USI_Ponder": args.ponder})
        player = UsiPlayer(engine, Limit(nodes=nodes), ponders=args.ponder)
    else:
        limit = Limit(nodes=nodes, level=args.level)
        player = EnginePlayer("shogi", limit, hash_mb=16, ponders=args.ponder, solver=args.level is None)
    player.ready()
    folder = Path(args.records) / name if args.records else ""
    return CsaSession(settings, "secret", player, GameSaver(folder), Quiet(log, name)), player


def play(server: RefereeServer, args: argparse.Namespace, log: list[str], tallies: dict[str, Tally]) -> None:
    """Play all games."""

    def run(name: str) -> None:
        try:
            session, player = client(args, name, server.port, log)
            tallies[name] = session.run()
            player.close()
        except Exception as failure:
            log.append(f"{name}: {failure!r}")

    clients = [threading.Thread(target=run, args=(name,), daemon=True) for name in NAMES]
    games = threading.Thread(target=server.run, daemon=True)
    for thread in (*clients, games):
        thread.start()
    while all(thread.is_alive() for thread in (*clients, games)):
        time.sleep(0.05)
    games.join(LAST_WAIT)  # if a client fails, the other waits forever
    while any(thread.is_alive() for thread in clients) and len(server.played) == args.games:
        time.sleep(0.05)


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=300)
    parser.add_argument("--level", type=int)
    parser.add_argument("--msec", action="store_true", help="play by the clock, in ms, instead of by nodes")
    parser.add_argument("--total", type=int, default=600, help="main time in seconds, or in ms with --msec")
    parser.add_argument("--byoyomi", type=int, default=0)
    parser.add_argument("--increment", type=int, default=10)
    parser.add_argument("--delay", type=int, default=20)
    parser.add_argument("--ponder", action="store_true")
    parser.add_argument("--usi", default="", metavar="COMMAND", help="a USI engine as the second player")
    parser.add_argument("--standard", action="store_true", help="one game a login, as shogi-server's standard mode")
    parser.add_argument("--records", default="")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.standard:
        args.cuts = 0  # shogi-server does not offer a game again
    unit = "1msec" if args.msec else "1sec"
    conditions = Conditions(unit, args.total, args.byoyomi, args.increment)
    cuts = plan_cuts(args.games, args.cuts, args.seed)
    server = RefereeServer(
        NAMES, args.games, conditions, cuts, opening_plies=6, seed=args.seed, one_game_per_login=args.standard
    )
    log: list[str] = []
    tallies: dict[str, Tally] = {}
    began = time.monotonic()
    play(server, args, log, tallies)
    reasons = collections.Counter(played.reason for played in server.played)
    broken = sum(played.breaks for played in server.played)
    lost = [played for played in server.played if played.reason not in COMPLETE]
    print(f"{len(server.played)} games in {time.monotonic() - began:.0f} s, {broken} interrupted and resumed")
    print(f"ended by {json.dumps(reasons)}; {sum(played.plies for played in server.played)} plies")
    for name, tally in sorted(tallies.items()):
        spare = min((played.spare[name] for played in server.played if name in played.spare), default=0)
        print(f"{name}: {tally.describe()}; the least time left after a move {spare} {unit[1:]}")
    if server.waits:
        print(f"at most {max(server.waits):.2f} s between a game's end and the next login of its players")
    print(f"lost by a client: {len(lost)}; faults of the protocol: {json.dumps(server.faults)}")
    complete = len(tallies) == len(NAMES) and all(tally.games == args.games for tally in tallies.values())
    if lost or server.faults or not complete or broken < args.cuts:
        print("\n".join(log[-40:]))
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
