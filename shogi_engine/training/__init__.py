"""Training an evaluation from scratch: self-play games, a trainer, a report, and a test match (stage `gate`).

game_kernels     whole games in one call
data             files of games, and checkpoints
adamw            the optimiser of networks
recipe           what training needs from a game
pipeline         the stages, the match against another evaluation among them, and generations; the report as HTML
shogi, othello   each game's recipe, with its openings, trainer and report
"""

STAGES = ("data", "train", "export", "report", "gate")  # of a generation, see `pipeline`; `train` also exports
