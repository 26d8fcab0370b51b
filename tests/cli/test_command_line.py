"""The `shogi-engine` command: what it prints, and how it ends."""

import argparse
import contextlib
import io
import json
import re
import shlex
import socket
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

from shogi_engine import language
from shogi_engine.__main__ import EXAMPLES, main, parser
from shogi_engine.cli import COMMANDS, TOOLS, common, serve
from shogi_engine.cli.play import TerminalGame
from shogi_engine.cli.progress import Preparation
from shogi_engine.common import system
from shogi_engine.common.files import Lock
from shogi_engine.engine import Engine
from shogi_engine.games.othello import params as othello_levels
from shogi_engine.games.shogi import names as shogi_levels
from shogi_engine.jit.policy import MODULE_VARIABLE
from shogi_engine.play.game import Game, Terms
from shogi_engine.records import GameRecord, save
from shogi_engine.types.limits import Limit
from tests.support.processes import TESTS, environment, kernel_files, needs_workshop
from tests.support.typed_lines import typed as typed_lines
from tools.generate import leaves, subcommands

DATA = TESTS / "data"


def run(capsys, *arguments):
    """Return (exit status, the last line of stdout as JSON)."""
    status = main([*arguments, "--json"])
    return status, json.loads(capsys.readouterr().out.splitlines()[-1])


@pytest.mark.parametrize(
    "arguments",
    [[], ["fly"], ["perft"], ["perft", "go", "3"], ["perft", "shogi", "x"], ["perft", "shogi", "-1"],
     ["perft", "shogi", "2", "--position", "9/9 b - 1"], ["perft", "--suite", "/nowhere.json"],
     ["perft", "shogi", "2", "--suite", "x"], ["perft", "--suite", __file__], ["search", "shogi", "--depth", "0"],
     ["search", "shogi", "--moves", "7g7e", "--depth", "1"], ["bench", "chess"], ["warmup", "chess"],
     ["play", "shogi", "--human", "me"], ["solve", "othello", "--tsume", "--position", "x"], ["mate", "x", "--wld"],
     ["search", "shogi", "--dep", "3"], ["mate"],
     ["mate", "9/9 b - 1"], ["mate", "9/9/9/9/9/9/9/9/4K4 b - 1"], ["mate", "--suite", __file__],
     ["mate", "x", "--max-ms", "0"], ["solve", "othello"], ["solve", "shogi", "--position", "x"],
     ["solve", "othello", "--position", "X"], ["solve", "othello", "--suite", __file__],
     ["solve", "othello", "--suite", "x", "--wld"], ["solve", "othello", "--position", "x", "--suite", "y"]],
)  # fmt: skip
def test_wrong_arguments_end_with_2_and_one_line(capsys, arguments):
    refused(capsys, arguments)


def refused(capsys, arguments):
    """Check that arguments are refused in one line, and return it."""
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code
    output = capsys.readouterr()
    assert status == 2 and output.out == "" and output.err.count("\n") == 1 and output.err.endswith("\n")
    return output.err[:-1]


def test_a_check_without_a_problem(capsys):
    for arguments in (["mate", "--check"], ["solve", "--check", "--suite", "x"]):
        assert refused(capsys, arguments).endswith("solve --check needs a position, or a file of problems")


HUGE = "9" * 26


@pytest.mark.parametrize(
    "arguments",
    [["search", "shogi", "--hash", "1000000"], ["search", "shogi", "--nodes", HUGE],
     ["search", "othello", "--movetime", HUGE], ["search", "shogi", "--depth", HUGE],
     ["mate", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "--hash", "1000000"],
     ["solve", "othello", "--position", "X" * 63 + "- O", "--hash", "1000000"],
     ["play", "shogi", "--hash", "1000000"],
     ["play", "othello", "--notation", "kif"],
     ["convert", "a"],
     ["convert", "a", "b", "--to", "pgn"], ["analyse", "othello", "--moves", "f5", "--hash", "1000000"],
     ["compare", "othello", "--players", "random,random", "--games", HUGE], ["perft", "shogi", "1", "--threads", HUGE],
     ["bench", "othello", "--json", HUGE], ["perft", "shogi", HUGE]],
)  # fmt: skip
def test_numbers_too_large_end_with_2_and_one_line(capsys, arguments):
    test_wrong_arguments_end_with_2_and_one_line(capsys, arguments)


