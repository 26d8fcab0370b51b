"""Networks of the standard format, nn.bin: random ones of each kind, and a slow, exact reader of them, numpy only.

data/nnbin_expected.json has values that YaneuraOu gave for networks that `write_random` writes.
"""

import json
import re
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.support.processes import TESTS

EXPECTED = json.loads((TESTS / "data" / "nnbin_expected.json").read_text())
VERSION, SFNN_HASHES = 0x7AF32F16, (0x3C203B32, 0x5F134AB8, 0x6333718A)
LEB128 = b"COMPRESSED_LEB128"
# Features by their name in the file: hash, blocks (1; or by the own king's square: 81, 45 where mirrored, 81 x 9 by
# attacks), rows a block (1548: pieces; 1629: also kings, both in one plane; 1710: kings in two planes).
FEATURES = {
    "HalfKP(Friend)": (0x5D69D5B8, 81, 1548),
    "K+P": (0x3F5717FF, 1, 1710),
    "HalfKA_hm2(Friend)": (0x7F234CB8, 45, 1629),
    "HalfKA2(Friend)": (0x5F234CB8, 81, 1629),
    "HalfKP_vm(Friend)": (0x0B6B1D9A, 45, 1548),
    "HalfKPE9(Friend)": (0x5D69D5B8, 729, 1548),
}
# On the board: first index of the own pieces of a kind; the enemy's follow 81 later. In hand: own and enemy's first.
BOARD = {"P": 90, "L": 252, "N": 414, "S": 576, "G": 738, "B": 900, "+B": 1062, "R": 1224, "+R": 1386, "K": 1548}
BOARD |= {"+P": 738, "+L": 738, "+N": 738, "+S": 738}
HAND = {"P": (1, 20), "L": (39, 44), "N": (49, 54), "S": (59, 64), "G": (69, 74), "B": (79, 82), "R": (85, 88)}
PIECES, LIMIT = 38, 31753  # without the kings; of a value (older versions: 27000)
# Steps and slides of black's pieces as (file, rank).
CROSS, DIAGONAL = ((0, -1), (1, 0), (-1, 0), (0, 1)), ((1, -1), (-1, -1), (1, 1), (-1, 1))
STEPS = {
    "P": CROSS[:1],
    "N": ((1, -2), (-1, -2)),
    "S": DIAGONAL + CROSS[:1],
    "G": CROSS + DIAGONAL[:2],
    "K": CROSS + DIAGONAL,
}
STEPS |= {"+B": CROSS, "+R": DIAGONAL} | {"+" + kind: STEPS["G"] for kind in "PLNS"}
SLIDES = {"L": CROSS[:1], "B": DIAGONAL, "+B": DIAGONAL, "R": CROSS, "+R": CROSS}


