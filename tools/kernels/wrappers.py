"""Wrappers: functions of Python's stable ABI (3.11), as LLVM code, that unpack arguments and call a kernel.

A record is taken by its memory, whose size is checked; an array must be C-contiguous, with the right number of axes and
the right size of an element. Dtypes are not compared here: shogi_engine/jit/policy.py chooses the version by them.
"""

from dataclasses import dataclass, field

# C's types of Python's functions that wrappers call, as (result, arguments); LONG is C's long.
FUNCTIONS = {
    "PyLong_AsLongLong": ("i64", "ptr"),
    "PyLong_AsUnsignedLongLongMask": ("i64", "ptr"),
    "PyLong_FromLongLong": ("ptr", "i64"),
    "PyLong_FromUnsignedLongLong": ("ptr", "i64"),
    "PyBool_FromLong": ("ptr", "LONG"),
    "PyFloat_FromDouble": ("ptr", "double"),
    "PyFloat_AsDouble": ("double", "ptr"),
    "PyObject_IsTrue": ("i32", "ptr"),
    "PyObject_GetBuffer": ("i32", "ptr, ptr, i32"),
    "PyBuffer_Release": ("void", "ptr"),
    "PyTuple_New": ("ptr", "i64"),
    "PyTuple_SetItem": ("i32", "ptr, i64, ptr"),
    "PyErr_Occurred": ("ptr", ""),
    "PyErr_SetString": ("void", "ptr, ptr"),
    "PyEval_SaveThread": ("ptr", ""),
    "PyEval_RestoreThread": ("void", "ptr"),
    "Py_IncRef": ("void", "ptr"),
    "PyModule_Create2": ("ptr", "ptr, i32"),
    "PyModule_AddStringConstant": ("i32", "ptr, ptr, ptr"),
}
DATA = ("PyExc_TypeError", "PyExc_ImportError", "_Py_NoneStruct")  # Python's variables
BUFFER_WORDS = 12  # of a Py_buffer, with space to spare: buf, obj, len, itemsize, readonly and ndim, format, shape, ...
SIMPLE, C_CONTIGUOUS = 0, 0x38  # flags of PyObject_GetBuffer; with a format, numpy takes 100 us
FASTCALL = 0x80
TEXTS = {"count": "the number of arguments is wrong", "shape": "a record or array of another size or shape"}


@dataclass(frozen=True)
class Number:
    """An argument or result: an integer, a float or a bool.

    Attributes:
        llvm: its type in the kernel
    """

    llvm: str
    signed: bool = True
    is_bool: bool = False


@dataclass(frozen=True)
class Memory:
    """An argument that is a record, or an array if it has axes; `size` is that of the record or of an element."""

    size: int
    axes: int = 0


@dataclass(frozen=True)
class Row:
    """A kernel to be wrapped: its LLVM function, what it takes, what it returns, whether the GIL is released."""

    symbol: str
    arguments: tuple[Number | Memory, ...]
    results: tuple[Number, ...]
    is_tuple: bool
    release_gil: bool


@dataclass
class _Code:
    """The code of one wrapper as it grows."""

    lines: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)  # the arguments of the kernel

    def __call__(self, *lines: str) -> None:
        self.lines += [f"  {line}" for line in lines]

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def check(self, condition: str, name: str, otherwise: str) -> None:
        """Continue at the label `name` if `condition` holds."""
        self(f"br i1 {condition}, label %{name}, label %{otherwise}")
        self.label(name)


