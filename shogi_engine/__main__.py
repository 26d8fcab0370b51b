"""The `shogi-engine` command. CONTRACTS of every command: `--help`; wrong arguments end with status 2 and one line on
stderr; `--json` prints one JSON object as the last line of stdout; progress goes to stderr, and only to a terminal.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from shogi_engine import __version__, games

DEFAULT_MS = 1000
MATE_MS = 10000  # a problem
TRACE_DEPTHS = (2, 3, 4)


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}", file=sys.stderr)
        sys.exit(2)


def at_least_one(text: str) -> int:
    """Return the positive integer `text`, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of at least 1 wanted, not {text!r}")
    return int(text)


def natural(text: str) -> int:
    """Return the integer `text`, 0 or more, for argparse."""
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise argparse.ArgumentTypeError(f"a number of at least 0 wanted, not {text!r}")
    return int(text)


def progress_line(what: str) -> Callable[[int, int], None] | None:
    """Return a function that shows how far the work is, or None if stderr is no terminal."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, whole: int) -> None:
        end = "\n" if done == whole else ""
        print(f"\r{what} {done}/{whole}", end=end, file=sys.stderr, flush=True)

    return show


def report(args: argparse.Namespace, values: dict[str, Any], text: str) -> None:
    """Print the result: `text` for people, or one JSON object."""
    print(json.dumps(values) if args.json else text, flush=True)


def speed(nodes: int, seconds: float) -> int:
    """Return nodes a second, 0 if no time was measured."""
    return int(nodes / seconds) if seconds > 0 else 0


# ---- the commands ------------------------------------------------------------------------------------------------


def warmup(args: argparse.Namespace) -> int:
    from shogi_engine.engine import Engine

    names = args.games or list(games.NAMES)
    began = time.perf_counter()
    for name in names:
        with Engine(name) as engine:
            engine.warmup()
            engine.evaluate()
            engine.perft(1)
            engine.load_solver(wait=True)
    seconds = time.perf_counter() - began
    report(args, {"games": names, "seconds": seconds}, f"{', '.join(names)}: ready after {seconds:.1f} s")
    return 0


def perft(args: argparse.Namespace) -> int:
    options = {"bulk": not args.no_bulk, "threads": args.threads}
    if args.suite:
        if args.game or args.position:
            raise ValueError("perft: --suite takes its game and positions from the file")
        return perft_suite(args, options)
    if args.game is None or args.depth is None:
        raise ValueError("perft: GAME and DEPTH, or --suite FILE, are wanted")
    from shogi_engine.perft import perft as count

    game = games.load(args.game)
    text = args.position or game.start
    position = game.parse_position(text)
    result = count(game, position, args.depth, free_pass=args.free_pass, progress=progress_line("root move"), **options)
    values: dict[str, Any] = {
        "game": game.name,
        "position": text,
        "depth": args.depth,
        "nodes": result.nodes,
        "seconds": result.seconds,
        "nps": speed(result.nodes, result.seconds),
    }
    if args.divide:
        for move, nodes in result.divide.items():
            print(f"{move}: {nodes}")
        values["divide"] = result.divide
    report(args, values, f"{result.nodes} nodes, {result.seconds:.3f} s, {values['nps']} nodes/s")
    return 0


def perft_suite(args: argparse.Namespace, options: dict[str, Any]) -> int:
    """Check a suite; its passes are as the file says, so --free-pass and --divide mean nothing here."""
    from shogi_engine.suites import perft_suite as suites

    game, cases = suites.read(args.suite)
    outcome = suites.check(game, cases, max_nodes=args.max_nodes, progress=progress_line("position"), **options)
    for failure in outcome.failures:
        print(failure)
    values = {name: getattr(outcome, name) for name in ("passed", "failed", "skipped", "nodes", "seconds")}
    text = f"{outcome.passed} passed, {outcome.failed} failed, {outcome.skipped} skipped; {outcome.nodes} nodes"
    report(args, values, f"{text}, {outcome.seconds:.3f} s, {speed(outcome.nodes, outcome.seconds)} nodes/s")
    return 1 if outcome.failed else 0


def bench(args: argparse.Namespace) -> int:
    from shogi_engine.bench import POSITIONS
    from shogi_engine.bench import bench as run

    names = [args.game] if args.game else [name for name in games.NAMES if name in POSITIONS]
    results = {name: run(name, progress_line(name)) for name in names}
    nodes = sum(result.nodes for result in results.values())
    seconds = sum(result.seconds for result in results.values())
    values = {
        "nodes": nodes,
        "per_game": {name: result.nodes for name, result in results.items()},
        "seconds": seconds,
        "nps": speed(nodes, seconds),
    }
    each = "".join(f"{name}: {result.nodes}\n" for name, result in results.items())
    report(args, values, f"{each}Bench: {nodes}   ({seconds:.2f} s, {values['nps']} nodes/s)")
    return 0


def doctor(args: argparse.Namespace) -> int:
    from shogi_engine.cli import doctor

    if args.launcher:
        path = Path(args.launcher)
        doctor.write_launcher(path)
        report(args, {"launcher": str(path.absolute())}, f"{path.absolute()} starts the engine; register it in the GUI")
        return 0
    facts = doctor.examine()
    report(args, facts, doctor.report(facts))
    return 1 if facts["problems"] else 0


def score_value(score: str) -> dict[str, int | float]:
    """Return {'cp': 12} for 'cp 12'."""
    unit, number = score.split()
    return {unit: float(number) if "." in number else int(number)}


def search(args: argparse.Namespace) -> int:
    from shogi_engine.engine import Engine

    limits = chosen_limits(args)
    with Engine(args.game, hash_mb=args.hash, threads=args.threads) as engine:
        engine.set_position(args.position, args.moves)
        engine.warmup()

        def show(line: Any) -> None:
            where = f"depth {line.depth:>2} {line.score} {line.bound} nodes {line.nodes} {line.seconds:.2f} s"
            print(f"{where}  {' '.join(line.pv)}", file=sys.stderr)

        found = engine.search(**limits, multipv=args.multipv, on_info=show if sys.stderr.isatty() else None)
    values: dict[str, Any] = {
        "bestmove": found.bestmove or None,
        "score": score_value(found.score),
        "depth": found.depth,
        "nodes": found.nodes,
        "seconds": found.seconds,
        "nps": speed(found.nodes, found.seconds),
        "pv": found.pv,
    }
    if args.multipv > 1:
        values["lines"] = [
            {"score": score_value(line.score), "depth": line.depth, "pv": line.pv} for line in found.lines
        ]
    lines = [f"{line.score}   {' '.join(line.pv)}" for line in found.lines]
    head = f"{found.bestmove or 'no legal move'}   depth {found.depth}, {found.nodes} nodes, {found.seconds:.2f} s"
    report(args, values, "\n".join([head, *lines]))
    return 0 if found.bestmove else 1


def chosen_limits(args: argparse.Namespace) -> dict[str, Any]:
    """Return the limits given, DEFAULT_MS if there is none."""
    limits = {name: getattr(args, name) for name in ("depth", "nodes", "movetime", "level")}
    given = {name: value for name, value in limits.items() if value is not None}
    return given or {"movetime": DEFAULT_MS}


def solve(args: argparse.Namespace) -> int:
    if bool(args.suite) == bool(args.position):
        raise ValueError("solve: --position POS or --suite FILE is wanted")
    if args.suite and args.wld:
        raise ValueError("solve: the scores of a suite are exact ones; --wld is for a single position")
    from shogi_engine.suites import endgame_suite as endgames

    if args.suite:
        suite = endgames.read(args.suite)
        outcome = endgames.check(suite, endgames.ready_solver(args.hash, args.threads), progress_line("position"))
        for failure in outcome.failures:
            print(failure)
        values = {name: getattr(outcome, name) for name in ("passed", "failed", "nodes", "seconds", "results")}
        text = f"{outcome.passed} passed, {outcome.failed} failed; {outcome.nodes} nodes, {outcome.seconds:.3f} s"
        report(args, values, f"{text}, {speed(outcome.nodes, outcome.seconds)} nodes/s")
        return 1 if outcome.failed else 0
    values = endgames.solve(args.position, args.hash, args.threads, args.wld, progress_line("root move"))
    values["nps"] = speed(values["nodes"], values["seconds"])
    found = values["result"] if args.wld else f"{values['score']:+d} discs"
    text = f"{found}, {values['move'] or 'the game is over'}   {values['nodes']} nodes, {values['seconds']:.3f} s"
    report(args, values, "\n".join([text, *([" ".join(values["pv"])] if values.get("pv") else [])]))
    return 0


def trace(args: argparse.Namespace) -> int:
    from shogi_engine.engine import Engine, score_text
    from shogi_engine.search.trace import Tracer, dot, tree_dict, tree_lines

    with Engine(args.game, hash_mb=1) as engine:
        engine.set_position(args.position, args.moves)
        tree = Tracer(engine.game, reduce=args.reduce).trace(engine.position, args.depth)
    if args.dot:
        Path(args.dot).write_text(dot(tree), encoding="utf-8")
    score, line, counts = score_text(engine.game, tree.root.value), tree.root.pv(), tree.counts()
    values = {
        "game": engine.game.name,
        "position": engine.position_text,
        "depth": args.depth,
        "value": tree.root.value,
        "score": score_value(score),
        "pv": line,
        **counts,
        "minimax_value": tree.minimax_value,
    }
    if args.json:
        values["tree"] = tree_dict(tree.root)
    found = f"{score}   {' '.join(line)}"
    told = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in counts.items() if name != "minimax_nodes")
    plain = f"plain minimax: {score_text(engine.game, tree.minimax_value)}, {tree.minimax_nodes} nodes"
    report(args, values, "\n".join([*tree_lines(tree.root), "", found, told, plain]))
    return 0


def mate(args: argparse.Namespace) -> int:
    if bool(args.suite) == bool(args.sfen):
        raise ValueError("mate: SFEN or --suite FILE is wanted")
    from shogi_engine.suites import mate_suite as problems

    if args.suite:
        outcome = problems.check(
            problems.read(args.suite), max_ms=args.max_ms, hash_mb=args.hash, progress=progress_line("problem")
        )
        for failure in outcome.failures:
            print(failure)
        told = {name: getattr(outcome, name) for name in ("passed", "failed", "nodes", "seconds", "results")}
        text = f"{outcome.passed} passed, {outcome.failed} failed; {outcome.nodes} nodes, {outcome.seconds:.2f} s"
        report(args, told, text)
        return 1 if outcome.failed else 0
    sfen = " ".join(args.sfen)
    position = problems.parse_sfen(problems.plain_sfen(sfen))
    solver = problems.ready_solver(args.hash)
    progress = problems.progress_line()
    if args.tsume:
        found = solver.tsume(position, max_ms=args.max_ms, progress=progress)
    else:
        found = solver.solve(position, max_ms=args.max_ms, shortest=args.shortest, every=args.all, progress=progress)
    if progress:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    told = problems.values(position, found)
    if args.all:
        told["solutions"] = [problems.line_texts(position, moves) for moves in found.solutions]
    report(args, told, problems.picture(sfen, found, args.tsume))
    return 1 if found.result == "timeout" else 0


def play(args: argparse.Namespace) -> int:
    from shogi_engine.cli.play import SIDES, Match
    from shogi_engine.engine import Engine

    people = {"both": {0, 1}, "none": set()}.get(args.person) or {n for n in (0, 1) if SIDES[n] == args.person}
    with Engine(args.game, hash_mb=args.hash, threads=args.threads) as engine:
        engine.set_position(args.position, args.moves)
        if args.level is not None:
            engine.check_level(args.level)
        if sys.stderr.isatty():
            print("getting ready (the first time takes about a minute) ...", file=sys.stderr, flush=True)
        engine.warmup()
        print(f"You are {args.person}; `help` lists what can be typed." if people else "The engine plays itself.")
        Match(engine, people, chosen_limits(args)).play()
    return 0


def compare(args: argparse.Namespace) -> int:
    from shogi_engine.cli.compare import compare as run
    from shogi_engine.cli.compare import parse_player, plot, pyplot, table

    players = [parse_player(text, args.depth) for text in args.players.split(",")]
    if args.plot:
        pyplot()  # complains before the games, not after
    contest = run(
        args.game,
        players,
        games=args.games,
        seed=args.seed,
        opening=args.opening,
        seed_rules=args.seed_rules,
        progress=progress_line("game"),
    )
    if args.plot:
        plot(contest, args.plot)
    values = {
        "game": contest.game,
        "players": list(contest.players),
        "games": args.games,
        "seed": args.seed,
        "seed_rules": args.seed_rules,
        "rows": [pair.values() for pair in contest.pairs],
    }
    report(args, values, table(contest))
    return 0


def analyse(args: argparse.Namespace) -> int:
    if bool(args.file) == bool(args.position or args.moves):
        raise ValueError("analyse: a FILE, or --position or --moves, is wanted")
    from shogi_engine import analysis
    from shogi_engine.cli.compare import pyplot
    from shogi_engine.engine import Engine
    from shogi_engine.games.othello.records import read_games

    if args.plot and not args.file:
        raise ValueError("analyse: --plot draws a game of a FILE")
    drawing = pyplot() if args.plot else None
    games_read = read_games(Path(args.file).read_bytes()) if args.file else []
    if args.file and args.number > len(games_read):
        raise ValueError(f"{args.file}: there are {len(games_read)} games, no number {args.number}")
    with Engine(args.game, hash_mb=args.hash) as engine:
        engine.check_level(args.level)
        engine.set_position(args.position, args.moves)
        engine.warmup()
        if not args.file:
            found = analysis.hints(engine, args.level)
            values: dict[str, Any] = {"position": engine.position_text, "hints": [vars(hint) for hint in found]}
            report(args, values, analysis.hint_table(found))
            return 0
        game = games_read[args.number - 1]
        points = analysis.graph(engine, game.start, game.texts, args.level, progress_line("move"))
    if drawing:
        analysis.plot(points, args.plot, drawing)
    graph = [{**vars(point), "loss": point.loss} for point in points]
    worst = [point.ply for point in analysis.worst(points)]
    report(args, {"tags": game.tags, "graph": graph, "worst": worst}, analysis.graph_table(points))
    return 0


def nboard(args: argparse.Namespace) -> int:
    from shogi_engine.frontends.nboard import NBoard
    from shogi_engine.frontends.stdio import Output, run_stdio

    return run_stdio(Output, lambda output, lines: NBoard(output).run(lines))


def gtp(args: argparse.Namespace) -> int:
    from shogi_engine.frontends.gtp import Gtp
    from shogi_engine.frontends.stdio import Output, run_stdio

    return run_stdio(Output, lambda output, lines: Gtp(output).run(lines))


# ---- the arguments -----------------------------------------------------------------------------------------------


def parser() -> Parser:
    """Return the parser of the whole command line."""
    top = Parser(prog="shogi-engine", description="Shogi and Othello on one search.", allow_abbrev=False)
    top.add_argument("--version", action="version", version=f"shogi-engine {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int], help: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        made.set_defaults(run=run)
        return made

    def game(made: argparse.ArgumentParser, count: str | None = None) -> None:
        made.add_argument("game", nargs=count, choices=games.NAMES, metavar="GAME", help=" or ".join(games.NAMES))

    def as_json(made: argparse.ArgumentParser) -> None:
        made.add_argument("--json", action="store_true", help="print one JSON object as the last line")

    def place(made: argparse.ArgumentParser) -> None:
        made.add_argument("--position", default="", metavar="POS", help="the game's notation (default: its start)")
        made.add_argument("--moves", nargs="*", default=[], metavar="M", help="moves to make there first")

    def thinking(made: argparse.ArgumentParser) -> None:
        place(made)
        made.add_argument("--depth", type=at_least_one, metavar="N", help="plies")
        made.add_argument("--nodes", type=at_least_one, metavar="N", help="positions to look at")
        made.add_argument("--movetime", type=at_least_one, metavar="MS", help=f"default {DEFAULT_MS} if no other limit")
        made.add_argument("--level", type=int, metavar="N", help="Othello: 0 (a beginner) to 21")
        made.add_argument("--threads", type=at_least_one, default=1, metavar="N")
        made.add_argument("--hash", type=at_least_one, default=64, metavar="MB", help="size of the table, default 64")

    made = command("warmup", warmup, "Compile and cache everything, so that later starts are quick.")
    made.add_argument("games", nargs="*", metavar="GAME", help=f"default: {' '.join(games.NAMES)}")
    as_json(made)

    made = command("perft", perft, "Count the leaves of the tree of legal moves.")
    game(made, "?")
    made.add_argument("depth", nargs="?", type=int, metavar="DEPTH")
    made.add_argument("--position", default="", metavar="POS", help="the game's notation (default: its start)")
    made.add_argument("--divide", action="store_true", help="the leaves under each move")
    made.add_argument("--no-bulk", action="store_true", help="make the moves of the last ply too")
    made.add_argument("--free-pass", action="store_true", help="a pass uses no depth")
    made.add_argument("--threads", type=at_least_one, default=1, metavar="N")
    made.add_argument("--suite", metavar="FILE", help="check the counts of a file instead")
    made.add_argument("--max-nodes", type=at_least_one, metavar="N", help="leave out larger counts of the suite")
    as_json(made)

    made = command("bench", bench, "Search fixed positions; the number of nodes is the search's signature.")
    game(made, "?")
    as_json(made)

    made = command("doctor", doctor, "Check this installation; print what to paste into a report.")
    made.add_argument(
        "--launcher", metavar="FILE", help="write a file that starts shogi-usi instead (.bat, or a shell script)"
    )
    as_json(made)

    made = command("search", search, "Search one position.")
    game(made)
    thinking(made)
    made.add_argument("--multipv", type=at_least_one, default=1, metavar="N", help="how many best moves to show")
    as_json(made)

    made = command("solve", solve, "Find the exact score of a position near the end of the game.")
    made.add_argument("game", choices=("othello",), metavar="GAME", help="othello")
    made.add_argument("--position", default="", metavar="POS", help="64 of X O - from a1, then the side, X or O")
    made.add_argument("--wld", action="store_true", help="find out only who wins: a score of 1, 0 or -1")
    made.add_argument("--suite", metavar="FILE", help="check the scores of a file instead")
    made.add_argument("--threads", type=at_least_one, default=1, metavar="N")
    made.add_argument("--hash", type=at_least_one, default=64, metavar="MB", help="size of the table, default 64")
    as_json(made)

    made = command("trace", trace, "Print the tree of a small search, to see how alpha-beta works.")
    game(made)
    place(made)
    made.add_argument("--depth", type=int, choices=TRACE_DEPTHS, default=2, metavar="N", help="2 (default), 3 or 4")
    made.add_argument("--reduce", action="store_true", help="with late move reductions: fewer nodes, less certain")
    made.add_argument("--dot", metavar="FILE", help="draw the tree for Graphviz")
    as_json(made)

    made = command("mate", mate, "Find a mate by checks in a Shogi position, or prove that there is none.")
    made.add_argument("sfen", nargs="*", metavar="SFEN", help="the position; the side to move mates")
    made.add_argument("--max-ms", type=at_least_one, default=MATE_MS, metavar="N", help=f"default {MATE_MS}")
    made.add_argument("--shortest", action="store_true", help="then look for the shortest mate")
    made.add_argument("--all", action="store_true", help="list the other first moves that mate")
    made.add_argument("--tsume", action="store_true", help="the conventional length, without useless interpositions")
    made.add_argument("--suite", metavar="FILE", help="check the answers of a file instead")
    made.add_argument("--hash", type=at_least_one, default=256, metavar="MB", help="size of the table, default 256")
    as_json(made)

    made = command("compare", compare, "Let textbook players play a round robin; tables of results, time and nodes.")
    game(made)
    made.add_argument(
        "--players",
        required=True,
        metavar="A,B,...",
        help="random, minimax, alphabeta, negascout, pvs (NegaScout with the moves ordered), each with a depth if it "
        "is not --depth: alphabeta:4. At the horizon they count discs or material; alphabeta:4:engine has the "
        "engine's evaluation",
    )
    made.add_argument("--games", type=at_least_one, required=True, metavar="N", help="games of each pair")
    made.add_argument("--depth", type=at_least_one, default=4, metavar="D", help="plies, default 4")
    made.add_argument("--seed", type=natural, default=1, metavar="S", help="the same seed gives the same games")
    made.add_argument("--opening", type=natural, default=0, metavar="N", help="random moves first, default none")
    made.add_argument("--seed-rules", action="store_true", help="Othello searches with the faults the README tells of")
    made.add_argument("--plot", metavar="FILE", help="draw the tables (PNG, SVG ...; needs matplotlib)")
    as_json(made)

    made = command("analyse", analyse, "Othello: value all moves of a position, or all positions of a game in a file.")
    made.add_argument("game", choices=("othello",), metavar="GAME", help="othello")
    made.add_argument("file", nargs="?", metavar="FILE", help="GGF, WTHOR (.wtb) or a transcript a line")
    place(made)
    made.add_argument("--number", type=at_least_one, default=1, metavar="N", help="which game of the file, default 1")
    made.add_argument("--level", type=int, default=10, metavar="N", help="0 to 21, default 10")
    made.add_argument("--hash", type=at_least_one, default=64, metavar="MB", help="size of the table, default 64")
    made.add_argument("--plot", metavar="FILE", help="draw the game's graph (PNG, SVG ...; needs matplotlib)")
    as_json(made)

    command("nboard", nboard, "Speak the NBoard protocol, for Othello GUIs.")
    command("gtp", gtp, "Speak the Go Text Protocol, for Othello GUIs and match programs.")

    made = command("play", play, "Play in the terminal.")
    game(made)
    made.add_argument("--person", choices=("black", "white", "both", "none"), default="black", help="default black")
    thinking(made)
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit status."""
    args = parser().parse_args(arguments)
    try:
        return args.run(args)
    except (ValueError, OSError) as fault:
        print(f"shogi-engine: {' '.join(str(fault).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
