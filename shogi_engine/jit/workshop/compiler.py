"""The lean compiler: numba's compiler without the parts that kernels do not need.

A kernel is compiled to LLVM code only once, however many kernels call it; dispatcher.py makes machine code of the few
kernels that Python calls. Type inference infers a recursive kernel's return type once, not at each recursive call, and
remembers how a call with given types resolves. Kernels that use no rarer Python features skip the passes for them
(`is_plain`).

All this is in subclasses that numba uses only for kernels; other functions are compiled as usual.
"""

import builtins
import math
import opcode
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.core import errors, transforms, typed_passes, untyped_passes
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, FunctionPass, PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.ir_utils import build_definitions
from numba.core.rewrites import rewrite_registry
from numba.core.ssa import reconstruct_ssa
from numba.core.typeinfer import TypeInferer

from shogi_engine.jit import intrinsics
from shogi_engine.jit.policy import Kernel
from shogi_engine.jit.sources import kernel_modules
from shogi_engine.jit.workshop.lowering import KernelLower, KernelTarget, LoweredLibrary

# ---- types -------------------------------------------------------------------------------------------------------

_signatures: dict[tuple, Any] = {}  # resolved calls: (typing context, callee, argument types) -> signature


class KernelInferer(TypeInferer):
    """numba's type inference, with a memory of resolved calls."""

    def __init__(self, context: Any, func_ir: Any, warnings: Any) -> None:
        super().__init__(context, func_ir, warnings)
        self.assumed_return: Any = None  # the return type assumed by a recursive call

    def copy(self, skip_recursion: bool = False) -> TypeInferer:
        """Return numba's copy as an inferer of this class."""
        clone = KernelInferer(self.context, self.func_ir, self.warnings)
        clone.arg_names = self.arg_names.copy()
        clone._skip_recursion = skip_recursion
        for name, variable in self.typevars.items():
            if not variable.locked and variable.defined:
                clone.typevars[name].add_type(variable.getone(), loc=variable.define_loc)
        return clone

    def return_types_from_partial(self) -> Any:
        """Return the known part of the return type; inferred only once, as it takes as long as everything else."""
        if self.assumed_return is None:
            self.assumed_return = super().return_types_from_partial()
        return self.assumed_return

    def resolve_call(self, fnty: Any, pos_args: Any, kw_args: Any) -> Any:
        """Return the signature of a call; each combination of callee and argument types is resolved only once."""
        if not isinstance(fnty, (types.Function, types.Dispatcher)):
            return super().resolve_call(fnty, pos_args, kw_args)
        key = id(self.context), fnty, tuple(pos_args), tuple(sorted(kw_args.items()))
        signature = _signatures.get(key)
        if signature is None:
            signature = super().resolve_call(fnty, pos_args, kw_args)
            if signature is not None and signature.return_type.is_precise():
                _signatures[key] = signature
        return signature


def _infer(state: Any, inferer: type[TypeInferer]) -> tuple[Any, Any]:
    """Infer the types of the function in `state` as numba does; return the inferer and its results."""
    warnings = errors.WarningsFixer(errors.NumbaWarning)  # type: ignore[attr-defined]
    infer = inferer(state.typingctx, state.func_ir, warnings)
    frame = state.typingctx.callstack.register(state.targetctx.target, infer, state.func_id, state.args)
    with frame, warnings:
        for index, (name, kind) in enumerate(zip(state.func_ir.arg_names, state.args, strict=True)):
            infer.seed_argument(name, index, kind)
        if state.return_type is not None:
            infer.seed_return(state.return_type)
        for name, kind in state.locals.items():
            infer.seed_type(name, kind)
        infer.build_constraint()
        infer.propagate()
        return infer, infer.unify()


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelTypeInference(typed_passes.NopythonTypeInference):
    """Infer all types of a kernel."""

    _name = "kernel_type_inference"

    def run_pass(self, state: Any) -> bool:
        """Write the types to `state`; if a remembered signature proves wrong, infer again without the memory."""
        infer, results = _infer(state, KernelInferer)
        assumed, returned = infer.assumed_return, types.unliteral(results[1])
        if assumed is not None and assumed != returned:
            _, results = _infer(state, TypeInferer)
        state.typemap, state.return_type, state.calltypes = results
        state.typing_errors = None
        if isinstance(state.return_type, (types.Function, types.Phantom)):
            raise errors.NumbaTypeError(f"Can't return function object ({state.return_type}) in nopython mode")
        return True


