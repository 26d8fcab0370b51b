"""All that commands and reports print of fixed figures, compared whole with the files of tests/data/printed.

The figures are all different, so that none stands for another, and no search makes them. What the files say was counted
apart from the code: tests/data/printed/README.md says how.
"""

import contextlib
import datetime
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace as Values

import msgspec
import pytest

from shogi_engine import analysis, games, language, records, study, tsume
from shogi_engine.__main__ import main
from shogi_engine.analysis import Hint, annotated, judge
from shogi_engine.analysis.judgement import PositionResult
from shogi_engine.cli import (
    analyse,
    book,
    common,
    compare,
    csa,
    doctor,
    match,
    mate_answer,
    play,
    repertoire,
    search,
    serve,
    solve,
    study as study_command,
    tsume as tsume_command,
)
from shogi_engine.common.match_statistics import Sprt
from shogi_engine.csa.game import ServerGame
from shogi_engine.csa.protocol import GameSummary, ServerTime
from shogi_engine.csa.session import CsaSession, Tally
from shogi_engine.explorer import Added, ExplorerMove, PlayedGame, figures
from shogi_engine.games.othello.board import Board as OthelloBoard
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.sfen import parse_sfen
from shogi_engine.interface.extras import BookMove
from shogi_engine.match import game_records, report as match_report, summarise
from shogi_engine.play import clock, words
from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import Game
from shogi_engine.records import GameRecord
from shogi_engine.suites import SuiteResult
from shogi_engine.textbook import trace
from shogi_engine.textbook.trace import TraceNode
from shogi_engine.training.othello import recipe as othello_training
from shogi_engine.training.pipeline import GateResult, losses_text, page
from shogi_engine.training.recipe import Report
from shogi_engine.training.shogi import recipe as shogi_training
from shogi_engine.types.limits import Clock, Limit
from shogi_engine.types.outcomes import Termination
from shogi_engine.types.results import ForcedWin, Info, PlayResult, Score
from shogi_engine.web import view
from shogi_engine.web.tree import Tree
from tests.support.typed_lines import typed

PRINTED = Path(__file__).parents[1] / "data" / "printed"


def shown(values):
    """Return values as JSON, the innermost lists and objects on one line each."""
    text = json.dumps(values, ensure_ascii=False, indent=1, default=msgspec.to_builtins)
    return re.sub(r"[\[{]\n[^\[\]{}]*[\]}]", lambda found: re.sub(r"\n *", " ", found[0]), text)


# ---- matches


def used(moves, ms, nodes, late=0, longest=0.0):
    return {"moves": moves, "ms": ms, "nodes": nodes, "late": late, "longest": longest}


def logged(*rows):
    names = ("score", "reason", "fault", "plies", "scores", "first", "second")
    return {number: dict(zip(names, row, strict=True)) | {"game": number} for number, row in rows}


LATE_SCORES = [12, -7, 40, None, 29_000, 9, *[None] * 24, 300, -151, 110]  # plies 30 to 32 are the last
MATCH = logged(
    (0, (1.0, "resignation", "", 71, LATE_SCORES, used(36, 3610.0, 72_001, 1, 220.44), used(35, 700.0, 350, 0, 31.0))),
    (1, (0.5, "repetition", "", 48, [5, 8, None], used(24, 250.0, 4_000), used(24, 999.0, 1_200, 2, 88.0))),
    (2, (1.0, "time: 120 ms of 100", "time", 33, None, used(17, 10.0, 9), used(16, 5.0, 7, 1, 120.26))),
    (3, (0.0, "mate", "", 90, None, used(45, 20.0, 1), used(45, 33.0, 2))),
    (4, (1.0, "resignation", "", 12, None, used(6, 1.0, 3), used(6, 2.0, 4))),
    (5, (1.0, "40 to 24 discs", "", 60, None, used(30, 4.0, 6), used(30, 8.0, 8))),
    (6, (0.0, "illegal move: no", "illegal move", 3, None, used(2, 3.0, 0), used(1, 1.0, 5))),
)  # fmt: skip
PLAYED = [((0, 1), 1.0), ((0, 1), 0.5), ((0, 2), 1.0), ((0, 2), 1.0), ((1, 2), 0.0), ((1, 2), 0.5), ((0, 1), 1.0),
          ((0, 1), 0.0), ((0, 2), 0.5)]  # fmt: skip
