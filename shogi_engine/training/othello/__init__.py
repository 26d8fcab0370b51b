"""The Othello part of training.

recipe                 how games are played, and the parts below in the form of training.recipe
positions, kernels     exact labels, and the positions of games as pattern features
trainer, spread        the weights by least squares; the spreads of Multi-ProbCut
report                 checks of the weights
"""
