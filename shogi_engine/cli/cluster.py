"""The option --cluster of the commands whose work can be spread over machines."""

import argparse


def add_cluster(parser: argparse.ArgumentParser, what: str) -> None:
    """Add --cluster.

    Args:
        what: the pieces that are spread
    """
    parser.add_argument(
        "--cluster",
        default="",
        metavar="ADDRESS",
        help=f"spread {what} by Ray: over the cluster at ADDRESS, this machine's (auto) or one of this machine (local)",
    )