TOURNAMENT = {
    number: {"score": score, "players": list(players), "fault": "time" if number in (3, 7) else "",
             "reason": "mate", "plies": 10 + number, "moves": "",
             "first": used(number + 1, 10.0 * number, 100 * number, number == 7, 3.25 * number),
             "second": used(2, 7.0 + number, 11 * number, 0, 1.5)}
    for number, (players, score) in enumerate(PLAYED)
}  # fmt: skip


def prepared(log, names):
    return Values(match=Values(log=Values(records=log), sprt=Sprt(0, 10)), names=names)


def match_of_two():
    ready = prepared(MATCH, ["alpha", "beta"])
    steps = match_report.course({number: row["score"] for number, row in MATCH.items()}, ready.match.sprt)
    steps = [(count, round(found.elo, 2), round(ratio, 4)) for count, found, ratio in steps]
    ended = {"llr": 2.987, "bounds": [-2.251, 2.89], "elo0": 0, "elo1": 5.5, "verdict": "accept"}
    lines = [match_report.line(summarise({4: MATCH[4], 5: MATCH[5]}, None)), match_report.sprt_text(ended)]
    return "\n".join([match.two_text(ready), shown(summarise(MATCH, ready.match.sprt)), shown(steps), *lines])


def tournament():
    ready = prepared(TOURNAMENT, ["alpha", "beta", "gamma", "idle"])
    return match.tournament_text(ready) + "\n" + shown(match.tournament_values(ready))


def match_pages():
    """The pages of both, without their style."""
    two = {number: row | {"moves": " ".join(["7g7f", "3c3d"][: number % 3])} for number, row in MATCH.items()}
    pages = [
        match_report.page("two", two, ["alpha", "beta"], Sprt(0, 10)),
        match_report.page("three", TOURNAMENT, ["alpha", "beta", "gamma"]),
    ]
    return re.sub("<style>.*?</style>", "", "\n".join(pages), flags=re.DOTALL)


def match_games():
    log = {
        4: {"score": 1.0, "reason": "resignation", "moves": "7g7f 3c3d 2g2f",
            "times": [1500, None, 12_345.6], "scores": [31, -44, 29_950]},
        5: {"score": 0.5, "reason": "adjudication", "moves": "2g2f", "times": [30], "scores": [-29_000]},
        7: {"score": 0.0, "reason": "time: 9", "fault": "time", "moves": "7g7f"},
    }  # fmt: skip
    made = list(game_records("shogi", log, ["alpha", "beta"], "alpha - beta"))
    other = {1: {"score": 1.0, "reason": "", "points": -12, "moves": "f5 d6", "scores": [150, -320]}}
    made_too = list(game_records("othello", other, ["alpha", "beta"]))
    return (records.dumps(made, "csa") + records.dumps(made_too, "ggf")).decode()


def comparison():
    names, log = ["random", "minimax:2", "pvs:3"], {}
    for number, (players, score) in enumerate(PLAYED):
        log[number] = {"score": score, "players": list(players)}
        for place, side in enumerate(("first", "second")):
            name = names[players[place]]
            visits = [] if name == "random" else [number + 1 + 5 * place, 10 + number, 7 * number][: int(name[-1])]
            log[number][side] = {"ms": 1000.0 * number + 250 * place, "visits": visits}
    rows = compare.rows_of(names, log)
    return compare.table(names, rows) + "\n" + shown(rows)


# ---- analyses


def judged_games():
    made = []
    for number, (names, ending) in enumerate(((["ann", "bob"], "resignation"), (["bob", "ann"], "repetition"))):
        record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "8h5e", "2b5e"], ending=ending)
        record.names = names
        found = {
            0: PositionResult("2g2f", Score(61), ("2g2f", "8c8d"), 9),
            1: PositionResult("8c8d", Score(-33), ("8c8d",), 8),
            2: PositionResult("2g2f", Score(84), ("2g2f", "8c8d", "2f2e"), 7 + number),
            3: PositionResult("2b5e", Score(907 - 400 * number), ("2b5e",), 6),
            4: PositionResult("2g2f", Score(-943 + 400 * number), ("2g2f",), 5),
        }
        game = judge(record, found)
        missed = [replace(move, missed_mate=5) if move.ply == 3 and number else move for move in game.moves]
        made.append(replace(game, moves=tuple(missed)))
    values = [Score.discs(2), Score.discs(-1.5), Score.discs(4), Score.discs(11), Score.discs(-9)]
    moves = ["f5", "f6", "c5", "d3", "c4"]
    rows = zip(moves, values, strict=True)
    found = {ply: PositionResult(move, score, (move,), 10 + ply) for ply, (move, score) in enumerate(rows)}
    for names, ending in ((["", "ann"], "resignation"), (["ann", ""], "draw")):
        record = GameRecord.from_moves("othello", ["f5", "d6", "c3", "d3"], ending=ending)
        record.names = names
        made.append(judge(record, found))
    return made


