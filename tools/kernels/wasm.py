"""The engine in WebAssembly: of each game a module with one function, and the memory that it needs.

    python -m tools.build_kernels --out DIR --only wasm32

DIR/wasm32/ gets for each game

    GAME.wasm      exports `call(task, page, a, b)`, four i64, see shogi_engine/embedded; imports env.poll (i64) -> i64,
                   which returns whether to stop
    GAME.bin       what is not zero in the first memory: pairs of uint32 (index of a word of memory, the word)
    GAME.weights   the evaluation's numbers, compressed with gzip, to be copied to an address; those of Othello's
                   patterns are as in their file, to be expanded: see `pattern_file`
    GAME.json      the addresses of it all, and what a host must know of the game

Addresses are 32-bit numbers, also in the kernels' fields of 64 bits. The module's constants and its stack of 1 MB lie
below FIRST. The stack comes first, so that an overflow traps. See shogi_engine/web/static/kernels.js for a host.
"""

import gzip
import importlib
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine import __version__
from tools.kernels import ROOT, lowering_environment

NAME, GAMES = "wasm32", ("shogi", "othello")
TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals"  # Safari 16.4, Firefox 89, Chrome 91
FIRST = 4 << 20  # the first address for records
STACK = 1 << 20
MATE_TABLE = 16 << 20
START = """
define i64 @call(i64 %task, i64 %page, i64 %a, i64 %b) {{
  %result = alloca i64
  %error = alloca ptr
  %status = call i32 @"{symbol}"(ptr %result, ptr %error, i64 %task, i64 %page, i64 %a, i64 %b)
  %value = load i64, ptr %result
  ret i64 %value
}}
declare i32 @"{symbol}"(ptr, ptr, i64, i64, i64, i64)
"""


# ---- each in a process of its own, see tools/kernels/lowering.py: the LLVM code, and the memory


def lower(game: str, folder: Path) -> None:
    """Write the LLVM code of a game's kernels to folder/GAME.ll; its first line names the function of `call`."""
    from shogi_engine.jit.workshop import emitting
    from tools.kernels.entries import I64, Entry
    from tools.kernels.lowering import lean_text, linked, lower as lower_entry, modules_of

    emitting.set_features(frozenset({emitting.WASM}))
    row, library = lower_entry(Entry(module_of(game).call, (I64,) * 4))
    (folder / f"{game}.ll").write_text(f"; {row.symbol}\n{lean_text(str(linked(list(modules_of([library])))))}")


def module_of(game: str) -> Any:
    """Return a game's module of shogi_engine.embedded."""
    return importlib.import_module(f"shogi_engine.embedded.{game}")


