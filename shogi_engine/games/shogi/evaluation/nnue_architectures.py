"""The networks of the standard format, nn.bin: their input features, their layers, and how to recognise them.

Two kinds of network share the format. The plain kind has rows of features for each side, and three layers. SFNN has
several stacks of layers and uses one of them for a position. It multiplies activations in pairs, and its file
compresses the rows.

Source: YaneuraOu's eval/nnue, https://github.com/yaneurao/YaneuraOu; Yu Nasu's NNUE, https://github.com/ynasu87/nnue;
SFNN's form is that of Stockfish's networks, https://github.com/official-stockfish/nnue-pytorch.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from shogi_engine.games.shogi.evaluation.halfkp import PER_KING
from shogi_engine.games.shogi.types import SQUARES

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
