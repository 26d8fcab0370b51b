"""The search: negamax alpha-beta with principal variation search, in numbered steps.

Values are fail-soft, from the point of view of the side to move. Nothing here depends on a particular game: the rules
are called through the stubs of game.py, and the numbers are in parameters.py. The terms are those of the Chess
Programming Wiki, https://www.chessprogramming.org/Search.

The structure of `search`, the terms of its margins and reductions, and most of its numbers follow Stockfish
(https://github.com/official-stockfish/Stockfish) and YaneuraOu (https://github.com/yaneurao/YaneuraOu);
parameters.py marks each number taken from Stockfish. The code was written for this engine.
"""

import numpy as np

from shogi_engine.interface import game as rules
from shogi_engine.interface.game import MAX_PLY, MOVE_NONE, VALUE_INFINITE, VALUE_MATE, VALUE_MATE_IN_MAX, VALUE_NONE
from shogi_engine.jit import njit
from shogi_engine.search import context, history, selectivity, tt
from shogi_engine.search.context import (
    ALL,
    CUT,
    PV,
    ROOT,
    SEARCHED_MOVES,
    USE_MULTI_PROBCUT,
    USE_PRUNING,
    USE_REDUCTIONS,
    USE_REPETITION,
    USE_SOLVERS,
    USE_TT,
    bring_to_front,
    note_root_move,
)
from shogi_engine.search.history import BEFORE_ROOT
from shogi_engine.search.movepick import init_picker, next_move, pick, score_captures, skip_quiet_moves
from shogi_engine.search.quiescence import find_mate_in_one, quiescence
from shogi_engine.search.selectivity import is_decisive


