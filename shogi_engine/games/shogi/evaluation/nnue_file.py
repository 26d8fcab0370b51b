"""Reads networks in the standard format of Shogi, nn.bin; ARCHITECTURES are the supported ones.

Little-endian: u32 version, u32 hash, u32 length and as many bytes of text that names the architecture. In the plain
kind two parts follow, each after a u32 hash: the feature transformer, int16 bias[width] and int16 weight[rows][width];
and three layers, each int32 bias[outputs] and int8 weight[outputs][inputs in multiples of 32]. In SFNN there follow the
transformer's hash, its bias and its weights, each compressed; and for each stack a u32 hash and three
such layers.

Trainers write different texts and hashes, and some omit the last two hashes. The size therefore determines the
architecture; other differences only cause remarks.

Source: YaneuraOu's evaluate_nnue.cpp, https://github.com/yaneurao/YaneuraOu; nnue-pytorch's serialize.py,
https://github.com/nodchip/nnue-pytorch.
"""

import functools
import re
import struct
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.games.shogi import types as t
from shogi_engine.games.shogi.names import NNUE_VERSION, read_scale
from shogi_engine.games.shogi.types import BLACK, KING, SQUARES, WHITE
from shogi_engine.jit import njit
from shogi_engine.jit.vectors import ALIGNMENT, aligned_copy, aligned_zeros, arrange_layer

# ---- HalfKP: the input features of a network of the standard format, as indices of rows of its weights
#
# Each side sees the board relative to its own king. The king's square selects a block of PER_KING rows, in which every
# other piece has one row. The index within the block is YaneuraOu's BonaPiece: pieces in hand first (one index for the
# n-th piece of a kind), then pieces on the board by kind, owner and square; gold and what moves like it are one kind.
# White sees the board turned around and the colours exchanged. Kings are not listed.
#
# Source: tanuki-'s and YaneuraOu's evaluate_nnue, https://github.com/yaneurao/YaneuraOu, after Yu Nasu's NNUE,
# https://github.com/ynasu87/nnue.


PER_KING = 1548
HAND_COUNTS = 19  # 0 to 18 pieces of a kind

# On the board: the first index of a kind, one index for each square, first the own pieces, then the enemy's. In hand:
# the index of the first own piece of a kind and of the first enemy piece; the second piece has the next index.
BOARD = {
    t.PAWN: 90,
    t.LANCE: 252,
    t.KNIGHT: 414,
    t.SILVER: 576,
    t.GOLD: 738,
    t.BISHOP: 900,
    t.HORSE: 1062,
    t.ROOK: 1224,
    t.DRAGON: 1386,
}
BOARD |= dict.fromkeys((t.PROM_PAWN, t.PROM_LANCE, t.PROM_KNIGHT, t.PROM_SILVER), BOARD[t.GOLD])
HAND = {t.PAWN: (1, 20), t.LANCE: (39, 44), t.KNIGHT: (49, 54), t.SILVER: (59, 64), t.GOLD: (69, 74),
        t.BISHOP: (79, 82), t.ROOK: (85, 88)}  # fmt: skip

# By this engine's square (along the ranks from 9a), its number in the format (down the files from 1a).
FILE_MAJOR = np.arange(t.SQUARES).reshape(9, 9)[:, ::-1].T.ravel().argsort()


def board_features() -> np.ndarray:
    """Return uint16[32 * SQUARES]: by piece (owner << 4 | kind) and square, its index; 0 for what is not listed."""
    features = np.zeros((32, t.SQUARES), dtype=np.uint16)
    for kind, first in BOARD.items():
        for owner in range(2):
            features[owner << 4 | kind] = first + owner * t.SQUARES + FILE_MAJOR
    return features.ravel()


def hand_features() -> np.ndarray:
    """Return uint16[16 * HAND_COUNTS]: by owner << 3 | kind and n, the index of the n-th such piece in hand."""
    features = np.zeros((16, HAND_COUNTS), dtype=np.uint16)
    for kind, firsts in HAND.items():
        for owner, first in enumerate(firsts):
            features[owner << 3 | kind, 1:] = first + np.arange(HAND_COUNTS - 1)
    return features.ravel()


