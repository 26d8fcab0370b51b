"""Entries -> one LLVM module for all systems and CPUs, by the workshop: `python -m tools.kernels.lowering DIR`.

It runs in a process of its own, because numba numbers types as it meets them: the same names in the modules of two
processes mean different functions. DIR gets kernels.ll, without a system or CPU, and rows.pickle, a row for each entry.
The only code that differs between CPUs, the product of bytes, is a function that linking.py adds.
"""

import pickle
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

from shogi_engine.jit.policy import PACKAGE, digest_of, layout_name
from shogi_engine.jit.sources import kernel_sources
from shogi_engine.jit.vectors import ALIGNMENT
from shogi_engine.jit.workshop import LEAN, emitting, lowering, vectors
from tools.kernels.entries import Array, Entry, entries
from tools.kernels.wrappers import Memory, Number, Row

CODE, ROWS, PRODUCT = "kernels.ll", "rows.pickle", "product_of_bytes"
# A system's name and layout, a CPU, and numba's counting of references: no kernel owns memory.
SYSTEM = re.compile(r"^target (triple|datalayout) = .*$", re.M)
CPU = re.compile(r'"(target-cpu|target-features|probe-stack|tune-cpu)"="[^"]*"')
COUNTED = "(NRT_incref|NRT_decref)"
COUNTING = re.compile(rf"^define [^\n]*@{COUNTED}\(.*?^\}}|^declare [^\n]*@{COUNTED}\([^\n]*$", re.M | re.S)
NOT_COUNTING = """
define internal void @NRT_incref(ptr %p) alwaysinline { ret void }
define internal void @NRT_decref(ptr %p) alwaysinline { ret void }
"""


def product(builder: Any, total: Any, values: Any, weights: Any) -> Any:
    """Call the product of bytes, in place of one of DOT_PRODUCTS."""
    return vectors._call(builder, PRODUCT, total.type, total, values, weights)


def numba_type(kind: Any) -> Any:
    """Return numba's type of an entry's argument."""
    if isinstance(kind, Array):
        return types.Array(numba.from_dtype(np.dtype(kind.dtype)), kind.axes, "C")
    return types.boolean if kind is bool else numba.from_dtype(np.dtype(kind))


def _number(kind: Any) -> Number:
    """Describe numba's type of a number."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.Boolean):
        return Number("i8", is_bool=True)
    if isinstance(kind, types.Float):
        return Number("double" if kind.bitwidth == 64 else "float")
    return Number(f"i{kind.bitwidth}", kind.signed)


def _argument(kind: Any) -> Number | Memory:
    if isinstance(kind, types.Record):
        return Memory(kind.size)
    if isinstance(kind, types.Array):
        element = kind.dtype
        return Memory(element.size if isinstance(element, types.Record) else element.bitwidth // 8, kind.ndim)
    return _number(kind)


def described(kind: Any) -> list:
    """Describe an entry's argument for the manifest."""
    if isinstance(kind, Array):
        return ["array", layout_name(np.dtype(kind.dtype)), kind.axes]
    return ["record", layout_name(kind)] if not isinstance(kind, type) else ["number"]


def lower(entry: Entry) -> tuple[Row, Any]:
    """Return an entry's row, and the library of its LLVM code."""
    dispatcher = entry.kernel.dispatcher
    kinds = tuple(map(numba_type, entry.arguments))
    result = dispatcher._lower(kinds)
    returned: Any = result.signature.return_type
    is_tuple = isinstance(returned, types.BaseTuple)
    parts: Any = returned if is_tuple else () if returned is types.none else (returned,)
    numbers = tuple(map(_number, parts))
    release = not entry.kernel.options["brief"]
    return Row(result.fndesc.llvm_func_name, tuple(map(_argument, kinds)), numbers, is_tuple, release), result.library


def modules_of(libraries: list[Any]) -> Iterator[Any]:
    """Yield the LLVM modules of kernels and of all that they call, each once."""
    seen = set()
    for each in libraries:
        for one in (each, *lowering.callees(each)):
            if one not in seen:
                seen.add(one)
                yield lowering._module_of(one)


def linked(modules: list[Any]) -> Any:
    """Return one module, made of neighbours again and again: LLVM looks at all of both whenever it links two."""
    for module in modules:
        for function in module.functions:
            if not function.is_declaration:
                function.linkage = "weak_odr"  # kept, though nothing here calls it
    while len(modules) > 1:
        for first, second in zip(modules[::2], modules[1::2], strict=False):
            first.link_in(second)
        modules = modules[::2]
    return modules[0]


def lean_text(whole: str) -> str:
    """Return the LLVM code of a module without a system, a CPU, or numba's counting of references."""
    text = CPU.sub("", SYSTEM.sub("", COUNTING.sub("", whole))) + NOT_COUNTING
    return text.replace("= common global", "= internal global")


def sources() -> dict[str, Any]:
    """Return the source files on which the kernels depend, and their digest."""
    contents = {file.relative_to(PACKAGE).as_posix(): file.read_bytes() for file in PACKAGE.glob("**/*.py")}
    files = sorted(kernel_sources(PACKAGE.name, contents))
    return {"files": files, "digest": digest_of(files)}


def main() -> None:
    """Lower all entries into the folder."""
    folder = Path(sys.argv[1])
    if not LEAN:
        raise SystemExit("only the lean compiler's kernels can be made into a module: install the numba it knows")
    emitting.set_features(frozenset())  # kernels choose no instructions here
    first = {"": vectors.DotProduct((), ALIGNMENT, product)}  # is taken
    vectors.DOT_PRODUCTS = first | vectors.DOT_PRODUCTS
    rows: list[Row] = []
    libraries: list[Any] = []
    kernels: dict[str, list[dict[str, Any]]] = {}
    for entry in entries():
        row, code = lower(entry)
        name = f"{entry.kernel.py_func.__module__}:{entry.kernel.py_func.__qualname__}"
        version = {"name": f"k{len(rows)}", "arguments": [described(kind) for kind in entry.arguments]}
        kernels.setdefault(name, []).append(version)
        rows.append(row)
        libraries.append(code)
    (folder / CODE).write_text(lean_text(str(linked(list(modules_of(libraries))))))
    (folder / ROWS).write_bytes(pickle.dumps((rows, sources() | {"kernels": kernels})))


if __name__ == "__main__":
    main()
