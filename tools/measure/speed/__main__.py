"""Measure and print: `python -m tools.measure.speed WHAT`."""

import argparse
import importlib
import pkgutil
import sys

import tools.measure.speed
from tools.measure.speed.harness import measure, table

SHARED = {"__main__", "checkouts", "harness"}
COMPARISONS = sorted({each.name for each in pkgutil.iter_modules(tools.measure.speed.__path__)} - SHARED)


def main(words: list[str] | None = None) -> int:
    """Measure what the first word says."""
    words = sys.argv[1:] if words is None else words
    choice = argparse.ArgumentParser(description=tools.measure.speed.__doc__, prog="tools.measure.speed")
    choice.add_argument("what", choices=COMPARISONS)
    what = importlib.import_module(f"tools.measure.speed.{choice.parse_args(words[:1]).what}")
    parser = argparse.ArgumentParser(
        description=what.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog=f"{choice.prog} {words[0]}"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.05, help="for each figure and round, where it is repeated")
    what.add_arguments(parser)
    args = parser.parse_args(words[1:])
    try:
        for title, subjects in what.subjects(args):
            print(table(title, measure(subjects, args.rounds), list(subjects)), flush=True)
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