def padded(inputs):
    return -(-inputs // 32) * 32


@dataclass(frozen=True)
class Architecture:
    """Sizes of a network; stacks: of layers (SFNN: 9 by the kings' ranks, or 1), 0 for one of the plain kind."""

    features: str
    width: int
    first: int
    second: int
    stacks: int = 0

    @property
    def rows(self):
        return FEATURES[self.features][1] * FEATURES[self.features][2]

    @property
    def layers(self):
        """Outputs and inputs of each layer; a file holds the inputs in multiples of 32."""
        if self.stacks:
            return (self.first + 1, self.width), (self.second, 2 * self.first), (1, self.second)
        return (self.first, 2 * self.width), (self.second, self.first), (1, self.second)

    @property
    def text(self):
        head = f"Features={self.features}[{self.rows}->{self.width}x2],Network="
        if self.stacks:
            names = [name.upper() for name, each in ARCHITECTURES.items() if each == self and each.width != 1536]
            name = names[0] if names else f"SFNN-{self.width}"
            return f"ModelType=SFNNWithoutPsqt;{head}{name}{{LayerStack={self.stacks}}}"
        inner = f"InputSlice[{2 * self.width}(0:{2 * self.width})]"
        for outputs, inputs in self.layers[:2]:
            inner = f"ClippedReLU[{outputs}](AffineTransform[{outputs}<-{inputs}]({inner}))"
        return f"{head}AffineTransform[1<-{self.second}]({inner})"

    @property
    def hashes(self):
        """Of the file, the transformer and the layers."""
        if self.stacks:
            return SFNN_HASHES
        layers = 0xEC42E90D ^ 2 * self.width
        for outputs, _ in self.layers:
            layers = (0xCC03DAE4 + outputs ^ layers >> 1 ^ layers << 31) & 0xFFFFFFFF
            layers = layers if outputs == 1 else layers + 0x538D24C7 & 0xFFFFFFFF
        transformer = FEATURES[self.features][0] ^ 2 * self.width
        return transformer ^ layers, transformer, layers

    @property
    def layers_size(self):
        """Bytes of one stack, with its hash."""
        return 4 + sum(outputs * (4 + padded(inputs)) for outputs, inputs in self.layers)

    @property
    def size(self):
        """Bytes of a plain file with the usual text."""
        return 16 + len(self.text) + 2 * self.width * (1 + self.rows) + self.layers_size


ARCHITECTURES = {
    "halfkp_256x2-32-32": Architecture("HalfKP(Friend)", 256, 32, 32),
    "kp_256x2-32-32": Architecture("K+P", 256, 32, 32),
    "halfkp_512x2-16-32": Architecture("HalfKP(Friend)", 512, 16, 32),
    "halfkp_768x2-16-64": Architecture("HalfKP(Friend)", 768, 16, 64),
    "halfkp_1024x2-8-32": Architecture("HalfKP(Friend)", 1024, 8, 32),
    "halfkp_1024x2-8-64": Architecture("HalfKP(Friend)", 1024, 8, 64),
    "SFNN_halfkahm2_1536_15_32_k3k3": Architecture("HalfKA_hm2(Friend)", 1536, 15, 32, 9),
    "SFNN_halfka2_1024_7_64_k3k3": Architecture("HalfKA2(Friend)", 1024, 7, 64, 9),
    "SFNN_kp_256_15_32_k3k3": Architecture("K+P", 256, 15, 32, 9),
    "halfkpvm_256x2-32-32": Architecture("HalfKP_vm(Friend)", 256, 32, 32),
    "halfkpe9_256x2-32-32": Architecture("HalfKPE9(Friend)", 256, 32, 32),
}
STANDARD = ARCHITECTURES["halfkp_256x2-32-32"]
TEXT, (FILE_HASH, TRANSFORMER_HASH, LAYERS_HASH), SIZE = STANDARD.text.encode(), STANDARD.hashes, STANDARD.size


def cases():
    """Yield each network of EXPECTED: a name, what `write_random` takes, its SHA-256, and the positions with values."""
    for case in EXPECTED["networks"] + EXPECTED["more_networks"]:
        shape = ARCHITECTURES[case.get("architecture", "halfkp_256x2-32-32")]
        keywords = {"seed": case["seed"], "shape": shape, "wide": case["wide"], "wrap": case.get("wrap", False)}
        sfens = EXPECTED["sfens"] + (EXPECTED["more_sfens"] if "architecture" in case else [])
        yield f"{case.get('architecture', 'first')}-{case['seed']}", keywords, case["sha256"], sfens, case["values"]


def write_random(path, seed, wide=False, wrap=False, shape=STANDARD):
    """Write a random network, and return its path.

    wide : weights of the whole int8 range   wrap : sums of the transformer overflow int16
    """
    rng = np.random.default_rng(seed)
    text, hashes = shape.text.encode(), shape.hashes
    with path.open("wb") as file:
        file.write(struct.pack("<III", VERSION, hashes[0], len(text)) + text + struct.pack("<I", hashes[1]))
        put = write_compressed if shape.stacks else write_plain
        _, blocks, rows = FEATURES[shape.features]
        put(file, (rng.normal(20, 40, shape.width).round().astype("<i2") for _ in range(1)))
        spread = 4000 if wrap else 12
        put(file, (rng.normal(0, spread, (rows, shape.width)).round().astype("<i2") for _ in range(blocks)))
        limits = (128, 128, 128) if wide else (7, 21, 101)
        more = 0 if wide or shape == STANDARD else 1  # files of that one are older than this
        for _ in range(shape.stacks or 1):
            file.write(struct.pack("<I", hashes[2]))
            for (outputs, inputs), limit in zip(shape.layers, limits, strict=True):
                rng.normal(0, 1500, outputs).round().astype("<i4").tofile(file)
                rng.integers(-limit, limit + more, (outputs, padded(inputs))).astype("i1").tofile(file)
    return path


def write_empty(
    path: Path,
    *,
    shape: Architecture = STANDARD,
    text: bytes = TEXT,
    hashes: tuple[int, ...] = (FILE_HASH, TRANSFORMER_HASH, LAYERS_HASH),
    version: int = VERSION,
    output: int = 0,
) -> Path:
    """Write a plain network that says `output` / FV_SCALE of every position; with one hash only if there is but one."""
    with path.open("wb") as file:
        file.write(struct.pack("<III", version, hashes[0], len(text)) + text)
        file.write(struct.pack("<I", hashes[1]) if len(hashes) > 1 else b"")
        file.seek(2 * shape.width * (1 + shape.rows), 1)
        file.write(struct.pack("<I", hashes[2]) if len(hashes) > 1 else b"")
        file.seek(sum(outputs * (4 + padded(inputs)) for outputs, inputs in shape.layers[:2]), 1)
        file.write(struct.pack("<i", output) + bytes(padded(shape.second)))
    return path


def write_plain(file, arrays):
    for array in arrays:
        array.tofile(file)


def write_compressed(file, arrays):
    """Write the arrays as one block of signed LEB128 numbers."""
    file.write(LEB128 + bytes(4))
    start = file.tell()
    for array in arrays:
        values = array.ravel().astype(np.int32)
        more = np.stack([(values < -64) | (values > 63), (values < -8192) | (values > 8191)], axis=1)
        coded = np.stack([values >> shift & 127 for shift in (0, 7, 14)], axis=1).astype(np.uint8)
        coded[:, :2] |= more.astype(np.uint8) << 7
        file.write(coded[np.insert(more, 0, True, axis=1)].tobytes())
    end = file.tell()
    file.seek(start - 4)
    file.write(struct.pack("<I", end - start))
    file.seek(end)


def decompress(coded):
    """Return the int16 numbers that signed LEB128 bytes hold."""
    values, at = [], 0
    while at < len(coded):
        part = np.array(coded[at : at + (1 << 22)])
        ends = np.flatnonzero(part < 128)
        sizes = np.diff(ends, prepend=-1)
        total = (part[ends] ^ 64).astype(np.int32) - 64
        for nth in (1, 2):
            longer = np.flatnonzero(sizes > nth)
            total[longer] = total[longer] << 7 | part[ends[longer] - nth] & 127
        values.append(total.astype(np.int16))
        at += int(ends[-1]) + 1
    return np.concatenate(values)


class Reader:
    """The numbers of a file of known sizes, and what they say of positions.

    bias, weight : of the rows, as the file has them   stacks : by stack and layer, bias and weight without the padding
    """

    def __init__(self, path, shape=STANDARD):
        self.shape, self.data = shape, np.memmap(path, np.uint8, "r")
        self._at = 16 + len(shape.text)
        if shape.stacks:
            self.bias, weight = self._take_compressed(), self._take_compressed()
        else:
            self.bias, weight = self._take("<i2", shape.width), self._take("<i2", shape.rows * shape.width)
        self.weight, self.stacks = weight.reshape(shape.rows, shape.width), []
        for _ in range(shape.stacks or 1):
            self._at += 4
            self.stacks.append([])
            for outputs, inputs in shape.layers:
                bias = self._take("<i4", outputs).astype(np.int64)
                weight = self._take("i1", outputs * padded(inputs)).reshape(outputs, -1)[:, :inputs]
                self.stacks[-1].append((bias, weight.astype(np.int64)))
        assert self._at == len(self.data)

    def _take(self, dtype, count):
        begin, self._at = self._at, self._at + count * np.dtype(dtype).itemsize
        return self.data[begin : self._at].view(dtype)

    def _take_compressed(self):
        assert bytes(self._take("u1", len(LEB128))) == LEB128
        return decompress(self._take("u1", int(self._take("<u4", 1)[0])))

    def value(self, sfen, fv_scale=16):
        """Return the value for the side to move (pawn = 90), truncated toward zero and limited as YaneuraOu does."""
        seen, side, stack = features(sfen, self.shape.features)
        sums = [
            self.bias.astype(np.int64) + self.weight[seen[view]].astype(np.int64).sum(0) for view in (side, 1 - side)
        ]
        raw = (stacked if self.shape.stacks else plain)(self, sums, stack)
        return max(-LIMIT, min(LIMIT, abs(raw) // fv_scale * (1 if raw >= 0 else -1)))


def parse(sfen):
    """Return board {square: (kind, white)}, hands [(kind, white, nth)] and the side to move (0 black, 1 white).

    A square is (file - 1) * 9 + (rank - 1).
    """
    rows, side, letters = sfen.split()[:3]
    board, hands = {}, []
    for rank, row in enumerate(rows.split("/")):
        file, promoted = 8, ""
        for letter in row:
            if letter.isdigit():
                file -= int(letter)
            elif letter == "+":
                promoted = "+"
            else:
                board[file * 9 + rank] = promoted + letter.upper(), letter.islower()
                file, promoted = file - 1, ""
    for number, letter in re.findall(r"(\d*)([A-Za-z])", letters):
        hands += [(letter.upper(), letter.islower(), nth) for nth in range(int(number or 1))]
    return board, hands, "bw".index(side)


def attacks(board):
    """Return how many pieces of black, and of white, attack each square; sliding ones stop at the first piece."""
    counts = np.zeros((2, 81), int)
    for square, (kind, white) in board.items():
        sign = -1 if white else 1
        for reach, moves in ((1, STEPS.get(kind, ())), (8, SLIDES.get(kind, ()))):
            for file, rank in moves:
                for distance in range(1, reach + 1):
                    at = square // 9 + sign * file * distance, square % 9 + sign * rank * distance
                    if not (0 <= at[0] < 9 and 0 <= at[1] < 9):
                        break
                    counts[int(white), at[0] * 9 + at[1]] += 1
                    if at[0] * 9 + at[1] in board:
                        break
    return counts


def features(sfen, name="HalfKP(Friend)"):
    """Return the active features by perspective (black, white), the side to move and the stack.

    White sees 80 - square and the owners exchanged. Each piece missing on the board and in the hands (handicaps) counts
    as index 0 of the block, once each. The stack is by the thirds of the board of the own and of the enemy's king.
    """
    _, blocks, rows = FEATURES[name]
    board, hands, side = parse(sfen)
    kings = [
        next((square for square, piece in board.items() if piece == ("K", colour)), home)
        for colour, home in ((False, 44), (True, 36))  # without one, it is taken to be on 5i
    ]
    kings[1] = 80 - kings[1]
    counts = attacks(board) if blocks == 729 else None
    seen = ([], [])
    for view, king in enumerate(kings):
        mirrored = blocks == 45 and king >= 45
        first = (72 - king // 9 * 9 + king % 9 if mirrored else king) if blocks > 1 else 0
        pieces = []
        for square, (kind, white) in board.items():
            at = 80 - square if view else square
            at = 72 - at // 9 * 9 + at % 9 if mirrored else at
            enemy = white != view
            if kind == "K" and rows < 1629:
                continue
            plane = 0 if kind == "K" and rows == 1629 else 81 * enemy
            block = first
            if blocks == 729:
                own, other = np.minimum(counts[[view, 1 - view], square], 2)
                block += 81 * int(3 * own + other)
            pieces.append((block, BOARD[kind] + plane + at))
        pieces += [(first, HAND[kind][white != view] + nth) for kind, white, nth in hands]
        pieces += [(first, 0)] * (PIECES + 2 * (rows > 1548) - len(pieces))
        seen[view].extend(rows * block + index for block, index in pieces)
    return seen, side, kings[side] % 9 // 3 * 3 + kings[1 - side] % 9 // 3


def int16(values):
    return (values + 32768) % 65536 - 32768


def plain(network, sums, _):
    values = int16(np.concatenate(sums)).clip(0, 127)
    for bias, weight in network.stacks[0][:2]:
        values = (bias + weight @ values >> 6).clip(0, 127)
    bias, weight = network.stacks[0][2]
    return int((bias + weight @ values)[0])


def stacked(network, sums, stack):
    """SFNN: products of two halves, squares in addition to the values, and a shortcut to the output."""
    halves = [int16(2 * total).clip(0, 254).reshape(2, -1) for total in sums]
    values = np.concatenate([low * high >> 9 for low, high in halves])
    (bias, weight), (bias2, weight2), (bias3, weight3) = network.stacks[stack if len(network.stacks) == 9 else 0]
    *middle, shortcut = bias + weight @ values
    middle = np.array(middle)
    values = np.concatenate([(middle * middle >> 19).clip(0, 127), (middle >> 6).clip(0, 127)])
    values = (bias2 + weight2 @ values >> 6).clip(0, 127)
    return int((bias3 + weight3 @ values)[0] + shortcut)