@pytest.mark.parametrize("letter", ["\x1b", "\x07", "\x9b", "\r", "\n", "\u202e", "\u2028", "\udc80"])
@pytest.mark.parametrize(
    "arguments",
    [["solve", "x", "--a{}b"], ["solve{}"], ["play", "--level", "{}3"], ["{}.kif"], ["convert", "{}.kif", "b.csa"],
     ["analyse", "{}.kif"], ["search", "{}"], ["solve", "4k4/9/4P4/9/9/9/9/9/9 b {} 1"], ["match", "a{}", "b"]],
)  # fmt: skip
def test_what_is_quoted_cannot_steer_a_terminal(capsys, monkeypatch, tmp_path, arguments, letter):
    monkeypatch.chdir(tmp_path)
    assert letter not in refused(capsys, [word.format(letter) for word in arguments])


@pytest.mark.parametrize("letter", ["\x1b", "\x07", "\x9b", "\u202e"])
def test_names_in_records_cannot_steer_a_terminal(capsys, tmp_path, letter):
    file = tmp_path / "a.jsonl"
    save(GameRecord.from_moves("shogi", ["7g7f", "3c3d"], names=(f"a{letter}b", "c")), file)
    assert main(["book", "shogi", "show", "--book", str(file)]) == 0
    told = capsys.readouterr().out
    assert letter not in told and f"a{ascii(letter)[1:-1]}b - c" in told


@pytest.mark.parametrize("command", [["search", "shogi"], ["mate", "x"], ["play", "othello"]])
def test_a_table_larger_than_the_memory_is_refused(capsys, monkeypatch, command):
    monkeypatch.setattr(common, "machine_megabytes", lambda: 8000)
    test_wrong_arguments_end_with_2_and_one_line(capsys, [*command, "--hash", "8001"])


