"""eval_options.txt, which lies beside a network and says how its values are scaled. Standard library only."""

import re
from pathlib import Path

FILE_NAME = "eval_options.txt"
DEFAULT_SCALE, LARGEST_SCALE = 16, 128

# 'option name FV_SCALE type spin default 24 min 1 max 128', 'FV_SCALE 24' and 'FV_SCALE=24'
LINE = re.compile(
    r"\s*(?:option\s+name\s+)?FV_SCALE(?:\s+type\s+spin\s+default\s+|\s*=\s*|\s+)(\d{1,9})\b", re.IGNORECASE
)


def read_scale(folder: Path) -> int:
    """Return FV_SCALE as eval_options.txt in `folder` says, DEFAULT_SCALE if it does not or is not there."""
    try:
        text = (folder / FILE_NAME).read_bytes().decode("utf-8-sig", errors="replace")
    except OSError:
        return DEFAULT_SCALE
    found = [int(match[1]) for match in map(LINE.match, text.splitlines()) if match]
    usable = [scale for scale in found if 1 <= scale <= LARGEST_SCALE]
    return usable[-1] if usable else DEFAULT_SCALE
