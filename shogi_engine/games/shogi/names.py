"""The names of Shogi's options, for front ends that need them before numba is loaded. Standard library only."""

from shogi_engine.common.registry import Registry
from shogi_engine.language import InputError

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
