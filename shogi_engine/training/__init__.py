"""From nothing to a network: games of the engine against itself, a trainer, a report, and a gate by games.

openings, game_kernels      where games begin, and whole games in one call
data, jobs                  pieces of games, as files; made by threads or on a Ray cluster
games, positions_kernels    games in memory, and their positions as a network sees them
trainer, trainer_kernels    the network's parameters, moved batch by batch
report, gate                what to look at; games against another evaluation
pipeline                    the stages, and generations of them
"""
