"""Screen many changes of parameters at once: games between random selections of them, and one regression over all.

    python -m tools.tuning.screen run.jsonl --changes "rfp_margin=120; nmp_base=6; lmr_pv=3000,lmr_base=900" --pairs 600
    python -m tools.tuning.screen run.jsonl --changes ... --pairs 0          # only the table

In each pair of games (one opening, both colours) each player makes a random selection of the changes. A regression
explains the results by the changes that only one player has, so every game tells something about each change: n games
measure all of them as precisely as n / 2 games would measure one.

A change is name=value, or several joined by commas (names: `shogi-engine match --list`). --settings, such as
evaluation=material, are made by both players. Runs are seeded and continue where they were stopped. Confirm promising
changes with `shogi-engine match`. Source: factorial designs, R. A. Fisher, The Design of Experiments (1935).
"""

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine import games
from shogi_engine.cli.common import CLUSTER
from shogi_engine.common.match_statistics import ELO_PER_SCORE, Z_95
from shogi_engine.engine.parameters import check, parse_settings
from shogi_engine.interface.game import Game
from tools.tuning.spsa import PairPlayer, Settings


def drawn(seed: int, pair: int, changes: int) -> tuple[list[int], list[int]]:
    """Return the changes (0 or 1 each) that both players of a pair make."""
    rng = random.Random(f"{seed} {pair}")
    first, second = ([rng.randrange(2) for _ in range(changes)] for _ in range(2))
    return first, second


def chosen(common: Settings, changes: list[Settings], which: list[int]) -> Settings:
    """Return the `common` settings with the selected `changes`."""
    made = [change for change, selected in zip(changes, which, strict=True) if selected]
    return {name: value for settings in (common, *made) for name, value in settings.items()}


def effects(rows: list[tuple[list[int], list[int], float]]) -> tuple[np.ndarray, np.ndarray]:
    """Return for each change its Elo and half its 95 % interval, float64[n] each.

    Args:
        rows: for each pair the first's changes, the second's, and games won minus games lost by the first
    """
    design = np.array([np.subtract(first, second) for first, second, _ in rows], dtype=np.float64)
    scores = np.array([won / 4 for _, _, won in rows])  # points above or below 1/2 per game
    inverse = np.linalg.pinv(design.T @ design)
    found = inverse @ design.T @ scores
    free = max(len(rows) - design.shape[1], 1)
    variance = float(((scores - design @ found) ** 2).sum()) / free
    return found * ELO_PER_SCORE, Z_95 * np.sqrt(np.diag(inverse) * variance) * ELO_PER_SCORE


def parse_changes(game: Game, common: Settings, text: str) -> list[Settings]:
    """Return the changes of 'a=1; b=2,c=3' to players with `common` settings. Raises ValueError."""
    changes: list[Settings] = [parse_settings(part.strip()) for part in text.split(";") if part.strip()]
    if not changes:
        raise ValueError("there is no change")
    for change in changes:
        check(game, {**common, **change})
    return changes


def read(path: Path, settings: dict[str, Any]) -> dict[int, float]:
    """Return the pairs of a log; a new log starts with `settings`. Raises ValueError if it is from another run."""
    if not path.exists():
        path.write_text(json.dumps(settings) + "\n")
        return {}
    first, *rest = path.read_text().splitlines()
    if json.loads(first) != settings:
        raise ValueError(f"{path} is the log of a run with other settings")
    return {record["pair"]: record["won"] for record in map(json.loads, rest)}


def show_table(changes: list[Settings], rows: list[tuple[list[int], list[int], float]]) -> None:
    """Print the effect of each change, the best first.

    Args:
        rows: as in `effects`
    """
    elo, error = effects(rows)
    print(f"{2 * len(rows)} games")
    for place in np.argsort(-elo):
        text = ",".join(f"{name}={value}" for name, value in changes[place].items())
        print(f"{elo[place]:+6.0f} +- {error[place]:.0f}  {text}")


def main(words: list[str] | None = None) -> int:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path)
    parser.add_argument("--changes", required=True, help="name=value[,name=value...]; ...")
    parser.add_argument("--settings", default="", help="settings of both players: name=value[,name=value...]")
    parser.add_argument("--game", default="shogi")
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--nodes", type=int, default=10_000, help="a move")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cluster", **CLUSTER.settings)
    arguments = parser.parse_args(words)
    game = games.load(arguments.game)
    settings = {name: getattr(arguments, name) for name in ("changes", "settings", "game", "nodes", "seed")}
    try:
        common = parse_settings(arguments.settings)
        changes = parse_changes(game, common, arguments.changes)
        known = read(arguments.log, settings)
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    missing = []
    for pair in range(arguments.pairs):
        if pair not in known:
            first, second = drawn(arguments.seed, pair, len(changes))
            missing.append((chosen(common, changes, first), chosen(common, changes, second), pair))
    numbers = {"nodes": arguments.nodes, "seed": arguments.seed, "threads": max(arguments.threads, 1)}
    player = PairPlayer(arguments.game, **numbers, cluster=arguments.cluster)
    with player, arguments.log.open("a") as log:
        for (_, _, pair), score in player.results(missing):
            known[pair] = score
            log.write(json.dumps({"pair": pair, "won": score}) + "\n")
            log.flush()
            print(f"{len(known)} of {arguments.pairs} pairs", end="\r", file=sys.stderr, flush=True)
    if known:
        show_table(changes, [(*drawn(arguments.seed, pair, len(changes)), score) for pair, score in known.items()])
    return 0


if __name__ == "__main__":
    sys.exit(main())
