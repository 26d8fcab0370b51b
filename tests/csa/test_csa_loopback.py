"""Two sessions against each other over the referee of tools/measure, with connections cut at every kind of moment."""

import asyncio
import threading

from shogi_engine import records
from shogi_engine.csa.keeper import Keeper
from shogi_engine.csa.players import CsaAnswer
from shogi_engine.csa.session import Session
from shogi_engine.csa.settings import Patience, Settings
from shogi_engine.games.shogi.board import Board
from tests.csa.scripted import SECRET, Screen, ScriptedPlayer
from tools.measure.csa_games import plan_cuts
from tools.measure.csa_server import CUTS, Conditions, Cut, RefereeServer

NAMES = ("one", "two")
PATIENCE = Patience(first_delay=0.01, longest_delay=0.05)


def shuffle(job):
    """Answer with a move of the rook to and fro, so that a game ends by repetition or by the limit of moves."""
    board = Board(job.turn.start)
    for move in job.turn.moves:
        board.push_usi(move)
    moves = ("2h3h", "3h2h") if board.turn == 0 else ("8b7b", "7b8b")
    for move in moves:
        try:
            board.parse_usi(move)
        except ValueError:
            continue
        return CsaAnswer(move, score=1, pv=(move,))
    return CsaAnswer("resign")


def run_match(cuts, games, max_moves, folder):
    """Return the server and the tallies after all games."""
    server = RefereeServer(NAMES, games, Conditions(max_moves=max_moves), cuts)
    tallies, players = {}, {name: ScriptedPlayer(*[shuffle] * 1000) for name in NAMES}

    def run(name, port):
        settings = Settings("127.0.0.1", name, port=port, games=games, ponder=False, resume=5.0, patience=PATIENCE)
        tallies[name] = Session(settings, SECRET, players[name], Keeper(folder / name), Screen()).run()
        players[name].close()

    async def match():
        port = await server.start()
        threads = [threading.Thread(target=run, args=(name, port), daemon=True) for name in NAMES]
        for thread in threads:
            thread.start()
        await server.run()
        while any(thread.is_alive() for thread in threads):
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(match(), 60))
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


def test_the_cut_of_a_game_that_ends_before_is_made_in_another_one(tmp_path):
    server, _ = run_match({0: Cut(6, 0, "waiting")}, 3, 4, tmp_path)
    assert [played.breaks for played in server.played] == [0, 1, 0]


def test_cuts_are_of_all_kinds_in_different_games():
    cuts = plan_cuts(200, 20, 1)
    assert len(cuts) == 20 and {cut.when for cut in cuts.values()} == set(CUTS)
