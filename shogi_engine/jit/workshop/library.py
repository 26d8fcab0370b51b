"""LLVM libraries of the lean compiler: a kernel's own code, and the machine code of a kernel called by Python.

numba optimises and emits each function as soon as it is lowered, with copies of all its callees. Here, a kernel that
only kernels call stays lowered (`LoweredLibrary`). A kernel that Python calls (`EntryLibrary`) links each of its
callees once and makes them internal, so that LLVM may inline and drop them. It is optimised and emitted as a whole.
"""

from collections.abc import Iterator
from typing import Any

from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler_lock import require_global_compiler_lock


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
