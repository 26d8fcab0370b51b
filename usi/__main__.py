"""`python -m usi` is `shogi-usi`."""

import sys

from usi.loop import main

if __name__ == "__main__":
    sys.exit(main())
