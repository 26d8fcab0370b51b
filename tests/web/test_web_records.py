"""Headers, the search in my games, diagrams and pages to print: what the browser asks of the server."""

import base64
import bz2
import gzip
import io
import lzma
import os
import random
import re
import sqlite3
import time
import unicodedata
import zipfile
from contextlib import closing

import pytest

from shogi_engine import records, tsume
from shogi_engine.__main__ import main
from shogi_engine.common.files import InUseError
from shogi_engine.records import GameRecord
from shogi_engine.tsume import problems
from shogi_engine.types.results import Score
from shogi_engine.web import store
from shogi_engine.web.messages import MessageError
from shogi_engine.web.store import LISTED_MAX, GameStore, Head, words_of
from shogi_engine.web.view import ABOUT
from tests.support.printed import othello_position, shogi_position
from tests.web.fake_engine import FakeExaminer, fake_hub, wait_for
from tests.web.page import Page

# Markup, signs of formats, wide signs, combining and joined letters, another direction, beyond 16 bits.
ODD = "a'\"<b>&amp;\\;:=#$%,[](){}|~^`_* ：　＝「」„“ e\u0301 👩\u200d🔬 \u202eabc שלום 𠮷野 \x7f end"
HEADERS = dict(zip(ABOUT, ("表題 " + ODD, "棋戦 " + ODD, "場所 " + ODD, "2026/11/26 " + ODD), strict=True))


def zipped(content):
    """Return a ZIP archive with a file."""
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        archive.writestr("a.kif", content)
    return file.getvalue()


def shown(page):
    return page.state["names"], page.state["about"]


def test_what_is_passed_over_in_a_game_is_said_in_the_language_of_the_page(hub):
    for language, said in (("en", "line 2: the remark '# memo' is passed over"), ("ja", "# memo")):
        page = Page.of(hub, language=language)
        page.do("paste", text="1 ７六歩(77)\n# memo\n2 ３四歩(33)\n")
        (told,) = [message["text"] for message in page.sent if message["kind"] == "error"]
        assert said in told and ("passed over" in told) == (language == "en")


# ---- headers


def test_names_and_headers_are_changed_kept_and_found_after_a_restart(hub, tmp_path):
    page = Page.of(hub)
    page.do("paste", text="手合割：平手\n備考：remark\n棋戦：old\n   1 ７六歩(77)\n")
    page.do("about", names=[f"甲{ODD}", ""], **HEADERS).do("comment", text=ODD)
    without = {name: text.replace("\x7f", " ") for name, text in HEADERS.items()}
    name = f"甲{ODD}".replace("\x7f", " ")
    assert shown(page) == ([name, ""], without) and page.state["title"] == f"{without['title']}: {name}"
    assert page.session.tree.record.headers["note"] == "remark"
    assert page.session.autosave.write()  # what the server does all the time; then it is killed
    hub.store.close()
    again = Page.of(fake_hub(tmp_path / "games"), page.state["session"])
    assert shown(again) == ([name, ""], without) and again.state["comment"] == ODD
    assert again.games()[0]["title"] == page.state["title"]
    again.do("about", names=["", ""])
    assert shown(again) == (["", ""], dict.fromkeys(ABOUT, "")) and again.state["title"] == ""
    assert again.session.tree.record.headers == {"note": "remark"}
    again.session.pool.close()


@pytest.mark.parametrize(("game", "format"), [("shogi", "kif"), ("shogi", "jkf"), ("shogi", "csa"), ("othello", "sgf")])
def test_a_saved_file_has_them(hub, game, format):
    page = Page.of(hub).do("game", game=game)
    about = HEADERS | {"started": "2026-11-26" if format == "sgf" else "2026/11/26"}  # as the format writes a date
    page.do("about", names=["甲: 乙 <b>", "丙=丁;"], **about).do("save", format=format)
    (record,) = records.loads(base64.b64decode(page.last("file")["data"]), format=format)
    names, about = shown(page)
    assert record.names == names
    assert {name: record.headers[name] for name in ABOUT} == about


def test_a_header_is_one_line_of_bounded_length(hub):
    page = Page.of(hub).do("about", names=["a\nb\tc", "\u2028"], title="\r\n x \0")
    assert shown(page)[0] == ["a b c", ""] and page.state["title"] == "x: a b c"
    before = page.state
    for fields in ({"names": ["a"]}, {"names": ["a", "x" * 1001]}, {"names": ["", ""], "title": "x" * 1001},
                   {"names": ["", ""], "comment": "x"}, {"names": ["", None]}):  # fmt: skip
        with pytest.raises(MessageError):
            page.do("about", **fields)
    assert page.state == before


