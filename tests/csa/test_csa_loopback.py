"""Two sessions against each other over the referee of tools/measure, with connections cut at every kind of moment."""

import threading

import pytest

from shogi_engine import records
from shogi_engine.csa.session import CsaSession, GameSaver, Settings, Timeouts
from shogi_engine.games.shogi.board import Board
from shogi_engine.types.results import Score
from tests.csa.scripted import SECRET, Screen, ScriptedPlayer
from tests.support.answers import answered
from tools.measure.csa_games import plan_cuts
from tools.measure.csa_server import CUTS, Conditions, Cut, RefereeServer

NAMES = ("one", "two")
TIMEOUTS = Timeouts(first_delay=0.01, longest_delay=0.05)


def shuffle(turn):
    """Answer with a move of the rook to and fro, so that a game ends by repetition or by the limit of moves."""
    board = Board(turn.start)
    for move in turn.moves:
        board.push_usi(move)
    moves = ("2h3h", "3h2h") if board.turn == 0 else ("8b7b", "7b8b")
    for move in moves:
        try:
            board.parse_usi(move)
        except ValueError:
            continue
        return answered(move, score=Score(1), pv=(move,))
    return answered("resign")


def short(turn):
    """Resign after three moves: white, who is another client in each game."""
    return shuffle(turn) if len(turn.moves) < 3 else answered("resign")


def run_match(cuts, games, max_moves, folder, answer=shuffle, one_game_per_login=False, **values):
    """Return the server and the tallies after all games."""
    server = RefereeServer(NAMES, games, Conditions(max_moves=max_moves), cuts, one_game_per_login=one_game_per_login)
    tallies, players = {}, {name: ScriptedPlayer(*[answer] * 1000) for name in NAMES}

    def run(name):
        settings = Settings(
            "127.0.0.1", name, port=server.port, games=games, ponder=False, resume=5.0, timeouts=TIMEOUTS, **values
        )
        tallies[name] = CsaSession(settings, SECRET, players[name], GameSaver(folder / name), Screen()).run()
        players[name].close()

    threads = [threading.Thread(target=run, args=(name,), daemon=True) for name in NAMES]
    threads.append(threading.Thread(target=server.run, daemon=True))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return server, tallies


def test_games_that_were_cut_are_played_to_their_end(tmp_path):
    cuts = {number: Cut(0 if when == "offered" else 2, number % 2, when) for number, when in enumerate(CUTS)}
    server, tallies = run_match(cuts, 5, 4, tmp_path)
    assert [played.reason for played in server.played] == ["max moves"] * 5, server.faults
    assert [played.breaks for played in server.played] == [1, 1, 1, 1, 0] and server.faults == {}
    for name in NAMES:
        assert (tallies[name].draws, tallies[name].games) == (5, 5)
        kept = [record for path in sorted((tmp_path / name).glob("*.csa")) for record in records.iterate(path)]
        assert [len(record.moves) for record in kept] == [4] * 5
        assert {record.ending for record in kept} == {"max moves"}
        assert all(seconds is not None for record in kept for seconds in record.seconds)


@pytest.mark.parametrize("game", ["test-600-10F", ""])  # without one, the games' names tell the server
@pytest.mark.parametrize("answer", [short, shuffle])
def test_no_time_is_lost_between_games_on_shogi_server_in_standard_mode(tmp_path, game, answer):
    """If a winner waited for the server to close the connection, each game would take 40 s more, until a keep-alive."""
    server, tallies = run_match({}, 20, 4, tmp_path, answer, one_game_per_login=True, game=game)
    reason = "resignation" if answer is short else "max moves"
    assert [played.reason for played in server.played] == [reason] * 20 and server.faults == {}
    counts = [(tally.wins, tally.losses, tally.draws, tally.broken) for tally in tallies.values()]
    assert counts == ([(10, 10, 0, 0)] if answer is short else [(0, 0, 20, 0)]) * 2


def test_the_cut_of_a_game_that_ends_before_is_made_in_another_one(tmp_path):
    server, _ = run_match({0: Cut(6, 0, "waiting")}, 3, 4, tmp_path)
    assert [played.breaks for played in server.played] == [0, 1, 0]


def test_cuts_are_of_all_kinds_in_different_games():
    cuts = plan_cuts(200, 20, 1)
    assert len(cuts) == 20 and {cut.when for cut in cuts.values()} == set(CUTS)
