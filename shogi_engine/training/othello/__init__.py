"""What training has to know of Othello.

recipe                 how games are played, and the parts below as training.recipe wants them
positions, kernels     exact labels, and the positions of games as the patterns see them
trainer, spread        the weights by least squares; the spreads of Multi-ProbCut
report                 what to look at
"""
