"""Games that are kept: nothing of a game is lost when the server, the page or the night ends it."""

import json
import os
import threading
import time

import pytest

from shogi_engine import records
from shogi_engine.records import GameRecord
from shogi_engine.records.files import load_game
from shogi_engine.tsume import NAME, problems
from shogi_engine.types.results import Score
from shogi_engine.web.saving import RECORD_SECONDS, SavedGame
from shogi_engine.web.store import GameStore
from shogi_engine.web.tree import Tree
from tests.web.fake_engine import fake_hub, wait_for
from tests.web.page import Page

# Black takes b1 by a1; white can move nowhere then, and black still takes b8.
NEAR_A_PASS = "-OX-----" + 48 * "-" + "XO------ X"
MOVES = ("7g7f", "3c3d", "2g2f")


def test_a_game_survives_a_server_that_is_killed(open_hub):
    page = Page.of(first := open_hub())
    page.do("new", game="shogi", players=[None, 3], clock="10m+30").do("move", move="7g7f")
    wait_for(lambda: page.state["ply"] == 2)
    page.do("move", move="2g2f")
    wait_for(lambda: page.state["ply"] == 4)
    page.do("step", to="first").do("comment", text="開始")
    first.save(time.monotonic() + 10)  # what the server does all the time; then it is killed
    again = Page.of(open_hub(), page.state["session"])
    before, after = page.state, again.state
    for each in ("node", "ply", "position", "comment", "flipped", "names"):
        assert after[each] == before[each], each
    assert [move["text"] for move in after["line"]] == [move["text"] for move in before["line"]]
    assert (after["playing"]["on"], after["playing"]["players"]) == (True, [None, 3])
    assert after["playing"]["clock"]["side"] == 0
    assert 590 < after["playing"]["clock"]["seconds"][0] <= 600
    again.do("step", to="last").do("move", move="6i7h")
    wait_for(lambda: again.state["ply"] == 6)  # the engine answers still


def test_a_game_is_not_forgotten_because_its_position_is_solved(open_hub):
    page = Page.of(open_hub())
    for move in MOVES:
        page.do("move", move=move)
    page.do("tsume", on=True).do("game", game="othello")
    assert page.last("left")["id"] == page.games()[0]["id"] != ""


def test_a_session_comes_back_after_its_expiry(open_hub):
    hub = open_hub(idle_seconds=900)
    page = Page.of(hub)
    for move in MOVES:
        page.do("move", move=move)
    page.session.detach(page.viewer)
    hub.save(time.monotonic() + 24 * 3600)
    assert hub.sessions == {}
    again = Page.of(hub, page.state["session"])
    assert again.state["ply"] == 3 and again.session is not page.session


def shown(page):
    """Return all that a page shows but the names of the session and of the moves, and what may be requested now."""
    state = dict(page.state)
    for each in ("seq", "session", "analysis", "canRestore"):
        state.pop(each, None)
    return state


@pytest.mark.parametrize(("game", "moves"), [("othello", ("f5", "d6", "c3")), ("shogi", MOVES)])
def test_values_found_by_live_analysis_are_kept(open_hub, game, moves):
    """What is shown comes from what is kept: value, chance and whether the value is exact."""
    page = Page.of(first := open_hub())
    page.do("game", game=game).do("analyse", on=True)
    for move in moves:
        wait_for(lambda: page.last("info") and page.last("info")["node"] == page.state["node"])
        page.do("move", move=move)
    page.do("analyse", on=False).do("judge", on=True)
    wait_for(lambda: page.state["summary"], 60)
    page.session.analyses.values[1] = Score.mate_in(3) if game == "shogi" else Score.discs(2.5), True
    page.do("step", to="first")
    assert all(move["chance"] is not None for move in page.state["line"])
    assert {move.get("exact", False) for move in page.state["line"]} == {False, True}
    assert game == "shogi" or page.state["line"][1]["value"]
    first.save(time.monotonic() + 10)
    assert shown(Page.of(open_hub(), page.state["session"])) == shown(page)


def test_a_hint_is_not_forgotten(open_hub, tmp_path):
    """A problem that was solved with help, before or after the server began anew, is not marked as solved alone."""
    page = Page.of(first := open_hub())
    page.do("tsume", on=True, problem=1)
    wait_for(lambda: page.state["tsume"]["status"] == "yours")
    page.do("hint")
    assert wait_for(lambda: page.last("hint"))
    first.save(time.monotonic() + 10)
    again = Page.of(open_hub(), page.state["session"])
    again.do("move", move=again.session.tsume.problem.moves[0])
    wait_for(lambda: again.state["tsume"]["status"] == "solved")
    assert json.loads((tmp_path / NAME).read_text())[problems()[0].sfen]["helped"] is True


