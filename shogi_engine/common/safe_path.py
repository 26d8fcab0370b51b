"""Keeps `python -m` from importing files of the folder it was started in. Loads no module."""

import os
import sys


def leave_start_folder() -> None:
    """Remove the current folder from the path, unless it contains this package: it may hold a queue.py, say.

    GUIs start engines in any folder. `python -P` does the same, before anything is imported.
    """
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0]) != here:
        del sys.path[0]
