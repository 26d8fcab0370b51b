"""tools/measure/book_reach.py: moves of a book are counted until an opponent's move that it does not know."""

from tools.measure import book_reach

START = "---------------------------OX------XO--------------------------- X"
AFTER_F5 = "---------------------------OX------XXX-------------------------- O"


def test_moves_are_counted_until_the_book_ends(tmp_path, capsys):
    book = tmp_path / "book.txt"
    book.write_text(f"{START}; f5:+0.2\n{AFTER_F5}; d6:-0.2\n")
    words = ["othello", "--book", str(book), "--games", "4", "--depth", "1"]
    assert book_reach.main([*words, "--loss", "0", "6400"]) == 0
    assert capsys.readouterr().out == "".join(f"loss {loss}: 1.00 moves, median 1\n" for loss in (0, 6400))
    book.write_text(f"{START}; f5:+0.2\n")
    assert book_reach.main(words) == 0
    assert capsys.readouterr().out == "loss 100: 0.50 moves, median 0.5\n"
