"""nn.bin: YaneuraOu's own values, kept along the line as found afresh, and files that are none."""

import hashlib
import itertools
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.engine.parameters import set_value
from shogi_engine.games.shogi.evaluation.nnue import network_value
from shogi_engine.games.shogi.evaluation.nnue_file import (
    HALFKP,
    SECOND,
    SFNN_FIRST,
    SFNN_STACKS,
    WIDTHS,
    Architecture,
    plain_architecture,
    plain_architectures,
    text_remark,
)
from shogi_engine.games.shogi.names import flip_sfen, read_scale
from shogi_engine.games.shogi.rules import VALUE_LIMIT
from shogi_engine.games.shogi.types import KING, is_drop, is_promotion, move_captured, move_kind
from shogi_engine.interface.game import (
    do_move,
    do_null,
    evaluate,
    null_allowed,
    refresh_line,
    root_order_score,
    undo_move,
    undo_null,
)
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.search.context import new_context, set_root, write_root_moves
from tests.support import nnbin
from tests.support.processes import ARE_PLAIN, environment
from tests.support.sizes import sized

GAME = games.load("shogi")
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # JIT off: numpy's scalars wrap and say so


def load(file):
    return GAME.evaluation("nnue").load(file)


def limited(value, most=VALUE_LIMIT):
    return max(-most, min(most, value))


