"""The output files of commands, checked before hours of work, and each written whatever becomes of the others."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from shogi_engine.cli.common import tell
from shogi_engine.common.files import AnyPath, is_same_file
from shogi_engine.language import InputError, translate_fault


class Attempts:
    """Writes of several outputs. If one fails, on a full disk for instance, the others are tried too."""

    def __init__(self) -> None:
        self._faults: list[Exception] = []

    def __call__(self, write: Callable[..., object], *arguments: object) -> None:
        """Call `write(*arguments)` and keep its fault, an OSError or ValueError."""
        try:
            write(*arguments)
        except (OSError, ValueError) as fault:
            self._faults.append(fault)

    def end(self) -> None:
        """Print all faults but the last on stderr, and raise that one."""
        for fault in self._faults[:-1]:
            tell(f"shogi-engine: {translate_fault(fault)}")
        if self._faults:
            raise self._faults[-1]


def check_outputs(command: str, outputs: Mapping[str, AnyPath | None], inputs: Iterable[AnyPath | None] = ()) -> None:
    """Raise ValueError if an output has no folder or is one, or would overwrite an input or another output.

    Args:
        outputs: by their options; None or '' if an option is not given
        inputs: the files to be read, None or '' if they are not given
    """
    read = [path for path in inputs if path]
    written: dict[str, AnyPath] = {}
    for option, path in outputs.items():
        if not path:
            continue
        target = Path(path)
        if not target.absolute().parent.is_dir():
            raise InputError("{0}: there is no folder {1} to write {2} to", command, target.parent, target.name)
        if target.is_dir():
            raise InputError("{0}: {1} must be a file, and {2} is a folder", command, option, path)
        if any(is_same_file(path, each) for each in read):
            raise InputError("{0}: {1} would overwrite {2}, which is read", command, option, path)
        for other, earlier in written.items():
            if is_same_file(path, earlier):
                raise InputError("{0}: {1} and {2} would write the same file {3}", command, other, option, path)
        written[option] = path