def test_what_is_searched_of_a_hostile_file_is_bounded():
    record = GameRecord(headers={str(number): "x" * 10_000 for number in range(10_000)})
    assert len(words_of(record)) < 11_000


def test_only_the_owner_changes_headers(hub):
    host = Page.of(hub).do("move", move="7g7f").do("invite", to="watch")
    guest = Page.by_link(hub, host.last("links")["links"][0]["token"])
    with pytest.raises(ValueError, match="watching"):
        guest.do("about", names=["x", "y"])
    assert guest.state["about"] == {}
    with pytest.raises(ValueError, match="watching"):
        guest.do("sheet", length=3)
    assert guest.do("diagram").last("diagram")["svg"].startswith("<svg")


# ---- my games


def normal(text):
    return unicodedata.normalize("NFKC", text).casefold().replace("/", "-").replace(".", "-")


def test_searching_is_a_plain_filter(tmp_path):
    rng, store = random.Random(3), GameStore(tmp_path / "games")
    parts = ["羽生", "ｈａｂｕ", "Habu", "100%", "a_b", "it's", "名人戦", "2026/11/26", "ÄÖ", "\\", "x" * 30]
    known = {}
    for _ in range(200):
        record = GameRecord(rng.choice(("shogi", "othello")))
        record.names = [" ".join(rng.sample(parts, 2)), rng.choice(parts)]
        record.headers = {rng.choice(ABOUT): rng.choice(parts), "remark": rng.choice(parts)}
        result, owner = rng.choice(("1-0", "0-1", "1/2-1/2", "*")), rng.choice(("me", "you"))
        head = Head(game=record.game, title="t", result=result, words=words_of(record), hidden=rng.random() < 0.1)
        known[store.write("", head, owner, "", b"{}")] = (record, head, owner)
    store.shared = False
    texts = ["", "habu", "羽生 名人戦", "100%", "%", "_", "a_b shogi", "it's", "2026-11", "äö", "\\", "nobody"]
    texts += ["x" * 31, time.strftime("%Y-%m-%d"), "' OR 1=1 --", "habu habu"]
    for text in texts:
        for result in ("", "1-0", "*"):
            wanted = {
                id
                for id, (record, head, owner) in known.items()
                if owner == "me" and not head.hidden and result in ("", head.result)
                and all(any(term in each for each in
                            [*map(normal, [record.game, *record.names, *record.headers.values()]),
                             time.strftime("%Y-%m-%d")]) for term in normal(text).split())
            }  # fmt: skip
            assert {row["id"] for row in store.games("me", text, result)} == wanted, (text, result)
    assert all(len(store.games("me", text)) for text in ("habu", "100%", "a_b shogi", "\\"))
    store.close()


def test_ten_thousand_games_are_listed_in_bounds(tmp_path):
    store = GameStore(tmp_path / "games")
    with store.database.transaction() as database:
        query = "INSERT INTO games (id, owner, game, title, words, changed, file) VALUES (?, 'me', 'shogi', ?, ?, ?, ?)"
        rows = [(f"shogi-{n}", f"no {n} end", f"no {n} end", float(n), f"shogi-{n}.kifu") for n in range(10_000)]
        database.executemany(query, rows)
    found = store.games("me")
    assert [row["id"] for row in found] == [f"shogi-{n}" for n in range(9_999, 9_999 - LISTED_MAX, -1)]
    assert {row["id"] for row in store.games("me", "NO 123 end")} == {
        f"shogi-{n}" for n in range(10_000) if "123" in str(n)
    }
    assert len(store.games("me", "no")) == LISTED_MAX
    store.close()


def test_openings_are_found_in_both_languages_once_the_record_is_written(hub):
    page = Page.of(hub)
    moves = "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 5i4h 5a4b 4h3h 4b3b 3h2h 8d8e 8h7g 1c1d 3i3h 6a5b"
    page.do("paste", text=f"startpos moves {moves}")
    page.session.autosave.write(whole=True)
    for text in ("Fourth File Rook", "四間飛車", "片美濃", "boat castle", "ｆｏｕｒｔｈ"):
        assert len(page.do("kept", text=text).last("kept")["games"]) == 1, text
    assert page.do("kept", text="矢倉").last("kept")["games"] == []
    assert page.do("kept", text="四間飛車", result="1-0").last("kept")["games"] == []


