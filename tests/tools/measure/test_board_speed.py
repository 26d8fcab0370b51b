"""The comparison of boards: the same work for all, and what is printed."""

from tools.measure import board_speed


def test_a_table_has_every_figure_and_ratio():
    rates = {"push + pop": {"ours": 3000.0, "cshogi": 1500.0, "python-shogi": 1.0}, "hcp out": {"ours": 5.0}}
    lines = board_speed.table(rates, ["ours", "cshogi", "python-shogi"]).splitlines()
    assert lines[1].split()[3:] == ["3,000.0", "1,500.0", "1.0", "2.00", "3000.00"]
    assert lines[2].split()[2:] == ["5.0", "-", "-", "-", "-"]


def test_rates_count_what_is_done():
    seen = []
    assert board_speed.rate(board_speed.each(seen.append, [1, 2, 3]), 0.01) > 100 and seen[:4] == [1, 2, 3, 1]


def test_every_operation_runs():
    for batches in (board_speed.ours(board_speed.sfens()[:2]), board_speed.of_othello()):
        assert {"list(legal_moves)", "push + pop", "random games"} < set(batches)
        for name, (run, count) in batches.items():
            assert count > 0
            if name != "random games":
                run()
