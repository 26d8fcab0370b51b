"""Games with a person, at the terminal and in a browser: clocks, the engine's strength, saved games, wording."""
