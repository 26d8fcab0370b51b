"""Lowering for kernels: the same LLVM code as numba's, with fewer look-ups and without code that LLVM would remove.

numba optimises and emits each function as soon as it is lowered, with copies of all its callees. Here, a kernel that
only kernels call stays lowered (`LoweredLibrary`). A kernel that Python calls (`EntryLibrary`) links each of its
callees once and makes them internal, so that LLVM may inline and drop them. It is optimised and emitted as a whole.
"""

import functools
import operator
from collections.abc import Iterator
from typing import Any

from llvmlite import binding as llvm
from numba import types
from numba.core import errors, ir, lowering, typing
from numba.core.base import _wrap_impl, _wrap_missing_loc
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler_lock import require_global_compiler_lock
from numba.core.cpu import CPUContext

# ---- libraries ---------------------------------------------------------------------------------------------------


class LoweredLibrary(JITCodeLibrary):
    """The lowered code of one kernel, without its callees; it never becomes machine code."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Run the function passes with one pass manager for the module; numba also makes one for each declaration."""
        ll_module.data_layout = self._codegen._data_layout
        passes = None
        for function in ll_module.functions:
            if not function.is_declaration:
                passes = passes or self._codegen._function_pass_manager()
                manager, builder = passes
                manager.run(function, builder)

    def finalize(self) -> None:
        """Close the library and let LLVM drop its functions from modules that do not call them."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
        self._finalized = True

    def own_module(self) -> Any:
        """Return the module without its callees."""
        self._ensure_finalized()
        return self._final_module

    def _get_module_for_linking(self) -> Any:
        """Return the module with all its callees, as numba's own libraries link it."""
        self._ensure_finalized()
        if self._shared_module is None:
            module = self._final_module.clone()
            for library in callees(self):
                module.link_in(_module_of(library), preserve=True)
            self._shared_module = module
        return self._shared_module


class EntryLibrary(LoweredLibrary):
    """The machine code of one kernel for Python: the wrapper, the kernel and all its callees."""

    def __init__(self, codegen: Any, name: str, visible: str) -> None:
        """Make an empty library; the function called `visible` stays accessible to other libraries."""
        super().__init__(codegen, name)
        self._visible = visible

    def finalize(self) -> None:
        """Link, optimise and emit."""
        require_global_compiler_lock()
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        module = self._final_module
        for library in callees(self):
            self._reload_init.update(library._reload_init)
            module.link_in(_module_of(library), preserve=True)
        self._hide_callees()
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def _hide_callees(self) -> None:
        """Make all linked functions internal except the kernel and those that mutual recursion calls by address."""
        prefix = RuntimeLinker.PREFIX
        module = self._final_module
        seen = {each.name[len(prefix) :] for each in module.global_variables if each.name.startswith(prefix)}
        for function in module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.linkonce_odr:
                shown = function.name == self._visible or function.name in seen
                function.linkage = "external" if shown else "internal"

    def _get_module_for_linking(self) -> Any:
        """Return the module as numba does: an entry contains its callees."""
        return JITCodeLibrary._get_module_for_linking(self)


def callees(library: Any) -> Iterator[Any]:
    """Yield the libraries that `library` needs, directly or not, each after all of its callers.

    LLVM links a droppable function only if the module already refers to it.
    """
    order: list[Any] = []
    seen = set()

    def visit(caller: Any) -> None:
        for callee in caller._linking_libraries:
            if callee not in seen:
                seen.add(callee)
                if type(callee) is LoweredLibrary:
                    visit(callee)
                order.append(callee)

    visit(library)
    return reversed(order)


def _module_of(library: Any) -> Any:
    return library.own_module() if type(library) is LoweredLibrary else library._get_module_for_linking()


# ---- lowering ----------------------------------------------------------------------------------------------------

ACCESSES = (operator.getitem, operator.setitem)
SPECIAL = ("static_getitem", "static_setitem", "__array__")
_missing: set[tuple] = set()  # (function, types) without an implementation
_operators: dict[tuple, Any] = {}  # (operator, operand types) -> (its type, signature)
# Values that never hold a counted reference; an array inside a record belongs to the record.
_uncounted: tuple[type, ...] = (types.Number, types.Boolean, types.Record, types.NestedArray)


def add_uncounted(*kinds: type) -> None:
    """Register types whose values hold no counted reference."""
    global _uncounted
    _uncounted += kinds


@functools.lru_cache(maxsize=8192)
def _with_loc(implementation: Any) -> Any:
    """Make `implementation` accept the keyword `loc`; numba inspects its signature at each call otherwise."""
    return _wrap_missing_loc(implementation)()


class _Implementation(_wrap_impl):
    """An implementation bound to a context and a signature."""

    def __init__(self, implementation: Any, context: Any, signature: Any) -> None:
        self._callable = implementation
        self._imp = _with_loc(implementation)
        self._context = context
        self._sig = signature


