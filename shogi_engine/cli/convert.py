"""`shogi-engine convert`: write the games of a file in another format."""

import argparse
import io
import sys
from collections.abc import Iterable
from typing import Any

from shogi_engine.cli.common import add_command, add_json, report
from shogi_engine.cli.outputs import check_outputs
from shogi_engine.common.files import write_whole
from shogi_engine.language import plural
from shogi_engine.language import translate as _
from shogi_engine.records.formats import format_names

STANDARD = "-"  # stdin or stdout
NOTES_MAX = 10


def add_parser(commands: Any) -> None:
    """Add the command's arguments."""
    parser = add_command(
        commands, "convert", run, "Convert game records; the extension of the output file determines its format."
    )
    parser.add_argument(
        "input", metavar="IN", help="the record; its format is recognised from its content; - for standard input"
    )
    parser.add_argument("output", metavar="OUT", help="the file to write; - for standard output (with --to)")
    names = format_names()
    parser.add_argument("--from", dest="source", choices=names, default="", help="the format of IN")
    parser.add_argument("--to", dest="target", choices=names, default="", help="the format of OUT")
    parser.add_argument(
        "--encoding", default="", metavar="NAME", help="encoding of OUT: utf-8, cp932 ...; default: that of the format"
    )
    parser.add_argument(
        "--from-encoding",
        default="",
        metavar="NAME",
        help="encoding of IN; default: UTF-8, UTF-16, Shift JIS or ISO-2022-JP, whichever fits",
    )
    parser.add_argument("--keep", action="store_true", help="keep the readable part of damaged games")
    parser.add_argument("--strict", action="store_true", help="fail instead of dropping what OUT's format cannot hold")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Convert; status 1 if games were damaged and `--keep` kept the part before the damage."""
    from shogi_engine import records

    if args.output != STANDARD:
        check_outputs("convert", {"OUT": args.output}, [args.input] if args.input != STANDARD else [])
    name = "" if args.input == STANDARD else args.input
    source = io.BytesIO(sys.stdin.buffer.read()) if args.input == STANDARD else open(args.input, "rb")  # noqa: SIM115
    with source:
        try:
            games = list(
                records.read(source, format=args.source, encoding=args.from_encoding, keep=args.keep, name=name)
            )
        except records.RecordError as fault:
            raise ValueError(f"{args.input}: {fault}") from None
    target = _target(args, games[0].game)
    lost: dict[str, int] = {}
    for game in games:
        for what in target.losses(game):
            lost[what] = lost.get(what, 0) + 1
    dropped = ", ".join(_("{what} (of {count})").format(what=_(what), count=count) for what, count in lost.items())
    if lost and args.strict:
        raise ValueError(f"{target.name} cannot hold {dropped}")
    data = records.dumps(games, target.name, args.encoding or records.encoding_for(args.output))
    if args.output == STANDARD:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:
        write_whole(args.output, data)
    tell_notes(args.input, games)
    damaged = [str(game.fault) for game in games if game.fault is not None]
    for reason in damaged:
        kept = _("{reason}; everything before it is kept").format(reason=_(reason))
        print(f"{args.input}: {kept}", file=sys.stderr)
    if args.output == STANDARD and not args.json:
        return 1 if damaged else 0
    count = plural("{count} game in {file} ({format})", "{count} games in {file} ({format})", len(games))
    text = count.format(count=len(games), file=args.output, format=target.name)
    text += _("; it cannot hold {lost}").format(lost=dropped) if lost else ""
    values = {"games": len(games), "format": target.name, "lost": sorted(lost), "damaged": damaged}
    report(args, values, text)
    return 1 if damaged else 0


def tell_notes(name: str, games: Iterable[Any]) -> None:
    """Print what was passed over in a file of records to stderr, at most NOTES_MAX lines."""
    notes = [note for game in games for note in game.notes]
    for note in notes[:NOTES_MAX]:
        print(f"{name}: {note}", file=sys.stderr)
    if len(notes) > NOTES_MAX:
        more = plural("{count} more note", "{count} more notes", len(notes) - NOTES_MAX)
        print(f"{name}: {more.format(count=len(notes) - NOTES_MAX)}", file=sys.stderr)


def _target(args: argparse.Namespace, game: str) -> Any:
    """Return the format to write. Raises ValueError if neither --to nor the name of OUT gives it."""
    from shogi_engine import records

    if args.target:
        return records.load_format(args.target)
    found = None if args.output == STANDARD else records.format_of_name(args.output, game)
    if found is None:
        endings = ", ".join(each.extensions[0] for each in records.all_formats(game))
        raise ValueError(
            f"convert: the extension of {args.output} is none of the formats of {game} ({endings}); choose one "
            "with --to"
        )
    return found
