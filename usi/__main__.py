"""`python -m usi` is `shogi-usi`."""

import sys

from shogi_engine.common.system import leave_start_folder

if __name__ == "__main__":
    leave_start_folder()
    from usi.loop import main  # imported here because it is slow

    sys.exit(main())
