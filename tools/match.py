"""A match between two engines or two settings: Elo with its 95 % interval by pairs of games, LOS, and an SPRT.

    python tools/match.py "shogi-usi" "fairy-stockfish" --options2 UCI_Variant=shogi --limit movetime=200 \\
        --games 200 --concurrency 2 --log fairy.jsonl
    python tools/match.py shogi-usi shogi-usi --options1 param.futility_margin=100 --limit nodes=10000 --log f.jsonl
    python tools/match.py --in-process --a futility_margin=90 --limit nodes=10000 --games 900 --sprt 0 10 --log f.jsonl

Each opening is played twice, colours swapped. A limit is nodes=N, depth=N, movetime=MS, byoyomi=MS or
clock=MAIN+BYOYOMI+INCREMENT (ms). Games are judged by the package's own Board; an engine's fault (illegal move, loss on
time, crash, missing or second answer) loses the game and is counted. Every finished game is a line of the log: a run
that was stopped goes on when started again, and refuses to with other settings. --in-process plays two settings of
this build's parameters (`futility_margin=100,values.1=95`, see --list) against each other without USI: repeatable, at
nodes or depth.
Exit status: 0 when the match is complete or decided, 1 when it had to be given up, 2 for bad arguments.
"""

import argparse
import json
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from match_stats import Estimate, Sprt, estimate, log_likelihood_ratio

Record = dict[str, Any]


class Log:
    """The finished games, in a JSON lines file that begins with the match's settings. path None: kept nowhere."""

    def __init__(self, path: Path | None, settings: Record) -> None:
        self.path = path
        self.records: dict[int, Record] = {}
        if path is None:
            return
        whole = self._read(path) if path.exists() else []
        if whole:
            if whole[0].get("settings") != settings:
                raise ValueError(f"{path} is of a match with other settings: {json.dumps(whole[0].get('settings'))}")
            self.records = {record["game"]: record for record in whole[1:]}
        else:
            self._append({"settings": settings})

    @staticmethod
    def _read(path: Path) -> list[Record]:
        """Return the lines' contents; a last line that was torn when the run was killed is cut off."""
        data = path.read_bytes()
        complete = data[: data.rfind(b"\n") + 1]
        if len(complete) < len(data):
            with path.open("r+b") as file:
                file.truncate(len(complete))
        lines = []
        for number, line in enumerate(complete.splitlines(), 1):
            try:
                lines.append(json.loads(line))
            except ValueError:
                raise ValueError(f"{path}, line {number}: no JSON") from None
        return lines

    def add(self, record: Record) -> None:
        """Keep one more finished game."""
        self.records[record["game"]] = record
        if self.path is not None:
            self._append(record)

    def _append(self, content: Record) -> None:
        assert self.path is not None
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(content) + "\n")


def pentanomial(records: dict[int, Record]) -> list[int]:
    """Return how many finished pairs (games 2 n and 2 n + 1) scored 0, 1/2, 1, 3/2, 2 for the first player."""
    pairs = [0] * 5
    for game, record in records.items():
        if game % 2 == 0 and game + 1 in records:
            pairs[round(2 * (record["score"] + records[game + 1]["score"]))] += 1
    return pairs


