"""The engine's analyses of a game in the browser: live analysis, judging every move, searching for a mate."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from shogi_engine.analysis import GameAnalysis, PositionResult, annotate, judge, judgement
from shogi_engine.analysis.analyst import EFFORTS, Blunder, finding_of, finding_row
from shogi_engine.analysis.judgement import MoveAnalysis
from shogi_engine.analysis.report import copied, given_words, said_of
from shogi_engine.language import InputError
from shogi_engine.records import GameRecord, Node
from shogi_engine.types.limits import Limit
from shogi_engine.types.outcomes import Fact
from shogi_engine.types.results import Score
from shogi_engine.web.links import Viewers, ViewOptions
from shogi_engine.web.pool import Engines, PoolSearch, Priority, SearchSlot
from shogi_engine.web.replies import AnalysisLine, Info, MateFound, Progress, Summary, Told
from shogi_engine.web.tree import Tree

INFO_SECONDS = 0.15  # minimum time between reports below SLOW_DEPTH; beyond it every depth is reported
SLOW_DEPTH = 12
MULTIPV_MAX = {"shogi": 5, "othello": 60}  # in Othello all moves
MATE_SECONDS = 15.0
ANALYSIS_SECONDS = 600.0  # of live analysis of one position; then the user has to press the button again
NAMES_OF_VERDICTS = tuple(name for name, _ in judgement.VERDICTS)


def _better(above: Node, node: Node) -> PositionResult | None:
    """Return the line that a record gives as better than a move, None for none."""
    for other in above.children:
        if other is not node and other.evaluation is not None:
            return PositionResult(other.move, other.evaluation, tuple(each.move for each in GameRecord.line(other)))
    return None


def _before(above: Node, *, is_root: bool) -> PositionResult | None:
    """Return the value that a record has before a move, None for none."""
    if above.evaluation is None:
        return None
    return PositionResult("", above.evaluation if is_root else -above.evaluation)


class SavedAnalyses(msgspec.Struct):
    """What was found about a tree, as JSON.

    Attributes:
        values: black's value by move number, and whether it is exact
        judged: the numbers of a line from the root, and the findings by ply
    """

    values: dict[int, tuple[str, bool]]
    judged: list[tuple[list[int], dict[int, dict[str, Any]]]]


class Analyses:
    """The analyses of a session.

    Args:
        viewers: the pages that are sent what is found
        examiner: `examiner(game, limits)` returns an examiner of positions

    Attributes:
        on, multipv: whether live analysis is on, and its number of lines
        values: black's value by move number, and whether it is exact
        verdicts: the judged moves, by move number
        told: the numbers of those that only the record's values judge
        progress: of judging, 0 to 1, None while nothing is being judged
    """

    def __init__(
        self, tree: Tree, engines: Engines, viewers: Viewers, examiner: Callable[[str, dict[str, int]], Any]
    ) -> None:
        self._tree, self._viewers, self.examiner = tree, viewers, examiner
        self.on = False
        self.multipv = 1
        self.values: dict[int, tuple[Score, bool]] = {}
        self.verdicts: dict[int, MoveAnalysis] = {}
        self.told: set[int] = set()
        self._facts: dict[int, tuple[Fact, ...]] = {}
        self.judged: dict[tuple[int, ...], dict[int, PositionResult]] = {}  # findings by ply, by the moves of a line
        self.progress: float | None = None
        self._live = SearchSlot(engines, "analysis", Priority.ANALYSIS, self._live_failed)
        self._last_infos: tuple[int, list[Any]] | None = None
        self._place: tuple[Any, ...] | None = None  # the position being analysed, and the settings
        self._judging = SearchSlot(engines, "judging", Priority.ANALYSIS, self.stop_judging)
        self._mate = SearchSlot(engines, "mate", Priority.SEARCH)

    def replace(self, tree: Tree) -> None:
        """Analyse another game: discard all results, and take what its record says."""
        self.close()
        self._tree = tree
        self.values, self.verdicts, self.judged = {}, {}, {}
        self.told, self._facts = set(), {}
        self.read_record()

    def close(self) -> None:
        """End all searches; live analysis can be resumed."""
        for search in (self._live, self._judging, self._mate):
            search.cancel()
        self.progress = self._place = None

    def stop(self) -> None:
        """End all searches and turn live analysis off."""
        self.on = False
        self.close()

    @property
    def mating(self) -> bool:
        """Whether a mate is being searched for."""
        return self._mate.on

    def _live_failed(self) -> None:
        """Turn live analysis off, or it would fail again and again."""
        self.on = False

    # ---- live analysis

    def switch(self, on: bool, multipv: int | None) -> None:
        """Turn live analysis on or off; None keeps the number of lines. `follow` begins it, also again."""
        self.on, self.multipv, self._place = on, multipv or self.multipv, None

    def follow(self, shown: bool) -> None:
        """If live analysis is on, analyse the current position, unless that is already being done.

        Args:
            shown: whether the board shows it, and is not being set up
        """
        place = self._tree, self._tree.node, self.on, self.multipv, shown
        if place == self._place:
            return
        self._place = place
        self._live.cancel()
        self._last_infos = None
        if self.on and shown and not self._tree.board.is_game_over():
            self._begin_live()

    def repeat(self) -> None:
        """Send the last report again, after a change of language or board."""
        if self._last_infos is not None and self._live.on:
            self._report(*self._last_infos)

    def _begin_live(self) -> None:
        """Analyse the current position."""
        tree = self._tree
        number, multipv = tree.node, min(self.multipv, MULTIPV_MAX[tree.game])

        def work(engine: Any, search: PoolSearch[Any]) -> None:
            lines: dict[int, Any] = {}
            last = 0.0
            wanted = min(multipv, len(search.board.legal_moves))

            def report(info: Any) -> None:
                nonlocal last
                if info.bound:
                    return
                lines[info.multipv] = info
                now = time.monotonic()
                if info.multipv == wanted and (now - last >= INFO_SECONDS or info.depth >= SLOW_DEPTH):
                    last = now
                    tell([lines[each] for each in sorted(lines)])

            def tell(infos: list[Any]) -> None:
                self._live.report(search, lambda: self._report(number, infos))

            tell(engine.analyse(search.board, Limit(ANALYSIS_SECONDS), multipv=multipv, on_info=report))

        self._live.begin(tree, work, None, number)

    def _report(self, number: int, infos: list[Any]) -> None:
        """Send the lines of an analysis."""
        if self._tree.node != number or not infos or not infos[0].pv:
            return
        self._last_infos = (number, infos)
        score = infos[0].score if self._tree.board.turn == 0 else -infos[0].score
        self.values[number] = score, infos[0].exact
        self._viewers.send(lambda look: self._info(number, infos, look))

    def _info(self, number: int, infos: list[Any], look: ViewOptions) -> Info:
        """Return a report of an analysis for the pages of a look."""
        tree, first = self._tree, infos[0]
        best = [list(map(str, info.pv)) for info in infos if info.pv]
        lines = [self._line(info, look.language) for info in infos if info.pv]
        values = [line.score + ("=" if line.exact else "") for line in lines]
        options = look.picture(tree.game) | ({"values": values} if tree.game == "othello" else {})
        return Info(
            node=number,
            flipped=look.flipped,
            narrow=look.narrow,
            depth=first.depth,
            seldepth=first.seldepth,
            nodes=first.nodes,
            nps=int(first.nodes / first.time) if first.time > 0.01 else 0,
            lines=lines,
            arrows=tree.board.arrows(best, **options),
        )

    def _line(self, info: Any, language: str) -> AnalysisLine:
        tree = self._tree
        words = judgement.words_of(language, tree.game)
        score = info.score if tree.board.turn == 0 else -info.score
        moves = list(map(str, info.pv[: judgement.LINE_MOVES]))
        return AnalysisLine(
            score=judgement.score_words(score, judgement.unit_of(tree.game), words),
            mate=score.mate,
            exact=bool(info.exact),
            chance=round(score.chance(), 4),
            depth=info.depth,
            texts=judgement.line_texts(tree.board, moves, language),
            moves=moves,
        )

    # ---- a whole game

    def stop_judging(self) -> None:
        """Stop judging a game; the findings stay."""
        self._judging.cancel()
        self.progress = None

    def judge(self, effort: str) -> None:
        """Judge every move of the game: of the main line. Raises ValueError if it has none."""
        self.stop_judging()
        tree = self._tree
        numbers = tree.main()
        if len(numbers) < 2:
            raise InputError("there are no moves to analyse")
        record = self._record(numbers)
        findings: dict[int, PositionResult] = {}
        limits = EFFORTS[tree.game][effort]

        def work(engine: Any, search: PoolSearch[Any]) -> None:
            examiner = self.examiner(tree.game, limits)
            if not search.follow(examiner):
                return
            plies = [ply for ply in judgement.plies_to_examine(record) if ply not in findings]
            for ply in plies:
                found = examiner.examine(record, ply)
                if search.stopped:  # the finding may be incomplete
                    return
                findings[ply] = found
                self._judging.report(search, lambda: self._found(record, numbers, findings))

        def done(_: None) -> None:
            self.progress = None
            self._judged(record, numbers, findings)

        self.progress = 0.0
        self._judging.begin(tree, work, done)

    def _found(self, record: GameRecord, numbers: list[int], findings: dict[int, PositionResult]) -> None:
        """Send the progress of judging."""
        self.progress = len(findings) / len(judgement.plies_to_examine(record))
        ply, found = next(reversed(findings.items()))
        score = found.score if (self._tree.start_turn + ply) % 2 == 0 else -found.score
        self.values[numbers[ply]] = score, found.exact
        sent = Progress(share=self.progress, node=numbers[ply], chance=score.chance())
        self._viewers.send(lambda look: sent)

    def _record(self, numbers: Sequence[int]) -> GameRecord:
        """Return a record with only one line of the game."""
        tree = self._tree
        return GameRecord.from_moves(tree.game, [tree[each].move for each in numbers[1:]], start=tree.record.start)

    def _judged(self, record: GameRecord, numbers: Sequence[int], findings: dict[int, PositionResult]) -> None:
        """Store the findings of a line."""
        if any(number not in self._tree for number in numbers):  # moves were taken back meanwhile
            return
        line = tuple(numbers)
        self.judged = {each: found for each, found in self.judged.items() if each != line[: len(each)]}
        self.judged[line] = dict(findings)
        game = judge(record, findings)
        for move in game.moves:
            self.values[numbers[move.ply - 1]] = move.black_score, move.exact
            self._set_verdict(numbers[move.ply], move)
        last, white = findings[len(numbers) - 1], (self._tree.start_turn + len(numbers) - 1) % 2
        self.values[numbers[-1]] = -last.score if white else last.score, last.exact

    @property
    def is_judged(self) -> bool:
        """Whether the game, the main line, was judged here."""
        return tuple(self._tree.main()) in self.judged

    def judged_game(self) -> GameAnalysis:
        """Return the judged game. Raises ValueError if it was not judged here."""
        tree, line = self._tree, tuple(self._tree.main())
        if line not in self.judged:
            raise InputError("please judge the game first")
        record = self._record(line)
        record.names = list(tree.record.names)
        return judge(record, self.judged[line])

    def saved(self, place: Mapping[int, int]) -> SavedAnalyses:
        """Return the findings for `restore`; `place` has the new numbers of the tree's moves."""
        known = {place[number]: value for number, value in self.values.items() if number in place}
        judged = [
            ([place[number] for number in line], {ply: finding_row(found) for ply, found in findings.items()})
            for line, findings in self.judged.items()
            if all(number in place for number in line)
        ]
        return SavedAnalyses({number: (str(score), exact) for number, (score, exact) in known.items()}, judged)

    def restore(self, saved: SavedAnalyses) -> None:
        """Restore earlier findings."""
        for numbers, rows in saved.judged:
            self._judged(self._record(numbers), numbers, {ply: finding_of(row) for ply, row in rows.items()})
        self.values |= {number: (Score.parse(text), exact) for number, (text, exact) in saved.values.items()}

    def read_record(self) -> None:
        """Take the values in the record's main line, and what they say about its moves, as if they were found here."""
        tree = self._tree
        numbers = tree.main()
        nodes = [tree[number] for number in numbers]
        if nodes[0].evaluation is not None and 0 not in self.values:
            self.values[0] = -nodes[0].evaluation if tree.start_turn else nodes[0].evaluation, False
        better = [_better(above, node) for above, node in zip(nodes, nodes[1:], strict=False)]
        annotated = any(better)  # then a move without a better line was good, whatever the values say
        for ply, (above, node) in enumerate(zip(nodes, nodes[1:], strict=False)):
            number, side = numbers[ply + 1], (tree.start_turn + ply) % 2
            if node.evaluation is None or number in self.verdicts:
                continue
            self.values[number] = -node.evaluation if side else node.evaluation, False
            found = better[ply] or (None if annotated else _before(above, is_root=not ply))
            if found is not None and node.move != judgement.PASS:
                self._set_verdict(number, judgement.judged_move(ply, side, node.move, found, node.evaluation))
                self.told.add(number)  # the best move is known only where the file has a better line

    def annotated(self, language: str) -> Callable[[], GameRecord]:
        """Return a function that makes the record with the findings: values, verdicts, and better lines as variations.

        It may take long, and needs the session's lock no more.
        """
        tree = self._tree
        record, numbers_of_nodes = copied(tree.record), tree.preorder()
        judged = [(numbers, self._record(numbers), dict(found)) for numbers, found in self.judged.items()
                  if all(number in tree for number in numbers)]  # fmt: skip

        def made() -> GameRecord:
            nodes = dict(zip(numbers_of_nodes, record.nodes_in_preorder(), strict=True))
            done: set[int] = set()
            for numbers, line, found in judged:
                first = next((ply for ply, number in enumerate(numbers) if ply and number not in done), len(numbers))
                annotate(record, [nodes[number] for number in numbers], judge(line, found), language, first)
                done.update(numbers)
            return record

        return made

    def verdict(self, number: int, look: ViewOptions) -> Told | None:
        """Return the verdict on the current move, with the better line; None for none."""
        move, tree = self.verdicts.get(number), self._tree
        if move is None or tree.parent(number) < 0:
            return None
        board = tree.board_at(tree.parent(number))
        if number not in self._facts:  # they are looked for when they are first shown
            self._facts[number] = judgement.facts_of(tree.game, board, move)
        return self._told(tree.parent(number), move, self._facts[number], look)

    def warning(self, number: int, blunder: Blunder | None, look: ViewOptions) -> Told | None:
        """Return what a coach says of the blunder `number`: nothing of the better move. None for none."""
        if blunder is None:
            return None
        return replace(self._told(self._tree.parent(number), *blunder, look), moves=(), texts=())

    def _told(self, above: int, move: MoveAnalysis, facts: Sequence[Fact], look: ViewOptions) -> Told:
        """Return what is said of a judged move after move `above`."""
        game, board, language = self._tree.game, self._tree.board_at(above), look.language
        said = said_of(game, move, board, language, judgement.sentences(game, board, facts, language, look.words))
        return Told(
            node=above,
            moves=said.better,
            texts=said.line,
            severity=move.severity,
            called=said.verdict,
            loss=round(move.loss, 4),
            given=given_words(move.given, judgement.unit_of(game), language, said.words),
            score=said.best,
            why=said.why,
        )

    def _set_verdict(self, number: int, move: MoveAnalysis) -> None:
        """Store a judged move; what was said of it before is forgotten."""
        self.verdicts[number] = move
        self.told.discard(number)
        self._facts.pop(number, None)

    def summary(self) -> Summary | None:
        """Return the summary of the game, the main line, None if it was not judged."""
        tree = self._tree
        judged = [(place, number) for place, number in enumerate(tree.main()) if number in self.verdicts]
        if not judged:
            return None
        counts, agreed, made = [dict.fromkeys(NAMES_OF_VERDICTS, 0) for _ in (0, 1)], [0, 0], [0, 0]
        for place, number in judged:
            side, move, told = (tree.start_turn + place - 1) % 2, self.verdicts[number], number in self.told
            made[side] += not told
            agreed[side] += not told and move.pv[:1] == (tree[number].move,)
            if move.verdict:
                counts[side][move.verdict] += 1
        return Summary(counts, [round(agreed[side] / made[side], 4) if made[side] else None for side in (0, 1)])

    # ---- mates

    def find_mate(self) -> None:
        """Search for a mate by checks in the position and show it. Raises ValueError for Othello."""
        tree = self._tree
        if tree.game != "shogi":
            raise InputError("only shogi has mates")
        number = tree.node

        def work(engine: Any, search: PoolSearch[Any]) -> tuple[str, list[str]]:
            try:
                found = engine.mate(search.board, Limit(MATE_SECONDS), shortest=True)
            except ValueError:  # no king to mate
                return "nomate", []
            return found.result, list(map(str, found.moves))

        self._mate.begin(tree, work, lambda found: self._mated(number, *found), number)

    def _mated(self, number: int, result: str, line: list[str]) -> None:
        """Send the result of a search for a mate."""
        board = self._tree.board_at(number) if number in self._tree else None

        def made(look: ViewOptions) -> MateFound:
            texts = judgement.line_texts(board, line, look.language) if board is not None else []
            return MateFound(result=result, length=len(line), texts=texts, moves=line, node=number)

        self._viewers.send(made)
