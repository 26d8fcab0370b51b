"""The output files of commands, checked before hours of work."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from shogi_engine.common.files import AnyPath, is_same_file
from shogi_engine.language import InputError


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