def test_the_clock_stands_while_nobody_looks_on(open_hub):
    page = Page.of(open_hub())
    page.do("new", game="othello", players=[None, None], clock="60s")
    page.session.detach(page.viewer)
    clock = page.session.playing.clock
    paused = clock.times()
    clock._began -= 1000
    page.session.tick()
    page.viewer = page.session.attach(page.receive)
    page.session.tick()
    assert page.state["playing"]["on"] and page.state["playing"]["clock"]["seconds"][0] == pytest.approx(
        60 - paused[2], abs=1
    )


def test_two_pages_follow_one_game_each_in_its_own_look(open_hub):
    hub = open_hub()
    one = Page.of(hub, language="en")
    two = Page.of(hub, one.state["session"], language="ja", narrow=True)
    assert one.session is two.session
    one.do("move", move="7g7f")
    two.do("move", move="3c3d")
    assert [move["text"] for move in one.state["line"]] == ["", "P-7f", "P-3d"]
    assert [move["text"] for move in two.state["line"]] == ["", "▲７六歩", "△３四歩"]
    one.do("look", flipped=True)
    assert (one.state["flipped"], two.state["flipped"]) == (True, False)
    one.session.detach(one.viewer)
    two.do("move", move="2g2f")
    assert two.state["ply"] == 3 and one.state["ply"] == 2


def test_a_pass_is_made_once_however_many_look_on_and_wherever_they_are(open_hub, monkeypatch):
    monkeypatch.setattr("shogi_engine.web.playing.PASS_SECONDS", 0.01)
    hub = open_hub()
    one = Page.of(hub)
    two = Page.of(hub, one.state["session"])
    one.do("paste", text=NEAR_A_PASS).do("new", game="othello", players=[None, None], here=True)
    assert not one.state["playing"]["passing"]
    one.do("move", move="a1")
    assert one.state["playing"]["passing"] and two.state["playing"]["passing"]
    two.do("step", to="first")
    time.sleep(0.02)
    hub.tick()
    hub.tick()
    assert [move["text"] for move in one.state["line"]] == ["", "a1", "pass"] and one.state["ply"] == 0


def test_what_one_page_asks_for_goes_to_no_other(open_hub):
    hub = open_hub()
    one = Page.of(hub)
    two = Page.of(hub, one.state["session"])
    one.do("move", move="7g7f").do("save", format="usi").do("kept")
    assert one.last("file") and one.last("kept") and not two.last("file") and not two.last("kept")


def test_a_new_game_leaves_the_old_one_which_can_be_gone_on_with(open_hub):
    page = Page.of(hub := open_hub())
    for move in MOVES:
        page.do("move", move=move)
    page.do("game", game="othello").do("move", move="f5")
    left = page.last("left")["id"]
    hub.save()
    assert [(game["game"], game["moves"]) for game in page.games()] == [("othello", 1), ("shogi", 3)]
    page.do("continue", id=left)
    assert (page.state["game"], page.state["ply"]) == ("shogi", 3)
    hub.save()
    assert [game["here"] for game in page.games()] == [True, False]  # the last changed first
    assert Page.of(open_hub(), page.state["session"]).state["ply"] == 3  # the one that was open last


def test_a_game_is_kept_as_a_record_too_which_the_terminal_reads(open_hub, tmp_path):
    page = Page.of(hub := open_hub())
    for move in MOVES:
        page.do("move", move=move)
    hub.save()
    page.do("game", game="othello").do("move", move="f5")
    page.session.detach(page.viewer)
    hub.save()
    hub.save(time.monotonic() + 10)
    found = {path.suffix: path for path in (tmp_path / "games").iterdir()}
    assert load_game(str(found[".kifu"]), "shogi").moves == list(MOVES)
    assert load_game(str(found[".ggf"]), "othello").moves == ["f5"]
    assert [game["game"] for game in Page.of(open_hub()).games()] == ["othello", "shogi"]  # each once
    page = Page.of(open_hub())
    page.do("forget", id=found[".kifu"].stem)
    assert not found[".kifu"].exists() and [game["game"] for game in page.games()] == ["othello"]
    assert [game["game"] for game in page.do("recall", id=found[".kifu"].stem).games()] == ["othello", "shogi"]
    assert found[".kifu"].exists()


