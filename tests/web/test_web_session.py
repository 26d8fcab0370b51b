"""A session at the server, without one: games, trees, records, analyses, with engines that are fakes."""

import base64

import pytest

from shogi_engine import records
from shogi_engine.games.shogi.board import Board
from shogi_engine.games.shogi.records.kakinoki import HANDICAPS
from shogi_engine.tsume import Progress, best_defence, daily, problems
from shogi_engine.types.results import ForcedWin, Score
from shogi_engine.web.hub import Full, Hub
from shogi_engine.web.pool import EnginePool, PoolClient, PoolSearch, Priority
from shogi_engine.web.session import Session
from shogi_engine.web.store import GameStore
from shogi_engine.web.tree import Tree
from tests.records.random_records import random_record
from tests.web.fake_engine import FakeEngine, FakeExaminer, wait_for
from tests.web.page import Page


def Player(pool):  # noqa: N802  (a page of a session of its own)
    return Page(Session(pool, FakeExaminer))


@pytest.fixture(scope="module")
def pool():
    pool = EnginePool(2, FakeEngine)
    yield pool
    pool.close()


@pytest.fixture
def player(pool):
    player = Player(pool)
    yield player
    player.session.rest()


# ---- moves and the tree


def test_pages_are_told_of_a_new_level(player):
    player.do("new", game="shogi", players=[None, 5])
    before = player.state
    player.do("level", side=1, level=7)
    assert (before["playing"]["players"], player.state["playing"]["players"]) == ([None, 5], [None, 7])


def test_the_state_says_what_may_be_played(player):
    state = player.do("look", language="ja").state
    assert state["targets"]["7g"] == {"7f": ["7g7f"]} and state["labels"]["7g"] == "７七 先手 歩"
    assert state["svg"].count('class="square"') == 81
    player.do("move", move="7g7f").do("move", move="3c3d")
    assert player.texts == ["▲７六歩", "△３四歩"]
    player.do("look", language="en").do("move", move="8h2b+")
    assert player.texts == ["P-7f", "P-3d", "Bx2b+"] and player.state["turn"] == 1
    player.do("move", move="3a2b")
    assert set(player.state["targets"]["B*"]["5e"]) == {"B*5e"}
    assert player.state["labels"]["black B*"] == "black in hand: bishop 1"


def test_a_win_can_be_declared_only_where_the_rules_allow_it(player):
    for position, allowed in (("4K4/GGGSS4/SNNNNL3/9/9/9/9/9/k8 b R2B2P 1", True), ("startpos", False)):
        player.do("paste", text=position)
        assert not player.state["may_declare"]
        player.do("new", game="shogi", players=[None, None], here=True)
        assert player.state["may_declare"] == allowed


def test_steps_variations_and_deleting(player):
    for move in ("7g7f", "3c3d", "2g2f"):
        player.do("move", move=move)
    player.do("step", to="first")
    assert (player.state["ply"], len(player.state["line"])) == (0, 4)
    player.do("step", to="next").do("move", move="8c8d")
    assert player.texts == ["P-7f", "P-3d", "P-2f"] and (player.state["ply"], player.state["branch"]) == (2, 1)
    (run,) = player.state["line"][2]["others"]
    assert [text for _, text, _ in run["moves"]] == ["P-8d"] and (run["ply"], run["depth"]) == (2, 0)
    player.do("step", to="above")
    assert (player.state["ply"], player.state["branch"]) == (2, 2)
    player.do("step", to="below").do("promote")
    assert player.texts == ["P-7f", "P-8d"] and player.state["branch"] == 2
    (run,) = player.state["line"][2]["others"]
    assert [text for _, text, _ in run["moves"]] == ["P-3d", "P-2f"] and (run["ply"], run["depth"]) == (2, 0)
    other = run["moves"][0]
    player.do("go", node=other[0]).do("promote")
    assert player.texts == ["P-7f", "P-3d", "P-2f"] and player.state["ply"] == player.state["branch"] == 2
    player.do("delete")
    assert player.texts == ["P-7f", "P-8d"] and player.state["ply"] == 1
    with pytest.raises(ValueError, match="no longer"):
        player.do("go", node=other[0])
    player.do("undo")
    assert player.state["ply"] == 0 and player.texts == []
    with pytest.raises(ValueError, match="take back"):
        player.do("undo")


