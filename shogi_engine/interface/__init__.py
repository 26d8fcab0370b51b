"""What stands between the search and the games: the game protocol, evaluations, and how calls find a game's kernels."""
