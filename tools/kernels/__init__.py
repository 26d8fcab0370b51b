"""How the kernels become an extension module that needs no compiler and no numba: `python -m tools.build_kernels`.

entries     the kernels that Python calls, with the types of their arguments: what the module holds
lowering    entries -> LLVM modules, by the workshop (shogi_engine/jit/workshop), for a set of CPU features
wrappers    a row of the module's method table for each: LLVM code that unpacks Python's arguments and calls it
targets     the systems and CPUs for which a module can be made
linking     all of it in one LLVM module, optimised as a whole, emitted for a target and linked
"""
