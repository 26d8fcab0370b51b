"""Positions as text, by kernels and by Python, and batches that are sent to other processes."""

import multiprocessing
import pickle
import random

import numpy as np
import pytest

from shogi_engine.batch import Batch
from shogi_engine.jit import JIT_DISABLED
from tests.support.batch_checks import random_boards

POSITIONS = 40 if JIT_DISABLED else 1500
METHODS = [name for name in ("spawn", "fork", "forkserver") if name in multiprocessing.get_all_start_methods()]


def texts_of(game):
    """Return positions of random games as text, their move numbers 1, as packed positions have them."""
    text = "sfen" if game == "shogi" else "obf"
    found = [getattr(board, text)() for board in random_boards(game, POSITIONS)]
    return [each.rsplit(" ", 1)[0] + " 1" for each in found] if game == "shogi" else found


@pytest.mark.parametrize("game", ["shogi", "othello"])
def test_packed_as_boards_pack_them(game):
    batch, texts = Batch(game), texts_of(game)
    packed = batch.pack(texts)
    boards = [
        getattr(board, "to_hcp" if game == "shogi" else "to_packed")() for board in random_boards(game, POSITIONS)
    ]
    assert packed.tobytes() == b"".join(boards)
    assert batch.texts(packed) == texts
    assert (Batch(game, threads=3).pack(texts) == packed).all() and Batch(game, threads=3).texts(packed) == texts
    assert batch.pack([]).shape == (0, batch.size) and batch.texts(packed[:0]) == []


def test_cshogi_packs_the_same():
    cshogi = pytest.importorskip("cshogi")
    texts, board, hcp = texts_of("shogi"), cshogi.Board(), np.zeros(32, np.uint8)
    for text, row in zip(texts, Batch("shogi").pack(texts), strict=True):
        board.set_sfen(text)
        board.to_hcp(hcp)
        assert (row == hcp).all()


def test_what_kernels_decline_is_read_by_python():
    batch, start = Batch("shogi"), "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -"
    usual = batch.pack([f"{start} 1"])
    for text in ("startpos", start, f" {start}  1", f"{start} 30000", f"{start} 1\n"):
        assert (batch.pack([f"{start} 7", text, f"{start} 1"]) == usual).all()
    othello = Batch("othello")
    cells = "---------------------------OX------XO---------------------------"
    usual = othello.pack([f"{cells} X"])
    for text in (f"{cells}X", cells.replace("X", "*").replace("-", ".") + " *", "startpos", f"{cells} X;"):
        assert (othello.pack([f"{cells} X", text]) == usual).all()


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("shogi", ""),
        ("shogi", "\n"),
        ("shogi", "9/9/9/9/9/9/9/9/9 b - 1"),
        ("shogi", "kK7/9/9/9/9/9/9/9/9 b - 1"),
        ("shogi", "k8/9/9/9/9/9/9/9/8K b 19p 1"),
        ("shogi", "k8/9/9/9/9/9/9/9/8K w - -1"),
        ("shogi", "王8/9/9/9/9/9/9/9/8K w - 1"),
        ("othello", "X"),
        ("othello", "---------------------------OX------XO-------------------------- X"),
        ("othello", "---------------------------OX------XO--------------------------- -"),
        ("othello", "--------------------------ZOX------XO--------------------------- X"),
    ],
)
def test_what_is_no_position_is_named(game, text):
    batch = Batch(game)
    good = [batch.game.start] * 3
    with pytest.raises(ValueError, match="row 3: "):
        batch.pack([*good, text, *good])


def test_damaged_texts_are_read_as_python_reads_them():
    rng = random.Random(3)
    for game in ("shogi", "othello"):
        batch, texts = Batch(game), texts_of(game)[:200]
        for text in texts:
            place = rng.randrange(len(text))
            letter = rng.choice("+kKpP19/ -bwXO\n０")
            damaged = rng.choice(
                [text[:place], text[:place] + letter + text[place + 1 :], text[:place] + letter + text]
            )
            try:
                expected = batch.game.parse_position(damaged)
            except ValueError:
                with pytest.raises(ValueError, match="row 0"):
                    batch.pack([damaged, text])
                continue
            if game == "othello" or 81 not in expected.king:
                assert (
                    batch.texts(batch.pack([damaged, text]))[0].split()[:3]
                    == (batch.game.format_position(expected).split()[:3])
                )


def masks_elsewhere(batch, texts):
    """Return how many legal moves the positions have; for another process."""
    return batch.legal_masks(batch.pack(texts), "dlshogi").sum(axis=1).tolist()


@pytest.mark.parametrize("method", METHODS)
def test_a_batch_is_sent_to_other_processes(method):
    batch, texts = Batch("shogi", "psfen", threads=2), texts_of("shogi")[:10]
    here = masks_elsewhere(batch, texts)
    again = pickle.loads(pickle.dumps(batch))
    assert repr(again) == repr(batch) == "Batch('shogi', 'psfen', threads=2)"
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply_async(masks_elsewhere, (batch, texts)).get(120) == here


@pytest.mark.parametrize("method", METHODS)
def test_in_a_data_loader(method):
    torch = pytest.importorskip("torch")
    batch = Batch("shogi")
    packed = batch.pack(texts_of("shogi")[:32])
    loader = torch.utils.data.DataLoader(
        list(packed), batch_size=8, num_workers=1, multiprocessing_context=method, collate_fn=Planes(batch)
    )
    found = torch.cat(list(loader))
    assert (found.numpy() == batch.features(packed, "dlshogi1")).all()
    out = torch.empty((32, 62, 9, 9), dtype=torch.float32)
    assert batch.features(packed, "dlshogi1", out=out) is out and (out.numpy() == found.numpy()).all()


def test_features_are_written_to_what_shares_its_memory():
    batch = Batch("othello")
    packed = batch.pack(texts_of("othello")[:8])
    out = memoryview(np.zeros((8, 3, 8, 8), np.float32))
    assert batch.features(packed, "planes", out=out) is out
    assert (np.asarray(out) == batch.features(packed, "planes")).all()
    with pytest.raises(ValueError, match="1 features need 1 output arrays, not 2"):
        batch.features(packed, "planes", out=(out, out))
    with pytest.raises(ValueError, match="C-contiguous"):
        batch.features(packed, "planes", out=memoryview(bytearray(8)))


class Planes:
    """A function that a process of a DataLoader makes planes with."""

    def __init__(self, batch):
        self.batch = batch

    def __call__(self, rows):
        import torch

        return torch.from_numpy(self.batch.features(np.stack(rows), "dlshogi1"))
