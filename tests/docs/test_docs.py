"""The pages of docs/: what they name exists, tables of the program's are the program's, links lead somewhere."""

import ast
import doctest
import functools
import importlib
import inspect
import pydoc
import re
import subprocess
import sys

import pytest

from shogi_engine.play.words import grades
from shogi_engine.search.parameters import SEARCH_PARAMETERS
from tests.support.processes import ROOT
from tools import catalogue, generate
from usi.options import options_table

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md")) + [ROOT / "README.md", ROOT / "README.ja.md", ROOT / "CONTRIBUTING.md"]
PACKAGES = ("shogi_engine", "usi")
PLAYERS = ("index", "play", "browser", "guis", "usi-options", "levels", "mates", "analysis", "study")
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
NAMED_IN_FULL = [DOCS / "architecture.md", DOCS / "search-tour.md"]  # pages whose dotted names are this program's
PUBLIC = (  # packages that programs import from
    *("shogi_engine", "shogi_engine.analysis", "shogi_engine.batch", "shogi_engine.clients.usi", "shogi_engine.engine"),
    *("shogi_engine.explorer", "shogi_engine.games.othello.board", "shogi_engine.games.othello.records"),
    *("shogi_engine.games.shogi.board", "shogi_engine.games.shogi.openings", "shogi_engine.match"),
    *("shogi_engine.records", "shogi_engine.study", "shogi_engine.tsume"),
)
LINES = 150  # of a page for users; what was measured or tried belongs in the notebook


def words(page):
    """Return the texts between backticks outside blocks of code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return set(re.findall(r"`([^`\n]+)`", text))


@functools.cache
def tree_of(path):
    """Return a module's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def names_in(path):
    """Return the names a module defines: functions, classes, `Class.method`, constants."""
    names = set()
    for node in tree_of(path).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
            inner = node.body if isinstance(node, ast.ClassDef) else []
            names |= {f"{node.name}.{each.name}" for each in inner if isinstance(each, ast.FunctionDef)}
        elif isinstance(node, ast.ImportFrom):
            names |= {alias.asname for alias in node.names if alias.asname == alias.name}  # what it hands on
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


@functools.cache
def modules():
    """Return the files of all modules."""
    return [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]


