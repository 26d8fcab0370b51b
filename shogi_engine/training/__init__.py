"""From nothing to an evaluation: games of the engine against itself, a trainer, a report, and a gate by games.

game_kernels     whole games in one call
data, jobs       pieces of games, as files; made by threads or on a Ray cluster
gate, page       games against another evaluation; what to look at, as HTML
recipe           what all this asks of a game
pipeline         the stages, and generations of them
shogi, othello   each game's recipe, with its openings, trainer and report
"""

STAGES = ("data", "train", "export", "report", "gate")  # of a generation, see `pipeline`; `train` exports
