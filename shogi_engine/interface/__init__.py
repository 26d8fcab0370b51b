"""The interface between the search and the games: game protocol, evaluations, and dispatch to a game's kernels."""
