"""eval_options.txt, a file in a network's folder with the scale of its values."""

import re
from pathlib import Path

from shogi_engine.common.text_files import encoding_of_text

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
