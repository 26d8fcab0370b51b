"""The lowered kernels and their wrappers in one LLVM module, optimised as a whole, emitted for a target and linked."""

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm, ir

from shogi_engine.jit.vectors import ALIGNMENT
from shogi_engine.jit.workshop import vectors
from tools.kernels import Level, Target, lowering
from tools.kernels.wrappers import DATA, FUNCTIONS, declarations, method_table

INIT = "PyInit__kernels"
MATH = ("exp", "log", "sqrtf")  # of C's functions that the linker's own library has, those that kernels call
CALLED = re.compile(r"llvm\.(pow|powi|exp10|ldexp|frexp|asin|acos|atan2?|sinh|cosh|tanh)\.")  # LLVM calls others
NAMED = re.compile(rb"[\w./+-]+\.(?:dll|dylib|so[.\d]*)(?=\0)", re.IGNORECASE)  # a library's file
NEEDED: dict[str, set[str]] = {
    "linux": set(),
    "windows": {"python3.dll"},
    "macos": {"/usr/lib/libSystem.B.dylib"},
}  # by the system
SPEED = 3  # LLVM's level of optimisation

# The module's beginning. %def's methods are those of the CPU: `supports_<n>` asks for the n-th level.
START = """
%Definition = type {{ [5 x i64], ptr, ptr, i64, ptr, ptr, ptr, ptr, ptr }}
{declarations}
{tables}
@module_name = internal constant [9 x i8] c"_kernels\\00"
@manifest_name = internal constant [9 x i8] c"MANIFEST\\00"
@level_name = internal constant [6 x i8] c"LEVEL\\00"
@text_cpu = {too_old}
@manifest = {manifest}
{levels}
@definition = internal global %Definition {{ [5 x i64] [i64 1, i64 0, i64 0, i64 0, i64 0], ptr @module_name, ptr null,
  i64 -1, ptr null, ptr null, ptr null, ptr null, ptr null }}
{cpu}
define {export}ptr @{init}() {{
{choice}
use:
  %methods = phi ptr {methods}
  %level = phi ptr {names}
  %place = getelementptr %Definition, ptr @definition, i32 0, i32 4
  store ptr %methods, ptr %place
  %module = call ptr @PyModule_Create2(ptr @definition, i32 3)
  %missing = icmp eq ptr %module, null
  br i1 %missing, label %end, label %fill
fill:
  %a = call i32 @PyModule_AddStringConstant(ptr %module, ptr @manifest_name, ptr @manifest)
  %b = call i32 @PyModule_AddStringConstant(ptr %module, ptr @level_name, ptr %level)
  br label %end
end:
  ret ptr %module
none:
  %error = load ptr, ptr @PyExc_ImportError
  call void @PyErr_SetString(ptr %error, ptr @text_cpu)
  ret ptr null
}}
"""

# What an x86-64 CPU supports, by cpuid: (leaf, register) -> the bits that must be set. See the x86-64 psABI.
CPUID: dict[str, dict[tuple[int, int], tuple[int, ...]]] = {
    "x86-64-v2": {(1, 2): (0, 9, 13, 19, 20, 23)},  # SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT
    "x86-64-v3": {
        (1, 2): (12, 22, 27, 28, 29),  # FMA, MOVBE, OSXSAVE, AVX, F16C
        (7, 1): (3, 5, 8),  # BMI1, AVX2, BMI2
        (0x80000001, 2): (5,),  # LZCNT
    },
}
ASK = """
define internal i32 @cpuid(i32 %leaf, i32 %register) noinline {
  %r = call { i32, i32, i32, i32 } asm sideeffect "cpuid", "={ax},={bx},={cx},={dx},{ax},{cx}"(i32 %leaf, i32 0)
  %b = extractvalue { i32, i32, i32, i32 } %r, 1
  %c = extractvalue { i32, i32, i32, i32 } %r, 2
  %is_b = icmp eq i32 %register, 1
  %value = select i1 %is_b, i32 %b, i32 %c
  ret i32 %value
}
define internal i1 @keeps_avx() noinline {
  %r = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx}"(i32 0)
  %low = extractvalue { i32, i32 } %r, 0
  %both = and i32 %low, 6
  %kept = icmp eq i32 %both, 6
  ret i1 %kept
}
"""