class Types:
    """The types of a kernel's variables (`typemap`), in place of numba's annotated sources."""

    def __init__(self, typemap: dict[str, Any]) -> None:
        self.typemap = dict(typemap)

    def __str__(self) -> str:
        return "\n".join(f"{name} :: {kind}" for name, kind in self.typemap.items())


@register_pass(mutates_CFG=False, analysis_only=True)
class KernelTypes(AnalysisPass):
    """Keep the types for `inspect_types` and for tests."""

    _name = "kernel_types"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Write the types to `state`."""
        state.type_annotation = Types(state.typemap)
        return False


# ---- numba's own representation ------------------------------------------------------------------------------------

# These passes do the same as numba's except for the lifetimes of variables. numba recomputes them after each pass, but
# for a function that is not a generator only the last one, IRLegalization, needs them.


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelBlocks(FunctionPass):
    """Bring the blocks of code into the form that the other passes expect."""

    _name = "kernel_blocks"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Rewrite the blocks in `state`."""
        state.func_ir.blocks = transforms.canonicalize_cfg(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelRewrites(FunctionPass):
    """Apply numba's rewrites before inference (of constant indices and the like) to each block until none matches."""

    _name = "kernel_rewrites"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Rewrite the blocks in `state`."""
        blocks = state.func_ir.blocks
        for rewrite_class in rewrite_registry.rewrites["before-inference"]:
            rewrite = rewrite_class(state)
            waiting = list(blocks)
            while waiting:
                label = waiting.pop()
                if rewrite.match(state.func_ir, blocks[label], state.typemap, state.calltypes):
                    blocks[label] = rewrite.apply()
                    blocks[label].verify()
                    waiting.append(label)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class KernelSSA(untyped_passes.ReconstructSSA):
    """Give each assignment a variable of its own."""

    _name = "kernel_ssa"

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function in `state`."""
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelStripPhis(typed_passes.PreLowerStripPhis):
    """Turn phi nodes into assignments."""

    _name = "kernel_strip_phis"

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function in `state`."""
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


# ---- code --------------------------------------------------------------------------------------------------------


class Lowered:
    """A placeholder for the machine code of a kernel that was only lowered: the key to its code for callers."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *arguments: Any) -> Any:
        """Raise RuntimeError: it has no machine code."""
        raise RuntimeError(f"{self.name} was not made into machine code")


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(typed_passes.NativeLowering):
    """Lower a kernel to LLVM code that other kernels can call."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> Any:
        """The class that lowers instructions."""
        return KernelLower

    def run_pass(self, state: Any) -> bool:
        """Lower, without wrappers and machine code (the flags say so)."""
        super().run_pass(state)
        result = state["cr"]
        key = Lowered(result.fndesc.qualname)
        state.targetctx.insert_user_function(key, result.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = result._replace(cfunc=key)
        return True


class KernelCompiler(CompilerBase):
    """numba's compiler for kernels, up to LLVM code."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.targetctx = KernelTarget.adopt(self.state.targetctx)

    def compile_extra(self, func: Any) -> Any:
        """Compile `func` into its own library, which is not emitted yet."""
        flags = self.state.flags
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        self.state.library = LoweredLibrary(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes: a few for plain code, else numba's own with three of them replaced by those above."""
        manager = PassManager("kernel")
        if is_plain(self.state.func_id.func, self.state.args):
            passes = PLAIN_PASSES
        else:
            whole = DefaultPassBuilder.define_nopython_pipeline(self.state).passes
            passes = [OWN_PASSES.get(each, each) for each, _ in whole]
        for each in passes:
            manager.add_pass(each, each._name)
        manager.finalize()
        return [manager]


OWN_PASSES: dict[type, type] = {
    typed_passes.NopythonTypeInference: KernelTypeInference,
    typed_passes.AnnotateTypes: KernelTypes,
    typed_passes.NativeLowering: KernelLowering,
}
PLAIN_PASSES: list[Any] = [
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    KernelBlocks,
    untyped_passes.DeadBranchPrune,
    KernelRewrites,
    untyped_passes.DeadBranchPrune,
    KernelSSA,
    untyped_passes.DeadBranchPrune,
    KernelTypeInference,
    KernelStripPhis,
    typed_passes.IRLegalization,
    KernelTypes,
    KernelLowering,
    typed_passes.NoPythonBackend,
]

# ---- plain code --------------------------------------------------------------------------------------------------

GENERATOR = 0x20  # in a code object's flags; see inspect.CO_GENERATOR
RARE_CODE = ("RAISE", "WITH", "BUILD_LIST", "BUILD_SET", "LIST_", "SET_ADD", "MAP", "DICT_", "STRING")
RARE_OPERATIONS = {number for name, number in opcode.opmap.items() if any(rare in name for rare in RARE_CODE)}
PLAIN_MODULES = (np, math)
PLAIN_BUILTINS = (abs, bool, divmod, float, int, len, max, min, range, round)
# What a plain kernel may use as a constant or argument; modules that define types add theirs.
plain_values: list[type] = [int, float, np.generic, np.ndarray, _Intrinsic]
plain_arguments: list[type] = [types.Number, types.Boolean, types.Record, types.Array, types.NPDatetime]


def is_plain(function: Any, argument_types: Any) -> bool:
    """Tell whether `function` uses only features that PLAIN_PASSES support.

    They do not support closures and comprehensions, `raise`, `with`, `try`, generators, lists, sets and dictionaries,
    strings (they name fields), loops over tuples of several types, functions that numba inlines, and arguments that
    numba specialises for. Unknown names count as unsupported too.
    """
    code = function.__code__
    if code.co_flags & GENERATOR or code.co_exceptiontable or code.co_freevars:
        return False
    if RARE_OPERATIONS.intersection(code.co_code[::2]) or "ndim" in code.co_names:
        return False
    if any(isinstance(each, CodeType) or _is_text(each, function.__doc__) for each in code.co_consts):
        return False
    if not all(isinstance(kind, tuple(plain_arguments)) for kind in argument_types):
        return False
    return all(_is_plain_value(value) for value in _named_values(code, vars(builtins) | function.__globals__))


def _named_values(code: CodeType, known: dict[str, Any]) -> Iterator[Any]:
    """Yield the `known` values that `code` names; instead of a module of ours, what may be meant of its contents."""
    for name in code.co_names:
        value = known.get(name)
        if isinstance(value, ModuleType) and value.__name__ in kernel_modules:
            yield from (vars(value)[each] for each in code.co_names if each in vars(value))
        elif name in known:
            yield value


def _is_text(constant: Any, docstring: str | None) -> bool:
    return isinstance(constant, (str, bytes)) and constant != docstring


def _is_plain_value(value: Any) -> bool:
    """Tell whether a global of a kernel is a kernel, a stub, a number, an array or the like."""
    if isinstance(value, Kernel):
        return True
    if isinstance(value, Dispatcher):
        return value.targetoptions.get("inline", "never") == "never"
    if isinstance(value, (ModuleType, BuiltinFunctionType, type)):
        return value in PLAIN_MODULES or value in PLAIN_BUILTINS or getattr(value, "__module__", "") == "numpy"
    if isinstance(value, FunctionType):
        return intrinsics.is_known(value)
    if isinstance(value, tuple):
        return all(isinstance(each, (int, np.generic)) for each in value)
    return isinstance(value, tuple(plain_values))
