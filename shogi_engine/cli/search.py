"""`shogi-engine search`: finds the best moves of a position, or shows how alpha-beta searches it."""

import sys
from typing import Any

from shogi_engine.cli import common
from shogi_engine.cli.common import option
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common.files import write_whole
from shogi_engine.games import typed_moves
from shogi_engine.language import InputError, translate as _
from shogi_engine.play.words import DEFAULT_MS
from shogi_engine.types.limits import Limit
from shogi_engine.types.results import Info

TREE_DEPTHS = (2, 3, 4)


class Arguments(common.Arguments):
    """The position, and how it is searched."""

    game: str = common.game_argument()
    position: str = common.POSITION
    moves: list[str] = common.MOVES
    limit: dict[str, Any] = common.limit_option("nodes", "movetime", "depth", "level", default=f"movetime={DEFAULT_MS}")
    threads: int = common.THREADS
    hash: int = common.hash_option()
    multipv: int = option("number of best moves to show", type=common.at_least_one, default=1)
    tree: str | None = option(
        "print the tree of a small search, to see how alpha-beta works; in FILE, write it for Graphviz",
        nargs="?",
        const="",
        metavar="FILE",
    )
    json: bool = common.JSON


def show(info: Info[Any]) -> None:
    """Print a line of the running search."""
    where = _("depth {depth:>2} {score} {bound} nodes {nodes} {seconds:.2f} s").format(
        depth=info.depth, score=info.score, bound=info.bound, nodes=info.nodes, seconds=info.time
    )
    common.tell(f"{where}  {' '.join(map(str, info.pv))}")


def run(args: Arguments) -> int:
    """Search the position."""
    from shogi_engine.engine import Engine

    if args.tree is not None:
        return run_tree(args)
    with Engine(args.game, hash_mb=args.hash, threads=args.threads) as engine:
        with progress_bar():
            board = engine.board(args.position, typed_moves(engine.game, args.position, args.moves))
            engine.warmup()
        limit = Limit.of(**(args.limit or {"movetime": DEFAULT_MS}))
        running = engine.analysis(board, limit, multipv=args.multipv)
        for info in running if sys.stderr.isatty() else ():
            show(info)
        result = running.wait()
    best, move = result.info, "" if result.move is None else str(result.move)
    values: dict[str, Any] = {
        "bestmove": move or None,
        "score": best["score"].values(),
        "depth": best.depth or 0,
        "nodes": best.nodes or 0,
        "seconds": result.time,
        "nps": best.nps or 0,
        "pv": list(map(str, best.pv)),
    }
    if args.multipv > 1:
        values["lines"] = [
            {"score": line["score"].values(), "depth": line.depth, "pv": list(map(str, line.pv))}
            for line in result.multipv
        ]
    lines = [f"{line.score}   {' '.join(map(str, line.pv))}" for line in result.multipv]
    effort = _("depth {depth}, {nodes} nodes, {seconds:.2f} s").format(
        depth=values["depth"], nodes=values["nodes"], seconds=result.time
    )
    head = (move or _("no legal move")) + f"   {effort}"
    common.report(args.json, values, "\n".join([head, *lines]))
    return 0 if move else 1


def run_tree(args: Arguments) -> int:
    """Print the tree of a search of a few plies."""
    from shogi_engine.engine.engine import Engine, score_of
    from shogi_engine.textbook.trace import Tracer, dot, tree_dict, tree_lines

    depth = args.limit.get("depth", TREE_DEPTHS[0])
    if depth not in TREE_DEPTHS or len(args.limit) > ("depth" in args.limit):
        raise InputError(
            "search: --tree needs a depth from {0} to {1}, and no other limit", TREE_DEPTHS[0], TREE_DEPTHS[-1]
        )
    with Engine(args.game, hash_mb=1) as engine:
        board = engine.board(args.position, typed_moves(engine.game, args.position, args.moves))
        tree = Tracer(engine.game).trace(board.state, depth)
    if args.tree:
        write_whole(args.tree, dot(tree).encode())
    score, line, counts = score_of(engine.game, tree.root.value), tree.root.pv(), tree.counts()
    values = {
        "game": engine.game.name,
        "position": board.position(),
        "depth": depth,
        "value": tree.root.value,
        "score": score.values(),
        "pv": line,
        **counts,
        "minimax_value": tree.minimax_value,
    }
    if args.json:
        values["tree"] = tree_dict(tree.root)
    counted = ", ".join(
        f"{name.replace('_', ' ')}: {count}" for name, count in counts.items() if name != "minimax_nodes"
    )
    plain = f"plain minimax: {score_of(engine.game, tree.minimax_value)}, {tree.minimax_nodes} nodes"
    common.report(
        args.json, values, "\n".join([*tree_lines(tree.root), "", f"{score}   {' '.join(line)}", counted, plain])
    )
    return 0
