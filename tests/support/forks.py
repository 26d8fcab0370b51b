"""Python commands as forks of a process that has loaded what they import: a start costs a tenth of a new one's.

There are two such servers. One has the package, and the kernels that front ends load in any case; the other, for
commands with a package, a cache of kernels or a search path of their own, has only the packages of others. A command
sees its own arguments, environment, folder, search path, streams and umask, and ends as any Python does. The seed of
hashes is the server's, and so is what Python and numba read of the environment when they start: where that differs,
or Python has options, a new process starts; so it does where the system is not Linux.
"""

import atexit
import contextlib
import fcntl
import functools
import gc
import importlib.util
import json
import os
import runpy
import select
import socket
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PIPE = subprocess.PIPE
OTHERS = tuple(name for name in ("numba", "numpy", "shogi") if importlib.util.find_spec(name))  # numba may be missing
OURS = ("shogi", "usi.loop", "shogi_engine.__main__")
KERNELS = {"usi": "shogi", "gtp": "othello", "nboard": "othello"}  # of commands
READ_AT_START = ("PYTHON", "NUMBA_", "SHOGI_ENGINE_")
READ_LATER = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONIOENCODING", "NUMBA_CACHE_DIR"}
READ_BY_PACKAGE = {"SHOGI_ENGINE_CACHE_DIR", "SHOGI_ENGINE_PLAIN_COMPILE"}  # without numba


# ---- the server


def serve(control: socket.socket, *names: str) -> None:
    """Import `names`, and start a command for each request of `control`, until its other end is closed."""
    for name in names:
        importlib.import_module(name)
    while True:
        request, streams, _, _ = socket.recv_fds(control, 1 << 18, 4)
        if not request:
            return
        command = json.loads(request)
        for word in command["words"]:
            if word in KERNELS and names == OURS:
                load_kernels(KERNELS[word])
        if not os.fork():  # a process that waits for the command
            control.close()
            if not (child := os.fork()):
                os.close(streams.pop())
                become(command, streams)
                return
            os.write(streams[3], struct.pack("i", child))
            for stream in (0, 1, 2, *streams[:3]):
                os.close(stream)
            os.write(streams[3], struct.pack("i", os.waitpid(child, 0)[1]))
            os._exit(0)
        for stream in streams:
            os.close(stream)
        while select.select([control], [], [], 0.5) == ([], [], []):
            bury()
        bury()


def bury() -> None:
    """Take note of the processes that have ended: what they used counts as this one's."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


@functools.cache
def load_kernels(game: str) -> None:
    """Load a game's kernels, and leave no thread behind, which no fork would have."""
    from shogi_engine.engine import Engine

    engine = Engine(game, hash_mb=1)
    engine.warmup()
    if game == "shogi":
        engine.load_solver()
    del engine
    gc.collect()
    gc.freeze()
    assert threading.active_count() == 1


def become(command: dict[str, Any], streams: Sequence[int]) -> None:
    """Be the command: a file, `-m NAME` or `-c CODE`, `-P` before it, its arguments behind it."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ.clear()
    os.environ.update(command["environment"])
    os.umask(command["umask"])
    os.chdir(command["folder"])
    if os.isatty(0):  # it is the terminal of this process alone
        with contextlib.suppress(OSError):
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":")
    how: dict[str, Any] = {"encoding": encoding or sys.stdout.encoding, "closefd": False}
    sys.stdin = open(0, errors=errors or sys.stdin.errors, **how)  # noqa: SIM115
    sys.stdout = open(1, "w", 1 if os.isatty(1) else -1, errors=errors or sys.stdout.errors, **how)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="backslashreplace", **how)  # noqa: SIM115
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.pycache_prefix = os.environ.get("PYTHONPYCACHEPREFIX")
    sys.path[:] = [*os.environ["PYTHONPATH"].split(os.pathsep), *(each for each in sys.path[1:] if each not in given)]
    kind, *words = command["words"]
    if kind == "-P":
        kind, *words = words
    else:
        sys.path.insert(0, "" if kind == "-c" else command["folder"])
    sys.argv = [kind, *words] if kind[0] != "-" else words if kind == "-m" else ["-c", *words[1:]]
    if kind == "-m":
        sys.modules.pop(f"{words[0]}.__main__", None)  # it becomes __main__
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        exec(compile(words[0], "<string>", "exec"), sys.modules["__main__"].__dict__)
    else:
        runpy.run_path(kind, run_name="__main__")


# ---- those who ask it


@functools.cache
def server(*names: str) -> socket.socket:
    """Return the connection to the server that has imported `names`."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    code = "import socket; from tests.support import forks; "
    code += f"forks.serve(socket.socket(fileno={theirs.fileno()}), *{names})"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    nothing: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-c", code], pass_fds=[theirs.fileno()], env=environment, **nothing)
    theirs.close()
    atexit.register(process.wait)  # after the connection is closed
    atexit.register(ours.close)
    return ours


