"""Tells which of Shogi's evaluations a file of weights is for. Standard library only."""

from pathlib import Path

NNUE_VERSION = 0x7AF32F16  # the first four bytes of a network in the standard format, nn.bin


def evaluation_of(file: Path) -> str:
    """Return an evaluation's name, by the file's name and its first bytes; by default "network"."""
    if file.suffix == ".npz":
        return "king-piece"
    try:
        with file.open("rb") as stream:
            return "nnue" if stream.read(4) == NNUE_VERSION.to_bytes(4, "little") else "network"
    except OSError:  # reported later, when the whole file is read
        return "network"
