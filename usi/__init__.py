"""The USI front end: `shogi-usi`, `python -m usi`. Standard library only, until `usiok` has been answered."""