def test_the_terminals_games_are_found_too(hub, tmp_path):
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "6g6f", "8c8d", "2h6h"], ending="resignation")
    record.names, record.headers = ["山田", "human"], {"event": "町の大会"}
    records.save([record], tmp_path / "games" / "shogi-20260101-120000.kifu")
    page = Page.of(hub)
    for text in ("山田", "町の大会 human", "四間飛車"):
        (game,) = page.do("kept", text=text, result="1-0").last("kept")["games"]
        assert game["title"] == "山田 - human"


def test_a_search_of_the_page_is_bounded(hub):
    page = Page.of(hub)
    for fields in ({"text": "x" * 101}, {"result": "2-0"}, {"text": None}):
        with pytest.raises(MessageError):
            page.do("kept", **fields)
    assert page.do("kept", text="a " * 50).last("kept")["games"] == []


def test_games_of_the_version_before_are_found_by_their_titles(tmp_path):
    store = GameStore(tmp_path / "games")
    store.write("", Head(game="shogi", title="Meijin Final"), "me", "", b"{}")
    with store.database.transaction() as database:
        database.execute("ALTER TABLE games DROP COLUMN words")
        database.execute("ALTER TABLE games DROP COLUMN openings")
        database.execute("PRAGMA user_version = 2")
    store.close()
    again = GameStore(tmp_path / "games")
    assert len(again.games("me", "meijin")) == 1 and again.games("me", "osho") == []
    again.close()


# ---- diagrams and pages to print


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zipped])
def test_an_archive_is_named_as_one(hub, pack):
    data = base64.b64encode(pack(b"startpos moves 7g7f")).decode()
    with pytest.raises(ValueError, match="archive"):
        Page.of(hub).do("open", name="games", data=data)


def test_a_diagram_is_the_position_on_the_board(hub):
    page = Page.of(hub, narrow=True).do("move", move="7g7f").do("diagram", style="book", kind="png")
    sent = page.last("diagram")
    assert re.fullmatch(r"shogi-\d{8}-\d{4}\.png", sent["name"])
    assert shogi_position(sent["svg"]) == tuple(page.state["position"].split()[:3])
    assert "data-square" in sent["svg"] and 'class="square"' not in sent["svg"]  # nothing to click
    assert 'class="wood"' in page.do("diagram").last("diagram")["svg"]
    page.do("game", game="othello").do("move", move="f5").do("diagram", style="book")
    cells, side = othello_position(page.last("diagram")["svg"])
    assert f"{cells} {side}" == page.state["position"].rstrip(";")


def page_of(sent):
    text = base64.b64decode(sent["data"]).decode()
    return text, re.findall(r"<svg.*?</svg>", text, re.DOTALL)


def test_a_sheet_of_tsume(hub):
    page = Page.of(hub, language="ja").do("sheet", length=7)
    text, pictures = page_of(page.last("file"))
    assert page.last("file")["name"].startswith("tsume-") and page.last("file")["name"].endswith(".html")
    assert "詰将棋　7手詰" in text and len(pictures) == len(tsume.problems(7))
    assert [shogi_position(each)[0] for each in pictures] == [each.sfen.split()[0] for each in tsume.problems(7)]
    with pytest.raises(ValueError, match="no such problem"):
        page.do("sheet", length=2)


class Bad(FakeExaminer):
    """Finds that the second move was a blunder."""

    def examine(self, record, ply):
        found = super().examine(record, ply)
        best = "8c8d" if ply == 1 else found.best
        return type(found)(best, Score([0, 0, 900, -900, 900][ply % 5]), (best,), 7)


def test_a_sheet_of_the_mistakes_of_the_judged_game(hub):
    page = Page.of(hub).do("paste", text="startpos moves 7g7f 3c3d 2g2f 4c4d")
    with pytest.raises(ValueError, match="judge the game first"):
        page.do("sheet")
    page.session.analyses.examiner = Bad
    page.do("about", names=["one", "two"], title="<Mine>").do("judge", on=True)
    wait_for(lambda: page.state["judging"] is None and page.session.analyses.judged, 60)
    text, pictures = page_of(page.do("sheet").last("file"))
    assert "<h1>&lt;Mine&gt;: one - two</h1>" in text
    assert "one - two, move 2" in text
    assert shogi_position(pictures[0]) == tuple(page.session.tree.record.board(1).sfen().split()[:3])
    questions, answers = text.split('class="answers"')
    assert "P-8d" in answers and "P-8d" not in questions


# ---- what is stored ----------------------------------------------------------------------------------------------


KIFU = records.GameRecord.from_moves("shogi", ["7g7f", "3c3d"])


@pytest.fixture
def games(tmp_path):
    """Return a store where strangers come."""
    with closing(GameStore(tmp_path / "games", shared=False)) as made:
        yield made


