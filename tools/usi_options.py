"""Write the tables of USI options, in docs/usi-options.md and docs/ja/usi-options.md, from their declarations.

    python -m tools.usi_options

A test compares the pages with the declarations. Translate a new description first (`python -m tools.catalogue`).
"""

import re
from pathlib import Path

from usi.options import options_table

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = {"en": DOCS / "usi-options.md", "ja": DOCS / "ja" / "usi-options.md"}


def page(language: str) -> str:
    """Return the page in `language` with the table as it should be."""
    text = PAGES[language].read_text(encoding="utf-8")
    table = options_table(language)
    return re.sub(r"^\|.*\|\n\|---.*?(?=\n\n|\Z)", lambda _: table, text, count=1, flags=re.DOTALL | re.MULTILINE)


if __name__ == "__main__":
    for language, file in PAGES.items():
        file.write_text(page(language), encoding="utf-8")
