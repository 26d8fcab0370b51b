"""The output files of commands, checked before hours of work."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from shogi_engine.common.files import AnyPath, is_same_file


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
            raise ValueError(f"{command}: there is no folder {target.parent} to write {target.name} to")
        if target.is_dir():
            raise ValueError(f"{command}: {option} must be a file, and {path} is a folder")
        if any(is_same_file(path, each) for each in read):
            raise ValueError(f"{command}: {option} would overwrite {path}, which is read")
        for other, earlier in written.items():
            if is_same_file(path, earlier):
                raise ValueError(f"{command}: {other} and {option} would write the same file {path}")
        written[option] = path
