"""`shogi-engine doctor`: checks this installation, and writes the launchers that some GUIs need."""

import importlib.metadata
import os
import platform
import shlex
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

from shogi_engine import __version__
from shogi_engine.cli import common
from shogi_engine.cli.common import option
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common.files import write_whole
from shogi_engine.common.text import table
from shogi_engine.frontends.core import crash_log_path
from shogi_engine.games.shogi.names import FILE_EVALUATIONS, evaluation_of, read_scale, worth_table
from shogi_engine.language import Message, mark, translate as _
from shogi_engine.types.limits import Limit

ROOT = Path(__file__).resolve().parents[2]  # the folder of `shogi_engine` and `usi`
COMPILER = ("numba", "llvmlite")  # needed unless there is a compiled module
PACKAGES = ("numpy", "platformdirs", *COMPILER)
SHOWN_VARIABLES = (  # the report is published, and other variables may hold passwords
    "NUMBA_BOUNDSCHECK", "NUMBA_CACHE_DIR", "NUMBA_CPU_FEATURES", "NUMBA_CPU_NAME", "NUMBA_DEBUG", "NUMBA_DISABLE_JIT",
    "NUMBA_ENABLE_AVX", "NUMBA_NUM_THREADS", "NUMBA_OPT", "NUMBA_THREADING_LAYER", "SHOGI_ENGINE_CACHE_DIR",
    "SHOGI_ENGINE_KERNELS", "SHOGI_ENGINE_PLAIN_COMPILE", "SHOGI_ENGINE_WORKSHOP",
)  # fmt: skip
PERFT_DEPTH, PERFT_NODES = 4, 719731  # Shogi's starting position
SEARCH_MS = 1000
ANSWER_SECONDS = 2.0  # the shortest time that a GUI is known to wait for `usiok`


class Arguments(common.Arguments):
    """What is checked besides, or a launcher to write."""

    launcher: str | None = option(
        "instead, write a file that starts shogi-usi (.bat or a shell script)", metavar="FILE"
    )
    eval_file: Path | None = option("a file of weights to check too, such as nn.bin", type=Path)
    json: bool = common.JSON


def run(args: Arguments) -> int:
    """Print the report, or write a launcher."""
    if args.launcher:
        path = Path(args.launcher)
        write_launcher(path)
        text = _("{path} starts the engine; register it in the GUI").format(path=path.absolute())
        common.report(args.json, {"launcher": str(path.absolute())}, text)
        return 0
    file = args.eval_file
    facts = examine(evaluation_of(file) if file else "", file)
    common.report(args.json, facts, report(facts))
    return 1 if facts["problems"] else 0


def cpu_name() -> str:
    """Return the system's name for its processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def version(package: str) -> str:
    """Return the version of an installed package, 'missing' if there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "missing"


def has_module() -> bool:
    """Tell whether the compiled module is used, so that no compiler is needed."""
    from shogi_engine.jit.policy import compiled_module

    return compiled_module().state == ""


def kernels_here() -> str:
    """Say where the machine code of the kernels comes from."""
    from shogi_engine.jit.policy import compiled_module

    found = compiled_module()
    if has_module():
        return Message("in the compiled module, {0}", found.module.LEVEL)
    if found.state == "changed":
        return mark("compiled here; the compiled module is of other sources")
    return mark("compiled here")


def examine(evaluation: str = "", file: Path | None = None) -> dict[str, Any]:
    """Return the facts of this installation; `problems` is a list of sentences, empty if all is well.

    Compiles Shogi if it is not in the cache yet, counts a small tree of moves, searches for a second and starts the USI
    front end.

    Args:
        evaluation, file: as `Engine.set_evaluation` takes them
    """
    facts: dict[str, Any] = {
        "shogi_engine": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})",
        **{package: version(package) for package in PACKAGES},
        "system": platform.platform(),
        "cpu": cpu_name(),
        "cpus": os.cpu_count() or 1,
        "crash_log": str(crash_log_path()),
        "settings": {name: os.environ[name] for name in SHOWN_VARIABLES if name in os.environ},
    }
    facts["kernels"] = kernels_here()
    needed = [name for name in PACKAGES if name not in COMPILER or not has_module()]
    problems: list[str] = [Message("{0} is not installed", name) for name in needed if facts[name] == "missing"]
    facts["problems"] = problems
    try:
        examine_engine(facts, problems, evaluation, file)
    except Exception as failure:  # any failure belongs in the report
        problems.append(Message("the engine failed: {0}", repr(failure)))
    facts["usi_seconds"] = usi_seconds()
    if facts["usi_seconds"] is None:
        problems.append(mark("the USI front end does not answer"))
    elif facts["usi_seconds"] > ANSWER_SECONDS:
        problems.append(
            Message(
                "the USI front end takes {0:.1f} s to answer; some GUIs do not wait that long", facts["usi_seconds"]
            )
        )
    return facts