class Memory:
    """Blocks of memory one after the other from FIRST on, each at a multiple of 64."""

    def __init__(self) -> None:
        self.end = FIRST
        self.blocks: dict[str, tuple[int, int]] = {}
        self.filled: list[tuple[int, bytes]] = []

    def add(self, name: str, size: int) -> int:
        """Return the address of a new block."""
        address = self.end + 63 & ~63
        self.blocks[name], self.end = (address, size), address + size
        return address

    def fill(self, address: int, record: Any) -> None:
        """Let a block begin with a record's bytes."""
        self.filled.append((address, np.asarray(record).tobytes()))

    def words(self) -> bytes:
        """Return the words that are not zero, with their indices."""
        pairs = []
        for address, data in self.filled:
            words = np.frombuffer(data + bytes(-len(data) % 4), np.uint32)
            places = np.flatnonzero(words)
            pairs.append(np.stack([places + address // 4, words[places]], axis=1).astype(np.uint32))
        return np.concatenate(pairs).tobytes()


def write_memory(game: str, folder: Path) -> None:
    """Write GAME.bin, GAME.weights and GAME.json."""
    from shogi_engine.search.root import Searcher

    module, memory = module_of(game), Memory()
    searcher = Searcher(module.GAME, hash_mb=1)
    used, tables = np.asarray(searcher._contexts[0]), searcher._histories[0].tables
    ctx = np.frombuffer(bytearray(used.tobytes()), used.dtype).reshape(())  # `copy` would leave what is between fields
    ctx["pos"] = module.GAME.parse_position(module.GAME.start)
    ctx["params"], ctx["evaluation"] = searcher.params, searcher.evaluator.params
    page = np.zeros((), module.PAGE)
    page["search_flags"], page["margin"] = searcher.search_flags, ctx["params"]["multi_probcut_margin"]
    place = memory.add("page", page.nbytes), memory.add("ctx", ctx.nbytes)
    rules = memory.end  # what the rules alone need
    weights = []
    arrays = {each.ctypes.data: each for each in arrays_of(searcher.evaluator)}
    for name in ctx["evaluation"].dtype.names or ():
        value = ctx["evaluation"][name]
        if value.shape == () and int(value) in arrays:
            array = arrays[int(value)]
            ctx["evaluation"][name] = address = memory.add(name, array.nbytes)
            weights.append((address, array.tobytes()))
    first = weights[0][0]
    packed = bytearray(weights[-1][0] + len(weights[-1][1]) - first)
    for address, data in weights:
        packed[address - first : address - first + len(data)] = data
    ctx["stop_address"] = memory.add("stop", 64)
    histories = ctx["histories"] = memory.add("histories", tables.dtype.itemsize)
    shared = memory.add("shared", searcher._shared.tables.dtype.itemsize)
    patches = [(histories + offset(tables.dtype, "shared"), shared)]
    page["ctx"] = place[1]
    patches.append((place[1] + offset(ctx.dtype, "tt_address"), 0))
    if game == "shogi":
        patches += mate_patches(module, memory, page)
    table = memory.end + 4095 & ~4095
    patches[1] = patches[1][0], table
    memory.fill(place[0], page)
    memory.fill(place[1], ctx)
    (folder / f"{game}.bin").write_bytes(memory.words())
    facts: dict[str, Any] = {"blocks": memory.blocks, "rules": rules, "weights": first}
    facts |= {"patches": patches, "table": table}
    whole = bytes(packed)
    if game == "othello":
        facts["patterns"], knots = pattern_file()
        whole = knots + whole[memory.blocks["weights"][1] :]
    (folder / f"{game}.weights").write_bytes(gzip.compress(whole, mtime=0))
    facts |= {"game": game, "name": f"shogi_engine {__version__}", "author": "the shogi_engine authors"}
    facts |= {"start": module.GAME.start} | levels_of(game)
    (folder / f"{game}.json").write_text(json.dumps(facts, separators=(",", ":")))


def offset(dtype: np.dtype, name: str) -> int:
    """Return where a field of a record begins, in bytes."""
    assert dtype.fields is not None
    return int(dtype.fields[name][1])


def arrays_of(evaluator: Any) -> list[np.ndarray]:
    """Return the arrays to which an evaluation's parameters may point."""
    from shogi_engine.games.othello.evaluation import patterns
    from shogi_engine.games.othello.evaluation.network import Network

    weights = evaluator.weights
    return [*weights.memory, *([patterns.WEIGHTS.shipped.table] if isinstance(weights, Network) else [])]


def pattern_file() -> tuple[dict[str, int], bytes]:
    """Return what a host must know to expand the weights of Othello's patterns as `by_phase` does, and their bytes.

    These are int16[knots, numbers], and for each weight of a phase its place among the numbers, as the int32 difference
    to the place before it.
    """
    from shogi_engine.games.othello.evaluation import patterns

    knots = patterns.read(patterns.SHIPPED).arrays["knots"]
    places = np.diff(patterns.file_places().astype(np.int32), prepend=np.int32(0))
    facts = {"phases": patterns.PHASES, "step": patterns.KNOT_STEP, "knots": knots.shape[0], "numbers": knots.shape[1]}
    return facts | {"width": len(places)}, knots.astype("<i2").tobytes() + places.astype("<i4").tobytes()


def mate_patches(module: Any, memory: Memory, page: Any) -> list[tuple[int, int]]:
    """Add the blocks of the mate search; return (address, number) of each field that is set before a search."""
    from shogi_engine.games.shogi.mate.table import CLUSTER_BYTES, MATE_SEARCH

    mates, table = memory.add("mates", module.MATE_PAGE.itemsize), memory.add("mate table", MATE_TABLE)
    page["mates"] = mates
    base = mates + offset(module.MATE_PAGE, "search")
    values = {"tt_address": table, "tt_clusters": MATE_TABLE // CLUSTER_BYTES, "stop_address": memory.blocks["stop"][0]}
    return [(base + offset(MATE_SEARCH, name), value) for name, value in values.items()]


def levels_of(game: str) -> dict[str, Any]:
    """Return the levels: in Shogi the limits of a search, in Othello the rows of params.TABLE."""
    if game == "shogi":
        from shogi_engine.games.shogi.names import LEVELS

        return {"levels": [{"depth": each.depth, "nodes": each.nodes, "moves": each.moves} for each in LEVELS]}
    from shogi_engine.games.othello.params import CAREFUL, TABLE

    return {"levels": [asdict(level) for level in TABLE], "careful": CAREFUL}


STEPS = {"lower": lower, "memory": write_memory}


# ---- in the builder's process ------------------------------------------------------------------------------------


def compile_game(game: str, folder: Path) -> None:
    """Compile folder/GAME.ll and link it to folder/GAME.wasm."""
    from llvmlite import binding as llvm

    from tools.kernels.linking import optimise, zig

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    tm = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu="generic", features=FEATURES, opt=3, reloc="static", codemodel="default"
    )
    text = (folder / f"{game}.ll").read_text()
    symbol = text[2 : text.index("\n")]

    def parse(code: str) -> Any:
        module = llvm.parse_assembly(f'target triple = "{TRIPLE}"\n{code}')
        module.data_layout = str(tm.target_data)
        return module

    whole = parse(START.format(symbol=symbol))
    whole.link_in(parse(text))
    for value in (*whole.functions, *whole.global_variables):
        if not value.is_declaration and value.name != "call":
            value.linkage = "internal"
    optimise(whole, tm)
    outside = {each.name for each in whole.functions if each.is_declaration and not each.name.startswith("llvm.")}
    if not outside <= {"poll"}:
        raise SystemExit(f"kernels call what is not there: {', '.join(sorted(outside))}")
    (folder / f"{game}.o").write_bytes(tm.emit_object(whole))
    options = ["--no-entry", "--import-undefined", "--export=call", "--export=__heap_base", "--strip-all"]
    options += ["-z", f"stack-size={STACK}", "--stack-first"]
    zig("wasm-ld", *options, str(folder / f"{game}.o"), "-o", str(folder / f"{game}.wasm"))


def build(folder: Path) -> list[Path]:
    """Make the files of both games in `folder`; return the modules."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for game in GAMES:
            for step in STEPS:  # what lowering leaves of the compiler makes no kernels that run
                command = [sys.executable, "-m", "tools.kernels.wasm", step, game, scratch]
                subprocess.run(command, check=True, env=lowering_environment(), cwd=ROOT)
            compile_game(game, Path(scratch))
            for kind in ("wasm", "bin", "weights", "json"):
                (folder / f"{game}.{kind}").write_bytes(Path(scratch, f"{game}.{kind}").read_bytes())
    return [folder / f"{game}.wasm" for game in GAMES]


if __name__ == "__main__":
    STEPS[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
