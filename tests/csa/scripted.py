"""A CSA server that does what a test says, a player that answers what a test says, and sessions between the two."""

import socket
import threading
from types import SimpleNamespace

from shogi_engine import records
from shogi_engine.csa.session import CsaSession, GameSaver, Settings, Timeouts
from shogi_engine.play.players import Player
from tests.support.answers import answered
from tools.measure import csa_server
from tools.measure.csa_server import START, Peer

SECRET = "open-sesame"
QUICK = Timeouts(logout=10.0, first_delay=0.01, longest_delay=0.02)
LONGEST = 60.0  # seconds that any step of a test may take


def summary(
    turn="+", *moves, game_id="g1", position=START, head=(), time=("Total_Time:300", "Increment:10"), names=None
):
    """Return the lines of a Game_Summary. head : more lines before the time; time : those in the block Time."""
    black, white = names or (("me", "other") if turn == "+" else ("other", "me"))
    head, time = ("Max_Moves:256", *head), ("Time_Unit:1sec", *time)
    return csa_server.summary(game_id, (black, white), turn, time=time, position=position, moves=moves, head=head)


class ScriptedPeer(Peer):
    """A connection that takes what a test expects, and sends what it says."""

    def login(self, name="me"):
        line = self.expect(f"LOGIN {name} ")
        self.send(f"LOGIN:{name} OK")
        return line

    def offer(self, *arguments, **values):
        self.send(*summary(*arguments, **values))

    def begin(self, *arguments, **values):
        """Log in, offer a game and start it."""
        self.login()
        self.begin_next(*arguments, **values)

    def begin_next(self, *arguments, game_id="g1", **values):
        self.offer(*arguments, game_id=game_id, **values)
        self.expect(f"AGREE {game_id}")
        self.send(f"START:{game_id}")

    def accept(self, move, seconds=1):
        """Take a move of the client's and confirm it."""
        line = self.expect(move)
        self.send(f"{move},T{seconds}")
        return line

    def logout(self):
        self.expect("LOGOUT")
        self.send("LOGOUT:completed")


class ScriptedServer:
    """`with ScriptedServer(script, ...) as server:` each script is called with the Peer of one connection, in order.

    A script that fails makes the end of the block fail.
    """

    def __init__(self, *scripts, longest=LONGEST):
        self._scripts, self._longest = scripts, longest
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(longest)
        self.port = self._listening.getsockname()[1]
        self.peers = []
        self._failure = None
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _serve(self):
        try:
            for script in self._scripts:
                peer = ScriptedPeer(self._listening.accept()[0], self._longest)
                self.peers.append(peer)
                script(peer)
                peer.close()
        except BaseException as failure:
            self._failure = failure
            if self.peers:
                self.peers[-1].close()
        finally:
            self._listening.close()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self._thread.join(self._longest)
            assert not self._thread.is_alive(), f"the script still waits; lines: {[each.lines for each in self.peers]}"
        if self._failure is not None:
            raise self._failure


class ScriptedPlayer(Player):
    """Answers from a list, or by a function of what it was asked, which it keeps. An exception is raised."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.turns, self.pondered, self.results, self.rules = [], [], [], []
        self.hits = self.restarts = 0
        self._expected = None

    def think(self, game, search=None):
        if search.stopped:
            return answered("")
        self.hits += bool(self.ponders_on(game))
        self._expected = None
        clocks = [game.clock.for_search(side) for side in range(2)]
        turn = SimpleNamespace(
            start=game.record.start, moves=tuple(game.moves), clocks=clocks, overhead=game.clock.overhead, search=search
        )
        self.turns.append(turn)
        answer = self.answers.pop(0) if self.answers else answered("resign")
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            answer = answer(turn)
        return answered(answer) if isinstance(answer, str) else answer

    def ponders_on(self, game):
        return None if self._expected is None else self._expected == game.moves

    def ponder(self, game, move):
        self._expected = [*game.moves, str(move)]
        self.pondered.append(tuple(self._expected))

    def new_game(self, game, side, seed):
        self.rules.append(game.rule)

    def game_over(self, result):
        self.results.append(result)

    def ready(self):
        self.restarts += 1


class Screen:
    """Keeps what a session shows; a note that begins with `interrupt_at` interrupts it."""

    interrupt_at = ()

    def __init__(self):
        self.notes, self.progressed = [], []

    def note(self, text):
        self.notes.append(text)
        if text.startswith(self.interrupt_at):
            self.session.interrupt()

    def progress(self, text):
        self.progressed.append(text)


class Played:
    """A session that was run: tally, player, notes, log, and the error if it ended in one."""

    def __init__(self, server, player, folder="", timeouts=QUICK, **values):
        values = {"ponder": False, "resume": 0.0, "attempts": 3} | values
        settings = Settings("127.0.0.1", "me", port=server.port, timeouts=timeouts, **values)
        self.screen, self.log, self.player = Screen(), [], player
        keeper = GameSaver(folder)
        session = CsaSession(
            settings, SECRET, player, keeper, self.screen, lambda *line: self.log.append(" ".join(line))
        )
        self.error, self.session = None, session
        self.screen.session = session
        try:
            session.run()
        except ValueError as failure:
            self.error = str(failure)
        finally:
            player.close()
        self.tally = session.tally

    @property
    def notes(self):
        return "\n".join(self.screen.notes)

    @property
    def counts(self):
        return self.tally.wins, self.tally.losses, self.tally.draws, self.tally.broken


def play(script, *answers, **values):
    """Run a session on a server that serves one script, or a list of them; return it when both have ended."""
    scripts = script if isinstance(script, list) else [script]
    with ScriptedServer(*scripts) as server:
        return Played(server, ScriptedPlayer(*answers), **values)


def finished_game(peer, *lines, turn="+"):
    """Begin a game, send what the server says of it, and let the client leave."""
    peer.begin(turn)
    peer.send(*lines)
    peer.logout()


def kept_record(folder, name="g1"):
    """Return the record that a session wrote."""
    (record,) = records.iterate(folder / f"{name}.csa")
    return record


def quick_win(peer):
    """A game in which the other side is out of time before its first move."""
    finished_game(peer, "#TIME_UP", "#WIN", turn="-")
