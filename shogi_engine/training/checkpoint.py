"""Checkpoints of training: a run's arrays and losses in a file that is written atomically."""

import io
import json
import logging
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from shogi_engine.common.files import write_whole
from shogi_engine.language import fault_text
from shogi_engine.training.data import DAMAGED, refuse_foreign
from shogi_engine.training.recipe import Losses

_log = logging.getLogger(__name__)


def save_checkpoint(file: Path, identity: str, losses: list[Losses], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a checkpoint.

    Args:
        identity: a text that identifies the run
        losses: the losses of each epoch
    """
    content = io.BytesIO()
    texts = {"losses": np.array(json.dumps(losses)), "identity": np.array(identity)}
    np.savez(content, **arrays, **texts)  # type: ignore[arg-type]
    write_whole(file, content.getvalue())


def load_checkpoint(file: Path, identity: str) -> tuple[dict[str, np.ndarray], list[Losses]] | None:
    """Return (arrays, losses) of a run's checkpoint, None if there is no complete one; a damaged one is logged.

    Raises ValueError if it is from another run, or no checkpoint.
    """
    refuse_foreign(file)
    try:
        with np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        found, losses = str(arrays.pop("identity")), json.loads(str(arrays.pop("losses")))
    except FileNotFoundError:
        return None
    except DAMAGED as fault:
        _log.warning("training: %s is damaged (%s), so its run begins again", file, fault_text(fault))
        return None
    if found != identity:
        raise ValueError(f"training: {file} is from another run ({found}, not {identity}); remove it or name this run")
    return arrays, losses