def analysed():
    games = judged_games()
    sources = [(f"{number}.kif", number, game.record) for number, game in enumerate(games, 4)]
    done = Values(positions=37, seconds=8.04, threads=3)
    return "\n".join([analyse._text(None, sources, games, done), analyse._text(None, sources[:1], games[:1], done)])


def analysed_json():
    games = judged_games()
    rows = [each.values() for each in analysis.players(games)] + [row.values() for row in analysis.scored(games, "ann")]
    return shown([[game.values() for game in games[1:3]], rows])


def annotated_records():
    _, shogi, othello, _ = judged_games()
    made = [records.dumps(annotated(each, language.current()), name).decode("utf-8")
            for each, name in ((shogi, "usi"), (othello, "ggf"))]  # fmt: skip
    return "\n".join([*made, records.dumps(annotated(shogi, language.current()), "kif", "utf-8").decode("utf-8")])


def analysed_page():
    """The page's data without the boards, and its text."""
    text = analysis.page(judged_games()[1:3], language.current())
    data = json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    for ply in (ply for game in data["games"] for ply in game["plies"]):
        ply.pop("board")
        for step in ply.get("line", []):
            step.pop("board")
    games = [{name: game[name] for name in ("title", "names", "named", "plies")} for game in data["games"]]
    one = analysis.page(judged_games()[:1], language.current())
    return shown([*games, *(re.findall("<title>.*</title>", each) for each in (text, one))])


def hints():
    rows = [
        Hint("7g7f", Score(123), 0.546, 9, False, ("7g7f", "3c3d")),
        Hint("2g2f", Score(-45), 0.404, 17, True, ("2g2f",)),
        Hint("5i5h", Score.mated_in(6), 0.0, 8, False, ("5i5h", "8c8d")),
        Hint("9g9f", Score.mate_in(3), 1.0, 5, False, ("9g9f",)),
    ]
    discs = [
        Hint("f5", Score.discs(3.5), 0.61, 12, False, ("f5", "d6")),
        Hint("d3", Score.discs(-2), 0.27, 20, True, ("d3",)),
    ]
    spoken = language.current()
    return "\n".join([
        analysis.hint_table(rows, Board(), spoken), analysis.hint_table(discs, OthelloBoard(), spoken),
        analysis.hint_table([]),
    ])  # fmt: skip


def values_in_words():
    scores = [Score(123), Score(-7), Score(0), Score.mate_in(3), Score.mated_in(6), Score.mate_in(None),
              Score.discs(3.5), Score.discs(-12), Score.discs(0)]  # fmt: skip
    seconds = [0, 0.2, 59.1, 61, 3599.5, 3600, 36_125, -4]
    return "\n".join([*map(words.score_text, scores), *map(clock._minutes, seconds)])


# ---- books and explorers

EXPLORED = [
    ExplorerMove("7g7f", black=5, draws=1, white=3, unknown=2, value=38),
    ExplorerMove("2g2f", black=1, draws=0, white=2, value=-141),
    ExplorerMove("5i5h", unknown=4),
    ExplorerMove("9g9f", value=6),
]
REPLIES = [
    ExplorerMove("3c3d", black=4, draws=3, white=10, turn=1, value=-52),
    ExplorerMove("8c8d", black=2, draws=1, white=0, unknown=1, turn=1),
]
DISCS = [ExplorerMove("f5", black=2, draws=1, white=4, value=125), ExplorerMove("d3", value=-340)]


def explored():
    spoken, after = language.current(), Board()
    after.push_text("7g7f")
    played = [PlayedGame("a.kif", 3, ("ann", "bob"), "1-0"), PlayedGame("b.csa", 12, ("", ""), "*")]
    return "\n".join([
        book.as_text(Board(), EXPLORED, played, ""), book.as_text(after, REPLIES, [], "western"),
        shown([book.as_json(row) for row in (*EXPLORED, *REPLIES)]),
        *figures(Board(), EXPLORED, spoken), *figures(after, REPLIES, spoken), *figures(OthelloBoard(), DISCS, spoken),
    ])  # fmt: skip


