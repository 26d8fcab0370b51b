"""A USI engine in a process of its own: handshake, options, searches, pondering, and what it does wrong.

The only USI client of these tools. Whatever breaks the protocol raises EngineError: a crash, silence, an answer that
nobody asked for. Whether its moves are legal and in time is for the caller to judge.
"""

import contextlib
import queue
import shlex
import subprocess
import threading
import time
from dataclasses import dataclass, field
from typing import IO, Self

MATE_SCORE = 30_000  # centipawns that a score of mate stands for
FAULTS = ("illegal move", "false declaration", "time", "crash", "no answer", "second answer", "illegal ponder move")
QUIT_PATIENCE = 2.0  # seconds until an engine that was told to quit is killed

Options = tuple[tuple[str, str | None], ...]  # (name, value) in the order they are sent, value None for a button


class EngineError(Exception):
    """What an engine did wrong. engine : which one.   kind : one of FAULTS."""

    def __init__(self, engine: "UsiEngine", kind: str, text: str = "") -> None:
        super().__init__(f"{kind}: {text}" if text else kind)
        self.engine, self.kind = engine, kind


def parse_options(text: str) -> Options:
    """Return the options of 'Name=Value,Name=Value'; a comma within a value is written '\\,'."""
    options = []
    for part in text.replace("\\,", "\0").split(","):
        part = part.replace("\0", ",").strip()
        if part:
            name, equals, value = part.partition("=")
            options.append((name.strip(), value.strip() if equals else None))
    return tuple(options)


@dataclass(frozen=True)
class Info:
    """What an info line says; None or '' for what it does not.

    score : centipawns for the engine, MATE_SCORE for a mate.   bound : 'lowerbound', 'upperbound' or ''.
    """

    depth: int | None = None
    nodes: int | None = None
    nps: int | None = None
    multipv: int | None = None
    score: int | None = None
    bound: str = ""


def parse_info(line: str) -> Info:
    """Return what an info line says, without what can not be read."""
    found: dict[str, int] = {}
    bound = ""
    words = line.split()
    for word, after in zip(words, words[1:], strict=False):
        if word in ("pv", "string"):
            break
        with contextlib.suppress(ValueError):
            if word in ("depth", "nodes", "nps", "multipv"):
                found[word] = int(after)
            elif word == "cp":
                found["score"] = int(after)
            elif word == "mate":
                found["score"] = -MATE_SCORE if after.startswith("-") else MATE_SCORE
        if after in ("lowerbound", "upperbound"):
            bound = after
    return Info(**found, bound=bound)


@dataclass
class Answer:
    """A bestmove and the info lines before it. milliseconds : from `go` (or `ponderhit`) to the bestmove."""

    move: str = ""
    ponder: str = ""
    milliseconds: float = 0.0
    infos: list[Info] = field(default_factory=list)

    def last(self, name: str) -> int | None:
        """Return what the last info line of the best move that has a field `name` says, None if none does."""
        values = (getattr(info, name) for info in reversed(self.infos) if info.multipv in (None, 1))
        return next((value for value in values if value is not None), None)


