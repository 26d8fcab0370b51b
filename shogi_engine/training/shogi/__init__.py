"""What training has to know of Shogi.

recipe                      how games are played, and the parts below as training.recipe wants them
openings                    where games begin
games, positions_kernels    games in memory, and their positions as a network sees them
trainer, trainer_kernels    the network's parameters, moved batch by batch
report                      what to look at
"""
