"""Measure and print: `python -m tools.measure.speed WHAT`."""

import argparse
import inspect
import sys

import tools.measure.speed
from tools.measure.speed import arrays, boards, comparisons, engines, measure, table  # noqa: F401  (they compare)


def main(words: list[str] | None = None) -> int:
    """Measure what the first word says."""
    words = sys.argv[1:] if words is None else words
    choice = argparse.ArgumentParser(description=tools.measure.speed.__doc__, prog="tools.measure.speed")
    choice.add_argument("what", choices=sorted(comparisons))
    subjects, add_arguments = comparisons[choice.parse_args(words[:1]).what]
    parser = argparse.ArgumentParser(
        description=inspect.getdoc(subjects),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        prog=f"{choice.prog} {words[0]}",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.05, help="for each figure and round, where it is repeated")
    add_arguments(parser)
    args = parser.parse_args(words[1:])
    try:
        for title, found in subjects(args):
            print(table(title, measure(found, args.rounds), list(found)), flush=True)
    except (ValueError, OSError) as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