def summarise(records: dict[int, Record], sprt: Sprt | None) -> Record:
    """Return the match's figures as JSON has them."""
    scores = [record["score"] for record in records.values()]
    pairs = pentanomial(records)
    result = estimate(pairs)
    summary: Record = {
        "games": len(scores),
        "wins": scores.count(1.0),
        "draws": scores.count(0.5),
        "losses": scores.count(0.0),
        "pairs": pairs,
        "score": round(result.score, 4),
        "elo": round(result.elo, 1),
        "elo95": [round(result.low, 1), round(result.high, 1)],
        "los": round(result.los, 4),
    }
    if sprt:
        ratio = log_likelihood_ratio(pairs, sprt.elo0, sprt.elo1)
        bounds = [round(bound, 3) for bound in sprt.bounds]
        test = {"elo0": sprt.elo0, "elo1": sprt.elo1, "alpha": sprt.alpha, "beta": sprt.beta}
        summary["sprt"] = test | {"llr": round(ratio, 3), "bounds": bounds, "verdict": sprt.verdict(pairs)}
    reasons: dict[str, int] = {}
    faults: list[dict[str, int]] = [{}, {}]
    for record in records.values():
        winner = {1.0: "first wins", 0.5: "draw", 0.0: "second wins"}[record["score"]]
        reason = f"{winner}: {record['reason'].split(':')[0]}"
        reasons[reason] = reasons.get(reason, 0) + 1
        if record.get("fault"):
            of = faults[int(record["score"])]  # whoever committed it has lost
            of[record["fault"]] = of.get(record["fault"], 0) + 1
    summary["black_score"] = round(
        sum(record["score"] if game % 2 == 0 else 1 - record["score"] for game, record in records.items())
        / max(len(records), 1),
        4,
    )
    summary["plies"] = round(sum(record["plies"] for record in records.values()) / max(len(records), 1), 1)
    summary["reasons"] = dict(sorted(reasons.items()))
    summary["faults"] = dict(zip(("first", "second"), faults, strict=True))
    for name in ("first", "second"):
        used = [record[name] for record in records.values() if name in record]
        moves = sum(each["moves"] for each in used) or 1
        summary[name] = {
            "ms_per_move": round(sum(each["ms"] for each in used) / moves, 2),
            "nodes_per_move": round(sum(each["nodes"] for each in used) / moves),
            "late": sum(each.get("late", 0) for each in used),
            "longest_ms": round(max((each.get("longest", 0.0) for each in used), default=0.0), 1),
        }
    return summary


def line(summary: Record) -> str:
    """Return the figures in one line."""
    low, high = summary["elo95"]
    text = f"{summary['games']} games +{summary['wins']} ={summary['draws']} -{summary['losses']}"
    text += f"  Elo {summary['elo']:+.1f} (95 %: {low:+.1f} to {high:+.1f})  LOS {100 * summary['los']:.1f} %"
    if "sprt" in summary:
        test = summary["sprt"]
        low, high = test["bounds"]
        text += f"  LLR {test['llr']:+.2f} [{low}, {high}] for [{test['elo0']:g}, {test['elo1']:g}] {test['verdict']}"
    faults = {side: count for side, of in summary["faults"].items() if (count := sum(of.values()))}
    return text + (f"  faults {faults}" if faults else "")


class Match:
    """Plays the games that are missing, in threads, until all are there, the test is decided, or faults are too many.

    play(worker, game) -> record : called in worker threads; `worker` is what make_worker() returned in that thread.
    """

    def __init__(
        self,
        log: Log,
        games: int,
        make_worker: Callable[[], Any],
        play: Callable[[Any, int], Record],
        sprt: Sprt | None = None,
        max_faults: int = 0,
    ) -> None:
        self.log, self.games, self.sprt, self.max_faults = log, games, sprt, max_faults
        self._make_worker, self._play = make_worker, play
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def decided(self) -> bool:
        """Tell whether no more games are wanted."""
        records = self.log.records
        faults = sum(bool(record.get("fault")) for record in records.values())
        if self.max_faults and faults >= self.max_faults:
            return True
        return bool(self.sprt and self.sprt.verdict(pentanomial(records)))

    def records(self) -> dict[int, Record]:
        """Return the games finished so far; a copy, for workers may be adding more."""
        with self._lock:
            return dict(self.log.records)

    def run(self, concurrency: int) -> Iterator[Record]:
        """Play, and yield each record once it is logged. What a worker raises is raised here."""
        missing = iter([game for game in range(self.games) if game not in self.log.records])
        if self.decided():
            return
        threads = []
        before = threading.stack_size(64 << 20)  # the search recurses
        for _ in range(concurrency):
            threads.append(threading.Thread(target=self._work, args=(missing,), daemon=True))
            threads[-1].start()
        threading.stack_size(before)
        running = len(threads)
        try:
            while running:
                done = self._done.get()
                if done is None:
                    running -= 1
                elif isinstance(done, BaseException):
                    raise done
                else:
                    yield done
        finally:
            self._over.set()
            for thread in threads:
                thread.join(10)

    def _work(self, missing: Iterator[int]) -> None:
        worker = None
        try:
            worker = self._make_worker()
            while not self._over.is_set():
                with self._lock:
                    game = next(missing, None)
                if game is None:
                    break
                record = self._play(worker, game)
                with self._lock:
                    self.log.add(record)
                    if self.decided():
                        self._over.set()
                self._done.put(record)
        except BaseException as failure:
            self._done.put(failure)
        finally:
            for player in getattr(worker, "closing", ()):
                player.close()
            self._done.put(None)


