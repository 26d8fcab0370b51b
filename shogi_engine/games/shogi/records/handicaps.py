"""Handicaps: the names that KIF and JKF have for starting positions."""

from shogi_engine.games.shogi.notation.sfen import START
from shogi_engine.language import InputError

EVEN = "平手"
_PAWNS_AND_BELOW = "ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"

# KIF's name: (white's first two ranks, JKF's name). White, who gives the handicap, moves first.
_RANKS = {
    "香落ち": ("lnsgkgsn1/1r5b1", "KY"),
    "右香落ち": ("1nsgkgsnl/1r5b1", "KY_R"),
    "角落ち": ("lnsgkgsnl/1r7", "KA"),
    "飛車落ち": ("lnsgkgsnl/7b1", "HI"),
    "飛香落ち": ("lnsgkgsn1/7b1", "HIKY"),
    "二枚落ち": ("lnsgkgsnl/9", "2"),
    "三枚落ち": ("lnsgkgsn1/9", "3"),
    "四枚落ち": ("1nsgkgsn1/9", "4"),
    "五枚落ち": ("2sgkgsn1/9", "5"),
    "左五枚落ち": ("1nsgkgs2/9", "5_L"),
    "六枚落ち": ("2sgkgs2/9", "6"),
    "右七枚落ち": ("3gkgs2/9", "7_R"),
    "左七枚落ち": ("2sgkg3/9", "7_L"),
    "八枚落ち": ("3gkg3/9", "8"),
    "十枚落ち": ("4k4/9", "10"),
}
HANDICAPS = {EVEN: START, **{name: f"{ranks}/{_PAWNS_AND_BELOW}" for name, (ranks, _) in _RANKS.items()}}
PRESETS = {"HIRATE": START, **{preset: HANDICAPS[name] for name, (_, preset) in _RANKS.items()}}
WESTERN = {
    "even": EVEN,
    "lance": "香落ち",
    "right-lance": "右香落ち",
    "bishop": "角落ち",
    "rook": "飛車落ち",
    "rook-lance": "飛香落ち",
    "2-piece": "二枚落ち",
    "3-piece": "三枚落ち",
    "4-piece": "四枚落ち",
    "5-piece": "五枚落ち",
    "left-5-piece": "左五枚落ち",
    "6-piece": "六枚落ち",
    "7-piece": "右七枚落ち",
    "left-7-piece": "左七枚落ち",
    "8-piece": "八枚落ち",
    "10-piece": "十枚落ち",
}
_OTHER_NAMES = {"左香落ち": "香落ち", "飛角落ち": "二枚落ち", "飛車角落ち": "二枚落ち"}
_DIGITS = str.maketrans("2345678２３４５６７８", "二三四五六七八" * 2)


def handicap(name: str) -> str:
    """Return the SFEN of a handicap by KIF's name or a variant of it ('2枚落ち', '香落'), or a Western name, '2-piece'.

    Raises ValueError if no handicap has this name.
    """
    western = "-".join(name.lower().split()).replace("pieces", "piece").removesuffix("-handicap")
    if western in WESTERN:
        return HANDICAPS[WESTERN[western]]
    plain = name.strip(" 　").replace("・", "").translate(_DIGITS).replace("10枚", "十枚").replace("１０枚", "十枚")
    for known in (plain, f"{plain}ち", plain.replace("飛落", "飛車落"), f"右{plain}"):
        known = _OTHER_NAMES.get(known, known)
        if known in HANDICAPS:
            return HANDICAPS[known]
    raise InputError("there is no handicap {0!r}; there are {1}", name, ", ".join([*HANDICAPS, *WESTERN]))


def handicap_name(sfen: str) -> str:
    """Return the name of a starting position, '' if it has none."""
    return next((name for name, known in HANDICAPS.items() if known == sfen), "")