def examine_engine(facts: dict[str, Any], problems: list[str], evaluation: str = "", file: Path | None = None) -> None:
    """Check perft and a search, and add the results to `facts`."""
    from shogi_engine import jit
    from shogi_engine.engine import Engine

    facts["cache"] = None if has_module() else str(jit.cache_folder() or "")
    if jit.JIT_DISABLED:
        problems.append(mark("NUMBA_DISABLE_JIT is set: everything is a hundred times slower"))
    with Engine("shogi", hash_mb=16) as engine:
        try:
            engine.set_evaluation(evaluation, file)
        except ValueError as fault:
            problems.append(str(fault))
        began = time.perf_counter()
        with progress_bar():
            engine.warmup()
        board = engine.board()
        facts["ready_seconds"] = round(time.perf_counter() - began, 2)
        facts["evaluation"] = engine.searcher.evaluator.describe()
        if file is not None and not problems:
            facts["eval_file_mb"] = round(file.stat().st_size / 1e6, 1)
            facts["worth"] = worth_table(board.sfen(), lambda text: engine.evaluate(engine.board(text)))
            if evaluation in FILE_EVALUATIONS:
                facts["fv_scale"] = read_scale(file.parent)
        counted = engine.perft(board, PERFT_DEPTH)
        facts["perft_nodes"], facts["perft_seconds"] = counted.nodes, round(counted.seconds, 3)
        if counted.nodes != PERFT_NODES:
            problems.append(
                Message(
                    "perft {0} counted {1} leaves, not {2}: move generation is broken",
                    PERFT_DEPTH,
                    counted.nodes,
                    PERFT_NODES,
                )
            )
        found = engine.analyse(board, Limit.of(movetime=SEARCH_MS))
        facts["bestmove"], facts["depth"], facts["nodes"] = str(found.pv[0]), found.depth, found.nodes
        facts["nps"] = found.nps


def environment() -> dict[str, str]:
    """Return environment variables with which Python finds this package even if it is not installed."""
    installed = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}
    return {} if ROOT in installed else {"PYTHONPATH": str(ROOT)}


def usi_seconds() -> float | None:
    """Return how long the USI front end takes to start and answer `usi`, None if it does not."""
    began = time.perf_counter()
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-m", "usi"],
            input="usi\nquit\n",
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            env={**os.environ, **environment()},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return round(time.perf_counter() - began, 3) if "usiok" in process.stdout.splitlines() else None


def report(facts: dict[str, Any]) -> str:
    """Return `facts` as text to paste into a bug report."""
    rows = [(name, str(facts[name])) for name in ("shogi_engine", "python", *PACKAGES, "system")]
    rows.append(("cpu", _("{cpu}, {count} logical").format(cpu=facts["cpu"], count=facts["cpus"])))
    rows += [(name, value) for name, value in facts["settings"].items()]
    rows.append((_("kernels"), _(facts["kernels"])))
    if "ready_seconds" in facts:
        if facts["cache"] is not None:
            rows.append((_("cache"), facts["cache"] or _("no folder is writable: each start compiles again")))
        rows.append((_("ready after"), f"{facts['ready_seconds']} s"))
        rows.append((_("evaluation"), _(facts["evaluation"])))
    if "worth" in facts:
        scale = f", FV_SCALE {facts['fv_scale']}" if "fv_scale" in facts else ""
        rows.append((_("evaluation file"), f"{facts['eval_file_mb']} MB{scale}"))
        rows += [("" if number else _("piece worth"), line) for number, line in enumerate(facts["worth"])]
    if "nps" in facts:
        rows.append((f"perft {PERFT_DEPTH}", _("{perft_nodes} in {perft_seconds} s").format(**facts)))
        rows.append((_("search"), _("{bestmove}, depth {depth}, {nodes} nodes, {nps} nodes/s").format(**facts)))
    rows.append((_("crash log"), facts["crash_log"]))
    if facts["usi_seconds"] is not None:
        rows.append(("usi", _("answered after {usi_seconds} s").format(**facts)))
    rows += [(_("PROBLEM"), _(problem)) for problem in facts["problems"]]
    lines = table(rows, "<<")
    return "\n".join(lines if facts["problems"] else [*lines, _("no problems found")])


def launcher_text(windows: bool) -> str:
    """Return a script that starts the USI engine with this Python from any folder."""
    variables = environment()
    if "SHOGI_ENGINE_CACHE_DIR" in os.environ:
        variables["SHOGI_ENGINE_CACHE_DIR"] = str(Path(os.environ["SHOGI_ENGINE_CACHE_DIR"]).absolute())
    if windows:
        settings = [f'set "{name}={value}"' for name, value in variables.items()]
        command = [*settings, f'"{sys.executable}" -P -m usi']
        return "\r\n".join(["@echo off", "chcp 65001 >nul", *(line.replace("%", "%%") for line in command), ""])
    settings = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    return "\n".join(["#!/bin/sh", *settings, f"exec {shlex.quote(sys.executable)} -P -m usi", ""])


def write_launcher(path: Path) -> None:
    """Write a launcher: for Windows if the name ends in .bat or .cmd, else a shell script. Raises OSError.

    An existing file is not overwritten.
    """
    windows = path.suffix.lower() in (".bat", ".cmd")
    write_whole(path, launcher_text(windows).encode(), new=True)
    if not windows:
        path.chmod(0o755)