# ---- the two kinds of games --------------------------------------------------------------------------------------


def first_score(winner: int | None, game: int) -> float:
    """Return the first player's score of a game won by colour `winner`; it is black in even games."""
    if winner is None:
        return 0.5
    return 1.0 if winner == game % 2 else 0.0


class UsiPair:
    """The two processes of one worker."""

    def __init__(self, players: list[Any]) -> None:
        self.closing = self.players = players


def usi_match(arguments: argparse.Namespace, openings: Any) -> tuple[Callable[[], Any], Callable[[Any, int], Record]]:
    """Return what Match needs for games between USI engines. Raises ValueError."""
    from usi_games import Player, Setup, Terms, parse_limit, parse_options, play

    setups = [
        Setup(
            command=arguments.engines[side],
            options=parse_options((arguments.options1, arguments.options2)[side]),
            limit=parse_limit((arguments.limit1, arguments.limit2)[side] or arguments.limit),
            ponder=arguments.ponder,
        )
        for side in range(2)
    ]
    terms = Terms(arguments.max_plies, arguments.margin, arguments.resign)

    def make_worker() -> UsiPair:
        return UsiPair([Player(setup, arguments.patience, arguments.ready_patience) for setup in setups])

    def play_game(worker: UsiPair, game: int) -> Record:
        players = worker.players if game % 2 == 0 else worker.players[::-1]
        played = play(*players, openings[game // 2], terms)
        record: Record = {"game": game, "score": first_score(played.winner, game), "reason": played.reason}
        record |= {"fault": played.fault, "plies": len(played.moves), "moves": " ".join(played.moves)}
        for name, side in (("first", game % 2), ("second", 1 - game % 2)):
            used = played.measured[side]
            record[name] = {
                "moves": used.moves,
                "ms": round(used.milliseconds, 1),
                "longest": round(used.longest, 1),
                "late": used.late,
                "nodes": used.nodes,
                "depths": used.depths,
                "hits": used.hits,
                "misses": used.misses,
            }
        return record

    return make_worker, play_game


def in_process_match(
    arguments: argparse.Namespace, game: Any, openings: Any
) -> tuple[Callable[[], Any], Callable[[Any, int], Record]]:
    """Return what Match needs for games between two settings. Raises ValueError."""
    from arena import Arena, Rules
    from usi_games import parse_limit

    from shogi_engine.parameters import parse_settings
    from shogi_engine.search.limits import Limits

    limits = []
    for text in (arguments.limit1 or arguments.limit, arguments.limit2 or arguments.limit):
        limit = parse_limit(text)
        if limit.clocked or limit.movetime:
            raise ValueError(f"games in this process are limited by nodes or depth, not {text!r}")
        limits.append(Limits(nodes=limit.nodes, depth=limit.depth))
    settings = [parse_settings(text) for text in (arguments.a, arguments.b)]
    rules = Rules(arguments.max_plies, arguments.resign)
    for player, values in zip(Arena(game, 1, rules).players, settings, strict=True):
        player.configure(values)  # say what is wrong before any thread runs

    def make_worker() -> Arena:
        arena = Arena(game, arguments.hash, rules)
        for player, values in zip(arena.players, settings, strict=True):
            player.configure(values)
        return arena

    def play_game(arena: Arena, number: int) -> Record:
        order = (0, 1) if number % 2 == 0 else (1, 0)
        black, white = (arena.players[index] for index in order)
        began = time.thread_time()
        played = arena.play(arena.parse(openings[number // 2]), black, white, (limits[order[0]], limits[order[1]]))
        cpu = time.thread_time() - began
        record: Record = {"game": number, "score": first_score(played.winner, number), "reason": played.reason}
        record |= {"plies": len(played.moves), "cpu": round(cpu, 3), "moves": arena.format(played.moves)}
        for name, side in (("first", number % 2), ("second", 1 - number % 2)):
            ms = round(1000 * played.seconds[side], 1)
            record[name] = {"moves": played.searches[side], "ms": ms, "nodes": played.nodes[side]}
        return record

    return make_worker, play_game


# ---- the command -------------------------------------------------------------------------------------------------


def resign_terms(text: str) -> tuple[int, int] | None:
    """Return (value, count) of 'VALUE:COUNT', None of 'never'."""
    if text == "never":
        return None
    value, _, count = text.partition(":")
    if int(value) < 1 or int(count or 2) < 1:
        raise ValueError
    return int(value), int(count or 2)


def positive(text: str) -> int:
    """Return a number of at least 1."""
    if int(text) < 1:
        raise ValueError
    return int(text)


def arguments_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="*", help="two commands")
    parser.add_argument("--in-process", action="store_true", help="play --a against --b in this process")
    parser.add_argument("--a", default="", help="parameters of the first: name=integer,...")
    parser.add_argument("--b", default="", help="parameters of the second")
    parser.add_argument("--game", default="shogi", help="in this process: shogi or othello")
    parser.add_argument("--list", action="store_true", help="list the game's parameters and their values, and leave")
    for side in "12":
        parser.add_argument(f"--options{side}", default="", help="Name=Value,Name=Value")
        parser.add_argument(f"--limit{side}", default="", help="instead of --limit")
    parser.add_argument("--limit", default="nodes=10000")
    parser.add_argument("--games", type=positive, default=1000)
    parser.add_argument("--concurrency", type=positive, default=1, help="games at a time")
    parser.add_argument("--openings", type=Path, help="a file; the shipped one for Shogi")
    parser.add_argument("--random-plies", type=int, default=0, help="random moves added to each opening")
    parser.add_argument("--seed", type=int, default=1, help="of the openings")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="stop when decided")
    parser.add_argument("--risks", type=float, nargs=2, default=(0.05, 0.05), metavar=("ALPHA", "BETA"))
    parser.add_argument("--max-plies", type=positive, default=320, help="then the game is drawn")
    parser.add_argument("--resign", type=resign_terms, help="VALUE:COUNT or never; both sides' scores have to agree")
    parser.add_argument("--ponder", action="store_true", help="engines think on the opponent's time")
    parser.add_argument("--margin", type=float, default=100.0, help="ms over the time that are no loss yet")
    parser.add_argument("--patience", type=float, default=60.0, help="s over the time until an answer is missing")
    parser.add_argument("--ready-patience", type=float, default=600.0, help="s until readyok")
    parser.add_argument("--max-faults", type=int, default=10, help="give up after so many; 0 for never")
    parser.add_argument("--hash", type=positive, default=8, help="MB of each player's table in this process")
    parser.add_argument("--log", type=Path, help="every game, a line each; the match goes on from it")
    parser.add_argument("--plot", type=Path, help="a picture of the run (matplotlib)")
    parser.add_argument("--report", type=int, default=0, help="a line to stderr after each so many games")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object")
    return parser


def prepared(arguments: argparse.Namespace) -> tuple[Match, Record]:
    """Return the match that the arguments ask for and its settings. Raises ValueError and OSError."""
    from match_openings import SHIPPED, Openings, read

    from shogi_engine import games

    if arguments.in_process == bool(arguments.engines) or len(arguments.engines) not in (0, 2):
        raise ValueError("give two engines, or --in-process with --a and --b")
    sprt = Sprt(*arguments.sprt, *arguments.risks) if arguments.sprt else None
    if not arguments.resign_given and arguments.in_process:
        arguments.resign = (3000, 2)
    game = games.load(arguments.game if arguments.in_process else "shogi")
    path = arguments.openings or (SHIPPED if game.name == "shogi" else None)
    lines = read(path) if path else ["startpos"]
    plies = arguments.random_plies or (0 if path else 8)
    openings = Openings(game, lines, seed=arguments.seed, plies=plies)
    names = ["limit", "limit1", "limit2", "seed", "max_plies", "resign"]
    if arguments.in_process:
        names += ["a", "b", "game", "hash"]
        make_worker, play = in_process_match(arguments, game, openings)
    else:
        names += ["engines", "options1", "options2", "ponder", "margin"]
        make_worker, play = usi_match(arguments, openings)
    settings = {name: getattr(arguments, name) for name in names} | {"random_plies": plies, "openings": str(path)}
    settings = json.loads(json.dumps(settings))
    log = Log(arguments.log, settings)
    return Match(log, arguments.games, make_worker, play, sprt, arguments.max_faults), settings


def plot(records: dict[int, Record], sprt: Sprt | None, path: Path) -> None:
    """Draw how Elo, its interval and the likelihood ratio came about. Needs matplotlib."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    games = sorted(records)
    steps: list[tuple[int, Estimate, float]] = []
    known: dict[int, Record] = {}
    for count, game in enumerate(games, 1):
        known[game] = records[game]
        if game % 2 == 1 and (count % max(len(games) // 200 * 2, 2) == 0 or count == len(games)):
            pairs = pentanomial(known)
            ratio = log_likelihood_ratio(pairs, sprt.elo0, sprt.elo1) if sprt else 0.0
            steps.append((count, estimate(pairs), ratio))
    figure, axes = pyplot.subplots(2 if sprt else 1, 1, sharex=True, squeeze=False, figsize=(8, 6))
    above, x = axes[0][0], [count for count, _, _ in steps]
    above.plot(x, [result.elo for _, result, _ in steps], label="Elo")
    above.fill_between(x, [r.low for _, r, _ in steps], [r.high for _, r, _ in steps], alpha=0.3, label="95 %")
    if steps:
        last = steps[-1][1]
        above.set_ylim(last.elo - 6 * max(last.error, 5), last.elo + 6 * max(last.error, 5))
    above.axhline(0, color="grey", linewidth=0.5)
    above.set_ylabel("Elo of the first")
    above.legend()
    if sprt:
        below = axes[1][0]
        below.plot(x, [ratio for _, _, ratio in steps])
        for bound in sprt.bounds:
            below.axhline(bound, color="grey", linestyle="--")
        below.set_ylabel(f"LLR of {sprt.elo1:g} against {sprt.elo0:g}")
    axes[-1][0].set_xlabel("games")
    figure.tight_layout()
    figure.savefig(path)


def show_progress(match: Match, concurrency: int, report: int) -> None:
    """Play to the end; a bar on a terminal, and a line after each `report` games."""
    began, before = time.monotonic(), len(match.log.records)
    for _ in match.run(concurrency):
        records = match.records()
        done = len(records)
        if sys.stderr.isatty():
            summary = summarise(records, match.sprt)
            left = (time.monotonic() - began) / (done - before) * (match.games - done)
            filled = 20 * done // match.games
            bar = f"[{'#' * filled}{'.' * (20 - filled)}] {left / 60:.1f} min left  {line(summary)}"
            print(f"\r{bar}\033[K", end="", file=sys.stderr, flush=True)
        if report and done % report == 0:
            print(line(summarise(records, match.sprt)), file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)


def main(words: list[str] | None = None) -> int:
    """Play what is missing and print the summary."""
    parser = arguments_parser()
    arguments = parser.parse_args(words)
    arguments.resign_given = any(word.startswith("--resign") for word in (sys.argv[1:] if words is None else words))
    if arguments.list:
        return list_parameters(arguments.game)
    if arguments.plot:
        import matplotlib  # noqa: F401  say that it is missing before the games, not after
    try:
        match, settings = prepared(arguments)
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    interrupted = False
    try:
        show_progress(match, arguments.concurrency, arguments.report)
    except KeyboardInterrupt:
        interrupted = True
    summary = summarise(match.log.records, match.sprt)
    if arguments.plot:
        plot(match.log.records, match.sprt, arguments.plot)
    if arguments.json:
        print(json.dumps(summary | {"settings": settings}))
    else:
        print(line(summary))
        for reason, count in summary["reasons"].items():
            print(f"  {count:5} {reason}")
        for name in ("first", "second"):
            used = summary[name]
            print(f"  {name}: {used['ms_per_move']} ms and {used['nodes_per_move']} nodes a move")
    complete = len(match.log.records) >= arguments.games or bool(match.sprt and summary["sprt"]["verdict"])
    return 0 if complete and not interrupted else 1


def list_parameters(name: str) -> int:
    """Print the parameters of a game."""
    from shogi_engine import games, parameters

    game = games.load(name)
    params, tunable = game.default_params(), parameters.tunable(game)
    for each in parameters.names(params):
        found = tunable.get(each)
        extra = f"  tuned from {found.least} to {found.most} by {found.step}" if found else ""
        print(f"{each} = {parameters.value(params, each)}{extra}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
