"""Random networks of the standard format, nn.bin, and a slow, exact reader of them.

data/nnbin_expected.json has values that YaneuraOu's NNUE edition printed (command `e`) for such networks.
"""

import json
import struct
from pathlib import Path

import numpy as np
from processes import TESTS

EXPECTED = json.loads((TESTS / "data" / "nnbin_expected.json").read_text())
VERSION, FILE_HASH, TRANSFORMER_HASH, LAYERS_HASH = 0x7AF32F16, 0x3E5AA6EE, 0x5D69D7B8, 0x63337156
ARCHITECTURE = (
    b"Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-32](ClippedReLU[32](AffineTransform[32<-32]"
    b"(ClippedReLU[32](AffineTransform[32<-512](InputSlice[512(0:512)])))))"
)
SHAPES = ((32, 512), (32, 32), (1, 32))
WEIGHTS_AT = 16 + len(ARCHITECTURE) + 512  # where a file's feature weights begin
SIZE = 64_217_066

# The first index of the own pieces of a kind on the board (the enemy's follow 81 later), and in hand, own and enemy's.
BOARD = {"P": 90, "L": 252, "N": 414, "S": 576, "G": 738, "B": 900, "+B": 1062, "R": 1224, "+R": 1386}
BOARD |= {"+P": 738, "+L": 738, "+N": 738, "+S": 738}
HAND = {"P": (1, 20), "L": (39, 44), "N": (49, 54), "S": (59, 64), "G": (69, 74), "B": (79, 82), "R": (85, 88)}


def write_random(path: Path, seed: int, wide: bool = False) -> Path:
    """Write the random network of data/nnbin_expected.json with that seed; wide: layers of the whole int8 range."""
    rng = np.random.default_rng(seed)
    with path.open("wb") as file:
        file.write(struct.pack("<III", VERSION, FILE_HASH, len(ARCHITECTURE)) + ARCHITECTURE)
        file.write(struct.pack("<I", TRANSFORMER_HASH))
        rng.normal(20, 40, 256).round().astype("<i2").tofile(file)
        for _ in range(81):
            rng.normal(0, 12, (1548, 256)).round().astype("<i2").tofile(file)
        file.write(struct.pack("<I", LAYERS_HASH))
        for shape, limit in zip(SHAPES, (128, 128, 128) if wide else (7, 21, 101), strict=True):
            rng.normal(0, 1500, shape[0]).round().astype("<i4").tofile(file)
            rng.integers(-limit, limit, shape).astype("i1").tofile(file)
    return path


def write_empty(
    path: Path,
    *,
    text: bytes = ARCHITECTURE,
    hashes: tuple[int, ...] = (FILE_HASH, TRANSFORMER_HASH, LAYERS_HASH),
    version: int = VERSION,
    output: int = 0,
) -> Path:
    """Write a network that says `output` / FV_SCALE of every position; with one hash only if there is but one."""
    with path.open("wb") as file:
        file.write(struct.pack("<III", version, hashes[0], len(text)) + text)
        file.write(struct.pack("<I", hashes[1]) if len(hashes) > 1 else b"")
        file.seek(512 * (1 + 125388), 1)
        file.write(struct.pack("<I", hashes[2]) if len(hashes) > 1 else b"")
        file.seek(sum(4 * outputs + outputs * inputs for outputs, inputs in SHAPES[:2]), 1)
        file.write(struct.pack("<i32x", output))
    return path


def features(sfen: str) -> tuple[list[list[int]], int]:
    """Return the rows seen by black and by white, and the side to move."""
    board, side, hands = sfen.split()[:3]
    kings, lists = [0, 0], ([], [])
    for rank, row in enumerate(board.split("/")):
        file, promoted = 8, ""
        for letter in row:
            if letter.isdigit():
                file -= int(letter)
            elif letter == "+":
                promoted = "+"
            else:
                square, white, kind = file * 9 + rank, letter.islower(), promoted + letter.upper()
                file, promoted = file - 1, ""
                if kind == "K":
                    kings[white] = square
                    continue
                lists[0].append(BOARD[kind] + 81 * white + square)
                lists[1].append(BOARD[kind] + 81 * (not white) + 80 - square)
    number = ""
    for letter in hands.replace("-", ""):
        if letter.isdigit():
            number += letter
            continue
        own, enemy = HAND[letter.upper()]
        white = letter.islower()
        for nth in range(int(number or 1)):
            lists[0].append((enemy if white else own) + nth)
            lists[1].append((own if white else enemy) + nth)
        number = ""
    for indices in lists:
        indices += [0] * (38 - len(indices))
    return [[1548 * kings[0] + i for i in lists[0]], [1548 * (80 - kings[1]) + i for i in lists[1]]], "bw".index(side)


class Reader:
    """A file's numbers, and what they say of positions; file : one that `write_random` wrote."""

    def __init__(self, file: Path) -> None:
        content, at = file.read_bytes(), WEIGHTS_AT
        self.bias = np.frombuffer(content, "<i2", 256, at - 512).astype(np.int64)
        self.rows = np.frombuffer(content, "<i2", 125388 * 256, at).reshape(-1, 256)
        at += self.rows.nbytes + 4
        self.layers = []
        for outputs, inputs in SHAPES:
            bias = np.frombuffer(content, "<i4", outputs, at).astype(np.int64)
            weight = np.frombuffer(content, "i1", outputs * inputs, at + 4 * outputs).reshape(outputs, inputs)
            self.layers.append((bias, weight.astype(np.int64)))
            at += 4 * outputs + outputs * inputs
        assert at == len(content)

    def value(self, sfen: str, fv_scale: int = 16) -> int:
        """Return the value for the side to move."""
        seen, side = features(sfen)
        sums = [self.bias + self.rows[indices].astype(np.int64).sum(0) for indices in seen]
        sums = [(total + 32768) % 65536 - 32768 for total in sums]  # int16 wraps
        values = np.concatenate([sums[side], sums[1 - side]]).clip(0, 127)
        for bias, weight in self.layers[:2]:
            values = (bias + weight @ values >> 6).clip(0, 127)
        bias, weight = self.layers[2]
        output = int((bias + weight @ values)[0])
        return abs(output) // fv_scale * (1 if output >= 0 else -1)
