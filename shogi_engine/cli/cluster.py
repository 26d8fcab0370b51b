"""The option --cluster of the commands whose work can be spread over machines."""

import argparse


def add_cluster(parser: argparse.ArgumentParser, what: str) -> None:
    """Add --cluster.

    Args:
        what: what is distributed, for the help text
    """
    parser.add_argument(
        "--cluster",
        default="",
        metavar="ADDRESS",
        help=(
            f"distribute {what} with Ray: on the cluster at ADDRESS, on this machine's cluster (auto), or on "
            "this machine alone (local)"
        ),
    )