@functools.cache
def bases(name):
    """Return the names of the classes from which the class `name` inherits."""
    classes = (
        node
        for path in modules()
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    found = {base.id for node in classes for base in node.bases if isinstance(base, ast.Name)}
    return found.union(*map(bases, found))


def is_defined(dotted):
    """Tell whether `module.name`, `Class.method` or `package.module` is there."""
    first, _, rest = dotted.partition(".")
    if first[0].isupper():
        return any(f"{name}.{rest}" in names_in(path) for name in [first, *bases(first)] for path in modules())
    for path in modules():
        if path.stem == first and rest in names_in(path):
            return True
        if path.parent.name == first and rest == path.stem:
            return True
    return False


@each_page
def test_paths_exist(page):
    for word in words(page):
        if re.fullmatch(r"[\w.-]+(/[\w.-]+)+/?|[\w.-]+/", word) and not word.startswith((".venv", "http")):
            assert any((folder / word).exists() for folder in (ROOT, ROOT / "shogi_engine", DOCS)), word


@pytest.mark.parametrize("page", NAMED_IN_FULL, ids=lambda page: page.name)
def test_names_are_defined(page):
    dotted = {word for word in words(page) if re.fullmatch(r"[A-Za-z_]\w*(\.\w+)+", word)}
    dotted = {word for word in dotted if not (ROOT / word).exists()}
    assert len(dotted) > 5
    assert [word for word in sorted(dotted) if not is_defined(word)] == []


def test_a_name_that_is_not_there_is_noticed():
    assert is_defined("alphabeta.search") and is_defined("Engine.play") and is_defined("search.context")
    assert not is_defined("alphabeta.searched") and not is_defined("Engine.searched") and not is_defined("no.context")


def test_the_tour_counts_the_steps_of_the_search():
    source = (ROOT / "shogi_engine/search/alphabeta.py").read_text(encoding="utf-8")
    steps = [int(number) for number in re.findall(r"^ +# (\d+)\. ", source, re.MULTILINE)]
    assert steps == list(range(1, 19)) and "A node: eighteen steps" in (DOCS / "search-tour.md").read_text("utf-8")


@pytest.mark.parametrize("language", generate.OPTION_PAGES)
def test_the_pages_have_the_options_the_engine_declares(language):
    assert options_table(language) in generate.OPTION_PAGES[language].read_text(encoding="utf-8")


def tool(name):
    """Return the files of a tool: a module's, or those of a package that can be run."""
    path = ROOT / name.replace(".", "/")
    return sorted(path.glob("*.py")) if (path / "__main__.py").exists() else [path.with_suffix(".py")]


@each_page
def test_tools_and_their_options_exist(page):
    """Every --option after `python -m tools...` on its line is one that the tool takes."""
    text = page.read_text(encoding="utf-8")
    for name, arguments in re.findall(r"python -m (tools[\w.]+)([^`\n#]*)", text):
        source = "".join(file.read_text(encoding="utf-8") for file in tool(name))
        for option in re.findall(r"(?<= )--[a-z][\w-]*", arguments):
            name_only = option.rstrip("12")
            assert f'"{option}"' in source or f'f"{name_only}{{' in source, (name, option)


def test_parameters_that_commands_set_exist():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES if page != generate.COMMAND_LINE)
    settings = re.findall(r'--(?:changes|parameters|a|b) ("[^"]*"|\S+)', text)
    named = set(re.findall(r"[a-z]\w+", " ".join(settings))) | set(re.findall(r"param\.(\w+)", text))
    known = {parameter.name for parameter in SEARCH_PARAMETERS}
    assert "futility_margin" in named and named - known == set()


