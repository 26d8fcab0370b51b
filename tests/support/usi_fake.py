"""`shogi-usi` with an engine that only pretends to think, so that the protocol can be tested without numba.

Legal moves are python-shogi's. The environment says how it behaves: FAKE_LOAD (seconds it takes to load),
FAKE_FAULT (load or search: raise there; crash: end as a fault of a kernel would), FAKE_SCORE (what it thinks of every
position), FAKE_DEPTH (where its search ends by itself), FAKE_PV (the line it claims to have found), FAKE_BOOK (it has
the shipped book from the beginning, as the engine), FAKE_LAST_WORDS (how long the end waits for what is stopped).
"""

import faulthandler
import os
import random
import sys
import threading
import time
from types import SimpleNamespace

import shogi

from shogi_engine.frontends import core
from shogi_engine.games.shogi.book import Book, open_book
from shogi_engine.interface.extras import LevelPlan, choose
from usi.loop import main

STEP = 0.01  # seconds an iteration takes


class FakeEngine:
    """The part of Engine that the loop uses."""

    def __init__(self):
        time.sleep(float(os.environ.get("FAKE_LOAD", 0)))
        if os.environ.get("FAKE_FAULT") == "load":
            raise ImportError("no numba here")
        self.board = shogi.Board()
        self._stop = threading.Event()
        self._hard = None
        self.sizes = {}
        self._book = open_book(None) if os.environ.get("FAKE_BOOK") else Book()
        self.book = SimpleNamespace(open=self._open_book, choice=self._book_choice, moves=self._book_moves, notes=())
        self.searcher = SimpleNamespace(evaluator=SimpleNamespace(describe=lambda: "none"))

    def resize(self, **sizes):
        self.sizes = sizes

    def new_game(self):
        pass

    def set_position(self, text, moves):
        board = shogi.Board(text) if text else shogi.Board()
        for number, move in enumerate(moves, 1):
            if move not in {legal.usi() for legal in board.legal_moves}:
                raise ValueError(f"move {number}: {move!r} is not legal")
            board.push_usi(move)
        self.board = board

    def legal_moves(self):
        return [move.usi() for move in self.board.legal_moves]

    @property
    def position_text(self):
        return self.board.sfen()

    def _open_book(self, name):
        self._book = Book()
        self._book = open_book(name)
        self.book.notes = self._book.notes

    def _book_choice(self, *, best, margin, flipped, any_ply):
        known = self._book.known(self.position_text, flipped=flipped, any_ply=any_ply)
        return choose(known, self.legal_moves(), random.Random(), best=best, margin=margin)

    def _book_moves(self, *, flipped, any_ply):
        known = self._book.known(self.position_text, flipped=flipped, any_ply=any_ply)
        return [each for each in known if each.move in self.legal_moves()]

    def set_evaluation(self, name="", file=None):
        if file is not None:
            raise ValueError(f"evaluation {name}: {file} cannot be read")

    def warmup(self):
        pass

    def diagram(self):
        return self.board.sfen()

    def evaluate(self, text=""):
        return 0

    def may_declare(self):
        return os.environ.get("FAKE_SCORE") == "declare"

    def configure(self, **values):
        for name, value in values.items():
            if name == "futility_margin":
                os.environ["FAKE_SCORE"] = f"cp {int(value)}"
            elif isinstance(value, str):
                raise ValueError(f"there is no parameter {name!r}")

    def check_level(self, level):
        return LevelPlan(depth=1)

    def prepare(self):
        self._stop.clear()

    def perft(self, depth):
        return SimpleNamespace(nodes=len(self.legal_moves()), seconds=0.5, divide=dict.fromkeys(self.legal_moves(), 1))

    def stop(self):
        self._stop.set()

    def extend(self, budget):
        self._hard = time.monotonic() + budget.hard_ms / 1000

    def load_solver(self):
        pass

    def warmup_mate(self):
        pass

    def find_mate(self, *, max_ms, progress):
        began = time.monotonic()
        moves = os.environ.get("FAKE_PV", "").split() if os.environ.get("FAKE_SCORE") == "mate 3" else []
        if not moves:
            self._stop.wait(None if max_ms is None else max_ms / 1000)
        return SimpleNamespace(
            result="mate" if moves else "timeout", moves=moves, length=len(moves), nodes=100,
            seconds=time.monotonic() - began,
        )  # fmt: skip

    def search(self, *, searchmoves, on_info, multipv, depth=None, nodes=None, movetime=None, budget=None, level=None):
        if os.environ.get("FAKE_FAULT") == "search":
            raise ArithmeticError("a bug")
        if os.environ.get("FAKE_FAULT") == "crash":
            faulthandler._sigsegv()
        began = time.monotonic()
        hard_ms = movetime if budget is None else budget.hard_ms
        self._hard = None if hard_ms is None else began + hard_ms / 1000
        moves = (searchmoves or self.legal_moves())[:multipv]
        score = os.environ.get("FAKE_SCORE", "cp 10")
        value = {"mate": 31990, "mate-": -31990}.get(score.split()[0], int(score.split()[1]))
        pv = os.environ.get("FAKE_PV", "").split()
        last = min(depth or 10**9, int(os.environ.get("FAKE_DEPTH", 10**9)))
        done = 0
        while done < last and not self._stop.is_set():
            if done and self._hard is not None and time.monotonic() + STEP > self._hard:
                break
            if done:
                self._stop.wait(STEP)
            done += 1
            lines = [
                SimpleNamespace(
                    depth=done, seldepth=done, multipv=number, score=score, value=value, bound="", nodes=100 * done,
                    time=time.monotonic() - began, hashfull=0, pv=pv or [move],
                )
                for number, move in enumerate(moves, 1)
            ]  # fmt: skip
            for line in lines:
                on_info(line)
            if nodes and 100 * done >= nodes:
                break
        best = lines[0]
        return SimpleNamespace(
            bestmove=best.pv[0], ponder=best.pv[1] if len(best.pv) > 1 else "", value=value, score=score, pv=best.pv,
            depth=done, nodes=100 * done, seconds=time.monotonic() - began, lines=lines,
        )  # fmt: skip


if __name__ == "__main__":
    core.LAST_WORDS = float(os.environ.get("FAKE_LAST_WORDS", core.LAST_WORDS))
    sys.exit(main(FakeEngine))  # type: ignore[arg-type]
