"""Training an evaluation from scratch: self-play games, a trainer, a report, and a test match (stage `gate`).

game_kernels     whole games in one call
data, jobs       files of games, made by threads or on a Ray cluster
gate, page       a match against another evaluation; the report as HTML
recipe           what training needs from a game
pipeline         the stages, and generations
shogi, othello   each game's recipe, with its openings, trainer and report
"""

STAGES = ("data", "train", "export", "report", "gate")  # of a generation, see `pipeline`; `train` also exports
