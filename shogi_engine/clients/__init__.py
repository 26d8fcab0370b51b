"""Clients for other engines, asynchronous and synchronous: USI, GTP, NBoard and their base. Does not import numba."""
