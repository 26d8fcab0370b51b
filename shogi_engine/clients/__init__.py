"""Other engines as objects, asynchronous and plain: USI, GTP, NBoard, and the base they share. No numba."""
