"""nn.bin: YaneuraOu's own values, kept along the line as found afresh, and files that are none."""

import hashlib
import random

import nnbin
import numpy as np
import pytest

from shogi_engine import games
from shogi_engine.game import (
    do_move,
    do_null,
    evaluate,
    null_allowed,
    refresh_line,
    root_order_score,
    undo_move,
    undo_null,
)
from shogi_engine.games.shogi.evaluation.eval_options import read_scale
from shogi_engine.games.shogi.sfen import flip_sfen
from shogi_engine.games.shogi.types import KING, is_drop, is_promotion, move_captured, move_kind
from shogi_engine.jit import JIT_DISABLED
from shogi_engine.parameters import set_value
from shogi_engine.search.context import new_context, set_root, write_root_moves

GAME = games.load("shogi")
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered")  # JIT off: numpy's scalars wrap and say so


def load(file):
    return GAME.evaluation("nnue").load(file)


def value_of(ctx, sfen):
    set_root(ctx, GAME.parse_position(sfen))
    refresh_line(ctx)
    return int(evaluate(ctx))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the two networks' files, by seed."""
    folder = tmp_path_factory.mktemp("networks")
    cases = {case["seed"]: case["wide"] for case in nnbin.EXPECTED["networks"]}
    return {seed: nnbin.write_random(folder / f"{seed}.bin", seed, wide) for seed, wide in cases.items()}


# ---- values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", nnbin.EXPECTED["networks"], ids=lambda case: f"seed-{case['seed']}")
def test_values_are_those_of_yaneuraou(case, files):
    file = files[case["seed"]]
    assert hashlib.sha256(file.read_bytes()).hexdigest() == case["sha256"], "numpy draws other numbers here"
    evaluator, reader = load(file), nnbin.Reader(file)
    for scale, expected in case["values"].items():
        set_value(evaluator.params, "fv_scale", int(scale))
        ctx = new_context(GAME, evaluator=evaluator)
        assert [value_of(ctx, sfen) for sfen in nnbin.EXPECTED["sfens"]] == expected
        assert [reader.value(sfen, int(scale)) for sfen in nnbin.EXPECTED["sfens"]] == expected


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


def test_kept_along_ten_thousand_random_moves_as_found_afresh(files):
    """Against sums from nothing (no sum kept by square of the king is used), and now and then the slow reader."""
    wanted = 300 if JIT_DISABLED else 10_000
    evaluator, reader = load(files[2]), nnbin.Reader(files[2])
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
        value = int(evaluate(line.ctx))
        assert value == int(evaluate(fresh)), GAME.format_position(line.ctx.pos)
        if moves % 50 == 0:
            assert value == reader.value(GAME.format_position(line.ctx.pos))
        values.add(value)
    assert len(values) > wanted // 20
    least = 1 if JIT_DISABLED else 50
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
        (lambda content: b"", "can not be read"),
        (lambda content: b"version https://git-lfs.github.com/spec/v1\n", "found 43 bytes, version 0x73726576"),
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
    if "can not be read" not in message:
        assert "expected HalfKP 256x2-32-32, 64217066 bytes as a rule" in message


def test_no_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no network comes with the engine"):
        load(None)
    with pytest.raises(ValueError, match=r"can not be read \(.*[Dd]irectory|Permission"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("option name FV_SCALE type spin default 24 min 1 max 128\n", 24),
        ("option name EvalDir type string default eval\r\noption name FV_SCALE type spin default 20 fixed\r\n", 20),
        ("FV_SCALE 24", 24),
        ("FV_SCALE=36\n", 36),
        ("  fv_scale = 28 # Suisho", 28),
        ("\ufeffFV_SCALE 18\n", 18),
        ("FV_SCALE 20\nFV_SCALE 24\n", 24),
        ("FV_SCALE 0\n", 16),
        ("FV_SCALE 129\n", 16),
        ("FV_SCALE\n", 16),
        ("FV_SCALES 24\n", 16),
        ("// FV_SCALE 24\n", 16),
        ("", 16),
    ],
)
def test_the_scale_of_eval_options(tmp_path, text, scale):
    (tmp_path / "eval_options.txt").write_text(text, encoding="utf-8", newline="")
    assert read_scale(tmp_path) == scale
    evaluator = load(nnbin.write_empty(tmp_path / "nn.bin"))
    assert int(evaluator.params.fv_scale) == scale


def test_the_scale_without_eval_options(tmp_path):
    assert read_scale(tmp_path) == read_scale(tmp_path / "no folder") == 16
    (tmp_path / "eval_options.txt").write_bytes("評価関数 FV_SCALE\nFV_SCALE 24".encode("shift-jis"))
    assert read_scale(tmp_path) == 24
