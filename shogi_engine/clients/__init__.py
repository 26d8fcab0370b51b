"""Clients for other engines, asynchronous and synchronous: USI, GTP, NBoard, and their common base. No numba."""