def _supports(number: int, cpu: str) -> str:
    """Return the function that tells whether the CPU is at least `cpu`."""
    lines = [f"define internal i1 @supports_{number}() {{"]
    for step, ((leaf, register), bits) in enumerate(CPUID[cpu].items()):
        mask = sum(1 << bit for bit in bits)
        lines += [f"  %v{step} = call i32 @cpuid(i32 {leaf - (1 << 32 if leaf >> 31 else 0)}, i32 {register})"]
        lines += [f"  %m{step} = and i32 %v{step}, {mask}", f"  %h{step} = icmp eq i32 %m{step}, {mask}"]
        lines += [f"  br i1 %h{step}, label %next{step}, label %no", f"next{step}:"]
    lines += ["  %kept = call i1 @keeps_avx()", "  ret i1 %kept"] if cpu == "x86-64-v3" else ["  ret i1 true"]
    return "\n".join([*lines, "no:", "  ret i1 false", "}"])


def _text(text: str) -> str:
    """Return a constant with `text`, ASCII, as C has it."""
    escaped = "".join(char if char.isalnum() or char in " ._-:/,{}[]" else f"\\{ord(char):02x}" for char in text)
    return f'internal constant [{len(text) + 1} x i8] c"{escaped}\\00"'


def start(target: Target, manifest: str) -> str:
    """Return the LLVM code of the module's beginning, which chooses the table of methods for the CPU."""
    choice, methods, names, asks = ["begin:"], [], [], ""
    if len(target.levels) > 1:
        asks = ASK + "\n".join(_supports(n, level.cpu) for n, level in enumerate(target.levels))
        for number in reversed(range(len(target.levels))):
            choice += [f"  %is_{number} = call i1 @supports_{number}()"]
            choice += [f"  br i1 %is_{number}, label %use, label %not_{number}", f"not_{number}:"]
            source = "%begin" if number == len(target.levels) - 1 else f"%not_{number + 1}"
            methods.append(f"[ @methods_{number}, {source} ]")
            names.append(f"[ @level_{number}, {source} ]")
        choice.append("  br label %none")
    else:
        choice.append("  br i1 true, label %use, label %none")
        methods, names = ["[ @methods_0, %begin ]"], ["[ @level_0, %begin ]"]
    numbered = list(enumerate(target.levels))
    return START.format(
        declarations=declarations(target.is_windows),
        tables="\n".join(f"@methods_{number} = external global ptr" for number, _ in numbered),
        levels="\n".join(f"@level_{number} = {_text(level.cpu)}" for number, level in numbered),
        too_old=_text("this CPU lacks instructions of x86-64-v2"),
        manifest=_text(manifest),
        cpu=asks,
        export="dllexport " if target.is_windows else "",
        init=INIT,
        choice="\n".join(choice),
        methods=", ".join(methods),
        names=", ".join(names),
    ).replace("LONG", "i32" if target.is_windows else "i64")


def machine(target: Target, level: Level) -> Any:
    """Return LLVM's description of a target."""
    triple = llvm.Target.from_triple(target.triple)
    return triple.create_target_machine(cpu=level.cpu, opt=SPEED, reloc="pic", codemodel="default")


def parse(text: str, target: Target, tm: Any) -> Any:
    """Return a module for a target."""
    module = llvm.parse_assembly(f'target triple = "{target.triple}"\n{text}')
    module.data_layout = str(tm.target_data)
    return module


def optimise(module: Any, tm: Any) -> None:
    """Run LLVM's passes on the whole module."""
    options = llvm.create_pipeline_tuning_options(speed_level=SPEED)
    options.loop_vectorization, options.slp_vectorization = True, False  # as numba does
    builder = llvm.create_pass_builder(tm, options)
    builder.getModulePassManager().run(module, builder)


def product(name: str) -> str:
    """Return the LLVM code of the product of bytes that the kernels call: the one of DOT_PRODUCTS called `name`."""
    module, total, bytes_ = ir.Module(), ir.VectorType(vectors.I32, vectors.SUMS), ir.VectorType(vectors.I8, ALIGNMENT)
    function = ir.Function(module, ir.FunctionType(total, (total, bytes_, bytes_)), lowering.PRODUCT)
    function.attributes.add("alwaysinline")
    builder = ir.IRBuilder(function.append_basic_block())
    builder.ret(vectors.DOT_PRODUCTS[name].emit(builder, *function.args))
    return str(module)


