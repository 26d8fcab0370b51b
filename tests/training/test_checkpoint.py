"""A damaged checkpoint is not taken for none without a word."""

import logging

import numpy as np
import pytest

from shogi_engine.training.checkpoint import load_checkpoint, save_checkpoint


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:1000],
        lambda data: data[:-30],
        lambda data: b"",
        lambda data: b"PK",
        lambda data: data[:400] + b"\0" * 200 + data[600:],
    ],
)
def test_a_damaged_checkpoint_is_told(tmp_path, caplog, damage):
    file = tmp_path / "network.checkpoint.npz"
    with caplog.at_level(logging.WARNING):
        assert load_checkpoint(file, "a run") is None and not caplog.records
        save_checkpoint(file, "a run", [], {"parameters": np.arange(300.0)})
        assert load_checkpoint(file, "a run") is not None and not caplog.records
        file.write_bytes(damage(file.read_bytes()))
        assert load_checkpoint(file, "a run") is None
    (told,) = caplog.messages
    assert str(file) in told and "damaged" in told and "begins again" in told and "\n" not in told