BOARD_FEATURES, HAND_FEATURES = board_features(), hand_features()


# ---- The networks of the standard format, nn.bin: their input features, their layers, and how to recognise them
#
# Two kinds of network share the format. The plain kind has rows of features for each side, and three layers. SFNN has
# several stacks of layers and uses one of them for a position. It multiplies activations in pairs, and its file
# compresses the rows.
#
# Source: YaneuraOu's eval/nnue, https://github.com/yaneurao/YaneuraOu; Yu Nasu's NNUE, https://github.com/ynasu87/nnue;
# SFNN's form is that of Stockfish's networks, https://github.com/official-stockfish/nnue-pytorch.


SFNN_HASHES = (0x3C203B32, 0x5F134AB8, 0x6333718A)  # the same for all sizes
SFNN_TEXT = "ModelType=SFNNWithoutPsqt"
MIRRORED_KINGS = 45  # number of king squares if files 6 to 9 are mirrored
ATTACKED = 9  # the cases of attacks on a square: by none, one or more pieces of each side
KING_STACKS = 9  # stacks of layers, one for each pair of thirds of the board that the kings stand in


@dataclass(frozen=True)
class FeatureSet:
    """A feature set: each piece has a row of weights, in the block of rows for the square of the own king.

    Attributes:
        name: its name in a file's text
        hash: its part of the feature transformer's hash
        kings: the number of blocks, one for each square of the own king; 1 if all squares share a block
        king_planes: the number of planes of 81 rows for kings: 0 for none, 1 for both kings together, 2 for one each
        attacked: whether a piece's row depends on how many pieces of either side attack its square
    """

    name: str
    hash: int
    kings: int
    king_planes: int
    attacked: bool = False

    @property
    def title(self) -> str:
        """The name shown to users."""
        return self.name.removesuffix("(Friend)").replace("+", "-")

    @property
    def block(self) -> int:
        """The number of rows in a block."""
        return PER_KING + SQUARES * self.king_planes

    @property
    def rows(self) -> int:
        """The total number of rows."""
        return self.kings * self.block * (ATTACKED if self.attacked else 1)

    @property
    def listed(self) -> int:
        """The number of pieces that have a row; a missing one (handicaps) adds row 0 of the block."""
        return 40 if self.king_planes else 38

    @property
    def mirrored(self) -> bool:
        """Whether a side whose king is on files 6 to 9 sees the board's mirror image."""
        return self.kings == MIRRORED_KINGS


HALFKP = FeatureSet("HalfKP(Friend)", 0x5D69D5B8, SQUARES, 0)
FEATURE_SETS = (
    HALFKP,
    FeatureSet("K+P", 0x3F5717FF, 1, 2),
    FeatureSet("HalfKP_vm(Friend)", 0x0B6B1D9A, MIRRORED_KINGS, 0),
    FeatureSet("HalfKA2(Friend)", 0x5F234CB8, SQUARES, 1),
    FeatureSet("HalfKA_hm2(Friend)", 0x7F234CB8, MIRRORED_KINGS, 1),
    FeatureSet("HalfKPE9(Friend)", 0x5D69D5B8, SQUARES, 0, attacked=True),
)

# The supported sizes. The size of a file of the plain kind tells its width and its first and second layers.
WIDTHS = range(64, 2049, 64)
PLAIN_FIRST, SFNN_FIRST, SECOND = (8, 16, 32, 64), (7, 15, 31), (32, 64, 96, 128)
SFNN_STACKS = (KING_STACKS, 1)