def value_of(ctx, sfen):
    set_root(ctx, GAME.parse_position(sfen))
    refresh_line(ctx)
    return int(evaluate(ctx))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the files of the first two networks of EXPECTED, by seed."""
    folder = tmp_path_factory.mktemp("networks")
    cases = {case["seed"]: case["wide"] for case in nnbin.EXPECTED["networks"]}
    return {seed: nnbin.write_random(folder / f"{seed}.bin", seed, wide) for seed, wide in cases.items()}


# ---- values ------------------------------------------------------------------------------------------------------

LARGE = 40_000_000  # bytes of a file that takes long to write


def yaneuraou_cases():
    for name, keywords, *rest in nnbin.cases():
        shape = keywords["shape"]
        large = 2 * shape.rows * shape.width > LARGE and name != "first-1"
        yield pytest.param(keywords, *rest, id=name, marks=[pytest.mark.slow] if large else [])


@pytest.mark.parametrize(("keywords", "digest", "sfens", "values"), list(yaneuraou_cases()))
def test_values_are_those_of_yaneuraou(keywords, digest, sfens, values, tmp_path):
    if JIT_DISABLED and keywords["shape"].stacks:
        pytest.skip("a hundred million compressed numbers")
    file, shape = nnbin.write_random(tmp_path / "nn.bin", **keywords), keywords["shape"]
    assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, "numpy draws other numbers here"
    evaluator, reader = load(file), nnbin.Reader(file, shape)
    for scale, expected in values.items():
        set_value(evaluator.params, "fv_scale", int(scale))
        ctx = new_context(GAME, evaluator=evaluator)
        for sfen, value in zip(sfens, expected, strict=True):
            assert value_of(ctx, sfen) == limited(value), sfen
            assert int(evaluator.evaluation.shown(ctx)) == value == reader.value(sfen, int(scale)), sfen


def test_turned_around_positions_are_worth_the_same(files):
    evaluator = load(files[1])
    ctx = new_context(GAME, evaluator=evaluator)
    for sfen in nnbin.EXPECTED["sfens"]:
        assert value_of(ctx, sfen) == value_of(ctx, flip_sfen(sfen))


def test_handicaps_and_missing_kings(files):
    """What is missing counts as row 0; the sums kept for a king's square serve boards with more and fewer pieces."""
    evaluator, reader = load(files[2]), nnbin.Reader(files[2])
    ctx = new_context(GAME, evaluator=evaluator)
    handicaps = (
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "4k4/9/9/9/9/9/9/9/4K4 b - 1",
        GAME.start,
        "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
        "4k4/9/9/9/9/9/9/9/4K4 b Rb2p 1",
        "3gkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    )
    for sfen in handicaps * 2:
        assert value_of(ctx, sfen) == reader.value(sfen), sfen
    without, with_king = ("4k4/9/9/9/9/9/9/9/9 b 2R2B 1", "4k4/9/9/9/9/9/9/9/4K4 b 2R2B 1")
    assert value_of(ctx, without) == value_of(ctx, with_king)  # taken to be at home


# ---- along the line ----------------------------------------------------------------------------------------------


class Line:
    """A line of moves made and taken back, as a search does."""

    def __init__(self, evaluator, seed):
        self.ctx, self.lister = new_context(GAME, evaluator=evaluator), new_context(GAME)
        self.rng, self.made = random.Random(seed), []

    def begin(self, sfen):
        set_root(self.ctx, GAME.parse_position(sfen))
        refresh_line(self.ctx)
        self.made.clear()

    def step(self):
        """Make a random move, or take one back; return the move made, None if it was taken back or there is none."""
        ctx = self.ctx
        self.lister.pos = ctx.pos
        moves = self.lister.root_moves[: int(write_root_moves(self.lister))].copy()
        if self.made and (len(moves) == 0 or ctx.ply > 100 or self.rng.random() < 0.3):
            return self.take_back()
        if len(moves) == 0:
            return None
        kings = [move for move in moves if move_kind(move) == KING]
        move = np.uint32(self.rng.choice(kings if kings and self.rng.random() < 0.1 else moves))
        if null_allowed(ctx.pos) and self.rng.random() < 0.05:
            move = np.uint32(0)
        undo = ctx.undo[ctx.game_ply]
        do_move(ctx.pos, move, undo) if move else do_null(ctx.pos, undo)
        ctx.game_ply, ctx.ply = ctx.game_ply + 1, ctx.ply + 1
        self.made.append(move)
        return move

    def take_back(self):
        ctx, move = self.ctx, self.made.pop()
        ctx.game_ply, ctx.ply = ctx.game_ply - 1, ctx.ply - 1
        undo = ctx.undo[ctx.game_ply]
        undo_move(ctx.pos, move, undo) if move else undo_null(ctx.pos, undo)
        ctx.computed_ply = min(ctx.computed_ply, ctx.ply)


def kinds_of(move):
    """Yield what sort of move it is."""
    if move == 0:
        yield "null"
        return
    yield "drop" if is_drop(move) else "board"
    if is_promotion(move):
        yield "promotion"
    if move_kind(move) == KING:
        yield "king captures" if move_captured(move) else "king"
    elif move_captured(move):
        yield "capture"


# Small networks of every feature set and of both kinds; that of the last one is 144 MB even so.
SMALL = {
    "halfkp": nnbin.Architecture("HalfKP(Friend)", 128, 8, 64),
    "kp": nnbin.Architecture("K+P", 320, 64, 32),
    "halfkp_vm": nnbin.Architecture("HalfKP_vm(Friend)", 64, 16, 96),
    "halfka2": nnbin.Architecture("HalfKA2(Friend)", 64, 7, 32, 9),
    "halfka_hm2": nnbin.Architecture("HalfKA_hm2(Friend)", 64, 15, 64, 9),
    "kp sfnn": nnbin.Architecture("K+P", 192, 31, 128, 1),
    "halfkpe9": nnbin.Architecture("HalfKPE9(Friend)", 64, 32, 128),
}


@pytest.mark.parametrize("name", SMALL)
def test_kept_along_thousands_of_random_moves_as_found_afresh(name, tmp_path):
    """Against sums computed from scratch (without those kept by square of the king), and at times the slow reader."""
    shape = SMALL[name]
    if ARE_PLAIN and name in ("halfka2", "halfka_hm2"):
        pytest.skip("millions of compressed numbers")
    wanted = 300 if ARE_PLAIN else sized(2_000, 10_000)
    file = nnbin.write_random(tmp_path / "nn.bin", seed=4, wide=True, wrap=True, shape=shape)
    evaluator, reader = load(file), nnbin.Reader(file, shape)
    line, fresh = Line(evaluator, seed=9), new_context(GAME, evaluator=evaluator)
    counts, values, moves, begun = {}, set(), 0, 0
    while moves < wanted:
        if begun * 200 <= moves:
            line.begin(nnbin.EXPECTED["sfens"][begun % 63] if begun % 2 else GAME.start)
            begun += 1
        move = line.step()
        if move is None:
            continue
        moves += 1
        for kind in kinds_of(move):
            counts[kind] = counts.get(kind, 0) + 1
        if line.rng.random() < 0.3:  # several moves may wait
            continue
        fresh.pos = line.ctx.pos
        fresh.evaluation_cache.filled[:] = 0
        fresh.evaluation_cache.boards[:] = 0
        fresh.evaluation_cache.hands[:] = 0
        refresh_line(fresh)
        value = int(network_value(line.ctx))
        assert value == int(network_value(fresh)), GAME.format_position(line.ctx.pos)
        if moves % 50 == 0:
            assert limited(value, nnbin.LIMIT) == reader.value(GAME.format_position(line.ctx.pos))
        values.add(value)
    assert len(values) > wanted // 20
    least = 1 if ARE_PLAIN else sized(10, 50)
    for kind in ("null", "drop", "board", "promotion", "king", "king captures", "capture"):
        assert counts.get(kind, 0) >= least, counts


def test_root_moves_are_ordered_by_the_value_after_them(files):
    evaluator, reader = load(files[1]), nnbin.Reader(files[1])
    ctx = new_context(GAME, evaluator=evaluator)
    set_root(ctx, GAME.parse_position(GAME.start))
    refresh_line(ctx)
    before = ctx.pos.copy()
    for text, after in (
        ("7g7f", "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"),
        ("5i6h", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B1K3R1/LNSG1GSNL w - 2"),
    ):
        score = int(root_order_score(ctx, np.uint32(GAME.parse_move(ctx.pos, text))))
        assert score == -reader.value(after) and ctx.pos == before
    assert int(evaluate(ctx)) == reader.value(GAME.start)


# ---- files -------------------------------------------------------------------------------------------------------


def test_a_file_is_described(files):
    assert load(files[1]).describe() == f"nnue: {files[1]}, HalfKP 256x2-32-32"


@pytest.mark.parametrize(
    ("header", "remark"),
    [
        ({"text": b"Features=HalfKP"}, None),
        ({"text": b"HalfKP, with an even number of bytes"}, None),
        ({"text": b""}, "its header says ''"),
        ({"text": b"Features=HalfKA"}, "its header says 'Features=HalfKA'"),
        ({"hashes": (nnbin.FILE_HASH,)}, "without hashes of its parts"),
        ({"hashes": (1, nnbin.TRANSFORMER_HASH, nnbin.LAYERS_HASH)}, "hash 0x1 instead of 0x3e5aa6ee"),
        ({"hashes": (nnbin.FILE_HASH, 2, nnbin.LAYERS_HASH)}, "hash 0x2 instead of 0x5d69d7b8"),
        ({"hashes": (nnbin.FILE_HASH, nnbin.TRANSFORMER_HASH, 3)}, "hash 0x3 instead of 0x63337156"),
    ],
)
def test_headers_that_trainers_write_are_taken(tmp_path, header, remark):
    evaluator = load(nnbin.write_empty(tmp_path / "nn.bin", output=-1000, **header))
    assert value_of(new_context(GAME, evaluator=evaluator), GAME.start) == -62  # toward zero
    assert evaluator.describe().endswith(remark or "32-32")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda content: b"", "other.bin cannot be read"),
        (
            lambda content: b"version https://git-lfs.github.com/spec/v1\n",
            "found 43 bytes, version 0x73726576, which is not 0x7af32f16",
        ),
        (lambda content: content[:8], "found 8 bytes"),
        (lambda content: content[:-1], f"found {nnbin.SIZE - 1} bytes, version 0x7af32f16, 'Features=HalfKP(Friend)"),
        (lambda content: content + b"0", f"found {nnbin.SIZE + 1} bytes"),
        (lambda content: content[: nnbin.SIZE // 2], f"found {nnbin.SIZE // 2} bytes"),
        (lambda content: b"\0" * nnbin.SIZE, f"found {nnbin.SIZE} bytes, version 0x0"),
        (lambda content: content[:8] + b"\xff" * 4 + content[12:], f"found {nnbin.SIZE} bytes, version 0x7af32f16"),
        (lambda content: b"\x20" + content[1:], "version 0x7af32f20"),
    ],
)
def test_other_files_are_refused_by_one_line(tmp_path, change, found):
    file = nnbin.write_empty(tmp_path / "nn.bin")
    assert file.stat().st_size == nnbin.SIZE
    other = tmp_path / "other.bin"
    other.write_bytes(change(file.read_bytes()))
    with pytest.raises(ValueError, match="evaluation nnue: .*other.bin ") as refusal:
        load(other)
    message = str(refusal.value)
    assert found in message and "\n" not in message and len(message) < 500
    if "other.bin cannot be read" not in message:
        assert "cannot be read as a network: expected HalfKP, K-P, HalfKA or HalfKPE9 " in message


def test_architectures_have_the_sizes_and_hashes_of_files():
    """Those that YaneuraOu writes, with the text of older versions."""
    known = {
        "HalfKP 256x2-32-32": (64_217_066, 0x3E5AA6EE, 0x5D69D7B8, 0x63337156),
        "K-P 256x2-32-32": (893_917, 0x5C6464A9, 0x3F5715FF, 0x63337156),
        "HalfKP 512x2-16-32": (128_416_173, 0x3E5AA772, 0x5D69D1B8, 0x633376CA),
        "HalfKP 768x2-16-64": (192_624_717, 0x3E5AA222, 0x5D69D3B8, 0x6333719A),
        "HalfKP 1024x2-8-32": (256_814_475, 0x3E5AB7EC, 0x5D69DDB8, 0x63336A54),
        "HalfKP 1024x2-8-64": (256_815_659, 0x3E5AB79C, 0x5D69DDB8, 0x63336A24),
        "HalfKP_vm 256x2-32-32": (35_684_332, 0x68586ECC, 0x0B6B1F9A, 0x63337156),
        "HalfKPE9 256x2-32-32": (577_806_317, 0x3E5AA6EE, 0x5D69D7B8, 0x63337156),
    }
    found = {}
    for shape in (each for each in nnbin.ARCHITECTURES.values() if not each.stacks):
        architecture, has_hashes = plain_architecture(shape.size - 12 - len(shape.text))
        assert has_hashes and text_remark(shape.text, architecture) is None
        assert plain_architecture(shape.size - 20 - len(shape.text)) == (architecture, False)
        found[str(architecture)] = (shape.size, *architecture.hashes)
    assert found == known


def test_no_two_architectures_have_the_same_size():
    sizes = [each.transformer_bytes + each.stack_bytes for each in plain_architectures()]
    assert len({*sizes, *(size + 8 for size in sizes)}) == 2 * len(sizes)
    stacks = [Architecture(HALFKP, 64, *each) for each in itertools.product(SFNN_FIRST, SECOND, SFNN_STACKS)]
    for width in WIDTHS:
        shapes = [replace(each, width=width) for each in stacks]
        assert len({each.stacks * (4 + each.stack_bytes) for each in shapes}) == len(shapes)


@pytest.mark.parametrize(
    ("name", "remark"), [("SFNN_64_7_32_K3K3", ""), ("SFNN_64_PROGRESS9", ", stacks taken to be by the kings")]
)
def test_stacks_that_may_not_be_by_the_kings_are_remarked_on(name, remark, tmp_path):
    shape = nnbin.Architecture("K+P", 64, 7, 32, 9)
    file = nnbin.write_random(tmp_path / "nn.bin", seed=1, shape=shape)
    content, text = file.read_bytes(), shape.text.replace("SFNN-64", name).encode()
    file.write_bytes(content[:8] + len(text).to_bytes(4, "little") + text + content[12 + len(shape.text) :])
    assert load(file).describe() == f"nnue: {file}, SFNN K-P 64-7-32, 9 layer stacks{remark}"


def damaged(content, rng):
    """Return a file's bytes with one kind of damage."""
    at = rng.randrange(len(content)) if rng.random() < 0.5 else rng.randrange(min(400, len(content)))
    some = rng.randbytes(rng.randrange(1, 9))
    kind = rng.randrange(5)
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + content[at + len(some) :]
    if kind == 2:
        return content[:at] + some + content[at:]
    if kind == 3:
        return content + some
    return content[:at] + some + content[at + len(some) :]


@pytest.mark.parametrize("name", ["kp", "sfnn"])
def test_thousands_of_damaged_files_are_read_or_refused_by_one_line(name, tmp_path):
    """Half of them each: what is changed in a weight cannot be told."""
    rng, tried = random.Random(5), 20 if JIT_DISABLED else sized(1_000, 5_000)
    shape = nnbin.Architecture("K+P", 64, 8, 32) if name == "kp" else nnbin.Architecture("K+P", 64, 7, 32, 9)
    content = nnbin.write_random(tmp_path / "whole.bin", seed=1, shape=shape).read_bytes()
    assert str(load(tmp_path / "whole.bin").weights.contents.architecture).endswith(
        ("K-P 64x2-8-32", "64-7-32, 9 layer stacks")
    )
    refused = 0
    for number in range(tried):
        file = tmp_path / f"{number}.bin"
        file.write_bytes(damaged(content, rng))
        try:
            evaluator = load(file)
        except ValueError as refusal:
            refused += 1
            message = str(refusal)
            assert message.startswith(f"evaluation nnue: {file} ") and "\n" not in message and len(message) < 500
        else:
            size, begin = file.stat().st_size, file.read_bytes()[: 16 + len(shape.text)]
            lost_hashes = size + 8 == len(content) and shape.hashes[1].to_bytes(4, "little") not in begin
            assert size == len(content) or lost_hashes, "a size that is wrong was taken"
            if number % 20 == 0:
                value_of(new_context(GAME, evaluator=evaluator), GAME.start)
        file.unlink()
    assert tried // 2 < refused < tried or JIT_DISABLED


def test_a_network_is_in_memory_once(files):
    first, second = (load(files[1]) for _ in range(2))
    assert first.weights.contents is second.weights.contents
    assert first.params.rows == second.params.rows != load(files[2]).params.rows


def test_a_network_stays_as_it_was_whatever_becomes_of_its_file(tmp_path, files):
    file = tmp_path / files[1].name
    file.write_bytes(files[1].read_bytes())
    network = load(file)
    rows = np.asarray(network.weights.contents.rows)
    before = rows.copy()
    with file.open("r+b") as stream:  # in place, as copying programs do
        stream.write(b"\0" * file.stat().st_size)
    assert np.array_equal(rows, before)
    with file.open("r+b") as stream:
        stream.truncate(10)
    assert np.array_equal(rows, before)  # a mapped file would end the process here


def test_the_default_start_loads_nothing_of_this():
    """What networks of others cost, who does not use them does not pay."""
    code = (
        "import sys; from shogi_engine import Engine; Engine('shogi', hash_mb=1).close();"
        "print(*[name for name in sys.modules if 'nnue' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(None))
    assert (done.stdout, done.stderr) == ("\n", "")


def test_no_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no network comes with the engine"):
        load(None)
    with pytest.raises(ValueError, match=r"cannot be read \(.*[Dd]irectory|Permission"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("option name FV_SCALE type spin default 24 min 1 max 128\n", 24),
        ("option name EvalDir type string default eval\r\noption name FV_SCALE type spin default 20 fixed\r\n", 20),
        ("FV_SCALE 24", 24), ("FV_SCALE=36\n", 36), ("  fv_scale = 28 # Suisho", 28), ("\ufeffFV_SCALE 18\n", 18),
        ("FV_SCALE 20\nFV_SCALE 24\n", 24), ("FV_SCALE 0\n", 16), ("FV_SCALE 129\n", 16), ("FV_SCALE\n", 16),
        ("FV_SCALES 24\n", 16), ("// FV_SCALE 24\n", 16), ("", 16),
    ],
)  # fmt: skip
def test_the_scale_of_eval_options(tmp_path, text, scale):
    (tmp_path / "eval_options.txt").write_text(text, encoding="utf-8", newline="")
    assert read_scale(tmp_path) == scale
    evaluator = load(nnbin.write_empty(tmp_path / "nn.bin"))
    assert int(evaluator.params.fv_scale) == scale


def test_the_scale_without_eval_options(tmp_path):
    assert read_scale(tmp_path) == read_scale(tmp_path / "no folder") == 16
    (tmp_path / "eval_options.txt").write_bytes("評価関数 FV_SCALE\nFV_SCALE 24".encode("shift-jis"))
    assert read_scale(tmp_path) == 24