@njit
def search(ctx, alpha, beta, depth, node, start):
    """Search ctx.pos `depth` plies deep and return its value, which is exact if it lies within (alpha, beta).

    The principal variation is stored in ctx.pv[ctx.ply]. After a stop (ctx.stopped), the value is meaningless.

    Do not pass a literal to a recursive call. Numba would compile another version of the search for it, and versions
    that call each other crash when a second process loads them from the cache.

    Args:
        alpha, beta: int64, alpha < beta
        node: ROOT, PV, CUT or ALL
        start: the first free index of ctx.moves
    """
    # 1. At depth 0, start the quiescence search.
    if depth <= 0:
        return quiescence(ctx, alpha, beta, start)

    # 2. After a stop, return from every node; the values are discarded.
    if context.enter_node(ctx):
        return 0
    params = ctx.params
    root = node == ROOT
    pv_node = node <= PV
    cut_node = node == CUT
    all_node = node == ALL
    next_node = np.int64(ALL if cut_node else CUT)  # the expected type of a node below
    here = ctx.frames[BEFORE_ROOT + ctx.ply]
    last = ctx.frames[BEFORE_ROOT + ctx.ply - 1]
    excluded = here.excluded

    if not root:
        # 3. The rules may end the game here: a repetition or a declaration.
        value = context.repetition_in_tree(ctx)
        if value != VALUE_NONE:
            return value
        if ctx.ply >= MAX_PLY:
            return rules.evaluate(ctx)
        if ctx.search_flags & USE_REPETITION:
            value = rules.declaration_value(ctx)
            if value != VALUE_NONE:
                return value

        # 4. Mate distance pruning: no line is better than mating at once or worse than being mated at once.
        alpha = max(alpha, -VALUE_MATE + ctx.ply)
        beta = min(beta, VALUE_MATE - ctx.ply - 1)
        if alpha >= beta:
            return alpha

        # 5. Near the end of the game, the game's endgame solver may return the exact value.
        if ctx.search_flags & USE_SOLVERS:
            value = rules.endgame_solve(ctx, alpha, beta)
            if value != VALUE_NONE:
                return value

    in_check = rules.is_in_check(ctx.pos)
    pruning = ctx.search_flags & USE_PRUNING != 0
    reducing = ctx.search_flags & USE_REDUCTIONS != 0
    here.in_check, here.depth = in_check, depth
    here.follow_pv = context.follows_last_pv(ctx)
    here.move_count = here.stat_score = 0
    ctx.frames[BEFORE_ROOT + ctx.ply + 2].cutoffs = 0
    last_reduction = last.reduction
    last.reduction = 0

    # 6. The transposition table. An entry searched deeply enough ends the node, unless its value contradicts the
    #    expected node type. It never ends a singular search, which excludes the table's move.
    using_table = ctx.search_flags & USE_TT != 0
    hash_key = rules.key(ctx.pos) ^ ctx.tt_key_salt
    context.prepare_node(ctx)
    tt_hit, tt_move, tt_value, tt_depth, tt_bound, raw_eval, tt_is_pv = tt.lookup(ctx, hash_key, using_table)
    if root and ctx.root_count > ctx.root_first:
        tt_move = ctx.root_moves[ctx.root_first]
    here.tt_hit = tt_hit
    if excluded == MOVE_NONE:
        here.tt_pv = pv_node or tt_is_pv
    tt_capture = tt_move != MOVE_NONE and not rules.is_quiet(ctx.pos, tt_move)
    may_settle = not pv_node and excluded == MOVE_NONE and tt.bound_holds(tt_bound, tt_value, beta)
    if may_settle and selectivity.table_settles(ctx, tt_value, tt_depth, beta, depth, cut_node):
        if pruning and tt_move != MOVE_NONE and tt_value >= beta:
            history.learn_from_table_cut(ctx, tt_move, not tt_capture, depth)
        return tt_value

    # 7. A mate in one, found without a search.
    if ctx.search_flags & USE_SOLVERS and not tt_hit and not in_check and not root and excluded == MOVE_NONE:
        move = find_mate_in_one(ctx, hash_key, start)
        if move != MOVE_NONE:
            ctx.pv_end[ctx.ply + 1] = ctx.ply + 1
            context.update_pv(ctx, move)
            return VALUE_MATE - ctx.ply - 1

    # 8. Values without a search. raw_eval: the evaluation's, which the table stores. static_eval: corrected by the
    #    results of searches in similar positions; in check, that of two plies before. estimate: static_eval, or the
    #    table's value if its bound improves it. Improving: static_eval is higher than two plies ago. Opponent
    #    worsening: it is higher than the opponent's at the last ply suggested.
    static_eval = estimate = VALUE_NONE
    correction = 0
    improving = opponent_worsening = False
    if pruning:
        before = ctx.frames[BEFORE_ROOT + ctx.ply - 2].static_eval
        if in_check:
            static_eval = estimate = here.static_eval = before
        else:
            if excluded != MOVE_NONE:
                static_eval = estimate = raw_eval = here.static_eval
            else:
                if raw_eval == VALUE_NONE:
                    raw_eval = rules.evaluate(ctx)
                correction = history.static_correction(ctx)
                static_eval = estimate = here.static_eval = history.corrected(raw_eval, correction)
                if not tt_hit and using_table:
                    tt.store(
                        ctx, hash_key, MOVE_NONE, VALUE_NONE, tt.UNSEARCHED, tt.BOUND_NONE, here.tt_pv != 0, raw_eval
                    )
                if tt_value != VALUE_NONE and tt.bound_holds(tt_bound, tt_value, estimate):
                    estimate = tt_value
            history.learn_from_static_eval(ctx)
            improving = static_eval > before
            opponent_worsening = static_eval > -last.static_eval
            # Hindsight: the last move was reduced; the evaluation now shows whether by too much or too little.
            if last_reduction >= params.hindsight_reduction and not opponent_worsening:
                depth += 1
            near = last.static_eval != VALUE_NONE and static_eval + last.static_eval > params.hindsight_margin
            if last_reduction >= 2 and depth >= 2 and near:
                depth -= 1

    # 9. Forward pruning by the static evaluation.
    if pruning and not in_check:
        # 9a. Razoring: this far below alpha, only captures and checks can help.
        far_below = params.razor_margin + params.razor_depth_margin * depth * depth
        if not pv_node and estimate < alpha - far_below:
            return quiescence(ctx, alpha, beta, start)
        # 9b. Reverse futility pruning: this far above beta, the remaining depth is unlikely to lose the whole margin.
        if (
            not here.tt_pv
            and depth <= params.rfp_max_depth
            and estimate >= beta
            and (tt_move == MOVE_NONE or tt_capture)
            and beta > -VALUE_MATE_IN_MAX
            and estimate < VALUE_MATE_IN_MAX
            and estimate - selectivity.rfp_margin(params, depth, tt_hit, improving, opponent_worsening, correction)
            >= beta
        ):
            return (2 * beta + estimate) // 3
        # 9c. Null move pruning: if passing keeps the value above beta, some move will too. Deep null moves are
        #     verified, because in zugzwang passing is better than any move.
        enough = beta - params.nmp_depth_margin * depth - params.nmp_margin
        enough -= params.nmp_improving if improving else 0
        if (
            cut_node
            and excluded == MOVE_NONE
            and static_eval >= enough
            and ctx.ply >= ctx.null_min_ply
            and beta > -VALUE_MATE_IN_MAX
            and rules.null_allowed(ctx.pos)
        ):
            null_depth = depth - params.nmp_base - depth // max(params.nmp_depth_divisor, 1)
            context.make_null_move(ctx)
            value = -search(ctx, -beta, -beta + 1, null_depth, np.int64(ALL), start)
            context.unmake_null_move(ctx)
            if ctx.stopped:
                return 0
            if beta <= value < VALUE_MATE_IN_MAX:
                if ctx.null_min_ply > 0 or depth < params.nmp_verify_depth:
                    return value
                ctx.null_min_ply = ctx.ply + 3 * null_depth // 4
                kept = context.node_state(ctx)
                verified = search(ctx, beta - 1, beta, null_depth, np.int64(ALL), start)
                context.restore_node(ctx, kept)
                ctx.null_min_ply = 0
                if ctx.stopped:
                    return 0
                if verified >= beta:
                    return value
        improving = improving or static_eval >= beta

    # 9d. Internal iterative reduction: without a table move the move order is poor. Search less deeply; the next visit
    #     will have a table move.
    unordered = tt_move == MOVE_NONE and not here.follow_pv and not all_node
    if reducing and not in_check and unordered and depth >= params.iir_min_depth and last_reduction <= 3:
        depth -= 1

    # 10. ProbCut: if a shallower search beats beta by a wide margin, this one probably would too.
    # 10a. Search captures that may win that much.
    probcut_beta = beta + params.probcut_margin - (params.probcut_improving if improving else 0)
    if (
        pruning
        and params.probcut_margin > 0
        and not in_check
        and not root
        and depth >= params.probcut_min_depth
        and not is_decisive(beta)
        and tt_value >= probcut_beta  # or VALUE_NONE, which is larger
    ):
        end = start + rules.generate_captures(ctx, start)
        score_captures(ctx, start, end, tt_move)
        for index in range(start, end):
            move = pick(ctx, index, end)
            if move == excluded or not rules.is_legal(ctx.pos, move):
                continue
            if not rules.see_ge(ctx, move, probcut_beta - static_eval):
                continue
            context.prefetch_child(ctx, move)
            ctx.nodes += 1
            context.make_move(ctx, move)
            value = -quiescence(ctx, -probcut_beta, -probcut_beta + 1, end)
            if value >= probcut_beta and depth > 4:
                value = -search(ctx, -probcut_beta, -probcut_beta + 1, depth - 4, next_node, end)
            context.unmake_move(ctx, move)
            if ctx.stopped:
                return 0
            if value >= probcut_beta:
                if using_table and excluded == MOVE_NONE:
                    tt.store(ctx, hash_key, move, value, depth - 3, tt.BOUND_LOWER, here.tt_pv != 0, raw_eval)
                if not is_decisive(value):
                    return value - (probcut_beta - beta)
    # 10b. The table's lower bound.
    if pruning and params.small_probcut_margin > 0 and tt_bound & tt.BOUND_LOWER and tt_depth >= depth - 4:
        probcut_beta = beta + params.small_probcut_margin
        if probcut_beta <= tt_value < VALUE_MATE_IN_MAX and not is_decisive(beta) and not root:
            return probcut_beta
    # 10c. Multi-ProbCut, for games that know how well a shallow search predicts a deeper one.
    selective = ctx.search_flags & USE_MULTI_PROBCUT and params.multi_probcut_margin > 0
    if selective and depth >= params.probcut_min_depth and not pv_node and not in_check and not is_decisive(beta):
        shallow, spread = rules.probcut(ctx, depth)
        if shallow > 0:
            margin = params.multi_probcut_margin * spread // 100
            above = rules.evaluate(ctx) >= beta
            bound = beta + margin if above else alpha - margin + 1
            kept = context.node_state(ctx)
            value = search(ctx, bound - 1, bound, shallow, np.int64(node), start)
            context.restore_node(ctx, kept)
            if ctx.stopped:
                return 0
            if (value >= bound) == above:
                return beta if above else alpha

    # 11. Loop over the moves until a beta cutoff.
    if pruning:
        rules.set_check_info(ctx)
    best_value = -VALUE_INFINITE
    best_move = MOVE_NONE
    move_count = 0
    searched = 0
    singular = 1 if excluded != MOVE_NONE else 0
    picker, searched_moves = ctx.pickers[singular, ctx.ply], ctx.searched[singular, ctx.ply]
    init_picker(picker, start, tt_move)
    window_share = selectivity.window_share(ctx, alpha, beta)
    while True:
        if root:
            if ctx.root_first + move_count >= ctx.root_count:
                break
            move = ctx.root_moves[ctx.root_first + move_count]
        else:
            move = next_move(ctx, picker)
            if move == MOVE_NONE:
                break
            if move == excluded or not rules.is_legal(ctx.pos, move):
                continue
        move_count += 1
        here.move_count = move_count
        context.prefetch_child(ctx, move)
        quiet = rules.is_quiet(ctx.pos, move)
        new_depth = depth - rules.move_cost(ctx.pos, move)
        r = 0
        if reducing:
            r = selectivity.reduction(params, depth, move_count, improving) - window_share
            if here.tt_pv:
                r += params.lmr_tt_pv_pruning

        # 12. Pruning at shallow depth, once some line avoids being mated.
        if pruning and not root and best_value > -VALUE_MATE_IN_MAX:
            # 12a. Late move pruning: skip the quiet moves late in the order.
            if not picker.skip_quiets and move_count >= selectivity.late_move_count(params, depth, improving):
                skip_quiet_moves(ctx, picker)
            lmr_depth = new_depth - r // selectivity.PLY
            checks = rules.gives_check(ctx, move)
            if not quiet or checks:
                # 12b. Prune captures and checks that lose material or cannot raise the value to alpha.
                if selectivity.capture_is_pruned(ctx, move, depth, lmr_depth, alpha, checks):
                    continue
            elif not (here.follow_pv and pv_node):
                # 12c. Prune quiet moves that have bad histories, are too far below alpha, or lose material.
                pruned, at_most = selectivity.quiet_is_pruned(
                    ctx, move, depth, lmr_depth, alpha, best_move == MOVE_NONE
                )
                if pruned:
                    if best_value <= at_most < VALUE_MATE_IN_MAX and not is_decisive(best_value):
                        best_value = at_most
                    continue

        # 13. Singular extensions. If all other moves stay below the table move's value by a margin, the node depends on
        #     that move: extend it, by more if the difference is larger, and the others by one ply. If another move
        #     reaches beta as well, the node is cut (multicut). Otherwise the value does not depend on the table move
        #     alone; if that is expected to cut the node, search it less deeply and leave more time for the others.
        extension = 0
        if (
            reducing
            and move == tt_move
            and not root
            and excluded == MOVE_NONE
            and depth >= params.singular_min_depth + here.tt_pv
            and tt_bound & tt.BOUND_LOWER
            and tt_depth >= depth - params.singular_tt_depth
            and not is_decisive(tt_value)
        ):
            margin = params.singular_margin + (params.singular_tt_pv if here.tt_pv and not pv_node else 0)
            singular_beta = tt_value - margin * depth // 55
            kept = context.node_state(ctx)
            here.excluded = move
            same_node = np.int64(CUT if cut_node else ALL)
            value = search(ctx, singular_beta - 1, singular_beta, new_depth // 2, same_node, picker.end)
            context.restore_node(ctx, kept)
            if ctx.stopped:
                return 0
            if value < singular_beta:
                extension = selectivity.extension_of(ctx, value, singular_beta, pv_node, tt_capture, correction)
                depth += 1
            elif value >= beta and not is_decisive(value):
                history.learn_from_multicut(ctx, depth)
                return value
            elif tt_value >= beta:
                extension = -params.negative_extension
            elif cut_node:
                extension = -params.negative_extension_cut
        new_depth += extension

        # 14. Late move reductions: by node type, table entry and the histories of the move.
        stat_score = selectivity.move_stat_score(ctx, move) if reducing else 0
        here.stat_score = stat_score
        nodes = ctx.nodes
        ctx.nodes += 1
        context.make_move(ctx, move)
        if reducing:
            r = selectivity.lmr_adjust(ctx, r, node, depth, move_count, alpha, tt_value, tt_depth, correction)
            if cut_node and tt_move == MOVE_NONE:
                r += params.lmr_cut_node_no_tt
            if tt_capture:
                r += params.lmr_tt_capture
            if move == tt_move:
                r -= params.lmr_tt_move

        # 15. Principal variation search: the first move of a PV node gets the full window. All others get a null window
        #     and reduced depth. If one beats alpha, search it to full depth and, at PV nodes, with the full window.
        value = alpha
        if reducing and depth >= 2 and move_count > 1:
            reduced_depth = max(1, min(new_depth - r // selectivity.PLY, new_depth + params.lmr_longest))
            if pv_node:
                reduced_depth += 1
            here.reduction = new_depth - reduced_depth
            value = -search(ctx, -alpha - 1, -alpha, reduced_depth, np.int64(CUT), picker.end)
            here.reduction = 0
            if value > alpha:
                if reduced_depth < new_depth and value > best_value + params.lmr_deeper:
                    new_depth += 1
                if value < best_value + params.lmr_shallower:
                    new_depth -= 1
                if new_depth > reduced_depth:
                    value = -search(ctx, -alpha - 1, -alpha, new_depth, next_node, picker.end)
                if not ctx.stopped:
                    history.learn_continuations(ctx, ctx.ply - 1, here.piece_target, params.lmr_research_bonus)
        elif not pv_node or move_count > 1:
            scout_depth = new_depth
            if reducing:
                if tt_move == MOVE_NONE:
                    r += params.scout_no_tt
                if r > params.scout_reduction[0]:
                    scout_depth -= 1
                if r > params.scout_reduction[1] and new_depth > 2:
                    scout_depth -= 1
            value = -search(ctx, -alpha - 1, -alpha, scout_depth, next_node, picker.end)
        if pv_node and (move_count == 1 or value > alpha) and not ctx.stopped:
            if reducing and move == tt_move and tt_depth > 1:
                new_depth = max(new_depth, 1)
            value = -search(ctx, -beta, -alpha, new_depth, np.int64(PV), picker.end)
        context.unmake_move(ctx, move)
        if ctx.stopped:
            return best_value if root else 0

        # 16. Handle a new best move and a beta cutoff.
        if root:
            note_root_move(ctx, move_count - 1, value, ctx.nodes - nodes)
        if value > best_value:
            best_value = value
            if root and (value > alpha or move_count == 1):
                ctx.pv_end[0] = 0
                context.update_pv(ctx, move)
                bring_to_front(ctx, move_count - 1, value)
            if value > alpha:
                best_move = move
                if pv_node and not root:
                    context.update_pv(ctx, move)
                if value >= beta:
                    if extension < 2 or pv_node:
                        here.cutoffs += 1
                    break
                # Search the remaining moves less deeply, because an even better one is unlikely.
                if reducing and 2 < depth < 14 and not is_decisive(value):
                    depth -= params.raised_alpha
                alpha = value
                window_share = selectivity.window_share(ctx, alpha, beta)
        if move != best_move and searched < SEARCHED_MOVES:
            searched_moves[searched] = move
            searched += 1

    # 17. Without a legal move the game is over, unless the only legal move is the excluded one.
    if move_count == 0:
        return rules.terminal_value(ctx) if excluded == MOVE_NONE else alpha

    # 18. Move a value above beta closer to beta, more so at low depth. Then update the histories and the table.
    if pruning and best_value >= beta and not is_decisive(best_value) and not is_decisive(alpha):
        best_value = (best_value * depth + beta) // (depth + 1)
    has_best_move = best_move != MOVE_NONE
    if has_best_move:
        history.learn_from_best_move(ctx, best_move, searched_moves[:searched], depth, tt_move)
        if not pv_node:
            history.learn_trust(ctx, best_move == tt_move)
    elif pruning:
        history.learn_from_fail_low(ctx, best_value, depth)
    if best_value <= alpha and last.tt_pv:
        here.tt_pv = True
    if using_table and excluded == MOVE_NONE and not (root and ctx.root_first > 0):
        bound = tt.BOUND_UPPER
        if best_value >= beta:
            bound = tt.BOUND_LOWER
        elif has_best_move and pv_node:
            bound = tt.BOUND_EXACT
        tt.store(ctx, hash_key, best_move, best_value, depth, bound, here.tt_pv != 0, raw_eval)
    quiet_best = not has_best_move or rules.is_quiet(ctx.pos, best_move)
    if pruning and not in_check and quiet_best and (best_value > static_eval) == has_best_move:
        history.learn_correction(ctx, best_value - static_eval, depth, has_best_move)
    return best_value


# ---- One iteration of the search: a search of the root moves, and its aspiration window


@njit
def search_root(ctx, alpha, beta, depth, first):
    """Search the root moves ctx.root_moves[first : ctx.root_count] `depth` plies deep; return the best value.

    The best move is moved to `first` as soon as it is found. ctx.root_scores[first] is its value, or -VALUE_INFINITE
    if no move was searched. If the value is outside (alpha, beta), ctx.window is set for the next attempt.
    """
    ctx.root_scores[first] = -VALUE_INFINITE
    ctx.root_first = first
    ctx.root_depth = depth
    ctx.window.alpha, ctx.window.beta = alpha, beta
    value = search(ctx, np.int64(alpha), np.int64(beta), np.int64(depth), np.int64(ROOT), np.int64(0))
    widen_window(ctx, value)
    return value


@njit
def open_window(ctx, line, depth):
    """Open ctx.window for an iteration of `depth` plies, around the average value of the root move at `line`.

    The window is wider if the mean square of the move's values is large. Without an earlier value it is full. Call
    `search_root(ctx, window.alpha, window.beta, window.depth, line)` until window.failed is 0. ctx.pv[0] must be the
    principal variation that this line had last.
    """
    params, window = ctx.params, ctx.window
    ctx.last_pv_end = ctx.pv_end[0]
    for ply in range(ctx.last_pv_end):
        ctx.last_pv[ply] = ctx.pv[0, ply]
    average = ctx.root_averages[line]
    window.iteration = window.depth = depth
    window.delta = params.aspiration_window + ctx.thread % 8
    window.alpha, window.beta = -VALUE_INFINITE, VALUE_INFINITE
    if average != VALUE_NONE and not is_decisive(average):
        window.delta += abs(ctx.root_squares[line]) // max(params.aspiration_square, 1)
        window.alpha = max(average - window.delta, -VALUE_INFINITE)
        window.beta = min(average + window.delta, VALUE_INFINITE)


@njit
def widen_window(ctx, value):
    """Widen ctx.window towards a `value` outside it. Set window.failed to -1 for a fail low, 1 for a fail high, else 0.

    After each fail high, the next search is a ply shallower.
    """
    params, window = ctx.params, ctx.window
    window.failed = 0
    if value <= window.alpha and window.alpha > -VALUE_INFINITE:
        window.failed = -1
        window.beta = window.alpha
        window.alpha = max(value - window.delta, -VALUE_INFINITE)
        window.depth = window.iteration
    elif value >= window.beta and window.beta < VALUE_INFINITE:
        window.failed = 1
        window.alpha = max(window.beta - window.delta, window.alpha)
        window.beta = min(value + window.delta, VALUE_INFINITE)
        if ctx.search_flags & USE_REDUCTIONS:
            window.depth = max(1, window.depth - 1)
    if window.failed != 0:
        window.delta = max(window.delta * params.aspiration_growth // 100, window.delta + 1)
        if window.delta > params.aspiration_max:
            window.alpha, window.beta = -VALUE_INFINITE, VALUE_INFINITE
