"""What a person at the console may ask beyond the protocol: d, moves, eval, flip, bench and go perft."""

from typing import TYPE_CHECKING

from shogi_engine.common.text import SHOWN_WITH_PATH, sanitize
from shogi_engine.games.shogi.evaluation.piece_worth import worth_table
from shogi_engine.games.shogi.notation.sfen_text import flip_sfen
from usi.evaluation import file_facts
from usi.protocol import Position, ProtocolError

if TYPE_CHECKING:
    from usi.loop import Loop


def show_position(loop: "Loop") -> None:
    """Print the board."""
    for line in loop.ready_engine().diagram().splitlines():
        loop.out.line(line)


def show_moves(loop: "Loop") -> None:
    """Print the legal moves."""
    moves = loop.ready_engine().legal_moves()
    loop.out.line(f"{len(moves)} moves: {' '.join(moves)}")


def show_value(loop: "Loop") -> None:
    """Print the static value of the position, what it is from, what each piece adds, and the value as others do."""
    engine = loop.ready_engine()
    value = engine.evaluate()
    loop.out.line(f"static value: {value} (side to move)")
    loop.out.line(f"evaluation: {sanitize(engine.describe_evaluation(), SHOWN_WITH_PATH)}")
    if facts := file_facts(engine, loop.evaluation):
        loop.out.line(f"its file: {facts}")
    if loop.speed is not None:
        loop.out.line(f"nodes/s of the last search: {loop.speed}")
    loop.out.line("worth of each piece, to its own side:")
    for line in worth_table(engine.position_text, engine.evaluate):
        loop.out.line(line)
    loop.out.line(f"eval = {value}")


def flip(loop: "Loop") -> None:
    """Go on with the position flip_sfen around and its colours exchanged."""
    loop.place(Position(flip_sfen(loop.ready_engine().position_text)))


def run_bench(loop: "Loop") -> None:
    """Print the node signature; `stop` is obeyed after each position."""
    from shogi_engine.bench import bench

    task = loop.task

    def show_progress(done: int, whole: int) -> None:
        if task.stopped:
            raise ProtocolError(f"bench: stopped after {done} of {whole} positions")
        loop.out.info(f"bench {done}/{whole}")

    loop.ready_engine()
    result = bench("shogi", show_progress)
    loop.out.line(f"Bench: {result.nodes}   ({result.seconds:.2f} s, {speed(result.nodes, result.seconds)} nodes/s)")


def run_perft(loop: "Loop", depth: int) -> None:
    """Count, and print each root move's share; `stop` ends it at once."""
    task, engine = loop.task, loop.ready_engine()
    moves = len(engine.legal_moves())

    def check() -> None:
        if task.stopped:
            raise ProtocolError(f"perft {depth}: stopped after 0 of {moves} moves")

    try:
        with loop.searching(task, check):
            result = engine.perft(min(depth, 60))
    except Exception as failure:
        if task.stopped and not isinstance(failure, ProtocolError):
            raise ProtocolError(f"perft {depth}: {failure}") from None  # its text says how far it came
        raise
    for move, nodes in result.divide.items():
        loop.out.line(f"{move}: {nodes}")
    per_second = speed(result.nodes, result.seconds)
    loop.out.line(f"perft {depth}: {result.nodes} nodes, {result.seconds:.3f} s, {per_second} nodes/s")


def speed(nodes: int, seconds: float) -> int:
    """Return nodes a second, 0 if no time has passed."""
    return int(nodes / seconds) if seconds > 0 else 0


COMMANDS = {
    "d": show_position,
    "moves": show_moves,
    "eval": show_value,
    "flip": flip,
    "bench": run_bench,
}