def test_memory_that_is_not_there_is_one_line(capsys, monkeypatch):
    def no_memory(*arguments, **options):
        raise MemoryError("Unable to allocate 64.0 GiB")

    monkeypatch.setattr(np, "zeros", no_memory)
    monkeypatch.setattr(np, "empty", no_memory)
    for command in (["search", "shogi"], ["mate", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"]):
        test_wrong_arguments_end_with_2_and_one_line(capsys, [*command, "--hash", "9"])


def test_the_help_of_every_command_loads_no_numba():
    code = """
import sys
from shogi_engine.__main__ import main
for command in sys.argv[1:]:
    try:
        main([command, "--help"])
    except SystemExit as end:
        assert end.code == 0
sys.exit(bool({"numba", "numpy"} & set(sys.modules)))
"""
    names = subcommands(parser())
    assert subprocess.run([sys.executable, "-c", code, *names], stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.parametrize(
    ("words", "loaded"), [(["--help"], []), (["gtp", "--help"], ["nboard"]), (["bench", "--help"], ["dev", *TOOLS])]
)
def test_only_the_command_that_is_asked_for_is_loaded(words, loaded):
    code = """
import sys
from shogi_engine.__main__ import COMMANDS, main
try:
    main(sys.argv[1:])
finally:
    print(*(name for name in COMMANDS if f"shogi_engine.cli.{name}" in sys.modules))
"""
    result = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, encoding="utf-8")
    assert result.stdout.splitlines()[-1].split() == loaded


def test_a_suite_of_another_kind_is_named(capsys):
    for command, file, kind in (
        (["perft"], "shogi_mate.json", "mate problems"),
        (["mate"], "shogi_perft.json", "perft counts"),
        (["mate"], "othello_endgame.json", "Othello endings"),
        (["solve", "othello"], "shogi_mate.json", "mate problems"),
    ):
        assert main([*command, "--suite", str(DATA / file)]) == 2
        assert f"is a suite of {kind}, not of" in capsys.readouterr().err


def test_help_names_the_levels_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["play", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    strongest = f"{shogi_levels.FULL} (full strength) in Shogi, to {othello_levels.LEVELS - 1} in Othello"
    assert f"0 (a beginner) to {strongest}" in text


CONTRACT = (  # the commands that other programs call
    "warmup", "perft", "bench", "search", "compare", "solve", "mate", "play", "analyse", "convert", "serve", "match",
    "train", "book", "csa", "nboard", "gtp", "doctor", "tsume",
)  # fmt: skip


@pytest.mark.parametrize("command", CONTRACT)
def test_every_command_has_help(capsys, command):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("usage: shogi-engine ")


def test_every_argument_that_a_command_may_ask_for_is_read():
    found = 0
    for name in COMMANDS:
        kind = getattr(import_module(f"shogi_engine.cli.{name}"), "Arguments", common.Arguments)
        read = [each for each, value in vars(kind).items() if isinstance(value, common.Argument)]
        assert read == [*vars(kind)["__annotations__"]] or kind is common.Arguments, name
        found += len(read)
    assert found > 100


@pytest.mark.parametrize("name", language.LANGUAGES)
def test_help_is_one_page_that_names_every_command(capsys, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["--language", name, "--help"])
    lines = capsys.readouterr().out.splitlines()
    language.use("en")
    listed = " ".join(line for line in lines if line.startswith("  "))
    assert len(lines) <= 41 and all(command in listed for command in CONTRACT)


def test_the_examples_of_the_help_are_commands():
    examples = [line for line in EXAMPLES.splitlines() if line.startswith("  ")]
    assert len(examples) >= 8 and all(parser().parse_args(shlex.split(line)[1:]).run for line in examples)


def test_there_are_at_most_190_arguments_and_none_is_hidden():
    shown = {
        (each, action)
        for each in leaves(parser())
        for action in each._actions
        if not isinstance(action, argparse._HelpAction) and "--language" not in action.option_strings
    }
    assert len(shown) + 1 <= 190  # and GAME of `book`; a repertoire has ten
    assert argparse.SUPPRESS not in {action.help for _each, action in shown}


@pytest.mark.parametrize("text", ["nodes=0", "hours=3", "nodes", "nodes=1,depth=x", ""])
def test_a_limit_that_is_none_is_refused_with_the_names(capsys, text):
    test_wrong_arguments_end_with_2_and_one_line(capsys, ["search", "shogi", "--limit", text])


def test_limits_may_be_given_together_or_each_as_an_option():
    for words in (
        ["--limit", "nodes=5,depth=3"],
        ["--nodes", "5", "--depth", "3"],
        ["--depth", "3", "--limit=nodes=5"],
    ):
        assert parser().parse_args(["search", "shogi", *words]).limit == {"nodes": 5, "depth": 3}


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["match", "a", "b"], ["max_plies=0", "margin=-1", "timeout=nan", "max_faults", "random_plies=x"]),
        (["csa", "host", "--name", "me"], ["attempts=0", "resume=-1", "delay=0.5", "comments=yes"]),
        (["book", "shogi", "build", "run"], ["width=0", "margin=-1", "max_ply=x", "plies=0"]),
        (["train", "shogi", "run"], ["width", "td_lambda=2", "refine=yes", "result_share=0.1", "value_factor=nan"]),
    ],
)
def test_a_setting_that_is_none_is_refused_with_what_is_allowed(capsys, words, wrong):
    names = refused(capsys, [*words, "--set", "nosuch=1"]).partition("one of ")[2].split(", ")
    for each in wrong:
        name = each.partition("=")[0]
        assert f"--set: {name}=" in (said := refused(capsys, [*words, "--set", each])) and "expected " in said
        assert name in names


def test_settings_may_be_given_together_or_one_by_one():
    for words in (["--set", "delay=9,comments=false"], ["--set", "delay=9", "--set=comments=false"]):
        found = parser().parse_args(["csa", "host", "--name", "me", *words]).set
        assert found == {"attempts": 10, "delay": 9, "comments": False}