def test_a_problem_that_was_left_leaves_no_record_without_a_name(open_hub, caplog):
    page = Page.of(hub := open_hub())
    page.do("tsume", on=True, problem=2)
    wait_for(lambda: page.state["tsume"]["status"] == "yours")
    page.do("move", move=problems()[1].moves[0])
    hub.save()
    page.do("game", game="shogi")
    for pause in (60, 600):
        hub.save(time.monotonic() + pause)
    assert page.games() == [] and not caplog.records


def test_a_write_that_waited_for_the_game_is_followed_by_the_next_one_soon(open_hub):
    page = Page.of(hub := open_hub())
    page.do("move", move="7g7f")
    held = threading.Event()

    def hold():
        with page.session.lock:
            held.set()
            time.sleep(0.5)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    hub.save()
    holder.join()
    written = time.monotonic()
    page.do("move", move="3c3d")
    hub.save(written + 2)
    assert not page.session.autosave.unsaved


def test_the_record_is_written_while_the_game_is_open_and_after_a_kill(open_hub, tmp_path):
    page = Page.of(hub := open_hub())
    page.do("move", move="7g7f").do("move", move="3c3d")
    hub.save(now := time.monotonic())
    assert not list((tmp_path / "games").glob("*.kifu"))
    hub.save(now + 60)  # if the machine is slow, this is when the game is written
    hub.save(now + RECORD_SECONDS + 120)
    (path,) = (tmp_path / "games").glob("*.kifu")
    assert load_game(str(path), "shogi").moves == ["7g7f", "3c3d"]
    page.do("go", node=1).do("move", move="8c8d")
    hub.save(now + 180)
    os.utime(path, (1, 1))  # the server is killed before it writes the record
    open_hub().save()
    record = load_game(str(path), "shogi")
    assert [node.move for node in record.root.next.children] == ["3c3d", "8c8d"]


def test_a_game_of_the_terminal_is_listed_at_once_and_continued_in_place(open_hub, tmp_path):
    page = Page.of(hub := open_hub())
    assert page.games() == []
    record = records.GameRecord.from_moves("shogi", MOVES, ending="resignation")
    record.names = ["human", "shogi_engine level 3"]
    path = tmp_path / "games" / "shogi-20260101-120000.kifu"
    records.save(record, path)
    (game,) = page.games()
    assert (game["title"], game["moves"], game["result"]) == ("human - engine (level 3)", 3, record.result)
    page.do("continue", id=game["id"]).do("go", node=2).do("move", move="6i7h")
    hub.save(time.monotonic() + 60)
    hub.save(time.monotonic() + 600)
    (game,) = page.games()
    assert (game["id"], game["here"]) == (path.stem, True)
    assert len(load_game(str(path), "shogi").root.next.next.children) == 2
    page.do("forget", id=path.stem)
    assert page.games() == [] and not path.exists()


def test_a_game_is_deleted_and_brought_back(open_hub, monkeypatch):
    page = Page.of(open_hub())
    page.do("move", move="7g7f").do("game", game="othello")
    name = page.last("left")["id"]
    assert page.do("forget", id=name).games() == []
    with pytest.raises(ValueError, match="no longer exists"):
        page.do("continue", id=name)
    assert [game["id"] for game in page.do("recall", id=name).games()] == [name]
    page.do("continue", id=name)
    assert page.state["ply"] == 1
    page.do("forget", id=name)
    monkeypatch.setattr("shogi_engine.web.store.DELETED_SECONDS", -60)
    with pytest.raises(ValueError, match="no longer exists"):
        Page.of(open_hub()).do("recall", id=name)


@pytest.mark.parametrize("left", [True, False])
def test_a_game_that_is_not_written_yet_is_deleted_with_its_last_move(open_hub, left):
    page = Page.of(hub := open_hub())
    autosave = page.do("move", move="7g7f").session.autosave
    name, autosave._took = autosave.id, 1.0  # as on a slow disk
    page.do("move", move="3c3d")
    if left:
        page.do("game", game="othello")
    assert (autosave._left if left else autosave.unsaved) and page.do("forget", id=name).games() == []
    hub.save(autosave._due + 100)
    assert page.games() == [] and not autosave._left
    again = Page.of(hub, "another").do("recall", id=name).do("continue", id=name)
    assert again.state["ply"] == 2


