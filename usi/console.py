"""Console commands beyond the protocol: d, moves, side, eval, flip, bench and go perft."""

from typing import TYPE_CHECKING

from shogi_engine.common.text import SHOWN_WITH_PATH, nodes_per_second, sanitize
from shogi_engine.frontends.core import FrontEnd
from shogi_engine.games.shogi.evaluation.piece_worth import worth_table
from shogi_engine.games.shogi.notation.sfen_text import flip_sfen
from usi.evaluation import Choice, file_facts
from usi.protocol import Position, ProtocolError

if TYPE_CHECKING:
    from shogi_engine.engine import Engine


class Console(FrontEnd):
    """A session with the console commands.

    Attributes:
        position: the position in use
        evaluation: the engine's evaluation
        speed: the nodes per second of the last search
    """

    position: Position
    evaluation: Choice
    speed: int | None

    def ready_engine(self) -> "Engine":
        """Return the engine with the current options and position."""
        raise NotImplementedError

    def place(self, position: Position) -> None:
        """Set up a position."""
        raise NotImplementedError

    def show_position(self) -> None:
        """Print the board."""
        for line in self.ready_engine().diagram().splitlines():
            self.out.line(line)

    def show_moves(self) -> None:
        """Print the legal moves on one line, as YaneuraOu does for programs like Ayane."""
        self.out.line(" ".join(self.ready_engine().legal_moves()))

    def show_side(self) -> None:
        """Print the side to move, `black` or `white`, as YaneuraOu does."""
        self.out.line("white" if self.position.white_to_move else "black")

    def show_value(self) -> None:
        """Print the static value of the position, the evaluation in use, and the value of each piece."""
        engine = self.ready_engine()
        value = engine.evaluate()
        self.out.line(f"static value: {value} (side to move)")
        self.out.line(f"evaluation: {sanitize(engine.searcher.evaluator.describe(), SHOWN_WITH_PATH)}")
        if facts := file_facts(engine, self.evaluation):
            self.out.line(f"its file: {facts}")
        if self.speed is not None:
            self.out.line(f"nodes/s of the last search: {self.speed}")
        self.out.line("value of each piece, for its own side:")
        for line in worth_table(engine.position_text, engine.evaluate):
            self.out.line(line)
        self.out.line(f"eval = {value}")

    def flip(self) -> None:
        """Rotate the position by 180 degrees and exchange the colours."""
        self.place(Position(flip_sfen(self.ready_engine().position_text)))

    def run_bench(self) -> None:
        """Print the number of nodes of the benchmark. `stop` takes effect after the current position."""
        from shogi_engine.bench import bench

        task = self.task

        def show_progress(done: int, whole: int) -> None:
            if task.stopped:
                raise ProtocolError(f"bench: stopped after {done} of {whole} positions")
            self.out.info(f"bench {done}/{whole}")

        self.ready_engine()
        result = bench("shogi", show_progress)
        per_second = nodes_per_second(result.nodes, result.seconds)
        self.out.line(f"Bench: {result.nodes}   ({result.seconds:.2f} s, {per_second} nodes/s)")

    def run_perft(self, depth: int) -> None:
        """Count leaf nodes and print the number for each root move. `stop` takes effect at once."""
        task, engine = self.task, self.ready_engine()
        moves = len(engine.legal_moves())

        def check() -> None:
            if task.stopped:
                raise ProtocolError(f"perft {depth}: stopped after 0 of {moves} moves")

        try:
            with task.searching(engine, check):
                result = engine.perft(min(depth, 60))
        except Exception as failure:
            if task.stopped and not isinstance(failure, ProtocolError):
                raise ProtocolError(f"perft {depth}: {failure}") from None  # its text says how far it got
            raise
        for move, nodes in result.divide.items():
            self.out.line(f"{move}: {nodes}")
        per_second = nodes_per_second(result.nodes, result.seconds)
        self.out.line(f"perft {depth}: {result.nodes} nodes, {result.seconds:.3f} s, {per_second} nodes/s")


COMMANDS = {
    "d": Console.show_position,
    "moves": Console.show_moves,
    "side": Console.show_side,
    "eval": Console.show_value,
    "flip": Console.flip,
    "bench": Console.run_bench,
}
