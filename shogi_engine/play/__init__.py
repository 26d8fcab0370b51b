"""What a game with a person needs, at the terminal and in a browser: clocks, how strong the engine is, how it ended."""
