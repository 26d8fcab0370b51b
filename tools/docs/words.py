"""Find words and phrases that this project does not use, in its sources and pages, and say what to write instead.

    python -m tools.docs.words              # exit status 1 if there are any
    python -m tools.docs.words docs usi     # only in these folders or files

`WORDS` is the list. CONTRIBUTING has the glossary: which word stands for what. Spelling is checked by codespell.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".py", ".md", ".toml", ".html", ".js", ".css", ".yml"}
EXEMPT = {"tools/docs/words.py", "tests/docs/test_words.py"}

WORDS = {  # regular expression, in any case, as whole words : what to write
    r"can not": "cannot",
    r"(?-i:[nN]obody)(?!\")": "no one, or the passive",
    r"(?<!no )(?<!make )(?<!have )(?<!has )rooms?(?! for)": "package, folder, space",
    r"seams?": "interface",
    r"whims": "quirks",
    r"(?:is|are|was|were) wanted": "is expected, is requested",
    r"go(?:es)? on": "continue",
    r"so many": "N, that many",
    r"(?<!score )by chance": "at random",
    r"whoever": "the caller, the player",
    r"for ever": "forever",
    r"worth this many": "below minus this many",
    r"broken off": "aborted",
    r"breaks? (?:it )?off": "abort",
    r"beside (?:an?|the|it|them|each|this|that|these|those|its|their|what)": "next to, during, in addition to",
    r"asked for": "requested",
    r"what stands": "the piece on, the text after",
    r"handmade": "handwritten",
    r"nothing but": "only",
    r"from nothing": "from scratch",
    r"wants an?": "expects",
    r"stays? as (?:it|they) (?:is|are|was|were)": "is unchanged",
    r"by turns": "in turns",
    r"search of today": "current search",
    r"declin\w+ a promotion for nothing": "without need",
}


def offences(paths: list[str]) -> Iterator[tuple[str, int, str, str]]:
    """Yield file, line number, what was found and what to write, for tracked files under `paths` (none: all)."""
    listed = subprocess.run(["git", "ls-files", "--", *paths], cwd=ROOT, capture_output=True, text=True, check=True)
    pattern = re.compile("|".join(rf"(?<![\w-])(?:{word})(?![\w-])" for word in WORDS), re.IGNORECASE)
    for name in listed.stdout.splitlines():
        if Path(name).suffix not in SUFFIXES or name in EXEMPT or name.startswith("tests/data/"):
            continue
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1):
            for match in pattern.finditer(line):
                found = match.group()
                yield name, number, found, next(cure for word, cure in WORDS.items() if re.search(word, found, re.I))


def main(arguments: list[str] | None = None) -> int:
    """Print the offences; return 1 if there are any."""
    found = list(offences(sys.argv[1:] if arguments is None else arguments))
    for name, number, word, cure in found:
        print(f"{name}:{number}: {word!r}: {cure}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