def server_for(command: Sequence[str], environment: Mapping[str, str]) -> socket.socket | None:
    """Return the server in which a command sees what it would see in a new process."""
    if sys.platform != "linux" or command[0] != sys.executable or command[1] in ("-S", "-W"):
        return None
    named = {name for name in {*environment, *os.environ} if name.startswith(READ_AT_START)}
    other = {name for name in named if environment.get(name) != os.environ.get(name)} - READ_LATER
    ours = {"", str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)}
    if not other and ours.issuperset(environment["PYTHONPATH"].split(os.pathsep)):
        return server(*OURS)
    return server(*OTHERS) if other <= READ_BY_PACKAGE else None


class Popen(subprocess.Popen[Any]):
    """A command as a fork."""

    def __init__(self, asked: socket.socket, command: Sequence[str], **named: Any) -> None:
        self._asked = asked
        super().__init__(command, **named)

    def _execute_child(self, command: Sequence[str], *rest: Any) -> None:
        folder, environment = rest[4:6]
        ends = rest[9:15]  # the child's and this process's of each stream; -1: that of this process
        streams = [own if end == -1 else end for own, end in enumerate((ends[0], ends[3], ends[5]))]
        os.umask(umask := os.umask(0))
        words = [*map(str, command[1:])]
        request = {"words": words, "folder": str(folder), "environment": dict(environment), "umask": umask}
        self._report, theirs = os.pipe()
        socket.send_fds(self._asked, [json.dumps(request).encode()], [*streams, theirs])
        os.close(theirs)
        (self.pid,) = struct.unpack("i", os.read(self._report, 4))
        self._child_created = True
        self._close_pipe_fds(*ends)  # type: ignore[attr-defined]

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if flags & os.WNOHANG and not select.select([self._report], [], [], 0)[0]:
            return 0, 0
        (status,) = struct.unpack("i", os.read(self._report, 4))
        os.close(self._report)
        return self.pid, status

    def _internal_poll(self, **_: Any) -> int | None:
        if self.returncode is None:
            pid, status = self._try_wait(os.WNOHANG)
            if pid:
                self._handle_exitstatus(status)  # type: ignore[attr-defined]
        return self.returncode


def start(
    command: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path | None = None, **streams: Any
) -> subprocess.Popen[Any]:
    """Start a command as subprocess.Popen does, in the root of the repository, with its modules."""
    environment = {"PYTHONPATH": str(ROOT)} | dict(os.environ if env is None else env)
    asked = server_for(command, environment)
    if asked is None:
        return subprocess.Popen(command, env=environment, cwd=cwd or ROOT, **streams)
    return Popen(asked, command, env=environment, cwd=cwd or ROOT, **streams)


def run(command: Sequence[str], said: str = "", timeout: float = 900, **named: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end with `said` as its input; its output is kept."""
    with start(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, encoding="utf-8", **named) as process:
        try:
            out, err = process.communicate(said, timeout)
        finally:
            process.kill()
    return subprocess.CompletedProcess(command, process.returncode, out, err)