def added_games(capsys):
    book.tell(Path("a"), Added(games=1))
    faults = [ValueError(f"no. {number}") for number in range(11)]
    book.tell(Path("b"), Added(games=7, known=2, others=3, skipped=13, faults=faults))
    book.tell(Path("c"), Added(games=0, skipped=11))
    entries = {"one": [1, 2, 3], "two": [4], "three": [5]}
    said = capsys.readouterr()
    return said.out + said.err + book._count(entries)


def book_rows():
    shogi, othello = Values(unit=1), Values(unit=100)
    after = OthelloBoard()
    rows = [
        book._row(shogi, Board(), BookMove("7g7f", value=-38, depth=21, count=4, ponder="3c3d"), "western"),
        book._row(shogi, Board(), BookMove("2g2f"), ""),
        book._row(othello, after, BookMove("f5", value=-250, depth=12), ""),
    ]
    return shown(rows)


def book_shown(capsys, tmp_path):
    moves = "7g7f 3c3d 38 21 4\n2g2f none -141 0 1\n"
    (tmp_path / "book.db").write_text(f"#YANEURAOU-DB2016 1.00\nsfen {Board().position()}\n{moves}")
    command = ["book", "shogi", "show", "--book", str(tmp_path / "book.db"), "--language", language.current()]
    for more in ([], ["--notation", "western"], ["--json"]):
        assert main([*command, *more]) == 0
    return capsys.readouterr().out


# ---- mates and endings

MATED = "4k4/9/4P4/9/9/9/9/9/4K4 b 2GN2P 1"


def mate_of(*moves, **values):
    board, position = Board(MATED), parse_sfen(MATED)
    codes = []
    for move in moves:
        codes.append(int(board.parse_usi(move)))
        board.push_usi(move)
    return mate_answer.MateAnswer(MATED, position, ForcedWin("mate", tuple(codes), nodes=1234, seconds=0.567, **values))


def mates():
    notation = "japanese" if language.current() == "ja" else "western"
    answer = mate_of("G*6b", "5a4a", "G*4b", shortest=True)
    answer.others = [mate_of("G*5b").found.moves]
    none = replace(answer, found=ForcedWin("nomate", nodes=55, seconds=1.005), others=())
    open_ = replace(answer, found=ForcedWin("timeout", nodes=77, seconds=12.3), others=())
    row = {"sfen": MATED, **mate_of("G*6b", "5a4a", "G*4b", shortest=False).values(), "flaws": [
        {"flaw": "shorter", "length": 1}, {"flaw": "left over"},
        {"flaw": "other solution", "ply": 1, "move": "G*5b", "length": 1}],
        "tolerated": [{"ply": 3, "move": "G*3b", "length": 3}],
        "unproven": [{"ply": 3, "move": "G*5b", "length": -1}]}  # fmt: skip
    return "\n".join([
        answer.text(notation, ""), answer.text("usi", "western", True),
        none.text(notation, ""), open_.text(notation, ""),
        mate_of("G*5b", shortest=False).text(notation, ""), shown([each.values() for each in (answer, none, open_)]),
        *mate_answer.sentences(row, notation), *mate_answer.sentences(row | {"flaws": [], "unproven": []}, notation),
        *mate_answer.numbered(list("abcde")), records.dumps([answer.record()], "kif", "utf-8").decode("utf-8"),
    ])  # fmt: skip


def many_mates(capsys, monkeypatch):
    found = [mate_of("G*5b"), replace(mate_of("G*5b"), found=ForcedWin("nomate", nodes=1000, seconds=0.25)),
             replace(mate_of("G*5b"), found=ForcedWin("nomate", nodes=20_000, seconds=3.5)),
             *[replace(mate_of("G*5b"), found=ForcedWin("timeout", nodes=300_000, seconds=11.0))] * 3]  # fmt: skip
    monkeypatch.setattr(solve, "answers", lambda *_: found)
    for as_json in (False, True):
        args = Values(json=as_json, notation="usi", diagram=False, tsume=False, out=None, all=False)
        assert solve.solve_many(args, [MATED] * 6) == 1
    monkeypatch.setattr(solve, "answers", lambda *_: found[-1:])
    assert solve.solve_one(args, MATED) == 1
    monkeypatch.setattr("shogi_engine.games.shogi.mate.solver.MateSolver", lambda _: Values(warmup=lambda **_: None))
    for plies in (2, 1):
        row = {"result": "nomate", "plies": plies, "flaws": []}
        monkeypatch.setattr(mate_answer, "examined", lambda solver, sfen, plies, ms, row=row: row | {"ms": ms})
        args = Values(json=plies == 1, hash=1, max_ms=None, notation="usi")
        assert solve.check_problems(args, [(MATED, 0)] * plies) == 1
    return capsys.readouterr().out