@pytest.mark.parametrize("seed", [2, 6, 10])  # with variations in variations
def test_variations_say_where_they_begin_and_how_deep_they_are(player, seed):
    tree = player.do("paste", text=records.dumps(random_record(seed), "kif", "utf-8").decode()).session.tree
    runs = [run for row in player.state["line"] for run in row.get("others", ())]
    for run in runs:
        path = tree.path(run["moves"][0][0])
        branches = [number for number in path if number and tree.line_from(tree.parent(number))[1] != number]
        assert (run["ply"], run["depth"]) == (len(path) - 1, len(branches) - 1)
    shown = [number for run in runs for number, _, _ in run["moves"]] + [row["node"] for row in player.state["line"]]
    assert sorted(shown) == sorted(tree.preorder())


def test_an_illegal_move_changes_nothing(player):
    before = player.state
    for move in ("7g7e", "5i5a", "hello", "P*5e"):
        with pytest.raises(ValueError):
            player.do("move", move=move)
    assert {**player.do("look").state, "seq": before["seq"]} == before


def test_a_tree_has_an_end(monkeypatch):
    monkeypatch.setattr("shogi_engine.web.tree.NODES_MAX", 3)
    tree = Tree(records.GameRecord.from_moves("othello", ["f5", "d6"]))
    with pytest.raises(ValueError, match="at most 3"):
        tree.add("f4")
    with pytest.raises(ValueError, match="at most 3"):
        Tree(records.GameRecord.from_moves("othello", ["f5", "d6", "c3"]))


# ---- games


def test_a_game_against_the_engine(player):
    player.do("new", game="shogi", players=[None, 3], clock="10m+30")
    clock = player.state["playing"]["clock"]
    assert player.state["playing"]["on"] and (clock["side"], clock["byoyomi"], clock["seconds"][1]) == (0, 30, 600)
    player.do("move", move="7g7f")
    wait_for(lambda: player.state["ply"] == 2)
    assert player.state["playing"]["clock"]["side"] == 0 and "seconds" in player.state["line"][1]
    player.do("undo")
    assert player.state["ply"] == 0 and player.state["playing"]["on"]
    player.do("resign")
    assert player.state["playing"]["over"] == {"name": "resignation", "winner": 1}
    assert player.session.tree.record.result == "0-1"
    with pytest.raises(ValueError, match="no game"):
        player.do("resign")


def test_resigning_while_the_engine_thinks_is_saved_as_such(player, monkeypatch):
    player.do("new", game="shogi", players=[None, 3])
    monkeypatch.setattr(player.session.playing, "go_on", lambda: None)  # the engine never moves
    player.do("move", move="7g7f")
    player.do("resign")
    assert player.state["playing"]["over"] == {"name": "resignation", "winner": 1}
    player.do("save", format="kif")
    (again,) = records.loads(base64.b64decode(player.last("file")["data"]))
    assert (again.ending, again.result) == ("resignation", "0-1")
    assert not {"endings", "winners"} & set(player.last("file")["lost"])
    player.do("save", format="csa")
    assert player.last("file")["lost"] == ["endings"]
    (again,) = records.loads(base64.b64decode(player.last("file")["data"]))
    assert again.result == "0-1"


def test_the_engine_begins_a_handicap_game_and_the_board_is_turned_for_white(player):
    player.do("new", game="shogi", players=[3, None], handicap="2-piece")
    assert player.session.tree.record.start == HANDICAPS["二枚落ち"] and player.state["flipped"]
    assert player.state["turn"] == 1 and "3c" in player.state["targets"]
    player.do("move", move="3c3d")
    wait_for(lambda: player.state["ply"] == 2)
    with pytest.raises(ValueError, match="level must be"):
        player.do("new", game="shogi", players=[None, 21])
    with pytest.raises(ValueError, match="handicap"):
        player.do("new", game="shogi", players=[None, 1], handicap="11-piece")
    with pytest.raises(ValueError, match="expected MAIN"):
        player.do("new", game="shogi", players=[None, 1], clock="never")
    assert player.state["playing"]["on"]  # what was refused has changed nothing


