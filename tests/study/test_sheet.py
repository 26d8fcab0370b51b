"""Pages to print: the diagrams are the positions, answers are apart, nothing is markup, and pages break by rows."""

import math
import re
from html.parser import HTMLParser

from shogi_engine import records, study, tsume
from shogi_engine.__main__ import main
from shogi_engine.games.shogi.board import Board
from shogi_engine.records import GameRecord
from shogi_engine.study.sheet import PER_PAGE, USUAL
from tests.support.printed import othello_position, shogi_position

MATE_IN_3 = "9/3S2+R1l/p1p1R3p/2Pkpp3/1p2PPppP/9/1P1S1SPP1/L2B5/BN1GKG1NL b 2GS2NL3P 87"
FFO = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"  # no. 40; A2 wins by 38
LANCE = "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
HOSTILE = "</p></script><script>alert(1)</script><b>\"'&amp;"


class Text(HTMLParser):
    """A page's tags, and its texts before and after the answers begin."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.parts, self._place, self._drawn = [], ([], []), 0, False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._drawn = self._drawn or tag == "svg"
        if ("class", "answers") in attrs:
            self._place = 1
        if tag in ("p", "li", "h1", "h2"):
            self.parts[self._place].append("")

    def handle_endtag(self, tag):
        self._drawn = self._drawn and tag != "svg"

    def handle_data(self, data):
        if self.parts[self._place] and not self._drawn:
            self.parts[self._place][-1] += data

    @property
    def questions(self):
        return [" ".join(each.split()) for each in self.parts[0]]

    @property
    def answers(self):
        return [" ".join(each.split()) for each in self.parts[1]]


def pictures(page):
    return re.findall(r"<svg.*?</svg>", page, re.DOTALL)


def texts(sfen, moves):
    """Return moves as a person writes them."""
    board, found = Board(sfen), []
    for move in moves:
        found.append(board.text(board.parse_usi(move), "western"))
        board.push_usi(move)
    return " ".join(found)


def test_a_page_shows_the_problems_and_has_the_answers_apart():
    some = tsume.problems(3, 4)[:13]
    page = study.sheet(tsume.as_records(some, "en"), "Mates", "en")
    for problem, picture in zip(some, pictures(page), strict=True):
        cells, side, held, _ = problem.sfen.split()
        white_has_the_rest = re.sub(r"\d*[a-z]", "", held) or "-"
        assert shogi_position(picture) == (cells, side, white_has_the_rest)
    text = Text(page)
    for problem in some:
        line = texts(problem.sfen, problem.moves)
        assert line in text.answers and not any(line in each or line.split()[0] in each for each in text.questions)
        assert any(f"No. {problem.number}: mate in 3, grade 4" in each for each in text.questions)
    assert text.questions[0] == "Mates" and text.answers[0] == "Mates: Answers"
    assert re.findall(r'<li value="(\d+)">', page) == [str(number) for number in range(1, 14)]


def test_mistakes_say_why_the_move_was_bad_and_which_others_are_right():
    problem = study.Problem(
        "shogi", MATE_IN_3, "mate", ("5c5d+", "3b3d"), ("5c5d+", "6d7e", "9i6f"), "1e1d", ("6d7e",),
        (("en", ("It misses a mate in 3.",)),), "mine - yours, 87",
    )  # fmt: skip
    (record,) = study.as_records([problem])
    page = study.sheet([record], "Mine")
    assert shogi_position(study.diagram(record)) == tuple(MATE_IN_3.split()[:3])  # a game's: both hands are shown
    text = Text(page)
    assert text.questions[1:] == ["", "1 Black to play · There is a mate. · mine - yours, move 87"]
    assert text.answers[1:] == [
        "", "Rx5d+ K-7e B-6f", "P-1d: It misses a mate in 3.", "+R-3d: This move is right too.",
    ]  # fmt: skip


def test_positions_games_and_endings_of_othello():
    lines = "".join(f"{each}\n" for each in (f"{FFO}; C1:+18; A2:+38; % no. 40", FFO))
    solved, bare = records.loads(lines, game="othello")
    game, handicap = records.loads("startpos moves 7g7f 3c3d 2g2f")[0], GameRecord("shogi", LANCE)
    handicap.root.add("3c3d")
    game.names = ["one", ""]
    page = study.sheet([solved, bare, game, handicap], "All", "ja")
    first, second, third, fourth = pictures(page)
    assert othello_position(first) == othello_position(second) == tuple(FFO.split())
    assert shogi_position(third) == tuple(game.board().sfen().split()[:3]) and 'fill="#ccc"' in third
    assert shogi_position(fourth) == tuple(handicap.board().sfen().split()[:3])
    text = Text(page)
    assert [each for each in text.questions if each][1:] == ["1 黒番 · no. 40", "2 黒番", "3 後手番 · one", "4 先手番"]
    assert [each for each in text.answers if each][1:] == ["a2", "–", "–", "–"]  # the better one, though it is second


def test_a_page_without_answers_has_no_place_for_them():
    assert 'class="answers"' not in study.sheet([GameRecord("shogi")], "All")
    assert pictures(study.sheet([], "None")) == []


def test_hostile_texts_are_texts():
    record = GameRecord.from_moves("shogi", ["5c5d+"], start=MATE_IN_3)
    record.names, record.root.comment = [HOSTILE, HOSTILE], f"{HOSTILE}\n{'x' * 10_000}\nthird"
    record.root.add("1e1d", comment=HOSTILE)
    plain = study.sheet([GameRecord.from_moves("shogi", ["5c5d+"], start=MATE_IN_3)], "All")
    page = study.sheet([record], HOSTILE)
    assert set(Text(page).tags) == set(Text(plain).tags) and "script" not in Text(page).tags
    assert Text(page).questions[0] == HOSTILE and len(page) < len(plain) + 3000
    assert "default-src 'none'" in page and not re.search('(src|href)=(?!"data:)|url\\(|@import', page)


def test_a_page_is_written_by_name_and_what_cannot_be_is_refused(tmp_path, capsys):
    def run(*arguments):
        status = main([*map(str, arguments)])
        said = capsys.readouterr()
        return status, said.out, said.err

    file = tmp_path / "sheet.HTML"
    assert run("tsume", "--length", 11, "--out", file)[:2] == (0, f"{file}: 33 problems\n")
    assert len(pictures(file.read_text())) == 33 and "<h1>Tsume: mate in 11</h1>" in file.read_text()
    assert run("tsume", 5, "--out", tmp_path / "one.book.svg")[0] == 0
    assert shogi_position((tmp_path / "one.book.svg").read_text())[0] == tsume.problems()[4].sfen.split()[0]
    assert run("tsume", 5, "--out", tmp_path / "one.kif")[0] == 0
    assert tuple(records.load(tmp_path / "one.kif")[0].moves) == tsume.problems()[4].moves
    assert run("tsume", "--daily", "--out", tmp_path / "one.txt")[0] == 0
    assert (tmp_path / "one.txt").read_text() == tsume.as_text([tsume.daily()])
    for arguments, fault in (
        (("--out", tmp_path / "all.svg"), "a picture shows one position, and there are 717"),
        (("--out", tmp_path / "none" / "all.html"), "there is no folder"),
        (("--length", 3, "--grade", 10, "--out", tmp_path / "no.html"), "no problem of this length and grade"),
    ):
        status, out, said = run("tsume", *arguments)
        assert status and not out and fault in said and said.count("\n") == 1
    assert not (tmp_path / "all.svg").exists() and not (tmp_path / "no.html").exists()


def test_a_list_of_positions_is_converted(tmp_path, capsys):
    positions = [each.sfen for each in tsume.problems(1)[:3]]
    (tmp_path / "list.sfen").write_text("\n".join(positions))
    assert main(["convert", str(tmp_path / "list.sfen"), str(tmp_path / "list.html")]) == 0
    assert len(pictures((tmp_path / "list.html").read_text())) == 3
    assert main(["convert", str(tmp_path / "list.sfen"), str(tmp_path / "list.svg")]) == 2
    assert "there are 3" in capsys.readouterr().err
    (tmp_path / "one.sfen").write_text(MATE_IN_3)
    for name in ("one.svg", "one.book.svg"):
        assert main(["convert", str(tmp_path / "one.sfen"), str(tmp_path / name)]) == 0
    assert 'class="wood"' in (tmp_path / "one.svg").read_text()
    assert shogi_position((tmp_path / "one.book.svg").read_text()) == tuple(MATE_IN_3.split()[:3])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.sfen").write_text(MATE_IN_3)
    assert main(["convert", str(tmp_path / "in"), str(tmp_path / "out"), "--to", "book.svg"]) == 0
    assert shogi_position((tmp_path / "out" / "a.book.svg").read_text()) == tuple(MATE_IN_3.split()[:3])


def test_printed_pages_have_the_chosen_number_of_diagrams(browser):
    count = 25
    page, asked = browser.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.set_content(study.sheet(tsume.as_records(tsume.problems(5)[:count], "en"), "Mates"))
    for number in PER_PAGE:
        page.check(f"#per{number}")
        for answers in (True, False):
            page.set_checked("#answers", answers)
            printed = page.pdf(prefer_css_page_size=True)
            sheets = re.findall(rb"/Type /Page\b", printed)
            assert len(sheets) == math.ceil(count / number) + answers, number
            assert set(re.findall(rb"/MediaBox \[0 0 (\d+)[.\d]* (\d+)", printed)) <= {
                (b"594", b"841"),
                (b"595", b"842"),
                (b"595", b"841"),
                (b"594", b"842"),
            }
    assert asked == [] and USUAL in PER_PAGE
    page.check(f"#per{USUAL}")
    page.emulate_media(media="print")
    boxes = page.evaluate(
        "[...document.querySelectorAll('.problems svg')].map(each => each.getBoundingClientRect().toJSON())"
    )
    assert all(box["height"] > 100 and box["width"] > 100 for box in boxes)
    page.close()