def written(games, owner="me", session="s", content=b"{}"):
    return games.write("", Head(game="shogi", moves=1), owner, session, content)


def test_the_owner_is_in_every_query(games):
    name = written(games)
    for refused in (lambda owner: games.read(name, owner), lambda owner: games.delete(name, owner)):
        for owner in ("them", ""):
            with pytest.raises(ValueError, match="no longer exists"):
                refused(owner)
    for owner in ("them", ""):
        assert games.games(owner) == [] and not games.exists(name, owner) and games.of_session("s", owner) == ""
    assert games.of_session("s", "me") == name and games.of_session("", "me") == ""
    games.delete(name, "me")
    for owner in ("them", ""):
        with pytest.raises(ValueError, match="no longer exists"):
            games.restore(name, owner)
    assert games.games("me") == []
    games.restore(name, "me")
    assert [game["id"] for game in games.games("me")] == [name]
    with pytest.raises(ValueError, match="no longer exists"):
        games.restore(name, "me")  # it is there already


def test_another_session_of_the_owner_does_not_become_the_owner(games):
    name = written(games)
    games.write(name, Head(game="shogi"), "them", "t", b"{}")
    assert games.exists(name, "me") and not games.exists(name, "them")


def test_the_undo_of_a_deletion_replaces_no_newer_game(tmp_path, monkeypatch):
    monkeypatch.setattr(store.time, "strftime", lambda *_: "20260101-120000")  # all in the same second
    folder = tmp_path / "games"
    with closing(GameStore(folder)) as games:
        first = written(games, content=b'{"which": 1}')
        games.write_record(first, KIFU)
        games.delete(first, "")
        second = written(games, content=b'{"which": 2}')
        records.save(KIFU, folder / f"{first}.kifu")  # and the terminal begins a game
        games.restore(first, "")
        assert games.read(first, "") == b'{"which": 1}' and games.read(second, "") == b'{"which": 2}'
        assert len(list(folder.glob("*.kifu"))) == 2 and first != second
        games.find_records()
        assert len(games.games("")) == 3
        games.delete(first, "")
        games.write_record(second, KIFU)
        games.restore(first, "")
        assert len(list(folder.glob("*.kifu"))) == 3


def test_a_second_server_is_refused_with_one_sentence(tmp_path, monkeypatch, capsys):
    for variable in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path))
    from shogi_engine.common.files import data_folder

    with closing(GameStore(data_folder() / "games")) as games:
        with pytest.raises(InUseError, match=f"in use by process {os.getpid()}"):
            GameStore(data_folder() / "games")
        assert main(["serve", "--port", "0"]) == 2
        said = capsys.readouterr().err
        assert len(said.splitlines()) == 1 and f"in use by process {os.getpid()}" in said
        assert games.is_open()
    GameStore(data_folder() / "games").close()


@pytest.mark.parametrize("content", ["newer", "garbage"])
def test_a_database_that_cannot_be_used_is_named_and_unchanged(tmp_path, content):
    path = tmp_path / "games.db"
    if content == "garbage":
        path.write_bytes(b"a letter" * 1000)
    else:
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    for _ in range(2):  # the folder is free again after the first time
        with pytest.raises(OSError, match=r"games\.db.*(newer version|cannot be used)"):
            GameStore(tmp_path)
    assert path.read_bytes() == before


def test_a_transaction_is_made_whole_or_not_at_all(games, monkeypatch):
    name = written(games)
    with pytest.raises(RuntimeError), games.database.transaction() as database:
        database.execute("DELETE FROM games")
        raise RuntimeError
    assert games.exists(name, "me")


def test_a_record_stays_where_a_killed_server_should_have_put_it(tmp_path):
    folder = tmp_path / "games"
    with closing(GameStore(folder)) as games:
        name = written(games)
        games.write_record(name, KIFU)
        games._mark(name, "", deleted=False)  # and then the server is killed
    with closing(GameStore(folder)) as games:
        assert not (folder / f"{name}.kifu").exists() and (folder / "deleted" / f"{name}.kifu").exists()
        games._mark(name, "", deleted=True)
    with closing(GameStore(folder)) as games:
        assert (folder / f"{name}.kifu").exists() and games.without_record() == []


def test_progress_of_two_pages_is_kept_and_each_has_its_own(games):
    one, two = games.progress("me"), games.progress("me")
    one.solve(problems()[0])
    two.solve(problems()[1])
    again = games.progress("me")
    assert again.is_solved(problems()[0]) and again.is_solved(problems()[1])
    assert not games.progress("them").is_solved(problems()[0])
