"""The Othello part of training.

recipe, options        how games are played, and the parts below in the form of training.recipe
positions, kernels     exact labels, and the positions of games as pattern features
trainer                the pattern weights, by least squares
network_trainer, network_kernels    the network that corrects them, batch by batch
spread                 the spreads of Multi-ProbCut
report                 checks of the weights
"""