def test_two_engines_play_a_whole_game(player):
    player.do("new", game="othello", players=[1, 1])
    wait_for(lambda: player.state["playing"]["over"], 30)
    state = player.state
    assert sum(state["counts"]) > 20 and state["playing"]["over"]["winner"] in (0, 1, None)
    assert (
        player.session.tree.record.score == state["counts"][0] - state["counts"][1]
        or 0 in state["counts"]
        or (sum(state["counts"]) < 64)
    )


def test_a_flag_falls(player):
    player.do("new", game="othello", players=[None, None], clock="1s")
    player.session.playing.clock._began -= 5
    player.session.tick()
    assert player.state["playing"]["over"] == {"name": "time", "winner": 1}


def test_a_mate_ends_the_game(player):
    player.do("paste", text="4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
    player.do("new", game="shogi", players=[None, None], here=True).do("move", move="G*5b")
    assert player.state["playing"]["over"] == {"name": "mate", "winner": 0}
    assert player.session.tree.at.ending == "mate"


# ---- analyses


def test_live_analysis_follows_the_position_and_stops(player):
    player.do("analyse", on=True, multipv=3)
    info = wait_for(lambda: player.last("info"))
    assert len(info["lines"]) == 3 and info["arrows"].count("<path") == 3
    figures = {name: info[name] for name in ("node", "depth", "seldepth", "nodes", "nps")}
    assert figures == {"node": 0, "depth": 7, "seldepth": 9, "nodes": 4321, "nps": 8642}
    chance = Score(30).chance()
    assert {"score": "+0.30", "chance": round(chance, 4), "depth": 7}.items() <= info["lines"][0].items()
    player.do("move", move="7g7f")
    wait_for(lambda: player.last("info")["node"] == player.state["node"])
    line = player.last("info")["lines"][0]  # for black: the fake is glad for the side to move
    assert (line["score"], line["chance"]) == ("-0.30", round(1 - chance, 4))
    player.do("analyse", on=False)
    wait_for(lambda: player.session.pool.load == (0, 0))


def test_who_leaves_ends_the_searches(player):
    player.do("analyse", on=True)
    wait_for(lambda: player.last("info"))
    player.session.detach(player.viewer)
    wait_for(lambda: player.session.pool.load == (0, 0))
    player.session.attach(player.receive)
    player.sent.clear()
    wait_for(lambda: player.last("info"))  # it continues for who comes back


def test_a_game_is_judged(player):
    player.do("paste", text="startpos moves 1g1f 3c3d 2g2f 8c8d")  # the first is the examiner's choice
    player.do("judge", on=True, effort="quick")
    wait_for(lambda: player.state["judging"] is None and player.session.analyses.verdicts)
    verdicts = [move.get("verdict") for move in player.state["line"]]
    assert verdicts == [None, None, None, "blunder", "blunder"]
    assert all("chance" in move for move in player.state["line"])
    player.do("step", to="last")
    verdict, loss = player.state["verdict"], round(Score(900).chance() - 0.5, 4)
    assert verdict["texts"] and isinstance(verdict["why"], list)
    assert [verdict[name] for name in ("class", "loss", "given", "score")] == ["blunder", loss, "9.00 pawns", "-9.00"]
    counts = {"blunder": 1, "mistake": 0, "inaccuracy": 0}
    assert player.state["summary"] == {"counts": [counts, counts], "agreement": [0.5, 0.0]}
    with pytest.raises(ValueError, match="no moves"):
        player.do("game", game="othello").do("judge", on=True)


def test_a_mate_is_shown_and_the_game_stays_as_it_is(player):
    player.do("paste", text="4k4/9/4P4/9/9/9/9/9/4K4 b G 1").do("mate")
    found = wait_for(lambda: player.last("mate"))
    assert (found["result"], found["length"], found["texts"]) == ("mate", 1, ["G*5b"])
    assert not wait_for(lambda: not player.state["mating"] and player.state)["line"][1:]
    player.do("line", node=found["node"], moves=found["moves"])
    assert player.texts == ["G*5b"] and player.state["ply"] == 0


def test_tsume(player):
    player.do("tsume", on=True, problem=1)
    wait_for(lambda: player.state["tsume"]["status"] == "yours")
    problem = problems()[0]
    quiet = next(str(move) for move in Board(problem.sfen).legal_moves if not Board(problem.sfen).gives_check(move))
    with pytest.raises(ValueError, match="no check"):
        player.do("move", move=quiet)
    player.do("move", move=problem.moves[0])
    same = {"number": 1, "plies": 1, "grade": 1, "count": len(problems())}
    assert player.state["tsume"] == {"status": "solved", "length": 1, "left": 0, "made": 1, **same}
    player.do("undo")
    assert player.state["tsume"] == {"status": "yours", "length": 1, "left": 1, "made": 0, **same}
    player.do("tsume", on=False)
    assert player.state["tsume"] is None


def test_tsume_needs_a_king_to_mate(player):
    player.do("paste", text="9/9/9/9/9/9/9/9/4K4 b G 1")
    with pytest.raises(ValueError, match="no king"):
        player.do("tsume", on=True)
    assert player.state["tsume"] is None


def test_what_was_solved_is_kept_beside_the_games(tmp_path):
    pool = EnginePool(1, FakeEngine)
    session = Session(pool, store=GameStore(tmp_path / "games"))
    page = Page(session, language="ja")

    def solved():
        return [number for number, row in enumerate(page.do("problems").last("problems")["rows"], 1) if row[2]]

    assert solved() == [] and page.last("problems")["daily"] == daily().number
    page.do("tsume", on=True, problem=2)
    wait_for(lambda: page.state["tsume"]["status"] == "yours")
    page.do("hint")
    problem = problems()[1]
    assert wait_for(lambda: page.last("hint"))["move"] == problem.moves[0]
    page.do("move", move=problem.moves[0])
    with pytest.raises(ValueError, match="no move to hint at"):
        page.do("hint")
    assert solved() == [2]
    assert Progress(tmp_path / "tsume.json").is_solved(problem)  # the terminal's file
    pool.close()


class Solver:
    """An engine that knows the mates after each defence: their plies, 0 for none, None where it finds out nothing."""

    def __init__(self, lengths):
        self.lengths = lengths

    def mate(self, board, limit, **wanted):
        length = self.lengths[str(board.peek())]
        result = "timeout" if length is None else "mate" if length else "nomate"
        return ForcedWin(result, ("7g7f",) * (length or 0))


DEFENCES = "k8/9/9/9/9/9/9/9/K7R w - 1"  # three moves of the king


@pytest.mark.parametrize(
    ("lengths", "reply", "left"), [((3, 5, 1), 1, 5), ((3, 0, 5), 1, 0), ((None, 0, 3), 1, 0), ((3, None, 5), 1, None)]
)
def test_the_best_defence_escapes_or_lives_longest(lengths, reply, left):
    board = Board(DEFENCES)
    moves = list(map(str, board.legal_moves))
    assert best_defence(Solver(dict(zip(moves, lengths, strict=True))), board) == (moves[reply], left)


def test_an_attacker_is_told_what_the_move_was_worth(player, monkeypatch):
    replies = iter([("5a5b", 5), ("5a5b", 3), ("5a5b", 0), ("5a5b", None)])
    monkeypatch.setattr("shogi_engine.tsume.best_defence", lambda *_: next(replies))
    player.do("paste", text="4k4/9/9/9/9/9/9/9/4K4 b G 1").do("tsume", on=True)
    wait_for(lambda: player.state["tsume"]["status"] == "no mate")
    player.session.tsume.exercise.lengths[()] = 5  # as if it had been proven
    for status, left in (("longer", 5), ("right", 3), ("lost", 0), ("unknown", 0)):
        player.do("move", move="G*5b")
        wait_for(lambda status=status: player.state["tsume"]["status"] == status)
        assert (player.state["tsume"]["left"], player.state["tsume"]["made"]) == (left, 2)
        player.do("undo")
        assert player.state["tsume"]["left"] == 5
        player.do("step", to="first")


def test_a_hint_in_a_game_is_the_engines_move(player):
    player.do("new", game="shogi", players=[None, 3]).do("look", language="ja").do("hint")
    found = wait_for(lambda: player.last("hint"))
    best = sorted(str(move) for move in Board().legal_moves)[0]  # as the fake engine analyses
    assert (found["node"], found["move"]) == (0, best) and found["text"].startswith("▲")
    assert player.state["ply"] == 0 and player.state["playing"]["on"]
    player.do("hint").do("game", game="othello")  # a search for another board shows nothing
    wait_for(lambda: player.session.pool.load == (0, 0))
    assert [each["node"] for each in player.sent if each["kind"] == "hint"] in ([0], [0, 0])
    player.do("paste", text="4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
    with pytest.raises(ValueError, match="no move to hint at"):
        player.do("hint")


# ---- records and positions


def test_records_come_and_go(player):
    record = records.GameRecord.from_moves("shogi", ["7g7f", "3c3d"], ending="resignation")
    record.names = ["甲", "乙"]
    data = base64.b64encode(records.dumps(record, "kif")).decode()  # Shift JIS
    player.do("open", name="game.kif", data=data)
    assert player.state["names"] == ["甲", "乙"] and player.texts == ["P-7f", "P-3d"]
    for format in player.state["formats"]:
        player.do("save", format=format)
        file = player.last("file")
        again = records.loads(base64.b64decode(file["data"]), format=format)[0]
        assert again.moves == record.moves or format == "bod"
    with pytest.raises(ValueError, match="not a format of shogi"):
        player.do("save", format="ggf")


def test_a_game_of_a_file_is_saved_under_the_files_name(player):
    data = base64.b64encode(records.dumps(records.GameRecord.from_moves("shogi", ["7g7f"]), "kif")).decode()
    player.do("open", name="名人戦.第1局.kif", data=data).do("move", move="2g2f").do("save", format="csa")
    assert player.last("file")["name"] == "名人戦.第1局.csa"
    player.do("new", game="shogi", players=[None, None]).do("save", format="csa")
    assert player.last("file")["name"].startswith("shogi-2")


def test_a_file_of_several_games(player):
    player.do("paste", text="startpos moves 7g7f\nstartpos moves 2g2f 8c8d\n", number=1)
    assert player.last("games")["number"] == 1 and len(player.last("games")["titles"]) == 2
    assert player.texts == ["P-2f", "P-8d"]
    player.do("paste", text="f5d6c3")
    assert player.state["game"] == "othello" and player.texts == ["f5", "d6", "c3"]


@pytest.mark.parametrize("text", ["", "hello", "9/9 b - 1", "startpos moves 7g7e", "\0" * 50])
def test_what_is_no_record_is_refused(player, text):
    player.do("move", move="7g7f")
    with pytest.raises(ValueError):
        player.do("paste", text=text)
    with pytest.raises(ValueError):
        player.do("open", name="../../etc/passwd", data=base64.b64encode(text.encode()).decode())
    assert player.texts == ["P-7f"]


def test_a_position_is_set_up(player):
    player.do("setup", on=True).do("board", which="empty")
    player.do("put", square="5a", piece="k").do("put", square="5c", piece="P").do("hand", side=0, piece="G", count=1)
    with pytest.raises(ValueError, match="set up"):
        player.do("step", to="first")
    with pytest.raises(ValueError):
        player.do("put", square="5z", piece="P")
    player.do("board", which="rest")
    assert player.state["setup"][1] == {"R": 2, "B": 2, "G": 3, "S": 4, "N": 4, "L": 4, "P": 17}
    player.do("turn", side=0).do("setup", on=False)
    assert player.state["position"].startswith("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p")
    player.do("setup", on=True).do("put", square="5b", piece="P")
    with pytest.raises(ValueError, match="pawn"):
        player.do("setup", on=False)  # two pawns on a file
    assert player.state["setup"] is not None
    player.do("setup", on=False, keep=False).do("game", game="othello").do("setup", on=True)
    player.do("put", square="a1", piece="X").do("setup", on=False)
    assert player.state["position"].startswith("X")


def test_a_position_that_is_given_up_leaves_all_as_it_was(player):
    for move in ("7g7f", "3c3d", "2g2f", "8c8d"):
        player.do("move", move=move)
    player.do("judge", on=True)
    wait_for(lambda: player.state["line"][3].get("verdict"))
    player.do("analyse", on=True).do("setup", on=True).do("board", which="empty")
    wait_for(lambda: FakeEngine.running == 0)
    player.do("setup", on=False, keep=False)
    assert (player.state["setup"], player.state["ply"], player.state["analysis"]["on"]) == (None, 4, True)
    assert player.state["line"][3]["verdict"] == "blunder"
    wait_for(lambda: FakeEngine.running == 1)


# ---- engines and sessions


def test_who_waits_gets_the_engine_of_who_does_not(monkeypatch):
    monkeypatch.setattr("shogi_engine.web.pool.SLICE", 0.0)
    pool = EnginePool(1, FakeEngine)
    one, two = Player(pool), Player(pool)
    one.do("analyse", on=True)
    wait_for(lambda: one.last("info"))
    two.do("new", game="shogi", players=[1, None])
    pool.tick()
    wait_for(lambda: two.state["ply"] == 1)
    one.sent.clear()
    wait_for(lambda: one.last("info"))
    pool.close()


def test_a_job_that_fails_ends_no_thread():
    pool = EnginePool(1, FakeEngine)
    done = []

    def fail(engine, job):
        raise RuntimeError("once")

    failed = []
    works = fail, lambda engine, search: done.append(engine.game.name)
    for work in works:
        told = lambda search: failed.append(str(search.fault))  # noqa: E731
        pool.submit(PoolSearch("shogi", work, told, PoolClient(), Priority.GAME))
    assert wait_for(lambda: done) == ["shogi"] and wait_for(lambda: failed == ["once", "None"])
    pool.close()


def test_sessions_are_freed_and_found_again(pool):
    hub = Hub(pool, idle_seconds=10, most=2)
    one = hub.find()
    assert hub.find(one.identity) is one and hub.find("another") is not one
    one.attach(lambda message: None)
    third = hub.find()  # replaces the unused session
    assert set(hub.sessions) == {one.identity, third.identity}
    viewer = third.attach(lambda message: None)
    with pytest.raises(Full):
        hub.find()
    third.detach(viewer, now=100.0)
    hub.save(now=105.0)
    assert len(hub.sessions) == 2
    hub.save(now=111.0)
    assert set(hub.sessions) == {one.identity}


def test_the_score_of_a_game_stays_while_another_position_is_on_the_board(player):
    player.do("new", game="othello", players=[1, 1])
    wait_for(lambda: player.state["playing"]["over"], 30)
    final = player.state["counts"]
    player.do("step", to="first")
    state = player.state
    assert state["counts"] == [2, 2] and state["playing"]["over"]["discs"] == state["ended"]["discs"] == final


def test_a_position_for_tsume_and_one_with_the_sides_swapped(player):
    player.do("setup", on=True).do("board", which="tsume")
    assert player.state["position"].startswith("4k4/9/") and player.state["turn"] == 0
    for square, piece in (("5c", "+P"), ("9i", "N")):
        player.do("put", square=square, piece=piece)
    player.do("hand", side=0, piece="G", count=2).do("board", which="swap")
    assert player.state["position"] == "8n/9/9/9/9/9/4+p4/9/4K4 w 2g 1"
    player.do("setup", on=False, keep=False).do("game", game="othello").do("setup", on=True).do("board", which="swap")
    assert "d4 black disc" in player.state["labels"].values() and player.state["turn"] == 1


def test_the_board_names_its_ranks_as_the_sentences_do(player):
    assert ">a</text>" in player.state["svg"]
    assert ">a</text>" not in player.do("look", language="ja").state["svg"]
