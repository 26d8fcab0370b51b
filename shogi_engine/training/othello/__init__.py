"""The Othello part of training.

recipe               how games are played, the parts below in the form of training.recipe, and checks of the weights
positions, kernels   exact labels, the positions of games as pattern features, the spreads of Multi-ProbCut
trainer              the pattern weights, by least squares, and the network that corrects them, batch by batch
"""