@dataclass(frozen=True)
class Architecture:
    """The sizes of a network.

    Attributes:
        width: the length of a side's accumulator
        first, second: the number of outputs of the first two layers; SFNN's first layer has one more
        stacks: the number of stacks of layers in SFNN, 0 in the plain kind
    """

    features: FeatureSet
    width: int
    first: int
    second: int
    stacks: int = 0

    def __str__(self) -> str:
        if not self.stacks:
            return f"{self.features.title} {self.width}x2-{self.first}-{self.second}"
        chosen = f"{self.stacks} layer stacks" if self.stacks > 1 else "1 layer stack"
        return f"SFNN {self.features.title} {self.width}-{self.first}-{self.second}, {chosen}"

    @property
    def text(self) -> str:
        """The text that YaneuraOu writes into files; newer versions call the plain kind's first layer sparse."""
        if self.stacks:
            head = f"{SFNN_TEXT};Features={self.features.name}[{self.features.rows}->{self.width}x2]"
            name = f"SFNN_{self.features.title.replace('-', '')}_{self.width}_{self.first}_{self.second}_K3K3".upper()
            return f"{head},Network={name}{{LayerStack={self.stacks}}}"
        inner = f"InputSlice[{2 * self.width}(0:{2 * self.width})]"
        for outputs, inputs in self.layers[:2]:
            inner = f"ClippedReLU[{outputs}](AffineTransform[{outputs}<-{inputs}]({inner}))"
        rows = f"{self.features.name}[{self.features.rows}->{self.width}x2]"
        return f"Features={rows},Network=AffineTransform[1<-{self.second}]({inner})"

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """The number of outputs and inputs of each layer; a file pads inputs to multiples of 32."""
        if self.stacks:
            return (self.first + 1, self.width), (self.second, 2 * self.first), (1, self.second)
        return (self.first, 2 * self.width), (self.second, self.first), (1, self.second)

    @property
    def stack_bytes(self) -> int:
        """The bytes of one stack of layers, without its hash."""
        return sum(outputs * (4 + in_file(inputs)) for outputs, inputs in self.layers)

    @property
    def transformer_bytes(self) -> int:
        """The bytes of the plain kind's rows and their bias, without their hash."""
        return 2 * self.width * (1 + self.features.rows)

    @property
    def hashes(self) -> tuple[int, int, int]:
        """The usual hashes of the file, the transformer and the layers."""
        if self.stacks:
            return SFNN_HASHES
        layers = 0xEC42E90D ^ 2 * self.width
        for outputs, _ in self.layers:
            layers = (0xCC03DAE4 + outputs ^ layers >> 1 ^ layers << 31) & 0xFFFFFFFF
            if outputs > 1:
                layers = layers + 0x538D24C7 & 0xFFFFFFFF
        transformer = self.features.hash ^ 2 * self.width
        return transformer ^ layers, transformer, layers


def feature_set(title: str) -> FeatureSet:
    """Return the feature set with this title."""
    return next(each for each in FEATURE_SETS if each.title == title)