def _take_number(code: _Code, i: int, kind: Number) -> None:
    """Read a number; an exception of Python's is passed on."""
    if kind.is_bool:
        code(f"%v{i} = call i32 @PyObject_IsTrue(ptr %o{i})", f"%n{i} = icmp sge i32 %v{i}, 0")
        code.check(f"%n{i}", f"ok{i}", "fail")
        code(f"%t{i} = trunc i32 %v{i} to i8")
        code.passed.append(f"i8 %t{i}")
        return
    wide, name = ("i64", "PyLong_AsLongLong" if kind.signed else "PyLong_AsUnsignedLongLongMask")
    compare = f"icmp ne i64 %v{i}, -1"
    if kind.llvm in ("float", "double"):
        wide, name, compare = "double", "PyFloat_AsDouble", f"fcmp une double %v{i}, -1.0"
    code(f"%v{i} = call {wide} @{name}(ptr %o{i})", f"%n{i} = {compare}")
    code(f"br i1 %n{i}, label %ok{i}, label %maybe{i}")  # -1 may be the number, or an error
    code.label(f"maybe{i}")
    code(f"%e{i} = call ptr @PyErr_Occurred()", f"%z{i} = icmp eq ptr %e{i}, null")
    code.check(f"%z{i}", f"ok{i}", "fail")
    if kind.llvm == wide:
        code.passed.append(f"{wide} %v{i}")
    else:
        code(f"%t{i} = {'fptrunc' if wide == 'double' else 'trunc'} {wide} %v{i} to {kind.llvm}")
        code.passed.append(f"{kind.llvm} %t{i}")


def _take_memory(code: _Code, i: int, kind: Memory) -> None:
    """Read the address of a record; of an array also the number, size, shape and strides, as numba passes them."""

    def word(name: str, number: int, llvm: str) -> str:
        code(f"%{name}p{i} = getelementptr i64, ptr %b{i}, i64 {number}", f"%{name}{i} = load {llvm}, ptr %{name}p{i}")
        return f"%{name}{i}"

    flags = C_CONTIGUOUS if kind.axes else SIMPLE
    code(f"%g{i} = call i32 @PyObject_GetBuffer(ptr %o{i}, ptr %b{i}, i32 {flags})", f"%y{i} = icmp eq i32 %g{i}, 0")
    code.check(f"%y{i}", f"have{i}", "fail")
    data, length = word("d", 0, "ptr"), word("l", 2, "i64")
    if not kind.axes:
        code(f"%s{i} = icmp eq i64 {length}, {kind.size}")
        code.check(f"%s{i}", f"ok{i}", "shape")
        code.passed.append(f"ptr {data}")
        return
    size = word("i", 3, "i64")
    code(f"%np{i} = getelementptr i8, ptr %b{i}, i64 36", f"%axes{i} = load i32, ptr %np{i}")
    code(f"%sa{i} = icmp eq i32 %axes{i}, {kind.axes}", f"%sb{i} = icmp eq i64 {size}, {kind.size}")
    code(f"%s{i} = and i1 %sa{i}, %sb{i}")
    code.check(f"%s{i}", f"ok{i}", "shape")
    code(f"%c{i} = sdiv i64 {length}, {kind.size}")
    code.passed += ["ptr null", "ptr null", f"i64 %c{i}", f"i64 {size}", f"ptr {data}"]
    for name, number in (("h", 6), ("r", 7)):  # shape and strides
        table = word(name, number, "ptr")
        for axis in range(kind.axes):
            code(f"%{name}q{i}_{axis} = getelementptr i64, ptr {table}, i64 {axis}")
            code(f"%{name}{i}_{axis} = load i64, ptr %{name}q{i}_{axis}")
            code.passed.append(f"i64 %{name}{i}_{axis}")


def _give_number(code: _Code, tag: str, kind: Number, place: str) -> str:
    """Make Python's object of a result; return its name."""
    code(f"%r{tag} = load {kind.llvm}, ptr {place}")
    value, result = f"%r{tag}", f"%object{tag}"
    if kind.is_bool:
        code(f"%x{tag} = zext i8 {value} to LONG", f"{result} = call ptr @PyBool_FromLong(LONG %x{tag})")
    elif kind.llvm in ("float", "double"):
        if kind.llvm == "float":
            code(f"%x{tag} = fpext float {value} to double")
            value = f"%x{tag}"
        code(f"{result} = call ptr @PyFloat_FromDouble(double {value})")
    else:
        if kind.llvm != "i64":
            code(f"%x{tag} = {'sext' if kind.signed else 'zext'} {kind.llvm} {value} to i64")
            value = f"%x{tag}"
        code(f"{result} = call ptr @PyLong_From{'' if kind.signed else 'Unsigned'}LongLong(i64 {value})")
    return result