def test_a_folder_is_converted(capsys, tmp_path):
    (tmp_path / "in").mkdir()
    for name, text in (
        ("a.usi", "startpos moves 7g7f"),
        ("b.csa", "PI\n+\n+7776FU\n"),
        ("b.usi", "startpos moves 2g2f"),
    ):
        (tmp_path / "in" / name).write_text(text)
    words = ["convert", str(tmp_path / "in"), str(tmp_path / "out")]
    assert main(words) == 2 and "--to" in capsys.readouterr().err
    status, values = run(capsys, *words, "--to", "kif")
    assert status == 1 and [row.get("games") for row in values["files"]] == [1, 1, None]  # the second b.kif
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["a.kif", "b.kif"]
    assert "２六歩" not in (tmp_path / "out" / "b.kif").read_text("cp932")


def test_solve(capsys, tmp_path):
    rows = json.loads((DATA / "othello_endgame.json").read_text())["positions"]
    row = next(row for row in rows if row["empties"] == 12)
    position = f"{row['board']} {row['side']}"
    for extra in ([], ["--threads", "2"]):
        status, values = run(capsys, "solve", "othello", "--position", position, *extra)
        assert (status, values["score"], values["move"] in row["best"]) == (0, row["score"], True)
        assert values["pv"][0] == values["move"] and values["nodes"] > 0 and {"seconds", "nps"} <= set(values)
    sign = (row["score"] > 0) - (row["score"] < 0)
    assert run(capsys, "solve", "othello", "--position", position, "--wld")[1]["score"] == sign
    status, values = run(capsys, "solve", "othello", "--position", "X" * 64 + " O")
    assert (status, values["score"], values["move"], values["pv"]) == (0, -64, None, [])
    file = tmp_path / "suite.json"
    file.write_text(json.dumps({"positions": [row, row | {"score": row["score"] - 2}]}))
    status, values = run(capsys, "solve", "othello", "--suite", str(file))
    assert (status, values["passed"], values["failed"], len(values["results"])) == (1, 1, 1, 2)
    assert set(values["results"][0]) == {"id", "score", "move", "nodes", "seconds"}
    file.write_text(json.dumps({"positions": [row]}))
    assert main(["solve", "othello", "--suite", str(file)]) == 0
    assert capsys.readouterr().out.startswith("1 passed, 0 failed; ")