def in_file(inputs: int) -> int:
    """Return the number of weights that a file has for an output with this many inputs."""
    return -(-inputs // 32) * 32


def plain_architectures() -> Iterator[Architecture]:
    """Yield the supported networks of the plain kind."""
    for features, width, first, second in product(FEATURE_SETS, WIDTHS, PLAIN_FIRST, SECOND):
        yield Architecture(features, width, first, second)


@functools.cache
def _by_size() -> dict[int, Architecture]:
    return {each.transformer_bytes + each.stack_bytes: each for each in plain_architectures()}


def plain_architecture(size: int) -> tuple[Architecture, bool] | None:
    """Return the network whose weights take `size` bytes, and whether this includes the hashes of its two parts.

    The size decides, because all `plain_architectures` differ in size, whereas texts and hashes vary between trainers.
    """
    for hashes in (8, 0):
        if size - hashes in _by_size():
            return _by_size()[size - hashes], hashes == 8
    return None


def sfnn_architecture(rows: int, width: int, size: int) -> Architecture | None:
    """Return the SFNN with this many rows of `width`, if stacks of layers with hashes can take `size` bytes."""
    for features, first, second, stacks in product(FEATURE_SETS, SFNN_FIRST, SECOND, SFNN_STACKS):
        found = Architecture(features, width, first, second, stacks)
        if features.rows == rows and stacks * (4 + found.stack_bytes) == size:
            return found
    return None


def text_remark(text: str, found: Architecture) -> str | None:
    """Return a remark if a file's text names another feature set or width than those found, else None."""
    named = [each for each in FEATURE_SETS if each.name.removesuffix("(Friend)") in text]
    longest = max(named, key=lambda each: len(each.name), default=None)
    width = re.search(r"->(\d+)", text)
    if longest is found.features and (width is None or int(width[1]) == found.width):
        return None
    return f"its header says {text!r}"


def names_king_stacks(text: str) -> bool:
    """Tell whether a file's text says that the kings select the stack of layers; nothing else in the file does."""
    return "K3K3" in text.upper() or "SFNN-1536" in text


# ---- The rows of each feature set of nn.bin for pieces and kings, as tables for the kernels of nnue.py
#
# A code is one byte that identifies the piece on a square: as on the board of a POSITION or, in sets whose rows depend
# on attacks, as `write_attacked_codes` has it.


VIEWS = 4  # colour * 2 + mirrored
MIRRORED_FROM = 45  # the first square of file 6, in the format's numbers
MIRROR = 72 - np.arange(SQUARES) // 9 * 9 + np.arange(SQUARES) % 9  # file f becomes 10 - f
NAMED = sorted(set(BOARD.values()))  # the first rows of the classes of pieces

# By piece, as on a board: its class where rows depend on attacks, 0 for none.
PIECE_CLASSES = np.zeros(32, dtype=np.uint8)
for _kind, _first in BOARD.items():
    for _colour in (BLACK, WHITE):
        PIECE_CLASSES[_colour << 4 | _kind] = 1 + 2 * NAMED.index(_first) + _colour
CLASSES = 2 * len(NAMED)


@dataclass(frozen=True, eq=False)
class FeatureTables:
    """The rows of a feature set, by this engine's squares.

    Attributes:
        pieces: uint32[VIEWS, codes, SQUARES], the row within the king's block; 0 for none
        kings: uint32[SQUARES], the first row of the block, by the own king's square as its side sees it
        mirrored: uint8[SQUARES], whether the board is mirrored, by the same king square
    """

    pieces: np.ndarray
    kings: np.ndarray
    mirrored: np.ndarray


def feature_tables(features: FeatureSet) -> FeatureTables:
    """Return the tables of a feature set."""
    mirrored = (FILE_MAJOR >= MIRRORED_FROM) & features.mirrored
    kings = np.where(mirrored, MIRROR[FILE_MAJOR], FILE_MAJOR) if features.kings > 1 else np.zeros(SQUARES, int)
    codes = 1 + ATTACKED * CLASSES if features.attacked else 32
    pieces = np.zeros((VIEWS, codes, SQUARES), dtype=np.uint32)
    for colour in (BLACK, WHITE):
        seen = FILE_MAJOR if colour == BLACK else FILE_MAJOR[::-1]
        for mirror in (0, 1):
            squares = MIRROR[seen] if mirror else seen
            for code in range(codes):
                first = _first_row(features, colour, code)
                if first:
                    pieces[2 * colour + mirror, code] = first + squares
    return FeatureTables(pieces, (features.block * kings).astype(np.uint32), mirrored.astype(np.uint8))


def _first_row(features: FeatureSet, colour: int, code: int) -> int:
    """Return the row of the first square for a code as `colour` sees it, 0 for none."""
    if not features.attacked:
        owner, kind = code >> 4 ^ colour, code & 15
        if kind == KING and features.king_planes:
            return PER_KING + (owner * SQUARES if features.king_planes == 2 else 0)
        return BOARD[kind] + owner * SQUARES if kind in BOARD else 0
    if code == 0:
        return 0
    ways, piece = divmod(code - 1, CLASSES)
    attackers = divmod(ways, 3)
    own, enemy = attackers if colour == BLACK else attackers[::-1]
    block = features.kings * features.block * (3 * own + enemy)
    return block + NAMED[piece // 2] + (piece % 2 ^ colour) * SQUARES


# ---- Signed LEB128: how SFNN's files compress the rows of their weights
#
# A number takes one to three bytes of seven bits each, the lowest first. The highest bit of a byte says that another
# byte follows; bit 0x40 of the last byte is the sign.


MORE, SIGN, LONGEST = 0x80, 0x40, 3  # bits of a byte, bytes of an int16


@njit
def decompress(coded, out, doubled):
    """Decode `coded` (uint8[n]) to `out` (int16[m]) until either ends.

    Returns how many numbers were decoded, -1 if a number takes more than LONGEST bytes or the last one has no end.

    Args:
        doubled: write twice each number, wrapping
    """
    count, shift, total = 0, 0, np.int64(0)
    for index in range(len(coded)):
        byte = np.int64(coded[index])
        total |= (byte & ~MORE) << shift
        shift += 7
        if byte & MORE:
            if shift == 7 * LONGEST:
                return -1
            continue
        if count == len(out):
            break
        if byte & SIGN:
            total -= 1 << shift
        out[count] = np.int16(np.uint16((total << doubled) & 0xFFFF))
        count += 1
        shift, total = 0, np.int64(0)
    return count if shift == 0 else -1


def compress(numbers: np.ndarray) -> bytes:
    """Return int16[n] coded: the inverse of `decompress`."""
    wide = numbers.astype(np.int64)
    parts = np.stack([wide >> 7 * place & MORE - 1 for place in range(LONGEST)], axis=1)
    limits = SIGN << 7 * np.arange(LONGEST - 1)
    sizes = 1 + np.sum((wide[:, None] < -limits) | (wide[:, None] >= limits), axis=1)
    places = np.arange(LONGEST)
    parts |= np.where(places < sizes[:, None] - 1, MORE, 0)
    return parts[places < sizes[:, None]].astype(np.uint8).tobytes()


HEADER = struct.Struct("<III")
COMPRESSED = b"COMPRESSED_LEB128"  # precedes the u32 size, in bytes, of a compressed block
LAYERS = 3
READ_TEXT, LONGEST_TEXT = (
    2000,
    100,
)  # maximum number of characters of a file's text that are read, and that a message quotes
READ = "HalfKP, K-P, HalfKA or HalfKPE9 with layers such as 256x2-32-32, or SFNN with 9 or 1 layer stacks"


@dataclass(frozen=True, eq=False)
class Contents:
    """The contents of a file; the rows of the plain kind are the file's bytes as read.

    Attributes:
        bias: int16[width]
        rows: int16[rows, width], both twice the file's numbers in SFNN
        biases, weights: by layer and then by stack, as jit.layers.arrange_layer returns them; for the last layer
            int32[stacks, 1] and int8[stacks, inputs in multiples of ALIGNMENT]
        tables: the rows of the features
        remarks: what is unusual about the file
    """

    architecture: Architecture
    bias: np.ndarray
    rows: np.ndarray
    biases: tuple[np.ndarray, ...]
    weights: tuple[np.ndarray, ...]
    tables: FeatureTables
    remarks: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Network:
    """A file's contents, and the divisor of its output, from eval_options.txt."""

    file: Path
    contents: Contents
    fv_scale: int

    def enlarged(self, factor: float) -> "Network":
        """Return the network with its values multiplied by about `factor`, as the divisor is whole."""
        return replace(self, fv_scale=max(round(self.fv_scale / factor), 1))

    def fill(self, params: Any) -> None:
        """Write the addresses of the weights, the sizes and the scale to `params`."""
        held, shape, features = self.contents, self.contents.architecture, self.contents.architecture.features
        params.bias, params.rows = held.bias.ctypes.data, held.rows.ctypes.data
        params.biases[:] = [bias.ctypes.data for bias in held.biases]
        params.weights[:] = [weight.ctypes.data for weight in held.weights]
        params.blocks[:] = [weight.shape[-2] - 1 for weight in held.weights[:-1]]
        params.groups[:] = [weight.shape[-3] for weight in held.weights[:-1]]
        params.pieces, params.view_bytes = held.tables.pieces.ctypes.data, held.tables.pieces[0].nbytes
        params.kings[:], params.mirrored[:] = held.tables.kings, held.tables.mirrored
        params.width, params.row_bytes = shape.width, 2 * shape.width
        params.first, params.second, params.stacks = shape.first, shape.second, shape.stacks
        params.listed, params.by_king, params.attacked = features.listed, features.kings > 1, features.attacked
        params.fv_scale = self.fv_scale

    def describe(self) -> str:
        """Return the file, its architecture, and what is unusual about it."""
        return ", ".join([str(self.file), str(self.contents.architecture), *self.contents.remarks])


_loaded: "weakref.WeakValueDictionary[tuple, Contents]" = weakref.WeakValueDictionary()  # by file, time and size


def load_network(file: Path | None) -> Network:
    """Return the network of `file`; all engines of this process share one copy.

    Raises ValueError if it is missing or of another kind.
    """
    if file is None:
        raise ValueError("evaluation nnue: no network comes with the engine; it needs a file nn.bin")
    try:
        state = file.stat()
        key = file.resolve(), state.st_mtime_ns, state.st_size
        contents = _loaded.get(key)
        if contents is None:
            with file.open("rb") as stream:  # not mapped: a file that changes in place would change or end the search
                content = stream.read(state.st_size)
    except (OSError, ValueError) as fault:
        raise ValueError(f"evaluation nnue: {file} cannot be read ({fault})") from None
    if contents is None:
        contents = _loaded[key] = _Reader(file, content).contents()
    return Network(file, contents, read_scale(file.parent))


class _Reader:
    """Reads a file from its beginning. Every method raises ValueError if the content is not as expected."""

    def __init__(self, file: Path, content: bytes) -> None:
        self.file, self.content, self.at = file, content, 0
        self.hashes: list[int] = []
        self.version, self.text = 0, ""

    def contents(self) -> Contents:
        """Return the file's contents."""
        if len(self.content) < HEADER.size:
            raise self.refusal("no header")
        self.version, file_hash, length = HEADER.unpack_from(self.content)
        if self.version != NNUE_VERSION:
            raise self.refusal(f"which is not {NNUE_VERSION:#x}")
        if length > len(self.content) - HEADER.size:
            raise self.refusal(f"a text of {length} bytes")
        self.at = HEADER.size + length
        self.text = self.content[HEADER.size : self.at][:READ_TEXT].decode("ascii", errors="replace")
        self.hashes.append(file_hash)
        compressed = self.content[self.at + 4 : self.at + 4 + len(COMPRESSED)] == COMPRESSED
        return self._sfnn() if compressed or self.text.startswith(SFNN_TEXT) else self._plain()

    def refusal(self, reason: str) -> ValueError:
        """Return the error that gives `reason` and describes what was found."""
        found = f"{len(self.content)} bytes, version {self.version:#x}" + (
            f", {self.text[:LONGEST_TEXT]!r}" if self.text else ""
        )
        return ValueError(
            f"evaluation nnue: {self.file} cannot be read as a network: expected {READ}; found {found}, {reason}"
        )

    def _take(self, dtype: str, count: int) -> np.ndarray:
        """Return the next `count` numbers, and move past them."""
        size = count * np.dtype(dtype).itemsize
        if size > len(self.content) - self.at:
            raise self.refusal("it ends too early")
        array = np.frombuffer(self.content, dtype, count, self.at)
        self.at += size
        return array

    def _take_hash(self) -> None:
        self.hashes.append(int(self._take("<u4", 1)[0]))

    def _plain(self) -> Contents:
        found = plain_architecture(len(self.content) - self.at)
        if found is None:
            raise self.refusal("a size that no such network has")
        shape, has_hashes = found
        if has_hashes:
            self._take_hash()
        elif self.content.find(shape.hashes[1].to_bytes(4, "little"), HEADER.size, self.at + 4) >= 0:
            raise self.refusal("which lack 8 bytes")
        bias = aligned_copy(self._take("<i2", shape.width))
        rows = self._take("<i2", shape.features.rows * shape.width).reshape(-1, shape.width)
        if rows.ctypes.data % rows.itemsize:
            rows = aligned_copy(rows)
        remarks = [] if has_hashes else ["without hashes of its parts"]
        return self._with_layers(shape, bias, rows, has_hashes, remarks)

    def _sfnn(self) -> Contents:
        self._take_hash()
        bias = self._take_compressed(WIDTHS[-1])
        if len(bias) not in WIDTHS:
            raise self.refusal(f"SFNN of {len(bias)} sums")
        rows = self._take_compressed(None)
        count, rest = divmod(len(rows), len(bias))
        left = len(self.content) - self.at
        shape = None if rest else sfnn_architecture(count, len(bias), left)
        if shape is None:
            raise self.refusal(f"SFNN of {len(rows)} weights for {len(bias)} sums, and {left} bytes of layers")
        remarks = [] if shape.stacks == 1 or names_king_stacks(self.text) else ["stacks taken to be by the kings"]
        return self._with_layers(shape, bias, rows.reshape(count, len(bias)), True, remarks)

    def _take_compressed(self, most: int | None) -> np.ndarray:
        """Return the int16 numbers of a compressed block, at most `most`, each doubled."""
        if self._take("u1", len(COMPRESSED)).tobytes() != COMPRESSED:
            raise self.refusal("weights that are not compressed as in SFNN")
        coded = self._take("u1", int(self._take("<u4", 1)[0]))
        numbers = len(coded) - int(np.count_nonzero(coded >> 7))
        if most is not None and numbers > most:
            raise self.refusal(f"SFNN of {numbers} sums")
        out = aligned_zeros(numbers, np.int16)
        if decompress(coded, out, 1) != numbers:
            raise self.refusal("numbers that are not LEB128 of int16")
        return out

    def _with_layers(
        self, shape: Architecture, bias: np.ndarray, rows: np.ndarray, has_hashes: bool, remarks: list[str]
    ) -> Contents:
        """Read the layers, which follow, and return everything."""
        stacks = []
        for _ in range(shape.stacks or 1):
            if has_hashes:
                self._take_hash()
            stacks.append([self._take_layer(outputs, inputs) for outputs, inputs in shape.layers])
        layers = list(zip(*stacks, strict=True))
        biases = tuple(aligned_copy(np.stack([bias for bias, _ in layer])) for layer in layers)
        weights = tuple(aligned_copy(np.stack([weights for _, weights in layer])) for layer in layers)
        usual = dict(zip(self.hashes, (*shape.hashes, *shape.hashes[2:] * shape.stacks), strict=False))
        remarks += [f"hash {found:#x} instead of {each:#x}" for found, each in usual.items() if found != each]
        remark = text_remark(self.text[:LONGEST_TEXT], shape)
        if remark:
            remarks.append(remark)
        tables = feature_tables(shape.features)
        return Contents(shape, bias, rows, biases, weights, tables, tuple(remarks))

    def _take_layer(self, outputs: int, inputs: int) -> tuple[np.ndarray, np.ndarray]:
        """Return a layer's bias and weights in the form of `Contents`."""
        bias = self._take("<i4", outputs)
        weights = self._take("i1", outputs * in_file(inputs)).reshape(outputs, -1)[:, :inputs]
        if outputs > 1:
            return arrange_layer(bias, weights)
        return bias, np.pad(weights[0], (0, -inputs % ALIGNMENT))


# ---- Write a network's file in the standard format of Shogi, nn.bin: see nnue_file.py


Layer = tuple[np.ndarray, np.ndarray]  # bias int32[outputs], weights int8[outputs, inputs]


def encode(shape: Architecture, bias: np.ndarray, rows: np.ndarray, stacks: Sequence[Sequence[Layer]]) -> bytes:
    """Return the file of a network.

    Args:
        bias: int16[width]
        rows: int16[rows, width]
        stacks: the layers; the plain kind has one stack
    """
    file_hash, transformer_hash, layers_hash = shape.hashes
    text = shape.text.encode("ascii")
    parts = [struct.pack("<III", NNUE_VERSION, file_hash, len(text)), text, struct.pack("<I", transformer_hash)]
    for numbers in (bias, rows):
        if shape.stacks:
            coded = compress(numbers.ravel())
            parts += [COMPRESSED, struct.pack("<I", len(coded)), coded]
        else:
            parts.append(numbers.astype("<i2").tobytes())
    for layers in stacks:
        parts.append(struct.pack("<I", layers_hash))
        for (outputs, inputs), (layer_bias, weights) in zip(shape.layers, layers, strict=True):
            padded = np.zeros((outputs, in_file(inputs)), dtype=np.int8)
            padded[:, :inputs] = weights
            parts += [layer_bias.astype("<i4").tobytes(), padded.tobytes()]
    return b"".join(parts)
