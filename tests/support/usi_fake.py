"""`shogi-usi` with an engine that only pretends to think, so that the protocol can be tested without numba.

Legal moves are python-shogi's. The environment says how it behaves: FAKE_LOAD (seconds it takes to load),
FAKE_FAULT (load or search: raise there; crash: end as a fault of a kernel would), FAKE_SCORE (what it thinks of every
position), FAKE_DEPTH (where its search ends by itself), FAKE_PV (the line it claims to have found), FAKE_BOOK (it has
the shipped book from the beginning, as the engine), FAKE_LAST_WORDS (how long the end waits for what is stopped).
"""

import copy
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
from shogi_engine.types.limits import Limit
from shogi_engine.types.results import ForcedWin, Info, PlayResult, Score
from usi.loop import main

STEP = 0.01  # seconds an iteration takes


class FakeBoard(shogi.Board):  # type: ignore[misc]
    """python-shogi's Board, with what the loop needs besides."""

    position = diagram = shogi.Board.sfen

    def copy(self):
        return copy.deepcopy(self)

    def parse_usi(self, text):
        move = next((legal for legal in self.legal_moves if legal.usi() == text), None)
        if move is None:
            raise ValueError(f"{text!r} is not legal")
        return move


class FakeEngine:
    """The part of Engine that the loop uses."""

    def __init__(self):
        time.sleep(float(os.environ.get("FAKE_LOAD", 0)))
        if os.environ.get("FAKE_FAULT") == "load":
            raise ImportError("no numba here")
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

    def board(self, position="", moves=()):
        board = FakeBoard(position) if position else FakeBoard()
        for number, move in enumerate(moves, 1):
            try:
                board.push(board.parse_usi(move))
            except ValueError as fault:
                raise ValueError(f"move {number}: {fault}") from None
        return board

    def _open_book(self, name):
        self._book = Book()
        self._book = open_book(name)
        self.book.notes = self._book.notes

    def _book_choice(self, board, *, best, margin, flipped, any_ply):
        known = self._book_moves(board, flipped=flipped, any_ply=any_ply)
        return choose(known, random.Random(), best=best, margin=margin)

    def _book_moves(self, board, *, flipped, any_ply):
        known = self._book.known(board.sfen(), flipped=flipped, any_ply=any_ply)
        return [each for each in known if each.move in set(map(str, board.legal_moves))]

    def set_evaluation(self, name="", file=None):
        if file is not None:
            raise ValueError(f"evaluation {name}: {file} cannot be read")

    def warmup(self):
        pass

    def evaluate(self, board):
        return 0

    def may_declare(self, board):
        return os.environ.get("FAKE_SCORE") == "declare"

    def configure(self, **values):
        for name, value in values.items():
            if name == "futility_margin":
                os.environ["FAKE_SCORE"] = f"cp {int(value)}"
            elif isinstance(value, str):
                raise ValueError(f"there is no parameter {name!r}")

    def check_level(self, level, board=None):
        return LevelPlan(depth=1)

    def prepare(self):
        self._stop.clear()
        self._hard = None

    def perft(self, board, depth, *, search):
        moves = list(map(str, board.legal_moves))
        with search.searching(self) as stopped:
            if stopped:
                raise RuntimeError(f"stopped after 0 of {len(moves)} moves")
            return SimpleNamespace(nodes=len(moves), seconds=0.5, divide=dict.fromkeys(moves, 1))

    def stop(self):
        self._stop.set()

    def extend(self, budget):
        self._hard = time.monotonic() + budget.hard_ms / 1000

    def load_solver(self):
        pass

    def warmup_mate(self):
        pass

    def mate(self, board, limit, *, progress, search):
        with search.searching(self) as stopped:
            return ForcedWin("timeout") if stopped else self._mate(limit)

    def _mate(self, limit):
        began = time.monotonic()
        moves = os.environ.get("FAKE_PV", "").split() if os.environ.get("FAKE_SCORE") == "mate 3" else []
        if not moves:
            self._stop.wait(limit.time)
        return ForcedWin("mate" if moves else "timeout", tuple(moves), nodes=100, seconds=time.monotonic() - began)

    def analyse(self, board, limit, *, multipv, on_info, search):
        self.play(board, limit, multipv=multipv, on_info=on_info, search=search)

    def play(self, board, limit, *, multipv, on_info, search, root_moves=()):
        with search.searching(self) as stopped:
            limit = Limit(depth=1) if stopped else limit
            return self._play((root_moves or list(board.legal_moves))[:multipv], limit, on_info)

    def _play(self, moves, limit, on_info):
        if os.environ.get("FAKE_FAULT") == "search":
            raise ArithmeticError("a bug")
        if os.environ.get("FAKE_FAULT") == "crash":
            faulthandler._sigsegv()
        began = time.monotonic()
        if limit.budget is not None:
            self._hard = began + limit.budget.hard_ms / 1000
        score = Score.parse(os.environ.get("FAKE_SCORE", "cp 10"))
        pv = tuple(os.environ.get("FAKE_PV", "").split())
        last = min(limit.depth or 10**9, int(os.environ.get("FAKE_DEPTH", 10**9)))
        done = 0
        while done < last and not self._stop.is_set():
            if done and self._hard is not None and time.monotonic() + STEP > self._hard:
                break
            if done:
                self._stop.wait(STEP)
            done += 1
            lines = [
                Info(
                    depth=done, seldepth=done, multipv=number, score=score, nodes=100 * done,
                    time=time.monotonic() - began, hashfull=0, pv=pv or (move,),
                )
                for number, move in enumerate(moves, 1)
            ]  # fmt: skip
            for line in lines:
                on_info(line)
            if limit.nodes and 100 * done >= limit.nodes:
                break
        best = lines[0].pv
        return PlayResult(
            best[0], best[1] if len(best) > 1 else None, lines[0], tuple(lines), time=time.monotonic() - began
        )


if __name__ == "__main__":
    core.LAST_WORDS = float(os.environ.get("FAKE_LAST_WORDS", core.LAST_WORDS))
    sys.exit(main(FakeEngine))  # type: ignore[arg-type]