def compile_level(target: Target, number: int, lowered: Path) -> bytes:
    """Return the object of all kernels and wrappers for one kind of CPU."""
    level = target.levels[number]
    tm = machine(target, level)
    rows, _ = pickle.loads((lowered / lowering.ROWS).read_bytes())
    table = f"methods_{number}"
    wrappers = declarations(target.is_windows) + method_table(table, rows)
    calls = "\n".join(sorted(set(re.findall(r'@"[^"]+"', wrappers))))
    kernels = parse((lowered / lowering.CODE).read_text(), target, tm)
    kernels.link_in(parse(product(level.product), target, tm))
    declared = []
    for symbol in calls.splitlines():
        function = kernels.get_function(symbol[2:-1])
        declared.append(f"declare i32 {symbol}({', '.join(str(each.type) for each in function.arguments)})")
    text = (wrappers + "\n".join(declared)).replace("LONG", "i32" if target.is_windows else "i64")
    whole = parse(text, target, tm)
    whole.link_in(kernels)
    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "internal"
    whole.verify()
    optimise(whole, tm)
    named = {
        each.name
        for each in whole.functions
        if each.is_declaration and (not each.name.startswith("llvm.") or CALLED.match(each.name))
    }
    outside = sorted(named - {*FUNCTIONS, *MATH})
    if outside:
        raise SystemExit(f"kernels call what is not there: {', '.join(outside)}")
    return bytes(tm.emit_object(whole))


def zig(*words: str) -> None:
    """Run the linker."""
    subprocess.run([sys.executable, "-m", "ziglang", *words], check=True)


def link(target: Target, objects: list[Path], out: Path) -> None:
    """Link a module that needs no library but, on Windows, python3.dll, and on macOS, its system's."""
    names = [str(each) for each in objects]
    if target.is_macos:
        extra = ["-nostdlib", "-s", "-Wl,-undefined,dynamic_lookup", f"-Wl,-install_name,{out.name}"]
        zig("cc", "-shared", "-target", target.zig, "-o", str(out), *names, *extra)
        return
    extra = ["-fallow-shlib-undefined"]
    if target.is_windows:
        definitions, library = out.with_suffix(".def"), out.with_suffix(".lib")
        exports = [*FUNCTIONS, *(f"{name} DATA" for name in DATA)]
        definitions.write_text("\n".join(["LIBRARY python3.dll", "EXPORTS", *exports]) + "\n")
        arm = ["-m", "arm64"] if target.zig.startswith("aarch64") else ["-m", "i386:x86-64"]
        zig("dlltool", *arm, "-D", "python3.dll", "-d", str(definitions), "-l", str(library))
        extra = [str(library), "-fno-entry"]
    zig("build-lib", "-dynamic", "-fcompiler-rt", "-fstrip", "-OReleaseFast", "-target", target.zig, *names, *extra,
        f"-femit-bin={out}", "-fno-emit-implib" if target.is_windows else "-fsoname=_kernels.abi3.so")  # fmt: skip


def libraries(file: Path) -> set[str]:
    """Return the names of libraries in a linked file, other than its own name."""
    return {name.decode() for name in NAMED.findall(file.read_bytes())} - {file.name}


def build(target: Target, lowered: Path, folder: Path) -> Path:
    """Make the module for a target in `folder`, of what lowering.py has written into `lowered`; return its file."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_target()
    llvm.initialize_native_asmparser()  # for inline assembly
    objects = []
    for number in range(len(target.levels)):
        objects.append(folder / f"level{number}.o")
        objects[-1].write_bytes(compile_level(target, number, lowered))
    _, manifest = pickle.loads((lowered / lowering.ROWS).read_bytes())
    tm = machine(target, target.levels[0])
    objects.append(folder / "start.o")
    beginning = start(target, json.dumps(manifest, separators=(",", ":")))
    objects[-1].write_bytes(tm.emit_object(parse(beginning, target, tm)))
    out = folder / target.file
    link(target, objects, out)
    if outside := libraries(out) - NEEDED[target.zig.split("-")[1]]:
        raise SystemExit(f"{out.name} for {target.zig} needs {', '.join(sorted(outside))}")
    return out
