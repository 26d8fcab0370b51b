"""The Shogi part of training.

recipe           how games are played, and the parts below in the form of training.recipe
games, kernels   games in memory, their openings and quiet ends, and their positions as a network's features
trainer          a network's parameters, updated batch by batch
networks         those that can be trained; own_kernels, standard_kernels, sfnn_kernels are theirs
"""
