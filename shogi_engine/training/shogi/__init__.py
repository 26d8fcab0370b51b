"""The Shogi part of training.

recipe                          how games are played, and the parts below in the form of training.recipe
games, kernels, quiet_ends      games in memory, their openings, and their positions as a network's features
trainer                         a network's parameters, updated batch by batch
own_, standard_, sfnn_network   the networks that can be trained, each with its kernels
"""
