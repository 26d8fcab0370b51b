"""Small independent modules: stopping, threads, foreign text, registries of names, Elo of matches."""