def _give_results(code: _Code, row: Row) -> None:
    if not row.results:
        code("call void @Py_IncRef(ptr @_Py_NoneStruct)", "ret ptr @_Py_NoneStruct")
        return
    if not row.is_tuple:
        code(f"ret ptr {_give_number(code, '', row.results[0], '%ret')}")
        return
    struct = "{ " + ", ".join(each.llvm for each in row.results) + " }"
    code(f"%tuple = call ptr @PyTuple_New(i64 {len(row.results)})")
    for k, kind in enumerate(row.results):
        code(f"%place{k} = getelementptr {struct}, ptr %ret, i32 0, i32 {k}")
        made = _give_number(code, f"_{k}", kind, f"%place{k}")
        code(f"%set{k} = call i32 @PyTuple_SetItem(ptr %tuple, i64 {k}, ptr {made})")
    code("ret ptr %tuple")


def wrapper(name: str, row: Row) -> str:
    """Return the LLVM code of the function `name`, which Python calls (METH_FASTCALL), for a kernel."""
    code = _Code(passed=["ptr %ret", "ptr %exc"])
    code(f"%right = icmp eq i64 %count, {len(row.arguments)}")
    code.check("%right", "go", "wrong_count")
    code("%ret = alloca [16 x i64], align 16", "%exc = alloca ptr", "store [16 x i64] zeroinitializer, ptr %ret")
    held = [i for i, kind in enumerate(row.arguments) if isinstance(kind, Memory)]
    for i in held:  # a Py_buffer of zeros may be released
        code(f"%b{i} = alloca [{BUFFER_WORDS} x i64], align 16")
        code(f"store [{BUFFER_WORDS} x i64] zeroinitializer, ptr %b{i}")
    for i, kind in enumerate(row.arguments):
        code(f"%p{i} = getelementptr ptr, ptr %arguments, i64 {i}", f"%o{i} = load ptr, ptr %p{i}")
        if isinstance(kind, Memory):
            _take_memory(code, i, kind)
        else:
            _take_number(code, i, kind)
    if row.release_gil:
        code("%state = call ptr @PyEval_SaveThread()")
    code(f'%status = call i32 @"{row.symbol}"({", ".join(code.passed)})')  # 0: no kernel raises
    if row.release_gil:
        code("call void @PyEval_RestoreThread(ptr %state)")
    release = [f"call void @PyBuffer_Release(ptr %b{i})" for i in held]
    code(*release)
    _give_results(code, row)
    code.label("shape")
    code("%t_shape = load ptr, ptr @PyExc_TypeError", "call void @PyErr_SetString(ptr %t_shape, ptr @text_shape)")
    code("br label %fail")
    code.label("fail")
    code(*release, "ret ptr null")
    code.label("wrong_count")
    code("%t_count = load ptr, ptr @PyExc_TypeError", "call void @PyErr_SetString(ptr %t_count, ptr @text_count)")
    code("ret ptr null")
    head = f"define internal ptr @{name}(ptr %self, ptr %arguments, i64 %count) {{\n"
    return head + "\n".join(code.lines) + "\n}\n"


def declarations(windows: bool) -> str:
    """Return the declarations of what wrappers use of Python's."""
    lines = [f"declare {result} @{name}({taken})" for name, (result, taken) in FUNCTIONS.items()]
    lines += [f"@{name} = external {'dllimport ' if windows else ''}global ptr" for name in DATA]
    lines += [f'@text_{name} = internal constant [{len(text) + 1} x i8] c"{text}\\00"' for name, text in TEXTS.items()]
    return "\n".join(lines) + "\n"


def method_table(name: str, rows: list[Row]) -> str:
    """Return the LLVM code of the wrappers of all rows and of their table, `name`; row n is Python's function k<n>."""
    parts, table = [], []
    for number, row in enumerate(rows):
        code = wrapper(f"wrapper{number}", row)
        parts.append(code)
        parts.append(f'@name{number} = internal constant [{len(str(number)) + 2} x i8] c"k{number}\\00"\n')
        table.append(f"%Method {{ ptr @name{number}, ptr @wrapper{number}, i32 {FASTCALL}, ptr null }}")
    table.append("%Method zeroinitializer")
    parts.append(f"@{name} = global [{len(table)} x %Method] [{', '.join(table)}]\n")
    return "%Method = type { ptr, ptr, i32, ptr }\n" + "".join(parts)
