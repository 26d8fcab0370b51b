"""Files of random networks, for the evaluations that need one."""

from pathlib import Path

import numpy as np

from shogi_engine.games.shogi.evaluation.network import FEATURES, OUTPUT_BUCKETS, Network, encode
from tests.support import nnbin


def random_network(seed, width=32, saturating=False):
    """Return a network with weights at random; saturating: each as large as its file and its kernels allow."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-120, 121, (FEATURES, width))
    output = rng.integers(-511, 512, (OUTPUT_BUCKETS, 2, width))
    if saturating:
        rows, output = rng.choice([-505, 505], rows.shape), rng.choice([-511, 511], output.shape)
    bias, qa = rng.integers(-200, 201, width), 255 if saturating else 1023
    arrays = (array.astype(np.int16) for array in (rows, bias, output))
    return Network(*arrays, rng.integers(-(1 << 22), 1 << 22, OUTPUT_BUCKETS), qa, 300, 900, {"seed": seed})


def write_network(folder: Path, name: str) -> Path:
    """Write a network for the evaluation `name`; return its file."""
    file = folder / f"{name}.bin"
    if name == "nnue":
        return nnbin.write_random(file, seed=2, wide=True)
    file.write_bytes(encode(random_network(2)))
    return file
