"""The engine for hosts without Python: one kernel for each game, which answers tasks on texts in one piece of memory.

`tools.build_kernels --only wasm32` makes a module of WebAssembly of each, and a file with the memory that it needs.

    calls   the tasks that both games have     shogi, othello   a game's record, and its kernel `call`
"""
