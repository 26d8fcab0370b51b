"""out=: whatever has memory in common with NumPy is written to, and nothing is written to a copy."""

import numpy as np
import pytest

from shogi_engine.batch import Batch
from shogi_engine.batch.batch import output_array, shared_array


class Tensor:
    """Memory of another library, which offers DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **wanted):
        return self.array.__dlpack__(**wanted)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Viewed:
    """Memory that `__array__` shows, or copies."""

    def __init__(self, array, copies=False):
        self.array, self.copies = array, copies

    def __array__(self, dtype=None, copy=None):
        return self.array.copy() if self.copies else self.array


def of_buffer(array):
    """Return a view without NumPy's type."""
    return memoryview(array)


@pytest.mark.parametrize("kind", [Tensor, Viewed, of_buffer])
def test_other_memory_is_written_to(kind):
    array = np.zeros((3, 4), np.float32)
    output_array(kind(array), (3, 4), np.float32)[1, 2] = 7
    assert array[1, 2] == 7


@pytest.mark.parametrize("out", [[[0, 0]], Viewed(np.zeros((1, 2)), copies=True)], ids=["list", "copies"])
def test_a_copy_is_refused(out):
    with pytest.raises(ValueError, match="which is a (list|Viewed): NumPy would have to copy it"):
        shared_array(out)


def test_what_can_not_be_written_to_is_refused():
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    for out in (fixed, b"123", Viewed(fixed)):
        with pytest.raises(ValueError, match="it is read-only|cannot write to out"):
            shared_array(out)


def test_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"a C-contiguous bool\[2, 3\], not uint8\[2, 2\]"):
        output_array(Tensor(np.zeros((2, 2), np.uint8)), (2, 3), np.bool_)


def test_batches_write_to_tensors():
    batch = Batch("othello")
    positions = batch.pack([batch.game.start] * 3)
    planes, masks = np.zeros((3, *batch.feature_names["planes"]), np.float32), np.zeros((3, 65), np.bool_)
    after = np.zeros_like(positions)
    batch.features(positions, "planes", out=Tensor(planes))
    batch.legal_masks(positions, "squares+pass", out=Tensor(masks))
    moves = batch.legal_moves(positions).labels[:, 0]
    batch.apply(positions, moves, out=Tensor(after))
    assert (planes == batch.features(positions, "planes")).all() and planes.any()
    assert (masks == batch.legal_masks(positions, "squares+pass")).all() and masks.any()
    assert (after == batch.apply(positions, moves)).all() and after.any()