def test_perft(capsys):
    status, values = run(capsys, "perft", "shogi", "3")
    assert status == 0 and values["nodes"] == 25470
    assert {"game", "position", "depth", "nodes", "seconds", "nps"} <= set(values)
    for extra in (["--no-bulk"], ["--threads", "2"], ["--divide"]):
        assert run(capsys, "perft", "shogi", "3", *extra)[1]["nodes"] == 25470
    assert run(capsys, "perft", "othello", "9")[1]["nodes"] == 3005288
    assert run(capsys, "perft", "othello", "9", "--free-pass")[1]["nodes"] == 3005320
    main(["perft", "shogi", "1", "--divide"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 31 and "7g7f: 1" in lines and lines[-1].startswith("30 nodes")


def test_suites(capsys, tmp_path):
    status, values = run(capsys, "perft", "--suite", str(DATA / "shogi_perft.json"), "--max-nodes", "20000")
    assert status == 0 and values["failed"] == 0 and values["passed"] > 40
    start = "---------------------------OX------XO---------------------------"
    counts = [4, 12, 56, 244, 1396]
    othello = {"positions": [{"id": "start", "board": start, "side": "X", "mode1": counts, "mode2": list(counts)}]}
    file = tmp_path / "othello.json"
    file.write_text(json.dumps(othello))
    assert run(capsys, "perft", "--suite", str(file))[1]["passed"] == 1
    assert run(capsys, "perft", "--suite", str(file), "--max-nodes", "3")[1]["skipped"] == 1
    othello["positions"][0]["mode1"][2] = 57
    file.write_text(json.dumps(othello))
    assert main(["perft", "--suite", str(file), "--json"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "depth 3: 56, not 57" in lines[0] and "  d3: 14" in lines
    values = json.loads(lines[-1])
    assert (values["passed"], values["failed"], values["skipped"]) == (0, 1, 0)


def test_search(capsys):
    status, values = run(capsys, "search", "shogi", "--moves", "7g7f", "3c3d", "--depth", "4", "--multipv", "2")
    assert status == 0 and values["bestmove"] == values["pv"][0] and values["depth"] == 4
    assert list(values["score"]) == ["cp"] and len(values["lines"]) == 2
    status, values = run(capsys, "search", "shogi", "--position", "8k/8G/8G/9/9/9/9/9/K8 w - 1", "--depth", "2")
    assert status == 1 and values["bestmove"] is None and values["score"] == {"mate": 0}
    status, values = run(capsys, "search", "othello", "--depth", "3")
    assert status == 0 and list(values["score"]) == ["discs"]
    assert main(["search", "shogi", "--nodes", "100"]) == 0
    assert "depth" in capsys.readouterr().out


def test_json_is_the_only_thing_on_a_pipe():
    command = [sys.executable, "-m", "shogi_engine", "search", "shogi", "--depth", "3", "--json"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stderr, result.stdout.count("\n")) == (0, "", 1)


def test_warmup_and_bench(capsys):
    status, values = run(capsys, "warmup", "shogi")
    assert status == 0 and values["games"] == ["shogi"] and values["seconds"] >= 0
    first = run(capsys, "bench", "othello")[1]
    assert first["nodes"] == first["per_game"]["othello"] == run(capsys, "bench", "othello")[1]["nodes"] > 1000


def play(game, lines, people, position="", notation="", await_search=lambda: None, **limits):
    """Play with `lines` typed; return what was shown."""
    sanitize = []
    with Engine(game, hash_mb=1) as engine:
        begun = Game.begin(game, position, terms=Terms(60))
        settings = {"await_search": await_search, "notation": notation}
        match = TerminalGame(
            engine, begun, people, Limit.of(**(limits or {"depth": 2})), typed_lines(lines), sanitize.append, **settings
        )
        match.keep = lambda: None  # writes no files
        match.play()
        return "\n".join(sanitize), begun.moves


def test_play_by_hand():
    text, moves = play("shogi", ["help", "moves", "board", "7g7e", "7g7f", "undo", "undo", "2g2f", "hint", ""], {0, 1})
    assert moves == ["2g2f"]
    for said in ("undo      take", "1g1f", "illegal move '7g7e'", "no move to take back", "hint: ", "white to move"):
        assert said in text
    text, moves = play("shogi", ["7g7f", "undo", "go", "quit", "7g7f"], {0})
    assert len(moves) == 2 and "engine: " in text
    typed = ["\uff17\u516d\u6b69", "3334FU", "Bx2b", "\u540c\u9280", "58KI", "moves"]
    text, moves = play("shogi", typed, {0, 1}, notation="japanese")
    assert moves == ["7g7f", "3c3d", "8h2b", "3a2b"]
    assert "\u25b2\uff15\u516b\u91d1\u5de6" in text and "ambiguous" in text


def test_a_book_move_does_not_wait_for_the_search():
    waited = []
    text, moves = play("othello", ["go", "quit"], {0, 1}, await_search=lambda: waited.append(1))
    assert "(book)" in text and len(moves) == 1 and waited == []
    text, moves = play("shogi", ["hint", "quit"], {0, 1}, await_search=lambda: waited.append(1))
    assert "hint: " in text and waited == [1]


def test_the_search_is_prepared_in_a_thread(monkeypatch):
    with Engine("othello", hash_mb=1) as engine:
        preparation = Preparation(engine.game)
        preparation.wait()
        preparation._thread.join(300)
        assert not preparation.is_busy()
        monkeypatch.setattr(Engine, "warmup", lambda self: 1 / 0)
        failing = Preparation(engine.game)
        failing._thread.join(300)
        with pytest.raises(ZeroDivisionError):
            failing.wait()


@needs_workshop
def test_who_leaves_does_not_wait_for_the_compiler(tmp_path):
    """The rules of Othello take a few seconds, its search ten times as long."""
    env = environment(tmp_path, **{MODULE_VARIABLE: "0"})
    command = [sys.executable, "-m", "shogi_engine", "play", "othello"]
    result = subprocess.run(command, input="moves\nquit\n", capture_output=True, text=True, env=env)
    assert (result.returncode, result.stderr) == (0, "") and "f5" in result.stdout
    assert [file.name for file in kernel_files(tmp_path) if file.name.startswith("list_moves")]
    assert not [file.name for file in kernel_files(tmp_path) if file.name.startswith("search_root")]


def test_play_ends_when_the_game_is_over():
    text, moves = play("shogi", ["G*5b"], {0, 1}, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    assert moves == ["G*5b"] and text.endswith("black wins: mate")
    cycle = ["2h3h", "8b7b", "3h2h", "7b8b"]
    text, moves = play("shogi", cycle * 3 + ["7g7f"], {0, 1})
    assert moves == cycle * 3 and text.endswith("a draw: repetition")
    text, moves = play("othello", [], set(), depth=1)
    assert "discs" in text.splitlines()[-1] or text.endswith("a draw: 60 moves")
    text, moves = play("shogi", [], set(), "+R+R2K2+B+B/+P+P+P3+P+P+P/9/9/9/9/9/9/4k4 b 2P 1")
    assert moves == [] and "declares" in text


def test_mate(capsys):
    problems = json.loads((DATA / "shogi_mate.json").read_text())["positions"]
    sfen = next(each["sfen"] for each in problems if each["mate"] == 7)
    status, told = run(capsys, "mate", sfen)
    assert (status, told["result"]) == (0, "mate") and len(told["moves"]) == told["length"] >= 7
    assert {"nodes", "seconds"} <= set(told) and told["nodes"] > 0
    status, told = run(capsys, "mate", *sfen.split(), "--shortest", "--all")
    assert (status, told["length"], told["shortest"]) == (0, 7, True)
    assert told["solutions"][0] == told["moves"] and all(len(line) == 7 for line in told["solutions"])
    status, told = run(capsys, "mate", f"position sfen {sfen}", "--tsume")
    assert status == 0 and 0 < told["length"] <= 7
    nomate = next(each["sfen"] for each in problems if each["mate"] == 0)
    status, told = run(capsys, "mate", nomate)
    assert (status, told["result"], told["moves"], told["length"]) == (0, "nomate", [], 0)
    hard = next(each["sfen"] for each in problems if each["mate"] == -1)
    status, told = run(capsys, "mate", hard, "--max-ms", "1")
    assert (status, told["result"], told["moves"], told["length"]) == (1, "timeout", [], None)
    assert main(["mate", sfen, "--shortest"]) == 0
    text = capsys.readouterr().out
    assert "mate in 7, the shortest" in text and "  1. " in text and text.count("black to move") == 1


def test_mate_suite(capsys, tmp_path):
    problems = json.loads((DATA / "shogi_mate.json").read_text())["positions"]
    small = [each for each in problems if each["mate"] in (0, 3, 5)]
    file = tmp_path / "mates.json"
    file.write_text(json.dumps({"positions": small}))
    status, told = run(capsys, "mate", "--suite", str(file), "--max-ms", "10000")
    assert (status, told["passed"], told["failed"], len(told["results"])) == (0, len(small), 0, len(small))
    assert set(told["results"][0]) >= {"sfen", "result", "length", "moves", "nodes", "seconds"}
    assert told["nodes"] == sum(row["nodes"] for row in told["results"]) > 0 and told["seconds"] > 0
    file.write_text(json.dumps({"positions": [small[0] | {"mate": 1}]}))
    status, told = run(capsys, "mate", "--suite", str(file))
    assert (status, told["passed"], told["failed"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("arguments", "english", "japanese"),
    [
        (["book", "build", "shogi"], "the game comes before the action, as in book shogi build", "book shogi build"),
        (["convert", "a", "b", "--games", "3"], "--games 3; see shogi-engine convert --help", "convert --help を参照"),
        (["--level", "3", "play"], "options follow the command, as in shogi-engine play --level", "play --level"),
        (["csa", "host:port", "--name", "x"], "expected HOST, HOST:PORT or", "HOST:PORT、"),
    ],
)
def test_wrong_uses_say_what_to_do(arguments, english, japanese, capsys, monkeypatch):
    for name, text in (("en", english), ("ja", japanese)):
        monkeypatch.setenv("LANGUAGE", name)
        with contextlib.suppress(SystemExit):
            assert main(arguments) == 2
        language.use("en")
        said = capsys.readouterr().err
        assert text in said and said.count("\n") == 1
        assert name == "en" or re.search("[ぁ-ん]", said), said


def test_folders_without_a_record_are_refused(tmp_path, capsys):
    for arguments in (["analyse", str(tmp_path)], ["convert", str(tmp_path), str(tmp_path / "out"), "--to", "csa"]):
        assert main(arguments) == 2
        assert str(tmp_path) in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_paragraphs_of_help_stay_apart(capsys):
    for name in ("en", "ja"):
        with pytest.raises(SystemExit):
            main(["match", "--help", "--language", name])
        said = capsys.readouterr().out
        assert len(said[said.index("random_plies=N") :].strip().split("\n\n")) == 6
    language.use("en")


def test_without_arguments_it_says_what_to_type_or_opens_the_board(capsys, monkeypatch):
    assert "shogi-engine serve --open" in refused(capsys, [])
    asked = []
    monkeypatch.setattr("shogi_engine.cli.serve.run", lambda args: asked.append(args.open) or 0)
    monkeypatch.setattr("shogi_engine.__main__.has_own_console", lambda: True)
    assert main([]) == 0 and asked == [True]
    refused(capsys, ["fly"])  # only a double click has no arguments

    def full(args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shogi_engine.cli.serve.run", full)
    typed = io.StringIO("\n\n")
    monkeypatch.setattr("sys.stdin", typed)
    assert main([]) == 2 and typed.tell() == 1  # the window stays until it is read
    said = capsys.readouterr().err
    assert said.index("No space left") < said.index("press Enter to close this window")
    assert main(["serve"]) == 2 and typed.tell() == 1


def test_open_shows_the_board_that_is_there_and_passes_ports_of_other_programs(tmp_path, monkeypatch):
    """A second double click, while another program has the usual port; the folder of games is the first one's."""
    with contextlib.ExitStack() as stack:
        ports, opened = [], []
        while len(ports) < 3:  # three free ones in a row
            sockets = [stack.enter_context(socket.socket())]
            sockets[0].bind(("127.0.0.1", 0))
            ports = [sockets[0].getsockname()[1]]
            for _ in range(2):
                sockets.append(stack.enter_context(socket.socket()))
                with contextlib.suppress(OSError, OverflowError):
                    sockets[-1].bind(("127.0.0.1", ports[-1] + 1))
                    ports.append(ports[-1] + 1)

        def wanted(place, **values):
            usual = {"host": "127.0.0.1", "token": "", "token_file": None, "log": None, "games": [], "open": False}
            return serve.Arguments(**{**usual, "port": ports[place], **values})

        monkeypatch.setattr(serve, "PORT", ports[0])
        sockets[2].close()
        listener, port = serve._place(wanted(0, open=True), "")
        assert port == ports[2] and listener.getsockname()[1] == port
        listener.close()
        for arguments in (wanted(1, open=True), wanted(0)):
            with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1, port {arguments.port}"):
                serve._place(arguments, "")
        monkeypatch.setattr(serve, "_is_served", lambda address: f":{ports[1]}/" in address)
        monkeypatch.setattr(serve.webbrowser, "open", opened.append)
        monkeypatch.setattr(serve, "data_folder", lambda: tmp_path)
        (tmp_path / "games").mkdir()
        with Lock(tmp_path / "games" / "games.db"):
            assert serve.run(wanted(0, open=True)) == 0
        assert opened == [f"http://127.0.0.1:{ports[1]}/"]


@pytest.mark.parametrize(
    ("programs", "own"),
    [
        (["python.exe"], True),
        (["python.exe", "python3.12.exe", "shogi-engine.exe"], True),
        (["python.exe", "shogi-engine.exe", "cmd.exe"], False),
        (["python.exe", "?"], False),
        ([], False),
    ],
)
def test_a_console_that_no_other_program_uses_is_its_own(monkeypatch, programs, own):
    monkeypatch.setattr(system.sys, "platform", "win32")
    monkeypatch.setattr(system, "_console_programs", lambda: programs)
    assert system.has_own_console() == own
