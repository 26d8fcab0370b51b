"""The Shogi part of training.

recipe                      how games are played, and the parts below in the form of training.recipe
openings                    of the training games
games, positions_kernels    games in memory, and their positions as a network's features
trainer, trainer_kernels    the network's parameters, updated batch by batch
report                      checks of the network
"""
