"""From nothing to a network: games of the engine against itself, a trainer, a report, and a gate by games.

game_kernels    whole games in one call         data       pieces of games, as files
jobs            pieces on local threads         openings   where games begin
"""
