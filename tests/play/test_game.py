"""play.Game: what it allows, what it refuses and why, how it ends; next to a twin that works everything out again."""

import json
import random

import pytest

from shogi_engine import games, records
from shogi_engine.games.game_board import board_of
from shogi_engine.games.shogi.records.kakinoki import handicap
from shogi_engine.play.clock import GameClock
from shogi_engine.play.game import Game, Reason, Refusal, Terms
from shogi_engine.records.tree import GameRecord
from shogi_engine.types.limits import Clock
from shogi_engine.types.outcomes import Outcome, Termination
from shogi_engine.types.results import Score
from tests.support.processes import TESTS, needs_workshop
from tests.support.twins.naive_game import NaiveGame

CASES = json.loads((TESTS / "data" / "shogi_rules.json").read_text())
# Few pieces: games that go round, end by mate or without a move; late positions of Othello, with passes.
STARTS = {
    "shogi": ("", handicap("2-piece"), "8k/6G2/8P/9/9/9/9/9/4K4 b 3G 1", "k8/9/9/9/9/9/9/9/R7K w - 1"),
    "othello": ("", "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOOOOOOOXXXXXXXXXXXXXXXXXXXXXXO- X"),
}
CLOCKS = (None, Clock(9000), Clock(2000, 1500), Clock(3000, 0, 400), Clock(0, 1000))


