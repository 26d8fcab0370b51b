"""What Python may import after `python -m`: not what lies about in the folder it was started in. Loads no module."""

import os
import sys


def leave_start_folder() -> None:
    """Take that folder off the path, unless this package is there: GUIs start engines where a queue.py may be.

    `python -P` does the same, and before anything is imported.
    """
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    if not sys.flags.safe_path and sys.path and os.path.realpath(sys.path[0]) != here:
        del sys.path[0]
