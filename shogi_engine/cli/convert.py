"""`shogi-engine convert`: writes the games of a file, or of the files of a folder, in another format."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shogi_engine import records
from shogi_engine.cli import common
from shogi_engine.cli.common import DRAWN, STANDARD, check_outputs, draw, drawn_by, flag, option, positional
from shogi_engine.common.files import write_whole
from shogi_engine.common.text import printable
from shogi_engine.language import InputError, plural, translate as _, translate_fault
from shogi_engine.records.formats import format_names


class Arguments(common.Arguments):
    """What is read and written, and in which formats."""

    input: str = positional(
        "IN", "the record, whose format is recognised, or a folder of records; - for standard input"
    )
    output: str = positional(
        "OUT",
        "the file, whose extension tells the format, or the folder; - for standard output. .svg, .png: a diagram "
        "(.book.svg: as in books); .html: a page of diagrams to print",
    )
    source: str = option("the format of IN", "--from", choices=format_names(), default="")
    target: str = option("the format of OUT", "--to", choices=[*format_names(), *DRAWN], default="")
    encoding: str = option("encoding of OUT: utf-8, cp932 ...; default: that of the format", default="", metavar="NAME")
    from_encoding: str = option(
        "encoding of IN; default: UTF-8, UTF-16, Shift JIS, EUC-JP or ISO-2022-JP, whichever fits",
        default="",
        metavar="NAME",
    )
    keep: bool = flag("keep the readable part of damaged games")
    strict: bool = flag("fail instead of dropping what OUT's format cannot hold")
    json: bool = common.JSON


def run(args: Arguments) -> int:
    """Convert; status 1 if games were damaged and `--keep` kept the part before the damage."""
    if args.input != STANDARD and Path(args.input).is_dir():
        return run_folder(args)
    values, text = converted(args, args.input, args.output)
    if args.output != STANDARD or args.json:
        common.report(args.json, values, text)
    elif values["lost"]:
        common.tell(text)
    return 1 if values["damaged"] else 0


def run_folder(args: Arguments) -> int:
    """Convert the files of a folder into another folder; status 1 if one is damaged or refused."""
    if not args.target:
        raise InputError("convert: --to says what the files of a folder become")
    folder = Path(args.output)
    ending = f".{args.target}" if args.target in DRAWN else records.load_format(args.target).extensions[0]
    rows: dict[Path, dict[str, Any]] = {}
    files = sorted(each for each in Path(args.input).iterdir() if each.is_file())
    if not files:
        raise InputError("convert: there is no file in {0}", args.input)
    folder.mkdir(exist_ok=True)
    for file in files:
        target = folder / f"{file.stem}{ending}"
        try:
            if target in rows:
                raise InputError("{0} is already written for another file", target)
            rows[target], text = converted(args, str(file), str(target))
        except Exception as fault:  # whatever it is, it is this file's
            rows[file] = {"file": str(file), "damaged": [str(fault)]}
            common.tell(translate_fault(fault))
            continue
        print("" if args.json else f"{printable(text)}\n", end="", flush=True)
    if args.json:
        common.report(args.json, {"files": list(rows.values())}, "")
    return 1 if any(row["damaged"] for row in rows.values()) else 0


def converted(args: Arguments, path: str, out: str) -> tuple[dict[str, Any], str]:
    """Write the games of a file to `out`; return the result as JSON values and as text."""
    if out != STANDARD:
        check_outputs("convert", {"OUT": out}, [path] if path != STANDARD else [])
    elif getattr(sys.stdout, "name", "") == os.devnull:  # see `set_up_streams`
        raise InputError("convert: standard output is closed")
    settings: Any = {"format": args.source, "encoding": args.from_encoding, "keep": args.keep}
    if path == STANDARD:
        try:
            games = records.loads(sys.stdin.buffer.read(), **settings)
        except records.RecordError as fault:
            raise InputError("{0}: {1}", path, fault) from None
    else:
        games = records.load(path, **settings)
    if out == STANDARD and not args.target:
        raise InputError("convert: choose the format of standard output with --to")
    lost: dict[str, int] = {}
    if kind := args.target if args.target in DRAWN else "" if args.target else drawn_by(out):
        format, data = kind, draw(games, kind, Path(out).stem)
    else:
        target = records.load_format(args.target) if args.target else records.format_for(out, games[0].game)
        format = target.name
        for game in games:
            for what in target.losses(game):
                lost[what] = lost.get(what, 0) + 1
        if lost and args.strict:
            raise InputError("{0} cannot hold {1}", format, _list_of(lost))
        data = records.dumps(games, format, args.encoding or records.encoding_for(out))
    if out == STANDARD:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_whole(out, data)
    common.tell_notes(path, [note for game in games for note in game.notes])
    damaged = [str(game.fault) for game in games if game.fault is not None]
    for reason in damaged:
        kept = _("{reason}; everything before it is kept").format(reason=_(reason))
        common.tell(f"{path}: {kept}")
    count = plural("{count} game in {file} ({format})", "{count} games in {file} ({format})", len(games))
    text = count.format(count=len(games), file=out, format=format)
    text += _("; it cannot hold {lost}").format(lost=_list_of(lost)) if lost else ""
    return {"games": len(games), "format": format, "lost": sorted(lost), "damaged": damaged}, text


def _list_of(lost: Mapping[str, int]) -> str:
    """Return what is lost, each with the number of games that it is lost of, as text."""
    return ", ".join(_("{what} (of {count})").format(what=_(what), count=count) for what, count in lost.items())