@functools.cache
def anchors(path):
    """Return the anchors of a page's headings, as GitHub and mkdocs make them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = [re.sub(r"[^\w\s-]", "", each) for each in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {re.sub(r"\s", "-", heading.strip().lower()) for heading in headings}


@each_page
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8").replace("\n", " ")):
        if not target.startswith("http"):
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            assert path.exists(), target
            assert not anchor or anchor in anchors(path), target


@pytest.mark.parametrize("name", PLAYERS)
def test_players_pages_are_in_japanese_too(name):
    english, japanese = ((folder / f"{name}.md").read_text(encoding="utf-8") for folder in (DOCS, DOCS / "ja"))
    assert f"(ja/{name}.md)" in english and f"(../{name}.md)" in japanese
    prose = re.sub(r"^```.*?^```|`[^`\n]+`|\(http\S+\)", "", japanese, flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"[A-Za-z][a-z']+(?: [a-z][a-z']*){2,}", prose) == []
    known = generate.COMMAND_LINE.read_text(encoding="utf-8")
    assert [
        option for option in re.findall(r"--[a-z][\w-]+", japanese) if not re.search(f"[`, ]{option}\\b", known)
    ] == []
    own = re.findall(r"^shogi-engine (\S+)", japanese, re.MULTILINE)
    assert set(own) >= set(re.findall(r"^shogi-engine (\S+)", english, re.MULTILINE))


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:")[1]
    assert set(re.findall(r"(\S+\.md)", menu)) == {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}


def test_the_first_page_leads_to_all():
    linked = set(re.findall(r"\]\(([^)#]+\.md)", (DOCS / "index.md").read_text(encoding="utf-8")))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md") if page.parent.name != "ja"}
    assert pages - linked == {"index.md"} and "ja/index.md" in linked


def test_the_reference_has_all_that_public_packages_export():
    text = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("reference.md", "reference-boards.md"))
    entries = set(re.findall(r"^::: (\S+)", text, re.MULTILINE))
    lacking = set()
    for package in map(importlib.import_module, PUBLIC):
        for name in package.__all__:
            value = getattr(package, name)
            if (isinstance(value, type) or inspect.isfunction(value)) and value.__module__.startswith("shogi_engine"):
                whole = f"{value.__module__}.{value.__qualname__}"
                above = {whole.rsplit(".", cut)[0] for cut in range(whole.count("."))} | {f"{package.__name__}.{name}"}
                if not entries & above:
                    lacking.add(whole)
    assert not lacking, f"add `::: NAME` to docs/reference.md or docs/reference-boards.md for {lacking}"


def test_pages_are_short():
    generated = {generate.COMMAND_LINE}
    pages = {page for page in DOCS.rglob("*.md") if page.parent.name != "notebook"} - generated
    assert [page.name for page in pages if len(page.read_text(encoding="utf-8").splitlines()) > LINES] == []


def test_files_made_of_the_source_are_up_to_date():
    stale = [
        file.name
        for file, data in generate.generated(catalogue.updated())
        if not file.exists() or file.read_bytes() != data
    ]
    assert not stale, f"python -m tools.generate writes anew {stale}"


def test_every_package_is_in_the_picture():
    shown = {module.split(".")[1] for row in generate.layers() for module in row if "." in module}
    there = {
        path.stem
        for path in (ROOT / "shogi_engine").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert there - shown == {"__init__"}


def test_both_readmes_say_the_same():
    """Same commands, programs, links between pages (Japanese ones if there are) and figures of a kind, in one order."""
    english, japanese = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.ja.md"))
    japanese = japanese.replace("(docs/ja/", "(docs/")
    for pattern in (r"^```\w+\n.*?^```", r"\]\(((?:docs|examples)[^)]*)\)", r"`python -m [^`]+`", r"[+-]\d+"):
        found = [re.findall(pattern, text, re.DOTALL | re.MULTILINE) for text in (english, japanese)]
        assert found[0] and found[0] == found[1], pattern


# ---- docstrings --------------------------------------------------------------------------------------------------


def modules_with_examples():
    """Return the names of all modules of the packages with an example (`>>>`) in them."""
    files = [path for package in ("shogi_engine", "usi") for path in sorted((ROOT / package).rglob("*.py"))]
    with_examples = [path for path in files if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)]
    return [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in with_examples]


def test_examples_are_found():
    boards = {"shogi_engine.games.shogi.board.board", "shogi_engine.games.othello.board"}
    assert boards < set(modules_with_examples())


@pytest.mark.parametrize("name", modules_with_examples())
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0 and results.failed == 0


def test_the_package_loads_nothing_before_it_is_asked_to():
    code = """
import sys, shogi_engine, shogi_engine.games.shogi, shogi_engine.games.othello, usi.loop
print(sorted({"numba", "numpy", "llvmlite"} & set(sys.modules)))
print(shogi_engine.Engine.__name__, "numpy" in sys.modules, "numba" in sys.modules, "Engine" in dir(shogi_engine))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.stdout.splitlines(), done.stderr) == (["[]", "Engine True False True"], "")


def test_help_reads_well():
    """The name, what it is and an example come first; nothing is left without a word."""
    for name, base in (("shogi", "BaseBoard"), ("othello", None)):
        text = pydoc.plain(pydoc.render_doc(importlib.import_module(f"shogi_engine.games.{name}.board").Board))
        head = text.splitlines()[:12]
        assert any("A game: a position and the moves that led to it." in line for line in head)
        assert any(">>> board = Board()" in line for line in head)
        assert base is None or f"Methods inherited from {base}:" in text


@pytest.mark.parametrize(("language", "heading"), [("en", "about"), ("ja", "目安")])
def test_the_grades_of_levels_are_those_that_the_browser_shows(language, heading):
    page = (DOCS / ("ja" if language == "ja" else "") / "levels.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {heading} \|(.*)\|$", page, re.MULTILINE)
    shown = dict.fromkeys(grade.replace(" ", "") for grade in grades(language))  # levels 0 to 2 are one column
    assert [cell.replace(" ", "") for cell in row.split("|")] == list(shown)
