"""The `shogi-engine` command, one module for each of its commands."""