class UsiEngine:
    """One engine, its process started when first needed and again after `close`.

    patience : seconds over a search's time until its answer is missing.   ready_patience : seconds until readyok.
    pondering : the position it ponders on, '' if it does not.
    """

    def __init__(
        self, command: str, options: Options = (), *, patience: float = 60.0, ready_patience: float = 600.0
    ) -> None:
        self.command, self.options = command, options
        self.patience, self.ready_patience = patience, ready_patience
        self.name = command
        self.pondering = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[tuple[float, str | None]] = queue.Queue()

    @classmethod
    def described(cls, text: str, *more: tuple[str, str | None]) -> Self:
        """Return the engine of 'command:Option=value,Option=value', with `more` options after those."""
        command, _, options = text.partition(":")
        return cls(command, (*parse_options(options), *more))

    # ---- lines -------------------------------------------------------------------------------------------------

    def send(self, line: str) -> float:
        """Send a line; return when (time.monotonic) it was written."""
        self.start()
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
        except OSError:
            raise EngineError(self, "crash", "it takes no more commands") from None
        return time.monotonic()

    def _receive(self, end: float) -> tuple[float, str]:
        """Return the next line and when it came; it must be there by `end`."""
        assert self._process is not None
        try:
            received, line = self._lines.get(timeout=max(end - time.monotonic(), 0.001))
        except queue.Empty:
            raise EngineError(self, "no answer") from None
        if line is None:
            with contextlib.suppress(subprocess.TimeoutExpired):  # it may live on with its output closed
                self._process.wait(QUIT_PATIENCE)
            raise EngineError(self, "crash", f"exit status {self._process.returncode}")
        return received, line

    @staticmethod
    def _read(stdout: IO[bytes], lines: queue.Queue) -> None:
        with stdout:
            for raw in stdout:
                lines.put((time.monotonic(), raw.decode("utf-8", "replace").strip()))
        lines.put((time.monotonic(), None))

    def check_silent(self) -> None:
        """Take what was said meanwhile; a bestmove that nobody asked for is a fault."""
        while not self._lines.empty():
            self._refuse_answer(self._receive(time.monotonic())[1])

    def _refuse_answer(self, line: str) -> None:
        if line.startswith("bestmove"):
            raise EngineError(self, "second answer", line)

    # ---- the process -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the process, if there is none, and set its options."""
        if self._process is not None:
            return
        self._lines = queue.Queue()
        try:
            self._process = subprocess.Popen(
                shlex.split(self.command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                bufsize=0,
            )  # fmt: skip
        except OSError as fault:
            raise EngineError(self, "crash", f"can not start: {fault}") from None
        threading.Thread(target=self._read, args=(self._process.stdout, self._lines), daemon=True).start()
        self.send("usi")
        end = time.monotonic() + self.ready_patience
        while not (line := self._receive(end)[1]).startswith("usiok"):
            if line.startswith("id name "):
                self.name = line.removeprefix("id name ").strip()
        for name, value in self.options:
            self.send(f"setoption name {name}" + (f" value {value}" if value is not None else ""))

    def close(self) -> None:
        """End the process."""
        process, self._process, self.pondering, self._lines = self._process, None, "", queue.Queue()
        if process is None:
            return
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.write(b"quit\n")
            process.stdin.close()
        try:
            process.wait(QUIT_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    # ---- games -------------------------------------------------------------------------------------------------

    def wait_ready(self) -> None:
        """Ask isready and wait for readyok."""
        self.check_silent()
        self.send("isready")
        end = time.monotonic() + self.ready_patience
        while (line := self._receive(end)[1]) != "readyok":
            self._refuse_answer(line)

    def new_game(self) -> None:
        """Get ready for a game."""
        self.wait_ready()
        self.send("usinewgame")

    def game_over(self, result: str, *, stop: bool = True) -> None:
        """Tell the result, 'win', 'lose' or 'draw'. stop : end pondering first; else the gameover has to end it."""
        if stop:
            self.stop_pondering()
        self.check_silent()
        began = self.send(f"gameover {result}")
        if self.pondering:
            self.pondering = ""
            self._answer(began, None)

    # ---- searches ----------------------------------------------------------------------------------------------

    def search(self, position: str, go: str, allowed: float | None = None) -> Answer:
        """Search `position` (USI's command) under the limits `go` (the words after it) and return the answer.

        allowed : ms the search may take, which `patience` counts from.
        """
        self.check_silent()
        self.stop_pondering()
        self.send(position)
        return self._answer(self.send(f"go {go}"), allowed)

    def ponder(self, position: str, go: str) -> None:
        """Begin to search `position` on the opponent's time."""
        self.send(position)
        self.send(f"go ponder {go}")
        self.pondering = position

    def ponder_hit(self, allowed: float | None, clock: str = "") -> Answer:
        """Tell that the move pondered on was played; return the answer. clock : words after it, as some GUIs send."""
        self.check_silent()
        self.pondering = ""
        return self._answer(self.send(f"ponderhit {clock}".rstrip()), allowed)

    def stop_pondering(self) -> None:
        """End a search on the opponent's time and drop its answer."""
        if self.pondering:
            self.pondering = ""
            self._answer(self.send("stop"), None)

    def _answer(self, began: float, allowed: float | None) -> Answer:
        """Wait for the bestmove of a search that began at `began`."""
        end = began + (allowed or 0) / 1000 + self.patience
        answer = Answer()
        while True:
            received, line = self._receive(end)
            if line.startswith("info "):
                answer.infos.append(parse_info(line))
            elif line.startswith("bestmove"):
                words = line.split()
                answer.milliseconds = (received - began) * 1000
                answer.move = words[1] if len(words) > 1 else ""
                answer.ponder = words[3] if len(words) > 3 and words[2] == "ponder" else ""
                return answer