# ---- problems


def tsume_progress():
    known = Values(count=lambda some: len(some) // 3)
    chosen = [tsume.problems()[0], tsume.problems(7)[40]]
    return "\n".join([*tsume_command.progress_lines(known), *map(tsume.title, chosen), tsume.heading(chosen),
                      tsume.heading(chosen[1:]), tsume.as_text(chosen)])  # fmt: skip


PROBLEMS = [
    study.Problem("shogi", Board().position(), "piece", ("2g2f", "7g7f"), ("2g2f", "8c8d"), "5i5h", ("3c3d",),
                  (("en", ("It loses a pawn.",)), ("ja", ("歩を失う。",))), "ann - bob, 17"),
    study.Problem("shogi", Board().position(), "line", ("7g7f",), ("7g7f",), "", (), (), "9"),
    study.Problem("shogi", Board().position(), "piece", ("9g9f",), ("9g9f",), "", (), (), "somewhere"),
]  # fmt: skip


def problems():
    made = study.as_records(PROBLEMS, language.current())
    return records.dumps(made, "usi").decode() + study.as_text(PROBLEMS) + records.dumps(made, "kif", "utf-8").decode()


def printed_sheet():
    """The page without its style and diagrams."""
    answers = {"answers": ("G*5b", "G*6b"), "line": ("G*5b",), "played": "5i5h", "refutation": ("5a4b", "G*3b")}
    some = [replace(PROBLEMS[0], position=MATED, **answers), PROBLEMS[1]]
    made = [*study.as_records(some, language.current()), *tsume.as_records([tsume.problems()[0]])]
    made[2].names = ["ann", "bob"]
    return re.sub("<(svg|style).*?</\\1>", "", study.sheet(made, "A <title>", language.current()), flags=re.DOTALL)


# ---- games at the terminal


def terminal_game(monkeypatch, tmp_path):
    """A person and an engine; then two people, whose clocks stand still."""
    monkeypatch.setattr("shogi_engine.records.files.data_folder", lambda: tmp_path)
    answers = iter(
        PlayResult(move, info=Info(score=score, depth=depth, pv=(move, *line)), time=seconds, from_book=not depth)
        for move, score, depth, line, seconds in (
            ("2g2f", Score(-123), 14, ("3c3d",), 0),
            ("8c8d", Score(45), 9, (), 7.096),
            ("7g7f", Score(71), 0, (), 0.3),
            ("3c3d", Score.mate_in(7), 13, (), 12.04),
            ("8h2b+", Score.mated_in(8), 11, ("3a2b",), 0.04),
        )
    )
    engine = Values(game=games.load("shogi"), analysis=lambda *_: contextlib.nullcontext(Values(wait=answers.__next__)))
    monkeypatch.setattr(play, "choose", lambda _engine, _board, search, _level: search(Limit(depth=1)))
    shown = []
    lines = [
        "level",
        "hint",
        "2g2f",
        "board",
        "undo",
        "go",
        "no",
        "flip",
        "hint",
        f"save {tmp_path / 'a.kif'}",
        "resign",
    ]
    match = play.TerminalGame(engine, Game.begin("shogi"), {0}, Limit(level=3), typed(lines), shown.append)
    shown.append(play.greeting(match))
    match.play()
    setting = Clock(605_000, byoyomi=7_500)
    game = Game.begin("othello", clock=GameClock(setting, lambda: 0.0))
    match = play.TerminalGame(engine, game, {0, 1}, Limit(nodes=77), typed(["f5", "f6"]), shown.append)
    shown += [play.greeting(match), match.strength(), match.clocks()]
    match.play()
    return re.sub(str(tmp_path), "", "\n".join(shown))


# ---- textbook searches


def tree():
    leaf = TraceNode("d6", 0, -7, 9, trace.FIRST, 5, trace.LEAF)
    reduced = TraceNode("c4", 0, -7, 9, trace.REDUCED, -8, trace.LEAF)
    cut = TraceNode("f5", 1, -9, 7, trace.FIRST, 8, trace.CUTOFF, 12, [leaf, reduced], reduced)
    others = [
        TraceNode("d3", 1, 3, 4, trace.SCOUT, 2, trace.TABLE),
        TraceNode("d3", 1, 3, 32_001, trace.AGAIN, -31_990, trace.TERMINAL),
        TraceNode("c4", 1, 5, 6, trace.SCOUT, 4, legal=3),
    ]
    root = TraceNode("", 2, -32_001, 32_001, trace.FIRST, 11, legal=4, children=[cut, *others], best=cut)
    return trace.TraceTree(root, 11, 157)


def traced():
    made = tree()
    return "\n".join([*trace.tree_lines(made.root), shown(made.counts()), trace.dot(made), " ".join(made.root.pv())])


# ---- servers


def csa_screen(monkeypatch, tmp_path):
    said = []
    times = [ServerTime(Clock(600_000, byoyomi=10_000)), ServerTime(Clock(90_500, increment=5_000)), ServerTime()]
    for pair in itertools.pairwise([times[0], *times]):
        said.append(GameSummary("", ("", ""), 0, "", times=pair[::-1]).describe())
    said += [Tally(3, 1, 2).describe(), Tally(3, 1, 2, 4).describe(), str(Tally(3, 1, 2, 4).games)]
    session = Values(_display=Values(progress=said.append))
    for ply, ours, score, left in ((16, True, -123, 59.6), (17, False, None, -3.0), (18, False, 45, float("inf"))):
        game = Values(time_left=lambda left=left: left, our_turn=ours, opponent="bob", score=score, ply=ply)
        CsaSession._show(session, game, 0.0)
    monkeypatch.setattr("time.time", lambda: 1_899_115_200.0456)
    log = csa.ConversationLog(str(tmp_path / "log"))
    log(">", "LOGIN me")
    log.close()
    said.append((tmp_path / "log").read_text().strip().partition(".")[2])  # the day and the hour are local
    return "\n".join(said)


def csa_record(monkeypatch):
    """What the record of a game on a server says of it, and what the server is told of a move."""
    monkeypatch.setattr("time.strftime", lambda _: "2030/03/07 12:34:56")
    time = ServerTime(Clock(5_430_000, byoyomi=10_000))
    begun = (("7g7f", 3.0), ("3c3d", 11.0), ("2g2f", 15.0))
    summary = GameSummary("game-17", ("ann", "bob"), 1, Board().position(), begun, (time, time), max_moves=321)
    game, line = ServerGame(summary, Values(delay=0)), ("8c8d", "2f2e", "8d8e")
    answer = PlayResult("8c8d", info=Info(score=Score(-123), depth=14, pv=line))
    said = [game._comment_text(answer)]
    node = game.game.move("8c8d", seconds=9.0)
    game._note(node, answer, game.game.board)
    game._illegal = ("+0055FU", "no pawn in hand")
    game._finish(records.Outcome(1, Termination.ILLEGAL_MOVE), "a remark")
    return "\n".join([*said, records.dumps(game.record, "csa").decode(), shown(game.record.headers)])


def addresses():
    places = ("example.org", 8123, "a b&c"), ("::1", 80, ""), ("127.0.0.1", 5963, "")
    return "\n".join(serve._address(*place) for place in places)


# ---- training


def training():
    facts = {
        "made": {"epochs": 3}, "games": {"learnt": 90, "held out": 11, "positions": 4321},
        "losses": [{"training": 0.0312, "validation": 0.0457}, {"training": 0.0203, "validation": 0.0419}],
        "by side": {"black": 0.081234, "white": 0.067891}, "neurons": {"dead": 0.2345, "clipped": 0.1567},
        "quantisation error, centipawns": {"median": 4.26, "largest": 31.5},
    }  # fmt: skip
    endings = {
        "error by empty squares": [{"empty squares from": 12, "error": 3.4567, "error before": 2.3451}],
        "losses": [{"training": 1.5, "validation": 9.8765}, {"training": 1.2344, "validation": 8.7654}],
        "weights": {"at their limit": 0.2345, "never moved": 0.1},
    }
    found = [*shogi_training.problems(facts), *othello_training.problems(endings)]
    curve = {"losses": {"training": [(1.0, 0.0312), (2.0, 0.0203)], "validation": [(1.0, 0.0457), (2.0, 0.0419)]}}
    made = page(Report("A network", facts | {"problems": found}, curve))
    gate = GateResult({number: row["score"] for number, row in MATCH.items()})
    said = [str(gate), losses_text({"training": 0.03125, "validation": 0.0456987})]
    return "\n".join([*said, re.sub("<style>.*?</style>", "", made, flags=re.DOTALL)])


# ---- searches and files


def searched(capsys, monkeypatch, tmp_path):
    """The commands that search a position, with engines that have found what is told here."""
    lines = [Info(score=Score(-123), depth=14, nodes=54_321, nps=7_654, pv=("7g7f", "3c3d")),
             Info(score=Score.mate_in(7), depth=13, nodes=9, nps=1, pv=("2g2f",))]  # fmt: skip
    result = PlayResult("7g7f", info=lines[0], multipv=tuple(lines), time=7.096)
    running = Values(wait=lambda: result)
    board = Values(state=None, position=lambda: "a position")
    engine = Values(
        game=games.load("othello"), board=lambda *_: board, warmup=lambda: None, analysis=lambda *_, **__: running
    )
    for place in ("shogi_engine.engine.Engine", "shogi_engine.engine.engine.Engine"):
        monkeypatch.setattr(place, lambda *_, **__: contextlib.nullcontext(engine))
    monkeypatch.setattr(trace, "Tracer", lambda game: Values(trace=lambda state, depth: tree()))
    monkeypatch.setattr(search, "typed_moves", lambda *_: [])
    start = engine.game.parse_position(engine.game.start)
    line = [int(engine.game.parse_move(start, move)) for move in ("f5", "e6")]
    solved = Values(score=-14, move=line[0], nodes=98_765, seconds=3.2104, pv=line)
    of_wld = {False: solved, True: Values(**vars(solved) | {"score": 1, "move": 0})}
    solver = Values(warmup=lambda: None, solve=lambda *_, wld, **__: of_wld[wld])
    monkeypatch.setattr("shogi_engine.games.othello.endgame.solver.Solver", lambda *_, **__: solver)
    counted = Values(nodes=3_210_987, seconds=2.0506, divide={"7g7f": 31, "2g2f": 29})
    monkeypatch.setattr("shogi_engine.perft.perft", lambda *_, **__: counted)
    monkeypatch.setattr("shogi_engine.suites.bench", lambda name, _: Values(nodes=1000 + len(name), seconds=0.75))
    endings = (f"solve othello {'X' * 40}{'O' * 24} X", f"solve othello {'X' * 64} O --wld")
    for command in (
        "search shogi --multipv 2",
        f"search othello --tree {tmp_path / 'dot'}",
        *endings,
        "perft shogi 3 --divide",
        "bench",
    ):
        for more in ([], ["--json"]):
            assert main([*command.split(), "--language", language.current(), *more]) == 0
    outcome = SuiteResult(5, 2, 3, 12_345, 0.51, [], ["position 4: 17 instead of 19"])
    assert common.report_suite(False, outcome) == common.report_suite(True, outcome) == 1
    assert (tmp_path / "dot").read_text() == trace.dot(tree())
    search.show(Info(score=Score(-45), depth=7, nodes=54_321, time=2.346, pv=("7g7f", "3c3d")))
    said = capsys.readouterr()
    return said.out + said.err


def installation():
    facts = {"shogi_engine": "1.2", "python": "3.12.4", **dict.fromkeys(doctor.PACKAGES, "0.5"), "system": "Any 6.1"}
    facts |= {"cpu": "some", "cpus": 12, "settings": {"NUMBA_NUM_THREADS": "3"}, "kernels": "compiled", "cache": "/a"}
    facts |= {"ready_seconds": 4.56, "evaluation": "nnue: x", "worth": ["pawn 91", "lance 250"], "eval_file_mb": 60.8}
    facts |= {"fv_scale": 24, "perft_nodes": 719_731, "perft_seconds": 0.047, "bestmove": "7g7f", "depth": 13}
    facts |= {"nodes": 54_321, "nps": 98_765, "crash_log": "none", "usi_seconds": 1.234, "problems": []}
    return doctor.report(facts) + "\n" + doctor.report(facts | {"problems": ["slow", "old"], "usi_seconds": None})


def converted(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    notes = ({}, {1: "a"}, {2: "b"})
    made = [GameRecord.from_moves("shogi", ["7g7f", "3c3d"], comments=each) for each in notes]
    made[2].root.add("2g2f")
    records.save(made, "in.kif")
    records.save(made[:1], "one.kif")
    for command in ("in.kif out.csa", "in.kif out.usi", "one.kif out.ki2", "in.kif out.sfen --to usi --json"):
        assert main(["convert", *command.split(), "--language", language.current()]) == 0
    said = capsys.readouterr()
    return said.out + said.err


def repertoire_list(capsys):
    day = datetime.datetime(2030, 3, 7, 12, tzinfo=datetime.UTC)
    rows = [(each, day + datetime.timedelta(days=9 * number)) for number, each in enumerate(PROBLEMS)]
    for some, as_json in ((rows, False), (rows, True), ([], False)):
        repertoire._list(Values(json=as_json), Values(schedule=lambda some=some: some))
    return capsys.readouterr().out


def study_round():
    said, day = [], datetime.datetime(2030, 3, 7, 12, tzinfo=datetime.UTC)
    for size, found, due, when in ((5, 3, 3, None), (0, 0, 2, None), (0, 0, 0, day), (0, 0, 0, None)):
        source = Values(size=size, found=found, due=lambda _, due=due: PROBLEMS[:due], next_due=lambda when=when: when)
        given = study_command.Round(source, Values(show=said.append), lambda: day)
        given.give = lambda problem: True
        given.run()
    return "\n".join(said)


def session_view():
    """What a page shows of a session: the rows of the moves, the clocks, the result, the labels of squares."""
    spoken, parts = language.current(), []
    for game, other, value in zip(judged_games()[1:3], ("8c8d", "f6"), (Score(77), Score.discs(-5.25)), strict=True):
        record = game.record
        for node, seconds in zip(record.main_line[1:], (1.5, 22.75, None, 3), strict=True):
            node.seconds = seconds
        record.main_line[2].add_comment("a word")
        record.main_line[1].add(other, comment="instead")
        made = Tree(record)
        numbers = made.main()
        verdicts = {numbers[move.ply]: move for move in game.moves}
        values = {node: (move.black_played_score, move.ply == 2) for node, move in verdicts.items()}
        found = Values(values={0: (value, False), **values}, verdicts=verdicts)
        parts += [view.line(made, found, spoken), view.ended(record.outcome(), made, spoken), view.title(record)]
    board = Board("4k4/9/4P4/9/9/9/9/9/4K4 b 2GN2P3s 1")
    labels = {name: text for name, text in view.labels("shogi", board, spoken).items() if " " in text}
    discs = Values(termination=Termination.DISCS, winner=0, black=40, white=24)
    clocks = Values(setting=Clock(byoyomi=7_500), seconds=(61.2345, 3.999).__getitem__, side=1)
    play = Values(on=True, players=[4, None], thinking=False, live=1, passing=False, outcome=None, clock=clocks)
    playing = view.playing(play, None, made, spoken)
    return shown([*parts, labels, view.hands(board), view.ended(discs, made, spoken), playing])


TEXTS = {
    each.__name__: each
    for each in (
        match_of_two, tournament, match_pages, match_games, comparison, analysed, analysed_json, annotated_records,
        analysed_page, hints, values_in_words, explored, added_games, book_rows, book_shown, mates, many_mates,
        tsume_progress, problems, printed_sheet, terminal_game, traced, csa_screen, csa_record, addresses, training,
        searched, installation, converted, repertoire_list, study_round, session_view,
    )
}  # fmt: skip
FILES = sorted(path.name for path in PRINTED.glob("*.txt"))


@pytest.mark.parametrize("name", FILES)
def test_the_whole_text(name, request):
    text, spoken, _ = name.split(".")
    language.use(spoken)
    made = TEXTS[text]
    given = {each: request.getfixturevalue(each) for each in made.__code__.co_varnames[: made.__code__.co_argcount]}
    assert made(**given).replace("\r\n", "\n") + "\n" == (PRINTED / name).read_text(encoding="utf-8")


def test_each_text_has_a_file():
    assert {name.split(".")[0] for name in FILES} == set(TEXTS)