def _unsigned(index: Any) -> Any:
    """Return the type of an array's index with unsigned integers in place of signed ones of the same size."""
    if isinstance(index, types.BaseTuple):
        return types.BaseTuple.from_types([_unsigned(each) for each in index])  # type: ignore[attr-defined]
    signed = isinstance(index, types.Integer) and index.signed  # type: ignore[attr-defined]
    return getattr(types, f"u{index}") if signed else index


class KernelTarget(CPUContext):
    """numba's target context, with a memory of failed look-ups, and for indices that are never negative.

    `adopt` turns the context of a compile into one; numba creates a context for each set of flags.
    """

    @classmethod
    def adopt(cls, context: Any) -> Any:
        """Turn `context`, which must belong to one compile alone, into a KernelTarget."""
        assert type(context) is CPUContext
        context.__class__ = cls
        return context

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """Return the implementation of `fn` for the signature `sig`. Raises NotImplementedError if there is none.

        numba first looks for special implementations, mostly of constant indices. Most types have none. After each
        failure numba would reload all its registries before it takes the common implementation.

        Accesses to arrays get the implementation for unsigned indices, which does not test for negative ones.
        """
        function = sig.as_function()
        special = fn in SPECIAL
        if special and (fn, function.args) in _missing:
            raise NotImplementedError(fn)
        key = fn.get_impl_key(function) if isinstance(fn, types.Callable) else fn
        if key in ACCESSES and isinstance(function.args[0], types.Array):
            array, index, *value = function.args
            function = typing.signature(function.return_type, array, _unsigned(index), *value)
        try:
            return _Implementation(self._defns[key].find(function.args), self, function)
        except errors.NumbaNotImplementedError:
            pass
        try:
            return super().get_function(fn, sig, _firstcall)
        except NotImplementedError:
            if special:
                _missing.add((fn, function.args))
            raise


class KernelLower(lowering.Lower):
    """numba's lowering without reference counting for values that have no references."""

    def init(self) -> None:
        """Check whether debug information is needed."""
        super().init()
        self._silent = not self.flags.debuginfo and not self._loc_notify_registry

    def lower_inst(self, inst: Any) -> Any:
        """Lower an instruction; the most frequent ones without debug information."""
        if self._silent and type(inst) is ir.Del:
            return self.delvar(inst.value)
        if self._silent and type(inst) is ir.Assign and not isinstance(inst.value, ir.Arg):
            name = inst.target.name
            return self.storevar(self.lower_assign(self.typeof(name), inst), name)
        return super().lower_inst(inst)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """Lower a binary operator, resolved once for each combination of operand types."""
        if not (expr.static_lhs is ir.UNDEFINED and expr.static_rhs is ir.UNDEFINED):
            return super().lower_binop(resty, expr, op)
        signature = self.fndesc.calltypes[expr]
        operands = []
        for variable, kind in zip((expr.lhs, expr.rhs), signature.args, strict=True):
            value = self.loadvar(variable.name)
            operands.append(self.context.cast(self.builder, value, self.typeof(variable.name), kind))
        operator, resolved = self._operator(op, signature.args)
        result = self.context.get_function(operator, resolved)(self.builder, operands)
        return self.context.cast(self.builder, result, signature.return_type, resty)

    def _operator(self, op: Any, operands: tuple) -> tuple[Any, typing.Signature]:
        known = _operators.get((op, operands))
        if known is None:
            operator = self.context.typing_context.resolve_value_type(op)
            known = operator, operator.get_call_type(self.context.typing_context, operands, {})
            _operators[op, operands] = known
        return known

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Store a variable; skip numba's decref of the old value if its type has no references."""
        kind = self.typeof(name)
        local = name in self._singly_assigned_vars and not self._disable_sroa_like_opt
        if local or argidx is not None or not isinstance(kind, _uncounted):
            super().storevar(value, name, argidx)
            return
        slot = self.getvar(name)
        if value.type != slot.type.pointee:
            raise AssertionError(f"storing {value.type} to {slot.type.pointee} ({name!r}, {kind})")
        self.builder.store(value, slot)

    def delvar(self, name: str) -> None:
        """Drop a variable."""
        if not isinstance(self.typeof(name), _uncounted):
            super().delvar(name)
        elif name not in self._blk_local_varmap:
            self._singly_assigned_vars.discard(name)

    def incref(self, typ: Any, val: Any) -> None:
        """Increment the reference count of a value that has one."""
        if not isinstance(typ, _uncounted):
            super().incref(typ, val)

    def decref(self, typ: Any, val: Any) -> None:
        """Decrement the reference count of a value that has one."""
        if not isinstance(typ, _uncounted):
            super().decref(typ, val)
