"""The names of Shogi's options, for front ends that need them before numba is loaded. Standard library only."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from shogi_engine.common.registry import Registry
from shogi_engine.common.text import encoding_of_text
from shogi_engine.interface.extras import LevelPlan, usual_level
from shogi_engine.language import InputError

# ---- eval_options.txt, a file in a network's folder with the scale of its values


FILE_NAME = "eval_options.txt"
DEFAULT_SCALE, LARGEST_SCALE = 16, 128

# 'option name FV_SCALE type spin default 24 min 1 max 128', 'FV_SCALE 24' and 'FV_SCALE=24'
LINE = re.compile(
    r"\s*(?:option\s+name\s+)?FV_SCALE(?:\s+type\s+spin\s+default\s+|\s*=\s*|\s+)(\d{1,9})\b", re.IGNORECASE
)


def read_scale(folder: Path) -> int:
    """Return FV_SCALE from eval_options.txt in `folder`, DEFAULT_SCALE if it is not given or there is no file."""
    try:
        data = (folder / FILE_NAME).read_bytes()
    except OSError:
        return DEFAULT_SCALE
    text = data.decode(encoding_of_text(data), errors="replace")
    found = [int(match[1]) for match in map(LINE.match, text.splitlines()) if match]
    usable = [scale for scale in found if 1 <= scale <= LARGEST_SCALE]
    return usable[-1] if usable else DEFAULT_SCALE


# ---- The worth of each piece in a position: how much its side's value falls without it. Standard library only


COLUMN = 7  # characters of a square in the table
ROW_NAMES = "abcdefghi"


def piece_worths(sfen: str, value_of: Callable[[str], int]) -> Iterator[tuple[str, str, int | None]]:
    """Yield for each piece except kings its place (`7g` or `hand`), its SFEN symbol, and its worth.

    Args:
        value_of: returns the value of an SFEN for its side to move. If it raises ValueError, because the position
            without the piece is impossible, the worth is None. In hand, the worth is that of the last piece of a kind.
    """
    board, side, hands, *number = sfen.split()
    value = value_of(sfen)

    def worth(piece: str, board: str, hands: str) -> int | None:
        try:
            lost = value - value_of(" ".join([board, side, hands or "-", *number]))
        except ValueError:
            return None
        return lost if piece.isupper() == (side == "b") else -lost

    tokens = re.findall(r"\+?[A-Za-z]|[0-9/]", board)
    square = 0  # along the ranks from 9a
    for place, token in enumerate(tokens):
        if token == "/":
            continue
        if token.isdigit():
            square += int(token)
            continue
        if token.upper() != "K":
            without = "".join([*tokens[:place], "1", *tokens[place + 1 :]])
            yield f"{9 - square % 9}{ROW_NAMES[square // 9]}", token, worth(token, without, hands)
        square += 1
    for found in re.finditer(r"(\d*)([A-Za-z])", hands):
        rest = int(found[1] or 1) - 1
        fewer = f"{rest if rest > 1 else ''}{found[2]}" if rest else ""
        yield "hand", found[2], worth(found[2], board, hands[: found.start()] + fewer + hands[found.end() :])


def worth_table(sfen: str, value_of: Callable[[str], int]) -> list[str]:
    """Return `piece_worths` as lines of text: the board, and a line for both hands if there are pieces in hand."""
    cells, held = {}, []
    for place, piece, worth in piece_worths(sfen, value_of):
        shown = "?" if worth is None else str(worth)
        if place == "hand":
            held.append(f"{piece} {shown}")
        else:
            cells[place] = f"{piece} {shown}"
    lines = ["".join(f"{file:>{COLUMN}}" for file in range(9, 0, -1))]
    for row in ROW_NAMES:
        lines.append("".join(f"{cells.get(f'{file}{row}', '.'):>{COLUMN}}" for file in range(9, 0, -1)) + f"  {row}")
    return [*lines, f"in hand: {', '.join(held)}"] if held else lines


# ---- Tells which of Shogi's evaluations a file of weights is for. Standard library only


NNUE_VERSION = 0x7AF32F16  # the first four bytes of a network in the standard format, nn.bin


def evaluation_of(file: Path) -> str:
    """Return an evaluation's name, by the file's first bytes; by default "network"."""
    try:
        with file.open("rb") as stream:
            begin = stream.read(64)
            if b'"shogi-king-piece' in begin:
                return "king-piece"
            return "nnue" if begin.startswith(NNUE_VERSION.to_bytes(4, "little")) else "network"
    except OSError:  # reported later, when the whole file is read
        return "network"


# ---- Weaker play: the meaning of SkillLevel and levels, 0 (a beginner) to FULL, the engine's full strength
#
# The lowest levels look one move ahead, captures and recaptures included, but consider only a limited number of legal
# moves, chosen at random; level 0 plays any move. Higher levels see all moves and search a limited number of positions.
# No level depends on the clock, so a level is equally strong on slow and fast machines. `shogi-engine match
# --tournament ladder` measures the steps between them.


LEVELS = (
    *(LevelPlan(depth=1, moves=moves) for moves in (1, 2, 4, 6, 10, 16, 25, 40, 70, 0)),
    *(LevelPlan(nodes=nodes) for nodes in (600, 1200, 2400, 4200, 7000, 11_000, 18_000, 32_000, 60_000, 110_000)),
)
FULL = len(LEVELS)  # full strength: no limits
plan = partial(usual_level, plans=(*LEVELS, LevelPlan()))


START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"  # the starting position

NOTATIONS = ("usi", "japanese", "kif", "western", "csa")  # of moves: those of `notation.moves`

# The entering-king rules by their names in USI's option EnteringKingRule; a rule's number is its index here. In rules
# with an H, the points of the pieces that the handicap removes count for white, who gives it.
ENTERING_KING_RULES = ("NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule")
NO_ENTERING_KING, CSA_24, CSA_24H, CSA_27, CSA_27H, TRY_RULE = range(6)

EVALUATIONS = Registry(
    "evaluation",
    "EVALUATION",
    {
        "material": "shogi_engine.games.shogi.evaluation.material",
        "king-piece": "shogi_engine.games.shogi.evaluation.king_piece",
        "network": "shogi_engine.games.shogi.evaluation.network",
        "nnue": "shogi_engine.games.shogi.evaluation.nnue",
    },
    default="network",
    group="shogi_engine.evaluations.shogi",
)
FILE_EVALUATIONS = ("nnue",)  # they need a file of weights from the user
TRAINED_EVALUATIONS = ("network",)  # `train` makes weights for these, in place of the engine's own


def entering_king_rule(name: str) -> int:
    """Return the number of the rule `name`, in any case of letters; raise ValueError if there is no such rule."""
    for number, known in enumerate(ENTERING_KING_RULES):
        if known.lower() == name.lower():
            return number
    raise InputError("there is no entering-king rule {0!r}; there are {1}", name, ", ".join(ENTERING_KING_RULES))


# ---- SFEN as plain text. Standard library only: front ends use it before numba is loaded


def flip_sfen(sfen: str) -> str:
    """Return the position `sfen` (four fields) with the board turned around and the colours exchanged."""
    board, side, hand, number = sfen.split()
    squares = re.findall(r"\+?[A-Za-z]|[1-9/]", board)
    return f"{''.join(reversed(squares)).swapcase()} {'b' if side == 'w' else 'w'} {hand.swapcase()} {number}"
