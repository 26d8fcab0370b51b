"""Compile all kernels that a game needs, and print the variables among them that are floats, as JSON.

    python -m tests.support.float_variables GAME [WORDS]   GAME is the name of one of tests.support.cases.CASES

With WORDS, pytest's, those tests run with the kernels before it is printed; its exit status is that of the process.

numba makes a float, in silence, of uint64 with int64 in max(), in a division, in a conditional. A kernel that comes
from the cache has forgotten its variables' types: run this with an empty one.
"""

import gc
import inspect
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import types

from shogi_engine.games.shogi.evaluation.nnue_file import decompress
from shogi_engine.games.shogi.names import FILE_EVALUATIONS
from shogi_engine.interface import game
from shogi_engine.interface.stubs import STUBS
from shogi_engine.jit import Kernel
from shogi_engine.perft import count_leaves, perft, perft_context
from shogi_engine.search.context import new_context, set_root, static_value
from shogi_engine.search.root import Searcher
from shogi_engine.search.timeman import Limits
from shogi_engine.textbook import searches as textbook
from tests.support import networks
from tests.support.cases import CASES, ConformanceCase, legal_moves


def floats_within(kind: types.Type) -> Iterator[types.Type]:
    """Yield the float and complex types that `kind` is or holds."""
    if isinstance(kind, (types.Float, types.Complex, types.NPDatetime)):
        yield kind
    elif isinstance(kind, types.Record):
        for name in kind.fields:
            yield from floats_within(kind.typeof(name))
    elif isinstance(kind, (types.NestedArray, types.Array, types.Optional)):
        yield from floats_within(kind.dtype if hasattr(kind, "dtype") else kind.type)
    elif isinstance(kind, types.BaseTuple):
        for each in kind:  # type: ignore[attr-defined]
            yield from floats_within(each)


def is_record(kind: types.Type) -> bool:
    """Tell whether `kind` is a record's."""
    return isinstance(kind, types.Record)


def float_variables() -> dict[str, Any]:
    """Return what became of the kernels of this process.

    compiled, never : their names
    versions : of each that has several for the same records; a context of another evaluation is another record
    floats : the variables that are or hold floats
    """
    compiled: set[str] = set()
    never: set[str] = set()
    versions: dict[str, list[str]] = {}
    found: list[str] = []
    for kernel in (each for each in gc.get_objects() if isinstance(each, Kernel)):
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
        overloads: dict[Any, Any] = kernel._dispatcher.overloads if kernel._dispatcher else {}
        (compiled if overloads else never).add(name)
        if len({tuple(filter(is_record, signature)) for signature in overloads}) < len(overloads):
            versions[name] = [str(signature) for signature in overloads]
        for overload in overloads.values():
            for variable, kind in overload.type_annotation.typemap.items():
                found += [f"{name}: {variable} is {each}" for each in floats_within(kind)]
            returned = overload.signature.return_type
            found += [f"{name} returns {each}" for each in floats_within(returned)]
    return {"compiled": sorted(compiled), "never": sorted(never - compiled), "versions": versions, "floats": found}


def compile_game(case: ConformanceCase) -> None:
    """Have every rule of the game compiled, perft and all searches over it."""
    position = case.game.parse_position(case.game.start)
    perft(case.game, position, 2)
    perft(case.game, position, 2, free_pass=True)
    counting = perft_context(case.game)
    counting.pos = position
    count_leaves(counting, 1)
    searcher = Searcher(case.game, hash_mb=1)
    searcher.search(position, (), Limits(depth=2))
    ctx = searcher._contexts[0]
    set_root(ctx, position)
    static_value(ctx)
    move, undo = legal_moves(ctx)[0], ctx.undo[0]
    arguments = {"ctx": ctx, "pos": ctx.pos, "move": move, "undo": undo, "start": 0, "count": 1, "threshold": 0}
    arguments |= {"alpha": -1, "beta": 1, "depth": 1, "free_pass": False, "ply": 1, "move_count": 1, "last": move}
    arguments |= {"cells": np.zeros(128, np.uint8), "text": np.zeros(256, np.uint8), "stop": 4, "end": 0}
    for name, stub in sorted(STUBS.items()):
        if name.startswith("undo_"):
            continue
        before = ctx.pos.copy()
        stub(*(arguments[parameter] for parameter in inspect.signature(stub).parameters))
        ctx.pos = before
    use_evaluations(case.game, position, move)
    visits = np.zeros(game.MAX_PLY + 1, np.int64)
    textbook.minimax(ctx, 1, 0, visits)
    textbook.alpha_beta(ctx, -1, 1, 1, 0, visits)
    textbook.negascout(ctx, -1, 1, 1, 0, visits)
    case.use_other_kernels()


def use_evaluations(rules: game.Game, position: Any, move: Any) -> None:
    """Have the kernels of all evaluations of a game compiled, though the search is for the default one only."""
    decompress(np.zeros(1, np.uint8), np.zeros(1, np.int16), 1)  # not all files of nnue are compressed
    for name in rules.evaluations or ():
        with tempfile.TemporaryDirectory() as folder:
            file = networks.write_network(Path(folder), name) if name in FILE_EVALUATIONS else None
            evaluator = rules.evaluation(name).load(file)
        ctx = new_context(rules, evaluator=evaluator)
        set_root(ctx, position)
        game.refresh_line(ctx)
        game.root_order_score(ctx, move)
        game.probcut(ctx, 4)
        game.do_move(ctx.pos, move, ctx.undo[0])
        ctx.ply = ctx.game_ply = 1
        game.evaluate(ctx)


def main() -> None:
    """Print what `float_variables` finds once all is compiled."""
    compile_game(next(case for case in CASES if case.game.name == sys.argv[1]))
    found = float_variables()
    status = pytest.main(sys.argv[2:]) if sys.argv[2:] else 0
    print(json.dumps(found))
    sys.exit(status)


if __name__ == "__main__":
    main()