def test_a_record_that_is_written_during_a_deletion_does_not_bring_the_game_back(open_hub, monkeypatch):
    page = Page.of(hub := open_hub())
    page.do("move", move="7g7f").session.autosave.write(whole=True)
    name = page.games()[0]["id"]
    page.do("move", move="3c3d")
    store, begun, deleted = hub.store, threading.Event(), threading.Event()
    dumps, delete = records.dumps, store.delete

    def slowly(*arguments):
        begun.set()
        deleted.wait(2)
        return dumps(*arguments)

    def meanwhile(*arguments):
        monkeypatch.setattr(records, "dumps", slowly)
        writer.start()
        begun.wait(0.3)
        delete(*arguments)
        deleted.set()

    writer = threading.Thread(target=page.session.autosave.write, kwargs={"whole": True})
    monkeypatch.setattr(store, "delete", meanwhile)
    page.do("forget", id=name)
    writer.join()
    assert page.games() == [] and not list(store.folder.glob("*.kifu"))


def test_a_game_that_is_open_elsewhere_is_joined(open_hub):
    hub = open_hub()
    one, two = Page.of(hub), Page.of(hub)
    one.do("move", move="7g7f")
    hub.save()
    (game,) = two.games()
    two.do("continue", id=game["id"])
    assert two.last("join") == {"kind": "join", "session": one.state["session"]}
    with pytest.raises(ValueError, match="another tab"):
        two.do("forget", id=game["id"])


def test_others_do_not_see_my_games_where_strangers_come(tmp_path):
    hub = fake_hub(tmp_path)
    hub.store.shared = False
    mine, theirs = Page.of(hub, owner="me"), Page.of(hub, owner="them")
    mine.do("move", move="7g7f").do("game", game="othello")
    assert len(mine.games()) == 1 and theirs.games() == [] and Page.of(hub, owner="").games() == []
    with pytest.raises(ValueError, match="no longer exists"):
        theirs.do("continue", id=mine.games()[0]["id"])
    assert not any({"session", "owner"} & set(game) for game in mine.games())
    hub.close()


@pytest.mark.parametrize("name", ["../../etc/passwd", "shogi-1", "", "shogi-20200101-000000.kifu"])
def test_only_games_of_the_list_are_opened(open_hub, name):
    page = Page.of(open_hub())
    for message in ("continue", "forget", "recall"):
        with pytest.raises(ValueError, match="no longer exists"):
            page.do(message, id=name)


