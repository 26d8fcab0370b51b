"""`shogi-engine analyse`: judges every move of games in files, or the moves of one position."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shogi_engine import games, language, records
from shogi_engine.cli import common
from shogi_engine.cli.common import Attempts, check_outputs, option, positional, tell_lost
from shogi_engine.cli.progress import progress_bar
from shogi_engine.common.files import locked, write_whole
from shogi_engine.language import InputError, plural
from shogi_engine.play.words import DEFAULT_MS
from shogi_engine.records.files import HEAD, encoding_of
from shogi_engine.types.outcomes import DAN, WORDS_FOR

if TYPE_CHECKING:
    from shogi_engine.analysis import Analyst, GameAnalysis
    from shogi_engine.records import GameRecord, RecordFormat


# ---- The output files of `shogi-engine analyse`: annotated records in the format and encoding of their sources


def check_files(files: Sequence[str], out: str | None, others: Mapping[str, str | None]) -> None:
    """Raise ValueError, before hours of work, if an output could not be written.

    This is the case for what `check_outputs` refuses, and if `out` would put the records of several files into one.
    The folder of several files is made if it is not there.

    Args:
        others: the other outputs by their options
    """
    if len(files) > 1 and out is not None:
        if Path(out).is_file():
            raise InputError("analyse: --out must be a folder for {0} files, and {1} is not one", len(files), out)
        if len({Path(file).name for file in files}) < len(files):
            raise InputError("analyse: two files of the same name cannot both be written to --out")
        Path(out).mkdir(parents=True, exist_ok=True)
    targets = [] if out is None else [target_of(out, file) for file in files]
    places: list[Path | None] = [*targets] or [None]
    for target in places:
        check_outputs("analyse", {"--out": target, **others}, files)


def target_of(out: str, file: str) -> Path:
    """Return the file that the games of `file` are written to."""
    return Path(out) / Path(file).name if Path(out).is_dir() else Path(out)


def write_files(out: str, games: "Sequence[tuple[str, GameRecord]]", attempts: Attempts) -> None:
    """Write annotated games, each with the file it came from. Report on stderr what a format cannot hold."""
    for file in dict.fromkeys(file for file, _game in games):
        attempts(_write_file, out, file, [record for source, record in games if source == file])


def _write_file(out: str, file: str, games: "Sequence[GameRecord]") -> None:
    target = target_of(out, file)
    chosen, encoding = format_and_encoding(file, games[0].game)
    if not Path(out).is_dir():
        named = records.format_of_name(out, games[0].game)
        if named is not None and named.name != chosen.name:
            chosen, encoding = named, records.encoding_for(out)
    write_whole(target, records.dumps(games, chosen.name, encoding))
    tell_lost(target, chosen, games)


def format_and_encoding(file: str, game: str) -> "tuple[RecordFormat, str]":
    """Return the format that a file was read in, and the encoding to write it in ('' : the format's)."""
    data = Path(file).read_bytes()
    found = records.recognise(data[:HEAD].decode("latin-1"), binary=True, game=game) if b"\0" in data[:64] else None
    encoding = ""
    if found is None:
        encoding = encoding_of(io.BytesIO(data))
        head = data.decode(encoding)[:HEAD].lstrip("\ufeff")
        found = records.recognise(head, binary=False, game=game) or records.format_of_name(file, game)
        if encoding == "utf-8-sig" and not data.startswith(b"\xef\xbb\xbf"):
            encoding = "utf-8"
    assert found is not None  # it was read before
    return found, encoding


SHOGI_LINES = 5  # for a Shogi position; for an Othello position all moves are shown
POSITION_LEVEL = 10  # for an Othello position
HASH_MB = 16
FOR_GAMES = ("html", "out", "save", "number")


class Arguments(common.Arguments):
    """Games of files or a position, the searches, and the outputs."""

    targets: list[str] = positional(
        "[GAME] FILE", "game records; with --position, GAME instead (shogi or othello)", nargs="*"
    )
    position: str = common.POSITION
    moves: list[str] = common.MOVES
    number: int | None = option("only this game of each file", type=common.at_least_one)
    limit: dict[str, int] = common.limit_option(
        "nodes", "movetime", "depth", "level",
        default=f"nodes=300000, Othello level=14; --position: movetime={DEFAULT_MS}, Othello level={POSITION_LEVEL}",
    )  # fmt: skip
    multipv: int | None = option("number of moves of a position to show", type=common.at_least_one)
    threads: int | None = common.THREADS_OR_CORES
    hash: int = common.hash_option(HASH_MB)
    out: str | None = option("write the annotated record; for several files, FILE is a folder", metavar="FILE")
    html: str | None = option("write an HTML page with boards to step through, and a graph", metavar="FILE")
    save: str | None = option(
        "save the analysis (JSON); positions already in FILE are not searched again", metavar="FILE"
    )
    cluster: str = common.CLUSTER
    words: str = option("how reasons are told: shortly, or in full", choices=WORDS_FOR, default=DAN)
    json: bool = common.JSON


def run(args: Arguments) -> int:
    """Analyse games of files, or a position."""
    game, files = _game_and_files(args.targets)
    position = bool(args.position or args.moves)
    if bool(files) == position or (position and not game):
        raise InputError("analyse needs either FILEs, or a GAME with --position or --moves")
    for name in FOR_GAMES:
        if position and getattr(args, name) is not None:
            raise InputError("analyse: --{0} is for games of a FILE", name)
    return _run_position(args, game) if position else _run_files(args, game, files)


def _game_and_files(targets: Sequence[str]) -> tuple[str, list[str]]:
    """Return the game, if the first target names one, else '', and the files."""
    named = bool(targets) and targets[0] in games.names()
    return (targets[0] if named else ""), list(targets[named:])


# ---- a position --------------------------------------------------------------------------------------------------


def _run_position(args: Arguments, game: str) -> int:
    from shogi_engine import analysis
    from shogi_engine.engine import Engine

    usual = {"level": POSITION_LEVEL} if game == "othello" else {"movetime": DEFAULT_MS}
    limits = analysis.limits_for(game, args.limit or usual)
    count = args.multipv or (None if game == "othello" else SHOGI_LINES)
    with Engine(game, hash_mb=args.hash, threads=args.threads or 1) as engine:
        if "level" in limits:
            engine.check_level(limits["level"])
        with progress_bar():
            board = engine.board(args.position, games.typed_moves(engine.game, args.position, args.moves))
            engine.warmup()
        hints = analysis.hints(engine, board, count, **limits)
    rows = [{**vars(hint), "score": hint.score.values(), **hint.score.values()} for hint in hints]
    values = {"position": board.position(), "hints": rows}
    common.report(args.json, values, analysis.hint_table(hints, board, language.current()))
    return 0


# ---- games -------------------------------------------------------------------------------------------------------


def _run_files(args: Arguments, game: str, files: list[str]) -> int:
    from shogi_engine import analysis

    if args.multipv is not None:
        raise InputError("analyse: --multipv is for a position")
    check_files(files, args.out, {"--html": args.html, "--save": args.save})
    sources = [(file, number, record) for file in files for number, record in _load(file, game, args.number)]
    records = [record for _, _, record in sources]
    names = sorted({record.game for record in records})
    settings = {"hash": args.hash, **{name: analysis.limits_for(name, args.limit) for name in names}}
    analyst = analysis.Analyst(args.threads or analysis.cores(), args.hash, args.limit, args.cluster)
    attempts = Attempts()
    with locked(args.save):
        saved = analysis.SavedAnalysis(args.save, records, settings)
        judged = [replace(each, words=args.words) for each in _analysed(analyst, records, saved, names)]
        rows = [
            {"file": file, "number": number, **each.values()}
            for (file, number, _), each in zip(sources, judged, strict=True)
        ]
        if args.save:
            attempts(saved.finish, rows)
    if args.out:
        notes = [analysis.annotated(each, args.language) for each in judged]
        write_files(args.out, [(source[0], note) for source, note in zip(sources, notes, strict=True)], attempts)
    if args.html:
        text = analysis.page(judged, args.language, _titles(sources))
        attempts(write_whole, args.html, text.encode("utf-8", "replace"))
    speed = analyst.positions / analyst.seconds if analyst.seconds > 0 else 0.0
    values = {"games": rows, "positions": analyst.positions, "seconds": analyst.seconds, "positions_per_second": speed}
    player = analysis.player_of(judged)
    values["players"] = [each.values() for each in analysis.players(judged)]
    values["scores"] = {"player": player, "rows": [row.values() for row in analysis.scored(judged, player)]}
    common.report(args.json, values, _text(args, sources, judged, analyst))
    attempts.end()
    return 0


def _load(file: str, game: str, number: int | None) -> "list[tuple[int, GameRecord]]":
    """Return the games of a file with their numbers, from 1."""
    loaded = list(enumerate(common.loaded(file, game), 1))
    if number is None:
        return loaded
    if number > len(loaded):
        raise InputError("{0}: there are only {1} games; there is no number {2}", file, len(loaded), number)
    return [loaded[number - 1]]


def _analysed(
    analyst: "Analyst", records: "Sequence[GameRecord]", saved: Any, names: list[str]
) -> "list[GameAnalysis]":
    """Analyse the games; if interrupted, keep the results so far."""
    from shogi_engine.analysis.judgement import plies_to_examine

    whole = sum(len(plies_to_examine(record)) for record in records)
    if len(saved.known) < whole:
        with progress_bar():
            analyst.warmup(names)
    with progress_bar("analysing", whole, len(saved.known)) as line:

        def keep(key: Any, found: Any) -> None:
            saved.add(key, found)
            line.advance()

        try:
            return analyst.run(records, saved.known, keep)
        except BaseException:
            saved.write()
            raise


def _titles(sources: Sequence[Any]) -> list[str]:
    """Return a title for each game: its players, or its file and number."""
    several = len(sources) > 1
    return [
        (" - ".join(name or "?" for name in record.names) if any(record.names) else file)
        + (f" ({number})" if several else "")
        for file, number, record in sources
    ]


def _text(args: Arguments, sources: Sequence[Any], judged: "Sequence[GameAnalysis]", analyst: "Analyst") -> str:
    """Return the games as text for people."""
    from shogi_engine import analysis

    parts = []
    for (file, number, _record), game in zip(sources, judged, strict=True):
        head = [f"{file} ({number})"] if len(judged) > 1 else []
        parts.append("\n".join([*head, analysis.game_table(game, language.current())]))
    if len(judged) > 1 and (scores := analysis.score_table(judged, language.current())):
        parts.append(scores)
    if len(judged) > 1 and (table := analysis.player_table(judged, language.current())):
        parts.append(table)
    speed = analyst.positions / analyst.seconds if analyst.seconds > 0 else 0.0
    words = plural(
        "{count} position in {seconds:.1f} s, {speed:.1f} positions/s, threads: {threads}",
        "{count} positions in {seconds:.1f} s, {speed:.1f} positions/s, threads: {threads}",
        analyst.positions,
    )
    count = words.format(count=analyst.positions, seconds=analyst.seconds, speed=speed, threads=analyst.threads)
    return "\n\n".join([*parts, count])
