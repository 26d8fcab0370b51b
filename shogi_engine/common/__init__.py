"""Small parts that stand alone: stopping, threads, text from outside, names before modules, Elo of matches."""