def test_games_of_the_terminal_are_there_too(tmp_path):
    record = records.GameRecord.from_moves("shogi", MOVES, ending="resignation")
    records.save(record, tmp_path / "shogi-20260101-120000.kifu")
    (tmp_path / "shogi-20260101-120001.json").write_text("{", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    hub = fake_hub(tmp_path)
    page = Page.of(hub)
    assert [game["id"] for game in page.games()] == ["shogi-20260101-120000"]
    page.do("continue", id="shogi-20260101-120000").do("step", to="last")
    assert page.state["ply"] == 3
    hub.close()


def test_a_game_of_the_terminal_that_could_not_be_read_once_is_read_the_next_time(open_hub, tmp_path, monkeypatch):
    def fails(path):
        raise PermissionError(13, "Permission denied", str(path))

    page = Page.of(open_hub())
    record = records.GameRecord.from_moves("shogi", MOVES[:2])
    record.names = ["me", "you"]
    records.save(record, tmp_path / "games" / "shogi-20260101-120000.kifu")
    monkeypatch.setattr("shogi_engine.records.load", fails)
    assert [(game["title"], game["moves"]) for game in page.games()] == [("", 0)]
    monkeypatch.undo()
    (game,) = page.games()
    assert game["moves"] == 2 and "you" in game["title"]


def test_a_session_whose_game_cannot_be_read_for_now_is_not_begun_without_it(open_hub, monkeypatch):
    def fails(*_):
        raise OSError("database is locked")

    page = Page.of(open_hub())
    page.do("move", move=MOVES[0]).session.autosave.write()
    hub = open_hub()
    monkeypatch.setattr(hub.store, "read", fails)
    with pytest.raises(OSError, match="locked"):
        Page.of(hub, page.session.identity)
    assert not hub.sessions
    monkeypatch.undo()
    assert len(Page.of(hub, page.session.identity).state["line"]) == 2


def test_deleted_moves_come_back(open_hub):
    page = Page.of(open_hub())
    for move in MOVES:
        page.do("move", move=move)
    page.do("go", node=1).do("move", move="8c8d").do("go", node=2)
    page.do("delete")
    assert page.state["removed"] and [move["text"] for move in page.state["line"]] == ["", "P-7f", "P-8d"]
    page.do("restore")
    assert [move["text"] for move in page.state["line"]] == ["", "P-7f", "P-3d", "P-2f"]
    assert page.session.tree.record.moves == list(MOVES)  # it is the main line again
    with pytest.raises(ValueError, match="nothing"):
        page.do("restore")


def test_what_was_found_of_deleted_moves_comes_back_with_them(open_hub):
    """At once, and in the saved game."""
    page = Page.of(hub := open_hub())
    for move in MOVES:
        page.do("move", move=move)
    found, tree = page.session.analyses, page.session.tree
    for number in (1, 2, 3):
        found.values[number] = Score(100 * number), False
    line = page.do("comment", text="x").state["line"]
    page.do("go", node=2).do("delete").do("restore").do("step", to="last")
    assert page.state["line"] == line and tree.node == 3
    (id,) = [game["id"] for game in page.games()]
    hub.save()
    assert sorted(SavedGame.parse(hub.store.content(id)).analyses.values) == [1, 2, 3]


def test_deleted_moves_that_were_made_again_are_one_with_them(open_hub):
    page = Page.of(open_hub())
    for move in MOVES:
        page.do("move", move=move)
    page.do("comment", text="deep").do("go", node=2).do("comment", text="old").do("delete")
    for move in ("3c3d", "6g6f"):
        page.do("move", move=move)
    page.do("restore")
    root = page.session.tree.record.root
    (again,) = root.next.children
    assert [child.move for child in again.children] == ["6g6f", "2g2f"] and page.state["ply"] == 2
    assert again.comment == "old" and again.children[1].comment == "deep"


def test_a_deletion_is_undone_whole_or_not_at_all(monkeypatch):
    tree = Tree(GameRecord.from_moves("shogi", MOVES))
    tree.remove(1)
    tree.add("2g2f")
    monkeypatch.setattr("shogi_engine.web.tree.NODES_MAX", 4)
    for _ in range(2):
        with pytest.raises(ValueError, match="at most 4 moves"):
            tree.restore()
    assert len(tree.preorder()) == 2 and 1 not in tree and 2 not in tree
    monkeypatch.undo()
    tree.restore()
    assert tree.preorder() == [0, 1, 2, 3, 4] and tree.node == 1


def test_a_folder_that_cannot_be_written_is_told_once(open_hub, monkeypatch):
    page = Page.of(hub := open_hub())

    def refuse(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(GameStore, "write", refuse)
    page.do("move", move="7g7f")
    hub.save()
    hub.save()
    faults = [message["text"] for message in page.sent if message["kind"] == "error"]
    assert faults == ["this game cannot be saved: No space left on device"] and page.state["ply"] == 1


@pytest.mark.parametrize(
    "first", [{"name": "comment", "text": "7六歩の意味"}, {"name": "paste", "text": "4k4/9/9/9/9/9/9/9/4K4 b G 1"}]
)
def test_a_position_and_a_comment_are_kept_before_any_move(open_hub, first):
    page = Page.of(hub := open_hub())
    page.do(first.pop("name"), **first)
    before = page.state
    page.do("new", game="shogi", players=[None, None])
    hub.save()
    (game,) = (each for each in page.games() if not each["on"])
    page.do("continue", id=game["id"])
    assert (page.state["comment"], page.state["position"]) == (before["comment"], before["position"])


@pytest.mark.parametrize(("players", "en", "ja"), [
    ([None, 3], "You - engine (level 3)", "あなた - エンジン（レベル 3）"),
    ([3, None], "engine (level 3) - You", "エンジン（レベル 3） - あなた"),
    ([None, None], "", ""),
    ([1, 2], "engine (level 1) - engine (level 2)", "エンジン（レベル 1） - エンジン（レベル 2）"),
])  # fmt: skip
def test_the_list_names_both_players(open_hub, players, en, ja):
    hub = open_hub()
    english, japanese = Page.of(hub), Page.of(hub, language="ja")
    english.do("new", game="shogi", players=players)
    assert (english.games()[0]["title"], japanese.games()[0]["title"]) == (en, ja)


def test_the_list_names_the_known_player_of_a_record(open_hub):
    page = Page.of(open_hub())
    page.do("paste", text="先手：甲\n手合割：平手\n   1 ７六歩(77)\n")
    assert page.games()[0]["title"] == "甲"
