"""A process and its children end together."""

import subprocess
import sys

from shogi_engine.clients.base.process_group import APART, ProcessGroup

# A launcher: its child holds the pipe open for as long as it lives.
LAUNCHER = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]).wait()"
CHILD = "import time; print('alive', flush=True); time.sleep(2); print('survived')"


def test_a_launcher_is_killed_with_what_it_started():
    command = [sys.executable, "-S", "-c", LAUNCHER.format(child=CHILD)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, **APART) as process:
        group = ProcessGroup(process.pid)
        assert process.stdout.readline().strip() == b"alive"
        group.kill()
        assert process.stdout.read() == b"" and process.wait() != 0
        group.close()
        group.close()