class Watch:
    """A time that moves when it is told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def state(game):
    """Return what can be asked of a game."""
    return game.moves, game.turn, game.outcome, [node.seconds for node in game.path[1:]]


def expected(twin):
    """Return the same of its twin."""
    board = twin.board()
    seconds = [None if each is None else round(each, 4) for _, each, _ in twin.made]
    return [str(move) for move in board.move_stack], board.turn, twin.outcome(), seconds


def times(game):
    """Return the seconds that both sides have, None without a limit."""
    return [None if (left := game.clock.allowed(side)) is None else pytest.approx(left) for side in (0, 1)]


class Walk:
    """Does the same with a game and its twin, step by step."""

    def __init__(self, name, rng):
        self.rng, self.watch = rng, Watch()
        self.clocks = rng.choice(CLOCKS), rng.choice(CLOCKS)
        resign = rng.choice([None, (300, 1), (500, 2)])
        draw = rng.choice([None, (150, 1, 6), (400, 2, 0)])
        terms = Terms(rng.choice([0, 8, 1000]), resign, draw, rng.choice([0.0, 250.0]))
        start = rng.choice(STARTS[name])
        self.game = Game.begin(name, start, clock=GameClock(self.clocks, self.watch), terms=terms)
        self.twin = NaiveGame(name, self.game.record.start, self.clocks, terms)

    def step(self):
        """Do one thing at random; return its name."""
        game, rng = self.game, self.rng
        before = state(game)
        did = rng.choice(["move"] * 12 + ["measured"] * 6 + ["illegal", "back", "resign", "declare", "flag", "jump"])
        try:
            getattr(self, did)()
        except Refusal as fault:
            did = f"{did}: {fault.reason}"
            assert state(game) == before
            if game.over:
                assert fault.reason is Reason.OVER and str(fault) == "the game is over"
        game = self.game  # perhaps another one
        assert state(game) == expected(self.twin), did
        for side, left in enumerate(times(game) if not game.over else ()):
            mine = self.twin.left(side)
            assert left == (None if mine is None else sum(mine)), did
        return did

    def random_move(self):
        moves = list(self.game.board.legal_moves) or ["none"]
        return str(self.rng.choice(moves))

    def move(self):
        seconds = self.rng.choice([None, 0.231, 1.017, 1.713, 3.239]) if self.clocks != (None, None) else None
        score = self.rng.choice([None, Score(350), Score(-350), Score(100), Score.discs(-5.2), Score.mate_in(3)])
        move, late = self.random_move(), seconds is not None and self.twin.is_late(seconds)
        over = self.game.over
        made = self.game.move(move, seconds=seconds, evaluation=score)
        assert not over and (made is None) == late
        if late:
            self.twin.ended = Outcome(1 - self.twin.turn(), Termination.TIME_FORFEIT)
        else:
            self.twin.made.append((move, seconds, score))
            assert made is self.game.node and score in (None, made.evaluation)

    def measured(self):
        move, seconds = self.random_move(), self.rng.choice([0.107, 0.923, 2.511])
        self.game.start()
        self.game.start(), self.game.pause()  # neither takes time
        self.game.start()
        self.watch.now += seconds
        late = not self.game.over and self.twin.is_late(seconds)
        made = self.game.move(move)
        assert (made is None) == late
        if late:
            self.twin.ended = Outcome(1 - self.twin.turn(), Termination.TIME_FORFEIT)
        else:
            self.twin.made.append((move, seconds, None))

    def illegal(self):
        self.game.move(self.rng.choice(["9i9h+", "a1", "", "resign", "pass!", "7g7g"]))
        raise AssertionError("an illegal move was made")

    def back(self):
        count = self.rng.choice([1, 2])
        self.game.take_back(count)
        if self.clocks != (None, None):  # what was charged stays so: begin again
            self.replace(self.twin.made[:-count])
        else:
            del self.twin.made[-count:]

    def jump(self):
        if self.game.over or self.clocks != (None, None) or self.twin.terms.resign or self.twin.terms.draw:
            return  # known moves keep what is known of them: times and scores
        ply = self.rng.randrange(self.game.ply + 1)
        line = list(self.game.path)
        self.game.continue_at(line[: ply + 1])
        assert self.game.record.line(line[ply])[1:] == line[ply + 1 :]  # they stay in the record
        del self.twin.made[ply:]

    def replace(self, made):
        """Begin a game with the same moves, as clocks do not go back."""
        clock, terms = GameClock(self.clocks, self.watch), self.game.terms
        self.game, self.twin.made = Game.begin(self.game.name, self.game.record.start, clock=clock, terms=terms), []
        game = self.game
        for move, seconds, score in made:
            game.move(move, seconds=seconds, evaluation=score)
            self.twin.made.append((move, seconds, score))

    def resign(self):
        if self.rng.random() < 0.2:
            side = self.rng.choice([None, 0, 1])
            self.game.resign(side)
            self.twin.ended = Outcome(1 - (self.twin.turn() if side is None else side), Termination.RESIGNATION)

    def declare(self):
        may = getattr(self.twin.board(), "can_declare_win", lambda: False)()
        assert may == self.game.may_declare()
        self.game.declare()
        assert may

    def flag(self):
        seconds = self.rng.choice([0.519, 4.003, 20.0])
        late = not self.game.over and self.twin.is_late(seconds)
        assert self.game.flag_fell(seconds) == late
        if late:
            self.twin.ended = Outcome(1 - self.twin.turn(), Termination.TIME_FORFEIT)


@pytest.mark.parametrize("name", ["shogi", "othello"])
def test_games_are_those_of_a_twin_that_works_everything_out_again(name):
    rng, seen, endings = random.Random(7), set(), set()
    for _ in range(200):
        walk = Walk(name, rng)
        for _ in range(rng.choice([4, 30])):
            seen.add(walk.step())
        if walk.game.over:
            endings.add(str(walk.game.outcome.termination))
    actions = {"move", "measured", "back", "jump", "resign", "flag", "move: over", "back: no move"}
    assert seen >= actions | {"illegal: illegal move", "declare: no declaration"}
    own = {"shogi": {"mate"}, "othello": {"discs"}}[name]
    assert endings >= {"time", "resignation", "adjudication", "max moves"} | own


@pytest.mark.parametrize("case", CASES["repetition"], ids=lambda case: case["id"])
def test_repetitions_end_it(case):
    start = "" if case["sfen"] == "startpos" else case["sfen"]
    game = Game.begin("shogi", start, case["moves"][:-1])
    assert game.outcome is None
    game.move(case["moves"][-1])
    loser = {"black_loses": 0, "white_loses": 1}.get(case["result"])
    if loser is not None:
        assert game.outcome == Outcome(1 - loser, Termination.PERPETUAL_CHECK)
    else:
        assert game.outcome == (None if case["result"] == "none" else Outcome(None, Termination.REPETITION))
    elsewhere = Game.begin("shogi", start, case["moves"], judged=False)
    assert elsewhere.outcome is None  # a server says so, or not
    elsewhere.end(Outcome(0, Termination.TIME_FORFEIT))
    assert elsewhere.record.main_line[-1].outcome == Outcome(0, Termination.TIME_FORFEIT)


@pytest.mark.parametrize("case", CASES["declaration"], ids=lambda case: case[0])
def test_declarations(case):
    game = Game.begin("shogi", case[1])
    if case[2]:
        game.declare()
        assert game.outcome == Outcome(game.turn, Termination.DECLARATION) == game.record.outcome()
    else:
        with pytest.raises(Refusal, match="the conditions for declaring a win are not met") as refused:
            game.declare()
        assert refused.value.reason is Reason.NO_DECLARATION and game.outcome is None
    assert not Game.begin("shogi", case[1], rule="NoEnteringKing").may_declare()


def test_the_server_of_a_game_decides_although_the_clock_has_run_out():
    game = Game.begin("shogi", judged=False, clock=GameClock(Clock(1000)))
    assert game.move("7g7f", seconds=5.0) and not game.flag_fell(9.0)
    game.forfeit(1, Termination.DEFAULT)
    assert game.outcome == Outcome(0, Termination.DEFAULT)
    with pytest.raises(Refusal, match="over"):
        game.interrupt()


def test_a_game_continues_a_record_and_drops_its_ending():
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d"], ending="interrupted", seconds=[1.0, 2.0])
    game = Game(record)
    assert (game.moves, game.outcome, record.ending) == (["7g7f", "3c3d"], None, "")
    game.move("２六歩")  # any notation; written in the game's own
    game.interrupt()
    assert record.moves == ["7g7f", "3c3d", "2g2f"] and record.ending == "interrupted"
    again = Game(records.loads(records.dumps(record, "kif"))[0])
    assert again.moves == game.moves and again.outcome is None
    with pytest.raises(ValueError, match="pawn|no piece|legal"):
        Game(GameRecord.from_moves("shogi", ["7g7e"]))


@pytest.mark.parametrize(
    ("name", "start", "moves", "ending"),
    [
        ("shogi", "", ["7g7f", "3c3d"], Outcome(0, Termination.RESIGNATION)),
        ("shogi", "", ["7g7f"], Outcome(None, Termination.MAX_MOVES)),
        ("shogi", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", ["G*5b"], None),
        ("othello", "X" * 32 + "O" * 8 + "X" * 22 + "O- X", ["h8"], None),
        ("othello", "", ["f5"], None),
    ],
)
def test_a_game_is_restored_as_it_was(name, start, moves, ending):
    clock = GameClock(Clock(60_000))
    game = Game.begin(name, start, moves, clock=clock)
    game.start()
    if ending is not None:
        game.end(ending, 3.0)
    again = Game.restore(game.record, game.path, clock=GameClock(Clock(60_000)))
    assert state(again) == state(game) and again.record.main_line[-1].ending_seconds == (3.0 if ending else None)


def test_a_game_continues_where_it_is_told_to():
    record = GameRecord.from_moves("shogi", ["7g7f", "3c3d", "2g2f"], ending="resignation")
    game = Game(record, at=record.main_line[:2])
    assert (game.moves, game.outcome, record.moves) == (["7g7f"], None, ["7g7f", "3c3d", "2g2f"])
    game.move("8c8d")
    assert record.moves == ["7g7f", "8c8d"] and record.main_line[1].children[1].move == "3c3d"


def test_moves_from_an_earlier_position_keep_the_later_ones_as_a_variation():
    game = Game.begin("othello", moves=["f5", "d6", "c3"])
    known = game.path[2]
    game.continue_at(game.path[:2])
    other = game.move("f6")
    assert game.record.moves == ["f5", "f6"] and game.path[1].children == [other, known]
    game.continue_at([*game.path[:2]])
    assert game.move("d6") is known  # not a second one
    assert game.record.moves == ["f5", "d6", "c3"] and game.moves == ["f5", "d6"]
    game.take_back()
    assert game.path[0].children[0].children == [other]


def test_othello_ends_with_the_discs_and_says_nothing_of_it_in_the_record():
    game = Game.begin("othello", "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOOOOOOOOXXXXXXXXXXXXXXXXXXXXXXO- X")
    game.move("h8")
    assert game.outcome == Outcome(0, Termination.DISCS) and game.record.ending == ""  # it follows from the moves
    assert game.record.score == 2 * game.board.count(0) - 64 and game.record.result == "1-0"


@needs_workshop
@pytest.mark.parametrize("name", ["shogi", "othello"])
def test_a_game_without_a_board_is_judged_alike(name):
    rng, game = random.Random(3), games.load(name)
    endings = set()
    for number in range(30):
        starts = [start for start in STARTS[name] if " w " not in start]  # such games begin with black
        text = game.format_position(game.parse_position(starts[number % len(starts)] or game.start))
        one = Game.begin(name, text, terms=Terms(200))
        record = GameRecord(name, text)
        record.board = lambda ply, text=text: board_of(game)(text)
        other = Game(record, terms=Terms(200))
        while not one.over:
            move = str(rng.choice(list(one.board.legal_moves)))
            one.move(move), other.move(move)
            if rng.random() < 0.1 and not one.over:
                one.take_back(), other.take_back()
            assert one.moves == other.moves
            if one.over != other.over:  # a declaration is found, not requested
                assert other.outcome.termination is Termination.DECLARATION
                break
            assert not one.over or one.outcome.winner == other.outcome.winner
        endings.add(one.outcome and str(one.outcome.termination))
        with pytest.raises(Refusal):
            other.move("none")
    assert len(endings) > 1 or name == "othello"


def test_the_first_wrong_move_of_an_opening_is_named():
    with pytest.raises(ValueError, match="^move 2: "):
        Game.begin("shogi", "", ["7g7f", "7g7f"])
    with pytest.raises(ValueError, match="there is no game 'go'|unknown game|go"):
        Game.begin("go")
